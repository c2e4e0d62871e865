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
import io.aeroshmem.collective.task.TeamResources;
import org.agrona.UnsafeApi;

/**
 * A reduction to a root, in which all members share the work. Every member owns a slice of the elements
 * ({@link Slices}). The owner reads its slice of all sources ({@link SourceBlocks}), combines it in the order of the
 * {@link CanonicalTree}, and writes the result into the dest of the root. The root sends the place of its dest (a
 * region and an offset) to each owner in a slot of {@link PeerMailboxes}.
 */
public final class DirectRootedReduce extends DirectCombination
{
    private static final int REGION = 8;
    private static final int GRANT_LENGTH = 16;

    /*
     * Order of accesses. A member enters the barrier at the start when it makes the call, and the barrier at the end
     * when it has read all it needs. No member accesses another's memory before the first barrier has ended, or returns
     * before the second has ended. During the call only the owner of a slice accesses that slice, in every source and
     * in the root's dest. The owner reads a part of the slice from all members before it writes that part, so dest may
     * be the source.
     *
     * After its last write to the root's dest, an owner reports its slice as arrived there, by a release store or by a
     * message that follows its other messages. The root waits for all slices. So its dest is complete when it returns,
     * and no traffic to that dest is in flight.
     *
     * Slots. The root sends each member one slot and receives none in return. So the slots are acknowledged: otherwise
     * the root would not know when it may overwrite them.
     */
    private int root;
    private boolean isReported;
    private int grantIndex;
    private int destRegion;
    private long destOffset;
    /** Address of the root's dest, or 0 if it is not mapped. */
    private long destAddress;

    public DirectRootedReduce(final TeamResources resources)
    {
        super(resources);
    }

    @Override
    public void start(final CallArguments call)
    {
        super.start(call);
        root = call.root();
        isReported = myRank == root;
        grantIndex = 1;
        startSlice(PIECE);
        if (myRank == root)
        {
            destRegion = call.destRegion();
            destOffset = call.destOffset();
            destAddress = call.destAddress();
            for (int rank = 0; rank < size; rank++)
            {
                if (rank != myRank)
                {
                    mailboxes.expect(rank, 1);
                }
            }
        }
    }

    @Override
    public int poll()
    {
        return (myRank == root ? grant() : receiveGrant()) ? super.poll() : WAITING;
    }

    private boolean grant()
    {
        if (grantIndex < size)
        {
            final long grant = blocks.staging();
            UnsafeApi.putLong(grant, destOffset);
            UnsafeApi.putLong(grant + REGION, destRegion);
            while (grantIndex < size &&
                mailboxes.trySend((myRank + grantIndex) % size, null, grant, GRANT_LENGTH, true))
            {
                grantIndex++;
            }
        }

        return grantIndex == size;
    }

    private boolean receiveGrant()
    {
        if (grantIndex == size)
        {
            return true;
        }

        final long grant = mailboxes.tryReceive(root);
        if (0 == grant)
        {
            return false;
        }

        destOffset = UnsafeApi.getLong(grant);
        destRegion = (int)UnsafeApi.getLong(grant + REGION);
        destAddress = mailboxes.isMapped(root) ? mailboxes.address(root, destRegion, destOffset) : 0;
        mailboxes.consume(root, true);
        grantIndex = size;
        return true;
    }

    @Override
    void combineBlock()
    {
        final long offset = blocks.offset();
        final long result = 0 != destAddress ? destAddress + offset : blocks.staging();
        combine(size, result);
        if (0 == destAddress)
        {
            mailboxes.transport(root).put(
                mailboxes.worldPe(root), destRegion, destOffset + offset, null, result, blocks.length());
        }
    }

    @Override
    int leave()
    {
        if (!isReported)
        {
            isReported = true;
            mailboxes.putPiece(root, destRegion, destOffset, blocks.staging(), 0);
        }

        enterLastBarrier();
        return (myRank != root || haveAllArrived()) && pollLastBarrier() ? DONE : WAITING;
    }
}
