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
import io.aeroshmem.collective.task.TeamAreaDescriptor;
import io.aeroshmem.collective.task.TeamResources;
import io.aeroshmem.collective.task.TeamWorkspace;

/**
 * The base of {@link FlatReduce} and {@link FlatReduceScatter}. Every member sends a block to every other member, in
 * slots of {@link PeerMailboxes}, and combines the blocks that it receives with a block of its own. A block longer than
 * a slot goes in segments. Each segment is a step of its own, and the call ends with the last segment of the longest
 * block. A member that combines shorter blocks receives empty slots in the remaining steps.
 */
abstract class FlatCombination extends MemberTask
{
    /*
     * Slots. A member begins a step only after it has consumed all slots of the previous step. So a slot of a step
     * shows its receiver that the sender has consumed everything that the receiver sent to it in earlier steps. When a
     * step begins, a mailbox therefore holds at most one unconsumed slot of this call: the slot of the previous step. A
     * mailbox has several slots. So the mailbox has room for the next slot, and no send waits for its receiver to do
     * something in this call. A send of the first step may have to wait until the receiver has consumed slots of an
     * earlier call. The receiver does so in that earlier call.
     *
     * A member writes a segment of dest only after it has sent that segment of every block. So if dest is the whole
     * source or one block of the source, the member overwrites only data that it has sent, or that no other member
     * needs.
     */
    CallArguments call;

    private final TeamWorkspace workspace;
    private final CanonicalTree tree = new CanonicalTree();
    private final long[] blocks;
    private long partials;
    private long blockBytes;
    private long doneBytes;
    private int segmentBytes;
    private int sendRank;
    private int receiveRank;

    FlatCombination(final TeamResources resources)
    {
        super(resources);
        workspace = resources.workspace();
        blocks = new long[size];
    }

    /** Returns the address of the block of this PE's source that a member combines. */
    abstract long block(int rank);

    /** Returns the length in bytes of the block that a member combines, up to that of the longest one. */
    abstract long length(int rank);

    @Override
    public void start(final CallArguments call)
    {
        this.call = call;
        partials = size > 2 ?
            workspace.partials(CanonicalTree.workspaceLength(size, TeamAreaDescriptor.SLOT_PAYLOAD)) : 0;
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

        blocks[myRank] = block(myRank) + doneBytes;
        final int ownBytes = segmentBytes(myRank);
        final long count = ownBytes == blockBytes ? call.nelems() : ownBytes / call.elementBytes();
        tree.combine(call.reduction(), blocks, 0, size, count, call.destAddress() + doneBytes, partials);
        consumeAll();

        doneBytes += segmentBytes;
        if (doneBytes == blockBytes)
        {
            return DONE;
        }

        mailboxes.beginStep();
        startSegment();
        return MOVED;
    }

    private void startSegment()
    {
        segmentBytes = (int)Math.min(TeamAreaDescriptor.SLOT_PAYLOAD, blockBytes - doneBytes);
        sendRank = 0;
        receiveRank = 0;
        send();
    }

    private void send()
    {
        while (sendRank < size && (sendRank == myRank ||
            mailboxes.trySend(sendRank, null, block(sendRank) + doneBytes, segmentBytes(sendRank), false)))
        {
            sendRank++;
        }
    }

    /** Returns the length of this segment of the block that a member combines. */
    private int segmentBytes(final int rank)
    {
        return (int)Math.max(0, Math.min(segmentBytes, length(rank) - doneBytes));
    }

    private boolean receive()
    {
        while (receiveRank < size)
        {
            if (receiveRank != myRank)
            {
                final long block = mailboxes.tryReceive(receiveRank);
                if (0 == block)
                {
                    return false;
                }

                blocks[receiveRank] = block;
            }

            receiveRank++;
        }

        return true;
    }

    private void consumeAll()
    {
        for (int rank = 0; rank < size; rank++)
        {
            if (rank != myRank)
            {
                mailboxes.consume(rank, false);
            }
        }
    }
}
