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

import io.aeroshmem.transport.Pause;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.VirtualPause;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** How long a process waits for a rendezvous that is not there, or says nothing, on a virtual clock. */
@Timeout(60)
class HandshakeTest
{
    private static final long JOIN_MS = 60_000;
    private static final long REFUSED_MS = 1_000;
    private static final long CONNECT_MS = 5_000;
    private static final long WITHDRAW_MS = 1_000;
    /** It passes for each 100 ms without a reply. */
    private static final long ARRIVAL_MS = 50;

    private final VirtualPause pause = new VirtualPause();
    private ServerSocket listener;
    private RendezvousId id;

    @BeforeEach
    void listen() throws IOException
    {
        listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        id = RendezvousId.random(new InetSocketAddress(InetAddress.getLoopbackAddress(), listener.getLocalPort()));
    }

    @AfterEach
    void stop() throws IOException
    {
        listener.close();
    }

    @Test
    void shouldTryUntilTheJoinTimeout() throws IOException
    {
        listener.close();
        final TransportException ex = assertThrows(TransportException.class, () -> join(JOIN_MS, false));
        assertInstanceOf(NoRendezvousException.class, ex);
        assertTrue(
            ex.getMessage().contains("within 60000 ms") && ex.getMessage().contains("aeroshmem.rendezvous"),
            ex::getMessage);
        assertElapsed(JOIN_MS - 300, JOIN_MS);
    }

    /** The id was made by a server that listened already. */
    @Test
    void shouldGiveUpSoonIfTheServerHasEnded() throws IOException
    {
        listener.close();
        final TransportException ex = assertThrows(TransportException.class, () -> join(JOIN_MS, true));
        assertTrue(ex.getMessage().contains("an id serves one job"), ex::getMessage);
        assertElapsed(REFUSED_MS, REFUSED_MS + 300);
    }

    /** The kernel accepts the connections of a process that has stopped. */
    @Test
    void shouldGiveUpOnAServerThatSaysNothing()
    {
        final TransportException ex = assertThrows(TransportException.class, () -> join(3 * CONNECT_MS, true));
        assertInstanceOf(NoRendezvousException.class, ex);
        assertTrue(ex.getMessage().contains("no reply was received"), ex::getMessage);
        assertElapsed(3 * CONNECT_MS - 300, 3 * CONNECT_MS + 300);
    }

    /**
     * A process that waits for its rendezvous may be given the very port, as the kernel assigns any that is free. Its
     * connection to itself must not keep the port from the server.
     */
    @Test
    void shouldLeaveItsPortToAServer() throws Exception
    {
        final InetAddress host = InetAddress.getLoopbackAddress();
        final BlockingMessageChannel client = BlockingMessageChannel.connect(
            new InetSocketAddress(host, listener.getLocalPort()), System.nanoTime() + TimeUnit.SECONDS.toNanos(30),
            Pause.SYSTEM);
        final int port;
        try (Socket accepted = listener.accept())
        {
            // the end that closes first keeps its port
            client.close();
            assertEquals(-1, accepted.getInputStream().read());
            port = accepted.getPort();
        }

        assertDoesNotThrow(() -> new ServerSocket(port, 1, host).close());
    }

    /** As a server does that rejects processes until one has failed. */
    @Test
    void shouldSayWhatTheServerDidBeforeTheLastAttempt() throws Exception
    {
        final FutureTask<Socket> server = new FutureTask<>(() ->
        {
            listener.accept().close();
            return listener.accept();
        });
        new Thread(server, "server").start();
        final TransportException ex = assertThrows(TransportException.class, () ->
            RendezvousClient.join(
                id, Nodes.request(0, 2, "a", CONNECT_MS / 2, 1_000), false, new VirtualPause(ARRIVAL_MS)));
        server.get().close();
        assertTrue(
            ex.getMessage().contains(" ms: no reply was received; before: the connection ended "), ex::getMessage);
    }

    @Test
    void shouldWithdrawForASecond() throws IOException
    {
        assertFalse(RendezvousClient.withdraw(id, Nodes.request(0, 2, "a"), "no", pause));
        assertElapsed(WITHDRAW_MS, WITHDRAW_MS + 300);
        listener.close();
        assertFalse(RendezvousClient.withdraw(id, Nodes.request(0, 2, "a"), "no", pause));
        assertElapsed(2 * WITHDRAW_MS, 2 * (WITHDRAW_MS + 300));
    }

    private void join(final long joinMs, final boolean isServed)
    {
        RendezvousClient.join(id, Nodes.request(0, 2, "a", joinMs, 1_000), isServed, pause);
    }

    private void assertElapsed(final long leastMs, final long mostMs)
    {
        final long ms = TimeUnit.NANOSECONDS.toMillis(pause.nanoTime());
        assertTrue(ms >= leastMs && ms <= mostMs, () -> ms + " ms");
    }
}
