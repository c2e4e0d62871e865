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

import com.sun.management.ThreadMXBean;
import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.TransportKind;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.management.ManagementFactory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Operations on streams allocate nothing in the steady state, by the device or by proxies, on any thread. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("ci")
class StreamAllocationTest
{
    private static final ThreadMXBean THREADS = (ThreadMXBean)ManagementFactory.getThreadMXBean();
    private static final int NPES = 2;
    private static final int ROUNDS = 200;
    /** The JVM links and compiles now and then, and allocates for that; an operation would do so in every attempt. */
    private static final int ATTEMPTS = 20;

    @BeforeAll
    static void requireDevice()
    {
        TestDevice.assumeAvailable();
    }

    /** Memory that is not pinned is reached by proxies only. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldAllocateNothing(final boolean isPinned) throws Exception
    {
        final Shmem.Context template = new Shmem.Context().heapSize(4 << 20).transport(TransportKind.MAPPED);
        Shmem.runLocal(NPES, template, (shmem) ->
        {
            final Gpu.Context config = new Gpu.Context().device(0).heapSize(1 << 20).pinHostHeap(isPinned);
            try (Gpu gpu = Gpu.init(shmem, config))
            {
                shmem.syncAll();
                measure(shmem, gpu.newStream());
            }
        });
    }

    private static void measure(final Shmem shmem, final GpuStream stream)
    {
        final SymmetricBuffer words = shmem.calloc(64, Long.BYTES);
        final SymmetricBuffer results = shmem.calloc(64, Long.BYTES);
        final Team team = shmem.world().duplicate();
        performAll(shmem, stream, team, words, results);
        shmem.barrierAll();
        final long[] proxies = proxies();
        assertEquals(NPES, proxies.length);
        long allocated = Long.MAX_VALUE;
        for (int attempt = 0; attempt < ATTEMPTS && allocated >= ROUNDS; attempt++)
        {
            shmem.barrierAll();
            final long before = allocatedBy(proxies);
            for (int i = 0; i < ROUNDS; i++)
            {
                performAll(shmem, stream, team, words, results);
            }

            allocated = shmem.world().reduceLong(ReduceOp.MAX, allocatedBy(proxies) - before);
        }

        assertTrue(allocated < ROUNDS, allocated + " bytes in " + ROUNDS + " rounds");
        shmem.barrierAll();
        assertEquals(NPES, results.getLong(8));
    }

    private static void performAll(
        final Shmem shmem,
        final GpuStream stream,
        final Team team,
        final SymmetricBuffer words,
        final SymmetricBuffer results)
    {
        final int peer = (shmem.myPe() + 1) % NPES;
        stream.putLong(words, 0, 1, peer);
        stream.putDouble(words, 16, 1.5, peer);
        stream.put(results, 64, words, 0, 64, peer);
        stream.get(results, 128, words, 0, 64, peer);
        stream.putSignal(results, 192, words, 0, 64, words, 8, 1, SignalOp.SET, peer);
        stream.atomicAddLong(words, 24, 1, peer);
        stream.atomicFetchAddLong(results, 0, words, 32, 1, peer);
        stream.atomicCompareSwapInt(results, 0, words, 40, 0, 1, peer);
        stream.barrier(team);
        stream.reduce(team, ReduceOp.SUM, ElementType.LONG, results, words, 2);
        stream.synchronize();
    }

    /** Of both PEs, which are threads of this JVM. */
    private static long[] proxies()
    {
        return Thread.getAllStackTraces().keySet().stream()
            .filter((thread) -> thread.getName().startsWith("aeroshmem-gpu-stream-"))
            .mapToLong(Thread::getId).toArray();
    }

    private static long allocatedBy(final long[] threads)
    {
        long sum = THREADS.getCurrentThreadAllocatedBytes();
        for (final long thread : threads)
        {
            sum += THREADS.getThreadAllocatedBytes(thread);
        }

        return sum;
    }
}
