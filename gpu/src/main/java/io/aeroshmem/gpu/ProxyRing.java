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
package io.aeroshmem.gpu;

import io.aeroshmem.transport.AtomicOp;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.SignalOperation;
import io.aeroshmem.transport.Transport;
import io.aeroshmem.transport.endpoint.Endpoint;
import io.aeroshmem.transport.progress.Progress;
import org.agrona.ErrorHandler;
import org.agrona.UnsafeApi;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;

import static io.aeroshmem.gpu.RingDescriptor.*;

/**
 * The host's side of the ring through which the kernels of a PE make requests to their host. Requests are for
 * operations on memory that the device does not reach by address, for atomic operations that the device may not
 * perform, for the completion of earlier requests (quiet), and for a global exit. Each slot of the ring has an entry
 * for a request, and a result ({@link RingDescriptor}). Any number of kernel threads are producers. One host thread at
 * a time is the consumer: the background agent, or a thread of the program that drives progress. A thread becomes the
 * consumer by setting {@link #isPolling}.
 */
final class ProxyRing implements Progress
{
    private static final int BATCH = 32;

    /*
     * Protocol.
     * - A producer claims a ticket t, the position of its request, by an atomic addition to a word in device memory.
     *   The slot of the request is t modulo the capacity of the ring.
     * - The producer waits until the word consumed is greater than t minus the capacity. Then it writes the entry, and
     *   stores t + 1 to the entry's sequence.
     * - The consumer performs requests in the order of their positions. When the entry at position p has the sequence p
     *   + 1, the consumer copies the entry, checks and performs it, and continues with position p + 1.
     * - If the producer awaits the result, the consumer stores the value and the state of the slot's result. When the
     *   producer has read both, it stores t + 1 to acknowledged of that result.
     * - A request is finished when it has been performed and, if its result is awaited, the result has been
     *   acknowledged. The consumer stores to consumed the position of the first request that is not finished, so the
     *   slots of all earlier positions are free.
     * So a full ring delays the producers, and no slot is reused before both sides have finished with it.
     *
     * Ordering.
     * - The producer stores the sequence with release at system scope, after the entry and after whatever the kernel
     *   wrote before the request. The consumer loads it with acquire. So the consumer sees the entry, and the operation
     *   that it performs transfers what the kernel wrote.
     * - The consumer stores the result's state with release, after the value and after the operation. The producer
     *   loads it with acquire. So the producer sees the memory that a get has filled.
     * - The consumer loads acknowledged with acquire, and stores consumed with release. Producers load consumed with
     *   acquire, unless a copy of it in device memory already shows that the slot is free: then they load only the
     *   copy, and execute a fence. So the next entry of a slot is written after the last use of the slot.
     * - isPolling is set and cleared by volatile accesses, so each consumer sees what the previous one has done.
     *
     * Order of requests. One consumer performs all requests, as operations of one communication context. Before a
     * request with the flag FENCED the consumer performs a fence, which orders the earlier requests with respect to
     * that request and all later ones. A quiet completes the requests before it. Gets, fetching atomics and quiet are
     * complete when they have been performed. While the consumer waits in one of these operations, it drives progress,
     * as any blocked caller does.
     *
     * Faulty kernels, failed jobs. An entry is copied once, and checked completely before it is performed. A malformed
     * entry is reported, answered as failed if it is awaited, and has no other effect. A kernel that writes to the ring
     * without this protocol can stall the ring of its own PE, but nothing else. When the job fails, requests fail, and
     * the abort word ends the waits of the kernels.
     */
    private final AtomicBoolean isPolling = new AtomicBoolean();
    private final Endpoint endpoint;
    private final Transport[] transports;
    private final boolean[] isDirty;
    private final boolean[] isAwaited;
    private final long deviceBase;
    private final long deviceLength;
    private final long hostBase;
    private final long hostLength;
    private final long entries;
    private final long results;
    private final long consumedWord;
    private final long mask;
    private final DeviceErrors errors;
    private final ErrorHandler errorHandler;
    private final IntConsumer globalExit;
    private long position;
    private long consumed;

    private int operation;
    private int pe;
    private long target;
    private long source;
    private long length;
    private int width;
    private int flags;

    /**
     * @param deviceBase   address of the device heap for this process.
     * @param deviceLength of the device heap that requests may name, in bytes.
     * @param globalExit   ends the job, without waiting for that.
     */
    ProxyRing(
        final Endpoint endpoint,
        final long deviceBase,
        final long deviceLength,
        final DeviceState state,
        final DeviceErrors errors,
        final ErrorHandler errorHandler,
        final IntConsumer globalExit)
    {
        this.endpoint = endpoint;
        this.deviceBase = deviceBase;
        this.deviceLength = deviceLength;
        this.errors = errors;
        this.errorHandler = errorHandler;
        this.globalExit = globalExit;
        hostBase = endpoint.localAddress(Region.USER);
        hostLength = endpoint.regionLength(Region.USER);
        transports = new Transport[endpoint.nPes()];
        for (int peer = 0; peer < transports.length; peer++)
        {
            transports[peer] = endpoint.transport(peer);
        }

        isDirty = new boolean[transports.length];
        entries = state.entries();
        results = state.results();
        consumedWord = state.consumed();
        mask = state.ringCapacity() - 1;
        isAwaited = new boolean[state.ringCapacity()];
    }

    /** Performs requests, unless another thread does; returns their number. */
    @Override
    public int poll()
    {
        if (isPolling.get() || !isPolling.compareAndSet(false, true))
        {
            return 0;
        }

        try
        {
            return performBatch();
        }
        finally
        {
            isPolling.set(false);
        }
    }

    /** Performs what kernels that have ended left in the ring, and performs nothing more. */
    void close()
    {
        while (!isPolling.compareAndSet(false, true))
        {
            Thread.yield();
        }

        while (!endpoint.isFailed() && performBatch() > 0)
        {
            Thread.onSpinWait();
        }
    }

    /** Performs nothing more. */
    void abort()
    {
        while (!isPolling.compareAndSet(false, true))
        {
            Thread.yield();
        }
    }

    private int performBatch()
    {
        int count = 0;
        while (count < BATCH && isNextWritten())
        {
            performNext();
            count++;
        }

        publishConsumed();
        return count;
    }

    private boolean isNextWritten()
    {
        return position + 1 == UnsafeApi.getLongAcquire(null, entryAddress() + SEQUENCE_OFFSET);
    }

    private long entryAddress()
    {
        return entries + (position & mask) * ENTRY_LENGTH;
    }

    /** An interrupt of the thread concerns the call in which it waits, and not a request that it performs meanwhile. */
    private void performNext()
    {
        final boolean isInterrupted = Thread.interrupted();
        readEntry();
        boolean isDone = false;
        long value = 0;
        try
        {
            check();
            value = perform();
            isDone = true;
        }
        catch (final RuntimeException ex)
        {
            onError(ex);
        }
        finally
        {
            answer(value, isDone);
            if (isInterrupted)
            {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The failure of the job is reported elsewhere. */
    private void onError(final RuntimeException error)
    {
        if (!endpoint.isFailed())
        {
            errorHandler.onError(error);
        }

        errors.onError(new GpuException(
            "a request of a kernel of PE " + endpoint.pe() + " failed: " + error.getMessage(), error));
    }

    private void readEntry()
    {
        final long entry = entryAddress();
        operation = UnsafeApi.getInt(entry + OPERATION_OFFSET);
        pe = UnsafeApi.getInt(entry + PE_OFFSET);
        target = UnsafeApi.getLong(entry + TARGET_OFFSET);
        source = UnsafeApi.getLong(entry + SOURCE_OFFSET);
        length = UnsafeApi.getLong(entry + LENGTH_OFFSET);
        width = UnsafeApi.getInt(entry + WIDTH_OFFSET);
        flags = UnsafeApi.getInt(entry + FLAGS_OFFSET);
    }

    private void answer(final long value, final boolean isDone)
    {
        final int slot = (int)(position & mask);
        final long ticket = position + 1;
        isAwaited[slot] = 0 != (flags & AWAITED);
        if (isAwaited[slot])
        {
            final long result = results + (long)slot * RESULT_LENGTH;
            UnsafeApi.putLong(result + VALUE_OFFSET, value);
            UnsafeApi.putLongRelease(null, result + STATE_OFFSET, ticket << 1 | (isDone ? 0 : 1));
        }

        position = ticket;
    }

    private void publishConsumed()
    {
        final long before = consumed;
        while (consumed < position && isFree((int)(consumed & mask)))
        {
            consumed++;
        }

        if (before != consumed)
        {
            UnsafeApi.putLongRelease(null, consumedWord, consumed);
        }
    }

    private boolean isFree(final int slot)
    {
        return !isAwaited[slot] ||
            consumed + 1 == UnsafeApi.getLongAcquire(null, results + (long)slot * RESULT_LENGTH + ACKNOWLEDGED_OFFSET);
    }

    /** Checks all that the operation uses; it throws, and nothing has happened. */
    private void check()
    {
        require(0 == (flags & ~ALL_FLAGS), "flags");
        switch (operation)
        {
            case PUT:
            case GET:
                checkPe();
                checkRange(target, length, 1);
                checkRange(source, length, 1);
                break;

            case PUT_VALUE:
            case GET_VALUE:
                checkPe();
                require(width > 0 && width <= Long.BYTES && 1 == Integer.bitCount(width), "width");
                checkRange(target, width, 1);
                break;

            case SIGNAL_SET:
            case SIGNAL_ADD:
                checkPe();
                checkRange(target, Long.BYTES, Long.BYTES);
                break;

            case QUIET:
            case GLOBAL_EXIT:
                break;

            default:
                require(isFetching() || isPosted(), "operation");
                checkPe();
                require(Integer.BYTES == width || Long.BYTES == width, "width");
                checkRange(target, width, width);
                break;
        }
    }

    private boolean isFetching()
    {
        final int op = operation - FETCHING;
        return AtomicOp.isValid(op) && AtomicOp.SET != op;
    }

    private boolean isPosted()
    {
        return AtomicOp.isUpdate(operation - POSTED);
    }

    private void checkPe()
    {
        require(pe >= 0 && pe < transports.length, "pe");
    }

    private void checkRange(final long address, final long bytes, final int alignment)
    {
        final long offset = address & OFFSET_MASK;
        final long limit = 0 == address >>> REGION_SHIFT ? deviceLength : hostLength;
        require(bytes >= 0 && bytes <= limit && offset <= limit - bytes, "range");
        require(0 == (offset & (alignment - 1)), "alignment");
    }

    private void require(final boolean isValid, final String part)
    {
        if (!isValid)
        {
            throw new IllegalArgumentException("the " + part + " of the request is malformed: operation=" + operation +
                ", pe=" + pe + ", target=0x" + Long.toHexString(target) + ", source=0x" + Long.toHexString(source) +
                ", length=" + length + ", width=" + width + ", flags=" + flags);
        }
    }

    private long perform()
    {
        if (0 != (flags & FENCED))
        {
            fence();
        }

        switch (operation)
        {
            case PUT:
                transports[pe].put(pe, region(), offset(), null, localAddress(), length);
                isDirty[pe] = true;
                return 0;

            case GET:
                transports[pe].get(pe, region(), offset(), null, localAddress(), length);
                return 0;

            case PUT_VALUE:
                putValue();
                isDirty[pe] = true;
                return 0;

            case GET_VALUE:
                return getValue();

            case SIGNAL_SET:
            case SIGNAL_ADD:
                transports[pe].signal(pe, region(), offset(), source,
                    SIGNAL_SET == operation ? SignalOperation.SET : SignalOperation.ADD);
                isDirty[pe] = true;
                return 0;

            case QUIET:
                quiet();
                return 0;

            case GLOBAL_EXIT:
                globalExit.accept((int)source);
                return 0;

            default:
                return performAtomic();
        }
    }

    private int region()
    {
        return 0 == target >>> REGION_SHIFT ? Region.DEVICE : Region.USER;
    }

    private long offset()
    {
        return target & OFFSET_MASK;
    }

    private long localAddress()
    {
        return (0 == source >>> REGION_SHIFT ? deviceBase : hostBase) + (source & OFFSET_MASK);
    }

    private void putValue()
    {
        final Transport transport = transports[pe];
        switch (width)
        {
            case Byte.BYTES -> transport.putByte(pe, region(), offset(), (byte)source);
            case Short.BYTES -> transport.putShort(pe, region(), offset(), (short)source);
            case Integer.BYTES -> transport.putInt(pe, region(), offset(), (int)source);
            default -> transport.putLong(pe, region(), offset(), source);
        }
    }

    private long getValue()
    {
        final Transport transport = transports[pe];
        return switch (width)
        {
            case Byte.BYTES -> transport.getByte(pe, region(), offset()) & 0xffL;
            case Short.BYTES -> transport.getShort(pe, region(), offset()) & 0xffffL;
            case Integer.BYTES -> transport.getInt(pe, region(), offset()) & 0xffffffffL;
            default -> transport.getLong(pe, region(), offset());
        };
    }

    private long performAtomic()
    {
        final Transport transport = transports[pe];
        if (isFetching())
        {
            final int op = operation - FETCHING;
            return Long.BYTES == width ? transport.fetchAtomicLong(pe, op, region(), offset(), source, length) :
                transport.fetchAtomicInt(pe, op, region(), offset(), (int)source, (int)length) & 0xffffffffL;
        }

        final int op = operation - POSTED;
        if (Long.BYTES == width)
        {
            transport.atomicLong(pe, op, region(), offset(), source);
        }
        else
        {
            transport.atomicInt(pe, op, region(), offset(), (int)source);
        }

        isDirty[pe] = true;
        return 0;
    }

    private void fence()
    {
        for (int peer = 0; peer < transports.length; peer++)
        {
            if (isDirty[peer])
            {
                transports[peer].fence(peer);
            }
        }

        UnsafeApi.storeFence();
    }

    private void quiet()
    {
        for (int peer = 0; peer < transports.length; peer++)
        {
            if (isDirty[peer])
            {
                transports[peer].quiet(peer);
                isDirty[peer] = false;
            }
        }

        UnsafeApi.fullFence();
    }
}
