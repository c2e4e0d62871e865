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
package io.aeroshmem.collective.task;

import org.agrona.concurrent.NanoClock;

/**
 * The rule by which {@link io.aeroshmem.Shmem#progress()} polls a shared task ({@link CollectiveTask#isShared()}). A
 * thread that calls the method in a loop is assumed to have no other work, and polls the task in every call. A thread
 * that calls the method less often is assumed to have other work, and polls the task in some of its calls only. The
 * rest of the task is left to threads that wait for its completion, on this PE or on others.
 * <p>
 * Confined to the thread that holds the lock of the {@code RequestQueue}.
 */
public final class BriefPolls
{
    /** A thread that has not polled for this long has other work. */
    private static final long BUSY_NS = 1_000;

    /** Polls of such a thread of which one takes a step, a power of two. */
    private static final int POLLS_PER_STEP = 4;

    private final NanoClock clock;
    private long lastPollNs;
    private int polls;

    public BriefPolls(final NanoClock clock)
    {
        this.clock = clock;
    }

    /** Begins a poll, and returns whether the thread polls in a loop. */
    public boolean beginPoll()
    {
        final long nowNs = clock.nanoTime();
        final boolean isLoop = nowNs - lastPollNs < BUSY_NS;
        lastPollNs = nowNs;
        return isLoop;
    }

    /** Takes a poll of a thread with other work, and returns whether it is to take a step. */
    public boolean takeStep()
    {
        return 0 == (polls++ & (POLLS_PER_STEP - 1));
    }
}
