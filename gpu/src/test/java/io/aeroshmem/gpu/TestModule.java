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
import jcuda.driver.JCudaDriver;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

import static io.aeroshmem.gpu.sim.SimulatedDriver.check;
import static org.junit.jupiter.api.Assertions.assertNotNull;

/** A module of test kernels that call the device-side API, initialised for a PE, in the PE's context. */
final class TestModule implements AutoCloseable
{
    private final Gpu gpu;
    private final CUmodule module = new CUmodule();

    /**
     * @param name of the PTX among the resources.
     */
    TestModule(final Gpu gpu, final String name) throws IOException
    {
        this.gpu = gpu;
        final byte[] ptx;
        try (InputStream resource = TestModule.class.getResourceAsStream(name + ".ptx"))
        {
            assertNotNull(resource, name);
            ptx = resource.readAllBytes();
        }

        enter();
        check(JCudaDriver.cuModuleLoadData(module, Arrays.copyOf(ptx, ptx.length + 1)));
        leave();
        gpu.initModule(module);
    }

    CUmodule module()
    {
        return module;
    }

    /** Launches a kernel, whose parameters are longs, as one block on a stream of the PE. */
    void launch(final String name, final int threads, final GpuStream stream, final long... values)
    {
        enter();
        final CUfunction function = new CUfunction();
        check(JCudaDriver.cuModuleGetFunction(function, module, name));
        final Pointer[] pointers = Arrays.stream(values).mapToObj((value) -> Pointer.to(new long[]{value}))
            .toArray(Pointer[]::new);
        check(JCudaDriver.cuLaunchKernel(
            function, 1, 1, 1, threads, 1, 1, 0, stream.stream(), Pointer.to(pointers), null));
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

    /** Ends the module; no kernel of it runs any more. */
    @Override
    public void close()
    {
        gpu.finalizeModule(module);
        enter();
        check(JCudaDriver.cuModuleUnload(module));
        leave();
    }
}
