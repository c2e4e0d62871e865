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
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;

/**
 * The CUDA stream of a sample. A sample constructs this object before {@link Gpu#init}, so that a try statement closes
 * the stream after the GPU. The sample opens the stream later, when the device heap is set up. An open stream retains
 * the primary context of the device, so the context still exists when the stream is closed.
 */
final class LedgerStream implements AutoCloseable
{
    private CUdevice device;
    private CUstream handle;

    LedgerStream()
    {
    }

    /** Creates the stream on the device of a PE, whose device heap is set up. */
    CUstream open(final Gpu gpu)
    {
        final CUcontext context = new CUcontext();
        check(JCudaDriver.cuDevicePrimaryCtxRetain(context, gpu.device()));
        device = gpu.device();
        check(JCudaDriver.cuCtxPushCurrent(context));
        final CUstream stream = new CUstream();
        final int result = JCudaDriver.cuStreamCreate(stream, CUstream_flags.CU_STREAM_NON_BLOCKING);
        check(JCudaDriver.cuCtxPopCurrent(context));
        check(result);
        handle = stream;
        return handle;
    }

    @Override
    public void close()
    {
        if (null != handle)
        {
            check(JCudaDriver.cuStreamDestroy(handle));
        }

        if (null != device)
        {
            check(JCudaDriver.cuDevicePrimaryCtxRelease(device));
        }
    }

    private static void check(final int result)
    {
        if (CUresult.CUDA_SUCCESS != result)
        {
            throw new IllegalStateException("the call of CUDA failed: " + CUresult.stringFor(result));
        }
    }
}
