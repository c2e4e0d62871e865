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
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

class LoggedInputTest
{
    private static final byte[] TEXT = "first\nsecond".getBytes(StandardCharsets.UTF_8);

    @TempDir
    private Path directory;

    @Test
    void shouldWriteWhatIsRead() throws IOException
    {
        final Path file = directory.resolve("log");
        try (InputStream input =
            new LoggedInput(new ByteArrayInputStream(TEXT), Files.newOutputStream(file), this::fail))
        {
            assertEquals('f', input.read());
            assertEquals("f", Files.readString(file));
            assertArrayEquals("irst\nsecond".getBytes(StandardCharsets.UTF_8), input.readAllBytes());
            assertEquals(-1, input.read());
        }

        assertArrayEquals(TEXT, Files.readAllBytes(file));
    }

    @Test
    void shouldReportAnErrorOnceAndContinue() throws IOException
    {
        final FileOutputStream closed = new FileOutputStream(directory.resolve("log").toFile());
        closed.close();
        final List<IOException> errors = new ArrayList<>();
        try (InputStream input = new LoggedInput(new ByteArrayInputStream(TEXT), closed, errors::add))
        {
            assertArrayEquals("fir".getBytes(StandardCharsets.UTF_8), input.readNBytes(3));
            assertArrayEquals("st\nsecond".getBytes(StandardCharsets.UTF_8), input.readAllBytes());
        }

        assertEquals(1, errors.size());
    }

    /** As on a file system that writes when a file is closed, and is full. */
    @Test
    void shouldReportAnErrorOfTheClose() throws IOException
    {
        final IOException full = new IOException("full");
        final OutputStream log = new ByteArrayOutputStream()
        {
            @Override
            public void close() throws IOException
            {
                throw full;
            }
        };
        final List<IOException> errors = new ArrayList<>();
        try (InputStream input = new LoggedInput(new ByteArrayInputStream(TEXT), log, errors::add))
        {
            assertArrayEquals(TEXT, input.readAllBytes());
        }

        assertEquals(List.of(full), errors);
    }

    private void fail(final IOException ex)
    {
        throw new AssertionError(ex);
    }
}
