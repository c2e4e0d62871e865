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

import org.agrona.ErrorHandler;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Error handler that passes errors on to another handler, and limits the rate of repeated errors. Without a limit, a
 * thread that retries in each duty cycle, such as that of a media driver whose network is cut, would report thousands
 * of errors a second.
 * <p>
 * An error is identified by its class and message, or by a key that the caller passes. It is passed on when it first
 * occurs, and then at most once every {@value #INTERVAL_S} seconds, with the number of its occurrences since the last
 * report. Beyond {@value #MAX_KNOWN} distinct errors, all others count as one, so that neither memory nor a log fills.
 * <p>
 * Thread-safe. The other handler is called outside the lock, so it may block.
 */
public final class RateLimitedErrorHandler implements ErrorHandler
{
    static final int MAX_KNOWN = 64;

    private static final long INTERVAL_S = 30;
    private static final long INTERVAL_NS = TimeUnit.SECONDS.toNanos(INTERVAL_S);
    private static final Object OTHERS = new Object();

    private final ErrorHandler next;
    private final NanoClock clock;
    private final Map<Object, Repetition> repetitionByKey = new HashMap<>();

    public RateLimitedErrorHandler(final ErrorHandler next)
    {
        this(next, SystemNanoClock.INSTANCE);
    }

    /** The clock measures the time between reports. */
    public RateLimitedErrorHandler(final ErrorHandler next, final NanoClock clock)
    {
        this.next = next;
        this.clock = clock;
    }

    @Override
    public void onError(final Throwable throwable)
    {
        onError(throwable.toString(), throwable);
    }

    /** Handles an error that counts as one with all others of its key. */
    public void onError(final Object key, final Throwable throwable)
    {
        final long count = reportableCount(key);
        if (0 == count)
        {
            next.onError(throwable);
        }
        else if (count > 0)
        {
            final String message = throwable.getMessage();
            next.onError(new TransportException((null == message ? throwable.toString() : message) +
                " (" + count + " more occurrences since the last report)", throwable));
        }
    }

    /**
     * Returns the number of occurrences since the last report, 0 for a first occurrence, -1 if it is not to be
     * reported.
     */
    private synchronized long reportableCount(final Object error)
    {
        final long nowNs = clock.nanoTime();
        final boolean isRoom = repetitionByKey.size() < MAX_KNOWN || repetitionByKey.containsKey(error);
        final Object key = isRoom ? error : OTHERS;
        final Repetition repetition = repetitionByKey.get(key);
        if (null == repetition)
        {
            repetitionByKey.put(key, new Repetition(nowNs));
            return 0;
        }

        repetition.count++;
        if (nowNs - repetition.reportedNs < INTERVAL_NS)
        {
            return -1;
        }

        final long count = repetition.count;
        repetition.reportedNs = nowNs;
        repetition.count = 0;
        return count;
    }

    private static final class Repetition
    {
        private long reportedNs;
        private long count;

        Repetition(final long reportedNs)
        {
            this.reportedNs = reportedNs;
        }
    }
}
