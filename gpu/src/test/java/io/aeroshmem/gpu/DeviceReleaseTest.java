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

import io.aeroshmem.gpu.sim.RequiresSimulatedDriver;
import io.aeroshmem.gpu.sim.SimulatedDriver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** What the set-up and the release of a device leave behind when calls of CUDA fail. */
class DeviceReleaseTest
{
    private static final int[] RESOURCES = {
        SimulatedDriver.LIVE_REGISTRATIONS, SimulatedDriver.LIVE_STREAMS, SimulatedDriver.LIVE_MODULES};

    private static int[] live()
    {
        return IntStream.of(RESOURCES).map(SimulatedDriver::count).toArray();
    }

    @Test
    @RequiresSimulatedDriver
    void shouldReleaseEverythingElseWhenReleasesFail()
    {
        // keeps the context, which would release the rest
        try (TestDevice holder = new TestDevice())
        {
            final int[] before = live();
            final FailingDriver failing = new FailingDriver(holder.driver);
            final CudaDevice device = CudaDevice.ofOrdinal(failing.driver(), 0, null);
            failing.fail("memFree");
            failing.fail("moduleUnload");

            final GpuException ex = assertThrows(GpuException.class, device::close);

            assertEquals("memFree", ex.getMessage());
            assertEquals("moduleUnload", ex.getSuppressed()[0].getMessage());
            before[before.length - 1]++;
            assertArrayEquals(before, live());
            assertEquals(holder.context(), holder.driver.ctxGetCurrent());
        }
    }

    @Test
    @RequiresSimulatedDriver
    void shouldUnregisterEachBlockOfPinnedMemory()
    {
        try (TestDevice device = new TestDevice())
        {
            final int before = SimulatedDriver.count(SimulatedDriver.LIVE_REGISTRATIONS);
            final FailingDriver failing = new FailingDriver(device.driver);
            final PinnedMemory pinned = new PinnedMemory(failing.driver());
            final long first = pinned.acquireBlock(1);
            device.driver.memHostUnregister(first);
            pinned.acquireBlock(1);

            assertThrows(GpuException.class, pinned::close);

            assertEquals(before, SimulatedDriver.count(SimulatedDriver.LIVE_REGISTRATIONS));
        }
    }

    @ParameterizedTest
    @RequiresSimulatedDriver
    @ValueSource(ints = {0, 1})
    void shouldLeaveNothingBehindWhenARegistrationFails(final int registrations)
    {
        try (TestDevice holder = new TestDevice())
        {
            final int[] before = live();
            final LinkageError failure = new LinkageError("registration");
            final FailingDriver failing = new FailingDriver(holder.driver);
            failing.fail("memHostRegister", registrations, failure);

            assertSame(
                failure, assertThrows(LinkageError.class, () -> CudaDevice.ofOrdinal(failing.driver(), 0, null)));

            assertArrayEquals(before, live());
            assertEquals(holder.context(), holder.driver.ctxGetCurrent());
        }
    }

    @Test
    void shouldReportAnErrorOfTheSetUpInTheRecord()
    {
        final FailingDriver failing = new FailingDriver(null);
        failing.fail("deviceGet", 0, new LinkageError("no library"));

        final DeviceRecord record = new LocalDevice(failing.driver(), new Gpu.Context().device(0), null).record();

        assertEquals(DeviceRecord.FAILED, record.state());
        assertEquals("java.lang.LinkageError: no library", record.reason());
    }
}
