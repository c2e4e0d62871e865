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

import io.aeroshmem.collective.CanonicalTree;
import io.aeroshmem.collective.CollectiveCall;
import io.aeroshmem.collective.CollectiveMachine;
import io.aeroshmem.collective.Lanes;
import io.aeroshmem.collective.TeamAreaDescriptor;
import io.aeroshmem.collective.TeamResources;
import io.aeroshmem.collective.TeamWorkspace;
import io.aeroshmem.collective.reduction.Reduction;

/**
 * A reduction in which every member sends its block to every other one, in cells, and combines all of them itself: one
 * hop, and {@code n - 1} messages per member. Longer blocks go in segments, each a step of its own.
 * <p>
 * A member has taken everybody's cell of a step before it begins the next one, so a cell of the next step tells its
 * receiver that those it sent before are free.
 * <p>
 * Two members with a block of one cell take a short way: there are no loops in it, as each of their nanoseconds shows
 * in the latency.
 */
public final class FlatReduce extends CollectiveMachine
{
    private final Lanes lanes;
    private final int size;
    private final int myRank;
    /** The other one of two members, or -1. */
    private final int peer;
    private final CanonicalTree tree = new CanonicalTree();
    private final long[] blocks;
    private final TeamWorkspace workspace;

    private CollectiveCall call;
    private Reduction reduction;
    private long partials;
    private long doneBytes;
    private int segmentBytes;
    private boolean isPair;
    private boolean isSent;
    private int sendIndex;
    private int receiveIndex;

    /**
     * Construct the machine of a team.
     *
     * @param resources of the team.
     */
    public FlatReduce(final TeamResources resources)
    {
        lanes = resources.lanes();
        size = lanes.size();
        myRank = lanes.myRank();
        peer = 2 == size ? 1 - myRank : -1;
        blocks = new long[size];
        workspace = resources.workspace();
    }

    @Override
    public void start(final CollectiveCall call)
    {
        this.call = call;
        reduction = call.reduction();
        isPair = peer >= 0 && call.blockBytes() <= TeamAreaDescriptor.CELL_PAYLOAD;
        if (isPair)
        {
            isSent = sendToPeer();
            return;
        }

        partials = size > 2 ?
            workspace.partials(CanonicalTree.workspaceLength(size, TeamAreaDescriptor.CELL_PAYLOAD)) : 0;
        doneBytes = 0;
        startSegment();
    }

    private void startSegment()
    {
        segmentBytes = (int)Math.min(TeamAreaDescriptor.CELL_PAYLOAD, call.blockBytes() - doneBytes);
        sendIndex = 0;
        receiveIndex = 0;
        send();
    }

    @Override
    public int poll()
    {
        return isPair ? pollPair() : pollAll();
    }

    private int pollPair()
    {
        isSent = isSent || sendToPeer();
        final long block = isSent ? lanes.tryReceive(peer) : 0;
        if (0 == block)
        {
            return WAITING;
        }

        final CollectiveCall call = this.call;
        final long own = call.sourceAddress();
        final long dest = call.destAddress();
        if (0 == myRank)
        {
            reduction.combine(null, dest, null, own, null, block, call.nelems());
        }
        else
        {
            reduction.combine(null, dest, null, block, null, own, call.nelems());
        }

        lanes.take(peer, false);
        return DONE;
    }

    private boolean sendToPeer()
    {
        return lanes.trySend(peer, null, call.sourceAddress(), (int)call.blockBytes(), false);
    }

    private int pollAll()
    {
        if (sendIndex < size)
        {
            send();
            if (sendIndex < size)
            {
                return WAITING;
            }
        }

        if (!receive())
        {
            return WAITING;
        }

        final long count = segmentBytes == call.blockBytes() ? call.nelems() : segmentBytes / call.elementBytes();
        blocks[myRank] = call.sourceAddress() + doneBytes;
        tree.combine(reduction, blocks, 0, size, count, call.destAddress() + doneBytes, partials);
        takeAll();

        doneBytes += segmentBytes;
        if (doneBytes == call.blockBytes())
        {
            return DONE;
        }

        lanes.beginStep();
        startSegment();
        return MOVED;
    }

    private void send()
    {
        final long address = call.sourceAddress() + doneBytes;
        while (sendIndex < size &&
            (sendIndex == myRank || lanes.trySend(sendIndex, null, address, segmentBytes, false)))
        {
            sendIndex++;
        }
    }

    private boolean receive()
    {
        while (receiveIndex < size)
        {
            if (receiveIndex != myRank)
            {
                final long block = lanes.tryReceive(receiveIndex);
                if (0 == block)
                {
                    return false;
                }
                blocks[receiveIndex] = block;
            }

            receiveIndex++;
        }

        return true;
    }

    private void takeAll()
    {
        for (int rank = 0; rank < size; rank++)
        {
            if (rank != myRank)
            {
                lanes.take(rank, false);
            }
        }
    }
}
