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

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Section on the threads that a job without a GPU has besides those of the program, under the current configuration.
 */
public final class ThreadSection implements InfoSection
{
    private static final int NAME_WIDTH = 26;

    private final List<Entry> entries = new ArrayList<>();

    /** Reads the configuration of this process. */
    public ThreadSection()
    {
        if (ProgressMode.AGENT == ShmemProperty.PROGRESS_MODE.choice(ProgressMode.class))
        {
            add("aeroshmem-progress", "process of PEs",
                "performs messages of peers and nonblocking requests, from the first of them on; idle strategy " +
                ShmemProperty.IDLE_STRATEGY.text() + " (" + ShmemProperty.IDLE_STRATEGY.propertyName() + ")");
        }
        add("aeroshmem-liveness", "process of PEs", "writes heartbeats and detects deaths; sleeps between rounds");
        add("aeron-client-conductor", "process of PEs", "Aeron client, if a peer is reached by messages");
        if (ShmemProperty.RECORD_LATENCY.booleanValue())
        {
            add("aeroshmem-latency", "process of PEs", "writes recorded latencies every " +
                ShmemProperty.LATENCY_INTERVAL.text() + " (" + ShmemProperty.LATENCY_INTERVAL.propertyName() + ")");
        }
        if (null == ShmemProperty.AERON_DIR.text())
        {
            add("media driver", "launcher or leader of a node",
                "one thread of the driver that the job embeds, if a peer is reached by messages");
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
    public String name()
    {
        return "threads";
    }

    @Override
    public void print(final InfoText output)
    {
        output.title("Threads beside those of the program");
        output.line("  thread level", NAME_WIDTH, level());
        output.line("  blocked callers", NAME_WIDTH, "idle strategy " + ShmemProperty.WAIT_IDLE_STRATEGY.text() + " (" +
            ShmemProperty.WAIT_IDLE_STRATEGY.propertyName() + ")");
        entries.forEach((entry) ->
            output.line("  " + entry.thread, NAME_WIDTH, "one in each " + entry.process + ": " + entry.purpose));
    }

    @Override
    public Object facts()
    {
        final Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("thread_level", level());
        facts.put("wait_idle_strategy", ShmemProperty.WAIT_IDLE_STRATEGY.text());
        final List<Object> threads = new ArrayList<>();
        for (final Entry entry : entries)
        {
            final Map<String, Object> thread = new LinkedHashMap<>();
            thread.put("thread", entry.thread);
            thread.put("process", entry.process);
            thread.put("purpose", entry.purpose);
            threads.add(thread);
        }
        facts.put("threads", threads);
        return facts;
    }

    private static String level()
    {
        return ShmemProperty.THREAD_LEVEL.text().toLowerCase(Locale.ROOT);
    }

    /**
     * Thread, the process that has it, and its purpose.
     */
    private record Entry(String thread, String process, String purpose)
    {
    }
}
