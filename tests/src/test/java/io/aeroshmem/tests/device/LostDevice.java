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
import io.aeroshmem.PeFailureException;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.gpu.Gpu;
import io.aeroshmem.gpu.GpuException;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.RoutineSet;
import io.aeroshmem.tests.fixture.SimulatedDevice;
import jcuda.driver.CUresult;
import org.junit.jupiter.api.function.Executable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The last PE loses its device.
 */
final class LostDevice
{
    static final int LOST = 42;

    private static final int LAUNCHES = 5;
    private static final int LENGTH = 1_000;

    private LostDevice()
    {
    }

    /**
     * The PE gets the error in its own operations, and leaves the job by it.
     */
    public static final class InOwnOperations extends RoutineSet
    {
        InOwnOperations()
        {
            add("lost in own operations", LostDevice::shouldReportTheLossToThePe);
        }
    }

    /**
     * The PE is blocked while the others use its device.
     */
    public static final class InOperationsOfOthers extends RoutineSet
    {
        InOperationsOfOthers()
        {
            add("lost in operations of others", LostDevice::shouldFailThePeThatCannotServe);
        }
    }

    private static void shouldReportTheLossToThePe(final Pe pe)
    {
        final Shmem shmem = pe.shmem();
        final Gpu gpu = Gpu.init(shmem);
        final SymmetricBuffer buffer = gpu.calloc(LENGTH, 8);
        final CommunicationContext ctx = pe.ctx();
        final int victim = pe.n() - 1;
        shmem.barrierAll();
        if (victim == pe.me())
        {
            SimulatedDevice.loseAfter(LAUNCHES);
            final GpuException lost = assertThrows(GpuException.class, repeated(() ->
            {
                ctx.atomicFetchAddLong(buffer, 0, 1, pe.me());
                ctx.put(buffer, 8, buffer, 1_000, 1_000, pe.right());
            }));
            assertEquals(CUresult.CUDA_ERROR_DEVICE_UNAVAILABLE, lost.cuResult(), lost::toString);
            assertTrue(lost.getMessage().contains("the device was lost"), lost::toString);
            assertEquals(CUresult.CUDA_ERROR_DEVICE_UNAVAILABLE,
                assertThrows(GpuException.class, () -> ctx.put(buffer, 0, buffer, 500, 100, pe.me())).cuResult());
            shmem.fail(lost);
        }
        else
        {
            final PeFailureException failure = assertThrows(PeFailureException.class, shmem::barrierAll);
            assertEquals(victim, failure.pe(), failure::toString);
            assertTrue(failure.getMessage().contains("DEVICE_UNAVAILABLE"), failure::toString);
        }

        end(shmem, gpu, victim == pe.me());
    }

    private static void shouldFailThePeThatCannotServe(final Pe pe)
    {
        final Shmem shmem = pe.shmem();
        final Gpu gpu = Gpu.init(shmem);
        final SymmetricBuffer buffer = gpu.calloc(LENGTH, 8);
        final CommunicationContext ctx = pe.ctx();
        final int victim = pe.n() - 1;
        shmem.barrierAll();
        if (victim == pe.me())
        {
            SimulatedDevice.loseAfter(LAUNCHES);
        }

        final PeFailureException failure = assertThrows(PeFailureException.class, victim == pe.me() ?
            shmem::barrierAll : repeated(() -> ctx.atomicFetchAddLong(buffer, 8L * pe.me(), 1, victim)));
        assertEquals(victim, failure.pe(), failure::toString);
        assertTrue(failure.getMessage().contains("DEVICE_UNAVAILABLE"), failure::toString);
        end(shmem, gpu, victim == pe.me());
    }

    private static Executable repeated(final Runnable operation)
    {
        return () ->
        {
            while (true)
            {
                operation.run();
            }
        };
    }

    /** A process that has lost its device cannot use it again. */
    private static void end(final Shmem shmem, final Gpu gpu, final boolean isLost)
    {
        gpu.close();
        shmem.close();
        if (isLost)
        {
            System.exit(LOST);
        }
    }
}
