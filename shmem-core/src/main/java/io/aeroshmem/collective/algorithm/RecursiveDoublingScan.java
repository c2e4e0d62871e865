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
import io.aeroshmem.collective.task.PeerMailboxes;
import io.aeroshmem.collective.task.Routine;
import io.aeroshmem.collective.task.TeamAreaDescriptor;
import io.aeroshmem.collective.task.TeamResources;
import io.aeroshmem.collective.task.TeamWorkspace;
import org.agrona.UnsafeApi;

/**
 * A scan in which pairs of members at distance 1, 2, 4, … exchange the results of growing ranges of members, in slots
 * of {@link PeerMailboxes}. A block that is longer than a slot is divided into segments, and each segment has a step of
 * its own. With {@code n} members, a step has {@code log2(n)} rounds, rounded up. In each round, a member sends at most
 * one message.
 */
public final class RecursiveDoublingScan extends MemberTask
{
    /*
     * Rounds are numbered from 0. In round k, the members are divided into ranges of 2^k ranks, from rank 0 on. Before
     * the round, a member has two results. The first is that of all members of its range. The second is its prefix: the
     * result of the members of that range up to itself or, in an exclusive scan, before itself. In the round, two
     * adjacent ranges become one. A member of the left range combines its first result with that of the right range;
     * its prefix does not change. A member of the right range combines the result of the left range, as the left
     * operand, with each of its own two results. So the left operand covers 2^k members, and the right operand at most
     * as many, as in the CanonicalTree.
     *
     * If n is not a power of two, only the last range can have fewer than 2^k members. No prefix outside the last range
     * needs the result of that range. So a member whose partner does not exist skips the round.
     *
     * Slots. A member consumes a slot of every member that it sends a slot to, in the same step. So a slot of the next
     * step acknowledges the earlier ones, and at most one slot of a mailbox may still be unconsumed when a step begins.
     *
     * Waiting. A member sends its slot of a round before it waits for its partner's slot. Of all waiting members,
     * consider one in the earliest round of the earliest step. Its partner is not waiting in an earlier round. So the
     * partner has sent its slot of that round, or is about to send it. So at least one member proceeds.
     *
     * The first result is in private memory, and the prefix is in dest. If source is dest, a segment of source is
     * copied to private memory before the prefix replaces it.
     */
    private final TeamWorkspace workspace;

    private CallArguments call;
    private Reduction reduction;
    private long blockResult;
    private long blockBytes;
    private long doneBytes;
    private int segmentBytes;
    private int distance;
    private boolean isSent;
    private boolean hasPrefix;

    public RecursiveDoublingScan(final TeamResources resources)
    {
        super(resources);
        workspace = resources.workspace();
    }

    @Override
    public void start(final CallArguments call)
    {
        this.call = call;
        reduction = call.reduction();
        blockResult = workspace.partials(TeamAreaDescriptor.SLOT_PAYLOAD);
        blockBytes = call.blockBytes();
        doneBytes = 0;
        startSegment();
    }

    private void startSegment()
    {
        segmentBytes = (int)Math.min(TeamAreaDescriptor.SLOT_PAYLOAD, blockBytes - doneBytes);
        final long source = call.sourceAddress() + doneBytes;
        LocalCopy.copy(source, blockResult, segmentBytes);
        distance = 1;
        isSent = false;
        hasPrefix = Routine.INCLUSIVE_SCAN == call.routine();
        if (hasPrefix && !call.isInPlace())
        {
            LocalCopy.copy(source, call.destAddress() + doneBytes, segmentBytes);
        }
    }

    @Override
    public int poll()
    {
        final int count = segmentBytes / call.elementBytes();
        for (; distance < size; distance <<= 1)
        {
            final int partner = myRank ^ distance;
            if (partner < size)
            {
                isSent = isSent || mailboxes.trySend(partner, null, blockResult, segmentBytes, false);
                final long other = isSent ? mailboxes.tryReceive(partner) : 0;
                if (0 == other)
                {
                    return WAITING;
                }

                combine(other, partner < myRank, count);
                mailboxes.consume(partner, false);
                isSent = false;
            }
        }

        if (!hasPrefix)
        {
            reduction.identity(null, call.destAddress() + doneBytes, count);
        }

        doneBytes += segmentBytes;
        if (doneBytes == blockBytes)
        {
            return DONE;
        }

        mailboxes.beginStep();
        startSegment();
        return MOVED;
    }

    private void combine(final long other, final boolean isOtherLeft, final int count)
    {
        if (!isOtherLeft)
        {
            reduction.combine(null, blockResult, null, blockResult, null, other, count);
            return;
        }

        final long prefix = call.destAddress() + doneBytes;
        if (hasPrefix)
        {
            reduction.combine(null, prefix, null, other, null, prefix, count);
        }
        else
        {
            UnsafeApi.copyMemory(other, prefix, segmentBytes);
            hasPrefix = true;
        }

        reduction.combine(null, blockResult, null, other, null, blockResult, count);
    }
}
