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

import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.gpu.sim.RequiresSimulatedDriver;
import io.aeroshmem.gpu.sim.SimulatedDriver;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Operations on device memory: what they keep when CUDA fails, and how they access elements. */
@Tag("jdk")
class CudaMemoryTest
{
    private static final int LENGTH = 4096;
    private static final int FAILURES = 20;
    /** The call in which a reduction registers host memory: before it, the context becomes current. */
    private static final int REGISTRATION = 2;

    @Test
    @RequiresSimulatedDriver
    void shouldKeepTheTablesOfReductionsThatFindNoHostMemory()
    {
        try (CudaDevice device = CudaDevice.ofOrdinal(JCudaBinding.load(), 0, null))
        {
            device.enter();
            final long heap = device.allocate(LENGTH, 0);
            device.leave();
            final CudaMemory memory = new CudaMemory(device, heap, LENGTH);
            final long[] pieces = {
                memory.acquireStaging(), memory.acquireStaging(), memory.acquireStaging(), memory.acquireStaging()};
            for (int i = 0; i < FAILURES; i++)
            {
                SimulatedDriver.set(SimulatedDriver.SET_FAIL_CODE, CudaResult.OUT_OF_MEMORY);
                SimulatedDriver.set(SimulatedDriver.SET_CALLS_UNTIL_FAILURE, REGISTRATION);
                final GpuException ex = assertThrows(GpuException.class, () -> sum(memory, heap));
                assertTrue(ex.getMessage().startsWith("cuMemHostRegister"), ex.getMessage());
            }

            memory.releaseStaging(pieces[0]);
            memory.putElement(heap, Long.BYTES, 40);
            memory.putElement(heap + Long.BYTES, Long.BYTES, 2);
            assertTrue(sum(memory, heap));
            assertEquals(42, memory.getElement(heap, Long.BYTES));
            device.enter();
            device.driver().memFree(heap);
            device.leave();
        }
    }

    /** A copy does not guarantee that an element is stored or loaded as a whole. */
    @Test
    void shouldAccessAlignedElementsWithoutCopies()
    {
        TestDevice.assumeAvailable();
        final FailingDriver failing = new FailingDriver(JCudaBinding.load());
        try (CudaDevice device = CudaDevice.ofOrdinal(failing.driver(), 0, null))
        {
            device.enter();
            final long heap = device.allocate(LENGTH, 0);
            device.leave();
            final CudaMemory memory = new CudaMemory(device, heap, LENGTH);
            failing.fail("memcpyAsync");
            for (int width = Short.BYTES; width <= Long.BYTES; width <<= 1)
            {
                memory.putElement(heap, Long.BYTES, -1);
                for (int offset = 0; offset < Long.BYTES; offset += width)
                {
                    final long bits = 0x8182_8384_8586_8788L >>> Byte.SIZE * offset;
                    memory.putElement(heap + offset, width, bits);
                    assertEquals(bits << Long.SIZE - Byte.SIZE * width,
                        memory.getElement(heap + offset, width) << Long.SIZE - Byte.SIZE * width);
                }

                assertEquals(0x8182_8384_8586_8788L, memory.getElement(heap, Long.BYTES));
            }

            device.enter();
            device.driver().memFree(heap);
            device.leave();
        }
    }

    /** Adds the second word of the heap to the first; returns whether the device does. */
    private static boolean sum(final CudaMemory memory, final long heap)
    {
        return memory.reduce(
            ReduceOp.SUM.ordinal(), ElementType.LONG.ordinal(), heap, new long[]{heap, heap + Long.BYTES}, 2, 1);
    }
}
