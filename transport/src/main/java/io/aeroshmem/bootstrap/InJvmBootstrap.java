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
import io.aeroshmem.transport.endpoint.EndpointSettings;
import io.aeroshmem.transport.endpoint.JobProcess;
import io.aeroshmem.transport.endpoint.PeBootstrap;
import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.JobFailureException;
import io.aeroshmem.transport.job.ProcessIdentity;
import io.aeroshmem.transport.job.RecoveryPhase;

import java.util.BitSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * The bootstrap of a job whose PEs all live in this JVM, each on threads of its own. This process is the creator of the
 * job: it creates the job's directory when the first PE enters and removes it when the last one leaves.
 */
public final class InJvmBootstrap
{
    private final int nPes;
    private final int generation;
    private InJvmBootstrap previous;
    private JobProcess process;
    private JobFailure failure;
    /** PEs that wait for the next generation. */
    private final BitSet waiting = new BitSet();
    private PeBootstrap[] next;
    private boolean isNextKnown;
    private boolean isCreating;
    /** When the first PE has tried to create the directory; 0 before. */
    private long creationNs;

    /**
     * Creates the bootstrap of a generation of a job; {@code previous} is that of the one before, which has failed, and
     * null for generation 0.
     */
    public InJvmBootstrap(final int nPes, final int generation, final InJvmBootstrap previous)
    {
        if (nPes < 1)
        {
            throw new IllegalArgumentException("nPes must be >= 1: nPes=" + nPes);
        }

        this.nPes = nPes;
        this.generation = generation;
        this.previous = previous;
    }

    /** Returns one bootstrap for each PE of a new group; nothing is created until the first PE enters. */
    public static PeBootstrap[] create(final int nPes)
    {
        return new InJvmBootstrap(nPes, 0, null).pes();
    }

    /** Returns one bootstrap for each PE; nothing is created until the first PE enters. */
    public PeBootstrap[] pes()
    {
        final PeBootstrap[] bootstraps = new PeBootstrap[nPes];
        for (int pe = 0; pe < nPes; pe++)
        {
            bootstraps[pe] = new GroupPe(this, pe);
        }

        return bootstraps;
    }

    /** Returns the failure of the job, after its end too; null if it has not failed or no PE has entered it. */
    public synchronized JobFailure failure()
    {
        return null == process ? null : process.directory().control().failure();
    }

    /** Returns whether a PE waits for the next generation, and the thread that runs it with it. */
    public synchronized boolean isWaiting(final int pe)
    {
        return waiting.get(pe) && !isNextKnown;
    }

    /** Ends the wait of all PEs: with the generation that follows this one, or null. No effect after the first call. */
    public synchronized void follow(final InJvmBootstrap following)
    {
        if (!isNextKnown)
        {
            next = null == following ? null : following.pes();
            isNextKnown = true;
            notifyAll();
        }
    }

    private synchronized PeBootstrap awaitNext(final int pe)
    {
        waiting.set(pe);
        try
        {
            while (!isNextKnown)
            {
                wait();
            }

            return null == next ? null : next[pe];
        }
        catch (final InterruptedException ex)
        {
            waiting.clear(pe);
            Thread.currentThread().interrupt();
            return null;
        }
    }

    private synchronized void giveUp(final int pe, final JobFailure jobFailure)
    {
        if (null == failure)
        {
            failure = jobFailure;
            notifyAll();
            if (null != process)
            {
                process.fail(pe, failure);
            }
        }
    }

    private synchronized JobProcess enter(final EndpointContext context)
    {
        awaitCreation();
        requireIntact();
        if (null == process)
        {
            final JobDirectory directory = createDirectory(context.settings());
            if (null != previous)
            {
                final ControlFile control = directory.control();
                control.generation(generation, previous.process.directory().control());
                control.endPhase(control.creatorCell(), RecoveryPhase.STARTED);
                previous = null;
            }

            process = new JobProcess(
                directory, "pid-" + ProcessIdentity.current().pid(), IntStream.range(0, nPes).toArray());
        }

        process.enter();
        return process;
    }

    private void requireIntact()
    {
        if (null != failure)
        {
            throw new JobFailureException(failure);
        }
    }

    /** Another PE creates the directory, and may wait for room. */
    private void awaitCreation()
    {
        try
        {
            while (isCreating)
            {
                wait();
            }
        }
        catch (final InterruptedException ex)
        {
            throw interrupted(ex);
        }
    }

    private JobDirectory createDirectory(final EndpointSettings settings)
    {
        final long nowNs = System.nanoTime();
        creationNs = 0 == creationNs ? nowNs : creationNs;
        isCreating = true;
        try
        {
            final JobDirectory directory = JobDirectory.createNext(
                settings.shmDirectory(),
                nPes,
                null == previous ? 0 : settings.joinTimeoutNs() - (nowNs - creationNs),
                this::awaitRoom);
            requireIntact();
            return directory;
        }
        catch (final InterruptedException ex)
        {
            throw interrupted(ex);
        }
        finally
        {
            isCreating = false;
            notifyAll();
        }
    }

    /** Called with the monitor, as a {@link JobDirectory.Retry}; until then a PE may give up. */
    private boolean awaitRoom(final TransportException ex, final long delayNs) throws InterruptedException
    {
        final long untilNs = System.nanoTime() + delayNs;
        for (long rest = delayNs; rest > 0 && null == failure; rest = untilNs - System.nanoTime())
        {
            TimeUnit.NANOSECONDS.timedWait(this, rest);
        }

        return null == failure;
    }

    private static TransportException interrupted(final InterruptedException ex)
    {
        Thread.currentThread().interrupt();
        return new TransportException("interrupted while there was no room for the directory of the job", ex);
    }

    /**
     * Bootstrap of one PE of the job.
     */
    private static final class GroupPe extends SingleUseBootstrap
    {
        private final InJvmBootstrap group;

        GroupPe(final InJvmBootstrap group, final int pe)
        {
            super(pe, group.nPes);
            this.group = group;
        }

        @Override
        protected JobProcess enterOnce(final EndpointContext context)
        {
            return group.enter(context);
        }

        @Override
        public PeBootstrap next()
        {
            return group.awaitNext(pe());
        }

        @Override
        protected void withdrawOnce(final Throwable cause, final long joinTimeoutNs)
        {
            group.giveUp(pe(), couldNotJoin(cause));
        }
    }
}
