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
package io.aeroshmem.tools;

import io.aeroshmem.tools.latency.ProgressLine;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

import static org.junit.jupiter.api.Assertions.assertEquals;

class ProgressOutputTest
{
    private final ByteArrayOutputStream output = new ByteArrayOutputStream();
    private final ByteArrayOutputStream terminal = new ByteArrayOutputStream();
    private final PrintStream stream = new PrintStream(
        new ProgressOutput(new PrintStream(output, true), new PrintStream(terminal, true)), false,
        StandardCharsets.UTF_8);

    @Test
    void shouldShowProgressOnTheTerminalOnly()
    {
        stream.print("header\n" + ProgressLine.MARK + "[1/2] put\n" + ProgressLine.MARK + "[2/");
        stream.flush();
        assertEquals("header\n", output.toString());
        assertEquals("\r\u001b[K[1/2] put", terminal.toString());

        stream.print("2] get\nrow\nrow\n");
        stream.flush();
        assertEquals("header\nrow\nrow\n", output.toString());
        assertEquals("\r\u001b[K[1/2] put\r\u001b[K[2/2] get\r\u001b[K", terminal.toString());
    }

    @Test
    void shouldPassUnfinishedLinesOn()
    {
        stream.print("{ é" + ProgressLine.MARK + "[1/2] put\n}\n");
        stream.flush();
        assertEquals("{ é}\n", output.toString(StandardCharsets.UTF_8));
    }
}
