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

import java.io.PrintStream;
import java.util.Locale;

/**
 * Writer of aligned columns for people, each job below a header with its environment.
 */
final class TableWriter implements RowWriter
{
    private static final String FORMAT = "%-29s %9s %9s %9s %9s %9s %9s %9s %11s %11s %12s %10s";

    private final PrintStream output;
    private final Baseline baseline;

    /**
     * @param baseline whose ratios are the last column, or null.
     */
    TableWriter(final PrintStream output, final Baseline baseline)
    {
        this.output = output;
        this.baseline = baseline;
    }

    @Override
    public void begin(final LatencyEnvironment environment, final boolean isFirst)
    {
        if (!isFirst)
        {
            output.println();
        }
        output.println(environment.version() + ", " + environment.pes() + " PEs, transport " +
            environment.transport() + ", heap " + environment.heap());
        output.println(environment.jdk() + " on " + environment.system() + ", " + environment.processors() +
            " processors, " + environment.pinning());
        output.println("JVM options: " + String.join(" ", environment.jvmOptions()));
        output.println("Times in ns per call, measured with System.nanoTime() around each");
        output.println();
        output.printf(Locale.ROOT, FORMAT, "operation", "bytes", "samples",
            "min", "p50", "p90", "p99", "p99.9", "max", "mean", "ops/s", "MB/s");
        output.println(null == baseline ? "" : "  ratio");
        output.flush();
    }

    @Override
    public void row(final LatencyRow row)
    {
        output.printf(Locale.ROOT, FORMAT, row.operation(), row.bytes(), row.samples(),
            time(row.minNs()), time(row.p50Ns()), time(row.p90Ns()), time(row.p99Ns()), time(row.p999Ns()),
            time(row.maxNs()), String.format(Locale.ROOT, "%.1f", row.meanNs()),
            String.format(Locale.ROOT, "%.0f", row.opsPerSecond()),
            0 == row.bytes() ? "-" : String.format(Locale.ROOT, "%.1f", row.megabytesPerSecond()));
        output.println(null == baseline ? "" : ratio(baseline.ratio(row)));
        output.flush();
    }

    @Override
    public void end(final boolean isLast)
    {
        output.flush();
    }

    private static String ratio(final double ratio)
    {
        return Double.isNaN(ratio) ? "      -" : String.format(Locale.ROOT, "%7.2f", ratio);
    }

    private static String time(final long ns)
    {
        return LatencyRow.NONE == ns ? "-" : Long.toString(ns);
    }
}
