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

import io.aeroshmem.tools.plot.SizeChart;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Builds charts from the rows of measured jobs: latencies and bandwidths by size, for the operations that were measured
 * with several sizes.
 */
public final class SizeCurves
{
    private static final int OPERATION = CsvWriter.COLUMNS.indexOf("operation");
    private static final int TRANSPORT = CsvWriter.COLUMNS.indexOf("transport");
    private static final int PES = CsvWriter.COLUMNS.indexOf("pes");
    private static final int BYTES = CsvWriter.COLUMNS.indexOf("bytes");
    private static final int P50 = CsvWriter.COLUMNS.indexOf("p50_ns");
    private static final int P99 = CsvWriter.COLUMNS.indexOf("p99_ns");
    private static final int MEGABYTES = CsvWriter.COLUMNS.indexOf("mb_per_s");

    private final Map<String, SortedMap<Long, Double>> medians = new TreeMap<>();
    private final Map<String, SortedMap<Long, Double>> tails = new TreeMap<>();
    private final Map<String, SortedMap<Long, Double>> rates = new TreeMap<>();

    private SizeCurves()
    {
    }

    /** Returns the charts of the rows in a directory: latencies and bandwidths, each if there are any. */
    public static List<SizeChart> read(final Path directory) throws IOException
    {
        final SizeCurves curves = new SizeCurves();
        for (final String line :
            Files.readAllLines(directory.resolve(ResultFiles.ROWS), StandardCharsets.UTF_8))
        {
            if (!line.startsWith("#") && !line.equals(CsvWriter.HEADER))
            {
                curves.add(line.split(",", -1));
            }
        }

        return curves.charts();
    }

    private void add(final String[] row)
    {
        final String name = row[OPERATION] + ", " + row[TRANSPORT] + ", " + row[PES] + " PEs";
        final long bytes = Long.parseLong(row[BYTES]);
        if (row[P50].isEmpty())
        {
            add(rates, name, bytes, row[MEGABYTES]);
        }
        else
        {
            add(medians, name, bytes, row[P50]);
            add(tails, name, bytes, row[P99]);
        }
    }

    private static void add(
        final Map<String, SortedMap<Long, Double>> curves, final String name, final long bytes, final String value)
    {
        if (bytes > 0)
        {
            curves.computeIfAbsent(name, (key) -> new TreeMap<>()).put(bytes, Double.parseDouble(value));
        }
    }

    private List<SizeChart> charts()
    {
        final List<SizeChart> charts = new ArrayList<>();
        for (final Map<?, SortedMap<Long, Double>> curves : List.of(medians, tails, rates))
        {
            curves.values().removeIf((curve) -> curve.size() < 2);
        }

        if (!medians.isEmpty())
        {
            charts.add(new SizeChart("Latency by size: p50, dashed p99", true, medians, tails));
        }

        if (!rates.isEmpty())
        {
            charts.add(new SizeChart("Bandwidth by size", false, rates, Map.of()));
        }

        return charts;
    }
}
