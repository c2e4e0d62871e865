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
 * Element-wise maxima and minima of two blocks of HALF or BFLOAT16, by operations on longs, four elements at a time.
 * Nothing is converted to floats. Both types are a sign and a magnitude, so an element a is not less than an element b
 * in these cases:
 * <ul>
 * <li>the signs differ, and a is positive (so the negative zero is below the positive one);</li>
 * <li>both are positive, and the magnitude of a is not less than that of b;</li>
 * <li>both are negative, and the magnitude of a is less than that of b (if the magnitudes are equal, so are a and b,
 * and either may be taken).</li>
 * </ul>
 * NaN has no place in that order, so blocks that hold a NaN are left to the reduction kernel, which converts them.
 * <p>
 * A block is processed in several passes, each a loop of its own, because the compiler does not vectorise a longer
 * loop.
 */
final class OrderedFloat16Blocks
{
    /** Index of the pass that stores the maxima. */
    static final int MAX = 0;
    /** Index of the pass that stores the minima. */
    static final int MIN = 1;
    /** Index of the pass that marks NaN in blocks of HALF. */
    static final int NAN_OF_HALF = 2;
    /** Index of the pass that marks NaN in blocks of BFLOAT16. */
    static final int NAN_OF_BFLOAT16 = 3;

    private static final int MAGNITUDES = 4;
    private static final int NOT_LESS = 5;
    private static final int MAX_WORDS = Scratch.BLOCK_BYTES / Long.BYTES;
    private static final int SHIFT = Short.SIZE - 1;
    private static final long SIGNS = 0x8000800080008000L;
    /** What carries a magnitude beyond that of infinity, 0x7c00, into the place of the sign. */
    private static final long HALF_CARRIES = 0x03ff03ff03ff03ffL;
    /** The same, where the magnitude of infinity is 0x7f80. */
    private static final long BFLOAT16_CARRIES = 0x007f007f007f007fL;
    private static final BlockPass[] PASSES = {
        OrderedFloat16Blocks::select,
        (dest, first, second, words) -> select(dest, second, first, words),
        (dest, first, second, words) -> NanSupport.carry(dest, first, second, ~SIGNS, HALF_CARRIES, words),
        (dest, first, second, words) -> NanSupport.carry(dest, first, second, ~SIGNS, BFLOAT16_CARRIES, words),
        OrderedFloat16Blocks::compareMagnitudes,
        OrderedFloat16Blocks::markNotLess};

    private OrderedFloat16Blocks()
    {
    }

    /**
     * Combines a block, unless it holds NaN: then stores nothing. The results replace one of the operands, or overlap
     * neither.
     *
     * @param operation {@link #MAX} or {@link #MIN}.
     * @param nan       {@link #NAN_OF_HALF} or {@link #NAN_OF_BFLOAT16}.
     * @param words     length in longs: a multiple of 4, at most {@link Scratch#BLOCK_BYTES} in bytes.
     * @return whether the results are stored; otherwise the elements are to be combined one by one.
     */
    static boolean combine(
        final int operation,
        final int nan,
        final long dest,
        final long left,
        final long right,
        final Scratch scratch,
        final int words)
    {
        final long marks = scratch.block(0);
        final long magnitudes = scratch.block(1);
        BlockPass.run(PASSES, nan, marks, left, right, words);
        if (0 != (NanSupport.union(marks, words) & SIGNS))
        {
            return false;
        }

        final long results = dest == left || dest == right ? marks : dest;
        BlockPass.run(PASSES, MAGNITUDES, magnitudes, left, right, words);
        BlockPass.run(PASSES, NOT_LESS, results, left, magnitudes, words);
        BlockPass.run(PASSES, operation, results, left, right, words);
        if (dest != results)
        {
            UnsafeApi.copyMemory(results, dest, (long)words << 3);
        }

        return true;
    }

    /** Sets the signs of elements whose signs differ, or whose magnitude is not less in the first block. */
    private static void compareMagnitudes(final long dest, final long first, final long second, final int words)
    {
        final int end = Math.max(0, Math.min(words, MAX_WORDS));
        for (int i = 0; i < end; i += 4)
        {
            final long offset = (long)i << 3;
            final long a0 = UnsafeApi.getLong(first + offset);
            final long b0 = UnsafeApi.getLong(second + offset);
            final long a1 = UnsafeApi.getLong(first + offset + 8);
            final long b1 = UnsafeApi.getLong(second + offset + 8);
            final long a2 = UnsafeApi.getLong(first + offset + 16);
            final long b2 = UnsafeApi.getLong(second + offset + 16);
            final long a3 = UnsafeApi.getLong(first + offset + 24);
            final long b3 = UnsafeApi.getLong(second + offset + 24);
            final long r0 = ((a0 | SIGNS) - (b0 & ~SIGNS)) | (a0 ^ b0);
            final long r1 = ((a1 | SIGNS) - (b1 & ~SIGNS)) | (a1 ^ b1);
            final long r2 = ((a2 | SIGNS) - (b2 & ~SIGNS)) | (a2 ^ b2);
            final long r3 = ((a3 | SIGNS) - (b3 & ~SIGNS)) | (a3 ^ b3);
            UnsafeApi.putLong(dest + offset, r0);
            UnsafeApi.putLong(dest + offset + 8, r1);
            UnsafeApi.putLong(dest + offset + 16, r2);
            UnsafeApi.putLong(dest + offset + 24, r3);
        }
    }

    /**
     * Sets all bits of the elements that are not less in the first block than in the other one, of which the second
     * block holds what {@link #compareMagnitudes} stored; clears those of others.
     */
    private static void markNotLess(final long dest, final long first, final long second, final int words)
    {
        final int end = Math.max(0, Math.min(words, MAX_WORDS));
        for (int i = 0; i < end; i += 4)
        {
            final long offset = (long)i << 3;
            final long a0 = UnsafeApi.getLong(first + offset);
            final long b0 = UnsafeApi.getLong(second + offset);
            final long a1 = UnsafeApi.getLong(first + offset + 8);
            final long b1 = UnsafeApi.getLong(second + offset + 8);
            final long a2 = UnsafeApi.getLong(first + offset + 16);
            final long b2 = UnsafeApi.getLong(second + offset + 16);
            final long a3 = UnsafeApi.getLong(first + offset + 24);
            final long b3 = UnsafeApi.getLong(second + offset + 24);
            final long r0 = spread((a0 ^ b0) & SIGNS);
            final long r1 = spread((a1 ^ b1) & SIGNS);
            final long r2 = spread((a2 ^ b2) & SIGNS);
            final long r3 = spread((a3 ^ b3) & SIGNS);
            UnsafeApi.putLong(dest + offset, r0);
            UnsafeApi.putLong(dest + offset + 8, r1);
            UnsafeApi.putLong(dest + offset + 16, r2);
            UnsafeApi.putLong(dest + offset + 24, r3);
        }
    }

    private static long spread(final long signs)
    {
        return (signs << 1) - (signs >>> SHIFT);
    }

    /** Replaces marks of {@link #markNotLess}: by the first block where they are set, otherwise by the second. */
    private static void select(final long dest, final long first, final long second, final int words)
    {
        final int end = Math.max(0, Math.min(words, MAX_WORDS));
        for (int i = 0; i < end; i += 4)
        {
            final long offset = (long)i << 3;
            final long a0 = UnsafeApi.getLong(first + offset);
            final long b0 = UnsafeApi.getLong(second + offset);
            final long m0 = UnsafeApi.getLong(dest + offset);
            final long a1 = UnsafeApi.getLong(first + offset + 8);
            final long b1 = UnsafeApi.getLong(second + offset + 8);
            final long m1 = UnsafeApi.getLong(dest + offset + 8);
            final long a2 = UnsafeApi.getLong(first + offset + 16);
            final long b2 = UnsafeApi.getLong(second + offset + 16);
            final long m2 = UnsafeApi.getLong(dest + offset + 16);
            final long a3 = UnsafeApi.getLong(first + offset + 24);
            final long b3 = UnsafeApi.getLong(second + offset + 24);
            final long m3 = UnsafeApi.getLong(dest + offset + 24);
            final long r0 = b0 ^ ((a0 ^ b0) & m0);
            final long r1 = b1 ^ ((a1 ^ b1) & m1);
            final long r2 = b2 ^ ((a2 ^ b2) & m2);
            final long r3 = b3 ^ ((a3 ^ b3) & m3);
            UnsafeApi.putLong(dest + offset, r0);
            UnsafeApi.putLong(dest + offset + 8, r1);
            UnsafeApi.putLong(dest + offset + 16, r2);
            UnsafeApi.putLong(dest + offset + 24, r3);
        }
    }
}
