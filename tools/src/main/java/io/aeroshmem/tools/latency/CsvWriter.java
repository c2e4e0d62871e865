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
 * Writes rows as CSV. The columns are the same as in the output of the C programs with which the library is compared.
 */
final class CsvWriter implements RowWriter
{
    static final String HEADER =
        "operation,transport,pes,bytes,samples,min_ns,p50_ns,p90_ns,p99_ns,p999_ns,max_ns,mean_ns,ops_per_s,mb_per_s";

    private final PrintStream output;

    CsvWriter(final PrintStream output)
    {
        this.output = output;
    }

    @Override
    public void begin(final LatencyEnvironment environment, final boolean isFirst)
    {
        if (isFirst)
        {
            output.println(HEADER);
        }
    }

    @Override
    public void row(final LatencyRow row)
    {
        output.println(format(row));
        output.flush();
    }

    @Override
    public void end(final boolean isLast)
    {
        output.flush();
    }

    static String format(final LatencyRow row)
    {
        return String.format(Locale.ROOT, "%s,%s,%d,%d,%d,%s,%s,%s,%s,%s,%s,%.1f,%.0f,%.1f",
            row.name(), row.transport(), row.pes(), row.bytes(), row.samples(),
            time(row.minNs()), time(row.p50Ns()), time(row.p90Ns()), time(row.p99Ns()), time(row.p999Ns()),
            time(row.maxNs()), row.meanNs(), row.opsPerSecond(), row.megabytesPerSecond());
    }

    private static String time(final long ns)
    {
        return LatencyRow.NONE == ns ? "" : Long.toString(ns);
    }
}
