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
 * What the server knows of its job and decides about it, without sockets and clocks: events and the time come in,
 * frames go out through {@link Outlet}s.
 * <pre>
 *             hello (not the last)
 *              +---+
 *              |   v        the last hello                  all leaders Left, all others too
 *           GATHERING -------------------&gt; APPOINTED -----------------------------------------&gt; OVER
 *              |          Appointment to      |             Farewell to the leaders
 *              |          each process        |
 *              |  a hello that cannot be,     |  Failure from a leader, a connection that ends before Left,
 *              |  join deadline, a            |  silence, a message that cannot be, fail()
 *              |  connection that ends        v
 *              +--------------------------&gt; FAILED: the one Failure to each process that is there, and to each
 *                                           that still comes until all have come or the join deadline
 * </pre>
 * A process that is not the leader of its node is done with Left, which it sends when it has the directory. A leader
 * is done with Left when its PEs are CLOSING. A connection that ends after that is no news, nor is one that ends when
 * all PEs of the job are CLOSING, or after the failure.
 * <p>
 * <b>Silence.</b> A leader is listened to from its first PeState or Beat on; before, it makes its directory, and the
 * join timeouts of the PEs watch over it. What counts is time in which the server itself ran: a round that comes late
 * counts as little, so that a pause of the server's process (or of a host that holds them all) is nobody's silence.
 * <p>
 * <b>Ordering.</b> One thread does all this, each leader has one connection, and a connection keeps the order. So the
 * states of a PE arrive everywhere in the order in which its leader saw them, and a leader's Left comes after the last
 * state of its PEs. States of different nodes have no order among them and need none: a PE only waits for phases, and
 * phases only grow. The first failure that reaches this thread is the failure of the job on all nodes, but for nodes
 * that saw another themselves before; those keep theirs.
 * <p>
 * Confined to the server's thread.
 */
final class ServerJob
{
    /**
     * Between two Beats.
     */
    static final long BEAT_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(500);

    /**
     * The most that one round counts as silence.
     */
    static final long MAX_COUNTED_NS = TimeUnit.MILLISECONDS.toNanos(400);

    /**
     * How many liveness timeouts a connection may say nothing, though its process answers on another.
     */
    static final int MAX_STALL = 2;

    /**
     * How long those that were told the end may take to close their connections, and how long a job that failed before
     * anybody came waits for the first.
     */
    static final long LINGER_NS = TimeUnit.SECONDS.toNanos(5);

    private final long token;
    private final Welcome server;
    private final List<Member> members = new ArrayList<>();
    private final Map<String, Node> nodeByKey = new LinkedHashMap<>();
    private State state = State.GATHERING;
    private Hello first;
    private Member[] memberByPe;
    private int[] phases;
    private final BitSet toldPes = new BitSet();
    /** The earliest of all that came. */
    private long joinDeadlineNs;
    private long joinTimeoutNs;
    private long endNs;
    private long lastTickNs;
    private long lastBeatNs;
    private long beats;
    private boolean wasAppointed;
    private JobFailure failure;

    private enum State
    {
        GATHERING, APPOINTED, FAILED, OVER
    }

    /**
     * The way to one process.
     */
    interface Outlet
    {
        /**
         * Sends a frame, without blocking.
         *
         * @param frame with its length.
         */
        void send(byte[] frame);

        /**
         * Sends no more after what was sent.
         */
        void end();
    }

    /**
     * A process that said a good hello.
     */
    static final class Member
    {
        private final Hello hello;
        private final Outlet outlet;
        private Node node;
        private boolean isLeader;
        private boolean isDone;
        private boolean isGone;
        private boolean isBeating;
        private long lastHeardNs;
        private long silentNs;
        private long stalledNs;

        private Member(final Hello hello, final Outlet outlet, final long nowNs)
        {
            this.hello = hello;
            this.outlet = outlet;
            this.lastHeardNs = nowNs;
        }

        int nPes()
        {
            return hello.nPes();
        }

        @Override
        public String toString()
        {
            return hello.who();
        }

        /**
         * The PE that its death is the death of.
         */
        private int deathPe()
        {
            return hello.isLauncher() ? Appointment.NO_PE : hello.firstPe();
        }

        private JobFailure.Kind deathKind()
        {
            return hello.isLauncher() ? JobFailure.Kind.LAUNCHER_DIED : JobFailure.Kind.PE_DIED;
        }
    }

    /**
     * The processes that can map the same files.
     */
    private static final class Node
    {
        private final List<Member> members = new ArrayList<>();
        private Member leader;
        private int[] pes;
        private boolean hasDirectory;

        private void appoint()
        {
            leader = members.stream().min(
                Comparator.comparing((final Member member) -> !member.hello.isLauncher())
                .thenComparingInt((member) -> member.hello.firstPe())).orElseThrow();
            leader.isLeader = true;
            pes = members.stream().flatMapToInt((member) -> Arrays.stream(member.hello.pes())).sorted().toArray();
        }
    }

    /**
     * A job that nobody has come to yet.
     *
     * @param token  of the job, not 0.
     * @param server its process.
     * @param nowNs  now.
     */
    ServerJob(final long token, final Welcome server, final long nowNs)
    {
        this.token = token;
        this.server = server;
        this.lastTickNs = nowNs;
        this.lastBeatNs = nowNs;
    }

    /**
     * Why the job failed.
     *
     * @return null while it has not.
     */
    JobFailure failure()
    {
        return failure;
    }

    /**
     * A process that knows the secret says hello.
     *
     * @param hello  it says.
     * @param outlet to it.
     * @param nowNs  now.
     * @return the process as a member of the job; null if it is none, and was told why.
     */
    Member hello(final Hello hello, final Outlet outlet, final long nowNs)
    {
        switch (state)
        {
            case GATHERING:
                return gather(hello, outlet, nowNs);

            case FAILED:
                if (!wasAppointed)
                {
                    expect(hello, nowNs);
                    outlet.send(RendezvousMessages.failure(failure));
                    outlet.end();
                    told(hello);
                    return null;
                }
                outlet.send(RendezvousMessages.refused(true, "the job has failed: " + failure.message()));
                break;

            case APPOINTED:
                outlet.send(RendezvousMessages.refused(false, "all " + first.nPes() + " PEs of the job came before " +
                    hello.who() + ": " + holders(hello)));
                break;

            case OVER:
            default:
                outlet.send(RendezvousMessages.refused(true, "the job is over"));
                break;
        }

        outlet.end();

        return null;
    }

    /**
     * A process that knows the secret says that it will not come. The others hear it at once; a job that is complete
     * does not need it.
     *
     * @param hello it says.
     * @param why   it does not come.
     * @param nowNs now.
     */
    void givesUp(final Hello hello, final String why, final long nowNs)
    {
        if (State.GATHERING == state)
        {
            expect(hello, nowNs);
            final int pe = hello.isLauncher() || hello.firstPe() < 0 || hello.firstPe() >= memberByPe.length ?
                -1 : hello.firstPe();
            fail(new JobFailure(JobFailure.Kind.PE_FAILED, pe, -1, hello.who() + " could not join: " + why), nowNs);
        }

        told(hello);
    }

    /**
     * A process that knows the secret speaks another version.
     *
     * @param version it speaks.
     * @param from    where it is.
     * @param outlet  to it.
     * @param nowNs   now.
     */
    void otherVersion(final int version, final String from, final Outlet outlet, final long nowNs)
    {
        final String reason = "a process at " + from + " speaks version " + version + " of the rendezvous protocol, " +
            "the server version " + RendezvousMessages.PROTOCOL_VERSION +
            ": all processes of a job need the same AeroSHMEM";
        if (State.GATHERING == state)
        {
            fail(new JobFailure(JobFailure.Kind.PROTOCOL, -1, -1, reason), nowNs);
        }

        outlet.send(RendezvousMessages.refused(false, reason));
        outlet.end();
    }

    /**
     * Any message came from a member: it lives.
     *
     * @param member that sent it.
     * @param nowNs  now.
     */
    void heard(final Member member, final long nowNs)
    {
        member.lastHeardNs = nowNs;
        member.silentNs = 0;
        member.stalledNs = 0;
    }

    /**
     * A leader asked for a sign of life over a connection of its own, and so gave one. It does so when its connection
     * says nothing: after a cut of the network TCP tries again later than a new connection does.
     *
     * @param hello  it says.
     * @param nowNs  now.
     */
    void probed(final Hello hello, final long nowNs)
    {
        final int pe = hello.firstPe();
        final Member member = State.APPOINTED == state && pe >= 0 && pe < memberByPe.length ? memberByPe[pe] : null;
        if (null != member && member.isLeader && member.hello.equals(hello))
        {
            member.lastHeardNs = nowNs;
            member.silentNs = 0;
        }
    }

    /**
     * A leader has made the directory of its node.
     *
     * @param member that says so.
     * @param path   of the directory.
     * @throws ProtocolViolation if it may not say so.
     */
    void directory(final Member member, final Path path) throws ProtocolViolation
    {
        requireLeader(member, "a Directory");
        if (member.node.hasDirectory)
        {
            throw new ProtocolViolation("a second Directory");
        }

        member.node.hasDirectory = true;
        final byte[] frame = RendezvousMessages.directory(path.toString());
        for (final Member other : member.node.members)
        {
            if (other != member && !other.isGone)
            {
                other.outlet.send(frame);
            }
        }
    }

    /**
     * A PE of a leader's node has come to another phase.
     *
     * @param member that says so.
     * @param change which PE, and how it is now.
     * @throws ProtocolViolation if it may not say so, or a phase would go back.
     */
    void peState(final Member member, final PeState change) throws ProtocolViolation
    {
        final int pe = change.pe();
        requireLeaderOf(member, pe, "a PeState");

        if (change.phase() < phases[pe])
        {
            throw new ProtocolViolation("PE " + pe + " " + PePhase.name(change.phase()) + " after " +
                PePhase.name(phases[pe]));
        }

        member.isBeating = true;
        phases[pe] = change.phase();
        sendToOtherLeaders(member, RendezvousMessages.peState(change));
    }

    /**
     * A PE of a leader's node is blocked in a call, or was.
     *
     * @param member  that says so.
     * @param pe      that is.
     * @param message which call.
     * @throws ProtocolViolation if it may not say so.
     */
    void peActivity(final Member member, final int pe, final byte[] message) throws ProtocolViolation
    {
        requireLeaderOf(member, pe, "a PeActivity");
        member.isBeating = true;
        sendToOtherLeaders(member, RendezvousMessages.framed(message));
    }

    private void sendToOtherLeaders(final Member member, final byte[] frame)
    {
        for (final Node node : nodeByKey.values())
        {
            if (node != member.node && !node.leader.isGone)
            {
                node.leader.outlet.send(frame);
            }
        }
    }

    /**
     * A leader still runs.
     *
     * @param member that says so.
     * @throws ProtocolViolation if it is no leader.
     */
    void beat(final Member member) throws ProtocolViolation
    {
        requireLeader(member, "a Beat");
        member.isBeating = true;
    }

    /**
     * A process needs its connection no more.
     *
     * @param member that says so.
     * @param nowNs  now.
     * @throws ProtocolViolation if it says so before all have come.
     */
    void left(final Member member, final long nowNs) throws ProtocolViolation
    {
        if (State.GATHERING == state)
        {
            throw new ProtocolViolation("a Left before all have come");
        }

        if (State.FAILED == state || member.isDone)
        {
            return;
        }

        final int busyPe = busyPe(member);
        if (!member.node.hasDirectory && member.node.members.size() > 1 || busyPe >= 0)
        {
            fail(new JobFailure(JobFailure.Kind.PE_FAILED, member.deathPe(), -1, member + " left the job while " +
                (busyPe < 0 ? "others waited for the directory of its node" :
                "PE " + busyPe + " of its node was " + PePhase.name(phases[busyPe]))), nowNs);
            return;
        }

        member.isDone = true;
        checkOver(nowNs);
    }

    /**
     * The connection to a process has ended, or has to.
     *
     * @param member it was.
     * @param how    for the message, such as "ended".
     * @param nowNs  now.
     */
    void ended(final Member member, final String how, final long nowNs)
    {
        if (member.isGone)
        {
            return;
        }

        member.isGone = true;
        if (!member.isDone && State.FAILED != state && State.OVER != state)
        {
            if (isLeaving())
            {
                member.isDone = true;
                checkOver(nowNs);
            }
            else
            {
                fail(new JobFailure(member.deathKind(), member.deathPe(), -1, member + " died: its connection to the " +
                    "rendezvous " + how + (State.GATHERING == state ? " while it waited for the others" : "") +
                    lastHeard(member, nowNs)), nowNs);
            }
        }
    }

    /**
     * A process that knows the secret sent what cannot be.
     *
     * @param member    that sent it.
     * @param violation what it was.
     * @param nowNs     now.
     */
    void lied(final Member member, final ProtocolViolation violation, final long nowNs)
    {
        fail(new JobFailure(JobFailure.Kind.PROTOCOL, member.deathPe(), -1, member + " sent the rendezvous " +
            violation.getMessage()), nowNs);
    }

    /**
     * Fails the job, unless it is over or has failed before.
     *
     * @param what  happened.
     * @param nowNs now.
     */
    void fail(final JobFailure what, final long nowNs)
    {
        if (State.FAILED == state || State.OVER == state)
        {
            return;
        }

        failure = what;
        state = State.FAILED;
        endNs = nowNs;
        final byte[] frame = RendezvousMessages.failure(what);
        for (final Member member : members)
        {
            told(member.hello);
            if (!member.isGone && !(member.isDone && !member.isLeader))
            {
                member.outlet.send(frame);
            }
            member.outlet.end();
        }
    }

    /**
     * The server's process has no more time for the job.
     *
     * @param nowNs now.
     */
    void abandon(final long nowNs)
    {
        if (!isIntact() || null == first || isLeaving())
        {
            return;
        }

        final String process = "the process of the rendezvous (pid " + server.pid() + ", host " + server.host() + ')';
        final String when = State.GATHERING == state ? " before all had come" : " while the job ran";
        final Member own = serverMember();
        fail(new JobFailure(
            first.isLauncher() ? JobFailure.Kind.LAUNCHER_DIED : JobFailure.Kind.PE_FAILED,
            null == own ? Appointment.NO_PE : own.deathPe(),
            -1,
            (null == own ? process : process + ", which is " + own + ',') + " closed it" + when), nowNs);
    }

    /**
     * Whether messages of members still matter: the job has neither failed nor ended.
     */
    boolean isIntact()
    {
        return State.GATHERING == state || State.APPOINTED == state;
    }

    /**
     * The time.
     *
     * @param nowNs now.
     */
    void tick(final long nowNs)
    {
        final long elapsedNs = Math.min(nowNs - lastTickNs, MAX_COUNTED_NS);
        lastTickNs = nowNs;
        if (State.GATHERING == state && null != first && nowNs - joinDeadlineNs >= 0)
        {
            fail(new JobFailure(JobFailure.Kind.PE_FAILED, missing()[0], -1, "the rendezvous waited " +
                seconds(joinTimeoutNs) + " s for " + PeList.text(missing()) + " of " + first.nPes() +
                ", which did not come; " + PeList.text(present()) + " did (property aeroshmem.join.timeout)"), nowNs);
        }

        if (State.APPOINTED == state)
        {
            checkSilence(elapsedNs, nowNs);
        }

        if (State.APPOINTED == state)
        {
            sendBeats(nowNs);
        }
    }

    /**
     * Whether nothing is left to do: all were told the end, and have closed or had their time to.
     *
     * @param nowNs now.
     */
    boolean isFinished(final long nowNs)
    {
        if (State.GATHERING == state || State.APPOINTED == state)
        {
            return false;
        }

        final boolean isAwaiting = State.FAILED == state && !wasAppointed && null != first &&
            toldPes.cardinality() < first.nPes() && nowNs - joinDeadlineNs < 0;

        final boolean isLeft = null != first && members.stream().allMatch((member) -> member.isGone);

        return !isAwaiting && (isLeft || nowNs - endNs >= LINGER_NS);
    }

    private Member gather(final Hello hello, final Outlet outlet, final long nowNs)
    {
        final Member member = new Member(hello, outlet, nowNs);
        members.add(member);
        expect(hello, nowNs);
        final String problem = problem(hello);
        if (null != problem)
        {
            fail(new JobFailure(JobFailure.Kind.PROTOCOL, hello.firstPe() >= 0 &&
                hello.firstPe() < memberByPe.length ? hello.firstPe() : -1, -1, problem), nowNs);
            return member;
        }

        for (final int pe : hello.pes())
        {
            memberByPe[pe] = member;
        }

        if (0 == missing().length)
        {
            appoint();
        }

        return member;
    }

    /**
     * What the first says of the job holds for all; the deadline is the earliest of all that came.
     */
    private void expect(final Hello hello, final long nowNs)
    {
        if (null == first)
        {
            first = hello;
            joinDeadlineNs = nowNs + hello.joinTimeoutNs();
            joinTimeoutNs = hello.joinTimeoutNs();
            final boolean isPossible = hello.nPes() >= 1 && hello.nPes() <= Hello.MAX_PES;
            memberByPe = new Member[isPossible ? hello.nPes() : 0];
            phases = new int[memberByPe.length];
        }

        if (nowNs + hello.joinTimeoutNs() - joinDeadlineNs < 0)
        {
            joinDeadlineNs = nowNs + hello.joinTimeoutNs();
            joinTimeoutNs = hello.joinTimeoutNs();
        }
    }

    /**
     * Why a hello cannot be; null if it can.
     */
    private String problem(final Hello hello)
    {
        if (0 == memberByPe.length)
        {
            return hello.who() + " says that the job has " + hello.nPes() + " PEs: 1 to " + Hello.MAX_PES +
                " are possible";
        }

        if (hello.nPes() != first.nPes())
        {
            return hello.who() + " says that the job has " + hello.nPes() + " PEs, " + first.who() + " says " +
                first.nPes() + ": all must be started with one number";
        }

        final BitSet own = new BitSet();
        for (final int pe : hello.pes())
        {
            if (pe < 0 || pe >= memberByPe.length)
            {
                return hello.who() + " came to a job of " + first.nPes() + " PEs: ranks from 0 to " +
                    (first.nPes() - 1) + " are possible";
            }

            if (own.get(pe) || null != memberByPe[pe])
            {
                return "two processes came as PE " + pe + ": " +
                    (own.get(pe) ? hello : memberByPe[pe].hello).who() + ", and " + hello.who() +
                    "; each rank must be given once";
            }
            own.set(pe);
        }

        return null;
    }

    private void appoint()
    {
        state = State.APPOINTED;
        wasAppointed = true;
        for (final Member member : members)
        {
            member.node = nodeByKey.computeIfAbsent(member.hello.nodeKey(), (key) -> new Node());
            member.node.members.add(member);
        }

        nodeByKey.values().forEach(Node::appoint);
        final Member own = serverMember();
        final int serverPe = null == own ? Appointment.NO_PE : own.deathPe();
        for (final Member member : members)
        {
            member.outlet.send(RendezvousMessages.appointment(new Appointment(
                token,
                member.isLeader,
                member.node.leader.deathPe(),
                1 == nodeByKey.size(),
                serverPe,
                member.node.pes)));
        }
    }

    /**
     * The process of the server, if it is one of the job's.
     */
    private Member serverMember()
    {
        return members.stream().filter((member) ->
            member.hello.pid() == server.pid() && member.hello.startTime() == server.startTime() &&
            member.hello.host().equals(server.host())).findFirst().orElse(null);
    }

    private void checkSilence(final long elapsedNs, final long nowNs)
    {
        for (final Node node : nodeByKey.values())
        {
            final Member leader = node.leader;
            if (!leader.isBeating || leader.isDone || leader.isGone)
            {
                continue;
            }

            leader.silentNs += elapsedNs;
            leader.stalledNs += elapsedNs;
            final boolean isStalled = leader.stalledNs >= MAX_STALL * leader.hello.livenessTimeoutNs();
            if ((isStalled || leader.silentNs >= leader.hello.livenessTimeoutNs() / 5 * 4) && !isLeaving())
            {
                fail(new JobFailure(leader.deathKind(), leader.deathPe(), -1, PeList.text(node.pes) + ": their node " +
                    "gives no sign of life " + (isStalled ? "on its connection " : "") + "for " +
                    TimeUnit.NANOSECONDS.toMillis(isStalled ? leader.stalledNs : leader.silentNs) +
                    " ms (aeroshmem.liveness.timeout is " + seconds(leader.hello.livenessTimeoutNs()) +
                    " s): the connection to it is cut, or " + leader + ", which speaks for it, stands still" +
                    lastHeard(leader, nowNs)), nowNs);
                return;
            }
        }
    }

    private void sendBeats(final long nowNs)
    {
        if (nowNs - lastBeatNs < BEAT_INTERVAL_NS)
        {
            return;
        }

        lastBeatNs = nowNs;
        final byte[] frame = RendezvousMessages.beat(++beats);
        for (final Node node : nodeByKey.values())
        {
            if (!node.leader.isGone)
            {
                node.leader.outlet.send(frame);
            }
        }
    }

    private void checkOver(final long nowNs)
    {
        if (State.APPOINTED != state || !members.stream().allMatch((member) -> member.isDone))
        {
            return;
        }

        state = State.OVER;
        endNs = nowNs;
        for (final Member member : members)
        {
            if (member.isLeader && !member.isGone)
            {
                member.outlet.send(RendezvousMessages.farewell());
            }
            member.outlet.end();
        }
    }

    /**
     * A PE that keeps a leader from leaving; -1 if there is none. A job on one node does not need its rendezvous.
     */
    private int busyPe(final Member member)
    {
        if (member.isLeader && nodeByKey.size() > 1)
        {
            for (final int pe : member.node.pes)
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
        return wasAppointed && Arrays.stream(phases).allMatch((phase) -> phase >= PePhase.CLOSING);
    }

    private void requireLeaderOf(final Member member, final int pe, final String what) throws ProtocolViolation
    {
        requireLeader(member, what);
        if (Arrays.binarySearch(member.node.pes, pe) < 0)
        {
            throw new ProtocolViolation(what + " of PE " + pe + ", which is not of its node, " +
                PeList.text(member.node.pes));
        }
    }

    private void requireLeader(final Member member, final String what) throws ProtocolViolation
    {
        if (!member.isLeader)
        {
            throw new ProtocolViolation(what + ", though it is not the leader of its node");
        }
    }

    private void told(final Hello hello)
    {
        for (final int pe : hello.pes())
        {
            if (pe >= 0 && pe < Hello.MAX_PES)
            {
                toldPes.set(pe);
            }
        }
    }

    private String holders(final Hello hello)
    {
        final int pe = hello.firstPe();

        return pe >= 0 && pe < memberByPe.length ? "PE " + pe + " is one of " + memberByPe[pe] :
            "and there is no PE " + pe;
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
        final int[] pes = new int[memberByPe.length];
        for (int pe = 0; pe < memberByPe.length; pe++)
        {
            if (isPresent == (null != memberByPe[pe]))
            {
                pes[count++] = pe;
            }
        }

        return Arrays.copyOf(pes, count);
    }

    private static String lastHeard(final Member member, final long nowNs)
    {
        return "; last heard " + TimeUnit.NANOSECONDS.toMillis(nowNs - member.lastHeardNs) + " ms ago; log " +
            member.hello.log();
    }

    private static String seconds(final long ns)
    {
        final long ms = TimeUnit.NANOSECONDS.toMillis(ns);

        return 0 == ms % 1000 ? Long.toString(ms / 1000) : Double.toString(ms / 1000.0);
    }
}
