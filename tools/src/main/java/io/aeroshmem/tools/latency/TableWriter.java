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

import io.aeroshmem.tools.format.Figures;

import java.io.PrintStream;

/**
 * Writes the results as a table that is at most 80 characters wide. A header with the environment of a job precedes the
 * results of the job. Each result is a row or, if each pair of PEs is measured, an element of a {@link MatrixTable}.
 */
final class TableWriter implements RowWriter
{
    private static final int NAME = 24;
    private static final String FORMAT = "%-" + NAME + "s %6s %6s %6s %6s %6s %6s %6s %6s";

    private final PrintStream output;
    private final Baseline baseline;
    private MatrixTable matrix;
    private JvmCosts costs = JvmCosts.NONE;
    private boolean isOpen;
    /** Whether the names of the columns have been printed; a {@link MatrixTable} has none. */
    private boolean isHeaded;

    /**
     * @param baseline whose ratios are the last column, or null for the bytes that a call allocates.
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

        environment.lines().forEach(output::println);
        output.println("Times in ns per call, measured with System.nanoTime() around each");
        output.println();
        output.flush();
        costs = JvmCosts.NONE;
        isHeaded = false;
    }

    @Override
    public void row(final LatencyRow row)
    {
        costs = costs.max(row.costs());
        isOpen |= LatencyRow.CLOSED != row.rate();
        if (null == row.pairOrNull())
        {
            head();
            output.println(line(row));
        }
        else
        {
            addToMatrix(row);
        }

        output.flush();
    }

    private void head()
    {
        if (!isHeaded)
        {
            isHeaded = true;
            output.println(String.format(FORMAT, "operation", "bytes",
                "p50", "p99", "p99.9", "max", "ops/s", "MB/s", null == baseline ? "B/call" : "ratio"));
        }
    }

    private void addToMatrix(final LatencyRow row)
    {
        if (null == matrix)
        {
            matrix = new MatrixTable(row.pes());
        }

        matrix.add(row);
        if (matrix.isComplete())
        {
            matrix.print(output);
            matrix = null;
        }
    }

    private String line(final LatencyRow row)
    {
        final boolean isLong = row.operation().length() > NAME;
        return (isLong ? row.operation() + System.lineSeparator() : "") + String.format(FORMAT,
            isLong ? "" : row.operation(),
            Figures.size(row.bytes()),
            Figures.time(row.p50Ns()),
            Figures.time(row.p99Ns()),
            Figures.time(row.p999Ns()),
            Figures.time(row.maxNs()),
            Figures.number(row.opsPerSecond()),
            0 == row.bytes() ? Figures.NONE : Figures.number(row.megabytesPerSecond()),
            null == baseline ? allocated(row) : Figures.ratio(baseline.ratio(row)));
    }

    @Override
    public void end(final boolean isLast)
    {
        if (isHeaded)
        {
            output.println();
        }

        output.println("Most of any PE during the calls of a row: " +
            (JvmCosts.UNKNOWN == costs.allocatedBytes() ? "unknown" : Long.toString(costs.allocatedBytes())) +
            " bytes allocated,");
        output.println(costs.collections() + " garbage collections of " + costs.pauseMs() + " ms together");
        if (isOpen)
        {
            output.println("_at_N is an open loop of N calls per second: times count from when each was due");
        }

        output.flush();
    }

    private static String allocated(final LatencyRow row)
    {
        final double bytes = row.allocatedPerCall();
        return JvmCosts.UNKNOWN == bytes ? Figures.NONE : Figures.number(bytes);
    }
}
