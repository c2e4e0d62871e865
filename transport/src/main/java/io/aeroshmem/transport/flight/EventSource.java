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
 * Source of the events of {@link FlightRecording}. One implementation is for Java runtimes with JDK Flight Recorder,
 * the other for those without.
 */
interface EventSource
{
    /**
     * Begins to follow the recordings of the process.
     *
     * @param onRecording runs now, if there is a recorder, and when the state of a recording has changed.
     */
    void follow(Runnable onRecording);

    /** Ends what {@link #follow} began. */
    void ignore();

    boolean isCollectiveEnabled();

    CollectiveSpan beginCollective();

    boolean isWaitEnabled();

    WaitSpan beginWait();

    boolean isLatencyEnabled();

    void latency(int pe, String team, String routine, String size, long intervalNs, LatencyQuantiles quantiles);

    void failure(int failedPe, String kind, String message);

    void recovery(int generation, int failedPe, String cause, RecoveryTimes times);
}
