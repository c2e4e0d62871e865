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
import io.aeroshmem.ShmemException;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.TransportKind;
import io.aeroshmem.gpu.sim.SimulatedDriver;
import jcuda.driver.CUcontext;
import jcuda.driver.CUstream;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;
import org.agrona.UnsafeApi;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.BitSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import static io.aeroshmem.gpu.DeviceStateDescriptor.*;
import static io.aeroshmem.gpu.RingDescriptor.*;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Requests of 64 threads of a kernel over a ring of 64 entries: each arrives exactly once, and in the order of fences.
 * The long one: {@code mvn -pl gpu -am test -Dtests.excluded=!exhaustive
 * -Dtest=ProxyRingSoakTest -Dsurefire.failIfNoSpecifiedTests=false}.
 */
@Tag("kernels")
@Timeout(value = 200, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProxyRingSoakTest
{
    /** Of random tests: 1, and more in the nightly run. */
    private static final int VOLUME = Integer.getInteger("aeroshmem.test.volume", 1);
    private static final int THREADS = 64;
    private static final int INTERVAL = 16;
    /** Requests of a thread in the rounds of an interval: p, atomic_add; and fence, p, put, signal, fetch_add. */
    private static final int REQUESTS = 2 * INTERVAL + 5;

    @BeforeAll
    static void requireDevice()
    {
        TestDevice.assumeAvailable();
    }

    private interface Task
    {
        void run(Shmem shmem, Gpu gpu, TestModule module, GpuStream stream) throws Exception;
    }

    private static void run(final TransportKind transport, final Task task) throws Exception
    {
        Shmem.runLocal(2, new Shmem.Context().heapSize(4 << 20).transport(transport), (shmem) ->
        {
            final Gpu.Context config = new Gpu.Context()
                .device(0)
                .heapSize(1 << 20)
                .proxyAllPeers(true)
                .proxyRingCapacity(64);
            try (Gpu gpu = Gpu.init(shmem, config))
            {
                shmem.syncAll();
                try (TestModule module = new TestModule(gpu, "proxy_ring_kernels"))
                {
                    task.run(shmem, gpu, module, gpu.stream(newStream(gpu)));
                }
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

    @Tag("ci")
    @ParameterizedTest
    @CsvSource({"MAPPED, 10000", "IPC, 3000", "UDP, 3000"})
    void shouldPerformRequestsOnceAndInOrder(final TransportKind transport, final int requests) throws Exception
    {
        soak(transport, VOLUME * requests);
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC"})
    @Tag("exhaustive")
    @Timeout(value = 1_800, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void shouldPerformAMillionRequestsOnceAndInOrder(final TransportKind transport) throws Exception
    {
        soak(transport, 500_000);
    }

    /** Makes so many requests, or a few more, from each of two PEs to the other. */
    private static void soak(final TransportKind transport, final int requests) throws Exception
    {
        final int draws = (requests + THREADS * REQUESTS - 1) / (THREADS * REQUESTS);
        final int rounds = draws * INTERVAL;
        run(transport, (shmem, gpu, module, stream) ->
        {
            final SymmetricBuffer total = shmem.calloc(2, Long.BYTES);
            final SymmetricBuffer values = shmem.calloc(THREADS, Long.BYTES);
            final SymmetricBuffer flags = shmem.calloc(THREADS, Long.BYTES);
            final SymmetricBuffer blocks = shmem.calloc(THREADS, 2 * Long.BYTES);
            final SymmetricBuffer signals = shmem.calloc(THREADS, Long.BYTES);
            final SymmetricBuffer sources = gpu.calloc(THREADS, 2 * Long.BYTES);
            final SymmetricBuffer drawn = gpu.calloc((long)THREADS * draws, Long.BYTES);
            final AtomicBoolean isOrdered = new AtomicBoolean(true);
            final AtomicBoolean isDone = new AtomicBoolean();
            final Thread watch = new Thread(() -> watch(values, flags, isOrdered, isDone));
            watch.start();
            shmem.barrierAll();
            final int me = shmem.myPe();
            final int peer = 1 - me;
            module.launch("proxy_ring_soak", THREADS, stream, gpu.address(total, me), gpu.address(values, me),
                gpu.address(flags, me), gpu.address(blocks, me), gpu.address(signals, me),
                gpu.address(total, me) + Long.BYTES, gpu.address(sources, me), gpu.address(drawn, me), rounds, peer);
            stream.synchronize();
            shmem.barrierAll();
            isDone.set(true);
            watch.join();

            assertTrue(isOrdered.get());
            assertEquals((long)THREADS * rounds, total.getLong(0));
            assertEquals((long)THREADS * draws, total.getLong(Long.BYTES));
            for (int thread = 0; thread < THREADS; thread++)
            {
                assertEquals(rounds, values.getLong(thread * 8L));
                assertEquals(rounds, flags.getLong(thread * 8L));
                assertEquals(rounds, blocks.getLong(thread * 16L));
                assertEquals(rounds, blocks.getLong(thread * 16L + 8));
                assertEquals(draws, signals.getLong(thread * 8L));
            }

            final BitSet tickets = new BitSet();
            for (int i = 0; i < THREADS * draws; i++)
            {
                tickets.set((int)shmem.defaultContext().getLong(drawn, i * 8L, me));
            }

            assertEquals(THREADS * draws, tickets.cardinality());
            assertEquals(THREADS * draws, tickets.length());
            assertNull(gpu.lastDeviceError());
            shmem.free(sources);
            shmem.free(drawn);
        });
    }

    /** Looks at a flag, and then at the value that was stored before it. */
    private static void watch(
        final SymmetricBuffer values,
        final SymmetricBuffer flags,
        final AtomicBoolean isOrdered,
        final AtomicBoolean isDone)
    {
        while (!isDone.get())
        {
            for (int thread = 0; thread < THREADS; thread++)
            {
                final long flag = UnsafeApi.getLongAcquire(null, address(flags, thread));
                final long value = UnsafeApi.getLongAcquire(null, address(values, thread));
                if (value < flag)
                {
                    isOrdered.set(false);
                }
            }

            Thread.yield();
        }
    }

    private static long address(final SymmetricBuffer words, final int thread)
    {
        return words.view(0, (int)words.length()).addressOffset() + thread * (long)Long.BYTES;
    }

    @Test
    void shouldEndTheWaitOfAKernelWhenTheJobFails()
    {
        final CountDownLatch isLaunched = new CountDownLatch(1);
        final CountDownLatch ends = new CountDownLatch(1);
        assertThrows(ShmemException.class, () -> run(TransportKind.MAPPED, (shmem, gpu, module, stream) ->
        {
            final SymmetricBuffer words = gpu.calloc(2, Long.BYTES);
            shmem.barrierAll();
            if (0 == shmem.myPe())
            {
                isLaunched.await();
                Thread.sleep(50);
                // before the module is unloaded, which waits for the kernels of all PEs on the device
                shmem.fail(new TestFailureException());
                throw new TestFailureException();
            }

            final long address = gpu.address(words, 1);
            module.launch("proxy_ring_wait", 1, stream, address, address + Long.BYTES);
            isLaunched.countDown();
            final long startNs = System.nanoTime();
            assertThrows(ShmemException.class, stream::synchronize);
            assertTrue(System.nanoTime() - startNs < TimeUnit.SECONDS.toNanos(20));
            final GpuException error = gpu.lastDeviceError();
            assertTrue(error.getMessage().contains("signal_wait_until: the wait ended"), error.getMessage());
            ends.countDown();
        }));
        assertFalse(ends.getCount() > 0);
    }

    @Test
    void shouldAgreeWithKernelsOnLayouts() throws Exception
    {
        final long[] expected = {
            VERSION_OFFSET, MY_PE_OFFSET, N_PES_OFFSET, DEVICE_HEAP_OFFSET, DEVICE_LENGTH_OFFSET, HOST_HEAP_OFFSET,
            HOST_LENGTH_OFFSET, PEERS_OFFSET, TEAMS_OFFSET, DeviceStateDescriptor.FLAGS_OFFSET, RING_ENTRIES_OFFSET,
            RING_RESULTS_OFFSET, RING_CAPACITY_OFFSET, RING_CLAIMED_OFFSET, RING_CONSUMED_OFFSET, ABORT_OFFSET,
            ERROR_OFFSET, ERROR_CLAIM_OFFSET, RING_KNOWN_OFFSET, RING_QUIETED_OFFSET, VENDOR_VERSION_OFFSET,
            STATE_LENGTH, PEER_DEVICE_BASE_OFFSET, PEER_HOST_BASE_OFFSET, PEER_LENGTH,
            TEAM_VALID_OFFSET, TEAM_MY_RANK_OFFSET, TEAM_SIZE_OFFSET, TEAM_REGION_OFFSET, TEAM_MEMBERS_OFFSET,
            TEAM_AREA_OFFSET, TEAM_STAMP_BASE_OFFSET, TEAM_CALLS_OFFSET, TEAM_LENGTH,
            SEQUENCE_OFFSET, OPERATION_OFFSET, PE_OFFSET, TARGET_OFFSET, SOURCE_OFFSET, LENGTH_OFFSET, WIDTH_OFFSET,
            RingDescriptor.FLAGS_OFFSET, ENTRY_LENGTH, STATE_OFFSET, VALUE_OFFSET, ACKNOWLEDGED_OFFSET, RESULT_LENGTH,
            ERROR_STATE_OFFSET, ERROR_CODE_OFFSET, ERROR_ROUTINE_OFFSET, ERROR_PE_OFFSET, ERROR_ADDRESS_OFFSET,
            ERROR_VALUE_OFFSET, ERROR_LENGTH,
            MAX_TEAMS, TeamAreas.areaLength(1), TeamAreas.areaLength(5), TeamAreas.areaLength(256)};
        run(TransportKind.MAPPED, (shmem, gpu, module, stream) ->
        {
            final SymmetricBuffer offsets = shmem.calloc(expected.length + 1, Long.BYTES);
            module.launch("proxy_ring_layout", 1, stream, gpu.address(offsets, shmem.myPe()));
            stream.synchronize();
            for (int i = 0; i < expected.length; i++)
            {
                assertEquals(expected[i], offsets.getLong((long)i * Long.BYTES), "offset " + i);
            }

            assertEquals(0, offsets.getLong((long)expected.length * Long.BYTES));
        });
    }

    private static final class TestFailureException extends ShmemException
    {
        private static final long serialVersionUID = 1L;

        TestFailureException()
        {
            super("the test fails this PE");
        }
    }
}
