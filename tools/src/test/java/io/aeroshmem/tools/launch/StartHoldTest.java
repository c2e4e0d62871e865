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

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(60)
class StartHoldTest
{
    private static final String CONCLUSION = "Error: Could not create the Java Virtual Machine.\n" +
        "Error: A fatal exception has occurred. Program will exit.\n";
    private static final String INITIALIZATION = "Error occurred during initialization of VM\n";

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private boolean hasJoined;
    private volatile boolean hasStarted = true;
    private StartHold start;
    private LineSink output;
    private LineSink error;

    @BeforeEach
    void create()
    {
        final PrintStream stream = new PrintStream(bytes, true, StandardCharsets.UTF_8);
        final LineOutput lines = new LineOutput(false);
        start = new StartHold(lines, () -> hasJoined, () -> hasStarted);
        output = start.output(lines.channel(stream));
        error = start.error(lines.channel(stream));
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
        Unrecognized VM option 'Foo'~Unrecognized VM option 'Foo'
        Unrecognized VM option 'Fo'\\nDid you mean 'Foo'? ~Unrecognized VM option 'Fo'
        Picked up JAVA_TOOL_OPTIONS: -Da=b\\nUnrecognized option: -x~Unrecognized option: -x
        OpenJDK 64-Bit Server VM warning: option A is old\\nUnrecognized option: -x~Unrecognized option: -x
        intx ThreadStackSize=1000000000 is outside the allowed range [ 0 ... 1048576 ]\\n\
        Improperly specified VM option 'ThreadStackSize=1000000000'~\
        intx ThreadStackSize=1000000000 is outside the allowed range [ 0 ... 1048576 ]
        """, delimiter = '~', quoteCharacter = '"')
    void shouldTakeTheFirstLineOfTheJvm(final String lines, final String reason)
    {
        write(error, lines.replace("\\n", "\n") + (lines.endsWith("?") ? " " : "\n") + CONCLUSION);

        assertEquals(reason, start.takeRefusal());
        start.pass();
        assertEquals("", text());
    }

    @Test
    void shouldTakeTheLineThatFollowsTheConclusion()
    {
        write(output, INITIALIZATION + "Too small maximum heap\n");

        assertEquals("Too small maximum heap", start.takeRefusal());
    }

    @Test
    void shouldPreferTheReasonOnStandardError()
    {
        write(output, INITIALIZATION + "agent library failed to init: instrument\n");
        write(error, "Error opening zip file or JAR manifest missing : /none.jar\n");

        assertEquals("Error opening zip file or JAR manifest missing : /none.jar", start.takeRefusal());
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "--module-path requires module path specification",
        "could not open `none'",
        "Could not find or load main class Xmx1g"
    })
    void shouldTakeTheErrorOfTheCommandThatStartsTheJvm(final String reason)
    {
        write(error, "Error: " + reason + "\n");

        assertEquals(reason, start.takeRefusal());
    }

    @ParameterizedTest
    @ValueSource(strings = { "usage: program FILE", "Error: no such file", "Exception in thread \"main\" a.b.C" })
    void shouldPassTheOutputOfAProgramThatHasFailed(final String line)
    {
        write(error, line + "\n");
        write(output, "end\n");
        assertEquals("", text());

        assertNull(start.takeRefusal());
        start.pass();
        assertEquals("[pe 1] " + line + "\nend\n", text());
        assertFalse(start.isHolding());
    }

    @Test
    void shouldPassTheOutputOfAPeThatHasJoined()
    {
        write(output, "first\n");
        assertEquals("", text());

        hasJoined = true;
        write(error, "second\n");
        assertEquals("first\n[pe 1] second\n", text());
        write(output, "third\n");
        assertEquals("first\n[pe 1] second\nthird\n", text());
    }

    @Test
    void shouldHoldForALimitedTime()
    {
        write(output, "text\n");
        while (!"text\n".equals(text()))
        {
            Thread.onSpinWait();
        }

        assertNull(start.takeRefusal());
    }

    @ParameterizedTest
    @CsvSource({ "true, Error occurred during initialization of boot layer", "false, Unrecognized VM option 'Foo'" })
    @Tag("ci")
    void shouldHoldWhileTheJvmMayRefuse(final boolean isStarted, final String line) throws Exception
    {
        hasStarted = isStarted;
        write(error, line + "\n");
        Thread.sleep(StartHold.HOLD_MS + StartHold.HOLD_MS / 2);
        assertEquals("", text());
        write(error, CONCLUSION);

        assertEquals(line, start.takeRefusal());
    }

    @Test
    void shouldDetectThatAJvmHasStarted()
    {
        assertTrue(ProcessThreads.hasJvmStarted(ProcessHandle.current().pid()));
        assertFalse(ProcessThreads.hasJvmStarted(1L + Integer.MAX_VALUE));
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, StartHold.LENGTH_LIMIT / StartHold.HOLD_LIMIT + 1 })
    void shouldHoldALimitedNumberOfWritesAndBytes(final int length)
    {
        final String line = "x".repeat(length) + "\n";
        int writes = 0;
        while (text().isEmpty())
        {
            write(output, line);
            writes++;
            assertTrue(writes <= StartHold.HOLD_LIMIT + 1, text());
        }

        assertEquals(line.repeat(writes), text());
        assertEquals(1 == length, writes > StartHold.HOLD_LIMIT);
    }

    private void write(final LineSink sink, final String text)
    {
        sink.write(TraceHoldTest.lines(sink == error ? "[pe 1] " : "", text));
    }

    private String text()
    {
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
