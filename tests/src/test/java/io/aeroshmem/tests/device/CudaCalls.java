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
package io.aeroshmem.tests.device;

import io.aeroshmem.gpu.Gpu;
import jcuda.driver.CUcontext;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Calls of the CUDA driver that programs of tests make themselves. */
final class CudaCalls
{
    private CudaCalls()
    {
    }

    /** Returns a new stream of a PE's context, which waits for no other. */
    static CUstream newStream(final Gpu gpu)
    {
        final CUstream stream = new CUstream();
        check(JCudaDriver.cuCtxPushCurrent(gpu.cuContext()));
        check(JCudaDriver.cuStreamCreate(stream, CUstream_flags.CU_STREAM_NON_BLOCKING));
        check(JCudaDriver.cuCtxPopCurrent(new CUcontext()));
        return stream;
    }

    static void check(final int result)
    {
        assertEquals(CUresult.CUDA_SUCCESS, result, () -> CUresult.stringFor(result));
    }
}
