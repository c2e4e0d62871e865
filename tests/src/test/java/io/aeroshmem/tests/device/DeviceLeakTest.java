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
package io.aeroshmem.tests.device;

import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.JobForm;
import io.aeroshmem.tests.fixture.SimulatedDevice;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Allocations in device heaps, and set-ups of devices, leave no device memory, mapping, registration, thread or file.
 */
class DeviceLeakTest
{
    @BeforeAll
    static void requireSimulation()
    {
        SimulatedDevice.assumeAvailable();
    }

    @ParameterizedTest(name = "{0}, {1}, CUDA IPC {2}")
    @CsvSource({"MAPPED, THREADS, true", "MAPPED, PROCESSES, true"})
    @Tag("ci")
    void shouldLeaveNothing(final TransportKind transport, final JobForm form, final boolean isShared)
    {
        run(transport, form, isShared, 300, 5);
    }

    @ParameterizedTest(name = "{0}, {1}, CUDA IPC {2}")
    @CsvSource({"MAPPED, PROCESSES, false", "UDP, PROCESSES, true"})
    @Tag("nightly")
    void shouldLeaveNothingOfMoreJobs(final TransportKind transport, final JobForm form, final boolean isShared)
    {
        run(transport, form, isShared, 300, 5);
    }

    @ParameterizedTest(name = "{0}, {1}, CUDA IPC {2}")
    @CsvSource({
        "MAPPED, THREADS, true", "MAPPED, PROCESSES, true", "MAPPED, PROCESSES, false", "UDP, PROCESSES, true",
        "UDP, THREADS, true", "IPC, PROCESSES, true"})
    @Tag("exhaustive")
    @Timeout(1_200)
    void shouldLeaveNothingHoweverOften(final TransportKind transport, final JobForm form, final boolean isShared)
    {
        run(transport, form, isShared, 10_000, 100);
    }

    private static void run(
        final TransportKind transport,
        final JobForm form,
        final boolean isShared,
        final int allocations,
        final int setUps)
    {
        Job.of(2).transport(transport).form(form).heapSize(4 << 20)
            .property("aeroshmem.gpu.device", "0")
            .property("aeroshmem.gpu.ipc", Boolean.toString(isShared))
            .property(DeviceLeaks.ALLOCATIONS, Integer.toString(allocations))
            .property(DeviceLeaks.SET_UPS, Integer.toString(setUps))
            .run(new DeviceLeaks());
    }
}
