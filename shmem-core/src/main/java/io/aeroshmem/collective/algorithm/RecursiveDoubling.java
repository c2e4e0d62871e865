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
 * A reduction in which pairs of members at distance 1, 2, 4, … exchange their results in slots of
 * {@link PeerMailboxes}, and both members of a pair combine the two results. It takes {@code log2(n)} hops, and as many
 * messages per member. Blocks longer than a slot go in segments.
 */
public final class RecursiveDoubling extends CollectiveTask
{
    private static final int NO_RANK = -1;

    /*
     * After k rounds, a member has the result of the aligned range of 2^k members that it belongs to. The blocks of
     * lower ranks are left operands. If n is a power of two, this is the order of the CanonicalTree, and the task
     * serves all reductions. Otherwise, let p be the largest power of two below n. Each member with a rank from p on
     * first passes its block to a member of lower rank, and gets the result from that member at the end. That takes two
     * more hops. The order of combination is then different, so the task serves only reductions that may be reordered.
     *
     * Slots. In a step, each member consumes a slot from every member that it sends a slot to. If the reduction covers
     * the whole team, each segment is a step. So a slot of the next step shows that its sender has consumed all slots
     * of earlier steps, and when a step begins, a mailbox has at most one slot that is not yet consumed. If the
     * reduction covers a Group that is only a part of the team, a segment is not a step, because all members of the
     * team take the same steps. So the members of such a group acknowledge the slots if there are several segments.
     *
     * Waiting. A member sends its slot of a round before it waits for its partner's slot. Suppose that all members
     * wait. Then consider a member that waits in the earliest round. The partner of this member waits in the same round
     * or a later one, so the partner has already sent its slot of the earliest round. So the considered member can
     * proceed.
     *
     * Intermediate results are in dest. If dest is the source, the first intermediate result replaces a segment of
     * source that is not needed any more.
     */
    private final PeerMailboxes mailboxes;
    private final boolean isWholeTeam;
    private final int myIndex;
    /** Rank of the member beyond the power of two that passes its block to this one. */
    private final int extra;
    /** On a member beyond the power of two, the rank that it passes its block to. */
    private final int proxy;
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

    public RecursiveDoubling(final TeamResources resources)
    {
        this(resources, resources.everyone());
    }

    /** Constructs the task for a group of members that includes this PE. */
    public RecursiveDoubling(final TeamResources resources, final Group group)
    {
        mailboxes = resources.mailboxes();
        isWholeTeam = group.size() == mailboxes.size();
        myIndex = group.myIndex();
        final int size = group.size();
        final int core = Integer.highestOneBit(size);
        extra = myIndex + core < size ? group.rank(myIndex + core) : NO_RANK;
        proxy = myIndex < core ? NO_RANK : group.rank(myIndex - core);
        partners = new int[NO_RANK == proxy ? Integer.numberOfTrailingZeros(core) : 0];
        for (int i = 0; i < partners.length; i++)
        {
            partners[i] = group.rank(myIndex ^ 1 << i);
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
        reduction = call.reduction();
        elementBytes = call.elementBytes();
        nelems = call.nelems();
        length = call.blockBytes();
        this.sourceAddress = sourceAddress;
        this.destAddress = destAddress;
        isAcknowledged = !isWholeTeam && length > TeamAreaDescriptor.SLOT_PAYLOAD;
        doneBytes = 0;
        startSegment();
    }

    private void startSegment()
    {
        segmentBytes = (int)Math.min(TeamAreaDescriptor.SLOT_PAYLOAD, length - doneBytes);
        segmentElements = segmentBytes == length ? nelems : segmentBytes / elementBytes;
        accumulator = sourceAddress + doneBytes;
        round = NO_RANK == extra ? 0 : -1;
        isSent = false;
        if (partners.length > 0 && NO_RANK == extra)
        {
            isSent = send(partners[0]);
        }
        else if (NO_RANK != proxy)
        {
            isSent = send(proxy);
        }
    }

    @Override
    public int poll()
    {
        final boolean isDone = NO_RANK == proxy ? combineAll() : pollProxy();
        if (!isDone)
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
            mailboxes.beginStep();
        }

        startSegment();
        return MOVED;
    }

    private boolean pollProxy()
    {
        isSent = isSent || send(proxy);
        final long result = isSent ? mailboxes.tryReceive(proxy) : 0;
        if (0 == result)
        {
            return false;
        }

        LocalCopy.copy(result, destAddress + doneBytes, segmentBytes);
        mailboxes.consume(proxy, isAcknowledged);
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

        return NO_RANK == extra || send(extra);
    }

    private boolean send(final int rank)
    {
        return mailboxes.trySend(rank, null, accumulator, segmentBytes, isAcknowledged);
    }

    private boolean combine(final int rank, final boolean isOwnLeft)
    {
        final long block = mailboxes.tryReceive(rank);
        if (0 == block)
        {
            return false;
        }

        final long result = destAddress + doneBytes;
        final long left = isOwnLeft ? accumulator : block;
        final long right = isOwnLeft ? block : accumulator;
        reduction.combine(null, result, null, left, null, right, segmentElements);
        mailboxes.consume(rank, isAcknowledged);
        accumulator = result;
        return true;
    }
}
