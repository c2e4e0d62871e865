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

import io.aeroshmem.lifecycle.Recoveries;
import io.aeroshmem.tools.exit.ExitCode;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.PreviousGeneration;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * The decisions of a {@link HostsLauncher}, without processes, sockets, clocks and pipes. Its inputs are events and the
 * time; its outputs are {@link Actions} and the exit code.
 * <p>
 * Node launchers report the failures of PEs and end their PEs themselves. This class fails the job if a node launcher
 * does not start, does not join or is lost, and after {@code --timeout}; it reports what no node launcher can; and it
 * makes sure that the processes of all nodes end. A process that ends with a failure waits for its cause, which another
 * node may have sent to the rendezvous.
 */
final class HostsStateMachine
{
    /** Period of the caller's polls. */
    static final long POLL_MS = 50;

    /** Period of the caller's polls while the end of a process waits for its cause. */
    static final long PENDING_POLL_MS = 5;

    /** Time in which the node launchers end their PEs and themselves. */
    static final long NODES_END_MS = ChildProcesses.NOTICE_MS + ChildProcesses.GRACE_MS + 2_000;

    /** Time in which the rendezvous receives the cause of the end of a process. */
    static final long CAUSE_MS = 1_000;

    /** Maximum time that one poll adds to the silence of a node. */
    static final long MAX_COUNTED_NS = TimeUnit.MILLISECONDS.toNanos(400);

    /** Time in which a node launcher starts, in addition to the join timeout. */
    static final long START_MS = 30_000;

    /*
     * In a recoverable job a node launcher waits for the next generation when its PEs have ended by a failure, or with
     * REPLACE those that are lost, unless the failure ends the job. When all of them wait, Recoveries decides whether
     * and when the next one starts. A node launcher that ends otherwise, that is silent, or that does not wait in time,
     * is lost with its host: its process here is ended, and its PEs are started on the host with the fewest PEs among
     * those that wait. If none is left, or if a node launcher has ended in order, the job ends; those that wait receive
     * this as the failure of the next generation.
     *
     * With SHRINK a node launcher that waits says which of its PEs are left (onLeft), and ends in order if none is.
     * The PEs of the next generation are those that are left on the nodes which wait, in order, and a node that is lost
     * is gone for good. So the PEs of a node stay contiguous. Nodes and the rendezvous know PEs by their numbers in
     * generation 0: some nodes may have entered a generation that others have not.
     *
     * One thread uses this class; any other may call onSignal and onClose.
     */
    private final LaunchContext ctx;
    private final List<HostList.Node> nodes;
    private final long startNs;
    private final Actions actions;
    private final Recoveries recoveries;
    private EndSchedule schedule = new EndSchedule();
    /** Of the nodes that are silent. */
    private EndSchedule silenceSchedule = new EndSchedule();
    private final BitSet silent = new BitSet();
    private final Queue<PendingEnd> pending = new ArrayDeque<>();
    private final List<NodeEnd> ended = new ArrayList<>();
    /** Numbers of the nodes that ended before this generation. */
    private final BitSet gone = new BitSet();
    private final Set<NodeEnd> endedByForce = new HashSet<>();
    private boolean[] joined;
    private boolean[] waiting;
    private int[] marks;
    private BitSet[] left;
    /** The PEs of this generation, by their numbers in generation 0. */
    private BitSet members = new BitSet();
    private final long[] silentNs;
    private long lastNs;
    private long generationNs;
    private volatile JobFailure failure;
    private volatile JobFailure ownFailure;
    private volatile int endingCode = ExitCode.OK;
    private volatile boolean isClosing;
    private boolean isStartFailed;
    private boolean isFailureHandled;
    private boolean isTimedOut;
    private boolean isReported;
    private boolean isStarting;
    private long nextStartNs;
    private boolean isEndSent;

    /** The outputs. */
    interface Actions
    {
        /** Prints a line of the launcher. */
        void report(String line);

        /**
         * Fails the job at the rendezvous, also for node launchers that wait for the next generation; may be called by
         * any thread.
         */
        void fail(JobFailure failure);

        /**
         * Starts the next generation of the job, after the previous one, with the PEs that had these numbers in
         * generation 0, in order; without numbers if it has all PEs.
         */
        void startGeneration(PreviousGeneration previous, int... members);

        /** Sends a signal, or none, to the live processes of some nodes. */
        void signal(EndSchedule.Signal signal, IntPredicate numbers);

        /** Starts the launcher of PEs whose host is lost, on another one; they join the generation that starts. */
        void move(int number, HostList.Node node);
    }

    HostsStateMachine(
        final LaunchContext ctx, final List<HostList.Node> nodes, final long startNs, final Actions actions)
    {
        this.ctx = ctx;
        this.nodes = new ArrayList<>(nodes);
        this.startNs = startNs;
        generationNs = startNs;
        lastNs = startNs;
        this.actions = actions;
        joined = new boolean[nodes.size()];
        waiting = new boolean[nodes.size()];
        marks = new int[nodes.size()];
        left = new BitSet[nodes.size()];
        members.set(0, ctx.nPes());
        silentNs = new long[nodes.size()];
        recoveries = new Recoveries(ctx.maxRecoveries(), ctx.recoveryWindowNs(), startNs);
    }

    /** Handles what the rendezvous and the nodes show: the failure of the job, or null, and who has joined. */
    void onJob(final JobFailure jobFailure, final boolean... joinedNodes)
    {
        // the last one only ends the node launchers that wait
        failure = isEndSent ? failure : jobFailure;
        joined = joinedNodes;
    }

    /** Handles which PEs are left on each node, by their numbers in generation 0; null if its launcher has not said. */
    void onLeft(final BitSet... newLeft)
    {
        left = newLeft;
    }

    /** Returns the PEs of a node in this generation. */
    HostList.Node node(final int number)
    {
        return nodes.get(number);
    }

    /**
     * Handles how many times each node has reported that it waits for the next generation of a recoverable job: the
     * last one has ended there. A node repeats it as long as it waits, and is lost if it does not. Only time in which
     * this launcher ran counts as silence.
     */
    void onWaiting(final long nowNs, final int... newMarks)
    {
        final long elapsedNs = Math.min(nowNs - lastNs, MAX_COUNTED_NS);
        lastNs = nowNs;
        for (int i = 0; i < newMarks.length; i++)
        {
            final boolean isWaiting = newMarks[i] > 0 && !gone.get(i) && (!ctx.isShrinking() || hasPes(i));
            silentNs[i] = newMarks[i] == marks[i] && isWaiting ? silentNs[i] + elapsedNs : 0;
            waiting[i] = isWaiting && silentNs[i] < ctx.livenessTimeoutNs();
            if (isWaiting && !waiting[i] && !isEndSent)
            {
                onSilence(nowNs, i);
            }
        }

        marks = newMarks;
    }

    /** The generation that starts cannot, or one that is to start has to wait for the end of the node's process. */
    private void onSilence(final long nowNs, final int number)
    {
        final HostList.Node node = nodes.get(number);
        if (null == failure())
        {
            lose(node.peText() + " on " + node.host() + ": their launcher waits for the next generation, and has " +
                "been silent for " + TimeUnit.NANOSECONDS.toMillis(ctx.livenessTimeoutNs()) + " ms");
        }

        // the others end their PEs, and wait for the generation after
        silent.set(number);
        silenceSchedule.endAfter(nowNs, 0, ChildProcesses.GRACE_MS);
    }

    /** Handles the end of the process of a node. */
    void onEnd(final long nowNs, final NodeEnd end)
    {
        pending.add(new PendingEnd(end, nowNs));
        handleEnds(nowNs);
    }

    /** Handles a signal, which ends this process with an exit code. May be called by any thread. */
    void onSignal(final int code)
    {
        endingCode = code;
    }

    /** Stops the start of processes, and the wait for their end. May be called by any thread. */
    void onClosing()
    {
        isClosing = true;
    }

    /** Handles the end of this launcher, which then ends its live processes. May be called by any thread. */
    void onClose()
    {
        failJob("the launcher" + NodeStateMachine.ENDING);
    }

    /** Handles the time. */
    void tick(final long nowNs)
    {
        handleEnds(nowNs);
        onJobFailure(nowNs);
        checkTime(nowNs);
        recover(nowNs);
        actions.signal(silenceSchedule.due(nowNs), silent::get);
        // those that wait go on
        actions.signal(schedule.due(nowNs), (i) -> isEndSent || !waiting[i]);
    }

    long pollMs()
    {
        return pending.isEmpty() && !(ctx.isRecovering() && null != failure()) ? POLL_MS : PENDING_POLL_MS;
    }

    boolean isOver()
    {
        return isClosing || 0 == nodesLeft();
    }

    private int nodesLeft()
    {
        return nodes.size() - ended.size() - gone.cardinality();
    }

    boolean isClosing()
    {
        return isClosing;
    }

    /** Reports what no node launcher has reported, and returns the exit code, see {@link HostsLauncher#launch}. */
    int conclude()
    {
        final int code = exitCode();
        if (ExitCode.OK != code && recoveries.generation() > 0)
        {
            actions.report(recoveries.earlier());
        }

        return code;
    }

    private int exitCode()
    {
        if (isBeingEnded())
        {
            return ExitCode.OK == endingCode ? ExitCode.FAILURE : endingCode;
        }

        if (isTimedOut)
        {
            return ExitCode.TIMEOUT;
        }

        final JobFailure cause = failure();
        if (isStartFailed)
        {
            return onStartFailure(cause);
        }

        if (null == cause)
        {
            return firstFailure();
        }

        if (JobFailure.Kind.GLOBAL_EXIT == cause.kind())
        {
            return JobFailure.exitCode(cause.status());
        }

        for (final NodeEnd end : ended)
        {
            if (end.node().has(cause.pe()) && !end.isCut() && !endedByForce.contains(end) &&
                !(ctx.isRecovering() && end.isLoss()))
            {
                final int code = ExitCode.OK == end.exitCode() ? firstFailure() : end.exitCode();
                return ExitCode.OK == code && ctx.isRecovering() ? ExitCode.FAILURE : code;
            }
        }

        if (!isReported)
        {
            actions.report(cause.message());
        }

        return ExitCode.FAILURE;
    }

    private boolean isBeingEnded()
    {
        return isClosing || ExitCode.OK != endingCode;
    }

    /** Returns whether the launchers of all nodes have joined. */
    private boolean isJoined()
    {
        for (final boolean isNodeJoined : joined)
        {
            if (!isNodeJoined)
            {
                return false;
            }
        }

        return true;
    }

    /** Returns the failure of the job, including one that the rendezvous has not received from this launcher yet. */
    private JobFailure failure()
    {
        return null == failure ? ownFailure : failure;
    }

    private void failJob(final String message)
    {
        if (null == failure())
        {
            ownFailure = new JobFailure(JobFailure.Kind.LAUNCHER_DIED, -1, ExitCode.FAILURE, message);
            actions.fail(ownFailure);
        }
    }

    private void handleEnds(final long nowNs)
    {
        for (PendingEnd next = pending.peek(); null != next && !isAwaiting(next, nowNs); next = pending.peek())
        {
            pending.remove();
            ended.add(next.end());
            onEnded(next.end());
        }
    }

    /** Ctrl-C signals this process and its children at once, and a child may be the first to end. */
    private boolean isAwaiting(final PendingEnd next, final long nowNs)
    {
        final long elapsedMs = TimeUnit.NANOSECONDS.toMillis(nowNs - next.endNs());
        final NodeEnd end = next.end();
        if (Signals.INTERRUPTED == end.exitCode() && !isBeingEnded() && elapsedMs < NodeStateMachine.INTERRUPT_MS)
        {
            return true;
        }

        return !isSignalled(end) && end.isJoined() && ExitCode.OK != end.exitCode() && null == failure() &&
            !ctx.isKeepingGoing() && elapsedMs < CAUSE_MS;
    }

    private boolean isSignalled(final NodeEnd end)
    {
        return Signals.INTERRUPTED == end.exitCode() && isBeingEnded();
    }

    private void onEnded(final NodeEnd end)
    {
        if (isSignalled(end))
        {
            return;
        }

        if (schedule.isTerminated() || silent.get(nodes.indexOf(end.node())))
        {
            endedByForce.add(end);
        }

        if (!end.isJoined())
        {
            isStartFailed = true;
            failJob(end.startFailure());
        }
        else if (ExitCode.OK != end.exitCode() && !end.isOrderly() &&
            (!ctx.isKeepingGoing() || end.exitCode() >= ExitCode.SIGNAL_BASE))
        {
            if (ctx.isRecovering())
            {
                lose(end.loss());
            }
            else
            {
                failJob(end.loss());
            }
        }
    }

    private void lose(final String message)
    {
        if (null == failure())
        {
            ownFailure = new JobFailure(JobFailure.Kind.HOST_LOST, -1, ExitCode.FAILURE, message);
            actions.fail(ownFailure);
        }
    }

    /**
     * Starts the next generation when the last one has ended on all nodes and it is time. Ends the node launchers that
     * wait if there is none.
     */
    private void recover(final long nowNs)
    {
        final JobFailure cause = failure();
        if (null == cause || isEndSent || isBeingEnded() || !isAllOver())
        {
            return;
        }

        if (!isRecoverable(cause) || !isStarting && !decide(nowNs, cause))
        {
            endWaiting(nowNs, cause);
        }
        else if (nowNs - nextStartNs >= 0)
        {
            isStarting = false;
            isFailureHandled = false;
            failure = null;
            ownFailure = null;
            generationNs = nowNs;
            schedule = new EndSchedule();
            silenceSchedule = new EndSchedule();
            silent.clear();
            recoveries.onStart(nowNs);
            final PreviousGeneration previous = PreviousGeneration.of(recoveries.generation() - 1, cause);
            if (ctx.isShrinking())
            {
                actions.startGeneration(previous, shrink());
            }
            else
            {
                actions.startGeneration(previous);
                moveLost();
            }
        }
    }

    /** Gives the PEs that are left their new numbers, and returns those in generation 0, in order. */
    private int[] shrink()
    {
        for (final NodeEnd end : ended)
        {
            gone.set(nodes.indexOf(end.node()));
            if (end.isLoss())
            {
                actions.report(end.loss() + "; going on without them");
            }
        }

        ended.clear();
        final int[] previous = members.stream().toArray();
        members = new BitSet();
        for (int i = gone.nextClearBit(0); i < nodes.size(); i = gone.nextClearBit(i + 1))
        {
            nodes.set(i, new HostList.Node(nodes.get(i).host(), members.cardinality(), left[i].cardinality()));
            members.or(left[i]);
        }

        final int[] previousPes =
            IntStream.range(0, previous.length).filter((pe) -> members.get(previous[pe])).toArray();
        actions.report(NodeStateMachine.sizeLine(recoveries.generation(), previous.length, previousPes));
        return members.stream().toArray();
    }

    /** Returns whether a node has said that PEs are left there. */
    private boolean hasPes(final int node)
    {
        return null != left[node] && !left[node].isEmpty();
    }

    /** Returns whether a node has ended because none of its PEs is left. */
    private boolean isWithoutPes(final NodeEnd end)
    {
        final int node = nodes.indexOf(end.node());
        return ctx.isShrinking() && null != left[node] && !hasPes(node);
    }

    private void moveLost()
    {
        final List<HostList.Node> left = new ArrayList<>(nodes);
        ended.forEach((end) -> left.remove(end.node()));
        for (final NodeEnd end : ended)
        {
            final int number = nodes.indexOf(end.node());
            final String host = left.stream().map(HostList.Node::host).min(Comparator.comparingInt((name) ->
                left.stream().filter((node) -> node.host().equals(name)).mapToInt(HostList.Node::peCount).sum()))
                .orElseThrow();
            final HostList.Node moved = end.node().on(host);
            nodes.set(number, moved);
            left.add(moved);
            joined[number] = false;
            actions.report(end.loss() + "; starting " + moved.peText() + " on " + host +
                ", with zeros as retained memory");
            actions.move(number, moved);
        }

        ended.clear();
    }

    private boolean isAllOver()
    {
        for (int i = 0; i < waiting.length; i++)
        {
            final HostList.Node node = nodes.get(i);
            if (!waiting[i] && !gone.get(i) && ended.stream().noneMatch((end) -> node == end.node()))
            {
                return false;
            }
        }

        return nodesLeft() > 0;
    }

    private boolean isRecoverable(final JobFailure cause)
    {
        return !cause.endsJob() && !isStartFailed && pending.isEmpty() &&
            ended.stream().allMatch((end) -> end.isLoss() || isWithoutPes(end));
    }

    /** Decides whether another generation follows, and when. It is not delayed beyond the limit of --timeout. */
    private boolean decide(final long nowNs, final JobFailure cause)
    {
        if (cause.isCommanded())
        {
            recoveries.onCommand(cause.message());
        }
        else if (!recoveries.onFailure(nowNs, cause.message()))
        {
            isReported = true;
            actions.report(recoveries.exhausted(cause.message()));
            return false;
        }

        final long delayNs = recoveries.delayNs(nowNs);
        isStarting = true;
        // all nodes wait
        schedule = new EndSchedule();
        nextStartNs = nowNs + (null == ctx.timeout() ?
            delayNs : Math.max(0, Math.min(delayNs, startNs + ctx.timeout().toNanos() - nowNs)));
        actions.report(recoveries.line(delayNs));
        return true;
    }

    private void endWaiting(final long nowNs, final JobFailure cause)
    {
        for (int i = 0; i < waiting.length; i++)
        {
            if (waiting[i] && nodes.get(i).has(cause.pe()) && !isReported)
            {
                isReported = true;
                actions.report(cause.message());
            }
        }

        isEndSent = true;
        schedule = new EndSchedule();
        schedule.endAfter(nowNs, NODES_END_MS, ChildProcesses.GRACE_MS);
        actions.fail(new JobFailure(JobFailure.Kind.LAUNCHER_DIED, -1, ExitCode.FAILURE, "the job has ended"));
    }

    /**
     * Handles the failure of the job. The failure of a PE is reported, and the PEs are ended, by its node launcher and
     * then by the others; this launcher only makes sure that they are.
     */
    private void onJobFailure(final long nowNs)
    {
        final JobFailure cause = failure();
        if (isFailureHandled || null == cause)
        {
            return;
        }

        isFailureHandled = true;
        if (JobFailure.Kind.LAUNCHER_DIED == cause.kind() && isJoined() && !isBeingEnded())
        {
            isReported = true;
            actions.report(cause.message() + "; ending the job");
        }

        if (!ctx.isKeepingGoing() ||
            JobFailure.Kind.LAUNCHER_DIED == cause.kind() || JobFailure.Kind.GLOBAL_EXIT == cause.kind())
        {
            schedule.endAfter(
                nowNs, isJoined() ? NODES_END_MS : ChildProcesses.NOTICE_MS, ChildProcesses.GRACE_MS);
        }
    }

    private void checkTime(final long nowNs)
    {
        final boolean isFailed = null != failure();
        final long elapsedNs = nowNs - startNs;
        final long joiningNs = nowNs - generationNs;
        if (schedule.isSet() || isFailed && !ctx.isKeepingGoing())
        {
            return;
        }

        if (null != ctx.timeout() && elapsedNs >= ctx.timeout().toNanos())
        {
            isTimedOut = true;
            failJob("the job did not end within " + ctx.timeoutText() + " " + NodeStateMachine.TIMEOUT_OPTION);
            if (isFailed)
            {
                // the rendezvous has ended with the failure: the node launchers measure the time, from their own start
                schedule.endAfter(nowNs, START_MS + NODES_END_MS, ChildProcesses.GRACE_MS);
            }
        }
        else if (!isFailed && joiningNs >= ctx.joinTimeoutNs() + TimeUnit.MILLISECONDS.toNanos(START_MS))
        {
            onLateNodes(joiningNs);
        }
    }

    private void onLateNodes(final long elapsedNs)
    {
        for (int i = 0; i < joined.length; i++)
        {
            if (!joined[i] && !isReported)
            {
                isReported = true;
                final String message = "the launcher on " + nodes.get(i).host() +
                    " did not join the job within " + TimeUnit.NANOSECONDS.toSeconds(elapsedNs) + " s";
                actions.report(message);
                failJob(message);
            }
        }
    }

    private int firstFailure()
    {
        return ended.stream().mapToInt(NodeEnd::exitCode).filter((code) -> ExitCode.OK != code)
            .findFirst().orElse(ExitCode.OK);
    }

    /**
     * Returns the exit code after a node could not be started. The others fail as a consequence, and what they print
     * repeats the reason.
     */
    private int onStartFailure(final JobFailure cause)
    {
        if (isReported)
        {
            return ExitCode.FAILURE;
        }

        for (final NodeEnd end : ended)
        {
            if (!end.isJoined() && !end.diagnostics().contains(cause.message()))
            {
                actions.report(end.startFailure());
                return ExitCode.USAGE == end.exitCode() ? ExitCode.USAGE : ExitCode.FAILURE;
            }
        }

        actions.report(cause.message());
        return ExitCode.FAILURE;
    }

    /** End of a process whose cause may be unknown yet. */
    private record PendingEnd(NodeEnd end, long endNs)
    {
    }
}
