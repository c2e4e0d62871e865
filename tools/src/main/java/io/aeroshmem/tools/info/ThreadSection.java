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

import io.aeroshmem.ProgressMode;
import io.aeroshmem.config.ShmemProperty;
import io.aeroshmem.tools.format.Json;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Section of {@code aeroshmem info} on the threads that a job has besides those of the program, under the current
 * configuration. Short-lived threads, and the launcher's threads that copy input and output, are left out.
 */
public final class ThreadSection implements InfoSection
{
    private static final int NAME_WIDTH = 26;
    private static final String PROCESS = "process of PEs";
    private static final String LEADER = "leader of a node (its launcher, else the process of its lowest PE)";

    private final List<Entry> entries = new ArrayList<>();

    /** Reads the configuration of this process. */
    public ThreadSection()
    {
        addThreadsOfPes();
        addThreadsOfDriver();
        add("aeroshmem-rendezvous", "job",
            "accepts the processes of the job and relays the states of PEs, unless run -n or runLocal started the" +
            " job; in the launcher of run --hosts, the process that created the unique id, or else that of PE 0");
        add("aeroshmem-replicator", LEADER, "exchanges the states of PEs with the rendezvous, if there is one");
        add("aeroshmem-gpu-watch", "PE with a GPU",
            "ends the waits of kernels when the job fails, from the first stream or module of kernels on");
        add("aeroshmem-gpu-stream-N", "GPU stream", "performs the calls that the device cannot perform itself");
    }

    private void addThreadsOfPes()
    {
        if (ProgressMode.AGENT == ShmemProperty.PROGRESS_MODE.choice(ProgressMode.class))
        {
            add("aeroshmem-progress", PROCESS,
                "performs messages of peers and nonblocking requests, from the first of them on; idle strategy " +
                ShmemProperty.IDLE_STRATEGY.text() + " (" + ShmemProperty.IDLE_STRATEGY.propertyName() + ")");
        }

        add("aeroshmem-liveness", PROCESS, "writes heartbeats and detects deaths; sleeps between rounds");
        add("aeron-client", PROCESS, "Aeron client, if a peer is reached by messages");
        if (ShmemProperty.RECORD_LATENCY.booleanValue())
        {
            add("aeroshmem-latency", "PE", "writes recorded latencies every " +
                ShmemProperty.LATENCY_INTERVAL.text() + " (" + ShmemProperty.LATENCY_INTERVAL.propertyName() + ")");
        }
    }

    private void addThreadsOfDriver()
    {
        if (null == ShmemProperty.AERON_DIR.text())
        {
            add("media driver", LEADER, "serves a job in which a peer is reached by messages");
            add("aeron-executor", LEADER, "resolves addresses for the media driver, if a peer is reached by UDP");
        }
        else
        {
            add("media driver", "process of the driver",
                "serves " + ShmemProperty.AERON_DIR.text() + " (" + ShmemProperty.AERON_DIR.propertyName() + ")");
        }
    }

    private void add(final String thread, final String process, final String purpose)
    {
        entries.add(new Entry(thread, process, purpose));
    }

    @Override
    public void print(final InfoText output)
    {
        output.title("Threads beside those of the program");
        output.line("  thread level", NAME_WIDTH, level());
        output.line("  blocked callers", NAME_WIDTH, "idle strategy " + ShmemProperty.WAIT_IDLE_STRATEGY.text() + " (" +
            ShmemProperty.WAIT_IDLE_STRATEGY.propertyName() + ")");
        entries.forEach((entry) ->
            output.line("  " + entry.thread, NAME_WIDTH, "one per " + entry.process + ": " + entry.purpose));
    }

    @Override
    public Object facts()
    {
        return Json.object(
            "thread_level", level(),
            "wait_idle_strategy", ShmemProperty.WAIT_IDLE_STRATEGY.text(),
            "threads", entries.stream().map((entry) -> Json.object(
                "thread", entry.thread, "process", entry.process, "purpose", entry.purpose)).toList());
    }

    private static String level()
    {
        return ShmemProperty.THREAD_LEVEL.text().toLowerCase(Locale.ROOT);
    }

    /**
     * Name of a thread, the process or other entity that has one such thread, and the purpose of the thread.
     */
    private record Entry(String thread, String process, String purpose)
    {
    }
}
