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

import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.gpu.Gpu;
import io.aeroshmem.gpu.GpuException;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.RoutineSet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The heaps of the host have no room for the requests to the owners of device memory.
 */
public final class SmallHostHeap extends RoutineSet
{
    static final int HEAP_SIZE = 1 << 20;

    public SmallHostHeap()
    {
        add("small heap of the host", SmallHostHeap::shouldNameGpuAndProperty);
    }

    private static void shouldNameGpuAndProperty(final Pe pe)
    {
        try (Gpu gpu = Gpu.init(pe.shmem()))
        {
            final GpuException ex = assertThrows(GpuException.class, () -> gpu.calloc(1, Long.BYTES));
            assertTrue(ex.getMessage().contains("GPU"), ex.getMessage());
            assertTrue(ex.getMessage().contains("aeroshmem.heap.size"), ex.getMessage());
        }

        final SymmetricBuffer word = pe.shmem().calloc(1, Long.BYTES);
        pe.ctx().atomicAddLong(word, 0, 1, pe.right());
        pe.shmem().barrierAll();
        assertEquals(1, word.getLong(0));
    }
}
