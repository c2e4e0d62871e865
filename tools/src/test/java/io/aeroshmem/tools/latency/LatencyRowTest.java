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

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class LatencyRowTest
{
    static final LatencyEnvironment ENVIRONMENT = new LatencyEnvironment(
        "1.0", "1.51.0", "none", "mapped", 2, "host", "VM \"x\" 17", List.of("-Xmx1g", "-Da=\\b"), "Linux amd64", 2,
        "not pinned", new MachineDescription("CPU", "performance", "madvise", "never", "0 of 2048 kB", 1));

    private final LatencyRow row = new LatencyRow("put", "mapped", 2, 4096, 1000, 90, 100, 110, 120, 130, 5000, 102.4,
        9_765_625, LatencyRow.CLOSED, null, new JvmCosts(64, 1, 3));
    private final LatencyRow rate = LatencyRow.ofRate("put_rate", "ipc", 2, 8, 1_000_000, 40_000_000);

    @Test
    void shouldComputePercentiles()
    {
        final long[] samples = new long[1000];
        for (int i = 0; i < samples.length; i++)
        {
            samples[i] = samples.length - i;
        }

        final LatencyRow actual = LatencyRow.ofSamples(
            "get", "mapped", 2, 8, LatencyRow.CLOSED, samples, samples.length, 2_000_000);

        assertEquals(
            new LatencyRow("get", "mapped", 2, 8, 1000, 1, 500, 900, 990, 999, 1000, 2000.0, 500_000,
            LatencyRow.CLOSED, null, JvmCosts.NONE), actual);
    }

    /** The table, CSV and JSON show the former, the plot and {@code aeroshmem histogram} the latter. */
    @Test
    void shouldComputeThePercentilesOfHdrHistogram()
    {
        for (int count = 1; count <= 2_000; count++)
        {
            final long[] samples = LongStream.rangeClosed(1, count).toArray();
            final Histogram histogram = new Histogram(5);
            Arrays.stream(samples).forEach(histogram::recordValue);
            final LatencyRow actual =
                LatencyRow.ofSamples("get", "mapped", 2, 8, LatencyRow.CLOSED, samples, count, count);
            assertEquals(
                List.of(
                    histogram.getMinValue(),
                    histogram.getValueAtPercentile(50),
                    histogram.getValueAtPercentile(90),
                    histogram.getValueAtPercentile(99),
                    histogram.getValueAtPercentile(99.9),
                    histogram.getMaxValue()),
                List.of(
                    actual.minNs(), actual.p50Ns(), actual.p90Ns(), actual.p99Ns(), actual.p999Ns(), actual.maxNs()));
        }
    }

    @Test
    void shouldSeparateTheLatenciesOfAnOpenLoopFromItsRate()
    {
        final LatencyRow actual =
            LatencyRow.ofSamples("get", "mapped", 2, 8, 1000, new long[]{100, 200, 600}, 3, 3_000_000);

        assertEquals(300.0, actual.meanNs());
        assertEquals(1000.0, actual.opsPerSecond());
        final String json = JsonWriter.format(actual, null);
        assertTrue(json.contains("\"open_loop_rate\": 1000"), json);
    }

    @Test
    void shouldNameThePairOfPes()
    {
        final LatencyRow actual = new LatencyRow("put", "mapped", 3, 8, 1, 1, 1, 1, 1, 1, 1, 1, 1e9, 0,
            new PePair(2, 0), JvmCosts.NONE);

        assertTrue(CsvWriter.format(actual).startsWith("put_2_to_0,mapped,3,8,1,"), CsvWriter.format(actual));
        final String json = JsonWriter.format(actual, null);
        assertTrue(json.contains("\"from_pe\": 2, \"to_pe\": 0"), json);
    }

    @Test
    void shouldUseOnlyTheMeasuredSamples()
    {
        final LatencyRow actual = LatencyRow.ofSamples(
            "get", "mapped", 2, 8, LatencyRow.CLOSED, new long[]{ 3, 9, 0, 0 }, 2, 12);

        assertEquals(3, actual.minNs());
        assertEquals(9, actual.maxNs());
        assertEquals(6.0, actual.meanNs());
    }

    @Test
    void shouldPrintTheRowsOfTheCPrograms()
    {
        assertEquals(
            "operation,transport,pes,bytes,samples,min_ns,p50_ns,p90_ns,p99_ns,p999_ns,max_ns,mean_ns,ops_per_s," +
            "mb_per_s",
            CsvWriter.HEADER);
        assertEquals("put,mapped,2,4096,1000,90,100,110,120,130,5000,102.4,9765625,40000.0", CsvWriter.format(row));
    }

    @Test
    void shouldLeaveTheTimesOfARateEmpty()
    {
        assertEquals("put_rate,ipc,2,8,1000000,,,,,,,40.0,25000000,200.0", CsvWriter.format(rate));
    }

    @Test
    void shouldPrintTheHeaderOnceForSeveralJobs()
    {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        writeTwoJobs(LatencyFormat.CSV.writer(new PrintStream(bytes, true, StandardCharsets.UTF_8), null));

        assertEquals(
            String.join(System.lineSeparator(),
            CsvWriter.HEADER, CsvWriter.format(row), CsvWriter.format(rate), CsvWriter.format(row), ""),
            bytes.toString(StandardCharsets.UTF_8));
    }

    @Test
    void shouldPrintOneJsonDocumentForSeveralJobs()
    {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        writeTwoJobs(LatencyFormat.JSON.writer(new PrintStream(bytes, true, StandardCharsets.UTF_8), null));

        final String job = "{\"version\":\"1.0\",\"aeron\":\"1.51.0\",\"driver\":\"none\"," +
            "\"transport\":\"mapped\",\"pes\":2,\"heap\":\"host\"," +
            "\"jdk\":\"VM\\\"x\\\"17\"," +
            "\"jvm_options\":[\"-Xmx1g\",\"-Da=\\\\b\"],\"system\":\"Linuxamd64\",\"processors\":2," +
            "\"pinning\":\"notpinned\",\"cpu\":\"CPU\",\"governors\":\"performance\",\"numa_nodes\":1," +
            "\"transparent_huge_pages\":\"madvise\",\"shared_huge_pages\":\"never\"," +
            "\"reserved_huge_pages\":\"0of2048kB\",\"results\":[";
        final String first = "{\"operation\":\"put\",\"transport\":\"mapped\",\"pes\":2,\"bytes\":4096," +
            "\"samples\":1000," +
            "\"min_ns\":90,\"p50_ns\":100,\"p90_ns\":110,\"p99_ns\":120,\"p999_ns\":130,\"max_ns\":5000," +
            "\"mean_ns\":102.4,\"ops_per_s\":9765625,\"mb_per_s\":40000.0," +
            "\"allocated_bytes\":64,\"gc_collections\":1,\"gc_pause_ms\":3}";
        final String second = "{\"operation\":\"put_rate\",\"transport\":\"ipc\",\"pes\":2,\"bytes\":8," +
            "\"samples\":1000000,\"min_ns\":null,\"p50_ns\":null,\"p90_ns\":null,\"p99_ns\":null,\"p999_ns\":null," +
            "\"max_ns\":null,\"mean_ns\":40.0,\"ops_per_s\":25000000,\"mb_per_s\":200.0," +
            "\"allocated_bytes\":0,\"gc_collections\":0,\"gc_pause_ms\":0}";
        assertEquals(
            "[" + job + first + "," + second + "]}," + job + first + "]}]",
            bytes.toString(StandardCharsets.UTF_8).replaceAll("\\s", ""));
    }

    private void writeTwoJobs(final RowWriter writer)
    {
        writer.begin(ENVIRONMENT, true);
        writer.row(row);
        writer.row(rate);
        writer.end(false);
        writer.begin(ENVIRONMENT, false);
        writer.row(row);
        writer.end(true);
    }
}
