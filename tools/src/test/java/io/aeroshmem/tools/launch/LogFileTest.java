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

import static org.junit.jupiter.api.Assertions.assertEquals;

class LogFileTest
{
    private static final String TEXT = "first\nsecond";

    @TempDir
    private Path directory;

    private final List<IOException> errors = new ArrayList<>();
    private final List<String> passed = new ArrayList<>();

    @Test
    void shouldWriteWhatIsReadBeforeTheEndOfTheLine() throws IOException
    {
        final Path file = directory.resolve("log");
        final List<String> logged = new ArrayList<>();
        final InputStream source = new ByteArrayInputStream(TEXT.getBytes(StandardCharsets.UTF_8))
        {
            @Override
            public synchronized int read(final byte[] bytes, final int offset, final int length)
            {
                try
                {
                    logged.add(Files.readString(file));
                }
                catch (final IOException ex)
                {
                    throw new AssertionError(ex);
                }

                return super.read(bytes, offset, 1);
            }
        };
        copy(source, Files.newOutputStream(file));

        assertEquals(List.of("", "f", "fi"), logged.subList(0, 3));
        assertEquals(TEXT, Files.readString(file));
        assertEquals(List.of(), errors);
    }

    @Test
    void shouldReportAnErrorOnceAndContinue() throws IOException
    {
        final FileOutputStream closed = new FileOutputStream(directory.resolve("log").toFile());
        closed.close();
        final InputStream source = new ByteArrayInputStream(TEXT.getBytes(StandardCharsets.UTF_8))
        {
            @Override
            public synchronized int read(final byte[] bytes, final int offset, final int length)
            {
                return super.read(bytes, offset, 1);
            }
        };
        copy(source, closed);

        assertEquals(1, errors.size());
        assertEquals(List.of("first", "second"), passed);
    }

    /** As on a file system that writes when a file is closed, and is full. */
    @Test
    void shouldReportAnErrorOfTheClose()
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
        copy(new ByteArrayInputStream(TEXT.getBytes(StandardCharsets.UTF_8)), log);

        assertEquals(List.of(full), errors);
        assertEquals(List.of("first", "second"), passed);
    }

    private void copy(final InputStream source, final OutputStream log)
    {
        new LineSplitter(source, new LogFile(log, errors::add), () -> "",
            (lines) -> lines.forEach((line) -> passed.add(line.string())), null, errors::add).run();
    }
}
