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
package io.aeroshmem.tools.launch;

import io.aeroshmem.transport.job.SpareFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SpareProcessTest
{
    @TempDir
    private Path directory;

    /** A second failure may come while the spare that replaces the first one starts. */
    @Test
    void shouldFindThePeThatItWasGivenWhileItStarted() throws Exception
    {
        final SpareProcess spare = SpareProcess.start(directory, 7, new ProcessBuilder("sleep", "60"));
        final Process process = spare.assign(1, 3, directory.resolve("job"));
        try
        {
            final SpareFile file = SpareFile.open(directory.resolve("spare-7"));
            assertTrue(file.await(process.pid()));
            assertEquals(1, file.pe());
            assertEquals(3, file.nPes());
            assertEquals(directory.resolve("job").toString(), file.jobDirectory());
            assertFalse(Files.exists(file.path()));
        }
        finally
        {
            process.destroyForcibly();
        }
    }
}
