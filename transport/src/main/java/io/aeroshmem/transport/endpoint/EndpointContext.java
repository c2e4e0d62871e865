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
import io.aeroshmem.transport.heap.HeapListener;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.RecoveryMember;
import io.aeroshmem.transport.job.RetainedHeaps;
import io.aeroshmem.transport.progress.ExceptionFactory;
import org.agrona.ErrorHandler;

import java.util.function.Consumer;
import java.util.function.ToLongFunction;

/**
 * Configuration of a PE's connection: what a program sets, and what the library adds. Fluent; every setter has a
 * getter of the same name.
 */
public final class EndpointContext implements Cloneable
{
    private static final ErrorHandler DEFAULT_ERROR_HANDLER = (throwable) ->
        Thread.currentThread().getThreadGroup().uncaughtException(Thread.currentThread(), throwable);

    private final EndpointSettings settings;
    private PeBootstrap bootstrap;
    private Pause pause = Pause.SYSTEM;
    private ToLongFunction<Placement> systemAreaSize = (placement) -> 1L << 20;
    private long systemArenaSize;
    private RetainedHeaps retainedHeaps;
    private int firstGeneration = -1;
    private RecoveryMember recoveryMember;
    private TrainingJobs trainingJobs;
    private ErrorHandler errorHandler = DEFAULT_ERROR_HANDLER;
    private ExceptionFactory exceptions;
    private Consumer<JobFailure> failureListener;
    private HeapListener heapListener = HeapListener.NONE;

    /** Constructs the configuration from what a program sets. */
    public EndpointContext(final EndpointSettings settings)
    {
        this.settings = settings;
    }

    public EndpointSettings settings()
    {
        return settings;
    }

    /** Where this PE gets its job from. */
    public EndpointContext bootstrap(final PeBootstrap value)
    {
        bootstrap = value;
        return this;
    }

    public PeBootstrap bootstrap()
    {
        return bootstrap;
    }

    /**
     * Size of the system area in bytes, without its arena. It depends on nothing but the placement, and is largest
     * where that is unknown.
     */
    public EndpointContext systemAreaSize(final ToLongFunction<Placement> value)
    {
        systemAreaSize = value;
        return this;
    }

    public long systemAreaSize(final Placement placement)
    {
        return systemAreaSize.applyAsLong(placement);
    }

    /** Size of the arena at the end of the system area in bytes, equal on all PEs. */
    public EndpointContext systemArenaSize(final long value)
    {
        systemArenaSize = value;
        return this;
    }

    public long systemArenaSize()
    {
        return systemArenaSize;
    }

    /** Where the heaps of a recoverable job are; null for one that is not. */
    public EndpointContext retainedHeaps(final RetainedHeaps value)
    {
        retainedHeaps = value;
        return this;
    }

    public RetainedHeaps retainedHeaps()
    {
        return retainedHeaps;
    }

    /** Number of the first generation of the job in which this process was set up; -1 if it is this one. */
    public EndpointContext firstGeneration(final int value)
    {
        firstGeneration = value;
        return this;
    }

    public int firstGeneration()
    {
        return firstGeneration;
    }

    /** This PE's share of the directory of a recoverable job without a launcher, set by the bootstrap. */
    public EndpointContext recoveryMember(final RecoveryMember value)
    {
        recoveryMember = value;
        return this;
    }

    RecoveryMember recoveryMember()
    {
        return recoveryMember;
    }

    /** Jobs that this PE runs between the phases of joining; null, the default, for none. */
    public EndpointContext trainingJobs(final TrainingJobs value)
    {
        trainingJobs = value;
        return this;
    }

    TrainingJobs trainingJobs()
    {
        return trainingJobs;
    }

    /** Handler of errors on the library's threads. */
    public EndpointContext errorHandler(final ErrorHandler value)
    {
        errorHandler = value;
        return this;
    }

    public ErrorHandler errorHandler()
    {
        return errorHandler;
    }

    /** Factory of the exceptions that leave the transport. */
    public EndpointContext exceptions(final ExceptionFactory value)
    {
        exceptions = value;
        return this;
    }

    public ExceptionFactory exceptions()
    {
        return exceptions;
    }

    /** The clocks and pauses of a process that is still joining; by default those of the system. */
    public EndpointContext pause(final Pause value)
    {
        pause = value;
        return this;
    }

    public Pause pause()
    {
        return pause;
    }

    /** Notified once, on a library thread, when the job fails. */
    public EndpointContext failureListener(final Consumer<JobFailure> value)
    {
        failureListener = value;
        return this;
    }

    public Consumer<JobFailure> failureListener()
    {
        return failureListener;
    }

    /** Observer of the heaps that are mapped; of the PEs of a process, that of the first to join counts. */
    public EndpointContext heapListener(final HeapListener value)
    {
        heapListener = value;
        return this;
    }

    public HeapListener heapListener()
    {
        return heapListener;
    }

    @Override
    public EndpointContext clone()
    {
        try
        {
            return (EndpointContext)super.clone();
        }
        catch (final CloneNotSupportedException ex)
        {
            throw new IllegalStateException(ex);
        }
    }
}
