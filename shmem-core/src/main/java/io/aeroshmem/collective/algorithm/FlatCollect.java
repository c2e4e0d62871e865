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

/**
 * A collect in which every member sends its block to every other member, in slots of {@link PeerMailboxes}. Blocks that
 * fit a slot take one hop, and {@code n - 1} messages per member. Longer blocks go in segments, each a step of its own.
 * The steps end with the last segment of the longest block; members with shorter blocks send empty slots in the last
 * steps. This PE's own block may be in dest already.
 * <p>
 * <b>Slots.</b> A member begins a step only after it has consumed all slots of the previous step. So a slot of a step
 * shows its receiver that the sender has consumed everything that the receiver sent to it in earlier steps. The
 * receiver may overwrite those slots, so slots need no acknowledgement.
 * <p>
 * In a team of two, blocks that fit a slot take a shortcut without loops, because each nanosecond counts there.
 */
public final class FlatCollect extends MemberTask
{
    /** The other one of two members, or -1. */
    private final int peer;

    private CallArguments call;
    private long longest;
    private long doneBytes;
    private boolean isPair;
    private boolean isSent;
    private int sendIndex;
    private int receiveIndex;

    public FlatCollect(final TeamResources resources)
    {
        super(resources);
        peer = 2 == size ? 1 - myRank : -1;
    }

    @Override
    public void start(final CallArguments call)
    {
        this.call = call;
        isPair = peer >= 0 && call.destByteCount(0) <= TeamAreaDescriptor.SLOT_PAYLOAD &&
            call.destByteCount(1) <= TeamAreaDescriptor.SLOT_PAYLOAD;
        if (isPair)
        {
            isSent = sendToPeer();
            copyOwn();
        }
        else
        {
            startAll();
        }
    }

    private void startAll()
    {
        longest = 0;
        for (int rank = 0; rank < size; rank++)
        {
            longest = Math.max(longest, call.destByteCount(rank));
        }

        doneBytes = 0;
        sendIndex = 0;
        receiveIndex = 0;
        send();
        copyOwn();
    }

    private void copyOwn()
    {
        final long own = call.destAddress() + call.destByteDisplacement(myRank);
        if (own != call.sourceAddress())
        {
            LocalCopy.copy(call.sourceAddress(), own, call.destByteCount(myRank));
        }
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

        LocalCopy.copy(block, call.destAddress() + call.destByteDisplacement(peer), call.destByteCount(peer));
        mailboxes.consume(peer, false);
        return DONE;
    }

    private boolean sendToPeer()
    {
        return mailboxes.trySend(peer, null, call.sourceAddress(), (int)call.destByteCount(myRank), false);
    }

    private int pollAll()
    {
        if (sendIndex < size)
        {
            send();
        }

        if (!receive())
        {
            return WAITING;
        }

        doneBytes += TeamAreaDescriptor.SLOT_PAYLOAD;
        if (doneBytes >= longest)
        {
            return DONE;
        }

        mailboxes.beginStep();
        sendIndex = 0;
        receiveIndex = 0;
        send();
        return MOVED;
    }

    private int segmentBytes(final int rank)
    {
        return (int)Math.max(0, Math.min(TeamAreaDescriptor.SLOT_PAYLOAD, call.destByteCount(rank) - doneBytes));
    }

    private void send()
    {
        final long address = call.sourceAddress() + doneBytes;
        final int length = segmentBytes(myRank);
        while (sendIndex < size && (sendIndex == myRank || mailboxes.trySend(sendIndex, null, address, length, false)))
        {
            sendIndex++;
        }
    }

    private boolean receive()
    {
        while (receiveIndex < size)
        {
            if (receiveIndex != myRank && !receive(receiveIndex))
            {
                return false;
            }

            receiveIndex++;
        }

        return sendIndex == size;
    }

    private boolean receive(final int rank)
    {
        final long block = mailboxes.tryReceive(rank);
        if (0 == block)
        {
            return false;
        }

        final long address = call.destAddress() + call.destByteDisplacement(rank) + doneBytes;
        LocalCopy.copy(block, address, segmentBytes(rank));
        mailboxes.consume(rank, false);
        return true;
    }
}
