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

import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.SignalOp;
import io.aeroshmem.transport.SignalOperation;
import io.aeroshmem.transport.device.DeviceMemory;
import org.agrona.UnsafeApi;

/**
 * Access to the memory of a CUDA device by copies and kernels on the library's own stream. Each operation waits for the
 * stream, so the operation is complete on return.
 */
final class CudaMemory implements DeviceMemory
{
    private static final DeviceAtomic[] ATOMICS = DeviceAtomic.values();
    private static final ReduceOp[] OPS = ReduceOp.values();
    private static final ElementType[] TYPES = ElementType.values();
    private static final long SHORT_MASK = 0xFFFF;

    /*
     * Failures. An operation may take words and a piece from the PinnedMemory, and a table from the OperandTables. If
     * CUDA reports an error during the operation, these are never released: a copy or kernel that was enqueued before
     * the error may still access them. When no table is left, the host combines the operands of reductions.
     *
     * Ordering.
     * - The effects of a copy or kernel that the stream has finished are visible to the whole device. The effects on
     *   host memory are visible to the thread that has waited for the stream. A load fence after the wait prevents the
     *   thread's later loads from moving before the wait.
     * - A thread's stores before a launch are visible to the kernel, because the driver publishes the launch with a
     *   fence of its own.
     * - The kernels of this class perform atomic operations, and accesses to aligned elements of 4 and 8 bytes, at
     *   system scope. So all of these are atomic with respect to the kernels of other PEs that access the same word. An
     *   aligned element of 2 bytes is loaded with the aligned word that contains it, and stored by a memset of one
     *   element. A copy could tear the element, because CUDA does not specify the units in which it copies.
     */
    private final CudaDevice device;
    private final CudaDriver driver;
    private final Kernels kernels;
    private final PinnedMemory pinned;
    private final OperandTables operandTables;
    private final long maxStride;
    private final long stream;
    private final long heapBase;
    private final long heapLength;

    /**
     * @param heapBase   address of the PE's own heap.
     * @param heapLength in bytes.
     */
    CudaMemory(final CudaDevice device, final long heapBase, final long heapLength)
    {
        this.device = device;
        this.heapBase = heapBase;
        this.heapLength = heapLength;
        driver = device.driver();
        kernels = device.kernels();
        pinned = device.pinned();
        operandTables = device.operandTables();
        stream = device.stream();
        maxStride = driver.deviceGetAttributeOr(CudaConstants.MAX_PITCH, device.handle(), 0);
    }

    @Override
    public boolean isDevice(final long address)
    {
        return address - heapBase >= 0 && address - heapBase < heapLength;
    }

    @Override
    public void copy(final long from, final long to, final long length)
    {
        if (0 == length || from == to)
        {
            return;
        }

        final CudaDevice.Scope scope = device.enter();
        try (scope)
        {
            if (Math.abs(from - to) < length)
            {
                copyOverlapping(from, to, length);
            }
            else
            {
                driver.memcpyAsync(to, from, length, stream);
                await();
            }
        }
    }

    /** Copies between overlapping ranges are undefined in CUDA, so they pass through host memory, piece by piece. */
    private void copyOverlapping(final long from, final long to, final long length)
    {
        final long piece = pinned.acquirePiece();
        final int limit = PinnedMemory.PIECE_LENGTH;
        for (long done = 0; done < length; done += limit)
        {
            final long bytes = Math.min(limit, length - done);
            final long at = to < from ? done : length - done - bytes;
            driver.memcpyAsync(piece, from + at, bytes, stream);
            driver.memcpyAsync(to + at, piece, bytes, stream);
        }

        await();
        pinned.releasePiece(piece);
    }

    @Override
    public void copyStrided(
        final long from,
        final long fromStride,
        final long to,
        final long toStride,
        final long blockBytes,
        final long count)
    {
        if (0 == count)
        {
            return;
        }

        final CudaDevice.Scope scope = device.enter();
        try (scope)
        {
            if (Math.max(fromStride, toStride) <= maxStride)
            {
                driver.memcpy2dAsync(to, toStride, from, fromStride, blockBytes, count, stream);
            }
            else
            {
                for (long i = 0; i < count; i++)
                {
                    driver.memcpyAsync(to + i * toStride, from + i * fromStride, blockBytes, stream);
                }
            }

            await();
        }
    }

    @Override
    public boolean reduce(
        final int op, final int type, final long dest, final long[] blocks, final int size, final long count)
    {
        if (size > OperandTables.MAX_OPERANDS)
        {
            return false;
        }

        final long reached = pinned.deviceAddress(dest);
        final CudaDevice.Scope scope = device.enter();
        try (scope)
        {
            final long piece = pinned.acquirePiece();
            final long table = operandTables.acquire();
            if (OperandTables.NONE == table)
            {
                pinned.releasePiece(piece);
                return false;
            }

            for (int i = 0; i < size; i++)
            {
                UnsafeApi.putLong(piece + (long)i * Long.BYTES, blocks[i]);
            }

            driver.memcpyAsync(table, piece, (long)size * Long.BYTES, stream);
            kernels.reduce(OPS[op], TYPES[type], 0 == reached ? dest : reached, table, 0, count, size, stream);
            await();
            operandTables.release(table);
            pinned.releasePiece(piece);
            return true;
        }
    }

    @Override
    public void zero(final long address, final long length)
    {
        final CudaDevice.Scope scope = device.enter();
        try (scope)
        {
            driver.memsetD8Async(address, (byte)0, length, stream);
            await();
        }
    }

    @Override
    public long getElement(final long address, final int width)
    {
        if (width >= Integer.BYTES && 0 == (address & (width - 1)))
        {
            return fetchAtomic(address, width, DeviceAtomic.FETCH.ordinal(), 0, 0);
        }

        if (Short.BYTES == width && 0 == (address & (width - 1)))
        {
            final long word = fetchAtomic(
                address & -Integer.BYTES, Integer.BYTES, DeviceAtomic.FETCH.ordinal(), 0, 0);
            return word >>> Byte.SIZE * (address & Short.BYTES) & SHORT_MASK;
        }

        final CudaDevice.Scope scope = device.enter();
        try (scope)
        {
            final long word = pinned.acquireWord();
            UnsafeApi.putLong(word, 0);
            driver.memcpyAsync(word, address, width, stream);
            await();
            final long value = UnsafeApi.getLong(word);
            pinned.releaseWord(word);
            return value;
        }
    }

    @Override
    public void putElement(final long address, final int width, final long value)
    {
        if (width >= Integer.BYTES && 0 == (address & (width - 1)))
        {
            fetchAtomic(address, width, DeviceAtomic.SET.ordinal(), value, 0);
            return;
        }

        final CudaDevice.Scope scope = device.enter();
        try (scope)
        {
            if (Short.BYTES == width && 0 == (address & (width - 1)))
            {
                driver.memsetD16Async(address, (short)value, 1, stream);
                await();
                return;
            }

            final long word = pinned.acquireWord();
            UnsafeApi.putLong(word, value);
            driver.memcpyAsync(address, word, width, stream);
            await();
            pinned.releaseWord(word);
        }
    }

    @Override
    public void signal(final long address, final long value, final int signalOperation)
    {
        final CudaDevice.Scope scope = device.enter();
        try (scope)
        {
            kernels.signal(
                SignalOperation.SET == signalOperation ? SignalOp.SET : SignalOp.ADD, address, value, stream);
            await();
        }
    }

    @Override
    public long fetchAtomic(
        final long address, final int width, final int op, final long value, final long cond)
    {
        final CudaDevice.Scope scope = device.enter();
        try (scope)
        {
            final long word = pinned.acquireWord();
            final long result = pinned.deviceAddress(word);
            kernels.atomic(ATOMICS[op], width, address, value, cond, result, stream);
            await();
            final long before = Long.BYTES == width ? UnsafeApi.getLong(word) : UnsafeApi.getInt(word);
            pinned.releaseWord(word);
            return before;
        }
    }

    private void await()
    {
        driver.streamSynchronize(stream);
        UnsafeApi.loadFence();
    }

    @Override
    public long acquireStaging()
    {
        final CudaDevice.Scope scope = device.enter();
        try (scope)
        {
            return pinned.acquirePiece();
        }
    }

    @Override
    public void releaseStaging(final long address)
    {
        pinned.releasePiece(address);
    }

    @Override
    public int stagingLength()
    {
        return PinnedMemory.PIECE_LENGTH;
    }
}
