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
 * A reduction up a binomial tree to its first member, and a broadcast of the result down the same tree, in cells:
 * {@code 2 log2(n)} hops, and per member one message up and at most {@code log2(n)} down. Longer blocks go in
 * segments, passed on as they are combined.
 * <p>
 * Member {@code i} combines its block with those of {@code i + 1}, {@code i + 2}, {@code i + 4}, … in that order, up
 * to its lowest bit, and hands the result to {@code i} without that bit. So what it has in the end is that of all
 * members from {@code i} up to the next one of the same rank in the tree, lower ranks on the left: the canonical tree,
 * whatever the number of members.
 * <p>
 * <b>Cells.</b> The two members of an edge exchange a cell each way in a step, if the block fits one; then a cell of a
 * later step tells that those sent before are free, and at most one cell of a lane is not known to be taken when a
 * step begins. Longer blocks are acknowledged, and a cell is written again only when its reader has said that it has
 * taken it.
 * <p>
 * <b>Waiting.</b> On the way up a member waits for cells of its children, and for room on the lane to its parent, who
 * takes its cells when it has those of its earlier children. Leaves wait for room only; so the member who is next to
 * be heard by a parent moves until it is, and then the others. The way down ({@link BinomialBroadcast}) begins at a
 * member when its own way up is over; what it waits for there are members whose way up is over when its own is, or
 * that reach that point without it.
 */
public final class BinomialReduce extends CollectiveMachine
{
    private static final int NOBODY = -1;

    private final Lanes lanes;
    private final BinomialBroadcast broadcast;
    private final int parent;
    private final int[] children;

    private Reduction reduction;
    private int elementBytes;
    private long sourceAddress;
    private long destAddress;
    private long nelems;
    private long length;
    private long doneBytes;
    private boolean isAcknowledged;
    private boolean isGoingDown;
    private int child;

    /**
     * Construct the machine of a team.
     *
     * @param resources of the team.
     */
    public BinomialReduce(final TeamResources resources)
    {
        this(resources, resources.everyone());
    }

    /**
     * Construct the machine of a group.
     *
     * @param resources of the team.
     * @param group     of members; this PE is one.
     */
    public BinomialReduce(final TeamResources resources, final Group group)
    {
        lanes = resources.lanes();
        broadcast = new BinomialBroadcast(resources, group);
        final int size = group.size();
        final int myIndex = group.myIndex();
        final int reach = 0 == myIndex ? size : Math.min(Integer.lowestOneBit(myIndex), size - myIndex);
        parent = 0 == myIndex ? NOBODY : group.rank(myIndex - Integer.lowestOneBit(myIndex));
        children = new int[Integer.SIZE - Integer.numberOfLeadingZeros(reach - 1)];
        for (int i = 0; i < children.length; i++)
        {
            children[i] = group.rank(myIndex + (1 << i));
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
        startUp(call, sourceAddress, destAddress);
    }

    /**
     * Begin only the way up. When {@link #pollUp()} says that it is over, dest of the first member of the group has
     * the result, and that of the others has lost what it had.
     *
     * @param call          tells how to combine, and how many elements.
     * @param sourceAddress of this PE's block.
     * @param destAddress   where it works out the result; it may be the source.
     */
    public void startUp(final CollectiveCall call, final long sourceAddress, final long destAddress)
    {
        reduction = call.reduction();
        elementBytes = call.elementBytes();
        nelems = call.nelems();
        length = call.blockBytes();
        this.sourceAddress = sourceAddress;
        this.destAddress = destAddress;
        isAcknowledged = length > TeamAreaDescriptor.CELL_PAYLOAD;
        isGoingDown = false;
        doneBytes = 0;
        child = 0;
        if (0 == children.length && NOBODY != parent)
        {
            pollUp();
        }
    }

    /**
     * When the way up is over and the first member has the final result in its dest, send that down the tree.
     *
     * @param down broadcast of the same group.
     */
    void startDown(final BinomialBroadcast down)
    {
        down.start(0, destAddress, destAddress, length, isAcknowledged);
    }

    @Override
    public int poll()
    {
        if (!isGoingDown)
        {
            final int result = pollUp();
            if (DONE != result)
            {
                return result;
            }

            isGoingDown = true;
            startDown(broadcast);
        }

        return broadcast.poll();
    }

    /**
     * Go on with the way up.
     *
     * @return {@link #WAITING}, {@link #MOVED} or {@link #DONE}.
     */
    public int pollUp()
    {
        final long before = doneBytes;
        for (int i = 0; i < TeamAreaDescriptor.CELLS && doneBytes < length; i++)
        {
            final int segmentBytes = (int)Math.min(TeamAreaDescriptor.CELL_PAYLOAD, length - doneBytes);
            if (!combine(segmentBytes) || !handUp(segmentBytes))
            {
                break;
            }

            child = 0;
            doneBytes += segmentBytes;
        }

        if (doneBytes == length)
        {
            return DONE;
        }

        return doneBytes == before ? WAITING : MOVED;
    }

    private boolean combine(final int segmentBytes)
    {
        final long count = segmentBytes == length ? nelems : segmentBytes / elementBytes;
        final long result = destAddress + doneBytes;
        while (child < children.length)
        {
            final long block = lanes.tryReceive(children[child]);
            if (0 == block)
            {
                return false;
            }

            final long mine = 0 == child ? sourceAddress + doneBytes : result;
            reduction.combine(null, result, null, mine, null, block, count);
            lanes.take(children[child], isAcknowledged);
            child++;
        }

        return true;
    }

    private boolean handUp(final int segmentBytes)
    {
        final long result = (0 == children.length ? sourceAddress : destAddress) + doneBytes;
        if (NOBODY != parent)
        {
            return lanes.trySend(parent, null, result, segmentBytes, isAcknowledged);
        }

        if (0 == children.length && sourceAddress != destAddress)
        {
            LocalCopy.copy(result, destAddress + doneBytes, segmentBytes);
        }

        return true;
    }
}
