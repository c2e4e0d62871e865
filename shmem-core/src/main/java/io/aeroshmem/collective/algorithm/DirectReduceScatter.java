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
 * A reduction with scattered result. Member {@code i} reads block {@code i} of all sources ({@link SourceBlocks}), and
 * combines these blocks in the order of the {@link CanonicalTree}, in pieces that stay in the cache. Blocks may differ
 * in length.
 */
public final class DirectReduceScatter extends DirectCombination
{
    /*
     * Order of accesses. A member enters the barrier at the start when it makes the call, and the barrier at the end
     * when it has read all it needs. No member reads another's source before the first barrier has ended, and none
     * returns before the second has ended. No member writes another's memory.
     *
     * In place. The dest of an in-place request is the member's own block of its source. No other member reads that
     * block. The dest of an in-place blocking call is block 0 of the member's source. Member 0 reads that block. So
     * each other member keeps a part of its result in private memory until member 0 has read the bytes that the part
     * replaces. Each time member 0 has read PIECE more bytes of block 0 from all sources, it notifies the others by a
     * put of length 0 (PeerMailboxes.putPiece). They count these puts. Member 0 may overwrite block 0 of its own source
     * as it proceeds, because no other member reads that block. So member 0 does not wait for the others, and the call
     * terminates.
     */
    private long begin;
    private long pieces;
    private long notifiedPieces;
    private boolean isStaged;

    public DirectReduceScatter(final TeamResources resources)
    {
        super(resources);
    }

    @Override
    public void start(final CallArguments call)
    {
        super.start(call);
        isStaged = false;
        final long blockBytes = call.sourceByteCount(myRank);
        begin = call.sourceByteDisplacement(myRank);
        pieces = call.isInPlace() ? (blockBytes + PIECE - 1) / PIECE : 0;
        notifiedPieces = 0;
        if (0 != myRank)
        {
            mailboxes.expect(0, pieces);
        }

        blocks.start(call, size, begin, begin + blockBytes, call.isInPlace() ? PIECE : 0);
    }

    @Override
    boolean tryCombine()
    {
        if (call.isInPlace() && 0 != myRank)
        {
            return tryCombineInPlace();
        }

        final boolean isCombined = super.tryCombine();
        if (isCombined)
        {
            notifyPieces();
        }

        return isCombined;
    }

    @Override
    void combineBlock()
    {
        combine(size, dest());
    }

    private long dest()
    {
        return call.destAddress() + blocks.offset() - begin;
    }

    private boolean tryCombineInPlace()
    {
        if (!isStaged)
        {
            if (!blocks.isReady())
            {
                return false;
            }

            combine(size, blocks.staging());
            isStaged = true;
        }

        final long length = blocks.length();
        if (mailboxes.missing(0) > pieces - (blocks.offset() - begin + length + PIECE - 1) / PIECE)
        {
            return false;
        }

        MemoryOps.copy(null, blocks.staging(), null, dest(), length);
        isStaged = false;
        blocks.next();
        return true;
    }

    @Override
    int leave()
    {
        enterLastBarrier();
        return pollLastBarrier() ? DONE : WAITING;
    }

    private void notifyPieces()
    {
        while (notifiedPieces < pieces && (blocks.isAtEnd() || blocks.offset() >= (notifiedPieces + 1) * PIECE))
        {
            notifiedPieces++;
            for (int rank = 1; rank < size; rank++)
            {
                mailboxes.putPiece(rank, call.destRegion(), call.destOffset(), call.destAddress(), 0);
            }
        }
    }
}
