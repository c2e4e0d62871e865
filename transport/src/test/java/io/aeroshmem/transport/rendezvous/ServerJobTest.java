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
class ServerJobTest
{
    private static final long TOKEN = 99;
    private static final Welcome SERVER = new Welcome(1_000, 77, "host-a");
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int APPOINTMENT = 5;
    private static final int DIRECTORY = 6;
    private static final int PE_STATE = 7;
    private static final int BEAT = 8;
    private static final int FAILURE = 9;
    private static final int FAREWELL = 11;

    /** Any value: the clock has no origin. */
    private long nowNs = Long.MAX_VALUE - 5_000 * MS;
    private final ServerJob job = new ServerJob(TOKEN, SERVER, nowNs);

    @Test
    void shouldWaitForAllAndPreferLaunchers() throws Exception
    {
        final Peer zero = come(Nodes.hello(0, 5, "a"));
        final Peer launcher = come(Nodes.hello(new int[]{3, 4}, 5, true, "a"));
        final Peer two = come(Nodes.hello(2, 5, "b"));
        assertTrue(zero.frames.isEmpty());
        final Peer one = come(Nodes.hello(1, 5, "b"));

        assertFalse(zero.appointment(5).isLeader());
        assertTrue(launcher.appointment(5).isLeader());
        assertEquals(-1, zero.appointment(5).leaderPe());
        assertArrayEquals(new int[]{0, 3, 4}, zero.appointment(5).nodePes());
        assertTrue(one.appointment(5).isLeader());
        assertFalse(two.appointment(5).isLeader());
        assertEquals(1, two.appointment(5).leaderPe());
        assertEquals(0, two.appointment(5).serverPe());
        assertEquals(TOKEN, two.appointment(5).token());
        assertFalse(two.appointment(5).isSingleNode());
    }

    @Test
    void shouldRelayStatesToOtherNodesOnly() throws Exception
    {
        final Peer zero = come(Nodes.hello(0, 3, "a"));
        final Peer one = come(Nodes.hello(1, 3, "b"));
        final Peer two = come(Nodes.hello(2, 3, "b"));
        job.peState(one.member, state(2, PePhase.RECORDED));
        assertEquals(List.of(APPOINTMENT, PE_STATE), zero.kinds());
        assertEquals(List.of(APPOINTMENT), one.kinds());
        assertEquals(List.of(APPOINTMENT), two.kinds());
        job.directory(one.member, Path.of("/x"));
        assertEquals(List.of(APPOINTMENT, DIRECTORY), two.kinds());
        assertEquals(List.of(APPOINTMENT), one.kinds());
    }

    @Test
    void shouldTellAllOnceWhoIsMissing()
    {
        final Peer zero = come(Nodes.hello(0, 3, "a", 60_000, 1_000));
        pass(59_000);
        final Peer two = come(Nodes.hello(2, 3, "a", 60_000, 1_000));
        assertNull(job.failure());
        pass(1_000);
        assertTrue(job.failure().message().contains("waited 60 s for PE 1 of 3"), () -> job.failure().message());
        pass(1_000);
        assertEquals(List.of(FAILURE), zero.kinds());
        assertEquals(List.of(FAILURE), two.kinds());
        assertTrue(zero.isEnded && two.isEnded);
        assertFalse(job.isFinished(nowNs));
        job.ended(zero.member, "ended", nowNs);
        job.ended(two.member, "ended", nowNs);
        assertTrue(job.isFinished(nowNs));
    }

    @Test
    void shouldWaitForThoseThatStillComeToFailedJob()
    {
        final Peer zero = come(Nodes.hello(0, 3, "a", 60_000, 1_000));
        final Peer wrong = come(Nodes.hello(1, 4, "a", 60_000, 1_000));
        job.ended(zero.member, "ended", nowNs);
        job.ended(wrong.member, "ended", nowNs);
        pass(10_000);
        assertFalse(job.isFinished(nowNs));
        final Peer late = come(Nodes.hello(2, 3, "a", 60_000, 1_000));
        assertNull(late.member);
        assertEquals(List.of(FAILURE), late.kinds());
        assertTrue(job.isFinished(nowNs));
    }

    @Test
    void shouldNotWaitBeyondTheJoinTimeoutForThoseThatStillCome()
    {
        final Peer zero = come(Nodes.hello(0, 3, "a", 60_000, 1_000));
        job.fail(new JobFailure(JobFailure.Kind.PE_FAILED, -1, -1, "no"), nowNs);
        job.ended(zero.member, "ended", nowNs);
        pass(59_999);
        assertFalse(job.isFinished(nowNs));
        pass(1);
        assertTrue(job.isFinished(nowNs));
    }

    @Test
    void shouldEndWhenAllHaveLeft() throws Exception
    {
        final Peer zero = come(Nodes.hello(0, 3, "a"));
        final Peer one = come(Nodes.hello(1, 3, "b"));
        final Peer two = come(Nodes.hello(2, 3, "b"));
        job.directory(one.member, Path.of("/x"));
        job.left(two.member, nowNs);
        job.ended(two.member, "ended", nowNs);
        for (final int pe : new int[]{1, 2})
        {
            job.peState(one.member, state(pe, PePhase.CLOSING));
        }
        job.left(one.member, nowNs);
        job.ended(one.member, "ended", nowNs);
        assertFalse(job.isFinished(nowNs));
        job.peState(zero.member, state(0, PePhase.CLOSED));
        job.left(zero.member, nowNs);
        assertNull(job.failure());
        assertEquals(FAREWELL, zero.kinds().get(zero.kinds().size() - 1));
        assertFalse(job.isFinished(nowNs));
        pass(5_000);
        assertTrue(job.isFinished(nowNs));
    }

    @Test
    void shouldTakeLostConnectionOfClosingJobAsLeft() throws Exception
    {
        final Peer zero = come(Nodes.hello(0, 2, "a"));
        final Peer one = come(Nodes.hello(1, 2, "b"));
        job.peState(zero.member, state(0, PePhase.CLOSING));
        job.peState(one.member, state(1, PePhase.CLOSING));
        job.ended(one.member, "broke", nowNs);
        assertNull(job.failure());
        job.left(zero.member, nowNs);
        assertNull(job.failure());
        assertEquals(FAREWELL, zero.kinds().get(zero.kinds().size() - 1));
    }

    @Test
    void shouldFailWithPeThatDiedBeforeItKnewItsDirectory()
    {
        come(Nodes.hello(0, 2, "a"));
        final Peer one = come(Nodes.hello(1, 2, "a"));
        pass(120);
        job.ended(one.member, "ended", nowNs);
        assertEquals(JobFailure.Kind.PE_DIED, job.failure().kind());
        assertEquals(1, job.failure().pe());
        assertTrue(job.failure().message().contains("last heard 120 ms ago; log /log/1"),
            () -> job.failure().message());
    }

    @Test
    void shouldBlameLauncherThatDied()
    {
        come(Nodes.hello(0, 3, "a"));
        final Peer launcher = come(Nodes.hello(new int[]{1, 2}, 3, true, "b"));
        job.ended(launcher.member, "ended", nowNs);
        assertEquals(JobFailure.Kind.LAUNCHER_DIED, job.failure().kind());
        assertEquals(-1, job.failure().pe());
        assertTrue(job.failure().message().startsWith("the launcher of PEs 1, 2 (pid 1001, host host-b) died: "),
            () -> job.failure().message());
    }

    @Test
    void shouldCountSilenceOnlyAfterFirstBeatAndOnlyWhatItSaw() throws Exception
    {
        final Peer zero = come(Nodes.hello(0, 2, "a", 60_000, 10_000));
        final Peer one = come(Nodes.hello(1, 2, "b", 60_000, 10_000));
        pass(20_000);
        job.beat(zero.member);
        job.heard(zero.member, nowNs);
        nowNs += 30_000 * MS;
        job.tick(nowNs);
        assertNull(job.failure(), "a pause of the server is nobody's silence");
        pass(7_500);
        assertNull(job.failure());
        job.heard(zero.member, nowNs);
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
        final Hello hello = Nodes.hello(0, 2, "a", 60_000, 10_000);
        final Peer zero = come(hello);
        come(Nodes.hello(1, 2, "b", 60_000, 10_000));
        job.beat(zero.member);
        pass(7_900);
        job.probed(Nodes.hello(0, 2, "other", 60_000, 10_000), nowNs);
        job.probed(Nodes.hello(5, 2, "a", 60_000, 10_000), nowNs);
        job.probed(hello, nowNs);
        pass(7_900);
        assertNull(job.failure());
        job.probed(hello, nowNs);
        pass(4_200);
        assertEquals(0, job.failure().pe());
        assertTrue(job.failure().message().contains("on its connection for 20000 ms"),
            () -> job.failure().message());
    }

    @Test
    void shouldBeatTwiceASecond()
    {
        final Peer zero = come(Nodes.hello(0, 1, "a"));
        pass(5_000);
        assertEquals(10, zero.kinds().stream().filter((kind) -> BEAT == kind).count());
    }

    @Test
    void shouldKeepFirstFailure()
    {
        final Peer zero = come(Nodes.hello(0, 2, "a"));
        final Peer one = come(Nodes.hello(1, 2, "b"));
        final JobFailure first = new JobFailure(JobFailure.Kind.GLOBAL_EXIT, 1, 3, "first");
        job.fail(first, nowNs);
        job.fail(new JobFailure(JobFailure.Kind.GLOBAL_EXIT, 0, 4, "second"), nowNs);
        job.ended(one.member, "ended", nowNs);
        assertEquals(first, job.failure());
        assertEquals(List.of(APPOINTMENT, FAILURE), zero.kinds());
        pass(5_000);
        assertTrue(job.isFinished(nowNs));
        assertNull(come(Nodes.hello(0, 2, "a")).member);
    }

    @Test
    void shouldRefuseWhatMemberMayNotSay() throws Exception
    {
        final Peer zero = come(Nodes.hello(0, 4, "a"));
        assertThrows(ProtocolViolation.class, () -> job.left(zero.member, nowNs));
        assertThrows(ProtocolViolation.class, () -> job.beat(zero.member));
        assertThrows(ProtocolViolation.class, () -> job.peState(zero.member, state(0, 1)));
        assertThrows(ProtocolViolation.class, () -> job.directory(zero.member, Path.of("/x")));
        final Peer one = come(Nodes.hello(1, 4, "a"));
        come(Nodes.hello(new int[]{2, 3}, 4, false, "b"));
        assertThrows(ProtocolViolation.class, () -> job.beat(one.member));
        assertThrows(ProtocolViolation.class, () -> job.directory(one.member, Path.of("/x")));
        assertThrows(ProtocolViolation.class, () -> job.peState(one.member, state(1, 1)));
        assertThrows(ProtocolViolation.class, () -> job.peState(zero.member, state(2, 1)));
        job.directory(zero.member, Path.of("/x"));
        assertThrows(ProtocolViolation.class, () -> job.directory(zero.member, Path.of("/x")));
        job.peState(zero.member, state(0, 4));
        job.peState(zero.member, state(0, 4));
        assertThrows(ProtocolViolation.class, () -> job.peState(zero.member, state(0, 3)));
        assertNull(job.failure());
        job.lied(zero.member, new ProtocolViolation("nonsense"), nowNs);
        assertEquals(JobFailure.Kind.PROTOCOL, job.failure().kind());
        assertEquals(0, job.failure().pe());
    }

    /**
     * Whatever hellos come in whatever order: each process is told exactly one outcome, the same for all.
     */
    @Test
    void shouldTellAllTheSame()
    {
        final long seed = System.nanoTime();
        final Random random = new Random(seed);
        for (int round = 0; round < 500; round++)
        {
            final ServerJob one = new ServerJob(TOKEN, SERVER, nowNs);
            final List<Peer> peers = new ArrayList<>();
            for (int i = 0; i < 8; i++)
            {
                final int[] pes = random.ints(1 + random.nextInt(2), -1, 5).toArray();
                final int nPes = 0 == random.nextInt(8) ? random.nextInt() : 4;
                final Peer peer = new Peer();
                peers.add(peer);
                peer.member = one.hello(
                    Nodes.hello(pes, nPes, 0 == random.nextInt(5), "n" + random.nextInt(2)), peer, nowNs);
                if (0 == random.nextInt(20) && null != peer.member)
                {
                    one.ended(peer.member, "ended", nowNs);
                    peer.isGone = true;
                }
            }
            one.tick(nowNs += Nodes.JOIN_TIMEOUT_NS);
            assertTrue(null != one.failure() || peers.stream().anyMatch((peer) -> peer.kinds().contains(APPOINTMENT)));
            for (final Peer peer : peers)
            {
                assertTrue(peer.isGone || peer.kinds().stream().anyMatch(
                    (kind) -> APPOINTMENT == kind || FAILURE == kind || 4 == kind), () -> "seed " + seed);
            }
        }
    }

    @Test
    void shouldAbandonRunningJobButNotOneThatLeaves() throws Exception
    {
        final Peer zero = come(Nodes.hello(0, 2, "a"));
        final Peer one = come(Nodes.hello(1, 2, "b"));
        job.peState(zero.member, state(0, PePhase.CLOSING));
        job.peState(one.member, state(1, PePhase.CLOSING));
        job.abandon(nowNs);
        assertNull(job.failure());

        final ServerJob running = new ServerJob(TOKEN, SERVER, nowNs);
        running.abandon(nowNs);
        assertNull(running.failure());
        final Peer peer = new Peer();
        assertNotNull(running.hello(Nodes.hello(0, 2, "a"), peer, nowNs));
        running.abandon(nowNs);
        assertEquals(JobFailure.Kind.PE_FAILED, running.failure().kind());
        assertEquals(0, running.failure().pe());
    }

    private Peer come(final Hello hello)
    {
        final Peer peer = new Peer();
        peer.member = job.hello(hello, peer, nowNs);

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
        return new PeState(pe, phase, 5, 6, "h", "l", new byte[3]);
    }

    private static final class Peer implements ServerJob.Outlet
    {
        private final List<byte[]> frames = new ArrayList<>();
        private ServerJob.Member member;
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

        private Appointment appointment(final int nPes) throws ProtocolViolation
        {
            return RendezvousMessages.decodeAppointment(frames.get(0), nPes);
        }
    }
}
