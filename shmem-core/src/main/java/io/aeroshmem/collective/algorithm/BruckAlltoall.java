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
 * An exchange of small blocks by Bruck's algorithm, in slots of {@link PeerMailboxes}. It takes {@code log2(n)} hops.
 * If half of a member's blocks fit in one slot together, each member sends {@code log2(n)} messages, instead of the
 * {@code n - 1} of {@link FlatAlltoall}.
 */
public final class BruckAlltoall extends MemberTask
{
    /*
     * A block for the member at distance d moves by 2^k members in round k, for each bit k that is set in d. So in
     * round k a member bundles the blocks in whose distance bit k is set, and sends them to the member 2^k after it.
     * The blocks that arrive from the member 2^k before it have the same distances, and take the places of the blocks
     * sent. A block is loaded from source on its first hop, and stored in dest after its last. Between its hops, a
     * block of distance d is at place d of private memory. So blocks need no rotation before the first round or after
     * the last.
     *
     * Slots. The call is one step, and uses the slots of a mailbox in one round only. A bundle of one slot is not
     * acknowledged, for the following reason. At the end of a step a member has a block of every other member. So all
     * members have begun that step, and have consumed the slots of earlier steps. Hence, when a step begins, a mailbox
     * has at most one unconsumed slot that no acknowledgement covers. The slots of longer bundles are acknowledged, and
     * such a slot is overwritten only when its reader has acknowledged it.
     *
     * Waiting. Within a round, a member sends and consumes slots independently. Consider the earliest round in which
     * any member still is, and the members in that round. A member that one of them sends to has consumed the slots of
     * that round already, or is in that round and consumes them. A member that one of them receives from has sent its
     * slots already, or is in that round and sends them as it gets room. So they all reach the next round.
     */
    private final TeamWorkspace workspace;
    private final int rounds;

    private CallArguments call;
    private long blockBytes;
    private long slots;
    private long outgoing;
    private long incoming;

    private int round;
    private long source;
    private int target;
    private int origin;
    private long bundleBytes;
    private long sentBytes;
    private long receivedBytes;
    private boolean isAcknowledged;

    public BruckAlltoall(final TeamResources resources)
    {
        super(resources);
        workspace = resources.workspace();
        rounds = Integer.SIZE - Integer.numberOfLeadingZeros(size - 1);
    }

    @Override
    public void start(final CallArguments call)
    {
        this.call = call;
        blockBytes = call.blockBytes();
        final long longestBundle = (size + 1) / 2 * blockBytes;
        final long copyBytes = call.isInPlace() ? size * blockBytes : 0;
        slots = workspace.partials(size * blockBytes + 2 * longestBundle + copyBytes);
        outgoing = slots + size * blockBytes;
        incoming = outgoing + longestBundle;
        source = call.sourceAddress();
        if (call.isInPlace())
        {
            source = incoming + longestBundle;
            LocalCopy.copy(call.sourceAddress(), source, copyBytes);
        }

        gather(myRank, incoming);
        scatter(incoming, myRank);
        startRound(0);
    }

    @Override
    public int poll()
    {
        if (round == rounds)
        {
            return DONE;
        }

        final boolean isMoved = send() | receive();
        if (sentBytes < bundleBytes || receivedBytes < bundleBytes)
        {
            return isMoved ? MOVED : WAITING;
        }

        startRound(round + 1);
        if (round < rounds)
        {
            return MOVED;
        }

        for (int distance = 1; distance < size; distance <<= 1)
        {
            mailboxes.onActivity((myRank + distance) % size);
        }

        return DONE;
    }

    private void startRound(final int round)
    {
        this.round = round;
        if (round == rounds)
        {
            return;
        }

        final int distance = 1 << round;
        target = (myRank + distance) % size;
        origin = (myRank - distance + size) % size;
        sentBytes = 0;
        receivedBytes = 0;
        bundle();
        isAcknowledged = bundleBytes > TeamAreaDescriptor.SLOT_PAYLOAD;
        send();
    }

    private void bundle()
    {
        final int bit = 1 << round;
        long to = outgoing;
        for (int slot = bit; slot < size; slot = next(slot, bit))
        {
            if (bit == Integer.lowestOneBit(slot))
            {
                gather((myRank + slot) % size, to);
            }
            else
            {
                LocalCopy.copy(slots + slot * blockBytes, to, blockBytes);
            }

            to += blockBytes;
        }

        bundleBytes = to - outgoing;
    }

    private void unbundle(final long bundle)
    {
        final int bit = 1 << round;
        long from = bundle;
        for (int slot = bit; slot < size; slot = next(slot, bit))
        {
            if (bit == Integer.highestOneBit(slot))
            {
                scatter(from, (myRank - slot + size) % size);
            }
            else
            {
                LocalCopy.copy(from, slots + slot * blockBytes, blockBytes);
            }

            from += blockBytes;
        }
    }

    private static int next(final int slot, final int bit)
    {
        return slot + 1 | bit;
    }

    private boolean send()
    {
        final long before = sentBytes;
        for (int i = 0; i < TeamAreaDescriptor.SLOTS && sentBytes < bundleBytes; i++)
        {
            final int bytes = (int)Math.min(TeamAreaDescriptor.SLOT_PAYLOAD, bundleBytes - sentBytes);
            if (!mailboxes.trySend(target, null, outgoing + sentBytes, bytes, isAcknowledged))
            {
                break;
            }

            sentBytes += bytes;
        }

        return sentBytes != before;
    }

    private boolean receive()
    {
        final long before = receivedBytes;
        for (int i = 0; i < TeamAreaDescriptor.SLOTS && receivedBytes < bundleBytes; i++)
        {
            final long slot = mailboxes.tryReceive(origin);
            if (0 == slot)
            {
                break;
            }

            final int bytes = (int)Math.min(TeamAreaDescriptor.SLOT_PAYLOAD, bundleBytes - receivedBytes);
            receivedBytes += bytes;
            if (bytes == bundleBytes)
            {
                unbundle(slot);
            }
            else
            {
                LocalCopy.copy(slot, incoming + receivedBytes - bytes, bytes);
                if (receivedBytes == bundleBytes)
                {
                    unbundle(incoming);
                }
            }

            mailboxes.consume(origin, isAcknowledged);
        }

        return receivedBytes != before;
    }

    /** Copies the block for a member out of source. */
    private void gather(final int rank, final long to)
    {
        final int elementBytes = call.elementBytes();
        final long stride = call.sourceStride();
        final long from = source + rank * blockBytes * stride;
        if (1 == stride)
        {
            LocalCopy.copy(from, to, blockBytes);
        }
        else
        {
            LocalCopy.copyStrided(from, stride * elementBytes, to, elementBytes, call.nelems(), elementBytes);
        }
    }

    /** Copies the block of a member into dest. */
    private void scatter(final long from, final int rank)
    {
        final int elementBytes = call.elementBytes();
        final long stride = call.destStride();
        final long to = call.destAddress() + rank * blockBytes * stride;
        if (1 == stride)
        {
            LocalCopy.copy(from, to, blockBytes);
        }
        else
        {
            LocalCopy.copyStrided(from, elementBytes, to, stride * elementBytes, call.nelems(), elementBytes);
        }
    }
}
