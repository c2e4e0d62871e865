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
package io.aeroshmem.tests.collective;

import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.tests.fixture.Pattern;

/**
 * One call of all members of one team.
 *
 * @param number       unique within its job.
 * @param call         the routine.
 * @param type         of the elements; null where there are none.
 * @param op           null where nothing is combined.
 * @param count        the elements that are passed to the routine.
 * @param shape        which team.
 * @param isInPlace    whether dest is source.
 * @param destStride   of alltoalls, else 1.
 * @param sourceStride of alltoalls, else 1.
 * @param isDelayed    whether members enter at different times.
 */
record CollectiveCase(
    int number,
    Call call,
    ElementType type,
    ReduceOp op,
    long count,
    TeamShape shape,
    boolean isInPlace,
    int destStride,
    int sourceStride,
    boolean isDelayed)
{
    CollectiveCase number(final int newNumber)
    {
        return new CollectiveCase(
            newNumber, call, type, op, count, shape, isInPlace, destStride, sourceStride, isDelayed);
    }

    long seed(final long jobSeed)
    {
        return Pattern.seed(jobSeed, number, 77);
    }

    /**
     * Returns the root: it differs from case to case, and is the same on all members.
     */
    int root(final long jobSeed, final int size)
    {
        return (int)Long.remainderUnsigned(seed(jobSeed) >>> 3, size);
    }

    /**
     * The elements that a member contributes to a collect: often different ones, often none.
     */
    long countOf(final long jobSeed, final int rank)
    {
        final long seed = seed(jobSeed);
        if (Call.COLLECT != call || 0 == (seed & 3))
        {
            return count;
        }

        return switch ((int)(Pattern.seed(seed, rank) & 3))
        {
            case 0 -> 0;
            case 1 -> count;
            case 2 -> count / 2;
            default -> count + rank;
        };
    }

    long sourceElements(final long jobSeed, final int rank, final int size)
    {
        if (Call.COLLECT == call)
        {
            return countOf(jobSeed, rank);
        }

        return reach(call.isSourceOfBlocks() ? count * size : count, sourceStride);
    }

    long destElements(final long jobSeed, final int size)
    {
        if (Call.COLLECT == call)
        {
            long sum = 0;
            for (int rank = 0; rank < size; rank++)
            {
                sum += countOf(jobSeed, rank);
            }

            return sum;
        }

        return reach(call.isDestOfBlocks() ? count * size : count, destStride);
    }

    /**
     * Returns the maximum length of dest or source.
     */
    long maxBytes(final int nPes)
    {
        if (call.isSynchronising() || call.isScalar())
        {
            return 0;
        }

        final long blocks = call.isDestOfBlocks() || call.isSourceOfBlocks() ? nPes : 1;
        return (count + nPes) * blocks * Math.max(destStride, sourceStride) * type.bytes();
    }

    private static long reach(final long elements, final int stride)
    {
        return 0 == elements ? 0 : (elements - 1) * stride + 1;
    }
}
