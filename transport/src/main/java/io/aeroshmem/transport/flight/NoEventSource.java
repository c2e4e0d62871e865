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

/** Source without events, for a Java runtime without JDK Flight Recorder. */
final class NoEventSource implements EventSource
{
    @Override
    public void follow(final Runnable onRecording)
    {
    }

    @Override
    public void ignore()
    {
    }

    @Override
    public boolean isCollectiveEnabled()
    {
        return false;
    }

    @Override
    public CollectiveSpan beginCollective()
    {
        throw new IllegalStateException("not enabled");
    }

    @Override
    public boolean isWaitEnabled()
    {
        return false;
    }

    @Override
    public WaitSpan beginWait()
    {
        throw new IllegalStateException("not enabled");
    }

    @Override
    public boolean isLatencyEnabled()
    {
        return false;
    }

    @Override
    public void latency(
        final int pe,
        final String team,
        final String routine,
        final String size,
        final long intervalNs,
        final LatencyQuantiles quantiles)
    {
    }

    @Override
    public void failure(final int failedPe, final String kind, final String message)
    {
    }

    @Override
    public void recovery(final int generation, final int failedPe, final String cause, final RecoveryTimes times)
    {
    }
}
