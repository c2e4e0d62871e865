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

import io.aeroshmem.CollectiveMismatchException;
import io.aeroshmem.DriverFailureException;
import io.aeroshmem.GlobalExitException;
import io.aeroshmem.PeFailureException;
import io.aeroshmem.ShmemException;
import io.aeroshmem.ShmemInterruptedException;
import io.aeroshmem.ShmemTimeoutException;
import io.aeroshmem.transport.flight.FlightRecording;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.progress.ExceptionFactory;

import java.util.concurrent.TimeUnit;

/**
 * Creates exceptions of the API on behalf of the transport. The transport needs one when the job has failed, a time
 * limit has expired or a thread was interrupted. Each call creates a new exception, with the stack of the calling
 * thread.
 */
public final class FailureExceptions implements ExceptionFactory
{
    private final Termination termination;

    public FailureExceptions(final Termination termination)
    {
        this.termination = termination;
    }

    @Override
    public RuntimeException failure(final JobFailure failure)
    {
        FlightRecording.failure(failure.pe(), failure.kind().name(), failure.message());
        switch (failure.kind())
        {
            case GLOBAL_EXIT:
                termination.run(failure.status());
                break;

            case LAUNCHER_DIED:
                termination.onLauncherDeath();
                break;

            default:
                break;
        }

        return of(failure);
    }

    /** Returns the exception for a failure, and does nothing else. */
    public static ShmemException of(final JobFailure failure)
    {
        final String message = failure.message();
        return switch (failure.kind())
        {
            case GLOBAL_EXIT -> new GlobalExitException(failure.status(), message);
            case DRIVER_DIED -> new DriverFailureException("the media driver has failed: " + message);
            case LAUNCHER_DIED -> new DriverFailureException("the launcher of the job has failed: " + message);
            case HOST_LOST -> new DriverFailureException("a host of the job is lost: " + message);
            case MISMATCH -> new CollectiveMismatchException(message);
            default -> failure.pe() < 0 ? new ShmemException(message) : new PeFailureException(failure.pe(), message);
        };
    }

    @Override
    public RuntimeException timeout(final String callName, final long timeoutNs, final String explanation)
    {
        return new ShmemTimeoutException(
            callName + " did not end within " + TimeUnit.NANOSECONDS.toMillis(timeoutNs) + " ms, the limit set by" +
            " aeroshmem.operation.timeout" + explanation);
    }

    @Override
    public RuntimeException interrupted(final String callName)
    {
        return new ShmemInterruptedException(
            "interrupted during " + callName + "; the thread's interrupt flag is kept");
    }
}
