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

import io.aeroshmem.gpu.Gpu;
import io.aeroshmem.gpu.GpuStream;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.RoutineSet;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * The status of PEs that share a device, and barriers there, which the device performs whatever the status is.
 */
public final class SharedDevice extends RoutineSet
{
    /** Property of the job: the status of the GPU. */
    static final String STATUS = "aeroshmem.test.status";

    private static final int ROUNDS = 20;

    SharedDevice()
    {
        add("shared device", SharedDevice::shouldHaveTheStatusOfTheJob);
    }

    private static void shouldHaveTheStatusOfTheJob(final Pe pe)
    {
        try (Gpu gpu = Gpu.init(pe.shmem()))
        {
            pe.shmem().barrierAll();
            assertEquals(System.getProperty(STATUS), gpu.initStatus().name());
            assertEquals(gpu.initStatus(), pe.shmem().initStatus());
            final GpuStream stream = gpu.stream(null);
            for (int round = 0; round < ROUNDS; round++)
            {
                stream.barrier(pe.shmem().world());
                stream.synchronize();
                pe.shmem().barrierAll();
            }
        }
    }
}
