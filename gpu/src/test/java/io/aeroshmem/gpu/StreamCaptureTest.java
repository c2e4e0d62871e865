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
import io.aeroshmem.ReduceOp;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import jcuda.driver.CUgraph;
import jcuda.driver.CUgraphExec;
import jcuda.driver.CUstream;
import jcuda.driver.CUstreamCaptureMode;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import static io.aeroshmem.gpu.sim.SimulatedDriver.check;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Operations of streams that are captured into CUDA graphs: each launch of a graph performs them anew. */
@Tag("kernels")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StreamCaptureTest
{
    private static final int NPES = 3;
    private static final long WAITED_MS = 20;
    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(20);

    @BeforeAll
    static void requireDevice()
    {
        TestDevice.assumeAvailable();
    }

    @AfterEach
    void restoreDevice()
    {
        TestDevice.setStreamMemoryOperations(true);
    }

    private static void run(final boolean hasOperations, final boolean isPinned, final StreamJob.Task task)
        throws Exception
    {
        StreamJob.run(NPES, hasOperations, isPinned, (shmem, gpu, stream) ->
        {
            check(JCudaDriver.cuCtxPushCurrent(gpu.cuContext()));
            task.run(shmem, gpu, stream);
        });
    }

    private static CUgraphExec capture(final GpuStream stream, final Runnable operations)
    {
        final CUstream cuStream = stream.stream();
        check(JCudaDriver.cuStreamBeginCapture(cuStream, CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED));
        operations.run();
        final CUgraph graph = new CUgraph();
        check(JCudaDriver.cuStreamEndCapture(cuStream, graph));
        final CUgraphExec executable = new CUgraphExec();
        check(JCudaDriver.cuGraphInstantiate(executable, graph, 0));
        check(JCudaDriver.cuGraphDestroy(graph));
        return executable;
    }

    private static void launch(final CUgraphExec graph, final GpuStream stream)
    {
        check(JCudaDriver.cuGraphLaunch(graph, stream.stream()));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldRepeatWhatTheDevicePerforms(final boolean hasOperations) throws Exception
    {
        run(hasOperations, true, (shmem, gpu, stream) ->
        {
            final CommunicationContext ctx = shmem.defaultContext();
            final int me = shmem.myPe();
            final int right = (me + 1) % NPES;
            final int left = (me + NPES - 1) % NPES;
            for (final SymmetricBuffer words : new SymmetricBuffer[]{gpu.calloc(32, 8), shmem.calloc(32, 8)})
            {
                final SymmetricBuffer counts = gpu.calloc(2, 8);
                // word 0: the data of the round; 1: its copy here; 2: signal; 3: elements; 4 and 5: with a stride
                final CUgraphExec graph = capture(stream, () ->
                {
                    stream.putSignal(words, 8, words, 0, 8, words, 16, 1, SignalOp.SET, right);
                    stream.signalWaitUntil(words, 16, Comparison.EQ, 1);
                    stream.waitUntilLong(words, 16, Comparison.GE, 0);
                    stream.signal(words, 16, 0, SignalOp.SET, me);
                    stream.putInt(words, 24, 100 + me, me);
                    stream.putShort(words, 28, (short)(200 + me), me);
                    stream.iput(words, 32, words, 8, 1, 1, 1, 8, me);
                    stream.get(words, 40, words, 8, 8, me);
                    stream.atomicAddLong(counts, 0, 1, 0);
                    stream.atomicFetchAddLong(counts, 8, counts, 8, 1, me);
                    stream.quiet();
                    stream.fence();
                });
                assertEquals(0, ctx.getLong(words, 8, me), "captured operations are not performed");
                shmem.barrierAll();
                for (int round = 1; round <= 5; round++)
                {
                    ctx.putLong(words, 0, 10L * round + me, me);
                    ctx.putInt(words, 24, 0, me);
                    ctx.quiet();
                    launch(graph, stream);
                    stream.synchronize();
                    final long data = 10L * round + left;
                    assertEquals(data, ctx.getLong(words, 8, me));
                    assertEquals(100 + me, ctx.getInt(words, 24, me));
                    assertEquals(200 + me, ctx.getShort(words, 28, me));
                    assertEquals(data, ctx.getLong(words, 32, me));
                    assertEquals(data, ctx.getLong(words, 40, me));
                    shmem.barrierAll();
                    assertEquals(NPES * (long)round, ctx.atomicFetchLong(counts, 0, 0));
                    shmem.barrierAll();
                }

                check(JCudaDriver.cuGraphExecDestroy(graph));
            }
        });
    }

    private static void await(final BooleanSupplier condition)
    {
        final long deadlineNs = System.nanoTime() + DEADLINE_NS;
        while (!condition.getAsBoolean())
        {
            assertTrue(System.nanoTime() - deadlineNs < 0, "deadline");
            Thread.yield();
        }
    }

    /** No launch of a captured barrier lets a stream pass before those of all PEs have come to it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldSynchroniseInEachLaunch(final boolean hasOperations) throws Exception
    {
        run(hasOperations, true, (shmem, gpu, stream) ->
        {
            final CommunicationContext ctx = shmem.defaultContext();
            final int me = shmem.myPe();
            final SymmetricBuffer words = gpu.calloc(8, 8);
            final SymmetricBuffer operands = shmem.calloc(4, 8);
            final CUgraphExec graph = capture(stream, () ->
            {
                stream.atomicAddLong(words, 0, 1, 0);
                stream.barrierAll();
                stream.get(words, 8, words, 0, 8, 0);
                stream.syncAll();
                stream.reduce(shmem.world(), ReduceOp.SUM, ElementType.LONG, words.slice(16, 8), operands, 1);
                stream.reduce(shmem.world(), ReduceOp.MAX, ElementType.LONG, operands, operands, 1);
            });
            for (int round = 1; round <= 6; round++)
            {
                operands.putLong(0, round + me);
                shmem.barrierAll();
                if (round % NPES == me)
                {
                    final long passed = NPES * (round - 1L);
                    await(() -> passed + NPES - 1 == ctx.atomicFetchLong(words, 0, 0));
                    Thread.sleep(WAITED_MS);
                    for (int pe = 0; pe < NPES; pe++)
                    {
                        assertEquals(passed, ctx.getLong(words, 8, pe), "PE " + pe + " has passed the barrier");
                    }
                }

                launch(graph, stream);
                if (0 == round % 2)
                {
                    stream.barrierAll();
                }

                stream.synchronize();
                assertEquals(NPES * (long)round, ctx.getLong(words, 8, me));
                assertEquals(NPES * (long)round + 3, ctx.getLong(words, 16, me));
                assertEquals(round + NPES - 1L, operands.getLong(0));
                shmem.barrierAll();
            }

            check(JCudaDriver.cuGraphExecDestroy(graph));
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldRejectWhatAThreadOfTheLibraryPerforms(final boolean hasOperations) throws Exception
    {
        run(hasOperations, false, (shmem, gpu, stream) ->
        {
            final int me = shmem.myPe();
            final SymmetricBuffer host = shmem.calloc(8, 8);
            final SymmetricBuffer device = gpu.calloc(8, 8);
            final Team world = shmem.world();
            final List<Runnable> calls = List.of(
                () -> stream.put(host, 0, device, 0, 8, me),
                () -> stream.get(device, 0, host, 0, 8, me),
                () -> stream.put(device, 0, device, 4, 8, me),
                () -> stream.putLong(host, 0, 1, me),
                () -> stream.iput(host, 0, device, 0, 1, 1, 2, 8, me),
                () -> stream.ibget(device, 0, host, 0, 2, 2, 1, 2, 8, me),
                () -> stream.signal(host, 0, 1, SignalOp.SET, me),
                () -> stream.signalWaitUntil(host, 0, Comparison.EQ, 1),
                () -> stream.waitUntilInt(host, 0, Comparison.EQ, 1),
                () -> stream.atomicAddLong(host, 0, 1, me),
                () -> stream.atomicFetchLong(device, 0, host, 0, me),
                stream::barrierAll,
                stream::syncAll,
                () -> stream.broadcast(world, ElementType.LONG, device, device, 1, 0),
                () -> stream.fcollect(world, ElementType.LONG, host, device, 1),
                () -> stream.alltoalls(world, ElementType.LONG, host, device, 1, 1, 1),
                () -> stream.reduce(world, ReduceOp.SUM, ElementType.LONG, device, device, 1),
                // nothing of it is captured, though the device could perform the put
                () -> stream.putSignal(device, 0, device, 8, 8, host, 0, 1, SignalOp.ADD, me));
            shmem.defaultContext().putLong(device, 8, 7, me);
            shmem.defaultContext().quiet();
            final CUgraphExec graph = capture(stream, () ->
            {
                for (final Runnable call : calls)
                {
                    final String message = assertThrows(IllegalStateException.class, call::run).getMessage();
                    assertTrue(message.startsWith("the stream is being captured into a CUDA graph"), message);
                }

                stream.putLong(device, 16, 5, me);
            });
            launch(graph, stream);
            stream.synchronize();
            assertEquals(0, shmem.defaultContext().getLong(device, 0, me));
            assertEquals(5, shmem.defaultContext().getLong(device, 16, me));
            check(JCudaDriver.cuGraphExecDestroy(graph));

            stream.barrierAll();
            stream.putLong(host, 0, 3, me);
            stream.synchronize();
            assertEquals(3, host.getLong(0));
            shmem.barrierAll();
        });
    }
}
