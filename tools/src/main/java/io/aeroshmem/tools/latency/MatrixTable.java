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
 * Table of the figures of one operation between all ordered pairs of PEs. A row has the figures of one caller, and a
 * column has the figures of one target. A wide table is printed in several parts.
 */
final class MatrixTable
{
    /** Columns of 7 characters beside the first one, in 80. */
    private static final int MOST_COLUMNS = 10;

    private final LatencyRow[][] rows;
    private final int pes;
    private int missing;

    MatrixTable(final int pes)
    {
        this.pes = pes;
        rows = new LatencyRow[pes][pes];
        missing = pes * (pes - 1);
    }

    void add(final LatencyRow row)
    {
        rows[row.pairOrNull().from()][row.pairOrNull().to()] = row;
        missing--;
    }

    boolean isComplete()
    {
        return 0 == missing;
    }

    void print(final PrintStream output)
    {
        final LatencyRow any = rows[0][1];
        output.println(any.operation() + ", " + any.bytes() + " bytes: " + unit(any) +
            ", callers down, targets across");
        for (int first = 0; first < pes; first += MOST_COLUMNS)
        {
            final int end = Math.min(pes, first + MOST_COLUMNS);
            final StringBuilder header = new StringBuilder(String.format("%-6s", "PE"));
            for (int to = first; to < end; to++)
            {
                header.append(String.format(" %6d", to));
            }

            output.println(header);
            for (int from = 0; from < pes; from++)
            {
                final StringBuilder line = new StringBuilder(String.format("%-6d", from));
                for (int to = first; to < end; to++)
                {
                    line.append(String.format(" %6s", from == to ? "" : value(rows[from][to])));
                }

                output.println(line);
            }
        }

        output.println();
    }

    private static String unit(final LatencyRow row)
    {
        return LatencyRow.NONE != row.p50Ns() ? "p50" : row.bytes() > Long.BYTES ? "MB/s" : "ops/s";
    }

    private static String value(final LatencyRow row)
    {
        return LatencyRow.NONE != row.p50Ns() ? Figures.time(row.p50Ns()) :
            Figures.number(row.bytes() > Long.BYTES ? row.megabytesPerSecond() : row.opsPerSecond());
    }
}
