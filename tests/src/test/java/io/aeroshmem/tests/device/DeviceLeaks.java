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
import io.aeroshmem.gpu.Gpu;
import io.aeroshmem.tests.fixture.JvmResources;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.RoutineSet;
import io.aeroshmem.tests.fixture.SimulatedDevice;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Cycles of allocations and set-ups, each of which leaves nothing in the device, the driver and the JVM.
 */
public final class DeviceLeaks extends RoutineSet
{
    static final String ALLOCATIONS = "aeroshmem.test.device.allocations";
    static final String SET_UPS = "aeroshmem.test.device.setups";

    private static final int WARM_UP = 2;
    private static final int HEAP_SIZE = 1 << 20;
    private static final int LENGTH = 5_000;

    public DeviceLeaks()
    {
        add("set-ups", DeviceLeaks::shouldLeaveNothingOfSetUps);
        add("allocations", DeviceLeaks::shouldLeaveNothingOfAllocations);
    }

    private static void shouldLeaveNothingOfSetUps(final Pe pe)
    {
        setUp(pe, WARM_UP);
        pe.shmem().barrierAll();
        final List<String> held = SimulatedDevice.resources();
        final List<String> threads = JvmResources.threads();
        final List<String> files = JvmResources.settled(JvmResources::files);
        final List<String> mappings = JvmResources.settled(JvmResources::mappings);
        pe.shmem().barrierAll();

        setUp(pe, Integer.getInteger(SET_UPS));
        pe.shmem().barrierAll();
        JvmResources.assertGone("resources of the driver", held, SimulatedDevice::resources);
        JvmResources.assertGone("threads", threads, JvmResources::threads);
        JvmResources.assertGone("files", files, JvmResources::files);
        JvmResources.assertGone("mappings", mappings, JvmResources::mappings);
    }

    private static void setUp(final Pe pe, final int times)
    {
        for (int i = 0; i < times; i++)
        {
            try (Gpu gpu = Gpu.init(pe.shmem(), new Gpu.Context().heapSize(HEAP_SIZE)))
            {
                use(pe, gpu.calloc(1, LENGTH));
            }
        }
    }

    private static void use(final Pe pe, final SymmetricBuffer buffer)
    {
        final CommunicationContext ctx = pe.ctx();
        assertEquals(0, ctx.atomicFetchAddLong(buffer, 0, 5, pe.right()));
        ctx.putShort(buffer, LENGTH - 2, (short)7, pe.right());
        ctx.put(buffer, 8, buffer, 1_000, 3_001, pe.right());
        pe.shmem().barrierAll();
        assertEquals(5, ctx.getLong(buffer, 0, pe.me()));
        assertEquals(7, ctx.getShort(buffer, LENGTH - 2, pe.me()));
        pe.shmem().free(buffer);
    }

    private static void shouldLeaveNothingOfAllocations(final Pe pe)
    {
        try (Gpu gpu = Gpu.init(pe.shmem(), new Gpu.Context().heapSize(HEAP_SIZE)))
        {
            use(pe, gpu.calloc(1, LENGTH));
            pe.shmem().barrierAll();
            final List<String> held = SimulatedDevice.resources();
            final SymmetricBuffer first = gpu.malloc(HEAP_SIZE);
            pe.shmem().free(first);
            pe.shmem().barrierAll();

            final int times = Integer.getInteger(ALLOCATIONS);
            for (int i = 0; i < times; i++)
            {
                final SymmetricBuffer buffer = gpu.malloc(1 + i % (HEAP_SIZE / 2));
                if (0 == i % 10)
                {
                    pe.ctx().putByte(buffer, buffer.length() - 1, (byte)i, pe.right());
                }

                final SymmetricBuffer other = 0 == i % 3 ? pe.shmem().realloc(buffer, buffer.length() + 100) : buffer;
                pe.shmem().free(other);
            }

            final SymmetricBuffer last = gpu.malloc(HEAP_SIZE);
            assertEquals(first.address(), last.address());
            pe.shmem().free(last);
            pe.shmem().barrierAll();
            JvmResources.assertGone("resources of the driver", held, SimulatedDevice::resources);
        }
    }
}
