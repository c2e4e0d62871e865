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
    /** What carries the magnitude of infinity, 0x7c00, and of NaN into the place of the sign. */
    private static final long OPERAND_CARRIES = 0x0400040004000400L;

    private static final int SPLIT_EVEN = 0;
    private static final int SPLIT_ODD = 1;
    private static final int ROUND_FLOATS = 2;
    private static final int MERGE = 3;
    private static final int CARRY_OPERANDS = 4;
    private static final int CARRY_RESULTS = 5;
    private static final BlockPass[] PASSES = {
        (dest, first, second, words) -> BlockPasses.splitEvenHalf(dest, first, words),
        (dest, first, second, words) -> BlockPasses.splitOddHalf(dest, first, words),
        (dest, first, second, words) -> BlockPasses.roundScaledHalf(dest, first, words),
        BlockPasses::mergeScaledHalf,
        (dest, first, second, words) ->
            BlockPasses.carry(dest, first, second, ~BlockPasses.ELEMENT_SIGNS, OPERAND_CARRIES, words),
        (dest, first, second, words) ->
            BlockPasses.carry(dest, first, second, ~BlockPasses.ELEMENT_SIGNS, BlockPasses.HALF_CARRIES, words)};

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
        if (0 != ((NanSupport.union(even, words) | NanSupport.union(odd, words)) & BlockPasses.ELEMENT_SIGNS))
        {
            return false;
        }

        UnsafeApi.copyMemory(results, dest, (long)words << 3);
        return true;
    }
}
