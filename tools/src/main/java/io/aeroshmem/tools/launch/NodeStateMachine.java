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
import io.aeroshmem.tools.exit.ExitCode;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.PePhase;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The decisions of a {@link NodeJob}, without processes, clocks and pipes. Its inputs are events and the time; its
 * outputs are {@link Actions} and the exit code.
 * <pre>
 *               a PE fails, or the job fails elsewhere or by its launcher
 *      RUNNING --------------------------------------------------------&gt; FAILED
 *       |   |                                                              |
 *       |   |  --timeout                          a global exit            |
 *       |   +--------------&gt; TIMED_OUT -----------------------+            |
 *       |                                                     v            |
 *       +---------------------------------------------&gt; GLOBAL_EXIT &lt;------+
 * </pre>
 * In each state but RUNNING the PEs are ended: they get time to detect the failure themselves, then SIGTERM, then
 * SIGKILL. With {@code --keep-going} the failure of a PE changes no state, only the exit code. A signal to the
 * launcher, or its {@linkplain #onClose close}, ends the PEs in any state, and what they then end with is no failure.
 */
final class NodeStateMachine
{
    /** Suffix of the failure message with which the launcher of a job on several nodes ends it after --timeout. */
    static final String TIMEOUT_OPTION = "(--timeout)";

    /** Suffix of the failure message with which a launcher that receives a signal ends its job. */
    static final String ENDING = " is ending the job";

    /** Period of the caller's polls while all PEs run. */
    static final long RUNNING_POLL_MS = 100;

    /** Short, as a PE that has left the job may request the next one. */
    static final long LEFT_POLL_MS = 10;

    /** Together with {@link ChildProcesses#NOTICE_MS} all PEs end within two seconds of a global exit. */
    static final long GLOBAL_EXIT_GRACE_MS = 1_000;

    /** Ctrl-C signals this process and its children at once: time in which a child may be the first to end. */
    static final long INTERRUPT_MS = 300;

    /** Time in which a process ends after SIGKILL. One that does not is held by the kernel, for an unknown time. */
    static final long UNKILLED_MS = 10_000;

    private static final int KILLED = ExitCode.SIGNAL_BASE + 9;

    /** PEs that die together are lost together: time in which the ends of others become known. */
    private static final long SETTLE_MS = 20;

    /*
     * In a recoverable job a failure ends the generation. Whether another one may follow is decided here (recoverable);
     * whether and when it does, by Recoveries. With RESTART all PEs are ended, also those whose processes survive the
     * failure, and each generation has a state machine of its own.
     *
     * With REPLACE the PEs are not ended. The generation is over when the process of the lost PE has ended, or had time
     * to. Then onGeneration begins the next one, and the state is RUNNING again. In it a process of an earlier
     * generation joins, or ends, or does not come in time and is ended. A PE whose process has ended before it has
     * joined this generation is wanted again: that is no failure of this generation. So it does not matter
     * which PE the failure is attributed to, how many are lost at once, and when.
     *
     * With SHRINK too, but no process is started again. The PEs that are alive then are those of the next generation,
     * with other numbers (nextPes), and one that does not join it has failed there.
     *
     * A command ends the generation as a failure does. With REPLACE the process of a PE that is replaced (onReplace) is
     * killed when the next generation begins. If the number of PEs changes (onResize), those with the greatest numbers
     * go, and the processes that are missing are started.
     *
     * A job may have successors (onSuccessor()). A failure belongs to one job, the state to all of them.
     *
     * One thread uses this class; any other may call onSignal and onClose.
     */
    private final LaunchContext ctx;
    private int firstPe;
    private int peCount;
    private int nPes;
    private final String where;
    private final long startNs;
    private final Actions actions;
    private final EndSchedule schedule = new EndSchedule();
    private final Queue<End> ends = new ArrayDeque<>();
    /** Of the PEs here, in their order. */
    private PeProcess[] processes;
    /** Exit codes of the PEs of this generation that were killed, by others. */
    private final Map<Integer, Integer> lost = new TreeMap<>();
    private int aliveCount;
    private JoiningPoll joiningPoll;
    private State state = State.RUNNING;
    private int exitCode = ExitCode.OK;
    private Failure reported;
    private String refusal;
    private boolean hasLeft;
    private volatile int endingCode = ExitCode.OK;
    private volatile boolean isClosing;
    // of the current job, the last successor if there is one
    private int successors;
    private int[] phases;
    private JobFailure failure;
    private boolean hasDriver;
    private boolean isAbsenceReported;
    // of a job that replaces PEs
    private int generation;
    private boolean isLossKnown;
    private boolean isLast;
    private long failedNs;
    private long joinDeadlineNs;
    // of commands
    private int replacedPe = -1;
    /** Number of PEs of the next generation, 0 for as many as are left. */
    private int nextNPes;

    private enum State
    {
        RUNNING, FAILED, TIMED_OUT, GLOBAL_EXIT
    }

    /** The outputs. */
    interface Actions
    {
        /** Prints a line of the launcher. */
        void report(String line);

        /** Prints the state of each PE here, after a line of the launcher unless that is null. */
        void describe(String line);

        /** Fails the job; {@code pe}, which has ended or is about to, is the reporter if the launcher has no cell. */
        void fail(int pe, JobFailure failure);

        /** Fails the job because of the death of a PE here. */
        void peDied(int pe, int exitCode, String message);

        /** Prints the stack trace of a PE after those of the others. */
        void holdTraceOf(int pe);

        /** Drops stack traces that only report the end of the job; never blocks. */
        void dropTraces();

        /** Prints all output that is held back. */
        void printHeld();

        /** Sends a signal, or none, to the live PEs here. */
        void signal(EndSchedule.Signal signal);

        /** Sends SIGKILL to the process of a PE. */
        void kill(int pe);

        /** Handles that a killed process may live on: nobody uses the retained memory of its PE any more. */
        void abandon(int pe);
    }

    /**
     * Creates the state machine of PEs that are about to be started; {@code where} is their host in messages, such as
     * " on hosta", or empty. {@code startNs} is the time at which the job was started, in its first generation.
     */
    NodeStateMachine(
        final LaunchContext ctx,
        final int firstPe,
        final int peCount,
        final String where,
        final long startNs,
        final Actions actions)
    {
        this.ctx = ctx;
        this.firstPe = firstPe;
        this.peCount = peCount;
        this.where = where;
        this.startNs = startNs;
        this.actions = actions;
        nPes = ctx.nPes();
        phases = new int[nPes];
        processes = new PeProcess[peCount];
        Arrays.setAll(processes, (i) -> new PeProcess(true));
    }

    /** Handles the start of a PE's process. */
    void onStart(final int pe, final long pid)
    {
        final PeProcess process = process(pe);
        process.pid = pid;
        process.startedIn = generation;
        process.isWanted = false;
        process.isKilled = false;
        process.isEnded = false;
        aliveCount++;
    }

    /** Handles that the process of a PE, wanted in a generation that is not the first of its job, does not start. */
    void onStartFailure(final long nowNs, final int pe, final String reason)
    {
        final PeProcess process = process(pe);
        process.startedIn = generation;
        process.isWanted = false;
        onFailure(nowNs, pe, ExitCode.FAILURE, failure, "PE " + pe + where + " cannot be started: " + reason);
    }

    /** Handles the start of the job's media driver. */
    void onDriver()
    {
        hasDriver = true;
    }

    /** Handles what the control file shows: the {@link PePhase} of every PE, and the failure of the job or null. */
    void onJob(final long nowNs, final JobFailure jobFailure, final int... newPhases)
    {
        phases = newPhases;
        hasLeft |= Arrays.stream(phases).anyMatch((phase) -> PePhase.CLOSED == phase);
        if (null == failure && null != jobFailure)
        {
            failure = jobFailure;
            onJobFailure(nowNs);
        }
    }

    /** Handles a new job of the same processes, which no PE has joined yet. */
    void onSuccessor()
    {
        successors++;
        // a process that goes on does not run again what it has completed
        hasLeft &= ctx.isReplacing();
        phases = new int[nPes];
        failure = null;
        hasDriver = false;
        isAbsenceReported = false;
    }

    /** Returns the exit codes of the PEs of this generation that were killed, other than by this launcher. */
    Map<Integer, Integer> lost()
    {
        return Map.copyOf(lost);
    }

    /**
     * Returns the PEs here of the generation that follows a failure, by their numbers in this one, in order: if the job
     * shrinks, those that are left, else all, or as many as a command has asked for; -1 for one that is added.
     */
    int[] nextPes(final JobFailure jobFailure)
    {
        final int[] left = ctx.isShrinking() ? survivors(jobFailure) : pesHere().toArray();
        return IntStream.range(0, 0 == nextNPes ? left.length : nextNPes)
            .map((pe) -> pe < left.length ? left[pe] : -1).toArray();
    }

    private int[] survivors(final JobFailure jobFailure)
    {
        return pesHere().filter((pe) -> !process(pe).isEnded &&
            ends.stream().noneMatch((end) -> pe == end.pe()) &&
            !(JobFailure.Kind.PE_DIED == jobFailure.kind() && pe == jobFailure.pe())).toArray();
    }

    private IntStream pesHere()
    {
        return IntStream.range(firstPe, firstPe + peCount);
    }

    /**
     * Gives the {@link #nextPes} their numbers in the next generation, which has {@code newNPes} PEs: from
     * {@code newFirstPe} on. The processes of others are killed.
     */
    void onNextPes(final int newFirstPe, final int newNPes, final int... previousPes)
    {
        for (final End end : ends)
        {
            aliveCount--;
            process(end.pe()).isEnded = true;
        }

        ends.clear();
        pesHere()
            .filter((pe) -> !process(pe).isEnded && Arrays.stream(previousPes).noneMatch((other) -> pe == other))
            .forEach(actions::kill);
        processes = Arrays.stream(previousPes)
            .mapToObj((pe) -> pe < 0 ? new PeProcess(false) : process(pe)).toArray(PeProcess[]::new);
        firstPe = newFirstPe;
        nPes = newNPes;
        peCount = previousPes.length;
        aliveCount = (int)Arrays.stream(processes).filter((process) -> !process.isEnded).count();
        Arrays.stream(processes).forEach((process) -> process.isWanted = false);
    }

    /**
     * Handles the next generation after a failure of the job, which the PEs that are alive are to join. Nodes may have
     * detected different failures: the first is what this node has detected, the others are what it has received.
     */
    void onGeneration(final long nowNs, final JobFailure... previousFailures)
    {
        onSuccessor();
        successors = 0;
        hasLeft = false;
        generation++;
        state = State.RUNNING;
        exitCode = ExitCode.OK;
        reported = null;
        lost.clear();
        isLossKnown = false;
        joiningPoll = null;
        joinDeadlineNs = nowNs + ctx.recoveryJoinTimeoutNs();
        Arrays.stream(processes).forEach((process) -> process.isWanted = process.isEnded);
        for (final JobFailure previous : previousFailures)
        {
            if (!ctx.isShrinking() && JobFailure.Kind.PE_DIED == previous.kind() && isOwn(previous.pe()))
            {
                // the others take it for dead, so it must be
                kill(nowNs, previous.pe());
            }
        }

        nextNPes = 0;
        if (replacedPe >= 0)
        {
            kill(nowNs, replacedPe);
            replacedPe = -1;
        }
    }

    /** Returns why no command can replace a PE, or null. */
    String replaceProblem(final int pe)
    {
        return pe < 0 || pe >= nPes ? "PE must be 0 to " + (nPes - 1) + ": " + pe :
            !isOwn(pe) ? "the launcher" + where + " has not started PE " + pe + ": the command is given on its host" :
            ctx.isShrinking() ? "a job of --recover=shrink starts no process again" : commandProblem();
    }

    /** Returns why no command can change the number of PEs, or null. */
    String resizeProblem(final int newNPes)
    {
        return newNPes < 1 || newNPes > JobDirectory.MAX_PES ?
            "the number of PEs must be 1 to " + JobDirectory.MAX_PES + ": " + newNPes :
            !where.isEmpty() ? "a job on several hosts keeps its number of PEs" :
            newNPes == nPes ? "the job has " + pes(nPes) : commandProblem();
    }

    /** Returns why no command can be performed, now or later, or null. */
    String commandProblem()
    {
        return hasLeft ? "a PE has left the job, so that no generation follows this one" :
            isBeingEnded() || isLast ? "the job is ending" : null;
    }

    /** Returns whether all PEs run, so that a command can be performed. */
    boolean isRunning()
    {
        return !isBeingEnded() && State.RUNNING == state && null == failure && ends.isEmpty() && !schedule.isSet() &&
            Arrays.stream(phases).allMatch((phase) -> PePhase.RUNNING == phase);
    }

    /**
     * Handles the command to replace a PE: this generation ends, and a new process is started for the PE in the next
     * one, also if a failure ends this generation first.
     */
    void onReplace(final int pe)
    {
        replacedPe = pe;
        actions.fail(pe, JobFailure.commanded(pe, "PE " + pe + where + " is replaced by a command"));
    }

    /** Handles that the new process of a PE must not be in the next generation: this one, which has failed, had it. */
    void onRefusedReplacement(final int pe)
    {
        replacedPe = pe;
    }

    /** Handles the command to change the number of PEs, from the next generation on, in the same way. */
    void onResize(final int newNPes)
    {
        nextNPes = newNPes;
        actions.fail(firstPe, JobFailure.commanded(-1, "a command gives the job " + pes(newNPes)));
    }

    /** Changes the number of PEs from the next generation on: this one, which has failed, could not have more. */
    void onRefusedSize(final int newNPes)
    {
        nextNPes = newNPes;
    }

    /** Returns the line about a generation that has other PEs than the previous one. */
    static String sizeLine(final int generation, final int previousNPes, final int... previousPes)
    {
        final String gone = IntStream.range(0, previousNPes)
            .filter((pe) -> Arrays.stream(previousPes).noneMatch((previous) -> pe == previous))
            .mapToObj((pe) -> "PE " + pe).collect(Collectors.joining(" and "));
        return "generation " + generation + " has " + pes(previousPes.length) +
            (gone.isEmpty() ? "" : ", without " + gone + " and the retained memory there");
    }

    static String pes(final int count)
    {
        return count + (1 == count ? " PE" : " PEs");
    }

    /** Handles the decision that no generation follows the one that has failed: the PEs that are alive are ended. */
    void onLast(final long nowNs)
    {
        isLast = true;
        end(nowNs, State.FAILED, ChildProcesses.NOTICE_MS, ChildProcesses.GRACE_MS);
    }

    /**
     * Handles the end of a PE's process with an exit code, 128 plus the number if a signal ended it, after what the
     * control file then shows. {@code jvmRefusal} is why its JVM did not start, or null if it did.
     */
    void onEnd(final long nowNs, final int pe, final int code, final String jvmRefusal)
    {
        ends.add(new End(
            pe, code, jvmRefusal, phases[pe], failure, nowNs + TimeUnit.MILLISECONDS.toNanos(INTERRUPT_MS)));
        handleEnds(nowNs);
    }

    /**
     * Handles a signal, which ends this process with an exit code: what PEs then end with is no failure. May be called
     * by any thread.
     */
    void onSignal(final int code)
    {
        endingCode = code;
        actions.dropTraces();
    }

    /** Handles the end of this launcher, which then ends its live PEs. May be called by any thread. */
    void onClose(final boolean isAnyAlive)
    {
        isClosing = true;
        if (isAnyAlive)
        {
            actions.dropTraces();
            actions.fail(firstPe, new JobFailure(
                JobFailure.Kind.LAUNCHER_DIED, -1, ExitCode.FAILURE, "the launcher" + where + ENDING));
        }
    }

    /** Stops the start of processes, and the wait for their end: {@link #onClose} follows. */
    void onClosing()
    {
        isClosing = true;
    }

    /** Handles the time. */
    void tick(final long nowNs)
    {
        handleEnds(nowNs);
        detectAbsentPes(nowNs);
        detectLatePes(nowNs);
        detectUnkilledPes(nowNs);
        isLossKnown |= isFollowed() && (!isLoss(failure) || !isHere(failure) || hasEnded(failure.pe()) ||
            isPast(nowNs, ChildProcesses.NOTICE_MS)) && (!ctx.isShrinking() || isPast(nowNs, SETTLE_MS));
        if (null != ctx.timeout() && nowNs - startNs >= ctx.timeout().toNanos())
        {
            onTimeout(nowNs);
        }

        final EndSchedule.Signal signal = schedule.due(nowNs);
        actions.signal(signal);
        for (int pe = firstPe; pe < firstPe + peCount && EndSchedule.Signal.KILL == signal; pe++)
        {
            onKill(nowNs, pe);
        }
    }

    /** Returns the time until the next poll: short while a PE may request a driver or a successor and waits for it. */
    long pollMs(final long nowNs)
    {
        if (ctx.isReplacing() && State.FAILED == state && !schedule.isSet())
        {
            return JoiningPoll.MIN_MS;
        }

        joiningPoll = null == joiningPoll ? new JoiningPoll(nowNs) : joiningPoll;
        long pollMs = ends.isEmpty() ? RUNNING_POLL_MS : LEFT_POLL_MS;
        for (int i = 0; i < peCount && State.RUNNING == state; i++)
        {
            final int phase = phases[firstPe + i];
            if (!processes[i].isEnded && phase < PePhase.CONNECTED && !hasDriver)
            {
                return joiningPoll.periodMs(Arrays.stream(phases, firstPe, firstPe + peCount).sum(), nowNs);
            }

            if (!processes[i].isEnded && PePhase.hasLeft(phase))
            {
                pollMs = LEFT_POLL_MS;
            }
        }

        return pollMs;
    }

    /** Returns whether the end of a PE has been handled. */
    boolean hasEnded(final int pe)
    {
        return process(pe).isEnded;
    }

    /** Returns whether a process is to be started for a PE. */
    boolean isWanted(final int pe)
    {
        return process(pe).isWanted && !isClosing;
    }

    /** Returns whether a process of an earlier generation, or any of another launcher, has yet to be set up in this. */
    boolean isAwaited(final int pe)
    {
        return (!isOwn(pe) || isSurvivor(pe - firstPe)) && phases[pe] < PePhase.RUNNING;
    }

    /** Returns whether no process goes on after the failure of the job, which may be unknown so far. */
    boolean isLast()
    {
        return !ctx.isReplacing() || isLast || null != failure && !isFollowed();
    }

    /**
     * Returns whether nothing is to be waited for: all PEs have ended, or this launcher ends, or the next generation
     * can begin.
     */
    boolean isOver()
    {
        return isClosing || 0 == aliveCount || isLossKnown && isFollowed();
    }

    boolean isClosing()
    {
        return isClosing;
    }

    /**
     * Prints what was held back, then why the job failed here, if it did and is not {@link #recoverable}, with the
     * failure that the control file now shows. Returns 0, or the exit code of the PE that the job failed with, else the
     * first nonzero one of a PE, or the status of a global exit, or {@link ExitCode#TIMEOUT}, or
     * {@link ExitCode#FAILURE} if a PE abandoned the others with exit code 0; the exit code of a signal takes
     * precedence.
     */
    int conclude(final JobFailure jobFailure)
    {
        if (!isBeingEnded() && 0 == aliveCount)
        {
            actions.printHeld();
            if (null != reported && !isLast && null == recoverable(jobFailure))
            {
                final int others = reported.others();
                actions.report(reported.text(jobFailure) +
                    (0 == others ? "" : "; ending the other " + (1 == others ? "PE" : others + " PEs")));
            }
        }

        return ExitCode.OK == endingCode ? exitCode : endingCode;
    }

    /**
     * Returns why the generation has ended, with the failure that the control file now shows, if another generation may
     * follow it; else null. None follows the end of the launcher, a global exit, a timeout, a JVM that refuses its
     * options, or a driver that is not the job's own; nor a failure after a PE has left.
     */
    String recoverable(final JobFailure jobFailure)
    {
        final boolean isGenerationOver = 0 == aliveCount || isLossKnown;
        final boolean isOfPe = null != reported && (null == jobFailure ||
            !jobFailure.isCommanded() && (jobFailure.pe() < 0 || jobFailure.pe() == reported.pe()));
        return !isGenerationOver || !isFollowable(jobFailure) ? null :
            isOfPe ? reported.text(jobFailure) : jobFailure.message();
    }

    private boolean isFollowable(final JobFailure jobFailure)
    {
        final boolean isOurs = null != jobFailure && !jobFailure.endsJob() &&
            (JobFailure.Kind.DRIVER_DIED != jobFailure.kind() || hasDriver);
        // of several hosts others may have PEs left
        final boolean isLeft = !ctx.isShrinking() || !where.isEmpty() || isOurs && survivors(jobFailure).length > 0;
        return ctx.isRecovering() && isOurs && isLeft && !isBeingEnded() && !isLast && null == refusal && !hasLeft &&
            (State.FAILED == state || State.RUNNING == state);
    }

    /** Returns whether the job has failed, and the PEs that survive go on. */
    private boolean isFollowed()
    {
        return ctx.isReplacing() && isFollowable(failure);
    }

    private boolean isSurvivor(final int i)
    {
        return !processes[i].isEnded && processes[i].startedIn < generation;
    }

    private boolean isPast(final long nowNs, final long ms)
    {
        return nowNs - failedNs >= TimeUnit.MILLISECONDS.toNanos(ms);
    }

    private void kill(final long nowNs, final int pe)
    {
        if (onKill(nowNs, pe))
        {
            actions.kill(pe);
        }
    }

    /** Returns whether the process of a PE, which is to be killed, lives and has not been killed before. */
    private boolean onKill(final long nowNs, final int pe)
    {
        final PeProcess process = process(pe);
        final boolean isFirst = !process.isEnded && !process.isKilled;
        process.killedNs = isFirst ? nowNs : process.killedNs;
        process.isKilled |= isFirst;
        return isFirst;
    }

    /** Returns whether a signal or the end of this launcher ends the PEs; what they then end with is no failure. */
    boolean isBeingEnded()
    {
        return isClosing || ExitCode.OK != endingCode;
    }

    /** Ends come in order; one by SIGINT waits for a signal to this process. */
    private void handleEnds(final long nowNs)
    {
        for (End end = ends.peek(); null != end && !isSignalAwaited(end, nowNs); end = ends.peek())
        {
            ends.remove();
            aliveCount--;
            process(end.pe()).isEnded = true;
            handleEnd(nowNs, end);
        }
    }

    private boolean isSignalAwaited(final End end, final long nowNs)
    {
        return Signals.INTERRUPTED == end.code() && State.RUNNING == state && !isBeingEnded() &&
            nowNs - end.deadlineNs() < 0;
    }

    private void handleEnd(final long nowNs, final End end)
    {
        final int pe = end.pe();
        final String message =
            "PE " + pe + " (pid " + process(pe).pid + where + ") " + ChildProcess.describe(end.code());
        if (process(pe).startedIn < generation && PePhase.ABSENT == phases[pe])
        {
            if (ctx.isShrinking() && State.RUNNING == state)
            {
                onFailure(nowNs, pe, ExitCode.OK == end.code() ? ExitCode.FAILURE : end.code(), end.cause(), message);
                return;
            }

            process(pe).isWanted = State.RUNNING == state;
            return;
        }

        if (end.code() > ExitCode.SIGNAL_BASE && !schedule.isTerminated() && !process(pe).isKilled)
        {
            lost.put(pe, end.code());
        }

        if (State.GLOBAL_EXIT == state)
        {
            return;
        }

        final int phase = end.phase();
        if (null != end.refusal())
        {
            onRefusal(nowNs, end);
        }
        else if (ExitCode.OK != end.code())
        {
            onFailure(nowNs, pe, end.code(), end.cause(), message);
        }
        else if (PePhase.ABSENT != phase && !PePhase.hasLeft(phase) &&
            (null == end.cause() || isDeath(end.cause(), pe)))
        {
            onFailure(nowNs, pe, ExitCode.FAILURE, end.cause(), message + " without closing its Shmem");
        }
    }

    /** Handles a JVM that did not start, which is reported once for all that refuse for the same reason. */
    private void onRefusal(final long nowNs, final End end)
    {
        if (!end.refusal().equals(refusal))
        {
            refusal = end.refusal();
            onFailure(nowNs, end.pe(), end.code(), end.cause(), "the JVM of PE " + end.pe() + where +
                " did not start: " + refusal + " (" + ctx.refusableOptions() + ")");
        }
    }

    /** Detects a PE that ended without joining, while others joined and wait for it. */
    private void detectAbsentPes(final long nowNs)
    {
        if (State.RUNNING != state || isAbsenceReported || null != failure ||
            Arrays.stream(phases).allMatch((phase) -> PePhase.ABSENT == phase))
        {
            return;
        }

        int absent = -1;
        for (int i = 0; i < peCount; i++)
        {
            if (processes[i].isEnded && !processes[i].isWanted && PePhase.ABSENT == phases[firstPe + i])
            {
                absent = firstPe + i;
            }
        }

        if (absent >= 0)
        {
            isAbsenceReported = true;
            final String message = "PE " + absent + where + " ended without joining the " + (0 == successors ?
                "job that others joined" : "next job, which others joined after they had closed one");
            onFailure(nowNs, absent, ExitCode.FAILURE, null, message);
            // reported also with --keep-going: the others cannot detect the death of a PE that never joined
            actions.fail(absent, new JobFailure(JobFailure.Kind.PE_DIED, absent, ExitCode.OK, message));
        }
    }

    /** Ends processes of earlier generations that have not joined this one in time. */
    private void detectLatePes(final long nowNs)
    {
        for (int i = 0; i < peCount && generation > 0 && nowNs - joinDeadlineNs >= 0 && !schedule.isSet(); i++)
        {
            final int pe = firstPe + i;
            final PeProcess process = processes[i];
            if (isSurvivor(i) && PePhase.ABSENT == phases[pe] && !process.isKilled)
            {
                actions.report("PE " + pe + " (pid " + process.pid + where + ") did not join generation " + generation +
                    " within " + TimeUnit.NANOSECONDS.toMillis(ctx.recoveryJoinTimeoutNs()) + " ms (" +
                    ShmemProperty.RECOVERY_JOIN_TIMEOUT.propertyName() + "); " +
                    (ctx.isShrinking() ? "ending it" : "replacing it"));
                kill(nowNs, pe);
            }
        }
    }

    /** Detects processes that SIGKILL does not end: the job goes on without them and the memory that they may use. */
    private void detectUnkilledPes(final long nowNs)
    {
        for (int i = 0; i < peCount && ctx.isRecovering(); i++)
        {
            final int pe = firstPe + i;
            final PeProcess process = processes[i];
            if (!process.isEnded && process.isKilled &&
                nowNs - process.killedNs >= TimeUnit.MILLISECONDS.toNanos(UNKILLED_MS))
            {
                actions.report("PE " + pe + " (pid " + process.pid + where + ") has not ended within " + UNKILLED_MS +
                    " ms after SIGKILL; giving up its process and its retained memory");
                actions.abandon(pe);
                aliveCount--;
                process.isEnded = true;
                handleEnd(nowNs, new End(pe, KILLED, null, phases[pe], failure, nowNs));
            }
        }
    }

    /**
     * Handles the failure of a PE. The first one detected ends the other PEs; the one reported is that of the PE that
     * the job failed with, which may be detected later.
     */
    private void onFailure(
        final long nowNs, final int pe, final int code, final JobFailure cause, final String message)
    {
        final boolean isCause = null != cause && cause.pe() == pe &&
            !(schedule.isTerminated() && code > ExitCode.SIGNAL_BASE);
        exitCode = ExitCode.OK == exitCode || isCause && State.TIMED_OUT != state ? code : exitCode;
        if (isBeingEnded() || State.RUNNING != state)
        {
            reported = null != reported && isCause ? new Failure(pe, message, reported.others()) : reported;
            return;
        }

        final Failure peFailure = new Failure(pe, message, nPes - peCount + aliveCount);
        if (ctx.isKeepingGoing())
        {
            actions.report(peFailure.text(cause));
            return;
        }

        if (null != cause && !isHere(cause))
        {
            // a failure elsewhere is reported there, and ends the PEs here too
            return;
        }

        reported = peFailure;
        actions.peDied(pe, code, message);
        actions.holdTraceOf(null == cause || cause.pe() < 0 ? pe : cause.pe());
        if (ctx.isReplacing() && null == refusal && (null == cause || isFollowed()))
        {
            // onJobFailure decides
            state = State.FAILED;
            return;
        }

        end(nowNs, State.FAILED, ChildProcesses.NOTICE_MS, ChildProcesses.GRACE_MS);
    }

    /**
     * Handles the failure of the job. A global exit ends all PEs with its status, though the first process to end may
     * have had another one. In a job on several nodes any failure elsewhere ends the PEs here.
     */
    private void onJobFailure(final long nowNs)
    {
        if (JobFailure.Kind.GLOBAL_EXIT == failure.kind())
        {
            exitCode = JobFailure.exitCode(failure.status());
            if (ExitCode.OK != exitCode && isHere(failure) && State.RUNNING == state)
            {
                actions.report(failure.message() + "; ending the job");
            }

            end(nowNs, State.GLOBAL_EXIT, ChildProcesses.NOTICE_MS, GLOBAL_EXIT_GRACE_MS);
        }
        else if (JobFailure.Kind.LAUNCHER_DIED == failure.kind())
        {
            if (failure.message().endsWith(ENDING))
            {
                actions.dropTraces();
            }
            else if (failure.message().endsWith(TIMEOUT_OPTION))
            {
                actions.describe(null);
            }

            end(nowNs, State.FAILED, ChildProcesses.NOTICE_MS, ChildProcesses.GRACE_MS);
        }
        else if (isFollowed())
        {
            failedNs = nowNs;
        }
        else if (!isHere(failure) && !ctx.isKeepingGoing())
        {
            end(nowNs, State.FAILED, ChildProcesses.NOTICE_MS, ChildProcesses.GRACE_MS);
        }
        else if (ctx.isReplacing() && null != reported)
        {
            end(nowNs, State.FAILED, ChildProcesses.NOTICE_MS, ChildProcesses.GRACE_MS);
        }
        else if (ctx.isRecovering())
        {
            // the first PE to end is still to be reported, and a PE may survive the failure
            schedule.endAfter(nowNs, ChildProcesses.NOTICE_MS, ChildProcesses.GRACE_MS);
        }
    }

    private void onTimeout(final long nowNs)
    {
        if (State.RUNNING == state)
        {
            exitCode = ExitCode.TIMEOUT;
            actions.describe("the job did not end within " + ctx.timeoutText() + " " + TIMEOUT_OPTION +
                "; ending its " + aliveCount + " PEs" + where);
            end(nowNs, State.TIMED_OUT, 0, ChildProcesses.GRACE_MS);
        }
    }

    private void end(final long nowNs, final State newState, final long noticeMs, final long graceMs)
    {
        state = State.RUNNING == state || State.GLOBAL_EXIT == newState ? newState : state;
        schedule.endAfter(nowNs, noticeMs, graceMs);
    }

    /** Returns whether the process of the failed PE is about to end, or has ended. */
    private boolean isLoss(final JobFailure jobFailure)
    {
        return jobFailure.pe() >= 0 &&
            (JobFailure.Kind.PE_DIED == jobFailure.kind() || JobFailure.Kind.PE_FAILED == jobFailure.kind());
    }

    private static boolean isDeath(final JobFailure failure, final int pe)
    {
        return failure.pe() == pe && failure.kind() == JobFailure.Kind.PE_DIED;
    }

    private boolean isHere(final JobFailure jobFailure)
    {
        return peCount == nPes || isOwn(jobFailure.pe());
    }

    private PeProcess process(final int pe)
    {
        return processes[pe - firstPe];
    }

    private boolean isOwn(final int pe)
    {
        return pe >= firstPe && pe < firstPe + peCount;
    }

    /** The process of a PE here, or the place of one. */
    private static final class PeProcess
    {
        private long pid;
        private boolean isEnded = true;
        /** Whether it is to be started, in this generation. */
        private boolean isWanted;
        /** The generation in which it was started. */
        private int startedIn;
        private boolean isKilled;
        private long killedNs;

        PeProcess(final boolean isWanted)
        {
            this.isWanted = isWanted;
        }
    }

    /** End of a process, the PE's phase and the failure of the job at that time. */
    private record End(int pe, int code, String refusal, int phase, JobFailure cause, long deadlineNs)
    {
    }

    /** Failure of a PE, and the number of other PEs that are ended because of it. */
    private record Failure(int pe, String message, int others)
    {
        private String text(final JobFailure cause)
        {
            return message + (null == cause || isDeath(cause, pe) ? "" : "; " + cause.message());
        }
    }
}
