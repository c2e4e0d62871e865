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
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Time goes only where a test lets it.
 */
class RendezvousStateMachineTest
{
    private static final long TOKEN = 99;
    private static final JoinAccepted SERVER = new JoinAccepted(1_000, 77, "host-a");
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int NODE_ASSIGNMENT = 5;
    private static final int DIRECTORY = 6;
    private static final int PE_STATE = 7;
    private static final int HEARTBEAT = 8;
    private static final int FAILURE = 9;
    private static final int LEAVE_ACK = 11;

    /** Any value: the clock has no origin. */
    private long nowNs = Long.MAX_VALUE - 5_000 * MS;
    private RendezvousStateMachine job = newJob();

    private RendezvousStateMachine newJob()
    {
        return new RendezvousStateMachine(TOKEN, SERVER, false, PreviousGeneration.NONE, new int[0], nowNs);
    }

    @Test
    void shouldWaitForAllAndPreferLaunchers() throws Exception
    {
        final Peer zero = come(Nodes.request(0, 5, "a"));
        final Peer launcher = come(Nodes.request(new int[]{3, 4}, 5, true, "a"));
        final Peer two = come(Nodes.request(2, 5, "b"));
        assertTrue(zero.frames.isEmpty());
        final Peer one = come(Nodes.request(1, 5, "b"));

        assertFalse(zero.assignment(5).isLeader());
        assertTrue(launcher.assignment(5).isLeader());
        assertEquals(-1, zero.assignment(5).leaderPe());
        assertArrayEquals(new int[]{0, 3, 4}, zero.assignment(5).nodePes());
        assertTrue(one.assignment(5).isLeader());
        assertFalse(two.assignment(5).isLeader());
        assertEquals(1, two.assignment(5).leaderPe());
        assertEquals(0, two.assignment(5).serverPe());
        assertEquals(TOKEN, two.assignment(5).token());
        assertFalse(two.assignment(5).isSingleNode());
    }

    @Test
    void shouldRelayStatesToOtherNodesOnly() throws Exception
    {
        final Peer zero = come(Nodes.request(0, 3, "a"));
        final Peer one = come(Nodes.request(1, 3, "b"));
        final Peer two = come(Nodes.request(2, 3, "b"));
        job.onPeState(one.process, state(2, PePhase.RECORDED));
        assertEquals(List.of(NODE_ASSIGNMENT, PE_STATE), zero.kinds());
        assertEquals(List.of(NODE_ASSIGNMENT), one.kinds());
        assertEquals(List.of(NODE_ASSIGNMENT), two.kinds());
        job.onDirectory(one.process, Path.of("/x"));
        assertEquals(List.of(NODE_ASSIGNMENT, DIRECTORY), two.kinds());
        assertEquals(List.of(NODE_ASSIGNMENT), one.kinds());
    }

    @Test
    void shouldReportThatAnEndingLeaderEndedWithoutClosing() throws Exception
    {
        final Peer zero = come(Nodes.request(0, 3, "a"));
        final Peer one = come(Nodes.request(1, 3, "b"));
        final Peer two = come(Nodes.request(2, 3, "b"));
        job.onPeState(one.process, new PeState(1, PePhase.RUNNING, 5, 6, true, "h", "l", new byte[0]));
        assertEquals(List.of(NODE_ASSIGNMENT, PE_STATE), zero.kinds());
        assertEquals(List.of(NODE_ASSIGNMENT, PE_STATE), one.kinds());
        assertEquals(List.of(NODE_ASSIGNMENT), two.kinds());

        job.onDisconnect(one.process, "ended", nowNs);
        final String message = job.failure().message();
        assertTrue(message.contains("PE 1") && message.contains(" ended without closing: its connection"), message);
    }

    @Test
    void shouldTellAllOnceWhoIsMissing()
    {
        final Peer zero = come(Nodes.request(0, 3, "a", 60_000, 1_000));
        pass(59_000);
        final Peer two = come(Nodes.request(2, 3, "a", 60_000, 1_000));
        assertNull(job.failure());
        pass(1_000);
        assertTrue(job.failure().message().contains("PE 1 of 3 did not join within 60 s"),
            () -> job.failure().message());
        pass(1_000);
        assertEquals(List.of(FAILURE), zero.kinds());
        assertEquals(List.of(FAILURE), two.kinds());
        assertTrue(zero.isEnded && two.isEnded);
        assertFalse(job.isFinished(nowNs));
        job.onDisconnect(zero.process, "ended", nowNs);
        job.onDisconnect(two.process, "ended", nowNs);
        assertTrue(job.isFinished(nowNs));
    }

    @Test
    void shouldWaitForThoseThatStillComeToFailedJob()
    {
        final Peer zero = come(Nodes.request(0, 3, "a", 60_000, 1_000));
        final Peer wrong = come(Nodes.request(1, 4, "a", 60_000, 1_000));
        job.onDisconnect(zero.process, "ended", nowNs);
        job.onDisconnect(wrong.process, "ended", nowNs);
        pass(10_000);
        assertFalse(job.isFinished(nowNs));
        final Peer late = come(Nodes.request(2, 3, "a", 60_000, 1_000));
        assertNull(late.process);
        assertEquals(List.of(FAILURE), late.kinds());
        assertTrue(job.isFinished(nowNs));
    }

    @Test
    void shouldNotWaitBeyondTheJoinTimeoutForThoseThatStillCome()
    {
        final Peer zero = come(Nodes.request(0, 3, "a", 60_000, 1_000));
        job.fail(new JobFailure(JobFailure.Kind.PE_FAILED, -1, -1, "no"), nowNs);
        job.onDisconnect(zero.process, "ended", nowNs);
        pass(59_999);
        assertFalse(job.isFinished(nowNs));
        pass(1);
        assertTrue(job.isFinished(nowNs));
    }

    @Test
    void shouldEndWhenAllHaveLeft() throws Exception
    {
        final Peer zero = come(Nodes.request(0, 3, "a"));
        final Peer one = come(Nodes.request(1, 3, "b"));
        final Peer two = come(Nodes.request(2, 3, "b"));
        job.onDirectory(one.process, Path.of("/x"));
        job.onLeave(two.process, nowNs);
        job.onDisconnect(two.process, "ended", nowNs);
        for (final int pe : new int[]{1, 2})
        {
            job.onPeState(one.process, state(pe, PePhase.CLOSING));
        }

        job.onLeave(one.process, nowNs);
        job.onDisconnect(one.process, "ended", nowNs);
        assertFalse(job.isFinished(nowNs));
        job.onPeState(zero.process, state(0, PePhase.CLOSED));
        job.onLeave(zero.process, nowNs);
        assertNull(job.failure());
        assertEquals(LEAVE_ACK, zero.kinds().get(zero.kinds().size() - 1));
        assertFalse(job.isFinished(nowNs));
        pass(5_000);
        assertTrue(job.isFinished(nowNs));
    }

    @Test
    void shouldTakeLostConnectionOfClosingJobAsLeft() throws Exception
    {
        final Peer zero = come(Nodes.request(0, 2, "a"));
        final Peer one = come(Nodes.request(1, 2, "b"));
        job.onPeState(zero.process, state(0, PePhase.CLOSING));
        job.onPeState(one.process, state(1, PePhase.CLOSING));
        job.onDisconnect(one.process, "broke", nowNs);
        assertNull(job.failure());
        job.onLeave(zero.process, nowNs);
        assertNull(job.failure());
        assertEquals(LEAVE_ACK, zero.kinds().get(zero.kinds().size() - 1));
    }

    @Test
    void shouldFailWithPeThatDiedBeforeItKnewItsDirectory()
    {
        come(Nodes.request(0, 2, "a"));
        final Peer one = come(Nodes.request(1, 2, "a"));
        pass(120);
        job.onDisconnect(one.process, "ended", nowNs);
        assertEquals(JobFailure.Kind.PE_DIED, job.failure().kind());
        assertEquals(1, job.failure().pe());
        assertTrue(job.failure().message().contains("last activity 120 ms ago; log /log/1"),
            () -> job.failure().message());
    }

    /** Another generation follows, in which the launcher leads that keeps the memory of its node. */
    @Test
    void shouldLoseTheHostOfALauncherOfARecoverableJob() throws Exception
    {
        job = new RendezvousStateMachine(TOKEN, SERVER, true, PreviousGeneration.NONE, new int[0], nowNs);
        come(Nodes.request(new int[]{0}, 3, true, "a"));
        final Peer lost = come(Nodes.request(new int[]{1, 2}, 3, true, "b"));
        job.onDisconnect(lost.process, "ended", nowNs);
        assertEquals(JobFailure.Kind.HOST_LOST, job.failure().kind());
        assertFalse(job.failure().endsJob());

        final PreviousGeneration previous = PreviousGeneration.of(0, job.failure());
        assertLeads(previous, PreviousGeneration.NONE);
        // the next one, of which both know
        assertLeads(PreviousGeneration.of(1, null), new PreviousGeneration(1, -1, null));
    }

    private void assertLeads(final PreviousGeneration ofKept, final PreviousGeneration ofMoved) throws Exception
    {
        job = new RendezvousStateMachine(TOKEN, SERVER, true, ofKept, new int[0], nowNs);
        final Peer moved = come(after(ofMoved, 0));
        final Peer kept = come(after(ofKept, 1, 2));
        assertTrue(kept.assignment(3).isLeader());
        assertFalse(moved.assignment(3).isLeader());
    }

    private static JoinRequest after(final PreviousGeneration previous, final int... pes)
    {
        final JoinRequest request = Nodes.request(pes, 3, true, "b");
        return new JoinRequest(request.pes(), 3, true, request.host(), "b", request.pid(), request.startTime(),
            request.log(), request.joinTimeoutNs(), request.livenessTimeoutNs(), previous);
    }

    /** Processes know their PEs by the numbers in generation 0, of which some are left. */
    @Test
    void shouldNumberTheMembersOfASmallerGeneration() throws Exception
    {
        final int[] members = {0, 3, 5};
        final JoinRequest request = Nodes.request(new int[]{3, 5}, 6, true, "b").in(members);
        assertArrayEquals(new int[]{1, 2}, request.pes());
        assertEquals(3, request.nPes());
        assertEquals(request, request.in());
        assertArrayEquals(new int[]{-1, 2}, Nodes.request(new int[]{4, 5}, 6, true, "b").in(members).pes());

        job = new RendezvousStateMachine(TOKEN, SERVER, true, PreviousGeneration.NONE, members, nowNs);
        final Peer other = come(request);
        final Peer first = come(Nodes.request(new int[]{0}, 6, true, "a").in(members));
        assertArrayEquals(new int[]{1, 2}, other.assignment(6).nodePes());
        assertArrayEquals(members, other.assignment(6).members());
        assertArrayEquals(new int[]{0}, first.assignment(6).nodePes());
    }

    @Test
    void shouldBlameLauncherThatDied()
    {
        come(Nodes.request(0, 3, "a"));
        final Peer launcher = come(Nodes.request(new int[]{1, 2}, 3, true, "b"));
        job.onDisconnect(launcher.process, "ended", nowNs);
        assertEquals(JobFailure.Kind.LAUNCHER_DIED, job.failure().kind());
        assertEquals(-1, job.failure().pe());
        assertTrue(job.failure().message().startsWith("the launcher of PEs 1, 2 (pid 1001, host host-b) died: "),
            () -> job.failure().message());
    }

    @Test
    void shouldCountSilenceOnlyAfterFirstBeatAndOnlyWhatItSaw() throws Exception
    {
        final Peer zero = come(Nodes.request(0, 2, "a", 60_000, 10_000));
        final Peer one = come(Nodes.request(1, 2, "b", 60_000, 10_000));
        pass(20_000);
        job.onHeartbeat(zero.process);
        job.onActivity(zero.process, nowNs);
        nowNs += 30_000 * MS;
        job.tick(nowNs);
        assertNull(job.failure(), "a pause of the server is nobody's silence");
        pass(7_500);
        assertNull(job.failure());
        job.onActivity(zero.process, nowNs);
        pass(7_900);
        assertNull(job.failure());
        pass(100);
        assertEquals(0, job.failure().pe());
        assertTrue(job.failure().message().contains("8000 ms"), () -> job.failure().message());
        assertEquals(FAILURE, one.kinds().get(one.kinds().size() - 1));
    }

    @Test
    void shouldCountProbeAsSignOfLifeButNotForEver() throws Exception
    {
        final JoinRequest request = Nodes.request(0, 2, "a", 60_000, 10_000);
        final Peer zero = come(request);
        come(Nodes.request(1, 2, "b", 60_000, 10_000));
        job.onHeartbeat(zero.process);
        pass(7_900);
        job.onProbe(Nodes.request(0, 2, "other", 60_000, 10_000), nowNs);
        job.onProbe(Nodes.request(5, 2, "a", 60_000, 10_000), nowNs);
        job.onProbe(request, nowNs);
        pass(7_900);
        assertNull(job.failure());
        job.onProbe(request, nowNs);
        pass(4_200);
        assertEquals(0, job.failure().pe());
        assertTrue(job.failure().message().contains("on its connection for 20000 ms"),
            () -> job.failure().message());
    }

    @Test
    void shouldBeatTwiceASecond()
    {
        final Peer zero = come(Nodes.request(0, 1, "a"));
        pass(5_000);
        assertEquals(10, zero.kinds().stream().filter((kind) -> HEARTBEAT == kind).count());
    }

    @Test
    void shouldKeepFirstFailure()
    {
        final Peer zero = come(Nodes.request(0, 2, "a"));
        final Peer one = come(Nodes.request(1, 2, "b"));
        final JobFailure first = new JobFailure(JobFailure.Kind.GLOBAL_EXIT, 1, 3, "first");
        job.fail(first, nowNs);
        job.fail(new JobFailure(JobFailure.Kind.GLOBAL_EXIT, 0, 4, "second"), nowNs);
        job.onDisconnect(one.process, "ended", nowNs);
        assertEquals(first, job.failure());
        assertEquals(List.of(NODE_ASSIGNMENT, FAILURE), zero.kinds());
        pass(5_000);
        assertTrue(job.isFinished(nowNs));
        assertNull(come(Nodes.request(0, 2, "a")).process);
    }

    @Test
    void shouldRefuseWhatMemberMayNotSay() throws Exception
    {
        final Peer zero = come(Nodes.request(0, 4, "a"));
        assertThrows(ProtocolViolation.class, () -> job.onLeave(zero.process, nowNs));
        assertThrows(ProtocolViolation.class, () -> job.onHeartbeat(zero.process));
        assertThrows(ProtocolViolation.class, () -> job.onPeState(zero.process, state(0, 1)));
        assertThrows(ProtocolViolation.class, () -> job.onDirectory(zero.process, Path.of("/x")));
        final Peer one = come(Nodes.request(1, 4, "a"));
        come(Nodes.request(new int[]{2, 3}, 4, false, "b"));
        assertThrows(ProtocolViolation.class, () -> job.onHeartbeat(one.process));
        assertThrows(ProtocolViolation.class, () -> job.onDirectory(one.process, Path.of("/x")));
        assertThrows(ProtocolViolation.class, () -> job.onPeState(one.process, state(1, 1)));
        assertThrows(ProtocolViolation.class, () -> job.onPeState(zero.process, state(2, 1)));
        job.onDirectory(zero.process, Path.of("/x"));
        assertThrows(ProtocolViolation.class, () -> job.onDirectory(zero.process, Path.of("/x")));
        job.onPeState(zero.process, state(0, 4));
        job.onPeState(zero.process, state(0, 4));
        assertThrows(ProtocolViolation.class, () -> job.onPeState(zero.process, state(0, 3)));
        assertNull(job.failure());
        job.onProtocolViolation(zero.process, new ProtocolViolation("nonsense"), nowNs);
        assertEquals(JobFailure.Kind.PROTOCOL, job.failure().kind());
        assertEquals(0, job.failure().pe());
    }

    /**
     * Any join requests in any order: each process receives exactly one outcome, the same for all.
     */
    @Test
    void shouldTellAllTheSame()
    {
        final long seed = System.nanoTime();
        final Random random = new Random(seed);
        for (int round = 0; round < 500; round++)
        {
            final RendezvousStateMachine one = newJob();
            final List<Peer> peers = new ArrayList<>();
            for (int i = 0; i < 8; i++)
            {
                final int[] pes = random.ints(1 + random.nextInt(2), -1, 5).toArray();
                final int nPes = 0 == random.nextInt(8) ? random.nextInt() : 4;
                final Peer peer = new Peer();
                peers.add(peer);
                peer.process = one.onJoinRequest(
                    Nodes.request(pes, nPes, 0 == random.nextInt(5), "n" + random.nextInt(2)), peer, nowNs);
                if (0 == random.nextInt(20) && null != peer.process)
                {
                    one.onDisconnect(peer.process, "ended", nowNs);
                    peer.isGone = true;
                }
            }

            one.tick(nowNs += Nodes.JOIN_TIMEOUT_NS);
            assertTrue(null != one.failure() ||
                peers.stream().anyMatch((peer) -> peer.kinds().contains(NODE_ASSIGNMENT)));
            for (final Peer peer : peers)
            {
                assertTrue(peer.isGone || peer.kinds().stream().anyMatch(
                    (kind) -> NODE_ASSIGNMENT == kind || FAILURE == kind || 4 == kind), () -> "seed " + seed);
            }
        }
    }

    @Test
    void shouldAbandonRunningJobButNotOneThatLeaves() throws Exception
    {
        final Peer zero = come(Nodes.request(0, 2, "a"));
        final Peer one = come(Nodes.request(1, 2, "b"));
        job.onPeState(zero.process, state(0, PePhase.CLOSING));
        job.onPeState(one.process, state(1, PePhase.CLOSING));
        job.abandon(nowNs);
        assertNull(job.failure());

        final RendezvousStateMachine running = newJob();
        running.abandon(nowNs);
        assertNull(running.failure());
        final Peer peer = new Peer();
        assertNotNull(running.onJoinRequest(Nodes.request(0, 2, "a"), peer, nowNs));
        running.abandon(nowNs);
        assertEquals(JobFailure.Kind.PE_FAILED, running.failure().kind());
        assertEquals(0, running.failure().pe());
    }

    private Peer come(final JoinRequest request)
    {
        final Peer peer = new Peer();
        peer.process = job.onJoinRequest(request, peer, nowNs);

        return peer;
    }

    private void pass(final long ms)
    {
        for (long i = 0; i < ms; i += 100)
        {
            nowNs += Math.min(100, ms - i) * MS;
            job.tick(nowNs);
        }
    }

    private static PeState state(final int pe, final int phase)
    {
        return new PeState(pe, phase, 5, 6, false, "h", "l", new byte[3]);
    }

    private static final class Peer implements RendezvousStateMachine.MessageSink
    {
        private final List<byte[]> frames = new ArrayList<>();
        private RendezvousStateMachine.ProcessEntry process;
        private boolean isEnded;
        private boolean isGone;

        @Override
        public void send(final byte[] frame)
        {
            frames.add(Arrays.copyOfRange(frame, 4, frame.length));
        }

        @Override
        public void end()
        {
            isEnded = true;
        }

        private List<Integer> kinds()
        {
            final List<Integer> kinds = new ArrayList<>();
            for (final byte[] frame : frames)
            {
                try
                {
                    kinds.add(RendezvousMessages.templateOf(frame));
                }
                catch (final ProtocolViolation ex)
                {
                    throw new AssertionError(ex);
                }
            }

            return kinds;
        }

        private NodeAssignment assignment(final int nPes) throws ProtocolViolation
        {
            return RendezvousMessages.decodeNodeAssignment(frames.get(0), nPes);
        }
    }
}
