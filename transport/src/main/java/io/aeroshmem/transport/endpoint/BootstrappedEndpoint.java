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

import io.aeroshmem.transport.PathKind;
import io.aeroshmem.transport.Pause;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.JobFailureException;
import org.agrona.ErrorHandler;

import java.nio.ByteOrder;
import java.util.Map;
import java.util.Objects;

/**
 * A PE after the first of the two phases of joining: the PEs of its job know each other, but have no symmetric memory
 * or connections yet.
 * <p>
 * {@link #connect()} runs the second phase and returns the {@link Endpoint}. {@link #close} leaves the job instead.
 * Only the first call of either counts: after it, {@link #connect()} throws and {@link #close} does nothing. All other
 * methods may be called by any thread, at any time.
 */
public final class BootstrappedEndpoint
{
    private final JoinProtocol joinProtocol;
    private boolean hasEnded;

    private BootstrappedEndpoint(final JoinProtocol joinProtocol)
    {
        this.joinProtocol = joinProtocol;
    }

    /**
     * Runs the first phase of joining. Collective: returns when all PEs know each other.
     *
     * @param context of this PE.
     * @return the PE.
     * @throws TransportException if any PE cannot join; all PEs get the same reason.
     */
    public static BootstrappedEndpoint of(final EndpointContext context)
    {
        if (ByteOrder.LITTLE_ENDIAN != ByteOrder.nativeOrder())
        {
            throw new TransportException("AeroSHMEM needs a little-endian processor");
        }

        final PeBootstrap bootstrap = Objects.requireNonNull(context.bootstrap(), "bootstrap");
        final BootstrappedEndpoint endpoint =
            new BootstrappedEndpoint(newJoinProtocol(context, enter(bootstrap, context)));
        try
        {
            endpoint.joinProtocol.bootstrap();
            return endpoint;
        }
        catch (final RuntimeException | Error ex)
        {
            throw endpoint.abort("join", ex);
        }
    }

    private static JoinProtocol newJoinProtocol(final EndpointContext context, final JobProcess process)
    {
        try
        {
            return new JoinProtocol(context, process);
        }
        catch (final RuntimeException | Error ex)
        {
            final int pe = context.bootstrap().pe();
            process.fail(pe, new JobFailure(
                JobFailure.Kind.PE_FAILED, pe, -1, "PE " + pe + " could not join: " + ex.getMessage()));
            process.leave();
            throw ex;
        }
    }

    private static JobProcess enter(final PeBootstrap bootstrap, final EndpointContext context)
    {
        try
        {
            return bootstrap.enter(context);
        }
        catch (final JobFailureException ex)
        {
            throw causedBy(ex.failure(), ex, context);
        }
    }

    public int pe()
    {
        return joinProtocol.pe();
    }

    public int nPes()
    {
        return joinProtocol.nPes();
    }

    /** Returns the number of a PE's host; hosts are numbered from 0 in the order of the least PE on each. */
    public int host(final int peer)
    {
        return joinProtocol.host(peer);
    }

    /** Returns the placement of the PEs. */
    public Placement placement()
    {
        return joinProtocol.placement();
    }

    /** Returns whether two PEs will reach each other by loads and stores. */
    public boolean isMutuallyMapped(final int first, final int second)
    {
        return joinProtocol.record(first).isMutuallyMapped(joinProtocol.record(second));
    }

    /**
     * Returns the directory of the media driver by which this PE will exchange messages, after connecting to it; null
     * if it exchanges none, or if threads of the application run the driver. Called before {@link #connect()}.
     */
    public String driverDirectory()
    {
        return joinProtocol.driverDirectory();
    }

    /** Returns whether this PE will exchange messages over UDP. */
    public boolean isUdp()
    {
        return joinProtocol.isExchanging(PathKind.UDP);
    }

    /**
     * Returns the term length of the streams of the jobs that train the library, the same on all PEs of a node: that of
     * the configuration or, if memory is short, less; 0 if there is too little memory for the jobs.
     */
    public int trainingTermLength()
    {
        return joinProtocol.trainingTermLength();
    }

    /** Returns, if memory is short, how much the jobs that train the library would need, and what to change. */
    public String trainingShortage()
    {
        return joinProtocol.trainingShortage();
    }

    /** Returns the error handler of the configuration, which counts in the control file what it receives. */
    public ErrorHandler errorHandler()
    {
        return joinProtocol.context().errorHandler();
    }

    /** Returns the clocks and pauses of this process. */
    public Pause pause()
    {
        return joinProtocol.pause();
    }

    /** Throws if the job has failed. */
    public void checkFailure()
    {
        joinProtocol.checkFailure();
    }

    /** Fails the job, and returns true if this is its first failure, the one that counts. */
    public boolean fail(final JobFailure failure)
    {
        return joinProtocol.control().fail(pe(), failure);
    }

    /** Returns the failure of the job, or null. */
    public JobFailure failure()
    {
        return joinProtocol.control().failure();
    }

    /** Returns whether the job has failed: one load. */
    public boolean isFailed()
    {
        return joinProtocol.control().isFailed();
    }

    /** Returns the number of this generation of the job. */
    public int generation()
    {
        return joinProtocol.control().generation();
    }

    /** Returns whether the process of a PE was set up in none of the generations before this one. */
    public boolean isNew(final int peer)
    {
        return joinProtocol.record(peer).firstGeneration() == generation();
    }

    /** Returns the number that a PE had in the previous generation; -1 in generation 0, or if it was not in it. */
    public int previousPe(final int peer)
    {
        return joinProtocol.control().previousPe(peer);
    }

    /** Returns the exit codes of the PEs that died with the one whose failure ended the previous generation. */
    public Map<Integer, Integer> lost()
    {
        return joinProtocol.control().lost();
    }

    /** Returns the failure that ended the previous generation of the job, or null. */
    public JobFailure previousFailure()
    {
        return joinProtocol.control().previousFailure();
    }

    /** Runs the second phase of joining with the heap size of the context. */
    public Endpoint connect()
    {
        return connect(joinProtocol.context().settings().heapSize());
    }

    /**
     * Runs the second phase of joining. Collective: returns when all PEs are connected.
     *
     * @param heapSize of the user heap in bytes, equal on all PEs.
     * @return the endpoint, which is to be closed instead of this.
     * @throws TransportException    if any PE cannot connect; all PEs get the same reason.
     * @throws IllegalStateException if this has been connected or closed.
     */
    public synchronized Endpoint connect(final long heapSize)
    {
        if (hasEnded)
        {
            throw new IllegalStateException("PE " + pe() + " has been connected or closed before");
        }

        try
        {
            final JoinedPe joined = joinProtocol.connect(heapSize);
            hasEnded = true;
            return new Endpoint(joinProtocol, joined);
        }
        catch (final RuntimeException | Error ex)
        {
            throw abort("join", ex);
        }
    }

    /**
     * Leaves the job, unless this has been connected or closed. In an intact job this is collective: all PEs leave now,
     * or all connect.
     *
     * @param afterFailure leave without waiting for others.
     */
    public synchronized void close(final boolean afterFailure)
    {
        if (hasEnded)
        {
            return;
        }

        try
        {
            if (!afterFailure)
            {
                joinProtocol.leaveUnconnected();
            }
        }
        catch (final RuntimeException | Error ex)
        {
            throw abort("leave", ex);
        }

        hasEnded = true;
        joinProtocol.release();
    }

    /**
     * Fails the job because of an exception in an operation, releases everything, and returns what to throw.
     */
    private RuntimeException abort(final String operation, final Throwable cause)
    {
        hasEnded = true;
        final boolean isMismatch = cause instanceof AttributeMismatchException;
        final boolean isFirst = fail(new JobFailure(
            JobFailure.Kind.PE_FAILED,
            pe(),
            -1,
            (isMismatch ? "" : "PE " + pe() + " could not " + operation + ": ") + cause.getMessage()));
        final JobFailure failure = failure();
        try
        {
            joinProtocol.release();
        }
        catch (final RuntimeException suppressed)
        {
            cause.addSuppressed(suppressed);
        }

        if (cause instanceof Error error)
        {
            throw error;
        }

        final boolean isConsequence = !isFirst && cause instanceof TransportException && !isMismatch;
        return isConsequence ? causedBy(failure, cause, joinProtocol.context()) : (RuntimeException)cause;
    }

    private static RuntimeException causedBy(
        final JobFailure failure, final Throwable consequence, final EndpointContext context)
    {
        final RuntimeException cause = context.exceptions().failure(failure);
        cause.addSuppressed(consequence);
        return cause;
    }
}
