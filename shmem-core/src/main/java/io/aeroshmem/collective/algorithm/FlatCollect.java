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
import org.agrona.UnsafeApi;

/**
 * A collection in which every member sends its block to every other one, in cells: one hop, and {@code n - 1} messages
 * per member. Longer blocks go in segments, each a step of its own, until the longest block is through; a member whose
 * block has ended sends empty cells meanwhile. The blocks may differ in length, and this PE's own may lie in its place
 * already.
 * <p>
 * A member has taken everybody's cell of a step before it begins the next one, so a cell of the next step tells its
 * receiver that those it sent before are free.
 */
public final class FlatCollect extends CollectiveMachine
{
    private final Lanes lanes;
    private final int size;
    private final int myRank;

    private CollectiveCall call;
    private long longest;
    private long doneBytes;
    private int sendIndex;
    private int receiveIndex;

    /**
     * Construct the machine of a team.
     *
     * @param resources of the team.
     */
    public FlatCollect(final TeamResources resources)
    {
        lanes = resources.lanes();
        size = lanes.size();
        myRank = lanes.myRank();
    }

    @Override
    public void start(final CollectiveCall call)
    {
        this.call = call;
        longest = 0;
        for (int rank = 0; rank < size; rank++)
        {
            longest = Math.max(longest, call.byteCount(rank));
        }

        doneBytes = 0;
        sendIndex = 0;
        receiveIndex = 0;
        send();
        final long own = call.destAddress() + call.byteDisplacement(myRank);
        if (own != call.sourceAddress())
        {
            UnsafeApi.copyMemory(call.sourceAddress(), own, call.byteCount(myRank));
        }
    }

    @Override
    public int poll()
    {
        if (sendIndex < size)
        {
            send();
        }

        if (!receive())
        {
            return WAITING;
        }

        doneBytes += TeamAreaDescriptor.CELL_PAYLOAD;
        if (doneBytes >= longest)
        {
            return DONE;
        }

        lanes.beginStep();
        sendIndex = 0;
        receiveIndex = 0;
        send();
        return MOVED;
    }

    private int segmentBytes(final int rank)
    {
        return (int)Math.max(0, Math.min(TeamAreaDescriptor.CELL_PAYLOAD, call.byteCount(rank) - doneBytes));
    }

    private void send()
    {
        final long address = call.sourceAddress() + doneBytes;
        final int length = segmentBytes(myRank);
        while (sendIndex < size && (sendIndex == myRank || lanes.trySend(sendIndex, null, address, length, false)))
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
        final long block = lanes.tryReceive(rank);
        if (0 == block)
        {
            return false;
        }

        final long address = call.destAddress() + call.byteDisplacement(rank) + doneBytes;
        UnsafeApi.copyMemory(block, address, segmentBytes(rank));
        lanes.take(rank, false);
        return true;
    }
}
