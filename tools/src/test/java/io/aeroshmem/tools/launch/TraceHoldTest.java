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

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

@Timeout(60)
class TraceHoldTest
{
    private static final String TRACE = "Exception in thread \"main\" a.b.C: d\n\tat e.F.g(F.java:1)\n";

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final LineOutput lines = new LineOutput(false);
    private TraceHold hold;

    @BeforeEach
    void create()
    {
        final PrintStream output = new PrintStream(bytes, true, StandardCharsets.UTF_8);
        hold = new TraceHold(lines.channel(output), lines);
    }

    @Test
    void shouldPassOtherLinesImmediately()
    {
        write("one\ntwo\n> Exception\n");

        assertEquals("> one\n> two\n> > Exception\n", text());
    }

    @Test
    void shouldHoldATraceAndTheTextAfterItUntilReleased()
    {
        hold.keep();
        write("before\n" + TRACE);
        write("after\n");
        assertEquals("> before\n", text());

        hold.release();
        assertEquals(tagged("before\n" + TRACE + "after\n"), text());
    }

    @Test
    void shouldDetectTheTraceThatAProgramPrints()
    {
        hold.keep();
        write("io.aeroshmem.PeFailureException: PE 1 died\n\tat a.B.c(B.java:2)\n");

        assertEquals("", text());
    }

    @Test
    void shouldPassTheTraceOfAPeThatDidNotFail()
    {
        hold.pass();
        write(TRACE);

        assertEquals(tagged(TRACE), text());
    }

    @Test
    @Tag("ci")
    void shouldHoldATraceForALimitedTime()
    {
        write(TRACE);
        while (!tagged(TRACE).equals(text()))
        {
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldHoldALimitedLength()
    {
        hold.keep();
        final String text = TRACE + "x".repeat(TraceHold.HOLD_LIMIT) + "\n";
        write(text);

        assertEquals(tagged(text), text());
    }

    @Test
    void shouldDropTheConsequencesOfTheEndOfTheJob()
    {
        write(TRACE);
        hold.dropPeFailures();
        write("one\n" +
            "Exception in thread \"main\" io.aeroshmem.PeFailureException: the end\n  PE 0: RUNNING\n\tat a.B\n" +
            "Caused by: a.b.CException\n\tat a.B\nlast\n");
        hold.release();

        assertEquals(tagged(TRACE + "one\nlast\n"), text());
    }

    @Test
    void shouldDropATraceThatIsCutByTheEndOfTheJob()
    {
        hold.dropPeFailures();
        write("Exception in thread \"main\" \n");
        hold.release();

        assertEquals("", text());
    }

    @Test
    void shouldDropATraceWhoseFirstLineCameInParts()
    {
        hold.dropPeFailures();
        hold.write(List.of(part("Exception in thread \"main\" ", false, false)));
        hold.write(List.of(part("io.aeroshmem.PeFailureException: the end", true, true)));
        write("\tat a.B\nlast\n");
        hold.release();

        assertEquals("> last\n", text());
    }

    private static Line part(final String text, final boolean isRest, final boolean isEnded)
    {
        return new Line(
            "> ".getBytes(StandardCharsets.UTF_8), text.getBytes(StandardCharsets.UTF_8), isRest, isEnded);
    }

    private void write(final String text)
    {
        hold.write(lines("> ", text));
    }

    static List<Line> lines(final String tag, final String text)
    {
        return text.lines().map((line) -> new Line(
            tag.getBytes(StandardCharsets.UTF_8), line.getBytes(StandardCharsets.UTF_8), false, true)).toList();
    }

    private static String tagged(final String text)
    {
        return text.replaceAll("(?m)^(?=.)", "> ");
    }

    private String text()
    {
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
