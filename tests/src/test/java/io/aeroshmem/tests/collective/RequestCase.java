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

import io.aeroshmem.Collective;
import io.aeroshmem.ElementType;
import io.aeroshmem.Ordering;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.tests.fixture.Pattern;

/**
 * One collective of all members of one team.
 *
 * @param number     unique within its job.
 * @param collective that is posted.
 * @param type       of the elements.
 * @param op         null where nothing is combined.
 * @param count      of elements of a block; where blocks differ in length, of the longest.
 * @param shape      which team.
 * @param ordering   of the team.
 * @param form       how it is called.
 * @param isInPlace  whether dest is source.
 * @param isDelayed  whether members call it at different times.
 */
record RequestCase(
    int number,
    Collective collective,
    ElementType type,
    ReduceOp op,
    long count,
    TeamShape shape,
    Ordering ordering,
    Form form,
    boolean isInPlace,
    boolean isDelayed)
{
    private static final int TIMES_PERSISTENT = 3;

    /**
     * How a collective is called.
     */
    enum Form
    {
        BLOCKING, REQUEST, PERSISTENT
    }

    RequestCase number(final int newNumber)
    {
        return new RequestCase(newNumber, collective, type, op, count, shape, ordering, form, isInPlace, isDelayed);
    }

    boolean isBlocking()
    {
        return Form.BLOCKING == form;
    }

    /**
     * Returns whether the team matches requests by tag.
     */
    boolean isTagged()
    {
        return switch (ordering)
        {
            case POST_ORDERED, INIT_ORDERED, INIT_AND_POST_ORDERED -> false;
            case POST_UNORDERED, INIT_UNORDERED, INIT_AND_POST_UNORDERED -> true;
        };
    }

    /**
     * Returns how often the collective is performed.
     */
    int times()
    {
        return Form.PERSISTENT == form ? TIMES_PERSISTENT : 1;
    }

    long seed(final long jobSeed)
    {
        return Pattern.seed(jobSeed, number, 78);
    }

    /**
     * Returns the root: it differs from case to case, and is the same on all members.
     */
    int root(final long jobSeed, final int size)
    {
        return (int)Long.remainderUnsigned(seed(jobSeed) >>> 3, size);
    }

    boolean isSynchronising()
    {
        return isSynchronising(collective);
    }

    static boolean isSynchronising(final Collective collective)
    {
        return Collective.BARRIER == collective || Collective.FAN_IN == collective || Collective.FAN_OUT == collective;
    }

    boolean isReducing()
    {
        return null != op;
    }

    static boolean isReducing(final Collective collective)
    {
        return switch (collective)
        {
            case ALLREDUCE, REDUCE, REDUCE_SCATTER, REDUCE_SCATTERV, INCLUSIVE_SCAN, EXCLUSIVE_SCAN -> true;
            default -> false;
        };
    }

    /**
     * Returns whether there is a blocking routine that does the same. In place, that of REDUCE_SCATTER has its result
     * elsewhere.
     */
    boolean hasRoutine()
    {
        return switch (collective)
        {
            case BARRIER -> !isInPlace;
            case BROADCAST, INCLUSIVE_SCAN, EXCLUSIVE_SCAN -> true;
            case ALLREDUCE -> Arithmetic.isAllowed(op, type);
            case REDUCE_SCATTER -> !isInPlace && Arithmetic.isAllowed(op, type);
            case ALLGATHER, ALLGATHERV, ALLTOALL -> !isInPlace;
            default -> false;
        };
    }

    /**
     * Returns whether the operation, or null for none, and the type are allowed.
     */
    static boolean isAllowed(final Collective collective, final ReduceOp op, final ElementType type)
    {
        if (isSynchronising(collective))
        {
            return null == op && ElementType.BYTE == type;
        }

        final boolean isScan = Collective.INCLUSIVE_SCAN == collective || Collective.EXCLUSIVE_SCAN == collective;
        return !isReducing(collective) ? null == op : null != op &&
            (isScan ? Arithmetic.isAllowed(op, type) : Arithmetic.isAllowedInRequests(op, type));
    }

    boolean isOfPairs()
    {
        return ReduceOp.MAXLOC == op || ReduceOp.MINLOC == op;
    }

    /**
     * Returns whether each block has a count of its own.
     */
    boolean isOfCounts()
    {
        return switch (collective)
        {
            case REDUCE_SCATTERV, ALLGATHERV, GATHERV, SCATTERV, ALLTOALLV -> true;
            default -> false;
        };
    }

    boolean isSourceOfBlocks()
    {
        return switch (collective)
        {
            case REDUCE_SCATTER, REDUCE_SCATTERV, SCATTER, SCATTERV, ALLTOALL, ALLTOALLV -> true;
            default -> false;
        };
    }

    boolean isDestOfBlocks()
    {
        return switch (collective)
        {
            case ALLGATHER, ALLGATHERV, GATHER, GATHERV, ALLTOALL, ALLTOALLV -> true;
            default -> false;
        };
    }

    /**
     * Returns whether a member has a source that matters.
     */
    boolean hasSource(final boolean isRoot)
    {
        return isRoot || Collective.SCATTER != collective && Collective.SCATTERV != collective;
    }

    /**
     * Returns whether a member has a dest that matters.
     */
    boolean hasDest(final boolean isRoot)
    {
        return isRoot || Collective.GATHER != collective && Collective.GATHERV != collective &&
            Collective.REDUCE != collective;
    }

    /**
     * Returns the count of the block that one member sends and another one receives. It depends on both in ALLTOALLV,
     * in place on the pair; on the receiver in SCATTERV and REDUCE_SCATTERV, on the sender in the others.
     */
    long countOf(final long jobSeed, final int sender, final int receiver)
    {
        if (!isOfCounts())
        {
            return count;
        }

        final long seed = seed(jobSeed);
        final int first = isInPlace ? Math.min(sender, receiver) : sender;
        final int second = isInPlace ? Math.max(sender, receiver) : receiver;
        final long hash = switch (collective)
        {
            case ALLTOALLV -> Pattern.seed(seed, first, second);
            case SCATTERV, REDUCE_SCATTERV -> Pattern.seed(seed, receiver);
            default -> Pattern.seed(seed, sender);
        };
        return switch ((int)(hash & 3))
        {
            case 0 -> 0;
            case 1 -> count / 4 * 2;
            default -> count;
        };
    }

    /**
     * Returns the positions of blocks of these counts in a buffer: in the order of ranks without gaps, or, where there
     * are displacements, from the last rank to the first, with gaps that differ from member to member. Blocking
     * routines have no displacements.
     */
    long[] positions(final long[] counts, final int rank)
    {
        final long[] positions = new long[counts.length];
        final boolean isPlaced = isOfCounts() && Collective.REDUCE_SCATTERV != collective && !isBlocking();
        long next = isPlaced ? rank % 3 : 0;
        for (int i = 0; i < counts.length; i++)
        {
            final int block = isPlaced ? counts.length - 1 - i : i;
            positions[block] = next;
            next += counts[block] + (isPlaced ? (block + rank) % 3 : 0);
        }

        return positions;
    }

    /**
     * Returns the maximum length of dest or source.
     */
    long maxBytes(final int nPes)
    {
        final long blocks = isDestOfBlocks() || isSourceOfBlocks() ? nPes : 1;
        return isSynchronising() ? 0 : (count + 3) * (blocks + 1) * type.bytes();
    }
}
