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

import io.aeroshmem.tools.histogram.HistogramFiles;
import io.aeroshmem.tools.histogram.HistogramKey;
import io.aeroshmem.tools.plot.SizeChart;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ResultFilesTest
{
    /** That of {@code results-plotter.py} of the Aeron benchmarks. */
    private static final Pattern PLOTTER =
        Pattern.compile("(?<type>[a-z-]+)_(?<scenario>[^_]+)_(?<params>([^=_]+=[^_]+_?)+)-report.hgrm");

    @TempDir
    private Path directory;

    @Test
    void shouldNameDistributionsForThePlotterOfTheAeronBenchmarks() throws IOException
    {
        for (final LatencyOperation operation : LatencyOperation.values())
        {
            if (!operation.isRate())
            {
                write(operation, HeapKind.PINNED, true, 10_000, new PePair(0, 11), 4096);
            }
        }

        write(LatencyOperation.PUT, HeapKind.HOST, false, 0, null, 8);

        try (Stream<Path> files = Files.list(directory))
        {
            final List<String> names = files.map((file) -> file.getFileName().toString())
                .filter((name) -> !name.endsWith(".hlog")).toList();
            assertTrue(names.size() > 30, names::toString);
            for (final String name : names)
            {
                assertTrue(PLOTTER.matcher(name).lookingAt(), name);
            }
        }

        final Matcher matcher = PLOTTER.matcher(
            "atomic-add-on-stream_udp_pes=12_heap=pinned_from=0_to=11_rate=10000_bytes=4096-report.hgrm");
        assertTrue(matcher.matches() && Files.exists(directory.resolve(matcher.group())), directory::toString);
        assertEquals("atomic-add-on-stream", matcher.group("type"));
        assertEquals("udp", matcher.group("scenario"));
        assertEquals("pes=12_heap=pinned_from=0_to=11_rate=10000_bytes=4096", matcher.group("params"));
        assertTrue(Files.exists(directory.resolve("put_udp_pes=12_bytes=8-report.hgrm")));
    }

    @Test
    void shouldBeReadBackUnderTheSameKeys() throws IOException
    {
        write(LatencyOperation.PUT_SIGNAL, HeapKind.HOST, false, 500, null, 8);
        final Path log = directory.resolve("put-signal_udp_pes=12_rate=500_bytes=8.hlog");
        final Path distribution = directory.resolve("put-signal_udp_pes=12_rate=500_bytes=8-report.hgrm");
        for (final Path file : List.of(log, distribution, directory))
        {
            final Map<HistogramKey, Histogram> read =
                HistogramFiles.read(List.of(file), 1).by(EnumSet.allOf(HistogramKey.Part.class));
            final HistogramKey key = new HistogramKey("", "udp_pes=12_rate=500", "put_signal", "8B");
            assertEquals(List.of(key), List.copyOf(read.keySet()));
            assertEquals(4, read.get(key).getTotalCount());
            assertEquals(400, read.get(key).getMaxValue());
        }
    }

    @Test
    void shouldChartOperationsThatWereMeasuredWithSeveralSizes() throws IOException
    {
        final ResultFiles files = new ResultFiles(directory, plan(HeapKind.HOST, false));
        files.begin(LatencyRowTest.ENVIRONMENT);
        files.add(row("put", 8, 0, null));
        files.add(row("put", 4096, 0, null));
        files.add(row("get", 8, 0, null));
        files.add(LatencyRow.ofRate("put_bw", "udp", 12, 8, 100, 1000));
        files.add(LatencyRow.ofRate("put_bw", "udp", 12, 64, 100, 1000));
        files.add(LatencyRow.ofRate("put_rate", "udp", 12, 8, 100, 1000));
        assertFalse(Files.exists(directory.resolve("results.csv")));
        files.end();

        final List<SizeChart> charts = SizeCurves.read(directory);
        assertEquals(2, charts.size());
        assertEquals(Map.of("put, udp, 12 PEs", Map.of(8L, 200.0, 4096L, 200.0)), charts.get(0).series());
        assertEquals(charts.get(0).series().keySet(), charts.get(0).dashed().keySet());
        assertEquals(Map.of("put_bw, udp, 12 PEs", Map.of(8L, 800.0, 64L, 6400.0)), charts.get(1).series());
        assertTrue(Files.readString(directory.resolve("results.csv")).startsWith(CsvWriter.HEADER + "\n# 2 PEs"));
    }

    @ParameterizedTest
    @ValueSource(strings = { "results.csv", "results.csv.part" })
    void shouldNeitherReplaceNorAwaitAFifo(final String name) throws Exception
    {
        final Path fifo = directory.resolve(name);
        assertEquals(0, new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor());
        final ResultFiles files = new ResultFiles(directory, plan(HeapKind.HOST, false));

        final IOException ex =
            assertThrows(IOException.class, () -> files.begin(LatencyRowTest.ENVIRONMENT));

        assertEquals(fifo + ": not a file", ex.getMessage());
        assertTrue(Files.exists(fifo) && !Files.isRegularFile(fifo));
    }

    private void write(
        final LatencyOperation operation,
        final HeapKind kind,
        final boolean isOnStream,
        final long rate,
        final PePair pairOrNull,
        final long bytes) throws IOException
    {
        final LatencyPlan plan = plan(kind, isOnStream);
        final LatencyRow row = row(plan.name(operation, ReducedValue.SUM_OF_LONGS, rate), bytes, rate, pairOrNull);
        new ResultFiles(directory, plan).write(
            operation, row, pairOrNull, new long[]{100, 200, 300, 400}, 1_700_000_000_000L, 5_000);
    }

    private static LatencyPlan plan(final HeapKind kind, final boolean isOnStream)
    {
        return new LatencyPlan(List.of(), List.of(), List.of(ReducedValue.SUM_OF_LONGS), 1, 1, LatencyFormat.CSV,
            LatencyVariation.NONE, null, null, List.of(), "udp", kind, isOnStream, "1.0", false, true, true);
    }

    private static LatencyRow row(final String name, final long bytes, final long rate, final PePair pairOrNull)
    {
        return LatencyRow.ofSamples(name, "udp", 12, bytes, rate, new long[]{100, 200, 300, 400}, 4, 5_000);
    }
}
