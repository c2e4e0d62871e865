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
import io.aeroshmem.transport.ForwardingTransport;
import io.aeroshmem.transport.Pending;
import io.aeroshmem.transport.Transport;
import io.aeroshmem.transport.mapped.MappedTransport;
import io.aeroshmem.transport.progress.BlockingWait;
import org.agrona.LangUtil;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Set;

import static io.aeroshmem.transport.aeron.RecordDescriptor.*;

/**
 * The transport that a session with the option {@code BATCH} ({@code shmem_ctx_session_start}) uses for all PEs. It is
 * in front of the transport to each PE. The session's thread is the thread that began the session. Two sorts of its
 * operations gather in a {@link BatchRing} for each PE before they reach the transport to that PE:
 * <ul>
 * <li>updates: puts of one element, and atomic operations that return nothing;</li>
 * <li>nonblocking fetches: gets of one word, and fetching atomic operations other than compare-and-swap.</li>
 * </ul>
 * An append to the ring takes no lock. The lock of the {@link ProgressEngine} is taken when a ring is full, or when an
 * operation follows that cannot join the ring's entries. The engine's duty cycles drain the rings too. Every wait runs
 * duty cycles, so it sends the gathered operations.
 */
final class BatchTransport extends ForwardingTransport implements Batch
{
    private static final String SUBMISSION = "submission of a batch";
    private static final MethodHandle OFFER_FIRST;

    /*
     * Operations on mapped memory gather as well, this PE's own memory included. Otherwise a branch would have to
     * distinguish mapped PEs from others. If operations on both alternate at random, that branch is mispredicted, which
     * costs more than the gathering. Nothing gathers while a device heap is attached, because the transports of package
     * device support no rings.
     *
     * Order. The operations of the session's thread keep their order. Before an operation that does not gather, the
     * operations gathered for its PE are submitted. The operation itself may stay in the submission ring of the Outbox
     * for a while. Nothing gathers for the PE until that ring is empty, because gathered operations do not pass through
     * it and could overtake the operation. An operation of another thread is ordered after the gathered operations only
     * by a fence, a quiet, or a wait for their completion.
     *
     * End. After the end of the session, its rings are removed once they are empty. No ring may be removed while the
     * session's thread could still append to it. So only this thread removes the rings, or another thread after this
     * thread has ended. Rings are therefore left over if another thread ends the session, and also if gathered
     * operations cannot be submitted. Each time a session of the PE begins, the thread that begins it removes those
     * left-over rings that it may remove.
     */
    static
    {
        final MethodType type = MethodType.methodType(
            boolean.class, int.class, long.class, long.class, long.class, Object.class, long.class, Pending.class);
        try
        {
            OFFER_FIRST = MethodHandles.lookup().findVirtual(BatchTransport.class, "offerFirst", type);
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new ExceptionInInitializerError(ex);
        }
    }

    private final Transport[] transports;
    private final ProgressEngine engine;
    private final BlockingWait blockingWait;
    private final boolean mayClaimWords;
    /** Batches that have ended and still have rings. */
    private final Set<BatchTransport> ended;
    private final Thread thread = Thread.currentThread();
    /** By PE; null where nothing has gathered yet. */
    private final BatchRing[] rings;
    /**
     * {@link #offerFirst}, in a field that C2 does not take for a constant, so that it does not inline the call. C2 of
     * JDK 17 inlines whatever has been called a hundred times; the submission would take the registers of the path that
     * most operations go.
     */
    private final MethodHandle offerFirst = OFFER_FIRST;
    private volatile boolean isEnded;

    BatchTransport(
        final Transport[] transports,
        final ProgressEngine engine,
        final BlockingWait blockingWait,
        final boolean mayClaimWords,
        final Set<BatchTransport> ended)
    {
        this.transports = transports;
        this.engine = engine;
        this.blockingWait = blockingWait;
        this.mayClaimWords = mayClaimWords;
        this.ended = ended;
        rings = new BatchRing[transports.length];
    }

    private boolean gather(final int pe, final long kind, final long offset, final long value)
    {
        if (Thread.currentThread() != thread)
        {
            return false;
        }

        final BatchRing ring = rings[pe];
        return null != ring && ring.offerUpdate(kind, offset, value) ||
            offerFirstOutOfLine(pe, kind, offset, value, null, 0, null);
    }

    private boolean gatherFetch(
        final int pe,
        final long kind,
        final long offset,
        final long operand,
        final Object dest,
        final long destAddress,
        final Pending pending)
    {
        if (Thread.currentThread() != thread)
        {
            return false;
        }

        final BatchRing ring = rings[pe];
        return null != ring && ring.offerFetch(kind, offset, operand, dest, destAddress, pending) ||
            offerFirstOutOfLine(pe, kind, offset, operand, dest, destAddress, pending);
    }

    private boolean offerFirstOutOfLine(
        final int pe,
        final long kind,
        final long offset,
        final long value,
        final Object dest,
        final long destAddress,
        final Pending pending)
    {
        try
        {
            return (boolean)offerFirst.invokeExact(this, pe, kind, offset, value, dest, destAddress, pending);
        }
        catch (final Throwable ex)
        {
            LangUtil.rethrowUnchecked(ex);
            return false;
        }
    }

    /**
     * Appends the first of the operations that have this in common: an update, or a fetch, which has a count. Returns
     * false if nothing gathers.
     */
    private boolean offerFirst(
        final int pe,
        final long kind,
        final long offset,
        final long value,
        final Object dest,
        final long destAddress,
        final Pending pending)
    {
        if (null == pending)
        {
            return prepareRing(pe, kind, false, null, null) && rings[pe].offerUpdate(kind, offset, value);
        }

        return pending.isBatch() && prepareRing(pe, kind, AtomicOp.FETCH != kindOperation(kind), dest, pending) &&
            rings[pe].offerFetch(kind, offset, value, dest, destAddress, pending);
    }

    /**
     * Prepares the ring of a PE for entries that have this in common, and submits what has gathered. Returns false if
     * nothing gathers for the PE, an earlier operation on it may still be in the submission ring, or the session has
     * ended.
     */
    private boolean prepareRing(
        final int pe, final long kind, final boolean hasOperand, final Object dest, final Pending pending)
    {
        if (null == rings[pe])
        {
            final BatchTarget target = isEnded ? null : target(pe);
            if (null == target)
            {
                return false;
            }

            rings[pe] = new BatchRing(target);
            target.add(rings[pe]);
        }

        final BatchRing ring = rings[pe];
        submit(ring);
        if (!isEnded && ring.target().isPathEmpty())
        {
            if (mayClaimWords && engine.pe() == pe && isAtomic(kind) && AtomicOp.FETCH != kindOperation(kind))
            {
                engine.ownership().claim();
            }

            ring.begin(kind, hasOperand, dest, pending);
            return true;
        }

        ring.end();
        return false;
    }

    private BatchTarget target(final int pe)
    {
        final Transport transport = transports[pe].performer();
        if (transport instanceof MessageTransport)
        {
            return engine.link(pe);
        }

        return transport instanceof final MappedTransport mapped ?
            new MappedBatchTarget(mapped, engine, pe) : null;
    }

    /** Returns the transport for an operation that follows what has gathered. */
    @Override
    protected Transport next(final int pe)
    {
        final BatchRing ring = rings[pe];
        if (null != ring && Thread.currentThread() == thread)
        {
            submit(ring);
            ring.end();
        }

        return transports[pe];
    }

    private void submit(final BatchRing ring)
    {
        final long position = ring.tail();
        if (ring.head() >= position)
        {
            return;
        }

        final long deadlineNs = blockingWait.operationDeadline();
        int round = 0;
        int frames = engine.trySubmit(ring);
        while (frames < 0 && ring.head() < position)
        {
            round = blockingWait.idle(round, deadlineNs, SUBMISSION);
            frames = engine.trySubmit(ring);
        }

        blockingWait.reset(round);

        if (frames > 0)
        {
            // a caller that has filled a frame receives as well
            engine.pollAsSender();
        }
    }

    private void submit(final int pe)
    {
        final BatchRing ring = rings[pe];
        if (null != ring)
        {
            submit(ring);
        }
    }

    @Override
    public void submit()
    {
        for (int pe = 0; pe < rings.length; pe++)
        {
            submit(pe);
        }
    }

    @Override
    public boolean isSubmitted()
    {
        for (final BatchRing ring : rings)
        {
            if (null != ring && !ring.isEmpty())
            {
                return false;
            }
        }

        return true;
    }

    @Override
    public void end()
    {
        isEnded = true;
        try
        {
            submit();
        }
        finally
        {
            engine.ownership().release();
            if (!removeRings())
            {
                ended.add(this);
            }
        }
    }

    /**
     * Removes the rings of a session that has ended, as far as they are empty and stay so. Returns true if none is
     * left.
     */
    synchronized boolean removeRings()
    {
        if (Thread.currentThread() != thread && thread.isAlive())
        {
            return false;
        }

        boolean isAnyLeft = false;
        for (int pe = 0; pe < rings.length; pe++)
        {
            final BatchRing ring = rings[pe];
            if (null != ring && ring.isEmpty())
            {
                ring.target().remove(ring);
                rings[pe] = null;
            }

            isAnyLeft |= null != rings[pe];
        }

        return !isAnyLeft;
    }

    /** True: what has gathered is completed by a quiet. */
    @Override
    public boolean isMessaging()
    {
        return true;
    }

    @Override
    public void putByte(final int pe, final int region, final long offset, final byte value)
    {
        if (!gather(pe, elementKind(region, Byte.BYTES), offset, value))
        {
            transports[pe].putByte(pe, region, offset, value);
        }
    }

    @Override
    public void putShort(final int pe, final int region, final long offset, final short value)
    {
        if (!gather(pe, elementKind(region, Short.BYTES), offset, value))
        {
            transports[pe].putShort(pe, region, offset, value);
        }
    }

    @Override
    public void putInt(final int pe, final int region, final long offset, final int value)
    {
        if (!gather(pe, elementKind(region, Integer.BYTES), offset, value))
        {
            transports[pe].putInt(pe, region, offset, value);
        }
    }

    @Override
    public void putLong(final int pe, final int region, final long offset, final long value)
    {
        if (!gather(pe, elementKind(region, Long.BYTES), offset, value))
        {
            transports[pe].putLong(pe, region, offset, value);
        }
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
        if (!isWord(offset, length) ||
            !gatherFetch(
            pe, atomicKind(region, AtomicOp.FETCH, (int)length), offset, 0, dest, destAddress, pending))
        {
            next(pe).getNbi(pe, region, offset, dest, destAddress, length, pending);
        }
    }

    @Override
    public void atomicInt(final int pe, final int op, final int region, final long offset, final int value)
    {
        if (!gather(pe, atomicKind(region, op, Integer.BYTES), offset, value))
        {
            transports[pe].atomicInt(pe, op, region, offset, value);
        }
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
        if (AtomicOp.COMPARE_SWAP == op ||
            !gatherFetch(pe, atomicKind(region, op, Integer.BYTES), offset, value, null, fetchAddress, pending))
        {
            next(pe).fetchAtomicIntNbi(pe, op, region, offset, value, cond, fetchAddress, pending);
        }
    }

    @Override
    public void atomicLong(final int pe, final int op, final int region, final long offset, final long value)
    {
        if (!gather(pe, atomicKind(region, op, Long.BYTES), offset, value))
        {
            transports[pe].atomicLong(pe, op, region, offset, value);
        }
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
        if (AtomicOp.COMPARE_SWAP == op ||
            !gatherFetch(pe, atomicKind(region, op, Long.BYTES), offset, value, null, fetchAddress, pending))
        {
            next(pe).fetchAtomicLongNbi(pe, op, region, offset, value, cond, fetchAddress, pending);
        }
    }

    @Override
    public void fence(final int pe)
    {
        submit(pe);
        transports[pe].fence(pe);
    }

    @Override
    public void quiet(final int pe)
    {
        submit(pe);
        transports[pe].quiet(pe);
    }

    @Override
    public boolean isQuiet(final int pe)
    {
        final boolean isQuiet = transports[pe].isQuiet(pe);
        final BatchRing ring = rings[pe];
        return isQuiet && (null == ring || ring.isEmpty());
    }
}
