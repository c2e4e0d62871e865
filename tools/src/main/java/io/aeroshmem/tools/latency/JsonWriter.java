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

import io.aeroshmem.tools.format.JsonText;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Writes one JSON array with an object per job: the environment of the job, then its rows. A row has a member for each
 * CSV column, with the name of the column, and further members.
 */
final class JsonWriter implements RowWriter
{
    private final PrintStream output;
    private final Baseline baseline;
    private boolean hasRow;

    /**
     * @param baseline whose ratios are further members, or null.
     */
    JsonWriter(final PrintStream output, final Baseline baseline)
    {
        this.output = output;
        this.baseline = baseline;
    }

    @Override
    public void begin(final LatencyEnvironment environment, final boolean isFirst)
    {
        output.println(isFirst ? "[" : ",");
        output.println("  {");
        output.println("    \"version\": " + JsonText.quote(environment.version()) + ",");
        output.println("    \"aeron\": " + JsonText.quote(environment.aeron()) + ",");
        output.println("    \"driver\": " + JsonText.quote(environment.driver()) + ",");
        output.println("    \"transport\": " + JsonText.quote(environment.transport()) + ",");
        output.println("    \"pes\": " + environment.pes() + ",");
        output.println("    \"heap\": " + JsonText.quote(environment.heap()) + ",");
        output.println("    \"jdk\": " + JsonText.quote(environment.jdk()) + ",");
        output.println("    \"jvm_options\": " + quote(environment.jvmOptions()) + ",");
        output.println("    \"system\": " + JsonText.quote(environment.system()) + ",");
        output.println("    \"processors\": " + environment.processors() + ",");
        output.println("    \"pinning\": " + JsonText.quote(environment.pinning()) + ",");
        begin(environment.machine());
        output.print("    \"results\": [");
        output.flush();
        hasRow = false;
    }

    private void begin(final MachineDescription machine)
    {
        output.println("    \"cpu\": " + JsonText.quote(machine.cpu()) + ",");
        output.println("    \"governors\": " + JsonText.quote(machine.governors()) + ",");
        output.println("    \"numa_nodes\": " + (0 == machine.numaNodes() ? "null" : machine.numaNodes()) + ",");
        output.println("    \"transparent_huge_pages\": " + JsonText.quote(machine.transparentPages()) + ",");
        output.println("    \"shared_huge_pages\": " + JsonText.quote(machine.sharedPages()) + ",");
        output.println("    \"reserved_huge_pages\": " + JsonText.quote(machine.explicitPages()) + ",");
    }

    @Override
    public void row(final LatencyRow row)
    {
        output.println(hasRow ? "," : "");
        output.print("      " + (null == baseline ? format(row) : format(row, baseline.ratio(row))));
        output.flush();
        hasRow = true;
    }

    @Override
    public void end(final boolean isLast)
    {
        output.println();
        output.println("    ]");
        output.print("  }");
        if (isLast)
        {
            output.println();
            output.println("]");
        }

        output.flush();
    }

    static String format(final LatencyRow row)
    {
        return String.format(Locale.ROOT,
            "{\"operation\": %s, \"transport\": %s, \"pes\": %d, \"bytes\": %d, \"samples\": %d, \"min_ns\": %s, " +
            "\"p50_ns\": %s, \"p90_ns\": %s, \"p99_ns\": %s, \"p999_ns\": %s, \"max_ns\": %s, \"mean_ns\": %.1f, " +
            "\"ops_per_s\": %.0f, \"mb_per_s\": %.1f%s%s, \"allocated_bytes\": %s, \"gc_collections\": %d, " +
            "\"gc_pause_ms\": %d}",
            JsonText.quote(row.operation()), JsonText.quote(row.transport()), row.pes(), row.bytes(), row.samples(),
            time(row.minNs()), time(row.p50Ns()), time(row.p90Ns()), time(row.p99Ns()), time(row.p999Ns()),
            time(row.maxNs()), row.meanNs(), row.opsPerSecond(), row.megabytesPerSecond(), pair(row), rate(row),
            time(row.costs().allocatedBytes()), row.costs().collections(), row.costs().pauseMs());
    }

    private static String pair(final LatencyRow row)
    {
        final PePair pair = row.pairOrNull();
        return null == pair ? "" : ", \"from_pe\": " + pair.from() + ", \"to_pe\": " + pair.to();
    }

    private static String rate(final LatencyRow row)
    {
        return LatencyRow.CLOSED == row.rate() ? "" : ", \"open_loop_rate\": " + row.rate();
    }

    private static String format(final LatencyRow row, final double ratio)
    {
        final String text = format(row);
        return text.substring(0, text.length() - 1) + ", \"baseline_ratio\": " +
            (Double.isNaN(ratio) ? "null" : String.format(Locale.ROOT, "%.3f", ratio)) + "}";
    }

    /** Returns a time, or another number whose absence is the same constant. */
    private static String time(final long ns)
    {
        return LatencyRow.NONE == ns ? "null" : Long.toString(ns);
    }

    private static String quote(final List<String> texts)
    {
        return texts.stream().map(JsonText::quote).collect(Collectors.joining(", ", "[", "]"));
    }
}
