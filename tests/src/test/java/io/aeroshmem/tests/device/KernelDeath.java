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

import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.gpu.Gpu;
import io.aeroshmem.gpu.GpuException;
import io.aeroshmem.gpu.GpuStream;
import io.aeroshmem.samples.DeviceRing;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.RoutineSet;
import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import jcuda.driver.JCudaDriver;

import java.io.InputStream;
import java.util.Arrays;

import static io.aeroshmem.tests.device.CudaCalls.check;
import static io.aeroshmem.tests.device.CudaCalls.newStream;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The last PE is killed when kernels of the others communicate with it: those of the sample {@link DeviceRing}, which
 * wait for its signals and make requests for its memory. The kernels end, and the survivors' devices and JVMs end in an
 * orderly way, with a status of their own.
 */
public final class KernelDeath extends RoutineSet
{
    private static final int LENGTH = 100;
    private static final int THREADS = 32;
    private static final long ROUNDS = 1_000_000_000;

    public KernelDeath()
    {
        add("death", KernelDeath::shouldEndKernelsOfSurvivors);
    }

    private static void shouldEndKernelsOfSurvivors(final Pe pe) throws Exception
    {
        final Shmem shmem = pe.shmem();
        final Gpu gpu = Gpu.init(shmem);
        final SymmetricBuffer block = gpu.calloc(LENGTH, Long.BYTES);
        Survivor.checkWay(pe, gpu);
        final SymmetricBuffer inboxes = gpu.calloc(2 * LENGTH, Long.BYTES);
        final SymmetricBuffer signals = gpu.calloc(2, Long.BYTES);
        final SymmetricBuffer killedAt = shmem.calloc(2, Long.BYTES);
        final GpuStream stream = gpu.stream(newStream(gpu));
        final CUmodule module = load(gpu);
        gpu.initModule(module);
        final int victim = pe.n() - 1;
        final int me = pe.me();
        shmem.barrierAll();
        launch(gpu, module, stream, gpu.address(block, me), gpu.address(inboxes, me), gpu.address(signals, me),
            LENGTH, ROUNDS);
        if (victim == me)
        {
            Survivor.die(pe, killedAt);
        }

        final Survivor survivor = new Survivor();
        survivor.start("kernel", stream::synchronize);
        Survivor.begin(pe, killedAt);
        survivor.check(killedAt, victim);
        final GpuException error = gpu.lastDeviceError();
        assertTrue(error.getMessage().contains("the wait ended, because the job has failed") ||
            error.getMessage().contains("request"), error.getMessage());
        gpu.finalizeModule(module);
        Survivor.end(shmem, gpu);
    }

    private static CUmodule load(final Gpu gpu) throws Exception
    {
        final CUmodule module = new CUmodule();
        try (InputStream resource = DeviceRing.class.getResourceAsStream("device_samples.ptx"))
        {
            assertNotNull(resource);
            final byte[] ptx = resource.readAllBytes();
            check(JCudaDriver.cuCtxPushCurrent(gpu.cuContext()));
            check(JCudaDriver.cuModuleLoadData(module, Arrays.copyOf(ptx, ptx.length + 1)));
            check(JCudaDriver.cuCtxPopCurrent(new CUcontext()));
        }

        return module;
    }

    private static void launch(
        final Gpu gpu, final CUmodule module, final GpuStream stream, final long... parameters)
    {
        final CUfunction function = new CUfunction();
        check(JCudaDriver.cuCtxPushCurrent(gpu.cuContext()));
        check(JCudaDriver.cuModuleGetFunction(function, module, "device_ring"));
        check(JCudaDriver.cuCtxPopCurrent(new CUcontext()));
        final Pointer[] pointers = Arrays.stream(parameters)
            .mapToObj((value) -> Pointer.to(new long[]{value}))
            .toArray(Pointer[]::new);
        gpu.collectiveLaunch(function, 1, 1, 1, THREADS, 1, 1, 0, stream.stream(), Pointer.to(pointers));
    }
}
