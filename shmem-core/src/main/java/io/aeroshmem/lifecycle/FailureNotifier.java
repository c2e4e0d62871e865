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

import io.aeroshmem.ShmemException;
import io.aeroshmem.transport.Pause;
import io.aeroshmem.transport.Threads;
import io.aeroshmem.transport.job.JobFailure;
import org.agrona.ErrorHandler;

import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Calls the program's handlers of failures, in turn and once, when the PE is set up and its job has failed. They get a
 * thread of their own: the thread that detects failures also writes the heartbeat of this process, so it must not wait
 * for the program. Thread-safe.
 * <p>
 * Whether a failure that is detected while the PE leaves is one of this PE depends on how its close ends, and is
 * decided then: another PE may fail when all have left.
 */
public final class FailureNotifier
{
    /** Limit for the start of a thread, which takes less than a millisecond. */
    private static final long START_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(1);

    private ThreadFactory threadFactory;
    private List<Consumer<ShmemException>> handlers = List.of();
    private Pause pause = Pause.SYSTEM;
    private ErrorHandler errorHandler;
    private JobFailure failure;
    private State state = State.WATCHING;

    private enum State
    {
        WATCHING,
        /** The PE is leaving. */
        HELD,
        /** The handler's thread has been made, and has not begun. */
        STARTING,
        DONE
    }

    /** Sets the handlers of a PE, which is set up. */
    public void open(
        final ThreadFactory threadFactory,
        final List<Consumer<ShmemException>> handlers,
        final Pause pause,
        final ErrorHandler errorHandler)
    {
        synchronized (this)
        {
            this.threadFactory = threadFactory;
            this.handlers = handlers;
            this.pause = pause;
            this.errorHandler = errorHandler;
        }

        notifyOnce(null);
    }

    /** Records the failure of the job. Any thread, any number of times. */
    public void onFailure(final JobFailure failure)
    {
        notifyOnce(failure);
    }

    /** Defers the call of the handler to {@link #close}. */
    public synchronized void hold()
    {
        state = State.WATCHING == state ? State.HELD : state;
    }

    /**
     * Ends the notification when the PE has left the job.
     *
     * @param failure with which it has left, or null if its end was orderly: then no other failure counts.
     */
    public void close(final JobFailure failure)
    {
        synchronized (this)
        {
            state = State.HELD == state ? null == failure ? State.DONE : State.WATCHING : state;
        }

        notifyOnce(failure);
        awaitStart();
    }

    /** The handler may begin before this returns, and not later. */
    private void awaitStart()
    {
        pause.await(this, () -> !isStarting(), START_TIMEOUT_NS);
        begin();
    }

    private synchronized boolean isStarting()
    {
        return State.STARTING == state;
    }

    private synchronized boolean begin()
    {
        final boolean isInTime = State.STARTING == state;
        state = State.DONE;
        return isInTime;
    }

    /** Starts the handler outside the monitor, which code of the program must not hold. */
    private void notifyOnce(final JobFailure jobFailure)
    {
        if (tryStart(jobFailure))
        {
            try
            {
                final Thread thread = Threads.daemon(threadFactory.newThread(this::call));
                thread.setName("aeroshmem-failure");
                thread.start();
            }
            catch (final RuntimeException | Error ex)
            {
                // No thread, for lack of memory for example: the detection goes on, and the calls of the PE throw.
                begin();
                Threads.report(errorHandler, ex);
            }
        }
    }

    /** Returns true once: when there is a failure, and a handler to call. */
    private synchronized boolean tryStart(final JobFailure jobFailure)
    {
        failure = null == failure ? jobFailure : failure;
        final boolean isDue = State.WATCHING == state && null != failure && !handlers.isEmpty();
        state = isDue ? State.STARTING : state;
        return isDue;
    }

    private void call()
    {
        if (begin())
        {
            handlers.forEach(this::call);
        }
    }

    private void call(final Consumer<ShmemException> handler)
    {
        try
        {
            handler.accept(FailureExceptions.of(failure));
        }
        catch (final Throwable ex)
        {
            Threads.report(errorHandler, ex);
        }
    }
}
