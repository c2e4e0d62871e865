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
import io.aeroshmem.tools.histogram.HistogramTable;
import io.aeroshmem.transport.job.JobView;
import org.HdrHistogram.Histogram;

import java.io.PrintWriter;
import java.util.List;
import java.util.Map;

/**
 * Writes the percentiles of the latencies that the PEs of each job record: those since the earlier state, or all if
 * there is none.
 */
public final class StatLatencies implements StatWriter
{
    @Override
    public void write(
        final PrintWriter output, final List<JobView.Snapshot> jobs, final List<JobView.Snapshot> earlier)
    {
        for (final JobView.Snapshot job : jobs)
        {
            StatTable.writeHeading(output, job);
            final Map<HistogramKey, Histogram> all = PublishedLatencies.of(job);
            if (all.isEmpty())
            {
                output.println("no latencies: nothing has been recorded (aeroshmem.latency.record)");
            }
            else
            {
                HistogramTable.print(output, since(job, all, earlier), null);
            }

            output.println();
        }
    }

    private static Map<HistogramKey, Histogram> since(
        final JobView.Snapshot job, final Map<HistogramKey, Histogram> all, final List<JobView.Snapshot> earlier)
    {
        return earlier.stream().filter((other) -> other.directory().equals(job.directory())).findFirst()
            .map((before) -> PublishedLatencies.since(PublishedLatencies.of(before), all)).orElse(all);
    }
}
