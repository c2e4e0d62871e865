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
package io.aeroshmem;

import io.aeroshmem.bootstrap.InJvmBootstrap;
import io.aeroshmem.lifecycle.Recoveries;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.RecoveryDirectory;
import io.aeroshmem.transport.job.RetainedHeaps;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

/**
 * A job whose PEs are threads of this JVM and run one task: the implementation of {@link Shmem#runLocal}. It is a row
 * of {@link InJvmGeneration}s, of which a job without recovery has one. {@link Recoveries} decides whether and when
 * another follows one that has failed. The job owns the directory of the heaps that cross from one to the next.
 */
final class InJvmJob
{
    private final int nPes;
    private final Shmem.Context template;
    private final PeTask task;
    private final BiFunction<InJvmBootstrap, RetainedHeaps, Bootstrap[]> bootstraps;

    /**
     * Creates a job.
     *
     * @param bootstraps returns the bootstraps of the PEs of a generation, from its group and its heaps, which are null
     *                   without recovery.
     */
    InJvmJob(
        final int nPes,
        final Shmem.Context template,
        final PeTask task,
        final BiFunction<InJvmBootstrap, RetainedHeaps, Bootstrap[]> bootstraps)
    {
        this.nPes = nPes;
        this.template = template;
        this.task = task;
        this.bootstraps = bootstraps;
    }

    /**
     * Runs the task on all PEs, in one generation after the other, and waits until they have ended.
     *
     * @throws Exception the first cause of the last generation, with those of the earlier ones as suppressed
     *                   exceptions; {@link InterruptedException} if this thread was interrupted, after the PEs' threads
     *                   were interrupted and have ended.
     */
    void run() throws Exception
    {
        final InJvmBootstrap group = new InJvmBootstrap(nPes, 0, null);
        if (Recovery.NONE == template.recovery())
        {
            run(group, null);
            return;
        }

        try (RecoveryDirectory directory = createDirectory())
        {
            run(group, directory.path());
        }
    }

    private RecoveryDirectory createDirectory()
    {
        try
        {
            return RecoveryDirectory.createForThisJvm(JobDirectory.root(template.shmDirectoryName()));
        }
        catch (final TransportException ex)
        {
            throw new BootstrapException(ex.getMessage(), ex);
        }
    }

    private void run(final InJvmBootstrap first, final Path directory) throws Exception
    {
        final List<Throwable> earlier = new ArrayList<>();
        final Recoveries recoveries = new Recoveries(
            template.maxRecoveries(), template.recoveryWindowNs(), System.nanoTime());
        InJvmBootstrap group = first;
        InJvmGeneration generation = start(group, directory, null);
        Throwable failure = generation.awaitEnd();
        while (null != failure && !generation.isLast() && isRecoverable(group.failure()) &&
            recoveries.onFailure(System.nanoTime(), failure.toString()))
        {
            earlier.add(new ShmemException("generation " + earlier.size() + " of the job failed: " + failure, failure));
            if (!sleep(recoveries.delayNs(System.nanoTime())))
            {
                break;
            }

            recoveries.onStart(System.nanoTime());
            group = new InJvmBootstrap(nPes, recoveries.generation(), group);
            generation = start(group, directory, generation);
            failure = generation.awaitEnd();
        }

        if (null != failure)
        {
            failure = generation.end();
            earlier.forEach(failure::addSuppressed);
            rethrow(failure);
        }
    }

    /** Returns false if the thread is interrupted; its flag stays set, for the wait for the PEs. */
    private static boolean sleep(final long ns)
    {
        try
        {
            TimeUnit.NANOSECONDS.sleep(ns);
            return true;
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private InJvmGeneration start(
        final InJvmBootstrap group, final Path directory, final InJvmGeneration previous)
    {
        final Bootstrap[] pes = bootstraps.apply(group, null == directory ? null : new RetainedHeaps(directory));
        final Shmem.Context[] contexts = new Shmem.Context[nPes];
        for (int pe = 0; pe < nPes; pe++)
        {
            contexts[pe] = template.clone().bootstrap(pes[pe]);
            // the others wait, as the code of this JVM is trained once
            if (pe > 0)
            {
                contexts[pe].warmUp(Duration.ZERO);
            }
        }

        final InJvmGeneration generation = new InJvmGeneration(contexts, group, task);
        generation.start(previous);
        return generation;
    }

    /**
     * No generation follows one that no PE has entered, as if the template is invalid; nor a global exit, nor the end
     * of a driver or an Aeron client that the program has brought along.
     */
    private boolean isRecoverable(final JobFailure failure)
    {
        final boolean isOwnDriver = null == template.aeron() && null == template.aeronDirectoryName();
        return Recovery.NONE != template.recovery() && null != failure &&
            JobFailure.Kind.GLOBAL_EXIT != failure.kind() &&
            (JobFailure.Kind.DRIVER_DIED != failure.kind() || isOwnDriver);
    }

    private static void rethrow(final Throwable ex) throws Exception
    {
        if (ex instanceof Error error)
        {
            throw error;
        }

        throw (Exception)ex;
    }
}
