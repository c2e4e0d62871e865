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

import io.aeroshmem.transport.progress.Progress;
import org.agrona.collections.ArrayUtil;
import org.agrona.concurrent.Agent;

/**
 * Background agent that drives the engines and the requests of a process's PEs while the application computes. It skips
 * an engine that callers have driven since the agent's last duty cycle.
 */
public final class ProgressAgent implements Agent
{
    private volatile ProgressEngine[] engines = new ProgressEngine[0];
    private volatile Progress[] requests = new Progress[0];
    private long[] lastCallerCycles = new long[0];

    /** Adds the engine of a PE that has joined. Any thread. */
    public synchronized void add(final ProgressEngine engine)
    {
        engines = ArrayUtil.add(engines, engine);
    }

    /**
     * Removes the engine of a PE that leaves. Any thread. The agent may run one more duty cycle of it while this
     * returns.
     */
    public synchronized void remove(final ProgressEngine engine)
    {
        engines = ArrayUtil.remove(engines, engine);
    }

    /** Adds the nonblocking requests of a PE. Any thread. */
    public synchronized void add(final Progress progress)
    {
        requests = ArrayUtil.add(requests, progress);
    }

    /** Removes the requests of a PE, of which none is under way. Any thread. */
    public synchronized void remove(final Progress progress)
    {
        requests = ArrayUtil.remove(requests, progress);
    }

    @Override
    public int doWork()
    {
        final ProgressEngine[] current = engines;
        if (lastCallerCycles.length < current.length)
        {
            lastCallerCycles = new long[current.length];
        }

        int work = 0;
        for (int i = 0; i < current.length; i++)
        {
            final long callerCycles = current[i].callerCycles();
            if (callerCycles == lastCallerCycles[i])
            {
                work += current[i].pollAsAgent();
            }
            lastCallerCycles[i] = callerCycles;
        }
        for (final Progress progress : requests)
        {
            work += progress.pollAsAgent();
        }
        return work;
    }

    @Override
    public String roleName()
    {
        return "aeroshmem-progress";
    }
}
