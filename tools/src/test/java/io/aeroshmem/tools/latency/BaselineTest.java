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
package io.aeroshmem.tools.latency;

import io.aeroshmem.tools.exit.CommandException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class BaselineTest
{
    @TempDir
    private Path directory;
    private Path file;

    @BeforeEach
    void writeBaseline() throws IOException
    {
        file = directory.resolve("baseline.csv");
        Files.write(file, List.of(
            "# another program",
            CsvWriter.HEADER,
            "barrier,oshmem,2,0,100,50,80,90,100,110,120,85.0,0,0",
            "barrier,ipc,2,0,100,50,400,90,100,110,120,85.0,0,0",
            "put_rate,mapped,2,8,100,,,,,,,20.0,0,0",
            ""));
    }

    @Test
    void shouldDivideByTheRowOfTheSameTransportOrAny()
    {
        final Baseline baseline = Baseline.read(file);
        assertEquals(0.5, baseline.ratio(samples("barrier", "ipc", 0, 200)));
        assertEquals(2.5, baseline.ratio(samples("barrier", "mapped", 0, 200)));
        assertEquals(0.25, baseline.ratio(LatencyRow.ofRate("put_rate", "mapped", 2, 8, 10, 50)));
        assertTrue(Double.isNaN(baseline.ratio(samples("sync", "mapped", 0, 200))));
        assertTrue(Double.isNaN(baseline.ratio(samples("barrier", "mapped", 8, 200))));
    }

    /** As spreadsheets write it. */
    @Test
    void shouldReadAByteOrderMarkAndOtherEndsOfLines() throws IOException
    {
        Files.writeString(file, "\ufeff" + CsvWriter.HEADER +
            "\r\nbarrier,oshmem,2,0,100,50,80,90,100,110,120,85.0,0,0\r\n\r\n  \r\n");
        assertEquals(2.5, Baseline.read(file).ratio(samples("barrier", "mapped", 0, 200)));
        Files.writeString(file, "\ufeffbarrier,oshmem,2,0,100,50,80,90,100,110,120,85.0,0,0\n");
        assertEquals(2.5, Baseline.read(file).ratio(samples("barrier", "mapped", 0, 200)));
    }

    @Test
    @Timeout(30)
    void shouldReadNoDevice()
    {
        final String message =
            assertThrows(CommandException.class, () -> Baseline.read(Path.of("/dev/zero"))).getMessage();
        assertEquals("cannot read the baseline /dev/zero: not a regular file", message);
    }

    @Test
    void shouldStandBesideTheRows()
    {
        assertTrue(row(LatencyFormat.TABLE).endsWith("   2.50"), row(LatencyFormat.TABLE));
        assertTrue(row(LatencyFormat.JSON).endsWith(", \"baseline_ratio\": 2.500}"), row(LatencyFormat.JSON));
        assertEquals(CsvWriter.format(samples("barrier", "mapped", 0, 200)), row(LatencyFormat.CSV));
    }

    private String row(final LatencyFormat format)
    {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        format.writer(new PrintStream(bytes, true, StandardCharsets.UTF_8), Baseline.read(file))
            .row(samples("barrier", "mapped", 0, 200));
        return bytes.toString(StandardCharsets.UTF_8).stripTrailing();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "# nothing", "barrier,mapped,2", "barrier,mapped,2,0,100,50,x,90,100,110,120,85.0,0,0"})
    void shouldRejectOtherFiles(final String line) throws IOException
    {
        Files.write(file, List.of(line));
        final String message = assertThrows(CommandException.class, () -> Baseline.read(file)).getMessage();
        assertTrue(message.contains(file.toString()), message);
        assertThrows(CommandException.class, () -> Baseline.read(directory.resolve("missing.csv")));
    }

    private static LatencyRow samples(final String operation, final String transport, final long bytes, final long ns)
    {
        return LatencyRow.ofSamples(
            operation, transport, 2, bytes, LatencyRow.CLOSED, new long[]{ns, ns, ns}, 3, 3 * ns);
    }
}
