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

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.Comparison;
import io.aeroshmem.ElementType;
import io.aeroshmem.PeFailureException;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.ShmemException;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.TransportKind;
import io.aeroshmem.gpu.sim.RequiresSimulatedDriver;
import io.aeroshmem.gpu.sim.SimulatedDriver;
import jcuda.driver.CUcontext;
import jcuda.driver.CUstream;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Operations in the order of streams, by the device and by proxies, on the simulated driver. */
@Tag("kernels")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class GpuStreamTest
{
    private static final int NPES = 3;
    private static final int LENGTH = 4000;

    @BeforeAll
    static void requireDevice()
    {
        TestDevice.assumeAvailable();
    }

    enum Way
    {
        DEVICE(TransportKind.MAPPED, true, true),
        UNPINNED(TransportKind.MAPPED, false, true),
        IPC(TransportKind.IPC, true, true),
        UDP(TransportKind.UDP, false, true),
        /** Without stream memory operations. */
        DEVICE_BY_KERNELS(TransportKind.MAPPED, true, false),
        UNPINNED_BY_KERNELS(TransportKind.MAPPED, false, false);

        private final TransportKind transport;
        private final boolean isPinned;
        private final boolean hasMemoryOperations;

        Way(final TransportKind transport, final boolean isPinned, final boolean hasMemoryOperations)
        {
            this.transport = transport;
            this.isPinned = isPinned;
            this.hasMemoryOperations = hasMemoryOperations;
        }
    }

    private interface Task
    {
        void run(Shmem shmem, Gpu gpu) throws Exception;
    }

    @AfterEach
    void restoreDevice()
    {
        TestDevice.setStreamMemoryOperations(true);
    }

    private static void run(final Way way, final Task task) throws Exception
    {
        TestDevice.setStreamMemoryOperations(way.hasMemoryOperations);
        final Shmem.Context template = new Shmem.Context()
            .heapSize(4 << 20)
            .transport(way.transport)
            .operationTimeoutNs(TimeUnit.SECONDS.toNanos(30));
        Shmem.runLocal(NPES, template, (shmem) ->
        {
            final Gpu.Context config = new Gpu.Context().device(0).heapSize(4 << 20).pinHostHeap(way.isPinned);
            try (Gpu gpu = Gpu.init(shmem, config))
            {
                shmem.syncAll();
                task.run(shmem, gpu);
            }
        });
    }

    /** A call fails that enqueues the store or the wait; three calls before them ask whether the stream is captured. */
    @ParameterizedTest
    @RequiresSimulatedDriver
    @CsvSource({"5, true", "6, true", "5, false", "6, false"})
    void shouldNotPerformAnOperationThatCouldNotBeEnqueued(final int call, final boolean hasMemoryOperations)
        throws Exception
    {
        TestDevice.setStreamMemoryOperations(hasMemoryOperations);
        final String name = hasMemoryOperations ? "cuStreamW" : "cuLaunchKernel";
        Shmem.runLocal(1, new Shmem.Context().heapSize(4 << 20), (shmem) ->
        {
            final Gpu.Context config = new Gpu.Context().device(0).heapSize(1 << 20).pinHostHeap(false);
            try (Gpu gpu = Gpu.init(shmem, config))
            {
                shmem.syncAll();
                final SymmetricBuffer words = shmem.calloc(3, Long.BYTES);
                final GpuStream stream = gpu.newStream();
                stream.putLong(words, 0, 1, 0);
                stream.synchronize();

                SimulatedDriver.set(SimulatedDriver.SET_FAIL_CODE, CudaResult.OUT_OF_MEMORY);
                SimulatedDriver.set(SimulatedDriver.SET_CALLS_UNTIL_FAILURE, call);
                final GpuException ex = assertThrows(GpuException.class, () -> stream.putLong(words, 8, 1, 0));
                assertTrue(ex.getMessage().startsWith(name), ex.getMessage());
                stream.putLong(words, 16, 1, 0);
                stream.synchronize();

                assertEquals(1, words.getLong(0));
                assertEquals(0, words.getLong(8));
                assertEquals(1, words.getLong(16));
            }
        });
    }

    private static CUstream newStream(final Gpu gpu)
    {
        SimulatedDriver.check(JCudaDriver.cuCtxPushCurrent(gpu.cuContext()));
        final CUstream stream = new CUstream();
        SimulatedDriver.check(JCudaDriver.cuStreamCreate(stream, CUstream_flags.CU_STREAM_NON_BLOCKING));
        SimulatedDriver.check(JCudaDriver.cuCtxPopCurrent(new CUcontext()));
        return stream;
    }

    private static byte[] read(final Shmem shmem, final SymmetricBuffer source, final int pe)
    {
        final byte[] bytes = new byte[(int)source.length()];
        shmem.defaultContext().get(new UnsafeBuffer(bytes), 0, source, 0, bytes.length, pe);
        return bytes;
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    @Tag("ci")
    void shouldKeepTheOrderOfTheStream(final Way way) throws Exception
    {
        run(way, (shmem, gpu) ->
        {
            final GpuStream stream = gpu.stream(newStream(gpu));
            final CommunicationContext ctx = shmem.defaultContext();
            final int me = shmem.myPe();
            final int right = (me + 1) % NPES;
            final int left = (me + NPES - 1) % NPES;
            final SymmetricBuffer[] own = {gpu.malloc(LENGTH), shmem.malloc(LENGTH)};
            final SymmetricBuffer[] dest = {gpu.malloc(LENGTH), shmem.malloc(LENGTH)};
            final SymmetricBuffer[] back = {gpu.malloc(LENGTH), shmem.malloc(LENGTH)};
            final SymmetricBuffer[] signal = {gpu.calloc(1, 8), shmem.calloc(1, 8)};
            for (int round = 1; round <= 16; round++)
            {
                final int i = round & 1;
                final int j = round >> 1 & 1;
                final int k = round >> 2 & 1;
                final byte[] data = new byte[LENGTH];
                new Random(100L * round + me).nextBytes(data);
                ctx.put(own[i], 0, new UnsafeBuffer(data), 0, LENGTH, me);
                ctx.quiet();
                final long before = shmem.signalFetch(signal[k], 0);
                shmem.barrierAll();

                // the stream of each PE waits for what that of its left neighbour puts, and reads it back from there
                stream.putSignal(dest[j], 0, own[i], 0, LENGTH, signal[k], 0, 1, SignalOp.ADD, right);
                stream.signalWaitUntil(signal[k], 0, Comparison.EQ, before + 1);
                stream.get(back[i], 0, dest[j], 0, LENGTH, me);
                stream.putLong(back[i], 8, 42, me);
                stream.quiet();
                stream.fence();
                stream.synchronize();

                final byte[] expected = new byte[LENGTH];
                new Random(100L * round + left).nextBytes(expected);
                assertArrayEquals(expected, read(shmem, dest[j], me));
                new UnsafeBuffer(expected).putLong(8, 42);
                assertArrayEquals(expected, read(shmem, back[i], me));
                shmem.barrierAll();
            }
        });
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    @Tag("ci")
    void shouldStoreElementsAndStrides(final Way way) throws Exception
    {
        run(way, (shmem, gpu) ->
        {
            final GpuStream stream = gpu.stream(newStream(gpu));
            final CommunicationContext ctx = shmem.defaultContext();
            final int me = shmem.myPe();
            final int right = (me + 1) % NPES;
            for (final SymmetricBuffer words : new SymmetricBuffer[]{gpu.calloc(64, 8), shmem.calloc(64, 8)})
            {
                shmem.barrierAll();
                stream.putByte(words, 1, (byte)-7, right);
                stream.putShort(words, 2, (short)-300, right);
                stream.putInt(words, 4, -70_000, right);
                stream.putLong(words, 8, Long.MIN_VALUE + 1, right);
                stream.putFloat(words, 16, -1.5f, right);
                stream.putDouble(words, 24, 2.25, right);
                stream.putLong(words, 33, 0x0102030405060708L, right);
                stream.synchronize();
                assertEquals(-7, ctx.getByte(words, 1, right));
                assertEquals(-300, ctx.getShort(words, 2, right));
                assertEquals(-70_000, ctx.getInt(words, 4, right));
                assertEquals(Long.MIN_VALUE + 1, ctx.getLong(words, 8, right));
                assertEquals(-1.5f, ctx.getFloat(words, 16, right));
                assertEquals(2.25, ctx.getDouble(words, 24, right));
                assertEquals(0x0102030405060708L, ctx.getLong(words, 33, right));
                shmem.barrierAll();

                for (int i = 0; i < 64; i++)
                {
                    ctx.putLong(words, 8L * i, 100 * me + i, me);
                }

                ctx.quiet();
                shmem.barrierAll();
                final SymmetricBuffer dest = shmem.calloc(64, 8);
                stream.iput(dest, 0, words, 8, 3, 2, 10, 8, right);
                stream.ibget(dest, 320, words, 0, 4, 5, 2, 3, 8, right);
                stream.synchronize();
                for (int i = 0; i < 10; i++)
                {
                    assertEquals(100L * me + 1 + 2 * i, ctx.getLong(dest, 24L * i, right));
                }

                for (int i = 0; i < 6; i++)
                {
                    assertEquals(100L * right + i / 2 * 5 + i % 2, dest.getLong(320 + 8L * (i / 2 * 4 + i % 2)));
                }

                assertThrows(IllegalArgumentException.class,
                    () -> stream.iput(dest, 0, words, 0, 0, 1, 2, 8, right));
                assertThrows(IndexOutOfBoundsException.class,
                    () -> stream.iput(dest, 0, words, 0, 60, 1, 20, 8, right));
                shmem.barrierAll();
            }
        });
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    @Tag("ci")
    void shouldBeAtomicAgainstTheHost(final Way way) throws Exception
    {
        final int before = TestDevice.count(SimulatedDriver.HOST_ATOMICS);
        run(way, (shmem, gpu) ->
        {
            final GpuStream stream = gpu.stream(newStream(gpu));
            final CommunicationContext ctx = shmem.defaultContext();
            for (final SymmetricBuffer words : new SymmetricBuffer[]{gpu.calloc(12, 8), shmem.calloc(12, 8)})
            {
                final SymmetricBuffer fetched = gpu.calloc(2, 8);
                for (int i = 0; i < 20; i++)
                {
                    stream.atomicAddLong(words, 0, 2, 1);
                    ctx.atomicAddLong(words, 0, 3, 1);
                    stream.atomicIncInt(words, 8, 1);
                    stream.signal(words, 16, 5, SignalOp.ADD, 1);
                }

                stream.atomicFetchAddLong(fetched, 0, words, 24, 1, 0);
                stream.synchronize();
                shmem.barrierAll();
                assertEquals(100L * NPES, ctx.atomicFetchLong(words, 0, 1));
                assertEquals(20 * NPES, ctx.atomicFetchInt(words, 8, 1));
                assertEquals(100L * NPES, ctx.atomicFetchLong(words, 16, 1));
                assertEquals(NPES, ctx.atomicFetchLong(words, 24, 0));
                assertTrue(ctx.getLong(fetched, 0, shmem.myPe()) < NPES);
                shmem.barrierAll();

                final int me = shmem.myPe();
                stream.atomicSetInt(words, 32, 7, me);
                stream.atomicCompareSwapInt(fetched, 0, words, 32, 7, 9, me);
                stream.atomicSwapInt(fetched, 4, words, 32, 11, me);
                stream.atomicFetchInt(fetched, 8, words, 32, me);
                stream.synchronize();
                assertEquals(7, ctx.getInt(fetched, 0, me));
                assertEquals(9, ctx.getInt(fetched, 4, me));
                assertEquals(11, ctx.getInt(fetched, 8, me));
                assertThrows(IllegalArgumentException.class, () -> stream.atomicIncLong(words, 4, me));
                shmem.barrierAll();
                takeExtremes(stream, ctx, words, fetched, me, me);
                takeExtremes(stream, ctx, words, fetched, me, (me + 1) % NPES);
                shmem.barrierAll();
            }
        });
        // the simulated device has no atomics on host memory that are atomic against those of processors
        assertEquals(before, TestDevice.count(SimulatedDriver.HOST_ATOMICS));
    }

    private static void takeExtremes(
        final GpuStream stream,
        final CommunicationContext ctx,
        final SymmetricBuffer words,
        final SymmetricBuffer fetched,
        final int me,
        final int pe)
    {
        // a word of 4 bytes and one of 8 for each PE that updates them
        final long at = 32 + 16L * me;
        ctx.atomicSetLong(words, at, 5, pe);
        ctx.atomicSetInt(words, at + 8, 5, pe);
        ctx.quiet();
        stream.atomicMinLong(words, at, -7, pe);
        stream.atomicFetchMaxLong(fetched, 0, words, at, 3, pe);
        stream.atomicMaxInt(words, at + 8, -9, pe);
        stream.atomicFetchMinInt(fetched, 8, words, at + 8, -9, pe);
        stream.synchronize();
        assertEquals(-7, ctx.getLong(fetched, 0, me));
        assertEquals(3, ctx.atomicFetchLong(words, at, pe));
        assertEquals(5, ctx.getInt(fetched, 8, me));
        assertEquals(-9, ctx.atomicFetchInt(words, at + 8, pe));

        ctx.atomicSetDouble(words, at, 0.0, pe);
        ctx.atomicSetFloat(words, at + 8, 0.0f, pe);
        ctx.quiet();
        stream.atomicMinDouble(words, at, -0.0, pe);
        stream.atomicFetchMaxDouble(fetched, 0, words, at, Double.NaN, pe);
        stream.atomicMaxFloat(words, at + 8, 1.5f, pe);
        stream.atomicFetchMinFloat(fetched, 8, words, at + 8, 0.5f, pe);
        stream.synchronize();
        assertEquals(Double.doubleToRawLongBits(-0.0), ctx.getLong(fetched, 0, me));
        assertTrue(Double.isNaN(ctx.atomicFetchDouble(words, at, pe)));
        assertEquals(1.5f, ctx.getFloat(fetched, 8, me));
        assertEquals(0.5f, ctx.atomicFetchFloat(words, at + 8, pe));
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    @Tag("ci")
    void shouldSynchroniseAndPerformCollectives(final Way way) throws Exception
    {
        run(way, (shmem, gpu) ->
        {
            final GpuStream stream = gpu.stream(newStream(gpu));
            final GpuStream other = gpu.stream(newStream(gpu));
            final CommunicationContext ctx = shmem.defaultContext();
            final int me = shmem.myPe();
            final int right = (me + 1) % NPES;
            final SymmetricBuffer words = gpu.calloc(NPES, 8);
            for (int round = 1; round <= 10; round++)
            {
                for (int pe = 0; pe < NPES; pe++)
                {
                    stream.putLong(words, 8L * me, round, pe);
                }

                stream.barrierAll();
                stream.get(words, 0, words, 0, 8L * NPES, me);
                stream.synchronize();
                for (int pe = 0; pe < NPES; pe++)
                {
                    assertEquals(round, ctx.getLong(words, 8L * pe, me));
                }

                stream.syncAll();
                stream.synchronize();
            }

            // two teams on two streams, enqueued in another order on each PE
            final Team first = shmem.world().duplicate();
            final Team second = shmem.world().duplicate();
            final SymmetricBuffer source = shmem.calloc(2, 8);
            final SymmetricBuffer sum = shmem.calloc(2, 8);
            final SymmetricBuffer all = shmem.calloc(NPES, 8);
            source.putLong(0, 10 + me);
            source.putLong(8, me);
            if (0 == me)
            {
                stream.reduce(first, ReduceOp.SUM, ElementType.LONG, sum, source, 2);
                other.fcollect(second, ElementType.LONG, all, source, 1);
            }
            else
            {
                other.fcollect(second, ElementType.LONG, all, source, 1);
                stream.reduce(first, ReduceOp.SUM, ElementType.LONG, sum, source, 2);
            }

            other.broadcast(second, ElementType.LONG, all, source, 1, 1);
            stream.barrier(first);
            stream.synchronize();
            other.synchronize();
            assertEquals(10 * NPES + 3, sum.getLong(0));
            assertEquals(12, all.getLong(16));
            assertEquals(11, all.getLong(0));
            assertThrows(IndexOutOfBoundsException.class,
                () -> stream.reduce(first, ReduceOp.SUM, ElementType.LONG, sum, source, 3));
            assertThrows(IllegalStateException.class, () -> stream.barrier(Team.INVALID));
            assertTrue(right < NPES);
            shmem.barrierAll();
        });
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    @Tag("ci")
    void shouldExchangeStridedBlocks(final Way way) throws Exception
    {
        run(way, (shmem, gpu) ->
        {
            final GpuStream stream = gpu.stream(newStream(gpu));
            final CommunicationContext ctx = shmem.defaultContext();
            final int me = shmem.myPe();
            final SymmetricBuffer source = gpu.calloc(2 * NPES, 8);
            final SymmetricBuffer dest = shmem.calloc(3 * NPES - 2, 8);
            for (int pe = 0; pe < NPES; pe++)
            {
                ctx.putLong(source, 16L * pe, 10 * me + pe + 1, me);
            }

            ctx.quiet();
            stream.alltoalls(shmem.world(), ElementType.LONG, dest, source, 3, 2, 1);
            stream.synchronize();
            for (int i = 0; i < 3 * NPES - 2; i++)
            {
                assertEquals(0 == i % 3 ? 10 * (i / 3) + me + 1 : 0, dest.getLong(8L * i));
            }

            stream.alltoalls(shmem.world(), ElementType.LONG, null, null, 1, 1, 0);
            final long[][] malformed = {{0, 1, 1}, {1, 0, 1}, {-1, 1, 0}, {1, Long.MIN_VALUE, 0}, {1, 1, -1}};
            for (final long[] call : malformed)
            {
                assertThrows(IllegalArgumentException.class, () -> stream.alltoalls(
                    shmem.world(), ElementType.LONG, dest, source, call[0], call[1], call[2]));
            }

            final long[][] tooLong = {{4, 1, 1}, {1, 3, 1}, {Long.MAX_VALUE, 1, 1}, {1, 1, Long.MAX_VALUE}};
            for (final long[] call : tooLong)
            {
                assertThrows(IndexOutOfBoundsException.class, () -> stream.alltoalls(
                    shmem.world(), ElementType.LONG, dest, source, call[0], call[1], call[2]));
            }

            assertThrows(IllegalArgumentException.class, () -> stream.alltoalls(
                shmem.world(), ElementType.LONG, source, source.slice(8, 8L * NPES), 1, 1, 1));
            stream.synchronize();
            shmem.barrierAll();
        });
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    @Tag("ci")
    void shouldReduceOverTheWorld(final Way way) throws Exception
    {
        run(way, (shmem, gpu) ->
        {
            final GpuStream stream = gpu.stream(newStream(gpu));
            final CommunicationContext ctx = shmem.defaultContext();
            final int me = shmem.myPe();
            final int n = 1000;
            // the operands of the PEs are of different kinds, at different offsets
            final SymmetricBuffer deviceBuffer = gpu.calloc(3 * n, 8);
            final SymmetricBuffer hostBuffer = shmem.calloc(3 * n, 8);
            for (int round = 0; round < 6; round++)
            {
                final boolean isInPlace = round > 2;
                final SymmetricBuffer source = (0 == (me + round) % 2 ? deviceBuffer : hostBuffer).slice(0, 8 * n);
                final SymmetricBuffer other = 0 == (me + round) % 3 ? deviceBuffer : hostBuffer;
                final SymmetricBuffer dest = isInPlace ? source : other.slice(8 * n, 8 * n);
                for (int i = 0; i < n; i++)
                {
                    ctx.putDouble(source, 8L * i, (me + 1) * 0.1 + i + round, me);
                }

                ctx.quiet();
                stream.reduce(shmem.world(), ReduceOp.SUM, ElementType.DOUBLE, dest, source, n);
                stream.synchronize();
                for (int i = 0; i < n; i += 7)
                {
                    // the canonical tree of three: (0 + 1) + 2
                    final double expected = (0.1 + i + round + (0.2 + i + round)) + (3 * 0.1 + i + round);
                    assertEquals(expected, ctx.getDouble(dest, 8L * i, me));
                }
            }

            assertThrows(IllegalArgumentException.class, () -> stream.reduce(
                shmem.world(), ReduceOp.SUM, ElementType.LONG, deviceBuffer.slice(8, 80), deviceBuffer, 10));
            shmem.barrierAll();
        });
    }

    @Test
    void shouldReportWhatFailsLater()
    {
        assertThrows(ShmemException.class, () -> run(Way.DEVICE, (shmem, gpu) ->
        {
            final CUstream cuStream = newStream(gpu);
            final GpuStream stream = gpu.stream(cuStream);
            assertSame(stream, gpu.stream(cuStream));
            final CUstream shortLived = newStream(gpu);
            final GpuStream closed = gpu.stream(shortLived);
            closed.barrierAll();
            closed.close();
            closed.close();
            assertThrows(IllegalStateException.class, closed::quiet);
            SimulatedDriver.check(JCudaDriver.cuStreamDestroy(shortLived));
            assertNotNull(gpu.stream(null));
            assertNull(gpu.lastDeviceError());
            final SymmetricBuffer source = shmem.calloc(1, 8);
            assertThrows(IllegalArgumentException.class,
                () -> stream.reduce(shmem.world(), ReduceOp.AND, ElementType.DOUBLE, source, source, 1));
            assertThrows(IllegalArgumentException.class,
                () -> stream.broadcast(shmem.world(), ElementType.LONG, source, source, 1, NPES));
            // the counts differ between PEs
            final SymmetricBuffer dest = gpu.malloc(8);
            stream.alltoall(shmem.world(), ElementType.BYTE, dest, source, 1 + shmem.myPe() % 2);
            final RuntimeException ex = assertThrows(RuntimeException.class, stream::synchronize);
            assertTrue(ex.getMessage().contains("alltoall"), ex.getMessage());
            assertNotNull(gpu.lastDeviceError());
            assertThrows(IllegalArgumentException.class, () -> stream.putLong(source, 0, 1, NPES));
            assertThrows(IndexOutOfBoundsException.class, () -> stream.putLong(source, 1, 1, 0));
            throw ex;
        }));
    }

    @Test
    void shouldCloseAStreamWhileItsGpuCloses() throws Exception
    {
        Shmem.runLocal(1, new Shmem.Context(), (shmem) ->
        {
            final Gpu gpu = Gpu.init(shmem, new Gpu.Context().device(0).heapSize(1 << 20));
            final SymmetricBuffer word = gpu.calloc(1, 8);
            final GpuStream stream = gpu.newStream();
            stream.signalWaitUntil(word, 0, Comparison.EQ, 1);
            final Thread ofStream = new Thread(stream::close);
            ofStream.setDaemon(true);
            ofStream.start();
            awaitClosed(stream::quiet);
            final Thread ofGpu = new Thread(gpu::close);
            ofGpu.setDaemon(true);
            ofGpu.start();
            awaitClosed(gpu::device);
            shmem.defaultContext().putLong(word, 0, 1, 0);
            ofStream.join(TimeUnit.SECONDS.toMillis(20));
            ofGpu.join(TimeUnit.SECONDS.toMillis(20));
            assertTrue(!ofStream.isAlive() && !ofGpu.isAlive(), "they wait for each other");
        });
    }

    /** Waits until a call is rejected. */
    private static void awaitClosed(final Runnable call)
    {
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (true)
        {
            try
            {
                call.run();
            }
            catch (final IllegalStateException ex)
            {
                return;
            }

            assertTrue(System.nanoTime() < deadlineNs, "not closed");
            Thread.yield();
        }
    }

    @ParameterizedTest
    @EnumSource(value = Way.class, names = {"DEVICE", "DEVICE_BY_KERNELS"})
    void shouldEndWaitsWhenTheJobFails(final Way way)
    {
        TestDevice.setStreamMemoryOperations(way.hasMemoryOperations);
        final CountDownLatch waits = new CountDownLatch(NPES - 1);
        final CountDownLatch ends = new CountDownLatch(NPES - 1);
        assertThrows(PeFailureTestException.class, () -> run(way, (shmem, gpu) ->
        {
            final GpuStream stream = gpu.stream(newStream(gpu));
            final GpuStream other = gpu.stream(newStream(gpu));
            final SymmetricBuffer word = gpu.calloc(1, 8);
            if (0 == shmem.myPe())
            {
                waits.await();
                Thread.sleep(100);
                throw new PeFailureTestException();
            }

            stream.signalWaitUntil(word, 0, Comparison.EQ, 1);
            other.barrierAll();
            waits.countDown();
            final long startNs = System.nanoTime();
            assertThrows(PeFailureException.class, stream::synchronize);
            assertThrows(PeFailureException.class, other::synchronize);
            ends.countDown();
            assertTrue(System.nanoTime() - startNs < TimeUnit.SECONDS.toNanos(20));
        }));
        assertEquals(0, ends.getCount());
    }

    private static final class PeFailureTestException extends ShmemException
    {
        private static final long serialVersionUID = 1L;

        PeFailureTestException()
        {
            super("the test fails this PE");
        }
    }
}
