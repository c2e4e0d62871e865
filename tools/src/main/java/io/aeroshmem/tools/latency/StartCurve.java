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
package io.aeroshmem.tools.latency;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The calls that a PE makes from the end of {@code init} on, as their numbers and times in slots of
 * {@value #SLOT_MS} ms. A rate is that of a window of {@value #WINDOW} slots, so that a pause does not count as a slow
 * start, and one fast slot not as the peak.
 */
final class StartCurve
{
    static final long SLOT_MS = 10;
    static final int WINDOW = 20;

    /** Least duration: the second half of the calls has windows then. */
    static final long MIN_MS = 1000;

    private static final long SLOT_NS = SLOT_MS * 1_000_000;
    private static final int[] STEPS = {1, 2, 5};

    private final long[] calls;
    private final long[] times;

    StartCurve(final long durationNs)
    {
        calls = new long[(int)Math.max(MIN_MS / SLOT_MS, durationNs / SLOT_NS)];
        times = new long[calls.length];
    }

    /**
     * Adds calls.
     *
     * @param endNs time from the end of {@code init} to the end of the calls; beyond the duration it is that.
     * @param count number of the calls.
     * @param ns    time that they took.
     */
    void add(final long endNs, final int count, final long ns)
    {
        final int slot = (int)Math.min(endNs / SLOT_NS, calls.length - 1);
        calls[slot] += count;
        times[slot] += ns;
    }

    /** Returns the calls per second in slots, NaN if there is no call. */
    private double rate(final int from, final int to)
    {
        long count = 0;
        long ns = 0;
        for (int slot = from; slot < to; slot++)
        {
            count += calls[slot];
            ns += times[slot];
        }

        return 0 == ns ? Double.NaN : count * 1e9 / ns;
    }

    /** Returns the calls per second of the first window that has calls: on a busy machine a piece may be longer. */
    double start()
    {
        return IntStream.rangeClosed(0, calls.length - WINDOW)
            .mapToDouble((slot) -> rate(slot, slot + WINDOW))
            .filter((rate) -> !Double.isNaN(rate))
            .findFirst()
            .orElse(Double.NaN);
    }

    /** Returns the calls per second that the operation settles at: the median of the windows of the second half. */
    double peak()
    {
        final double[] rates = IntStream.rangeClosed(calls.length / 2, calls.length - WINDOW)
            .mapToDouble((slot) -> rate(slot, slot + WINDOW))
            .filter((rate) -> !Double.isNaN(rate))
            .sorted()
            .toArray();
        return 0 == rates.length ? Double.NaN : rates[(rates.length - 1) / 2];
    }

    /** Returns the milliseconds after which the first window begins whose rate is a share of the peak; -1 if none. */
    long reached(final double share)
    {
        final double least = share * peak();
        for (int slot = 0; slot + WINDOW <= calls.length; slot++)
        {
            if (rate(slot, slot + WINDOW) >= least)
            {
                return slot * SLOT_MS;
            }
        }

        return -1;
    }

    /** Returns the calls per second by the end of an interval in milliseconds; an interval without calls is absent. */
    Map<Long, Double> points()
    {
        final Map<Long, Double> points = new LinkedHashMap<>();
        int from = 0;
        for (int decade = 1; from < calls.length; decade *= 10)
        {
            for (final int step : STEPS)
            {
                final int to = Math.min(step * decade, calls.length);
                final double rate = from < to ? rate(from, to) : Double.NaN;
                if (!Double.isNaN(rate))
                {
                    points.put(to * SLOT_MS, rate);
                }

                from = to;
            }
        }

        return points;
    }
}
