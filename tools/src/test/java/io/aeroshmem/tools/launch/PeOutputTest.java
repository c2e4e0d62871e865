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

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(60)
class PeOutputTest
{
    private static final String TRACE = "Exception in thread \"main\" a.b.C: d\n\tat e.F.g(F.java:1)\n";

    private final ByteArrayOutputStream output = new ByteArrayOutputStream();
    private final ByteArrayOutputStream error = new ByteArrayOutputStream();

    @ParameterizedTest
    @CsvSource({
        "'', '', '[pe %d] '", "'[pe {pe}] ', '[pe %d] ', '[pe %d] '", "'{host}/{pe}> ', 'hosta/%d> ', 'hosta/%d> '"
    })
    void shouldKeepLinesWholeAndTagThem(final String tag, final String outputTag, final String errorTag)
        throws Exception
    {
        final int lines = 1_000;
        final LaunchContext ctx = context(3, tag);
        final List<Thread> copiers = new ArrayList<>();
        for (int pe = 0; pe < 3; pe++)
        {
            final StringBuilder text = new StringBuilder();
            for (int i = 0; i < lines; i++)
            {
                text.append("line ").append(i).append(" of ").append(pe).append(' ').append("x".repeat(i % 97))
                    .append('\n');
            }

            copiers.addAll(Arrays.asList(
                path(ctx, pe, null).copy(pieces(text.toString()), pieces(text.toString()))));
        }

        join(copiers);

        assertLines(lines, outputTag, output);
        assertLines(lines, errorTag, error);
    }

    private static void assertLines(final int lines, final String tag, final ByteArrayOutputStream bytes)
    {
        final List<String> expected = new ArrayList<>();
        for (int pe = 0; pe < 3; pe++)
        {
            for (int i = 0; i < lines; i++)
            {
                expected.add(String.format(tag, pe) + "line " + i + " of " + pe + " " + "x".repeat(i % 97));
            }
        }

        assertEquals(expected.stream().sorted().toList(), text(bytes).lines().sorted().toList());
    }

    @ParameterizedTest
    @CsvSource({ "1, '', a, b", "1, '{pe}> ', 0> a, 0> b", "2, '', a, [pe 0] b" })
    void shouldTagNothingOfAPeAloneUnlessSpecified(
        final int nPes, final String tag, final String out, final String err) throws Exception
    {
        join(path(context(nPes, tag), 0, null).copy(pieces("a\n"), pieces("b\n")));

        assertEquals(out + "\n", text(output));
        assertEquals(err + "\n", text(error));
    }

    @Test
    void shouldLogLinesWithoutTags(@TempDir final Path logs) throws Exception
    {
        final LaunchContext ctx = context(2, "{host}/{pe}> ");
        Files.writeString(logs.resolve("pe-1.out"), "of an earlier job");
        join(path(ctx, 1, PeLog.open(logs, 1, false, Assertions::fail)).copy(pieces("one\ntwo"), pieces(TRACE)));

        assertEquals("hosta/1> one\nhosta/1> two\n", text(output));
        assertEquals("one\ntwo", Files.readString(logs.resolve("pe-1.out")));
        assertEquals(TRACE, Files.readString(logs.resolve("pe-1.err")));

        join(path(ctx, 1, PeLog.open(logs, 1, true, Assertions::fail)).copy(pieces("; generation 1"), pieces("")));
        assertEquals("one\ntwo; generation 1", Files.readString(logs.resolve("pe-1.out")));
        assertEquals(TRACE, Files.readString(logs.resolve("pe-1.err")));
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 1, 2 })
    void shouldPrintTheTraceOfTheCauseLast(final int cause) throws Exception
    {
        final List<PeOutput> paths = new ArrayList<>();
        final List<Thread> copiers = new ArrayList<>();
        final LaunchContext ctx = context(3, "");
        for (int pe = 0; pe < 3; pe++)
        {
            final PeOutput path = path(ctx, pe, null);
            paths.add(path);
            copiers.addAll(Arrays.asList(path.copy(pieces(""), pieces(TRACE + "the last words of " + pe + "\n"))));
        }

        paths.forEach((path) -> path.onFailureOf(cause));
        join(copiers);
        paths.forEach(PeOutput::releaseTrace);

        final List<String> lines = text(error).lines().toList();
        assertEquals(9, lines.size(), lines::toString);
        assertEquals(
            (TRACE + "the last words of " + cause).lines().map((line) -> "[pe " + cause + "] " + line).toList(),
            lines.subList(6, 9));
    }

    @Test
    void shouldDropTracesThatOnlyReportTheEndOfTheJob() throws Exception
    {
        final PeOutput path = path(context(2, ""), 1, null);
        path.dropPeFailures();
        join(path.copy(pieces(""), pieces(
            "Exception in thread \"main\" io.aeroshmem.PeFailureException: the launcher is ending the job\n" +
            "\tat a.B\nlast\n")));
        path.releaseTrace();

        assertEquals("[pe 1] last\n", text(error));
    }

    @Test
    void shouldTakeTheReasonOfAJvmThatRefusesAnOption() throws Exception
    {
        final LaunchContext ctx = context(2, "").jvmOptions(List.of("-XX:Foo"));
        final PeOutput path = path(ctx, 1, null);
        join(path.copy(pieces(""), pieces(
            "Unrecognized VM option 'Foo'\nError: Could not create the Java Virtual Machine.\n")));

        assertTrue(path.isStartHeld());
        assertEquals("Unrecognized VM option 'Foo'", path.takeRefusal());
        path.passStart();
        assertEquals("", text(error));
    }

    @Test
    void shouldHoldNothingBackWithoutAnOptionThatAJvmMayRefuse() throws Exception
    {
        final PeOutput path = path(context(2, "").jvmOptions(List.of("-Da=b")), 1, null);
        join(path.copy(pieces("a\n"), pieces("Error: Could not create the Java Virtual Machine.\n")));

        assertFalse(path.isStartHeld());
        assertNull(path.takeRefusal());
        assertEquals("a\n", text(output));
    }

    private LaunchContext context(final int nPes, final String tag)
    {
        return new LaunchContext().nPes(nPes).tag(tag.isEmpty() ? null : tag)
            .output(new PrintStream(output, true, StandardCharsets.UTF_8))
            .error(new PrintStream(error, true, StandardCharsets.UTF_8));
    }

    private static PeOutput path(final LaunchContext ctx, final int pe, final PeLog log)
    {
        return new PeOutput(ctx, pe, "hosta", log, () -> false, () -> true);
    }

    private static void join(final List<Thread> copiers) throws InterruptedException
    {
        for (final Thread copier : copiers)
        {
            copier.join();
        }
    }

    private static void join(final Thread[] copiers) throws InterruptedException
    {
        join(List.of(copiers));
    }

    /** Returns a stream that is read in pieces of 1 to 7 bytes. */
    private static InputStream pieces(final String text)
    {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8))
        {
            @Override
            public synchronized int read(final byte[] bytes, final int offset, final int length)
            {
                return super.read(bytes, offset, Math.min(length, 1 + pos % 7));
            }
        };
    }

    private static String text(final ByteArrayOutputStream bytes)
    {
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
