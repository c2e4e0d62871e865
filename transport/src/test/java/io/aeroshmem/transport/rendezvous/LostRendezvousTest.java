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

import io.aeroshmem.bootstrap.RendezvousBootstrap;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.endpoint.TestSettings;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.JobFailureException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The process of the rendezvous ends, without a word, while one that has joined waits for the others. */
@Timeout(60)
class LostRendezvousTest
{
    private static final int MESSAGES = 2;

    private RendezvousServer server;
    private ServerSocket listener;
    private RendezvousId id;

    @BeforeEach
    void start() throws IOException
    {
        server = RendezvousServer.start(InetAddress.getLoopbackAddress(), 0, (error) -> {});
        listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        id = RendezvousId.of(
            new InetSocketAddress(listener.getInetAddress(), listener.getLocalPort()),
            server.id().jobId(), server.id().secret());
        daemon(this::passUntilJoined);
    }

    @AfterEach
    void stop() throws IOException
    {
        listener.close();
        server.close();
    }

    @Test
    void shouldBeTheDeathOfThePeThatServes()
    {
        final JobFailureException ex = assertThrows(
            JobFailureException.class,
            () -> new RendezvousBootstrap(id, 1, 3).servedBy(0).enter(TestSettings.context(4096)));
        assertEquals(JobFailure.Kind.PE_DIED, ex.failure().kind());
        assertEquals(0, ex.failure().pe());
        assertTrue(ex.getMessage().contains("lost the rendezvous while waiting for the other PEs"), ex.getMessage());
    }

    @Test
    void shouldBlameNoPeUnlessItIsKnown()
    {
        final TransportException ex = assertThrows(
            TransportException.class, () -> new RendezvousBootstrap(id, 1, 3).enter(TestSettings.context(4096)));
        assertInstanceOf(LostRendezvousException.class, ex);
    }

    /** Passes the server's Challenge and JoinAccepted on, and ends both connections. */
    private void passUntilJoined()
    {
        try (Socket client = listener.accept();
            Socket upstream = new Socket(server.id().address().getAddress(), server.id().address().getPort()))
        {
            daemon(() -> pass(client, upstream, Integer.MAX_VALUE));
            pass(upstream, client, MESSAGES);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /** The server waits for an answer after each of its messages, so each is read by itself. */
    private static void pass(final Socket from, final Socket to, final int messages)
    {
        final byte[] bytes = new byte[8192];
        try
        {
            final InputStream input = from.getInputStream();
            int length = 0;
            for (int i = 0; i < messages && length >= 0; i++)
            {
                length = input.read(bytes);
                if (length > 0)
                {
                    to.getOutputStream().write(bytes, 0, length);
                }
            }
        }
        catch (final IOException ex)
        {
            assertTrue(from.isClosed() || to.isClosed(), ex::toString);
        }
    }

    private static void daemon(final Runnable task)
    {
        final Thread thread = new Thread(task, "relay");
        thread.setDaemon(true);
        thread.start();
    }
}
