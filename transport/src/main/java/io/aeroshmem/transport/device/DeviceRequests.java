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
package io.aeroshmem.transport.device;

import io.aeroshmem.transport.AtomicOp;
import io.aeroshmem.transport.progress.BlockingWait;
import io.aeroshmem.transport.progress.Progress;
import org.agrona.ErrorHandler;
import org.agrona.MutableDirectBuffer;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBuffer;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import static io.aeroshmem.transport.device.DeviceRequestDescriptor.*;

/**
 * Requests among the PEs of a node for operations on a device heap that only its owner can reach. The owner is the PE
 * that the heap belongs to. A requester writes a request to the owner's ring. A thread that drives
 * the owner's progress performs the request. It stores the result and a final state in a cell of the requester, and the
 * requester waits for that state. Each cell has a buffer, its piece. The piece holds the bytes that the operation
 * moves. The layout is in {@link DeviceRequestDescriptor}.
 */
public final class DeviceRequests implements Progress
{
    private static final int BATCH = 8;
    private static final String WHAT = "an operation on device memory, by its owner";
    private static final MessageHandler DISCARD = (type, buffer, index, length) -> {};

    /*
     * Ownership. A requester takes a free cell, and with it the piece, by a compare-and-set in private memory. Both
     * belong to the requester until it submits the request. Then they belong to the owner of the heap, until the owner
     * stores the final state. After this store, the owner accesses neither of them. The ring is Agrona's
     * ManyToOneRingBuffer. Any number of requesters may write to the ring. One thread of the owner at a time reads the
     * ring: the thread that has set isPolling.
     *
     * Abandoned requests. A wait may end by an exception, after an interrupt or a timeout for example, while the owner
     * may still perform the request. The cell is then abandoned. A requester that finds no free cell takes all
     * abandoned cells by an atomic exchange, and releases them again. The cells whose state is final then become free,
     * and the others are abandoned again.
     *
     * Order. The commit of a request in the ring is a release, and the read of it an acquire, so the owner sees the
     * piece. The owner stores the result, then the state with release. The requester loads the state with acquire, so
     * it sees the result and the piece. A requester waits for each of its requests, so its next operation, by whatever
     * path, follows the request.
     *
     * Slow peers. A requester may have to wait for room in the owner's ring, or for the result. Meanwhile it performs
     * the requests to its own PE. While the agent of a process waits, it performs the requests to all PEs of the
     * process. So PEs that send requests to each other always finish.
     *
     * Failed or faulty peers. There are three cases:
     * - The failure of the job ends the requester's wait. The cell is abandoned, since the owner may still write to it.
     * - A request is checked completely before it is performed. A request that names memory outside the heap, or a cell
     *   that does not exist, harms its requester alone.
     * - A failure of the device fails the job before the requester sees the state, as it does for operations by
     *   messages. So the requester's wait ends with the failure of the job.
     */
    private final long offset;
    private final long[] bases;
    private final RingBuffer[] rings;
    private final DeviceMemory memory;
    private final BlockingWait blockingWait;
    private final ErrorHandler errorHandler;
    private final Consumer<RuntimeException> onFailure;
    private final long heapBase;
    private final long heapLength;
    private final int pe;
    private final AtomicInteger freeCells = new AtomicInteger((1 << CELLS) - 1);
    /** Cells that their requesters have released while the request was under way. */
    private final AtomicInteger abandonedCells = new AtomicInteger();
    private final AtomicBoolean isPolling = new AtomicBoolean();
    private final MessageHandler handler = this::onRequest;

    /**
     * @param offset       of the memory in the host heap.
     * @param bases        addresses of the host heaps in this process, by PE; 0 where not mapped.
     * @param pe           this PE.
     * @param heapBase     address of this PE's device heap.
     * @param heapLength   of the device heap in bytes.
     * @param memory       the device's.
     * @param blockingWait of this PE.
     * @param errorHandler notified of malformed requests.
     * @param onFailure    fails the job, notified of failures of the device.
     */
    public DeviceRequests(
        final long offset,
        final long[] bases,
        final int pe,
        final long heapBase,
        final long heapLength,
        final DeviceMemory memory,
        final BlockingWait blockingWait,
        final ErrorHandler errorHandler,
        final Consumer<RuntimeException> onFailure)
    {
        this.offset = offset;
        this.bases = bases;
        this.pe = pe;
        this.heapBase = heapBase;
        this.heapLength = heapLength;
        this.memory = memory;
        this.blockingWait = blockingWait;
        this.errorHandler = errorHandler;
        this.onFailure = onFailure;
        rings = new RingBuffer[bases.length];
        for (int peer = 0; peer < rings.length; peer++)
        {
            rings[peer] = 0 == bases[peer] ? null : new ManyToOneRingBuffer(
                new UnsafeBuffer(bases[peer] + offset, (int)cellsOffset(rings.length)));
        }
    }

    /** Returns the length of the memory that each PE provides, in bytes, zero at first. */
    public static long length(final int nPes)
    {
        return piecesOffset(nPes) + CELLS * (long)PIECE_LENGTH;
    }

    /**
     * Ends the service. When this returns, no thread accesses the memory of the ring any more, and the ring is empty:
     * it serves the next attachment too, which must not perform requests for the heap of this one. Requests that are
     * left have been abandoned, because each PE ends its operations before any PE ends its service.
     */
    public void stop()
    {
        while (!isPolling.compareAndSet(false, true))
        {
            Thread.yield();
        }

        long position;
        do
        {
            position = rings[pe].consumerPosition();
            rings[pe].read(DISCARD);
        }
        while (position != rings[pe].consumerPosition());
    }

    /** Performs requests of other PEs, unless another thread does; returns their number. */
    @Override
    public int poll()
    {
        if (isPolling.get() || !isPolling.compareAndSet(false, true))
        {
            return 0;
        }

        try
        {
            return rings[pe].read(handler, BATCH);
        }
        finally
        {
            isPolling.set(false);
        }
    }

    /** Returns the deadline of an operation that starts now, for all its waits. */
    long operationDeadline()
    {
        return blockingWait.operationDeadline();
    }

    /** Takes a cell, and waits for one if all are in use. */
    int take(final long deadlineNs)
    {
        int round = 0;
        while (true)
        {
            final int free = freeCells();
            if (0 != free)
            {
                final int cell = Integer.numberOfTrailingZeros(free);
                if (freeCells.compareAndSet(free, free & ~(1 << cell)))
                {
                    UnsafeApi.putLong(cellAddress(pe, cell), NO_REQUEST);
                    blockingWait.reset(round);
                    return cell;
                }
            }
            else
            {
                round = idle(round, deadlineNs);
            }
        }
    }

    private int freeCells()
    {
        final int free = freeCells.get();
        if (0 != free || 0 == abandonedCells.get())
        {
            return free;
        }

        for (int left = abandonedCells.getAndSet(0); 0 != left; left &= left - 1)
        {
            release(Integer.numberOfTrailingZeros(left));
        }

        return freeCells.get();
    }

    /** Releases a cell, which is free again when its request, if there is one, is no longer under way. */
    void release(final int cell)
    {
        final boolean isUnderWay = UNDER_WAY == UnsafeApi.getLongAcquire(null, cellAddress(pe, cell));
        final AtomicInteger cells = isUnderWay ? abandonedCells : freeCells;
        cells.getAndUpdate((bits) -> bits | 1 << cell);
    }

    /** Returns the address of the piece of a cell. */
    long piece(final int cell)
    {
        return bases[pe] + offset + piecesOffset(rings.length) + cell * (long)PIECE_LENGTH;
    }

    /**
     * Submits a request, waits until the owner has performed it, and returns its result. However this ends, the caller
     * releases the cell.
     */
    long perform(
        final int owner,
        final int cell,
        final int operation,
        final int width,
        final long deviceOffset,
        final long value,
        final long condition,
        final long deadlineNs)
    {
        final long state = cellAddress(pe, cell);
        submit(owner, cell, operation, width, deviceOffset, value, condition, deadlineNs);

        int round = 0;
        long seen;
        while (UNDER_WAY == (seen = UnsafeApi.getLongAcquire(null, state)))
        {
            round = idle(round, deadlineNs);
        }

        blockingWait.reset(round);
        if (DONE != seen)
        {
            blockingWait.checkFailure();
            throw new IllegalStateException(
                "PE " + owner + " could not perform an operation on its device heap: its error handler has the reason");
        }

        return UnsafeApi.getLong(state + CELL_RESULT);
    }

    private void submit(
        final int owner,
        final int cell,
        final int operation,
        final int width,
        final long deviceOffset,
        final long value,
        final long condition,
        final long deadlineNs)
    {
        final RingBuffer ring = rings[owner];
        int round = 0;
        int index;
        while ((index = ring.tryClaim(REQUEST, REQUEST_LENGTH)) < 0)
        {
            round = idle(round, deadlineNs);
        }

        final AtomicBuffer buffer = ring.buffer();
        buffer.putInt(index + REQUEST_PE, pe);
        buffer.putInt(index + REQUEST_CELL, cell);
        buffer.putInt(index + REQUEST_OPERATION, operation);
        buffer.putInt(index + REQUEST_WIDTH, width);
        buffer.putLong(index + REQUEST_OFFSET, deviceOffset);
        buffer.putLong(index + REQUEST_VALUE, value);
        buffer.putLong(index + REQUEST_CONDITION, condition);
        UnsafeApi.putLongRelease(null, cellAddress(pe, cell), UNDER_WAY);
        ring.commit(index);
        blockingWait.reset(round);
    }

    /** Runs one round of waiting, which performs the requests to this PE, and to all others that the thread drives. */
    private int idle(final int round, final long deadlineNs)
    {
        return blockingWait.idle(round, deadlineNs, WHAT);
    }

    private void onRequest(final int type, final MutableDirectBuffer buffer, final int index, final int length)
    {
        final int requester = buffer.getInt(index + REQUEST_PE);
        final int cell = buffer.getInt(index + REQUEST_CELL);
        if (REQUEST != type || REQUEST_LENGTH != length || requester < 0 || requester >= bases.length ||
            0 == bases[requester] || cell < 0 || cell >= CELLS)
        {
            return;
        }

        final long state = cellAddress(requester, cell);
        long result = FAILED;
        try
        {
            final long piece = bases[requester] + offset + piecesOffset(rings.length) + cell * (long)PIECE_LENGTH;
            UnsafeApi.putLong(state + CELL_RESULT, perform(
                buffer.getInt(index + REQUEST_OPERATION),
                buffer.getInt(index + REQUEST_WIDTH),
                buffer.getLong(index + REQUEST_OFFSET),
                buffer.getLong(index + REQUEST_VALUE),
                buffer.getLong(index + REQUEST_CONDITION),
                piece));
            result = DONE;
        }
        catch (final IllegalArgumentException ex)
        {
            errorHandler.onError(ex);
        }
        catch (final RuntimeException ex)
        {
            onFailure.accept(ex);
        }
        finally
        {
            UnsafeApi.putLongRelease(null, state, result);
        }
    }

    private long perform(
        final int operation,
        final int width,
        final long deviceOffset,
        final long value,
        final long condition,
        final long piece)
    {
        switch (operation)
        {
            case PUT:
                memory.copy(piece, block(deviceOffset, value), value);
                return 0;

            case GET:
                memory.copy(block(deviceOffset, value), piece, value);
                return 0;

            case PUT_ELEMENT:
                memory.putElement(block(deviceOffset, checked(width)), width, value);
                return 0;

            case GET_ELEMENT:
                return memory.getElement(block(deviceOffset, checked(width)), width);

            case SIGNAL_SET:
            case SIGNAL_ADD:
                memory.signal(word(deviceOffset, Long.BYTES), value, operation - SIGNAL_SET);
                return 0;

            default:
                return memory.fetchAtomic(word(deviceOffset, width), width, atomic(operation), value, condition);
        }
    }

    private long block(final long deviceOffset, final long length)
    {
        if (length < 0 || length > PIECE_LENGTH || deviceOffset < 0 || deviceOffset > heapLength - length)
        {
            throw new IllegalArgumentException("a request for " + length + " bytes at " + deviceOffset +
                " is outside the device heap of " + heapLength + " bytes of PE " + pe);
        }

        return heapBase + deviceOffset;
    }

    private static int checked(final int width)
    {
        if (width < 1 || width > Long.BYTES || 1 != Integer.bitCount(width))
        {
            throw new IllegalArgumentException("a request for an element of " + width + " bytes is malformed");
        }

        return width;
    }

    private long word(final long deviceOffset, final int width)
    {
        if (Integer.BYTES != width && Long.BYTES != width || 0 != (deviceOffset & (width - 1)))
        {
            throw new IllegalArgumentException(
                "a request for a word of " + width + " bytes at " + deviceOffset + " is malformed");
        }

        return block(deviceOffset, width);
    }

    private static int atomic(final int operation)
    {
        final int op = operation - ATOMIC;
        if (!AtomicOp.isValid(op))
        {
            throw new IllegalArgumentException("a request for operation " + operation + " is malformed");
        }

        return op;
    }

    private long cellAddress(final int owner, final int cell)
    {
        return bases[owner] + offset + cellsOffset(rings.length) + cell * (long)CELL_LENGTH;
    }
}
