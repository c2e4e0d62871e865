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
import io.aeroshmem.tools.format.Json;

import java.io.PrintStream;
import java.util.Map;

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
        final String object = Json.of(environment.facts());
        output.print(object.substring(0, object.lastIndexOf('\n')) + ",\n  \"results\": [");
        output.flush();
        hasRow = false;
    }

    @Override
    public void row(final LatencyRow row)
    {
        output.println(hasRow ? "," : "");
        output.print("    " + format(row, baseline));
        output.flush();
        hasRow = true;
    }

    @Override
    public void end(final boolean isLast)
    {
        output.println();
        output.println("  ]");
        output.print("}");
        if (isLast)
        {
            output.println();
            output.println("]");
        }

        output.flush();
    }

    static String format(final LatencyRow row, final Baseline baseline)
    {
        final Map<String, Object> members = row.columns();
        members.put("operation", row.operation());
        if (null != row.pairOrNull())
        {
            members.put("from_pe", row.pairOrNull().from());
            members.put("to_pe", row.pairOrNull().to());
        }

        if (LatencyRow.CLOSED != row.rate())
        {
            members.put("open_loop_rate", row.rate());
        }

        members.put("allocated_bytes", LatencyRow.orNull(row.costs().allocatedBytes()));
        members.put("gc_collections", row.costs().collections());
        members.put("gc_pause_ms", row.costs().pauseMs());
        if (null != baseline)
        {
            members.put("baseline_ratio", Figures.decimal(baseline.ratio(row), 3));
        }

        return Json.line(members);
    }
}
