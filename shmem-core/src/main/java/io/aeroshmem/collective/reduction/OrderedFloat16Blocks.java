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
 * <li>both are negative, and the magnitude of a is less than that of b.</li>
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
    private static final BlockPass[] PASSES = {
        BlockPasses::select,
        (dest, first, second, words) -> BlockPasses.select(dest, second, first, words),
        (dest, first, second, words) ->
            BlockPasses.carry(dest, first, second, ~BlockPasses.ELEMENT_SIGNS, BlockPasses.HALF_CARRIES, words),
        (dest, first, second, words) ->
            BlockPasses.carry(dest, first, second, ~BlockPasses.ELEMENT_SIGNS, BlockPasses.BFLOAT16_CARRIES, words),
        BlockPasses::compareMagnitudes,
        BlockPasses::markNotLess};

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
        if (0 != (NanSupport.union(marks, words) & BlockPasses.ELEMENT_SIGNS))
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
}
