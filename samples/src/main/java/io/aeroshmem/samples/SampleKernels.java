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
package io.aeroshmem.samples;

import io.aeroshmem.gpu.Gpu;
import io.aeroshmem.gpu.GpuStream;
import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * Loader and launcher of the kernels of {@code device_samples.cu} in the CUDA context of a PE. It initialises their
 * CUDA module for the device-side API.
 */
final class SampleKernels implements AutoCloseable
{
    private static final String RESOURCE = "device_samples.ptx";
    private static final int THREADS = 64;

    private final Gpu gpu;
    private final CUmodule module;

    /** Loads the module; the device part of the GPU is set up. */
    SampleKernels(final Gpu gpu) throws IOException
    {
        this.gpu = gpu;
        module = gpu.loadModule(ptx());
        gpu.initModule(module);
    }

    private static byte[] ptx() throws IOException
    {
        try (InputStream resource = SampleKernels.class.getResourceAsStream(RESOURCE))
        {
            if (null == resource)
            {
                throw new FileNotFoundException(RESOURCE + " is not on the class path");
            }

            return resource.readAllBytes();
        }
    }

    /** Launches a kernel as one block, and waits until it has ended. All PEs do: the kernels wait for each other. */
    void run(final String name, final GpuStream stream, final long... parameters)
    {
        final CUfunction function = new CUfunction();
        inContext(() -> JCudaDriver.cuModuleGetFunction(function, module, name));
        final Pointer[] pointers = Arrays.stream(parameters)
            .mapToObj((value) -> Pointer.to(new long[]{value}))
            .toArray(Pointer[]::new);
        gpu.collectiveLaunch(function, 1, 1, 1, THREADS, 1, 1, 0, stream.stream(), Pointer.to(pointers));
        stream.synchronize();
    }

    private void inContext(final Call call)
    {
        check(JCudaDriver.cuCtxPushCurrent(gpu.cuContext()));
        try
        {
            check(call.invoke());
        }
        finally
        {
            JCudaDriver.cuCtxPopCurrent(new CUcontext());
        }
    }

    private static void check(final int result)
    {
        if (CUresult.CUDA_SUCCESS != result)
        {
            throw new IllegalStateException("the call of CUDA failed: " + CUresult.stringFor(result));
        }
    }

    @Override
    public void close()
    {
        gpu.finalizeModule(module);
        inContext(() -> JCudaDriver.cuModuleUnload(module));
    }

    private interface Call
    {
        int invoke();
    }
}
