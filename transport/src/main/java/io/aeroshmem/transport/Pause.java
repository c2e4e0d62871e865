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
package io.aeroshmem.transport;

import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.NanoClock;

import java.io.IOException;
import java.nio.channels.Selector;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * The clocks that the threads of a process read, and the pauses that they make while they wait. Everything that waits
 * goes through the process's pause, so that a simulation, which overrides it, decides what time it is and which thread
 * goes on. Otherwise there is no subclass, and calls are as direct as those that they stand for.
 */
public class Pause implements NanoClock, EpochClock
{
    private static final long AWAIT_POLL_NS = TimeUnit.MILLISECONDS.toNanos(1);

    /** The clocks and pauses of the system. */
    public static final Pause SYSTEM = new Pause();

    protected Pause()
    {
    }

    /** Returns the time in nanoseconds since an arbitrary origin, as {@link System#nanoTime()}. */
    @Override
    public long nanoTime()
    {
        return System.nanoTime();
    }

    /** Returns the time in milliseconds since the epoch, as {@link System#currentTimeMillis()}. */
    @Override
    public long time()
    {
        return System.currentTimeMillis();
    }

    /**
     * Returns how often a caller polls in vain before it first pauses, where {@code most} polls take less time than
     * what the caller awaits.
     */
    public int polls(final int most)
    {
        return most;
    }

    /** Does nothing, between two steps of a call that proceeds; a simulation lets others go on here. */
    public void step()
    {
    }

    /** Does nothing, after a call by which a program polls; a simulation lets others go on here, as after a wait. */
    public void poll()
    {
    }

    /** Pauses between two polls of what another thread is about to store. */
    public void spin()
    {
        Thread.onSpinWait();
    }

    /** Lets other threads run. */
    public void yieldThread()
    {
        Thread.yield();
    }

    /**
     * Lets other threads run for a time, or until {@link #unpark}.
     *
     * @param blocker of the thread, in a stack dump.
     * @param ns      the time in nanoseconds.
     */
    public void park(final Object blocker, final long ns)
    {
        LockSupport.parkNanos(blocker, ns);
    }

    /** Ends the {@link #park} of a thread. */
    public void unpark(final Thread thread)
    {
        LockSupport.unpark(thread);
    }

    /** Waits until a channel of a selector is ready, the selector is woken up, or a time in milliseconds has passed. */
    public void select(final Selector selector, final long timeoutMs) throws IOException
    {
        selector.select(timeoutMs);
    }

    /**
     * Waits until a condition holds, which is checked every millisecond, or the timeout expires; returns whether it
     * holds. An interrupt does not end the wait, and does not make it spin; the interrupt flag is kept.
     *
     * @param blocker of the thread, in a stack dump.
     */
    public final boolean await(final Object blocker, final BooleanSupplier condition, final long timeoutNs)
    {
        boolean isInterrupted = false;
        final long deadlineNs = nanoTime() + timeoutNs;
        boolean isTrue = condition.getAsBoolean();
        while (!isTrue && nanoTime() - deadlineNs < 0)
        {
            park(blocker, AWAIT_POLL_NS);
            isInterrupted |= Thread.interrupted();
            isTrue = condition.getAsBoolean();
        }

        if (isInterrupted)
        {
            Thread.currentThread().interrupt();
        }

        return isTrue;
    }

    /** Waits until a thread ends or the timeout in milliseconds expires, as {@link Threads#join}. */
    public void join(final Thread thread, final long timeoutMs)
    {
        Threads.join(thread, timeoutMs);
    }
}
