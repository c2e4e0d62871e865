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
package io.aeroshmem.tools.launch;

import java.util.concurrent.TimeUnit;

/**
 * The times at which processes that have to end receive SIGTERM and then SIGKILL. The caller supplies the time and
 * sends the signals.
 */
final class EndSchedule
{
    private boolean isSet;
    private boolean isTerminated;
    private long terminateAtNs;
    private long killAtNs;

    /** What is sent to all live processes. */
    enum Signal
    {
        NONE, TERMINATE, KILL
    }

    /** Returns whether the time of SIGTERM is set. */
    boolean isSet()
    {
        return isSet;
    }

    /** Returns whether SIGTERM was due. */
    boolean isTerminated()
    {
        return isTerminated;
    }

    /**
     * Sets the time of SIGTERM, {@code noticeMs} from now, and of SIGKILL, {@code graceMs} later. An earlier time set
     * before stays.
     */
    void endAfter(final long nowNs, final long noticeMs, final long graceMs)
    {
        final long terminateNs = nowNs + TimeUnit.MILLISECONDS.toNanos(noticeMs);
        final long killNs = terminateNs + TimeUnit.MILLISECONDS.toNanos(graceMs);
        terminateAtNs = isSet && terminateAtNs - terminateNs < 0 ? terminateAtNs : terminateNs;
        killAtNs = isSet && killAtNs - killNs < 0 ? killAtNs : killNs;
        isSet = true;
    }

    /** Returns the signal that is due: SIGTERM once, SIGKILL each time, as a process may have been started since. */
    Signal due(final long nowNs)
    {
        if (isSet && nowNs - killAtNs >= 0)
        {
            return Signal.KILL;
        }

        if (isSet && !isTerminated && nowNs - terminateAtNs >= 0)
        {
            isTerminated = true;
            return Signal.TERMINATE;
        }

        return Signal.NONE;
    }
}
