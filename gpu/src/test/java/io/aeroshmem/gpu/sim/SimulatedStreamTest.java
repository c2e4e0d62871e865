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
package io.aeroshmem.gpu.sim;

import static io.aeroshmem.gpu.sim.SimulatedDriver.*;
import static jcuda.driver.CUresult.*;
import static jcuda.driver.JCudaDriver.*;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUevent;
import jcuda.driver.CUevent_flags;
import jcuda.driver.CUgraph;
import jcuda.driver.CUgraphExec;
import jcuda.driver.CUhostFn;
import jcuda.driver.CUstream;
import jcuda.driver.CUstreamCaptureMode;
import jcuda.driver.CUstreamCaptureStatus;
import jcuda.driver.CUstreamWaitValue_flags;
import jcuda.driver.CUstream_flags;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class SimulatedStreamTest extends SimulatedContext
{
    @Test
    void shouldPerformOperationsInOrder()
    {
        final CUstream stream = createStream();
        final CUdeviceptr memory = allocateInts(0, 0);
        final List<Integer> seen = Collections.synchronizedList(new ArrayList<>());
        final Pointer host = pinned(1);
        for (int i = 1; i <= 100; i++)
        {
            check(cuMemsetD32Async(memory, i, 1, stream));
            check(cuMemcpyDtoDAsync(memory.withByteOffset(4), memory, 4, stream));
            check(cuMemcpyDtoHAsync(host, memory.withByteOffset(4), 4, stream));
            check(cuLaunchHostFunc(stream, (data) -> seen.add(ints(host, 1).get(0)), null));
        }

        check(cuStreamSynchronize(stream));
        assertEquals(100, seen.size());
        for (int i = 0; i < 100; i++)
        {
            assertEquals(i + 1, seen.get(i));
        }
    }

    @Test
    void shouldReturnBeforeTheStreamHasPassed() throws InterruptedException
    {
        final CUstream stream = createStream();
        final CUdeviceptr memory = allocateInts(5);
        final Pointer host = pinned(1);
        final CountDownLatch gate = close(stream);
        check(cuMemcpyDtoHAsync(host, memory, 4, stream));
        expect(CUDA_ERROR_NOT_READY, cuStreamQuery(stream));
        assertEquals(0, ints(host, 1).get(0));
        gate.countDown();
        check(cuStreamSynchronize(stream));
        check(cuStreamQuery(stream));
        assertEquals(5, ints(host, 1).get(0));
    }

    @Test
    void shouldReadOrdinaryHostMemoryAtTheCallAndPinnedMemoryInStreamOrder()
    {
        final CUstream stream = createStream();
        final CUdeviceptr memory = allocateInts(0, 0);
        final Pointer host = pinned(1);
        final int[] array = {1};
        ints(host, 1).put(0, 1);
        final CountDownLatch gate = close(stream);
        check(cuMemcpyHtoDAsync(memory, Pointer.to(array), 4, stream));
        check(cuMemcpyHtoDAsync(memory.withByteOffset(4), host, 4, stream));
        array[0] = 2;
        ints(host, 1).put(0, 2);
        gate.countDown();
        check(cuStreamSynchronize(stream));
        assertArrayEquals(new int[]{1, 2}, readInts(memory, 2));
    }

    @Test
    void shouldOrderTheLegacyStreamWithBlockingStreams()
    {
        final CUdeviceptr memory = allocateInts(0, 0);
        final CUstream blocking = new CUstream();
        check(cuStreamCreate(blocking, CUstream_flags.CU_STREAM_DEFAULT));
        final CountDownLatch gate = close(blocking);
        check(cuMemsetD32Async(memory, 1, 1, blocking));
        check(cuMemcpyDtoDAsync(memory.withByteOffset(4), memory, 4, null));
        expect(CUDA_ERROR_NOT_READY, cuStreamQuery(null));
        gate.countDown();
        assertArrayEquals(new int[]{1, 1}, readInts(memory, 2));

        final CountDownLatch second = close(new CUstream());
        check(cuMemsetD32Async(memory, 2, 1, blocking));
        expect(CUDA_ERROR_NOT_READY, cuStreamQuery(blocking));
        second.countDown();
        check(cuStreamSynchronize(blocking));
        assertEquals(2, readInts(memory, 1)[0]);
    }

    @Test
    void shouldNotOrderNonBlockingStreams()
    {
        final CUdeviceptr memory = allocateInts(0);
        final CUstream stream = createStream();
        final CountDownLatch gate = close(stream);
        check(cuMemsetD32Async(memory, 1, 1, stream));
        assertEquals(0, readInts(memory, 1)[0]);
        check(cuMemsetD32(memory, 7, 1));
        assertEquals(7, readInts(memory, 1)[0]);
        gate.countDown();
        check(cuCtxSynchronize());
        assertEquals(1, readInts(memory, 1)[0]);
    }

    @Test
    void shouldWaitForEventsOfOtherStreams()
    {
        final CUdeviceptr memory = allocateInts(0, 0);
        final CUstream first = createStream();
        final CUstream second = createStream();
        final CUevent event = event(CUevent_flags.CU_EVENT_DISABLE_TIMING);
        check(cuEventQuery(event));
        check(cuStreamWaitEvent(second, event, 0));
        final CountDownLatch gate = close(first);
        check(cuMemsetD32Async(memory, 3, 1, first));
        check(cuEventRecord(event, first));
        check(cuStreamWaitEvent(second, event, 0));
        check(cuMemcpyDtoDAsync(memory.withByteOffset(4), memory, 4, second));
        expect(CUDA_ERROR_NOT_READY, cuEventQuery(event));
        expect(CUDA_ERROR_NOT_READY, cuStreamQuery(second));
        gate.countDown();
        check(cuEventSynchronize(event));
        check(cuStreamSynchronize(second));
        assertArrayEquals(new int[]{3, 3}, readInts(memory, 2));
        check(cuEventDestroy(event));
        expect(CUDA_ERROR_INVALID_HANDLE, cuEventQuery(event));
    }

    @Test
    void shouldMeasureTheTimeBetweenEvents() throws InterruptedException
    {
        final CUstream stream = createStream();
        final CUevent start = event(0);
        final CUevent end = event(0);
        final float[] millis = new float[1];
        expect(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(millis, start, end));
        check(cuEventRecord(start, stream));
        final CountDownLatch gate = close(stream);
        check(cuEventRecord(end, stream));
        check(cuEventSynchronize(start));
        expect(CUDA_ERROR_NOT_READY, cuEventElapsedTime(millis, start, end));
        TimeUnit.MILLISECONDS.sleep(20);
        gate.countDown();
        check(cuEventSynchronize(end));
        check(cuEventElapsedTime(millis, start, end));
        assertTrue(millis[0] >= 20, () -> millis[0] + " ms");
        expect(CUDA_ERROR_INVALID_HANDLE,
            cuEventElapsedTime(millis, start, event(CUevent_flags.CU_EVENT_DISABLE_TIMING)));
    }

    @Test
    void shouldNotPermitCallsInHostFunctions()
    {
        final CUstream stream = createStream();
        final CUdeviceptr memory = allocateInts(1);
        final AtomicInteger result = new AtomicInteger();
        check(cuLaunchHostFunc(stream, (data) -> result.set(cuMemsetD32(memory, 2, 1)), null));
        check(cuStreamSynchronize(stream));
        expect(CUDA_ERROR_NOT_PERMITTED, result.get());
        assertEquals(1, count(HOST_FUNCTION_VIOLATIONS));
        assertEquals(1, readInts(memory, 1)[0]);
    }

    @Test
    void shouldPassTheDataOfHostFunctions()
    {
        final CUstream stream = createStream();
        final List<Object> seen = Collections.synchronizedList(new ArrayList<>());
        final CUhostFn function = seen::add;
        check(cuLaunchHostFunc(stream, function, "first"));
        check(cuStreamAddCallback(stream, (source, status, data) -> seen.add(data + " " + status), "second", 0));
        check(cuStreamSynchronize(stream));
        assertEquals(List.of("first", "second 0"), seen);
    }

    @Test
    void shouldWaitForValues()
    {
        final Pointer host = pinned(4);
        final CUdeviceptr words = new CUdeviceptr();
        check(cuMemHostGetDevicePointer(words, host, 0));
        final IntBuffer values = ints(host, 4);
        waitFor(words, values, -5, CUstreamWaitValue_flags.CU_STREAM_WAIT_VALUE_GEQ, -7, -6, -5);
        waitFor(words, values, Integer.MIN_VALUE, CUstreamWaitValue_flags.CU_STREAM_WAIT_VALUE_GEQ,
            Integer.MAX_VALUE, Integer.MIN_VALUE);
        waitFor(words, values, 3, CUstreamWaitValue_flags.CU_STREAM_WAIT_VALUE_EQ, 2, 4, 3);
        waitFor(words, values, 6, CUstreamWaitValue_flags.CU_STREAM_WAIT_VALUE_AND, 1, 9, 4);
        waitFor(words, values, 6, CUstreamWaitValue_flags.CU_STREAM_WAIT_VALUE_NOR, ~6, -1, ~5 & ~6);
        final CUstream stream = createStream();
        expect(CUDA_ERROR_INVALID_VALUE, cuStreamWaitValue32(stream, words.withByteOffset(2), 0, 0));
        expect(CUDA_ERROR_INVALID_VALUE, cuStreamWaitValue64(stream, words.withByteOffset(4), 0, 0));
        expect(CUDA_ERROR_INVALID_VALUE, cuStreamWaitValue32(stream, words.withByteOffset(16), 0, 0));
        expect(CUDA_ERROR_INVALID_VALUE, cuStreamWaitValue32(stream, words, 0, 4));
    }

    @Test
    void shouldWriteValues()
    {
        final CUstream stream = createStream();
        final CUdeviceptr memory = allocateInts(0, 0, 0, 0);
        final CountDownLatch gate = close(stream);
        check(cuStreamWriteValue32(stream, memory, 5, 0));
        check(cuStreamWriteValue64(stream, memory.withByteOffset(8), (1L << 32) + 2, 1));
        assertArrayEquals(new int[]{0, 0, 0, 0}, readInts(memory, 4));
        gate.countDown();
        check(cuStreamWaitValue64(stream, memory.withByteOffset(8), (1L << 32) + 2, 1));
        check(cuStreamSynchronize(stream));
        assertArrayEquals(new int[]{5, 0, 2, 1}, readInts(memory, 4));
    }

    @Test
    void shouldLackStreamMemoryOperations()
    {
        final CUstream stream = createStream();
        final CUdeviceptr memory = allocateInts(0, 0);
        set(SET_STREAM_MEMORY_OPERATIONS, 0);
        expect(CUDA_ERROR_NOT_SUPPORTED, cuStreamWriteValue64(stream, memory, 5, 0));
        expect(CUDA_ERROR_NOT_SUPPORTED, cuStreamWaitValue64(stream, memory, 5, 0));
        assertEquals(0, count(STREAM_MEMORY_OPERATIONS));
    }

    @Test
    void shouldPerformACapturedGraphAsOftenAsItIsLaunched()
    {
        final CUstream stream = createStream();
        final CUdeviceptr memory = allocateInts(7, 0);
        final int[] status = new int[1];
        check(cuStreamBeginCapture(stream, CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED));
        check(cuStreamIsCapturing(stream, status));
        assertEquals(CUstreamCaptureStatus.CU_STREAM_CAPTURE_STATUS_ACTIVE, status[0]);
        check(launch(function(loadTestKernels(), "sim_test_add"), 1, 1, stream, Pointer.to(memory),
            Pointer.to(new int[]{5})));
        check(cuMemcpyDtoDAsync(memory.withByteOffset(4), memory, 4, stream));
        final CUgraph graph = new CUgraph();
        check(cuStreamEndCapture(stream, graph));
        assertEquals(0, count(LAUNCHES));
        assertArrayEquals(new int[]{7, 0}, readInts(memory, 2));

        final CUgraphExec executable = new CUgraphExec();
        check(cuGraphInstantiate(executable, graph, 0));
        check(cuGraphDestroy(graph));
        check(cuGraphLaunch(executable, stream));
        check(cuGraphLaunch(executable, stream));
        check(cuStreamSynchronize(stream));
        assertEquals(2, count(LAUNCHES));
        assertArrayEquals(new int[]{17, 17}, readInts(memory, 2));
        check(cuGraphExecDestroy(executable));
        expect(CUDA_ERROR_INVALID_HANDLE, cuGraphLaunch(executable, stream));
    }

    @Test
    void shouldEndACaptureByWhatAGraphCannotHold()
    {
        final CUstream stream = createStream();
        final CUdeviceptr memory = allocateInts(0, 0);
        final int[] status = new int[1];
        final CUgraph graph = new CUgraph();
        expect(CUDA_ERROR_ILLEGAL_STATE, cuStreamEndCapture(stream, graph));
        expect(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamBeginCapture(new CUstream(), 0));
        check(cuStreamBeginCapture(stream, 0));
        expect(CUDA_ERROR_ILLEGAL_STATE, cuStreamBeginCapture(stream, 0));
        expect(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamWriteValue64(stream, memory, 5, 0));
        check(cuStreamIsCapturing(stream, status));
        assertEquals(CUstreamCaptureStatus.CU_STREAM_CAPTURE_STATUS_INVALIDATED, status[0]);
        expect(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamSynchronize(stream));
        expect(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, graph));
        check(cuStreamSynchronize(stream));
    }

    @Test
    void shouldCompleteWhatADestroyedStreamHolds()
    {
        final CUdeviceptr memory = allocateInts(0);
        final CUstream stream = createStream();
        final CountDownLatch gate = close(stream);
        check(cuMemsetD32Async(memory, 1, 1, stream));
        check(cuStreamDestroy(stream));
        assertEquals(0, readInts(memory, 1)[0]);
        gate.countDown();
        check(cuCtxSynchronize());
        assertEquals(1, readInts(memory, 1)[0]);
    }

    @Test
    void shouldWaitForWorkInFlightBeforeMemoryIsFreed() throws InterruptedException
    {
        final CUdeviceptr memory = allocateInts(0);
        final CUstream stream = createStream();
        final CountDownLatch gate = close(stream);
        check(cuMemsetD32Async(memory, 1, 1, stream));
        final AtomicInteger result = new AtomicInteger(-1);
        final Thread thread = new Thread(
            () ->
            {
                check(cuCtxSetCurrent(context));
                result.set(cuMemFree(memory));
            });
        thread.start();
        TimeUnit.MILLISECONDS.sleep(20);
        assertEquals(-1, result.get());
        gate.countDown();
        thread.join();
        check(result.get());
    }

    @Test
    void shouldDescribeStreams()
    {
        final CUstream stream = createStream();
        final int[] flags = new int[1];
        check(cuStreamGetFlags(stream, flags));
        assertEquals(CUstream_flags.CU_STREAM_NON_BLOCKING, flags[0]);
        check(cuStreamGetFlags(new CUstream(), flags));
        assertEquals(CUstream_flags.CU_STREAM_DEFAULT, flags[0]);
        final CUcontext owner = new CUcontext();
        check(cuStreamGetCtx(stream, owner));
        assertEquals(context, owner);
        expect(CUDA_ERROR_INVALID_VALUE, cuStreamCreate(new CUstream(), 2));
    }

    @Test
    @Tag("ci")
    void shouldEndWaitsWhenTheContextIsDestroyed()
    {
        final CUcontext other = new CUcontext();
        check(cuCtxCreate(other, 0, device(0)));
        check(cuStreamWaitValue32(createStream(), allocateInts(0), 1, 0));
        final long start = System.nanoTime();
        check(cuCtxDestroy(other));
        assertTrue(System.nanoTime() - start < DEADLINE_NS);
    }

    /** Each value but the last leaves the stream waiting. */
    private static void waitFor(
        final CUdeviceptr words, final IntBuffer words32, final int value, final int comparison, final int... written)
    {
        final CUstream stream = createStream();
        words32.put(0, written[0]);
        check(cuStreamWaitValue32(stream, words, value, comparison));
        for (int i = 0; i < written.length - 1; i++)
        {
            words32.put(0, written[i]);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
            expect(CUDA_ERROR_NOT_READY, cuStreamQuery(stream));
        }

        words32.put(0, written[written.length - 1]);
        check(cuStreamSynchronize(stream));
        check(cuStreamDestroy(stream));
    }

    /** Makes the stream wait until the latch is counted down. */
    private static CountDownLatch close(final CUstream stream)
    {
        final CountDownLatch gate = new CountDownLatch(1);
        final CUhostFn wait = (data) ->
        {
            try
            {
                assertTrue(gate.await(DEADLINE_NS, TimeUnit.NANOSECONDS));
            }
            catch (final InterruptedException ex)
            {
                throw new AssertionError(ex);
            }
        };
        check(cuLaunchHostFunc(stream, wait, null));
        return gate;
    }

    private static Pointer pinned(final int count)
    {
        final Pointer memory = new Pointer();
        check(cuMemAllocHost(memory, (long)count * Integer.BYTES));
        for (int i = 0; i < count; i++)
        {
            ints(memory, count).put(i, 0);
        }

        return memory;
    }

    private static CUevent event(final int flags)
    {
        final CUevent event = new CUevent();
        check(cuEventCreate(event, flags));
        return event;
    }
}
