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
package io.aeroshmem.gpu.sim;

import static io.aeroshmem.gpu.sim.SimulatedDriver.*;
import static jcuda.driver.JCudaDriver.*;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import jcuda.driver.CUstream_flags;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/**
 * A context of its own for each test of the simulated driver, and after the test the check that nothing is left of it.
 */
@RequiresSimulatedDriver
abstract class SimulatedContext
{
    static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(20);

    /* Threads last, which end a little later. */
    private static final int[] LIVE_COUNTS = {
        LIVE_CONTEXTS, LIVE_ALLOCATIONS, LIVE_REGISTRATIONS, LIVE_STREAMS, LIVE_EVENTS, LIVE_MODULES, LIVE_IMPORTS,
        LIVE_THREADS};

    final CUcontext context = new CUcontext();
    /* Other tests in this JVM may keep a context. */
    private int[] before;

    @BeforeAll
    static void requireDriver()
    {
        assumeAvailable();
    }

    @BeforeEach
    void createContext()
    {
        set(RESET_COUNTS, 0);
        /* Destroyed contexts stay on the stacks of threads. */
        while (CUresult.CUDA_SUCCESS == cuCtxPopCurrent(new CUcontext()))
        {
            Thread.onSpinWait();
        }

        before = Arrays.stream(LIVE_COUNTS).map(SimulatedDriver::count).toArray();
        check(cuCtxCreate(context, 0, device(0)));
    }

    @AfterEach
    void destroyContext()
    {
        set(SET_LAUNCHES_UNTIL_LOST, -1);
        set(SET_CALLS_UNTIL_FAILURE, 0);
        set(SET_OWN_HOST_POINTERS, 0);
        set(SET_IPC, 1);
        set(SET_STREAM_MEMORY_OPERATIONS, 1);
        set(SET_MEMORY, 4L << 30);
        check(cuCtxDestroy(context));
        for (int i = 0; i < LIVE_COUNTS.length - 1; i++)
        {
            assertEquals(before[i], count(LIVE_COUNTS[i]), "live count " + i);
        }

        await(() -> count(LIVE_THREADS) <= before[LIVE_COUNTS.length - 1], "threads");
    }

    static void await(final BooleanSupplier condition, final String what)
    {
        final long deadline = System.nanoTime() + DEADLINE_NS;
        while (!condition.getAsBoolean())
        {
            if (System.nanoTime() - deadline > 0)
            {
                throw new AssertionError("deadline: " + what);
            }

            Thread.onSpinWait();
        }
    }

    static CUdeviceptr allocate(final long bytes)
    {
        final CUdeviceptr memory = new CUdeviceptr();
        check(cuMemAlloc(memory, bytes));
        return memory;
    }

    static CUdeviceptr allocateInts(final int... values)
    {
        final CUdeviceptr memory = allocate((long)values.length * Integer.BYTES);
        check(cuMemcpyHtoD(memory, Pointer.to(values), (long)values.length * Integer.BYTES));
        return memory;
    }

    static int[] readInts(final CUdeviceptr memory, final int count)
    {
        final int[] values = new int[count];
        check(cuMemcpyDtoH(Pointer.to(values), memory, (long)count * Integer.BYTES));
        return values;
    }

    static long address(final CUdeviceptr memory)
    {
        final long[] base = new long[1];
        final CUdeviceptr start = new CUdeviceptr();
        check(cuMemGetAddressRange(start, base, memory));
        final ByteBuffer value = ByteBuffer.allocateDirect(Long.BYTES).order(ByteOrder.nativeOrder());
        check(cuPointerGetAttribute(
            Pointer.to(value), jcuda.driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_POINTER, memory));
        return value.getLong(0);
    }

    static CUstream createStream()
    {
        final CUstream stream = new CUstream();
        check(cuStreamCreate(stream, CUstream_flags.CU_STREAM_NON_BLOCKING));
        return stream;
    }

    static CUmodule loadTestKernels()
    {
        final CUmodule module = new CUmodule();
        check(cuModuleLoadData(module, testKernels()));
        return module;
    }

    static CUfunction function(final CUmodule module, final String name)
    {
        final CUfunction function = new CUfunction();
        check(cuModuleGetFunction(function, module, name));
        return function;
    }

    static int launch(
        final CUfunction function, final int blocks, final int threads, final CUstream stream, final Pointer... values)
    {
        return cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, stream, Pointer.to(values), null);
    }

    /** Memory that was allocated by the driver, as the host sees it. */
    static IntBuffer ints(final Pointer memory, final int count)
    {
        return memory.getByteBuffer(0, (long)count * Integer.BYTES).order(ByteOrder.nativeOrder()).asIntBuffer();
    }
}
