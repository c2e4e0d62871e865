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

import io.aeroshmem.transport.TransportException;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.NanoClock;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Passes on what goes wrong in a media driver, and what goes wrong again and again only now and then: a driver whose
 * network is cut tries each datagram again in each duty cycle, and reports each failure, thousands a second.
 * <p>
 * The same error, by its class and message, is told when it comes first, and then at most every
 * {@value #INTERVAL_S} seconds, with how often it came meanwhile. Beyond {@value #MAX_KNOWN} different ones all
 * others are taken for the same, so that neither memory nor a log fills.
 * <p>
 * May be called by any thread. The handler behind it is called outside the lock, so that it may take its time.
 */
public final class DampedErrorHandler implements ErrorHandler
{
    static final int MAX_KNOWN = 64;

    private static final long INTERVAL_S = 30;
    private static final long INTERVAL_NS = TimeUnit.SECONDS.toNanos(INTERVAL_S);
    private static final String OTHERS = "";

    private final ErrorHandler next;
    private final NanoClock clock;
    private final Map<String, Repetition> repetitionByError = new HashMap<>();

    /**
     * Construct in front of another handler.
     *
     * @param next told what is passed on.
     */
    public DampedErrorHandler(final ErrorHandler next)
    {
        this(next, System::nanoTime);
    }

    DampedErrorHandler(final ErrorHandler next, final NanoClock clock)
    {
        this.next = next;
        this.clock = clock;
    }

    @Override
    public void onError(final Throwable throwable)
    {
        final long unheard = unheard(throwable.toString());
        if (0 == unheard)
        {
            next.onError(throwable);
        }
        else if (unheard > 0)
        {
            next.onError(new TransportException(
                throwable.getMessage() + " (came " + unheard + " times more since it was last told)", throwable));
        }
    }

    /**
     * @return how often it came since it was told last, 0 if never before, -1 if it is not to be told.
     */
    private synchronized long unheard(final String error)
    {
        final long nowNs = clock.nanoTime();
        final boolean isRoom = repetitionByError.size() < MAX_KNOWN || repetitionByError.containsKey(error);
        final String key = isRoom ? error : OTHERS;
        final Repetition repetition = repetitionByError.get(key);
        if (null == repetition)
        {
            repetitionByError.put(key, new Repetition(nowNs));
            return 0;
        }

        repetition.count++;
        if (nowNs - repetition.toldNs < INTERVAL_NS)
        {
            return -1;
        }

        final long count = repetition.count;
        repetition.toldNs = nowNs;
        repetition.count = 0;
        return count;
    }

    private static final class Repetition
    {
        private long toldNs;
        private long count;

        Repetition(final long toldNs)
        {
            this.toldNs = toldNs;
        }
    }
}
