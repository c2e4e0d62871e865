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

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.gpu.DeviceReach;
import io.aeroshmem.gpu.Gpu;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.RoutineSet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Operations on device memory that no other process maps.
 */
public final class UnsharedDevice extends RoutineSet
{
    private static final int LENGTH = 100_000;

    UnsharedDevice()
    {
        add("unshared device", UnsharedDevice::shouldReachDevicesThroughTheirOwners);
    }

    private static void shouldReachDevicesThroughTheirOwners(final Pe pe)
    {
        try (Gpu gpu = Gpu.init(pe.shmem()))
        {
            final SymmetricBuffer buffer = gpu.calloc(2, LENGTH);
            assertNull(gpu.pointer(buffer, pe.right()));
            assertEquals(DeviceReach.Way.ADDRESS, gpu.reach(pe.me()).way());
            final DeviceReach reach = gpu.reach(pe.right());
            assertEquals(DeviceReach.Way.OWNER, reach.way());
            assertTrue(reach.reason().contains("cuIpcGetMemHandle failed: CUDA_ERROR_NOT_SUPPORTED"), reach.reason());
            final CommunicationContext ctx = pe.ctx();
            assertEquals(0, ctx.atomicFetchAddLong(buffer, 0, 7, pe.right()));
            pe.shmem().barrierAll();
            ctx.put(buffer, LENGTH, buffer, 0, LENGTH, pe.right());
            pe.shmem().barrierAll();
            assertEquals(7, ctx.getLong(buffer, LENGTH, pe.me()));
            assertEquals(7, ctx.getLong(buffer, LENGTH, pe.right()));
            pe.shmem().free(buffer);
        }
    }
}
