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
import io.aeroshmem.Comparison;
import io.aeroshmem.SignalOp;
import jcuda.CudaException;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.JCudaDriver;
import org.agrona.BufferUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The calls of the binding that the kernels' tests do not make, its errors, its conversions, and what it allocates.
 */
@Tag("jdk")
@Timeout(60)
@ExtendWith(OnTestThread.class)
class JCudaBindingTest
{
    private static final int PAGE = 4096;

    private TestDevice device;
    private CudaDriver driver;
    private int hasMemoryOperations;

    @BeforeEach
    void openDevice()
    {
        device = new TestDevice();
        driver = device.driver;
        hasMemoryOperations = driver.deviceGetAttributeOr(
            CudaConstants.CAN_USE_64_BIT_STREAM_MEM_OPS, device.device, 0);
    }

    @AfterEach
    void closeDevice()
    {
        if (null != device)
        {
            device.close();
        }
    }

    @Test
    void shouldNameCallErrorAndRemedy()
    {
        final GpuException exception = assertThrows(GpuException.class, () -> driver.memAlloc(1L << 60));
        assertEquals(CudaResult.OUT_OF_MEMORY, exception.cuResult());
        final String message = exception.getMessage();
        assertTrue(message.startsWith("cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (2): "), message);
        assertTrue(message.contains("aeroshmem.gpu.heap.size"), message);

        final GpuException noDevice = assertThrows(GpuException.class, () -> driver.deviceGet(1_000));
        assertEquals(CudaResult.INVALID_DEVICE, noDevice.cuResult());
        assertTrue(noDevice.getMessage().startsWith("cuDeviceGet failed: CUDA_ERROR_INVALID_DEVICE (101)"));
    }

    @Test
    void shouldLeaveSettingsOfJCudaAlone()
    {
        JCudaDriver.setExceptionsEnabled(true);
        try
        {
            final long word = device.allocateLongs(0L);
            final GpuException exception = assertThrows(GpuException.class, () -> driver.memAlloc(1L << 60));
            assertEquals(CudaResult.OUT_OF_MEMORY, exception.cuResult());
            device.kernels.waitUntil(Long.BYTES, word, Comparison.EQ, 1, device.abort, device.stream);
            assertFalse(driver.streamQuery(device.stream), "not ready is not an error");
            device.kernels.signal(SignalOp.SET, word, 1, device.newStream());
            device.awaitStream(device.stream);
            assertThrows(CudaException.class, () -> JCudaDriver.cuMemFree(new CUdeviceptr()
                .withByteOffset(16)), "the setting has not changed");
        }
        finally
        {
            JCudaDriver.setExceptionsEnabled(false);
        }
    }

    @Test
    void shouldConvertHandles()
    {
        assertNull(JCudaHandles.pointerOf(0));
        assertEquals(0, JCudaHandles.addressOf(null));
        assertEquals(0, JCudaHandles.handleOf(null));
        final CUdeviceptr pointer = JCudaHandles.pointerOf(0x7fff_1234_5678L);
        assertEquals(0x7fff_1234_5678L, JCudaHandles.addressOf(pointer));
        assertEquals(0x7fff_1234_567aL, JCudaHandles.addressOf(pointer.withByteOffset(2)));
        assertEquals(-3, JCudaHandles.handleOf(JCudaHandles.contextOf(-3)));
        assertEquals(5, JCudaHandles.handleOf(JCudaHandles.deviceOf(5)));
    }

    @Test
    void shouldDescribeTheDevice()
    {
        assertTrue(driver.driverGetVersion() >= 12_000);
        assertTrue(driver.deviceGetCount() >= 1);
        assertFalse(driver.deviceGetName(device.device).isBlank());
        assertEquals(16, driver.deviceGetUuid(device.device).length);
        assertTrue(driver.deviceTotalMem(device.device) > 0);
        assertTrue(driver.deviceGetAttribute(CudaConstants.COMPUTE_CAPABILITY_MAJOR, device.device) >= 7);
        assertEquals(-7, driver.deviceGetAttributeOr(100_000, device.device, -7));
        assertThrows(GpuException.class, () -> driver.deviceGetAttribute(100_000, device.device));
    }

    @Test
    void shouldPushAndPopContexts()
    {
        assertEquals(device.context(), driver.ctxGetCurrent());
        assertEquals(device.device, driver.ctxGetDevice());
        driver.ctxPushCurrent(device.context());
        assertEquals(device.context(), driver.ctxPopCurrent());
        assertEquals(device.context(), driver.ctxPopCurrent());
        assertEquals(0, driver.ctxGetCurrent());
        driver.ctxPushCurrent(device.context());
    }

    @Test
    void shouldDescribeMemory()
    {
        final long address = device.allocate(3 * PAGE);
        assertEquals(
            CudaConstants.MEMORY_TYPE_DEVICE,
            driver.pointerGetAttribute(CudaConstants.POINTER_MEMORY_TYPE, address));
        assertEquals(
            device.context(), driver.pointerGetAttribute(CudaConstants.POINTER_CONTEXT, address));
        assertThrows(GpuException.class, () -> driver.memFree(address + 16));
    }

    @Test
    void shouldReachRegisteredHostMemory()
    {
        final ByteBuffer memory = BufferUtil.allocateDirectAligned(PAGE, PAGE);
        final long address = BufferUtil.address(memory);
        driver.memHostRegister(
            address, PAGE, CudaConstants.HOST_REGISTER_PORTABLE | CudaConstants.HOST_REGISTER_DEVICE_MAP);
        final long mapped = driver.memHostGetDevicePointer(address);
        device.kernels.atomic(DeviceAtomic.SET, Long.BYTES, mapped + 8, 42, 0, 0, device.stream);
        device.synchronize();
        assertEquals(42, memory.order(java.nio.ByteOrder.nativeOrder()).getLong(8));
        final GpuException twice =
            assertThrows(GpuException.class, () -> driver.memHostRegister(address, PAGE, 0));
        assertEquals(CudaResult.HOST_MEMORY_ALREADY_REGISTERED, twice.cuResult());
        driver.memHostUnregister(address);
        assertEquals(
            CudaResult.HOST_MEMORY_NOT_REGISTERED,
            assertThrows(GpuException.class, () -> driver.memHostUnregister(address)).cuResult());
    }

    @Test
    void shouldCopyRows()
    {
        final ByteBuffer contents = TestDevice.buffer(64 * 10);
        for (int i = 0; i < contents.capacity(); i++)
        {
            contents.put(i, (byte)i);
        }

        final long source = device.allocate(contents);
        final long dest = device.allocate(640);
        final ByteBuffer host = TestDevice.buffer(640);
        driver.memcpy2dAsync(dest + 8, 32, source + 4, 64, 24, 10, device.stream);
        device.synchronize();
        driver.memcpy2dAsync(BufferUtil.address(host), 40, dest + 8, 32, 24, 10, device.stream);
        device.synchronize();
        for (int row = 0; row < 10; row++)
        {
            for (int i = 0; i < 24; i++)
            {
                assertEquals((byte)(64 * row + 4 + i), host.get(40 * row + i));
            }
        }
    }

    @Test
    void shouldMakeIpcHandles()
    {
        final byte[] handle = new byte[CudaConstants.IPC_MEM_HANDLE_BYTES];
        final byte[] other = new byte[CudaConstants.IPC_MEM_HANDLE_BYTES];
        // of their own blocks of the driver, of which smaller allocations are parts
        driver.ipcGetMemHandle(handle, device.allocate(4 << 20));
        driver.ipcGetMemHandle(other, device.allocate(4 << 20));
        assertNotEquals(java.util.HexFormat.of().formatHex(handle), java.util.HexFormat.of().formatHex(other));
        assertThrows(
            GpuException.class,
            () -> driver.ipcOpenMemHandle(handle, CudaConstants.IPC_MEM_LAZY_ENABLE_PEER_ACCESS),
            "a process does not open its own handle");
    }

    @Test
    void shouldFindFunctionsAndVariablesOfModules()
    {
        final byte[] ptx = (
            ".version 8.0\n.target sm_75\n.address_size 64\n.visible .global .align 8 .u64 a_variable;\n\0")
            .getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        final long module = driver.moduleLoadData(ptx);
        assertNotEquals(0, driver.moduleGetGlobal(module, "a_variable"));
        assertEquals(0, driver.moduleGetGlobal(module, "another_variable"));
        final GpuException exception =
            assertThrows(GpuException.class, () -> driver.moduleGetFunction(module, "no_function"));
        assertEquals(CudaResult.NOT_FOUND, exception.cuResult());
        driver.moduleUnload(module);
        assertThrows(GpuException.class, () -> driver.moduleLoadData(new byte[]{'x', 0}));
    }

    @Test
    void shouldReportWhatTheCompilerOfPtxHasLogged()
    {
        final byte[] ptx = ".version 99.9\n.target sm_75\n.address_size 64\n\0"
            .getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        final GpuException newer = assertThrows(GpuException.class, () -> driver.moduleLoadData(ptx));
        assertEquals(CudaResult.UNSUPPORTED_PTX_VERSION, newer.cuResult());
        final String message = newer.getMessage();
        assertTrue(message.startsWith("cuModuleLoadDataEx failed: CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222)"), message);
        assertTrue(message.contains("-cubin or -fatbin"), message);
        assertTrue(message.matches(".*; log of the driver's compiler: .*version.*"), message);
    }

    @Test
    void shouldAllocateNothingInSteadyState()
    {
        final ThreadMXBean threads = (ThreadMXBean)ManagementFactory.getThreadMXBean();
        final long thread = Thread.currentThread().getId();
        final long a = device.allocate(PAGE);
        final long b = device.allocate(PAGE);
        final int rounds = 500;
        for (int i = 0; i < rounds; i++)
        {
            performAll(a, b);
        }

        // The JVM links and compiles now and then, and allocates for that; an allocation of a call is in every attempt.
        long allocated = Long.MAX_VALUE;
        for (int attempt = 0; attempt < 10 && allocated >= rounds; attempt++)
        {
            final long before = threads.getThreadAllocatedBytes(thread);
            for (int i = 0; i < rounds; i++)
            {
                performAll(a, b);
            }

            allocated = threads.getThreadAllocatedBytes(thread) - before;
        }

        assertTrue(allocated < rounds, allocated + " bytes in " + rounds + " rounds");
    }

    private void performAll(final long a, final long b)
    {
        driver.ctxPushCurrent(device.context());
        driver.memcpyAsync(a, b, 64, device.stream);
        driver.memcpy(a, b, 64);
        driver.memcpy2dAsync(a, 64, b, 64, 32, 4, device.stream);
        driver.memsetD8Async(a, (byte)0, 64, device.stream);
        driver.memsetD32Async(a, 7, 1, device.stream);
        if (!driver.streamIsCapturing(device.stream) && 0 != hasMemoryOperations)
        {
            // a word that no copy on another stream overwrites
            final long word = b + PAGE / 2;
            driver.streamWriteValue64(device.stream, word, 8);
            driver.streamWaitValue64(device.stream, word, 8, CudaConstants.STREAM_WAIT_VALUE_EQ);
        }

        device.kernels.signal(SignalOp.ADD, a, 1, device.stream);
        device.kernels.stridedCopy(a, 0, 16, b, 0, 8, 1, 4, 8, device.stream);
        driver.streamQuery(device.stream);
        driver.streamSynchronize(device.stream);
        driver.pointerGetAttribute(CudaConstants.POINTER_MEMORY_TYPE, a);
        driver.ctxGetCurrent();
        driver.ctxPopCurrent();
    }
}
