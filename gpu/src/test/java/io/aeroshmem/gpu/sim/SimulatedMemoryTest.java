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
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import jcuda.Pointer;
import jcuda.driver.CUDA_MEMCPY2D;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUmemorytype;
import jcuda.driver.CUpointer_attribute;

import org.junit.jupiter.api.Test;

class SimulatedMemoryTest extends SimulatedContext
{
    private static final int THREADS = 4;
    private static final int LENGTH = 64 << 20;

    @Test
    void shouldCopyInAllDirections()
    {
        final CUdeviceptr first = allocateInts(1, 2, 3, 4);
        final CUdeviceptr second = allocate(16);
        check(cuMemcpyDtoD(second, first.withByteOffset(4), 12));
        assertArrayEquals(new int[]{2, 3, 4}, readInts(second, 3));

        check(cuMemcpy(first, second, 8));
        assertArrayEquals(new int[]{2, 3, 3, 4}, readInts(first, 4));
        check(cuMemFree(first));
        check(cuMemFree(second));
    }

    @Test
    void shouldNotZeroFreshMemory()
    {
        assertNotEquals(0, readInts(allocate(4), 1)[0]);
    }

    @Test
    void shouldSetMemory()
    {
        final CUdeviceptr memory = allocateInts(0, 0, 0, 0);
        check(cuMemsetD8(memory, (byte)0x11, 3));
        check(cuMemsetD16(memory.withByteOffset(4), (short)0x2222, 1));
        check(cuMemsetD32(memory.withByteOffset(8), 0x33333333, 2));
        assertArrayEquals(new int[]{0x111111, 0x2222, 0x33333333, 0x33333333}, readInts(memory, 4));
        expect(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(memory.withByteOffset(2), 0, 1));
        expect(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(memory, 0, 5));
    }

    @Test
    void shouldCopyRectangles()
    {
        final CUdeviceptr memory = allocateInts(0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23);
        final int[] target = new int[6];
        final CUDA_MEMCPY2D copy = new CUDA_MEMCPY2D();
        copy.srcMemoryType = CUmemorytype.CU_MEMORYTYPE_DEVICE;
        copy.srcDevice = memory;
        copy.srcPitch = 16;
        copy.srcXInBytes = 4;
        copy.srcY = 1;
        copy.dstMemoryType = CUmemorytype.CU_MEMORYTYPE_HOST;
        copy.dstHost = Pointer.to(target);
        copy.dstPitch = 12;
        copy.WidthInBytes = 8;
        copy.Height = 2;
        check(cuMemcpy2D(copy));
        assertArrayEquals(new int[]{11, 12, 0, 21, 22, 0}, target);

        copy.Height = 3;
        expect(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(copy));
        copy.Height = 2;
        copy.srcPitch = 8;
        expect(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(copy));
    }

    @Test
    void shouldRejectPointersThatAreNotAllocated()
    {
        final int[] host = new int[4];
        final CUdeviceptr memory = allocate(16);
        expect(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(memory, Pointer.to(host), 17));
        expect(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(Pointer.to(host), memory.withByteOffset(4), 16));
        expect(CUDA_ERROR_INVALID_VALUE, cuMemFree(memory.withByteOffset(8)));
        expect(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(new CUdeviceptr(), Pointer.to(host), 4));
        check(cuMemFree(memory));
        expect(CUDA_ERROR_INVALID_VALUE, cuMemFree(memory));
        expect(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(memory, Pointer.to(host), 4));
    }

    @Test
    void shouldRunOutOfMemory()
    {
        final long[] free = new long[1];
        final long[] total = new long[1];
        check(cuMemGetInfo(free, total));
        final long limit = total[0] - free[0] + (1 << 20);
        set(SET_MEMORY, limit);
        final CUdeviceptr memory = allocate(768 << 10);
        check(cuMemGetInfo(free, total));
        assertEquals(256 << 10, free[0]);
        assertEquals(limit, total[0]);
        expect(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(new CUdeviceptr(), (256 << 10) + 1));
        expect(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(new CUdeviceptr(), 1L << 50));
        expect(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(new CUdeviceptr(), 0));
        check(cuMemFree(memory));
        check(cuMemFree(allocate(1 << 20)));
    }

    @Test
    void shouldReuseMemoryOfManyAllocations()
    {
        final long[] before = new long[1];
        final long[] free = new long[1];
        final long[] total = new long[1];
        check(cuMemGetInfo(before, total));
        final CUdeviceptr[] kept = new CUdeviceptr[16];
        for (int i = 0; i < 20_000; i++)
        {
            final int place = i * 7 % kept.length;
            if (null != kept[place])
            {
                check(cuMemFree(kept[place]));
            }

            kept[place] = allocate(1 + (long)i * 7919 % (16 << 20));
        }

        for (final CUdeviceptr memory : kept)
        {
            check(cuMemFree(memory));
        }

        check(cuMemGetInfo(free, total));
        assertEquals(before[0], free[0]);
    }

    @Test
    void shouldAllocatePinnedHostMemory()
    {
        final Pointer memory = new Pointer();
        check(cuMemAllocHost(memory, 64));
        final IntBuffer host = ints(memory, 16);
        host.put(3, 42);
        final CUdeviceptr device = new CUdeviceptr();
        check(cuMemHostGetDevicePointer(device, memory, 0));
        assertEquals(42, readInts(device.withByteOffset(12), 1)[0]);
        check(cuMemsetD32(device, 7, 2));
        assertEquals(7, host.get(1));
        check(cuMemFreeHost(memory));
        expect(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost(memory));
    }

    @Test
    void shouldRegisterHostMemory()
    {
        final ByteBuffer buffer = ByteBuffer.allocateDirect(8192).order(ByteOrder.nativeOrder());
        final Pointer memory = Pointer.to(buffer);
        final CUdeviceptr device = new CUdeviceptr();
        expect(CUDA_ERROR_INVALID_VALUE, cuMemHostGetDevicePointer(device, memory, 0));
        expect(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(memory));
        check(cuMemHostRegister(memory, 8192, CU_MEMHOSTREGISTER_DEVICEMAP));
        expect(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
            cuMemHostRegister(memory.withByteOffset(4096), 4096, CU_MEMHOSTREGISTER_DEVICEMAP));
        check(cuMemHostGetDevicePointer(device, memory, 0));
        check(cuMemsetD32(device.withByteOffset(8188), 5, 1));
        assertEquals(5, buffer.getInt(8188));
        expect(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(memory.withByteOffset(4096)));
        check(cuMemHostUnregister(memory));
        expect(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(device, 5, 1));
    }

    @Test
    void shouldGiveRegisteredMemoryADevicePointerOfItsOwn()
    {
        set(SET_OWN_HOST_POINTERS, 1);
        final ByteBuffer buffer = ByteBuffer.allocateDirect(4096).order(ByteOrder.nativeOrder());
        final CUdeviceptr device = new CUdeviceptr();
        check(cuMemHostRegister(Pointer.to(buffer), 4096, CU_MEMHOSTREGISTER_DEVICEMAP));
        check(cuMemHostGetDevicePointer(device, Pointer.to(buffer), 0));
        assertNotEquals(attribute(CUpointer_attribute.CU_POINTER_ATTRIBUTE_HOST_POINTER, device),
            attribute(CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_POINTER, device));
        check(cuMemsetD32(device.withByteOffset(4), 9, 1));
        assertEquals(9, buffer.getInt(4));
        check(cuMemHostUnregister(Pointer.to(buffer)));
        expect(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(device, 9, 1));
    }

    /** As PEs of one process do. What a registration that comes too late leaves would keep the context from ending. */
    @Test
    void shouldRegisterMemoryOfSeveralThreadsOnce() throws Exception
    {
        set(SET_OWN_HOST_POINTERS, 1);
        final CUcontext shared = new CUcontext();
        check(cuCtxCreate(shared, 0, device(0)));
        // the check whether it is mapped takes some time, as that of a heap does
        final Pointer memory = Pointer.to(ByteBuffer.allocateDirect(LENGTH));
        final CyclicBarrier start = new CyclicBarrier(THREADS);
        final Callable<Integer> registration = () ->
        {
            check(cuCtxSetCurrent(shared));
            start.await();
            return cuMemHostRegister(memory, LENGTH, CU_MEMHOSTREGISTER_DEVICEMAP);
        };
        final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try
        {
            for (int round = 0; round < 100; round++)
            {
                final List<Integer> results = new ArrayList<>();
                for (final Future<Integer> result : threads.invokeAll(Collections.nCopies(THREADS, registration)))
                {
                    results.add(result.get());
                }

                assertEquals(1, Collections.frequency(results, CUDA_SUCCESS));
                assertEquals(
                    THREADS - 1, Collections.frequency(results, CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED));
                check(cuMemHostUnregister(memory));
            }

            final Callable<Integer> destruction = () -> cuCtxDestroy(shared);
            check(threads.submit(destruction).get(DEADLINE_NS, TimeUnit.NANOSECONDS));
        }
        finally
        {
            threads.shutdown();
        }

        check(cuCtxSetCurrent(context));
    }

    @Test
    void shouldNotRegisterMemoryThatIsNotMapped()
    {
        /* A device pointer stands for addresses that the host has not mapped. */
        final CUdeviceptr memory = allocate(4096);
        expect(CUDA_ERROR_INVALID_VALUE, cuMemHostRegister(memory, 4096, CU_MEMHOSTREGISTER_DEVICEMAP));
    }

    @Test
    void shouldDescribePointers()
    {
        final CUdeviceptr memory = allocate(1000);
        final CUdeviceptr inside = memory.withByteOffset(100);
        assertEquals(CUmemorytype.CU_MEMORYTYPE_DEVICE,
            (int)attribute(CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, inside));
        assertEquals(0, (int)attribute(CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, inside));
        assertEquals(address(memory),
            attribute(CUpointer_attribute.CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, inside));
        assertEquals(1000, attribute(CUpointer_attribute.CU_POINTER_ATTRIBUTE_RANGE_SIZE, inside));
        final CUdeviceptr base = new CUdeviceptr();
        final long[] size = new long[1];
        check(cuMemGetAddressRange(base, size, inside));
        assertEquals(memory, base);
        assertEquals(1000, size[0]);
        final CUdeviceptr beyond = memory.withByteOffset(1000);
        expect(CUDA_ERROR_NOT_FOUND, cuMemGetAddressRange(base, size, beyond));
        expect(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(
            Pointer.to(new long[1]), CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, beyond));
    }

    @Test
    void shouldCopyBetweenDevicesOnlyWithinTheirMemory()
    {
        final CUdeviceptr memory = allocateInts(1, 2);
        final CUcontext current = new CUcontext();
        check(cuCtxGetCurrent(current));
        check(cuMemcpyPeer(memory, current, memory.withByteOffset(4), current, 4));
        assertArrayEquals(new int[]{2, 2}, readInts(memory, 2));
        expect(CUDA_ERROR_INVALID_VALUE, cuMemcpyPeer(memory, current, memory.withByteOffset(4), current, 8));
        expect(CUDA_ERROR_INVALID_CONTEXT, cuMemcpyPeer(memory, new CUcontext(), memory, current, 4));
    }

    @Test
    void shouldFreeWhatAContextOwns()
    {
        final ByteBuffer buffer = ByteBuffer.allocateDirect(4096);
        final CUcontext other = new CUcontext();
        final int allocations = count(LIVE_ALLOCATIONS);
        final int registrations = count(LIVE_REGISTRATIONS);
        check(cuCtxCreate(other, 0, device(0)));
        allocate(100);
        check(cuMemAllocHost(new Pointer(), 100));
        check(cuMemHostRegister(Pointer.to(buffer), 4096, 0));
        assertEquals(allocations + 2, count(LIVE_ALLOCATIONS));
        assertEquals(registrations + 1, count(LIVE_REGISTRATIONS));
        check(cuCtxDestroy(other));
        assertEquals(allocations, count(LIVE_ALLOCATIONS));
        assertEquals(registrations, count(LIVE_REGISTRATIONS));
    }

    @Test
    void shouldAlignAllocations()
    {
        final long[] addresses = new long[10];
        Arrays.setAll(addresses, (i) -> address(allocate(i + 1)));
        for (final long address : addresses)
        {
            assertTrue(0 == address % 256, Long.toHexString(address));
        }

        assertEquals(10, Arrays.stream(addresses).distinct().count());
    }

    private static long attribute(final int attribute, final CUdeviceptr pointer)
    {
        final ByteBuffer value = ByteBuffer.allocateDirect(Long.BYTES).order(ByteOrder.nativeOrder());
        check(cuPointerGetAttribute(Pointer.to(value), attribute, pointer));
        return value.getLong(0);
    }
}
