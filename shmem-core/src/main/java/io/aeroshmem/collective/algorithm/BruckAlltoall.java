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
import io.aeroshmem.collective.Lanes;
import io.aeroshmem.collective.TeamAreaDescriptor;
import io.aeroshmem.collective.TeamResources;
import io.aeroshmem.collective.TeamWorkspace;

/**
 * An exchange of small blocks by Bruck's algorithm, in cells: {@code log2(n)} hops and, as long as half of a member's
 * blocks fit a cell, as many messages per member, where {@link FlatAlltoall} takes {@code n - 1}.
 * <p>
 * A block that has to go {@code d} members further goes {@code 2^k} members in round {@code k}, for each bit {@code k}
 * of {@code d}. So in round {@code k} a member bundles the blocks whose distance has that bit, for the member {@code
 * 2^k} after it, and replaces them by what comes from the one {@code 2^k} before. Slot {@code d} of the memory between
 * rounds holds what has still to be sent in later rounds, or has been, of distance {@code d}; a block is taken from
 * source where it sets out and put into dest where it arrives, so nothing is rotated.
 * <p>
 * <b>Cells.</b> Lanes go round one way, and no lane is used in two rounds. Where a bundle is one cell, it is not
 * acknowledged: a member has a block of everyone at the end, hence has heard, perhaps through others, that everyone
 * has begun this step, and so has taken all cells of earlier ones. Then at most one cell of a lane is not known to be
 * taken when a step begins. The cells of longer bundles are acknowledged, and one is written again only when its
 * reader has said that it has taken it.
 * <p>
 * <b>Waiting.</b> Within a round a member sends and takes cells independently of each other. Of all members, look at
 * those in the earliest round: who should take their cells is in that round too and does, or has done so; who should
 * send to them has done so, or is in that round and has room as cells are taken. So they come to the next round.
 */
public final class BruckAlltoall extends CollectiveMachine
{
    private final Lanes lanes;
    private final TeamWorkspace workspace;
    private final int size;
    private final int myRank;
    private final int rounds;

    private CollectiveCall call;
    private long blockBytes;
    private long slots;
    private long outgoing;
    private long incoming;

    private int round;
    private int target;
    private int origin;
    private long bundleBytes;
    private long sentBytes;
    private long receivedBytes;
    private boolean isAcknowledged;

    /**
     * Construct the machine of a team.
     *
     * @param resources of the team.
     */
    public BruckAlltoall(final TeamResources resources)
    {
        lanes = resources.lanes();
        workspace = resources.workspace();
        size = lanes.size();
        myRank = lanes.myRank();
        rounds = Integer.SIZE - Integer.numberOfLeadingZeros(size - 1);
    }

    @Override
    public void start(final CollectiveCall call)
    {
        this.call = call;
        blockBytes = call.blockBytes();
        final long longestBundle = (size + 1) / 2 * blockBytes;
        slots = workspace.partials(size * blockBytes + 2 * longestBundle);
        outgoing = slots + size * blockBytes;
        incoming = outgoing + longestBundle;
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
            lanes.heard((myRank + distance) % size);
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
        isAcknowledged = bundleBytes > TeamAreaDescriptor.CELL_PAYLOAD;
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
        for (int i = 0; i < TeamAreaDescriptor.CELLS && sentBytes < bundleBytes; i++)
        {
            final int bytes = (int)Math.min(TeamAreaDescriptor.CELL_PAYLOAD, bundleBytes - sentBytes);
            if (!lanes.trySend(target, null, outgoing + sentBytes, bytes, isAcknowledged))
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
        for (int i = 0; i < TeamAreaDescriptor.CELLS && receivedBytes < bundleBytes; i++)
        {
            final long cell = lanes.tryReceive(origin);
            if (0 == cell)
            {
                break;
            }

            final int bytes = (int)Math.min(TeamAreaDescriptor.CELL_PAYLOAD, bundleBytes - receivedBytes);
            receivedBytes += bytes;
            if (bytes == bundleBytes)
            {
                unbundle(cell);
            }
            else
            {
                LocalCopy.copy(cell, incoming + receivedBytes - bytes, bytes);
                if (receivedBytes == bundleBytes)
                {
                    unbundle(incoming);
                }
            }

            lanes.take(origin, isAcknowledged);
        }

        return receivedBytes != before;
    }

    /**
     * Copy the block for a member out of source.
     */
    private void gather(final int rank, final long to)
    {
        final int elementBytes = call.elementBytes();
        final long stride = call.sourceStride();
        final long from = call.sourceAddress() + rank * blockBytes * stride;
        if (1 == stride)
        {
            LocalCopy.copy(from, to, blockBytes);
        }
        else
        {
            LocalCopy.copyStrided(from, stride * elementBytes, to, elementBytes, call.nelems(), elementBytes);
        }
    }

    /**
     * Copy the block of a member into dest.
     */
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
