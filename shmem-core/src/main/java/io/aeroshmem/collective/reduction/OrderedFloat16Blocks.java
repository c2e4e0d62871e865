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
 * Maxima and minima of blocks of HALF and BFLOAT16 by operations on longs, four elements at a time. Nothing is
 * converted to floats: if the magnitude bits of negative numbers are inverted, both types have the order of signed
 * 16-bit integers, with the negative zero below the positive one. NaN has no place in that order, so blocks that hold
 * one are left to the kernel.
 * <p>
 * Each pass is a loop of its own, because the compiler does not vectorise a longer one.
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

    private static final int ORDER = 4;
    private static final int MAX_WORDS = Scratch.BLOCK_BYTES / Long.BYTES;
    private static final int SHIFT = Short.SIZE - 1;
    private static final long SIGNS = 0x8000800080008000L;
    /** What carries a magnitude beyond that of infinity, 0x7c00, into the place of the sign. */
    private static final long HALF_CARRIES = 0x03ff03ff03ff03ffL;
    /** The same, where the magnitude of infinity is 0x7f80. */
    private static final long BFLOAT16_CARRIES = 0x007f007f007f007fL;
    private static final BlockPass[] PASSES = {
        OrderedFloat16Blocks::max,
        OrderedFloat16Blocks::min,
        (dest, first, second, words) -> NanSupport.carry(dest, first, second, ~SIGNS, HALF_CARRIES, words),
        (dest, first, second, words) -> NanSupport.carry(dest, first, second, ~SIGNS, BFLOAT16_CARRIES, words),
        (dest, first, second, words) -> order(dest, first, words)};

    private OrderedFloat16Blocks()
    {
    }

    /**
     * Combines a block, unless it holds NaN: then stores nothing.
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
        BlockPass.run(PASSES, nan, marks, left, right, words);
        if (0 != (NanSupport.union(marks, words) & SIGNS))
        {
            return false;
        }

        final long orderedLeft = scratch.block(1);
        final long orderedRight = scratch.block(2);
        BlockPass.run(PASSES, ORDER, orderedLeft, left, 0, words);
        BlockPass.run(PASSES, ORDER, orderedRight, right, 0, words);
        BlockPass.run(PASSES, operation, marks, orderedLeft, orderedRight, words);
        BlockPass.run(PASSES, ORDER, dest, marks, 0, words);
        return true;
    }

    private static void max(final long dest, final long first, final long second, final int words)
    {
        final int end = Math.max(0, Math.min(words, MAX_WORDS));
        for (int i = 0; i < end; i += 2)
        {
            final long offset = (long)i << 3;
            final long a0 = UnsafeApi.getLong(first + offset);
            final long b0 = UnsafeApi.getLong(second + offset);
            final long a1 = UnsafeApi.getLong(first + offset + 8);
            final long b1 = UnsafeApi.getLong(second + offset + 8);
            final long r0 = BranchFree.packedMax(a0, b0, SIGNS, SHIFT);
            final long r1 = BranchFree.packedMax(a1, b1, SIGNS, SHIFT);
            UnsafeApi.putLong(dest + offset, r0);
            UnsafeApi.putLong(dest + offset + 8, r1);
        }
    }

    private static void min(final long dest, final long first, final long second, final int words)
    {
        final int end = Math.max(0, Math.min(words, MAX_WORDS));
        for (int i = 0; i < end; i += 2)
        {
            final long offset = (long)i << 3;
            final long a0 = UnsafeApi.getLong(first + offset);
            final long b0 = UnsafeApi.getLong(second + offset);
            final long a1 = UnsafeApi.getLong(first + offset + 8);
            final long b1 = UnsafeApi.getLong(second + offset + 8);
            final long r0 = BranchFree.packedMin(a0, b0, SIGNS, SHIFT);
            final long r1 = BranchFree.packedMin(a1, b1, SIGNS, SHIFT);
            UnsafeApi.putLong(dest + offset, r0);
            UnsafeApi.putLong(dest + offset + 8, r1);
        }
    }

    /** Converts elements to integers of the same order, and back. */
    private static void order(final long dest, final long elements, final int words)
    {
        final int end = Math.max(0, Math.min(words, MAX_WORDS));
        for (int i = 0; i < end; i += 4)
        {
            final long offset = (long)i << 3;
            final long w0 = UnsafeApi.getLong(elements + offset);
            final long w1 = UnsafeApi.getLong(elements + offset + 8);
            final long w2 = UnsafeApi.getLong(elements + offset + 16);
            final long w3 = UnsafeApi.getLong(elements + offset + 24);
            final long r0 = w0 ^ ((w0 & SIGNS) - ((w0 & SIGNS) >>> SHIFT));
            final long r1 = w1 ^ ((w1 & SIGNS) - ((w1 & SIGNS) >>> SHIFT));
            final long r2 = w2 ^ ((w2 & SIGNS) - ((w2 & SIGNS) >>> SHIFT));
            final long r3 = w3 ^ ((w3 & SIGNS) - ((w3 & SIGNS) >>> SHIFT));
            UnsafeApi.putLong(dest + offset, r0);
            UnsafeApi.putLong(dest + offset + 8, r1);
            UnsafeApi.putLong(dest + offset + 16, r2);
            UnsafeApi.putLong(dest + offset + 24, r3);
        }
    }
}
