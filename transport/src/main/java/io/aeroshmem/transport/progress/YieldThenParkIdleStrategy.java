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
package io.aeroshmem.transport.progress;

import io.aeroshmem.transport.Pause;
import org.agrona.concurrent.IdleStrategy;

import java.util.concurrent.TimeUnit;

/**
 * Idle strategy of a blocked caller on a host with more busy threads than processors. It yields, so that the awaited PE
 * can run, and parks only after a millisecond, because a timed park costs fifty microseconds or more.
 */
public final class YieldThenParkIdleStrategy implements IdleStrategy
{
    private static final long YIELD_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long PARK_NS = TimeUnit.MICROSECONDS.toNanos(50);

    private final Pause pause;
    private boolean isIdle;
    private long idleSinceNs;

    public YieldThenParkIdleStrategy(final Pause pause)
    {
        this.pause = pause;
    }

    @Override
    public void idle(final int workCount)
    {
        if (workCount > 0)
        {
            reset();
        }
        else
        {
            idle();
        }
    }

    @Override
    public void idle()
    {
        final long nowNs = pause.nanoTime();
        if (!isIdle)
        {
            isIdle = true;
            idleSinceNs = nowNs;
        }

        if (nowNs - idleSinceNs < YIELD_NS)
        {
            pause.yieldThread();
        }
        else
        {
            pause.park(this, PARK_NS);
        }
    }

    @Override
    public void reset()
    {
        isIdle = false;
    }

    @Override
    public String alias()
    {
        return "yield-then-park";
    }
}
