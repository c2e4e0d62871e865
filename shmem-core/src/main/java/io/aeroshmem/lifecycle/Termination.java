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

import io.aeroshmem.GlobalExitException;
import io.aeroshmem.bootstrap.LauncherBootstrap;
import io.aeroshmem.transport.job.JobFailure;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;

/**
 * The reaction of this PE to a global exit:
 * <ul>
 *     <li>if the program specified a hook, the hook runs once, and callers of the library get a
 *     {@link GlobalExitException};</li>
 *     <li>else if several PEs share the JVM, callers of the library get a {@link GlobalExitException};</li>
 *     <li>else the JVM ends.</li>
 * </ul>
 * <p>
 * In the last case, the first thread that detects the global exit ends the JVM. This thread is a caller that waits in
 * the library, or else a thread of the library. It flushes the output and exits. An orderly exit runs the program's
 * shutdown hooks, which may wait for the thread that exits. So a deadline is set first, after which the JVM is halted.
 * <p>
 * A recoverable PE that a supervisor starts again ends some time after any failure, as a launcher would end it, unless
 * it {@linkplain #goOn() goes on} before.
 */
public final class Termination
{
    /** Exit code of a PE that outlived its launcher. */
    private static final int ORPHANED_STATUS = 1;
    private static final long HALT_AFTER_NS = TimeUnit.MILLISECONDS.toNanos(800);

    /** Time in which a program that is started again ends by itself. */
    public static final long HALT_AFTER_FAILURE_NS = TimeUnit.MILLISECONDS.toNanos(2_500);

    private static final int FAILED_STATUS = 1;

    /*
     * If the launcher dies, a thread of the library, never a caller, ends the JVM in this way, with or without a hook.
     * If PEs share the JVM, it does not end. In both cases, callers of the library get an exception.
     */
    private final IntConsumer hook;
    private final boolean isJvmShared;
    private final long haltAfterFailureNs;
    private final AtomicBoolean isHookRun = new AtomicBoolean();
    private final AtomicReference<Thread> deadline = new AtomicReference<>();
    private volatile boolean isGoingOn;

    /**
     * @param hook               of the program, or null.
     * @param isJvmShared        whether the JVM has other PEs.
     * @param haltAfterFailureNs after which the process ends, so that a supervisor starts another one; 0 if none does.
     */
    public Termination(final IntConsumer hook, final boolean isJvmShared, final long haltAfterFailureNs)
    {
        this.hook = hook;
        this.isJvmShared = isJvmShared;
        this.haltAfterFailureNs = haltAfterFailureNs;
    }

    /**
     * Runs the hook if there is one; otherwise ends the JVM unless it is shared.
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
     * Ends this PE if the failure is a global exit or the death of its launcher, as it may be computing without ever
     * calling the library again. The launcher of some PEs of a host is lost like a host. Called by a library thread.
     */
    public void onFailure(final JobFailure failure)
    {
        if (JobFailure.Kind.GLOBAL_EXIT == failure.kind())
        {
            run(failure.status());
        }
        else if (!isJvmShared && (JobFailure.Kind.LAUNCHER_DIED == failure.kind() ||
            JobFailure.Kind.HOST_LOST == failure.kind() && LauncherBootstrap.isOrphan()))
        {
            onLauncherDeath();
            endJvm(ORPHANED_STATUS);
        }
        else if (haltAfterFailureNs > 0)
        {
            setDeadline(FAILED_STATUS, haltAfterFailureNs, "aeroshmem: this process has not left its job within " +
                TimeUnit.NANOSECONDS.toMillis(haltAfterFailureNs) + " ms after its failure; ending it: " +
                failure.message());
        }
    }

    /** Cancels the end after a failure: the PE has left, and this process joins the next generation. */
    public void goOn()
    {
        isGoingOn = true;
        LockSupport.unpark(deadline.get());
    }

    /**
     * Sets the deadline for the end of a process that no launcher can end any more, whatever its shutdown hooks do.
     * Does nothing if PEs share the JVM.
     */
    public void onLauncherDeath()
    {
        if (!isJvmShared)
        {
            setDeadline(ORPHANED_STATUS, HALT_AFTER_NS);
        }
    }

    /** Returns whether {@link #run} ends the JVM. */
    public boolean isEndingJvm()
    {
        return null == hook && !isJvmShared;
    }

    /** Calls {@link #run}, and returns the exception for the caller to throw if that returns. */
    public GlobalExitException exception(final int status, final String message)
    {
        run(status);
        return new GlobalExitException(status, message);
    }

    /** Starts the deadline for an orderly exit, after which the JVM is halted. */
    public void startDeadline(final int status)
    {
        if (isEndingJvm())
        {
            setDeadline(JobFailure.exitCode(status), HALT_AFTER_NS);
        }
    }

    private void setDeadline(final int exitCode, final long haltAfterNs)
    {
        setDeadline(exitCode, haltAfterNs, null);
    }

    private void setDeadline(final int exitCode, final long haltAfterNs, final String line)
    {
        final long deadlineNs = System.nanoTime() + haltAfterNs;
        final Thread thread = new Thread(() -> haltAt(deadlineNs, exitCode, line), "aeroshmem-end");
        if (deadline.compareAndSet(null, thread))
        {
            thread.setDaemon(true);
            thread.start();
        }
    }

    private void endJvm(final int exitCode)
    {
        setDeadline(exitCode, HALT_AFTER_NS);
        flush();
        Runtime.getRuntime().exit(exitCode);
    }

    private void haltAt(final long deadlineNs, final int exitCode, final String line)
    {
        long leftNs = deadlineNs - System.nanoTime();
        while (leftNs > 0 && !isGoingOn)
        {
            LockSupport.parkNanos(leftNs);
            leftNs = deadlineNs - System.nanoTime();
        }

        if (!isGoingOn)
        {
            if (null != line)
            {
                System.err.println(line);
            }

            Runtime.getRuntime().halt(exitCode);
        }
    }

    private static void flush()
    {
        System.out.flush();
        System.err.flush();
    }
}
