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
package io.aeroshmem.tools.latency;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * Measures the {@linkplain JvmCosts costs} that a part of the program causes in this JVM. Reading the number of
 * allocated bytes allocates nothing. So a part that allocates nothing costs exactly 0 bytes.
 */
final class JvmMeter
{
    private static final String CONCURRENT = "Cycles";

    private final com.sun.management.ThreadMXBean threads = threads();
    private final List<GarbageCollectorMXBean> collectors = ManagementFactory.getGarbageCollectorMXBeans();
    private long bytes;
    private long collections;
    private long pauseMs;

    private static com.sun.management.ThreadMXBean threads()
    {
        if (ManagementFactory.getThreadMXBean() instanceof com.sun.management.ThreadMXBean)
        {
            final com.sun.management.ThreadMXBean threads =
                (com.sun.management.ThreadMXBean)ManagementFactory.getThreadMXBean();
            if (threads.isThreadAllocatedMemorySupported())
            {
                threads.setThreadAllocatedMemoryEnabled(true);
                return threads;
            }
        }

        return null;
    }

    /** Begins a part on the calling thread. */
    void begin()
    {
        collections = collections();
        pauseMs = pauseMs();
        // last, as the collectors' figures may allocate
        bytes = bytes();
    }

    /** Ends the part, on the same thread, and returns its costs. */
    JvmCosts end()
    {
        final long allocated = null == threads ? JvmCosts.UNKNOWN : bytes() - bytes;
        return new JvmCosts(allocated, collections() - collections, pauseMs() - pauseMs);
    }

    private long bytes()
    {
        return null == threads ? JvmCosts.UNKNOWN : threads.getCurrentThreadAllocatedBytes();
    }

    private long collections()
    {
        long count = 0;
        for (final GarbageCollectorMXBean collector : collectors)
        {
            count += Math.max(0, collector.getCollectionCount());
        }

        return count;
    }

    /** The time of a concurrent cycle is no pause; its collector reports the pauses by another bean. */
    private long pauseMs()
    {
        long timeMs = 0;
        for (final GarbageCollectorMXBean collector : collectors)
        {
            timeMs += collector.getName().endsWith(CONCURRENT) ? 0 : Math.max(0, collector.getCollectionTime());
        }

        return timeMs;
    }
}
