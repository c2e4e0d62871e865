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

import io.aeron.Publication;
import org.agrona.BufferUtil;
import org.agrona.MutableDirectBuffer;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.ControlledMessageHandler;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

import static io.aeroshmem.transport.aeron.RecordDescriptor.ACKNOWLEDGE_NOW;
import static io.aeroshmem.transport.aeron.RecordDescriptor.FRAME_ACKNOWLEDGED;
import static io.aeroshmem.transport.aeron.RecordDescriptor.FRAME_FIRST_SEQUENCE;
import static io.aeroshmem.transport.aeron.RecordDescriptor.FRAME_FLAGS;
import static io.aeroshmem.transport.aeron.RecordDescriptor.FRAME_LENGTH;
import static io.aeroshmem.transport.aeron.RecordDescriptor.FRAME_RECORD_COUNT;

/**
 * What this PE sends to one peer: the open frame, in which records gather until it is full or progress is driven, and
 * the submission ring in front of it for threads that find the engine's lock taken.
 * <p>
 * Order. A record gets its sequence number when it enters the open frame, which happens only under the engine's lock,
 * and only when the ring has been drained or the record comes from the ring itself; so the records of one thread keep
 * their order whichever way each took. Frames leave in order, each copied whole into the publication between claim and
 * commit, with nothing else done in between.
 * <p>
 * Completion. {@code assigned} counts the records that have a sequence number, {@code acknowledged} those that the peer
 * has performed, and {@code awaited} is what {@code assigned} was at the last record that a quiet has to wait for. A
 * quiet takes the ring's producer position, waits until the ring's consumer position has reached it, takes {@code
 * awaited}, and waits until {@code acknowledged} has reached that. {@code awaited} is stored with release before the
 * ring's consumer position moves, so it covers what the position promised. Each has cache lines of its own; all else is
 * touched only under the lock.
 */
final class Outbox implements ControlledMessageHandler
{
    static final int RING_CAPACITY = 128 * 1024;

    private static final int RECORD_TYPE = 1;
    private static final int CELL_LENGTH = 128;
    private static final int ASSIGNED = CELL_LENGTH;
    private static final int ACKNOWLEDGED = 2 * CELL_LENGTH;
    private static final int AWAITED = 3 * CELL_LENGTH;

    private final Publication publication;
    private final SentCounters sentCounters;
    private final int maxFrameLength;
    private final UnsafeBuffer cells =
        new UnsafeBuffer(BufferUtil.allocateDirectAligned(5 * CELL_LENGTH, CELL_LENGTH));
    private final UnsafeBuffer frame;
    private final UnsafeBuffer chunkHead = new UnsafeBuffer(BufferUtil.allocateDirectAligned(CELL_LENGTH, CELL_LENGTH));
    private final UnsafeBuffer payload = new UnsafeBuffer(0, 0);
    private final ManyToOneRingBuffer ring;

    private int frameLength = FRAME_LENGTH;
    private int recordCount;
    private int flags;
    private long lastResult;

    Outbox(
        final Publication publication,
        final SentCounters sentCounters,
        final long jobToken,
        final int sourcePe,
        final int epoch)
    {
        this.publication = publication;
        this.sentCounters = sentCounters;
        maxFrameLength = publication.maxPayloadLength() & -RecordDescriptor.ALIGNMENT;
        frame = new UnsafeBuffer(BufferUtil.allocateDirectAligned(maxFrameLength, CELL_LENGTH));
        ring = new ManyToOneRingBuffer(new UnsafeBuffer(
            BufferUtil.allocateDirectAligned(RING_CAPACITY + RingBufferDescriptor.TRAILER_LENGTH, CELL_LENGTH)));
        RecordDescriptor.frame(frame, jobToken, sourcePe, epoch);
        RecordDescriptor.frame(chunkHead, jobToken, sourcePe, epoch);
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

    MutableDirectBuffer ringBuffer()
    {
        return ring.buffer();
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
        return cells.getLongAcquire(ASSIGNED);
    }

    /**
     * What a quiet that starts now waits for.
     */
    long awaited()
    {
        return cells.getLongAcquire(AWAITED);
    }

    long acknowledged()
    {
        return cells.getLongAcquire(ACKNOWLEDGED);
    }

    // -- under the engine's lock

    UnsafeBuffer frame()
    {
        return frame;
    }

    /**
     * The most payload that one chunk of a put can carry.
     */
    int maxPutChunk()
    {
        return maxFrameLength - FRAME_LENGTH - RecordDescriptor.PUT_DATA;
    }

    /**
     * The most payload that one chunk of an answer can carry.
     */
    int maxGetReplyChunk()
    {
        return maxFrameLength - FRAME_LENGTH - RecordDescriptor.GET_REPLY_DATA;
    }

    boolean hasRoom(final int recordLength)
    {
        return frameLength + recordLength <= maxFrameLength;
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
     * Where the next record goes in the open frame. The caller made sure that it fits, writes it and calls
     * {@link #append}, which says whether a quiet has to wait for it: it has not for requests and replies, whose
     * completion shows in other ways, nor for what the library stores in system areas.
     */
    int appendIndex()
    {
        return frameLength;
    }

    void append(final int recordLength, final boolean isAwaited)
    {
        if (0 == recordCount)
        {
            frame.putInt(FRAME_FIRST_SEQUENCE, (int)cells.getLong(ASSIGNED));
        }

        recordCount++;
        frameLength += recordLength;
        assign(isAwaited);
    }

    private void assign(final boolean isAwaited)
    {
        final long assigned = cells.getLong(ASSIGNED) + 1;
        cells.putLongRelease(ASSIGNED, assigned);
        if (isAwaited)
        {
            cells.putLongRelease(AWAITED, assigned);
        }
    }

    /**
     * Let the next quiet wait for all that has a number.
     */
    void awaitAll()
    {
        cells.putLongRelease(AWAITED, cells.getLong(ASSIGNED));
    }

    /**
     * Ask the peer to acknowledge the next frame at once.
     */
    void requestAcknowledgement()
    {
        flags = ACKNOWLEDGE_NOW;
    }

    void onAcknowledged(final long sequence)
    {
        cells.putLongRelease(ACKNOWLEDGED, sequence);
    }

    /**
     * Move records from the ring to the open frame until one of them is exhausted.
     *
     * @return how many were moved.
     */
    int drainRing()
    {
        return isRingEmpty() ? 0 : ring.controlledRead(this);
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
     * Send the open frame, or an acknowledgement alone if it is empty.
     *
     * @param received what this PE has performed for the peer.
     * @return false if the publication did not take it.
     */
    boolean sendFrame(final long received)
    {
        if (0 == recordCount)
        {
            frame.putInt(FRAME_FIRST_SEQUENCE, (int)cells.getLong(ASSIGNED));
        }

        frame.putInt(FRAME_ACKNOWLEDGED, (int)received);
        frame.putShort(FRAME_RECORD_COUNT, (short)recordCount);
        frame.putShort(FRAME_FLAGS, (short)flags);
        lastResult = publication.offer(frame, 0, frameLength);
        if (lastResult < 0)
        {
            return false;
        }

        sentCounters.onFrameSent(recordCount);
        frameLength = FRAME_LENGTH;
        recordCount = 0;
        flags = 0;
        return true;
    }

    /**
     * Where the record of a chunk is written before {@link #sendChunk}. The open frame must be empty.
     */
    MutableDirectBuffer chunkHead()
    {
        return chunkHead;
    }

    /**
     * Send one record with its payload straight from where it lies.
     *
     * @param received   what this PE has performed for the peer.
     * @param headLength of the frame's head and the record's block in {@link #chunkHead()}.
     * @param base       object that holds the payload, or null.
     * @param address    of the payload.
     * @param length     of the payload.
     * @param isAwaited  as in {@link #append}.
     * @return false if the publication did not take it.
     */
    boolean sendChunk(
        final long received,
        final int headLength,
        final byte[] base,
        final long address,
        final int length,
        final boolean isAwaited)
    {
        chunkHead.putInt(FRAME_FIRST_SEQUENCE, (int)cells.getLong(ASSIGNED));
        chunkHead.putInt(FRAME_ACKNOWLEDGED, (int)received);
        chunkHead.putShort(FRAME_RECORD_COUNT, (short)1);
        chunkHead.putShort(FRAME_FLAGS, (short)flags);
        if (null == base)
        {
            payload.wrap(address, length);
        }
        else
        {
            payload.wrap(base, (int)(address - BufferUtil.ARRAY_BASE_OFFSET), length);
        }

        lastResult = publication.offer(chunkHead, 0, headLength, payload, 0, length);
        payload.wrap(0, 0);
        if (lastResult < 0)
        {
            return false;
        }

        sentCounters.onFrameSent(1);
        flags = 0;
        assign(isAwaited);
        return true;
    }

    /**
     * Can the publication never take anything again?
     */
    boolean isBroken()
    {
        return Publication.CLOSED == lastResult || Publication.MAX_POSITION_EXCEEDED == lastResult;
    }

    String describeBreak()
    {
        return "publication " + publication.channel() + " stream " + publication.streamId() + ": " +
            Publication.errorString(lastResult);
    }

    boolean isConnected()
    {
        return publication.isConnected();
    }
}
