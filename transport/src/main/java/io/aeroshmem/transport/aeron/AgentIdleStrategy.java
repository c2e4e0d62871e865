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

import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Default idle strategy of the {@link ProgressAgent}. It spins, then parks for 10 to 50 microseconds. While callers of
 * the library drive progress, it parks for longer, see {@link ProgressAgent#standBackNs()}.
 * <p>
 * The reason for the longer parks: each wake-up of the agent interrupts a caller. On a virtual machine of two
 * processors, an interruption took 30 to 45 microseconds. With a wake-up every 120 microseconds, the caller lost a
 * quarter to a third of its time.
 */
public final class AgentIdleStrategy implements IdleStrategy
{
    private static final int SPINS = 10;
    private static final long MIN_PARK_NS = TimeUnit.MICROSECONDS.toNanos(10);
    private static final long MAX_PARK_NS = TimeUnit.MICROSECONDS.toNanos(50);

    private final BackoffIdleStrategy backoff = new BackoffIdleStrategy(SPINS, 0, MIN_PARK_NS, MAX_PARK_NS);
    private final ProgressAgent agent;

    public AgentIdleStrategy(final ProgressAgent agent)
    {
        this.agent = agent;
    }

    @Override
    public void idle(final int workCount)
    {
        final long standBackNs = workCount > 0 ? 0 : agent.standBackNs();
        if (standBackNs > MAX_PARK_NS)
        {
            LockSupport.parkNanos(standBackNs);
        }
        else
        {
            backoff.idle(workCount);
        }
    }

    @Override
    public void idle()
    {
        backoff.idle();
    }

    @Override
    public void reset()
    {
        backoff.reset();
    }

    @Override
    public String alias()
    {
        return "agent";
    }
}
