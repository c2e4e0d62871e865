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
 * Period in which a launcher polls for PEs that join, one of which may request a driver and wait for it. The period is
 * short at first. A program may join late or never, so once nothing has changed for a few seconds, the period is a
 * small part of that time. It is short again as soon as a PE has proceeded.
 */
final class JoiningPoll
{
    static final long MIN_MS = 2;
    static final long MAX_MS = 100;
    static final long PATIENCE_MS = TimeUnit.SECONDS.toMillis(3);
    private static final int POLLS_OF_SILENCE = 50;

    private long progress;
    private long changeNs;

    JoiningPoll(final long nowNs)
    {
        changeNs = nowNs;
    }

    /** Returns the period at a time; {@code newProgress} changes when a PE proceeds. */
    long periodMs(final long newProgress, final long nowNs)
    {
        if (newProgress != progress)
        {
            progress = newProgress;
            changeNs = nowNs;
        }

        final long silenceMs = TimeUnit.NANOSECONDS.toMillis(nowNs - changeNs);
        return silenceMs < PATIENCE_MS ? MIN_MS : Math.min(MAX_MS, silenceMs / POLLS_OF_SILENCE);
    }
}
