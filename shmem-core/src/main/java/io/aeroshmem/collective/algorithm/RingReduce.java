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
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.mapped.Memory;

/**
 * A reduction round a ring, for operations whose operands may be taken in any order. The elements are cut into a slice
 * for each member ({@link Slices}). First, each slice goes once round from the right neighbour of the member where it
 * ends up, and every member adds its own to it; then the results go round once more. So each member talks to two
 * others, whatever the size of the team.
 * <p>
 * <b>Who touches what when.</b> A member's left neighbour alone writes its memory, after the member has told it that it
 * entered. Partial results come in pieces of {@value #PARTIAL} bytes into {@value #LANDINGS} places of the member's
 * landing place in turn; the left neighbour fills one again when the member has told it that it has combined what was
 * there, with its own source into its own dest, from where that goes on to the right. Results come straight into dest.
 * A result of a slice exists only after every member has added its own, so a member has read that slice of its source,
 * and passed on what it had in that slice of its dest, before the result comes: dest may be the source. A piece is
 * counted as arrived after it, by a release store or by a message that follows it; pieces come in the order in which
 * they go on, so the count alone tells what may go. A member returns when all results have arrived, every put to the
 * right has taken its piece, and the right neighbour has told that all landing places are free: then nothing is under
 * way to its dest or to its area, and nobody else has read its source or dest.
 */
public final class RingReduce extends CollectiveMachine
{
    /**
     * Landing places for partial results that are on their way or wait to be combined.
     */
    private static final int LANDINGS = 4;

    private static final int PARTIAL = TeamAreaDescriptor.SCRATCH_LENGTH / LANDINGS;

    private final Lanes lanes;
    private final int size;
    private final int myRank;
    private final int left;
    private final int right;
    private final long landings;

    private CollectiveCall call;
    private long bytes;
    private boolean isEntered;
    private long arriving;
    private long partials;
    private long combined;
    private int combineStep;
    private long combinedBytes;
    private long passed;
    private long landed;
    private int sendStep;
    private long sentBytes;

    /**
     * Construct the machine of a team.
     *
     * @param resources of the team.
     */
    public RingReduce(final TeamResources resources)
    {
        lanes = resources.lanes();
        size = lanes.size();
        myRank = lanes.myRank();
        left = (myRank + size - 1) % size;
        right = (myRank + 1) % size;
        landings = resources.endpoint().localAddress(Region.SYSTEM) + lanes.scratchOffset(myRank);
    }

    @Override
    public void start(final CollectiveCall call)
    {
        this.call = call;
        bytes = call.blockBytes();
        isEntered = false;
        combined = 0;
        combineStep = 0;
        combinedBytes = 0;
        passed = 0;
        landed = 0;
        sendStep = 0;
        sentBytes = 0;
        partials = 0;
        arriving = 0;
        for (int slice = 0; slice < size; slice++)
        {
            final long length = length(slice);
            partials += slice == myRank ? 0 : (length + PARTIAL - 1) / PARTIAL;
            arriving += slice == right ? 0 : (length + PIECE - 1) / PIECE;
        }

        arriving += partials;
        if (size > 1)
        {
            lanes.expect(left, arriving);
            lanes.enter(left);
        }
    }

    @Override
    public int poll()
    {
        if (1 == size)
        {
            return copy() ? DONE : MOVED;
        }

        final long arrived = arriving - lanes.missing(left);
        if (combine(arrived) | send(arrived))
        {
            return MOVED;
        }

        return isSent() && arrived == arriving && 0 == lanes.landings(right) ? DONE : WAITING;
    }

    private boolean copy()
    {
        if (!call.isInPlace())
        {
            final long length = Math.min(PIECE, bytes - sentBytes);
            Memory.copy(null, call.sourceAddress() + sentBytes, null, call.destAddress() + sentBytes, length);
            sentBytes += length;
        }

        return call.isInPlace() || sentBytes == bytes;
    }

    /**
     * Combine the next partial result that has arrived with this PE's own.
     */
    private boolean combine(final long arrived)
    {
        if (combined == partials || combined == arrived)
        {
            return false;
        }

        int slice = wrapped(myRank - 1 - combineStep);
        while (combinedBytes == length(slice))
        {
            combineStep++;
            combinedBytes = 0;
            slice = wrapped(myRank - 1 - combineStep);
        }

        final long at = Slices.start(bytes, size, slice) + combinedBytes;
        final long length = Math.min(PARTIAL, length(slice) - combinedBytes);
        call.reduction().combine(
            null,
            call.destAddress() + at,
            null,
            landings + combined % LANDINGS * PARTIAL,
            null,
            call.sourceAddress() + at,
            length / call.elementBytes());
        combined++;
        combinedBytes += length;
        lanes.freeLanding(left);
        return true;
    }

    /**
     * Send the next piece, if it is here and there is room: in steps up to {@code size - 2} partial results, which
     * begin with this PE's source, and then results.
     */
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

        while (!isSent() && sentBytes == length(sendSlice()))
        {
            sendStep++;
            sentBytes = 0;
            passed = sendStep == size - 1 ? 0 : passed;
        }

        if (isSent())
        {
            return false;
        }

        return sendStep < size - 1 ? sendPartial() : sendResult(arrived - partials);
    }

    private boolean sendPartial()
    {
        if (0 != sendStep && passed == combined || LANDINGS == lanes.landings(right))
        {
            return false;
        }

        final int slice = sendSlice();
        final long at = Slices.start(bytes, size, slice) + sentBytes;
        final long length = Math.min(PARTIAL, length(slice) - sentBytes);
        final long from = (0 == sendStep ? call.sourceAddress() : call.destAddress()) + at;
        lanes.putLanding(right, landed % LANDINGS * PARTIAL, from, length);
        landed++;
        sentBytes += length;
        passed += 0 == sendStep ? 0 : 1;
        return true;
    }

    private boolean sendResult(final long arrivedResults)
    {
        final boolean isOwn = size - 1 == sendStep;
        if (isOwn ? combined < partials : passed >= arrivedResults)
        {
            return false;
        }

        final int slice = sendSlice();
        final long at = Slices.start(bytes, size, slice) + sentBytes;
        final long length = Math.min(PIECE, length(slice) - sentBytes);
        lanes.putPiece(right, call.destRegion(), call.destOffset() + at, call.destAddress() + at, length);
        sentBytes += length;
        passed += isOwn ? 0 : 1;
        return true;
    }

    private boolean isSent()
    {
        return 2 * (size - 1) == sendStep;
    }

    private int sendSlice()
    {
        return wrapped(sendStep < size - 1 ? myRank - sendStep : myRank + 1 - (sendStep - (size - 1)));
    }

    private int wrapped(final int rank)
    {
        return Math.floorMod(rank, size);
    }

    private long length(final int slice)
    {
        return Slices.start(bytes, size, slice + 1) - Slices.start(bytes, size, slice);
    }
}
