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

import io.aeroshmem.collective.reduction.Reduction;
import io.aeroshmem.collective.task.CallArguments;
import io.aeroshmem.collective.task.CollectiveTask;
import io.aeroshmem.collective.task.Group;
import io.aeroshmem.collective.task.PeerMailboxes;
import io.aeroshmem.collective.task.TeamAreaDescriptor;
import io.aeroshmem.collective.task.TeamResources;

/**
 * A reduction up a binomial tree to its first member, and a broadcast of the result down the same tree, in slots of
 * {@link PeerMailboxes}, in {@code 2 log2(n)} hops. A block that is longer than a slot goes in segments, for each of
 * which a member sends one message up, and at most {@code log2(n)} down.
 * <p>
 * Let {@code b} be the lowest set bit of {@code i}; for member 0, a bit beyond all members. Member {@code i} combines
 * its block with the results of {@code i + 1}, {@code i + 2}, {@code i + 4}, … below {@code i + b}, in that order. It
 * passes its own result to member {@code i - b}. That result covers the members from {@code i} to {@code i + b - 1}, or
 * to the last member. Lower ranks are on the left. This is the {@link io.aeroshmem.collective.task.CanonicalTree}, for
 * any number of members.
 */
public final class BinomialReduce extends CollectiveTask
{
    private static final int NO_RANK = -1;

    /*
     * Slots. If a block fits a slot, a parent and its child send each other one slot in a step. So a slot of a later
     * step confirms that the slots sent before have been consumed, and at most one slot of a mailbox may still be
     * unconsumed when a step begins. If a block is longer than a slot, or if no way down follows, slots are
     * acknowledged: a slot is overwritten only when its reader has acknowledged it.
     *
     * Waiting. On the way up a member waits for slots of its children, one child after the other, and for room in the
     * mailbox to its parent. While a parent waits for a child, the mailbox from that child to the parent is empty. So
     * the child has room: it can send, or it waits for a child of its own. A leaf can always send, so the way up
     * proceeds. A member begins the way down (BinomialBroadcast) when its own way up has ended. From then on no way up
     * depends on this member, so the members that it waits for end their ways up without its help.
     */
    private final PeerMailboxes mailboxes;
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

    public BinomialReduce(final TeamResources resources)
    {
        this(resources, resources.everyone());
    }

    /** Constructs the task for a group of members that includes this PE. */
    public BinomialReduce(final TeamResources resources, final Group group)
    {
        mailboxes = resources.mailboxes();
        broadcast = new BinomialBroadcast(resources, group);
        final int size = group.size();
        final int myIndex = group.myIndex();
        final int reach = 0 == myIndex ? size : Math.min(Integer.lowestOneBit(myIndex), size - myIndex);
        parent = 0 == myIndex ? NO_RANK : group.rank(myIndex - Integer.lowestOneBit(myIndex));
        children = new int[Integer.SIZE - Integer.numberOfLeadingZeros(reach - 1)];
        for (int i = 0; i < children.length; i++)
        {
            children[i] = group.rank(myIndex + (1 << i));
        }
    }

    @Override
    public void start(final CallArguments call)
    {
        start(call, call.sourceAddress(), call.destAddress());
    }

    /**
     * Starts a reduction in the group within the current step.
     *
     * @param call        specifies the reduction and the number of elements.
     * @param destAddress of the result on this PE; it may be the source.
     */
    public void start(final CallArguments call, final long sourceAddress, final long destAddress)
    {
        startUp(call, sourceAddress, destAddress);
    }

    /**
     * Starts only the way up. When {@link #pollUp()} is done, dest of the first member of the group has the result, and
     * dest of the others is undefined.
     *
     * @param call        specifies the reduction and the number of elements.
     * @param destAddress of the result; it may be the source.
     */
    public void startUp(final CallArguments call, final long sourceAddress, final long destAddress)
    {
        startUp(call, sourceAddress, destAddress, call.blockBytes() > TeamAreaDescriptor.SLOT_PAYLOAD);
    }

    /** As {@link #startUp}, with acknowledged slots, for use without the way down. */
    void startAcknowledgedUp(final CallArguments call, final long sourceAddress, final long destAddress)
    {
        startUp(call, sourceAddress, destAddress, true);
    }

    private void startUp(
        final CallArguments call, final long sourceAddress, final long destAddress, final boolean isAcknowledged)
    {
        reduction = call.reduction();
        elementBytes = call.elementBytes();
        nelems = call.nelems();
        length = call.blockBytes();
        this.sourceAddress = sourceAddress;
        this.destAddress = destAddress;
        this.isAcknowledged = isAcknowledged;
        isGoingDown = false;
        doneBytes = 0;
        child = 0;
        if (0 == children.length && NO_RANK != parent)
        {
            pollUp();
        }
    }

    /**
     * Starts the broadcast of the final result in the first member's dest, after the way up has ended.
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

    /** Polls the way up, and returns {@link #WAITING}, {@link #MOVED} or {@link #DONE}. */
    public int pollUp()
    {
        final long before = doneBytes;
        for (int i = 0; i < TeamAreaDescriptor.SLOTS && doneBytes < length; i++)
        {
            final int segmentBytes = (int)Math.min(TeamAreaDescriptor.SLOT_PAYLOAD, length - doneBytes);
            if (!combine(segmentBytes) || !sendUp(segmentBytes))
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
            final long block = mailboxes.tryReceive(children[child]);
            if (0 == block)
            {
                return false;
            }

            final long own = 0 == child ? sourceAddress + doneBytes : result;
            reduction.combine(null, result, null, own, null, block, count);
            mailboxes.consume(children[child], isAcknowledged);
            child++;
        }

        return true;
    }

    private boolean sendUp(final int segmentBytes)
    {
        final long result = (0 == children.length ? sourceAddress : destAddress) + doneBytes;
        if (NO_RANK != parent)
        {
            return mailboxes.trySend(parent, null, result, segmentBytes, isAcknowledged);
        }

        if (0 == children.length && sourceAddress != destAddress)
        {
            LocalCopy.copy(result, destAddress + doneBytes, segmentBytes);
        }

        return true;
    }
}
