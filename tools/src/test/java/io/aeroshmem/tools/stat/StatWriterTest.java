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
package io.aeroshmem.tools.stat;

import io.aeroshmem.tools.format.JsonReader;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.JobView;
import io.aeroshmem.transport.job.PeActivities;
import io.aeroshmem.transport.job.PeCounter;
import io.aeroshmem.transport.job.RecoveryTimes;
import io.aeroshmem.transport.job.RetainedView;
import io.aeroshmem.transport.job.SpareFile;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class StatWriterTest
{
    private static final String ID = "00112233445566778899aabbccddeeff";
    private static final long NOW_MS = 1_800_000_000_000L;

    @Test
    void shouldPrintATableOf80Columns()
    {
        final String text = print(new StatTable(), job(2000, 1000), job(0, 0));
        final List<String> lines = text.lines().toList();
        assertEquals("job " + ID, lines.get(0));
        assertEquals("2 PEs, created by pid 4711, 60.0s ago", lines.get(1));
        assertEquals("failed: PE 1 was killed", lines.get(2));
        final String row = "   0   12345 RUNNING     0.1s 67.1M   500k 2.00k  1.00k      0     3     4     0";
        assertEquals(row, lines.get(4));
        assertEquals("              blocked in barrier on team WORLD, call 17, 3.0s", lines.get(5));
        assertEquals("   1       - ABSENT         -     -      -     -      -      -     -     -     -", lines.get(6));
        assertTrue(lines.stream().allMatch((line) -> line.length() <= 80), text);
        assertEquals(lines.get(3).length(), row.length());
    }

    @Test
    void shouldPrintOperationsByKindIn80Columns()
    {
        final List<String> lines = print(new StatOperations(), job(2000, 1000), job(0, 0)).lines().toList();
        assertEquals("job " + ID, lines.get(0));
        assertEquals("failed: PE 1 was killed", lines.get(2));
        assertEquals("  PE put/s get/s amo/s sig/s coll/s sent/s recv/s bpres  ring reply frame error", lines.get(3));
        assertEquals("   0 2.00k     0     0     0   500k  1.00k      0     0     4     0     0     0", lines.get(4));
        assertEquals("   1     -     -     -     -      -      -      -     -     -     -     -     -", lines.get(5));
        assertTrue(lines.stream().allMatch((line) -> line.length() <= 80), lines::toString);
    }

    @Test
    void shouldPrintTheOperationsThatAPeHasIssued()
    {
        final JobView.Snapshot now = job(2000, 1000);
        now.pes().get(0).counters()[PeCounter.PUTS_ISSUED.ordinal()] = 3000;
        now.pes().get(0).counters()[PeCounter.BYTES_PUT.ordinal()] = 24_000;
        final List<String> lines = print(new StatOperations(), now, job(0, 0)).lines().toList();
        assertEquals("     3.00k     0     0     0 issued  24.0k put      0 got", lines.get(5));
        assertEquals("   1     -     -", lines.get(6).substring(0, 16));
    }

    @Test
    void shouldPrintRatesSinceTheStartWithoutAnEarlierState()
    {
        final StringWriter text = new StringWriter();
        new StatTable().write(new PrintWriter(text, true), List.of(job(60_000, 120_000)), List.of());
        assertTrue(text.toString().contains(" 67.1M  8.33k 1.00k  2.00k "), text.toString());
    }

    @Test
    void shouldPrintJson()
    {
        final String text = print(new StatJson(), job(2000, 1000), job(0, 0));
        assertTrue(text.startsWith("[\n  {\"job\": \"" + ID + "\", "), text);
        assertTrue(text.contains("\"failure\": \"PE 1 was killed\""), text);
        assertTrue(text.contains("\"blocked_in\": \"barrier on team WORLD\""), text);
        assertTrue(text.contains("\"puts\": 2000, "), text);
        assertTrue(text.contains("\"puts\": null, "), text);
        final Map<?, ?> job = (Map<?, ?>)((List<?>)JsonReader.read(text)).get(0);
        assertEquals(2, ((List<?>)job.get("pes")).size());
    }

    @Test
    void shouldPrintOpenMetrics()
    {
        final String text = print(new OpenMetrics(), job(2000, 1000), job(0, 0));
        assertTrue(text.contains("# TYPE aeroshmem_puts counter\n"), text);
        assertTrue(text.contains("\naeroshmem_puts_total{job=\"" + ID + "\",pe=\"0\"} 2000\n"), text);
        assertTrue(text.contains("# TYPE aeroshmem_heap_used gauge\n"), text);
        assertTrue(text.contains("\naeroshmem_heap_used{job=\"" + ID + "\",pe=\"0\"} 67108864\n"), text);
        assertTrue(text.contains("\naeroshmem_pe_heartbeat_seconds{job=\"" + ID + "\",pe=\"0\"} 0.100\n"), text);
        assertTrue(text.endsWith("\n# EOF\n"), text);
        assertEquals(PeCounter.values().length + 6, text.lines().filter((line) -> line.startsWith("# TYPE")).count());
    }

    /** Histograms have cumulative buckets; quantiles are those of everything. */
    @Test
    void shouldPrintLatenciesInOpenMetrics()
    {
        final String text = print(new OpenMetrics(), job(2000, 1000), job(0, 0));
        final String labels =
            "{job=\"" + ID + "\",pe=\"0\",team=\"WORLD\",operation=\"reduce\",size=\"to-8B\"";
        assertTrue(text.contains("# TYPE aeroshmem_latency_seconds histogram\n"), text);
        assertTrue(text.contains("\naeroshmem_latency_seconds_bucket" + labels + ",le=\"0.0000001\"} 2\n"), text);
        assertTrue(text.contains("\naeroshmem_latency_seconds_bucket" + labels + ",le=\"0.000002\"} 2\n"), text);
        assertTrue(text.contains("\naeroshmem_latency_seconds_bucket" + labels + ",le=\"0.000005\"} 3\n"), text);
        assertTrue(text.contains("\naeroshmem_latency_seconds_bucket" + labels + ",le=\"50.0\"} 3\n"), text);
        assertTrue(text.contains("\naeroshmem_latency_seconds_bucket" + labels + ",le=\"+Inf\"} 3\n"), text);
        assertTrue(text.contains("\naeroshmem_latency_seconds_count" + labels + "} 3\n"), text);
        assertTrue(text.contains("\naeroshmem_latency_seconds_sum" + labels + "} 0.0000032"), text);
        assertTrue(text.contains("# TYPE aeroshmem_latency_quantile_seconds summary\n"), text);
        assertTrue(text.contains(
            "\naeroshmem_latency_quantile_seconds" + labels + ",quantile=\"0.5\"} 0.0000001\n"), text);
        assertTrue(text.contains(
            "\naeroshmem_latency_quantile_seconds" + labels + ",quantile=\"1.0\"} 0.000003"), text);
    }

    /** The table has those since the earlier state, or all without one. */
    @Test
    void shouldPrintLatenciesSinceTheEarlierState()
    {
        final List<String> lines = print(new StatLatencies(), job(2000, 1000), job(0, 0)).lines().toList();
        assertEquals("ns                                    count    p50    p90    p99  p99.9    max", lines.get(3));
        assertEquals("WORLD.reduce.to-8B.pe0                    1   3007   3007   3007   3007   3007", lines.get(4));
        final StringWriter all = new StringWriter();
        new StatLatencies().write(new PrintWriter(all, true), List.of(job(2000, 1000)), List.of());
        assertTrue(all.toString().contains("\nWORLD.reduce.to-8B.pe0                    3    100 "), all::toString);
        final Map<?, ?> job = (Map<?, ?>)((List<?>)JsonReader.read(
            print(new StatJson(), job(2000, 1000), job(0, 0)))).get(0);
        final Map<?, ?> pe = (Map<?, ?>)((List<?>)job.get("pes")).get(0);
        final Map<?, ?> latency = (Map<?, ?>)((List<?>)pe.get("latencies")).get(0);
        assertEquals("reduce", latency.get("operation"));
        assertEquals("3", latency.get("count").toString());
        assertEquals("100", latency.get("p50_ns").toString());
    }

    /** What a PE publishes: a log of HdrHistogram whose only interval is all of it. */
    private static String latencies(final long... ns)
    {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        final HistogramLogWriter writer = new HistogramLogWriter(bytes);
        final Histogram histogram = new Histogram(TimeUnit.MINUTES.toNanos(1), 2);
        for (final long value : ns)
        {
            histogram.recordValue(value);
        }

        histogram.setTag("WORLD.reduce.to-8B");
        writer.outputLogFormatVersion();
        writer.outputLegend();
        writer.outputIntervalHistogram(0, 1, histogram);
        return bytes.toString(StandardCharsets.ISO_8859_1);
    }

    private static String print(final StatWriter writer, final JobView.Snapshot now, final JobView.Snapshot before)
    {
        final StringWriter text = new StringWriter();
        writer.write(new PrintWriter(text, true), List.of(now), List.of(before));
        return text.toString().replace(System.lineSeparator(), "\n");
    }

    @Test
    void shouldPrintTheGenerationOfARecoverableJob()
    {
        final JobFailure previous = new JobFailure(JobFailure.Kind.PE_DIED, 0, 137, "PE 0 died: " + "x".repeat(80));
        final JobView.Snapshot job = job(2000, 1000, 3, previous);
        final List<String> lines = print(new StatTable(), job, job(0, 0)).lines().toList();
        assertTrue(lines.get(2).startsWith("generation 3; the one before failed: PE 0 died: x"), lines::toString);
        assertEquals(80, lines.get(2).length());
        assertEquals(List.of(
            "running 812 ms after the failure (members known 402, started 431, joined 800 ms)",
            "recoverable: recovery-" + ID + ", lease 600.0s",
            "spare processes: 1 ready, 1 starting",
            "  book                        65536 bytes, version 2, RETAINED on PE 0; ZEROED …",
            "  x\"y                             8 bytes, version 0, RETAINED",
            "failed: PE 1 was killed"), lines.subList(3, 9));
        final String json = print(new StatJson(), job, job(0, 0)).replaceAll("\\n *", " ").replace("[ ", "[")
            .replace(" ]", "]");
        assertTrue(json.contains("\"generation\": 3, \"previous_failure\": \"PE 0 died: x"), json);
        assertTrue(json.contains("\"recovery_ms\": {\"detected\": " + NOW_MS + ", "), json);
        assertTrue(json.contains("{\"name\": \"x\\\"y\\u000a\", \"bytes\": 8, \"layout_version\": 0, \"states\": " +
            "[\"RETAINED\", \"RETAINED\"]}"), json);
        assertTrue(json.contains(
            "\"spares\": [{\"pid\": 4712, \"ready\": true}, {\"pid\": 0, \"ready\": false}]"), json);
        final String metrics = print(new OpenMetrics(), job, job(0, 0));
        assertTrue(metrics.contains("\naeroshmem_recovery_spares{job=\"" + ID + "\"} 1\n"), metrics);
        assertTrue(metrics.contains("\naeroshmem_recovery_lease_seconds{job=\"" + ID + "\"} 600.000\n"), metrics);
        assertTrue(metrics.contains("\naeroshmem_retained_allocation_bytes{job=\"" + ID +
            "\",pe=\"1\",name=\"x\\\"y\\n\",state=\"RETAINED\"} 8\n"), metrics);
    }

    private static JobView.Snapshot job(final long puts, final long bytesSent)
    {
        return job(puts, bytesSent, 0, null);
    }

    private static JobView.Snapshot job(
        final long puts, final long bytesSent, final int generation, final JobFailure previousFailure)
    {
        final long[] counters = new long[PeCounter.values().length];
        counters[PeCounter.PUTS.ordinal()] = puts;
        counters[PeCounter.BYTES_SENT.ordinal()] = bytesSent;
        counters[PeCounter.HEAP_USED.ordinal()] = 64 << 20;
        counters[PeCounter.RECORDS_OUTSTANDING.ordinal()] = 3;
        counters[PeCounter.RING_FULL.ordinal()] = 4;
        counters[PeCounter.COLLECTIVES.ordinal()] = 0 == puts ? 0 : 500_000;
        final long takenMs = 0 == puts ? NOW_MS - 1000 : NOW_MS;
        final PeActivities.Activity activity =
            new PeActivities.Activity(NOW_MS - 3000, NOW_MS, false, 1, 17, 0, 0, "barrier on team WORLD");
        return new JobView.Snapshot(
            Path.of("/dev/shm/aeroshmem-0", ID),
            4711,
            NOW_MS - 60_000,
            takenMs,
            generation,
            previousFailure,
            0 == generation ? null : new RecoveryTimes(List.of(NOW_MS, NOW_MS + 402, NOW_MS + 431, NOW_MS + 800,
                NOW_MS + 812)),
            0 == generation ? null : new RetainedView(
                Path.of("/dev/shm/aeroshmem-0", "recovery-" + ID), takenMs + 600_000,
                List.of(new SpareFile.Spare(4712, true), new SpareFile.Spare(0, false)),
                List.of(
                    new RetainedView.Allocation("book", 65_536, 2, List.of("RETAINED", "ZEROED")),
                    new RetainedView.Allocation("x\"y\n", 8, 0, List.of("RETAINED", "RETAINED")))),
            false,
            new JobFailure(JobFailure.Kind.PE_FAILED, 1, 0, "PE 1 was killed"),
            Arrays.asList(
                new JobView.Pe(0, 12345, "a", "RUNNING", takenMs - 100, activity, counters,
                    0 == puts ? latencies(100, 100) : latencies(100, 100, 3000)),
                new JobView.Pe(1, 0, "", "ABSENT", 0, null, new long[0], "")));
    }
}
