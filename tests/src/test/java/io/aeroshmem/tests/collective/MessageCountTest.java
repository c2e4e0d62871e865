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
package io.aeroshmem.tests.collective;

import io.aeroshmem.ReduceOp;
import io.aeroshmem.Team;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.TestMemory;
import io.aeroshmem.transport.job.ControlCounter;
import io.aeroshmem.transport.job.JobDirectory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Small collectives send few messages: as many as the logarithm of the number of PEs, not as that number.
 */
@Timeout(200)
class MessageCountTest
{
    private static final PrintStream OUT = System.out;
    private static final int CALLS = 200;

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 7, 8, 16, 31, 32})
    void shouldSendFewMessages(final int nPes)
    {
        Job.of(nPes).transport(TransportKind.IPC).heapSize(1 << 20).run("messages", MessageCountTest::countAll);
    }

    private static void countAll(final Pe pe)
    {
        final Team team = pe.shmem().world();
        final int rounds = 32 - Integer.numberOfLeadingZeros(pe.n() - 1);
        count(pe, "sync", rounds, team::sync);
        count(pe, "barrier", rounds, team::barrier);
        // small teams may notify all members directly, while that takes no more messages than a tree
        count(pe, "reduce", 2 * rounds + 1, () -> team.reduceLong(ReduceOp.SUM, 1));
        count(pe, "broadcast", rounds, () -> team.broadcastLong(1, 0));
    }

    /**
     * A message has two records, the payload and its stamp, in one frame at the most, and may be answered by a frame
     * that only acknowledges it.
     */
    private static void count(final Pe pe, final String what, final int rounds, final Runnable call)
    {
        final Team team = pe.shmem().world();
        for (int i = 0; i < 3; i++)
        {
            call.run();
        }
        team.barrier();
        final List<Path> jobs = TestMemory.jobs();
        assertEquals(1, jobs.size());
        try (JobDirectory directory = JobDirectory.open(jobs.get(0)))
        {
            final long records = directory.control().counter(pe.me(), ControlCounter.RECORDS_SENT);
            final long frames = directory.control().counter(pe.me(), ControlCounter.FRAMES_SENT);
            for (int i = 0; i < CALLS; i++)
            {
                call.run();
            }
            final long recordsSent = directory.control().counter(pe.me(), ControlCounter.RECORDS_SENT) - records;
            final long framesSent = directory.control().counter(pe.me(), ControlCounter.FRAMES_SENT) - frames;
            team.barrier();
            final long mostRecords = team.reduceLong(ReduceOp.MAX, recordsSent);
            final long mostFrames = team.reduceLong(ReduceOp.MAX, framesSent);
            if (0 == pe.me())
            {
                OUT.println(what + " of " + pe.n() + " PEs: at the most " + (double)mostRecords / CALLS +
                    " records and " + (double)mostFrames / CALLS + " frames per PE and call");
            }
            final long sum = team.reduceLong(ReduceOp.SUM, recordsSent);
            assertTrue(sum > 0, "records are counted");
            assertTrue(mostRecords <= 2 * ((long)CALLS * rounds + rounds),
                what + ": " + mostRecords + " records in " + CALLS + " calls by " + pe.n() + " PEs");
            assertTrue(mostFrames <= 2 * ((long)CALLS * rounds + rounds),
                what + ": " + mostFrames + " frames in " + CALLS + " calls by " + pe.n() + " PEs");
        }
    }
}
