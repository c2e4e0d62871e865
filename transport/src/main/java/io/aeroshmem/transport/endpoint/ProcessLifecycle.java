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
package io.aeroshmem.transport.endpoint;

import io.aeroshmem.transport.Pause;
import io.aeroshmem.transport.job.JobFailure;

import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The states of a {@link JobProcess}, without its resources.
 * <pre>
 *              the last PE leaves                         released
 *      OPEN --------------------------&gt; RELEASING --------------------------&gt; ENDED
 *        |  the JVM of a failed job ends     ^                                  |
 *        +-----------------------------------+----------------------------------+
 *                                                the last PE leaves after that
 * </pre>
 * PEs enter while the state is OPEN. One thread at a time releases, and holds no monitor meanwhile: others that need
 * the outcome wait for it here.
 */
final class ProcessLifecycle
{
    private static final long UNLIMITED_NS = Long.MAX_VALUE;

    private final Pause pause;
    private State state = State.OPEN;
    private Thread releasing;
    /** PEs that have entered and not left. Written under the monitor. */
    private volatile int entered;
    /** Failure of the job, kept when the job has ended. */
    private JobFailure failure;

    private enum State
    {
        OPEN, RELEASING, ENDED
    }

    ProcessLifecycle(final Pause pause)
    {
        this.pause = pause;
    }

    /** Counts one more PE and returns the number of them; returns 0 and counts none if the job has ended. */
    int enter()
    {
        return afterRelease(() -> State.OPEN == state ? ++entered : 0);
    }

    /** Counts one PE less. Returns whether it was the last: then the caller releases the resources. */
    boolean leave()
    {
        return afterRelease(() ->
        {
            if (0 != --entered)
            {
                return false;
            }

            beginRelease();
            return true;
        });
    }

    /**
     * Abandons the job, if a condition holds, as the JVM is ending. Returns whether the caller releases the resources;
     * never waits.
     */
    synchronized boolean abandon(final BooleanSupplier condition)
    {
        if (State.OPEN != state || !condition.getAsBoolean())
        {
            return false;
        }

        beginRelease();
        return true;
    }

    private void beginRelease()
    {
        state = State.RELEASING;
        releasing = Thread.currentThread();
    }

    /** Keeps the failure of the job, null if it is intact, for PEs that enter after the release. */
    synchronized void keepFailure(final JobFailure jobFailure)
    {
        failure = jobFailure;
    }

    /** Ends the release that {@link #leave} or {@link #abandon} began. */
    synchronized void released()
    {
        state = State.ENDED;
        releasing = null;
    }

    /** Returns whether all PEs have left and the resources are released, after a release that is under way. */
    boolean hasEnded()
    {
        return afterRelease(() -> State.OPEN != state);
    }

    /** Returns whether PEs are in the job, or may enter. */
    synchronized boolean isOpen()
    {
        return State.OPEN == state;
    }

    /** Returns whether a thread releases the resources. */
    synchronized boolean isReleasing()
    {
        return State.RELEASING == state;
    }

    /** Returns the failure with which the job has ended, or null. */
    synchronized JobFailure failure()
    {
        return failure;
    }

    int entered()
    {
        return entered;
    }

    /** Calls an action under the monitor, when no other thread releases. */
    private <T> T afterRelease(final Supplier<T> action)
    {
        while (true)
        {
            pause.await(this, () -> !isReleasedByOther(), UNLIMITED_NS);
            synchronized (this)
            {
                if (!isReleasedByOther())
                {
                    return action.get();
                }
            }
        }
    }

    /** A listener that the releasing thread calls may ask too. */
    private synchronized boolean isReleasedByOther()
    {
        return State.RELEASING == state && Thread.currentThread() != releasing;
    }
}
