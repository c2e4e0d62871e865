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
import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import jcuda.driver.CUstream;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static io.aeroshmem.gpu.sim.SimulatedDriver.check;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

/** A PE with a module of kernels that call the device API, and a stream on which it launches them. */
final class DeviceApi
{
    /** The types of the header's table of RMA, in its order, and their bytes; then sizes, memory and further types. */
    static final String[] TYPES = {
        "char", "schar", "short", "int", "long", "longlong", "uchar", "ushort", "uint", "ulong", "ulonglong", "int8",
        "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "size", "ptrdiff", "half", "bfloat16",
        "float", "double", "8", "16", "32", "64", "128", "mem", "complexf", "complexd", "double2"
    };
    static final int[] BYTES = {
        1, 1, 2, 4, 8, 8, 1, 2, 4, 8, 8, 1, 2, 4, 8, 1, 2, 4, 8, 8, 8, 2, 2, 4, 8, 1, 2, 4, 8, 16, 1, 8, 16, 16
    };
    static final int RMA_TYPES = 25;
    static final int MEM = 30;

    /** How a kernel reaches other PEs. */
    enum Way
    {
        ADDRESS, REQUESTS
    }

    interface Task
    {
        void run(DeviceApi api) throws Exception;
    }

    final Shmem shmem;
    final Gpu gpu;
    final int me;
    final int nPes;
    final CUmodule module = new CUmodule();
    private final CUstream stream = new CUstream();
    private final List<SymmetricBuffer> buffers = new ArrayList<>();

    private DeviceApi(final Shmem shmem, final Gpu gpu, final String kernels)
    {
        this.shmem = shmem;
        this.gpu = gpu;
        me = shmem.myPe();
        nPes = shmem.nPes();
        enter();
        check(JCudaDriver.cuModuleLoadData(module, ptx(kernels)));
        check(JCudaDriver.cuStreamCreate(stream, CUstream_flags.CU_STREAM_NON_BLOCKING));
        leave();
    }

    /** Runs PEs as threads, each with its own module, initialised. No kernel may leave an error. */
    static void run(final int nPes, final Way way, final String kernels, final Task task) throws Exception
    {
        run(nPes, way, kernels, (api) ->
        {
            api.gpu.initModule(api.module);
            task.run(api);
            assertNull(api.gpu.lastDeviceError());
            api.gpu.finalizeModule(api.module);
        }, true);
    }

    /** Runs PEs as threads, each with its own module, which the task initialises or not. */
    static void run(
        final int nPes, final Way way, final String kernels, final Task task, final boolean pinHostHeap)
        throws Exception
    {
        TestDevice.assumeCompiled(new String(ptx(kernels), StandardCharsets.ISO_8859_1));
        final Shmem.Context template = new Shmem.Context()
            .heapSize(4 << 20)
            .operationTimeoutNs(TimeUnit.SECONDS.toNanos(40));
        Shmem.runLocal(nPes, template, (shmem) ->
        {
            final Gpu.Context config = new Gpu.Context()
                .device(0)
                .heapSize(8 << 20)
                .pinHostHeap(pinHostHeap)
                .proxyRingCapacity(64)
                .proxyAllPeers(Way.REQUESTS == way);
            try (Gpu gpu = Gpu.init(shmem, config))
            {
                shmem.syncAll();
                for (int pe = 0; pe < nPes && Way.ADDRESS == way; pe++)
                {
                    final DeviceReach reach = gpu.reach(pe);
                    assertEquals(DeviceReach.Way.ADDRESS, reach.way(), reach::toString);
                }

                final DeviceApi api = new DeviceApi(shmem, gpu, kernels);
                task.run(api);
                // not after a failure: to unload a module may wait for kernels, which wait for the end of the job
                api.buffers.forEach(shmem::free);
                api.close();
            }
        });
    }

    /** Returns the address by which this PE's kernels name a symmetric object. */
    long address(final SymmetricBuffer buffer)
    {
        return gpu.address(buffer, me);
    }

    /** Launches a block of threads; values are Long and Integer. */
    void launch(final String name, final int threads, final Object... values)
    {
        final Pointer[] pointers = new Pointer[values.length];
        for (int i = 0; i < values.length; i++)
        {
            pointers[i] = values[i] instanceof Integer ?
                Pointer.to(new int[]{(Integer)values[i]}) : Pointer.to(new long[]{(Long)values[i]});
        }

        enter();
        final CUfunction function = new CUfunction();
        check(JCudaDriver.cuModuleGetFunction(function, module, name));
        check(JCudaDriver.cuLaunchKernel(
            function, 1, 1, 1, threads, 1, 1, 0, stream, Pointer.to(pointers), null));
        leave();
    }

    /** Waits for the kernels that were launched. */
    void synchronize()
    {
        enter();
        check(JCudaDriver.cuStreamSynchronize(stream));
        leave();
    }

    /** Waits for the kernels that were launched, on all PEs. */
    void synchronizeAll()
    {
        synchronize();
        shmem.barrierAll();
    }

    void write(final SymmetricBuffer buffer, final long offset, final byte[] bytes)
    {
        shmem.defaultContext().put(buffer, offset, new UnsafeBuffer(bytes), 0, bytes.length, me);
        shmem.defaultContext().quiet();
    }

    byte[] read(final SymmetricBuffer buffer, final long offset, final int length)
    {
        final byte[] bytes = new byte[length];
        shmem.defaultContext().get(new UnsafeBuffer(bytes), 0, buffer, offset, length, me);
        return bytes;
    }

    long readLong(final SymmetricBuffer buffer, final long offset)
    {
        return shmem.defaultContext().getLong(buffer, offset, me);
    }

    /** Returns a buffer of zeros, until the end of the task: in device memory, or in pinned host memory. */
    SymmetricBuffer calloc(final boolean isDevice, final long bytes)
    {
        final SymmetricBuffer buffer = isDevice ? gpu.calloc(bytes, 1) : shmem.calloc(bytes, 1);
        buffers.add(buffer);
        return buffer;
    }

    /** Allocates device memory that is not symmetric; the context's end frees it. */
    long allocate(final long bytes)
    {
        enter();
        final CUdeviceptr pointer = new CUdeviceptr();
        check(JCudaDriver.cuMemAlloc(pointer, bytes));
        leave();
        return JCudaHandles.addressOf(pointer);
    }

    void free(final long address)
    {
        enter();
        check(JCudaDriver.cuMemFree(JCudaHandles.pointerOf(address)));
        leave();
    }

    void copyToDevice(final long address, final byte[] bytes)
    {
        enter();
        check(JCudaDriver.cuMemcpyHtoD(JCudaHandles.pointerOf(address), Pointer.to(bytes), bytes.length));
        leave();
    }

    byte[] copyFromDevice(final long address, final int length)
    {
        final byte[] bytes = new byte[length];
        enter();
        check(JCudaDriver.cuMemcpyDtoH(Pointer.to(bytes), JCudaHandles.pointerOf(address), length));
        leave();
        return bytes;
    }

    /** Returns how many requests the kernels of this PE have made. */
    long requests()
    {
        enter();
        final CUdeviceptr state = new CUdeviceptr();
        check(JCudaDriver.cuModuleGetGlobal(state, new long[1], module, DeviceStateDescriptor.STATE_VARIABLE));
        leave();
        final long claimed = new UnsafeBuffer(copyFromDevice(
            JCudaHandles.addressOf(state), DeviceStateDescriptor.STATE_LENGTH))
            .getLong(DeviceStateDescriptor.RING_CLAIMED_OFFSET);
        return new UnsafeBuffer(copyFromDevice(claimed, Long.BYTES)).getLong(0);
    }

    private void enter()
    {
        check(JCudaDriver.cuCtxPushCurrent(gpu.cuContext()));
    }

    private static void leave()
    {
        check(JCudaDriver.cuCtxPopCurrent(new CUcontext()));
    }

    private static byte[] ptx(final String name)
    {
        try (InputStream in = DeviceApi.class.getResourceAsStream(name + ".ptx"))
        {
            final byte[] text = in.readAllBytes();
            return Arrays.copyOf(text, text.length + 1);
        }
        catch (final IOException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    private void close()
    {
        enter();
        check(JCudaDriver.cuStreamDestroy(stream));
        check(JCudaDriver.cuModuleUnload(module));
        leave();
    }
}
