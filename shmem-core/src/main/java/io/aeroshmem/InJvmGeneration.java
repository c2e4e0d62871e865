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
import io.aeroshmem.config.ShmemProperty;
import io.aeroshmem.lifecycle.FailureExceptions;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * The PEs of one generation of an {@link InJvmJob}, each a thread. With REPLACE the thread of a PE that survives a
 * failure waits for the next generation, and runs its PE there, too; what it ends with then counts there.
 * <p>
 * When a PE fails, the other PEs fail as a consequence. {@link #awaitEnd()} returns the first exception that is not
 * such a consequence, or else the first consequence. All other exceptions are attached as suppressed.
 */
final class InJvmGeneration
{
    private static final long POLL_MS = 20;

    private final List<Throwable> causes = new ArrayList<>();
    private final List<Throwable> consequences = new ArrayList<>();
    private final Shmem.Context[] contexts;
    private final Thread[] threads;
    private final PeTask task;
    private final boolean isRecovering;
    private final InJvmBootstrap group;
    private final long joinTimeoutNs;
    /** Runs what survives of this generation. */
    private volatile InJvmGeneration next;
    /** The time at which the failure was known, 0 before; guarded by {@link #causes}, like the lists and the next. */
    private long failedNs;
    private boolean hasReturned;
    private boolean isInterrupted;
    private boolean isOverdue;

    /** Creates a generation with a PE for each context, of a group. */
    InJvmGeneration(final Shmem.Context[] contexts, final InJvmBootstrap group, final PeTask task)
    {
        this.contexts = contexts;
        this.group = group;
        this.task = task;
        threads = new Thread[contexts.length];
        joinTimeoutNs = contexts[0].recoveryJoinTimeoutNs();
        isRecovering = Recovery.NONE != contexts[0].recovery();
    }

    /** Starts the PEs, those that survived the previous generation, which may be null, in their threads. */
    void start(final InJvmGeneration previous)
    {
        final List<Thread> started = new ArrayList<>();
        for (int pe = 0; pe < threads.length; pe++)
        {
            final boolean isSurvivor = null != previous && previous.group.isWaiting(pe);
            threads[pe] = isSurvivor ? previous.threads[pe] : newThread(pe);
            if (!isSurvivor)
            {
                started.add(threads[pe]);
            }
        }

        if (null != previous)
        {
            previous.next = this;
            previous.group.follow(group);
        }

        started.forEach(Thread::start);
    }

    /** Ends the threads that wait for another generation, as none follows. Returns as {@link #awaitEnd()}. */
    Throwable end()
    {
        group.follow(null);
        return awaitEnd();
    }

    /**
     * Waits until all PEs have ended or wait for the next generation, and returns the first cause of their failure,
     * null if there is none; an {@link InterruptedException} if this thread was interrupted, after the PEs' threads
     * were interrupted and have ended. With recovery, a thread that does not end in time after the failure is left
     * behind.
     */
    Throwable awaitEnd()
    {
        Throwable late = null;
        for (int pe = 0; pe < threads.length && null == late; pe++)
        {
            late = awaitEnd(pe);
        }

        synchronized (causes)
        {
            final Throwable first = first();
            if (null != late && null != first)
            {
                late.addSuppressed(first);
            }

            isOverdue = null != late;
            return null == late ? first : late;
        }
    }

    /** Returns whether no other generation may follow: a PE has left, or cannot be ended, or the caller must end. */
    boolean isLast()
    {
        synchronized (causes)
        {
            return hasReturned || isInterrupted || isOverdue;
        }
    }

    private Throwable awaitEnd(final int pe)
    {
        while (threads[pe].isAlive() && !group.isWaiting(pe))
        {
            try
            {
                threads[pe].join(isRecovering ? POLL_MS : 0);
                if (isRecovering && checkOverdue())
                {
                    return new ShmemException("PE " + pe + " (thread " + threads[pe].getName() +
                        ") did not end within " + TimeUnit.NANOSECONDS.toMillis(joinTimeoutNs) +
                        " ms after its generation of the job had failed (" +
                        ShmemProperty.RECOVERY_JOIN_TIMEOUT.propertyName() + ")");
                }
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

        return null;
    }

    private boolean checkOverdue()
    {
        synchronized (causes)
        {
            if (0 == failedNs && null != group.failure())
            {
                failedNs = System.nanoTime();
            }

            return 0 != failedNs && System.nanoTime() - failedNs >= joinTimeoutNs;
        }
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
            onEnd(pe, null);
        }
        catch (final Throwable ex)
        {
            onEnd(pe, ex);
        }
    }

    /** Handles the end of a PE, in the generation in which it ends. */
    private void onEnd(final int pe, final Throwable ex)
    {
        if (null != next)
        {
            next.onEnd(pe, ex);
            return;
        }

        synchronized (causes)
        {
            hasReturned |= null == ex;
            if (null != ex)
            {
                failedNs = 0 == failedNs ? System.nanoTime() : failedNs;
                (isConsequence(pe, ex) ? consequences : causes).add(ex);
            }
        }
    }

    private static boolean isConsequence(final int pe, final Throwable ex)
    {
        final Throwable reason = ex instanceof BootstrapException ? ex.getCause() : ex;
        return reason instanceof PeFailureException failure && failure.pe() != pe || ex instanceof GlobalExitException;
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

        if (null == first && null != group.failure() && !hasReturned)
        {
            // requested, for example: all PEs survive
            first = FailureExceptions.of(group.failure());
        }

        return isInterrupted ? add(new InterruptedException(
            "interrupted while " + threads.length + " PEs ran in this JVM"), first) : first;
    }

    private static Throwable add(final Throwable first, final Throwable other)
    {
        if (null == first)
        {
            return other;
        }

        // the end of a job is awaited a second time for those that waited for another generation
        if (first != other && null != other && !List.of(first.getSuppressed()).contains(other))
        {
            first.addSuppressed(other);
        }

        return first;
    }
}
