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

import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.PePhase;
import io.aeroshmem.transport.job.SharedMemory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Concurrent ends of a job: all nodes reach the same end in time, whichever is first.
 */
@Timeout(60)
class RendezvousRaceTest
{
    private static final int ROUNDS = Integer.getInteger("aeroshmem.test.rendezvous.rounds", 3);
    private static final int N_NODES = 3;

    @TempDir(factory = SharedMemory.class)
    private Path root;
    private final Random random = new Random();

    private enum Event
    {
        NONE, FAILURE, SERVER_CLOSES, LEADER_DIES
    }

    @Test
    void shouldLeaveTogether() throws Exception
    {
        for (int round = 0; round < ROUNDS; round++)
        {
            assertNull(end(Event.NONE, true));
        }
    }

    @Test
    void shouldEndWhenFailureMeetsClose() throws Exception
    {
        for (int round = 0; round < ROUNDS; round++)
        {
            end(Event.FAILURE, true);
        }
    }

    @Test
    void shouldEndWhenServerClosesAsLeadersDo() throws Exception
    {
        for (int round = 0; round < ROUNDS; round++)
        {
            assertNull(end(Event.SERVER_CLOSES, true), "all PEs were CLOSING: the end of the server is no news");
        }
    }

    @Test
    void shouldEndWhenLeaderDiesAsOthersClose() throws Exception
    {
        for (int round = 0; round < ROUNDS; round++)
        {
            assertNull(end(Event.LEADER_DIES, true), "all PEs were CLOSING: the end of a leader is no news");
        }
    }

    @Test
    void shouldTellAllRunningNodesWhateverHappens() throws Exception
    {
        for (int round = 0; round < ROUNDS; round++)
        {
            assertNotNull(end(Event.FAILURE, false));
            assertNotNull(end(Event.SERVER_CLOSES, false));
            assertNotNull(end(Event.LEADER_DIES, false));
        }
    }

    /**
     * Two nodes fail at once: every node has a failure, and the third one of the two.
     */
    @Test
    void shouldAgreeWhenTwoFailAtOnce() throws Exception
    {
        for (int round = 0; round < ROUNDS; round++)
        {
            final Nodes nodes = new Nodes(root);
            final List<ControlFile> controls = nodes.mirrored(N_NODES, 10_000);
            Nodes.announce(controls, PePhase.RUNNING);
            final List<Runnable> tasks = new ArrayList<>();
            for (int pe = 0; pe < 2; pe++)
            {
                final int reporter = pe;
                tasks.add(() -> controls.get(reporter).fail(reporter, new JobFailure(
                    JobFailure.Kind.GLOBAL_EXIT, reporter, reporter, "exit " + reporter)));
            }

            atOnce(tasks);
            for (final ControlFile control : controls)
            {
                Nodes.awaitFailure(control);
            }

            nodes.close();
            assertEquals(nodes.server.failure(), controls.get(2).failure());
            assertTrue(controls.get(0).failure().pe() <= 1 && controls.get(1).failure().pe() <= 1);
        }
    }

    /**
     * A PE that fails closes afterwards: a node that reads CLOSED also reads the failure.
     */
    @Test
    void shouldTellFailureBeforePhasesThatFollowIt() throws Exception
    {
        for (int round = 0; round < ROUNDS; round++)
        {
            final Nodes nodes = new Nodes(root);
            final List<ControlFile> controls = nodes.mirrored(2, 10_000);
            Nodes.announce(controls, PePhase.EXCHANGED);
            controls.get(1).fail(1, new JobFailure(JobFailure.Kind.PE_FAILED, 1, -1, "no room"));
            controls.get(1).phase(1, PePhase.CLOSED);
            while (!controls.get(0).isFailed())
            {
                final boolean isClosed = PePhase.CLOSED == controls.get(0).phase(1);
                assertTrue(!isClosed || controls.get(0).isFailed());
                Thread.onSpinWait();
            }

            assertEquals("no room", controls.get(0).failure().message());
            nodes.close();
        }
    }

    @Test
    void shouldPassFailureOnFast() throws Exception
    {
        final Nodes nodes = new Nodes(root);
        final List<ControlFile> controls = nodes.mirrored(N_NODES, 10_000);
        Nodes.announce(controls, PePhase.RUNNING);
        final long startNs = System.nanoTime();
        controls.get(2).fail(2, new JobFailure(JobFailure.Kind.PE_FAILED, 2, -1, "enough"));
        while (!controls.get(0).isFailed() || !controls.get(1).isFailed())
        {
            LockSupport.parkNanos(100_000);
        }

        final long ms = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
        nodes.close();
        assertTrue(ms < 3_000, () -> "after " + ms + " ms");
    }

    /**
     * Lets all leaders close while something happens at a random moment around it.
     *
     * @return the failure that PE 0's node ended with; null if it ended well.
     */
    private JobFailure end(final Event event, final boolean isClosing) throws Exception
    {
        final Nodes nodes = new Nodes(root);
        final List<ControlFile> controls = nodes.mirrored(N_NODES, 10_000);
        Nodes.announce(controls, isClosing ? PePhase.CLOSING : PePhase.RUNNING);
        final long delayNs = random.nextInt(3_000_000);
        final List<Runnable> tasks = new ArrayList<>();
        if (isClosing)
        {
            nodes.clients.forEach((client) -> tasks.add(client::close));
        }

        tasks.add(() ->
        {
            LockSupport.parkNanos(delayNs);
            happen(event, nodes, controls);
        });

        final long startNs = System.nanoTime();
        atOnce(tasks);
        if (!isClosing)
        {
            Nodes.awaitFailure(controls.get(0));
            Nodes.awaitFailure(controls.get(1));
        }

        nodes.close();
        final long ms = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
        assertTrue(ms < 4_000, () -> event + " took " + ms + " ms");
        assertTrue(nodes.errors.isEmpty(), nodes.errors::toString);

        return controls.get(0).failure();
    }

    private static void happen(final Event event, final Nodes nodes, final List<ControlFile> controls)
    {
        switch (event)
        {
            case FAILURE:
                controls.get(1).fail(1, new JobFailure(JobFailure.Kind.PE_DIED, 1, -1, "killed"));
                break;

            case SERVER_CLOSES:
                nodes.server.close();
                break;

            case LEADER_DIES:
                Nodes.kill(nodes.clients.get(2));
                break;

            case NONE:
            default:
                break;
        }
    }

    private static void atOnce(final List<Runnable> tasks) throws Exception
    {
        final ExecutorService executor = Executors.newFixedThreadPool(tasks.size());
        final CyclicBarrier start = new CyclicBarrier(tasks.size());
        final List<Future<?>> futures = new ArrayList<>();
        for (final Runnable task : tasks)
        {
            futures.add(executor.submit(() ->
            {
                start.await();
                task.run();
                return null;
            }));
        }

        for (final Future<?> future : futures)
        {
            future.get(30, TimeUnit.SECONDS);
        }

        executor.shutdown();
    }
}
