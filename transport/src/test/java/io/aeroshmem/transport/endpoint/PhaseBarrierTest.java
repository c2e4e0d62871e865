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
import io.aeroshmem.transport.job.PePhase;
import io.aeroshmem.transport.progress.BlockingWait;
import io.aeroshmem.transport.progress.PlainExceptions;
import io.aeroshmem.transport.progress.Progress;
import org.agrona.concurrent.NoOpIdleStrategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(60)
class PhaseBarrierTest
{
    /** More than the rounds after which a wait is published. */
    private static final int POLLS = 2_000;

    @TempDir
    private Path root;

    @Test
    void shouldPublishTheEndOfTheWaitOfAPeThatLeavesUnconnected()
    {
        try (JobDirectory directory = JobDirectory.create(root, 2))
        {
            final ControlFile control = directory.control();
            control.phase(1, PePhase.EXCHANGED);
            final AtomicInteger polls = new AtomicInteger();
            final Progress progress = () ->
            {
                if (POLLS == polls.incrementAndGet())
                {
                    control.phase(1, PePhase.CLOSING);
                }

                return 0;
            };
            final BlockingWait blockingWait = new BlockingWait(
                control, 0, progress, Progress.NONE, new PlainExceptions(), 0, NoOpIdleStrategy::new,
                Pause.SYSTEM);

            new PhaseBarrier(control, 0, 0).leaveUnconnected(blockingWait, "close");

            assertEquals("close", control.activities().get(0).text());
            assertTrue(control.activities().get(0).isEnded());
            directory.delete();
        }
    }
}
