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
import io.aeroshmem.collective.task.TeamResources;
import io.aeroshmem.sync.Barrier;
import io.aeroshmem.transport.mapped.MemoryOps;

/**
 * The base of {@link PairwiseAlltoall} and {@link PairwiseCollect}. Every member puts a block into the dest of each
 * member, piece by piece. A member begins with its own dest and continues in the order of ranks, so that different
 * members put to different receivers.
 */
abstract class PairwiseExchange extends MemberTask
{
    /*
     * Order of accesses. No member writes another's dest before the barrier at the start. A member enters that barrier
     * when it has made the call; in an alltoall in place, it first copies its source to private memory. Each piece has
     * one writer. After it has put a piece, the writer counts the piece as arrived, by a release store or by a message
     * that follows the piece. A member returns when the pieces of all others have arrived, so no traffic to its dest is
     * in flight when it returns.
     *
     * No member reads another's source, and a put has read its piece from the source when the put returns. So a member
     * may reuse its source when it has put its last piece. A faster member may already be in its next call. There, too,
     * it accesses the operands of another member only after that member has entered the call.
     */
    private final Barrier barrier;

    private CallArguments call;
    private boolean isPrepared;
    private boolean isEntered;
    private int sendIndex;
    private long sentPieces;
    private int arrivedIndex;

    PairwiseExchange(final TeamResources resources)
    {
        super(resources);
        barrier = resources.barrier();
    }

    @Override
    public final void start(final CallArguments call)
    {
        this.call = call;
        isPrepared = false;
        isEntered = false;
        sendIndex = 0;
        sentPieces = 0;
        arrivedIndex = 0;
        begin();
        prepareAndEnter();
        for (int rank = 0; rank < size; rank++)
        {
            if (rank != myRank)
            {
                mailboxes.expect(rank, pieces(rank, myRank));
            }
        }
    }

    private void prepareAndEnter()
    {
        isPrepared = prepare();
        if (isPrepared)
        {
            barrier.start();
        }
    }

    @Override
    public final int poll()
    {
        if (!isPrepared)
        {
            prepareAndEnter();
            return MOVED;
        }

        if (!isEntered)
        {
            isEntered = barrier.poll();
            if (!isEntered)
            {
                return WAITING;
            }
        }

        if (sendIndex < size)
        {
            send();
            return MOVED;
        }

        while (arrivedIndex < size && (arrivedIndex == myRank || mailboxes.missing(arrivedIndex) <= 0))
        {
            arrivedIndex++;
        }

        return arrivedIndex == size ? DONE : WAITING;
    }

    private void send()
    {
        final int rank = (myRank + sendIndex) % size;
        if (sentPieces < pieces(myRank, rank))
        {
            if (rank == myRank)
            {
                copyPiece(sentPieces);
            }
            else
            {
                putPiece(rank, sentPieces);
            }

            sentPieces++;
        }
        else
        {
            sendIndex++;
            sentPieces = 0;
        }
    }

    final PeerMailboxes mailboxes()
    {
        return mailboxes;
    }

    final int myRank()
    {
        return myRank;
    }

    final CallArguments call()
    {
        return call;
    }

    /**
     * Puts a part of contiguous memory into a member's dest.
     *
     * @param rank        of the member, which may be this one.
     * @param destination of the block, from the start of dest.
     * @param address     of the block.
     * @param bytes       length of the block.
     * @param piece       number of the piece.
     */
    final void put(final int rank, final long destination, final long address, final long bytes, final long piece)
    {
        final long at = piece * PIECE;
        final long length = Math.min(PIECE, bytes - at);
        if (rank == myRank)
        {
            MemoryOps.copy(null, address + at, null, call.destAddress() + destination + at, length);
        }
        else
        {
            mailboxes.putPiece(rank, call.destRegion(), call.destOffset() + destination + at, address + at, length);
        }
    }

    static long piecesOf(final long bytes)
    {
        return (bytes + PIECE - 1) / PIECE;
    }

    /** Begins a call. */
    void begin()
    {
    }

    /** Does a bounded part of what precedes the barrier at the start; returns whether it is done. */
    boolean prepare()
    {
        return true;
    }

    /**
     * Returns the number of pieces in which a member puts its block for another one or for itself, the same on both.
     */
    abstract long pieces(int from, int to);

    /** Puts a piece of this PE's block into another member's dest and counts it there. */
    abstract void putPiece(int rank, long piece);

    /** Puts a piece of this PE's block into its own dest. */
    abstract void copyPiece(long piece);
}
