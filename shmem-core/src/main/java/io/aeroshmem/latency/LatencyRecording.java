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
package io.aeroshmem.latency;

import io.aeroshmem.Info;
import io.aeroshmem.transport.Fields;
import io.aeroshmem.transport.job.PeLatencyFile;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.NanoClock;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ThreadFactory;

/**
 * The recording of the latencies of one PE's collectives, and of its operations if it was asked to (see
 * {@link OperationRecording}), which can be switched on and off. Each histogram has a tag,
 * {@code <team>.<collective>.<class of sizes>}, such as {@code WORLD.reduce.to-8B}. The files of PE {@code N} are:
 * <ul>
 *     <li>{@code aeroshmem-peN.hlog}: the histograms of each interval, one line for each tag that was recorded in the
 *     interval;</li>
 *     <li>{@code aeroshmem-peN.<tag>.hgrm}: the distribution of all records of a tag, written when the team or the PE
 *     is closed.</li>
 * </ul>
 * A library thread writes the files. The thread starts when recording is first switched on; before that there is
 * neither thread nor file.
 */
public final class LatencyRecording
{
    private static final VarHandle IS_ON = Fields.handle(MethodHandles.lookup(), "isOn", boolean.class);

    private final int pe;
    private final int collectives;
    private final ThreadFactory threadFactory;
    private final LatencyWriter writer;

    /** Histograms of open teams by tag, so that they are written in the order of tags. */
    private final ConcurrentSkipListMap<String, LatencyHistogram> histograms = new ConcurrentSkipListMap<>();

    private boolean isOn;
    private boolean isStarted;
    private boolean isClosed;

    /**
     * Constructs the recording of a PE, switched off.
     *
     * @param collectives   the constants of the enum that names the collectives.
     * @param directory     of the files; created if it is missing.
     * @param intervalNs    length of an interval in nanoseconds, above 0.
     * @param published     in which viewers find the latencies.
     * @param threadFactory makes the thread that writes.
     * @param errorHandler  receives its failures.
     */
    public LatencyRecording(
        final int pe,
        final int nPes,
        final Enum<?>[] collectives,
        final Path directory,
        final long intervalNs,
        final PeLatencyFile published,
        final ThreadFactory threadFactory,
        final ErrorHandler errorHandler)
    {
        this.pe = pe;
        this.collectives = collectives.length;
        this.threadFactory = threadFactory;
        writer = new LatencyWriter(
            pe,
            "Latencies in nanoseconds of PE " + pe + " of " + nPes + ", logged with " + Info.name(),
            directory,
            "aeroshmem-pe" + pe,
            intervalNs,
            histograms.values(),
            published,
            errorHandler);
    }

    int pe()
    {
        return pe;
    }

    /** Returns whether recording is on: between {@code record(true)} and {@code record(false)} or {@link #close()}. */
    public boolean isOn()
    {
        // opaque: callers load it again at each call, and order nothing else with it
        return (boolean)IS_ON.getOpaque(this);
    }

    /**
     * Returns a new recording of the one-sided operations and waits of the PE. Their latencies are recorded while this
     * recording is on.
     *
     * @param clock on which they are measured.
     */
    public OperationRecording operations(final NanoClock clock)
    {
        return new OperationRecording(this, clock);
    }

    /**
     * Returns a new recording for a handle of a team.
     *
     * @param teamName distinguishes it from all other teams that this PE ever has. Characters other than letters,
     *                 digits, dot, dash or underscore become underscores in tags.
     */
    public TeamLatency team(final String teamName)
    {
        return new TeamLatency(this, teamName.replaceAll("[^A-Za-z0-9._-]", "_"), collectives);
    }

    /**
     * Switches recording on or off. Calls in progress are recorded according to the state when they began. Does nothing
     * after {@link #close()}.
     */
    public synchronized void record(final boolean on)
    {
        if (isClosed || on == isOn)
        {
            return;
        }

        if (on && !isStarted)
        {
            writer.start(threadFactory.newThread(writer));
            isStarted = true;
        }

        IS_ON.setOpaque(this, on);
        writer.record(on);
    }

    /**
     * Switches recording off, and writes the rest: the last interval, then the distributions. Returns when that is
     * done, after five seconds at most. Does not throw: failures go to the error handler.
     */
    public synchronized void close()
    {
        if (isClosed)
        {
            return;
        }

        isClosed = true;
        IS_ON.setOpaque(this, false);
        if (isStarted)
        {
            writer.close();
        }
    }

    @Override
    public String toString()
    {
        return "LatencyRecording{" + (isOn() ? "on" : "off") + ", " + histograms.size() + " histograms}";
    }

    LatencyHistogram histogram(final String teamName, final Enum<?> collective, final int sizeClass)
    {
        return add(LatencyHistogram.ofCollective(
            teamName, collective.name().toLowerCase(Locale.ROOT), SizeClass.values()[sizeClass].label()));
    }

    LatencyHistogram operationHistogram(final String group, final Operation operation, final int sizeClass)
    {
        return add(LatencyHistogram.ofOperation(
            group, operation.name().toLowerCase(Locale.ROOT), SizeClass.values()[sizeClass].label()));
    }

    private LatencyHistogram add(final LatencyHistogram histogram)
    {
        final LatencyHistogram present = histograms.putIfAbsent(histogram.tag(), histogram);
        return null == present ? histogram : present;
    }

    void retire(final LatencyHistogram histogram)
    {
        writer.retire(histogram);
        histograms.remove(histogram.tag(), histogram);
    }
}
