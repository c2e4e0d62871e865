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
package io.aeroshmem.job;

import io.aeroshmem.thread.ThreadGuard;

/**
 * Which PE something belongs to. Buffers and contexts of one PE carry the same object, so that one comparison tells a
 * foreign buffer; it also says whether the PE is closed.
 */
public final class PeIdentity
{
    private static final int OPEN = 0;
    private static final int BOOTSTRAPPED = 1;
    private static final int CLOSED = 2;
    /** Open, but each call is checked. */
    private static final int GUARDED = 3;

    private final int pe;
    private final boolean isJvmShared;
    private final Runnable completion;
    private final ThreadGuard guard;
    private volatile int state;
    private volatile String teamOutOfStep;

    /**
     * Construct for an open PE.
     *
     * @param pe          number of the PE in the world.
     * @param isJvmShared whether the PE is one of a group in this JVM, which is not its own to end.
     */
    public PeIdentity(final int pe, final boolean isJvmShared)
    {
        this.pe = pe;
        this.isJvmShared = isJvmShared;
        completion = null;
        guard = null;
    }

    /**
     * Construct for a PE that knows the others of its job and has no more yet.
     *
     * @param pe          number of the PE in the world.
     * @param isJvmShared whether the PE is one of a group in this JVM, which is not its own to end.
     * @param completion  completes its set-up, and calls {@link #open()}; any number of threads may run it.
     * @param guard       asked at every call which may be made by the thread that makes it; null allows all.
     */
    public PeIdentity(
        final int pe, final boolean isJvmShared, final Runnable completion, final ThreadGuard guard)
    {
        this.pe = pe;
        this.isJvmShared = isJvmShared;
        this.completion = completion;
        this.guard = guard;
        state = BOOTSTRAPPED;
    }

    /**
     * Is the PE one of a group in this JVM?
     *
     * @return true if the JVM is not its own to end.
     */
    public boolean isJvmShared()
    {
        return isJvmShared;
    }

    /**
     * Its set-up is complete.
     */
    public void open()
    {
        state = null == guard ? OPEN : GUARDED;
    }

    /**
     * Who checks the threads that call.
     *
     * @return null if nobody does.
     */
    public ThreadGuard guard()
    {
        return guard;
    }

    /**
     * Is the PE still to be set up in full?
     *
     * @return true if it is only bootstrapped.
     */
    public boolean isBootstrapped()
    {
        return BOOTSTRAPPED == state;
    }

    /**
     * Is the PE closed?
     *
     * @return true if it is.
     */
    public boolean isClosed()
    {
        return CLOSED == state;
    }

    /**
     * Throw if the PE is closed, or only bootstrapped. Acquire: who passes sees what completed the set-up.
     *
     * @throws IllegalStateException if it is.
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
        guard.check();
    }

    /**
     * {@link #checkOpen} of a call that any thread may make at any time.
     *
     * @throws IllegalStateException if the PE is closed, or only bootstrapped.
     */
    public void checkOpenForAllThreads()
    {
        final int state = this.state;
        if (OPEN != state && GUARDED != state)
        {
            throw refusal();
        }
    }

    /**
     * At the beginning of a call that completes the set-up of the PE if that is still to be done.
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
            if (null != guard)
            {
                guard.check();
            }

            completion.run();
        }

        checkOpen();
    }

    /**
     * Why a call is refused that {@link #checkOpen} does not let pass.
     *
     * @return the exception.
     */
    public IllegalStateException refusal()
    {
        return new IllegalStateException(BOOTSTRAPPED != state ?
            this + " is closed, allowed is a PE between its init and its close" :
            this + " is only bootstrapped (property aeroshmem.init.delayed), allowed are queries, globalExit, fail," +
            " close, and what completes its set-up: malloc, calloc, align, mallocWithHints, realloc, barrierAll," +
            " syncAll, and barrier and sync of the world");
    }

    /**
     * Close it. All objects of the PE that ask see it from now on.
     */
    public void close()
    {
        state = CLOSED;
    }

    /**
     * A collective call of this PE has ended by an exception after it had begun: other PEs may wait for this one.
     *
     * @param teamName name of the team.
     */
    public void outOfStep(final String teamName)
    {
        teamOutOfStep = teamName;
    }

    /**
     * A team of this PE that is out of step with its other members.
     *
     * @return its name, or null if all are in step.
     */
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
