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

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class TableWriterTest
{
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final TableWriter writer = new TableWriter(new PrintStream(bytes, true, StandardCharsets.UTF_8), null);

    @Test
    void shouldFitEightyColumns()
    {
        writer.begin(LatencyRowTest.ENVIRONMENT, true);
        for (final LatencyOperation operation : LatencyOperation.values())
        {
            final String name = operation.lowerCaseName() + "_on_stream_at_1000000000";
            final long most = 99_999_999_999L;
            writer.row(LatencyRow.ofRate(name, "udp", 2, 99_999, 1_000_000_000, 1_000_000));
            writer.row(LatencyRow.ofRate(operation.lowerCaseName(), "udp", 2, 99_999_999, 1, most));
            writer.row(LatencyRow.ofSamples(
                name, "udp", 2, (1L << 40) - 1, 1, new long[]{99_999, 9_999_499, 9_999_499_999L, most}, 4, most));
        }

        writer.end(true);
        lines().forEach((line) -> assertTrue(line.length() <= 80, line));
        assertTrue(lines().stream().anyMatch((line) -> line.startsWith("_at_N is an open loop")), lines()::toString);
    }

    @Test
    void shouldReportAllocationPerCallAndCollections()
    {
        writer.begin(LatencyRowTest.ENVIRONMENT, true);
        writer.row(new LatencyRow("put", "mapped", 2, 4096, 1000, 90, 100, 110, 120, 130, 5000, 102.4, 9_765_625,
            LatencyRow.CLOSED, null, new JvmCosts(24_000, 3, 17)));
        writer.end(true);
        final List<String> lines = lines();
        assertTrue(lines.contains(
            "put                        4096    100    120    130   5000  9.77M  40000     24"), lines::toString);
        assertTrue(lines.contains("Most of any PE during the calls of a row: 24000 bytes allocated,"), lines::toString);
        assertTrue(lines.contains("3 garbage collections of 17 ms together"), lines::toString);
    }

    @Test
    void shouldPrintPairsAsATableWhenItIsComplete()
    {
        writer.begin(LatencyRowTest.ENVIRONMENT, true);
        bytes.reset();
        for (int from = 0; from < 12; from++)
        {
            for (int to = 0; to < 12; to++)
            {
                if (from != to)
                {
                    assertEquals("", bytes.toString(StandardCharsets.UTF_8));
                    writer.row(new LatencyRow("put", "mapped", 12, 8, 10, 1, 100 * from + to, 1, 1, 1, 1, 1, 1, 0,
                        new PePair(from, to), JvmCosts.NONE));
                }
            }
        }

        final List<String> lines = lines();
        assertEquals("put, 8 bytes: p50, callers down, targets across", lines.get(0));
        assertEquals("PE          0      1      2      3      4      5      6      7      8      9", lines.get(1));
        assertEquals("1         100           102    103    104    105    106    107    108    109", lines.get(3));
        assertEquals("PE         10     11", lines.get(14));
        assertEquals("1         110    111", lines.get(16));
        assertEquals(28, lines.size());
    }

    private List<String> lines()
    {
        return bytes.toString(StandardCharsets.UTF_8).lines().map(String::stripTrailing).toList();
    }
}
