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
package io.aeroshmem.tests.conformance;

import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.JobForm;
import io.aeroshmem.tests.fixture.MemoryChoice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.List;

/**
 * Every routine with buffers in device memory, and with buffers of both kinds, on the simulated driver: device memory
 * is reached by address, by CUDA IPC, through its owner, and by messages.
 */
class DeviceConformanceTest
{
    private static final int[] PES = {1, 2, 4};

    static List<Arguments> allJobs()
    {
        final List<Arguments> jobs = new ArrayList<>();
        for (final JobForm form : JobForm.values())
        {
            for (final TransportKind transport : TransportKind.values())
            {
                for (final MemoryChoice memory : new MemoryChoice[]{MemoryChoice.DEVICE, MemoryChoice.MIXED})
                {
                    for (final int nPes : PES)
                    {
                        jobs.add(Arguments.of(memory, transport, form, nPes, true));
                        jobs.add(Arguments.of(memory, transport, form, nPes, false));
                    }
                }
            }
        }

        return jobs;
    }

    @ParameterizedTest(name = "{0}, {1}, {2}, {3} PEs, CUDA IPC {4}")
    @CsvSource("DEVICE, MAPPED, THREADS, 2, true")
    @Tag("ci")
    void shouldConform(
        final MemoryChoice memory,
        final TransportKind transport,
        final JobForm form,
        final int nPes,
        final boolean isShared)
    {
        run(memory, transport, form, nPes, isShared);
    }

    @ParameterizedTest(name = "{0}, {1}, {2}, {3} PEs, CUDA IPC {4}")
    @CsvSource({
        "MIXED, UDP, THREADS, 2, true",
        "DEVICE, MAPPED, PROCESSES, 2, true",
        "MIXED, MAPPED, PROCESSES, 3, false"})
    @Tag("ci")
    void shouldConformOnEveryPath(
        final MemoryChoice memory,
        final TransportKind transport,
        final JobForm form,
        final int nPes,
        final boolean isShared)
    {
        run(memory, transport, form, nPes, isShared);
    }

    @ParameterizedTest(name = "{0}, {1}, {2}, {3} PEs, CUDA IPC {4}")
    @CsvSource({
        "MIXED, MAPPED, PROCESSES, 4, false", "DEVICE, UDP, PROCESSES, 2, true", "MIXED, AUTO, THREADS, 1, true"})
    @Tag("nightly")
    void shouldConformInMoreJobs(
        final MemoryChoice memory,
        final TransportKind transport,
        final JobForm form,
        final int nPes,
        final boolean isShared)
    {
        run(memory, transport, form, nPes, isShared);
    }

    @ParameterizedTest(name = "{0}, {1}, {2}, {3} PEs, CUDA IPC {4}")
    @MethodSource("allJobs")
    @Tag("exhaustive")
    void shouldConformInEveryJob(
        final MemoryChoice memory,
        final TransportKind transport,
        final JobForm form,
        final int nPes,
        final boolean isShared)
    {
        run(memory, transport, form, nPes, isShared);
    }

    private static void run(
        final MemoryChoice memory,
        final TransportKind transport,
        final JobForm form,
        final int nPes,
        final boolean isShared)
    {
        final boolean isMapped = TransportKind.MAPPED == transport || TransportKind.AUTO == transport;
        final boolean isAddressable = isMapped && (isShared || JobForm.THREADS == form);
        Job.of(nPes)
            .heapSize(8 << 20)
            .transport(transport)
            .form(form)
            .inUsedProcesses()
            .memory(memory)
            .property("aeroshmem.gpu.ipc", Boolean.toString(isShared))
            .property(DeviceRoutines.ADDRESSABLE, Boolean.toString(isAddressable))
            .run(new DeviceRoutines());
    }
}
