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
import io.aeroshmem.transport.job.PePhase;
import io.aeroshmem.transport.job.PreviousGeneration;
import io.aeroshmem.transport.job.SharedMemory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The damage that invalid input can do: an authenticated process can fail the job, another peer cannot.
 */
@Tag("waits")
@Timeout(60)
class RendezvousHostileTest
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
    void shouldRefuseStrangersAndGoOn() throws Exception
    {
        final Future<RendezvousClient> zero = nodes.join(Nodes.request(0, 2, "a"));
        final long seed = System.nanoTime();
        final Random random = new Random(seed);
        int peers = 0;
        for (int i = 0; i < 60; i++)
        {
            final byte[] garbage = new byte[0 == i % 3 ? 4096 : random.nextInt(5_000)];
            random.nextBytes(garbage);
            if (0 == i % 2 && garbage.length > 4)
            {
                ByteBuffer.wrap(garbage).order(ByteOrder.LITTLE_ENDIAN).putInt(random.nextInt(garbage.length));
            }

            try (RawClient peer = new RawClient(nodes.server.id()))
            {
                peer.send(garbage);
                peers++;
            }
            catch (final SocketException ex)
            {
                // The server was faster in closing.
                peers++;
            }
        }

        final int expected = peers;
        Await.until(
            () -> nodes.server.rejectedCount() >= expected, () -> "seed " + seed + ", rejected " + nodes.server);
        assertEquals(expected, nodes.server.rejectedCount());
        assertEquals(1, nodes.errors.size(), nodes.errors::toString);
        final Future<RendezvousClient> one = nodes.join(Nodes.request(1, 2, "a"));
        nodes.clients.add(zero.get(20, TimeUnit.SECONDS));
        nodes.clients.add(one.get(20, TimeUnit.SECONDS));
        assertNull(nodes.server.failure());
    }

    @Test
    void shouldCountButNotTellWhoOnlyLooks() throws Exception
    {
        final int looks = 5;
        for (int i = 0; i < looks; i++)
        {
            final InetSocketAddress address = nodes.server.id().address();
            new Socket(address.getAddress(), address.getPort()).close();
        }

        Await.until(() -> looks == nodes.server.rejectedCount(), nodes.server::toString);
        assertTrue(nodes.errors.isEmpty(), nodes.errors::toString);
    }

    @Test
    void shouldRefuseWrongSecretAndWrongJob()
    {
        final RendezvousId id = nodes.server.id();
        final RendezvousId other = RendezvousId.random(id.address());
        for (final RendezvousId wrong : new RendezvousId[]{
            RendezvousId.of(id.address(), id.jobId(), other.secret()),
            RendezvousId.of(id.address(), other.jobId(), id.secret()),
            other})
        {
            final TransportException ex = assertThrows(
                TransportException.class, () -> RendezvousClient.join(wrong, Nodes.request(0, 1, "a")));
            assertTrue(ex.getMessage().contains("rejected") && ex.getMessage().contains("secret"), ex::getMessage);
        }

        assertEquals(3, nodes.server.rejectedCount());
        assertEquals(1, nodes.errors.size());
        final String reported = nodes.errors.get(0).getMessage();
        assertTrue(reported.contains("does not know the secret of this job"), reported);
        assertNull(nodes.server.failure());
    }

    @Test
    void shouldRefuseReplayedHello() throws Exception
    {
        final Authenticator authenticator = new Authenticator(nodes.server.id());
        final JoinRequest request = Nodes.request(0, 2, "a");
        final byte[] recorded;
        try (RawClient member = new RawClient(nodes.server.id()))
        {
            recorded = RendezvousMessages.joinRequest(
                request, "", authenticator, member.challenge(), authenticator.nonce());
        }

        try (RawClient thief = new RawClient(nodes.server.id()))
        {
            thief.challenge();
            thief.send(recorded);
            assertTrue(RendezvousMessages.decodeJoinRejected(thief.read()).contains("secret"));
            assertNull(thief.read());
        }

        assertNull(nodes.server.failure());
    }

    @Test
    @Tag("ci")
    void shouldNotBeHeldUpByStrangersThatSayNothing() throws Exception
    {
        final List<RawClient> silent = new ArrayList<>();
        try
        {
            for (int i = 0; i < RendezvousServer.MAX_UNAUTHENTICATED + 20; i++)
            {
                silent.add(new RawClient(nodes.server.id()));
            }

            nodes.joinAll(Nodes.request(0, 2, "a"), Nodes.request(1, 2, "a"));
            assertTrue(nodes.server.rejectedCount() > 0);
            assertNull(nodes.server.failure());
        }
        finally
        {
            for (final RawClient client : silent)
            {
                client.close();
            }
        }
    }

    @Test
    void shouldTakeHelloThatComesByteByByte() throws Exception
    {
        final Authenticator authenticator = new Authenticator(nodes.server.id());
        try (RawClient slow = new RawClient(nodes.server.id()))
        {
            final byte[] nonce = authenticator.nonce();
            final byte[] serverNonce = slow.challenge();
            for (final byte value : RendezvousMessages.joinRequest(
                Nodes.request(0, 1, "a"), "", authenticator, serverNonce, nonce))
            {
                slow.send(new byte[]{value});
            }

            RendezvousMessages.decodeJoinAccepted(slow.read(), authenticator, nonce, serverNonce);
            assertTrue(RendezvousMessages.decodeNodeAssignment(slow.read(), 1).isLeader());
        }
    }

    @Test
    void shouldFailJobOfMemberThatLies() throws Exception
    {
        for (final byte[] violation : violations())
        {
            final RendezvousServer server =
                RendezvousServer.start(InetAddress.getLoopbackAddress(), 0, nodes.errors::add);
            try (RawClient zero = new RawClient(server.id());
                RawClient one = new RawClient(server.id()))
            {
                zero.join(Nodes.request(0, 2, "a"));
                one.join(Nodes.request(1, 2, "b"));
                assertNotNull(RendezvousMessages.decodeNodeAssignment(zero.read(), 2));
                assertNotNull(RendezvousMessages.decodeNodeAssignment(one.read(), 2));
                one.send(violation);
                assertEquals(1, failure(zero).pe());
                assertEquals(JobFailure.Kind.PROTOCOL, failure(one).kind());
            }
            finally
            {
                server.close();
            }

            assertTrue(server.isEnded());
            assertTrue(server.failure().message().startsWith("PE 1 (pid 1001, host host-b) sent "),
                () -> server.failure().message());
        }
    }

    @Test
    void shouldFailJobOfOtherVersion() throws Exception
    {
        try (RawClient zero = new RawClient(nodes.server.id());
            RawClient one = new RawClient(nodes.server.id()))
        {
            zero.join(Nodes.request(0, 2, "a"));
            final Authenticator authenticator = new Authenticator(nodes.server.id());
            final byte[] nonce = authenticator.nonce();
            final byte[] serverNonce = one.challenge();
            final byte[] frame =
                RendezvousMessages.joinRequest(Nodes.request(1, 2, "a"), "", authenticator, serverNonce, nonce);
            final byte[] message = Arrays.copyOfRange(frame, 4, frame.length);
            final int version = RendezvousMessages.PROTOCOL_VERSION + 1;
            message[8] = (byte)version;
            Arrays.fill(message, 58, 90, (byte)0);
            System.arraycopy(authenticator.macOfJoinRequest(serverNonce, nonce, message), 0, message, 58, 32);
            System.arraycopy(message, 0, frame, 4, message.length);
            one.send(frame);
            assertTrue(RendezvousMessages.decodeJoinRejected(one.read()).contains("version " + version));
            assertTrue(failure(zero).message().contains("version " + version));
        }
    }

    @Test
    void shouldFailMemberThatDoesNotRead() throws Exception
    {
        try (RawClient zero = new RawClient(nodes.server.id());
            RawClient one = new RawClient(nodes.server.id()))
        {
            zero.join(Nodes.request(0, 2, "a"));
            one.join(Nodes.request(1, 2, "b"));
            final byte[] states = repeated(RendezvousMessages.peState(
                new PeState(1, PePhase.RUNNING, 1, 1, false, "host", "log", new byte[1024])), 1_000);
            final CountDownLatch isStarted = new CountDownLatch(1);
            final Thread flood = new Thread(() ->
            {
                try
                {
                    while (null == nodes.server.failure())
                    {
                        one.send(states);
                        isStarted.countDown();
                    }
                }
                catch (final IOException ex)
                {
                    isStarted.countDown();
                }
            });
            flood.setDaemon(true);
            flood.start();
            assertTrue(isStarted.await(20, TimeUnit.SECONDS));
            Await.until(() -> null != nodes.server.failure(), nodes.server::toString);
            assertEquals(0, nodes.server.failure().pe());
            assertTrue(nodes.server.failure().message().contains("does not read"),
                () -> nodes.server.failure().message());
        }
    }

    @Test
    @Tag("ci")
    void shouldNoticeNodeThatFallsSilent() throws Exception
    {
        try (RawClient one = new RawClient(nodes.server.id()))
        {
            final Future<RendezvousClient> joining = nodes.join(Nodes.request(0, 2, "a", 20_000, 1_000));
            one.join(Nodes.request(1, 2, "b", 20_000, 1_000));
            nodes.clients.add(joining.get(20, TimeUnit.SECONDS));
            final ControlFile control = nodes.mirror(nodes.clients.get(0), 2);
            final long startNs = System.nanoTime();
            one.send(RendezvousMessages.heartbeat(1));
            Nodes.awaitFailure(control);
            final long ms = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
            assertTrue(ms >= 600, () -> ms + " ms");
            assertEquals(1, control.failure().pe());
            assertTrue(control.failure().message().contains("silent "), () -> control.failure().message());
        }
    }

    @Test
    @Tag("ci")
    void shouldNoticeServerThatFallsSilent() throws Exception
    {
        try (FakeServer fake = new FakeServer(1_000))
        {
            final ControlFile control = fake.mirrored;
            Nodes.awaitFailure(control);
            assertEquals(JobFailure.Kind.PE_DIED, control.failure().kind());
            assertTrue(control.failure().message().contains("silent "), () -> control.failure().message());
        }
    }

    @Test
    @Tag("ci")
    void shouldFailJobOfServerThatLies() throws Exception
    {
        final List<byte[]> violations = new ArrayList<>(violations());
        violations.add(RendezvousMessages.peState(new PeState(0, 1, 1, 1, false, "", "", new byte[0])));
        violations.add(RendezvousMessages.challenge(new byte[32]));
        violations.add(RendezvousMessages.leaveAck());
        for (final byte[] violation : violations)
        {
            if (Arrays.equals(violation, RendezvousMessages.heartbeat(1)))
            {
                continue;
            }

            try (FakeServer fake = new FakeServer(10_000))
            {
                fake.send(violation);
                Nodes.awaitFailure(fake.mirrored);
                assertEquals(JobFailure.Kind.PROTOCOL, fake.mirrored.failure().kind());
            }
        }
    }

    @Test
    void shouldNotJoinAtServerThatDoesNotKnowTheSecret() throws Exception
    {
        try (ServerSocket listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress()))
        {
            final RendezvousId id = RendezvousId.random(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), listener.getLocalPort()));
            final Authenticator wrong = new Authenticator(RendezvousId.random(id.address()));
            final Thread server = new Thread(() ->
            {
                while (!listener.isClosed())
                {
                    try (Socket socket = listener.accept())
                    {
                        socket.getOutputStream().write(RendezvousMessages.challenge(wrong.nonce()));
                        socket.getOutputStream().write(RendezvousMessages.joinAccepted(
                            new JoinAccepted(1, 1, "x"), wrong, wrong.nonce(), wrong.nonce()));
                        assertTrue(socket.getInputStream().read() >= 0);
                    }
                    catch (final IOException ex)
                    {
                        // The client ends the connection, the test the listener.
                        continue;
                    }
                }
            });
            server.setDaemon(true);
            server.start();
            final TransportException ex = assertThrows(TransportException.class,
                () -> RendezvousClient.join(
                    id, Nodes.request(0, 1, "a", 300, 1_000), false, new VirtualPause(20_000)));
            assertTrue(ex.getMessage().contains("not signed with the secret"), ex::getMessage);
        }
    }

    /** The server counts on the process: another JoinRequest would be a second one for its PEs. */
    @Test
    void shouldNotJoinAgainAfterAViolationOfTheServerThatAcceptedIt() throws Exception
    {
        for (final byte[] violation : violations())
        {
            try (ServerSocket listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress()))
            {
                final RendezvousId id = RendezvousId.random(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), listener.getLocalPort()));
                final CompletableFuture<RendezvousClient> joining = CompletableFuture.supplyAsync(
                    () -> RendezvousClient.join(id, Nodes.request(0, 2, "a", 1_000, 10_000)),
                    (task) -> new Thread(task, "process").start());
                try (Socket socket = listener.accept())
                {
                    acceptJoin(socket, id);
                    socket.getOutputStream().write(violation);
                    final Throwable ex =
                        assertThrows(ExecutionException.class, () -> joining.get(20, TimeUnit.SECONDS)).getCause();
                    assertInstanceOf(TransportException.class, ex, ex::toString);
                    listener.setSoTimeout(1);
                    assertThrows(SocketTimeoutException.class, listener::accept, ex::toString);
                }
            }
        }
    }

    private static void acceptJoin(final Socket socket, final RendezvousId id) throws IOException, ProtocolViolation
    {
        final Authenticator authenticator = new Authenticator(id);
        final byte[] nonce = authenticator.nonce();
        socket.getOutputStream().write(RendezvousMessages.challenge(nonce));
        final byte[] prefix = socket.getInputStream().readNBytes(4);
        final byte[] request = socket.getInputStream().readNBytes(
            ByteBuffer.wrap(prefix).order(ByteOrder.LITTLE_ENDIAN).getInt());
        final byte[] clientNonce = RendezvousMessages.authenticate(request, authenticator, nonce);
        socket.getOutputStream().write(
            RendezvousMessages.joinAccepted(new JoinAccepted(1, 1, "x"), authenticator, clientNonce, nonce));
    }

    private static JobFailure failure(final RawClient client) throws IOException, ProtocolViolation
    {
        byte[] message = client.read();
        while (9 != RendezvousMessages.templateOf(message))
        {
            message = client.read();
        }

        return RendezvousMessages.decodeFailure(message, 2);
    }

    private static List<byte[]> violations()
    {
        final byte[] wildLength = RendezvousMessages.heartbeat(1);
        wildLength[3] = 0x7F;
        final byte[] negativeLength = RendezvousMessages.heartbeat(1);
        negativeLength[3] = (byte)0x80;
        final byte[] noLength = new byte[8];
        final byte[] wildTemplate = RendezvousMessages.heartbeat(1);
        wildTemplate[6] = 77;
        final byte[] wildBlock = RendezvousMessages.heartbeat(1);
        wildBlock[4] = 127;
        final byte[] trailing = Arrays.copyOf(RendezvousMessages.leave(), RendezvousMessages.leave().length + 3);
        trailing[0] += 3;
        final byte[] garbage = new byte[4096];
        new Random(3).nextBytes(garbage);
        garbage[3] = 0x40;

        return List.of(
            wildLength,
            negativeLength,
            noLength,
            wildTemplate,
            wildBlock,
            trailing,
            garbage,
            RendezvousMessages.peState(new PeState(7, 1, 1, 1, false, "", "", new byte[0])),
            RendezvousMessages.peState(new PeState(1, PePhase.CLOSED + 1, 1, 1, false, "", "", new byte[0])),
            RendezvousMessages.failure(new JobFailure(JobFailure.Kind.PE_DIED, 5, 0, "")),
            RendezvousMessages.joinRejected(false, "you"));
    }

    private static byte[] repeated(final byte[] bytes, final int count)
    {
        final byte[] repeated = new byte[bytes.length * count];
        for (int i = 0; i < count; i++)
        {
            System.arraycopy(bytes, 0, repeated, i * bytes.length, bytes.length);
        }

        return repeated;
    }

    /**
     * A server that has the secret, accepts PE 0 of a job of two, and then sends arbitrary messages.
     */
    private final class FakeServer implements AutoCloseable
    {
        private final ServerSocket listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        private final Socket socket;
        private final RendezvousClient client;
        private final ControlFile mirrored;

        private FakeServer(final long livenessMs) throws Exception
        {
            final RendezvousId id = RendezvousId.random(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), listener.getLocalPort()));
            final List<RendezvousClient> joined = new ArrayList<>();
            final Thread joining = new Thread(
                () -> joined.add(RendezvousClient.join(id, Nodes.request(0, 2, "a", 20_000, livenessMs))));
            joining.start();
            socket = listener.accept();
            acceptJoin(socket, id);
            send(RendezvousMessages.nodeAssignment(new NodeAssignment(5, true, 0, false, -1, new int[]{0},
                PreviousGeneration.NONE, new int[0])));
            joining.join();
            client = joined.get(0);
            mirrored = nodes.mirror(client, 2);
        }

        private void send(final byte[] frame) throws IOException
        {
            socket.getOutputStream().write(frame);
        }

        @Override
        public void close() throws IOException
        {
            client.close();
            socket.close();
            listener.close();
            assertFalse(client.channel().connection().isOpen());
        }
    }
}
