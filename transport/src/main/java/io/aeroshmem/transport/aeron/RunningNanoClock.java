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
package io.aeroshmem.transport.aeron;

import org.agrona.concurrent.NanoClock;

/**
 * Clock of the time in which this process ran: an interval between two readings counts as {@value #MAX_COUNTED_MS} ms
 * at most. The agents of Aeron's client and driver read their clock in each duty cycle, so a longer interval is a pause
 * of the process. Their timeouts then do not expire because of it. Thread-safe.
 */
public final class RunningNanoClock implements NanoClock
{
    private static final long MAX_COUNTED_MS = 500;
    private static final long MAX_COUNTED_NS = MAX_COUNTED_MS * 1_000_000;
    /** Readings within this time of the last recorded one are not recorded, so that threads seldom write. */
    private static final long RECORDING_INTERVAL_NS = 1_000_000;

    private final NanoClock clock;
    /** Last recorded reading of any thread; never decreases. Written under the monitor. */
    private volatile long lastNs;
    /** Written under the monitor, before the reading that ended the pause. */
    private volatile long pausedNs;

    /** Constructs a clock that begins with the present time of another. */
    public RunningNanoClock(final NanoClock clock)
    {
        this.clock = clock;
        lastNs = clock.nanoTime();
    }

    @Override
    public long nanoTime()
    {
        while (true)
        {
            // The same pauses before and after the reading belong to it.
            final long pausedBeforeNs = pausedNs;
            final long nowNs = clock.nanoTime();
            if (nowNs - lastNs > RECORDING_INTERVAL_NS)
            {
                record(nowNs);
            }

            if (pausedBeforeNs == pausedNs)
            {
                return nowNs - pausedBeforeNs;
            }
        }
    }

    /** A thread that was suspended between reading the time and this call records nothing. */
    private synchronized void record(final long nowNs)
    {
        final long elapsedNs = nowNs - lastNs;
        if (elapsedNs > 0)
        {
            if (elapsedNs > MAX_COUNTED_NS)
            {
                pausedNs += elapsedNs - MAX_COUNTED_NS;
            }

            lastNs = nowNs;
        }
    }
}
