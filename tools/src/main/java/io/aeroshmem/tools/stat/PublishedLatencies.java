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
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/** The histograms of latencies, in nanoseconds, that PEs have published while they record. */
final class PublishedLatencies
{
    private PublishedLatencies()
    {
    }

    /** Returns those of all PEs of a job on this node. */
    static Map<HistogramKey, Histogram> of(final JobView.Snapshot job)
    {
        final Map<HistogramKey, Histogram> histograms = new TreeMap<>();
        job.pes().forEach((pe) -> histograms.putAll(of(pe)));
        return histograms;
    }

    /** Returns those of a PE; none if it has recorded none. */
    static Map<HistogramKey, Histogram> of(final JobView.Pe pe)
    {
        final Map<HistogramKey, Histogram> histograms = new TreeMap<>();
        try (HistogramLogReader reader = new HistogramLogReader(
            new ByteArrayInputStream(pe.latencies().getBytes(StandardCharsets.ISO_8859_1))))
        {
            while (reader.hasNext())
            {
                final EncodableHistogram next = reader.nextIntervalHistogram();
                if (next instanceof final Histogram histogram)
                {
                    histograms.put(HistogramKey.of(pe.pe(), histogram.getTag()), histogram);
                }
            }
        }

        return histograms;
    }

    /** Returns what histograms have more than those of an earlier state, without those to which nothing was added. */
    static Map<HistogramKey, Histogram> since(
        final Map<HistogramKey, Histogram> earlier, final Map<HistogramKey, Histogram> now)
    {
        final Map<HistogramKey, Histogram> added = new TreeMap<>();
        now.forEach((key, histogram) ->
        {
            final Histogram before = earlier.get(key);
            if (null == before)
            {
                added.put(key, histogram);
            }
            else if (histogram.getTotalCount() > before.getTotalCount())
            {
                final Histogram difference = histogram.copy();
                difference.subtract(before);
                added.put(key, difference);
            }
        });
        return added;
    }
}
