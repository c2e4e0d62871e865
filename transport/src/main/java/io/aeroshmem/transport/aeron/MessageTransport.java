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
import io.aeroshmem.transport.Batch;
import io.aeroshmem.transport.Pending;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.Transport;
import io.aeroshmem.transport.progress.BlockingWait;
import org.agrona.UnsafeApi;

import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;

import static io.aeroshmem.transport.aeron.RecordDescriptor.*;

/**
 * Transport by messages. It fills the {@link Outbox} of each peer, which has an open frame and, in front of it, a
 * submission ring.
 */
public final class MessageTransport implements Transport
{
    /** Limit of a block that is copied into a record rather than sent as chunks, in bytes. */
    static final int SMALL_BLOCK = 512;

    private static final String QUIET = "quiet";
    private static final int CHUNKS_PER_CYCLE = 16;
    private static final int SEND_ATTEMPTS = 64;

    /*
     * Records. A small operation becomes a record. If the lock of the ProgressEngine is free, the caller takes it,
     * drains the submission ring and writes the record straight into the open frame. If the lock is taken, or back
     * pressure leaves no room in the frame, the record goes into the ring. The holder of the lock, or the next thread
     * that drives the engine, then moves the record to the frame. A fetch that joins a run (see below) does not use the
     * ring: it waits for the lock.
     *
     * Runs. An update is a put of one element, or an atomic operation that returns nothing. Consecutive updates of one
     * kind in the open frame make up one record, a run; see Outbox.appendUpdate. So do consecutive nonblocking fetches
     * of one kind; see FetchRuns. A nonblocking get of an aligned word is such a fetch. A nonblocking compare-and-swap
     * is not; it is a record of its own. Because of the runs, the program need not aggregate operations.
     *
     * Frames. A frame leaves when it is full, when any thread drives progress (in a quiet, in a wait, or while it
     * awaits a reply), and when the background agent runs. So at most one frame of operations is unsent for each peer.
     * The frame leaves at once with one of these records:
     * - a signal or a blocking request, because a PE waits for it;
     * - a nonblocking get of a block, outside a session, if it is the only request in the RequestTable of its peer;
     * - the first fetch of a run, outside a session, if no other run of fetches to its peer is outstanding.
     * A nonblocking compare-and-swap never makes the frame leave at once.
     *
     * Large blocks. A block of more than SMALL_BLOCK bytes is sent as chunks, straight from the source. Each chunk is a
     * frame of its own, and carries the offset at which the peer writes it. (Only a Java array of a type other than
     * byte is copied first, into the empty open frame.) Before the first chunk, the ring is drained up to the caller's
     * last record, so that the order of one thread's operations is kept.
     *
     * Waits. A caller may meet back pressure, a full ring, a full request table, the limit of outstanding runs of
     * fetches, or a lock that it needs and that is held. Between its attempts it drives the engine, and checks its
     * deadline and whether the job has failed. It never holds the lock while it waits.
     */
    private final ProgressEngine engine;
    private final BlockingWait blockingWait;
    private final RecordClaims claims;
    private final GroupTransport group;
    private final Set<BatchTransport> endedBatches = new CopyOnWriteArraySet<>();

    public MessageTransport(final ProgressEngine engine, final BlockingWait blockingWait)
    {
        this.engine = engine;
        this.blockingWait = blockingWait;
        claims = new RecordClaims(engine, blockingWait);
        group = null == engine.group() ? null : new GroupTransport(engine, engine.group(), this, blockingWait);
    }

    /** Returns the transport to several peers by one message, or null if there is no group. */
    public GroupTransport group()
    {
        return group;
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
     * Returns true if a quiet waits for a store in the region. No caller requests the completion of the library's
     * stores in system areas: its own protocols detect their arrival.
     */
    private static boolean isAwaited(final int region)
    {
        return Region.SYSTEM != region;
    }

    private void putElement(
        final PeerLink link, final int region, final long offset, final long value, final int width)
    {
        update(link, elementKind(region, width), offset, value, isAwaited(region), "put");
    }

    /**
     * Submits an element or an atomic. In the open frame it continues a run of its kind. A caller that has filled a
     * frame receives as well: two PEs that only update each other perform what they get between their frames, and the
     * agent may stay away.
     */
    private void update(
        final PeerLink link,
        final long kind,
        final long offset,
        final long value,
        final boolean isAwaited,
        final String callName)
    {
        boolean isAppended = false;
        boolean isFull = false;
        if (engine.tryLock())
        {
            try
            {
                final Outbox outbox = link.outbox;
                isAppended = outbox.tryDrainRing() && outbox.appendUpdate(kind, offset, value, isAwaited);
                if (!isAppended)
                {
                    isFull = true;
                    isAppended = link.makeRoom(UPDATE_LENGTH) &&
                        outbox.appendUpdate(kind, offset, value, isAwaited);
                }
            }
            finally
            {
                engine.unlock();
            }
        }

        if (!isAppended)
        {
            submitUpdate(link.outbox, kind, offset, value, callName);
        }

        if (isFull)
        {
            engine.pollAsSender();
        }
    }

    private void submitUpdate(
        final Outbox outbox, final long kind, final long offset, final long value, final String callName)
    {
        final int index = claims.claimRing(outbox, UPDATE_LENGTH, callName);
        RecordWriter.update(outbox.ringBuffer(), index, kind, offset, value);
        outbox.commitRing(index);
    }

    private long getElement(final PeerLink link, final int region, final long offset, final int width)
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
        final PeerLink link,
        final int region,
        final long offset,
        final Object sourceBase,
        final long sourceAddress,
        final int length)
    {
        final int recordLength = RecordDescriptor.align(PUT_DATA + length);
        final int claim = claims.claim(link, recordLength, "put");
        boolean isWritten = false;
        try
        {
            // The source is the caller's memory, which may be a mapping that faults.
            RecordWriter.put(
                RecordClaims.buffer(link, claim),
                RecordClaims.index(claim),
                region,
                offset,
                sourceBase,
                sourceAddress,
                length);
            isWritten = true;
        }
        finally
        {
            if (!isWritten)
            {
                claims.abort(link, claim);
            }
        }

        claims.commit(link, claim, recordLength, isAwaited(region), false);
    }

    private void putChunks(
        final PeerLink link,
        final int region,
        final long offset,
        final Object sourceBase,
        final long sourceAddress,
        final long length)
    {
        final long ringPosition = link.outbox.ringProducerPosition();
        final long deadlineNs = blockingWait.operationDeadline();
        long done = 0;
        int round = 0;
        while (true)
        {
            final long sent = tryPutChunks(
                link, ringPosition, region, offset + done, sourceBase, sourceAddress + done, length - done);
            if (sent > 0)
            {
                blockingWait.reset(round);
                round = 0;
                done += sent;
            }

            if (done == length)
            {
                return;
            }

            round = blockingWait.idle(round, deadlineNs, "put");
        }
    }

    private long tryPutChunks(
        final PeerLink link,
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
            if (!link.drainTo(ringPosition))
            {
                return 0;
            }

            long done = 0;
            for (int i = 0; i < CHUNKS_PER_CYCLE && done < length; i++)
            {
                final int chunk = (int)Math.min(length - done, outbox.maxPutChunk());
                RecordWriter.putHead(outbox.chunkHead(), FRAME_LENGTH, region, offset + done, chunk);
                if (!link.sendChunk(
                    FRAME_LENGTH + PUT_DATA, sourceBase, sourceAddress + done, chunk, isAwaited(region)))
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
            final PeerLink link = engine.link(pe);
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
        final Object dest,
        final long destAddress,
        final long length,
        final Pending pending)
    {
        final PeerLink link = engine.link(pe);
        if (isWord(offset, length))
        {
            fetchNbi(link, atomicKind(region, AtomicOp.FETCH, (int)length), offset, 0, dest, destAddress, pending);
        }
        else if (length > 0)
        {
            final int slot = acquireSlot(link.requests, "getNbi");
            pending.begin();
            link.requests.getNbi(slot, dest, destAddress, length, pending);
            submitGet(link, region, offset, length, slot, pending);
        }
    }

    /**
     * Submits a nonblocking fetch, in a run of its kind. The first one to an idle peer is sent at once, unless it is
     * part of a batch; those issued before its answer gather in the open frame, which leaves when it is full, or when
     * any thread drives.
     */
    private void fetchNbi(
        final PeerLink link,
        final long kind,
        final long offset,
        final long value,
        final Object fetch,
        final long fetchAddress,
        final Pending pending)
    {
        if (tryFetchNbi(link, kind, offset, value, fetch, fetchAddress, pending))
        {
            return;
        }

        if (!link.fetchRuns.hasRoom())
        {
            engine.messageCounters().onReplySlotWait();
        }

        final long deadlineNs = blockingWait.operationDeadline();
        int round = 0;
        engine.pollAsSender();
        while (!tryFetchNbi(link, kind, offset, value, fetch, fetchAddress, pending))
        {
            round = blockingWait.idle(round, deadlineNs, "nonblocking fetch");
        }

        blockingWait.reset(round);
    }

    private boolean tryFetchNbi(
        final PeerLink link,
        final long kind,
        final long offset,
        final long value,
        final Object fetch,
        final long fetchAddress,
        final Pending pending)
    {
        if (!engine.tryLock())
        {
            return false;
        }

        try
        {
            final Outbox outbox = link.outbox;
            final FetchRuns runs = link.fetchRuns;
            final boolean isFirst = runs.isIdle();
            boolean isAppended = outbox.tryDrainRing() &&
                runs.append(outbox, kind, offset, value, fetch, fetchAddress, pending);
            if (!isAppended && runs.hasRoom() && link.makeRoom(FETCH_RUN_LENGTH + UPDATE_RUN_PAIR))
            {
                isAppended = runs.append(outbox, kind, offset, value, fetch, fetchAddress, pending);
            }

            if (isAppended && isFirst && !pending.isBatch())
            {
                link.sendFrame();
            }

            return isAppended;
        }
        finally
        {
            engine.unlock();
        }
    }

    private void submitGet(
        final PeerLink link,
        final int region,
        final long offset,
        final long length,
        final int slot,
        final Pending pending)
    {
        final int generation = link.requests.generation(slot);
        final int claim = claims.claim(link, GET_LENGTH, slot, pending, "get");
        RecordWriter.get(
            RecordClaims.buffer(link, claim),
            RecordClaims.index(claim),
            region,
            offset,
            length,
            slot,
            generation);
        final boolean isUrgent = null == pending || !pending.isBatch() && 1L << slot == link.requests.inUse();
        try
        {
            claims.commit(link, claim, GET_LENGTH, false, isUrgent);
            if (claim < 0)
            {
                engine.poll();
            }
        }
        catch (final RuntimeException | Error ex)
        {
            if (null == pending)
            {
                abandon(link, slot);
            }

            throw ex;
        }
    }

    @Override
    public void signal(
        final int pe, final int region, final long offset, final long value, final int signalOperation)
    {
        final PeerLink link = engine.link(pe);
        UnsafeApi.storeFence();
        final int claim = claims.claim(link, SIGNAL_LENGTH, "signal");
        RecordWriter.signal(
            RecordClaims.buffer(link, claim),
            RecordClaims.index(claim),
            region,
            offset,
            value,
            signalOperation);
        claims.commit(link, claim, SIGNAL_LENGTH, isAwaited(region), true);
        if (claim < 0)
        {
            sendSubmitted(link.outbox);
        }
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
        fetchAtomicNbi(engine.link(pe), op, Integer.BYTES, region, offset, value, cond, fetchAddress, pending);
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
        fetchAtomicNbi(engine.link(pe), op, Long.BYTES, region, offset, value, cond, fetchAddress, pending);
    }

    private void atomic(
        final PeerLink link, final int op, final int width, final int region, final long offset, final long value)
    {
        update(link, atomicKind(region, op, width), offset, value, isAwaited(region), "atomic");
    }

    private long fetchAtomic(
        final PeerLink link,
        final int op,
        final int width,
        final int region,
        final long offset,
        final long value,
        final long cond,
        final String callName)
    {
        final RequestTable requests = link.requests;
        final int slot = acquireSlot(requests, callName);
        requests.fetch(slot);
        submitFetch(link, op, width, region, offset, value, cond, slot, null);
        awaitReply(link, slot, callName);
        final long result = requests.result(slot);
        requests.release(slot);
        return result;
    }

    /** A compare-and-swap, which no run takes since it has two values, is a request of its own. */
    private void fetchAtomicNbi(
        final PeerLink link,
        final int op,
        final int width,
        final int region,
        final long offset,
        final long value,
        final long cond,
        final long fetchAddress,
        final Pending pending)
    {
        if (AtomicOp.COMPARE_SWAP != op)
        {
            fetchNbi(link, atomicKind(region, op, width), offset, value, null, fetchAddress, pending);
            return;
        }

        final int slot = acquireSlot(link.requests, "fetching atomic");
        pending.begin();
        link.requests.fetchNbi(slot, Long.BYTES == width, fetchAddress, pending);
        submitFetch(link, op, width, region, offset, value, cond, slot, pending);
    }

    private void submitFetch(
        final PeerLink link,
        final int op,
        final int width,
        final int region,
        final long offset,
        final long value,
        final long cond,
        final int slot,
        final Pending pending)
    {
        final int generation = link.requests.generation(slot);
        final int claim = claims.claim(link, FETCH_LENGTH, slot, pending, "fetching atomic");
        RecordWriter.fetchAtomic(
            RecordClaims.buffer(link, claim),
            RecordClaims.index(claim),
            op,
            width,
            region,
            offset,
            value,
            cond,
            slot,
            generation);
        claims.commit(link, claim, FETCH_LENGTH, false, null == pending);
    }

    @Override
    public void fence(final int pe)
    {
        UnsafeApi.storeFence();
    }

    @Override
    public void quiet(final int pe)
    {
        quiet(pe, QUIET);
    }

    private void quiet(final int pe, final String callName)
    {
        final PeerLink link = engine.link(pe);
        final Outbox outbox = link.outbox;
        final long ringPosition = outbox.ringProducerPosition();
        final long deadlineNs = blockingWait.operationDeadline();
        int round = awaitBatches(link.batches(), deadlineNs, callName);
        while (outbox.ringConsumerPosition() < ringPosition)
        {
            round = blockingWait.idle(round, deadlineNs, callName);
        }

        final long sequence = outbox.awaited();
        if (outbox.acknowledged() < sequence)
        {
            sendAskingForAcknowledgement(link);
            while (outbox.acknowledged() < sequence)
            {
                round = blockingWait.idle(round, deadlineNs, callName);
            }
        }

        blockingWait.reset(round);
        UnsafeApi.fullFence();
    }

    /** Waits until what has gathered in sessions has left them; returns the round of the wait. */
    private int awaitBatches(final BatchRing[] batches, final long deadlineNs, final String callName)
    {
        int round = 0;
        for (final BatchRing batch : batches)
        {
            final long position = batch.tail();
            while (batch.head() < position)
            {
                round = blockingWait.idle(round, deadlineNs, callName);
            }
        }

        return round;
    }

    @Override
    public boolean isQuiet(final int pe)
    {
        engine.poll();
        final PeerLink link = engine.link(pe);
        return link.isSubmitted() && link.outbox.awaited() <= link.outbox.acknowledged();
    }

    /** Returns the position of the submission ring behind what the calling thread has submitted to a peer. */
    public long submitted(final int pe)
    {
        return engine.link(pe).outbox.ringProducerPosition();
    }

    /** Returns the sequence behind what was submitted before a position, or -1 if some of that is still in the ring. */
    public long sequence(final int pe, final long submitted)
    {
        final Outbox outbox = engine.link(pe).outbox;
        return outbox.ringConsumerPosition() < submitted ? -1 : outbox.awaited();
    }

    /** Returns true if a peer has performed what is before a sequence. */
    public boolean isAcknowledged(final int pe, final long sequence)
    {
        return engine.link(pe).outbox.acknowledged() >= sequence;
    }

    /** Sends what was submitted to a peer, and asks for its acknowledgement, without waiting for anything. */
    public void requestAcknowledgement(final int pe)
    {
        sendAskingForAcknowledgement(engine.link(pe));
    }

    /**
     * Completes every operation that any thread of this PE issued to any peer before the call, nonblocking ones too.
     *
     * @param callName name of the program's call.
     */
    public void quietAll(final String callName)
    {
        blockingWait.reset(awaitBatches(engine.mappedBatches(), blockingWait.operationDeadline(), callName));
        for (final PeerLink link : engine.links())
        {
            quiet(link.pe, callName);
            awaitRequests(link.requests, callName);
            awaitFetchRuns(link.fetchRuns, callName);
        }
    }

    private void awaitRequests(final RequestTable requests, final String callName)
    {
        final long deadlineNs = blockingWait.operationDeadline();
        for (long left = requests.inUse(); 0 != left; left &= left - 1)
        {
            final int slot = Long.numberOfTrailingZeros(left);
            final int generation = requests.currentGeneration(slot);
            int round = 0;
            while (!requests.hasEnded(slot, generation))
            {
                round = blockingWait.idle(round, deadlineNs, callName);
            }

            blockingWait.reset(round);
        }
    }

    private void awaitFetchRuns(final FetchRuns runs, final String callName)
    {
        final long opened = runs.opened();
        final long deadlineNs = blockingWait.operationDeadline();
        int round = 0;
        while (runs.completed() < opened)
        {
            round = blockingWait.idle(round, deadlineNs, callName);
        }

        blockingWait.reset(round);
    }

    /**
     * Begins a session of the calling thread.
     *
     * @param transports    of all PEs, which may change while no operation is under way.
     * @param mayClaimWords true if the program updates words of its heap by operations of the library only.
     */
    public Batch batch(final Transport[] transports, final boolean mayClaimWords)
    {
        endedBatches.removeIf(BatchTransport::removeRings);
        return new BatchTransport(transports, engine, blockingWait, mayClaimWords, endedBatches);
    }

    /** Sends what was submitted, without waiting for anything. */
    public void flush()
    {
        engine.poll();
    }

    private void sendAskingForAcknowledgement(final PeerLink link)
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
     * Drives until the record that this thread just submitted has left the ring. The attempts are limited: after them
     * the background agent sends it.
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

            blockingWait.pause().spin();
        }
    }

    private int acquireSlot(final RequestTable requests, final String callName)
    {
        int slot = requests.tryAcquire();
        if (slot < 0)
        {
            engine.messageCounters().onReplySlotWait();
            final long deadlineNs = blockingWait.operationDeadline();
            int round = 0;
            do
            {
                round = blockingWait.idle(round, deadlineNs, callName);
                slot = requests.tryAcquire();
            }
            while (slot < 0);
            blockingWait.reset(round);
        }

        return slot;
    }

    private void awaitReply(final PeerLink link, final int slot, final String callName)
    {
        if (link.requests.isDone(slot))
        {
            return;
        }

        final long deadlineNs = blockingWait.operationDeadline();
        int round = 0;
        try
        {
            do
            {
                round = blockingWait.idle(round, deadlineNs, callName);
            }
            while (!link.requests.isDone(slot));
            blockingWait.reset(round);
        }
        catch (final RuntimeException | Error ex)
        {
            abandon(link, slot);
            throw ex;
        }
    }

    /**
     * Abandons a blocking request. From then on no reply writes to its destination: the replies are handled under the
     * lock, and not at all if it has retired.
     */
    private void abandon(final PeerLink link, final int slot)
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
