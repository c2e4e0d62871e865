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
 * Conversion of blocks of HALF to blocks of floats and back, for PROD before Java 20; see {@link HalfConversion}. The
 * methods correspond to those of {@link Bfloat16Blocks}. Infinities become NaN. If a result in a block is NaN, the
 * calling reduction kernel combines that block again, element by element. SUM uses {@link ScaledHalfBlocks}, which is
 * faster; MAX and MIN use {@link OrderedFloat16Blocks} on all Java versions.
 */
final class HalfBlocks
{
    private static final int MAX_WORDS = Scratch.BLOCK_BYTES / Long.BYTES;
    private static final int MAX_FLOATS = Scratch.BLOCK_BYTES / Float.BYTES;
    private static final long SIGNS = 0x8000000080000000L;
    private static final long EVEN_SIGNS = 0x0000800000008000L;
    private static final long EVEN_MAGNITUDES = 0x00007fff00007fffL;
    private static final long ODD_MAGNITUDES = 0x7fff00007fff0000L;
    private static final long EXPONENTS = 0x7f8000007f800000L;
    private static final long HALF_EXPONENTS = 0x00007c0000007c00L;
    private static final long ROUNDED = 0x00000fff00000fffL;
    /** Factor that corrects the exponent of a half whose bits are in the place of a float's. */
    private static final float REBIAS = 0x1p112f;

    private HalfBlocks()
    {
    }

    /** Overwrites spare memory of the length of a block. */
    static void split(
        final long elements, final long even, final long odd, final long spare, final int words)
    {
        spread(elements, spare, odd, words);
        rebias(even, spare, 2 * words);
        rebias(spare, odd, 2 * words);
        UnsafeApi.copyMemory(spare, odd, (long)words << 3);
    }

    /** Moves bits into the places of a float. */
    private static void spread(final long elements, final long even, final long odd, final int words)
    {
        final int end = Math.max(0, Math.min(words, MAX_WORDS));
        for (int i = 0; i < end; i += 2)
        {
            final long offset = (long)i << 3;
            final long w0 = UnsafeApi.getLong(elements + offset);
            final long w1 = UnsafeApi.getLong(elements + offset + 8);
            UnsafeApi.putLong(even + offset, ((w0 & EVEN_SIGNS) << 16) | ((w0 & EVEN_MAGNITUDES) << 13));
            UnsafeApi.putLong(even + offset + 8, ((w1 & EVEN_SIGNS) << 16) | ((w1 & EVEN_MAGNITUDES) << 13));
            UnsafeApi.putLong(odd + offset, (w0 & SIGNS) | ((w0 & ODD_MAGNITUDES) >>> 3));
            UnsafeApi.putLong(odd + offset + 8, (w1 & SIGNS) | ((w1 & ODD_MAGNITUDES) >>> 3));
        }
    }

    /**
     * Converts to the value, exactly. The exponent of infinity yields 2^16 or more, which the second multiplication
     * makes an infinity, and the third NaN; to others it adds a zero of their sign.
     */
    private static void rebias(final long dest, final long floats, final int count)
    {
        final int end = Math.max(0, Math.min(count, MAX_FLOATS));
        for (int i = 0; i < end; i += 4)
        {
            final long offset = (long)i << 2;
            final float a0 = UnsafeApi.getFloat(floats + offset) * REBIAS;
            final float a1 = UnsafeApi.getFloat(floats + offset + 4) * REBIAS;
            final float a2 = UnsafeApi.getFloat(floats + offset + 8) * REBIAS;
            final float a3 = UnsafeApi.getFloat(floats + offset + 12) * REBIAS;
            final float c0 = a0 + a0 * REBIAS * 0f;
            final float c1 = a1 + a1 * REBIAS * 0f;
            final float c2 = a2 + a2 * REBIAS * 0f;
            final float c3 = a3 + a3 * REBIAS * 0f;
            UnsafeApi.putFloat(dest + offset, c0);
            UnsafeApi.putFloat(dest + offset + 4, c1);
            UnsafeApi.putFloat(dest + offset + 8, c2);
            UnsafeApi.putFloat(dest + offset + 12, c3);
        }
    }

    /**
     * As {@link Bfloat16Blocks#join}. A power of two is added to the magnitude, so large that the sum, rounded by the
     * processor, keeps as many digits as the half will have; a larger one for subnormal results.
     */
    static boolean join(
        final long dest, final long left, final long right, final Scratch scratch, final int words)
    {
        final long even = scratch.block(Scratch.EVEN);
        final long odd = scratch.block(Scratch.ODD);
        final long sums = scratch.block(0);
        final long spare = scratch.block(6);
        if (NanSupport.hasNanFloat(even, odd, spare, words))
        {
            return false;
        }

        round(even, spare, sums, words);
        round(odd, spare, sums, words);
        merge(even, odd, dest, words);
        return true;
    }

    private static void round(final long floats, final long spare, final long sums, final int words)
    {
        takeExponents(floats, spare, words);
        addPowers(sums, floats, spare, 2 * words);
        encode(spare, floats, sums, words);
        UnsafeApi.copyMemory(spare, floats, (long)words << 3);
    }

    private static void takeExponents(final long floats, final long powers, final int words)
    {
        final int end = Math.max(0, Math.min(words, MAX_WORDS));
        for (int i = 0; i < end; i += 4)
        {
            final long offset = (long)i << 3;
            final long w0 = UnsafeApi.getLong(floats + offset);
            final long w1 = UnsafeApi.getLong(floats + offset + 8);
            final long w2 = UnsafeApi.getLong(floats + offset + 16);
            final long w3 = UnsafeApi.getLong(floats + offset + 24);
            UnsafeApi.putLong(powers + offset, w0 & EXPONENTS);
            UnsafeApi.putLong(powers + offset + 8, w1 & EXPONENTS);
            UnsafeApi.putLong(powers + offset + 16, w2 & EXPONENTS);
            UnsafeApi.putLong(powers + offset + 24, w3 & EXPONENTS);
        }
    }

    /**
     * Adds the powers. The fraction of the sum is the magnitude in units of the last digit of the half, with its
     * leading 1.
     */
    private static void addPowers(final long sums, final long floats, final long powers, final int count)
    {
        final int end = Math.max(0, Math.min(count, MAX_FLOATS));
        for (int i = 0; i < end; i += 4)
        {
            final long offset = (long)i << 2;
            final float a0 = UnsafeApi.getFloat(floats + offset);
            final float p0 = UnsafeApi.getFloat(powers + offset);
            final float a1 = UnsafeApi.getFloat(floats + offset + 4);
            final float p1 = UnsafeApi.getFloat(powers + offset + 4);
            final float a2 = UnsafeApi.getFloat(floats + offset + 8);
            final float p2 = UnsafeApi.getFloat(powers + offset + 8);
            final float a3 = UnsafeApi.getFloat(floats + offset + 12);
            final float p3 = UnsafeApi.getFloat(powers + offset + 12);
            final float c0 = Math.max(p0, 0x1p-14f) * 0x1p15f + Math.abs(a0) * REBIAS * 0x1p-110f;
            final float c1 = Math.max(p1, 0x1p-14f) * 0x1p15f + Math.abs(a1) * REBIAS * 0x1p-110f;
            final float c2 = Math.max(p2, 0x1p-14f) * 0x1p15f + Math.abs(a2) * REBIAS * 0x1p-110f;
            final float c3 = Math.max(p3, 0x1p-14f) * 0x1p15f + Math.abs(a3) * REBIAS * 0x1p-110f;
            UnsafeApi.putFloat(sums + offset, c0);
            UnsafeApi.putFloat(sums + offset + 4, c1);
            UnsafeApi.putFloat(sums + offset + 8, c2);
            UnsafeApi.putFloat(sums + offset + 12, c3);
        }
    }

    /** Encodes the halves. The leading 1 of the fraction carries into the exponent, which is one too small. */
    private static void encode(final long dest, final long floats, final long sums, final int words)
    {
        final int end = Math.max(0, Math.min(words, MAX_WORDS));
        for (int i = 0; i < end; i += 2)
        {
            final long offset = (long)i << 3;
            final long w0 = UnsafeApi.getLong(floats + offset);
            final long s0 = UnsafeApi.getLong(sums + offset);
            final long w1 = UnsafeApi.getLong(floats + offset + 8);
            final long s1 = UnsafeApi.getLong(sums + offset + 8);
            final long h0 = ((w0 & SIGNS) >>> 16) | (((s0 >>> 13) & HALF_EXPONENTS) + (s0 & ROUNDED));
            final long h1 = ((w1 & SIGNS) >>> 16) | (((s1 >>> 13) & HALF_EXPONENTS) + (s1 & ROUNDED));
            UnsafeApi.putLong(dest + offset, h0);
            UnsafeApi.putLong(dest + offset + 8, h1);
        }
    }

    private static void merge(final long even, final long odd, final long elements, final int words)
    {
        final int end = Math.max(0, Math.min(words, MAX_WORDS));
        for (int i = 0; i < end; i += 4)
        {
            final long offset = (long)i << 3;
            final long e0 = UnsafeApi.getLong(even + offset);
            final long o0 = UnsafeApi.getLong(odd + offset);
            final long e1 = UnsafeApi.getLong(even + offset + 8);
            final long o1 = UnsafeApi.getLong(odd + offset + 8);
            final long e2 = UnsafeApi.getLong(even + offset + 16);
            final long o2 = UnsafeApi.getLong(odd + offset + 16);
            final long e3 = UnsafeApi.getLong(even + offset + 24);
            final long o3 = UnsafeApi.getLong(odd + offset + 24);
            final long w0 = e0 | (o0 << 16);
            final long w1 = e1 | (o1 << 16);
            final long w2 = e2 | (o2 << 16);
            final long w3 = e3 | (o3 << 16);
            UnsafeApi.putLong(elements + offset, w0);
            UnsafeApi.putLong(elements + offset + 8, w1);
            UnsafeApi.putLong(elements + offset + 16, w2);
            UnsafeApi.putLong(elements + offset + 24, w3);
        }
    }
}
