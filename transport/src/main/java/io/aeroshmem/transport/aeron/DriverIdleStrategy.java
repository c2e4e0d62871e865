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

import org.agrona.concurrent.IdleStrategy;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * How the thread of an embedded driver idles beside PEs that spin or yield.
 * <p>
 * Over UDP every message passes through this thread, and PEs yield to it: it yields too, which is prompt and leaves the
 * processors to them. Over IPC it only moves flow-control limits, and PEs spin: a yield then costs a whole time slice
 * of a spinner, milliseconds, in which the senders stall; a parked thread is woken into a processor at once. So a yield
 * that took long is not repeated for a while, and ever less often, and the thread parks instead.
 */
final class DriverIdleStrategy implements IdleStrategy
{
    private static final int SPINS = 10;
    private static final int YIELDS = 20;
    private static final long MIN_PARK_NS = 20_000;
    private static final long MAX_PARK_NS = 200_000;
    private static final long LONG_YIELD_NS = TimeUnit.MICROSECONDS.toNanos(500);
    private static final long MIN_ABSTINENCE_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long MAX_ABSTINENCE_NS = TimeUnit.SECONDS.toNanos(10);

    private int spins;
    private int yields;
    private long parkNs = MIN_PARK_NS;
    private long abstinenceNs = MIN_ABSTINENCE_NS;
    private long mayYieldAtNs = System.nanoTime();

    DriverIdleStrategy()
    {
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
        if (spins < SPINS)
        {
            spins++;
            Thread.onSpinWait();
        }
        else if (yields >= YIELDS || !tryYield())
        {
            LockSupport.parkNanos(parkNs);
            parkNs = Math.min(parkNs << 1, MAX_PARK_NS);
        }
    }

    private boolean tryYield()
    {
        final long beforeNs = System.nanoTime();
        if (beforeNs - mayYieldAtNs < 0)
        {
            return false;
        }

        yields++;
        Thread.yield();
        final long afterNs = System.nanoTime();
        if (afterNs - beforeNs > LONG_YIELD_NS)
        {
            mayYieldAtNs = afterNs + abstinenceNs;
            abstinenceNs = Math.min(abstinenceNs << 1, MAX_ABSTINENCE_NS);
        }
        return true;
    }

    @Override
    public void reset()
    {
        spins = 0;
        yields = 0;
        parkNs = MIN_PARK_NS;
    }

    @Override
    public String alias()
    {
        return "aeroshmem-driver";
    }
}
