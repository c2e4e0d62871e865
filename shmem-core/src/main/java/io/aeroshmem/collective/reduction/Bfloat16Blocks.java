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

/**
 * Conversion of blocks of BFLOAT16 to blocks of floats and back, for the reduction kernels. It computes on longs, each
 * of which holds four BFLOAT16 or two floats. The elements at even positions become one block of floats, and those at
 * odd positions another. So no element changes its lane within a vector. The length of a block is given as a number of
 * longs, as {@link BlockPasses} takes it.
 */
final class Bfloat16Blocks
{
    private static final int SPLIT_EVEN = 0;
    private static final int SPLIT_ODD = 1;
    private static final int ROUND_FLOATS = 2;
    private static final int MERGE = 3;
    private static final BlockPass[] PASSES = {
        (dest, first, second, words) -> BlockPasses.splitEvenBfloat16(dest, first, words),
        (dest, first, second, words) -> BlockPasses.splitOddBfloat16(dest, first, words),
        (dest, first, second, words) -> BlockPasses.roundBfloat16(dest, first, words),
        BlockPasses::mergeBfloat16};

    private Bfloat16Blocks()
    {
    }

    static void split(
        final long elements, final long even, final long odd, final long spare, final int words)
    {
        BlockPass.run(PASSES, SPLIT_EVEN, even, elements, 0, words);
        BlockPass.run(PASSES, SPLIT_ODD, odd, elements, 0, words);
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
}
