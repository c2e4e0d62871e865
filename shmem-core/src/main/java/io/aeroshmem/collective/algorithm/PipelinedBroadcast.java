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
import io.aeroshmem.collective.task.TeamResources;
import io.aeroshmem.transport.mapped.MemoryOps;

/**
 * A broadcast down a binary tree, in pieces. A member passes each piece on to its children while the next ones arrive,
 * so that all levels of the tree are busy at once.
 */
public final class PipelinedBroadcast extends MemberTask
{
    private static final int CHILDREN = 2;

    /*
     * Order of accesses. The root copies its source to its own dest. The dest of any other member is written only by
     * the member's parent, after the member has granted access. The parent puts a piece, then counts it as arrived, by
     * a release store or by a message that follows the piece. A member passes arrived pieces on from its dest. It
     * returns when all pieces have arrived and have been put to its children. Then no traffic to its dest is in flight,
     * and no other member reads that dest. Of all sources only the root's is read, and only the root reads it. So dest
     * may be the source. In the next call a member may have another parent. That parent writes nothing before the
     * member has granted access again.
     */
    private final int[] children = new int[CHILDREN];
    private final long[] sentPieces = new long[CHILDREN];
    private final boolean[] isGranted = new boolean[CHILDREN];

    private CallArguments call;
    private int childCount;
    private int parent;
    private long bytes;
    private long pieces;
    private long copiedPieces;
    private long fromAddress;

    public PipelinedBroadcast(final TeamResources resources)
    {
        super(resources);
    }

    @Override
    public void start(final CallArguments call)
    {
        this.call = call;
        bytes = call.blockBytes();
        pieces = (bytes + PIECE - 1) / PIECE;

        final int index = (myRank - call.root() + size) % size;
        childCount = 0;
        for (long child = CHILDREN * (long)index + 1; child < size && childCount < CHILDREN; child++)
        {
            children[childCount] = (int)((child + call.root()) % size);
            sentPieces[childCount] = 0;
            isGranted[childCount] = false;
            childCount++;
        }

        if (0 == index)
        {
            fromAddress = call.sourceAddress();
            copiedPieces = call.isInPlace() ? pieces : 0;
        }
        else
        {
            parent = ((index - 1) / CHILDREN + call.root()) % size;
            fromAddress = call.destAddress();
            copiedPieces = pieces;
            mailboxes.grantAccess(parent);
            mailboxes.expect(parent, pieces);
        }
    }

    @Override
    public int poll()
    {
        final long arrivedPieces = myRank == call.root() ? pieces : pieces - mailboxes.missing(parent);
        boolean isMoved = false;
        boolean isSent = true;
        for (int i = 0; i < childCount; i++)
        {
            isMoved |= send(i, arrivedPieces);
            isSent &= sentPieces[i] == pieces;
        }

        if (copiedPieces < pieces)
        {
            final long at = copiedPieces++ * PIECE;
            MemoryOps.copy(null, fromAddress + at, null, call.destAddress() + at, Math.min(PIECE, bytes - at));
            return MOVED;
        }

        if (isSent && arrivedPieces == pieces)
        {
            return DONE;
        }

        return isMoved ? MOVED : WAITING;
    }

    private boolean send(final int index, final long arrivedPieces)
    {
        final int child = children[index];
        if (sentPieces[index] == arrivedPieces || !(isGranted[index] || mailboxes.hasGrantedAccess(child)))
        {
            return false;
        }

        isGranted[index] = true;
        final long at = sentPieces[index]++ * PIECE;
        mailboxes.putPiece(
            child, call.destRegion(), call.destOffset() + at, fromAddress + at, Math.min(PIECE, bytes - at));
        return true;
    }
}
