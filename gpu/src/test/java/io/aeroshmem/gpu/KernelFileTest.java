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

import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The file from which the kernels of the library are loaded before the PTX of the jar. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KernelFileTest
{
    @TempDir
    private Path directory;

    @BeforeAll
    static void requireDevice()
    {
        TestDevice.assumeAvailable();
    }

    /** Has a PE set up its device with a file, and use a kernel. */
    private static void addWith(final Path file) throws Exception
    {
        Shmem.runLocal(1, new Shmem.Context().heapSize(4 << 20), (shmem) ->
        {
            final Gpu.Context config = new Gpu.Context().device(0).heapSize(1 << 20).kernels(file.toString());
            try (Gpu gpu = Gpu.init(shmem, config))
            {
                final SymmetricBuffer word = gpu.calloc(1, Long.BYTES);
                shmem.defaultContext().atomicAddLong(word, 0, 5, 0);
                assertEquals(5, shmem.defaultContext().getLong(word, 0, 0));
            }
        });
    }

    private Path write(final byte[] content) throws Exception
    {
        return Files.write(directory.resolve("kernels"), content);
    }

    @Test
    void shouldLoadTheKernelsOfTheFile() throws Exception
    {
        try (InputStream kernels = Kernels.class.getResourceAsStream("aeroshmem_kernels.ptx"))
        {
            addWith(write(kernels.readAllBytes()));
        }
    }

    /** A file of another content is really loaded: it has none of the kernels. */
    @Test
    void shouldReportThatTheFileLacksAKernel() throws Exception
    {
        final Path file = write(".version 8.0\n.target sm_75\n.address_size 64\n".getBytes(StandardCharsets.US_ASCII));
        final Throwable ex = assertThrows(GpuException.class, () -> addWith(file));
        assertTrue(ex.getMessage().contains("cuModuleGetFunction failed: CUDA_ERROR_NOT_FOUND"), ex.getMessage());
    }

    /** As it rejects a cubin for another device. */
    @Test
    void shouldLoadThePtxOfTheJarWhereTheDriverRejectsTheFile() throws Exception
    {
        addWith(write("no kernels".getBytes(StandardCharsets.US_ASCII)));
    }

    @Test
    void shouldReportAFileThatCannotBeRead()
    {
        final Throwable ex = assertThrows(GpuException.class, () -> addWith(directory.resolve("none")));
        assertTrue(ex.getMessage().contains("aeroshmem.gpu.kernels must be a readable file"), ex.getMessage());
    }
}
