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
package io.aeroshmem.collective.task;

import io.aeroshmem.sync.Stamp;
import io.aeroshmem.transport.Pending;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.SignalOperation;
import io.aeroshmem.transport.Transport;
import io.aeroshmem.transport.device.DeviceMemory;
import io.aeroshmem.transport.endpoint.Endpoint;
import io.aeroshmem.transport.mapped.MemoryOps;
import org.agrona.UnsafeApi;

import java.util.function.IntPredicate;

/**
 * The signals that the members of a team exchange during its collectives. In its area ({@link TeamAreaDescriptor}) each
 * member, the reader, has a mailbox for each other member, the writer. Only the writer stores to the mailbox. A signal
 * is one of these:
 * <ul>
 * <li>a small block, in one of the few slots of the mailbox;</li>
 * <li>the number of slots that the writer has received from the reader and consumed;</li>
 * <li>the number of pieces (parts of a longer block) that the writer has put directly into the reader's operand;</li>
 * <li>a grant of access to the writer's memory, or the release of the access that the reader has granted;</li>
 * <li>the announcement of a call, or of the close of the team.</li>
 * </ul>
 * No method waits for a signal.
 */
public final class PeerMailboxes
{
    /** No rank. */
    public static final int NO_RANK = -1;

    /** History that cannot be compared: a call has not ended in order, and other members may have ended it. */
    public static final long UNKNOWN_HISTORY = -1;

    /**
     * Additional loads of a stamp that has not arrived: far cheaper than another poll of the task. Zero where messages
     * have to be driven.
     */
    private static final int REPEATS = 8;

    /** Steps after which the words that hold numbers of steps and calls are written again. */
    private static final long REFRESH_STEPS = 1L << 30;

    /*
     * Steps. A collective has one or more steps. All members take the same steps in the same order, and count them.
     * Stamps hold the numbers of steps and slots, and the signature of the call. So a signal of a member that made
     * another call is never taken for the awaited one. Numbers wrap, so a word that has not been written for more than
     * 2^31 steps would appear to hold a later number. To prevent this, each member rewrites the words that hold the
     * numbers of steps and calls, once in 2^30 steps.
     *
     * Close. A member that closes the team announces the close to all other members, by its last write into their
     * areas. Messages and stores to one member arrive in order. Once a member has received the announcements of all
     * others, no traffic to its area is in flight. Then the area can serve another team (areAllClosed).
     *
     * Ordering. Every counter and stamp of a mailbox has one writer, and only grows, apart from wrapping. The writer
     * stores the value with release, or sends it in a message. The message has the effect of a release store on the PE
     * that receives it. The reader loads the value with acquire. So a reader that sees a value also sees all earlier
     * writes of the writer, payload and pieces included.
     *
     * A writer overwrites a slot only when it knows that the reader has consumed the previous contents. One of two
     * signals shows this. The first is the reader's acknowledgement (CONSUMED). The second is the arrival, at the
     * writer, of a slot of a later step. That slot was sent by the reader, or by a member that could send it only after
     * the reader had begun the later step. The second signal suffices only in algorithms whose members begin a step
     * after they have consumed the slots of the step before. In both cases, the reader's loads precede a release store
     * of the reader. The writer has seen that store by acquire loads, directly or through signals of other members. So
     * the loads of the old contents happen before the stores of the new contents.
     *
     * One thread at a time uses an instance, so its fields are plain. This thread makes the team's blocking calls, or
     * holds the lock of the team's RequestQueue.
     */
    private final Endpoint endpoint;
    private final int size;
    private final int myRank;
    private final int[] worldPes;
    private final Transport[] transports;
    private final int repeats;

    /** Address of the mailbox of each member in this PE's area. */
    private final long[] ownMailboxes;
    /** Address of this PE's mailbox in the area of each member, or 0 where that is not mapped. */
    private final long[] peerMailboxes;
    /** Offset of this PE's mailbox in each member's system region. */
    private final long[] peerMailboxOffsets;

    private final long[] sent;
    private final long[] sentBeforeStep;
    private final long[] lastSendStep;
    private final long[] knownConsumed;
    private final long[] consumed;
    private final long[] delivered;
    private final long[] expected;
    private long step;
    private long refreshStep = REFRESH_STEPS;
    private long calls;
    private long signature;

    /** Set while a poll records the members that it waits for. */
    private boolean isWatching;
    private IntPredicate goneRanks;
    private int missingRank;
    private int goneRank;
    private int mismatchRank;
    private long mismatch;

    public PeerMailboxes(
        final Endpoint endpoint,
        final int[] worldPes,
        final int myRank,
        final long[] areas,
        final TeamAreaDescriptor descriptor)
    {
        this.endpoint = endpoint;
        this.worldPes = worldPes;
        this.myRank = myRank;
        size = worldPes.length;
        repeats = endpoint.isMessaging() ? 0 : REPEATS;
        transports = new Transport[size];
        ownMailboxes = new long[size];
        peerMailboxes = new long[size];
        peerMailboxOffsets = new long[size];
        sent = new long[size];
        sentBeforeStep = new long[size];
        lastSendStep = new long[size];
        knownConsumed = new long[size];
        consumed = new long[size];
        delivered = new long[size];
        expected = new long[size];

        final long ownArea = endpoint.localAddress(Region.SYSTEM) + areas[myRank];
        for (int rank = 0; rank < size; rank++)
        {
            final int pe = worldPes[rank];
            transports[rank] = endpoint.transport(pe);
            ownMailboxes[rank] = ownArea + descriptor.mailboxOffset(rank);
            peerMailboxOffsets[rank] = areas[rank] + descriptor.mailboxOffset(myRank);
            peerMailboxes[rank] = transports[rank].isMessaging() ? 0 :
                endpoint.mappedAddress(Region.SYSTEM, pe) + peerMailboxOffsets[rank];
        }
    }

    public int size()
    {
        return size;
    }

    public int myRank()
    {
        return myRank;
    }

    /** Returns the PE of the world that a member is. */
    public int worldPe(final int rank)
    {
        return worldPes[rank];
    }

    /** Returns the PEs of the members in the world, by rank; not to be changed. */
    public int[] worldPes()
    {
        return worldPes;
    }

    /** Returns the rank of a PE of the world, or {@link #NO_RANK}. */
    public int rank(final int pe)
    {
        for (int rank = 0; rank < size; rank++)
        {
            if (pe == worldPes[rank])
            {
                return rank;
            }
        }

        return NO_RANK;
    }

    public Transport transport(final int rank)
    {
        return transports[rank];
    }

    /** Returns whether this PE can load from and store to the memory of a member, at {@link #address}. */
    public boolean isMapped(final int rank)
    {
        return 0 != peerMailboxes[rank];
    }

    /** Returns the address in this process of a mapped member's memory. */
    public long address(final int rank, final int region, final long offset)
    {
        return endpoint.mappedAddress(region, worldPes[rank]) + offset;
    }

    /** Returns the number of the current step, the same on all members. */
    long step()
    {
        return step;
    }

    /** Returns whether the device heap of a member has an address in this process. */
    public boolean hasDeviceAddress(final int rank)
    {
        return 0 != endpoint.deviceAddress(worldPes[rank]);
    }

    /** Returns the address in this process of memory in a member's device heap, which has one. */
    public long deviceAddress(final int rank, final long offset)
    {
        return endpoint.deviceAddress(worldPes[rank]) + offset;
    }

    /**
     * Begins a call, as all members do.
     *
     * @param signature of the call, see {@link CallSignature}.
     */
    public void beginCall(final long signature)
    {
        if (step >= refreshStep)
        {
            refresh();
        }

        calls++;
        this.signature = signature;
    }

    /**
     * Writes the numbers of the last step and call, which this member has finished, to the words that others compare
     * with their own numbers. Whatever they await in that step or an earlier one has been signalled before.
     */
    private void refresh()
    {
        refreshStep = step + REFRESH_STEPS;
        final long stamp = Stamp.of(step, signature);
        signalAll(TeamAreaDescriptor.GRANTED, stamp);
        signalAll(TeamAreaDescriptor.RELEASED, stamp);
        announceCall();
    }

    /** Begins the next step, as all members do. */
    public void beginStep()
    {
        step++;
    }

    /**
     * Sends a block in a slot.
     *
     * @param rank           of the receiver, another member.
     * @param base           object that holds the block, or null.
     * @param address        of the block.
     * @param length         in bytes, 0 to {@link TeamAreaDescriptor#SLOT_PAYLOAD}.
     * @param isAcknowledged whether the receiver acknowledges this slot or the next one, for use where it sends nothing
     *                       else in the next steps. Otherwise one slot may be sent in a step, and activity of the
     *                       receiver must be seen in that step ({@link #onActivity}).
     * @return false if the mailbox is full: the slot to be overwritten is not known to be consumed.
     */
    public boolean trySend(
        final int rank, final Object base, final long address, final int length, final boolean isAcknowledged)
    {
        final long number = sent[rank] + 1;
        if (number - knownConsumed[rank] > TeamAreaDescriptor.SLOTS && !isConsumed(rank, number))
        {
            return false;
        }

        if (lastSendStep[rank] != step)
        {
            lastSendStep[rank] = step;
            sentBeforeStep[rank] = number - 1;
        }

        sent[rank] = number;
        final long slotOffset = TeamAreaDescriptor.slotOffset(number);
        final long mailbox = peerMailboxes[rank];
        if (0 != mailbox)
        {
            final long slot = mailbox + slotOffset;
            if (Long.BYTES == length)
            {
                UnsafeApi.putLong(null, slot + TeamAreaDescriptor.PAYLOAD, UnsafeApi.getLong(base, address));
            }
            else
            {
                UnsafeApi.copyMemory(base, address, null, slot + TeamAreaDescriptor.PAYLOAD, length);
            }

            UnsafeApi.putLongRelease(null, slot, Stamp.of(number, signature));
        }
        else
        {
            final long offset = peerMailboxOffsets[rank] + slotOffset;
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

    private boolean isConsumed(final int rank, final long number)
    {
        final long consumed = UnsafeApi.getLongAcquire(null, ownMailboxes[rank] + TeamAreaDescriptor.CONSUMED);
        if (consumed > knownConsumed[rank])
        {
            knownConsumed[rank] = consumed;
        }

        final boolean isConsumed = number - knownConsumed[rank] <= TeamAreaDescriptor.SLOTS;
        if (isWatching && !isConsumed)
        {
            onMissing(rank, Stamp.NONE);
        }

        return isConsumed;
    }

    /**
     * Returns whether a slot of an acknowledged flow is acknowledged itself. Every second one is, which halves the
     * messages and lets the sender proceed while the reader consumes the other half of the mailbox. Before such a flow
     * at most one slot is neither known to be consumed nor to be acknowledged, and one more precedes the first
     * acknowledged one; so among the slots that fill a mailbox there is one that its reader acknowledges.
     */
    private static boolean isAcknowledgementDue(final long number)
    {
        return 0 == (number & 1);
    }

    /**
     * Polls for the next slot of a member, which remains the next one until it is consumed.
     *
     * @return address of the payload, or 0 if the slot has not arrived.
     */
    public long tryReceive(final int rank)
    {
        final long number = consumed[rank] + 1;
        final long slot = ownMailboxes[rank] + TeamAreaDescriptor.slotOffset(number);
        final long awaited = Stamp.of(number, signature);
        long seen = UnsafeApi.getLongAcquire(null, slot);
        for (int i = repeats; i > 0 && seen != awaited; i--)
        {
            seen = UnsafeApi.getLongAcquire(null, slot);
        }

        if (seen == awaited)
        {
            return slot + TeamAreaDescriptor.PAYLOAD;
        }

        if (isWatching)
        {
            onMissing(rank, Stamp.mismatch(seen, awaited));
        }

        return 0;
    }

    /**
     * Consumes the slot that has arrived.
     *
     * @param isAcknowledged as specified by the sender.
     */
    public void consume(final int rank, final boolean isAcknowledged)
    {
        final long number = ++consumed[rank];
        onActivity(rank);
        if (isAcknowledged && isAcknowledgementDue(number))
        {
            signal(rank, TeamAreaDescriptor.CONSUMED, number);
        }
    }

    /**
     * Notes that a member has begun this step, as shown by a slot of the step from it, or from another member that
     * depends on it. It has ended earlier steps, so it has consumed their slots.
     */
    public void onActivity(final int rank)
    {
        final long known = lastSendStep[rank] == step ? sentBeforeStep[rank] : sent[rank];
        if (known > knownConsumed[rank])
        {
            knownConsumed[rank] = known;
        }
    }

    /**
     * Grants a member access to the memory of this PE that the call concerns, until the member releases it. The member
     * waits for the grant in this step.
     */
    public void grantAccess(final int rank)
    {
        signal(rank, TeamAreaDescriptor.GRANTED, Stamp.of(step, signature));
    }

    /** Returns whether a member has granted this PE access to its memory in this step. */
    public boolean hasGrantedAccess(final int rank)
    {
        return hasReachedStep(rank, TeamAreaDescriptor.GRANTED);
    }

    /**
     * Releases access to the memory of a member, which waits for it in this step. Messages to that memory must be
     * complete.
     */
    public void releaseAccess(final int rank)
    {
        signal(rank, TeamAreaDescriptor.RELEASED, Stamp.of(step, signature));
    }

    /** Returns whether a member has released access to the memory of this PE in this step. */
    public boolean hasReleasedAccess(final int rank)
    {
        return hasReachedStep(rank, TeamAreaDescriptor.RELEASED);
    }

    private boolean hasReachedStep(final int rank, final int counter)
    {
        final long awaited = Stamp.of(step, signature);
        final long seen = UnsafeApi.getLongAcquire(null, ownMailboxes[rank] + counter);
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
     * Puts a piece into a member's memory and counts it there.
     *
     * @param rank   of the member, which has granted access and expects the piece in this step.
     * @param length in bytes; 0 only counts.
     */
    public void putPiece(final int rank, final int region, final long offset, final long address, final long length)
    {
        final long number = ++delivered[rank];
        if (isMapped(rank))
        {
            MemoryOps.copy(null, address, null, address(rank, region, offset), length);
            UnsafeApi.putLongRelease(null, peerMailboxes[rank] + TeamAreaDescriptor.ARRIVED, number);
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
                peerMailboxOffsets[rank] + TeamAreaDescriptor.ARRIVED,
                number,
                SignalOperation.SET);
        }
    }

    /**
     * Puts a piece as {@link #putPiece} does, where either side may be device memory. A put into a device heap that
     * only its owner reaches waits for the owner, which serves it whatever it does itself.
     */
    public void putPieceToAny(
        final int rank, final int region, final long offset, final long address, final long length)
    {
        endpoint.transport(worldPes[rank]).putSignal(
            worldPes[rank],
            region,
            offset,
            null,
            address,
            length,
            Region.SYSTEM,
            peerMailboxOffsets[rank] + TeamAreaDescriptor.ARRIVED,
            ++delivered[rank],
            SignalOperation.SET);
    }

    /**
     * Puts a piece into a member's memory, which later signals to that member follow in order. Either side may be
     * device memory.
     *
     * @param rank   of the member, which has granted access.
     * @param length in bytes, greater than 0.
     */
    public void put(final int rank, final int region, final long offset, final long address, final long length)
    {
        if (null != endpoint.device())
        {
            endpoint.transport(worldPes[rank]).put(worldPes[rank], region, offset, null, address, length);
        }
        else if (isMapped(rank))
        {
            MemoryOps.copy(null, address, null, address(rank, region, offset), length);
        }
        else
        {
            transports[rank].put(worldPes[rank], region, offset, null, address, length);
        }
    }

    /** Gets a block from a member's memory of any kind into memory of this process, without waiting. */
    public void getFromAny(
        final int rank,
        final int region,
        final long offset,
        final long address,
        final long length,
        final Pending pending)
    {
        endpoint.transport(worldPes[rank]).getNbi(worldPes[rank], region, offset, null, address, length, pending);
    }

    /** Copies bytes within this process; each side may be device memory. */
    public void copy(final long from, final long to, final long length)
    {
        final DeviceMemory device = endpoint.device();
        if (null != device && (device.isDevice(from) || device.isDevice(to)))
        {
            device.copy(from, to, length);
        }
        else
        {
            MemoryOps.copy(null, from, null, to, length);
        }
    }

    /** Expects pieces of a member, in addition to those expected before. */
    public void expect(final int rank, final long pieces)
    {
        expected[rank] += pieces;
    }

    /** Returns how many of the expected pieces of a member have not arrived. */
    public long missing(final int rank)
    {
        final long missing = expected[rank] -
            UnsafeApi.getLongAcquire(null, ownMailboxes[rank] + TeamAreaDescriptor.ARRIVED);
        if (isWatching && missing > 0)
        {
            onMissing(rank, Stamp.NONE);
        }

        return missing;
    }

    /**
     * Announces to all other members that this PE has closed the team. It writes nothing into their areas after this.
     */
    public void close()
    {
        signalAll(TeamAreaDescriptor.CLOSED, 1);
    }

    /** Announces the calls that this PE has made, before it closes the team or itself. */
    public void announceHistory(final long history)
    {
        if (0 != history)
        {
            signalAll(TeamAreaDescriptor.HISTORY, history);
        }
    }

    /** Returns whether a member, which has announced its calls, has made others than this PE. */
    public boolean hasOtherHistory(final int rank, final long history)
    {
        final long other = UnsafeApi.getLongAcquire(null, ownMailboxes[rank] + TeamAreaDescriptor.HISTORY);
        return rank != myRank && other != history && UNKNOWN_HISTORY != other && UNKNOWN_HISTORY != history;
    }

    /** Returns whether all other members have closed the team. Then no traffic is under way to this PE's area. */
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

    /** Returns whether a member has closed the team. What it sent before has arrived. */
    public boolean hasClosed(final int rank)
    {
        return 0 != UnsafeApi.getLongAcquire(null, ownMailboxes[rank] + TeamAreaDescriptor.CLOSED);
    }

    /**
     * Announces the call to all other members, while this PE waits in it. A member in the same call reads it while it
     * waits for long; the others do not wait for it, so it may be written until this PE closes the team.
     */
    public void announceCall()
    {
        signalAll(TeamAreaDescriptor.CALLED, Stamp.of(calls, signature));
    }

    /**
     * Returns the signature of another call that a member has announced under the number of this one, or
     * {@link Stamp#NONE}.
     */
    public long otherCall(final int rank)
    {
        final long seen = UnsafeApi.getLongAcquire(null, ownMailboxes[rank] + TeamAreaDescriptor.CALLED);
        return Stamp.mismatch(seen, Stamp.of(calls, signature));
    }

    /** Returns whether a member has announced a later call. What it sent in this one has arrived. */
    public boolean hasPassedCall(final int rank)
    {
        return Stamp.isPast(
            UnsafeApi.getLongAcquire(null, ownMailboxes[rank] + TeamAreaDescriptor.CALLED), calls);
    }

    /**
     * Starts to record the members that polls wait for, until {@link #stopWatching()}.
     *
     * @param goneRanks whether nothing more arrives from a member.
     */
    void watch(final IntPredicate goneRanks)
    {
        isWatching = true;
        this.goneRanks = goneRanks;
        missingRank = NO_RANK;
        goneRank = NO_RANK;
        mismatchRank = NO_RANK;
    }

    void stopWatching()
    {
        isWatching = false;
    }

    /** Notes that a task waits for a member by other means than the mailboxes. */
    public void onWait(final int rank)
    {
        if (isWatching)
        {
            onMissing(rank, Stamp.NONE);
        }
    }

    /** Records that a member has not done what a poll waits for. */
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

    /** Returns the rank of a member that the polls since {@link #watch} waited for, or {@link #NO_RANK}. */
    int missingRank()
    {
        return missingRank;
    }

    /** Returns the rank of a gone member that the polls since {@link #watch} waited for, or {@link #NO_RANK}. */
    int goneRank()
    {
        return goneRank;
    }

    /**
     * Returns the rank of a member that the polls since {@link #watch} waited for and that has made another call, or
     * {@link #NO_RANK}.
     */
    int mismatchRank()
    {
        return mismatchRank;
    }

    /** Returns the signature of the call of {@link #mismatchRank()}. */
    long mismatch()
    {
        return mismatch;
    }

    private void signalAll(final int counter, final long value)
    {
        for (int rank = 0; rank < size; rank++)
        {
            if (rank != myRank)
            {
                signal(rank, counter, value);
            }
        }
    }

    private void signal(final int rank, final int counter, final long value)
    {
        final long mailbox = peerMailboxes[rank];
        if (0 != mailbox)
        {
            UnsafeApi.putLongRelease(null, mailbox + counter, value);
        }
        else
        {
            transports[rank].signal(
                worldPes[rank], Region.SYSTEM, peerMailboxOffsets[rank] + counter, value, SignalOperation.SET);
        }
    }
}
