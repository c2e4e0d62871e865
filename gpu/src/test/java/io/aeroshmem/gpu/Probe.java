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

import io.aeroshmem.Comparison;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.config.ShmemProperty;
import jcuda.driver.CUgraph;
import jcuda.driver.CUgraphExec;
import jcuda.driver.CUstream;
import jcuda.driver.CUstreamCaptureMode;
import jcuda.driver.JCudaDriver;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import static io.aeroshmem.gpu.CudaConstants.HOST_REGISTER_DEVICE_MAP;
import static io.aeroshmem.gpu.CudaConstants.HOST_REGISTER_PORTABLE;
import static io.aeroshmem.gpu.CudaConstants.IPC_MEM_HANDLE_BYTES;
import static io.aeroshmem.gpu.CudaConstants.IPC_MEM_LAZY_ENABLE_PEER_ACCESS;
import static io.aeroshmem.gpu.CudaConstants.STREAM_WAIT_VALUE_EQ;
import static io.aeroshmem.gpu.CudaConstants.STREAM_WAIT_VALUE_GEQ;
import static io.aeroshmem.gpu.sim.SimulatedDriver.check;

/**
 * A program that tries each primitive of CUDA that the module rests on, in order of risk, and prints a row of a table
 * for each: its time, and what was seen. The line before a row names the primitive, so that output that ends early
 * names the one that did not return. The exit code is 1 if a primitive failed.
 */
final class Probe
{
    private static final int LAUNCHES = 1_000;
    private static final int LAUNCH_THREADS = 1_024;
    private static final int ROUND_TRIPS = 200;
    private static final int PAGE = 4096;
    private static final int HEAP_LENGTH = 8 << 20;
    private static final int COPY_LENGTH = 64 << 20;
    private static final long CHILD_TIMEOUT_S = 40;
    private static final String KERNELS = "device_api_kernels";
    private static final long WRITTEN = 0x0123_4567_89ab_cdefL;

    /** Performs a primitive and returns what was seen. */
    private interface Primitive
    {
        String perform() throws Exception;
    }

    private final CudaDriver driver = JCudaBinding.load();
    private int failures;
    private int device;
    private long context;
    private long stream;
    private Kernels kernels;
    private long word;

    private Probe()
    {
    }

    public static void main(final String[] args) throws Exception
    {
        if (args.length > 0)
        {
            addInChild(HexFormat.of().parseHex(args[0]));
            return;
        }

        System.out.println("trying: loading JCuda and the driver");
        System.exit(new Probe().run());
    }

    private int run() throws Exception
    {
        probe("device", this::describe);
        probe("context", () ->
        {
            context = driver.devicePrimaryCtxRetain(device);
            driver.ctxPushCurrent(context);
            stream = driver.streamCreate(CudaConstants.STREAM_NON_BLOCKING);
            word = driver.memAlloc(Long.BYTES);
            driver.memsetD8(word, (byte)0, Long.BYTES);
            driver.ctxSynchronize();
            return "a stream and device memory in it";
        });
        probe("module, first load", () ->
        {
            kernels = new Kernels(driver, device);
            return "kernels of the library";
        });
        probe("module, second load", () ->
        {
            new Kernels(driver, device).close();
            return "kernels of the library, and unloaded";
        });
        final String file = ShmemProperty.GPU_KERNELS.text();
        if (null != file)
        {
            probe("module of " + Path.of(file).getFileName(), () ->
            {
                driver.moduleUnload(driver.moduleLoadData(Kernels.terminated(Files.readAllBytes(Path.of(file)))));
                return "loaded, and unloaded";
            });
        }

        probe("launch and synchronise", () -> launches(1));
        probe("launch and synchronise, mean of " + LAUNCHES, () -> launches(LAUNCHES));
        probe("registration of a heap in /dev/shm", this::registerHeap);
        probe("copies of 64 MiB", this::copy);
        probe("requests of a kernel through the ring", this::request);
        probe("device memory opened in another process", this::share);
        probe("stream memory operations", this::streamMemoryOperations);
        probe("stream memory operations answered by the host", this::handOver);
        probe("graph of captured kernels, launched twice", this::launchGraph);
        probe("launch of " + LAUNCH_THREADS + " threads", this::launchBlock);
        System.out.println(0 == failures ? "all primitives work" : failures + " primitives failed");
        return 0 == failures ? 0 : 1;
    }

    private void probe(final String name, final Primitive primitive)
    {
        System.out.println("trying: " + name);
        System.out.flush();
        final long begin = System.nanoTime();
        String seen;
        try
        {
            seen = primitive.perform();
        }
        catch (final Throwable ex)
        {
            failures++;
            seen = "**failed**: " + ex.toString().replace('|', '/').replace('\n', ' ');
        }

        final double ms = (System.nanoTime() - begin) / 1e6;
        System.out.printf(Locale.ROOT, "| %s | %.3f ms: %s |%n", name, ms, seen);
        System.out.flush();
    }

    private String describe()
    {
        device = driver.deviceGet(0);
        final int version = driver.driverGetVersion();
        return driver.deviceGetName(device) +
            ", compute capability " + driver.deviceGetAttribute(CudaConstants.COMPUTE_CAPABILITY_MAJOR, device) +
            "." + driver.deviceGetAttribute(CudaConstants.COMPUTE_CAPABILITY_MINOR, device) +
            ", " + driver.deviceGetAttribute(CudaConstants.MULTIPROCESSOR_COUNT, device) + " multiprocessors" +
            ", " + (driver.deviceTotalMem(device) >> 20) + " MiB" +
            ", CUDA " + version / 1000 + "." + version % 1000 / 10 +
            ", native atomics on host memory: " +
            driver.deviceGetAttribute(CudaConstants.HOST_NATIVE_ATOMIC_SUPPORTED, device) +
            ", " + driver.deviceGetCount() + " devices";
    }

    /** Launches additions to the word in device memory, and waits after each. */
    private String launches(final int count)
    {
        final long before = read(word);
        final long begin = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            kernels.atomic(DeviceAtomic.ADD, Long.BYTES, word, 1, 0, 0, stream);
            driver.streamSynchronize(stream);
        }

        final double us = (System.nanoTime() - begin) / 1e3 / count;
        require(count, read(word) - before);
        return String.format(Locale.ROOT, "%.2f us each, atomic additions in device memory", us);
    }

    /** Registers mapped memory of a file, as the heaps of PEs are, and has the device add to a word of it. */
    private String registerHeap() throws IOException
    {
        final Path file = Files.createTempFile(Path.of("/dev/shm"), "aeroshmem-probe-", ".heap");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE))
        {
            final MappedByteBuffer heap = channel.map(FileChannel.MapMode.READ_WRITE, 0, HEAP_LENGTH);
            heap.order(ByteOrder.nativeOrder());
            final long address = BufferUtil.address(heap);
            driver.memHostRegister(address, HEAP_LENGTH, HOST_REGISTER_PORTABLE | HOST_REGISTER_DEVICE_MAP);
            try
            {
                final long deviceAddress = driver.memHostGetDevicePointer(address);
                kernels.atomic(DeviceAtomic.ADD, Long.BYTES, deviceAddress + HEAP_LENGTH - Long.BYTES, 7, 0, 0, stream);
                driver.streamSynchronize(stream);
                require(7, heap.getLong(HEAP_LENGTH - Long.BYTES));
                return "device pointer " + (deviceAddress == address ? "equal to" : "other than") +
                    " the host's; an atomic addition of the device seen by the host";
            }
            finally
            {
                driver.memHostUnregister(address);
            }
        }
        finally
        {
            Files.delete(file);
        }
    }

    private String copy()
    {
        final long[] memory = {driver.memAlloc(COPY_LENGTH), driver.memAlloc(COPY_LENGTH)};
        driver.memsetD8(memory[0], (byte)1, COPY_LENGTH);
        driver.ctxSynchronize();
        final long begin = System.nanoTime();
        driver.memcpyAsync(memory[1], memory[0], COPY_LENGTH, stream);
        driver.streamSynchronize(stream);
        final double gbs = COPY_LENGTH / (double)(System.nanoTime() - begin);
        require(0x0101_0101_0101_0101L, read(memory[1] + COPY_LENGTH - Long.BYTES));
        driver.memFree(memory[0]);
        driver.memFree(memory[1]);
        return String.format(Locale.ROOT, "%.1f GB/s within the device, the first copy", gbs);
    }

    /** Has kernels add to words of the other PE by requests, which threads of the host poll and perform. */
    private String request() throws Exception
    {
        final AtomicLong requests = new AtomicLong();
        DeviceApi.run(2, DeviceApi.Way.REQUESTS, KERNELS, (api) ->
        {
            addByThreads(api, 1);
            requests.addAndGet(api.requests());
        });
        if (0 == requests.get())
        {
            throw new IllegalStateException("no request was made");
        }

        return requests + " requests of two PEs";
    }

    private String share() throws IOException, InterruptedException
    {
        final byte[] handle = new byte[IPC_MEM_HANDLE_BYTES];
        driver.ipcGetMemHandle(handle, word);
        final long before = read(word);
        final Process child = new ProcessBuilder(List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--add-opens", "java.base/jdk.internal.misc=ALL-UNNAMED",
            "--add-opens", "java.base/sun.nio.ch=ALL-UNNAMED",
            "-cp", System.getProperty("java.class.path"), Probe.class.getName(), HexFormat.of().formatHex(handle)))
            .redirectErrorStream(true).start();
        String last = "nothing";
        try (BufferedReader out = new BufferedReader(
            new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8)))
        {
            for (String line = out.readLine(); null != line; line = out.readLine())
            {
                last = line;
            }
        }

        if (!child.waitFor(CHILD_TIMEOUT_S, TimeUnit.SECONDS) || 0 != child.exitValue())
        {
            child.destroyForcibly();
            throw new IllegalStateException("the other process ended with: " + last);
        }

        require(11, read(word) - before);
        return "CUDA IPC; an atomic addition of the other process";
    }

    /** The other process of {@link #share}. */
    private static void addInChild(final byte[] handle)
    {
        final CudaDriver driver = JCudaBinding.load();
        final int device = driver.deviceGet(0);
        driver.ctxPushCurrent(driver.devicePrimaryCtxRetain(device));
        final long address = driver.ipcOpenMemHandle(handle, IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
        try (Kernels kernels = new Kernels(driver, device))
        {
            kernels.atomic(DeviceAtomic.ADD, Long.BYTES, address, 11, 0, 0, 0);
            driver.ctxSynchronize();
        }

        driver.ipcCloseMemHandle(address);
    }

    private String streamMemoryOperations()
    {
        if (!hasMemoryOperations())
        {
            return "not supported by the device";
        }

        driver.streamWriteValue64(stream, word, WRITTEN);
        driver.streamWaitValue64(stream, word, WRITTEN, STREAM_WAIT_VALUE_GEQ);
        driver.streamWaitValue64(stream, word, WRITTEN, STREAM_WAIT_VALUE_EQ);
        driver.streamSynchronize(stream);
        require(WRITTEN, read(word));
        return "a value of 64 bits written and awaited";
    }

    private boolean hasMemoryOperations()
    {
        return 0 != driver.deviceGetAttributeOr(CudaConstants.CAN_USE_64_BIT_STREAM_MEM_OPS, device, 0);
    }

    /** The stream passes to a thread of the host and waits for it, as to its proxy; the wait of a kernel likewise. */
    private String handOver()
    {
        final ByteBuffer words = BufferUtil.allocateDirectAligned(PAGE, PAGE).order(ByteOrder.nativeOrder());
        final long reached = BufferUtil.address(words);
        final long done = reached + PAGE / 2;
        driver.memHostRegister(reached, PAGE, HOST_REGISTER_PORTABLE | HOST_REGISTER_DEVICE_MAP);
        try
        {
            final long devicePointer = driver.memHostGetDevicePointer(reached);
            final double byKernels = handOver(reached, done, devicePointer, 1, false);
            final String hardware = !hasMemoryOperations() ? "not supported by the device" : String.format(
                Locale.ROOT, "%.2f us", handOver(reached, done, devicePointer, 1 + ROUND_TRIPS, true));
            return hardware + String.format(Locale.ROOT, ", by kernels %.2f us", byKernels);
        }
        finally
        {
            driver.memHostUnregister(reached);
            Reference.reachabilityFence(words);
        }
    }

    /** Returns the mean time in microseconds. */
    private double handOver(
        final long reached, final long done, final long devicePointer, final long first, final boolean isByHardware)
    {
        final long begin = System.nanoTime();
        for (long n = first; n < first + ROUND_TRIPS; n++)
        {
            final long deviceDone = devicePointer + done - reached;
            if (isByHardware)
            {
                driver.streamWriteValue64(stream, devicePointer, n);
                driver.streamWaitValue64(stream, deviceDone, n, STREAM_WAIT_VALUE_GEQ);
            }
            else
            {
                kernels.signal(SignalOp.SET, devicePointer, n, stream);
                kernels.waitUntil(Long.BYTES, deviceDone, Comparison.GE, n, 0, stream);
            }
            while (UnsafeApi.getLongAcquire(null, reached) != n)
            {
                Thread.onSpinWait();
            }

            UnsafeApi.putLongRelease(null, done, n);
        }

        driver.streamSynchronize(stream);
        return (System.nanoTime() - begin) / 1e3 / ROUND_TRIPS;
    }

    private String launchGraph()
    {
        final long before = read(word);
        final CUstream captured = JCudaHandles.with(new CUstream(), stream);
        check(JCudaDriver.cuStreamBeginCapture(captured, CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED));
        if (!driver.streamIsCapturing(stream))
        {
            throw new IllegalStateException("the stream is not being captured");
        }

        kernels.atomic(DeviceAtomic.ADD, Long.BYTES, word, 1, 0, 0, stream);
        final CUgraph graph = new CUgraph();
        final CUgraphExec executable = new CUgraphExec();
        check(JCudaDriver.cuStreamEndCapture(captured, graph));
        check(JCudaDriver.cuGraphInstantiate(executable, graph, 0));
        check(JCudaDriver.cuGraphLaunch(executable, captured));
        check(JCudaDriver.cuGraphLaunch(executable, captured));
        driver.streamSynchronize(stream);
        check(JCudaDriver.cuGraphExecDestroy(executable));
        check(JCudaDriver.cuGraphDestroy(graph));
        require(2, read(word) - before);
        return "an atomic addition each time";
    }

    private String launchBlock() throws Exception
    {
        DeviceApi.run(1, DeviceApi.Way.ADDRESS, KERNELS, (api) -> addByThreads(api, LAUNCH_THREADS));
        return "a kernel of the device-side API";
    }

    /** Launches a block on each PE that adds 1, 2, … to a word of the next PE, and verifies the sums. */
    private static void addByThreads(final DeviceApi api, final int threads)
    {
        final SymmetricBuffer words = api.calloc(true, 2 * Long.BYTES + (long)threads * Integer.BYTES);
        final long sum = api.address(words);
        final int pe = (api.me + 1) % api.nPes;
        api.launch("device_api_add_by_threads", threads, pe, sum, sum + Long.BYTES, sum + 2 * Long.BYTES, 1L);
        api.synchronizeAll();
        require(threads * (threads + 1L) / 2, api.readLong(words, 0));
    }

    private long read(final long address)
    {
        final ByteBuffer value = ByteBuffer.allocateDirect(Long.BYTES).order(ByteOrder.nativeOrder());
        driver.memcpy(BufferUtil.address(value), address, Long.BYTES);
        return value.getLong(0);
    }

    private static void require(final long expected, final long seen)
    {
        if (expected != seen)
        {
            throw new IllegalStateException("expected " + expected + ", seen " + seen);
        }
    }
}
