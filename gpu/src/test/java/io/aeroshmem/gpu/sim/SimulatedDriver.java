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

import static jcuda.driver.JCudaDriver.cuCtxSetLimit;
import static jcuda.driver.JCudaDriver.cuDeviceGetAttribute;
import static jcuda.driver.JCudaDriver.cuDeviceGetName;
import static jcuda.driver.JCudaDriver.cuInit;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import jcuda.driver.CUdevice;
import jcuda.driver.CUresult;

/**
 * The simulated CUDA driver that the build makes from {@code src/test/cuda-sim}, seen from tests: whether it is there,
 * its counts and its settings.
 */
public final class SimulatedDriver
{
    public static final String DEVICE_NAME = "AeroSHMEM simulated device";

    /* Counts: the numbers of settings.h. */
    public static final int HOST_FUNCTION_VIOLATIONS = 0x5AE00000;
    public static final int LAUNCHES = HOST_FUNCTION_VIOLATIONS + 1;
    public static final int HOST_ATOMICS = HOST_FUNCTION_VIOLATIONS + 2;
    public static final int KERNEL_FAULTS = HOST_FUNCTION_VIOLATIONS + 3;
    public static final int LIVE_ALLOCATIONS = HOST_FUNCTION_VIOLATIONS + 4;
    public static final int LIVE_REGISTRATIONS = HOST_FUNCTION_VIOLATIONS + 5;
    public static final int LIVE_STREAMS = HOST_FUNCTION_VIOLATIONS + 6;
    public static final int LIVE_EVENTS = HOST_FUNCTION_VIOLATIONS + 7;
    public static final int LIVE_IMPORTS = HOST_FUNCTION_VIOLATIONS + 8;
    public static final int LIVE_MODULES = HOST_FUNCTION_VIOLATIONS + 9;
    public static final int LIVE_CONTEXTS = HOST_FUNCTION_VIOLATIONS + 10;
    public static final int LIVE_THREADS = HOST_FUNCTION_VIOLATIONS + 11;
    public static final int STREAM_MEMORY_OPERATIONS = HOST_FUNCTION_VIOLATIONS + 12;

    /* Settings. */
    public static final int SET_MEMORY = HOST_FUNCTION_VIOLATIONS + 0x100;
    public static final int SET_IPC = SET_MEMORY + 1;
    public static final int SET_HOST_NATIVE_ATOMICS = SET_MEMORY + 2;
    public static final int SET_OWN_HOST_POINTERS = SET_MEMORY + 3;
    public static final int SET_LAUNCHES_UNTIL_LOST = SET_MEMORY + 4;
    public static final int SET_FAIL_CODE = SET_MEMORY + 5;
    public static final int SET_CALLS_UNTIL_FAILURE = SET_MEMORY + 6;
    public static final int RESET_COUNTS = SET_MEMORY + 7;
    public static final int SET_STREAM_MEMORY_OPERATIONS = SET_MEMORY + 8;
    public static final int SET_REGISTERS = HOST_FUNCTION_VIOLATIONS + 0x200;

    private static final String HOME = System.getenv("AEROSHMEM_CUDA_SIM_HOME");
    private static final String KERNELS = System.getenv("AEROSHMEM_CUDA_SIM_KERNELS");

    private SimulatedDriver()
    {
    }

    /**
     * Returns whether the build has made the driver, which requires g++ and make.
     *
     * @return whether the driver is there.
     */
    public static boolean isAvailable()
    {
        return null != HOME && Files.exists(Path.of(HOME, "libcuda.so.1"));
    }

    /**
     * Returns whether the driver executes the PTX of kernels, rather than their sources.
     *
     * @return whether kernels were made from PTX.
     */
    public static boolean isOfPtx()
    {
        return null != KERNELS && KERNELS.contains("/ptx/");
    }

    /**
     * Skips the calling test unless the driver is there, loads it and verifies that it is the simulated one.
     */
    public static void assumeAvailable()
    {
        assumeTrue(isAvailable(), "the simulated CUDA driver was not built, since g++ or make is missing");
        check(load());
        final byte[] name = new byte[128];
        check(cuDeviceGetName(name, name.length, device(0)));
        assertEquals(DEVICE_NAME, new String(name, StandardCharsets.US_ASCII).trim(), "LD_LIBRARY_PATH");
    }

    /**
     * Loads JCuda and initialises the driver. JCuda extracts its native library into the directory of temporary files
     * without regard to other processes that do so, hence the lock.
     *
     * @return the code of cuInit.
     */
    public static int load()
    {
        final Path lock = Path.of(HOME, "jcuda.lock");
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE))
        {
            channel.lock();
            return cuInit(0);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /**
     * Returns the device of a number.
     *
     * @param ordinal of the device.
     * @return the device.
     */
    public static CUdevice device(final int ordinal)
    {
        final CUdevice device = new CUdevice();
        check(jcuda.driver.JCudaDriver.cuDeviceGet(device, ordinal));
        return device;
    }

    /**
     * Returns a count of the driver's.
     *
     * @param number of the count.
     * @return its value.
     */
    public static int count(final int number)
    {
        final int[] value = new int[1];
        check(cuDeviceGetAttribute(value, number, new CUdevice()));
        return value[0];
    }

    /**
     * Changes a setting of the driver's.
     *
     * @param number of the setting.
     * @param value  of the setting.
     */
    public static void set(final int number, final long value)
    {
        check(cuCtxSetLimit(number, value));
    }

    /**
     * Fails unless a call succeeded.
     *
     * @param result of the call.
     */
    public static void check(final int result)
    {
        expect(CUresult.CUDA_SUCCESS, result);
    }

    /**
     * Fails unless a call returned this code.
     *
     * @param expected code.
     * @param result   of the call.
     */
    public static void expect(final int expected, final int result)
    {
        assertEquals(CUresult.stringFor(expected), CUresult.stringFor(result));
    }

    /**
     * Returns the PTX of the test kernels.
     *
     * @return the PTX, which ends with a zero.
     */
    static byte[] testKernels()
    {
        try (InputStream in = SimulatedDriver.class.getResourceAsStream("simulation_test_kernels.ptx"))
        {
            final byte[] text = in.readAllBytes();
            return ByteBuffer.allocate(text.length + 1).put(text).array();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}
