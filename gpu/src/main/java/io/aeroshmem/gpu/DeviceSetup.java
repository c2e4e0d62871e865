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

import io.aeroshmem.InitStatus;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.SymmetricHeapExhaustedException;
import io.aeroshmem.config.ShmemProperty;
import io.aeroshmem.device.DeviceAttachment;
import io.aeroshmem.device.RetainedMemory;
import io.aeroshmem.transport.PathKind;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.device.DeviceRequests;
import io.aeroshmem.transport.endpoint.Endpoint;
import org.agrona.CloseHelper;
import org.agrona.ErrorHandler;
import org.agrona.UnsafeApi;

import java.util.stream.IntStream;

/**
 * The device part of a PE, from its set-up to its release: the device, the device heap, pinned host heaps, and the
 * state that the program's kernels use.
 * <p>
 * The set-up is collective: each PE opens its device, then all PEs exchange {@link DeviceRecord records}. If a record
 * reports a failure, all PEs throw the same exception, and no resource remains open. After the exchange, every decision
 * that involves other PEs depends only on values that all PEs have agreed on, so all PEs decide alike.
 */
final class DeviceSetup
{
    /** Bits of what a PE lacks: an address of each device heap of its node; access to all heaps of the world. */
    private static final long OF_NODE = 1;
    private static final long OF_WORLD = 2;
    /** Likewise: access of its kernels to all device heaps by address; pinned host heaps. */
    private static final long OF_KERNELS = 4;
    private static final long UNPINNED = 8;
    /** It would request operations of a PE that cannot answer it. */
    private static final long UNANSWERED = 16;
    /** The areas of teams take at most 1 / HOST_SHARE of the host heap. */
    private static final int HOST_SHARE = 8;

    private final DeviceAttachment attachment;
    private final CudaDevice device;
    private final DeviceHeap heap;
    private final PinnedHostHeaps hostHeaps;
    private final CudaMemory memory;
    private final SymmetricBuffer requests;
    private final DeviceRelease release;
    private final InitStatus status;
    /** Null if a PE does not reach all device heaps and pinned host heaps. */
    private final WorldCollectives world;
    private final boolean isHostAtomic;
    private final DeviceState state;
    private final DeviceInterface kernels;
    private volatile boolean isClosed;

    private DeviceSetup(
        final Shmem shmem,
        final DeviceAttachment attachment,
        final Gpu.Context config,
        final LocalDevice own,
        final SymmetricBuffer requests,
        final DeviceRelease release,
        final InitStatus status,
        final WorldCollectives world,
        final boolean isHostArea)
    {
        this.attachment = attachment;
        this.requests = requests;
        this.release = release;
        this.status = status;
        this.world = world;
        device = own.device();
        heap = own.heap();
        hostHeaps = own.hostHeaps();
        state = own.state();
        memory = new CudaMemory(device, heap.base(), heap.reachableLength());
        isHostAtomic = 0 != device.driver().deviceGetAttributeOr(
            CudaConstants.HOST_NATIVE_ATOMIC_SUPPORTED, device.handle(), 0);
        attachment.open(
            memory,
            heap.addresses(),
            config.heapSize(),
            heap.reachableLength(),
            null == requests ? null : requests(attachment));
        kernels = prepareKernels(shmem, config, isHostArea);
    }

    /**
     * Sets up the device part. Collective.
     *
     * @param own device of this PE, whose resources are released if the set-up fails.
     * @throws GpuException if any PE cannot set up its device, or could not request operations of another.
     */
    static DeviceSetup perform(
        final Shmem shmem, final DeviceAttachment attachment, final Gpu.Context config, final LocalDevice own)
    {
        final int nPes = shmem.nPes();
        final SymmetricBuffer exchange = retained(
            attachment,
            RetainedMemory.EXCHANGE,
            (long)nPes * (DeviceRecord.LENGTH + Long.BYTES) + WorldViews.length(nPes));
        final DeviceRecord[] records = exchange(shmem, exchange, own.record());
        check(records);

        final Endpoint endpoint = attachment.endpoint();
        final DeviceHeap heap = own.heap();
        final boolean isComplete = heap.connect(endpoint, records);
        final long missing = shmem.world().reduceLong(
            ReduceOp.OR,
            (isComplete ? 0 : OF_NODE) |
            (isWorldReachable(own, nPes) ? 0 : OF_WORLD) |
            (heap.isWorldReachable() && !config.proxyAllPeers() ? 0 : OF_KERNELS) |
            (null != own.hostHeaps() ? 0 : UNPINNED) |
            (isAnswered(endpoint, heap.addresses()) ? 0 : UNANSWERED));
        if (0 != (missing & UNANSWERED))
        {
            throw new GpuException("of two PEs of a host, only one has mapped the host memory of the other, and has" +
                " no address of its device memory: set " + ShmemProperty.TRANSPORT.propertyName() +
                " alike on all PEs of a host", null);
        }

        final boolean isRequesting = 0 != (missing & OF_NODE);
        final DeviceSetup setup = new DeviceSetup(
            shmem,
            attachment,
            config,
            own,
            isRequesting ? retained(attachment, RetainedMemory.REQUESTS, DeviceRequests.length(nPes)) : null,
            new DeviceRelease(attachment, exchange.slice((long)nPes * DeviceRecord.LENGTH, (long)nPes * Long.BYTES)),
            DeviceHeap.status(endpoint, records),
            0 == (missing & (OF_NODE | OF_WORLD)) ? WorldViews.exchange(shmem, exchange, own) : null,
            OF_KERNELS == (missing & (OF_KERNELS | UNPINNED)));
        shmem.world().barrier();
        heap.warn(endpoint.pe());
        return setup;
    }

    /** Prepares the state that calls of the device-side API use. All PEs place the areas of teams alike. */
    private DeviceInterface prepareKernels(final Shmem shmem, final Gpu.Context config, final boolean isHostArea)
    {
        final Endpoint endpoint = attachment.endpoint();
        final int pe = endpoint.pe();
        final long[] deviceBases = new long[endpoint.nPes()];
        final long[] hostBases = new long[endpoint.nPes()];
        boolean isProxy = null != hostHeaps && !isHostAtomic;
        for (int peer = 0; peer < deviceBases.length; peer++)
        {
            final boolean isDirect = peer == pe || !config.proxyAllPeers();
            deviceBases[peer] = isDirect ? reachableAddress(peer) : 0;
            hostBases[peer] = isDirect ? hostAddress(peer) : 0;
            isProxy |= 0 == deviceBases[peer] || null != hostHeaps && 0 == hostBases[peer];
        }

        final DeviceAbort abort = new DeviceAbort(attachment, device);
        state.peers(deviceBases, hostBases);
        state.heaps(
            heap.base(),
            heap.reachableLength(),
            hostBases[pe],
            0 == hostBases[pe] ? 0 : endpoint.regionLength(Region.USER));
        state.modules(
            pe,
            (isHostAtomic ? DeviceStateDescriptor.FLAG_HOST_ATOMICS : 0) |
            (isProxy ? DeviceStateDescriptor.FLAG_PROXY : 0),
            abort.deviceWord());
        placeAreas(endpoint, isHostArea);
        return new DeviceInterface(shmem, attachment, this, state, abort);
    }

    /**
     * Places the areas of teams: in the device heaps, or in the pinned host heaps if kernels of some PE do not reach
     * all device heaps by address and the host heaps have room. In a host heap, a PE stores the flags of a remote one
     * without a kernel.
     */
    private void placeAreas(final Endpoint endpoint, final boolean isHostArea)
    {
        state.areas(DeviceStateDescriptor.REGION_DEVICE, heap.areasOffset());
        final long length = TeamAreas.length(endpoint.nPes());
        if (isHostArea && length <= endpoint.regionLength(Region.USER) / HOST_SHARE)
        {
            try
            {
                final long offset = attachment.offset(attachment.retained(RetainedMemory.TEAM_AREAS, length));
                UnsafeApi.setMemory(endpoint.localAddress(Region.USER) + offset, length, (byte)0);
                state.areas(DeviceStateDescriptor.REGION_HOST, offset);
            }
            catch (final SymmetricHeapExhaustedException ex)
            {
                // thrown on all PEs: the device heaps serve
            }
        }
    }

    /** Returns memory in the symmetric heap of the host, which is full on all PEs or on none. */
    private static SymmetricBuffer retained(
        final DeviceAttachment attachment, final RetainedMemory which, final long bytes)
    {
        try
        {
            return attachment.retained(which, bytes);
        }
        catch (final SymmetricHeapExhaustedException ex)
        {
            throw new GpuException("the GPU needs " + bytes + " bytes of the symmetric heap of each PE, for " +
                (RetainedMemory.REQUESTS == which ? "requests to the owners of device memory without an address here" :
                "the exchange of addresses") + ": raise " + ShmemProperty.HEAP_SIZE.propertyName(), ex);
        }
    }

    /** The owner of a heap without an address here reads requests in the host memory of this PE, if that is mapped. */
    private static boolean isAnswered(final Endpoint endpoint, final long[] addresses)
    {
        return IntStream.range(0, addresses.length).noneMatch((pe) ->
            0 == addresses[pe] && PathKind.MAPPED == endpoint.path(pe) && !endpoint.isMutuallyMapped(pe));
    }

    private static boolean isWorldReachable(final LocalDevice own, final int nPes)
    {
        return nPes <= WorldCollectives.MAX_PES && own.heap().isWorldReachable() &&
            null != own.hostHeaps() && own.hostHeaps().isWorldReachable();
    }

    private static DeviceRecord[] exchange(final Shmem shmem, final SymmetricBuffer all, final DeviceRecord own)
    {
        final int nPes = shmem.nPes();
        for (int pe = 0; pe < nPes; pe++)
        {
            shmem.defaultContext().put(
                all, (long)shmem.myPe() * DeviceRecord.LENGTH, own.buffer(), 0, DeviceRecord.LENGTH, pe);
        }

        shmem.world().barrier();

        final DeviceRecord[] records = new DeviceRecord[nPes];
        for (int pe = 0; pe < nPes; pe++)
        {
            records[pe] = DeviceRecord.read(all, pe);
        }

        shmem.world().sync();
        return records;
    }

    private static void check(final DeviceRecord[] records)
    {
        for (int pe = 0; pe < records.length; pe++)
        {
            final DeviceRecord record = records[pe];
            if (DeviceRecord.FAILED == record.state())
            {
                throw new GpuException("PE " + pe + " cannot set up its device: " + record.reason(), null);
            }

            if (DeviceRecord.NONE == record.state())
            {
                throw new GpuException("PE " + pe + " has no device: set aeroshmem.gpu.device, or make a CUDA context" +
                    " current on the thread that calls", null);
            }

            if (record.heapLength() != records[0].heapLength())
            {
                throw new GpuException("aeroshmem.gpu.heap.size must be equal on all PEs: PE 0 has " +
                    records[0].heapLength() + ", PE " + pe + " has " + record.heapLength(), null);
            }
        }
    }

    private DeviceRequests requests(final DeviceAttachment attachment)
    {
        final Endpoint endpoint = attachment.endpoint();
        final long[] hostBases = new long[endpoint.nPes()];
        for (int pe = 0; pe < hostBases.length; pe++)
        {
            hostBases[pe] = endpoint.mappedAddress(Region.USER, pe);
        }

        return new DeviceRequests(
            requests.address(),
            hostBases,
            endpoint.pe(),
            heap.base(),
            heap.reachableLength(),
            memory,
            endpoint.blockingWait(),
            attachment.errorHandler(),
            endpoint::onDeviceFailure);
    }

    CudaDevice device()
    {
        return device;
    }

    /** Returns the address of this PE's device heap. */
    long heapBase()
    {
        return heap.base();
    }

    /** Returns the length of the device heap and of the memory behind it that operations may reach. */
    long reachableLength()
    {
        return heap.reachableLength();
    }

    /** Returns the host's part of the device-side API. */
    DeviceInterface kernels()
    {
        return kernels;
    }

    InitStatus status()
    {
        return status;
    }

    /** Returns the address by which kernels of this PE reach a PE's device heap, or 0. */
    long reachableAddress(final int pe)
    {
        return heap.addresses()[pe];
    }

    /** Returns how this PE reaches a PE's device heap. */
    DeviceReach reach(final int pe)
    {
        return heap.reach(pe);
    }

    /** Returns whether other devices may store to this PE's device heap by address. */
    boolean hasOtherDevices()
    {
        return heap.hasOtherDevices();
    }

    /** Returns whether atomic operations of the device on host memory are atomic against those of processors. */
    boolean isHostAtomic()
    {
        return isHostAtomic;
    }

    /** Returns the collectives of the world by kernels, or null if a PE does not reach all heaps. */
    WorldCollectives worldOrNull()
    {
        return world;
    }

    /** Throws if the GPU is closed. */
    void checkOpen()
    {
        if (isClosed)
        {
            throw new IllegalStateException("the GPU is closed");
        }
    }

    /** Returns the address by which kernels of this PE reach a PE's host heap, or 0. */
    long hostAddress(final int pe)
    {
        return null == hostHeaps ? 0 : hostHeaps.deviceAddress(pe);
    }

    /** Releases everything once all PEs have called this. Never blocks. */
    void close(final ErrorHandler errorHandler)
    {
        isClosed = true;
        CloseHelper.close(errorHandler, release::announce);
        release.start(
            () -> CloseHelper.closeAll(errorHandler, attachment::endService, heap::disconnect),
            () -> CloseHelper.closeAll(errorHandler, state, hostHeaps, heap, device));
    }

    /** Releases everything at once. Called if no other PE performs operations any more, or if the job has failed. */
    void abandon(final ErrorHandler errorHandler)
    {
        attachment.endService();
        isClosed = true;
        CloseHelper.closeAll(errorHandler, state, hostHeaps, heap, device);
    }
}
