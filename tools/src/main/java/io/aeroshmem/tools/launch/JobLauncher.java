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

import io.aeroshmem.tools.ExitCode;
import io.aeroshmem.transport.job.JobCleaner;
import io.aeroshmem.transport.job.JobDirectory;

import java.io.IOException;
import java.util.Map;

/**
 * Runs one job on this host, from the job directory's creation to its removal.
 * <p>
 * Whichever way the job goes, nothing of it is left: {@link #close()} ends the PEs that still live, closes the driver
 * if one was embedded, and deletes the job directory. It may be called from a shutdown hook while {@link #run()} is on
 * another thread; the two meet in the monitor of this object, under which the job is made and after whose closing none
 * is. Should the launcher itself be killed, the PEs notice that the lock it holds on the job directory is free and
 * end by themselves, and the next launcher removes the directory.
 */
public final class JobLauncher implements AutoCloseable
{
    private final LaunchContext ctx;
    private JobDirectory directory;
    private NodeJob job;
    private boolean isClosed;

    /**
     * A launcher for one job; nothing is started yet.
     *
     * @param ctx concluded here.
     */
    public JobLauncher(final LaunchContext ctx)
    {
        ctx.conclude();
        this.ctx = ctx;
    }

    /**
     * Runs a job to its end, also when the process of the launcher is told to end meanwhile (Ctrl-C, SIGTERM): a
     * shutdown hook then ends the PEs and cleans up.
     *
     * @param ctx what to run.
     * @return the exit code, see {@link #run()}.
     * @throws InterruptedException if the calling thread was interrupted.
     * @throws IOException          if a process cannot be started.
     */
    public static int launch(final LaunchContext ctx) throws InterruptedException, IOException
    {
        try (JobLauncher launcher = new JobLauncher(ctx))
        {
            Runtime.getRuntime().addShutdownHook(new Thread(launcher::close, "end-of-launcher"));
            Signals.on("USR1", launcher::describe);
            Signals.onEnd(ctx, launcher::ending);
            return launcher.run();
        }
    }

    /**
     * Removes dead jobs, runs this one to its end and says on the error stream why it failed, if it did.
     *
     * @return 0, or the first nonzero exit code of a PE, or the status of a global exit, or {@link ExitCode#TIMEOUT},
     * or {@link ExitCode#FAILURE} if a PE left the others alone with exit code 0.
     * @throws InterruptedException if the calling thread was interrupted; {@link #close()} then ends the job.
     * @throws IOException          if a process cannot be started.
     */
    public int run() throws InterruptedException, IOException
    {
        JobCleaner.clean(ctx.root(), (ex) -> ctx.say(ex.getMessage()));
        final NodeJob opened = open();
        return null == opened ? ExitCode.FAILURE : opened.run();
    }

    private synchronized void ending(final int exitCode)
    {
        if (null != job)
        {
            job.ending(exitCode);
        }
    }

    /**
     * Prints what each PE is doing.
     */
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

    /**
     * Ends what is left of the job (SIGTERM, after a grace SIGKILL) and removes its directory. Idempotent, any thread.
     */
    @Override
    public synchronized void close()
    {
        isClosed = true;
        if (null != job)
        {
            job.close();
            directory.delete();
            directory.close();
            job = null;
        }
    }

    private synchronized NodeJob open()
    {
        if (!isClosed)
        {
            directory = JobDirectory.create(ctx.root(), ctx.nPes());
            job = new NodeJob(ctx, directory, 0, ctx.nPes(), null, Map.of());
        }
        return job;
    }
}
