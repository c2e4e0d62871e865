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
import io.aeroshmem.CommunicationContext;
import io.aeroshmem.InitStatus;
import io.aeroshmem.MemoryKind;
import io.aeroshmem.PeTask;
import io.aeroshmem.Shmem;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.TransportKind;
import io.aeroshmem.gpu.sim.RequiresSimulatedDriver;
import io.aeroshmem.gpu.sim.SimulatedDriver;
import jcuda.driver.CUcontext;
import jcuda.driver.JCudaDriver;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The device heaps of PEs in one JVM. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class GpuTest
{
    private static final int NPES = 3;
    private static final int LENGTH = 600_000;

    @BeforeAll
    static void requireDevice()
    {
        TestDevice.assumeAvailable();
    }

    private interface Task
    {
        void run(Shmem shmem, Gpu gpu) throws Exception;
    }

    private static void run(final TransportKind transport, final PeTask task) throws Exception
    {
        Shmem.runLocal(NPES, new Shmem.Context()
            .heapSize(8 << 20)
            .transport(transport)
            .operationTimeoutNs(TimeUnit.SECONDS.toNanos(30)), task);
    }

    private static void runGpu(final TransportKind transport, final Task task) throws Exception
    {
        run(transport, (shmem) ->
        {
            try (Gpu gpu = Gpu.init(shmem, new Gpu.Context().device(0).heapSize(8 << 20)))
            {
                task.run(shmem, gpu);
            }
        });
    }

    @ParameterizedTest
    @EnumSource(TransportKind.class)
    void shouldMoveBlocks(final TransportKind transport) throws Exception
    {
        runGpu(transport, (shmem, gpu) ->
        {
            final CommunicationContext ctx = shmem.defaultContext();
            final SymmetricBuffer[] sources = {gpu.malloc(LENGTH), shmem.malloc(LENGTH)};
            final SymmetricBuffer[] dests = {gpu.malloc(LENGTH), shmem.malloc(LENGTH)};
            final int right = (shmem.myPe() + 1) % NPES;
            final Random random = new Random(shmem.myPe());
            for (int round = 0; round < 16; round++)
            {
                final SymmetricBuffer source = sources[round & 1];
                final SymmetricBuffer dest = dests[round >> 1 & 1];
                final byte[] data = new byte[0 == round % 4 ? LENGTH : 1 + new Random(round).nextInt(5000)];
                random.nextBytes(data);
                ctx.put(source, 0, new UnsafeBuffer(data), 0, data.length, shmem.myPe());
                ctx.quiet();
                ctx.put(dest, 0, source, 0, data.length, right);
                ctx.quiet();
                final byte[] copy = new byte[data.length];
                ctx.get(new UnsafeBuffer(copy), 0, dest, 0, copy.length, right);
                assertArrayEquals(data, copy);
                shmem.barrierAll();

                if (data.length > 20)
                {
                    ctx.put(dest, 10, dest, 0, data.length - 10, shmem.myPe());
                    ctx.quiet();
                    shmem.barrierAll();
                    ctx.get(new UnsafeBuffer(copy), 0, dest, 10, copy.length - 10, right);
                    for (int i = 0; i < data.length - 10; i++)
                    {
                        assertEquals(data[i], copy[i]);
                    }
                }

                shmem.barrierAll();
            }
        });
    }

    @ParameterizedTest
    @EnumSource(TransportKind.class)
    @Tag("ci")
    void shouldUpdateSignalAndWait(final TransportKind transport) throws Exception
    {
        runGpu(transport, (shmem, gpu) ->
        {
            final CommunicationContext ctx = shmem.defaultContext();
            final SymmetricBuffer words = gpu.calloc(16, 8);
            for (int i = 0; i < 50; i++)
            {
                ctx.atomicIncLong(words, 0, 1);
                ctx.atomicFetchAddInt(words, 8, 3, 0);
            }

            shmem.barrierAll();
            assertEquals(50L * NPES, ctx.atomicFetchLong(words, 0, 1));
            assertEquals(150 * NPES, ctx.getInt(words, 8, 0));
            assertEquals(50L * NPES, ctx.atomicCompareSwapLong(words, 0, -1, 5, 1));
            shmem.barrierAll();

            final int right = (shmem.myPe() + 1) % NPES;
            final SymmetricBuffer payload = gpu.malloc(1000);
            final SymmetricBuffer source = gpu.malloc(1000);
            ctx.putLong(source, 992, 77 + shmem.myPe(), shmem.myPe());
            ctx.quiet();
            ctx.putSignal(payload, 0, source, 0, 1000, words, 64, 9, SignalOp.ADD, right);
            assertEquals(9, shmem.signalWaitUntil(words, 64, Comparison.GE, 9));
            assertEquals(77 + (shmem.myPe() + NPES - 1) % NPES, ctx.getLong(payload, 992, shmem.myPe()));
            ctx.putShort(words, 82, (short)-2, right);
            ctx.putByte(words, 81, (byte)-3, right);
            ctx.putDouble(words, 88, 1.5, right);
            shmem.waitUntilLong(words, 88, Comparison.NE, 0);
            shmem.barrierAll();
            assertEquals(-2, ctx.getShort(words, 82, shmem.myPe()));
            assertEquals(-3, ctx.getByte(words, 81, shmem.myPe()));
            assertEquals(1.5, ctx.getDouble(words, 88, shmem.myPe()));

            final SymmetricBuffer lock = gpu.calloc(1, 8);
            shmem.lock(lock, 0);
            shmem.unlock(lock, 0);
        });
    }

    @Test
    void shouldCompleteTheDevicePartInTheFirstCollective() throws Exception
    {
        run(TransportKind.MAPPED, (shmem) ->
        {
            final Gpu gpu = Gpu.init(shmem, new Gpu.Context().device(0).heapSize(1 << 20));
            assertEquals(InitStatus.BOOTSTRAPPED, gpu.initStatus());
            assertEquals(InitStatus.BOOTSTRAPPED, shmem.initStatus());
            assertThrows(IllegalStateException.class, gpu::device);
            assertThrows(IllegalStateException.class, () -> Gpu.init(shmem));
            final SymmetricBuffer host = shmem.calloc(1, 8);
            shmem.syncAll();
            assertEquals(InitStatus.LIMITED_MPG, shmem.initStatus());
            assertNotNull(gpu.device());
            final SymmetricBuffer buffer = gpu.malloc(64);
            assertEquals(MemoryKind.DEVICE, buffer.kind());
            final int right = (shmem.myPe() + 1) % NPES;
            assertTrue(0 != gpu.address(buffer, right));
            assertNotEquals(gpu.address(buffer, right), gpu.address(buffer, shmem.myPe()));
            assertTrue(0 != gpu.address(host, right));
            assertNotNull(gpu.pointer(buffer));
            assertNull(shmem.ptr(buffer, right));
            assertThrows(IllegalArgumentException.class, () -> gpu.pointer(buffer, NPES));

            gpu.close();
            gpu.close();
            assertEquals(InitStatus.BOOTSTRAPPED, gpu.initStatus());
            assertEquals(InitStatus.INITIALIZED, shmem.initStatus());
            assertThrows(IllegalStateException.class, () -> gpu.malloc(8));
            assertThrows(IllegalStateException.class, () -> shmem.defaultContext().putLong(buffer, 0, 1, right));
            assertEquals(0, host.getLong(0));
            shmem.barrierAll();

            try (Gpu second = Gpu.init(shmem, new Gpu.Context().device(0).heapSize(1 << 20)))
            {
                final SymmetricBuffer word = second.calloc(1, 8);
                shmem.defaultContext().atomicIncLong(word, 0, 0);
                shmem.barrierAll();
                assertEquals(NPES, shmem.defaultContext().getLong(word, 0, 0));
            }
        });
    }

    @Test
    void shouldReachAnotherContextThroughItsOwner() throws Exception
    {
        final CUcontext[] contexts = {new CUcontext(), new CUcontext()};
        Shmem.runLocal(contexts.length, new Shmem.Context().heapSize(8 << 20), (shmem) ->
        {
            try (Gpu gpu = Gpu.init(shmem, new Gpu.Context().heapSize(1 << 20)))
            {
                final int me = shmem.myPe();
                SimulatedDriver.check(JCudaDriver.cuCtxCreate(contexts[me], 0, SimulatedDriver.device(0)));
                final SymmetricBuffer word = gpu.calloc(1, 8);
                assertTrue(0 != gpu.address(word, me));
                assertEquals(0, gpu.address(word, 1 - me));
                shmem.defaultContext().atomicAddLong(word, 0, 5, 1 - me);
                shmem.barrierAll();
                assertEquals(5, shmem.defaultContext().getLong(word, 0, me));
            }
        });
        for (final CUcontext context : contexts)
        {
            SimulatedDriver.check(JCudaDriver.cuCtxDestroy(context));
        }
    }

    @Test
    void shouldFailOnAllPesAlike() throws Exception
    {
        run(TransportKind.MAPPED, (shmem) ->
        {
            final int me = shmem.myPe();
            try (Gpu gpu = Gpu.init(shmem, new Gpu.Context().device(1 == me ? 1000 : 0)))
            {
                final GpuException ex = assertThrows(GpuException.class, shmem::barrierAll);
                assertTrue(ex.getMessage().startsWith("PE 1 cannot set up its device: cuDeviceGet"), ex.getMessage());
                assertEquals(InitStatus.BOOTSTRAPPED, gpu.initStatus());
            }

            final Gpu.Context config = new Gpu.Context().device(0).heapSize(2 == me ? 8192 : 4096);
            try (Gpu gpu = Gpu.init(shmem, config))
            {
                final GpuException ex = assertThrows(GpuException.class, () -> gpu.malloc(64));
                assertTrue(ex.getMessage().contains("PE 2 has 8192"), ex.getMessage());
            }

            try (Gpu gpu = Gpu.init(shmem, new Gpu.Context()))
            {
                shmem.barrierAll();
                assertEquals(InitStatus.BOOTSTRAPPED, gpu.initStatus());
                final GpuException ex = assertThrows(GpuException.class, () -> gpu.malloc(64));
                assertTrue(ex.getMessage().contains("aeroshmem.gpu.device"), ex.getMessage());
            }

            try (Gpu gpu = Gpu.init(shmem, new Gpu.Context().device(0).heapSize(1L << 42)))
            {
                final GpuException ex = assertThrows(GpuException.class, () -> gpu.malloc(64));
                assertTrue(ex.getMessage().contains("OUT_OF_MEMORY"), ex.getMessage());
            }

            shmem.barrierAll();
        });
    }

    @Test
    @RequiresSimulatedDriver
    void shouldLeaveNothing() throws Exception
    {
        final int[] kinds = {
            SimulatedDriver.LIVE_ALLOCATIONS,
            SimulatedDriver.LIVE_REGISTRATIONS,
            SimulatedDriver.LIVE_STREAMS,
            SimulatedDriver.LIVE_MODULES,
            SimulatedDriver.LIVE_CONTEXTS,
            SimulatedDriver.LIVE_THREADS};
        final int[] before = Arrays.stream(kinds).map(SimulatedDriver::count).toArray();
        run(TransportKind.MAPPED, (shmem) ->
        {
            for (int i = 0; i < 5; i++)
            {
                try (Gpu gpu = Gpu.init(shmem, new Gpu.Context().device(0).heapSize(1 << 20)))
                {
                    for (int j = 0; j < 20; j++)
                    {
                        final SymmetricBuffer buffer = gpu.malloc(1000 + j);
                        shmem.defaultContext().atomicIncLong(buffer, 0, (shmem.myPe() + 1) % NPES);
                        shmem.free(buffer);
                    }
                }
            }

            // closed with the PE
            Gpu.init(shmem, new Gpu.Context().device(0).heapSize(1 << 20)).malloc(8);
        });
        // The simulation keeps idle threads for its next kernel for a while.
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        int[] after = Arrays.stream(kinds).map(SimulatedDriver::count).toArray();
        while (!Arrays.equals(before, after) && System.nanoTime() < deadline)
        {
            Thread.yield();
            after = Arrays.stream(kinds).map(SimulatedDriver::count).toArray();
        }

        assertArrayEquals(before, after);
    }
}
