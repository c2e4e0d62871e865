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

import io.aeroshmem.tools.format.Figures;
import io.aeroshmem.tools.format.Table;
import io.aeroshmem.transport.job.JobView;
import io.aeroshmem.transport.job.PeActivities;
import io.aeroshmem.transport.job.PeCounter;
import io.aeroshmem.transport.job.RetainedView;
import io.aeroshmem.transport.job.SpareFile;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Writes one table for each job, at most 80 characters wide. For each PE the table has its state, rates and counts, and
 * the call in which it is blocked.
 */
public final class StatTable implements StatWriter
{
    private static final String FORMAT = "%4s %7s %-10s %5s %5s %6s %5s %6s %6s %5s %5s %5s%n";
    private static final int INDENT = 14;

    @Override
    public void write(
        final PrintWriter output, final List<JobView.Snapshot> jobs, final List<JobView.Snapshot> earlier)
    {
        for (final JobView.Snapshot job : jobs)
        {
            write(output, job, earlier);
        }
    }

    private static void write(
        final PrintWriter output, final JobView.Snapshot job, final List<JobView.Snapshot> earlier)
    {
        writeHeading(output, job);
        output.printf(
            FORMAT,
            "PE",
            "pid",
            "phase",
            "beat",
            "heap",
            "coll/s",
            "ops/s",
            "sent/s",
            "recv/s",
            "queue",
            "retry",
            "error");
        for (int pe = 0; pe < job.pes().size(); pe++)
        {
            write(output, job.pes().get(pe), new PeRates(job, earlier, pe), job.takenMs());
        }

        output.println();
    }

    /** Writes what a job is, and why it and the generation before failed, if they did. */
    static void writeHeading(final PrintWriter output, final JobView.Snapshot job)
    {
        output.println("job " + job.id() + (job.hasEnded() ? ", ended" : ""));
        output.printf(Locale.ROOT, "%d PEs, created by pid %d, %s ago%n",
            job.pes().size(), job.creatorPid(), Figures.seconds(job.takenMs() - job.createdMs()));
        if (job.generation() > 0)
        {
            output.println(Table.cut("generation " + job.generation() + "; the one before failed: " +
                job.previousFailure().message(), Table.WIDTH));
        }

        if (null != job.recovery())
        {
            output.println(job.recovery().isComplete() ?
                "running " + job.recovery() : "not all tasks of this generation have begun");
        }

        if (null != job.retained())
        {
            writeRetained(output, job.retained(), job.takenMs());
        }

        if (null != job.failure())
        {
            output.println(Table.cut("failed: " + job.failure().message(), Table.WIDTH));
        }
    }

    private static void writeRetained(final PrintWriter output, final RetainedView retained, final long nowMs)
    {
        output.println("recoverable: " + retained.directory().getFileName() + ", " +
            (0 == retained.leaseEndMs() ? "no lease" : "lease " + Figures.seconds(retained.leaseEndMs() - nowMs)));
        if (!retained.spares().isEmpty())
        {
            final long ready = retained.spares().stream().filter(SpareFile.Spare::isReady).count();
            output.println("spare processes: " + ready + " ready, " + (retained.spares().size() - ready) + " starting");
        }

        for (final RetainedView.Allocation allocation : retained.allocations())
        {
            output.println(Table.cut(String.format(Locale.ROOT, "  %-20s %12d bytes, version %d, %s", allocation.name(),
                allocation.bytes(), allocation.layoutVersion(), states(allocation.states())), Table.WIDTH));
        }
    }

    /** Returns the states, each once, with the PEs in it unless all are. */
    private static String states(final List<String> states)
    {
        final Map<String, List<Integer>> pes = new TreeMap<>();
        for (int pe = 0; pe < states.size(); pe++)
        {
            pes.computeIfAbsent(states.get(pe), (state) -> new ArrayList<>()).add(pe);
        }

        return 1 == pes.size() ? states.get(0) : pes.entrySet().stream()
            .map((entry) -> entry.getKey() + " on PE " + entry.getValue().stream().map(String::valueOf)
                .collect(Collectors.joining(", "))).collect(Collectors.joining("; "));
    }

    private static void write(
        final PrintWriter output, final JobView.Pe pe, final PeRates rates, final long nowMs)
    {
        output.printf(
            FORMAT,
            pe.pe(),
            0 == pe.pid() ? Figures.NONE : pe.pid(),
            pe.phase(),
            0 == pe.heartbeatMs() ? Figures.NONE : Figures.seconds(nowMs - pe.heartbeatMs()),
            rates.count(PeCounter.HEAP_USED),
            rates.rate(PeCounter.COLLECTIVES),
            rates.rate(PeCounter.PUTS, PeCounter.GETS, PeCounter.ATOMICS, PeCounter.SIGNALS),
            rates.rate(PeCounter.BYTES_SENT),
            rates.rate(PeCounter.BYTES_RECEIVED),
            rates.count(PeCounter.RECORDS_OUTSTANDING),
            rates.count(PeCounter.BACK_PRESSURE, PeCounter.RING_FULL, PeCounter.REPLY_SLOT_WAITS),
            rates.count(PeCounter.ERRORS, PeCounter.MALFORMED_FRAMES, PeCounter.REJECTED_FRAMES));
        final PeActivities.Activity activity = pe.blockedIn();
        if (null != activity)
        {
            final String call = "blocked in " + activity.text() +
                (0 == activity.number() ? "" : ", call " + activity.number()) +
                ", " + Figures.seconds(nowMs - activity.sinceMs());
            output.println(" ".repeat(INDENT) + Table.cut(call, Table.WIDTH - INDENT));
        }
    }
}
