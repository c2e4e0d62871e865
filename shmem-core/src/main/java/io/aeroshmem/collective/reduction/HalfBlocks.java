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
    private HalfBlocks()
    {
    }

    /** Overwrites spare memory of the length of a block. */
    static void split(
        final long elements, final long even, final long odd, final long spare, final int words)
    {
        BlockPasses.splitHalf(elements, spare, odd, words);
        BlockPasses.rebias(even, spare, 2 * words);
        BlockPasses.rebias(spare, odd, 2 * words);
        UnsafeApi.copyMemory(spare, odd, (long)words << 3);
    }

    /** As {@link Bfloat16Blocks#join}. */
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
        BlockPasses.mergeHalf(even, odd, dest, words);
        return true;
    }

    private static void round(final long floats, final long spare, final long sums, final int words)
    {
        BlockPasses.takeExponents(floats, spare, words);
        BlockPasses.addPowers(sums, floats, spare, 2 * words);
        BlockPasses.encodeHalf(spare, floats, sums, words);
        UnsafeApi.copyMemory(spare, floats, (long)words << 3);
    }
}
