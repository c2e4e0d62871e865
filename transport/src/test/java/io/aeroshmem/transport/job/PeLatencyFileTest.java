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
package io.aeroshmem.transport.job;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class PeLatencyFileTest
{
    @Test
    void shouldBeReplacedByAnInterruptedThreadWhichRemainsSo(@TempDir final Path directory) throws Exception
    {
        final PeLatencyFile file = new PeLatencyFile(directory, 3);
        file.replace("first".getBytes(StandardCharsets.ISO_8859_1));
        Thread.currentThread().interrupt();
        file.replace("second".getBytes(StandardCharsets.ISO_8859_1));
        assertTrue(Thread.interrupted());

        final Path published = directory.resolve("latencies-3");
        assertEquals("second", Files.readString(published));
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(published)));
        assertEquals(1, directory.toFile().list().length);
    }
}
