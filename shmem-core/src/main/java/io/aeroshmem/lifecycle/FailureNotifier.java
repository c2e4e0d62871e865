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

import io.aeroshmem.FailureHandler;
import io.aeroshmem.Shmem;
import io.aeroshmem.transport.Threads;
import io.aeroshmem.transport.job.JobFailure;
import org.agrona.ErrorHandler;

/**
 * Calls the program's {@link FailureHandler} once, when the PE is set up and its job has failed. The handler gets a
 * thread of its own: the thread that detects failures also writes the heartbeat of this process, so it must not wait
 * for the program. Thread-safe.
 */
public final class FailureNotifier
{
    private Shmem shmem;
    private ErrorHandler errorHandler;
    private JobFailure failure;
    private boolean isDone;

    /** Sets the PE, which is set up. */
    public void open(final Shmem shmem, final ErrorHandler errorHandler)
    {
        synchronized (this)
        {
            this.shmem = shmem;
            this.errorHandler = errorHandler;
        }
        notifyOnce(null);
    }

    /** Records the failure of the job. Any thread, any number of times. */
    public void onFailure(final JobFailure failure)
    {
        notifyOnce(failure);
    }

    /** Ends the notification when the PE has left the job, with its failure or null: a later one is not of this PE. */
    public void close(final JobFailure failure)
    {
        notifyOnce(failure);
        synchronized (this)
        {
            isDone = true;
        }
    }

    /** Starts the handler outside the monitor, which code of the program must not hold. */
    private void notifyOnce(final JobFailure what)
    {
        if (isDue(what))
        {
            try
            {
                final Thread thread = Threads.daemon(shmem.context().threadFactory().newThread(this::call));
                thread.setName("aeroshmem-failure");
                thread.start();
            }
            catch (final RuntimeException | Error ex)
            {
                // No thread, for lack of memory for example: the detection goes on, and the calls of the PE throw.
                Threads.report(errorHandler, ex);
            }
        }
    }

    private synchronized boolean isDue(final JobFailure what)
    {
        failure = null == failure ? what : failure;
        final boolean isDue =
            !isDone && null != shmem && null != failure && null != shmem.context().failureHandler();
        isDone |= isDue;
        return isDue;
    }

    private void call()
    {
        try
        {
            shmem.context().failureHandler().onFailure(shmem, FailureExceptions.of(failure));
        }
        catch (final Throwable ex)
        {
            Threads.report(errorHandler, ex);
        }
    }
}
