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

import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.device.AttachedDevice;
import io.aeroshmem.device.DeviceProvider;
import io.aeroshmem.device.DeviceReport;
import io.aeroshmem.device.DeviceStream;
import org.agrona.CloseHelper;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Service provider of the GPU module. {@link java.util.ServiceLoader} finds it for programs that have no reference to
 * the module at compile time. Programs that have such a reference use {@link Gpu} directly.
 */
public final class CudaProvider implements DeviceProvider
{
    /** Constructs the provider, for the loader of services; loads nothing of CUDA. */
    public CudaProvider()
    {
    }

    @Override
    public DeviceReport report()
    {
        return CudaReport.ofThisHost();
    }

    @Override
    public List<String> sharing(final int device, final List<String> java)
    {
        return CudaReport.sharing(device, java);
    }

    @Override
    public AttachedDevice attach(final Shmem shmem)
    {
        final Gpu gpu = Gpu.init(shmem);
        try
        {
            shmem.syncAll();
            return new Attached(gpu, gpu.deviceName());
        }
        catch (final RuntimeException ex)
        {
            CloseHelper.quietClose(gpu);
            throw ex;
        }
    }

    @Override
    public Map<String, String> headers() throws IOException
    {
        return DeviceHeaders.read();
    }

    private static final class Attached implements AttachedDevice
    {
        private final Gpu gpu;
        private final String name;
        private final List<GpuStream> streams = new ArrayList<>();

        Attached(final Gpu gpu, final String name)
        {
            this.gpu = gpu;
            this.name = name;
        }

        @Override
        public String name()
        {
            return name;
        }

        @Override
        public SymmetricBuffer calloc(final long count, final long elementBytes)
        {
            return gpu.calloc(count, elementBytes);
        }

        @Override
        public String reach(final int pe)
        {
            return gpu.reach(pe).toString();
        }

        @Override
        public DeviceStream newStream()
        {
            final GpuStream stream = gpu.newStream();
            streams.add(stream);
            return stream;
        }

        @Override
        public void close()
        {
            streams.forEach(gpu::destroy);
            gpu.close();
        }
    }
}
