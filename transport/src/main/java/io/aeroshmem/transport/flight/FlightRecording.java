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
package io.aeroshmem.transport.flight;

import io.aeroshmem.transport.job.RecoveryTimes;

/**
 * Access to the events of JDK Flight Recorder, which is optional in a Java runtime. A call makes an event object only
 * if a recording has enabled the event.
 * <p>
 * A plain field caches whether the event of collectives is enabled: asking the event itself would cost each collective
 * 4 to 10 ns, whereas reading the field costs nothing measurable. The field is updated when the state of a recording
 * changes. A call may see the change late.
 * <p>
 * The listener that updates it exists only while the process has a share of a job: the flight recorder is part of the
 * JDK, and keeps a listener, and with it the class loader of the library, until the listener is removed.
 */
public final class FlightRecording
{
    /** Null if the runtime has no module jdk.jfr. */
    private static final JfrEventSource SOURCE = source();
    private static boolean isCollectiveEnabled;
    private static int jobs;

    private FlightRecording()
    {
    }

    private static JfrEventSource source()
    {
        try
        {
            Class.forName("jdk.jfr.Event", false, FlightRecording.class.getClassLoader());
            return new JfrEventSource();
        }
        catch (final ClassNotFoundException | LinkageError ex)
        {
            return null;
        }
    }

    /** Begins to follow the recordings of the process, for a job in which it takes part. */
    public static synchronized void enterJob()
    {
        if (1 == ++jobs && null != SOURCE)
        {
            SOURCE.follow(FlightRecording::refresh);
        }
    }

    /** Ends what {@link #enterJob} began. */
    public static synchronized void leaveJob()
    {
        if (0 == --jobs && null != SOURCE)
        {
            SOURCE.ignore();
        }
    }

    private static void refresh()
    {
        isCollectiveEnabled = SOURCE.isCollectiveEnabled();
    }

    /** Returns whether a recording has enabled the event of collectives. */
    public static boolean isCollectiveEnabled()
    {
        return isCollectiveEnabled;
    }

    /** Returns a collective that begins now; null unless its event is enabled. */
    public static CollectiveSpan beginCollective()
    {
        return isCollectiveEnabled ? SOURCE.beginCollective() : null;
    }

    /** Returns whether a recording has enabled the event of waits. */
    public static boolean isWaitEnabled()
    {
        return null != SOURCE && SOURCE.isWaitEnabled();
    }

    /** Returns a wait that begins now; called if its event is enabled. */
    public static WaitSpan beginWait()
    {
        return SOURCE.beginWait();
    }

    /** Returns whether a recording has enabled the event of latencies. */
    public static boolean isLatencyEnabled()
    {
        return null != SOURCE && SOURCE.isLatencyEnabled();
    }

    /**
     * Emits an event for the latencies of an interval; called if that event is enabled.
     *
     * @param pe         that recorded them.
     * @param size       class of the sizes.
     * @param intervalNs length of the interval in nanoseconds.
     */
    public static void latency(
        final int pe,
        final String team,
        final String routine,
        final String size,
        final long intervalNs,
        final LatencyQuantiles quantiles)
    {
        SOURCE.latency(pe, team, routine, size, intervalNs, quantiles);
    }

    /**
     * Emits an event for the failure of a job, if that event is enabled.
     *
     * @param failedPe the PE that has failed, or -1.
     * @param kind     of the failure.
     */
    public static void failure(final int failedPe, final String kind, final String message)
    {
        if (null != SOURCE)
        {
            SOURCE.failure(failedPe, kind, message);
        }
    }

    /**
     * Emits an event for the recovery that began a generation of the job, if that event is enabled.
     *
     * @param failedPe the PE whose failure ended the generation before, or -1.
     * @param cause    of that failure.
     */
    public static void recovery(
        final int generation, final int failedPe, final String cause, final RecoveryTimes times)
    {
        if (null != SOURCE)
        {
            SOURCE.recovery(generation, failedPe, cause, times);
        }
    }
}
