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
import io.aeroshmem.collective.TeamResources;
import io.aeroshmem.sync.Barrier;
import io.aeroshmem.transport.mapped.Memory;

/**
 * The common part of collectives in which every member puts a block into the dest of each member, piece by piece, in
 * the order of ranks from its own on: so that at any time the members put to different ones.
 * <p>
 * <b>Who touches what when.</b> Nobody writes another's dest before the barrier at the start, which a member enters
 * when it makes the call. Each piece has one writer, which counts it as arrived after it, by a release store or by a
 * message that follows the piece; a member returns when all pieces of all others have arrived, so nothing is under way
 * to its dest then. Nobody reads another's source, and a put has taken its piece when it returns, so a member may
 * reuse its source when it has put its last piece. A member that has gone ahead to its next call touches no memory of a
 * slower one, which still has to enter that call.
 */
abstract class PairwiseExchange extends CollectiveMachine
{
    private final Lanes lanes;
    private final Barrier barrier;
    private final int size;
    private final int myRank;

    private CollectiveCall call;
    private boolean isEntered;
    private int sendIndex;
    private long sentPieces;
    private int arrivedIndex;

    PairwiseExchange(final TeamResources resources)
    {
        lanes = resources.lanes();
        barrier = resources.barrier();
        size = lanes.size();
        myRank = lanes.myRank();
    }

    @Override
    public final void start(final CollectiveCall call)
    {
        barrier.start();
        this.call = call;
        isEntered = false;
        sendIndex = 0;
        sentPieces = 0;
        arrivedIndex = 0;
        begin();
        for (int rank = 0; rank < size; rank++)
        {
            if (rank != myRank)
            {
                lanes.expect(rank, pieces(rank, myRank));
            }
        }
    }

    @Override
    public final int poll()
    {
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

        while (arrivedIndex < size && (arrivedIndex == myRank || lanes.missing(arrivedIndex) <= 0))
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

    final Lanes lanes()
    {
        return lanes;
    }

    final int myRank()
    {
        return myRank;
    }

    final CollectiveCall call()
    {
        return call;
    }

    /**
     * Put a part of contiguous memory into a member's dest.
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
            Memory.copy(null, address + at, null, call.destAddress() + destination + at, length);
        }
        else
        {
            lanes.putPiece(rank, call.destRegion(), call.destOffset() + destination + at, address + at, length);
        }
    }

    static long piecesOf(final long bytes)
    {
        return (bytes + PIECE - 1) / PIECE;
    }

    /**
     * Begin a call.
     */
    void begin()
    {
    }

    /**
     * In how many pieces does a member put its block for another one, or for itself?
     *
     * @param from rank of the one that puts.
     * @param to   rank of the one it puts to.
     * @return 0 or more, the same on both members.
     */
    abstract long pieces(int from, int to);

    /**
     * Put a piece of this PE's block into a member's dest and count it there.
     *
     * @param rank  of the member, not this one.
     * @param piece from 0.
     */
    abstract void putPiece(int rank, long piece);

    /**
     * Put a piece of this PE's block into its own dest.
     *
     * @param piece from 0.
     */
    abstract void copyPiece(long piece);
}
