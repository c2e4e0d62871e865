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
import org.agrona.UnsafeApi;

/**
 * A collection by dissemination (Bruck's algorithm), in cells: {@code log2(n)} hops and, as long as half of the blocks
 * fit a cell, as many messages per member, where {@link FlatCollect} takes {@code n - 1}.
 * <p>
 * Before round {@code k} a member has the blocks of the {@code 2^k} members from itself on. It sends them, or those of
 * them that are not there yet, to the member {@code 2^k} before it, and gets as many from the one {@code 2^k} after.
 * Blocks are in their place in dest at once. There they follow each other without gaps, in the order of ranks, so what
 * a round sends is a stretch of dest seen as a ring; the cell in which it goes on at the beginning is put together
 * first. The blocks may differ in length; all members know the lengths.
 * <p>
 * <b>Cells.</b> Lanes go round one way, and no lane is used in two rounds. In each round a member sends one cell at
 * least. Where it is the only one, it is not acknowledged: a member has heard, perhaps through others, of everyone at
 * the end, that it has begun this step, and so has taken all cells of earlier ones. Then at most one cell of a lane is
 * not known to be taken when a step begins. Several cells are acknowledged, and one is written again only when its
 * reader has said that it has taken it.
 * <p>
 * <b>Waiting.</b> Within a round a member sends and takes cells independently of each other. Of all members, look at
 * those in the earliest round: who should take their cells is in that round too and does, or has done so; who should
 * send to them has done so, or is in that round and has room as cells are taken. So they come to the next round.
 */
public final class BruckCollect extends CollectiveMachine
{
    private final Lanes lanes;
    private final TeamWorkspace workspace;
    private final int size;
    private final int myRank;

    private CollectiveCall call;
    private long destAddress;
    private long totalBytes;
    private long staging;

    private int distance;
    private int target;
    private int origin;
    private long sendBegin;
    private long sendBytes;
    private long sentBytes;
    private boolean isSent;
    private long receiveBegin;
    private long receiveBytes;
    private long receivedBytes;
    private boolean isReceived;

    /**
     * Construct the machine of a team.
     *
     * @param resources of the team.
     */
    public BruckCollect(final TeamResources resources)
    {
        lanes = resources.lanes();
        workspace = resources.workspace();
        size = lanes.size();
        myRank = lanes.myRank();
    }

    @Override
    public void start(final CollectiveCall call)
    {
        this.call = call;
        destAddress = call.destAddress();
        totalBytes = begin(size - 1) + call.byteCount(size - 1);
        staging = workspace.partials(TeamAreaDescriptor.CELL_PAYLOAD);
        final long own = destAddress + begin(myRank);
        if (own != call.sourceAddress())
        {
            LocalCopy.copy(call.sourceAddress(), own, call.byteCount(myRank));
        }

        startRound(1);
    }

    @Override
    public int poll()
    {
        if (distance >= size)
        {
            return DONE;
        }

        final boolean isMoved = send() | receive();
        if (!isSent || !isReceived)
        {
            return isMoved ? MOVED : WAITING;
        }

        startRound(distance << 1);
        if (distance < size)
        {
            return MOVED;
        }

        for (int i = 1; i < size; i <<= 1)
        {
            lanes.heard((myRank - i + size) % size);
        }

        return DONE;
    }

    private void startRound(final int distance)
    {
        this.distance = distance;
        if (distance >= size)
        {
            return;
        }

        target = (myRank - distance + size) % size;
        origin = (myRank + distance) % size;
        final int blocks = Math.min(distance, size - distance);
        sendBegin = begin(myRank);
        sendBytes = length(myRank, blocks);
        sentBytes = 0;
        isSent = false;
        receiveBegin = begin(origin);
        receiveBytes = length(origin, blocks);
        receivedBytes = 0;
        isReceived = false;
        send();
    }

    private long begin(final int rank)
    {
        return call.byteDisplacement(rank);
    }

    /**
     * Length of the blocks of so many members from a rank on.
     */
    private long length(final int rank, final int blocks)
    {
        final int end = rank + blocks;
        if (end < size)
        {
            return begin(end) - begin(rank);
        }

        return totalBytes - begin(rank) + (end == size ? 0 : begin(end - size));
    }

    private boolean send()
    {
        boolean isMoved = false;
        for (int i = 0; i < TeamAreaDescriptor.CELLS && !isSent; i++)
        {
            final int bytes = (int)Math.min(TeamAreaDescriptor.CELL_PAYLOAD, sendBytes - sentBytes);
            final boolean isAcknowledged = sendBytes > TeamAreaDescriptor.CELL_PAYLOAD;
            if (!lanes.trySend(target, null, contiguous(sendBegin + sentBytes, bytes), bytes, isAcknowledged))
            {
                break;
            }

            sentBytes += bytes;
            isSent = sentBytes == sendBytes;
            isMoved = true;
        }

        return isMoved;
    }

    private boolean receive()
    {
        boolean isMoved = false;
        for (int i = 0; i < TeamAreaDescriptor.CELLS && !isReceived; i++)
        {
            final long cell = lanes.tryReceive(origin);
            if (0 == cell)
            {
                break;
            }

            final int bytes = (int)Math.min(TeamAreaDescriptor.CELL_PAYLOAD, receiveBytes - receivedBytes);
            store(cell, receiveBegin + receivedBytes, bytes);
            lanes.take(origin, receiveBytes > TeamAreaDescriptor.CELL_PAYLOAD);
            receivedBytes += bytes;
            isReceived = receivedBytes == receiveBytes;
            isMoved = true;
        }

        return isMoved;
    }

    /**
     * Address of a stretch of the ring, which is put together if it goes on at the beginning.
     */
    private long contiguous(final long position, final int bytes)
    {
        final long begin = position < totalBytes ? position : position - totalBytes;
        final long first = totalBytes - begin;
        if (bytes <= first)
        {
            return destAddress + begin;
        }

        UnsafeApi.copyMemory(destAddress + begin, staging, first);
        UnsafeApi.copyMemory(destAddress, staging + first, bytes - first);
        return staging;
    }

    private void store(final long cell, final long position, final int bytes)
    {
        final long begin = position < totalBytes ? position : position - totalBytes;
        final long first = Math.min(bytes, totalBytes - begin);
        LocalCopy.copy(cell, destAddress + begin, first);
        if (first < bytes)
        {
            UnsafeApi.copyMemory(cell + first, destAddress, bytes - first);
        }
    }
}
