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

import org.agrona.LangUtil;

/** Runs the task of a PE in one generation of its job after another ({@link Shmem#run}). */
final class GenerationLoop
{
    private GenerationLoop()
    {
    }

    static void run(final Shmem.Context config, final PeTask task) throws Exception
    {
        Shmem.Context next = config;
        while (null != next)
        {
            // A context sets up one PE.
            final Shmem.Context current = next;
            next = runGeneration(current, current.clone(), task);
        }
    }

    /**
     * Runs the task in one generation of the job. Returns the second context, which is that of the next generation, if
     * this process goes on in it; null if the job has ended.
     */
    private static Shmem.Context runGeneration(
        final Shmem.Context config, final Shmem.Context next, final PeTask task) throws Exception
    {
        final Shmem shmem;
        try
        {
            shmem = Shmem.init(config);
        }
        catch (final BootstrapException | DriverFailureException ex)
        {
            final boolean isConsequence =
                ex instanceof DriverFailureException || Shmem.isFailureOfJob(ex.getCause());
            if (isConsequence && next.follow(config))
            {
                return next;
            }

            throw ex;
        }

        next.firstGeneration = config.firstGeneration < 0 ? shmem.generation().number() : config.firstGeneration;
        boolean isConsequence = false;
        Throwable failure;
        try
        {
            task.run(shmem);
            isConsequence = shmem.isEnded();
            failure = shmem.leave();
            isConsequence |= shmem.isFailedOtherwise();
        }
        catch (final Throwable ex)
        {
            isConsequence |= shmem.isEnded();
            leaveAfter(shmem, ex);
            failure = ex;
        }

        if (null != failure && !(isConsequence && next.follow(config)))
        {
            LangUtil.rethrowUnchecked(failure);
        }

        return null == failure ? null : next;
    }

    /** Leaves because of an exception of the task, or of a close that was refused. */
    private static void leaveAfter(final Shmem shmem, final Throwable failure)
    {
        shmem.fail(failure);
        try
        {
            shmem.close();
        }
        catch (final RuntimeException | Error ex)
        {
            failure.addSuppressed(ex);
        }
    }
}
