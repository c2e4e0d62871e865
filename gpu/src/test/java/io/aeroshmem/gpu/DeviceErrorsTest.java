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

import io.aeroshmem.GlobalExitException;
import io.aeroshmem.Info;
import io.aeroshmem.InitStatus;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.gpu.DeviceApi.Way;
import io.aeroshmem.gpu.sim.ChildJvm;
import io.aeroshmem.gpu.sim.SimulatedDriver;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What kernels learn about the job, their invalid calls, and the end of their waits when the job fails. */
@Tag("kernels")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DeviceErrorsTest
{
    private static final String KERNELS = "device_api_kernels";
    private static final String COLLECTIVE_KERNELS = "device_api_collective_kernels";
    private static final long LONG = 4;
    private static final long MEM = DeviceApi.MEM;

    @BeforeAll
    static void requireDevice()
    {
        TestDevice.assumeAvailable();
    }

    @Test
    void shouldAnswerQueries() throws Exception
    {
        DeviceApi.run(4, Way.ADDRESS, KERNELS, (api) ->
        {
            final Team odd = api.shmem.world().splitStrided(1, 2, 2);
            final boolean isMember = Team.INVALID != odd;
            final int handle = isMember ? api.gpu.handle(odd) : -1;
            final SymmetricBuffer results = api.calloc(true, 64);
            final SymmetricBuffer texts = api.calloc(true, 512);
            api.launch("device_api_queries", 1, api.address(results), api.address(texts), api.address(texts) + 64,
                handle, 0, 1, api.address(results));
            api.synchronize();
            final ByteBuffer values = ByteBuffer.wrap(api.read(results, 0, 64)).order(ByteOrder.nativeOrder());
            assertEquals(api.me, values.getLong());
            assertEquals(4, values.getLong());
            assertEquals(isMember ? api.me / 2 : -1, values.getLong());
            assertEquals(isMember ? 2 : -1, values.getLong());
            assertEquals(isMember ? 3 : -1, values.getLong());
            assertEquals(api.gpu.address(results, 1), values.getLong());
            final ByteBuffer text = ByteBuffer.wrap(api.read(texts, 0, 512)).order(ByteOrder.nativeOrder());
            assertEquals(Info.specVersion().major(), text.getInt(0));
            assertEquals(Info.specVersion().minor(), text.getInt(4));
            assertEquals(Info.vendorVersion().major(), text.getInt(8));
            assertEquals(Info.vendorVersion().minor(), text.getInt(12));
            assertEquals(Info.vendorVersion().patch(), text.getInt(16));
            assertEquals("AeroSHMEM\0", new String(text.array(), 64, 10, StandardCharsets.US_ASCII));
            api.shmem.barrierAll();
            if (isMember)
            {
                odd.close();
            }
        });
    }

    private static void assertError(final DeviceApi api, final String routine, final String text)
    {
        api.synchronize();
        final GpuException error = api.gpu.lastDeviceError();
        assertTrue(
            null != error && error.getMessage().contains("called " + routine) && error.getMessage().contains(text),
            () -> routine + ", " + text + " expected: " + error);
    }

    @Test
    void shouldRejectInvalidArguments() throws Exception
    {
        final int faults = TestDevice.count(SimulatedDriver.KERNEL_FAULTS);
        DeviceApi.run(1, Way.ADDRESS, KERNELS, (api) ->
        {
            api.gpu.initModule(api.module);
            final SymmetricBuffer memory = api.calloc(true, 256);
            final long own = api.address(memory);
            final long foreign = api.allocate(256);
            final String pe = "pe must be one";
            final String address = "address must be of a symmetric buffer";
            final String argument = "out of range or misaligned";

            api.launch("device_api_rma", 1, 0L, MEM, 1, own, own + 128, 8L, 0L, 0L, 0);
            assertError(api, "put", pe);
            api.launch("device_api_rma_warp", 32, 2L, MEM, -1, own, own + 128, 8L, 0L, 0L, 0);
            assertError(api, "get", pe);
            api.launch("device_api_rma_block", 40, 0L, MEM, 0, 0L, own, 8L, 0L, 0L, 0);
            assertError(api, "put", address);
            api.launch("device_api_rma", 1, 0L, MEM, 0, foreign, own, 8L, 0L, 0L, 0);
            assertError(api, "put", address);
            api.launch("device_api_rma", 1, 0L, MEM, 0, own, own, 1L << 40, 0L, 0L, 0);
            assertError(api, "put", address);
            api.launch("device_api_rma", 1, 0L, LONG, 0, own, own, Long.MAX_VALUE, 0L, 0L, 0);
            assertError(api, "put", address);
            api.launch("device_api_rma", 1, 0L, MEM, 0, own, 0L, 8L, 0L, 0L, 0);
            assertError(api, "put", address);
            api.launch("device_api_rma", 1, 2L, MEM, 0, 0L, own, 8L, 0L, 0L, 0);
            assertError(api, "get", address);
            api.launch("device_api_rma", 1, 8L, LONG, 7, own, own, 1L, 0L, 0L, 0);
            assertError(api, "p:", pe);
            api.launch("device_api_rma", 1, 9L, LONG, 0, own, own + 4, 1L, 0L, 0L, 0);
            assertError(api, "g:", argument);
            api.launch("device_api_rma", 1, 6L, LONG, 0, own, own, 2L, 0L, 1L, 0);
            assertError(api, "iput", argument);
            api.launch("device_api_rma", 1, 7L, LONG, 0, own, foreign, 2L, 1L, 1L, 0);
            assertError(api, "iget", address);
            api.launch("device_api_rma", 1, 4L, MEM, 0, own, own + 64, 8L, own + 128, 1L, 9);
            assertError(api, "put_signal", argument);
            api.launch("device_api_rma", 1, 4L, MEM, 0, own, own + 64, 8L, foreign, 1L, 0);
            assertError(api, "put_signal", address);
            api.launch("device_api_amo", 1, 1L, LONG, 0, own + 2, 5L, 0L, own + 128);
            assertError(api, "an atomic operation", argument);
            api.launch("device_api_amo", 1, 6L, LONG, 3, own, 5L, 0L, own + 128);
            assertError(api, "an atomic operation", pe);
            api.launch("device_api_wait", 1, 0L, LONG, foreign, 1L, 0L, 0, own + 64, 0L, own + 128);
            assertError(api, "wait_until", address);
            api.launch("device_api_wait", 1, 7L, LONG, own, 1L, 0L, 6, own + 64, 0L, own + 128);
            assertError(api, "test", argument);

            assertArrayEquals(new byte[128], api.read(memory, 0, 128), "nothing was written");
            assertEquals(faults, TestDevice.count(SimulatedDriver.KERNEL_FAULTS));
            api.free(foreign);
            api.gpu.finalizeModule(api.module);
        }, true);
    }

    @Test
    void shouldRejectInvalidCollectives() throws Exception
    {
        DeviceApi.run(1, Way.ADDRESS, COLLECTIVE_KERNELS, (api) ->
        {
            api.gpu.initModule(api.module);
            final SymmetricBuffer memory = api.calloc(true, 256);
            final long own = api.address(memory);
            final long result = own + 248;
            for (final int team : new int[]{-1, 31, 77, Integer.MIN_VALUE})
            {
                api.launch("device_api_collective_block", 40, 0L, MEM, team, own, own + 64, 8L, 0, result);
                assertError(api, "broadcast", "team must be a handle");
                assertEquals(1, api.readLong(memory, 248));
                api.launch("device_api_collective", 1, 4L, 0L, team, 0L, 0L, 0L, 0, result);
                assertError(api, "barrier", "team must be a handle");
                api.launch("device_api_reduce_warp", 32, 5L, 3L, team, own, own + 64, 2L, result);
                assertError(api, "reduce", "team must be a handle");
            }

            api.launch("device_api_collective", 1, 0L, MEM, 0, own, own + 64, 8L, 1, result);
            assertError(api, "broadcast", "pe must be one");
            api.launch("device_api_collective_warp", 32, 2L, MEM, 0, 0L, own + 64, 8L, 0, result);
            assertError(api, "fcollect", "address must be");
            api.launch("device_api_collective", 1, 3L, MEM, 0, own, own + 4, 8L, 0, result);
            assertError(api, "alltoall", "out of range");
            api.launch("device_api_collective", 1, 1L, MEM, 0, own, 0L, 8L, 0, result);
            assertError(api, "collect", "address must be");
            api.launch("device_api_reduce", 1, 5L, 3L, 0, own + 4, own, 2L, result);
            assertError(api, "reduce", "out of range");
            api.launch("device_api_reduce", 1, 16L + 5, 3L, 0, own, 8L, 2L, result);
            assertError(api, "reducescatter", "address must be");
            assertEquals(1, api.readLong(memory, 248));
            // a call that is valid is not disturbed by those before it
            api.shmem.defaultContext().putInt(memory, 64, 42, 0);
            api.shmem.defaultContext().quiet();
            api.launch("device_api_reduce", 1, 5L, 3L, 0, own, own + 64, 1L, result);
            api.synchronize();
            assertEquals(42, api.shmem.defaultContext().getInt(memory, 0, 0));
            assertEquals(0, api.readLong(memory, 248));
            api.gpu.finalizeModule(api.module);
        }, true);
    }

    @Test
    void shouldReportRoutinesOfAModuleThatIsNotInitialised() throws Exception
    {
        DeviceApi.run(1, Way.ADDRESS, KERNELS, (api) ->
        {
            final SymmetricBuffer memory = api.calloc(true, 256);
            final long own = api.address(memory);
            api.launch("device_api_rma_block", 40, 0L, MEM, 0, own, own + 64, 8L, 0L, 0L, 0);
            api.launch("device_api_amo", 1, 6L, LONG, 0, own, 5L, 0L, own + 128);
            api.synchronize();
            assertArrayEquals(new byte[256], api.read(memory, 0, 256));
            api.gpu.initModule(api.module);
            final GpuException error = api.gpu.lastDeviceError();
            assertTrue(null != error && error.getMessage().contains("not initialised"), () -> "error: " + error);
            api.launch("device_api_amo", 1, 6L, LONG, 0, own, 5L, 0L, own + 128);
            api.synchronize();
            assertEquals(5, api.readLong(memory, 0));
            api.gpu.finalizeModule(api.module);
        }, true);
    }

    /** The job fails while kernels of PE 1 wait: for a word, in a barrier, and for its own requests. */
    @Test
    void shouldEndWaitsOfKernelsWhenTheJobFails()
    {
        for (final String routine : new String[]{"wait_until", "barrier"})
        {
            final CountDownLatch isLaunched = new CountDownLatch(1);
            final AtomicReference<GpuException> seen = new AtomicReference<>();
            final boolean isBarrier = "barrier".equals(routine);
            final Throwable failure = assertThrows(Throwable.class, () -> DeviceApi.run(
                2, Way.ADDRESS, isBarrier ? COLLECTIVE_KERNELS : KERNELS, (api) ->
                {
                    api.gpu.initModule(api.module);
                    final SymmetricBuffer memory = api.calloc(true, 256);
                    final long own = api.address(memory);
                    api.shmem.barrierAll();
                    if (0 == api.me)
                    {
                        isLaunched.await();
                        throw new IllegalStateException("PE 0 fails");
                    }

                    if (isBarrier)
                    {
                        api.launch("device_api_collective_block", 40, 4L, 0L, 0, 0L, 0L, 0L, 0, own + 128);
                    }
                    else
                    {
                        api.launch("device_api_wait", 1, 0L, LONG, own, 1L, 0L, 1, own + 64, 0L, own + 128);
                    }

                    isLaunched.countDown();
                    api.synchronize();
                    seen.set(api.gpu.lastDeviceError());
                }, true));
            assertTrue(String.valueOf(failure).contains("PE 0 fails"), () -> "failure: " + failure);
            assertTrue(
                null != seen.get() && seen.get().getMessage().contains("called " + routine) &&
                seen.get().getMessage().contains("the job has failed"), () -> "error: " + seen.get());
        }
    }

    @Test
    void shouldReturnTheErrorOfAWaitAfterTheClose()
    {
        final CountDownLatch isLaunched = new CountDownLatch(1);
        final AtomicReference<GpuException> seen = new AtomicReference<>();
        assertThrows(Throwable.class, () -> DeviceApi.run(2, Way.ADDRESS, KERNELS, (api) ->
        {
            api.gpu.initModule(api.module);
            final SymmetricBuffer memory = api.calloc(true, 256);
            final long own = api.address(memory);
            final GpuStream stream = api.gpu.newStream();
            api.shmem.barrierAll();
            if (0 == api.me)
            {
                isLaunched.await();
                throw new IllegalStateException("PE 0 fails");
            }

            api.launch("device_api_wait", 1, 0L, LONG, own, 1L, 0L, 1, own + 64, 0L, own + 128);
            isLaunched.countDown();
            api.synchronize();
            api.gpu.close();
            seen.set(api.gpu.lastDeviceError());
            assertThrows(IllegalStateException.class, stream::synchronize);
            api.shmem.barrierAll();
        }, true));
        assertTrue(
            null != seen.get() && seen.get().getMessage().contains("the job has failed"), () -> "error: " + seen.get());
    }

    /** CUDA does not recover in this process from the fault of a kernel. */
    static final class Fault
    {
        private Fault()
        {
        }

        public static void main(final String[] args) throws Exception
        {
            final AtomicInteger reported = new AtomicInteger();
            final Shmem.Context config = new Shmem.Context().errorHandler((ex) -> reported.incrementAndGet());
            Shmem.runLocal(1, config, (shmem) ->
            {
                final Gpu gpu = Gpu.init(shmem, new Gpu.Context().device(0).heapSize(1 << 20));
                final long own = gpu.address(gpu.calloc(256, 1), 0);
                final TestModule module = new TestModule(gpu, KERNELS);
                final GpuStream stream = gpu.newStream();
                // the kernel calls ptr for PE 7, and then stores the results at an invalid address
                module.launch("device_api_queries", 1, stream, 8, own, own + 64, 0, 0, 7, own);
                assertThrows(GpuException.class, stream::synchronize);
                System.out.println("error " + gpu.lastDeviceError().getMessage());
                gpu.close();
                assertThrows(GpuException.class, () ->
                    Gpu.init(shmem, new Gpu.Context().device(0).heapSize(1 << 20)).malloc(8));
                System.out.println("status " + shmem.initStatus());
            });
            System.out.println("reported " + reported.get());
        }
    }

    @Test
    void shouldKeepTheErrorThatExplainsAFault()
    {
        try (ChildJvm child = ChildJvm.start(Fault.class, Map.of()))
        {
            final String error = child.await("error");
            assertTrue(error.contains("called ptr: pe must be one"), error);
            assertEquals(InitStatus.BOOTSTRAPPED.name(), child.await("status"));
            assertTrue(Integer.parseInt(child.await("reported")) > 0);
            assertEquals(0, child.exitCode());
        }
    }

    @Test
    void shouldEndTheJobByAGlobalExit()
    {
        final GlobalExitException exit = assertThrows(GlobalExitException.class, () -> DeviceApi.run(
            2, Way.ADDRESS, KERNELS, (api) ->
            {
                api.gpu.initModule(api.module);
                api.shmem.barrierAll();
                if (1 == api.me)
                {
                    api.launch("device_api_global_exit", 1, 9);
                    api.synchronize();
                }

                // the request ends the job a while after it has been taken
                while (true)
                {
                    api.shmem.barrierAll();
                }
            }, true));
        assertEquals(9, exit.status());
    }
}
