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
import io.aeroshmem.transport.mapped.Memory;

/**
 * A collection round a ring: every member puts its block into the dest of its right neighbour and passes on, piece by
 * piece, what arrives from the left in its own dest, all but the right neighbour's own block. So each member talks to
 * two others, whatever the size of the team. The blocks may differ in length, and this PE's own may lie in its place
 * already.
 * <p>
 * <b>Who touches what when.</b> A member's left neighbour alone writes its dest, after the member has told it that it
 * entered. A piece is counted as arrived after it, by a release store or by a message that follows it. The left
 * neighbour puts the blocks in the order in which this member passes them on, so the count alone tells what may go. A
 * member returns when all has arrived and every put to the right has taken its piece: then nothing is under way to its
 * dest, and nobody else has read it or its source. Its left neighbour's next call waits until it enters that.
 */
public final class RingCollect extends CollectiveMachine
{
    private final Lanes lanes;
    private final int size;
    private final int myRank;
    private final int left;
    private final int right;

    private CollectiveCall call;
    private boolean isEntered;
    private long copiedBytes;
    private long arriving;
    private long passedPieces;
    private int step;
    private long sentBytes;

    /**
     * Construct the machine of a team.
     *
     * @param resources of the team.
     */
    public RingCollect(final TeamResources resources)
    {
        lanes = resources.lanes();
        size = lanes.size();
        myRank = lanes.myRank();
        left = (myRank + size - 1) % size;
        right = (myRank + 1) % size;
    }

    @Override
    public void start(final CollectiveCall call)
    {
        this.call = call;
        isEntered = false;
        passedPieces = 0;
        step = 0;
        sentBytes = 0;
        final boolean isInPlace = call.sourceAddress() == call.destAddress() + call.byteDisplacement(myRank);
        copiedBytes = isInPlace ? call.byteCount(myRank) : 0;
        arriving = 0;
        if (size > 1)
        {
            for (int rank = 0; rank < size; rank++)
            {
                arriving += rank == myRank ? 0 : (call.byteCount(rank) + PIECE - 1) / PIECE;
            }

            lanes.expect(left, arriving);
            lanes.enter(left);
        }
    }

    @Override
    public int poll()
    {
        boolean isMoved = false;
        if (copiedBytes < call.byteCount(myRank))
        {
            final long length = Math.min(PIECE, call.byteCount(myRank) - copiedBytes);
            final long to = call.destAddress() + call.byteDisplacement(myRank) + copiedBytes;
            Memory.copy(null, call.sourceAddress() + copiedBytes, null, to, length);
            copiedBytes += length;
            isMoved = true;
        }

        if (1 == size)
        {
            return copiedBytes == call.byteCount(myRank) ? DONE : MOVED;
        }

        final long missing = lanes.missing(left);
        isMoved |= send(arriving - missing);
        if (isMoved)
        {
            return MOVED;
        }

        return size - 1 == step && 0 == missing ? DONE : WAITING;
    }

    private boolean send(final long arrived)
    {
        if (!isEntered)
        {
            isEntered = lanes.hasEntered(right);
            if (!isEntered)
            {
                return false;
            }
        }

        while (step < size - 1 && sentBytes == call.byteCount(block()))
        {
            step++;
            sentBytes = 0;
        }

        if (step == size - 1 || 0 != step && passedPieces == arrived)
        {
            return false;
        }

        final int block = block();
        final long at = call.byteDisplacement(block) + sentBytes;
        final long from = 0 == step ? call.sourceAddress() + sentBytes : call.destAddress() + at;
        final long length = Math.min(PIECE, call.byteCount(block) - sentBytes);
        lanes.putPiece(right, call.destRegion(), call.destOffset() + at, from, length);
        passedPieces += 0 == step ? 0 : 1;
        sentBytes += length;
        return true;
    }

    /**
     * The rank whose block goes to the right in this step.
     */
    private int block()
    {
        return (myRank - step + size) % size;
    }
}
