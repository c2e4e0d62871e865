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
package io.aeroshmem.transport.progress;

import io.aeroshmem.transport.Pause;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.job.JobDirectory;
import org.agrona.concurrent.NoOpIdleStrategy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(60)
class BlockingWaitTest
{
    /** Rounds after which a wait is published. */
    private static final int PUBLISHED = 1024;

    @TempDir
    private Path root;
    private JobDirectory directory;
    private BlockingWait blockingWait;

    @BeforeEach
    void before()
    {
        directory = JobDirectory.create(root, 1);
        blockingWait = new BlockingWait(
            directory.control(), 0, Progress.NONE, Progress.NONE, new PlainExceptions(), 0, NoOpIdleStrategy::new,
            Pause.SYSTEM);
    }

    @AfterEach
    void after()
    {
        directory.delete();
        directory.close();
    }

    @Test
    void shouldLeaveTheCallOfAnotherThreadPublishedWhenAShortWaitIsInterrupted() throws Exception
    {
        final int round = await(0, PUBLISHED, "first");
        final FutureTask<Void> second = new FutureTask<>(() -> awaitInterrupted(0, "second"), null);
        new Thread(second).start();
        second.get();
        assertEquals("first", directory.control().activities().get(0).text());
        assertFalse(directory.control().activities().get(0).isEnded());

        awaitInterrupted(round, "first");
        assertTrue(Thread.interrupted());
        assertTrue(directory.control().activities().get(0).isEnded());
    }

    /** The number of rounds wraps in a wait of minutes. */
    @Test
    void shouldPublishTheBeginOfAWaitAfterAnyNumberOfRounds()
    {
        await(0, PUBLISHED, "wait");
        final long sinceMs = directory.control().activities().get(0).sinceMs();
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (System.currentTimeMillis() - sinceMs < 2)
        {
            assertTrue(System.nanoTime() < deadlineNs);
            Thread.onSpinWait();
        }

        final int round = await(Integer.MAX_VALUE - PUBLISHED, 3 * PUBLISHED, "wait");
        assertEquals(sinceMs, directory.control().activities().get(0).sinceMs());
        assertFalse(directory.control().activities().get(0).isEnded());
        assertTrue(round > PUBLISHED, "a wait that ends now ends its publication: round=" + round);
        blockingWait.reset(round);
        assertTrue(directory.control().activities().get(0).isEnded());
    }

    /** A wait that ends just after the number of its rounds has wrapped ends its publication. */
    @Test
    void shouldEndThePublicationOfAWaitInTheRoundAfterTheLast()
    {
        await(0, PUBLISHED, "wait");
        blockingWait.reset(await(Integer.MAX_VALUE, 1, "wait"));
        assertTrue(directory.control().activities().get(0).isEnded());
    }

    private int await(final int firstRound, final int rounds, final String what)
    {
        int round = firstRound;
        for (int i = 0; i < rounds; i++)
        {
            round = blockingWait.idle(round, BlockingWait.NO_DEADLINE, what);
        }

        return round;
    }

    private void awaitInterrupted(final int firstRound, final String what)
    {
        Thread.currentThread().interrupt();
        assertThrows(TransportException.class, () -> await(firstRound, PUBLISHED, what));
    }
}
