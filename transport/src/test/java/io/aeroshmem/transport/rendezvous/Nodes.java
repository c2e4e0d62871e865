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
import io.aeroshmem.transport.job.Await;
import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.PePhase;
import io.aeroshmem.transport.job.PreviousGeneration;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * A job whose processes are threads of this JVM, and whose nodes are job directories beside each other.
 */
final class Nodes
{
    static final long JOIN_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);
    static final long LIVENESS_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(10);

    final List<Throwable> errors = Collections.synchronizedList(new ArrayList<>());
    final List<RendezvousClient> clients = new ArrayList<>();
    final List<JobDirectory> directories = new ArrayList<>();
    final RendezvousServer server;
    private final Path root;
    private final Pause pause;
    private final ExecutorService executor = Executors.newCachedThreadPool((task) ->
    {
        final Thread thread = new Thread(task, "process");
        thread.setDaemon(true);
        return thread;
    });

    Nodes(final Path root)
    {
        this(root, Pause.SYSTEM);
    }

    Nodes(final Path root, final Pause pause)
    {
        this.root = root;
        this.pause = pause;
        server = RendezvousServer.start(InetAddress.getLoopbackAddress(), 0, false, errors::add, pause);
    }

    static JoinRequest request(final int pe, final int nPes, final String node)
    {
        return request(new int[]{pe}, nPes, false, node);
    }

    static JoinRequest request(final int[] pes, final int nPes, final boolean isLauncher, final String node)
    {
        return new JoinRequest(pes, nPes, isLauncher, "host-" + node, node, 1_000 + pes[0], 77, "/log/" + pes[0],
            JOIN_TIMEOUT_NS, LIVENESS_TIMEOUT_NS, PreviousGeneration.NONE);
    }

    static JoinRequest request(final int pe, final int nPes, final String node, final long joinMs,
        final long livenessMs)
    {
        return new JoinRequest(new int[]{pe}, nPes, false, "host-" + node, node, 1_000 + pe, 77, "/log/" + pe,
            TimeUnit.MILLISECONDS.toNanos(joinMs), TimeUnit.MILLISECONDS.toNanos(livenessMs),
            PreviousGeneration.NONE);
    }

    Future<RendezvousClient> join(final JoinRequest request)
    {
        return executor.submit(() -> RendezvousClient.join(server.id(), request, false, pause));
    }

    List<RendezvousClient> joinAll(final JoinRequest... requests) throws Exception
    {
        final List<Future<RendezvousClient>> futures = new ArrayList<>();
        for (final JoinRequest request : requests)
        {
            futures.add(join(request));
        }

        for (final Future<RendezvousClient> future : futures)
        {
            clients.add(future.get(30, TimeUnit.SECONDS));
        }

        return clients;
    }

    /**
     * One PE per node, all mirrored: PE i is on node i.
     */
    List<ControlFile> mirrored(final int nPes, final long livenessMs) throws Exception
    {
        final JoinRequest[] requests = new JoinRequest[nPes];
        for (int pe = 0; pe < nPes; pe++)
        {
            requests[pe] = request(pe, nPes, "n" + pe, 20_000, livenessMs);
        }

        joinAll(requests);
        final List<ControlFile> controls = new ArrayList<>();
        for (final RendezvousClient client : clients)
        {
            controls.add(mirror(client, nPes));
        }

        return controls;
    }

    ControlFile mirror(final RendezvousClient client, final int nPes)
    {
        return mirror(client, nPes, () -> {});
    }

    ControlFile mirror(final RendezvousClient client, final int nPes, final Runnable duty)
    {
        final JobDirectory directory = JobDirectory.create(root, nPes, client.token(), client.leaderPe());
        directories.add(directory);
        client.directory(directory.path());
        for (final int pe : client.nodePes())
        {
            directory.control().register(pe, 5_000 + pe, 88, "proc-pe-" + pe + ".lock");
        }

        client.replicate(directory.control(), duty, Thread::new, errors::add);

        return directory.control();
    }

    /**
     * Closes a connection, as the end of its process does.
     */
    static void kill(final RendezvousClient client)
    {
        try
        {
            client.channel().connection().close();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    static void record(final ControlFile control, final int pe, final String text)
    {
        final byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        control.record(pe, new UnsafeBuffer(bytes), 0, bytes.length);
    }

    static String record(final ControlFile control, final int pe)
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[ControlFile.RECORD_CAPACITY]);

        return buffer.getStringWithoutLengthAscii(0, control.record(pe, buffer, 0));
    }

    static void announce(final List<ControlFile> controls, final int phase) throws Exception
    {
        for (int pe = 0; pe < controls.size(); pe++)
        {
            controls.get(pe).phase(pe, phase);
        }

        awaitAll(controls, phase);
    }

    static void awaitAll(final List<ControlFile> controls, final int phase) throws Exception
    {
        for (final ControlFile control : controls)
        {
            for (int i = 0; i < control.nPes(); i++)
            {
                final int pe = i;
                Await.until(
                    () -> control.phase(pe) >= phase,
                    () -> "PE " + pe + " is not " + PePhase.name(phase) + ": " + control);
            }
        }
    }

    static void awaitFailure(final ControlFile control) throws Exception
    {
        Await.until(control::isFailed, () -> "no failure: " + control);
    }

    void awaitServerOver() throws Exception
    {
        Await.until(server::isEnded, server::toString);
    }

    void closeAllAtOnce() throws Exception
    {
        final List<Future<?>> futures = new ArrayList<>();
        for (final RendezvousClient client : clients)
        {
            futures.add(executor.submit(client::close));
        }

        for (final Future<?> future : futures)
        {
            future.get(20, TimeUnit.SECONDS);
        }
    }

    /**
     * No thread and no port is left.
     */
    void close() throws Exception
    {
        closeAllAtOnce();
        server.close();
        Await.until(server::isEnded, server::toString);
        executor.shutdownNow();
        assertEquals(true, executor.awaitTermination(10, TimeUnit.SECONDS));
        for (final JobDirectory directory : directories)
        {
            directory.delete();
            directory.close();
        }
    }
}
