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
import io.aeroshmem.device.DeviceAttachment;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.device.DeviceRequests;
import io.aeroshmem.transport.endpoint.Endpoint;
import org.agrona.CloseHelper;
import org.agrona.ErrorHandler;

/**
 * The device part of a PE, from its set-up to its end. The set-up is collective: each PE opens its device, then all
 * exchange records, so that a failure of one PE fails on all of them with the same exception, and nothing remains. The
 * rest is local, or agreed upon.
 */
final class DeviceSetup
{
    private final CudaDevice device;
    private final DeviceHeap heap;
    private final PinnedHostHeaps hostHeaps;
    private final CudaMemory memory;
    private final SymmetricBuffer requests;
    private final InitStatus status;

    private DeviceSetup(
        final CudaDevice device,
        final DeviceHeap heap,
        final PinnedHostHeaps hostHeaps,
        final CudaMemory memory,
        final SymmetricBuffer requests,
        final InitStatus status)
    {
        this.device = device;
        this.heap = heap;
        this.hostHeaps = hostHeaps;
        this.memory = memory;
        this.requests = requests;
        this.status = status;
    }

    /**
     * Sets up the device part. Collective.
     *
     * @param own device of this PE, whose resources are released if the set-up fails.
     * @throws GpuException if any PE cannot set up its device.
     */
    static DeviceSetup perform(
        final Shmem shmem, final DeviceAttachment attachment, final Gpu.Context config, final LocalDevice own)
    {
        final DeviceRecord[] records = exchange(shmem, own.record());
        check(records);

        final Endpoint endpoint = attachment.endpoint();
        final DeviceHeap heap = own.heap();
        final boolean isComplete = heap.connect(endpoint, records);
        final boolean isRequesting = 0 != shmem.world().reduceLong(ReduceOp.MAX, isComplete ? 0 : 1);

        final CudaMemory memory = new CudaMemory(own.device(), heap.base(), config.heapSize());
        final SymmetricBuffer requests =
            isRequesting ? shmem.calloc(1, DeviceRequests.length(shmem.nPes())) : null;
        final DeviceSetup setup = new DeviceSetup(
            own.device(), heap, own.hostHeaps(), memory, requests, DeviceHeap.status(endpoint, records));
        attachment.open(
            memory, heap.addresses(), config.heapSize(), isRequesting ? setup.requests(attachment) : null);
        shmem.world().barrier();
        return setup;
    }

    private static DeviceRecord[] exchange(final Shmem shmem, final DeviceRecord own)
    {
        final int nPes = shmem.nPes();
        final SymmetricBuffer all = shmem.malloc((long)nPes * DeviceRecord.LENGTH);
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
        shmem.free(all);
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
            memory.heapLength(),
            memory,
            endpoint.blockingWait(),
            attachment.errorHandler());
    }

    CudaDevice device()
    {
        return device;
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

    /** Returns the address by which kernels of this PE reach a PE's host heap, or 0. */
    long hostAddress(final int pe)
    {
        return null == hostHeaps ? 0 : hostHeaps.deviceAddress(pe);
    }

    /** Releases everything. Collective: no PE frees memory that another one still maps. */
    void close(final Shmem shmem)
    {
        heap.disconnect();
        shmem.world().barrier();
        shmem.free(requests);
        CloseHelper.closeAll(hostHeaps, heap, device);
    }

    /** Releases everything that this PE has, when others may be gone. */
    void abandon(final ErrorHandler errorHandler)
    {
        CloseHelper.closeAll(errorHandler, hostHeaps, heap, device);
    }
}
