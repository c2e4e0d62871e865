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

import io.aeroshmem.transport.Fields;
import io.aeroshmem.transport.flight.FlightRecording;
import io.aeroshmem.transport.flight.LatencyQuantiles;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.IntervalHistogramProvider;
import org.HdrHistogram.Recorder;
import org.HdrHistogram.SingleWriterRecorder;
import org.HdrHistogram.ValueRecorder;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;

/**
 * The latencies of one collective of one team, or of one operation, with messages of one {@link SizeClass}, in
 * nanoseconds.
 */
final class LatencyHistogram
{
    /** Longer times count as this one. A larger range would cost memory without being useful. */
    static final long HIGHEST_NS = TimeUnit.MINUTES.toNanos(1);

    /** Errors stay below 1 % (0.8 %, as the parts of a power of two are 128), at 30 KiB a histogram instead of 220. */
    static final int SIGNIFICANT_DIGITS = 2;

    private static final VarHandle IS_CHANGED = Fields.handle(MethodHandles.lookup(), "isChanged", boolean.class);
    private static final double P50 = 50;
    private static final double P90 = 90;
    private static final double P99 = 99;
    private static final double P999 = 99.9;

    /*
     * Writers of a collective's. A blocking call is recorded by the thread that makes it. A request is recorded by the
     * thread that completes it. Blocking calls and requests have separate histograms. The writers of a histogram are
     * ordered: the program orders the blocking calls of a team, even if several threads make them, and the lock of the
     * RequestQueue orders the requests. So each writer sees the writes of the previous writer, and the plain increments
     * of a SingleWriterRecorder are enough. HdrHistogram's Recorder, for several writers, would add a locked
     * instruction or two per count. If a program violates the order, the only consequence is that a count can be lost:
     * the histograms have a fixed range, so their arrays are never replaced.
     *
     * Writers of an operation's. Any threads, at the same time: so theirs is a Recorder.
     *
     * Reader. A thread of the library (LatencyWriter) takes the counts of each interval, and adds them to a total. The
     * writers may record meanwhile: the recorder swaps its two histograms, and waits until a writer that is still
     * recording in the old one has finished.
     *
     * Mark. A writer records, and then sets isChanged with release. The reader clears it by an atomic exchange, and
     * then takes the interval: what was recorded before a mark that it found set is in that interval or in an earlier
     * one. A mark set after the exchange stays for the next interval, which is empty if this one had the record.
     *
     * Nothing is allocated after the first two intervals: the recorder's two histograms and the histogram of the total
     * are reused.
     */
    private final String team;
    private final String routine;
    private final String size;
    private final ValueRecorder recorder;
    private final IntervalHistogramProvider<Histogram> intervals;

    /** Lets the library's thread skip idle histograms without taking their interval. */
    private boolean isChanged;

    // The library's thread's own:
    private Histogram total;
    private Histogram interval;

    private <R extends ValueRecorder & IntervalHistogramProvider<Histogram>> LatencyHistogram(
        final String team, final String routine, final String size, final R recorder)
    {
        this.team = team;
        this.routine = routine;
        this.size = size;
        this.recorder = recorder;
        intervals = recorder;
    }

    /** Returns the histogram of a collective, which one thread at a time records. */
    static LatencyHistogram ofCollective(final String team, final String routine, final String size)
    {
        return new LatencyHistogram(
            team, routine, size, new SingleWriterRecorder(HIGHEST_NS, SIGNIFICANT_DIGITS));
    }

    /** Returns the histogram of an operation, which any threads record at the same time. */
    static LatencyHistogram ofOperation(final String group, final String operation, final String size)
    {
        return new LatencyHistogram(group, operation, size, new Recorder(HIGHEST_NS, SIGNIFICANT_DIGITS));
    }

    String tag()
    {
        return team + "." + routine + "." + size;
    }

    /** Counts a call. Called by the thread that made it. */
    void record(final long durationNs)
    {
        recorder.recordValue(Math.max(0, Math.min(durationNs, HIGHEST_NS)));
        // release: pairs with the exchange in takeInterval, which then finds the value in the recorder
        IS_CHANGED.setRelease(this, true);
    }

    /**
     * Returns what was recorded since the last call, or null if nothing was, and adds it to the total. Called by the
     * library's thread; the interval is valid until the next call.
     */
    Histogram takeInterval()
    {
        if (!(boolean)IS_CHANGED.getAndSet(this, false))
        {
            return null;
        }

        interval = intervals.getIntervalHistogram(interval);
        if (0 == interval.getTotalCount())
        {
            return null;
        }

        if (null == total)
        {
            total = new Histogram(HIGHEST_NS, SIGNIFICANT_DIGITS);
            total.setTag(tag());
        }

        total.add(interval);
        interval.setTag(total.getTag());
        return interval;
    }

    /** Emits the event of an interval that was taken. */
    void emit(final int pe, final long intervalNs)
    {
        FlightRecording.latency(pe, team, routine, size, intervalNs, new LatencyQuantiles(
            interval.getTotalCount(),
            interval.getValueAtPercentile(P50),
            interval.getValueAtPercentile(P90),
            interval.getValueAtPercentile(P99),
            interval.getValueAtPercentile(P999),
            interval.getMaxValue()));
    }

    /** Returns the total of all intervals taken, or null if there were none. Called by the library's thread. */
    Histogram total()
    {
        return total;
    }
}
