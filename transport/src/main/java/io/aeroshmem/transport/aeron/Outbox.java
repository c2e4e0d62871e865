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

import org.agrona.BufferUtil;
import org.agrona.MutableDirectBuffer;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.ControlledMessageHandler;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

import static io.aeroshmem.transport.aeron.RecordDescriptor.*;

/**
 * Records that this PE sends to one peer. They gather in the open frame until it is full or progress is driven. The
 * submission ring in front of the frame is for threads that find the lock of the {@link ProgressEngine} taken, or no
 * room in the frame because of back pressure.
 */
final class Outbox implements ControlledMessageHandler
{
    /** Limits of the length of a ring, and of those of all peers together until the lower limit holds. */
    private static final int MAX_RING = 128 * 1024;
    private static final int MIN_RING = 8 * 1024;
    private static final int RINGS = 8 * 1024 * 1024;

    private static final int RECORD_TYPE = 1;
    private static final int PADDED_LENGTH = 128;
    private static final int ASSIGNED = PADDED_LENGTH;
    private static final int ACKNOWLEDGED = 2 * PADDED_LENGTH;
    private static final int AWAITED = 3 * PADDED_LENGTH;

    /*
     * Order. A record gets its sequence number when it enters the open frame. A chunk of a large block
     * (MessageTransport) is sent in a frame of its own, and gets its sequence number then. Both happen only under the
     * engine's lock. A caller's record enters the frame from the ring, or after the ring has been drained. So the
     * records of one thread keep their order on either path. Operations that a session gathers do not pass through the
     * ring; BatchTransport keeps their order. Frames leave in order. Each frame is sent by one offer, in which Aeron
     * claims a place in the log, copies the frame and commits the place. So a place stays claimed only while a frame is
     * copied.
     *
     * Completion. There are three counts, each on cache lines of its own:
     * - assigned: the records that have a sequence number;
     * - acknowledged: the records that the peer has performed;
     * - awaited: the value of assigned after the last record that a quiet has to wait for.
     * The holder of the engine's lock stores the counts with release; any thread loads them with acquire. A quiet reads
     * the ring's producer position, and waits until the ring's consumer position has reached it. Then it reads awaited,
     * and waits until acknowledged has reached that value. awaited is stored with release before the ring's consumer
     * position moves, so it covers every record up to that position. Apart from the counts and the ring, all state is
     * accessed only under the lock.
     */
    private final FrameSink sink;
    private final MessageCounters messageCounters;
    private final int maxFrameLength;
    private final UnsafeBuffer counters =
        new UnsafeBuffer(BufferUtil.allocateDirectAligned(5 * PADDED_LENGTH, PADDED_LENGTH));
    private final UnsafeBuffer frame;
    private final UnsafeBuffer chunkHead =
        new UnsafeBuffer(BufferUtil.allocateDirectAligned(PADDED_LENGTH, PADDED_LENGTH));
    private final UnsafeBuffer payload = new UnsafeBuffer(0, 0);
    private final UnsafeBuffer ringBuffer;
    private final ManyToOneRingBuffer ring;

    private int frameLength = FRAME_LENGTH;
    private int recordCount;
    /** Kind of the last record in the open frame, if it is an update or a run of updates; otherwise 0. */
    private long runKind;
    /** Index of the last record in the open frame; 0 if the frame is empty. */
    private int lastIndex;
    private int runCount;
    private int flags;
    private long lastResult;

    Outbox(
        final FrameSink sink,
        final MessageCounters messageCounters,
        final long jobToken,
        final int sourcePe,
        final int epoch,
        final int ringCapacity)
    {
        this.sink = sink;
        this.messageCounters = messageCounters;
        maxFrameLength = sink.maxFrameLength() & -RecordDescriptor.ALIGNMENT;
        ringBuffer = new UnsafeBuffer(
            BufferUtil.allocateDirectAligned(ringCapacity + RingBufferDescriptor.TRAILER_LENGTH, PADDED_LENGTH));
        ring = new ManyToOneRingBuffer(ringBuffer);
        frame = new UnsafeBuffer(BufferUtil.allocateDirectAligned(maxFrameLength, PADDED_LENGTH));
        RecordDescriptor.frame(frame, jobToken, sourcePe, epoch);
        RecordDescriptor.frame(chunkHead, jobToken, sourcePe, epoch);
    }

    /**
     * Returns the length of the ring to a peer in bytes: a power of two, less where there are more PEs, as a PE has a
     * ring for each, and has room for several of the longest records.
     */
    static int ringCapacity(final int nPes)
    {
        return Math.max(MIN_RING, Math.min(MAX_RING, Integer.highestOneBit(RINGS / nPes)));
    }

    // -- any thread

    int tryClaimRing(final int length)
    {
        return ring.tryClaim(RECORD_TYPE, length);
    }

    void commitRing(final int index)
    {
        ring.commit(index);
    }

    void abortRing(final int index)
    {
        ring.abort(index);
    }

    UnsafeBuffer ringBuffer()
    {
        return ringBuffer;
    }

    long ringProducerPosition()
    {
        return ring.producerPosition();
    }

    long ringConsumerPosition()
    {
        return ring.consumerPosition();
    }

    long assigned()
    {
        return counters.getLongAcquire(ASSIGNED);
    }

    /** Returns the sequence that a quiet which starts now waits for. */
    long awaited()
    {
        return counters.getLongAcquire(AWAITED);
    }

    long acknowledged()
    {
        return counters.getLongAcquire(ACKNOWLEDGED);
    }

    // -- under the engine's lock

    UnsafeBuffer frame()
    {
        return frame;
    }

    /** Returns the limit of the payload of a put's chunk. */
    int maxPutChunk()
    {
        return maxFrameLength - FRAME_LENGTH - RecordDescriptor.PUT_DATA;
    }

    /** Returns the limit of the payload of a get reply's chunk. */
    int maxGetReplyChunk()
    {
        return maxFrameLength - FRAME_LENGTH - RecordDescriptor.GET_REPLY_DATA;
    }

    boolean hasRoom(final int recordLength)
    {
        return recordLength <= room();
    }

    /** Returns the number of bytes that the open frame has room for. */
    int room()
    {
        return maxFrameLength - frameLength;
    }

    /** Returns the limit of the words of a reply to a run of fetches that the open frame has room for. */
    int fetchRunReplyRoom()
    {
        return Math.max(0, (maxFrameLength - frameLength - FETCH_RUN_REPLY_LENGTH) / Long.BYTES);
    }

    boolean isRingEmpty()
    {
        return ring.consumerPosition() == ring.producerPosition();
    }

    boolean isFrameEmpty()
    {
        return 0 == recordCount;
    }

    /**
     * Returns the index of the next record in the open frame. The caller checks that it fits, writes it and calls
     * {@link #append}, which specifies whether a quiet waits for it: not for requests and replies, whose completion
     * shows in other ways, nor for the library's stores in system areas.
     */
    int appendIndex()
    {
        return frameLength;
    }

    void append(final int recordLength, final boolean isAwaited)
    {
        if (0 == recordCount)
        {
            frame.putInt(FRAME_FIRST_SEQUENCE, (int)counters.getLong(ASSIGNED));
        }

        recordCount++;
        lastIndex = frameLength;
        runKind = 0;
        frameLength += recordLength;
        assign(isAwaited);
    }

    /** Extends the last record of the open frame, which keeps its sequence number. */
    void extend(final int bytes)
    {
        frameLength += bytes;
    }

    /** Returns the index of the last record in the open frame; 0 if the frame is empty. */
    int lastIndex()
    {
        return lastIndex;
    }

    /**
     * Appends an element or an atomic to the open frame. If the last record is of the same kind, it becomes a run, or
     * the run becomes longer: half the bytes, no sequence number, and a shorter loop at the peer.
     *
     * @return false if there is no room.
     */
    boolean appendUpdate(final long kind, final long offset, final long value, final boolean isAwaited)
    {
        if (kind == runKind)
        {
            return extendRun(kind, offset, value);
        }

        if (!hasRoom(UPDATE_LENGTH))
        {
            return false;
        }

        RecordWriter.update(frame, frameLength, kind, offset, value);
        append(UPDATE_LENGTH, isAwaited);
        runKind = kind;
        runCount = 1;
        return true;
    }

    private boolean extendRun(final long kind, final long offset, final long value)
    {
        final boolean isFirst = 1 == runCount;
        final int head = isFirst ? UPDATE_RUN_LENGTH - UPDATE_LENGTH : 0;
        if (!hasRoom(head + UPDATE_RUN_PAIR))
        {
            return false;
        }

        final int pair = frameLength + head;
        if (isFirst)
        {
            frame.putLong(lastIndex, isAtomic(kind) ? ATOMIC_RUN_HEADER : ELEMENT_RUN_HEADER);
        }

        putRunSize(++runCount);
        frame.putLong(pair, offset);
        frame.putLong(pair + Long.BYTES, value);
        frameLength = pair + UPDATE_RUN_PAIR;
        return true;
    }

    /**
     * Appends updates of one kind, each an offset and a value, which a quiet waits for.
     *
     * @return the number of those that there was room for.
     */
    int appendUpdates(final long kind, final long pairs, final int count)
    {
        int appended = 0;
        while (appended < count && (kind != runKind || runCount < 2))
        {
            final long pair = pairs + (long)appended * UPDATE_RUN_PAIR;
            if (!appendUpdate(kind, UnsafeApi.getLong(pair), UnsafeApi.getLong(pair + Long.BYTES), true))
            {
                return appended;
            }

            appended++;
        }

        final int more = Math.min(count - appended, (maxFrameLength - frameLength) / UPDATE_RUN_PAIR);
        if (more > 0)
        {
            final long length = (long)more * UPDATE_RUN_PAIR;
            UnsafeApi.copyMemory(
                null, pairs + (long)appended * UPDATE_RUN_PAIR, null, frame.addressOffset() + frameLength, length);
            runCount += more;
            putRunSize(runCount);
            frameLength += (int)length;
        }

        return appended + more;
    }

    /** Stores the padding and the dimension of a run, whose first update is in the record's block. */
    private void putRunSize(final int count)
    {
        frame.putLong(
            lastIndex + UPDATE_RUN_PADDING, (long)groupSize(UPDATE_RUN_PAIR, count - 1) << Integer.SIZE);
    }

    /** Accounts for records that have left in a frame to a group, and that a quiet waits for. */
    void assign(final int records)
    {
        counters.putLongRelease(ASSIGNED, counters.getLong(ASSIGNED) + records);
        awaitAll();
    }

    private void assign(final boolean isAwaited)
    {
        final long assigned = counters.getLong(ASSIGNED) + 1;
        counters.putLongRelease(ASSIGNED, assigned);
        if (isAwaited)
        {
            counters.putLongRelease(AWAITED, assigned);
        }
    }

    /** Extends the next quiet to all records that have a sequence number. */
    void awaitAll()
    {
        counters.putLongRelease(AWAITED, counters.getLong(ASSIGNED));
    }

    /** Requests the peer to acknowledge the next frame at once. */
    void requestAcknowledgement()
    {
        flags = ACKNOWLEDGE_NOW;
    }

    void onAcknowledged(final long sequence)
    {
        counters.putLongRelease(ACKNOWLEDGED, sequence);
    }

    /** Moves records from the ring to the open frame until one of them is exhausted, and returns their number. */
    int drainRing()
    {
        return isRingEmpty() ? 0 : ring.controlledRead(this);
    }

    /** Moves records from the ring to the open frame; returns false if something stays. */
    boolean tryDrainRing()
    {
        return isRingEmpty() || drainRing() > 0 && isRingEmpty();
    }

    @Override
    public Action onMessage(
        final int msgTypeId, final MutableDirectBuffer buffer, final int index, final int length)
    {
        if (!hasRoom(length))
        {
            return Action.ABORT;
        }

        UnsafeApi.copyMemory(
            null, buffer.addressOffset() + index, null, frame.addressOffset() + frameLength, length);
        append(length, true);
        return Action.CONTINUE;
    }

    /**
     * Sends the open frame, or an acknowledgement alone if it is empty; {@code received} is the number of the peer's
     * records that this PE has performed. Returns false if the publication did not take it.
     */
    boolean sendFrame(final long received)
    {
        if (0 == recordCount)
        {
            frame.putInt(FRAME_FIRST_SEQUENCE, (int)counters.getLong(ASSIGNED));
        }

        frame.putInt(FRAME_ACKNOWLEDGED, (int)received);
        frame.putShort(FRAME_RECORD_COUNT, (short)recordCount);
        frame.putShort(FRAME_FLAGS, (short)flags);
        if (!onOffer(sink.offer(frame, frameLength), recordCount, frameLength))
        {
            return false;
        }

        frameLength = FRAME_LENGTH;
        recordCount = 0;
        runKind = 0;
        lastIndex = 0;
        return true;
    }

    /** Returns the buffer for the head of a chunk before {@link #sendChunk}. The open frame must be empty. */
    MutableDirectBuffer chunkHead()
    {
        return chunkHead;
    }

    /**
     * Sends one record with its payload directly from the source.
     *
     * @param headLength of the frame's head and the record's block in {@link #chunkHead()}.
     * @param base       array that holds the payload, or null.
     * @param isAwaited  as in {@link #append}.
     * @return false if the publication did not take it.
     */
    boolean sendChunk(
        final long received,
        final int headLength,
        final Object base,
        final long address,
        final int length,
        final boolean isAwaited)
    {
        chunkHead.putInt(FRAME_FIRST_SEQUENCE, (int)counters.getLong(ASSIGNED));
        chunkHead.putInt(FRAME_ACKNOWLEDGED, (int)received);
        chunkHead.putShort(FRAME_RECORD_COUNT, (short)1);
        chunkHead.putShort(FRAME_FLAGS, (short)flags);
        if (null == base)
        {
            payload.wrap(address, length);
        }
        else if (base instanceof final byte[] bytes)
        {
            payload.wrap(bytes, (int)(address - BufferUtil.ARRAY_BASE_OFFSET), length);
        }
        else
        {
            // no buffer wraps an array of another type; the open frame is empty
            UnsafeApi.copyMemory(base, address, null, frame.addressOffset() + FRAME_LENGTH, length);
            payload.wrap(frame.addressOffset() + FRAME_LENGTH, length);
        }

        final long result = sink.offer(chunkHead, headLength, payload, length);
        payload.wrap(0, 0);
        if (!onOffer(result, 1, headLength + length))
        {
            return false;
        }

        assign(isAwaited);
        return true;
    }

    /** Accounts for the result of an offer; returns false if the publication did not take the frame. */
    private boolean onOffer(final long result, final int records, final int length)
    {
        lastResult = result;
        final boolean isTaken = messageCounters.onOffer(result, records, length);
        flags = isTaken ? 0 : flags;
        return isTaken;
    }

    /** Returns true if the publication can never take anything again. */
    boolean isBroken()
    {
        return FrameSink.isBroken(lastResult);
    }

    String describeBreak()
    {
        return sink.describeBreak(lastResult);
    }

    boolean isConnected()
    {
        return sink.isConnected();
    }
}
