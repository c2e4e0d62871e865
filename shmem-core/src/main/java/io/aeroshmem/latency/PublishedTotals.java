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
package io.aeroshmem.latency;

import io.aeroshmem.transport.job.PeLatencyFile;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Collection;

/**
 * Publishes the totals of a PE's histograms to viewers, such as {@code aeroshmem stat}: as an interval log of
 * HdrHistogram whose only interval is the whole recording. The library's thread that takes the intervals owns it.
 */
final class PublishedTotals
{
    private static final double NS_PER_S = 1e9;

    private final String title;
    private final PeLatencyFile file;
    private final ByteArrayOutputStream lines = new ByteArrayOutputStream();
    private final HistogramLogWriter writer =
        new HistogramLogWriter(new PrintStream(lines, false, StandardCharsets.UTF_8));

    PublishedTotals(final String title, final PeLatencyFile file)
    {
        this.title = title;
        this.file = file;
    }

    /**
     * Publishes all totals in place of those before.
     *
     * @param ageNs time since the recording began, in nanoseconds.
     * @throws IOException if they could not be written; the earlier ones remain.
     */
    void replace(final Collection<LatencyHistogram> histograms, final long ageNs) throws IOException
    {
        lines.reset();
        writer.outputComment("[" + title + "]");
        writer.outputLogFormatVersion();
        writer.outputLegend();
        for (final LatencyHistogram histogram : histograms)
        {
            final Histogram total = histogram.total();
            if (null != total)
            {
                writer.outputIntervalHistogram(0, ageNs / NS_PER_S, total);
            }
        }

        file.replace(lines.toByteArray());
    }
}
