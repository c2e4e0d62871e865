/*
 * Copyright 2026 The AeroSHMEM authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 * https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.aeroshmem.collective.reduction;

import org.agrona.UnsafeApi;

/**
 * Conversion of blocks of HALF to blocks of floats and back, for SUM before Java 20; see {@link HalfConversion}. The
 * methods correspond to those of {@link Bfloat16Blocks}. Sign, exponent and fraction of a half are moved to the places
 * that they have in a float. The value of that float is the value of the half times 2^-112, also for subnormal halves,
 * which become subnormal floats. So a sum of these floats is the sum of the halves times 2^-112. Rounding this sum to
 * HALF differs from rounding to BFLOAT16 only in the position of the last bit that is kept.
 * <p>
 * Infinities, NaN and results above 2^16 do not scale in this way. If a block contains or gives one of these, it is
 * combined element by element.
 * <p>
 * A product would be rounded twice if it is subnormal, so PROD uses {@link HalfBlocks}.
 */
final class ScaledHalfBlocks
{
    private static final int MAX_WORDS = Scratch.BLOCK_BYTES / Long.BYTES;
    private static final int FRACTION_SHIFT = 13;
    private static final long SIGNS = 0x8000000080000000L;
    private static final long EVEN_SIGNS = 0x0000800000008000L;
    private static final long EVEN_MAGNITUDES = 0x00007fff00007fffL;
    private static final long ODD_MAGNITUDES = 0x7fff00007fff0000L;
    /** Half of the last retained bit, less one: together with that bit it carries from the middle to even. */
    private static final long ROUND = 0x00000fff00000fffL;
    private static final long LAST_BIT = 0x0000000100000001L;
    private static final long ELEMENT_SIGNS = 0x8000800080008000L;
    private static final long MAGNITUDES = 0x7fff7fff7fff7fffL;
    /** What carries the magnitude of infinity, 0x7c00, and of NaN into the place of the sign. */
    private static final long OPERAND_CARRIES = 0x0400040004000400L;
    /** What carries a magnitude beyond that of infinity: a result above 2^16. */
    private static final long RESULT_CARRIES = 0x03ff03ff03ff03ffL;

    private static final int SPLIT_EVEN = 0;
    private static final int SPLIT_ODD = 1;
    private static final int ROUND_FLOATS = 2;
    private static final int MERGE = 3;
    private static final int CARRY_OPERANDS = 4;
    private static final int CARRY_RESULTS = 5;
    private static final BlockPass[] PASSES = {
        (dest, first, second, words) -> splitEven(dest, first, words),
        (dest, first, second, words) -> splitOdd(dest, first, words),
        (dest, first, second, words) -> round(dest, first, words),
        ScaledHalfBlocks::merge,
        (dest, first, second, words) -> NanSupport.carry(dest, first, second, MAGNITUDES, OPERAND_CARRIES, words),
        (dest, first, second, words) -> NanSupport.carry(dest, first, second, MAGNITUDES, RESULT_CARRIES, words)};

    private ScaledHalfBlocks()
    {
    }

    static void split(
        final long elements, final long even, final long odd, final long spare, final int words)
    {
        BlockPass.run(PASSES, SPLIT_EVEN, even, elements, 0, words);
        BlockPass.run(PASSES, SPLIT_ODD, odd, elements, 0, words);
    }

    /** As {@link Bfloat16Blocks#join}. */
    static boolean join(
        final long dest, final long left, final long right, final Scratch scratch, final int words)
    {
        final long even = scratch.block(0);
        final long odd = scratch.block(1);
        final long results = scratch.block(2);
        BlockPass.run(PASSES, ROUND_FLOATS, even, scratch.block(Scratch.EVEN), 0, words);
        BlockPass.run(PASSES, ROUND_FLOATS, odd, scratch.block(Scratch.ODD), 0, words);
        BlockPass.run(PASSES, MERGE, results, even, odd, words);
        BlockPass.run(PASSES, CARRY_OPERANDS, even, left, right, words);
        BlockPass.run(PASSES, CARRY_RESULTS, odd, results, results, words);
        if (0 != ((NanSupport.union(even, words) | NanSupport.union(odd, words)) & ELEMENT_SIGNS))
        {
            return false;
        }

        UnsafeApi.copyMemory(results, dest, (long)words << 3);
        return true;
    }

    private static void splitEven(final long dest, final long elements, final int words)
    {
        final int end = Math.max(0, Math.min(words, MAX_WORDS));
        for (int i = 0; i < end; i += 4)
        {
            final long offset = (long)i << 3;
            final long w0 = UnsafeApi.getLong(elements + offset);
            final long w1 = UnsafeApi.getLong(elements + offset + 8);
            final long w2 = UnsafeApi.getLong(elements + offset + 16);
            final long w3 = UnsafeApi.getLong(elements + offset + 24);
            final long r0 = ((w0 & EVEN_SIGNS) << 16) | ((w0 & EVEN_MAGNITUDES) << 13);
            final long r1 = ((w1 & EVEN_SIGNS) << 16) | ((w1 & EVEN_MAGNITUDES) << 13);
            final long r2 = ((w2 & EVEN_SIGNS) << 16) | ((w2 & EVEN_MAGNITUDES) << 13);
            final long r3 = ((w3 & EVEN_SIGNS) << 16) | ((w3 & EVEN_MAGNITUDES) << 13);
            UnsafeApi.putLong(dest + offset, r0);
            UnsafeApi.putLong(dest + offset + 8, r1);
            UnsafeApi.putLong(dest + offset + 16, r2);
            UnsafeApi.putLong(dest + offset + 24, r3);
        }
    }

    private static void splitOdd(final long dest, final long elements, final int words)
    {
        final int end = Math.max(0, Math.min(words, MAX_WORDS));
        for (int i = 0; i < end; i += 4)
        {
            final long offset = (long)i << 3;
            final long w0 = UnsafeApi.getLong(elements + offset);
            final long w1 = UnsafeApi.getLong(elements + offset + 8);
            final long w2 = UnsafeApi.getLong(elements + offset + 16);
            final long w3 = UnsafeApi.getLong(elements + offset + 24);
            final long r0 = (w0 & SIGNS) | ((w0 & ODD_MAGNITUDES) >>> 3);
            final long r1 = (w1 & SIGNS) | ((w1 & ODD_MAGNITUDES) >>> 3);
            final long r2 = (w2 & SIGNS) | ((w2 & ODD_MAGNITUDES) >>> 3);
            final long r3 = (w3 & SIGNS) | ((w3 & ODD_MAGNITUDES) >>> 3);
            UnsafeApi.putLong(dest + offset, r0);
            UnsafeApi.putLong(dest + offset + 8, r1);
            UnsafeApi.putLong(dest + offset + 16, r2);
            UnsafeApi.putLong(dest + offset + 24, r3);
        }
    }

    /** A carry out of the fraction raises the exponent; beyond the largest, to that of infinity. */
    private static void round(final long dest, final long floats, final int words)
    {
        final int end = Math.max(0, Math.min(words, MAX_WORDS));
        for (int i = 0; i < end; i += 4)
        {
            final long offset = (long)i << 3;
            final long w0 = UnsafeApi.getLong(floats + offset);
            final long w1 = UnsafeApi.getLong(floats + offset + 8);
            final long w2 = UnsafeApi.getLong(floats + offset + 16);
            final long w3 = UnsafeApi.getLong(floats + offset + 24);
            final long r0 = w0 + ROUND + ((w0 >>> FRACTION_SHIFT) & LAST_BIT);
            final long r1 = w1 + ROUND + ((w1 >>> FRACTION_SHIFT) & LAST_BIT);
            final long r2 = w2 + ROUND + ((w2 >>> FRACTION_SHIFT) & LAST_BIT);
            final long r3 = w3 + ROUND + ((w3 >>> FRACTION_SHIFT) & LAST_BIT);
            UnsafeApi.putLong(dest + offset, r0);
            UnsafeApi.putLong(dest + offset + 8, r1);
            UnsafeApi.putLong(dest + offset + 16, r2);
            UnsafeApi.putLong(dest + offset + 24, r3);
        }
    }

    /** Two longs in a round: JDK 17 does not vectorise more of these. */
    private static void merge(final long dest, final long even, final long odd, final int words)
    {
        final int end = Math.max(0, Math.min(words, MAX_WORDS));
        for (int i = 0; i < end; i += 2)
        {
            final long offset = (long)i << 3;
            final long e0 = UnsafeApi.getLong(even + offset);
            final long o0 = UnsafeApi.getLong(odd + offset);
            final long e1 = UnsafeApi.getLong(even + offset + 8);
            final long o1 = UnsafeApi.getLong(odd + offset + 8);
            final long r0 =
                ((e0 >>> 16) & EVEN_SIGNS) | ((e0 >>> FRACTION_SHIFT) & EVEN_MAGNITUDES) |
                (o0 & SIGNS) | ((o0 << 3) & ODD_MAGNITUDES);
            final long r1 =
                ((e1 >>> 16) & EVEN_SIGNS) | ((e1 >>> FRACTION_SHIFT) & EVEN_MAGNITUDES) |
                (o1 & SIGNS) | ((o1 << 3) & ODD_MAGNITUDES);
            UnsafeApi.putLong(dest + offset, r0);
            UnsafeApi.putLong(dest + offset + 8, r1);
        }
    }
}
