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
package io.aeroshmem.transport;

import org.agrona.concurrent.IdleStrategy;

/**
 * How a blocked caller waits on a host with a processor for each busy thread: it spins, as what it waits for is on its
 * way. A program may have more threads than that, so a wait that is none of a moment gives way to them, which costs
 * nothing where nobody wants to run: otherwise threads that wait would keep those that they wait for from running, each
 * until the operating system takes its processor away.
 */
final class SpinThenYieldIdleStrategy implements IdleStrategy
{
    /** A fraction of a millisecond. */
    private static final int SPINS = 4096;

    private int spins;

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
        if (spins < SPINS)
        {
            spins++;
            Thread.onSpinWait();
        }
        else
        {
            Thread.yield();
        }
    }

    @Override
    public void reset()
    {
        spins = 0;
    }

    @Override
    public String alias()
    {
        return "spin-then-yield";
    }
}
