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

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

class NodeStderrTest
{
    private final ByteArrayOutputStream output = new ByteArrayOutputStream();

    @Test
    void shouldPassTheTextAfterJoining()
    {
        final NodeStderr stderr = copy("a warning\n" + NodeStderr.JOINED + "\none\ntwo\n");

        assertTrue(stderr.isJoined());
        assertEquals("a warning\none\ntwo\n", text());
    }

    @Test
    void shouldTakeOutTheLineThatReportsTheEnd()
    {
        final String first = NodeStderr.JOINED + "\none\n";
        assertFalse(copy(first + "two\n").isEnded());
        output.reset();
        assertFalse(copy(first + "not " + NodeStderr.ENDED).isEnded());
        output.reset();

        assertTrue(copy(first + NodeStderr.ENDED + "\nlate\n").isEnded());
        assertEquals("one\nlate\n", text());
    }

    @Test
    void shouldTakeOutTheLinesThatReportWhichPesAreLeft()
    {
        final BitSet pes = new BitSet();
        pes.set(3);
        pes.set(5, 70);
        final String waiting = NodeStderr.JOINED + "\none\n" + NodeStderr.waiting(pes) + '\n';
        final NodeStderr stderr = copy(waiting + NodeStderr.waiting(pes) + "\n");
        assertEquals(2, stderr.waitingMarks());
        assertEquals(pes, stderr.left());
        assertEquals("one\n", text());

        final NodeStderr last = copy(waiting + NodeStderr.JOINED + '\n' + NodeStderr.waiting(new BitSet()) + '\n');
        assertEquals(1, last.waitingMarks());
        assertEquals(new BitSet(), last.left());
        final NodeStderr joined = copy(waiting + NodeStderr.JOINED + '\n');
        assertEquals(0, joined.waitingMarks());
        assertNull(joined.left());
        assertNull(copy(NodeStderr.JOINED + '\n' + NodeStderr.WAITING + '\n').left(), "the job does not shrink");
    }

    @Test
    void shouldHoldBackTheTextOfALauncherThatNeverJoins()
    {
        final NodeStderr stderr = copy("Welcome\n\nPermission denied (publickey).\r\n");

        assertFalse(stderr.isJoined());
        assertEquals("", text());
        assertEquals("Welcome; Permission denied (publickey).", stderr.diagnostics());
    }

    @Test
    void shouldPreferTheLinesOfTheLauncher()
    {
        assertEquals("there is no class X", copy("noise\naeroshmem: there is no class X\nbye\n").diagnostics());
        assertEquals("", copy("\n").diagnostics());
    }

    @Test
    void shouldKeepTheEndOfALongText()
    {
        assertEquals("the end", copy("x".repeat(1 << 20) + "\naeroshmem: the end\n").diagnostics());
    }

    private NodeStderr copy(final String text)
    {
        // a byte at a time: the mark arrives in pieces
        final InputStream source = new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8))
        {
            @Override
            public synchronized int read(final byte[] bytes, final int offset, final int length)
            {
                return super.read(bytes, offset, Math.min(length, text.length() > 1000 ? length : 1));
            }
        };
        final PrintStream destination = new PrintStream(output, true, StandardCharsets.UTF_8);
        final NodeStderr stderr = new NodeStderr(new LineOutput(false).channel(destination));
        new LineSplitter(source, null, () -> "", stderr, null, (ex) -> {}).run();
        return stderr;
    }

    private String text()
    {
        return output.toString(StandardCharsets.UTF_8);
    }
}
