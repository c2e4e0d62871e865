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
package io.aeroshmem.transport.rendezvous;

import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.PePhase;
import io.aeroshmem.transport.job.PreviousGeneration;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The state machine of the rendezvous server, without sockets and clocks. Its inputs are events and the time; its
 * outputs are frames sent through {@link MessageSink}s.
 * <pre>
 *        JoinRequest (not the last)
 *              +---+
 *              |   v     the last JoinRequest               Leave of all processes
 *           GATHERING -------------------&gt; ASSIGNED -----------------------------------------&gt; ENDED
 *              |       NodeAssignment to      |             LeaveAck to the leaders
 *              |          each process        |
 *              |  an invalid JoinRequest,     |  Failure from a process, a connection that ends before Leave,
 *              |  a withdrawal, join deadline,|  an early Leave, silence, a protocol violation, fail(),
 *              |  end of a connection, Failure|  abandon()
 *              |  from a process, a protocol  |
 *              |  violation, fail(),          |
 *              |  abandon()                   v
 *              +--------------------------&gt; FAILED: sends the first failure to every connected process. A job that
 *                                               was GATHERING also sends it to every process that joins later,
 *                                               until all have joined or the join deadline has passed
 * </pre>
 * Each node has one leader: its launcher, or else the process with the lowest PE. Of several launchers it is the
 * one that keeps the directory of the recoverable job, with the memory of the generation before; if
 * the one that did is lost, one of that generation takes the directory over.
 */
final class RendezvousStateMachine
{
    /** Interval between Heartbeats. */
    static final long HEARTBEAT_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(500);

    /** Maximum time that one round adds to the silence of a process. */
    static final long MAX_COUNTED_NS = TimeUnit.MILLISECONDS.toNanos(400);

    /** Number of liveness timeouts for which a connection may be silent while its process answers probes. */
    static final int MAX_STALLED_TIMEOUTS = 2;

    /**
     * How long processes that were notified of the end may take to close their connections, and how long a job that
     * failed before any process joined waits for the first.
     */
    static final long LINGER_NS = TimeUnit.SECONDS.toNanos(5);

    /*
     * Any other process may send Leave as soon as it has received the job's directory. In a job of several nodes, a
     * leader sends Leave when the PEs of its node are CLOSING. In a job of one node, the leader may send it once it has
     * sent the directory. A Leave that comes before that is early. The end of a connection does not fail the job after
     * a Leave on it, or when all PEs of the job are CLOSING.
     *
     * Silence. The job fails if a leader sends neither messages nor probes for four fifths of its liveness timeout, or
     * only probes for MAX_STALLED_TIMEOUTS liveness timeouts. A leader is monitored from its first PeState, PeActivity
     * or Heartbeat on. Before that it creates the directory of its node, and the join timeouts of the PEs limit this
     * phase. Only time in which the server ran counts as silence: a late tick adds MAX_COUNTED_NS at most. So no
     * process is considered dead because the server's process, or a host that runs all processes, was paused.
     *
     * Ordering. One thread runs the state machine, each leader has one connection, and a connection keeps messages in
     * order. So the states of a PE arrive at every node in the order in which the leader of its node observed them. The
     * Leave of a leader follows the last states of the PEs of its node. States of different nodes are unordered and
     * need no order: PEs wait for phases only, and phases only grow.
     *
     * The first failure that reaches this thread is the failure of the job on all nodes, except on nodes that have
     * already detected another one themselves.
     *
     * Confined to the server's thread.
     */
    private final long token;
    private final JoinAccepted server;
    private final boolean isRecoverable;
    private PreviousGeneration previous;
    private final int[] members;
    private final List<ProcessEntry> processes = new ArrayList<>();
    private final Map<String, NodeEntry> nodeByKey = new LinkedHashMap<>();
    private State state = State.GATHERING;
    private JoinRequest first;
    private ProcessEntry[] processByPe;
    private int[] phases;
    private final BitSet endingPes = new BitSet();
    private final BitSet notifiedPes = new BitSet();
    /** The earliest deadline of all processes that joined. */
    private long joinDeadlineNs;
    private long joinTimeoutNs;
    private long endNs;
    private long lastTickNs;
    private long lastHeartbeatNs;
    private long heartbeats;
    private boolean wasAssigned;
    private JobFailure failure;

    private enum State
    {
        GATHERING, ASSIGNED, FAILED, ENDED
    }

    /** The output to one process. */
    interface MessageSink
    {
        /** Sends a frame, length included, without blocking. */
        void send(byte[] frame);

        /** Closes the output after what has been sent. */
        void end();
    }

    /** A process that has sent an authenticated JoinRequest. */
    static final class ProcessEntry
    {
        private final JoinRequest request;
        private final MessageSink sink;
        private NodeEntry node;
        private boolean isLeader;
        private boolean isDone;
        private boolean isDisconnected;
        private boolean hasHeartbeat;
        private long lastActivityNs;
        private long silentNs;
        private long stalledNs;

        private ProcessEntry(final JoinRequest request, final MessageSink sink, final long nowNs)
        {
            this.request = request;
            this.sink = sink;
            this.lastActivityNs = nowNs;
        }

        int nPes()
        {
            return request.nPes();
        }

        @Override
        public String toString()
        {
            return request.processName();
        }

        /** Returns the PE whose death is the death of this process. */
        private int deathPe()
        {
            return request.failedPe();
        }
    }

    /**
     * A node: the processes with the same node key.
     */
    private static final class NodeEntry
    {
        private final List<ProcessEntry> processes = new ArrayList<>();
        private ProcessEntry leader;
        private int[] pes;
        private boolean hasDirectory;

        private void assign()
        {
            leader = processes.stream().min(
                Comparator.comparing((final ProcessEntry process) -> !process.request.isLauncher())
                .thenComparingInt((process) -> process.request.isLauncher() ? -process.request.previous().running() : 0)
                .thenComparingInt((process) -> process.request.isLauncher() ? -process.request.previous().number() : 0)
                .thenComparingInt((process) -> process.request.firstPe())).orElseThrow();
            leader.isLeader = true;
            pes = processes.stream().flatMapToInt((process) -> Arrays.stream(process.request.pes())).sorted().toArray();
        }
    }

    /**
     * Creates the state machine of the generation of a job that follows the last one of which the server or a process
     * knows. In a job that is not recoverable that is none. One that shrinks has {@code members}
     * ({@link NodeAssignment}); all requests have the numbers of this generation.
     */
    RendezvousStateMachine(
        final long token,
        final JoinAccepted server,
        final boolean isRecoverable,
        final PreviousGeneration previous,
        final int[] members,
        final long nowNs)
    {
        this.token = token;
        this.server = server;
        this.isRecoverable = isRecoverable;
        this.previous = previous;
        this.members = members.clone();
        this.lastTickNs = nowNs;
        this.lastHeartbeatNs = nowNs;
    }

    /** Returns why the job failed, or null. */
    JobFailure failure()
    {
        return failure;
    }

    /**
     * Handles the JoinRequest of an authenticated process. Returns its entry, or null if it was rejected or notified of
     * the failure.
     */
    ProcessEntry onJoinRequest(final JoinRequest request, final MessageSink sink, final long nowNs)
    {
        switch (state)
        {
            case GATHERING:
                return addProcess(request, sink, nowNs);

            case FAILED:
                if (!wasAssigned)
                {
                    expect(request, nowNs);
                    sink.send(RendezvousMessages.failure(failure));
                    sink.end();
                    markNotified(request);
                    return null;
                }

                sink.send(RendezvousMessages.joinRejected(true, "the job has failed: " + failure.message()));
                break;

            case ASSIGNED:
                // a process of the next generation may come before the failure of this one
                sink.send(RendezvousMessages.joinRejected(isRecoverable, "all " + first.nPes() +
                    " PEs of the job had joined before " + request.processName() + ": " + conflict(request)));
                break;

            case ENDED:
            default:
                // a recoverable job has no successor, for which the process could be early
                sink.send(RendezvousMessages.joinRejected(!isRecoverable, "the job has ended"));
                break;
        }

        sink.end();

        return null;
    }

    /**
     * Handles the withdrawal of an authenticated process: the job fails for all others, unless it is complete already.
     */
    void onWithdraw(final JoinRequest request, final String why, final long nowNs)
    {
        if (State.GATHERING == state)
        {
            expect(request, nowNs);
            final int pe = request.isLauncher() || request.firstPe() < 0 || request.firstPe() >= processByPe.length ?
                -1 : request.firstPe();
            fail(new JobFailure(JobFailure.Kind.PE_FAILED, pe, -1, request.processName() + " could not join: " + why),
                nowNs);
        }

        markNotified(request);
    }

    /** Handles the JoinRequest of an authenticated process with another protocol version. */
    void onVersionMismatch(final int version, final String from, final MessageSink sink, final long nowNs)
    {
        final String reason = "rendezvous protocol version must be " + RendezvousMessages.PROTOCOL_VERSION +
            ": process at " + from + " has version " + version +
            "; all processes of a job must use the same AeroSHMEM";
        if (State.GATHERING == state)
        {
            fail(new JobFailure(JobFailure.Kind.PROTOCOL, -1, -1, reason), nowNs);
        }

        sink.send(RendezvousMessages.joinRejected(false, reason));
        sink.end();
    }

    /** Handles any message of a process as a sign of life. */
    void onActivity(final ProcessEntry process, final long nowNs)
    {
        process.lastActivityNs = nowNs;
        process.silentNs = 0;
        process.stalledNs = 0;
    }

    /**
     * Handles a probe, a sign of life of a leader on a separate connection. A leader probes when its connection is
     * silent: after a network outage TCP retransmits later than a new connection is set up.
     */
    void onProbe(final JoinRequest request, final long nowNs)
    {
        final int pe = request.firstPe();
        final boolean isKnown = State.ASSIGNED == state && pe >= 0 && pe < processByPe.length;
        final ProcessEntry process = isKnown ? processByPe[pe] : null;
        if (null != process && process.isLeader && process.request.equals(request))
        {
            process.lastActivityNs = nowNs;
            process.silentNs = 0;
        }
    }

    /** Relays the directory that a leader has created to the other processes of its node. */
    void onDirectory(final ProcessEntry process, final Path path) throws ProtocolViolation
    {
        requireLeader(process, "a Directory");
        if (process.node.hasDirectory)
        {
            throw new ProtocolViolation("a second Directory");
        }

        process.node.hasDirectory = true;
        final byte[] frame = RendezvousMessages.directory(path.toString());
        for (final ProcessEntry other : process.node.processes)
        {
            if (other != process && !other.isDisconnected)
            {
                other.sink.send(frame);
            }
        }
    }

    /**
     * Handles the new state of a PE of a leader's node. One that is ending is echoed after the other leaders have it:
     * the JVM of the PE then proceeds to its end.
     */
    void onPeState(final ProcessEntry process, final PeState change) throws ProtocolViolation
    {
        final int pe = change.pe();
        requireLeaderOf(process, pe, "a PeState");

        if (change.phase() < phases[pe])
        {
            throw new ProtocolViolation("PE " + pe + " " + PePhase.name(change.phase()) + " after " +
                PePhase.name(phases[pe]));
        }

        process.hasHeartbeat = true;
        phases[pe] = change.phase();
        final byte[] frame = RendezvousMessages.peState(change);
        sendToOtherLeaders(process, frame);
        if (change.isEnding())
        {
            endingPes.set(pe);
            process.sink.send(frame);
        }
    }

    /** Relays the call that a PE of a leader's node is or was blocked in. */
    void onPeActivity(final ProcessEntry process, final int pe, final byte[] message) throws ProtocolViolation
    {
        requireLeaderOf(process, pe, "a PeActivity");
        process.hasHeartbeat = true;
        sendToOtherLeaders(process, RendezvousMessages.framed(message));
    }

    private void sendToOtherLeaders(final ProcessEntry process, final byte[] frame)
    {
        for (final NodeEntry node : nodeByKey.values())
        {
            if (node != process.node && !node.leader.isDisconnected)
            {
                node.leader.sink.send(frame);
            }
        }
    }

    void onHeartbeat(final ProcessEntry process) throws ProtocolViolation
    {
        requireLeader(process, "a Heartbeat");
        process.hasHeartbeat = true;
    }

    /** Handles the Leave of a process that no longer needs its connection. */
    void onLeave(final ProcessEntry process, final long nowNs) throws ProtocolViolation
    {
        if (State.GATHERING == state)
        {
            throw new ProtocolViolation("a Leave before all processes have joined");
        }

        if (State.FAILED == state || process.isDone)
        {
            return;
        }

        final int busyPe = busyPe(process);
        if (!process.node.hasDirectory && process.node.processes.size() > 1 || busyPe >= 0)
        {
            fail(new JobFailure(JobFailure.Kind.PE_FAILED, process.deathPe(), -1, process + " left the job while " +
                (busyPe < 0 ? "other processes waited for the directory of its node" :
                "PE " + busyPe + " of its node was " + PePhase.name(phases[busyPe]))), nowNs);
            return;
        }

        process.isDone = true;
        checkEnded(nowNs);
    }

    /** Handles the end of the connection of a process; {@code how} describes it, such as "ended". */
    void onDisconnect(final ProcessEntry process, final String how, final long nowNs)
    {
        if (process.isDisconnected)
        {
            return;
        }

        process.isDisconnected = true;
        if (!process.isDone && State.FAILED != state && State.ENDED != state)
        {
            if (isLeaving())
            {
                process.isDone = true;
                checkEnded(nowNs);
            }
            else
            {
                final int pe = process.deathPe();
                fail(new JobFailure(deathKind(process), pe, -1, process +
                    (pe >= 0 && endingPes.get(pe) ? " ended without closing" : " died") +
                    ": its connection to the rendezvous " + how +
                    (State.GATHERING == state ? " while it was joining" : "") +
                    lastActivity(process, nowNs)), nowNs);
            }
        }
    }

    /** Handles an invalid message of an authenticated process. */
    void onProtocolViolation(final ProcessEntry process, final ProtocolViolation violation, final long nowNs)
    {
        fail(new JobFailure(JobFailure.Kind.PROTOCOL, process.deathPe(), -1, process + " sent the rendezvous " +
            violation.getMessage()), nowNs);
    }

    /** Fails the job, unless it has ended or failed already. */
    void fail(final JobFailure jobFailure, final long nowNs)
    {
        if (State.FAILED == state || State.ENDED == state)
        {
            return;
        }

        failure = jobFailure;
        state = State.FAILED;
        endNs = nowNs;
        final byte[] frame = RendezvousMessages.failure(jobFailure);
        for (final ProcessEntry process : processes)
        {
            markNotified(process.request);
            if (!process.isDisconnected && !(process.isDone && !process.isLeader))
            {
                process.sink.send(frame);
            }

            process.sink.end();
        }
    }

    /** Handles the end of the server: a job that still needs it fails. */
    void abandon(final long nowNs)
    {
        if (!isIntact() || null == first || isLeaving())
        {
            return;
        }

        final String process = "the process of the rendezvous (pid " + server.pid() + ", host " + server.host() + ')';
        final String when = State.GATHERING == state ? " before all processes had joined" : " while the job ran";
        final ProcessEntry own = serverProcess();
        fail(new JobFailure(
            first.isLauncher() ? JobFailure.Kind.LAUNCHER_DIED : JobFailure.Kind.PE_FAILED,
            null == own ? NodeAssignment.NO_PE : own.deathPe(),
            -1,
            (null == own ? process : process + ", which is " + own + ',') + " closed it" + when), nowNs);
    }

    /**
     * Returns whether processes may join. Those that come after the failure of a generation wait for the next one,
     * unless that failure ends the job.
     */
    boolean isAccepting()
    {
        return !isRecoverable || State.FAILED != state || failure.endsJob();
    }

    /** Returns what the loss of a process is: another generation follows that of the launcher of some of the PEs. */
    private JobFailure.Kind deathKind(final ProcessEntry process)
    {
        return !process.request.isLauncher() ? JobFailure.Kind.PE_DIED :
            isRecoverable ? JobFailure.Kind.HOST_LOST : JobFailure.Kind.LAUNCHER_DIED;
    }

    /** Returns whether the job has neither failed nor ended. */
    boolean isIntact()
    {
        return State.GATHERING == state || State.ASSIGNED == state;
    }

    /** Returns whether the job has ended in order. */
    boolean hasEnded()
    {
        return State.ENDED == state;
    }

    /** Advances the time: join deadline, silence, heartbeats. */
    void tick(final long nowNs)
    {
        final long elapsedNs = Math.min(nowNs - lastTickNs, MAX_COUNTED_NS);
        lastTickNs = nowNs;
        if (State.GATHERING == state && null != first && nowNs - joinDeadlineNs >= 0)
        {
            fail(new JobFailure(JobFailure.Kind.PE_FAILED, missing()[0], -1, PeRanges.text(missing()) +
                " of " + first.nPes() + " did not join within " + seconds(joinTimeoutNs) + " s; " +
                PeRanges.text(present()) + " did (aeroshmem.join.timeout)"), nowNs);
        }

        if (State.ASSIGNED == state)
        {
            checkSilence(elapsedNs, nowNs);
        }

        if (State.ASSIGNED == state)
        {
            sendHeartbeats(nowNs);
        }
    }

    /**
     * Returns whether the server can end: all processes were notified of the end, and have disconnected or had the time
     * to.
     */
    boolean isFinished(final long nowNs)
    {
        if (State.GATHERING == state || State.ASSIGNED == state)
        {
            return false;
        }

        final boolean isAwaiting = State.FAILED == state && !wasAssigned && null != first && isAccepting() &&
            notifiedPes.cardinality() < first.nPes() && nowNs - joinDeadlineNs < 0;

        final boolean isLeft = null != first && processes.stream().allMatch((process) -> process.isDisconnected);

        return !isAwaiting && (isLeft || nowNs - endNs >= LINGER_NS);
    }

    private ProcessEntry addProcess(final JoinRequest request, final MessageSink sink, final long nowNs)
    {
        final ProcessEntry process = new ProcessEntry(request, sink, nowNs);
        processes.add(process);
        expect(request, nowNs);
        final String problem = problem(request);
        if (null != problem)
        {
            fail(new JobFailure(JobFailure.Kind.PROTOCOL, request.firstPe() >= 0 &&
                request.firstPe() < processByPe.length ? request.firstPe() : -1, -1, problem), nowNs);
            return process;
        }

        for (final int pe : request.pes())
        {
            processByPe[pe] = process;
        }

        previous = isRecoverable ? previous.and(request.previous()) : previous;

        if (0 == missing().length)
        {
            assign();
        }

        return process;
    }

    /** Takes the number of PEs from the first JoinRequest, and the earliest join deadline from all. */
    private void expect(final JoinRequest request, final long nowNs)
    {
        if (null == first)
        {
            first = request;
            joinDeadlineNs = nowNs + request.joinTimeoutNs();
            joinTimeoutNs = request.joinTimeoutNs();
            final boolean isPossible = request.nPes() >= 1 && request.nPes() <= JoinRequest.MAX_PES;
            processByPe = new ProcessEntry[isPossible ? request.nPes() : 0];
            phases = new int[processByPe.length];
        }

        if (nowNs + request.joinTimeoutNs() - joinDeadlineNs < 0)
        {
            joinDeadlineNs = nowNs + request.joinTimeoutNs();
            joinTimeoutNs = request.joinTimeoutNs();
        }
    }

    /** Returns why a JoinRequest is invalid, or null. */
    private String problem(final JoinRequest request)
    {
        if (0 == processByPe.length)
        {
            return "nPes must be 1 to " + JoinRequest.MAX_PES + ": " + request.processName() + " nPes=" +
                request.nPes();
        }

        if (request.nPes() != first.nPes())
        {
            return "nPes must be equal on all PEs: " + request.processName() + " nPes=" + request.nPes() + ", " +
                first.processName() + " nPes=" + first.nPes();
        }

        final BitSet own = new BitSet();
        for (final int pe : request.pes())
        {
            if (pe < 0 || pe >= processByPe.length)
            {
                return "rank must be 0 to " + (first.nPes() - 1) + ": " + request.processName();
            }

            if (own.get(pe) || null != processByPe[pe])
            {
                return "rank must be unique: PE " + pe + " is both " +
                    (own.get(pe) ? request : processByPe[pe].request).processName() + " and " +
                    request.processName();
            }

            own.set(pe);
        }

        return null;
    }

    private void assign()
    {
        state = State.ASSIGNED;
        wasAssigned = true;
        for (final ProcessEntry process : processes)
        {
            process.node = nodeByKey.computeIfAbsent(process.request.nodeKey(), (key) -> new NodeEntry());
            process.node.processes.add(process);
        }

        nodeByKey.values().forEach(NodeEntry::assign);
        final ProcessEntry own = serverProcess();
        final int serverPe = null == own ? NodeAssignment.NO_PE : own.deathPe();
        for (final ProcessEntry process : processes)
        {
            process.sink.send(RendezvousMessages.nodeAssignment(new NodeAssignment(
                token,
                process.isLeader,
                process.node.leader.deathPe(),
                1 == nodeByKey.size(),
                serverPe,
                process.node.pes,
                previous,
                members)));
        }
    }

    /** Returns the process that runs the server, or null if it is not one of the job. */
    private ProcessEntry serverProcess()
    {
        return processes.stream().filter((process) ->
            process.request.pid() == server.pid() && process.request.startTime() == server.startTime() &&
            process.request.host().equals(server.host())).findFirst().orElse(null);
    }

    private void checkSilence(final long elapsedNs, final long nowNs)
    {
        for (final NodeEntry node : nodeByKey.values())
        {
            final ProcessEntry leader = node.leader;
            if (!leader.hasHeartbeat || leader.isDone || leader.isDisconnected)
            {
                continue;
            }

            leader.silentNs += elapsedNs;
            leader.stalledNs += elapsedNs;
            final boolean isStalled = leader.stalledNs >= MAX_STALLED_TIMEOUTS * leader.request.livenessTimeoutNs();
            if ((isStalled || leader.silentNs >= leader.request.livenessTimeoutNs() / 5 * 4) && !isLeaving())
            {
                fail(new JobFailure(deathKind(leader), leader.deathPe(), -1, PeRanges.text(node.pes) +
                    ": their node was silent " + (isStalled ? "on its connection " : "") + "for " +
                    TimeUnit.NANOSECONDS.toMillis(isStalled ? leader.stalledNs : leader.silentNs) +
                    " ms (aeroshmem.liveness.timeout is " + seconds(leader.request.livenessTimeoutNs()) +
                    " s): the network is disconnected, or " + leader + ", its leader, is not running" +
                    lastActivity(leader, nowNs)), nowNs);
                return;
            }
        }
    }

    private void sendHeartbeats(final long nowNs)
    {
        if (nowNs - lastHeartbeatNs < HEARTBEAT_INTERVAL_NS)
        {
            return;
        }

        lastHeartbeatNs = nowNs;
        final byte[] frame = RendezvousMessages.heartbeat(++heartbeats);
        for (final NodeEntry node : nodeByKey.values())
        {
            if (!node.leader.isDisconnected)
            {
                node.leader.sink.send(frame);
            }
        }
    }

    private void checkEnded(final long nowNs)
    {
        if (State.ASSIGNED != state || !processes.stream().allMatch((process) -> process.isDone))
        {
            return;
        }

        state = State.ENDED;
        endNs = nowNs;
        for (final ProcessEntry process : processes)
        {
            if (process.isLeader && !process.isDisconnected)
            {
                process.sink.send(RendezvousMessages.leaveAck());
            }

            process.sink.end();
        }
    }

    /** Returns a PE that prevents a leader from leaving, or -1. A job on one node does not need its rendezvous. */
    private int busyPe(final ProcessEntry process)
    {
        if (process.isLeader && nodeByKey.size() > 1)
        {
            for (final int pe : process.node.pes)
            {
                if (phases[pe] < PePhase.CLOSING)
                {
                    return pe;
                }
            }
        }

        return -1;
    }

    private boolean isLeaving()
    {
        return wasAssigned && Arrays.stream(phases).allMatch((phase) -> phase >= PePhase.CLOSING);
    }

    private void requireLeaderOf(final ProcessEntry process, final int pe, final String messageName)
        throws ProtocolViolation
    {
        requireLeader(process, messageName);
        if (Arrays.binarySearch(process.node.pes, pe) < 0)
        {
            throw new ProtocolViolation(messageName + " of PE " + pe + " of another node, not " +
                PeRanges.text(process.node.pes));
        }
    }

    private void requireLeader(final ProcessEntry process, final String messageName) throws ProtocolViolation
    {
        if (!process.isLeader)
        {
            throw new ProtocolViolation(messageName + ", which only a leader may send");
        }
    }

    private void markNotified(final JoinRequest request)
    {
        for (final int pe : request.pes())
        {
            if (pe >= 0 && pe < JoinRequest.MAX_PES)
            {
                notifiedPes.set(pe);
            }
        }
    }

    private String conflict(final JoinRequest request)
    {
        final int pe = request.firstPe();

        return pe >= 0 && pe < processByPe.length ? "PE " + pe + " is one of " + processByPe[pe] :
            "PE " + pe + " is out of range";
    }

    private int[] missing()
    {
        return ranks(false);
    }

    private int[] present()
    {
        return ranks(true);
    }

    private int[] ranks(final boolean isPresent)
    {
        int count = 0;
        final int[] pes = new int[processByPe.length];
        for (int pe = 0; pe < processByPe.length; pe++)
        {
            if (isPresent == (null != processByPe[pe]))
            {
                pes[count++] = pe;
            }
        }

        return Arrays.copyOf(pes, count);
    }

    private static String lastActivity(final ProcessEntry process, final long nowNs)
    {
        return "; last activity " + TimeUnit.NANOSECONDS.toMillis(nowNs - process.lastActivityNs) + " ms ago; log " +
            process.request.log();
    }

    private static String seconds(final long ns)
    {
        final long ms = TimeUnit.NANOSECONDS.toMillis(ns);

        return 0 == ms % 1000 ? Long.toString(ms / 1000) : Double.toString(ms / 1000.0);
    }
}
