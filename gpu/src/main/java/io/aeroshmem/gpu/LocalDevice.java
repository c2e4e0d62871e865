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

import io.aeroshmem.transport.endpoint.Endpoint;
import org.agrona.CloseHelper;

/**
 * The resources that a PE opens on its own, before the PEs exchange {@link DeviceRecord records}: its device, its heap
 * on that device, {@link PinnedHostHeaps pinned host heaps}, and the memory that the program's kernels share with the
 * host.
 */
final class LocalDevice implements AutoCloseable
{
    private final DeviceRecord record = new DeviceRecord();
    private CudaDevice device;
    private DeviceHeap heap;
    private PinnedHostHeaps hostHeaps;
    private DeviceState state;

    /**
     * Opens the device that the configuration specifies, or else that of the current context. A failure is reported to
     * all PEs in the record, not thrown.
     *
     * @param driver null if CUDA cannot be used.
     */
    LocalDevice(final CudaDriver driver, final Gpu.Context config, final Endpoint endpoint)
    {
        if (null == driver)
        {
            return;
        }

        try
        {
            device = Gpu.Context.NO_DEVICE == config.device() ?
                CudaDevice.ofCurrentContext(driver, config.kernels()) :
                CudaDevice.ofOrdinal(driver, config.device(), config.kernels());
            if (null != device)
            {
                heap = new DeviceHeap(
                    device, config.heapSize(), endpoint.nPes(), config.shareDeviceHeap());
                hostHeaps = config.pinHostHeap() ? new PinnedHostHeaps(device, endpoint) : null;
                state = new DeviceState(device, endpoint.nPes(), config.proxyRingCapacity());
                heap.describe(record);
            }
        }
        catch (final RuntimeException ex)
        {
            record.failed(String.valueOf(ex.getMessage()));
            close();
        }
        catch (final Error ex)
        {
            // such as a lack of direct memory: the other PEs wait for the record
            record.failed(ex.toString());
            close();
        }
    }

    DeviceRecord record()
    {
        return record;
    }

    CudaDevice device()
    {
        return device;
    }

    DeviceHeap heap()
    {
        return heap;
    }

    PinnedHostHeaps hostHeaps()
    {
        return hostHeaps;
    }

    DeviceState state()
    {
        return state;
    }

    /** Releases everything. A second call does nothing: other PEs of the process may share the context. */
    @Override
    public void close()
    {
        CloseHelper.quietCloseAll(state, hostHeaps, heap, device);
        state = null;
        hostHeaps = null;
        heap = null;
        device = null;
    }
}
