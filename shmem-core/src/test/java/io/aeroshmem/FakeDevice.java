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
package io.aeroshmem;

import io.aeroshmem.collective.reduction.Reduction;
import io.aeroshmem.collective.task.CanonicalTree;
import io.aeroshmem.device.DeviceAttachment;
import io.aeroshmem.device.DeviceModule;
import io.aeroshmem.device.RetainedMemory;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.device.DeviceMemory;
import io.aeroshmem.transport.device.DeviceRequests;
import io.aeroshmem.transport.endpoint.Endpoint;
import io.aeroshmem.transport.mapped.MemoryOps;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A device of tests: its memory is outside the symmetric heaps, and its addresses are such that a load or store there
 * ends the JVM. All PEs of a job are threads of this JVM.
 */
final class FakeDevice implements DeviceModule, DeviceMemory
{
    static final int LENGTH = 1 << 20;
    private static final long DISTANCE = 1L << 62;
    private static final int STAGING_LENGTH = 1000;
    private static final String LOST = "the device is lost";

    private final ByteBuffer memory = BufferUtil.allocateDirectAligned(LENGTH, 64);
    private final List<ByteBuffer> staging = new ArrayList<>();
    private DeviceAttachment attachment;
    private boolean isClosed;
    private volatile boolean isLost;
    private volatile long copiesLeft = Long.MAX_VALUE;
    private volatile Runnable beforeAccess = () -> {};
    private int stagingInUse;

    /**
     * Attaches a device to a PE. Collective.
     *
     * @param isOwnerOnly whether a PE reaches only its own device.
     */
    static FakeDevice attach(final Shmem shmem, final boolean isOwnerOnly)
    {
        final FakeDevice device = new FakeDevice();
        device.attachment = shmem.attach(device);
        final Endpoint endpoint = device.attachment.endpoint();
        final int nPes = shmem.nPes();
        final long own = BufferUtil.address(device.memory) + DISTANCE;

        final SymmetricBuffer exchange = shmem.calloc(nPes, Long.BYTES);
        final SymmetricBuffer ring =
            device.attachment.retained(RetainedMemory.REQUESTS, DeviceRequests.length(nPes));
        final long[] addresses = new long[nPes];
        final long[] hostBases = new long[nPes];
        for (int pe = 0; pe < nPes; pe++)
        {
            shmem.defaultContext().putLong(exchange, (long)shmem.myPe() * Long.BYTES, own, pe);
            hostBases[pe] = endpoint.mappedAddress(Region.USER, pe);
        }

        shmem.barrierAll();
        for (int pe = 0; pe < nPes; pe++)
        {
            addresses[pe] = isOwnerOnly && pe != shmem.myPe() ? 0 : exchange.getLong((long)pe * Long.BYTES);
        }

        final DeviceRequests requests = new DeviceRequests(
            ring.address(), hostBases, shmem.myPe(), own, LENGTH, device, endpoint.blockingWait(),
            device.attachment.errorHandler(), endpoint::onDeviceFailure);
        device.attachment.open(device, addresses, LENGTH, LENGTH, requests);
        shmem.barrierAll();
        return device;
    }

    DeviceAttachment attachment()
    {
        return attachment;
    }

    /** Lets all later operations fail. */
    void lose()
    {
        isLost = true;
    }

    boolean isClosed()
    {
        return isClosed;
    }

    @Override
    public InitStatus initStatus()
    {
        return InitStatus.FULL_MPG;
    }

    @Override
    public void complete()
    {
    }

    @Override
    public void onClose()
    {
        attachment.closeHeap();
        attachment.endService();
        isClosed = true;
    }

    @Override
    public boolean isDevice(final long address)
    {
        return address >= DISTANCE;
    }

    /** Runs a task before each later access to memory. */
    void beforeAccess(final Runnable task)
    {
        beforeAccess = task;
    }

    private long real(final long address)
    {
        beforeAccess.run();
        if (isLost)
        {
            throw new IllegalStateException(LOST);
        }

        return isDevice(address) ? address - DISTANCE : address;
    }

    /** Lets the device fail after this many copies. */
    void failAfter(final long copies)
    {
        copiesLeft = copies;
    }

    @Override
    public void copy(final long from, final long to, final long length)
    {
        if (copiesLeft-- <= 0)
        {
            throw new IllegalStateException(LOST);
        }

        MemoryOps.copy(null, real(from), null, real(to), length);
        UnsafeApi.fullFence();
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
        for (long i = 0; i < count; i++)
        {
            MemoryOps.copy(null, real(from + i * fromStride), null, real(to + i * toStride), blockBytes);
        }
    }

    @Override
    public boolean reduce(
        final int op, final int type, final long dest, final long[] blocks, final int size, final long count)
    {
        final Reduction reduction = Reduction.ofRequest(ReduceOp.values()[op], ElementType.values()[type]);
        final long[] real = new long[size];
        for (int i = 0; i < size; i++)
        {
            real[i] = real(blocks[i]);
        }

        final long bytes = count * reduction.elementBytes();
        final ByteBuffer partials =
            ByteBuffer.allocateDirect((int)(bytes + CanonicalTree.workspaceLength(size, bytes)));
        final long result = BufferUtil.address(partials);
        new CanonicalTree().combine(reduction, real, 0, size, count, result, result + bytes);
        if (reduction.needsFinish(size))
        {
            reduction.finish(result, count, size);
        }

        MemoryOps.copy(null, result, null, real(dest), bytes);
        UnsafeApi.fullFence();
        // compiled code no longer refers to the buffer, whose memory is in use until here
        Reference.reachabilityFence(partials);
        return true;
    }

    @Override
    public void zero(final long address, final long length)
    {
        UnsafeApi.setMemory(real(address), length, (byte)0);
    }

    @Override
    public long getElement(final long address, final int width)
    {
        switch (width)
        {
            case 1:
                return UnsafeApi.getByteAcquire(null, real(address));
            case 2:
                return UnsafeApi.getShort(null, real(address));
            case 4:
                return UnsafeApi.getInt(null, real(address));
            default:
                return UnsafeApi.getLong(null, real(address));
        }
    }

    @Override
    public void putElement(final long address, final int width, final long value)
    {
        switch (width)
        {
            case 1:
                UnsafeApi.putByte(null, real(address), (byte)value);
                break;
            case 2:
                UnsafeApi.putShort(null, real(address), (short)value);
                break;
            case 4:
                UnsafeApi.putInt(null, real(address), (int)value);
                break;
            default:
                UnsafeApi.putLong(null, real(address), value);
                break;
        }

        UnsafeApi.fullFence();
    }

    @Override
    public void signal(final long address, final long value, final int signalOperation)
    {
        MemoryOps.signal(real(address), value, signalOperation);
    }

    @Override
    public long fetchAtomic(
        final long address, final int width, final int op, final long value, final long cond)
    {
        return Long.BYTES == width ? MemoryOps.fetchAtomicLong(real(address), op, value, cond) :
            MemoryOps.fetchAtomicInt(real(address), op, (int)value, (int)cond);
    }

    @Override
    public synchronized long acquireStaging()
    {
        if (isLost)
        {
            throw new IllegalStateException(LOST);
        }

        stagingInUse++;
        staging.add(ByteBuffer.allocateDirect(STAGING_LENGTH));
        return BufferUtil.address(staging.get(staging.size() - 1));
    }

    @Override
    public synchronized void releaseStaging(final long address)
    {
        stagingInUse--;
    }

    /** Returns the number of pieces that were acquired and not released. */
    synchronized int stagingInUse()
    {
        return stagingInUse;
    }

    @Override
    public int stagingLength()
    {
        return STAGING_LENGTH;
    }
}
