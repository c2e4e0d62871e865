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
import io.aeroshmem.tools.exit.ExitCode;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.endpoint.EmbeddedDriver;
import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.HostName;
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
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Supervises the PEs of a job on this host, one process each, from the start of the first PE to the end of the last.
 * {@link JobLauncher} and {@link NodeLauncher} both use this class. It embeds the media driver when a PE requests one,
 * and detects PEs that end while the others need them. When a PE fails, this class ends all PEs, unless
 * {@code --keep-going} is set.
 * <p>
 * In a job of {@link JobLauncher}, PEs that have left the job may join its successor, a new job of the same processes.
 * When a PE first requests the successor, this class creates a directory for the new job, and from then on monitors
 * that job. When all PEs have left the previous job, this class closes the driver of that job and removes its
 * directory. {@link #close()} removes the directory of the last successor. Without a successor there is only the
 * directory that the launcher created, and the launcher removes it.
 * <p>
 * {@link #close()} ends the live PEs and closes the driver. It may be called from a shutdown hook while another thread
 * is in {@link #run()}. Closing, and each start of a process or of the driver, synchronise on this object. So neither a
 * process nor the driver is started after closing.
 */
final class NodeJob implements AutoCloseable
{
    /**
     * Suffix of the failure message with which the launcher of a job on several nodes ends it after {@code --timeout}.
     */
    static final String TIMEOUT_OPTION = "(--timeout)";

    /** Suffix of the failure message with which a launcher that receives a signal ends its job. */
    static final String ENDING = " is ending the job";

    /** Short, as a PE that has left the job may request the next one. */
    private static final long LEFT_POLL_MS = 10;
    private static final long RUNNING_POLL_MS = 100;

    /** Time in which the last lines of a JVM that has ended are read. */
    private static final long REFUSAL_OUTPUT_NS = TimeUnit.SECONDS.toNanos(1);

    /** Together with {@link ChildProcesses#NOTICE_MS} all PEs end within two seconds of a global exit. */
    private static final long GLOBAL_EXIT_GRACE_MS = 1_000;

    private final LaunchContext ctx;
    private final JobDirectory first;
    private final List<PreviousJob> previousJobs = new ArrayList<>();
    private JobDirectory job;
    private ControlFile control;
    private final int firstPe;
    private final int peCount;
    private final String where;
    private final String host;
    private final Map<String, String> environment;
    private final ChildProcesses children = new ChildProcesses();
    private final JoiningPoll joiningPoll = new JoiningPoll(System.nanoTime());
    private final boolean[] isEnded;
    private final TraceHold[] traces;
    private final StartOutput[] starts;
    private EmbeddedDriver driver;
    private int exitCode = ExitCode.OK;
    private Failure reported;
    private volatile int endingCode = ExitCode.OK;
    private volatile boolean isClosing;
    private boolean isClosed;
    private boolean isAbsenceReported;
    private String refusal;
    private boolean isFailureHandled;
    private boolean isGlobalExit;
    private boolean isTimedOut;

    /**
     * Creates a job, of which nothing is started yet. {@code host} is the name of this host in messages of a job on
     * several, else null; {@code environment} is added to the variables of this process.
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
        this.host = null == host ? HostName.local() : host;
        this.environment = Map.copyOf(environment);
        this.isEnded = new boolean[peCount];
        this.traces = new TraceHold[peCount];
        this.starts = new StartOutput[peCount];
        if (null == host)
        {
            control.offerSuccessor();
        }
    }

    /**
     * Starts the PEs, waits for their end, and reports on the error stream why the job failed here, if it did: after
     * all output of the PEs, of which that of the failed one comes last. Returns 0, or the exit code of the PE that the
     * job failed with, else the first nonzero one of a PE, or the status of a global exit, or {@link ExitCode#TIMEOUT},
     * or {@link ExitCode#FAILURE} if a PE abandoned the others with exit code 0. If the calling thread is interrupted,
     * {@link #close()} ends the PEs.
     */
    int run() throws InterruptedException, IOException
    {
        final long startNs = System.nanoTime();
        for (int pe = firstPe; pe < firstPe + peCount; pe++)
        {
            start(pe);
        }
        int alive = peCount;
        while (alive > 0 && !isClosing && !ctx.endIf().getAsBoolean())
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
            detectAbsentPes();
            if (null != ctx.timeout() && System.nanoTime() - startNs >= ctx.timeout().toNanos())
            {
                onTimeout();
            }
            children.escalate();
        }
        report();
        return ExitCode.OK == endingCode ? exitCode : endingCode;
    }

    ControlFile control()
    {
        return control;
    }

    /**
     * Handles a signal, which ends this process with an exit code: what PEs then end with is no failure. May be called
     * by any thread.
     */
    void onSignal(final int code)
    {
        endingCode = code;
        dropTraces();
    }

    /** Returns a line with the state of each PE here; empty after the end of the job. */
    synchronized String describe()
    {
        return isClosed ? "" : IntStream.range(firstPe, firstPe + peCount)
            .mapToObj((pe) -> "  " + control.describe(pe)).collect(Collectors.joining("\n"));
    }

    /** Ends the live PEs (SIGTERM, after a grace period SIGKILL). Idempotent; may be called by any thread. */
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
                previousJobs.forEach(NodeJob::release);
                previousJobs.clear();
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

    /**
     * Prints the last output of the PEs after {@link #close()}, unless it is not read for a few seconds. Called after
     * the files of the job have been removed, which must not depend on the reader.
     */
    void printRest()
    {
        children.awaitOutput();
        LineOutput.whileEnding(() ->
        {
            passStarts();
            releaseTraces();
        });
    }

    private void start(final int pe) throws IOException
    {
        final ProcessBuilder builder = new ProcessBuilder(ctx.command(pe, host));
        final Process process = start(pe, builder);
        if (null != process)
        {
            // without the monitor, which close() needs: the output may not be read
            reportStart(pe, process, builder);
        }
    }

    /** Starts a PE and returns its process, or null if the job is closing. */
    private synchronized Process start(final int pe, final ProcessBuilder builder) throws IOException
    {
        if (isClosing)
        {
            return null;
        }
        final Map<String, String> variables = builder.environment();
        variables.putAll(environment);
        variables.put(LauncherBootstrap.JOB_DIR_ENV, job.path().toString());
        variables.put(LauncherBootstrap.PE_ENV, Integer.toString(pe));
        variables.put(LauncherBootstrap.NPES_ENV, Integer.toString(ctx.nPes()));
        builder.directory(ctx.directory());
        builder.redirectInput(0 == pe ? Redirect.INHERIT : Redirect.from(new File("/dev/null")));
        final String name = "PE " + pe;
        final boolean isAlone = 1 == ctx.nPes() && null == ctx.tag();
        if (isAlone && null == ctx.logDirectory() && Terminal.isOutput())
        {
            // no other output to interleave with; a file or a pipe is left to the launcher, which detects failed writes
            builder.redirectOutput(Redirect.INHERIT);
        }
        final PeLog log = null == ctx.logDirectory() ? null : PeLog.open(ctx.logDirectory(), pe);
        final Process process = builder.start();
        final String tag = ctx.tag(pe, host);
        final TraceHold trace =
            new TraceHold(ctx.lines().channel(isAlone ? "" : tag, ctx.error()), ctx.lines());
        traces[pe - firstPe] = trace;
        final StartOutput start = startOutput(pe, process.pid());
        starts[pe - firstPe] = start;
        children.add(new ChildProcess(pe, name, process,
            copier(pe, null == log ? process.getInputStream() : log.output(process.getInputStream(), ctx::report),
                start.output(ctx.lines().channel(null == ctx.tag() ? "" : tag, ctx.output()))),
            copier(pe, null == log ? process.getErrorStream() : log.error(process.getErrorStream(), ctx::report),
                start.error(trace))));
        return process;
    }

    private StartOutput startOutput(final int pe, final long pid)
    {
        final ControlFile joining = control;
        final StartOutput start = new StartOutput(
            ctx.lines(), () -> PePhase.ABSENT != joining.phase(pe), () -> ProcessThreads.hasJvmStarted(pid));
        if (ctx.refusableOptions().isEmpty())
        {
            start.pass();
        }
        return start;
    }

    private void reportStart(final int pe, final Process process, final ProcessBuilder builder)
    {
        if (ctx.isVerbose())
        {
            ctx.report("PE " + pe + " on " + host + " (pid " + process.pid() + "): " +
                ProcessText.of(builder.environment(), builder.command()));
        }
        final DebuggedPe debugged = ctx.debuggedPe(pe);
        if (null != debugged)
        {
            ctx.report("PE " + pe + " (pid " + process.pid() + where + ") waits for a debugger at " +
                debugged.address() + where);
        }
    }

    private Thread copier(final int pe, final InputStream source, final LineSink destination)
    {
        final PrefixedOutputPump pump = new PrefixedOutputPump(source, destination, 0 == pe ? ctx.lines() : null,
            (ex) -> ctx.report("cannot read the output of PE " + pe + ": " + ex.getMessage()));
        return pump.start("output of PE " + pe);
    }

    /** Returns a short period while a joining PE may request a driver and waits for it, else a longer one. */
    private long pollMs()
    {
        long pollMs = RUNNING_POLL_MS;
        final long phases = phases();
        for (int i = 0; i < peCount && !children.isEnding(); i++)
        {
            final int phase = control.phase(firstPe + i);
            if (!isEnded[i] && phase < PePhase.CONNECTED && null == driver)
            {
                return joiningPoll.periodMs(phases, System.nanoTime());
            }
            if (!isEnded[i] && PePhase.CLOSED == phase)
            {
                pollMs = LEFT_POLL_MS;
            }
        }
        return pollMs;
    }

    /** Returns a number that grows with the phase of each PE. */
    private long phases()
    {
        long sum = 0;
        for (int i = 0; i < peCount; i++)
        {
            sum += control.phase(firstPe + i);
        }
        return sum;
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
                job, ctx.livenessTimeoutNs(), (ex) -> ctx.report("media driver: " + ex.getMessage()));
        }
        catch (final TransportException ex)
        {
            // the PEs have received the failure and end the job
            ctx.report(ex.getMessage());
        }
    }

    private synchronized void serveSuccessorRequest()
    {
        previousJobs.removeIf(this::isReleased);
        if (isClosing || SuccessorState.WANTED != control.successorState())
        {
            return;
        }
        try
        {
            final JobDirectory next = JobDirectory.create(ctx.root(), ctx.nPes());
            next.control().offerSuccessor();
            final ControlFile before = control;
            previousJobs.add(new PreviousJob(job, driver));
            job = next;
            control = next.control();
            driver = null;
            isFailureHandled = false;
            before.successorReady(next.path().toString());
        }
        catch (final TransportException ex)
        {
            control.successorFailed(ex.getMessage());
        }
    }

    private boolean isReleased(final PreviousJob previous)
    {
        for (int i = 0; i < peCount; i++)
        {
            if (!isEnded[i] && isIn(previous.directory(), firstPe + i))
            {
                return false;
            }
        }
        release(previous);
        return true;
    }

    private static boolean isIn(final JobDirectory directory, final int pe)
    {
        final ControlFile control = directory.control();
        return PePhase.CLOSED != control.phase(pe) || directory.isProcessAlive(control.lockName(pe));
    }

    private static void release(final PreviousJob previous)
    {
        if (null != previous.driver())
        {
            previous.driver().close();
        }
        remove(previous.directory());
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
        final int phase = control.phase(pe);
        final String reason = refusalOf(ended, phase);
        if (isGlobalExit)
        {
            return;
        }
        final JobFailure cause = control.failure();
        if (null != reason)
        {
            onRefusal(pe, reason);
        }
        else if (0 != code)
        {
            onFailure(pe, code, ended.describeEnd(where));
        }
        else if (PePhase.ABSENT != phase && phase < PePhase.CLOSED && (null == cause || isDeath(cause, pe)))
        {
            onFailure(pe, ExitCode.FAILURE, ended.describeEnd(where) + " without closing its Shmem");
        }
    }

    /**
     * Returns why the JVM of a PE did not start, or null if it did. The lines of a JVM that did not are dropped, any
     * others are printed.
     */
    private String refusalOf(final ChildProcess ended, final int phase)
    {
        final StartOutput start = starts[ended.number() - firstPe];
        String reason = null;
        if (StartOutput.EXIT_CODE == ended.exitCode() && PePhase.ABSENT == phase && start.isHolding())
        {
            ended.awaitOutput(System.nanoTime() + REFUSAL_OUTPUT_NS);
            reason = start.takeRefusal();
        }
        start.pass();
        return reason;
    }

    /** Handles a JVM that did not start, which is reported once for all that refuse for the same reason. */
    private void onRefusal(final int pe, final String reason)
    {
        if (!reason.equals(refusal))
        {
            refusal = reason;
            onFailure(pe, StartOutput.EXIT_CODE, "the JVM of PE " + pe + where + " did not start: " + reason + " (" +
                ctx.refusableOptions() + ")");
        }
    }

    /** Detects a PE that ended without joining, while others joined and wait for it. */
    private void detectAbsentPes()
    {
        if (children.isEnding() || isAbsenceReported || control.isFailed())
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
            isAbsenceReported = true;
            final String what = "PE " + absent + where + " ended without joining the " +
                (job == first ? "job that others joined" : "next job, which others joined after they had closed one");
            onFailure(absent, ExitCode.FAILURE, what);
            // reported also with --keep-going: the others cannot detect the death of a PE that never joined
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
     * Handles the failure of a PE. The first one detected ends the other PEs; the one reported is that of the PE that
     * the job failed with, which may be detected later.
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
            // a failure elsewhere is reported there, and ends the PEs here too
            return;
        }
        final Failure failure = new Failure(pe, what, others());
        if (ctx.isKeepingGoing())
        {
            ctx.report(failure.text(cause));
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
        for (final boolean isPeEnded : isEnded)
        {
            others += isPeEnded ? 0 : 1;
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

    private void passStarts()
    {
        for (final StartOutput start : starts)
        {
            if (null != start)
            {
                start.pass();
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

    /** Prints the output that was held back, and then why the job failed. */
    private void report()
    {
        if (isClosing || ExitCode.OK != endingCode)
        {
            return;
        }
        children.awaitOutput();
        passStarts();
        releaseTraces();
        if (null != reported)
        {
            final int others = reported.others();
            ctx.report(reported.text(control.failure()) +
                (0 == others ? "" : "; ending the other " + (1 == others ? "PE" : others + " PEs")));
        }
    }

    /**
     * Handles the failure of the job. A global exit ends all PEs with its status, though the first process to end may
     * have had another one. In a job on several nodes any failure elsewhere ends the PEs here.
     */
    private void onJobFailure()
    {
        if (isFailureHandled || !control.isFailed())
        {
            return;
        }
        isFailureHandled = true;
        final JobFailure failure = control.failure();
        if (JobFailure.Kind.GLOBAL_EXIT == failure.kind())
        {
            isGlobalExit = true;
            exitCode = JobFailure.exitCode(failure.status());
            if (ExitCode.OK != exitCode && isHere(failure) && !children.isEnding())
            {
                ctx.report(failure.message() + "; ending the job");
            }
            children.endAfter(ChildProcesses.NOTICE_MS, GLOBAL_EXIT_GRACE_MS);
        }
        else if (JobFailure.Kind.LAUNCHER_DIED == failure.kind())
        {
            if (failure.message().endsWith(ENDING))
            {
                dropTraces();
            }
            else if (failure.message().endsWith(TIMEOUT_OPTION))
            {
                ctx.lines().own(describe(), ctx.error());
            }
            children.endAfter(ChildProcesses.NOTICE_MS, ChildProcesses.GRACE_MS);
        }
        else if (!isHere(failure) && !ctx.isKeepingGoing())
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
            ctx.report("the job did not end within " + ctx.timeoutText() + " " + TIMEOUT_OPTION + "; ending its " +
                children.aliveCount() + " PEs" + where + "\n" + describe());
            children.endAfter(0, ChildProcesses.GRACE_MS);
        }
    }

    /**
     * Reports a failure in the control file: in the cell of the job's creator if that is this process, else in the cell
     * of a PE that this process has started, and that has ended or is about to end.
     */
    private void fail(final int pe, final JobFailure failure)
    {
        control.fail(job.isCreator() ? control.creatorCell() : pe, failure);
    }

    /**
     * Failure of a PE, and the number of other PEs that are ended because of it.
     */
    private record Failure(int pe, String what, int others)
    {
        private String text(final JobFailure cause)
        {
            return what + (null == cause || isDeath(cause, pe) ? "" : "; " + cause.message());
        }
    }

    /**
     * Job with a successor, kept until its last PE has left it.
     */
    private record PreviousJob(JobDirectory directory, EmbeddedDriver driver)
    {
    }
}
