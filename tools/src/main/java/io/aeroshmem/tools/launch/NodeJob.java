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

import io.aeroshmem.bootstrap.LauncherBootstrap;
import io.aeroshmem.tools.ExitCode;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.aeron.EmbeddedDriver;
import io.aeroshmem.transport.job.Control;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.PePhase;
import io.aeroshmem.transport.job.SuccessorState;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The PEs of a job on this host, a process for each, from the start of the first to the end of the last: the part of a
 * launcher that is the same whether the job has other nodes or not. It embeds the media driver when a PE asks for one,
 * finds PEs that leave the others alone, and ends all when one fails. The directory of the first job is its
 * owner's to remove in the end.
 * <p>
 * PEs that have left a job may go on with another one, its successor: when the first of them asks, a directory is made
 * for it, and from then on that job is the one looked after. The one before stays, with its driver, until no PE is in
 * it any more.
 * <p>
 * {@link #close()} ends the PEs that still live and closes the driver. It may be called from a shutdown hook while
 * {@link #run()} is on another thread; the two meet in the monitor of this object, under which processes and the driver
 * are started and after which none is.
 */
final class NodeJob implements AutoCloseable
{
    /**
     * Ends the message of the failure with which the launcher of a job of several nodes ends one that takes too long.
     */
    static final String TIMEOUT_OPTION = "(--timeout)";

    /**
     * Ends the message of the failure with which a launcher that is ended by a signal ends its job.
     */
    static final String ENDING = " is ending the job";

    private static final long JOINING_POLL_MS = 2;
    /** A PE that has left the job may ask for the next one, and should not wait long for it. */
    private static final long LEFT_POLL_MS = 10;
    private static final long RUNNING_POLL_MS = 100;

    /** With the time to notice, everything is over within two seconds of a global exit. */
    private static final long GLOBAL_EXIT_GRACE_MS = 1_000;

    private final LaunchContext ctx;
    private final JobDirectory first;
    private final List<Left> leftJobs = new ArrayList<>();
    private JobDirectory job;
    private Control control;
    private final int firstPe;
    private final int peCount;
    private final String where;
    private final Map<String, String> environment;
    private final ChildProcesses children = new ChildProcesses();
    private final boolean[] isEnded;
    private final TraceHold[] traces;
    private EmbeddedDriver driver;
    private int exitCode = ExitCode.OK;
    private Failure reported;
    private volatile int endingCode = ExitCode.OK;
    private volatile boolean isClosing;
    private boolean isClosed;
    private boolean isDesertionReported;
    private boolean isFailureSeen;
    private boolean isGlobalExit;
    private boolean isTimedOut;

    /**
     * Nothing is started yet.
     *
     * @param ctx         concluded.
     * @param job         directory of the job on this host.
     * @param firstPe     world number of the first PE here.
     * @param peCount     how many follow each other here.
     * @param host        name of this host in a job of several, for messages; null where all PEs are here.
     * @param environment of the PEs, beside what this process has.
     */
    NodeJob(
        final LaunchContext ctx,
        final JobDirectory job,
        final int firstPe,
        final int peCount,
        final String host,
        final Map<String, String> environment)
    {
        this.ctx = ctx;
        this.first = job;
        this.job = job;
        this.control = job.control();
        this.firstPe = firstPe;
        this.peCount = peCount;
        this.where = null == host ? "" : " on " + host;
        this.environment = Map.copyOf(environment);
        this.isEnded = new boolean[peCount];
        this.traces = new TraceHold[peCount];
        if (null == host)
        {
            control.offerSuccessor();
        }
    }

    /**
     * Starts the PEs, waits for their end, and says on the error stream why the job failed here, if it did: after all
     * that the PEs have printed, of which the text of the one that failed comes last.
     *
     * @return 0, or the exit code of the PE that the job failed with, else the first nonzero one of a PE, or the status
     * of a global exit, or {@link ExitCode#TIMEOUT}, or {@link ExitCode#FAILURE} if a PE left the others alone with
     * exit code 0.
     * @throws InterruptedException if the calling thread was interrupted; {@link #close()} then ends the PEs.
     * @throws IOException          if a process cannot be started.
     */
    int run() throws InterruptedException, IOException
    {
        final long startNs = System.nanoTime();
        for (int pe = firstPe; pe < firstPe + peCount; pe++)
        {
            start(pe);
        }
        int alive = peCount;
        while (alive > 0 && !isClosing)
        {
            final ChildProcess ended = children.awaitEnd(pollMs());
            onJobFailure();
            if (null != ended)
            {
                alive--;
                onEnd(ended);
            }
            serveDriverRequest();
            serveSuccessorRequest();
            findDeserters();
            if (null != ctx.timeout() && System.nanoTime() - startNs >= ctx.timeout().toNanos())
            {
                onTimeout();
            }
            children.pressOn();
        }
        report();
        return ExitCode.OK == endingCode ? exitCode : endingCode;
    }

    Control control()
    {
        return control;
    }

    /**
     * A signal is ending this process; what PEs then end with is no failure. Any thread.
     *
     * @param code that this process ends with.
     */
    void ending(final int code)
    {
        endingCode = code;
        dropTraces();
    }

    /**
     * What each PE here is doing.
     *
     * @return a line for each; empty if it is all over.
     */
    synchronized String describe()
    {
        return isClosed ? "" : IntStream.range(firstPe, firstPe + peCount)
            .mapToObj((pe) -> "  " + control.describe(pe)).collect(Collectors.joining("\n"));
    }

    /**
     * Ends what is left (SIGTERM, after a grace SIGKILL). Idempotent, any thread.
     */
    @Override
    public void close()
    {
        isClosing = true;
        synchronized (this)
        {
            if (!isClosed)
            {
                isClosed = true;
                if (children.aliveCount() > 0)
                {
                    dropTraces();
                    fail(firstPe, new JobFailure(JobFailure.Kind.LAUNCHER_DIED, -1, ExitCode.FAILURE,
                        "the launcher" + where + ENDING));
                    children.endAll();
                }
                children.awaitOutput();
                releaseTraces();
                leftJobs.forEach(NodeJob::release);
                leftJobs.clear();
                if (null != driver)
                {
                    driver.close();
                }
                if (job != first)
                {
                    remove(job);
                }
            }
        }
    }

    private synchronized void start(final int pe) throws IOException
    {
        if (isClosing)
        {
            return;
        }
        final ProcessBuilder builder = new ProcessBuilder(ctx.command());
        final Map<String, String> variables = builder.environment();
        variables.putAll(environment);
        variables.put(LauncherBootstrap.JOB_DIR_ENV, job.path().toString());
        variables.put(LauncherBootstrap.PE_ENV, Integer.toString(pe));
        variables.put(LauncherBootstrap.NPES_ENV, Integer.toString(ctx.nPes()));
        builder.directory(ctx.directory());
        builder.redirectInput(0 == pe ? Redirect.INHERIT : Redirect.from(new File("/dev/null")));
        final String name = "PE " + pe;
        final boolean isAlone = 1 == ctx.nPes() && !ctx.isOutputTagged();
        if (isAlone)
        {
            // nothing to mix with, and it may use the terminal
            builder.redirectOutput(Redirect.INHERIT);
        }
        final Process process = builder.start();
        final String tag = "[pe " + pe + "] ";
        final TraceHold trace =
            new TraceHold(ctx.lines().channel(isAlone ? "" : tag, ctx.error()), ctx.lines());
        traces[pe - firstPe] = trace;
        children.add(new ChildProcess(pe, name, process,
            copier(pe, process.getInputStream(), ctx.lines().channel(ctx.isOutputTagged() ? tag : "", ctx.output())),
            copier(pe, process.getErrorStream(), trace)));
    }

    private Thread copier(final int pe, final InputStream source, final LineSink destination)
    {
        return new TaggedLines(source, destination, 0 == pe ? ctx.lines() : null,
            (ex) -> ctx.say("cannot read the output of PE " + pe + ": " + ex.getMessage())).start("output of PE " + pe);
    }

    /**
     * A PE that joins may ask for a driver, and should not wait for it; later there is nothing to be quick about.
     */
    private long pollMs()
    {
        long pollMs = RUNNING_POLL_MS;
        for (int i = 0; i < peCount && !children.isEnding(); i++)
        {
            final int phase = control.phase(firstPe + i);
            if (!isEnded[i] && phase < PePhase.CONNECTED && null == driver)
            {
                return JOINING_POLL_MS;
            }
            if (!isEnded[i] && PePhase.CLOSED == phase)
            {
                pollMs = LEFT_POLL_MS;
            }
        }
        return pollMs;
    }

    private synchronized void serveDriverRequest()
    {
        if (isClosing || null != driver || !job.isCreator() || !EmbeddedDriver.isWanted(control))
        {
            return;
        }
        try
        {
            driver = EmbeddedDriver.start(
                job, ctx.livenessTimeoutNs(), (ex) -> ctx.say("media driver: " + ex.getMessage()));
        }
        catch (final TransportException ex)
        {
            // the PEs have been told and end the job
            ctx.say(ex.getMessage());
        }
    }

    private synchronized void serveSuccessorRequest()
    {
        leftJobs.removeIf(this::isReleased);
        if (isClosing || SuccessorState.WANTED != control.successorState())
        {
            return;
        }
        try
        {
            final JobDirectory next = JobDirectory.create(ctx.root(), ctx.nPes());
            next.control().offerSuccessor();
            final Control before = control;
            leftJobs.add(new Left(job, driver));
            job = next;
            control = next.control();
            driver = null;
            isFailureSeen = false;
            before.successorReady(next.path().toString());
        }
        catch (final TransportException ex)
        {
            control.successorFailed(ex.getMessage());
        }
    }

    private boolean isReleased(final Left left)
    {
        for (int i = 0; i < peCount; i++)
        {
            if (!isEnded[i] && isIn(left.directory(), firstPe + i))
            {
                return false;
            }
        }
        release(left);
        return true;
    }

    private static boolean isIn(final JobDirectory directory, final int pe)
    {
        final Control control = directory.control();
        return PePhase.CLOSED != control.phase(pe) || directory.isProcessAlive(control.lockName(pe));
    }

    private static void release(final Left left)
    {
        if (null != left.driver())
        {
            left.driver().close();
        }
        remove(left.directory());
    }

    private static void remove(final JobDirectory directory)
    {
        directory.delete();
        directory.close();
    }

    private void onEnd(final ChildProcess ended)
    {
        final int pe = ended.number();
        final int code = ended.exitCode();
        isEnded[pe - firstPe] = true;
        if (isGlobalExit)
        {
            return;
        }
        final int phase = control.phase(pe);
        final JobFailure cause = control.failure();
        if (0 != code)
        {
            onFailure(pe, code, ended.describeEnd(where));
        }
        else if (PePhase.ABSENT != phase && phase < PePhase.CLOSED && (null == cause || isDeath(cause, pe)))
        {
            onFailure(pe, ExitCode.FAILURE, ended.describeEnd(where) + " without closing its Shmem");
        }
    }

    /**
     * A PE that ended without joining, while others did join, leaves them waiting for it.
     */
    private void findDeserters()
    {
        if (children.isEnding() || isDesertionReported || control.isFailed())
        {
            return;
        }
        int absent = -1;
        for (int i = 0; i < peCount; i++)
        {
            if (isEnded[i] && PePhase.ABSENT == control.phase(firstPe + i))
            {
                absent = firstPe + i;
            }
        }
        if (absent >= 0 && isJoined())
        {
            isDesertionReported = true;
            final String what = "PE " + absent + where + " ended without joining the " +
                (job == first ? "job that others joined" : "next job, which others joined after they had closed one");
            onFailure(absent, ExitCode.FAILURE, what);
            // told also with --keep-going: the others cannot notice by themselves the death of what was never there
            fail(absent, new JobFailure(JobFailure.Kind.PE_DIED, absent, ExitCode.OK, what));
        }
    }

    private boolean isJoined()
    {
        for (int pe = 0; pe < ctx.nPes(); pe++)
        {
            if (PePhase.ABSENT != control.phase(pe))
            {
                return true;
            }
        }
        return false;
    }

    /**
     * A PE failed. The first failure to be seen ends the others; the one that is reported is that of the PE that the
     * job failed with, as that may be seen later.
     */
    private void onFailure(final int pe, final int code, final String what)
    {
        final JobFailure cause = control.failure();
        final boolean isCause = null != cause && cause.pe() == pe &&
            !(children.isTerminated() && code > ExitCode.SIGNAL_BASE);
        exitCode = ExitCode.OK == exitCode || isCause && !isTimedOut ? code : exitCode;
        if (isEnding(code) || children.isEnding())
        {
            reported = null != reported && isCause ? new Failure(pe, what, reported.others()) : reported;
            return;
        }
        if (null != cause && !isHere(cause) && !ctx.isKeepingGoing())
        {
            // what failed elsewhere is told there, and ends the PEs here too
            return;
        }
        final Failure failure = new Failure(pe, what, others());
        if (ctx.isKeepingGoing())
        {
            ctx.say(failure.text(cause));
            return;
        }
        reported = failure;
        fail(pe, JobFailure.peDied(control, pe, code, what));
        holdTraceOf(null == cause || cause.pe() < 0 ? pe : cause.pe());
        children.endAfter(ChildProcesses.NOTICE_MS, ChildProcesses.GRACE_MS);
    }

    private boolean isEnding(final int code)
    {
        return isClosing || ExitCode.OK != endingCode ||
            Signals.INTERRUPTED == code && Signals.isSoon(() -> isClosing || ExitCode.OK != endingCode);
    }

    private int others()
    {
        int others = ctx.nPes() - peCount;
        for (final boolean isOver : isEnded)
        {
            others += isOver ? 0 : 1;
        }
        return others;
    }

    private void holdTraceOf(final int failedPe)
    {
        for (int i = 0; i < peCount; i++)
        {
            if (null != traces[i] && firstPe + i == failedPe)
            {
                traces[i].keep();
            }
            else if (null != traces[i])
            {
                traces[i].pass();
            }
        }
    }

    private void dropTraces()
    {
        for (final TraceHold trace : traces)
        {
            if (null != trace)
            {
                trace.dropPeFailures();
            }
        }
    }

    private void releaseTraces()
    {
        for (final TraceHold trace : traces)
        {
            if (null != trace)
            {
                trace.release();
            }
        }
    }

    /**
     * Prints what was held back, and then why the job failed.
     */
    private void report()
    {
        if (isClosing || ExitCode.OK != endingCode)
        {
            return;
        }
        children.awaitOutput();
        releaseTraces();
        if (null != reported)
        {
            final int others = reported.others();
            ctx.say(reported.text(control.failure()) +
                (0 == others ? "" : "; ending the other " + (1 == others ? "PE" : others + " PEs")));
        }
    }

    /**
     * A global exit ends all PEs with its status, though the first process to end may have had another one. In a job of
     * several nodes whatever fails elsewhere ends the PEs here.
     */
    private void onJobFailure()
    {
        if (isFailureSeen || !control.isFailed())
        {
            return;
        }
        isFailureSeen = true;
        final JobFailure failure = control.failure();
        if (JobFailure.Kind.GLOBAL_EXIT == failure.kind())
        {
            isGlobalExit = true;
            exitCode = JobFailure.exitCode(failure.status());
            if (ExitCode.OK != exitCode && isHere(failure) && !children.isEnding())
            {
                ctx.say(failure.message() + "; ending the job");
            }
            children.endAfter(ChildProcesses.NOTICE_MS, GLOBAL_EXIT_GRACE_MS);
        }
        else if (JobFailure.Kind.LAUNCHER_DIED == failure.kind() && failure.message().endsWith(ENDING))
        {
            dropTraces();
            children.endAfter(ChildProcesses.NOTICE_MS, ChildProcesses.GRACE_MS);
        }
        else if (JobFailure.Kind.LAUNCHER_DIED == failure.kind() && failure.message().endsWith(TIMEOUT_OPTION))
        {
            ctx.lines().own(describe(), ctx.error());
            children.endAfter(ChildProcesses.NOTICE_MS, ChildProcesses.GRACE_MS);
        }
        else if (!isHere(failure) && (!ctx.isKeepingGoing() || JobFailure.Kind.LAUNCHER_DIED == failure.kind()))
        {
            children.endAfter(ChildProcesses.NOTICE_MS, ChildProcesses.GRACE_MS);
        }
    }

    private static boolean isDeath(final JobFailure failure, final int pe)
    {
        return failure.pe() == pe && failure.kind() == JobFailure.Kind.PE_DIED;
    }

    private boolean isHere(final JobFailure failure)
    {
        return peCount == ctx.nPes() || failure.pe() >= firstPe && failure.pe() < firstPe + peCount;
    }

    private void onTimeout()
    {
        if (!children.isEnding())
        {
            isTimedOut = true;
            exitCode = ExitCode.TIMEOUT;
            ctx.say("the job did not end within " + ctx.timeoutText() + " " + TIMEOUT_OPTION + "; ending its " +
                children.aliveCount() + " PEs\n" + describe());
            children.endAfter(0, ChildProcesses.GRACE_MS);
        }
    }

    /**
     * Reports a failure in the cell of the job's creator, where that is this process, else in the cell of a PE of this
     * process, which has ended or is about to.
     */
    private void fail(final int pe, final JobFailure failure)
    {
        control.fail(job.isCreator() ? control.creatorCell() : pe, failure);
    }

    /**
     * A failure of a PE.
     *
     * @param pe     that failed.
     * @param what   happened.
     * @param others that it leaves.
     */
    private record Failure(int pe, String what, int others)
    {
        private String text(final JobFailure cause)
        {
            return what + (null == cause || isDeath(cause, pe) ? "" : "; " + cause.message());
        }
    }

    /**
     * A job that PEs have gone on from, until the last of them has left it.
     */
    private record Left(JobDirectory directory, EmbeddedDriver driver)
    {
    }
}
