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

import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;
import jdk.jfr.Recording;

/**
 * Events of JDK Flight Recorder. Whether an event is enabled is a property of its class, so one object of each serves
 * all checks.
 */
final class JfrEventSource implements EventSource
{
    private final CollectiveEvent collective = new CollectiveEvent();
    private final WaitEvent wait = new WaitEvent();

    /**
     * @param onRecording runs when the state of a recording has changed.
     */
    JfrEventSource(final Runnable onRecording)
    {
        FlightRecorder.addListener(new FlightRecorderListener()
        {
            @Override
            public void recordingStateChanged(final Recording recording)
            {
                onRecording.run();
            }
        });
    }

    @Override
    public boolean isCollectiveEnabled()
    {
        return collective.isEnabled();
    }

    @Override
    public CollectiveSpan beginCollective()
    {
        final CollectiveEvent event = new CollectiveEvent();
        event.begin();
        return event;
    }

    @Override
    public boolean isWaitEnabled()
    {
        return wait.isEnabled();
    }

    @Override
    public WaitSpan beginWait()
    {
        final WaitEvent event = new WaitEvent();
        event.begin();
        return event;
    }

    @Override
    public void failure(final int failedPe, final String kind, final String message)
    {
        final FailureEvent event = new FailureEvent();
        if (event.isEnabled())
        {
            event.emit(failedPe, kind, message);
        }
    }
}
