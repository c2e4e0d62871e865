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
import org.junit.jupiter.api.Timeout;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class LineSplitterTest
{
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream output = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    private final List<IOException> errors = new ArrayList<>();
    private final LineOutput lines = new LineOutput(false);

    @Test
    void shouldTagEachLine()
    {
        copy("one\n\ntwo\n");

        assertEquals("[pe 1] one\n[pe 1] \n[pe 1] two\n", text());
    }

    @Test
    void shouldEndTheLastLine()
    {
        copy("one\ntw\u00f6");

        assertEquals("[pe 1] one\n[pe 1] tw\u00f6\n", text());
    }

    @Test
    void shouldPassUntaggedBytesUnchanged()
    {
        final String endless = "x".repeat(LineSplitter.LINE_LIMIT + 1);
        copy("", "one\n" + endless);

        assertEquals("one\n" + endless, text());
    }

    @Test
    void shouldEndAnUnfinishedLineBeforeThatOfAnotherWriter()
    {
        copy("", "one\nunfinished");
        copy("", "another\n");
        lines.own("aeroshmem: own", output);

        assertEquals("one\nunfinished\nanother\naeroshmem: own\n", text());
    }

    @Test
    @Timeout(60)
    void shouldShowAPromptAndTheRestOfItsLine() throws Exception
    {
        final PipedInputStream source = new PipedInputStream();
        final Thread copier;
        try (PipedOutputStream process = new PipedOutputStream(source))
        {
            copier = new LineSplitter(
                source, null, () -> "> ", lines.channel(output), lines, errors::add).start("prompt");
            process.write("name? ".getBytes(StandardCharsets.UTF_8));
            process.flush();
            awaitText("> name? ");
            process.write("Ann\nage".getBytes(StandardCharsets.UTF_8));
            process.flush();
            awaitText("> name? Ann\n> age");
            copy("other\n");
            process.write("? 7\n".getBytes(StandardCharsets.UTF_8));
        }

        copier.join();

        assertEquals("> name? Ann\n> age\n[pe 1] other\n> ? 7\n", text());
    }

    @Test
    void shouldPrintNothingForAnEmptyStream()
    {
        copy("");

        assertEquals("", text());
    }

    @Test
    void shouldBreakEndlessLines()
    {
        copy("x".repeat(LineSplitter.LINE_LIMIT + 1) + "\n");

        assertEquals("[pe 1] " + "x".repeat(LineSplitter.LINE_LIMIT) + "\n[pe 1] x\n", text());
    }

    @Test
    void shouldWriteEachLineInOnePiece()
    {
        final List<String> writes = new ArrayList<>();
        final PrintStream recording = new PrintStream(bytes, true, StandardCharsets.UTF_8)
        {
            @Override
            public void write(final byte[] buffer, final int offset, final int length)
            {
                writes.add(new String(buffer, offset, length, StandardCharsets.UTF_8));
            }
        };
        new LineSplitter(stream("a\n" + "b".repeat(20_000) + "\n"), null, () -> "> ",
            lines.channel(recording), null, errors::add).run();

        assertEquals(List.of("> a\n", "> " + "b".repeat(20_000) + "\n"), writes);
    }

    @Test
    void shouldReportAReadErrorAndKeepTheTextBefore()
    {
        final InputStream failing = new InputStream()
        {
            private int next;

            @Override
            public int read() throws IOException
            {
                if (next < 2)
                {
                    return 'a' + next++;
                }

                throw new IOException("gone");
            }

            @Override
            public int read(final byte[] buffer, final int offset, final int length) throws IOException
            {
                buffer[offset] = (byte)read();
                return 1;
            }
        };
        new LineSplitter(failing, null, () -> "> ", lines.channel(output), null, errors::add).run();

        assertEquals("> ab\n", text());
        assertEquals(1, errors.size());
    }

    private void copy(final String text)
    {
        copy("[pe 1] ", text);
    }

    private void copy(final String tag, final String text)
    {
        new LineSplitter(stream(text), null, () -> tag, lines.channel(output), null, errors::add).run();
        assertTrue(errors.isEmpty(), errors::toString);
    }

    private void awaitText(final String text)
    {
        while (!text.equals(text()))
        {
            assertTrue(text.startsWith(text()), this::text);
            Thread.onSpinWait();
        }
    }

    private static InputStream stream(final String text)
    {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    private String text()
    {
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
