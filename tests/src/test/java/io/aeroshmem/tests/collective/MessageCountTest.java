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

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.ElementType;
import io.aeroshmem.ProgressMode;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.TestMemory;
import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.PeCounter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Counts of messages in the control file. Small collectives send few messages: as many as the logarithm of the number
 * of PEs, not as that number.
 */
@Tag("ci")
class MessageCountTest
{
    private static final PrintStream OUT = System.out;
    private static final int CALLS = 50;

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

    /** A duplicate costs at most the messages of two barriers. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 7, 8})
    void shouldDuplicateATeamWithTheMessagesOfTwoBarriers(final int nPes)
    {
        Job.of(nPes).transport(TransportKind.IPC).heapSize(1 << 20).run("duplicates", (pe) ->
        {
            final List<Team> teams = new ArrayList<>();
            final int rounds = 32 - Integer.numberOfLeadingZeros(pe.n() - 1);
            count(pe, "duplicate", 2 * rounds, () -> teams.add(pe.shmem().world().duplicate()));
            teams.forEach(Team::close);
        });
    }

    /** A leader sends one bundle to the other leader in a call, and no other member sends a message. */
    @ParameterizedTest
    @ValueSource(strings = {"a,a,b,b", "b,a,b,a,b", "a,b,b,b,b,b"})
    void shouldCollectFromAnotherNodeByLeadersOnly(final String nodes)
    {
        final String[] names = nodes.split(",");
        Job.of(names.length).nodes(names).heapSize(1 << 20).run(
            "leaders", (pe) -> countAcross(pe, List.of(names).indexOf(names[pe.me()]) == pe.me()));
    }

    private static void countAcross(final Pe pe, final boolean isLeader)
    {
        final Team team = pe.shmem().world();
        final SymmetricBuffer dest = pe.shmem().calloc(pe.n(), 8);
        final SymmetricBuffer source = pe.shmem().calloc(1, 8);
        team.fcollect(ElementType.LONG, dest, source, 1);
        team.barrier();
        try (JobDirectory directory = openJob())
        {
            final ControlFile control = directory.control();
            final long before = count(control, pe.me(), PeCounter.RECORDS_SENT);
            for (int i = 0; i < CALLS; i++)
            {
                team.fcollect(ElementType.LONG, dest, source, 1);
            }

            final long records = count(control, pe.me(), PeCounter.RECORDS_SENT) - before;
            if (isLeader)
            {
                assertTrue(records > CALLS && records <= 2 * (CALLS + 1), records + " records");
            }
            else
            {
                assertEquals(0, records);
            }

            team.barrier();
        }
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
        try (JobDirectory directory = openJob())
        {
            final ControlFile control = directory.control();
            final long records = count(control, pe.me(), PeCounter.RECORDS_SENT);
            final long frames = count(control, pe.me(), PeCounter.FRAMES_SENT);
            for (int i = 0; i < CALLS; i++)
            {
                call.run();
            }

            final long recordsSent = count(control, pe.me(), PeCounter.RECORDS_SENT) - records;
            final long framesSent = count(control, pe.me(), PeCounter.FRAMES_SENT) - frames;
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
            // with replies to what others have sent before, and what those that are ahead send
            assertTrue(mostFrames <= 2 * ((long)CALLS * rounds + 2L * rounds),
                what + ": " + mostFrames + " frames in " + CALLS + " calls by " + pe.n() + " PEs");
        }
    }

    @Test
    void shouldCountWhatIsReceivedAndWhatIsHeldUp()
    {
        Job.of(2).transport(TransportKind.IPC)
            .property("aeroshmem.term.length", "64k")
            .setup((config) -> config.progressMode(ProgressMode.INVOKER))
            .run("hold-ups", MessageCountTest::holdUp);
    }

    /** PE 1 serves nothing before PE 0 has been held up. */
    private static void holdUp(final Pe pe)
    {
        final SymmetricBuffer words = pe.shmem().calloc(2, 8);
        try (JobDirectory directory = openJob())
        {
            final ControlFile control = directory.control();
            holdUp(pe, words, control, PeCounter.REPLY_SLOT_WAITS);
            holdUp(pe, words, control, PeCounter.RING_FULL);
            assertTrue(count(control, 0, PeCounter.BACK_PRESSURE) > 0);
            assertEquals(0, count(control, 1, PeCounter.RING_FULL) + count(control, 1, PeCounter.REPLY_SLOT_WAITS));
            Pe.await(() ->
            {
                pe.shmem().progress();
                return isAllReceived(control, 0, 1) && isAllReceived(control, 1, 0);
            }, "the frames");
            pe.shmem().barrierAll();
        }
    }

    private static void holdUp(
        final Pe pe, final SymmetricBuffer words, final ControlFile control, final PeCounter counter)
    {
        pe.shmem().barrierAll();
        final CommunicationContext ctx = pe.ctx();
        for (int i = 0; 0 == pe.me() && 0 == count(control, 0, counter); i++)
        {
            if (PeCounter.RING_FULL == counter)
            {
                ctx.putLong(words, 0, 1, 1);
            }
            else
            {
                // a run each, since they differ in width: fewer bytes than the stream takes
                ctx.getNbi(words, 8, words, 8, 4 << (i & 1), 1);
            }
        }

        Pe.await(() -> count(control, 0, counter) > 0, counter.toString());
        pe.shmem().barrierAll();
    }

    private static boolean isAllReceived(final ControlFile control, final int from, final int to)
    {
        return count(control, from, PeCounter.FRAMES_SENT) == count(control, to, PeCounter.FRAMES_RECEIVED) &&
            count(control, from, PeCounter.RECORDS_SENT) == count(control, to, PeCounter.RECORDS_RECEIVED) &&
            count(control, from, PeCounter.BYTES_SENT) == count(control, to, PeCounter.BYTES_RECEIVED);
    }

    private static long count(final ControlFile control, final int pe, final PeCounter counter)
    {
        return control.counter(pe, counter).get();
    }

    private static JobDirectory openJob()
    {
        final List<Path> jobs = TestMemory.jobs();
        assertEquals(1, jobs.size());
        return JobDirectory.open(jobs.get(0));
    }
}
