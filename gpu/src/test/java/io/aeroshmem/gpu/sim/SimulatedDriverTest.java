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
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

import jcuda.Pointer;
import jcuda.driver.CUarray;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdevice_attribute;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUfunction;
import jcuda.driver.CUstream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SimulatedDriverTest extends SimulatedContext
{
    @Test
    void shouldDescribeTheDevice()
    {
        final int[] value = new int[1];
        check(cuDeviceGetCount(value));
        assertEquals(1, value[0]);
        expect(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(new CUdevice(), 1));
        expect(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(new CUdevice(), -1));
        check(cuDeviceGetAttribute(
            value, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED, device(0)));
        assertEquals(0, value[0]);
        set(SET_HOST_NATIVE_ATOMICS, 1);
        check(cuDeviceGetAttribute(
            value, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED, device(0)));
        assertEquals(1, value[0]);
        set(SET_HOST_NATIVE_ATOMICS, 0);
        final long[] bytes = new long[1];
        check(cuDeviceTotalMem(bytes, device(0)));
        assertEquals(4L << 30, bytes[0]);
    }

    @Test
    void shouldNameErrors()
    {
        final String[] text = new String[1];
        check(cuGetErrorName(CUDA_ERROR_OUT_OF_MEMORY, text));
        assertEquals("CUDA_ERROR_OUT_OF_MEMORY", text[0]);
        check(cuGetErrorString(CUDA_ERROR_INVALID_VALUE, text));
        assertEquals("invalid argument", text[0]);
        expect(CUDA_ERROR_INVALID_VALUE, cuGetErrorName(12345, text));
    }

    @Test
    void shouldKeepAStackOfContexts()
    {
        final CUcontext second = new CUcontext();
        final CUcontext current = new CUcontext();
        check(cuCtxCreate(second, 0, device(0)));
        check(cuCtxPushCurrent(context));
        check(cuCtxGetCurrent(current));
        assertEquals(context, current);
        check(cuCtxPopCurrent(current));
        assertEquals(context, current);
        check(cuCtxGetCurrent(current));
        assertEquals(second, current);
        check(cuCtxDestroy(second));
        check(cuCtxGetCurrent(current));
        assertEquals(context, current);
        expect(CUDA_ERROR_INVALID_CONTEXT, cuCtxPushCurrent(second));
        check(cuCtxPopCurrent(current));
        expect(CUDA_ERROR_INVALID_CONTEXT, cuCtxPopCurrent(current));
        expect(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc(new CUdeviceptr(), 4));
        check(cuCtxPushCurrent(context));
    }

    @Test
    void shouldCountTheUsersOfThePrimaryContext()
    {
        try (ChildJvm child = ChildJvm.start(DriverScenario.class, Map.of(), "primary"))
        {
            child.await("passed");
        }
    }

    @Test
    @Tag("ci")
    void shouldLoseTheDeviceAfterLaunches()
    {
        final CUfunction add = function(loadTestKernels(), "sim_test_add");
        final CUdeviceptr memory = allocateInts(0);
        final CUstream stream = createStream();
        check(cuStreamWaitValue32(stream, memory, 100, 0));
        set(SET_LAUNCHES_UNTIL_LOST, 2);
        final Pointer[] values = {Pointer.to(memory), Pointer.to(new int[]{1})};
        check(launch(add, 1, 1, null, values));
        check(cuStreamSynchronize(null));
        check(launch(add, 1, 1, null, values));
        expect(CUDA_ERROR_DEVICE_UNAVAILABLE, launch(add, 1, 1, null, values));
        expect(CUDA_ERROR_DEVICE_UNAVAILABLE, cuStreamSynchronize(stream));
        expect(CUDA_ERROR_DEVICE_UNAVAILABLE, cuMemAlloc(new CUdeviceptr(), 4));
        expect(CUDA_ERROR_DEVICE_UNAVAILABLE, cuCtxGetCurrent(new CUcontext()));
    }

    @Test
    void shouldEndAWaitWhenTheDeviceIsLost() throws InterruptedException
    {
        final CUdeviceptr memory = allocateInts(0);
        final CUstream stream = createStream();
        check(cuStreamWaitValue32(stream, memory, 1, 0));
        final int[] result = new int[1];
        final CountDownLatch isReady = new CountDownLatch(1);
        final Thread waiter = new Thread(
            () ->
            {
                check(cuCtxSetCurrent(context));
                isReady.countDown();
                result[0] = cuStreamSynchronize(stream);
            });
        waiter.start();
        isReady.await();
        Thread.sleep(10);
        assertTrue(waiter.isAlive());
        set(SET_LAUNCHES_UNTIL_LOST, 0);
        waiter.join(DEADLINE_NS / 1_000_000);
        assertFalse(waiter.isAlive());
        expect(CUDA_ERROR_DEVICE_UNAVAILABLE, result[0]);
    }

    @Test
    void shouldFailACallOfChoice()
    {
        set(SET_FAIL_CODE, CUDA_ERROR_ECC_UNCORRECTABLE);
        set(SET_CALLS_UNTIL_FAILURE, 3);
        check(cuCtxSynchronize());
        check(cuCtxSynchronize());
        expect(CUDA_ERROR_ECC_UNCORRECTABLE, cuCtxSynchronize());
        check(cuCtxSynchronize());
    }

    @Test
    void shouldNotSupportWhatIsNotSimulated()
    {
        expect(CUDA_ERROR_NOT_SUPPORTED, cuMemcpyAtoD(new CUdeviceptr(), new CUarray(), 0, 1));
    }

    @Test
    void shouldResolveAllSymbolsOfTheBinding()
    {
        /* The dynamic linker then resolves functions when it loads the library, rather than at the first call. */
        try (ChildJvm child = ChildJvm.start(DriverScenario.class, Map.of("LD_BIND_NOW", "1"), "init"))
        {
            assertEquals("CUDA_ERROR_NOT_INITIALIZED", child.await("before"));
            assertEquals("CUDA_SUCCESS", child.await("init"));
            assertEquals(0, child.exitCode());
        }
    }

    @Test
    void shouldHaveNoDevice()
    {
        final Map<String, String> environment =
            Map.of("AEROSHMEM_CUDA_SIM_DEVICES", "0", "AEROSHMEM_CUDA_SIM_DRIVER_VERSION", "11080");
        try (ChildJvm child = ChildJvm.start(DriverScenario.class, environment, "init"))
        {
            assertEquals("CUDA_ERROR_NO_DEVICE", child.await("init"));
            assertEquals("11080", child.await("version"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"load", "store"})
    void shouldEndAProcessWhoseHostAccessesDeviceMemory(final String access)
    {
        try (ChildJvm child = ChildJvm.start(DriverScenario.class, Map.of(), "host-access", access))
        {
            final long address = Long.parseLong(child.await("address"));
            final String rest = child.rest();
            assertTrue(rest.contains("SIGSEGV"), rest);
            assertFalse(rest.contains("survived"), Long.toHexString(address));
            assertNotEquals(0, child.exitCode());
        }
    }

    @Test
    void shouldApplyTheRulesOfPeerAccess()
    {
        try (ChildJvm child =
            ChildJvm.start(DriverScenario.class, Map.of("AEROSHMEM_CUDA_SIM_DEVICES", "2"), "peers"))
        {
            assertArrayEquals(
                new String[]{"1", "0", "1", "CUDA_ERROR_INVALID_DEVICE", "11"}, await(child,
                    "access", "self", "atomics", "unknown", "copied"));
            assertArrayEquals(
                new String[]{
                    "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", "CUDA_SUCCESS", "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED",
                    "CUDA_SUCCESS", "16", "CUDA_ERROR_ILLEGAL_ADDRESS"},
                await(child, "disable", "enable", "again", "kernel", "added", "denied"));
        }
    }

    /** Device 0 reaches 1 by loads and stores only, 1 reaches 0 by atomic operations too, and none reaches 2. */
    @ParameterizedTest
    @CsvSource({
        "'', '0 1 0 1 0|1 2 2 0 0|2 3 0 0 0'",
        "'1,0', '1 2 0 2|0 1 1 0'",
        "'2', '2 3 0'",
        "'GPU-4165726f-5348-4d45-4d2d-73696d2d3031,0,7,2', '1 2 0 2|0 1 1 0'"})
    void shouldShowTheDevicesThatAreVisible(final String visible, final String expected)
    {
        final Map<String, String> environment = new HashMap<>(Map.of(
            "AEROSHMEM_CUDA_SIM_DEVICES", "3",
            "AEROSHMEM_CUDA_SIM_PEER_ACCESS", "0-1,1-0",
            "AEROSHMEM_CUDA_SIM_PEER_ATOMICS", "1-0"));
        if (!visible.isEmpty())
        {
            environment.put("CUDA_VISIBLE_DEVICES", visible);
        }

        try (ChildJvm child = ChildJvm.start(DriverScenario.class, environment, "devices"))
        {
            for (final String device : expected.split("\\|"))
            {
                assertEquals(device, child.await("device"));
            }

            assertEquals("end", child.rest());
        }
    }

    private static String[] await(final ChildJvm child, final String... words)
    {
        final String[] lines = new String[words.length];
        for (int i = 0; i < words.length; i++)
        {
            lines[i] = child.await(words[i]);
        }

        return lines;
    }
}
