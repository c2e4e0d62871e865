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
package io.aeroshmem.tools.info;

import io.aeroshmem.tools.format.Json;
import io.aeroshmem.tools.stat.StatStreams;
import io.aeroshmem.tools.topology.CpuList;
import io.aeroshmem.tools.topology.ThreadTimes;
import io.aeroshmem.transport.endpoint.JobPaths;
import io.aeroshmem.transport.job.JobView;
import io.aeroshmem.transport.job.PeCounter;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The section of {@code aeroshmem info} on a running job: its directory and media driver, the host, process and phase
 * of each PE, the paths between the PEs, and the heap size and the busiest threads of each PE on this node. Reading
 * this state changes nothing in the job.
 */
public final class JobSection implements InfoSection
{
    private static final int MAX_THREADS = 6;
    private static final int NAME_WIDTH = 10;

    private final JobView.Snapshot job;
    private final PathMatrix paths;
    private final String driver;

    /** Reads the state of a job now. */
    public JobSection(final JobView view)
    {
        job = view.snapshot();
        paths = new PathMatrix(JobPaths.of(view));
        driver = StatStreams.isDriverDirectory(view.aeronDirectory()) ? view.aeronDirectory().toString() : null;
    }

    @Override
    public void print(final InfoText output)
    {
        output.title("Job " + job.id());
        output.line("Directory", job.directory().toString());
        output.line("Media driver", null == driver ? "none in the directory of the job" : driver);
        for (final JobView.Pe pe : job.pes())
        {
            output.line("  PE " + pe.pe(), NAME_WIDTH, 0 == pe.pid() ? "not registered" : "pid " + pe.pid() + " on " +
                pe.host() + ", " + pe.phase().toLowerCase(Locale.ROOT) +
                (isHere(pe) ? ", heap " + pe.counter(PeCounter.HEAP_LENGTH) + " bytes" : ", of another node"));
        }

        output.title("Paths (m mapped, i ipc, u udp, ? unknown; a row for each PE)");
        paths.print(output);
        for (final JobView.Pe pe : job.pes())
        {
            printThreads(output, pe);
        }
    }

    private static void printThreads(final InfoText output, final JobView.Pe pe)
    {
        final List<ThreadTimes.Entry> threads = threads(pe);
        if (threads.isEmpty())
        {
            return;
        }

        output.title("Busiest threads of PE " + pe.pe());
        for (final ThreadTimes.Entry thread : threads)
        {
            output.line("  " + thread.name(), String.format(Locale.ROOT, "%.2f s, processors %s, last on %d",
                thread.seconds(), CpuList.format(thread.allowed()), thread.lastCpu()));
        }
    }

    @Override
    public Object facts()
    {
        return Json.object(
            "id", job.id(),
            "directory", job.directory(),
            "media_driver", driver,
            "pes", job.pes().stream().map((pe) -> Json.object(
                "pe", pe.pe(),
                "pid", pe.pid(),
                "host", pe.host(),
                "phase", pe.phase(),
                "heap_bytes", isHere(pe) ? pe.counter(PeCounter.HEAP_LENGTH) : null,
                "threads", threads(pe).stream().map(JobSection::facts).toList())).toList(),
            "paths", paths.facts());
    }

    private static Map<String, Object> facts(final ThreadTimes.Entry thread)
    {
        return Json.object(
            "thread", thread.name(),
            "seconds", thread.seconds(),
            "processors", thread.allowed(),
            "last_processor", thread.lastCpu());
    }

    private static List<ThreadTimes.Entry> threads(final JobView.Pe pe)
    {
        return isHere(pe) ? ThreadTimes.of(pe.pid()).stream().limit(MAX_THREADS).toList() : List.of();
    }

    /** Returns whether a PE is of this node: only these have counters here. */
    private static boolean isHere(final JobView.Pe pe)
    {
        return 0 != pe.counters().length;
    }
}
