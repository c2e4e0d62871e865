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
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.gpu.Gpu;
import io.aeroshmem.gpu.GpuException;

import java.io.PrintStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/**
 * A program of one PE on a machine without a usable device. It prints the exceptions that it gets where it asks for a
 * device, and runs on host memory where it does not.
 */
public final class UnusableDevice
{
    /** Before the message of an exception: at the set-up of a device that was asked for. */
    static final String ASKED = "asked: ";
    /** At an allocation, without a device that was asked for. */
    static final String NOT_ASKED = "not asked: ";
    static final String ENDED = "ended";

    private static final PrintStream OUT = System.out;

    private UnusableDevice()
    {
    }

    public static void main(final String[] args) throws Exception
    {
        Shmem.run(new Shmem.Context().heapSize(1 << 20), (shmem) ->
        {
            OUT.println(ASKED + assertThrows(GpuException.class, () -> use(shmem)).getMessage());
            final SymmetricBuffer word = shmem.calloc(1, 8);
            try (Gpu gpu = Gpu.init(shmem))
            {
                shmem.barrierAll();
                assertEquals(InitStatus.BOOTSTRAPPED, gpu.initStatus());
                shmem.defaultContext().atomicIncLong(word, 0, 0);
                OUT.println(NOT_ASKED + assertThrows(GpuException.class, () -> gpu.malloc(8)).getMessage());
                assertThrows(IllegalStateException.class, gpu::device);
                assertThrows(IllegalStateException.class, () -> gpu.pointer(word));
            }

            assertEquals(InitStatus.INITIALIZED, shmem.initStatus());
            assertEquals(1, word.getLong(0));
            shmem.barrierAll();
        });
        OUT.println(ENDED);
    }

    private static void use(final Shmem shmem)
    {
        try (Gpu gpu = Gpu.init(shmem, new Gpu.Context().device(0)))
        {
            gpu.malloc(8);
        }
    }
}
