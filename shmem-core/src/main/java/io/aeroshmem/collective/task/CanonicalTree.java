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
package io.aeroshmem.collective.task;

import io.aeroshmem.collective.reduction.Reduction;
import org.agrona.UnsafeApi;

/**
 * Evaluates the canonical tree: the order in which the blocks of several members, one block of each, are combined. All
 * algorithms combine floating-point sums and products in the order of this tree, so results have the same bits on all
 * members. {@code T(lo, n)} combines the blocks of {@code n} members, of which the first has rank {@code lo}:
 * <pre>
 *   T(lo, n) = n == 1 ? block of lo : combine(T(lo, p), T(lo + p, n - p)),  p the largest power of two below n
 * </pre>
 * The evaluator works like a binary counter. Blocks are pushed in the order of ranks. As soon as two adjacent partial
 * results cover equally many blocks, they are combined. At the end, the remaining partial results are combined,
 * beginning with the two of the highest ranks. There are at most {@code log2(n) + 1} partial results at a time. They
 * stay in the cache when blocks are small.
 */
public final class CanonicalTree
{
    private static final int MAX_DEPTH = 32;

    /*
     * One thread at a time uses an evaluator.
     */
    private final long[] operands = new long[MAX_DEPTH];
    private final int[] weights = new int[MAX_DEPTH];

    /** Returns the length of the memory for partial results. */
    public static long workspaceLength(final int size, final long blockBytes)
    {
        return (Integer.SIZE - Integer.numberOfLeadingZeros(size) + 1) * blockBytes;
    }

    /**
     * Combines blocks.
     *
     * @param blocks      addresses of the blocks, in the order of ranks.
     * @param first       index of the first one.
     * @param size        number of blocks, 1 or more.
     * @param count       number of elements in a block.
     * @param destAddress of the result; it may be one of the blocks.
     * @param workspace   address of memory for partial results, see {@link #workspaceLength}.
     */
    public void combine(
        final Reduction reduction,
        final long[] blocks,
        final int first,
        final int size,
        final long count,
        final long destAddress,
        final long workspace)
    {
        if (2 == size)
        {
            reduction.combine(null, destAddress, null, blocks[first], null, blocks[first + 1], count);
            return;
        }

        final long blockBytes = count * reduction.elementBytes();
        if (1 == size)
        {
            if (destAddress != blocks[first])
            {
                UnsafeApi.copyMemory(null, blocks[first], null, destAddress, blockBytes);
            }

            return;
        }

        int merges = size - 1;
        int depth = 0;
        for (int i = first, end = first + size; i < end; i++)
        {
            operands[depth] = blocks[i];
            weights[depth] = 1;
            depth++;
            while (depth > 1 && (weights[depth - 1] == weights[depth - 2] || i == end - 1))
            {
                depth--;
                final int left = depth - 1;
                final long result = 0 == --merges ? destAddress : workspace + left * blockBytes;
                reduction.combine(null, result, null, operands[left], null, operands[depth], count);
                operands[left] = result;
                weights[left] += weights[depth];
            }
        }
    }
}
