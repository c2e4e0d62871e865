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

import io.aeroshmem.transport.Pending;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.Transport;
import io.aeroshmem.transport.Waiting;
import org.agrona.UnsafeApi;

/**
 * Loads and stores on the segments of peers that are mapped into this process.
 * <p>
 * A store is on its way as soon as it is issued, so {@link #fence} is a store fence and {@link #quiet} a full fence.
 * The blocks of {@link #putSignal} are plain stores before a release store of the signal, or before a locked add.
 * <p>
 * Memory of a PE that has died can be read for ever. What returns a value of a peer looks at the failure word,
 * as programs poll with it: such a loop ends when the job fails, as it does where the value comes in a message.
 */
public final class MappedTransport implements Transport
{
    private final long[] userBases;
    private final long[] systemBases;
    private final Object owners;
    private final Waiting waiting;

    /**
     * Construct over tables of base addresses; an entry is filled in before its PE is first addressed.
     *
     * @param userBases   address of each PE's user heap in this process, 0 where unreachable.
     * @param systemBases address of each PE's system area in this process, 0 where unreachable.
     * @param owners      keep the memory mapped as long as they are reachable, and so as long as this transport is.
     * @param waiting     knows whether the job has failed.
     */
    public MappedTransport(
        final long[] userBases, final long[] systemBases, final Object owners, final Waiting waiting)
    {
        this.waiting = waiting;
        this.owners = owners;
        this.userBases = userBases;
        this.systemBases = systemBases;
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

    private long address(final int pe, final int region, final long offset)
    {
        return (Region.USER == region ? userBases[pe] : systemBases[pe]) + offset;
    }

    @Override
    public void putByte(final int pe, final int region, final long offset, final byte value)
    {
        UnsafeApi.putByteOpaque(null, address(pe, region, offset), value);
    }

    @Override
    public byte getByte(final int pe, final int region, final long offset)
    {
        waiting.checkFailure();
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
        waiting.checkFailure();
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
        waiting.checkFailure();
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
        waiting.checkFailure();
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
        Memory.copy(sourceBase, sourceAddress, null, address(pe, region, offset), length);
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
        waiting.checkFailure();
        Memory.copy(null, address(pe, region, offset), destBase, destAddress, length);
    }

    @Override
    public void putNbi(
        final int pe, final int region, final long offset, final long sourceAddress, final long length)
    {
        Memory.copy(null, sourceAddress, null, address(pe, region, offset), length);
    }

    @Override
    public void getNbi(
        final int pe,
        final int region,
        final long offset,
        final long destAddress,
        final long length,
        final Pending pending)
    {
        Memory.copy(null, address(pe, region, offset), null, destAddress, length);
    }

    @Override
    public void signal(
        final int pe, final int region, final long offset, final long value, final int signalOperation)
    {
        Memory.signal(address(pe, region, offset), value, signalOperation);
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
        Memory.copy(sourceBase, sourceAddress, null, address(pe, region, offset), length);
        Memory.signal(address(pe, signalRegion, signalOffset), value, signalOperation);
    }

    @Override
    public void atomicInt(final int pe, final int op, final int region, final long offset, final int value)
    {
        Memory.atomicInt(address(pe, region, offset), op, value);
    }

    @Override
    public int fetchAtomicInt(
        final int pe, final int op, final int region, final long offset, final int value, final int cond)
    {
        waiting.checkFailure();
        return Memory.fetchAtomicInt(address(pe, region, offset), op, value, cond);
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
        final int before = Memory.fetchAtomicInt(address(pe, region, offset), op, value, cond);
        UnsafeApi.putInt(null, fetchAddress, before);
    }

    @Override
    public void atomicLong(final int pe, final int op, final int region, final long offset, final long value)
    {
        Memory.atomicLong(address(pe, region, offset), op, value);
    }

    @Override
    public long fetchAtomicLong(
        final int pe, final int op, final int region, final long offset, final long value, final long cond)
    {
        waiting.checkFailure();
        return Memory.fetchAtomicLong(address(pe, region, offset), op, value, cond);
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
        final long before = Memory.fetchAtomicLong(address(pe, region, offset), op, value, cond);
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
