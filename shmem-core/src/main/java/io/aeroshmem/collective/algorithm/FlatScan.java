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

import io.aeroshmem.collective.task.CallArguments;
import io.aeroshmem.collective.task.CanonicalTree;
import io.aeroshmem.collective.task.PeerMailboxes;
import io.aeroshmem.collective.task.Routine;
import io.aeroshmem.collective.task.TeamAreaDescriptor;
import io.aeroshmem.collective.task.TeamResources;
import io.aeroshmem.collective.task.TeamWorkspace;

/**
 * A scan in which every member sends its block to all members of higher rank, in slots of {@link PeerMailboxes}. Every
 * member combines the blocks of lower ranks itself, in the order of the {@link CanonicalTree}. That takes one hop.
 * Blocks longer than a slot go in segments.
 */
public final class FlatScan extends MemberTask
{
    /*
     * Slots. Because blocks only go to higher ranks, low ranks may be several calls ahead of high ranks. So readers
     * acknowledge slots, and a slot is overwritten only when its reader has acknowledged it.
     *
     * Waiting. A member waits for slots of lower ranks, and for room in the mailboxes to higher ranks. A mailbox lacks
     * room only while its reader is in an earlier segment or call than the sender. So the members in the earliest
     * segment never wait for room: all of them send their slots. They also receive the slots that they wait for,
     * because the lower ranks have sent these slots already or are in the same segment.
     *
     * If dest is the source, a member writes a segment of dest only after it has sent that segment of source to all
     * higher ranks.
     */
    private final TeamWorkspace workspace;
    private final CanonicalTree tree = new CanonicalTree();
    private final long[] blocks;

    private CallArguments call;
    private int operands;
    private long partials;
    private long blockBytes;
    private long doneBytes;
    private int segmentBytes;
    private int sendRank;
    private int receiveRank;

    public FlatScan(final TeamResources resources)
    {
        super(resources);
        workspace = resources.workspace();
        blocks = new long[size];
    }

    @Override
    public void start(final CallArguments call)
    {
        this.call = call;
        operands = Routine.INCLUSIVE_SCAN == call.routine() ? myRank + 1 : myRank;
        partials = operands > 2 ?
            workspace.partials(CanonicalTree.workspaceLength(operands, TeamAreaDescriptor.SLOT_PAYLOAD)) : 0;
        blockBytes = call.blockBytes();
        doneBytes = 0;
        startSegment();
    }

    @Override
    public int poll()
    {
        if (sendRank < size)
        {
            send();
        }

        if (!receive() || sendRank < size)
        {
            return WAITING;
        }

        combine();
        for (int rank = 0; rank < myRank; rank++)
        {
            mailboxes.consume(rank, true);
        }

        doneBytes += segmentBytes;
        if (doneBytes == blockBytes)
        {
            return DONE;
        }

        startSegment();
        return MOVED;
    }

    private void startSegment()
    {
        segmentBytes = (int)Math.min(TeamAreaDescriptor.SLOT_PAYLOAD, blockBytes - doneBytes);
        sendRank = myRank + 1;
        receiveRank = 0;
        send();
    }

    private void send()
    {
        final long address = call.sourceAddress() + doneBytes;
        while (sendRank < size && mailboxes.trySend(sendRank, null, address, segmentBytes, true))
        {
            sendRank++;
        }
    }

    private boolean receive()
    {
        while (receiveRank < myRank)
        {
            final long block = mailboxes.tryReceive(receiveRank);
            if (0 == block)
            {
                return false;
            }

            blocks[receiveRank] = block;
            receiveRank++;
        }

        return true;
    }

    private void combine()
    {
        final long count = segmentBytes == blockBytes ? call.nelems() : segmentBytes / call.elementBytes();
        final long dest = call.destAddress() + doneBytes;
        if (0 == operands)
        {
            call.reduction().identity(null, dest, count);
            return;
        }

        blocks[myRank] = call.sourceAddress() + doneBytes;
        tree.combine(call.reduction(), blocks, 0, operands, count, dest, partials);
    }
}
