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

import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A module of kernels that a PE launches one by one, each with a time limit. Needs no JUnit. */
final class BenchmarkKernels
{
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(40);
    private static final long POLL_NS = TimeUnit.MICROSECONDS.toNanos(50);

    private final Gpu gpu;
    private final CUmodule module = new CUmodule();
    private final CUstream stream = new CUstream();

    /** Loads a module from the resources; the device part of the GPU is set up. */
    BenchmarkKernels(final Gpu gpu, final String name) throws IOException
    {
        this.gpu = gpu;
        final byte[] image;
        try (InputStream resource = BenchmarkKernels.class.getResourceAsStream(name + ".ptx"))
        {
            image = resource.readAllBytes();
        }

        if (!CudaReport.isSimulated(gpu.deviceName()) &&
            new String(image, StandardCharsets.ISO_8859_1).contains("{ ret; }"))
        {
            throw new IllegalStateException("the kernels are not compiled: there is no nvcc");
        }

        enter();
        check(JCudaDriver.cuModuleLoadData(module, Arrays.copyOf(image, image.length + 1)));
        check(JCudaDriver.cuStreamCreate(stream, CUstream_flags.CU_STREAM_NON_BLOCKING));
        leave();
        gpu.initModule(module);
    }

    /**
     * Launches a kernel, whose parameters are longs, and waits until it has ended. The host limits the time, since a
     * kernel cannot leave a wait of the library: the job fails, which ends the waits. The launch is not cooperative:
     * its blocks do not wait for each other, and cooperative kernels of PEs that are threads might take turns.
     */
    void run(final String name, final int blocks, final int threads, final long... values)
    {
        final Pointer[] pointers =
            Arrays.stream(values).mapToObj((value) -> Pointer.to(new long[]{value})).toArray(Pointer[]::new);
        final CUfunction function = new CUfunction();
        enter();
        check(JCudaDriver.cuModuleGetFunction(function, module, name));
        check(JCudaDriver.cuLaunchKernel(
            function, blocks, 1, 1, threads, 1, 1, 0, stream, Pointer.to(pointers), null));
        final long begin = System.nanoTime();
        while (CUresult.CUDA_ERROR_NOT_READY == JCudaDriver.cuStreamQuery(stream))
        {
            if (System.nanoTime() - begin > LIMIT_NS)
            {
                throw new IllegalStateException(name + " has not ended after " + LIMIT_NS / 1_000_000_000 + " s");
            }

            LockSupport.parkNanos(POLL_NS);
        }

        leave();
        gpu.stream(stream).synchronize();
    }

    /** Unloads the module; no kernel runs. */
    void close()
    {
        gpu.finalizeModule(module);
        gpu.stream(stream).close();
        enter();
        check(JCudaDriver.cuStreamDestroy(stream));
        check(JCudaDriver.cuModuleUnload(module));
        leave();
    }

    private void enter()
    {
        check(JCudaDriver.cuCtxPushCurrent(gpu.cuContext()));
    }

    private static void leave()
    {
        check(JCudaDriver.cuCtxPopCurrent(new CUcontext()));
    }

    private static void check(final int result)
    {
        if (CUresult.CUDA_SUCCESS != result)
        {
            throw new IllegalStateException("the call of CUDA failed: " + CUresult.stringFor(result));
        }
    }
}
