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
import io.aeroshmem.InitStatus;
import io.aeroshmem.PeTask;
import io.aeroshmem.Shmem;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.TransportKind;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** Buffers that were freed, that belong to another PE, or whose GPU is closed. */
@Tag("ci")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RejectedBuffersTest
{
    private static final int NPES = 2;
    private static final int LENGTH = 64;

    @BeforeAll
    static void requireDevice()
    {
        TestDevice.assumeAvailable();
    }

    private static void run(final TransportKind transport, final PeTask task) throws Exception
    {
        Shmem.runLocal(NPES, new Shmem.Context()
            .heapSize(4 << 20)
            .transport(transport)
            .operationTimeoutNs(TimeUnit.SECONDS.toNanos(30)), task);
    }

    private static Gpu open(final Shmem shmem)
    {
        return Gpu.init(shmem, new Gpu.Context().device(0).heapSize(1 << 20));
    }

    /** Returns every kind of local use of a buffer, with an own buffer besides. */
    private static List<Executable> uses(
        final Shmem shmem, final Gpu gpu, final SymmetricBuffer buffer, final SymmetricBuffer own)
    {
        final CommunicationContext ctx = shmem.defaultContext();
        final int peer = (shmem.myPe() + 1) % NPES;
        return List.of(
            () -> gpu.pointer(buffer),
            () -> gpu.pointer(buffer, peer),
            () -> gpu.address(buffer, peer),
            () -> ctx.putLong(buffer, 0, 1, peer),
            () -> ctx.getLong(buffer, 0, peer),
            () -> ctx.put(buffer, 0, own, 0, 8, peer),
            () -> ctx.put(own, 0, buffer, 0, 8, peer),
            () -> ctx.get(own, 0, buffer, 0, 8, peer),
            () -> ctx.putNbi(own, 0, buffer, 0, 8, peer),
            () -> ctx.iput(own, 0, buffer, 0, 1, 1, 1, 8, peer),
            () -> ctx.atomicIncLong(buffer, 0, peer),
            () -> ctx.atomicFetchAddLongNbi(buffer, 0, own, 0, 1, peer),
            () -> ctx.signal(buffer, 0, 1, SignalOp.SET, peer),
            () -> shmem.waitUntilLong(buffer, 0, Comparison.EQ, 0),
            () -> shmem.lock(buffer, 0));
    }

    private static void assertRejected(final Class<? extends RuntimeException> expected, final List<Executable> uses)
    {
        for (int i = 0; i < uses.size(); i++)
        {
            assertThrows(expected, uses.get(i), "use " + i);
        }
    }

    @ParameterizedTest
    @EnumSource(TransportKind.class)
    void shouldRejectFreedBuffers(final TransportKind transport) throws Exception
    {
        run(transport, (shmem) ->
        {
            try (Gpu gpu = open(shmem))
            {
                final SymmetricBuffer own = gpu.calloc(1, LENGTH);
                final SymmetricBuffer freed = gpu.malloc(LENGTH);
                final SymmetricBuffer slice = freed.slice(8, 16);
                shmem.free(freed);
                assertRejected(IllegalStateException.class, uses(shmem, gpu, freed, own));
                assertRejected(IllegalStateException.class, uses(shmem, gpu, slice, own));
                assertThrows(IllegalStateException.class, () -> shmem.free(freed));
                assertThrows(IllegalStateException.class, () -> shmem.realloc(freed, 10));
                shmem.barrierAll();
                shmem.free(own);
            }
        });
    }

    @ParameterizedTest
    @EnumSource(TransportKind.class)
    void shouldRejectBuffersOfOtherPes(final TransportKind transport) throws Exception
    {
        final SymmetricBuffer[] buffers = new SymmetricBuffer[NPES];
        run(transport, (shmem) ->
        {
            try (Gpu gpu = open(shmem))
            {
                buffers[shmem.myPe()] = gpu.calloc(1, LENGTH);
                shmem.barrierAll();
                final SymmetricBuffer other = buffers[(shmem.myPe() + 1) % NPES];
                assertRejected(
                    IllegalArgumentException.class, uses(shmem, gpu, other, buffers[shmem.myPe()]));
                assertThrows(IllegalArgumentException.class, () -> shmem.free(other));
                shmem.barrierAll();
                shmem.free(buffers[shmem.myPe()]);
            }
        });
    }

    @ParameterizedTest
    @EnumSource(TransportKind.class)
    void shouldRejectBuffersAndCallsOfAClosedGpu(final TransportKind transport) throws Exception
    {
        run(transport, (shmem) ->
        {
            final Gpu closed = open(shmem);
            final SymmetricBuffer old = closed.malloc(LENGTH);
            shmem.barrierAll();
            closed.close();
            final SymmetricBuffer host = shmem.calloc(1, LENGTH);
            assertRejected(IllegalStateException.class, uses(shmem, closed, old, host));
            assertRejected(IllegalStateException.class, List.of(
                () -> closed.malloc(8),
                () -> closed.calloc(1, 8),
                () -> closed.align(64, 8),
                () -> closed.pointer(host),
                closed::device,
                closed::cuContext));
            assertEquals(InitStatus.BOOTSTRAPPED, closed.initStatus());
            closed.close();

            try (Gpu gpu = open(shmem))
            {
                final SymmetricBuffer own = gpu.calloc(1, LENGTH);
                assertRejected(IllegalStateException.class, uses(shmem, gpu, old, own));
                assertThrows(IllegalStateException.class, () -> shmem.free(old));
                assertThrows(IllegalStateException.class, () -> closed.malloc(8));
                shmem.barrierAll();
                shmem.free(own);
            }
        });
    }
}
