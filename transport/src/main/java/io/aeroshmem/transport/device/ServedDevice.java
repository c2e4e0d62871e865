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

import java.util.function.Consumer;

/**
 * Device memory for operations that the progress engine performs on behalf of peers. No caller of this PE waits for
 * such an operation, so a failure of the device is reported to a consumer and not thrown. The consumer has to fail the
 * job, because the peer gets an acknowledgement even if the operation failed.
 */
public final class ServedDevice implements DeviceMemory
{
    private final DeviceMemory memory;
    private final Consumer<RuntimeException> onFailure;

    public ServedDevice(final DeviceMemory memory, final Consumer<RuntimeException> onFailure)
    {
        this.memory = memory;
        this.onFailure = onFailure;
    }

    @Override
    public boolean isDevice(final long address)
    {
        return memory.isDevice(address);
    }

    @Override
    public void copy(final long from, final long to, final long length)
    {
        try
        {
            memory.copy(from, to, length);
        }
        catch (final RuntimeException ex)
        {
            onFailure.accept(ex);
        }
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
        try
        {
            memory.copyStrided(from, fromStride, to, toStride, blockBytes, count);
        }
        catch (final RuntimeException ex)
        {
            onFailure.accept(ex);
        }
    }

    @Override
    public boolean reduce(
        final int op, final int type, final long dest, final long[] blocks, final int size, final long count)
    {
        try
        {
            return memory.reduce(op, type, dest, blocks, size, count);
        }
        catch (final RuntimeException ex)
        {
            onFailure.accept(ex);
            return false;
        }
    }

    @Override
    public void zero(final long address, final long length)
    {
        try
        {
            memory.zero(address, length);
        }
        catch (final RuntimeException ex)
        {
            onFailure.accept(ex);
        }
    }

    @Override
    public long getElement(final long address, final int width)
    {
        try
        {
            return memory.getElement(address, width);
        }
        catch (final RuntimeException ex)
        {
            onFailure.accept(ex);
            return 0;
        }
    }

    @Override
    public void putElement(final long address, final int width, final long value)
    {
        try
        {
            memory.putElement(address, width, value);
        }
        catch (final RuntimeException ex)
        {
            onFailure.accept(ex);
        }
    }

    @Override
    public void signal(final long address, final long value, final int signalOperation)
    {
        try
        {
            memory.signal(address, value, signalOperation);
        }
        catch (final RuntimeException ex)
        {
            onFailure.accept(ex);
        }
    }

    @Override
    public long fetchAtomic(
        final long address, final int width, final int op, final long value, final long cond)
    {
        try
        {
            return memory.fetchAtomic(address, width, op, value, cond);
        }
        catch (final RuntimeException ex)
        {
            onFailure.accept(ex);
            return 0;
        }
    }

    /** Returns 0 if the device fails. */
    @Override
    public long acquireStaging()
    {
        try
        {
            return memory.acquireStaging();
        }
        catch (final RuntimeException ex)
        {
            onFailure.accept(ex);
            return 0;
        }
    }

    @Override
    public void releaseStaging(final long address)
    {
        memory.releaseStaging(address);
    }

    @Override
    public int stagingLength()
    {
        return memory.stagingLength();
    }
}
