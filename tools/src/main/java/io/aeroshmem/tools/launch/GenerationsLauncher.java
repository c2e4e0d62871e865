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
package io.aeroshmem.tools.launch;

import io.aeroshmem.transport.job.CommandFile;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.RecoveryDirectory;
import org.agrona.CloseHelper;

import java.util.concurrent.TimeUnit;

/**
 * The launcher of the PEs of a host, generation after generation: what {@link JobLauncher} and {@link NodeLauncher}
 * have in common.
 */
abstract class GenerationsLauncher implements AutoCloseable
{
    /*
     * A shutdown hook may call close() while another thread is in run(). Both hold the monitor of this object only
     * while they create or end directories and the job, and none is created after close().
     */
    final LaunchContext ctx;
    final long startNs = System.nanoTime();
    RecoveryDirectory recoveryDirectory;
    Spares spares;
    CommandFile commands;
    JobDirectory directory;
    NodeJob job;
    boolean isClosed;

    GenerationsLauncher(final LaunchContext ctx)
    {
        this.ctx = ctx;
    }

    /** Has this launcher closed at the end of this process, and the state of its PEs printed on SIGUSR1. */
    final void addHooks()
    {
        Runtime.getRuntime().addShutdownHook(new Thread(this::close, "end-of-launcher"));
        Signals.on("USR1", this::describe);
    }

    /** Prints the state of each PE. */
    private void describe()
    {
        final String lines;
        synchronized (this)
        {
            lines = null == job ? "" : job.describe();
        }

        if (!lines.isEmpty())
        {
            ctx.lines().own(lines, ctx.error());
        }
    }

    /** Waits until a time, with the monitor. Returns false if the launcher is closed before. */
    final boolean waitUntil(final long untilNs) throws InterruptedException
    {
        for (long rest = untilNs - System.nanoTime(); rest > 0 && !isClosed; rest = untilNs - System.nanoTime())
        {
            TimeUnit.NANOSECONDS.timedWait(this, rest);
        }

        return !isClosed;
    }

    /**
     * Ends the PEs (SIGTERM, after a grace period SIGKILL) and removes the directories. Idempotent; may be called by
     * any thread.
     */
    @Override
    public synchronized void close()
    {
        isClosed = true;
        notifyAll();
        CloseHelper.close(spares);
        closeGeneration();
        CloseHelper.close(recoveryDirectory);
    }

    /** Ends the PEs of the last generation, and removes its directory. With the monitor. */
    abstract void closeGeneration();
}
