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
import io.aeroshmem.tools.format.Table;

import java.io.PrintStream;
import java.util.List;
import java.util.Map;

/** Writes the rows of {@code aeroshmem latency --from-start}, one for each job. */
final class StartWriter
{
    private static final int NAME = 16;
    private static final String FORMAT = "%-" + NAME + "s %6s %6s %6s %6s %6s %6s %6s %6s %6s";
    private static final double HALF = 0.5;
    private static final double MOST = 0.9;
    private static final long NS_PER_MS = 1_000_000;

    /**
     * One row.
     *
     * @param initNs  time of {@code init} on PE 0.
     * @param firstNs time of the first call.
     */
    record Row(
        String operation, String transport, int pes, long bytes, long initNs, long firstNs, StartCurve curve)
    {
        Map<String, Object> columns()
        {
            return Json.object(
                "operation", operation, "transport", transport, "pes", pes, "bytes", bytes,
                "init_ms", initNs / NS_PER_MS, "first_ns", firstNs,
                "start_per_s", Figures.decimal(curve.start(), 0), "peak_per_s", Figures.decimal(curve.peak(), 0),
                "to_50_ms", LatencyRow.orNull(curve.reached(HALF)), "to_90_ms", LatencyRow.orNull(curve.reached(MOST)),
                "to_peak_ms", LatencyRow.orNull(curve.reached(1)));
        }
    }

    private StartWriter()
    {
    }

    /** Prints the row of a job. */
    static void print(
        final PrintStream output, final LatencyPlan plan, final LatencyEnvironment environment, final Row row)
    {
        switch (plan.format())
        {
            case CSV -> csv(output, row, plan.isFirst());
            case JSON -> json(output, row, environment, plan);
            default -> table(output, row, environment, plan.isFirst());
        }

        output.flush();
    }

    private static void csv(final PrintStream output, final Row row, final boolean isFirst)
    {
        if (isFirst)
        {
            output.println(Table.csv(row.columns().keySet()));
        }

        output.println(Table.csv(row.columns().values()));
    }

    private static void json(
        final PrintStream output, final Row row, final LatencyEnvironment environment, final LatencyPlan plan)
    {
        final Map<String, Object> members = row.columns();
        members.put("curve_ms", row.curve().points().keySet());
        members.put(
            "curve_per_s", row.curve().points().values().stream().map((rate) -> Figures.decimal(rate, 0)).toList());
        final Map<String, Object> job = environment.facts();
        job.put("results", List.of(members));
        output.println(plan.isFirst() ? "[" : ",");
        output.print(Json.of(job));
        output.print(plan.isLast() ? System.lineSeparator() + "]" + System.lineSeparator() : "");
    }

    private static void table(
        final PrintStream output, final Row row, final LatencyEnvironment environment, final boolean isFirst)
    {
        if (isFirst)
        {
            environment.lines().forEach(output::println);
            output.println("Calls per second from the end of init, and the time until they reach the peak");
            output.println();
            output.println(String.format(FORMAT,
                "operation", "path", "bytes", "init", "first", "start", "peak", "50 %", "90 %", "100 %"));
        }

        final StartCurve curve = row.curve();
        final boolean isLong = row.operation().length() > NAME;
        output.println((isLong ? row.operation() + System.lineSeparator() : "") + String.format(FORMAT,
            isLong ? "" : row.operation(),
            row.transport(),
            Figures.size(row.bytes()),
            Figures.time(row.initNs()),
            Figures.time(row.firstNs()),
            Figures.number(curve.start()),
            Figures.number(curve.peak()),
            time(curve.reached(HALF)),
            time(curve.reached(MOST)),
            time(curve.reached(1))));
    }

    private static String time(final long ms)
    {
        return ms < 0 ? Figures.NONE : ms + "ms";
    }
}
