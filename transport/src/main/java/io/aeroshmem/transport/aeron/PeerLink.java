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
package io.aeroshmem.transport.aeron;

import io.aeroshmem.transport.Pending;
import org.agrona.MutableDirectBuffer;
import org.agrona.UnsafeApi;
import org.agrona.collections.ArrayUtil;

import static io.aeroshmem.transport.aeron.RecordDescriptor.*;

/**
 * State of the message exchange with one peer:
 * <ul>
 * <li>the records that this PE sends;</li>
 * <li>the requests that this PE has outstanding;</li>
 * <li>the replies that this PE owes;</li>
 * <li>the number of the peer's records that this PE has performed.</li>
 * </ul>
 * <p>
 * The number of performed records is the acknowledgement, which every frame to the peer carries. If no frame is due,
 * the acknowledgement is sent in a frame without records:
 * <ul>
 * <li>in the next duty cycle of the {@link ProgressEngine} if the peer requested it;</li>
 * <li>otherwise in the first duty cycle that finds the inbox empty;</li>
 * <li>at the latest after more than {@value #UNACKNOWLEDGED_LIMIT} performed records, or more than
 * {@value #UNACKNOWLEDGED_CYCLES} duty cycles, without an acknowledgement.</li>
 * </ul>
 * The acknowledgement is overwritten, never queued, so back pressure costs no memory.
 */
final class PeerLink implements BatchTarget
{
    /** Frames sent to one peer in one duty cycle, so that a flood to one does not starve the others. */
    private static final int FRAME_LIMIT = 16;

    /** Limit of records performed without an acknowledgement. */
    private static final int UNACKNOWLEDGED_LIMIT = 256;

    /** Limit of duty cycles without an acknowledgement, however busy the inbox is. */
    private static final int UNACKNOWLEDGED_CYCLES = 8;

    /**
     * Limit of duty cycles of a sender that leave what is gathered for this peer: a caller that fills frames for others
     * keeps the agent away, so its own cycles send this at last.
     */
    private static final int UNSENT_CYCLES = 256;

    private static final BatchRing[] NO_BATCHES = {};

    final int pe;
    final Outbox outbox;
    final RequestTable requests = new RequestTable();
    final ReplyQueue replies = new ReplyQueue();
    final FetchRuns fetchRuns = new FetchRuns();
    final FetchRunReplies fetchRunReplies = new FetchRunReplies();

    /** What sessions have gathered for the peer. */
    private volatile BatchRing[] batches = NO_BATCHES;

    /** Image of the peer's last frame; null before the first. */
    Object image;

    /** Image of the peer's last frame to the group; null before the first. */
    Object groupImage;

    /** Whether frames to the group reach the peer, and those of the peer this PE. */
    boolean isInGroup;

    /** True once the peer has violated the protocol; then none of its further records is performed. */
    boolean isAtFault;

    private long received;
    private long receivedReported;
    private int unreportedCycles;
    private int unsentCycles;
    private boolean acknowledgeNow;
    private boolean isAnnouncementDue;

    PeerLink(final int pe, final Outbox outbox)
    {
        this.pe = pe;
        this.outbox = outbox;
    }

    long received()
    {
        return received;
    }

    void onReceived(final int recordCount, final boolean isAcknowledgementUrgent)
    {
        received += recordCount;
        acknowledgeNow |= isAcknowledgementUrgent;
    }

    /** Has a frame sent soon even if it carries no records, so that the peer associates the stream with this PE. */
    void announce()
    {
        isAnnouncementDue = true;
    }

    /**
     * Sends what is due and returns the work count; {@code isInboxIdle} if the poll of this duty cycle found nothing.
     */
    int send(final boolean isInboxIdle)
    {
        int work = 0;
        countUnreported();
        if (owesReply() || isUnsent())
        {
            work = sendFrames();
        }

        // a frame that the publication did not take carries the acknowledgement when it leaves
        if (outbox.isFrameEmpty() && isAcknowledgementDue(isInboxIdle) && sendFrame())
        {
            work++;
        }

        return work;
    }

    private int sendFrames()
    {
        int work = 0;
        int frames = 0;
        do
        {
            appendReplies();
            drainBatches();
            outbox.drainRing();
            if (outbox.isFrameEmpty())
            {
                break;
            }

            if (!sendFrame())
            {
                return work;
            }

            work++;
            if (0 == frames && replies.hasGet())
            {
                // before more frames: under a flood the publication pushes back in every cycle
                work += sendGetReply();
            }
        }
        while (++frames < FRAME_LIMIT);

        if (0 == frames && replies.hasGet())
        {
            work += sendGetReply();
        }

        return work;
    }

    /** Sends replies and acknowledgements that are due, and what has gathered for long; else leaves the open frame. */
    void sendDue()
    {
        countUnreported();
        final boolean isUnsent = isUnsent();
        if (owesReply() || isAcknowledgementDue(false) || isUnsent && unsentCycles >= UNSENT_CYCLES)
        {
            send(false);
        }
        else if (isUnsent)
        {
            unsentCycles++;
        }
    }

    /** Counts a duty cycle in which something that has arrived may stay unacknowledged. */
    private void countUnreported()
    {
        if (received != receivedReported)
        {
            unreportedCycles++;
        }
    }

    private boolean isUnsent()
    {
        return !outbox.isFrameEmpty() || !isSubmitted();
    }

    @Override
    public synchronized void add(final BatchRing batch)
    {
        batches = ArrayUtil.add(batches, batch);
    }

    @Override
    public synchronized void remove(final BatchRing batch)
    {
        batches = ArrayUtil.remove(batches, batch);
    }

    @Override
    public boolean isPathEmpty()
    {
        return outbox.isRingEmpty();
    }

    @Override
    public int take(
        final long kind,
        final long entries,
        final int entryLength,
        final int count,
        final Object dest,
        final Pending pending)
    {
        return null == pending ?
            outbox.appendUpdates(kind, entries, count) :
            fetchRuns.append(outbox, kind, entries, entryLength, count, dest, pending);
    }

    BatchRing[] batches()
    {
        return batches;
    }

    /** Returns true if nothing awaits its place in a frame. */
    boolean isSubmitted()
    {
        for (final BatchRing batch : batches)
        {
            if (!batch.isEmpty())
            {
                return false;
            }
        }

        return outbox.isRingEmpty();
    }

    private void drainBatches()
    {
        for (final BatchRing batch : batches)
        {
            batch.drain();
        }
    }

    @Override
    public int submit(final BatchRing batch)
    {
        // a producer that goes on appending does not keep the caller here
        final long position = batch.tail();
        int frames = 0;
        batch.drain();
        while (batch.head() < position)
        {
            if (outbox.isFrameEmpty() || !sendFrame())
            {
                return -1;
            }

            frames++;
            batch.drain();
        }

        return frames;
    }

    /** Returns true if a request of the peer has been performed and not been answered. */
    boolean owesReply()
    {
        return replies.hasFetch() || replies.hasGet() || !fetchRunReplies.isEmpty();
    }

    /**
     * Makes the open frame ready for a record of the calling thread: the ring drained, so that order is kept, and room.
     * Under the lock. Returns false if the frame is full and the publication pushes back, or the ring holds a record
     * under construction.
     */
    boolean makeRoom(final int recordLength)
    {
        while (true)
        {
            if (outbox.tryDrainRing() && outbox.hasRoom(recordLength))
            {
                return true;
            }

            if (outbox.isFrameEmpty() || !sendFrame())
            {
                return false;
            }
        }
    }

    /**
     * Sends everything that was submitted before a ring position. Under the lock. Returns false if the publication
     * pushes back, or a record of another thread is still under construction, which is not waited for here.
     */
    boolean drainTo(final long ringPosition)
    {
        while (true)
        {
            final boolean hadRoom = outbox.isFrameEmpty();
            final long before = outbox.ringConsumerPosition();
            outbox.drainRing();
            if (!outbox.isFrameEmpty() && !sendFrame())
            {
                return false;
            }

            final long position = outbox.ringConsumerPosition();
            if (position >= ringPosition)
            {
                return true;
            }

            if (hadRoom && position == before)
            {
                return false;
            }
        }
    }

    /** Sends the open frame; returns false if the publication did not take it. */
    boolean sendFrame()
    {
        if (outbox.sendFrame(received))
        {
            fetchRuns.onFrameSent();
            onReported();
            return true;
        }

        return false;
    }

    boolean sendChunk(
        final int headLength, final Object base, final long address, final int length, final boolean isAwaited)
    {
        if (outbox.sendChunk(received, headLength, base, address, length, isAwaited))
        {
            onReported();
            return true;
        }

        return false;
    }

    private void onReported()
    {
        receivedReported = received;
        unreportedCycles = 0;
        unsentCycles = 0;
        acknowledgeNow = false;
        isAnnouncementDue = false;
    }

    private boolean isAcknowledgementDue(final boolean isInboxIdle)
    {
        return isAnnouncementDue ||
            received != receivedReported &&
            (isInboxIdle ||
            acknowledgeNow ||
            unreportedCycles > UNACKNOWLEDGED_CYCLES ||
            received - receivedReported > UNACKNOWLEDGED_LIMIT);
    }

    private void appendReplies()
    {
        while (replies.hasFetch() && outbox.hasRoom(FETCH_REPLY_LENGTH))
        {
            final MutableDirectBuffer frame = outbox.frame();
            final int index = outbox.appendIndex();
            frame.putLong(index, FETCH_REPLY_HEADER);
            frame.putLong(index + FETCH_REPLY_VALUE, replies.fetchValue());
            frame.putInt(index + FETCH_REPLY_SLOT, replies.fetchSlot());
            frame.putInt(index + FETCH_REPLY_GENERATION, replies.fetchGeneration());
            outbox.append(FETCH_REPLY_LENGTH, false);
            replies.removeFetch();
        }

        fetchRunReplies.appendTo(outbox);
        while (replies.isNextGetSmall() && outbox.hasRoom(align(GET_REPLY_DATA + (int)replies.getRemaining())))
        {
            appendGetReply((int)replies.getRemaining());
        }
    }

    private void appendGetReply(final int length)
    {
        final int index = outbox.appendIndex();
        writeGetReplyHead(outbox.frame(), index, length);
        UnsafeApi.copyMemory(
            replies.getAddress(length), outbox.frame().addressOffset() + index + GET_REPLY_DATA, length);
        outbox.append(align(GET_REPLY_DATA + length), false);
        replies.onChunkSent(length);
    }

    private void writeGetReplyHead(final MutableDirectBuffer buffer, final int index, final int length)
    {
        buffer.putLong(index, GET_REPLY_HEADER);
        buffer.putLong(index + GET_REPLY_POSITION, replies.getPosition());
        buffer.putInt(index + GET_REPLY_SLOT, replies.getSlot());
        buffer.putInt(index + GET_REPLY_GENERATION, replies.getGeneration());
        buffer.putInt(index + GET_REPLY_DATA_LENGTH, length);
    }

    private int sendGetReply()
    {
        final int length = (int)Math.min(replies.getChunkLimit(), outbox.maxGetReplyChunk());
        final long address = replies.getAddress(length);
        if (0 == address)
        {
            return 0;
        }

        writeGetReplyHead(outbox.chunkHead(), FRAME_LENGTH, length);
        if (!sendChunk(FRAME_LENGTH + GET_REPLY_DATA, null, address, length, false))
        {
            return 0;
        }

        replies.onChunkSent(length);
        return 1;
    }
}
