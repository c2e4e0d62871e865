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
import io.aeroshmem.gpu.DeviceReach;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.JobForm;
import io.aeroshmem.tests.fixture.RoutineSet;
import io.aeroshmem.tests.fixture.SimulatedDevice;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A PE whose device memory others use is killed: by address, through its owner, and by messages.
 */
@Tag("ci")
@Tag("waits")
class DeviceDeathTest
{
    private static final int KILLED = 128 + 9;
    private static final int ROUNDS = 20;

    @BeforeAll
    static void requireDevice()
    {
        SimulatedDevice.assumeAnyDevice();
    }

    @ParameterizedTest(name = "{0}, CUDA IPC {1}")
    @CsvSource({"MAPPED, true", "MAPPED, false", "UDP, true"})
    void shouldEndCallsOfSurvivors(final TransportKind transport, final boolean isShared)
    {
        run(new DeviceDeath(), transport, isShared);
    }

    @ParameterizedTest(name = "{0}, CUDA IPC {1}")
    @CsvSource({"MAPPED, true", "MAPPED, false", "UDP, true"})
    void shouldEndStreamsOfSurvivors(final TransportKind transport, final boolean isShared)
    {
        run(new StreamDeath(), transport, isShared);
    }

    @ParameterizedTest(name = "{0}, CUDA IPC {1}")
    @CsvSource({"MAPPED, true", "MAPPED, false", "UDP, true"})
    void shouldEndKernelsOfSurvivors(final TransportKind transport, final boolean isShared)
    {
        run(new KernelDeath(), transport, isShared);
    }

    @RepeatedTest(ROUNDS)
    @Tag("exhaustive")
    void shouldEndCallsOfSurvivorsHoweverOften()
    {
        for (final RoutineSet set : new RoutineSet[]{new DeviceDeath(), new StreamDeath(), new KernelDeath()})
        {
            run(set, TransportKind.MAPPED, true);
            run(set, TransportKind.MAPPED, false);
            run(set, TransportKind.UDP, true);
            run(set, TransportKind.IPC, true);
        }
    }

    private static DeviceReach.Way way(final TransportKind transport, final boolean isShared)
    {
        return TransportKind.MAPPED != transport ? DeviceReach.Way.MESSAGES :
            isShared ? DeviceReach.Way.ADDRESS : DeviceReach.Way.OWNER;
    }

    private static void run(final RoutineSet set, final TransportKind transport, final boolean isShared)
    {
        Job.of(3).transport(transport).form(JobForm.PROCESSES).inUsedProcesses().heapSize(4 << 20)
            .property("aeroshmem.gpu.device", "0")
            .property("aeroshmem.gpu.heap.size", "4m")
            .property("aeroshmem.gpu.ipc", Boolean.toString(isShared))
            .property(Survivor.WAY, way(transport, isShared).name())
            .exits(2, KILLED)
            .run(set);
    }
}
