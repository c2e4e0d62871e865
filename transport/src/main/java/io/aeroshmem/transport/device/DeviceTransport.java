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
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.Transport;
import io.aeroshmem.transport.mapped.MemoryOps;
import io.aeroshmem.transport.progress.BlockingWait;
import org.agrona.UnsafeApi;

/**
 * Transport to peers whose host memory is mapped, for a PE with device memory. It performs every operation on the
 * device heap of such a peer, and every operation whose local memory is device memory. It forwards all others to the
 * transport to host memory.
 * <p>
 * An operation that this transport performs is complete on return. So a thread's operations on the host and device
 * memory of a peer keep the order of the program, and need no fence or quiet between the two paths.
 */
public final class DeviceTransport extends ForwardingTransport
{
    private static final long NONE = 0;

    private final Transport host;
    private final long[] hostBases;
    private final long[] addresses;
    private final PeerDevice[] devices;
    private final DeviceMemory memory;
    private final BlockingWait blockingWait;

    /**
     * @param host         transport to the host memory of the peers.
     * @param hostBases    addresses of the host heaps in this process, by PE.
     * @param addresses    of the device heaps in this process, by PE; 0 where only the owner reaches them.
     * @param requests     to the owners of the others.
     * @param memory       the device's.
     * @param blockingWait of this PE.
     */
    public DeviceTransport(
        final Transport host,
        final long[] hostBases,
        final long[] addresses,
        final DeviceRequests requests,
        final DeviceMemory memory,
        final BlockingWait blockingWait)
    {
        this.host = host;
        this.hostBases = hostBases;
        this.addresses = addresses;
        this.memory = memory;
        this.blockingWait = blockingWait;
        devices = new PeerDevice[addresses.length];
        for (int pe = 0; pe < devices.length; pe++)
        {
            devices[pe] = 0 != addresses[pe] ?
                new AddressableDevice(memory, addresses[pe], blockingWait) : new OwnedDevice(requests, memory, pe);
        }
    }

    @Override
    protected Transport next(final int pe)
    {
        return host;
    }

    @Override
    public boolean isMessaging()
    {
        return host.isMessaging();
    }

    @Override
    public void putByte(final int pe, final int region, final long offset, final byte value)
    {
        if (Region.DEVICE == region)
        {
            devices[pe].putElement(offset, Byte.BYTES, value);
        }
        else
        {
            host.putByte(pe, region, offset, value);
        }
    }

    @Override
    public byte getByte(final int pe, final int region, final long offset)
    {
        return Region.DEVICE == region ? (byte)devices[pe].getElement(offset, Byte.BYTES) :
            host.getByte(pe, region, offset);
    }

    @Override
    public void putShort(final int pe, final int region, final long offset, final short value)
    {
        if (Region.DEVICE == region)
        {
            devices[pe].putElement(offset, Short.BYTES, value);
        }
        else
        {
            host.putShort(pe, region, offset, value);
        }
    }

    @Override
    public short getShort(final int pe, final int region, final long offset)
    {
        return Region.DEVICE == region ? (short)devices[pe].getElement(offset, Short.BYTES) :
            host.getShort(pe, region, offset);
    }

    @Override
    public void putInt(final int pe, final int region, final long offset, final int value)
    {
        if (Region.DEVICE == region)
        {
            devices[pe].putElement(offset, Integer.BYTES, value);
        }
        else
        {
            host.putInt(pe, region, offset, value);
        }
    }

    @Override
    public int getInt(final int pe, final int region, final long offset)
    {
        return Region.DEVICE == region ? (int)devices[pe].getElement(offset, Integer.BYTES) :
            host.getInt(pe, region, offset);
    }

    @Override
    public void putLong(final int pe, final int region, final long offset, final long value)
    {
        if (Region.DEVICE == region)
        {
            devices[pe].putElement(offset, Long.BYTES, value);
        }
        else
        {
            host.putLong(pe, region, offset, value);
        }
    }

    @Override
    public long getLong(final int pe, final int region, final long offset)
    {
        return Region.DEVICE == region ? devices[pe].getElement(offset, Long.BYTES) :
            host.getLong(pe, region, offset);
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
        if (Region.DEVICE == region)
        {
            if (null == sourceBase)
            {
                devices[pe].put(offset, sourceAddress, length);
            }
            else
            {
                putArray(pe, offset, sourceBase, sourceAddress, length);
            }
        }
        else if (isDevice(sourceBase, sourceAddress))
        {
            memory.copy(sourceAddress, hostBases[pe] + offset, length);
        }
        else
        {
            host.put(pe, region, offset, sourceBase, sourceAddress, length);
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
        if (Region.DEVICE == region)
        {
            if (null == destBase)
            {
                devices[pe].get(offset, destAddress, length);
            }
            else
            {
                getArray(pe, offset, destBase, destAddress, length);
            }
        }
        else if (isDevice(destBase, destAddress))
        {
            blockingWait.checkFailure();
            memory.copy(hostBases[pe] + offset, destAddress, length);
        }
        else
        {
            host.get(pe, region, offset, destBase, destAddress, length);
        }
    }

    @Override
    public void putNbi(
        final int pe, final int region, final long offset, final long sourceAddress, final long length)
    {
        if (isDevice(region, sourceAddress))
        {
            put(pe, region, offset, null, sourceAddress, length);
        }
        else
        {
            host.putNbi(pe, region, offset, sourceAddress, length);
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
        if (Region.DEVICE == region || isDevice(destBase, destAddress))
        {
            get(pe, region, offset, destBase, destAddress, length);
        }
        else
        {
            host.getNbi(pe, region, offset, dest, destAddress, length, pending);
        }
    }

    @Override
    public void putStrided(
        final int pe,
        final int region,
        final long offset,
        final long stride,
        final long sourceAddress,
        final long sourceStride,
        final long count,
        final long blockBytes)
    {
        final long address = address(pe, region, offset, sourceAddress);
        if (NONE == address || isOverlapping(address, stride, sourceAddress, sourceStride, count))
        {
            super.putStrided(
                pe, region, offset, stride, sourceAddress, sourceStride, count, blockBytes);
        }
        else
        {
            blockingWait.checkFailure();
            memory.copyStrided(sourceAddress, sourceStride, address, stride, blockBytes, count);
        }
    }

    @Override
    public void getStrided(
        final int pe,
        final int region,
        final long offset,
        final long stride,
        final long destAddress,
        final long destStride,
        final long count,
        final long blockBytes)
    {
        final long address = address(pe, region, offset, destAddress);
        if (NONE == address || isOverlapping(address, stride, destAddress, destStride, count))
        {
            super.getStrided(pe, region, offset, stride, destAddress, destStride, count, blockBytes);
        }
        else
        {
            blockingWait.checkFailure();
            memory.copyStrided(address, stride, destAddress, destStride, blockBytes, count);
        }
    }

    /** Returns the address of a peer's memory for one copy by the device, or {@link #NONE} if it does not serve. */
    private long address(final int pe, final int region, final long offset, final long localAddress)
    {
        final long base = Region.DEVICE == region ? addresses[pe] : hostBases[pe];
        return isDevice(region, localAddress) && NONE != base ? base + offset : NONE;
    }

    private static boolean isOverlapping(
        final long address, final long stride, final long localAddress, final long localStride, final long count)
    {
        return address < localAddress + count * localStride && localAddress < address + count * stride;
    }

    @Override
    public void signal(
        final int pe, final int region, final long offset, final long value, final int signalOperation)
    {
        if (Region.DEVICE == region)
        {
            devices[pe].signal(offset, value, signalOperation);
        }
        else
        {
            host.signal(pe, region, offset, value, signalOperation);
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
        if (Region.DEVICE == region || Region.DEVICE == signalRegion || isDevice(sourceBase, sourceAddress))
        {
            put(pe, region, offset, sourceBase, sourceAddress, length);
            host.fence(pe);
            signal(pe, signalRegion, signalOffset, value, signalOperation);
        }
        else
        {
            host.putSignal(
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
    public void atomicInt(final int pe, final int op, final int region, final long offset, final int value)
    {
        if (Region.DEVICE == region)
        {
            devices[pe].fetchAtomic(offset, Integer.BYTES, op, value, 0);
        }
        else
        {
            host.atomicInt(pe, op, region, offset, value);
        }
    }

    @Override
    public int fetchAtomicInt(
        final int pe, final int op, final int region, final long offset, final int value, final int cond)
    {
        return Region.DEVICE == region ? (int)devices[pe].fetchAtomic(offset, Integer.BYTES, op, value, cond) :
            host.fetchAtomicInt(pe, op, region, offset, value, cond);
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
        if (isDevice(region, fetchAddress))
        {
            final int before = fetchAtomicInt(pe, op, region, offset, value, cond);
            if (memory.isDevice(fetchAddress))
            {
                memory.putElement(fetchAddress, Integer.BYTES, before);
            }
            else
            {
                UnsafeApi.putInt(null, fetchAddress, before);
            }
        }
        else
        {
            host.fetchAtomicIntNbi(pe, op, region, offset, value, cond, fetchAddress, pending);
        }
    }

    @Override
    public void atomicLong(final int pe, final int op, final int region, final long offset, final long value)
    {
        if (Region.DEVICE == region)
        {
            devices[pe].fetchAtomic(offset, Long.BYTES, op, value, 0);
        }
        else
        {
            host.atomicLong(pe, op, region, offset, value);
        }
    }

    @Override
    public long fetchAtomicLong(
        final int pe, final int op, final int region, final long offset, final long value, final long cond)
    {
        return Region.DEVICE == region ? devices[pe].fetchAtomic(offset, Long.BYTES, op, value, cond) :
            host.fetchAtomicLong(pe, op, region, offset, value, cond);
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
        if (isDevice(region, fetchAddress))
        {
            final long before = fetchAtomicLong(pe, op, region, offset, value, cond);
            if (memory.isDevice(fetchAddress))
            {
                memory.putElement(fetchAddress, Long.BYTES, before);
            }
            else
            {
                UnsafeApi.putLong(null, fetchAddress, before);
            }
        }
        else
        {
            host.fetchAtomicLongNbi(pe, op, region, offset, value, cond, fetchAddress, pending);
        }
    }

    @Override
    public String toString()
    {
        return "DeviceTransport{" + host + "}";
    }

    private boolean isDevice(final int region, final long localAddress)
    {
        return Region.DEVICE == region || memory.isDevice(localAddress);
    }

    private boolean isDevice(final Object base, final long address)
    {
        return null == base && memory.isDevice(address);
    }

    private void putArray(
        final int pe, final long offset, final Object sourceBase, final long sourceAddress, final long length)
    {
        final long staging = memory.acquireStaging();
        try
        {
            final int limit = memory.stagingLength();
            for (long done = 0; done < length; done += limit)
            {
                final long bytes = Math.min(limit, length - done);
                UnsafeApi.copyMemory(sourceBase, sourceAddress + done, null, staging, bytes);
                devices[pe].put(offset + done, staging, bytes);
            }
        }
        finally
        {
            memory.releaseStaging(staging);
        }
    }

    private void getArray(
        final int pe, final long offset, final Object destBase, final long destAddress, final long length)
    {
        final long staging = memory.acquireStaging();
        try
        {
            final int limit = memory.stagingLength();
            for (long done = 0; done < length; done += limit)
            {
                final long bytes = Math.min(limit, length - done);
                devices[pe].get(offset + done, staging, bytes);
                UnsafeApi.copyMemory(null, staging, destBase, destAddress + done, bytes);
            }
        }
        finally
        {
            memory.releaseStaging(staging);
        }
    }
}
