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

import io.aeroshmem.Bootstrap;
import io.aeroshmem.BootstrapException;
import io.aeroshmem.GlobalExitException;
import io.aeroshmem.PeFailureException;
import io.aeroshmem.PeTask;
import io.aeroshmem.Shmem;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;

/**
 * A job whose PEs are threads of this JVM and run one task: the implementation of {@link Shmem#runLocal}.
 * <p>
 * When a PE fails, the other PEs fail as a consequence. {@link #run()} throws the first exception that is not such a
 * consequence, or else the first consequence. All other exceptions are attached as suppressed. {@link #run()} reads the
 * exceptions after it has joined the threads, so it needs no lock.
 */
public final class InJvmJob
{
    private final List<Throwable> causes = new ArrayList<>();
    private final List<Throwable> consequences = new ArrayList<>();
    private final Shmem.Context[] contexts;
    private final PeTask task;

    public InJvmJob(final int npes, final Shmem.Context template, final PeTask task)
    {
        this.task = task;
        final Bootstrap[] bootstraps = Bootstrap.inProcess(npes);
        contexts = new Shmem.Context[npes];
        for (int pe = 0; pe < npes; pe++)
        {
            contexts[pe] = template.clone().bootstrap(bootstraps[pe]);
        }
    }

    /**
     * Runs the task on all PEs, and waits until they have ended.
     *
     * @throws Exception the first cause; {@link InterruptedException} if this thread was interrupted, after the PEs'
     *                   threads were interrupted and have ended.
     */
    public void run() throws Exception
    {
        final Thread[] threads = new Thread[contexts.length];
        for (int pe = 0; pe < threads.length; pe++)
        {
            threads[pe] = newThread(pe);
        }

        for (final Thread thread : threads)
        {
            thread.start();
        }

        final boolean isInterrupted = awaitEnd(threads);
        final Throwable first = first();
        if (isInterrupted)
        {
            final InterruptedException interrupted =
                new InterruptedException("interrupted while " + threads.length + " PEs ran in this JVM");
            if (null != first)
            {
                interrupted.addSuppressed(first);
            }

            throw interrupted;
        }

        rethrow(first);
    }

    private Thread newThread(final int pe)
    {
        final Runnable runnable = () -> runPe(pe);
        final ThreadFactory threadFactory = contexts[pe].threadFactory();
        if (null != threadFactory)
        {
            return threadFactory.newThread(runnable);
        }

        final Thread thread = new Thread(runnable, "aeroshmem-pe-" + pe);
        thread.setDaemon(true);
        return thread;
    }

    private void runPe(final int pe)
    {
        try
        {
            Shmem.run(contexts[pe], task);
        }
        catch (final Throwable ex)
        {
            synchronized (causes)
            {
                (isConsequence(pe, ex) ? consequences : causes).add(ex);
            }
        }
    }

    private static boolean isConsequence(final int pe, final Throwable ex)
    {
        final Throwable reason = ex instanceof BootstrapException ? ex.getCause() : ex;
        return reason instanceof PeFailureException failure && failure.pe() != pe || ex instanceof GlobalExitException;
    }

    private static boolean awaitEnd(final Thread[] threads)
    {
        boolean isInterrupted = false;
        for (final Thread thread : threads)
        {
            while (thread.isAlive())
            {
                try
                {
                    thread.join();
                }
                catch (final InterruptedException ex)
                {
                    isInterrupted = true;
                    for (final Thread other : threads)
                    {
                        other.interrupt();
                    }
                }
            }
        }

        return isInterrupted;
    }

    private Throwable first()
    {
        Throwable first = null;
        for (final Throwable ex : causes)
        {
            first = add(first, ex);
        }

        for (final Throwable ex : consequences)
        {
            first = add(first, ex);
        }

        return first;
    }

    private static Throwable add(final Throwable first, final Throwable other)
    {
        if (null == first)
        {
            return other;
        }

        if (first != other)
        {
            first.addSuppressed(other);
        }

        return first;
    }

    private static void rethrow(final Throwable ex) throws Exception
    {
        if (ex instanceof Error error)
        {
            throw error;
        }

        if (ex instanceof Exception exception)
        {
            throw exception;
        }
    }
}
