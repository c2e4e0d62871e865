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

import io.aeroshmem.config.ShmemProperty;
import io.aeroshmem.lifecycle.Recoveries;
import io.aeroshmem.tools.exit.ExitCode;
import io.aeroshmem.transport.job.CommandFile;
import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.HostName;
import io.aeroshmem.transport.job.JobCleaner;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.RecoveryDirectory;
import io.aeroshmem.transport.job.RetainedHeaps;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/**
 * Launches one job on this host, and manages it from the creation of the job directory to the removal of this
 * directory. A recoverable job is a row of generations, each with a directory of its own, in one
 * {@link RecoveryDirectory}: {@link NodeJob} runs a generation, or with REPLACE one after the other, and
 * {@link Recoveries} decides whether another follows.
 * <p>
 * No matter how the job ends, nothing of it remains after {@link #close()}. That method ends the live PEs, closes the
 * embedded driver if there is one, and deletes the job directory. If the launcher itself is killed, the PEs detect that
 * the launcher's lock on the job directory is free, and end by themselves. The next launcher removes the directory.
 */
public final class JobLauncher extends GenerationsLauncher
{
    /** When {@code --timeout} ends the job; without it centuries later. */
    private final long endNs;
    private final Recoveries recoveries;
    /** Number of PEs before the last generation, which has more; 0 if it has not. */
    private int nPesBefore;

    /** Creates a launcher of one job, which concludes {@code ctx}; nothing is started yet. */
    public JobLauncher(final LaunchContext ctx)
    {
        super(ctx);
        ctx.conclude(0, ctx.nPes());
        endNs = startNs + (null == ctx.timeout() ? Long.MAX_VALUE / 2 : ctx.timeout().toNanos());
        recoveries = new Recoveries(ctx.maxRecoveries(), ctx.recoveryWindowNs(), startNs);
    }

    /**
     * Runs a job to its end. If SIGINT or SIGTERM ends this process meanwhile, a shutdown hook ends the PEs and cleans
     * up. Returns the exit code, see {@link #run()}.
     */
    public static int launch(final LaunchContext ctx) throws InterruptedException, IOException
    {
        try (JobLauncher launcher = new JobLauncher(ctx))
        {
            launcher.addHooks();
            Signals.onEnd(ctx, launcher::onSignal);
            return launcher.run();
        }
    }

    /**
     * Removes dead jobs, runs this one to its end and reports on the error stream why it failed, if it did. Returns 0,
     * or the exit code of the PE that the job failed with, or the status of a global exit, or {@link ExitCode#TIMEOUT},
     * or {@link ExitCode#FAILURE} if a PE abandoned the others with exit code 0, or if output of a PE could not be
     * written to its file. If the calling thread is interrupted, {@link #close()} ends the job.
     */
    public int run() throws InterruptedException, IOException
    {
        JobCleaner.clean(ctx.root(), (ex) -> ctx.report(ex.getMessage()));
        int exitCode = ExitCode.FAILURE;
        NodeJob opened = open(null);
        while (null != opened)
        {
            exitCode = opened.run();
            final String cause = opened.recoverable();
            final boolean isFollowed = null != cause && isFollowed(opened.control().failure(), cause);
            if (!isFollowed)
            {
                exitCode = null == cause || !ctx.isReplacing() ? exitCode : opened.endLast();
                return ctx.exitCode(end(exitCode, cause));
            }

            final long delayNs = recoveries.delayNs(System.nanoTime());
            // without the monitor, which close() needs: the output may not be read
            ctx.report(recoveries.line(delayNs));
            opened = recover(opened, cause, delayNs);
        }

        return exitCode;
    }

    private boolean isFollowed(final JobFailure failure, final String cause)
    {
        if (failure.isCommanded())
        {
            recoveries.onCommand(cause);
            return true;
        }

        return recoveries.onFailure(System.nanoTime(), cause);
    }

    /** Reports that the last generation has ended, and returns the exit code of the job. */
    private int end(final int exitCode, final String cause)
    {
        if (null != cause)
        {
            ctx.report(recoveries.exhausted(cause));
        }

        final int code = null != cause && ExitCode.OK == exitCode ? ExitCode.FAILURE : exitCode;
        if (ExitCode.OK != code && recoveries.generation() > 0)
        {
            ctx.report(recoveries.earlier());
        }

        return code;
    }

    /**
     * Opens the generation after one that has failed; null if the job is closed before. Releases what the failed one
     * held, unless processes go on.
     */
    private synchronized NodeJob recover(final NodeJob failed, final String cause, final long delayNs)
        throws InterruptedException
    {
        final long nowNs = System.nanoTime();
        if (!ctx.isReplacing())
        {
            closeGeneration();
        }

        if (!awaitUntil(nowNs + delayNs))
        {
            return null;
        }

        recoveries.onStart(System.nanoTime());

        if (nPesBefore > 0 && !failed.hasRun())
        {
            commands.answer(false, NodeStateMachine.pes(ctx.nPes()) + " did not come up: " + cause);
            failed.refuseSize(nPesBefore);
        }

        failed.undoReplacement(cause);
        final ControlFile control = failed.control();
        final int[] pes = failed.nextPes();
        nPesBefore = pes.length > control.nPes() ? control.nPes() : 0;
        if (0 == pes.length)
        {
            ctx.report("no PE is left");
            return null;
        }

        final JobDirectory next = createNext(pes.length);
        if (null == next)
        {
            return null;
        }

        next.control().renumber(control, pes);
        next.control().lost(failed.lost());
        next.control().generation(recoveries.generation(), control);
        final boolean isResized = pes.length != control.nPes();
        if (isResized)
        {
            ctx.report(resize(control, pes));
        }

        if (!ctx.isReplacing())
        {
            return open(next);
        }

        if (isResized)
        {
            failed.begin(next, 0, pes);
        }
        else
        {
            failed.begin(next);
        }

        return failed;
    }

    /** Returns null if the job is closed before. */
    private JobDirectory createNext(final int nPes) throws InterruptedException
    {
        return JobDirectory.createNext(
            ctx.root(), nPes, Math.min(ctx.retainTimeoutNs(), endNs - System.nanoTime()), (ex, delayNs) ->
            {
                ctx.report(JobDirectory.Retry.line(ex, delayNs));
                return awaitUntil(System.nanoTime() + delayNs);
            });
    }

    /** Waits until a time, or until that of the job is over. Returns false if the job is closed before. */
    private boolean awaitUntil(final long timeNs) throws InterruptedException
    {
        return waitUntil(timeNs - endNs < 0 ? timeNs : endNs);
    }

    /** Removes the memory of the PEs that are not in the next generation, and returns a line about that. */
    private String resize(final ControlFile failed, final int... pes)
    {
        ctx.resize(pes.length);
        new RetainedHeaps(recoveryDirectory.path()).removeAllBut(failed, pes);
        return NodeStateMachine.sizeLine(recoveries.generation(), failed.nPes(), pes);
    }

    private synchronized void onSignal(final int exitCode)
    {
        if (null != job)
        {
            job.onSignal(exitCode);
        }
    }

    @Override
    void closeGeneration()
    {
        if (null != job)
        {
            job.close();
            directory.delete();
            directory.close();
            job.printRest();
            job = null;
        }
    }

    /** Opens generation 0, or another one with its directory; null if the job is closed. */
    private synchronized NodeJob open(final JobDirectory next)
    {
        if (!isClosed)
        {
            if (ctx.isRecovering() && null == recoveryDirectory)
            {
                recoveryDirectory = RecoveryDirectory.create(ctx.root(), ctx.retainTimeoutNs());
                spares = Spares.of(ctx, recoveryDirectory.path(), environment(recoveryDirectory.path()),
                    HostName.local(), startNs);
                commands = CommandFile.create(recoveryDirectory.path());
            }

            directory = null == next ? JobDirectory.create(ctx.root(), ctx.nPes()) : next;
            final Map<String, String> environment =
                ctx.isRecovering() ? environment(recoveryDirectory.path()) : Map.of();
            job = new NodeJob(ctx, directory, 0, ctx.nPes(), null, environment, spares, commands, startNs);
        }

        return job;
    }

    private static Map<String, String> environment(final Path recoveryPath)
    {
        return Map.of(ShmemProperty.RECOVERY_DIRECTORY.environmentName(), recoveryPath.toString());
    }
}
