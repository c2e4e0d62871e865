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
 * current on the calling thread until it returns. Any thread may call the methods.
 */
final class StreamLaunches
{
    private final CudaDevice device;
    private final CudaDriver driver;
    private final Kernels kernels;
    private final long stream;
    private final long abort;

    /**
     * @param abort address of the word that ends the waits of kernels.
     */
    StreamLaunches(final CudaDevice device, final long stream, final long abort)
    {
        this.device = device;
        this.stream = stream;
        this.abort = abort;
        driver = device.driver();
        kernels = device.kernels();
    }

    void synchronize()
    {
        device.enter();
        try
        {
            driver.streamSynchronize(stream);
        }
        finally
        {
            device.leave();
        }
    }

    void copy(final long to, final long from, final long length)
    {
        device.enter();
        try
        {
            driver.memcpyAsync(to, from, length, stream);
        }
        finally
        {
            device.leave();
        }
    }

    /** As {@link Kernels#stridedCopy}. */
    void stridedCopy(
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
        device.enter();
        try
        {
            kernels.stridedCopy(
                to, toBlock, toElement, from, fromBlock, fromElement, blocks, elements, elementBytes, stream);
        }
        finally
        {
            device.leave();
        }
    }

    /** Stores an element of 1, 2, 4 or 8 bytes; an aligned one does not tear. */
    void store(final long address, final int width, final long bits)
    {
        device.enter();
        try
        {
            if (width >= Integer.BYTES && 0 == (address & width - 1))
            {
                launchAtomic(DeviceAtomic.SET, width, address, bits, 0, 0);
            }
            else if (Short.BYTES == width && 0 == (address & width - 1))
            {
                driver.memsetD16Async(address, (short)bits, 1, stream);
            }
            else
            {
                for (int i = 0; i < width; i++)
                {
                    driver.memsetD8Async(address + i, (byte)(bits >>> Byte.SIZE * i), 1, stream);
                }
            }
        }
        finally
        {
            device.leave();
        }
    }

    /**
     * Updates a word of 4 or 8 bytes atomically.
     *
     * @param result address at which the previous value is stored, or 0.
     */
    void atomic(
        final DeviceAtomic op,
        final int width,
        final long address,
        final long value,
        final long cond,
        final long result)
    {
        device.enter();
        try
        {
            launchAtomic(op, width, address, value, cond, result);
        }
        finally
        {
            device.leave();
        }
    }

    private void launchAtomic(
        final DeviceAtomic op,
        final int width,
        final long address,
        final long value,
        final long cond,
        final long result)
    {
        if (Long.BYTES == width)
        {
            kernels.atomicLong(op, address, value, cond, result, stream);
        }
        else
        {
            kernels.atomicInt(op, address, (int)value, (int)cond, result, stream);
        }
    }

    void signal(final SignalOp op, final long address, final long value)
    {
        device.enter();
        try
        {
            kernels.signal(op, address, value, stream);
        }
        finally
        {
            device.leave();
        }
    }

    void waitUntilLong(final long address, final Comparison cmp, final long value)
    {
        device.enter();
        try
        {
            kernels.waitUntilLong(address, cmp, value, abort, stream);
        }
        finally
        {
            device.leave();
        }
    }

    void waitUntilInt(final long address, final Comparison cmp, final int value)
    {
        device.enter();
        try
        {
            kernels.waitUntilInt(address, cmp, value, abort, stream);
        }
        finally
        {
            device.leave();
        }
    }
}
