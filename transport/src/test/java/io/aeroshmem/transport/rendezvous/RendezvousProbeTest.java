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

import io.aeroshmem.transport.CachedPause;
import io.aeroshmem.transport.job.Await;
import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.PePhase;
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
import java.nio.channels.Selector;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A connection that stalls while new ones succeed, as after a cut of the network, by a relay between one node and the
 * server. The clock of the nodes and the server advances in steps: a step ends when each node has run a round and no
 * probe is in progress.
 */
@Tag("waits")
@Timeout(60)
class RendezvousProbeTest
{
    private static final long LIVENESS_MS = 2_500;
    private static final long STEP_MS = 100;

    @TempDir(factory = SharedMemory.class)
    private Path root;
    private final CachedPause pause = new CachedPause();
    private final AtomicInteger[] rounds = {new AtomicInteger(), new AtomicInteger()};
    private Nodes nodes;

    @BeforeEach
    void start()
    {
        nodes = new Nodes(root, pause);
    }

    @AfterEach
    void stop() throws Exception
    {
        nodes.close();
    }

    @Test
    void shouldSurviveStallOfConnectionWhileProbesGetThrough() throws Exception
    {
        try (Relay relay = new Relay(nodes.server.id()))
        {
            final List<ControlFile> controls = mirrored(relay);
            Nodes.announce(controls, PePhase.RUNNING);
            relay.isStalled = true;
            for (long ms = 0; ms < LIVENESS_MS * 13 / 10; ms += STEP_MS)
            {
                step();
                assertFalse(controls.get(0).isFailed(), controls.get(0)::toString);
                assertFalse(controls.get(1).isFailed(), controls.get(1)::toString);
            }

            assertTrue(relay.connections.size() > 1);
            relay.isStalled = false;
            Nodes.announce(controls, PePhase.CLOSING);
            nodes.closeAllAtOnce();
            assertFalse(controls.get(0).isFailed(), controls.get(0)::toString);
        }
    }

    @Test
    void shouldFailBothSidesWhenNothingGetsThrough() throws Exception
    {
        try (Relay relay = new Relay(nodes.server.id()))
        {
            final List<ControlFile> controls = mirrored(relay);
            Nodes.announce(controls, PePhase.RUNNING);
            relay.isCut = true;
            relay.isStalled = true;
            long ms = 0;
            while (!controls.stream().allMatch(ControlFile::isFailed))
            {
                assertTrue(ms < 2 * LIVENESS_MS, controls::toString);
                step();
                ms += STEP_MS;
            }

            for (final ControlFile control : controls)
            {
                assertTrue(control.failure().message().contains("silent "), () -> control.failure().message());
            }
        }
    }

    private void step() throws Exception
    {
        pause.nanoClock.advance(TimeUnit.MILLISECONDS.toNanos(STEP_MS));
        for (int i = 0; i < rounds.length; i++)
        {
            final AtomicInteger count = rounds[i];
            final Selector selector = nodes.clients.get(i).channel().selector();
            // The round that runs now may have read the clock before.
            final int last = count.get() + 2;
            Await.until(
                () ->
                {
                    selector.wakeup();
                    return count.get() >= last;
                },
                () -> "no more rounds");
        }

        Await.until(() -> Thread.getAllStackTraces().keySet().stream()
            .noneMatch((thread) -> "aeroshmem-probe".equals(thread.getName())), () -> "a probe does not end");
    }

    private List<ControlFile> mirrored(final Relay relay) throws Exception
    {
        final RendezvousId id = nodes.server.id();
        final RendezvousId over = RendezvousId.of(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), relay.listener.getLocalPort()),
            id.jobId(),
            id.secret());
        final Future<RendezvousClient> zero = nodes.join(Nodes.request(0, 2, "a", 20_000, LIVENESS_MS));
        nodes.clients.add(RendezvousClient.join(
            over, Nodes.request(1, 2, "b", 20_000, LIVENESS_MS), false, pause));
        nodes.clients.add(0, zero.get(20, TimeUnit.SECONDS));

        return List.of(
            nodes.mirror(nodes.clients.get(0), 2, rounds[0]::incrementAndGet),
            nodes.mirror(nodes.clients.get(1), 2, rounds[1]::incrementAndGet));
    }

    /**
     * Passes bytes on, both ways; the first connection stops for as long as it is stalled, new ones are refused when it
     * is cut.
     */
    private static final class Relay implements AutoCloseable
    {
        private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final List<Socket> connections = Collections.synchronizedList(new ArrayList<>());
        private final List<Socket> upstreams = Collections.synchronizedList(new ArrayList<>());
        private final InetSocketAddress server;
        private volatile boolean isStalled;
        private volatile boolean isCut;

        private Relay(final RendezvousId id) throws IOException
        {
            server = id.address();
            daemon(this::accept);
        }

        private void accept()
        {
            while (!listener.isClosed())
            {
                try
                {
                    final Socket client = listener.accept();
                    connections.add(client);
                    if (isCut)
                    {
                        client.close();
                        continue;
                    }

                    final boolean isFirst = 1 == connections.size();
                    final Socket upstream = new Socket(server.getAddress(), server.getPort());
                    upstreams.add(upstream);
                    client.setTcpNoDelay(true);
                    upstream.setTcpNoDelay(true);
                    daemon(() -> pass(client, upstream, isFirst));
                    daemon(() -> pass(upstream, client, isFirst));
                }
                catch (final IOException ex)
                {
                    // The listener was closed, or the server has ended: nothing to pass on.
                    continue;
                }
            }
        }

        private void pass(final Socket from, final Socket to, final boolean isFirst)
        {
            final byte[] bytes = new byte[8192];
            try (from; to)
            {
                for (int length = from.getInputStream().read(bytes); length > 0;
                    length = from.getInputStream().read(bytes))
                {
                    Await.until(() -> !isFirst || !isStalled || listener.isClosed(), () -> "stalled for ever");
                    to.getOutputStream().write(bytes, 0, length);
                }
            }
            catch (final Exception ex)
            {
                assertTrue(from.isClosed() && to.isClosed());
            }
        }

        private static void daemon(final Runnable task)
        {
            final Thread thread = new Thread(task, "relay");
            thread.setDaemon(true);
            thread.start();
        }

        @Override
        public void close() throws IOException
        {
            listener.close();
            for (final Socket socket : connections)
            {
                socket.close();
            }

            for (final Socket socket : upstreams)
            {
                socket.close();
            }
        }
    }
}
