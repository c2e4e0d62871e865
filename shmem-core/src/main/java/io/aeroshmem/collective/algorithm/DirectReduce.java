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
import io.aeroshmem.collective.task.TeamResources;
import io.aeroshmem.transport.mapped.MemoryOps;

/**
 * A reduction in which every member owns a slice of the elements ({@link Slices}). The owner reads its slice of all
 * sources, combines it in the order of the {@link CanonicalTree}, and writes the result into the dest of each member.
 * So every byte is read once, combined once and written once to each destination.
 * <p>
 * The owner proceeds block by block, so that a result is still in the cache when it is copied on. The memory of
 * mapped members is read and written in place. Blocks of the other members are fetched ahead ({@link SourceBlocks}),
 * and results are put to them.
 */
public final class DirectReduce extends DirectCombination
{
    /*
     * Order of accesses. A member that makes the call enters a barrier. It accesses no other member's memory before it
     * has left the barrier. After the barrier, only the owner of a slice accesses that slice, in all sources and dests.
     * The owner reads a block of all members before it writes that block anywhere, so dest may be the source.
     *
     * After its last access to the source and dest of a member, an owner reports to that member that the owner's slice
     * has arrived. The report is a release store, or a message that follows the other messages of the owner. A member
     * returns when all slices have arrived. Then its dest is complete, and its source is no longer read, because an
     * owner reads a slice before it delivers the result. A faster member may already be in its next call. There, too,
     * it accesses the memory of another member only after that member has entered the call.
     */
    private final long[] dests;

    private boolean isDelivered;

    public DirectReduce(final TeamResources resources)
    {
        super(resources);
        dests = new long[size];
    }

    @Override
    public void start(final CallArguments call)
    {
        super.start(call);
        isDelivered = false;
        startSlice(0);
        for (int rank = 0; rank < size; rank++)
        {
            if (rank != myRank)
            {
                mailboxes.expect(rank, 1);
                dests[rank] =
                    mailboxes.isMapped(rank) ? mailboxes.address(rank, call.destRegion(), call.destOffset()) : 0;
            }
        }
    }

    @Override
    void combineBlock()
    {
        final long offset = blocks.offset();
        final long length = blocks.length();
        final long result = call.destAddress() + offset;
        combine(size, result);
        for (int i = 1; i < size; i++)
        {
            final int rank = (myRank + i) % size;
            final long dest = dests[rank];
            if (0 != dest)
            {
                MemoryOps.copy(null, result, null, dest + offset, length);
            }
            else
            {
                mailboxes.transport(rank).put(
                    mailboxes.worldPe(rank), call.destRegion(), call.destOffset() + offset, null, result, length);
            }
        }
    }

    @Override
    int leave()
    {
        if (!isDelivered)
        {
            deliver();
            isDelivered = true;
        }

        return haveAllArrived() ? DONE : WAITING;
    }

    private void deliver()
    {
        for (int i = 1; i < size; i++)
        {
            final int rank = (myRank + i) % size;
            mailboxes.putPiece(rank, call.destRegion(), call.destOffset(), call.destAddress(), 0);
        }
    }
}
