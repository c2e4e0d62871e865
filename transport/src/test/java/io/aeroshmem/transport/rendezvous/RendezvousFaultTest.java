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

import io.aeroshmem.codecs.rendezvous.FailureDecoder;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.job.Await;
import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.PreviousGeneration;
import io.aeroshmem.transport.job.SharedMemory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Errors on the threads of the rendezvous and of a leader: the job fails with the reason, on all nodes, long before a
 * timeout would end it.
 */
@Timeout(60)
class RendezvousFaultTest
{
    private static final long MANY_MS = 600_000;
    private static final String REASON = "java.lang.AssertionError: no memory, say";

    @TempDir(factory = SharedMemory.class)
    private Path root;

    @Test
    void shouldFailJobWithErrorOfServerThreadForThoseThatWaitAndThoseThatCome() throws Exception
    {
        try (FaultyServer faulty = new FaultyServer())
        {
            try (RawClient first = new RawClient(faulty.server.id()))
            {
                first.join(Nodes.request(0, 3, "a", MANY_MS, MANY_MS));
                faulty.provoke();

                final byte[] message = first.read();
                assertEquals(FailureDecoder.TEMPLATE_ID, RendezvousMessages.templateOf(message));
                assertTrue(RendezvousMessages.decodeFailure(message, 3).message().contains(REASON));
            }

            assertReason(faulty.join(1));
            assertReason(faulty.join(2));
            faulty.awaitOver();
            assertTrue(faulty.server.failure().message().contains(REASON), faulty.server::toString);
            assertEquals(REASON, faulty.errors.get(1).toString());
        }
    }

    @Test
    void shouldFailJobWithErrorOfServerThreadBeforeAnybodyHasCome() throws Exception
    {
        try (FaultyServer faulty = new FaultyServer())
        {
            faulty.provoke();
            for (int pe = 0; pe < 3; pe++)
            {
                assertReason(faulty.join(pe));
            }

            faulty.awaitOver();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldFailJobWithErrorOfLeaderThread(final boolean isLauncher) throws Exception
    {
        final Nodes nodes = new Nodes(root);
        try
        {
            final List<RendezvousClient> clients = nodes.joinAll(
                request(0, false),
                request(1, isLauncher),
                request(2, false));
            final AtomicBoolean isFaulty = new AtomicBoolean();
            final List<ControlFile> controls = new ArrayList<>();
            for (final RendezvousClient client : clients)
            {
                final boolean isSecond = 1 == client.nodePes()[0];
                controls.add(nodes.mirror(client, 3, () -> throwIf(isSecond && isFaulty.get())));
            }

            isFaulty.set(true);

            for (final ControlFile control : controls)
            {
                Nodes.awaitFailure(control);
                assertEquals(isLauncher ? -1 : 1, control.failure().pe());
                assertTrue(control.failure().message().contains(REASON), control.failure()::toString);
            }

            assertEquals(List.of(REASON), nodes.errors.stream().map(Throwable::toString).toList());
        }
        finally
        {
            nodes.close();
        }
    }

    private static JoinRequest request(final int pe, final boolean isLauncher)
    {
        return new JoinRequest(new int[]{pe}, 3, isLauncher, "host-" + pe, "node-" + pe, 1_000 + pe, 77, "/log/" + pe,
            TimeUnit.MILLISECONDS.toNanos(MANY_MS), TimeUnit.MILLISECONDS.toNanos(MANY_MS),
            PreviousGeneration.NONE);
    }

    private static void throwIf(final boolean isFaulty)
    {
        if (isFaulty)
        {
            throw new AssertionError("no memory, say");
        }
    }

    private static void assertReason(final CompletableFuture<RendezvousClient> joining)
    {
        final ExecutionException ex = assertThrows(ExecutionException.class, () -> joining.get(20, TimeUnit.SECONDS));
        assertInstanceOf(TransportException.class, ex.getCause());
        assertTrue(ex.getCause().getMessage().contains(REASON), ex::toString);
    }

    /**
     * A server whose error handler throws an error when a peer was refused.
     */
    private static final class FaultyServer implements AutoCloseable
    {
        private final List<Throwable> errors = new ArrayList<>();
        private final RendezvousServer server =
            RendezvousServer.start(InetAddress.getLoopbackAddress(), 0, this::onError);

        private void onError(final Throwable ex)
        {
            errors.add(ex);
            throwIf(ex instanceof TransportException);
        }

        private CompletableFuture<RendezvousClient> join(final int pe)
        {
            return CompletableFuture.supplyAsync(
                () -> RendezvousClient.join(server.id(), Nodes.request(pe, 3, "a", MANY_MS, MANY_MS)),
                (task) -> new Thread(task, "process").start());
        }

        private void provoke() throws Exception
        {
            try (RawClient peer = new RawClient(server.id()))
            {
                peer.challenge();
                peer.send("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                assertNull(peer.read());
            }
        }

        private void awaitOver() throws Exception
        {
            Await.until(server::isEnded, server::toString);
        }

        @Override
        public void close()
        {
            server.close();
        }
    }
}
