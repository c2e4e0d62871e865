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

import io.aeroshmem.tools.exit.CommandException;
import io.aeroshmem.tools.exit.FileProblem;
import io.aeroshmem.tools.exit.InputFile;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The rows with which a measurement is compared: those of an earlier measurement or of another program. They are read
 * from a file with the columns of {@link CsvWriter}; a header is optional.
 * <p>
 * A measured row is compared with the file's row that has the same operation, bytes and transport. If there is none, it
 * is compared with the file's first row that has the same operation and bytes.
 */
public final class Baseline
{
    private static final int OPERATION = CsvWriter.COLUMNS.indexOf("operation");
    private static final int TRANSPORT = CsvWriter.COLUMNS.indexOf("transport");
    private static final int BYTES = CsvWriter.COLUMNS.indexOf("bytes");
    private static final int P50 = CsvWriter.COLUMNS.indexOf("p50_ns");
    private static final int MEAN = CsvWriter.COLUMNS.indexOf("mean_ns");

    private final Map<String, Double> times = new HashMap<>();

    /**
     * Reads a file.
     *
     * @throws CommandException if it cannot be read, or a row has other columns.
     */
    public static Baseline read(final Path file)
    {
        final Baseline baseline = new Baseline();
        int number = 0;
        for (final String line : lines(file))
        {
            number++;
            if (!line.isBlank() && !line.startsWith("#") && !line.equals(CsvWriter.HEADER))
            {
                baseline.add(file + ":" + number, line.split(",", -1));
            }
        }

        if (baseline.times.isEmpty())
        {
            throw CommandException.usage("the baseline " + file + " has no row");
        }

        return baseline;
    }

    private static List<String> lines(final Path file)
    {
        try
        {
            return InputFile.lines(file);
        }
        catch (final IOException ex)
        {
            throw CommandException.usage("cannot read the baseline " + file + ": " + FileProblem.describe(ex));
        }
    }

    private void add(final String place, final String[] columns)
    {
        if (CsvWriter.COLUMNS.size() != columns.length)
        {
            throw CommandException.usage("the baseline must have the " + CsvWriter.COLUMNS.size() +
                " columns of --format csv, " + CsvWriter.HEADER + ": " + place + " has " + columns.length);
        }

        try
        {
            final double time = Double.parseDouble(columns[columns[P50].isEmpty() ? MEAN : P50]);
            final long bytes = Long.parseLong(columns[BYTES]);
            times.putIfAbsent(key(columns[OPERATION], bytes, columns[TRANSPORT]), time);
            times.putIfAbsent(key(columns[OPERATION], bytes, ""), time);
        }
        catch (final NumberFormatException ex)
        {
            throw CommandException.usage("bytes and p50_ns or mean_ns of the baseline must be numbers: " + place +
                ": " + String.join(",", columns));
        }
    }

    private static String key(final String operation, final long bytes, final String transport)
    {
        return operation + "," + bytes + "," + transport;
    }

    /** Returns the row's median, or mean for a rate, divided by that of the baseline; NaN if that has no such row. */
    double ratio(final LatencyRow row)
    {
        final Double ofTransport = times.get(key(row.name(), row.bytes(), row.transport()));
        final Double before = null != ofTransport ? ofTransport : times.get(key(row.name(), row.bytes(), ""));
        return null == before || 0 == before ? Double.NaN :
            (LatencyRow.NONE == row.p50Ns() ? row.meanNs() : row.p50Ns()) / before;
    }
}
