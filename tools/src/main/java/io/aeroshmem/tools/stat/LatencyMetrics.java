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
package io.aeroshmem.tools.stat;

import io.aeroshmem.tools.histogram.HistogramKey;
import io.aeroshmem.transport.job.JobView;
import org.HdrHistogram.Histogram;

import java.io.PrintWriter;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Writes the latencies that PEs have published, twice: as a histogram, whose buckets can be added over PEs and
 * subtracted over time, and as a summary, whose quantiles are exact to 0.8 % but are those of the whole recording.
 */
final class LatencyMetrics
{
    private static final String HISTOGRAM = "aeroshmem_latency_seconds";
    private static final String SUMMARY = "aeroshmem_latency_quantile_seconds";
    private static final int NS_DIGITS = 9;
    /** A decade of bounds. */
    private static final int[] STEPS = {1, 2, 5};
    private static final long LEAST_BOUND_NS = 100;
    private static final long MOST_BOUND_NS = 10_000_000_000L;
    private static final double[] QUANTILES = {0.5, 0.9, 0.99, 0.999, 1};
    private static final int PER_CENT = 100;

    private final PrintWriter output;
    /** By the labels of a sample, without the closing brace. */
    private final Map<String, Histogram> histograms = new TreeMap<>();

    LatencyMetrics(final PrintWriter output, final List<JobView.Snapshot> jobs)
    {
        this.output = output;
        for (final JobView.Snapshot job : jobs)
        {
            PublishedLatencies.of(job).forEach((key, histogram) ->
                histograms.put(labels(job.id(), key), histogram));
        }
    }

    void write()
    {
        OpenMetrics.beginFamily(
            output, HISTOGRAM, "histogram", "seconds", "Latency of calls, by the class of their size.");
        histograms.forEach(this::writeBuckets);
        OpenMetrics.beginFamily(
            output, SUMMARY, "summary", "seconds", "Quantiles of the latencies since the recording began.");
        histograms.forEach((labels, histogram) ->
        {
            for (final double quantile : QUANTILES)
            {
                output.print(SUMMARY + labels + ",quantile=\"" + BigDecimal.valueOf(quantile) + "\"} " +
                    seconds(histogram.getValueAtPercentile(quantile * PER_CENT)) + "\n");
            }
        });
    }

    private void writeBuckets(final String labels, final Histogram histogram)
    {
        for (long decade = LEAST_BOUND_NS; decade <= MOST_BOUND_NS; decade *= 10)
        {
            for (final int step : STEPS)
            {
                final long boundNs = decade * step;
                output.print(HISTOGRAM + "_bucket" + labels + ",le=\"" + seconds(boundNs) + "\"} " +
                    histogram.getCountBetweenValues(0, boundNs) + "\n");
            }
        }

        output.print(HISTOGRAM + "_bucket" + labels + ",le=\"+Inf\"} " + histogram.getTotalCount() + "\n");
        output.print(HISTOGRAM + "_count" + labels + "} " + histogram.getTotalCount() + "\n");
        output.print(HISTOGRAM + "_sum" + labels + "} " +
            seconds(Math.round(histogram.getMean() * histogram.getTotalCount())) + "\n");
    }

    private static String labels(final String job, final HistogramKey key)
    {
        return "{job=\"" + job + "\",pe=\"" + key.pe() + "\",team=\"" + key.team() + "\",operation=\"" +
            key.collective() + "\",size=\"" + key.size() + "\"";
    }

    /** Returns a time without an exponent, so that a bound is always the same text. */
    private static String seconds(final long ns)
    {
        final BigDecimal seconds = BigDecimal.valueOf(ns, NS_DIGITS).stripTrailingZeros();
        return (seconds.scale() < 1 ? seconds.setScale(1) : seconds).toPlainString();
    }
}
