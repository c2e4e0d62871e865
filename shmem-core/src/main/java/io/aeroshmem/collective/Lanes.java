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
package io.aeroshmem.collective;

import io.aeroshmem.sync.Stamp;
import io.aeroshmem.transport.Endpoint;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.SignalOperation;
import io.aeroshmem.transport.Transport;
import io.aeroshmem.transport.mapped.Memory;
import org.agrona.UnsafeApi;

import java.util.function.IntPredicate;

/**
 * What the members of a team tell each other during its collectives, by way of their areas ({@link
 * TeamAreaDescriptor}): small blocks in cells, pieces put in place, and leave to touch each other's memory. Nothing
 * here waits.
 * <p>
 * <b>Steps.</b> A collective is one step or several; all members take the same steps in the same order, and count
 * them. Steps and cells are counted in {@link Stamp}s, which carry the signature of the call too: what comes from a
 * member that made another call is never taken for what is awaited.
 * <p>
 * <b>Close.</b> A member that closes the team announces it to all others, as the last thing that it writes into their
 * areas; messages and stores to one member arrive in order. So when all others have announced it, nothing is under way
 * to a member's area, whatever calls were made and not made, and it can serve another team ({@link #areAllClosed}).
 * <p>
 * <b>Ordering.</b> Every counter and stamp has one writer, only grows, is stored with release (a message has that
 * effect at its target) and read with acquire; so what was written before, payload and pieces too, is seen by whoever
 * sees it. A cell is written again only when its reader is known to have taken its former contents: either it said so
 * ({@code CONSUMED}), or it was heard from in a later step than the one that the contents belong to, which it can only
 * have begun after the end of that step. In both cases its reads happen before the new stores: it read, then stored
 * with release what the writer has loaded with acquire.
 * <p>
 * One thread of the PE at a time makes the team's collective calls, so the fields are plain.
 */
public final class Lanes
{
    /**
     * Stands for no rank.
     */
    static final int NOBODY = -1;

    private final Endpoint endpoint;
    private final int size;
    private final int myRank;
    private final int[] worldPes;
    private final Transport[] transports;
    private final long[] areas;
    private final long scratchOffset;

    /** Where the lane of a member begins in this PE's area; an address. */
    private final long[] ownLanes;
    /** Where this PE's lane begins in the area of a member: an address, or 0 where that is not mapped. */
    private final long[] peerLanes;
    /** The same as an offset in the member's system region. */
    private final long[] peerLaneOffsets;

    private final long[] sent;
    private final long[] sentBeforeStep;
    private final long[] lastSendStep;
    private final long[] knownTaken;
    private final long[] taken;
    private final long[] delivered;
    private final long[] expected;
    private final long[] landed;
    private final long[] freed;
    private long step;
    private long signature;

    /** Set while a poll is to find out whom it waits for. */
    private boolean isWatching;
    private IntPredicate goneRanks;
    private int missingRank;
    private int goneRank;
    private int mismatchRank;
    private long mismatch;

    /**
     * Construct the lanes of one member.
     *
     * @param endpoint   of this PE.
     * @param worldPes   the members, by rank.
     * @param myRank     rank of this PE.
     * @param areas      where the area of each member begins in its system region, by rank.
     * @param descriptor layout of the areas.
     */
    public Lanes(
        final Endpoint endpoint,
        final int[] worldPes,
        final int myRank,
        final long[] areas,
        final TeamAreaDescriptor descriptor)
    {
        this.endpoint = endpoint;
        this.worldPes = worldPes;
        this.myRank = myRank;
        this.areas = areas;
        size = worldPes.length;
        scratchOffset = descriptor.scratchOffset();
        transports = new Transport[size];
        ownLanes = new long[size];
        peerLanes = new long[size];
        peerLaneOffsets = new long[size];
        sent = new long[size];
        sentBeforeStep = new long[size];
        lastSendStep = new long[size];
        knownTaken = new long[size];
        taken = new long[size];
        delivered = new long[size];
        expected = new long[size];
        landed = new long[size];
        freed = new long[size];

        final long ownArea = endpoint.localAddress(Region.SYSTEM) + areas[myRank];
        for (int rank = 0; rank < size; rank++)
        {
            final int pe = worldPes[rank];
            transports[rank] = endpoint.transport(pe);
            ownLanes[rank] = ownArea + descriptor.laneOffset(rank);
            peerLaneOffsets[rank] = areas[rank] + descriptor.laneOffset(myRank);
            peerLanes[rank] = transports[rank].isMessaging() ? 0 :
                endpoint.mappedAddress(Region.SYSTEM, pe) + peerLaneOffsets[rank];
        }
    }

    /**
     * Number of members.
     *
     * @return number of members.
     */
    public int size()
    {
        return size;
    }

    /**
     * Rank of this PE.
     *
     * @return from 0 to {@link #size()} - 1.
     */
    public int myRank()
    {
        return myRank;
    }

    /**
     * A member as a PE of the world.
     *
     * @param rank of the member.
     * @return its number in the world.
     */
    public int worldPe(final int rank)
    {
        return worldPes[rank];
    }

    /**
     * A PE of the world as a member.
     *
     * @param pe of the world.
     * @return its rank, or {@link #NOBODY}.
     */
    int rank(final int pe)
    {
        for (int rank = 0; rank < size; rank++)
        {
            if (pe == worldPes[rank])
            {
                return rank;
            }
        }

        return NOBODY;
    }

    /**
     * How operations reach a member.
     *
     * @param rank of the member.
     * @return the transport.
     */
    public Transport transport(final int rank)
    {
        return transports[rank];
    }

    /**
     * Can this PE load from and store to the memory of a member?
     *
     * @param rank of the member.
     * @return true if it can; {@link #address} then tells where.
     */
    public boolean isMapped(final int rank)
    {
        return 0 != peerLanes[rank];
    }

    /**
     * Address in this process of a mapped member's memory.
     *
     * @param rank   of the member.
     * @param region of the address.
     * @param offset of the address.
     * @return the address; meaningless if the member is not mapped.
     */
    public long address(final int rank, final int region, final long offset)
    {
        return endpoint.mappedAddress(region, worldPes[rank]) + offset;
    }

    /**
     * Where the landing place of a member begins.
     *
     * @param rank of the member.
     * @return offset in its system region.
     */
    public long scratchOffset(final int rank)
    {
        return areas[rank] + scratchOffset;
    }

    /**
     * Begin a call. All members do.
     *
     * @param signature of the call, see {@link CallSignature}.
     */
    void beginCall(final long signature)
    {
        this.signature = signature;
    }

    /**
     * Begin the next step. All members do.
     */
    public void beginStep()
    {
        step++;
    }

    /**
     * Send a block in a cell.
     *
     * @param rank           of the receiver, another member.
     * @param base           object that holds the block, or null.
     * @param address        of the block.
     * @param length         in bytes, 0 to {@link TeamAreaDescriptor#CELL_PAYLOAD}.
     * @param isAcknowledged whether the receiver tells when it has taken the cell, or the next one: where nothing else
     *                       comes from it in the next steps. Where it is false, one cell may be sent in a step, and
     *                       the receiver must be heard of in it ({@link #heard}).
     * @return false if the lane is full: the receiver has not taken the cell that this one would replace, as far as is
     *     known.
     */
    public boolean trySend(
        final int rank, final Object base, final long address, final int length, final boolean isAcknowledged)
    {
        final long number = sent[rank] + 1;
        if (number - knownTaken[rank] > TeamAreaDescriptor.CELLS && !isTaken(rank, number))
        {
            return false;
        }

        if (lastSendStep[rank] != step)
        {
            lastSendStep[rank] = step;
            sentBeforeStep[rank] = number - 1;
        }

        sent[rank] = number;
        final long cellOffset = TeamAreaDescriptor.cellOffset(number);
        final long lane = peerLanes[rank];
        if (0 != lane)
        {
            final long cell = lane + cellOffset;
            if (Long.BYTES == length)
            {
                UnsafeApi.putLong(null, cell + TeamAreaDescriptor.PAYLOAD, UnsafeApi.getLong(base, address));
            }
            else
            {
                UnsafeApi.copyMemory(base, address, null, cell + TeamAreaDescriptor.PAYLOAD, length);
            }
            UnsafeApi.putLongRelease(null, cell, Stamp.of(number, signature));
        }
        else
        {
            final long offset = peerLaneOffsets[rank] + cellOffset;
            transports[rank].putSignal(
                worldPes[rank],
                Region.SYSTEM,
                offset + TeamAreaDescriptor.PAYLOAD,
                base,
                address,
                length,
                Region.SYSTEM,
                offset,
                Stamp.of(number, signature),
                SignalOperation.SET);
        }

        return true;
    }

    private boolean isTaken(final int rank, final long number)
    {
        final long consumed = UnsafeApi.getLongAcquire(null, ownLanes[rank] + TeamAreaDescriptor.CONSUMED);
        if (consumed > knownTaken[rank])
        {
            knownTaken[rank] = consumed;
        }

        final boolean isTaken = number - knownTaken[rank] <= TeamAreaDescriptor.CELLS;
        if (isWatching && !isTaken)
        {
            onMissing(rank, Stamp.NONE);
        }

        return isTaken;
    }

    /**
     * Is this one of the cells that are acknowledged, if the flow that it belongs to is? It is every second one, which
     * halves the messages and lets the sender go on while the reader takes the other half of the lane. Before such a
     * flow, at most one cell is not known to be taken and not to be acknowledged, and one more comes at its beginning;
     * so among those that fill a lane there is one that its reader will acknowledge.
     */
    private static boolean isTold(final long number)
    {
        return 0 == (number & 1);
    }

    /**
     * Look for the next cell of a member. It stays the next one until it is taken.
     *
     * @param rank of the sender, another member.
     * @return address of the payload, or 0 if the cell has not arrived.
     */
    public long tryReceive(final int rank)
    {
        final long number = taken[rank] + 1;
        final long cell = ownLanes[rank] + TeamAreaDescriptor.cellOffset(number);
        final long awaited = Stamp.of(number, signature);
        final long seen = UnsafeApi.getLongAcquire(null, cell);
        if (seen == awaited)
        {
            return cell + TeamAreaDescriptor.PAYLOAD;
        }

        if (isWatching)
        {
            onMissing(rank, Stamp.mismatch(seen, awaited));
        }

        return 0;
    }

    /**
     * Be done with the cell that has arrived.
     *
     * @param rank           of the sender.
     * @param isAcknowledged what the sender has asked for.
     */
    public void take(final int rank, final boolean isAcknowledged)
    {
        final long number = ++taken[rank];
        heard(rank);
        if (isAcknowledged && isTold(number))
        {
            tell(rank, TeamAreaDescriptor.CONSUMED, number);
        }
    }

    /**
     * Know that a member has begun this step, because of a cell of it, or of one of another member who had heard of it
     * in turn. It has left earlier steps, so it has taken the cells that belong to them.
     *
     * @param rank of the member.
     */
    public void heard(final int rank)
    {
        final long known = lastSendStep[rank] == step ? sentBeforeStep[rank] : sent[rank];
        if (known > knownTaken[rank])
        {
            knownTaken[rank] = known;
        }
    }

    /**
     * Let a member touch the memory of this PE that the call is about, until it leaves.
     *
     * @param rank of the member, which awaits it in this step.
     */
    public void enter(final int rank)
    {
        tell(rank, TeamAreaDescriptor.ENTERED, Stamp.of(step, signature));
    }

    /**
     * May this PE touch the memory of a member?
     *
     * @param rank of the member.
     * @return true if it has entered this step.
     */
    public boolean hasEntered(final int rank)
    {
        return hasReachedStep(rank, TeamAreaDescriptor.ENTERED);
    }

    /**
     * Be done with the memory of a member. What was put there by messages must be complete.
     *
     * @param rank of the member, which awaits it in this step.
     */
    public void leave(final int rank)
    {
        tell(rank, TeamAreaDescriptor.LEFT, Stamp.of(step, signature));
    }

    /**
     * Is a member done with the memory of this PE?
     *
     * @param rank of the member.
     * @return true if it has left this step.
     */
    public boolean hasLeft(final int rank)
    {
        return hasReachedStep(rank, TeamAreaDescriptor.LEFT);
    }

    private boolean hasReachedStep(final int rank, final int counter)
    {
        final long awaited = Stamp.of(step, signature);
        final long seen = UnsafeApi.getLongAcquire(null, ownLanes[rank] + counter);
        if (seen == awaited || Stamp.isPast(seen, step))
        {
            return true;
        }

        if (isWatching)
        {
            onMissing(rank, Stamp.mismatch(seen, awaited));
        }

        return false;
    }

    /**
     * Put a piece into a member's memory and count it there.
     *
     * @param rank    of the member, which has entered and awaits the piece in this step.
     * @param region  of the destination.
     * @param offset  of the destination.
     * @param address of the piece in this process.
     * @param length  in bytes; 0 counts alone.
     */
    public void putPiece(final int rank, final int region, final long offset, final long address, final long length)
    {
        final long number = ++delivered[rank];
        if (isMapped(rank))
        {
            Memory.copy(null, address, null, address(rank, region, offset), length);
            UnsafeApi.putLongRelease(null, peerLanes[rank] + TeamAreaDescriptor.ARRIVED, number);
        }
        else
        {
            transports[rank].putSignal(
                worldPes[rank],
                region,
                offset,
                null,
                address,
                length,
                Region.SYSTEM,
                peerLaneOffsets[rank] + TeamAreaDescriptor.ARRIVED,
                number,
                SignalOperation.SET);
        }
    }

    /**
     * Put a piece into a member's landing place and count it there, as {@link #putPiece} does.
     *
     * @param rank    of the member, which awaits the piece in this step and tells when it has done with it.
     * @param offset  in the landing place.
     * @param address of the piece in this process.
     * @param length  in bytes.
     */
    public void putLanding(final int rank, final long offset, final long address, final long length)
    {
        landed[rank]++;
        putPiece(rank, Region.SYSTEM, scratchOffset(rank) + offset, address, length);
    }

    /**
     * How many pieces in a member's landing place has it not told that it has done with?
     *
     * @param rank of the member.
     * @return 0 when it is free; awaited before the end of a step in which there were some.
     */
    public long landings(final int rank)
    {
        final long landings = landed[rank] -
            UnsafeApi.getLongAcquire(null, ownLanes[rank] + TeamAreaDescriptor.FREED);
        if (isWatching && 0 != landings)
        {
            onMissing(rank, Stamp.NONE);
        }

        return landings;
    }

    /**
     * Be done with the next piece of a member in this PE's landing place.
     *
     * @param rank of the member, which awaits it in this step.
     */
    public void freeLanding(final int rank)
    {
        tell(rank, TeamAreaDescriptor.FREED, ++freed[rank]);
    }

    /**
     * Await pieces of a member, besides those awaited before.
     *
     * @param rank   of the member.
     * @param pieces how many, 0 or more.
     */
    public void expect(final int rank, final long pieces)
    {
        expected[rank] += pieces;
    }

    /**
     * How many of the pieces that are awaited have not arrived.
     *
     * @param rank of the member.
     * @return 0 when all have.
     */
    public long missing(final int rank)
    {
        final long missing = expected[rank] -
            UnsafeApi.getLongAcquire(null, ownLanes[rank] + TeamAreaDescriptor.ARRIVED);
        if (isWatching && missing > 0)
        {
            onMissing(rank, Stamp.NONE);
        }

        return missing;
    }

    /**
     * Announce to all other members that this PE has closed the team. It writes nothing into their areas after this.
     */
    public void close()
    {
        for (int rank = 0; rank < size; rank++)
        {
            if (rank != myRank)
            {
                tell(rank, TeamAreaDescriptor.CLOSED, 1);
            }
        }
    }

    /**
     * Have all other members closed the team? Then nothing is under way to this PE's area.
     *
     * @return true if so.
     */
    public boolean areAllClosed()
    {
        for (int rank = 0; rank < size; rank++)
        {
            if (rank != myRank && !hasClosed(rank))
            {
                return false;
            }
        }

        return true;
    }

    /**
     * Has a member closed the team? What it sent before is here.
     *
     * @param rank of the member.
     * @return true if so.
     */
    boolean hasClosed(final int rank)
    {
        return 0 != UnsafeApi.getLongAcquire(null, ownLanes[rank] + TeamAreaDescriptor.CLOSED);
    }

    /**
     * From now on find out whom polls wait for, until {@link #stopWatching()}.
     *
     * @param goneRanks whether nothing comes any more from a member.
     */
    void watch(final IntPredicate goneRanks)
    {
        isWatching = true;
        this.goneRanks = goneRanks;
        missingRank = NOBODY;
        goneRank = NOBODY;
        mismatchRank = NOBODY;
    }

    void stopWatching()
    {
        isWatching = false;
    }

    /**
     * A poll has found that a member has not done what it waits for.
     */
    private void onMissing(final int rank, final long otherSignature)
    {
        missingRank = rank;
        if (Stamp.NONE != otherSignature)
        {
            mismatchRank = rank;
            mismatch = otherSignature;
        }

        if (goneRanks.test(rank))
        {
            goneRank = rank;
        }
    }

    /**
     * A member that the polls since {@link #watch} waited for.
     *
     * @return its rank, or {@link #NOBODY}.
     */
    int missingRank()
    {
        return missingRank;
    }

    /**
     * A member that the polls since {@link #watch} waited for and that was gone.
     *
     * @return its rank, or {@link #NOBODY}.
     */
    int goneRank()
    {
        return goneRank;
    }

    /**
     * A member that the polls since {@link #watch} waited for and that has made another call.
     *
     * @return its rank, or {@link #NOBODY}.
     */
    int mismatchRank()
    {
        return mismatchRank;
    }

    /**
     * The call of {@link #mismatchRank()}.
     *
     * @return its signature.
     */
    long mismatch()
    {
        return mismatch;
    }

    private void tell(final int rank, final int counter, final long value)
    {
        final long lane = peerLanes[rank];
        if (0 != lane)
        {
            UnsafeApi.putLongRelease(null, lane + counter, value);
        }
        else
        {
            transports[rank].signal(
                worldPes[rank], Region.SYSTEM, peerLaneOffsets[rank] + counter, value, SignalOperation.SET);
        }
    }
}
