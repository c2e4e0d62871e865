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

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

class ProcessStartTest
{
    private static final String PREFIX = "Cannot run program \"/usr/bin/java\": ";

    private int attempts;

    /** As JDK 17 and 25 report it. */
    @Test
    void shouldStartAnotherIfTheHelperWasKilled() throws Exception
    {
        final Process process = ProcessStart.of(() ->
            attempt(3, "error=0, Failed to exec spawn helper: pid: 8785, signal: 9"));
        assertEquals(0, process.waitFor());
        assertEquals(3, attempts);
    }

    @Test
    void shouldNotTryForEver()
    {
        final String message = "Failed to exec spawn helper: pid: 8785, signal: 9";
        assertEquals(PREFIX + message,
            assertThrows(IOException.class, () -> ProcessStart.of(() -> attempt(1_000, message))).getMessage());
        assertEquals(5, attempts);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "error=2, No such file or directory", "error=11, Resource temporarily unavailable",
        "Failed to exec spawn helper: pid: 8785, exit code: 1" })
    void shouldReportWhateverElseKeepsItFromStarting(final String message)
    {
        assertEquals(PREFIX + message,
            assertThrows(IOException.class, () -> ProcessStart.of(() -> attempt(1_000, message))).getMessage());
        assertEquals(1, attempts);
    }

    @Test
    void shouldPassAnExceptionWithoutAMessage()
    {
        final IOException ex = new IOException();
        assertSame(ex, assertThrows(IOException.class, () -> ProcessStart.of(() ->
        {
            throw ex;
        })));
    }

    private Process attempt(final int successful, final String message) throws IOException
    {
        attempts++;
        if (attempts < successful)
        {
            throw new IOException(PREFIX + message);
        }

        return new ProcessBuilder("true").start();
    }
}
