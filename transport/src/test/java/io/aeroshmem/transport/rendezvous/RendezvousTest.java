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

import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.VirtualPause;
import io.aeroshmem.transport.job.Await;
import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.PeActivities;
import io.aeroshmem.transport.job.PePhase;
import io.aeroshmem.transport.job.SharedMemory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("waits")
@Timeout(60)
class RendezvousTest
{
    @TempDir(factory = SharedMemory.class)
    private Path root;
    private Nodes nodes;

    @BeforeEach
    void start()
    {
        nodes = new Nodes(root);
    }

    @AfterEach
    void stop() throws Exception
    {
        nodes.close();
    }

    @Test
    void shouldAppointLowestRankOfEachNode() throws Exception
    {
        final List<RendezvousClient> clients = nodes.joinAll(
            Nodes.request(0, 4, "a"), Nodes.request(1, 4, "b"), Nodes.request(2, 4, "b"), Nodes.request(3, 4, "a"));

        assertArrayEquals(new int[]{0, 3}, clients.get(0).nodePes());
        assertArrayEquals(new int[]{1, 2}, clients.get(2).nodePes());
        assertTrue(clients.get(0).isLeader());
        assertTrue(clients.get(1).isLeader());
        assertFalse(clients.get(2).isLeader());
        assertFalse(clients.get(3).isLeader());
        assertEquals(1, clients.get(2).leaderPe());
        assertFalse(clients.get(0).isSingleNode());
        assertNotEquals(0, clients.get(0).token());
        assertEquals(1, clients.stream().mapToLong(RendezvousClient::token).distinct().count());
        assertEquals(InetAddress.getLoopbackAddress().getHostAddress(), clients.get(0).localAddress());
    }

    @Test
    void shouldAppointLauncher() throws Exception
    {
        final List<RendezvousClient> clients = nodes.joinAll(
            Nodes.request(0, 4, "a"), Nodes.request(new int[]{1, 2, 3}, 4, true, "a"));

        assertFalse(clients.get(0).isLeader());
        assertTrue(clients.get(1).isLeader());
        assertEquals(-1, clients.get(0).leaderPe());
        assertTrue(clients.get(0).isSingleNode());
    }

    @Test
    void shouldTellDirectoryAndEndWhenAllHaveLeftOneNode() throws Exception
    {
        final List<RendezvousClient> clients = nodes.joinAll(Nodes.request(0, 2, "a"), Nodes.request(1, 2, "a"));
        final Path path = Path.of("/dev/shm/somewhere");
        clients.get(0).directory(path);
        assertEquals(path, clients.get(1).awaitDirectory());
        clients.get(1).close();
        clients.get(0).close();
        nodes.awaitServerOver();
        assertNull(nodes.server.failure());
        assertEquals(0, nodes.server.rejectedCount());
        assertTrue(nodes.errors.isEmpty(), nodes.errors::toString);
        assertPortIsFree();
    }

    @Test
    void shouldMirrorRecordsAndPhases() throws Exception
    {
        final List<ControlFile> controls = nodes.mirrored(3, 10_000);
        for (int pe = 0; pe < 3; pe++)
        {
            Nodes.record(controls.get(pe), pe, "first of " + pe);
        }

        Nodes.announce(controls, PePhase.RECORDED);
        assertRecords(controls, "first of ");
        assertEquals(5_002, controls.get(0).pid(2));
        assertTrue(controls.get(0).isMirrored(2));
        assertFalse(controls.get(2).isMirrored(2));
        assertEquals(controls.get(2).hostName(2), controls.get(0).hostName(2));
        assertEquals(controls.get(2).log(2), controls.get(0).log(2));
        assertEquals(88, controls.get(0).startTime(2));

        Nodes.announce(controls, PePhase.EXCHANGED);
        for (int pe = 0; pe < 3; pe++)
        {
            Nodes.record(controls.get(pe), pe, "complete record of " + pe);
        }

        Nodes.announce(controls, PePhase.LISTENING);
        assertRecords(controls, "complete record of ");
        Nodes.announce(controls, PePhase.CONNECTED);
        Nodes.announce(controls, PePhase.RUNNING);
        Nodes.announce(controls, PePhase.CLOSING);
        nodes.closeAllAtOnce();
        nodes.awaitServerOver();

        assertNull(nodes.server.failure());
        for (final ControlFile control : controls)
        {
            assertFalse(control.isFailed(), control::toString);
        }

        assertTrue(nodes.errors.isEmpty(), nodes.errors::toString);
        assertPortIsFree();
    }

    @Test
    @Tag("ci")
    void shouldPassOnToAllNodesWhatPesAreBlockedIn() throws Exception
    {
        final List<ControlFile> controls = nodes.mirrored(3, 10_000);
        Nodes.announce(controls, PePhase.RUNNING);
        final long nowMs = System.currentTimeMillis();
        controls.get(1).activities().publish(1, "barrier", " on team WORLD", 5, 17, 3, nowMs - 2_000, nowMs);
        controls.get(1).activities().flags(1, nowMs - 2_000, PeActivities.SENT_ARRIVED);
        for (final int other : new int[] {0, 2})
        {
            final PeActivities activities = controls.get(other).activities();
            Await.until(() -> activities.isPast(1, 5, 16), () -> String.valueOf(activities.get(1)));
            assertEquals("barrier on team WORLD", activities.get(1).text());
            assertTrue(activities.get(1).isFresh(System.currentTimeMillis()));
            assertTrue(activities.get(1).seenMs() - activities.get(1).sinceMs() >= 2_000);
            assertEquals(3, activities.mismatch(1, 5, 17, 4));
            assertEquals(-1, activities.mismatch(1, 5, 17, 3));
        }
    }

    @Test
    void shouldNotAnnounceTheEndOfAJvmBeforeThePhaseOfItsPe() throws Exception
    {
        nodes.joinAll(Nodes.request(0, 2, "a"), Nodes.request(1, 2, "b"));
        final AtomicInteger rounds = new AtomicInteger();
        final List<ControlFile> controls = List.of(
            nodes.mirror(nodes.clients.get(0), 2, rounds::incrementAndGet), nodes.mirror(nodes.clients.get(1), 2));
        controls.get(0).ending(0);
        nodes.clients.get(0).flushEnding(TimeUnit.HOURS.toNanos(1));
        final int last = rounds.get() + 3;
        Await.until(() -> rounds.get() >= last, () -> "no more rounds");
        controls.get(0).phase(0, PePhase.RECORDED);
        nodes.clients.get(0).flushEnding(TimeUnit.SECONDS.toNanos(20));
        Await.until(() -> controls.get(1).isEnding(0) || controls.get(1).isFailed(), controls.get(1)::toString);
        assertNull(controls.get(1).failure());
        assertEquals(PePhase.RECORDED, controls.get(1).phase(0));
    }

    @Test
    void shouldPassFailureOnToAllNodes() throws Exception
    {
        final List<ControlFile> controls = nodes.mirrored(3, 10_000);
        Nodes.announce(controls, PePhase.RUNNING);
        final long startNs = System.nanoTime();
        controls.get(1).fail(1, new JobFailure(JobFailure.Kind.GLOBAL_EXIT, 1, 42, "enough"));
        nodes.clients.get(1).flushFailure(TimeUnit.SECONDS.toNanos(20));
        final long flushedMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
        for (final ControlFile control : controls)
        {
            Nodes.awaitFailure(control);
            assertEquals(new JobFailure(JobFailure.Kind.GLOBAL_EXIT, 1, 42, "enough"), control.failure());
        }

        assertTrue(flushedMs < 10_000, () -> "flushed after " + flushedMs + " ms");
        nodes.closeAllAtOnce();
        nodes.awaitServerOver();
        assertEquals(JobFailure.Kind.GLOBAL_EXIT, nodes.server.failure().kind());
    }

    @Test
    void shouldPassFailureOfServersOwnOn() throws Exception
    {
        final List<ControlFile> controls = nodes.mirrored(2, 10_000);
        nodes.server.fail(new JobFailure(JobFailure.Kind.PE_FAILED, -1, 3, "host b is on fire"));
        nodes.server.fail(new JobFailure(JobFailure.Kind.PE_FAILED, -1, 3, "and another"));
        for (final ControlFile control : controls)
        {
            Nodes.awaitFailure(control);
            assertEquals("host b is on fire", control.failure().message());
        }

        nodes.awaitServerOver();
    }

    @Test
    void shouldNameLeaderWhoseConnectionEnds() throws Exception
    {
        final List<ControlFile> controls = nodes.mirrored(2, 10_000);
        Nodes.announce(controls, PePhase.RUNNING);
        Nodes.kill(nodes.clients.get(1));
        Nodes.awaitFailure(controls.get(0));
        final JobFailure failure = controls.get(0).failure();
        assertEquals(JobFailure.Kind.PE_DIED, failure.kind());
        assertEquals(1, failure.pe());
        assertTrue(failure.message().startsWith("PE 1 (pid 1001, host host-n1) died: "), failure::message);
        assertTrue(failure.message().contains("last activity ") && failure.message().contains("log /log/1"),
            failure::message);
    }

    @Test
    void shouldNameServerThatEnds() throws Exception
    {
        final List<ControlFile> controls = nodes.mirrored(2, 10_000);
        Nodes.announce(controls, PePhase.RUNNING);
        nodes.server.close();
        for (final ControlFile control : controls)
        {
            Nodes.awaitFailure(control);
            assertEquals(JobFailure.Kind.PE_FAILED, control.failure().kind());
            assertTrue(control.failure().message().contains("pid " + ProcessHandle.current().pid()),
                () -> control.failure().message());
        }
    }

    @Test
    void shouldFailJobThatLeaderLeavesAmidst() throws Exception
    {
        final List<ControlFile> controls = nodes.mirrored(2, 10_000);
        Nodes.announce(controls, PePhase.RUNNING);
        final long startNs = System.nanoTime();
        nodes.clients.get(1).close();
        assertTrue(System.nanoTime() - startNs < TimeUnit.SECONDS.toNanos(3));
        for (final ControlFile control : controls)
        {
            Nodes.awaitFailure(control);
            assertEquals(JobFailure.Kind.PE_FAILED, control.failure().kind());
            assertEquals(1, control.failure().pe());
        }
    }

    @Test
    void shouldTellWhoDidNotCome() throws Exception
    {
        try (RawClient three = new RawClient(nodes.server.id()))
        {
            // before the timeout of PE 0 begins
            three.join(Nodes.request(3, 5, "b", 20_000, 1_000));
            assertMessage("PEs 1, 2, 4", nodes.join(Nodes.request(0, 5, "a", 300, 1_000)));
            final String message = RendezvousMessages.decodeFailure(three.read(), 5).message();
            assertTrue(message.contains("PEs 1, 2, 4"), message);
        }
    }

    @Test
    void shouldTellAllOfOtherNumberOfPes() throws Exception
    {
        final Future<RendezvousClient> zero = nodes.join(Nodes.request(0, 3, "a"));
        final Future<RendezvousClient> one = nodes.join(Nodes.request(1, 4, "a"));
        assertMessage("nPes must be equal", zero);
        assertMessage("nPes must be equal", one);
        final Future<RendezvousClient> late = nodes.join(Nodes.request(2, 3, "a"));
        assertMessage("nPes must be equal on all PEs", late);
    }

    @Test
    void shouldTellAllOfRankThatIsThereTwice() throws Exception
    {
        final Future<RendezvousClient> zero = nodes.join(Nodes.request(0, 3, "a"));
        final Future<RendezvousClient> one = nodes.join(Nodes.request(1, 3, "a"));
        final Future<RendezvousClient> other = nodes.join(Nodes.request(1, 3, "b"));
        assertMessage("rank must be unique: PE 1 is both", zero);
        assertMessage("rank must be unique: PE 1 is both", one);
        assertMessage("rank must be unique: PE 1 is both", other);
    }

    @Test
    void shouldTellAllOfRankOutside() throws Exception
    {
        final Future<RendezvousClient> zero = nodes.join(Nodes.request(0, 2, "a"));
        final Future<RendezvousClient> one = nodes.join(Nodes.request(2, 2, "a"));
        assertMessage("rank must be 0 to 1", zero);
        assertMessage("rank must be 0 to 1", one);
    }

    @Test
    void shouldRefuseWhoComesToRunningJobAndGoOn() throws Exception
    {
        final List<ControlFile> controls = nodes.mirrored(2, 10_000);
        assertMessage("had joined before", nodes.join(Nodes.request(1, 2, "b")));
        Nodes.announce(controls, PePhase.RUNNING);
        assertFalse(controls.get(0).isFailed());
        Nodes.announce(controls, PePhase.CLOSING);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Tag("ci")
    void shouldEndJoinWithInterrupt(final boolean isLauncher) throws Exception
    {
        final JoinRequest request = Nodes.request(new int[]{1}, 3, isLauncher, "a");
        final AtomicReference<TransportException> thrown = new AtomicReference<>();
        final AtomicReference<Boolean> isFlagSet = new AtomicReference<>();
        final Thread thread = new Thread(() ->
        {
            thrown.set(assertThrows(TransportException.class,
                () -> RendezvousClient.join(nodes.server.id(), request)));
            isFlagSet.set(Thread.currentThread().isInterrupted());
        });
        try (RawClient zero = new RawClient(nodes.server.id()))
        {
            zero.join(Nodes.request(0, 3, "a"));
            thread.start();
            Await.until(
                () -> Arrays.stream(thread.getStackTrace()).anyMatch(
                    (element) -> "awaitAssignment".equals(element.getMethodName())),
                () -> "it does not wait");
            thread.interrupt();
            thread.join(20_000);
            final JobFailure failure = RendezvousMessages.decodeFailure(zero.read(), 3);
            assertEquals(isLauncher ? -1 : 1, failure.pe());
            assertTrue(failure.message().contains("interrupted"), failure::message);
        }

        assertInstanceOf(ClosedByInterruptException.class, thrown.get().getCause());
        assertTrue(isFlagSet.get());
    }

    @Test
    void shouldWaitForServerThatComesLater() throws Exception
    {
        final RendezvousId here = nodes.server.id();
        nodes.server.close();
        final InetSocketAddress address = here.address();
        final RendezvousId id = RendezvousId.derive(address, "job", "secret");
        final AtomicReference<RendezvousClient> joined = new AtomicReference<>();
        final Thread thread = new Thread(() -> joined.set(RendezvousClient.join(id, Nodes.request(0, 1, "a"))));
        thread.start();
        try (RendezvousServer server =
            RendezvousServer.start(RendezvousId.derive(address, "job", "secret"), nodes.errors::add))
        {
            thread.join(20_000);
            assertTrue(joined.get().isLeader());
            joined.get().close();
            Await.until(server::isEnded, server::toString);
            assertNull(server.failure());
        }
    }

    @Test
    void shouldServeThousandsOfPes() throws Exception
    {
        final int[] even = IntStream.range(0, 2048).map((i) -> 2 * i).toArray();
        final int[] odd = IntStream.range(0, 2048).map((i) -> 2 * i + 1).toArray();
        final List<RendezvousClient> clients =
            nodes.joinAll(Nodes.request(even, 4096, true, "a"), Nodes.request(odd, 4096, true, "b"));
        assertArrayEquals(odd, clients.get(1).nodePes());

        final ControlFile first = nodes.mirror(clients.get(0), 4096);
        final ControlFile second = nodes.mirror(clients.get(1), 4096);
        for (int pe = 0; pe < 4096; pe++)
        {
            final ControlFile own = 0 == pe % 2 ? first : second;
            Nodes.record(own, pe, "record " + pe);
            own.phase(pe, PePhase.RECORDED);
        }

        Nodes.awaitAll(List.of(first, second), PePhase.RECORDED);
        assertEquals("record 4095", Nodes.record(first, 4095));
        assertEquals("record 2048", Nodes.record(second, 2048));
        for (int pe = 0; pe < 4096; pe++)
        {
            (0 == pe % 2 ? first : second).phase(pe, PePhase.CLOSED);
        }

        nodes.closeAllAtOnce();
        nodes.awaitServerOver();
        assertNull(nodes.server.failure());
    }

    @Test
    @Tag("ci")
    void shouldFailWhenProcessEndsWhileOthersWait() throws Exception
    {
        final Future<RendezvousClient> zero = nodes.join(Nodes.request(0, 3, "a"));
        final RawClient one = new RawClient(nodes.server.id());
        one.join(Nodes.request(1, 3, "b"));
        one.close();
        assertMessage("PE 1 (pid 1001, host host-b) died", zero);
    }

    @Test
    void shouldTellWhyProcessGaveUp() throws Exception
    {
        final List<RendezvousClient> clients = nodes.joinAll(Nodes.request(0, 2, "a"), Nodes.request(1, 2, "a"));
        clients.get(0).withdraw("the file system is full");
        clients.get(0).close();
        final TransportException ex = assertThrows(TransportException.class, clients.get(1)::awaitDirectory);
        assertTrue(ex.getMessage().contains("PE 0") && ex.getMessage().contains("full"), ex::getMessage);
    }

    @Test
    void shouldTellAllOfProcessThatWillNotCome() throws Exception
    {
        final Future<RendezvousClient> zero = nodes.join(Nodes.request(0, 3, "a"));
        assertTrue(RendezvousClient.withdraw(nodes.server.id(), Nodes.request(1, 3, "a"), "its heap does not fit"));
        assertMessage("PE 1 (pid 1001, host host-a) could not join: its heap does not fit", zero);
        assertMessage("its heap does not fit", nodes.join(Nodes.request(2, 3, "b")));
        nodes.awaitServerOver();
    }

    @Test
    void shouldKeepFailureOfOneThatGaveUpForThoseThatComeLater() throws Exception
    {
        assertTrue(RendezvousClient.withdraw(nodes.server.id(), Nodes.request(1, 2, "a"), "no"));
        assertMessage("could not join: no", nodes.join(Nodes.request(0, 2, "a")));
        nodes.awaitServerOver();
        assertFalse(
            RendezvousClient.withdraw(nodes.server.id(), Nodes.request(1, 2, "a"), "no", new VirtualPause()));
    }

    private void assertPortIsFree()
    {
        final InetSocketAddress address = nodes.server.id().address();
        assertThrows(ConnectException.class, () -> new Socket(address.getAddress(), address.getPort()).close());
    }

    private static void assertRecords(final List<ControlFile> controls, final String text)
    {
        for (final ControlFile control : controls)
        {
            for (int pe = 0; pe < control.nPes(); pe++)
            {
                assertEquals(text + pe, Nodes.record(control, pe));
            }
        }
    }

    private static void assertMessage(final String text, final Future<RendezvousClient> future)
    {
        final ExecutionException ex =
            assertThrows(ExecutionException.class, () -> future.get(20, TimeUnit.SECONDS));
        final Throwable cause = assertInstanceOf(TransportException.class, ex.getCause());
        assertTrue(cause.getMessage().contains(text), cause::getMessage);
    }
}
