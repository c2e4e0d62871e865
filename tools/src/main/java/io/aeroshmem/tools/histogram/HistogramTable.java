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
package io.aeroshmem.tools.histogram;

import io.aeroshmem.tools.format.Figures;
import io.aeroshmem.tools.format.Table;
import org.HdrHistogram.Histogram;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.Map;

/**
 * Prints the percentiles of histograms, as CSV or as a table that is at most 80 characters wide. The table can show the
 * ratios of the medians to those of a baseline.
 */
public final class HistogramTable
{
    private static final int NAME = 33;
    private static final double P50 = 50;
    private static final double P90 = 90;
    private static final double P99 = 99;
    private static final double P999 = 99.9;

    private HistogramTable()
    {
    }

    /** Prints a table of times; those of the baseline become ratios, and may be null. */
    public static void print(
        final PrintWriter output,
        final Map<HistogramKey, Histogram> histograms,
        final Map<HistogramKey, Histogram> baseline)
    {
        final boolean isCompared = null != baseline;
        output.printf("%-" + NAME + "s %9s %6s %6s %6s %6s", "ns", "count", "p50", "p90", "p99", "p99.9");
        output.printf(" %6s%n", isCompared ? "ratio" : "max");
        histograms.forEach((key, histogram) ->
        {
            output.printf(Locale.ROOT, "%-" + NAME + "s %9d %6s %6s %6s %6s",
                Table.cut(key.toString(), NAME),
                histogram.getTotalCount(),
                Figures.time(histogram.getValueAtPercentile(P50)),
                Figures.time(histogram.getValueAtPercentile(P90)),
                Figures.time(histogram.getValueAtPercentile(P99)),
                Figures.time(histogram.getValueAtPercentile(P999)));
            output.printf(" %6s%n", isCompared ? Figures.ratio(ratio(histogram, baseline.get(key))) :
                Figures.time(histogram.getMaxValue()));
        });
    }

    private static double ratio(final Histogram histogram, final Histogram baselineOrNull)
    {
        final long before = null == baselineOrNull ? 0 : baselineOrNull.getValueAtPercentile(P50);
        return 0 == before ? Double.NaN : (double)histogram.getValueAtPercentile(P50) / before;
    }

    /** Prints all values as CSV, times in nanoseconds. */
    public static void printCsv(final PrintWriter output, final Map<HistogramKey, Histogram> histograms)
    {
        output.println("team,collective,size,pe,count,min_ns,p50_ns,p90_ns,p99_ns,p999_ns,max_ns,mean_ns");
        histograms.forEach((key, histogram) -> output.printf(Locale.ROOT, "%s,%s,%s,%s,%d,%d,%d,%d,%d,%d,%d,%.1f%n",
            key.team(),
            key.collective(),
            key.size(),
            key.pe(),
            histogram.getTotalCount(),
            histogram.getMinValue(),
            histogram.getValueAtPercentile(P50),
            histogram.getValueAtPercentile(P90),
            histogram.getValueAtPercentile(P99),
            histogram.getValueAtPercentile(P999),
            histogram.getMaxValue(),
            histogram.getMean()));
    }
}
