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

import io.aeroshmem.tools.format.Table;

import java.io.PrintStream;
import java.util.List;

/**
 * Writes rows as CSV. The columns are the same as in the output of the C programs with which the library is compared.
 */
final class CsvWriter implements RowWriter
{
    /** Names of the columns, the same for every row. */
    static final List<String> COLUMNS = List.copyOf(LatencyRow.ofRate("", "", 0, 0, 1, 1).columns().keySet());
    static final String HEADER = Table.csv(COLUMNS);

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
        return Table.csv(row.columns().values());
    }
}
