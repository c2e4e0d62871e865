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
package io.aeroshmem.collective.algorithm;

import io.aeroshmem.collective.CollectiveCall;
import io.aeroshmem.collective.CollectiveMachine;
import io.aeroshmem.collective.Group;
import io.aeroshmem.collective.Lanes;
import io.aeroshmem.collective.TeamAreaDescriptor;
import io.aeroshmem.collective.TeamResources;
import io.aeroshmem.collective.reduction.Reduction;

/**
 * A reduction in which pairs at distance 1, 2, 4, … exchange what they have and both combine it, in cells: {@code
 * log2(n)} hops and messages per member. Longer blocks go in segments.
 * <p>
 * After round {@code k} a member has the result of the aligned block of {@code 2^k} members that it is in, lower ranks
 * on the left; where {@code n} is a power of two that is the canonical tree, and all reductions are served. Of another
 * number of members, those beyond the largest power of two first hand their block to one of the others, and get the
 * result from it at the end; that is another tree, for reductions that may be reordered.
 * <p>
 * Pairs exchange: a member takes a cell of whomever it sends one to, in the same step. In the whole team each segment
 * is a step, so a cell of the next one tells that those sent before are free, and at most one cell of a lane is not
 * known to be taken when a step begins. A group within a team begins no steps; there, cells of several segments are
 * acknowledged. In either case a member sends the cell of a round before it waits for the other's, and those who are
 * furthest behind wait for nobody who is not there: the pairs of a round meet, and go on to the next one.
 * <p>
 * What a member has combined so far is in the segment of dest, which in place replaces that of source after it was
 * sent and combined.
 */
public final class RecursiveDoubling extends CollectiveMachine
{
    private static final int NOBODY = -1;

    private final Lanes lanes;
    private final boolean isWholeTeam;
    private final int myIndex;
    /** Rank of the member beyond the power of two that hands its block to this one. */
    private final int extra;
    /** If this is such a member, rank of the one that it hands its block to. */
    private final int host;
    private final int[] partners;

    private Reduction reduction;
    private int elementBytes;
    private long segmentElements;
    private long sourceAddress;
    private long destAddress;
    private long nelems;
    private long length;
    private long doneBytes;
    private boolean isAcknowledged;

    private int segmentBytes;
    private int round;
    private boolean isSent;
    private long accumulator;

    /**
     * Construct the machine of a team.
     *
     * @param resources of the team.
     */
    public RecursiveDoubling(final TeamResources resources)
    {
        this(resources, resources.everyone());
    }

    /**
     * Construct the machine of a group.
     *
     * @param resources of the team.
     * @param group     of members; this PE is one.
     */
    public RecursiveDoubling(final TeamResources resources, final Group group)
    {
        lanes = resources.lanes();
        isWholeTeam = group.size() == lanes.size();
        myIndex = group.myIndex();
        final int size = group.size();
        final int core = Integer.highestOneBit(size);
        extra = myIndex + core < size ? group.rank(myIndex + core) : NOBODY;
        host = myIndex < core ? NOBODY : group.rank(myIndex - core);
        partners = new int[NOBODY == host ? Integer.numberOfTrailingZeros(core) : 0];
        for (int i = 0; i < partners.length; i++)
        {
            partners[i] = group.rank(myIndex ^ 1 << i);
        }
    }

    @Override
    public void start(final CollectiveCall call)
    {
        start(call, call.sourceAddress(), call.destAddress());
    }

    /**
     * Begin a reduction in the group, within a step that has begun.
     *
     * @param call          tells how to combine, and how many elements.
     * @param sourceAddress of this PE's block.
     * @param destAddress   where the result goes on this PE; it may be the source.
     */
    public void start(final CollectiveCall call, final long sourceAddress, final long destAddress)
    {
        reduction = call.reduction();
        elementBytes = call.elementBytes();
        nelems = call.nelems();
        length = call.blockBytes();
        this.sourceAddress = sourceAddress;
        this.destAddress = destAddress;
        isAcknowledged = !isWholeTeam && length > TeamAreaDescriptor.CELL_PAYLOAD;
        doneBytes = 0;
        startSegment();
    }

    private void startSegment()
    {
        segmentBytes = (int)Math.min(TeamAreaDescriptor.CELL_PAYLOAD, length - doneBytes);
        segmentElements = segmentBytes == length ? nelems : segmentBytes / elementBytes;
        accumulator = sourceAddress + doneBytes;
        round = NOBODY == extra ? 0 : -1;
        isSent = false;
        if (partners.length > 0 && NOBODY == extra)
        {
            isSent = send(partners[0]);
        }
        else if (NOBODY != host)
        {
            isSent = send(host);
        }
    }

    @Override
    public int poll()
    {
        final boolean isOver = NOBODY == host ? combineAll() : handOver();
        if (!isOver)
        {
            return WAITING;
        }

        doneBytes += segmentBytes;
        if (doneBytes == length)
        {
            return DONE;
        }

        if (isWholeTeam)
        {
            lanes.beginStep();
        }

        startSegment();
        return MOVED;
    }

    private boolean handOver()
    {
        isSent = isSent || send(host);
        final long result = isSent ? lanes.tryReceive(host) : 0;
        if (0 == result)
        {
            return false;
        }

        LocalCopy.copy(result, destAddress + doneBytes, segmentBytes);
        lanes.take(host, isAcknowledged);
        return true;
    }

    private boolean combineAll()
    {
        if (-1 == round)
        {
            if (!combine(extra, true))
            {
                return false;
            }

            round = 0;
        }

        for (; round < partners.length; round++)
        {
            final int partner = partners[round];
            isSent = isSent || send(partner);
            if (!isSent || !combine(partner, 0 == (myIndex & 1 << round)))
            {
                return false;
            }

            isSent = false;
        }

        if (accumulator != destAddress + doneBytes)
        {
            LocalCopy.copy(accumulator, destAddress + doneBytes, segmentBytes);
        }

        return NOBODY == extra || send(extra);
    }

    private boolean send(final int rank)
    {
        return lanes.trySend(rank, null, accumulator, segmentBytes, isAcknowledged);
    }

    private boolean combine(final int rank, final boolean isMineLeft)
    {
        final long block = lanes.tryReceive(rank);
        if (0 == block)
        {
            return false;
        }

        final long result = destAddress + doneBytes;
        final long left = isMineLeft ? accumulator : block;
        final long right = isMineLeft ? block : accumulator;
        reduction.combine(null, result, null, left, null, right, segmentElements);
        lanes.take(rank, isAcknowledged);
        accumulator = result;
        return true;
    }
}
