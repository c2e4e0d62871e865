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
package io.aeroshmem.transport.endpoint;

import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.PeCounter;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.status.AtomicCounter;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Idle strategy of a driver all of whose streams are IPC. Such a driver only moves the limits of publishers, and each
 * wake-up takes a processor from a PE, for 30 microseconds or more. So it parks for long, as long as no publisher waits
 * at its limit; after one has done so it parks as briefly as a stream at full rate needs, for some time.
 */
final class IpcDriverIdleStrategy implements IdleStrategy
{
    private static final int SPINS = 10;
    private static final long MIN_PARK_NS = TimeUnit.MICROSECONDS.toNanos(20);
    private static final long MAX_PARK_NS = TimeUnit.MICROSECONDS.toNanos(200);
    static final long PRESSURE_NS = TimeUnit.MILLISECONDS.toNanos(10);

    private final BackoffIdleStrategy backoff = new BackoffIdleStrategy(SPINS, 0, MIN_PARK_NS, MAX_PARK_NS);
    /** By PE: offers that were refused at the limit. */
    private final AtomicCounter[] refusedOffers;
    private long seenOffers;
    private long pressureEndNs;
    private boolean isUnderPressure;

    IpcDriverIdleStrategy(final ControlFile control)
    {
        refusedOffers = new AtomicCounter[control.nPes()];
        Arrays.setAll(refusedOffers, (pe) -> control.counter(pe, PeCounter.BACK_PRESSURE));
    }

    @Override
    public void idle(final int workCount)
    {
        if (isUnderPressure(System.nanoTime()))
        {
            backoff.idle(workCount);
        }
        else if (0 == workCount)
        {
            LockSupport.parkNanos(MAX_PARK_NS);
        }
    }

    @Override
    public void idle()
    {
        idle(0);
    }

    @Override
    public void reset()
    {
        backoff.reset();
    }

    /** Returns whether a publisher has met its limit within {@link #PRESSURE_NS} before a time. */
    boolean isUnderPressure(final long nowNs)
    {
        long offers = 0;
        for (final AtomicCounter counter : refusedOffers)
        {
            offers += counter.get();
        }

        if (offers != seenOffers)
        {
            seenOffers = offers;
            pressureEndNs = nowNs + PRESSURE_NS;
            isUnderPressure = true;
            backoff.reset();
        }
        else if (isUnderPressure && nowNs - pressureEndNs >= 0)
        {
            isUnderPressure = false;
        }
        return isUnderPressure;
    }

    @Override
    public String alias()
    {
        return "ipc-driver";
    }
}
