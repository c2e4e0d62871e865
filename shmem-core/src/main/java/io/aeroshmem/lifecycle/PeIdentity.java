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
package io.aeroshmem.lifecycle;

import io.aeroshmem.thread.ThreadGuard;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * The identity of a PE, and its state: bootstrapped (it has joined but is not yet set up), open or closed. All buffers
 * and contexts of a PE share one instance. So one comparison of references detects a buffer or context of another PE.
 */
public final class PeIdentity
{
    private static final int OPEN = 0;
    private static final int BOOTSTRAPPED = 1;
    private static final int CLOSED = 2;
    /** Open, and each call is checked. */
    private static final int GUARDED = 3;

    private static final AtomicInteger OPEN_PES = new AtomicInteger();

    private final int pe;
    private final int generation;
    private final boolean isJvmShared;
    private final Runnable completion;
    private final ThreadGuard guard;
    private volatile int state;
    private boolean isCounted;
    private volatile String teamOutOfStep;

    /**
     * Constructs the identity of an open PE.
     */
    public PeIdentity(final int pe, final boolean isJvmShared)
    {
        this.pe = pe;
        this.isJvmShared = isJvmShared;
        generation = -1;
        completion = null;
        guard = null;
    }

    /**
     * Constructs the identity of a bootstrapped PE.
     *
     * @param pe          number of the PE in the world.
     * @param generation  number of the generation of its job; -1 if that is not recoverable.
     * @param isJvmShared whether the JVM has other PEs, so that this one may not end it.
     * @param completion  completes the set-up, and calls {@link #open()}; any number of threads may run it.
     * @param guard       checks the thread of every call; null allows all.
     */
    public PeIdentity(
        final int pe,
        final int generation,
        final boolean isJvmShared,
        final Runnable completion,
        final ThreadGuard guard)
    {
        this.pe = pe;
        this.generation = generation;
        this.isJvmShared = isJvmShared;
        this.completion = completion;
        this.guard = guard;
        state = BOOTSTRAPPED;
    }

    public boolean isJvmShared()
    {
        return isJvmShared;
    }

    /** Marks the set-up as complete. */
    public synchronized void open()
    {
        state = null == guard ? OPEN : GUARDED;
        isCounted = true;
        OPEN_PES.incrementAndGet();
    }

    /** Returns whether a PE of this JVM is open. */
    public static boolean isAnyOpen()
    {
        return OPEN_PES.get() > 0;
    }

    /** Returns the guard of the calling threads, or null. */
    public ThreadGuard guard()
    {
        return guard;
    }

    /** Checks the calling thread where calls are checked; the call is not entered. */
    public void checkCaller()
    {
        if (null != guard)
        {
            guard.check();
        }
    }

    /** Begins a call where calls are checked; the thread will {@link #leaveCall()} it. */
    public void enterCall(final String name)
    {
        if (null != guard)
        {
            guard.enter(name);
        }
    }

    /** Ends a call. */
    public void leaveCall()
    {
        if (null != guard)
        {
            guard.leave();
        }
    }

    /** Performs a call, entered where calls are checked. */
    public <T> T call(final String name, final Supplier<T> task)
    {
        enterCall(name);
        try
        {
            return task.get();
        }
        finally
        {
            leaveCall();
        }
    }

    /** Returns whether the set-up of the PE is yet to be completed. */
    public boolean isBootstrapped()
    {
        return BOOTSTRAPPED == state;
    }

    public boolean isClosed()
    {
        return CLOSED == state;
    }

    /**
     * Throws if the PE is closed, or only bootstrapped. Acquire: a caller that passes sees the completed set-up.
     *
     * @throws IllegalStateException if the PE is not open.
     */
    public void checkOpen()
    {
        if (OPEN != state)
        {
            checkUnopened();
        }
    }

    private void checkUnopened()
    {
        checkOpenForAllThreads();
        // no guard if the set-up has been completed since the caller found the PE unopened
        checkCaller();
    }

    /**
     * {@link #checkOpen} for a call that any thread may make at any time.
     *
     * @throws IllegalStateException if the PE is closed, or only bootstrapped.
     */
    public void checkOpenForAllThreads()
    {
        final int state = this.state;
        if (OPEN != state && GUARDED != state)
        {
            throw rejection();
        }
    }

    /**
     * Begins a call that completes the set-up of the PE if it is only bootstrapped.
     *
     * @param isOfWorld whether the call is collective over the world; others complete nothing.
     * @throws IllegalStateException if the PE is closed, or only bootstrapped and this call is not of the world.
     */
    public void enter(final boolean isOfWorld)
    {
        if (OPEN != state)
        {
            enterUnopened(isOfWorld);
        }
    }

    private void enterUnopened(final boolean isOfWorld)
    {
        if (isOfWorld && BOOTSTRAPPED == state)
        {
            checkCaller();
            completion.run();
        }

        checkOpen();
    }

    /** Returns the exception of a call that {@link #checkOpen} rejects. */
    public IllegalStateException rejection()
    {
        return new IllegalStateException(BOOTSTRAPPED != state ?
            description() + " is closed: calls must be between init and close" :
            this + " is only bootstrapped (aeroshmem.init.delayed): calls must be queries, globalExit, fail, close," +
            " or complete its set-up by malloc, calloc, align, mallocWithHints, realloc, attach, barrierAll, syncAll," +
            " or barrier or sync of the world");
    }

    /** Returns the PE, and the generation if its job is recoverable. */
    public String description()
    {
        return this + (generation < 0 ? "" : " of generation " + generation);
    }

    /** Returns what ends with the PE: the job, or the generation if the job is recoverable. */
    public String scope()
    {
        return generation < 0 ? "job" : "generation " + generation;
    }

    /** Closes the PE for all its objects. */
    public synchronized void close()
    {
        state = CLOSED;
        if (isCounted)
        {
            isCounted = false;
            OPEN_PES.decrementAndGet();
        }
    }

    /**
     * Records a team of which a collective call of this PE ended by an exception after it had begun: other PEs may wait
     * for this one.
     */
    public void outOfStep(final String teamName)
    {
        teamOutOfStep = teamName;
    }

    /** Returns the name of a team of which this PE is out of step, or null. */
    public String teamOutOfStep()
    {
        return teamOutOfStep;
    }

    @Override
    public String toString()
    {
        return "PE " + pe;
    }
}
