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
import io.aeroshmem.PeFailureException;
import io.aeroshmem.Shmem;
import io.aeroshmem.ShmemException;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.TransportKind;
import io.aeroshmem.gpu.sim.ChildJvm;
import io.aeroshmem.gpu.sim.RequiresSimulatedDriver;
import io.aeroshmem.gpu.sim.SimulatedDriver;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What streams store and await without a kernel, and how they do without the device's stream memory operations. */
@Tag("kernels")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StreamMemoryOperationsTest
{
    private static final long WAITED_MS = 20;

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

    /** Performs operations, and compares the number of kernels that the library launches for them. */
    private static void assertKernels(final int expected, final GpuStream stream, final Runnable operations)
    {
        final int before = SimulatedDriver.count(SimulatedDriver.LAUNCHES);
        operations.run();
        stream.synchronize();
        assertEquals(expected, SimulatedDriver.count(SimulatedDriver.LAUNCHES) - before);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @RequiresSimulatedDriver
    void shouldLaunchKernelsOnlyWhereTheDeviceLacksTheOperations(final boolean hasOperations) throws Exception
    {
        StreamJob.run(1, hasOperations, true, (shmem, gpu, stream) ->
        {
            final SymmetricBuffer host = shmem.calloc(8, Long.BYTES);
            final SymmetricBuffer device = gpu.calloc(8, Long.BYTES);
            final int one = hasOperations ? 0 : 1;
            final int operations = SimulatedDriver.count(SimulatedDriver.STREAM_MEMORY_OPERATIONS);
            for (final SymmetricBuffer words : new SymmetricBuffer[]{host, device})
            {
                assertKernels(one, stream, () -> stream.signal(words, 0, 3, SignalOp.SET, 0));
                assertKernels(one, stream, () -> stream.signalWaitUntil(words, 0, Comparison.EQ, 3));
                assertKernels(one, stream, () -> stream.waitUntilLong(words, 0, Comparison.GE, 0));
                assertKernels(1, stream, () -> stream.waitUntilLong(words, 0, Comparison.GE, 2));
                assertKernels(1, stream, () -> stream.waitUntilLong(words, 0, Comparison.NE, 2));
                assertKernels(one, stream, () -> stream.putLong(words, 8, 4, 0));
                assertKernels(0, stream, () -> stream.putInt(words, 16, 5, 0));
                assertKernels(one, stream,
                    () -> stream.putSignal(words, 24, words, 8, 8, words, 0, 6, SignalOp.SET, 0));
                assertEquals(4, shmem.defaultContext().getLong(words, 24, 0));
                assertEquals(5, shmem.defaultContext().getInt(words, 16, 0));
            }

            assertEquals(
                hasOperations, SimulatedDriver.count(SimulatedDriver.STREAM_MEMORY_OPERATIONS) > operations);
        });

        // the stream and its proxy pass operations on by two words
        StreamJob.run(1, hasOperations, false, (shmem, gpu, stream) ->
        {
            final SymmetricBuffer host = shmem.calloc(8, Long.BYTES);
            assertKernels(hasOperations ? 0 : 2, stream, () -> stream.putLong(host, 8, 4, 0));
            assertEquals(4, host.getLong(8));
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldPutElementsInHostMemoryWithoutAtomicOperations(final boolean hasOperations) throws Exception
    {
        final int before = TestDevice.count(SimulatedDriver.HOST_ATOMICS);
        StreamJob.run(1, hasOperations, true, (shmem, gpu, stream) ->
        {
            final SymmetricBuffer words = shmem.calloc(8, Long.BYTES);
            stream.putInt(words, 0, -1, 0);
            stream.putFloat(words, 4, 1.5f, 0);
            stream.putLong(words, 8, -2, 0);
            stream.putDouble(words, 16, 2.5, 0);
            stream.putLong(words, 28, 0x0807_0605_0403_0201L, 0);
            stream.synchronize();
            assertEquals(-1, words.getInt(0));
            assertEquals(1.5f, words.getFloat(4));
            assertEquals(-2, words.getLong(8));
            assertEquals(2.5, words.getDouble(16));
            assertEquals(0x0807_0605_0403_0201L, words.getLong(28));
        });
        assertEquals(before, TestDevice.count(SimulatedDriver.HOST_ATOMICS));
    }

    /** Two PEs on two devices. */
    static final class OfTwoDevices
    {
        private OfTwoDevices()
        {
        }

        public static void main(final String[] args) throws Exception
        {
            Shmem.runLocal(2, new Shmem.Context().heapSize(4 << 20).transport(TransportKind.MAPPED), (shmem) ->
            {
                try (Gpu gpu = Gpu.init(shmem, new Gpu.Context().device(shmem.myPe()).heapSize(1 << 20)))
                {
                    final SymmetricBuffer words = gpu.calloc(2, Long.BYTES);
                    final GpuStream stream = gpu.newStream();
                    shmem.barrierAll();
                    if (0 == shmem.myPe())
                    {
                        stream.signal(words, 0, 3, SignalOp.SET, 0);
                        assertKernels(1, stream, () -> stream.signalWaitUntil(words, 0, Comparison.EQ, 3));
                        assertKernels(1, stream, () -> stream.signalWaitUntil(words, 0, Comparison.GE, 0));
                        assertKernels(0, stream, () -> stream.signal(words, 0, 4, SignalOp.SET, 0));
                        System.out.println("passed");
                    }

                    shmem.barrierAll();
                }
            });
        }
    }

    /** A kernel acquires what other devices have stored. */
    @Test
    @RequiresSimulatedDriver
    void shouldAcquireByAKernelWhereThereAreOtherDevices()
    {
        try (ChildJvm child = ChildJvm.start(OfTwoDevices.class, Map.of("AEROSHMEM_CUDA_SIM_DEVICES", "2")))
        {
            final String output = child.rest();
            assertTrue(output.contains("passed"), output);
        }
    }

    /** The difference of the words and the value overflows, by which CUDA's own comparison errs. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldCompareWordsFarFromTheValue(final boolean hasOperations) throws Exception
    {
        StreamJob.run(1, hasOperations, true, (shmem, gpu, stream) ->
        {
            final SymmetricBuffer word = shmem.calloc(1, Long.BYTES);
            word.putLong(0, Long.MIN_VALUE + 2);
            stream.waitUntilLong(word, 0, Comparison.GE, 5);
            assertWaits(stream);
            shmem.defaultContext().putLong(word, 0, 5, 0);
            stream.synchronize();

            word.putLong(0, Long.MAX_VALUE);
            stream.waitUntilLong(word, 0, Comparison.GE, -5);
            stream.synchronize();
            word.putLong(0, -1);
            stream.waitUntilLong(word, 0, Comparison.GE, 0);
            assertWaits(stream);
            shmem.defaultContext().putLong(word, 0, Long.MAX_VALUE, 0);
            stream.synchronize();
        });
    }

    private static void assertWaits(final GpuStream stream) throws InterruptedException
    {
        Thread.sleep(WAITED_MS);
        assertEquals(CudaResult.NOT_READY, JCudaDriver.cuStreamQuery(stream.stream()));
    }

    /** More waits than are kept at first, each of which must be ended after the one before. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldEndAllWaitsWhenTheJobFails(final boolean hasOperations)
    {
        TestDevice.setStreamMemoryOperations(hasOperations);
        final CountDownLatch enqueued = new CountDownLatch(1);
        final CountDownLatch ended = new CountDownLatch(1);
        assertThrows(FailedByTheTest.class, () -> StreamJob.run(2, hasOperations, true, (shmem, gpu, stream) ->
        {
            final SymmetricBuffer[] words = {shmem.calloc(1, Long.BYTES), gpu.calloc(1, Long.BYTES)};
            if (0 == shmem.myPe())
            {
                for (int i = 1; i <= 50; i++)
                {
                    stream.signalWaitUntil(words[i % 2], 0, 0 == i % 3 ? Comparison.GE : Comparison.EQ, i);
                }

                enqueued.countDown();
                assertThrows(PeFailureException.class, stream::synchronize);
                ended.countDown();
            }
            else
            {
                enqueued.await();
                throw new FailedByTheTest();
            }
        }));
        assertEquals(0, ended.getCount());
    }

    /** The waits that the stream has passed are forgotten; those of a wait that was not enqueued, at once. */
    @Test
    @RequiresSimulatedDriver
    void shouldKeepOnlyTheWaitsThatAreNotPassed() throws Exception
    {
        StreamJob.run(1, true, true, (shmem, gpu, stream) ->
        {
            final SymmetricBuffer words = shmem.calloc(2, Long.BYTES);
            for (int i = 1; i <= 100; i++)
            {
                stream.signal(words, 0, i, SignalOp.SET, 0);
                stream.signalWaitUntil(words, 0, Comparison.EQ, i);
            }

            stream.synchronize();
            SimulatedDriver.set(SimulatedDriver.SET_FAIL_CODE, CudaResult.OUT_OF_MEMORY);
            SimulatedDriver.set(SimulatedDriver.SET_CALLS_UNTIL_FAILURE, 3);
            final GpuException ex = assertThrows(
                GpuException.class, () -> stream.signalWaitUntil(words, 8, Comparison.EQ, 7));
            assertTrue(ex.getMessage().startsWith("cuStreamWaitValue64"), ex.getMessage());
            stream.synchronize();
        });
    }

    /** Nobody stores the awaited value, and the GPU is not closed before the PE. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldEndWaitsWhenThePeIsClosed(final boolean hasOperations) throws Exception
    {
        TestDevice.setStreamMemoryOperations(hasOperations);
        final long begin = System.nanoTime();
        Shmem.runLocal(1, new Shmem.Context().heapSize(4 << 20), (shmem) ->
        {
            final Gpu gpu = Gpu.init(shmem, new Gpu.Context().device(0).heapSize(1 << 20));
            final SymmetricBuffer words = gpu.calloc(2, Long.BYTES);
            final GpuStream stream = gpu.newStream();
            stream.signalWaitUntil(words, 0, Comparison.EQ, 1);
            stream.signalWaitUntil(words, 8, Comparison.GE, 1);
        });
        assertTrue(System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(20));
    }

    private static final class FailedByTheTest extends ShmemException
    {
        private static final long serialVersionUID = 1L;

        FailedByTheTest()
        {
            super("the test fails this PE");
        }
    }
}
