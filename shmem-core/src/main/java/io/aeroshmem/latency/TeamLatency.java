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

import io.aeroshmem.transport.flight.CollectiveSpan;
import io.aeroshmem.transport.flight.FlightRecording;

import java.util.Locale;

/**
 * The latencies of the collectives of one team on this PE. Each {@link io.aeroshmem.Team} object has one instance for
 * blocking calls, and another for requests. A call is recorded like this:
 * <pre>{@code
 * final boolean isRecorded = latency.isRecording();
 * final long startNs = isRecorded ? System.nanoTime() : 0;
 * run();
 * if (isRecorded)
 * {
 *     latency.record(Routine.REDUCE, bytes, startNs, System.nanoTime());
 * }
 * }</pre>
 * The first record of a collective in a {@link SizeClass} allocates memory; later ones do not. Any thread may call
 * {@link #isOn()} and {@link #isRecording()}. One thread at a time calls {@link #record}; {@link #close()} is called
 * after the last record.
 */
public final class TeamLatency
{
    private final LatencyRecording recording;
    private final String name;

    /** By collective, then by size class; null until the first record. */
    private final LatencyHistogram[] histograms;

    TeamLatency(final LatencyRecording recording, final String name, final int collectives)
    {
        this.recording = recording;
        this.name = name;
        histograms = new LatencyHistogram[collectives * SizeClass.COUNT];
    }

    /** Returns another one for the requests of the team, whose tags begin with {@code <team>-requests}. */
    public TeamLatency forRequests()
    {
        return recording.team(name + "-requests");
    }

    /** Returns whether calls are to be recorded, or events made of them: a load and a branch. */
    public boolean isOn()
    {
        return recording.isOn() || FlightRecording.isCollectiveEnabled();
    }

    /** Returns whether calls are to be recorded. */
    public boolean isRecording()
    {
        return recording.isOn();
    }

    /** Ends the event of a successful call. */
    public void end(final CollectiveSpan span, final Enum<?> collective, final long bytes)
    {
        span.end(recording.pe(), collective.name().toLowerCase(Locale.ROOT), name, bytes);
    }

    /**
     * Records a successful call; the duration of a failed one is meaningless.
     *
     * @param collective one of those that the recording was made with.
     * @param bytes      of this PE's block; 0 for barrier and sync.
     * @param startNs    {@link System#nanoTime()} at entry.
     * @param endNs      {@link System#nanoTime()} at return.
     */
    public void record(final Enum<?> collective, final long bytes, final long startNs, final long endNs)
    {
        final int sizeClass = SizeClass.indexOf(bytes);
        final int index = collective.ordinal() * SizeClass.COUNT + sizeClass;
        LatencyHistogram histogram = histograms[index];
        if (null == histogram)
        {
            histogram = recording.histogram(name, collective, sizeClass);
            histograms[index] = histogram;
        }

        histogram.record(endNs - startNs);
    }

    /**
     * Ends the recording, as the team is closed: the library's thread writes its last interval and its distributions
     * soon, and frees their memory. Does not wait. No call is recorded after it.
     */
    public void close()
    {
        for (int i = 0; i < histograms.length; i++)
        {
            final LatencyHistogram histogram = histograms[i];
            if (null != histogram)
            {
                histograms[i] = null;
                recording.retire(histogram);
            }
        }
    }

    @Override
    public String toString()
    {
        return "TeamLatency{" + name + ", " + recording + "}";
    }
}
