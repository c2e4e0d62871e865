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

import io.aeroshmem.transport.AtomicOp;
import io.aeroshmem.transport.Pending;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.Transport;
import io.aeroshmem.transport.Waiting;
import org.agrona.UnsafeApi;

import static io.aeroshmem.transport.aeron.RecordDescriptor.ATOMIC_LENGTH;
import static io.aeroshmem.transport.aeron.RecordDescriptor.ELEMENT_LENGTH;
import static io.aeroshmem.transport.aeron.RecordDescriptor.FETCH_LENGTH;
import static io.aeroshmem.transport.aeron.RecordDescriptor.FRAME_LENGTH;
import static io.aeroshmem.transport.aeron.RecordDescriptor.GET_LENGTH;
import static io.aeroshmem.transport.aeron.RecordDescriptor.PUT_DATA;
import static io.aeroshmem.transport.aeron.RecordDescriptor.SIGNAL_LENGTH;

/**
 * Operations on peers as messages.
 * <p>
 * A small operation becomes one record. If the engine's lock is free, the caller takes it, drains the ring and writes
 * the record straight into the open frame; otherwise the record goes into the ring and whoever holds the lock, or
 * drives next, moves it on. Either way it travels with whatever else gathers in the frame: frames leave when they are
 * full, when any thread drives progress (a quiet, a wait, a request for a reply), and when the background agent comes
 * by. A signal and a request are sent at once, because somebody waits for them.
 * <p>
 * A block that is too large to copy twice is sent as chunks, each with its destination, straight from its source; the
 * ring is drained up to the caller's last record first, so that the order of one thread's operations is kept.
 * <p>
 * A caller that meets back pressure, a full ring or no free request slot drives the engine between its attempts,
 * watches the failure word and its deadline, and never holds the lock while it waits.
 */
public final class MessageTransport implements Transport
{
    /**
     * The largest block that is copied into a record rather than sent as chunks, in bytes.
     */
    static final int SMALL_BLOCK = 512;

    private static final int CHUNKS_PER_CYCLE = 16;
    private static final int SEND_ATTEMPTS = 64;

    private final Engine engine;
    private final Waiting waiting;

    /**
     * Construct over the engine of the PE that issues.
     *
     * @param engine  of this PE.
     * @param waiting of this PE.
     */
    public MessageTransport(final Engine engine, final Waiting waiting)
    {
        this.engine = engine;
        this.waiting = waiting;
    }

    @Override
    public boolean isMessaging()
    {
        return true;
    }

    @Override
    public void putByte(final int pe, final int region, final long offset, final byte value)
    {
        putElement(engine.link(pe), region, offset, value, Byte.BYTES);
    }

    @Override
    public byte getByte(final int pe, final int region, final long offset)
    {
        return (byte)getElement(engine.link(pe), region, offset, Byte.BYTES);
    }

    @Override
    public void putShort(final int pe, final int region, final long offset, final short value)
    {
        putElement(engine.link(pe), region, offset, value, Short.BYTES);
    }

    @Override
    public short getShort(final int pe, final int region, final long offset)
    {
        return (short)getElement(engine.link(pe), region, offset, Short.BYTES);
    }

    @Override
    public void putInt(final int pe, final int region, final long offset, final int value)
    {
        putElement(engine.link(pe), region, offset, value, Integer.BYTES);
    }

    @Override
    public int getInt(final int pe, final int region, final long offset)
    {
        return (int)getElement(engine.link(pe), region, offset, Integer.BYTES);
    }

    @Override
    public void putLong(final int pe, final int region, final long offset, final long value)
    {
        putElement(engine.link(pe), region, offset, value, Long.BYTES);
    }

    @Override
    public long getLong(final int pe, final int region, final long offset)
    {
        return getElement(engine.link(pe), region, offset, Long.BYTES);
    }

    /**
     * Has a quiet to wait for what is stored there? Nobody asks for the completion of what the library stores in system
     * areas: its own protocols see it arrive.
     */
    private static boolean isAwaited(final int region)
    {
        return Region.SYSTEM != region;
    }

    private void putElement(
        final Link link, final int region, final long offset, final long value, final int width)
    {
        final Outbox outbox = link.outbox;
        if (engine.tryLock())
        {
            try
            {
                if (makeRoom(link, ELEMENT_LENGTH))
                {
                    RecordWriter.element(outbox.frame(), outbox.appendIndex(), region, offset, value, width);
                    outbox.append(ELEMENT_LENGTH, isAwaited(region));
                    return;
                }
            }
            finally
            {
                engine.unlock();
            }
        }

        final int index = claimRing(outbox, ELEMENT_LENGTH, "put");
        RecordWriter.element(outbox.ringBuffer(), index, region, offset, value, width);
        outbox.commitRing(index);
    }

    private long getElement(final Link link, final int region, final long offset, final int width)
    {
        if (width >= Integer.BYTES && 0 == (offset & (width - 1)))
        {
            return fetchAtomic(link, AtomicOp.FETCH, width, region, offset, 0, 0, "get");
        }

        final RequestTable requests = link.requests;
        final int slot = acquireSlot(requests, "get");
        final long scratch = requests.scratchAddress(slot);
        UnsafeApi.putLong(scratch, 0L);
        requests.get(slot, null, scratch, width);
        submitGet(link, region, offset, width, slot, null);
        awaitReply(link, slot, "get");
        final long value = UnsafeApi.getLong(scratch);
        requests.release(slot);
        return value;
    }

    @Override
    public void put(
        final int pe,
        final int region,
        final long offset,
        final Object sourceBase,
        final long sourceAddress,
        final long length)
    {
        if (length > SMALL_BLOCK)
        {
            putChunks(engine.link(pe), region, offset, sourceBase, sourceAddress, length);
        }
        else if (length > 0)
        {
            putSmall(engine.link(pe), region, offset, sourceBase, sourceAddress, (int)length);
        }
    }

    private void putSmall(
        final Link link,
        final int region,
        final long offset,
        final Object sourceBase,
        final long sourceAddress,
        final int length)
    {
        final int recordLength = RecordDescriptor.align(PUT_DATA + length);
        final Outbox outbox = link.outbox;
        if (engine.tryLock())
        {
            try
            {
                if (makeRoom(link, recordLength))
                {
                    RecordWriter.put(
                        outbox.frame(), outbox.appendIndex(), region, offset, sourceBase, sourceAddress, length);
                    outbox.append(recordLength, isAwaited(region));
                    return;
                }
            }
            finally
            {
                engine.unlock();
            }
        }

        final int index = claimRing(outbox, recordLength, "put");
        RecordWriter.put(outbox.ringBuffer(), index, region, offset, sourceBase, sourceAddress, length);
        outbox.commitRing(index);
    }

    private void putChunks(
        final Link link,
        final int region,
        final long offset,
        final Object sourceBase,
        final long sourceAddress,
        final long length)
    {
        final long ringPosition = link.outbox.ringProducerPosition();
        final long deadlineNs = waiting.operationDeadline();
        long done = 0;
        int round = 0;
        while (true)
        {
            final long sent = tryPutChunks(
                link, ringPosition, region, offset + done, sourceBase, sourceAddress + done, length - done);
            done += sent;
            if (done == length)
            {
                return;
            }
            round = waiting.idle(0 == sent ? round : 0, deadlineNs, "put");
        }
    }

    private long tryPutChunks(
        final Link link,
        final long ringPosition,
        final int region,
        final long offset,
        final Object sourceBase,
        final long sourceAddress,
        final long length)
    {
        if (!engine.tryLock())
        {
            return 0;
        }

        try
        {
            final Outbox outbox = link.outbox;
            if (!drainTo(link, ringPosition))
            {
                return 0;
            }

            long done = 0;
            for (int i = 0; i < CHUNKS_PER_CYCLE && done < length; i++)
            {
                final int chunk = (int)Math.min(length - done, outbox.maxPutChunk());
                RecordWriter.putHead(outbox.chunkHead(), FRAME_LENGTH, region, offset + done, chunk);
                if (!link.sendChunk(
                    FRAME_LENGTH + PUT_DATA, (byte[])sourceBase, sourceAddress + done, chunk, isAwaited(region)))
                {
                    break;
                }
                done += chunk;
            }
            return done;
        }
        finally
        {
            engine.unlock();
        }
    }

    /**
     * Send everything that was submitted before. Under the lock.
     *
     * @return false if the publication pushes back, or a record of another thread is still under construction, which
     *         is not waited for here.
     */
    static boolean drainTo(final Link link, final long ringPosition)
    {
        final Outbox outbox = link.outbox;
        while (true)
        {
            final boolean hadRoom = outbox.isFrameEmpty();
            final long before = outbox.ringConsumerPosition();
            outbox.drainRing();
            if (!outbox.isFrameEmpty() && !link.sendFrame())
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

    @Override
    public void get(
        final int pe,
        final int region,
        final long offset,
        final Object destBase,
        final long destAddress,
        final long length)
    {
        if (length > 0)
        {
            final Link link = engine.link(pe);
            final int slot = acquireSlot(link.requests, "get");
            link.requests.get(slot, destBase, destAddress, length);
            submitGet(link, region, offset, length, slot, null);
            awaitReply(link, slot, "get");
            link.requests.release(slot);
        }
    }

    @Override
    public void putNbi(
        final int pe, final int region, final long offset, final long sourceAddress, final long length)
    {
        put(pe, region, offset, null, sourceAddress, length);
    }

    @Override
    public void getNbi(
        final int pe,
        final int region,
        final long offset,
        final long destAddress,
        final long length,
        final Pending pending)
    {
        if (length > 0)
        {
            final Link link = engine.link(pe);
            final int slot = acquireSlot(link.requests, "getNbi");
            pending.begin();
            link.requests.getNbi(slot, destAddress, length, pending);
            submitGet(link, region, offset, length, slot, pending);
        }
    }

    private void submitGet(
        final Link link,
        final int region,
        final long offset,
        final long length,
        final int slot,
        final Pending pending)
    {
        final Outbox outbox = link.outbox;
        final int generation = link.requests.generation(slot);
        if (engine.tryLock())
        {
            try
            {
                if (makeRoom(link, GET_LENGTH))
                {
                    RecordWriter.get(
                        outbox.frame(), outbox.appendIndex(), region, offset, length, slot, generation);
                    outbox.append(GET_LENGTH, false);
                    link.sendFrame();
                    return;
                }
            }
            finally
            {
                engine.unlock();
            }
        }

        final int index = claimRing(link, GET_LENGTH, slot, pending, "get");
        RecordWriter.get(outbox.ringBuffer(), index, region, offset, length, slot, generation);
        outbox.commitRing(index);
        engine.poll();
    }

    @Override
    public void signal(
        final int pe, final int region, final long offset, final long value, final int signalOperation)
    {
        final Link link = engine.link(pe);
        final Outbox outbox = link.outbox;
        UnsafeApi.storeFence();
        if (engine.tryLock())
        {
            try
            {
                if (makeRoom(link, SIGNAL_LENGTH))
                {
                    RecordWriter.signal(
                        outbox.frame(), outbox.appendIndex(), region, offset, value, signalOperation);
                    outbox.append(SIGNAL_LENGTH, isAwaited(region));
                    link.sendFrame();
                    return;
                }
            }
            finally
            {
                engine.unlock();
            }
        }

        final int index = claimRing(outbox, SIGNAL_LENGTH, "signal");
        RecordWriter.signal(outbox.ringBuffer(), index, region, offset, value, signalOperation);
        outbox.commitRing(index);
        sendSubmitted(outbox);
    }

    @Override
    public void putSignal(
        final int pe,
        final int region,
        final long offset,
        final Object sourceBase,
        final long sourceAddress,
        final long length,
        final int signalRegion,
        final long signalOffset,
        final long value,
        final int signalOperation)
    {
        put(pe, region, offset, sourceBase, sourceAddress, length);
        signal(pe, signalRegion, signalOffset, value, signalOperation);
    }

    @Override
    public void atomicInt(final int pe, final int op, final int region, final long offset, final int value)
    {
        atomic(engine.link(pe), op, Integer.BYTES, region, offset, value);
    }

    @Override
    public int fetchAtomicInt(
        final int pe, final int op, final int region, final long offset, final int value, final int cond)
    {
        return (int)fetchAtomic(engine.link(pe), op, Integer.BYTES, region, offset, value, cond, "fetching atomic");
    }

    @Override
    public void fetchAtomicIntNbi(
        final int pe,
        final int op,
        final int region,
        final long offset,
        final int value,
        final int cond,
        final long fetchAddress,
        final Pending pending)
    {
        final Link link = engine.link(pe);
        final int slot = acquireSlot(link.requests, "fetching atomic");
        pending.begin();
        link.requests.fetchNbi(slot, false, fetchAddress, pending);
        submitFetch(link, op, Integer.BYTES, region, offset, value, cond, slot, pending);
    }

    @Override
    public void atomicLong(final int pe, final int op, final int region, final long offset, final long value)
    {
        atomic(engine.link(pe), op, Long.BYTES, region, offset, value);
    }

    @Override
    public long fetchAtomicLong(
        final int pe, final int op, final int region, final long offset, final long value, final long cond)
    {
        return fetchAtomic(engine.link(pe), op, Long.BYTES, region, offset, value, cond, "fetching atomic");
    }

    @Override
    public void fetchAtomicLongNbi(
        final int pe,
        final int op,
        final int region,
        final long offset,
        final long value,
        final long cond,
        final long fetchAddress,
        final Pending pending)
    {
        final Link link = engine.link(pe);
        final int slot = acquireSlot(link.requests, "fetching atomic");
        pending.begin();
        link.requests.fetchNbi(slot, true, fetchAddress, pending);
        submitFetch(link, op, Long.BYTES, region, offset, value, cond, slot, pending);
    }

    private void atomic(
        final Link link, final int op, final int width, final int region, final long offset, final long value)
    {
        final Outbox outbox = link.outbox;
        if (engine.tryLock())
        {
            try
            {
                if (makeRoom(link, ATOMIC_LENGTH))
                {
                    RecordWriter.atomic(outbox.frame(), outbox.appendIndex(), op, width, region, offset, value);
                    outbox.append(ATOMIC_LENGTH, isAwaited(region));
                    return;
                }
            }
            finally
            {
                engine.unlock();
            }
        }

        final int index = claimRing(outbox, ATOMIC_LENGTH, "atomic");
        RecordWriter.atomic(outbox.ringBuffer(), index, op, width, region, offset, value);
        outbox.commitRing(index);
    }

    private long fetchAtomic(
        final Link link,
        final int op,
        final int width,
        final int region,
        final long offset,
        final long value,
        final long cond,
        final String what)
    {
        final RequestTable requests = link.requests;
        final int slot = acquireSlot(requests, what);
        requests.fetch(slot);
        submitFetch(link, op, width, region, offset, value, cond, slot, null);
        awaitReply(link, slot, what);
        final long result = requests.result(slot);
        requests.release(slot);
        return result;
    }

    private void submitFetch(
        final Link link,
        final int op,
        final int width,
        final int region,
        final long offset,
        final long value,
        final long cond,
        final int slot,
        final Pending pending)
    {
        final Outbox outbox = link.outbox;
        final int generation = link.requests.generation(slot);
        if (engine.tryLock())
        {
            try
            {
                if (makeRoom(link, FETCH_LENGTH))
                {
                    RecordWriter.fetchAtomic(
                        outbox.frame(), outbox.appendIndex(), op, width, region, offset, value, cond, slot, generation);
                    outbox.append(FETCH_LENGTH, false);
                    if (null == pending)
                    {
                        link.sendFrame();
                    }
                    return;
                }
            }
            finally
            {
                engine.unlock();
            }
        }

        final int index = claimRing(link, FETCH_LENGTH, slot, pending, "fetching atomic");
        RecordWriter.fetchAtomic(
            outbox.ringBuffer(), index, op, width, region, offset, value, cond, slot, generation);
        outbox.commitRing(index);
    }

    @Override
    public void fence(final int pe)
    {
        UnsafeApi.storeFence();
    }

    @Override
    public void quiet(final int pe)
    {
        final Outbox outbox = engine.link(pe).outbox;
        final long ringPosition = outbox.ringProducerPosition();
        final long deadlineNs = waiting.operationDeadline();
        int round = 0;
        while (outbox.ringConsumerPosition() < ringPosition)
        {
            round = waiting.idle(round, deadlineNs, "quiet");
        }

        final long sequence = outbox.awaited();
        if (outbox.acknowledged() < sequence)
        {
            sendAskingForAcknowledgement(engine.link(pe));
            while (outbox.acknowledged() < sequence)
            {
                round = waiting.idle(round, deadlineNs, "quiet");
            }
        }
        waiting.end(round);
        UnsafeApi.fullFence();
    }

    @Override
    public boolean isQuiet(final int pe)
    {
        engine.poll();
        final Outbox outbox = engine.link(pe).outbox;
        return outbox.isRingEmpty() && outbox.awaited() <= outbox.acknowledged();
    }

    /**
     * Complete every operation that any thread of this PE issued to any peer before the call, nonblocking ones too.
     */
    public void quietAll()
    {
        for (final Link link : engine.links())
        {
            quiet(link.pe);
            awaitRequests(link.requests);
        }
    }

    private void awaitRequests(final RequestTable requests)
    {
        final long deadlineNs = waiting.operationDeadline();
        for (long left = requests.inUse(); 0 != left; left &= left - 1)
        {
            final int slot = Long.numberOfTrailingZeros(left);
            final int generation = requests.currentGeneration(slot);
            int round = 0;
            while (!requests.isOver(slot, generation))
            {
                round = waiting.idle(round, deadlineNs, "barrierAll");
            }
            waiting.end(round);
        }
    }

    /**
     * Hand on what was submitted, without waiting for anything.
     */
    public void flush()
    {
        engine.poll();
    }

    private void sendAskingForAcknowledgement(final Link link)
    {
        if (engine.tryLock())
        {
            try
            {
                link.outbox.drainRing();
                if (!link.outbox.isFrameEmpty())
                {
                    link.outbox.requestAcknowledgement();
                    link.sendFrame();
                }
            }
            finally
            {
                engine.unlock();
            }
        }
    }

    /**
     * Drive until the ring has taken what this thread just submitted, or somebody else is seen to be slow at it: the
     * background agent will come by.
     */
    private void sendSubmitted(final Outbox outbox)
    {
        final long ringPosition = outbox.ringProducerPosition();
        for (int i = 0; i < SEND_ATTEMPTS; i++)
        {
            engine.poll();
            if (outbox.ringConsumerPosition() >= ringPosition)
            {
                return;
            }
            Thread.onSpinWait();
        }
    }

    /**
     * Make the open frame ready for a record of the calling thread: the ring drained, so that order is kept, and room.
     * Under the lock.
     *
     * @return false if the frame is full and the publication pushes back, or the ring holds a record under
     * construction.
     */
    private static boolean makeRoom(final Link link, final int recordLength)
    {
        final Outbox outbox = link.outbox;
        while (true)
        {
            outbox.drainRing();
            if (outbox.isRingEmpty() && outbox.hasRoom(recordLength))
            {
                return true;
            }

            if (outbox.isFrameEmpty() || !link.sendFrame())
            {
                return false;
            }
        }
    }

    private int claimRing(final Outbox outbox, final int recordLength, final String what)
    {
        int index = outbox.tryClaimRing(recordLength);
        if (index < 0)
        {
            final long deadlineNs = waiting.operationDeadline();
            int round = 0;
            do
            {
                round = waiting.idle(round, deadlineNs, what);
                index = outbox.tryClaimRing(recordLength);
            }
            while (index < 0);
        }
        return index;
    }

    /**
     * Claim for a request: its slot is free again if the claim fails.
     */
    private int claimRing(
        final Link link, final int recordLength, final int slot, final Pending pending, final String what)
    {
        try
        {
            return claimRing(link.outbox, recordLength, what);
        }
        catch (final RuntimeException ex)
        {
            link.requests.release(slot);
            if (null != pending)
            {
                pending.end();
            }
            throw ex;
        }
    }

    private int acquireSlot(final RequestTable requests, final String what)
    {
        int slot = requests.tryAcquire();
        if (slot < 0)
        {
            final long deadlineNs = waiting.operationDeadline();
            int round = 0;
            do
            {
                round = waiting.idle(round, deadlineNs, what);
                slot = requests.tryAcquire();
            }
            while (slot < 0);
        }
        return slot;
    }

    private void awaitReply(final Link link, final int slot, final String what)
    {
        if (link.requests.isDone(slot))
        {
            return;
        }

        final long deadlineNs = waiting.operationDeadline();
        int round = 0;
        try
        {
            do
            {
                round = waiting.idle(round, deadlineNs, what);
            }
            while (!link.requests.isDone(slot));
            waiting.end(round);
        }
        catch (final RuntimeException ex)
        {
            abandon(link, slot);
            throw ex;
        }
    }

    private void abandon(final Link link, final int slot)
    {
        if (!engine.lock())
        {
            return;
        }

        try
        {
            link.requests.abandon(slot);
            link.outbox.awaitAll();
        }
        finally
        {
            engine.unlock();
        }
    }
}
