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

import io.aeroshmem.Comparison;
import io.aeroshmem.SignalOp;

/**
 * Launches copies and kernels on one stream, which runs them in order. Each method makes the device's CUDA context
 * current on the calling thread until it returns. A name is that of the operation, for profilers. Any thread may call
 * the methods.
 */
final class StreamLaunches implements AutoCloseable
{
    /*
     * Stream memory operations. A word is stored and awaited without a kernel if the device has the operations
     * cuStreamWriteValue64 and cuStreamWaitValue64, and the stream is not being captured into a graph.
     * - A store follows a fence at system scope, which covers the earlier operations of the stream. So it is a release,
     *   as the store of the kernel is.
     * - A wait compares for equality, or by a cyclic >=, which is word - value >= 0. For a value v >= 0 the cyclic
     *   comparison holds whenever word >= v does, but also for words less than Long.MIN_VALUE + v. So a kernel compares
     *   once more, unless v is 0. For other values and comparisons a kernel polls.
     * - What happened before the store of the awaited word is visible to later operations of the stream if that store
     *   and the earlier ones were those of this device or of processors. For those of other devices, CUDA requires a
     *   flush, which few machines have. There a kernel loads the word once more, with acquire.
     */
    private final CudaDevice device;
    private final CudaDriver driver;
    private final Kernels kernels;
    private final long stream;
    private final DeviceAbort abort;
    private final boolean hasOtherDevices;
    /** Null if the device has no stream memory operations. */
    private final StreamWaits waits;

    /**
     * @param abort           ends the waits.
     * @param hasOtherDevices whether other devices may store to words that are awaited.
     */
    StreamLaunches(
        final CudaDevice device, final long stream, final DeviceAbort abort, final boolean hasOtherDevices)
    {
        this.device = device;
        this.stream = stream;
        this.abort = abort;
        this.hasOtherDevices = hasOtherDevices;
        driver = device.driver();
        kernels = device.kernels();
        final CudaDevice.Scope scope = device.enter();
        try (scope)
        {
            waits = device.hasStreamMemoryOperations() ? new StreamWaits(device, stream) : null;
        }

        if (null != waits)
        {
            abort.add(waits);
        }
    }

    /** Returns whether the stream is being captured into a graph. */
    boolean isCapturing()
    {
        final CudaDevice.Scope scope = device.enter();
        try (scope)
        {
            return driver.streamIsCapturing(stream);
        }
    }

    /** Whether the stream may store and await words without a kernel. The context is current. */
    private boolean hasMemoryOperations()
    {
        return null != waits && !driver.streamIsCapturing(stream);
    }

    void synchronize()
    {
        final CudaDevice.Scope scope = device.enter();
        try (scope)
        {
            driver.streamSynchronize(stream);
        }
    }

    void copy(final String name, final long to, final long from, final long length)
    {
        final CudaDevice.Scope scope = device.begin(name);
        try (scope)
        {
            driver.memcpyAsync(to, from, length, stream);
        }
    }

    /** As {@link Kernels#stridedCopy}. */
    void stridedCopy(
        final String name,
        final long to,
        final long toBlock,
        final long toElement,
        final long from,
        final long fromBlock,
        final long fromElement,
        final long blocks,
        final long elements,
        final int elementBytes)
    {
        final CudaDevice.Scope scope = device.begin(name);
        try (scope)
        {
            kernels.stridedCopy(
                to, toBlock, toElement, from, fromBlock, fromElement, blocks, elements, elementBytes, stream);
        }
    }

    /**
     * Stores an element of 1, 2, 4 or 8 bytes; an aligned one does not tear. It is never stored by an atomic operation,
     * which many devices cannot perform on host memory.
     */
    void store(final String name, final long address, final int width, final long bits)
    {
        final CudaDevice.Scope scope = device.begin(name);
        try (scope)
        {
            switch (0 == (address & width - 1) ? width : Byte.BYTES)
            {
                case Long.BYTES -> store(address, bits);
                case Integer.BYTES -> driver.memsetD32Async(address, (int)bits, 1, stream);
                case Short.BYTES -> driver.memsetD16Async(address, (short)bits, 1, stream);
                default ->
                {
                    for (int i = 0; i < width; i++)
                    {
                        driver.memsetD8Async(address + i, (byte)(bits >>> Byte.SIZE * i), 1, stream);
                    }
                }
            }
        }
    }

    /** Stores an aligned word with release. The context is current. */
    private void store(final long address, final long value)
    {
        if (hasMemoryOperations())
        {
            driver.streamWriteValue64(stream, address, value);
        }
        else
        {
            kernels.signal(SignalOp.SET, address, value, stream);
        }
    }

    /**
     * Updates a word of 4 or 8 bytes atomically.
     *
     * @param result address at which the previous value is stored, or 0.
     */
    void atomic(
        final String name,
        final DeviceAtomic op,
        final int width,
        final long address,
        final long value,
        final long cond,
        final long result)
    {
        final CudaDevice.Scope scope = device.begin(name);
        try (scope)
        {
            kernels.atomic(op, width, address, value, cond, result, stream);
        }
    }

    void signal(final String name, final SignalOp op, final long address, final long value)
    {
        final CudaDevice.Scope scope = device.begin(name);
        try (scope)
        {
            if (SignalOp.SET == op)
            {
                store(address, value);
            }
            else
            {
                kernels.signal(op, address, value, stream);
            }
        }
    }

    /** Makes the stream wait for a word of the program. */
    void waitUntil(
        final String name, final int width, final long address, final Comparison cmp, final long value)
    {
        final CudaDevice.Scope scope = device.begin(name);
        try (scope)
        {
            final boolean isEqual = Comparison.EQ == cmp;
            if (Long.BYTES != width || !(isEqual || Comparison.GE == cmp && value >= 0) || !hasMemoryOperations())
            {
                kernels.waitUntil(width, address, cmp, value, abort.deviceWord(), stream);
                return;
            }

            waits.enqueue(
                address, value, isEqual ? CudaConstants.STREAM_WAIT_VALUE_EQ : CudaConstants.STREAM_WAIT_VALUE_GEQ);
            if (hasOtherDevices || !isEqual && 0 != value)
            {
                // A word that has been equal may have changed since, so it is loaded only, whatever it is now.
                kernels.waitUntil(
                    width, address, Comparison.GE, isEqual ? Long.MIN_VALUE : value, abort.deviceWord(), stream);
            }
        }
    }

    /**
     * Makes the stream store a number to a word of its proxy, and then wait until another word of the proxy, to which
     * a processor stores, is at least that number. These words grow from 0, so the cyclic comparison is exact. The
     * proxy ends the wait also after a failure. The stream is not being captured.
     */
    void handOver(final String name, final long reached, final long done, final long number)
    {
        final CudaDevice.Scope scope = device.begin(name);
        try (scope)
        {
            if (null != waits)
            {
                driver.streamWriteValue64(stream, reached, number);
                driver.streamWaitValue64(stream, done, number, CudaConstants.STREAM_WAIT_VALUE_GEQ);
            }
            else
            {
                kernels.signal(SignalOp.SET, reached, number, stream);
            }

            if (null == waits || hasOtherDevices)
            {
                kernels.waitUntil(Long.BYTES, done, Comparison.GE, number, abort.deviceWord(), stream);
            }
        }
    }

    /** Ends the use of the stream, which has been synchronised. */
    @Override
    public void close()
    {
        if (null != waits)
        {
            abort.remove(waits);
            waits.close();
        }
    }
}
