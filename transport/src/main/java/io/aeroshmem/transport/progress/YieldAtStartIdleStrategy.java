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

/**
 * Idle strategy of a caller that waits for messages. At first it yields, as the compilers of the JVMs need the
 * processors more than a caller that waits; after a time it is another strategy.
 */
public final class YieldAtStartIdleStrategy implements IdleStrategy
{
    private final IdleStrategy next;
    private final Pause pause;
    private final long endNs;
    private boolean isStart = true;

    /** Creates a strategy that yields until a time on the clock of {@link Pause#nanoTime()}. */
    public YieldAtStartIdleStrategy(final IdleStrategy next, final Pause pause, final long endNs)
    {
        this.next = next;
        this.pause = pause;
        this.endNs = endNs;
    }

    @Override
    public void idle(final int workCount)
    {
        if (isStart)
        {
            if (0 == workCount)
            {
                idle();
            }
        }
        else
        {
            next.idle(workCount);
        }
    }

    @Override
    public void idle()
    {
        if (isStart)
        {
            isStart = pause.nanoTime() - endNs < 0;
            pause.yieldThread();
        }
        else
        {
            next.idle();
        }
    }

    @Override
    public void reset()
    {
        next.reset();
    }

    @Override
    public String alias()
    {
        return "yield-at-start";
    }
}
