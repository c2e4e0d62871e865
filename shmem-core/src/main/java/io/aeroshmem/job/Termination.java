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
package io.aeroshmem.job;

import io.aeroshmem.GlobalExitException;
import io.aeroshmem.transport.job.JobFailure;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;

/**
 * What becomes of this PE when any PE of the job calls for a global exit.
 * <p>
 * Where the PE has the JVM to itself, the JVM ends: whichever thread notices first, one that waits in the library or
 * the library's own when the program computes, flushes what was printed and exits. An orderly exit runs the program's
 * shutdown hooks, which may wait for the very thread that exits; so a deadline is set before, and the JVM is halted
 * when it has passed.
 * <p>
 * Where PEs share the JVM, and where the program brought a hook of its own, callers get a {@link
 * GlobalExitException}; the hook runs once, before the first of them is thrown.
 */
public final class Termination
{
    /** Exit code of a PE that outlived its launcher. */
    private static final int ORPHANED_STATUS = 1;
    private static final long HALT_AFTER_NS = TimeUnit.MILLISECONDS.toNanos(800);

    private final IntConsumer hook;
    private final boolean isJvmShared;
    private final AtomicBoolean isHookRun = new AtomicBoolean();
    private final AtomicBoolean isDeadlineSet = new AtomicBoolean();

    /**
     * Construct for one PE.
     *
     * @param hook        of the program, or null.
     * @param isJvmShared whether the PE is one of a group in this JVM.
     */
    public Termination(final IntConsumer hook, final boolean isJvmShared)
    {
        this.hook = hook;
        this.isJvmShared = isJvmShared;
    }

    /**
     * End the JVM, or run the hook, or neither, as this PE does.
     *
     * @param status to exit with.
     */
    public void run(final int status)
    {
        if (null != hook)
        {
            if (isHookRun.compareAndSet(false, true))
            {
                flush();
                hook.accept(status);
            }
        }
        else if (!isJvmShared)
        {
            endJvm(JobFailure.exitCode(status));
        }
    }

    /**
     * Told by a library thread that the job has failed: ends this PE if that is a global exit, or if its launcher is
     * gone, as it may be computing without ever calling the library again.
     *
     * @param failure of the job.
     */
    public void onFailure(final JobFailure failure)
    {
        if (JobFailure.Kind.GLOBAL_EXIT == failure.kind())
        {
            run(failure.status());
        }
        else if (JobFailure.Kind.LAUNCHER_DIED == failure.kind() && !isJvmShared)
        {
            onLauncherDeath();
            endJvm(ORPHANED_STATUS);
        }
    }

    /**
     * A process whose launcher is gone has nobody left to end it: it has until the deadline to end by itself, whatever
     * its shutdown hooks do. Does nothing where PEs share the JVM.
     */
    public void onLauncherDeath()
    {
        if (!isJvmShared)
        {
            setDeadline(ORPHANED_STATUS);
        }
    }

    /**
     * Does {@link #run} end the JVM?
     *
     * @return true if it does.
     */
    public boolean isEndingJvm()
    {
        return null == hook && !isJvmShared;
    }

    /**
     * {@link #run}, and what the calling thread is to throw if that returns.
     *
     * @param status  to exit with.
     * @param message who called for it.
     * @return the exception.
     */
    public GlobalExitException exception(final int status, final String message)
    {
        run(status);
        return new GlobalExitException(status, message);
    }

    /**
     * Halt the JVM when the deadline for an orderly exit has passed.
     *
     * @param status to exit with.
     */
    public void startDeadline(final int status)
    {
        if (isEndingJvm())
        {
            setDeadline(JobFailure.exitCode(status));
        }
    }

    private void setDeadline(final int exitCode)
    {
        if (isDeadlineSet.compareAndSet(false, true))
        {
            final long deadlineNs = System.nanoTime() + HALT_AFTER_NS;
            final Thread thread = new Thread(() -> haltAt(deadlineNs, exitCode), "aeroshmem-global-exit");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private void endJvm(final int exitCode)
    {
        setDeadline(exitCode);
        flush();
        Runtime.getRuntime().exit(exitCode);
    }

    private static void haltAt(final long deadlineNs, final int exitCode)
    {
        long leftNs = deadlineNs - System.nanoTime();
        while (leftNs > 0)
        {
            LockSupport.parkNanos(leftNs);
            leftNs = deadlineNs - System.nanoTime();
        }

        Runtime.getRuntime().halt(exitCode);
    }

    private static void flush()
    {
        System.out.flush();
        System.err.flush();
    }
}
