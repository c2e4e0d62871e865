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

import io.aeroshmem.bootstrap.PeBootstrap;
import io.aeroshmem.transport.job.JobFailure;

import java.nio.ByteOrder;
import java.util.Objects;

/**
 * One PE among the others of its job, which know each other, before any of them has memory or is connected: the first
 * of the two phases of joining. It ends with the second one, {@link #connect()}, or with {@link #close}.
 * <p>
 * The methods that end it exclude each other. The others are for any thread, at any time.
 */
public final class Meeting
{
    private final Joining joining;
    private boolean isOver;

    private Meeting(final Joining joining)
    {
        this.joining = joining;
    }

    /**
     * Meet the other PEs. Collective: returns when all PEs know each other.
     *
     * @param context of this PE.
     * @return what there is of it.
     * @throws TransportException if this PE or another cannot join; the message says why, and all others get it too.
     */
    public static Meeting of(final Endpoint.Context context)
    {
        if (ByteOrder.LITTLE_ENDIAN != ByteOrder.nativeOrder())
        {
            throw new TransportException("AeroSHMEM needs a little-endian processor");
        }

        final PeBootstrap bootstrap = Objects.requireNonNull(context.bootstrap(), "bootstrap");
        final Meeting meeting = new Meeting(joining(context, enter(bootstrap, context)));
        try
        {
            meeting.joining.meet();
            return meeting;
        }
        catch (final RuntimeException | Error ex)
        {
            throw meeting.over("join", ex);
        }
    }

    private static Joining joining(final Endpoint.Context context, final LocalProcess process)
    {
        try
        {
            return new Joining(context, process);
        }
        catch (final RuntimeException | Error ex)
        {
            final int pe = context.bootstrap().pe();
            process.fail(pe, new JobFailure(
                JobFailure.Kind.PE_FAILED, pe, 0, "PE " + pe + " could not join: " + ex.getMessage()));
            process.leave();
            throw ex;
        }
    }

    private static LocalProcess enter(final PeBootstrap bootstrap, final Endpoint.Context context)
    {
        try
        {
            return bootstrap.enter(context);
        }
        catch (final TransportException ex)
        {
            final JobFailure failure = bootstrap.failure();
            if (null != failure)
            {
                throw causedBy(failure, ex, context);
            }
            throw ex;
        }
    }

    /**
     * Number of this PE.
     *
     * @return 0 to {@link #nPes()} - 1.
     */
    public int pe()
    {
        return joining.pe;
    }

    /**
     * Number of PEs.
     *
     * @return at least 1.
     */
    public int nPes()
    {
        return joining.nPes;
    }

    /**
     * Are two PEs on one host, by the names that they give their nodes?
     *
     * @param first  any PE.
     * @param second any PE.
     * @return true if they are.
     */
    public boolean isSameHost(final int first, final int second)
    {
        return joining.records[first].isSameHost(joining.records[second]);
    }

    /**
     * Will two PEs reach each other by loads and stores?
     *
     * @param first  any PE.
     * @param second any PE.
     * @return true if both will.
     */
    public boolean isMutuallyMapped(final int first, final int second)
    {
        final JoinRecord[] records = joining.records;
        return records[first].isMapping(records[second]) && records[second].isMapping(records[first]);
    }

    /**
     * Throw if the job has failed.
     */
    public void checkFailure()
    {
        joining.waiting.checkFailure();
    }

    /**
     * Fail the job. The first failure counts.
     *
     * @param failure what happened.
     * @return true if it was the first.
     */
    public boolean fail(final JobFailure failure)
    {
        return joining.control.fail(joining.pe, failure);
    }

    /**
     * Why the job failed.
     *
     * @return null if it has not.
     */
    public JobFailure failure()
    {
        return joining.control.failure();
    }

    /**
     * The second phase of joining, with the size of the heap that the context tells.
     *
     * @return the endpoint.
     */
    public Endpoint connect()
    {
        return connect(joining.context.heapSize());
    }

    /**
     * The second phase of joining. Collective: returns when all PEs are connected.
     *
     * @param heapSize of the user heap in bytes, equal on all PEs, where it had to wait for the first phase.
     * @return the endpoint, which is to be closed instead of this.
     * @throws TransportException    if this PE or another cannot; the message says why, and all others get it too.
     * @throws IllegalStateException if this is over.
     */
    public synchronized Endpoint connect(final long heapSize)
    {
        if (isOver)
        {
            throw new IllegalStateException("PE " + pe() + " has been connected or closed before");
        }

        try
        {
            joining.connect(heapSize, joining.context.delayed());
            isOver = true;
            return new Endpoint(joining);
        }
        catch (final RuntimeException | Error ex)
        {
            throw over("join", ex);
        }
    }

    /**
     * Leave the job, unless this is over. In an intact job this is collective: all PEs leave now, or all connect.
     *
     * @param afterFailure leave without waiting for anybody.
     */
    public synchronized void close(final boolean afterFailure)
    {
        if (isOver)
        {
            return;
        }

        try
        {
            if (!afterFailure)
            {
                joining.leaveUnconnected();
            }
        }
        catch (final RuntimeException | Error ex)
        {
            throw over("leave", ex);
        }

        isOver = true;
        joining.release();
    }

    /**
     * It has come to a bad end: the job fails, and everything that was made is released.
     *
     * @param what  it was about to do.
     * @param cause of the end.
     * @return what to throw.
     */
    private RuntimeException over(final String what, final Throwable cause)
    {
        isOver = true;
        final boolean isVerdict = cause instanceof AttributeMismatchException;
        final boolean isFirst = joining.control.fail(joining.pe, new JobFailure(
            JobFailure.Kind.PE_FAILED,
            joining.pe,
            0,
            (isVerdict ? "" : "PE " + joining.pe + " could not " + what + ": ") + cause.getMessage()));
        final JobFailure failure = joining.control.failure();
        try
        {
            joining.release();
        }
        catch (final RuntimeException suppressed)
        {
            cause.addSuppressed(suppressed);
        }

        if (cause instanceof Error error)
        {
            throw error;
        }

        final boolean isConsequence = !isFirst && cause instanceof TransportException && !isVerdict;
        return isConsequence ? causedBy(failure, cause, joining.context) : (RuntimeException)cause;
    }

    /**
     * What went wrong here is but a consequence of what failed the job before.
     */
    private static RuntimeException causedBy(
        final JobFailure failure, final Throwable consequence, final Endpoint.Context context)
    {
        final RuntimeException cause = context.exceptions().failure(failure);
        cause.addSuppressed(consequence);
        return cause;
    }
}
