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
package io.aeroshmem.transport.endpoint;

import io.aeroshmem.transport.Pause;
import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.PePhase;
import io.aeroshmem.transport.progress.BlockingWait;
import io.aeroshmem.transport.progress.PlainExceptions;
import io.aeroshmem.transport.progress.Progress;
import org.agrona.concurrent.NoOpIdleStrategy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

/** PE 0, whose watch it is, is blocked, and PE 1 is in close. */
class StallWatchTest
{
    private static final int INTERVAL_MS = 200;
    private static final int ROUNDS_OF_GRACE = 6;

    @TempDir
    private Path root;
    private JobDirectory directory;
    private ControlFile control;
    private StallWatch watch;
    private long nowMs = 1_000;
    private boolean isAnyThreadFree;

    @BeforeEach
    void before()
    {
        directory = JobDirectory.create(root, 2);
        control = directory.control();
        final BlockingWait blockingWait = new BlockingWait(
            control, 0, Progress.NONE, Progress.NONE, new PlainExceptions(), 0, NoOpIdleStrategy::new, Pause.SYSTEM);
        watch = new StallWatch(control, 0, null, blockingWait, (timeMs) -> isAnyThreadFree, () -> nowMs);
        control.phase(0, PePhase.RUNNING);
        control.phase(1, PePhase.FINALIZING);
    }

    @AfterEach
    void after()
    {
        directory.delete();
        directory.close();
    }

    @Test
    void shouldFailTheJobWhenTheCallThatCannotEndWasPublishedTwice()
    {
        publish(1);
        assertNull(check(ROUNDS_OF_GRACE));
        publish(1);
        assertNull(check(1));
        publish(1);
        final JobFailure failure = check(1);
        assertNotNull(failure);
        assertEquals(1, failure.pe());
    }

    /** The caller has not looked since PE 1 has closed: it may find another cause. */
    @Test
    void shouldWaitForTheCheckOfACallerThatPollsSlowly()
    {
        publish(1);
        assertNull(check(2 * ROUNDS_OF_GRACE));
        publish(1);
        assertNull(check(2 * ROUNDS_OF_GRACE));
    }

    @Test
    void shouldCountPublicationsAnewForTheNextCall()
    {
        publish(1);
        assertNull(check(ROUNDS_OF_GRACE));
        publish(1);
        assertNull(check(1));
        publish(2);
        assertNull(check(ROUNDS_OF_GRACE));
        publish(2);
        assertNull(check(1));
        publish(2);
        assertNotNull(check(1));
    }

    @Test
    void shouldNotFailTheJobBeforeTheGraceHasPassed()
    {
        for (int i = 0; i < ROUNDS_OF_GRACE - 1; i++)
        {
            publish(1);
            assertNull(check(1));
        }

        publish(1);
        assertNotNull(check(1));
    }

    @Test
    void shouldNotFailTheJobWhileAThreadMayAct()
    {
        isAnyThreadFree = true;
        for (int i = 0; i < 2 * ROUNDS_OF_GRACE; i++)
        {
            publish(1);
            assertNull(check(1));
        }
    }

    private void publish(final long call)
    {
        nowMs++;
        control.activities().publish(0, "barrier", " on team WORLD", 1, call, 0, call, nowMs);
    }

    /** Performs rounds of the watch; returns the failure of the last. */
    private JobFailure check(final int rounds)
    {
        JobFailure failure = null;
        for (int i = 0; i < rounds; i++)
        {
            nowMs += INTERVAL_MS;
            failure = watch.check(TimeUnit.MILLISECONDS.toNanos(INTERVAL_MS));
        }

        return failure;
    }
}
