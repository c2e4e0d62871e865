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

import io.aeroshmem.collective.request.RequestProgress;
import io.aeroshmem.device.DeviceAttachment;
import io.aeroshmem.device.DeviceModule;
import io.aeroshmem.device.RetainedMemory;
import io.aeroshmem.lifecycle.PeIdentity;
import io.aeroshmem.memory.Allocation;
import io.aeroshmem.memory.AllocationConsensus;
import io.aeroshmem.memory.CollectiveHeap;
import io.aeroshmem.memory.HeapAccess;
import io.aeroshmem.memory.LocalMemory;
import io.aeroshmem.memory.Operand;
import io.aeroshmem.memory.SymmetricHeap;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.Threads;
import io.aeroshmem.transport.device.DeviceMemory;
import io.aeroshmem.transport.device.DeviceRequests;
import io.aeroshmem.transport.endpoint.Endpoint;
import io.aeroshmem.transport.progress.Progress;
import org.agrona.ErrorHandler;
import org.agrona.collections.ArrayUtil;
import org.agrona.concurrent.AtomicBuffer;

import java.nio.ByteBuffer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The device part of a PE: the device heap and the attached {@link DeviceModule}. The module accesses the PE through
 * the methods of {@link DeviceAttachment}, which this class implements.
 */
final class DevicePart implements DeviceAttachment
{
    private final Shmem shmem;
    private final Endpoint endpoint;
    private final RequestProgress requestProgress;
    private final ErrorHandler errorHandler;
    private final Function<SymmetricHeap, CollectiveHeap> heaps;
    private final DeviceModule module;
    private final PeIdentity owner;
    private SymmetricHeap heap;
    private CollectiveHeap collectiveHeap;
    private volatile Progress[] services = new Progress[0];

    /**
     * @param owner identity of the PE.
     * @param heaps makes the collective calls on a heap.
     */
    DevicePart(
        final Shmem shmem,
        final PeIdentity owner,
        final Endpoint endpoint,
        final RequestProgress requestProgress,
        final ErrorHandler errorHandler,
        final Function<SymmetricHeap, CollectiveHeap> heaps,
        final DeviceModule module)
    {
        this.shmem = shmem;
        this.owner = owner;
        this.endpoint = endpoint;
        this.requestProgress = requestProgress;
        this.errorHandler = errorHandler;
        this.heaps = heaps;
        this.module = module;
    }

    DeviceModule module()
    {
        return module;
    }

    CollectiveHeap collectiveHeap()
    {
        return collectiveHeap;
    }

    @Override
    public Endpoint endpoint()
    {
        return endpoint;
    }

    @Override
    public PeIdentity owner()
    {
        return owner;
    }

    @Override
    public Thread newThread(final Runnable task)
    {
        final Thread thread = Threads.daemon(shmem.context().threadFactory().newThread(task));
        if (null != owner.guard())
        {
            owner.guard().exempt(thread);
        }

        return thread;
    }

    @Override
    public void release(final Thread thread)
    {
        if (null != owner.guard())
        {
            owner.guard().include(thread);
        }
    }

    @Override
    public ErrorHandler errorHandler()
    {
        return errorHandler;
    }

    @Override
    public void open(
        final DeviceMemory memory,
        final long[] addresses,
        final long heapLength,
        final long length,
        final DeviceRequests requests)
    {
        heap = new SymmetricHeap(
            owner, Region.DEVICE, heapLength, new LocalDeviceMemory(memory, addresses[endpoint.pe()]));
        collectiveHeap = heaps.apply(heap);
        endpoint.attach(memory, addresses, length, requests);
        if (null != requests)
        {
            serve(requests);
        }
    }

    @Override
    public synchronized void serve(final Progress service)
    {
        services = ArrayUtil.add(services, service);
        requestProgress.device(this::pollServices);
        endpoint.serveRequests();
    }

    private int pollServices()
    {
        int work = 0;
        for (final Progress service : services)
        {
            work += service.poll();
        }

        return work;
    }

    @Override
    public SymmetricBuffer malloc(final long bytes)
    {
        return allocate(AllocationConsensus.MALLOC, bytes, 0, bytes, () -> collectiveHeap.malloc(bytes));
    }

    @Override
    public SymmetricBuffer calloc(final long count, final long elementBytes)
    {
        return allocate(
            AllocationConsensus.CALLOC,
            count,
            elementBytes,
            0 == count ? 0 : elementBytes,
            () -> collectiveHeap.calloc(count, elementBytes));
    }

    @Override
    public SymmetricBuffer align(final long alignment, final long bytes)
    {
        return allocate(
            AllocationConsensus.ALIGN, bytes, alignment, bytes, () -> collectiveHeap.align(alignment, bytes));
    }

    private SymmetricBuffer allocate(
        final int kind, final long first, final long second, final long bytes, final Supplier<Allocation> call)
    {
        return shmem.allocate(AllocationConsensus.DEVICE + kind, first, second, bytes, call);
    }

    @Override
    public SymmetricBuffer retained(final RetainedMemory which, final long bytes)
    {
        return shmem.retained(which, bytes);
    }

    @Override
    public void defer(final Runnable task)
    {
        shmem.defer(newThread(task));
    }

    @Override
    public void awaitDeferred()
    {
        shmem.awaitDeferred();
    }

    @Override
    public boolean isClosing()
    {
        return shmem.isLeaving();
    }

    @Override
    public long offset(final SymmetricBuffer buffer)
    {
        return HeapAccess.address(buffer, owner, 0, 0, Operand.BUFFER);
    }

    @Override
    public void closeHeap()
    {
        if (null != heap)
        {
            shmem.close(heap, 0, "device heap", "its device was detached");
            endpoint.detach();
            heap = null;
            collectiveHeap = null;
        }
    }

    @Override
    public void endService()
    {
        requestProgress.device(Progress.NONE);
        endpoint.endDeviceService();
    }

    @Override
    public void detach()
    {
        shmem.detach(this);
    }

    /** The memory of this PE's device heap. */
    private static final class LocalDeviceMemory implements LocalMemory
    {
        private final DeviceMemory memory;
        private final long base;

        LocalDeviceMemory(final DeviceMemory memory, final long base)
        {
            this.memory = memory;
            this.base = base;
        }

        @Override
        public long address()
        {
            return 0;
        }

        @Override
        public long operandAddress()
        {
            return base;
        }

        @Override
        public void copy(final long fromOffset, final long toOffset, final long length)
        {
            memory.copy(base + fromOffset, base + toOffset, length);
        }

        @Override
        public void zero(final long offset, final long length)
        {
            memory.zero(base + offset, length);
        }

        @Override
        public AtomicBuffer view(final long offset, final int length)
        {
            throw new UnsupportedOperationException("device memory has no view");
        }

        @Override
        public ByteBuffer byteBuffer(final long offset, final int length)
        {
            throw new UnsupportedOperationException("device memory has no view");
        }
    }
}
