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
import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;
import jdk.jfr.Recording;

/**
 * Source of the events of JDK Flight Recorder. Whether an event is enabled is a property of the event's class. So this
 * source keeps one object of each class, and asks it whether the event is enabled.
 * <p>
 * The classes of events are loaded when the recorder is initialised, which happens before a recording starts. Their
 * registration takes 100 ms of processor time per JVM, so a program without a recording does not load them. Until they
 * are loaded, their events are disabled.
 */
final class JfrEventSource
{
    private volatile CollectiveEvent collective;
    private volatile WaitEvent wait;
    private volatile LatencyEvent latency;
    private volatile FailureEvent failure;
    private volatile RecoveryEvent recovery;

    private FlightRecorderListener listener;

    /**
     * Begins to follow the recordings of the process.
     *
     * @param onRecording runs now, if there is a recorder, and when the state of a recording has changed.
     */
    void follow(final Runnable onRecording)
    {
        listener = new FlightRecorderListener()
        {
            @Override
            public void recorderInitialized(final FlightRecorder recorder)
            {
                collective = new CollectiveEvent();
                wait = new WaitEvent();
                latency = new LatencyEvent();
                failure = new FailureEvent();
                recovery = new RecoveryEvent();
                onRecording.run();
            }

            @Override
            public void recordingStateChanged(final Recording recording)
            {
                onRecording.run();
            }
        };
        // also notifies of a recorder that is initialised already
        FlightRecorder.addListener(listener);
    }

    /** Ends what {@link #follow} began. */
    void ignore()
    {
        FlightRecorder.removeListener(listener);
    }

    boolean isCollectiveEnabled()
    {
        final CollectiveEvent event = collective;
        return null != event && event.isEnabled();
    }

    CollectiveSpan beginCollective()
    {
        final CollectiveEvent event = new CollectiveEvent();
        event.begin();
        return event;
    }

    boolean isWaitEnabled()
    {
        final WaitEvent event = wait;
        return null != event && event.isEnabled();
    }

    WaitSpan beginWait()
    {
        final WaitEvent event = new WaitEvent();
        event.begin();
        return event;
    }

    boolean isLatencyEnabled()
    {
        final LatencyEvent event = latency;
        return null != event && event.isEnabled();
    }

    void latency(
        final int pe,
        final String team,
        final String routine,
        final String size,
        final long intervalNs,
        final LatencyQuantiles quantiles)
    {
        new LatencyEvent().emit(pe, team, routine, size, intervalNs, quantiles);
    }

    void failure(final int failedPe, final String kind, final String message)
    {
        final FailureEvent event = failure;
        if (null != event && event.isEnabled())
        {
            new FailureEvent().emit(failedPe, kind, message);
        }
    }

    void recovery(final int generation, final int failedPe, final String cause, final RecoveryTimes times)
    {
        final RecoveryEvent event = recovery;
        if (null != event && event.isEnabled())
        {
            new RecoveryEvent().emit(generation, failedPe, cause, times);
        }
    }
}
