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

import io.aeroshmem.gpu.sim.SimulatedDriver;
import org.agrona.BufferUtil;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * A device with its kernels, and memory on it, for a test. It is the simulated one where the build set the environment
 * for it; a real one elsewhere.
 */
final class TestDevice implements AutoCloseable
{
    private static final boolean IS_SIMULATED = null != System.getenv("AEROSHMEM_CUDA_SIM_HOME");

    /** The device that was opened last, for {@link OnTestThread}; null if it is closed. */
    private static volatile TestDevice open;

    final CudaDriver driver;
    final int device;
    final Kernels kernels;
    final long stream;
    /** A word that ends the waits of kernels when the device is closed, so that a failed test does not hang. */
    final long abort;
    private final long context;
    private final List<Long> allocations = new ArrayList<>();
    private final List<Long> streams = new ArrayList<>();

    TestDevice()
    {
        assumeAvailable();
        driver = JCudaBinding.load();
        device = driver.deviceGet(0);
        context = driver.devicePrimaryCtxRetain(device);
        driver.ctxPushCurrent(context);
        kernels = new Kernels(driver, device);
        stream = newStream();
        abort = allocateLongs(0);
        open = this;
    }

    static TestDevice open()
    {
        return open;
    }

    /** Skips the test where the simulated driver could not be built. */
    static void assumeAvailable()
    {
        assumeTrue(
            !IS_SIMULATED || SimulatedDriver.isAvailable(),
            "the simulated CUDA driver was not built, since g++ or make is missing");
    }

    /** Removes the stream memory operations of the simulated device, for which a real one is skipped, or adds them. */
    static void setStreamMemoryOperations(final boolean areThere)
    {
        assumeTrue(areThere || IS_SIMULATED, "only of the simulated driver");
        if (IS_SIMULATED)
        {
            SimulatedDriver.set(SimulatedDriver.SET_STREAM_MEMORY_OPERATIONS, areThere ? 1 : 0);
        }
    }

    /**
     * Skips the test on a real device if the PTX has declarations only, which are enough for the simulated one:
     * gpu/pack-for-gpu.sh compiles the kernels where nvcc is.
     */
    static void assumeCompiled(final String ptx)
    {
        assumeTrue(IS_SIMULATED || !ptx.contains("{ ret; }"), "the kernels are not compiled: there is no nvcc");
    }

    /** Returns a count of the simulated driver; 0 on a real device, which has none. */
    static int count(final int number)
    {
        return IS_SIMULATED ? SimulatedDriver.count(number) : 0;
    }

    long context()
    {
        return context;
    }

    /** Creates a stream that is destroyed with the device. */
    long newStream()
    {
        final long created = driver.streamCreate(CudaConstants.STREAM_NON_BLOCKING);
        streams.add(created);
        return created;
    }

    /** Allocates memory that is freed with the device. */
    long allocate(final long bytes)
    {
        final long address = driver.memAlloc(bytes);
        allocations.add(address);
        driver.memsetD8(address, (byte)0xee, bytes);
        driver.streamSynchronize(0);
        return address;
    }

    /** Allocates a copy of a buffer. */
    long allocate(final ByteBuffer contents)
    {
        final long address = allocate(Math.max(1, contents.capacity()));
        write(address, contents);
        return address;
    }

    /** Allocates an array. */
    long allocateLongs(final long... values)
    {
        final ByteBuffer contents = buffer(values.length * Long.BYTES);
        contents.asLongBuffer().put(values);
        return allocate(contents);
    }

    void write(final long address, final ByteBuffer contents)
    {
        driver.memcpy(address, BufferUtil.address(contents), contents.capacity());
        Reference.reachabilityFence(contents);
    }

    void write(final long address, final long value)
    {
        write(address, buffer(Long.BYTES).putLong(0, value));
    }

    ByteBuffer read(final long address, final int bytes)
    {
        final ByteBuffer contents = buffer(bytes);
        driver.memcpy(BufferUtil.address(contents), address, bytes);
        return contents;
    }

    long readLong(final long address)
    {
        return read(address, Long.BYTES).getLong(0);
    }

    int readInt(final long address)
    {
        return read(address, Integer.BYTES).getInt(0);
    }

    void synchronize()
    {
        driver.streamSynchronize(stream);
    }

    /** Waits until a stream has completed its operations. */
    void awaitStream(final long awaited)
    {
        final long deadline = System.nanoTime() + 20_000_000_000L;
        while (!driver.streamQuery(awaited))
        {
            assertTrue(System.nanoTime() < deadline, "the stream does not complete");
            Thread.onSpinWait();
        }
    }

    static ByteBuffer buffer(final int bytes)
    {
        return BufferUtil.allocateDirectAligned(Math.max(1, bytes), 64).limit(bytes).slice()
            .order(ByteOrder.nativeOrder());
    }

    @Override
    public void close()
    {
        open = null;
        final long last = newStream();
        kernels.atomic(DeviceAtomic.SET, Long.BYTES, abort, 1, 0, 0, last);
        driver.ctxSynchronize();
        kernels.close();
        streams.forEach(driver::streamDestroy);
        allocations.forEach(driver::memFree);
        driver.ctxPopCurrent();
        driver.devicePrimaryCtxRelease(device);
    }
}
