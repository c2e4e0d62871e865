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

import io.aeroshmem.transport.job.JobView;
import io.aeroshmem.transport.job.PeCounter;
import io.aeroshmem.transport.job.RetainedView;
import io.aeroshmem.transport.job.SpareFile;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/**
 * Writer of counters in OpenMetrics text format 1.0: one metric family for the age of heartbeats, one for each counter,
 * with the job and the PE as labels, two for latencies, and three for recovery. Only names of retained memory need
 * escaping.
 */
public final class OpenMetrics implements StatWriter
{
    /** Media type of the text. */
    public static final String CONTENT_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8";

    private static final double MS_PER_S = 1000.0;

    @Override
    public void write(
        final PrintWriter output, final List<JobView.Snapshot> jobs, final List<JobView.Snapshot> earlier)
    {
        beginFamily(output, "aeroshmem_pe_heartbeat_seconds", "gauge", "seconds",
            "Time since the last heartbeat of the PE's process.");
        for (final JobView.Snapshot job : jobs)
        {
            for (final JobView.Pe pe : job.pes())
            {
                if (0 != pe.heartbeatMs())
                {
                    output.printf(Locale.ROOT, "aeroshmem_pe_heartbeat_seconds%s %.3f\n",
                        labels(job, pe), Math.max(0, job.takenMs() - pe.heartbeatMs()) / MS_PER_S);
                }
            }
        }

        for (final PeCounter counter : PeCounter.values())
        {
            write(output, jobs, counter);
        }

        new LatencyMetrics(output, jobs).write();
        writeRetained(output, jobs.stream().filter((job) -> null != job.retained()).toList());
        output.print("# EOF\n");
    }

    private static void write(final PrintWriter output, final List<JobView.Snapshot> jobs, final PeCounter counter)
    {
        final String name = "aeroshmem_" + counter.name().toLowerCase(Locale.ROOT);
        beginFamily(output, name, counter.isGauge() ? "gauge" : "counter", null, "AeroSHMEM " + counter + ".");
        for (final JobView.Snapshot job : jobs)
        {
            for (final JobView.Pe pe : job.pes())
            {
                if (0 != pe.counters().length)
                {
                    output.print(name + (counter.isGauge() ? "" : "_total") + labels(job, pe) + " " +
                        pe.counter(counter) + "\n");
                }
            }
        }
    }

    /** Begins a family of metrics; the unit may be null. */
    static void beginFamily(
        final PrintWriter output, final String name, final String type, final String unit, final String help)
    {
        output.print("# TYPE " + name + " " + type + "\n" + (null == unit ? "" : "# UNIT " + name + " " + unit + "\n") +
            "# HELP " + name + " " + help + "\n");
    }

    private static void writeRetained(final PrintWriter output, final List<JobView.Snapshot> recoverable)
    {
        beginFamily(output, "aeroshmem_recovery_lease_seconds", "gauge", "seconds",
            "Time for which retained memory outlives the launcher.");
        for (final JobView.Snapshot job : recoverable)
        {
            output.printf(Locale.ROOT, "aeroshmem_recovery_lease_seconds{job=\"%s\"} %.3f\n",
                job.id(), Math.max(0, job.retained().leaseEndMs() - job.takenMs()) / MS_PER_S);
        }

        beginFamily(output, "aeroshmem_recovery_spares", "gauge", null,
            "Processes that are ready to take the place of a PE.");
        for (final JobView.Snapshot job : recoverable)
        {
            output.print("aeroshmem_recovery_spares{job=\"" + job.id() + "\"} " +
                job.retained().spares().stream().filter(SpareFile.Spare::isReady).count() + "\n");
        }

        beginFamily(output, "aeroshmem_retained_allocation_bytes", "gauge", "bytes",
            "Bytes of an allocation of retained memory on a PE.");
        for (final JobView.Snapshot job : recoverable)
        {
            job.retained().allocations().forEach((allocation) -> writeStates(output, job, allocation));
        }
    }

    private static void writeStates(
        final PrintWriter output, final JobView.Snapshot job, final RetainedView.Allocation allocation)
    {
        for (int pe = 0; pe < allocation.states().size(); pe++)
        {
            if (!RetainedView.UNKNOWN.equals(allocation.states().get(pe)))
            {
                output.print("aeroshmem_retained_allocation_bytes{job=\"" + job.id() + "\",pe=\"" + pe + "\",name=\"" +
                    escape(allocation.name()) + "\",state=\"" + allocation.states().get(pe) + "\"} " +
                    allocation.bytes() + "\n");
            }
        }
    }

    private static String escape(final String label)
    {
        return label.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }

    private static String labels(final JobView.Snapshot job, final JobView.Pe pe)
    {
        return "{job=\"" + job.id() + "\",pe=\"" + pe.pe() + "\"}";
    }
}
