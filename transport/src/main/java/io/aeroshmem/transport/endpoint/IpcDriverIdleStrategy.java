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
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.status.AtomicCounter;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Idle strategy of a media driver that serves IPC streams only. Such a driver only advances publisher limits, and each
 * wake-up takes a processor from a PE for 30 microseconds or more. So while no publisher waits for the driver, each
 * park is an eighth longer than the last, up to 1 ms.
 */
final class IpcDriverIdleStrategy implements IdleStrategy
{
    static final long MIN_PARK_NS = TimeUnit.MICROSECONDS.toNanos(20);
    static final long MAX_PARK_NS = TimeUnit.MILLISECONDS.toNanos(1);
    /** Longest park while offers are back-pressured, in jobs of more than two PEs. */
    static final long MAX_REFUSED_PARK_NS = TimeUnit.MICROSECONDS.toNanos(200);
    static final long DRAINED_BYTES = 64 * 1024;
    private static final int GROWTH_SHIFT = 3;

    /*
     * A publisher that has reached its limit waits for the driver if the subscribers have consumed all that was sent.
     * Otherwise it waits for a subscriber. Two numbers from the counters of the job distinguish these cases: how many
     * PEs had back-pressured offers since the last wake-up, and how many bytes were sent but not yet received. A stream
     * counts as drained if fewer than DRAINED_BYTES of its bytes are not yet received. If there are on average fewer
     * such bytes per PE with back-pressured offers, the stream of at least one of these PEs is drained, and its
     * publisher is taken to wait for the driver. The next park is then half as long as the last. Otherwise it is an
     * eighth longer. Both numbers are read at the end of each park, before the driver advances a limit: a moment later
     * the publisher has sent again, and its stream no longer looks drained.
     *
     * With more than two PEs, one stream may be drained while another holds many bytes. So in such a job parks grow to
     * at most 200 microseconds while offers are back-pressured.
     */
    private final AtomicCounter[] refusedOffers;
    private final AtomicCounter[] sentBytes;
    private final AtomicCounter[] receivedBytes;
    private final long[] seenOffers;
    private long parkNs = MIN_PARK_NS;

    IpcDriverIdleStrategy(final ControlFile control)
    {
        refusedOffers = counters(control, PeCounter.BACK_PRESSURE);
        sentBytes = counters(control, PeCounter.BYTES_SENT);
        receivedBytes = counters(control, PeCounter.BYTES_RECEIVED);
        seenOffers = new long[refusedOffers.length];
    }

    private static AtomicCounter[] counters(final ControlFile control, final PeCounter counter)
    {
        final AtomicCounter[] counters = new AtomicCounter[control.nPes()];
        Arrays.setAll(counters, (pe) -> control.counter(pe, counter));
        return counters;
    }

    @Override
    public void idle(final int workCount)
    {
        if (0 == workCount)
        {
            idle();
        }
    }

    @Override
    public void idle()
    {
        LockSupport.parkNanos(parkNs);
        nextParkNs();
    }

    @Override
    public void reset()
    {
    }

    /** Sets the length of the next park and returns it. Marks the offers that were refused until now as seen. */
    long nextParkNs()
    {
        final int refused = refusedPes();
        if (refused > 0 && bytesInFlight() < refused * DRAINED_BYTES)
        {
            parkNs = Math.max(MIN_PARK_NS, parkNs >> 1);
        }
        else
        {
            final long max = refused > 0 && refusedOffers.length > 2 ? MAX_REFUSED_PARK_NS : MAX_PARK_NS;
            parkNs = Math.min(max, parkNs + (parkNs >> GROWTH_SHIFT));
        }

        return parkNs;
    }

    /** Returns the length of the next park. */
    long parkNs()
    {
        return parkNs;
    }

    /** Returns the number of PEs whose offers were refused since the last call. */
    private int refusedPes()
    {
        int pes = 0;
        for (int pe = 0; pe < refusedOffers.length; pe++)
        {
            final long offers = refusedOffers[pe].get();
            if (offers != seenOffers[pe])
            {
                seenOffers[pe] = offers;
                pes++;
            }
        }

        return pes;
    }

    private long bytesInFlight()
    {
        long bytes = 0;
        for (int pe = 0; pe < sentBytes.length; pe++)
        {
            bytes += sentBytes[pe].get() - receivedBytes[pe].get();
        }

        return bytes;
    }

    @Override
    public String alias()
    {
        return "ipc-driver";
    }
}
