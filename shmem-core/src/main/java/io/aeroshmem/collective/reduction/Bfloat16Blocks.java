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
 * Conversion of blocks of BFLOAT16 to blocks of floats and back, for the reduction kernels. It computes on longs, each
 * of which holds four BFLOAT16 or two floats. The elements at even positions become one block of floats, and those at
 * odd positions another. So no element changes its lane within a vector. The loops have the same shape as those of the
 * kernels, so that the compiler vectorises them. The length of a block is given as a number of longs, which is a
 * multiple of 4. A block has at most {@link Scratch#BLOCK_BYTES} bytes.
 */
final class Bfloat16Blocks
{
    private static final int MAX_WORDS = Scratch.BLOCK_BYTES / Long.BYTES;
    private static final long UPPER_HALVES = 0xffff0000ffff0000L;
    /** Half of the last retained bit, less one: together with that bit it carries from the middle to even. */
    private static final long ROUND = 0x00007fff00007fffL;
    private static final long LAST_BIT = 0x0000000100000001L;
    private static final int SPLIT_EVEN = 0;
    private static final int SPLIT_ODD = 1;
    private static final int ROUND_FLOATS = 2;
    private static final int MERGE = 3;
    private static final BlockPass[] PASSES = {
        (dest, first, second, words) -> splitEven(dest, first, words),
        (dest, first, second, words) -> splitOdd(dest, first, words),
        (dest, first, second, words) -> round(dest, first, words),
        Bfloat16Blocks::merge};

    private Bfloat16Blocks()
    {
    }

    /** Two loops take less time than one that stores to two blocks. */
    static void split(
        final long elements, final long even, final long odd, final long spare, final int words)
    {
        BlockPass.run(PASSES, SPLIT_EVEN, even, elements, 0, words);
        BlockPass.run(PASSES, SPLIT_ODD, odd, elements, 0, words);
    }

    private static void splitEven(final long floats, final long elements, final int words)
    {
        final int end = Math.max(0, Math.min(words, MAX_WORDS));
        for (int i = 0; i < end; i += 4)
        {
            final long offset = (long)i << 3;
            final long w0 = UnsafeApi.getLong(elements + offset);
            final long w1 = UnsafeApi.getLong(elements + offset + 8);
            final long w2 = UnsafeApi.getLong(elements + offset + 16);
            final long w3 = UnsafeApi.getLong(elements + offset + 24);
            UnsafeApi.putLong(floats + offset, (w0 << 16) & UPPER_HALVES);
            UnsafeApi.putLong(floats + offset + 8, (w1 << 16) & UPPER_HALVES);
            UnsafeApi.putLong(floats + offset + 16, (w2 << 16) & UPPER_HALVES);
            UnsafeApi.putLong(floats + offset + 24, (w3 << 16) & UPPER_HALVES);
        }
    }

    private static void splitOdd(final long floats, final long elements, final int words)
    {
        final int end = Math.max(0, Math.min(words, MAX_WORDS));
        for (int i = 0; i < end; i += 4)
        {
            final long offset = (long)i << 3;
            final long w0 = UnsafeApi.getLong(elements + offset);
            final long w1 = UnsafeApi.getLong(elements + offset + 8);
            final long w2 = UnsafeApi.getLong(elements + offset + 16);
            final long w3 = UnsafeApi.getLong(elements + offset + 24);
            UnsafeApi.putLong(floats + offset, w0 & UPPER_HALVES);
            UnsafeApi.putLong(floats + offset + 8, w1 & UPPER_HALVES);
            UnsafeApi.putLong(floats + offset + 16, w2 & UPPER_HALVES);
            UnsafeApi.putLong(floats + offset + 24, w3 & UPPER_HALVES);
        }
    }

    /**
     * Rounds the floats in the blocks of results and stores the elements, unless one is NaN, whose payload might carry
     * into the neighbour: then stores nothing. Overwrites the other blocks.
     *
     * @return whether the elements are stored; otherwise they are to be combined one by one.
     */
    static boolean join(
        final long dest, final long left, final long right, final Scratch scratch, final int words)
    {
        final long even = scratch.block(Scratch.EVEN);
        final long odd = scratch.block(Scratch.ODD);
        final long roundedEven = scratch.block(0);
        final long roundedOdd = scratch.block(1);
        if (NanSupport.hasNanFloat(even, odd, roundedEven, words))
        {
            return false;
        }

        BlockPass.run(PASSES, ROUND_FLOATS, roundedEven, even, 0, words);
        BlockPass.run(PASSES, ROUND_FLOATS, roundedOdd, odd, 0, words);
        BlockPass.run(PASSES, MERGE, dest, roundedEven, roundedOdd, words);
        return true;
    }

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
            final long r0 = w0 + ROUND + ((w0 >>> 16) & LAST_BIT);
            final long r1 = w1 + ROUND + ((w1 >>> 16) & LAST_BIT);
            final long r2 = w2 + ROUND + ((w2 >>> 16) & LAST_BIT);
            final long r3 = w3 + ROUND + ((w3 >>> 16) & LAST_BIT);
            UnsafeApi.putLong(dest + offset, r0);
            UnsafeApi.putLong(dest + offset + 8, r1);
            UnsafeApi.putLong(dest + offset + 16, r2);
            UnsafeApi.putLong(dest + offset + 24, r3);
        }
    }

    private static void merge(final long elements, final long even, final long odd, final int words)
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
            final long w0 = ((e0 & UPPER_HALVES) >>> 16) | (o0 & UPPER_HALVES);
            final long w1 = ((e1 & UPPER_HALVES) >>> 16) | (o1 & UPPER_HALVES);
            final long w2 = ((e2 & UPPER_HALVES) >>> 16) | (o2 & UPPER_HALVES);
            final long w3 = ((e3 & UPPER_HALVES) >>> 16) | (o3 & UPPER_HALVES);
            UnsafeApi.putLong(elements + offset, w0);
            UnsafeApi.putLong(elements + offset + 8, w1);
            UnsafeApi.putLong(elements + offset + 16, w2);
            UnsafeApi.putLong(elements + offset + 24, w3);
        }
    }
}
