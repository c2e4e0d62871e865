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

import io.aeroshmem.transport.ForwardingTransport;
import io.aeroshmem.transport.Pending;
import io.aeroshmem.transport.Transport;
import io.aeroshmem.transport.mapped.MemoryOps;

/**
 * Transport by messages for a PE with device memory. The data of an operation that reads or writes local device memory
 * goes through staging buffers in host memory. Operations on the device heaps of peers are forwarded: the engines of
 * these peers perform them.
 * <p>
 * An operation that stores its result in local device memory is complete when it returns, even a nonblocking one. The
 * handler of a reply stores the data in host memory only. So the caller waits for the reply, and then copies the data
 * to the device. All other operations are ordered and completed as messages are.
 */
public final class StagedTransport extends ForwardingTransport
{
    private final Transport messages;
    private final DeviceMemory memory;

    public StagedTransport(final Transport messages, final DeviceMemory memory)
    {
        this.messages = messages;
        this.memory = memory;
    }

    @Override
    protected Transport next(final int pe)
    {
        return messages;
    }

    @Override
    public boolean isMessaging()
    {
        return true;
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
        if (null != sourceBase || !memory.isDevice(sourceAddress))
        {
            messages.put(pe, region, offset, sourceBase, sourceAddress, length);
            return;
        }

        final long staging = memory.acquireStaging();
        try
        {
            final int limit = memory.stagingLength();
            for (long done = 0; done < length; done += limit)
            {
                final long bytes = Math.min(limit, length - done);
                memory.copy(sourceAddress + done, staging, bytes);
                messages.put(pe, region, offset + done, null, staging, bytes);
            }
        }
        finally
        {
            memory.releaseStaging(staging);
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
        if (null != destBase || !memory.isDevice(destAddress))
        {
            messages.get(pe, region, offset, destBase, destAddress, length);
            return;
        }

        final long staging = memory.acquireStaging();
        try
        {
            final int limit = memory.stagingLength();
            for (long done = 0; done < length; done += limit)
            {
                final long bytes = Math.min(limit, length - done);
                messages.get(pe, region, offset + done, null, staging, bytes);
                memory.copy(staging, destAddress + done, bytes);
            }
        }
        finally
        {
            // a get that has failed is abandoned: no late reply writes to the piece
            memory.releaseStaging(staging);
        }
    }

    @Override
    public void putNbi(
        final int pe, final int region, final long offset, final long sourceAddress, final long length)
    {
        if (memory.isDevice(sourceAddress))
        {
            put(pe, region, offset, null, sourceAddress, length);
        }
        else
        {
            messages.putNbi(pe, region, offset, sourceAddress, length);
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
        final Object destBase = MemoryOps.baseOf(dest);
        if (null == destBase && memory.isDevice(destAddress))
        {
            get(pe, region, offset, destBase, destAddress, length);
        }
        else
        {
            messages.getNbi(pe, region, offset, dest, destAddress, length, pending);
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
        if (null == sourceBase && memory.isDevice(sourceAddress))
        {
            put(pe, region, offset, null, sourceAddress, length);
            messages.signal(pe, signalRegion, signalOffset, value, signalOperation);
        }
        else
        {
            messages.putSignal(
                pe,
                region,
                offset,
                sourceBase,
                sourceAddress,
                length,
                signalRegion,
                signalOffset,
                value,
                signalOperation);
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
        if (memory.isDevice(fetchAddress))
        {
            memory.putElement(
                fetchAddress, Integer.BYTES, messages.fetchAtomicInt(pe, op, region, offset, value, cond));
        }
        else
        {
            messages.fetchAtomicIntNbi(pe, op, region, offset, value, cond, fetchAddress, pending);
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
        if (memory.isDevice(fetchAddress))
        {
            memory.putElement(
                fetchAddress, Long.BYTES, messages.fetchAtomicLong(pe, op, region, offset, value, cond));
        }
        else
        {
            messages.fetchAtomicLongNbi(pe, op, region, offset, value, cond, fetchAddress, pending);
        }
    }

    @Override
    public String toString()
    {
        return "StagedTransport{" + messages + "}";
    }
}
