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
package io.aeroshmem.lifecycle;

import io.aeroshmem.config.PropertyParser;
import io.aeroshmem.config.ShmemProperty;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;

/**
 * The recoveries of a job: decides whether another generation follows one that has failed, and when. Without processes
 * and clocks: the caller supplies the time, and starts the generations.
 * <p>
 * Each recovery counts for the time of a window. The first one within it is made at once. The n-th begins no earlier
 * than a delay after the start of the generation that has failed, and the delay doubles from one to the next. So a
 * generation that has run for longer is followed at once, and a job whose generations fail as soon as they start does
 * not occupy the host. A generation that ends by a command is followed at once, and does not count.
 */
public final class Recoveries
{
    static final long FIRST_DELAY_MS = 500;
    static final long MAX_DELAY_MS = 10_000;

    /** The longest time between the start of a generation that has failed and that of the next one. */
    public static final long MAX_DELAY_NS = TimeUnit.MILLISECONDS.toNanos(MAX_DELAY_MS);

    private static final int MAX_DOUBLINGS = 16;

    private final int max;
    private final long windowNs;
    private final Queue<Long> times = new ArrayDeque<>();
    private final List<String> causes = new ArrayList<>();
    private long startNs;
    private boolean isCommanded;

    /** Creates the recoveries of a job whose generation 0 starts now, at most {@code max} within the window. */
    public Recoveries(final int max, final long windowNs, final long startNs)
    {
        this.max = max;
        this.windowNs = windowNs;
        this.startNs = startNs;
    }

    /** Returns the number of the current generation. */
    public int generation()
    {
        return causes.size();
    }

    /** Handles the failure of the current generation. Returns whether another one follows. */
    public boolean onFailure(final long nowNs, final String cause)
    {
        while (!times.isEmpty() && nowNs - times.peek() >= windowNs)
        {
            times.remove();
        }

        final boolean isFollowed = times.size() < max;
        if (isFollowed)
        {
            isCommanded = false;
            causes.add(oneLine(cause));
            times.add(nowNs);
        }

        return isFollowed;
    }

    /** Handles the end of the current generation by a command, after which another one follows. */
    public void onCommand(final String cause)
    {
        isCommanded = true;
        causes.add(oneLine(cause));
    }

    /** Returns the time until the generation that follows is started. */
    public long delayNs(final long nowNs)
    {
        final int earlier = times.size() - 1;
        if (isCommanded || 0 == earlier)
        {
            return 0;
        }

        final long delayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS << Math.min(MAX_DOUBLINGS, earlier - 1));
        return Math.max(0, startNs + TimeUnit.MILLISECONDS.toNanos(delayMs) - nowNs);
    }

    /** Handles the start of the generation that follows. */
    public void onStart(final long nowNs)
    {
        startNs = nowNs;
    }

    /** Returns the line on an end that another generation follows after a delay. */
    public String line(final long delayNs)
    {
        final int next = causes.size();
        final long delayMs = TimeUnit.NANOSECONDS.toMillis(delayNs);
        return "generation " + (next - 1) +
            (isCommanded ? " ends: " : " has failed: ") + causes.get(next - 1) +
            "; starting generation " + next + (0 == delayMs ? "" : " in " + delayMs + " ms");
    }

    /** Returns the line on a failure that no generation follows, as there were too many before. */
    public String exhausted(final String cause)
    {
        return "generation " + causes.size() + " has failed: " + oneLine(cause) + "; ending the job after " +
            times.size() + " recoveries within " + PropertyParser.formatDuration(windowNs) + " (" +
            ShmemProperty.RECOVERY_MAX.propertyName() + ", " + ShmemProperty.RECOVERY_WINDOW.propertyName() + ")";
    }

    /** Returns the lines on the ends of all earlier generations; empty if there are none. */
    public String earlier()
    {
        final StringBuilder text = new StringBuilder();
        for (int i = 0; i < causes.size(); i++)
        {
            text.append(0 == i ? "earlier generations of the job ended:" : "").append("\n  generation ").append(i)
                .append(": ").append(causes.get(i));
        }

        return text.toString();
    }

    /** The program or its exceptions have written parts of a cause. */
    private static String oneLine(final String cause)
    {
        return cause.replaceAll("\\p{Cc}+", " ");
    }
}
