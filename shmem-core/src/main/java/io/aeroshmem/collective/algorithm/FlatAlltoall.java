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
import io.aeroshmem.collective.task.PeerMailboxes;
import io.aeroshmem.collective.task.TeamAreaDescriptor;
import io.aeroshmem.collective.task.TeamResources;
import io.aeroshmem.collective.task.TeamWorkspace;

/**
 * An alltoall in which every member sends each of its blocks directly to the receiver of the block, in slots of
 * {@link PeerMailboxes}. It takes one hop, and {@code n - 1} messages per member. A block longer than a slot goes in
 * segments. Each segment is a step of its own. Elements with a stride are gathered in private memory, sent in a slot,
 * and scattered from the slot.
 */
public final class FlatAlltoall extends MemberTask
{
    /*
     * Slots. A member begins a step only after it has consumed all slots of the previous step. So a slot of a step
     * shows its receiver that the sender has consumed everything that the receiver sent to it in earlier steps. When a
     * step begins, a mailbox therefore holds at most one unconsumed slot of this call: the slot of the previous step. A
     * mailbox has several slots. So it has room for the next slot, and no send waits for its receiver to do something
     * in this call. A send of the first step may have to wait until the receiver has consumed slots of an earlier call.
     * The receiver does so in that earlier call.
     *
     * If dest is the source, a member writes a segment to dest only after it has sent all its segments of that step. So
     * it overwrites only data that it has sent.
     *
     * In a team of two, contiguous blocks that fit a slot take a shortcut without loops, because each nanosecond counts
     * there.
     */
    private final TeamWorkspace workspace;
    /** The other one of two members, or -1. */
    private final int peer;

    private CallArguments call;
    private boolean isPair;
    private boolean isSent;
    private boolean isStrided;
    private boolean isInPlace;
    private long staging;
    private long blockBytes;
    private long doneBytes;
    private int segmentBytes;
    private int sendIndex;
    private int receiveIndex;

    public FlatAlltoall(final TeamResources resources)
    {
        super(resources);
        workspace = resources.workspace();
        peer = 2 == size ? 1 - myRank : -1;
    }

    @Override
    public void start(final CallArguments call)
    {
        this.call = call;
        isInPlace = call.isInPlace();
        isStrided = 1 != call.destStride() || 1 != call.sourceStride();
        blockBytes = call.blockBytes();
        isPair = peer >= 0 && blockBytes <= TeamAreaDescriptor.SLOT_PAYLOAD && !isStrided;
        if (isPair)
        {
            isSent = sendToPeer();
            final long own = myRank * blockBytes;
            LocalCopy.copy(call.sourceAddress() + own, call.destAddress() + own, blockBytes);
            return;
        }

        staging = isStrided ? workspace.partials(TeamAreaDescriptor.SLOT_PAYLOAD) : 0;
        doneBytes = 0;
        startSegment();
    }

    @Override
    public int poll()
    {
        return isPair ? pollPair() : pollAll();
    }

    private int pollPair()
    {
        isSent = isSent || sendToPeer();
        final long block = isSent ? mailboxes.tryReceive(peer) : 0;
        if (0 == block)
        {
            return WAITING;
        }

        LocalCopy.copy(block, call.destAddress() + peer * blockBytes, blockBytes);
        mailboxes.consume(peer, false);
        return DONE;
    }

    private boolean sendToPeer()
    {
        return mailboxes.trySend(peer, null, call.sourceAddress() + peer * blockBytes, (int)blockBytes, false);
    }

    private int pollAll()
    {
        if (sendIndex < size)
        {
            send();
        }

        if (isInPlace && sendIndex < size || !receive() || sendIndex < size)
        {
            return WAITING;
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

    private void startSegment()
    {
        segmentBytes = (int)Math.min(TeamAreaDescriptor.SLOT_PAYLOAD, blockBytes - doneBytes);
        sendIndex = 1;
        receiveIndex = 1;
        send();
        scatter(myRank, gather(myRank));
    }

    private void send()
    {
        while (sendIndex < size)
        {
            final int rank = wrapped(myRank + sendIndex);
            if (!mailboxes.trySend(rank, null, gather(rank), segmentBytes, false))
            {
                return;
            }

            sendIndex++;
        }
    }

    private boolean receive()
    {
        while (receiveIndex < size)
        {
            final int rank = wrapped(myRank + size - receiveIndex);
            final long block = mailboxes.tryReceive(rank);
            if (0 == block)
            {
                return false;
            }

            scatter(rank, block);
            mailboxes.consume(rank, false);
            receiveIndex++;
        }

        return true;
    }

    private int wrapped(final int rank)
    {
        return rank < size ? rank : rank - size;
    }

    /** Returns the address of the segment for a member without gaps. */
    private long gather(final int rank)
    {
        final long begin = rank * blockBytes + doneBytes;
        if (!isStrided)
        {
            return call.sourceAddress() + begin;
        }

        final int elementBytes = call.elementBytes();
        LocalCopy.copyStrided(
            call.sourceAddress() + begin * call.sourceStride(),
            call.sourceStride() * elementBytes,
            staging,
            elementBytes,
            segmentBytes / elementBytes,
            elementBytes);
        return staging;
    }

    private void scatter(final int rank, final long block)
    {
        final long begin = rank * blockBytes + doneBytes;
        if (!isStrided)
        {
            LocalCopy.copy(block, call.destAddress() + begin, segmentBytes);
            return;
        }

        final int elementBytes = call.elementBytes();
        LocalCopy.copyStrided(
            block,
            elementBytes,
            call.destAddress() + begin * call.destStride(),
            call.destStride() * elementBytes,
            segmentBytes / elementBytes,
            elementBytes);
    }
}
