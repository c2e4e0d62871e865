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
import io.aeroshmem.config.ShmemProperty;
import io.aeroshmem.tools.exit.CommandException;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.endpoint.EmbeddedDriver;
import io.aeroshmem.transport.job.CommandFile;
import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.HostName;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.PePhase;
import io.aeroshmem.transport.job.RecoveryPhase;
import io.aeroshmem.transport.job.RecoveryTimes;
import io.aeroshmem.transport.job.RetainedHeaps;
import io.aeroshmem.transport.job.SuccessorState;
import org.agrona.CloseHelper;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Supervises the PEs of a job on this host, one process each, from the start of the first PE to the end of the last.
 * {@link JobLauncher} and {@link NodeLauncher} both use this class. It embeds the media driver when a PE requests one.
 * It passes the ends of processes and the state of the job to a {@link NodeStateMachine}, which decides when the PEs
 * are ended, what is reported, and the exit code.
 */
final class NodeJob implements AutoCloseable
{
    /** Time in which the last lines of a JVM that has ended are read. */
    private static final long REFUSAL_OUTPUT_NS = TimeUnit.SECONDS.toNanos(1);

    /*
     * In a job of JobLauncher, PEs that have left the job may join its successor, a new job of the same processes. When
     * a PE first requests the successor, this class creates a directory for the new job, and from then on monitors that
     * job. When all PEs have left the previous job, this class closes the driver of that job and removes its directory.
     * close() removes the directory of the last successor. Without a successor there is only the directory that the
     * launcher created, and the launcher removes it.
     *
     * With RESTART each generation of a recoverable job is an object of its own. With REPLACE the next generation is
     * the successor of the failed job, whether or not a PE requests it: begin makes it, and run() then starts processes
     * for the PEs that have none. The failed job's driver and directory are kept until all other PEs have joined.
     *
     * close() ends the live PEs and closes the driver. It may be called from a shutdown hook while another thread is in
     * run(). Closing, and each start of a process or of the driver, synchronise on this object. So neither a process
     * nor the driver is started after closing.
     */
    private final LaunchContext ctx;
    private final JobDirectory first;
    private final List<PreviousJob> previousJobs = new ArrayList<>();
    private JobDirectory job;
    private ControlFile control;
    private int firstPe;
    private int peCount;
    private int nPes;
    private final String host;
    private final String where;
    private final Map<String, String> environment;
    private final ChildProcesses children = new ChildProcesses();
    private PeOutput[] outputs;
    private final Spares spares;
    private final CommandFile commands;
    private final NodeStateMachine machine;
    private EmbeddedDriver driver;
    private Trial trial;
    private int reportedGeneration;
    private boolean isClosed;

    /**
     * Creates a job, of which nothing is started yet. {@code host} is the name of this host in messages of a job on
     * several, else null; {@code environment} is added to the variables of this process; {@code startNs} is the time
     * from which {@code --timeout} counts; {@code spares} may be null, and
     * {@code commands} too, if this job takes none.
     */
    NodeJob(
        final LaunchContext ctx,
        final JobDirectory job,
        final int firstPe,
        final int peCount,
        final String host,
        final Map<String, String> environment,
        final Spares spares,
        final CommandFile commands,
        final long startNs)
    {
        this.ctx = ctx;
        this.first = job;
        this.job = job;
        this.control = job.control();
        this.firstPe = firstPe;
        this.peCount = peCount;
        this.nPes = ctx.nPes();
        this.host = null == host ? HostName.local() : host;
        this.environment = Map.copyOf(environment);
        this.where = null == host ? "" : " on " + host;
        this.outputs = new PeOutput[peCount];
        this.spares = spares;
        this.commands = commands;
        this.machine = new NodeStateMachine(ctx, firstPe, peCount, where, startNs, new ProcessActions());
        offerSuccessor();
    }

    /**
     * Starts the PEs that have no process, waits for the end of all PEs, or, if this job replaces PEs, of the
     * generation, and reports on the error stream why the job failed here, if it did: after
     * all output of the PEs, of which that of the failed one comes last. Returns the exit code, see
     * {@link NodeStateMachine#conclude}. If the calling thread is interrupted, {@link #close()} ends the PEs.
     */
    int run() throws InterruptedException, IOException
    {
        startWanted();
        supervise();
        return machine.conclude(control.failure());
    }

    /** In a job on several hosts only a failed generation has a successor: each host makes it in its turn. */
    private void offerSuccessor()
    {
        if (job.isCreator() && (where.isEmpty() || ctx.isReplacing()))
        {
            control.offerSuccessor();
        }
    }

    private void startWanted() throws IOException
    {
        for (int pe = firstPe; pe < firstPe + peCount; pe++)
        {
            if (machine.isWanted(pe))
            {
                start(pe);
                control.endPhase(control.creatorCell(), RecoveryPhase.STARTED);
            }
        }
    }

    private void supervise() throws InterruptedException, IOException
    {
        while (!machine.isOver() && !ctx.endIf().getAsBoolean())
        {
            ChildProcess ended = children.awaitEnd(machine.pollMs(System.nanoTime()));
            final int[] phases = phases();
            machine.onJob(System.nanoTime(), control.failure(), phases);
            reportRecovery();
            while (null != ended)
            {
                onEnd(ended);
                ended = children.awaitEnd(0);
            }

            serveDriverRequest();
            serveSuccessorRequest();
            if (null != spares && machine.isRunning())
            {
                // only then, as the start of a JVM takes processor time
                spares.maintain(System.nanoTime());
            }

            serveCommand();
            machine.tick(System.nanoTime());
            startWanted();
        }
    }

    /**
     * Begins the next generation of a job that replaces PEs, after the failure of this one: processes that are alive
     * join it. {@link #run()} is called afterwards. This object removes the directory.
     */
    synchronized void begin(final JobDirectory next)
    {
        machine.onGeneration(System.nanoTime(), control.failure(), next.control().previousFailure());
        succeed(next);
    }

    /**
     * As {@link #begin}, with other numbers: the {@link #nextPes} have them from {@code newFirstPe} on.
     */
    synchronized void begin(final JobDirectory next, final int newFirstPe, final int... pes)
    {
        startedOutputs().forEach(PeOutput::pass);
        machine.onNextPes(newFirstPe, next.nPes(), pes);
        children.renumber(newFirstPe, Arrays.stream(pes).filter((pe) -> pe >= 0).toArray());
        final int oldFirstPe = firstPe;
        outputs = Arrays.stream(pes).mapToObj((pe) -> pe < 0 ? null : outputs[pe - oldFirstPe])
            .toArray(PeOutput[]::new);
        firstPe = newFirstPe;
        peCount = pes.length;
        nPes = next.nPes();
        for (int i = 0; i < peCount; i++)
        {
            if (null != outputs[i])
            {
                outputs[i].renumber(firstPe + i);
            }
        }

        begin(next);
    }

    /** Returns the exit codes of the PEs of this generation that were killed. */
    Map<Integer, Integer> lost()
    {
        return machine.lost();
    }

    /**
     * Returns the PEs here of the generation that follows this one, which has failed, by their numbers in this one; -1
     * for one that is added.
     */
    int[] nextPes() throws InterruptedException
    {
        if (ctx.isShrinking())
        {
            for (ChildProcess ended = children.awaitEnd(0); null != ended; ended = children.awaitEnd(0))
            {
                onEnd(ended);
            }
        }

        return machine.nextPes(control.failure());
    }

    /** Returns whether the tasks of all PEs have begun in this generation, which is not the first. */
    boolean hasRun()
    {
        return reportedGeneration == control.generation();
    }

    /**
     * Takes a command back that has replaced a PE, if this generation, which has failed, is the first with it and has
     * not run: the new process may never join, and the retained memory would end with the job.
     */
    synchronized void undoReplacement(final String cause)
    {
        final int pe = hasRun() ? -1 : ctx.undoReplacement();
        if (pe >= 0)
        {
            commands.answer(false, "PE " + pe + " did not come up: " + cause);
            ctx.report("PE " + pe + " runs again what it ran before it was replaced");
            machine.onRefusedReplacement(pe);
        }
    }

    /** Changes the number of PEs from the next generation on: this one, which has failed, could not have more. */
    void refuseSize(final int newNPes)
    {
        machine.onRefusedSize(newNPes);
    }

    /** Ends the PEs that have survived the failure of the last generation, and returns the exit code. */
    int endLast() throws InterruptedException, IOException
    {
        if (job.isCreator())
        {
            control.successorFailed("no generation follows this one");
        }

        machine.onLast(System.nanoTime());
        supervise();
        return machine.conclude(control.failure());
    }

    /** Reports once, when the tasks of all PEs of a later generation have begun, how long that took. */
    private void reportRecovery()
    {
        final int generation = control.generation();
        final RecoveryTimes times = generation == reportedGeneration ? null : RecoveryTimes.of(control);
        if (null != times && times.isComplete())
        {
            reportedGeneration = generation;
            ctx.confirmReplacement();
            final String line = "generation " + generation + where + " runs, " + times;
            ctx.report(line);
            if (null != commands && null == trial)
            {
                commands.answer(true, line);
            }
        }
    }

    /** Returns why this generation of the job has ended, if another one may follow it; else null. */
    String recoverable()
    {
        return machine.recoverable(control.failure());
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
        machine.onSignal(code);
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
        machine.onClosing();
        synchronized (this)
        {
            if (!isClosed)
            {
                isClosed = true;
                final boolean isAnyAlive = children.isAnyAlive();
                machine.onClose(isAnyAlive);
                if (isAnyAlive)
                {
                    children.endAll();
                }

                ctx.archive().conclude();
                if (null != trial)
                {
                    trial.jvm().close();
                    refuse("the job, or this generation of it, has ended");
                }

                previousJobs.forEach(NodeJob::release);
                previousJobs.clear();
                CloseHelper.close(driver);

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
        LineOutput.whileEnding(this::printHeld);
    }

    private void start(final int pe) throws IOException
    {
        final ProcessBuilder builder = builder(ctx, environment, ctx.command(pe, host));
        final Map<String, String> variables = builder.environment();
        variables.put(LauncherBootstrap.PE_ENV, Integer.toString(pe));
        variables.put(LauncherBootstrap.NPES_ENV, Integer.toString(nPes));
        variables.put(LauncherBootstrap.JOB_DIR_ENV, job.path().toString());
        if (0 != pe)
        {
            builder.redirectInput(Redirect.from(new File("/dev/null")));
        }

        Process process = null;
        try
        {
            process = start(pe, builder);
        }
        catch (final IOException | CommandException ex)
        {
            if (0 == control.generation())
            {
                throw ex;
            }

            machine.onStartFailure(System.nanoTime(), pe, ex.getMessage());
        }

        if (null != process)
        {
            // without the monitor, which close() needs: the output may not be read
            reportStart(pe, process, builder);
        }
    }

    /** Returns the builder of a process that runs the program, with its environment, input and output. */
    static ProcessBuilder builder(
        final LaunchContext ctx,
        final Map<String, String> environment,
        final List<String> command)
    {
        final ProcessBuilder builder = new ProcessBuilder(command);
        final Map<String, String> variables = builder.environment();
        // those of a job in which this launcher runs as a PE
        variables.keySet().removeAll(List.of(
            ShmemProperty.RECOVERY_DIRECTORY.environmentName(), LauncherBootstrap.JOB_DIR_ENV,
            LauncherBootstrap.PE_ENV, LauncherBootstrap.NPES_ENV, LauncherBootstrap.SPARE_ENV));
        variables.putAll(environment);
        builder.directory(ctx.directory());
        builder.redirectInput(Redirect.INHERIT);
        if (PeOutput.isUntagged(ctx) && null == ctx.logDirectory() && Terminal.isOutput())
        {
            // no other output to interleave with; a file or a pipe is left to the launcher, which detects failed writes
            builder.redirectOutput(Redirect.INHERIT);
        }

        return builder;
    }

    /** Starts a PE, in a spare process if there is one, and returns the process, or null if the job is closing. */
    private synchronized Process start(final int pe, final ProcessBuilder builder) throws IOException
    {
        if (machine.isClosing())
        {
            return null;
        }

        final PeLog log = null == ctx.logDirectory() ? null :
            PeLog.open(ctx.logDirectory(), pe, control.generation() > 0, ctx::reportLost);
        final ControlFile joining = control;
        final Process spare = null == spares || ctx.isReplaced(pe) ? null : spares.take(pe, nPes, job.path());
        final Process process = null == spare ? ProcessStart.of(builder) : spare;
        if (pe == firstPe && null == spare)
        {
            ctx.archive().onStart(process);
        }

        machine.onStart(pe, process.pid());
        final PeOutput output = new PeOutput(
            ctx, pe, host, log,
            () -> PePhase.ABSENT != joining.phase(pe), () -> ProcessThreads.hasJvmStarted(process.pid()));
        if (null != outputs[pe - firstPe])
        {
            outputs[pe - firstPe].pass();
        }

        outputs[pe - firstPe] = output;
        children.add(new ChildProcess(
            pe, "PE " + pe, process, output.copy(process.getInputStream(), process.getErrorStream())));
        return process;
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

    private int[] phases()
    {
        return IntStream.range(0, nPes).map(this::phase).toArray();
    }

    /** The others miss a process from its registration on, also before its join record can be read. */
    private int phase(final int pe)
    {
        final int phase = control.phase(pe);
        return PePhase.ABSENT == phase && 0 != control.pid(pe) ? PePhase.RECORDED : phase;
    }

    private void onEnd(final ChildProcess ended)
    {
        if (ended.number() < 0)
        {
            // it was lost with an earlier generation
            return;
        }

        final PeOutput output = outputs[ended.number() - firstPe];
        String refusal = null;
        if (StartHold.EXIT_CODE == ended.exitCode() && PePhase.ABSENT == control.phase(ended.number()) &&
            output.isStartHeld())
        {
            ended.awaitOutput(System.nanoTime() + REFUSAL_OUTPUT_NS);
            refusal = output.takeRefusal();
        }

        output.passStart();
        machine.onEnd(System.nanoTime(), ended.number(), ended.exitCode(), refusal);
    }

    /**
     * Takes a command that waits, once this generation is known to run, and performs it when a JVM has started with
     * the options of the new process; or refuses it.
     */
    private synchronized void serveCommand() throws IOException
    {
        if (null == commands || machine.isClosing())
        {
            return;
        }

        final boolean isRunning = machine.isRunning() && reportedGeneration == control.generation();
        if (null != trial)
        {
            onTrial(isRunning);
        }
        else if (commands.isWanted() && (isRunning || null != machine.commandProblem()))
        {
            takeCommand();
        }
    }

    private void takeCommand()
    {
        final List<String> words = commands.take();
        if (!words.isEmpty())
        {
            try
            {
                final JobCommand command = JobCommand.parse(words);
                if (command instanceof JobCommand.Replace replace)
                {
                    take(replace);
                }
                else if (command instanceof JobCommand.Resize resize)
                {
                    take(resize);
                }
            }
            catch (final IllegalArgumentException | UncheckedIOException ex)
            {
                refuse(ex.getMessage());
            }
            catch (final IOException ex)
            {
                refuse("the JVM cannot be started: " + ex.getMessage());
            }
        }
    }

    private void take(final JobCommand.Replace command) throws IOException
    {
        require(machine.replaceProblem(command.pe()));
        final LaunchContext.Replacement replacement =
            ctx.replacement(command.pe(), command.classPath(), command.jvmOptions());
        attempt(command.pe(), replacement, () ->
        {
            ctx.replace(command.pe(), replacement);
            if (null != spares)
            {
                // they may have loaded an earlier version of the jars
                spares.discard();
            }

            machine.onReplace(command.pe());
        });
    }

    private void take(final JobCommand.Resize command) throws IOException
    {
        final int lastPe = command.nPes() - 1;
        require(machine.resizeProblem(command.nPes()));
        ctx.requireBinding(command.nPes());
        attempt(lastPe, ctx.replacement(lastPe), () -> machine.onResize(command.nPes()));
    }

    private static void require(final String problem)
    {
        if (null != problem)
        {
            throw new IllegalArgumentException(problem);
        }
    }

    private void attempt(final int pe, final LaunchContext.Replacement replacement, final Runnable action)
        throws IOException
    {
        trial = new Trial(action, JvmTrial.start(
            builder(ctx, environment, ctx.trialCommand(pe, host, replacement)), System.nanoTime()));
    }

    private void onTrial(final boolean isRunning) throws IOException
    {
        if (!trial.jvm().isOver(System.nanoTime()))
        {
            return;
        }

        final String refusal = trial.jvm().refusal();
        trial.jvm().close();
        if (null != refusal)
        {
            refuse("the JVM does not start: " + refusal);
        }
        else if (!isRunning)
        {
            final String problem = machine.commandProblem();
            refuse(null == problem ? "the generation has failed meanwhile" : problem);
        }
        else
        {
            trial.action().run();
            trial = null;
        }
    }

    private void refuse(final String reason)
    {
        trial = null;
        commands.answer(false, reason);
    }

    private synchronized void serveDriverRequest()
    {
        if (machine.isClosing() || null != driver || !job.isCreator() || !EmbeddedDriver.isWanted(control))
        {
            return;
        }

        try
        {
            driver = EmbeddedDriver.start(
                job, ctx.livenessTimeoutNs(), (ex) -> ctx.report("media driver: " + ex.getMessage()));
            machine.onDriver();
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
        if (machine.isClosing() || !job.isCreator() || SuccessorState.WANTED != control.successorState())
        {
            return;
        }

        if (ctx.isRecovering() && control.isFailed())
        {
            if (machine.isLast())
            {
                control.successorFailed("this generation of the job has failed");
            }

            return;
        }

        if (!where.isEmpty())
        {
            control.successorFailed("a PE of a job on several hosts can be set up only once");
            return;
        }

        try
        {
            final JobDirectory next = JobDirectory.create(ctx.root(), nPes);
            if (control.generation() > 0)
            {
                next.control().renumber(control, IntStream.range(0, nPes).toArray());
                next.control().generation(control.generation(), control.previousFailure());
            }

            machine.onSuccessor();
            succeed(next);
        }
        catch (final TransportException ex)
        {
            control.successorFailed(ex.getMessage());
        }
    }

    private void succeed(final JobDirectory next)
    {
        final ControlFile before = control;
        previousJobs.add(new PreviousJob(job, driver, ctx.isReplacing() && before.isFailed()));
        job = next;
        control = next.control();
        driver = null;
        offerSuccessor();
        if (job.isCreator())
        {
            before.successorReady(next.path().toString());
        }
    }

    private boolean isReleased(final PreviousJob previous)
    {
        for (int pe = 0; pe < nPes; pe++)
        {
            if (previous.isFollowed() ? machine.isAwaited(pe) :
                !machine.hasEnded(pe) && isIn(previous.directory(), pe))
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
        return !PePhase.hasLeft(control.phase(pe)) || directory.isProcessAlive(control.lockName(pe));
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
        if (directory.isCreator())
        {
            directory.delete();
        }

        directory.close();
    }

    private Stream<PeOutput> startedOutputs()
    {
        return Arrays.stream(outputs).filter(Objects::nonNull);
    }

    private void printHeld()
    {
        startedOutputs().forEach(PeOutput::passStart);
        startedOutputs().forEach(PeOutput::releaseTrace);
    }

    /** The actions on the processes, the control file and the output. */
    private final class ProcessActions implements NodeStateMachine.Actions
    {
        @Override
        public void report(final String line)
        {
            ctx.report(line);
        }

        @Override
        public void describe(final String line)
        {
            final String states = NodeJob.this.describe();
            if (null == line)
            {
                ctx.lines().own(states, ctx.error());
            }
            else
            {
                ctx.report(line + "\n" + states);
            }
        }

        /** Reports in the cell of the job's creator if that is this process, else in that of the PE. */
        @Override
        public void fail(final int pe, final JobFailure failure)
        {
            control.fail(job.isCreator() ? control.creatorCell() : pe, failure);
        }

        @Override
        public void peDied(final int pe, final int exitCode, final String message)
        {
            fail(pe, JobFailure.peDied(control, pe, exitCode, message));
        }

        @Override
        public void holdTraceOf(final int pe)
        {
            startedOutputs().forEach((output) -> output.onFailureOf(pe));
        }

        @Override
        public void dropTraces()
        {
            startedOutputs().forEach(PeOutput::dropPeFailures);
        }

        @Override
        public void printHeld()
        {
            children.awaitOutput();
            NodeJob.this.printHeld();
        }

        @Override
        public void signal(final EndSchedule.Signal signal)
        {
            children.signal(signal);
        }

        @Override
        public void kill(final int pe)
        {
            children.kill(pe);
        }

        @Override
        public void abandon(final int pe)
        {
            final String recovery = environment.get(ShmemProperty.RECOVERY_DIRECTORY.environmentName());
            new RetainedHeaps(Path.of(recovery)).remove(control.memory(pe));
            children.abandon(pe);
        }
    }

    /**
     * Job with a successor, kept until its last PE has left it, or is set up in the next generation if one has followed
     * it.
     */
    private record PreviousJob(JobDirectory directory, EmbeddedDriver driver, boolean isFollowed)
    {
    }

    /** Command that waits for the start of a JVM with the options of a new process. */
    private record Trial(Runnable action, JvmTrial jvm)
    {
    }
}
