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
import io.aeroshmem.tests.conformance.DeviceRoutines;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.JobForm;
import io.aeroshmem.tests.fixture.MemoryChoice;
import io.aeroshmem.tests.fixture.SimulatedDevice;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Jobs of processes that each have a device of their own, on a simulated machine with several. Each process has its
 * device as number 0: the devices have other numbers in each process.
 */
@Tag("ci")
class SeveralDevicesTest
{
    private static final String OWN = "by address (the PE's own memory)";
    private static final String PEER = "by address (CUDA IPC, peer access between devices)";

    @BeforeAll
    static void requireSimulation()
    {
        SimulatedDevice.assumeAvailable();
    }

    @ParameterizedTest(name = "{0} PEs")
    @ValueSource(ints = {2, 3})
    void shouldReachAllDevicesByAddress(final int nPes)
    {
        final Job job = job(nPes, "on", "on");
        for (int pe = 0; pe < nPes; pe++)
        {
            final int me = pe;
            job.property(pe, PeerDevices.REACH, IntStream.range(0, nPes)
                .mapToObj((other) -> other == me ? OWN : PEER).collect(Collectors.joining("; ")));
        }

        job.run(new PeerDevices());
    }

    @Test
    void shouldConform()
    {
        job(2, "on", "on").property(DeviceRoutines.ADDRESSABLE, "true").run(new DeviceRoutines());
    }

    /** Device 1 reaches its neighbours 0 and 2, which do not reach each other, and device 2 does not reach it. */
    @Test
    void shouldReachOthersThroughTheirOwners()
    {
        final String owner = "by its owner (another device without peer access)";
        job(3, "0-1,1-0,1-2", "on")
            .property(0, PeerDevices.REACH, String.join("; ", OWN, PEER, owner))
            .property(1, PeerDevices.REACH, String.join("; ", PEER, OWN, PEER))
            .property(2, PeerDevices.REACH, String.join("; ", owner, owner, OWN))
            .run(new PeerDevices());
    }

    @ParameterizedTest(name = "native atomics {0}, PE 0 sees devices {1}")
    @CsvSource({
        "1-0, '0,1', another device without native atomics between the two",
        "on, 0, 'another device, which is not visible in this process: see CUDA_VISIBLE_DEVICES'"})
    void shouldReachOthersThroughTheirOwnersWhereAtomicsMayNotBeNative(
        final String atomics, final String visible, final String reason)
    {
        job(2, "on", atomics)
            .environment(0, "CUDA_VISIBLE_DEVICES", visible)
            .property(0, PeerDevices.REACH, OWN + "; by its owner (" + reason + ")")
            .property(1, PeerDevices.REACH, PEER + "; " + OWN)
            .run(new PeerDevices());
    }

    private static Job job(final int nPes, final String access, final String atomics)
    {
        final Job job = Job.of(nPes).transport(TransportKind.MAPPED).form(JobForm.PROCESSES)
            .memory(MemoryChoice.DEVICE)
            .heapSize(16 << 20)
            .environment("AEROSHMEM_CUDA_SIM_DEVICES", Integer.toString(nPes))
            .environment("AEROSHMEM_CUDA_SIM_PEER_ACCESS", access)
            .environment("AEROSHMEM_CUDA_SIM_PEER_ATOMICS", atomics);
        for (int pe = 0; pe < nPes; pe++)
        {
            final int first = pe;
            job.environment(pe, "CUDA_VISIBLE_DEVICES", IntStream.range(0, nPes)
                .mapToObj((i) -> String.valueOf((first + i) % nPes)).collect(Collectors.joining(",")));
        }

        return job;
    }
}
