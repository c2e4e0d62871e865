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

import java.util.Arrays;

/**
 * Waits of one stream for words of the program that are performed without a kernel, by {@code cuStreamWaitValue64}, so
 * that they occupy nothing of the device. Nothing polls the {@link DeviceAbort abort word} meanwhile. So this class
 * keeps the waits that the stream has not passed. After a failure of the job, the thread of the abort word ends them,
 * one after another: it stores the awaited value to the word.
 * <p>
 * <b>Protocol.</b> Behind wait n, the stream stores n to the word <i>passed</i>, in pinned host memory. The numbers of
 * waits have the order of the stream, because a lock is held while a wait is enqueued. That CUDA call may last until
 * the stream has passed other waits, so the list has a lock of its own, which is never held during a CUDA call.
 */
final class StreamWaits implements AutoCloseable
{
    private static final int INITIAL_CAPACITY = 16;

    private final CudaDevice device;
    private final long stream;
    private final PinnedWord passed;
    /** Held while a wait is enqueued; the list is guarded by the lock of this object. */
    private final Object order = new Object();
    /** Of wait n at n modulo the length, a power of two. */
    private long[] addresses = new long[INITIAL_CAPACITY];
    private long[] values = new long[INITIAL_CAPACITY];
    private long first = 1;
    private long end = 1;
    private boolean isClosed;

    StreamWaits(final CudaDevice device, final long stream)
    {
        this.device = device;
        this.stream = stream;
        passed = new PinnedWord(device);
    }

    /** Enqueues a wait, as {@link CudaDriver#streamWaitValue64}. The context is current. */
    void enqueue(final long address, final long value, final int comparison)
    {
        synchronized (order)
        {
            final long number = add(address, value);
            try
            {
                device.driver().streamWaitValue64(stream, address, value, comparison);
            }
            catch (final RuntimeException | Error ex)
            {
                removeLast();
                throw ex;
            }

            device.driver().streamWriteValue64(stream, passed.deviceAddress(), number);
        }
    }

    private synchronized long add(final long address, final long value)
    {
        forgetPassed();
        if (end - first == addresses.length)
        {
            grow();
        }

        addresses[index(end)] = address;
        values[index(end)] = value;
        return end++;
    }

    private void grow()
    {
        final int length = addresses.length;
        final long[] newAddresses = Arrays.copyOf(addresses, 2 * length);
        final long[] newValues = Arrays.copyOf(values, 2 * length);
        for (long n = first; n < end; n++)
        {
            final int index = (int)(n & 2 * length - 1);
            newAddresses[index] = addresses[index(n)];
            newValues[index] = values[index(n)];
        }

        addresses = newAddresses;
        values = newValues;
    }

    private int index(final long number)
    {
        return (int)(number & addresses.length - 1);
    }

    private synchronized void removeLast()
    {
        end--;
    }

    /** The acquire pairs with the store of the stream: what has satisfied a wait precedes it. */
    private void forgetPassed()
    {
        first = Math.max(first, passed.get() + 1);
    }

    /** Ends the first wait that the stream has not passed, if there is one, though it may not have come to it yet. */
    void endFirst()
    {
        final long address;
        final long value;
        synchronized (this)
        {
            if (isClosed)
            {
                return;
            }

            forgetPassed();
            if (first == end)
            {
                return;
            }

            address = addresses[index(first)];
            value = values[index(first)];
        }

        final CudaDevice.Scope scope = device.enter();
        try (scope)
        {
            device.driver().streamWriteValue64(device.stream(), address, value);
        }
    }

    /** Ends the use of the stream, which has been synchronised. */
    @Override
    public synchronized void close()
    {
        if (!isClosed)
        {
            isClosed = true;
            passed.close();
        }
    }
}
