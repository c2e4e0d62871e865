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
package io.aeroshmem.transport.mapped;

import io.aeroshmem.transport.MemorySpace;
import io.aeroshmem.transport.Pending;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.Transport;
import io.aeroshmem.transport.progress.BlockingWait;
import org.agrona.UnsafeApi;

/**
 * Transport by loads and stores to peers whose memory is mapped into this process.
 * <p>
 * The calling thread itself stores the data of a put, so {@link #fence} is a store fence and {@link #quiet} a full
 * fence. {@link #putSignal} writes its block by plain stores, and then the signal by a release store or a locked add.
 * <p>
 * The memory of a dead PE stays readable indefinitely. So blocking operations that return a peer's value check whether
 * the job has failed. A program that polls by such operations thus ends when the job fails, as it does over messages.
 */
public class MappedTransport implements Transport
{
    private final MemorySpace[] spaces;
    /** Those of {@link Region#USER}, one load away. */
    private final long[] userAddresses;
    private final Object owners;
    private final BlockingWait blockingWait;

    /**
     * @param spaces table of the regions.
     * @param owners keep the memory mapped as long as they are reachable, and so as long as this transport is.
     */
    public MappedTransport(final MemorySpace[] spaces, final Object owners, final BlockingWait blockingWait)
    {
        this.blockingWait = blockingWait;
        this.owners = owners;
        this.spaces = spaces;
        userAddresses = spaces[Region.USER].addresses();
    }

    @Override
    public String toString()
    {
        return "MappedTransport{" + owners + "}";
    }

    @Override
    public boolean isMessaging()
    {
        return false;
    }

    /** Returns the address in this process of the memory of a PE. */
    public long address(final int pe, final int region, final long offset)
    {
        return (Region.USER == region ? userAddresses : addresses(region))[pe] + offset;
    }

    private long[] addresses(final int region)
    {
        return MemorySpace.of(spaces, region).addresses();
    }

    @Override
    public void putByte(final int pe, final int region, final long offset, final byte value)
    {
        UnsafeApi.putByteOpaque(null, address(pe, region, offset), value);
    }

    @Override
    public byte getByte(final int pe, final int region, final long offset)
    {
        blockingWait.checkFailure();
        return UnsafeApi.getByteOpaque(null, address(pe, region, offset));
    }

    @Override
    public void putShort(final int pe, final int region, final long offset, final short value)
    {
        UnsafeApi.putShortOpaque(null, address(pe, region, offset), value);
    }

    @Override
    public short getShort(final int pe, final int region, final long offset)
    {
        blockingWait.checkFailure();
        return UnsafeApi.getShortOpaque(null, address(pe, region, offset));
    }

    @Override
    public void putInt(final int pe, final int region, final long offset, final int value)
    {
        UnsafeApi.putIntOpaque(null, address(pe, region, offset), value);
    }

    @Override
    public int getInt(final int pe, final int region, final long offset)
    {
        blockingWait.checkFailure();
        return UnsafeApi.getIntOpaque(null, address(pe, region, offset));
    }

    @Override
    public void putLong(final int pe, final int region, final long offset, final long value)
    {
        UnsafeApi.putLongOpaque(null, address(pe, region, offset), value);
    }

    @Override
    public long getLong(final int pe, final int region, final long offset)
    {
        blockingWait.checkFailure();
        return UnsafeApi.getLongOpaque(null, address(pe, region, offset));
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
        MemoryOps.copy(sourceBase, sourceAddress, null, address(pe, region, offset), length);
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
        blockingWait.checkFailure();
        MemoryOps.copy(null, address(pe, region, offset), destBase, destAddress, length);
    }

    @Override
    public void putNbi(
        final int pe, final int region, final long offset, final long sourceAddress, final long length)
    {
        MemoryOps.copy(null, sourceAddress, null, address(pe, region, offset), length);
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
        final long address = address(pe, region, offset);
        final Object destBase = MemoryOps.baseOf(dest);
        if (Long.BYTES == length)
        {
            UnsafeApi.putLong(destBase, destAddress, UnsafeApi.getLong(address));
        }
        else
        {
            MemoryOps.copy(null, address, destBase, destAddress, length);
        }
    }

    @Override
    public void signal(
        final int pe, final int region, final long offset, final long value, final int signalOperation)
    {
        MemoryOps.signal(address(pe, region, offset), value, signalOperation);
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
        MemoryOps.copy(sourceBase, sourceAddress, null, address(pe, region, offset), length);
        MemoryOps.signal(address(pe, signalRegion, signalOffset), value, signalOperation);
    }

    @Override
    public void atomicInt(final int pe, final int op, final int region, final long offset, final int value)
    {
        MemoryOps.atomicInt(address(pe, region, offset), op, value);
    }

    @Override
    public int fetchAtomicInt(
        final int pe, final int op, final int region, final long offset, final int value, final int cond)
    {
        blockingWait.checkFailure();
        return MemoryOps.fetchAtomicInt(address(pe, region, offset), op, value, cond);
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
        final int before = MemoryOps.fetchAtomicInt(address(pe, region, offset), op, value, cond);
        UnsafeApi.putInt(null, fetchAddress, before);
    }

    @Override
    public void atomicLong(final int pe, final int op, final int region, final long offset, final long value)
    {
        MemoryOps.atomicLong(address(pe, region, offset), op, value);
    }

    @Override
    public long fetchAtomicLong(
        final int pe, final int op, final int region, final long offset, final long value, final long cond)
    {
        blockingWait.checkFailure();
        return MemoryOps.fetchAtomicLong(address(pe, region, offset), op, value, cond);
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
        final long before = MemoryOps.fetchAtomicLong(address(pe, region, offset), op, value, cond);
        UnsafeApi.putLong(null, fetchAddress, before);
    }

    @Override
    public void fence(final int pe)
    {
        UnsafeApi.storeFence();
    }

    @Override
    public void quiet(final int pe)
    {
        UnsafeApi.fullFence();
    }

    @Override
    public boolean isQuiet(final int pe)
    {
        return true;
    }
}
