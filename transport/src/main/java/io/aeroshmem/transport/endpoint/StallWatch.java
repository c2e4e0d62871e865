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

import io.aeroshmem.transport.aeron.ProgressEngine;
import io.aeroshmem.transport.aeron.Traffic;
import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.Liveness;
import io.aeroshmem.transport.job.PeActivities;
import io.aeroshmem.transport.job.PeActivities.Activity;
import io.aeroshmem.transport.job.PePhase;
import io.aeroshmem.transport.progress.BlockingWait;
import org.agrona.concurrent.EpochClock;

import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;

/**
 * Detects a deadlock: a PE of the job has called close while others are blocked in calls that can no longer end.
 * <p>
 * A wait on memory, a lock or a team creation does not name the PE that it waits for. So no single PE can detect that
 * it waits for a PE that has called close, but all PEs together can. The state of the job is final if every PE is in
 * close or is stalled. A PE is stalled if all of these hold:
 * <ul>
 * <li>It is blocked in a call that needs another PE to act.</li>
 * <li>Everything that it sent before the call has arrived.</li>
 * <li>It has no nonblocking requests under way.</li>
 * <li>No thread of the program in its process can act by itself, see {@link ProgramThreads}.</li>
 * </ul>
 * A PE that computes, or that waits for a reply or for a point in time, is not stalled.
 */
final class StallWatch implements Liveness.Watch
{
    private static final long GRACE_MS = 1_000;
    private static final long GRACE_NS = TimeUnit.MILLISECONDS.toNanos(GRACE_MS);

    /*
     * Each process determines whether its own PEs are stalled, and publishes the result in the PE's Activity. The first
     * process that finds the state final for GRACE_MS ms, during which every PE stays in the same call, fails the job.
     * Each blocked PE has checked its call in that time, because some of them find a better cause: a caller checks its
     * call after each publication of it (BlockingWait.isCheckDue), so it must publish the call twice.
     *
     * Only jobs in which a PE is in close are examined. In all others the program may be about to act by means that the
     * library does not observe.
     */
    private final ControlFile control;
    private final int pe;
    private final ProgressEngine engine;
    private final BlockingWait blockingWait;
    private final LongPredicate isAnyThreadFree;
    private final EpochClock clock;
    private long fingerprint;
    private long stalledNs;
    /** When the PE whose last publication is the oldest published its call. */
    private long oldestSeenMs;
    /** How often all PEs have published their calls since the state became final; since when the next time counts. */
    private int publications;
    private long publishedMs;
    private Traffic traffic;
    private long blockedSinceMs;

    /**
     * @param engine          of the PE, or null if it exchanges no messages.
     * @param isAnyThreadFree at a time in milliseconds since the epoch, see {@link ProgramThreads#isAnyFree}.
     */
    StallWatch(
        final ControlFile control,
        final int pe,
        final ProgressEngine engine,
        final BlockingWait blockingWait,
        final LongPredicate isAnyThreadFree,
        final EpochClock clock)
    {
        this.control = control;
        this.pe = pe;
        this.engine = engine;
        this.blockingWait = blockingWait;
        this.isAnyThreadFree = isAnyThreadFree;
        this.clock = clock;
    }

    @Override
    public JobFailure check(final long elapsedNs)
    {
        if (control.phase(pe) >= PePhase.CLOSING)
        {
            return null;
        }

        final long nowMs = clock.time();
        final int closingPe = closingPe();
        publishFlags(nowMs, closingPe >= 0);
        if (closingPe < 0)
        {
            stalledNs = 0;
            return null;
        }

        final long stalled = fingerprintOfStall(nowMs);
        if (0 == stalled || stalled != fingerprint)
        {
            fingerprint = stalled;
            stalledNs = 0;
            publications = 0;
            publishedMs = nowMs;
            return null;
        }

        stalledNs += elapsedNs;
        if (oldestSeenMs > publishedMs)
        {
            publications++;
            publishedMs = nowMs;
        }

        return stalledNs < GRACE_NS || publications < 2 ? null : failure(closingPe);
    }

    private int closingPe()
    {
        for (int peer = 0; peer < control.nPes(); peer++)
        {
            if (PePhase.FINALIZING == control.phase(peer))
            {
                return peer;
            }
        }

        return -1;
    }

    /**
     * Publishes, if this PE is blocked in a call, whether what it sent before has arrived and whether it is stalled.
     */
    private void publishFlags(final long nowMs, final boolean isAnyClosing)
    {
        final Activity activity = control.activities().get(pe);
        if (null == activity || !activity.isFresh(nowMs))
        {
            traffic = null;
            return;
        }

        if (null == traffic || activity.sinceMs() != blockedSinceMs)
        {
            traffic = Traffic.of(engine);
            blockedSinceMs = activity.sinceMs();
        }

        int flags = 0;
        if (traffic.hasArrived())
        {
            final boolean isStalled =
                isAnyClosing && !blockingWait.hasRequests() && !isAnyThreadFree.test(nowMs);
            flags = PeActivities.SENT_ARRIVED | (isStalled ? PeActivities.STALLED : 0);
        }

        if (flags != activity.flags())
        {
            control.activities().flags(pe, activity.sinceMs(), flags);
        }
    }

    /**
     * Returns 0 unless the whole job is stalled; else a number that changes with any call.
     */
    private long fingerprintOfStall(final long nowMs)
    {
        long number = 1;
        boolean isAnyBlocked = false;
        oldestSeenMs = Long.MAX_VALUE;
        for (int peer = 0; peer < control.nPes(); peer++)
        {
            if (control.phase(peer) >= PePhase.FINALIZING)
            {
                number = number * 31 + peer;
                continue;
            }

            final Activity activity = control.activities().get(peer);
            if (null == activity || !activity.isStalled() || !activity.isFresh(nowMs) ||
                0 == activity.team())
            {
                return 0;
            }

            isAnyBlocked = true;
            oldestSeenMs = Math.min(oldestSeenMs, activity.seenMs());
            number = (number * 31 + activity.sinceMs()) * 31 + activity.number();
        }

        return isAnyBlocked ? number | 1 : 0;
    }

    private JobFailure failure(final int closingPe)
    {
        final StringBuilder calls = new StringBuilder();
        for (int peer = 0; peer < control.nPes(); peer++)
        {
            final Activity activity = control.activities().get(peer);
            if (control.phase(peer) < PePhase.FINALIZING && null != activity)
            {
                calls.append(calls.isEmpty() ? "PE " : ", PE ").append(peer).append(" is in ").append(activity.text());
            }
        }

        return new JobFailure(JobFailure.Kind.PE_FAILED, closingPe, -1, "PE " + closingPe +
            " called close while other PEs wait, and every PE is in close or waits, so these calls cannot end: " +
            calls);
    }
}
