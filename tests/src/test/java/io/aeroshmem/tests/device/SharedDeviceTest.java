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

import io.aeroshmem.InitStatus;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.JobForm;
import io.aeroshmem.tests.fixture.SimulatedDevice;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Processes that share a device: what the device says of MPS, and the share that the environment names, decide whether
 * kernels of all PEs run at the same time.
 */
@Tag("ci")
class SharedDeviceTest
{
    @TempDir
    private Path directory;

    @BeforeAll
    static void requireSimulation()
    {
        SimulatedDevice.assumeAvailable();
    }

    @ParameterizedTest(name = "MPS {0} with {1} %: {2}")
    @CsvSource({"on, 50, FULL_MPG", "on, 50.5, LIMITED_MPG", "on, '', LIMITED_MPG", "off, 50, LIMITED_MPG"})
    void shouldAskTheDeviceForMps(final String mps, final String share, final InitStatus expected) throws Exception
    {
        // what a server of MPS for other devices leaves, or one that has ended
        Files.createFile(directory.resolve("control"));
        Job.of(2).transport(TransportKind.MAPPED).form(JobForm.PROCESSES).heapSize(4 << 20)
            .property("aeroshmem.gpu.device", "0")
            .property("aeroshmem.gpu.heap.size", "1m")
            .property(SharedDevice.STATUS, expected.name())
            .environment("AEROSHMEM_CUDA_SIM_MPS", mps)
            .environment("CUDA_MPS_PIPE_DIRECTORY", directory.toString())
            .environment("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", share)
            .run(new SharedDevice());
    }
}
