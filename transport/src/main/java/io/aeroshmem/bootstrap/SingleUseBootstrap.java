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
package io.aeroshmem.bootstrap;

import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.endpoint.EndpointContext;
import io.aeroshmem.transport.endpoint.JobProcess;
import io.aeroshmem.transport.endpoint.PeBootstrap;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.JobFailureException;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Base of bootstraps that are used once: to enter a job, or to withdraw from it.
 */
public abstract class SingleUseBootstrap implements PeBootstrap
{
    private final int pe;
    private final int nPes;
    private final AtomicBoolean isUsed = new AtomicBoolean();
    private volatile JobFailure withdrawal;

    protected SingleUseBootstrap(final int pe, final int nPes)
    {
        this.pe = pe;
        this.nPes = nPes;
    }

    /** Enters the job. */
    protected abstract JobProcess enterOnce(EndpointContext context);

    /** Notifies the other PEs that this one will not enter. */
    protected abstract void withdrawOnce(Throwable cause, long joinTimeoutNs);

    @Override
    public final int pe()
    {
        return pe;
    }

    @Override
    public final int nPes()
    {
        return nPes;
    }

    @Override
    public final JobProcess enter(final EndpointContext context)
    {
        use();
        return enterOnce(context);
    }

    /** Marks this bootstrap as used, by one that enters the job in another way. */
    public final void use()
    {
        if (!isUsed.compareAndSet(false, true))
        {
            throw null != withdrawal ? new JobFailureException(withdrawal) :
                new TransportException("PE " + pe + " has been set up already: a PE can be set up only once");
        }
    }

    @Override
    public final void withdraw(final Throwable cause, final long joinTimeoutNs)
    {
        if (isUsed.compareAndSet(false, true))
        {
            withdrawal = couldNotJoin(cause);
            withdrawOnce(cause, joinTimeoutNs);
        }
    }

    final JobFailure couldNotJoin(final Throwable cause)
    {
        return new JobFailure(
            JobFailure.Kind.PE_FAILED, pe, -1, "PE " + pe + " could not join: " + cause.getMessage());
    }
}
