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
package io.aeroshmem.tests;

import io.aeroshmem.Collective;
import io.aeroshmem.CollectiveArgs;
import io.aeroshmem.CommunicationContext;
import io.aeroshmem.Recovery;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.TestMemory;
import io.aeroshmem.tools.AeroShmemCommand;
import io.aeroshmem.transport.job.HostName;
import io.aeroshmem.transport.job.JobView;
import io.aeroshmem.transport.job.JobViews;
import io.aeroshmem.transport.job.PeCounter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.atomic.AtomicReference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Jobs that are watched while they start, run and fail. */
class JobViewsTest
{
    private static final int HEAP = 1 << 20;
    private static final int BLOCK = 64 << 10;
    private static final int CALLS = 300;

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"IPC", "UDP"})
    void shouldShowWhatARunningJobDoes(final TransportKind transport) throws Exception
    {
        final JobViews jobs = new JobViews(TestMemory.root(), "");
        Shmem.runLocal(2, new Shmem.Context().transport(transport).heapSize(HEAP), (shmem) ->
        {
            final SymmetricBuffer block = shmem.malloc(BLOCK);
            final SymmetricBuffer words = shmem.calloc(2, 8);
            final CommunicationContext ctx = shmem.defaultContext();
            final int peer = 1 - shmem.myPe();
            ctx.putLong(words, 0, 7, peer);
            ctx.atomicAddLong(words, 8, 1, peer);
            ctx.atomicFetchAddLong(words, 8, 1, peer);
            ctx.get(block, 0, block, BLOCK / 2, 1024, peer);
            ctx.quiet();
            shmem.barrierAll();
            if (0 == shmem.myPe())
            {
                Pe.await(() -> isShown(jobs), "the counters");
            }

            shmem.barrierAll();
        });
        jobs.update();
        assertTrue(jobs.isEmpty());
    }

    @Test
    void shouldCountCollectivesOfAllTeamsAndRequests() throws Exception
    {
        final JobViews jobs = new JobViews(TestMemory.root(), "");
        final Shmem.Context context =
            new Shmem.Context().transport(TransportKind.MAPPED).heapSize(HEAP).checkCollectives(false);
        Shmem.runLocal(2, context, (shmem) ->
        {
            for (int i = 0; i < CALLS; i++)
            {
                shmem.barrierAll();
            }

            final Team closed = shmem.world().splitStrided(0, 1, 2);
            for (int i = 0; i < CALLS; i++)
            {
                closed.sync();
            }

            closed.close();
            for (int i = 0; i < CALLS; i++)
            {
                shmem.world().post(new CollectiveArgs().collective(Collective.BARRIER)).await();
            }

            if (0 == shmem.myPe())
            {
                Pe.await(() -> hasCollectives(jobs, 3 * CALLS), "the number of collectives");
            }

            shmem.barrierAll();
        });
    }

    /** Returns whether the PEs have made the calls, and fewer than CALLS more: those of the start and of the split. */
    private static boolean hasCollectives(final JobViews jobs, final long calls)
    {
        jobs.update();
        return jobs.snapshots().get(0).pes().stream().allMatch((pe) ->
            pe.counter(PeCounter.COLLECTIVES) >= calls && pe.counter(PeCounter.COLLECTIVES) < calls + CALLS);
    }

    @Test
    void shouldDescribeARunningJob() throws Exception
    {
        final JobViews jobs = new JobViews(TestMemory.root(), "");
        final StringWriter text = new StringWriter();
        Shmem.runLocal(2, new Shmem.Context().transport(TransportKind.IPC).heapSize(HEAP), (shmem) ->
        {
            if (0 == shmem.myPe())
            {
                Pe.await(() -> isSampled(jobs), "the sizes of the heaps");
                final String id = jobs.snapshots().get(0).id();
                assertEquals(0, AeroShmemCommand.commandLine().setOut(new PrintWriter(text))
                    .execute("info", "--job", id));
                assertTrue(text.toString().startsWith("Job " + id + "\n"), text.toString());
            }

            shmem.barrierAll();
        });
        final String job = text.toString();
        assertTrue(job.contains("\n  PE 0    .i\n  PE 1    i.\n"), job);
        final String process = "pid " + ProcessHandle.current().pid() + " on " + HostName.local() +
            ", running, heap 1048576 bytes ";
        assertTrue(job.replaceAll("\\s+", " ").contains(" PE 0 " + process + "PE 1 " + process), job);
        assertTrue(job.contains("\nBusiest threads of PE 1\n"), job);
        assertTrue(job.contains(" s, processors "), job);
    }

    private static boolean isSampled(final JobViews jobs)
    {
        jobs.update();
        return jobs.snapshots().get(0).pes().stream().allMatch((pe) ->
            "RUNNING".equals(pe.phase()) && HEAP == pe.counter(PeCounter.HEAP_LENGTH));
    }

    private static boolean isShown(final JobViews jobs)
    {
        jobs.update();
        final JobView.Snapshot job = jobs.snapshots().get(0);
        assertEquals(2, job.pes().size());
        return job.pes().stream().allMatch((pe) ->
            "RUNNING".equals(pe.phase()) &&
            HEAP == pe.counter(PeCounter.HEAP_LENGTH) &&
            pe.counter(PeCounter.HEAP_USED) >= BLOCK + 16 && pe.counter(PeCounter.HEAP_USED) < HEAP &&
            pe.counter(PeCounter.PUTS) >= 1 &&
            pe.counter(PeCounter.GETS) >= 1 &&
            pe.counter(PeCounter.ATOMICS) >= 2 &&
            pe.counter(PeCounter.SIGNALS) >= 1 &&
            pe.counter(PeCounter.RECORDS_OUTSTANDING) >= 0) &&
            job.pes().get(0).counter(PeCounter.AGENT_MAX_CYCLE) > 0;
    }

    @Test
    void shouldCountARecovery() throws Exception
    {
        final JobViews jobs = new JobViews(TestMemory.root(), "");
        final Shmem.Context context = new Shmem.Context().transport(TransportKind.IPC).heapSize(HEAP);
        Shmem.runLocal(2, context.recovery(Recovery.REPLACE), (shmem) ->
        {
            shmem.retain("book", BLOCK);
            shmem.barrierAll();
            if (0 == shmem.generation().number())
            {
                if (1 == shmem.myPe())
                {
                    throw new IllegalStateException("gone");
                }

                shmem.barrierAll();
            }

            if (0 == shmem.myPe())
            {
                Pe.await(() -> hasRecovered(jobs), "the counters of the recovery");
            }

            shmem.barrierAll();
        });
    }

    /** The time of a recovery is that of the last PE. */
    private static boolean hasRecovered(final JobViews jobs)
    {
        jobs.update();
        final JobView.Snapshot job = jobs.snapshots().get(0);
        final long recoveryMs = job.recovery().totalMs();
        return 1 == job.generation() && recoveryMs > 0 &&
            recoveryMs == job.pes().stream().mapToLong((pe) -> pe.counter(PeCounter.RECOVERY_TIME)).max().getAsLong() &&
            job.pes().stream().allMatch((pe) ->
                1 == pe.counter(PeCounter.GENERATION) && pe.counter(PeCounter.RETAINED_BYTES) >= BLOCK);
    }

    @Test
    void shouldShowAJobThatHasFailed()
    {
        final JobViews jobs = new JobViews(TestMemory.root(), "");
        final AtomicReference<JobView> watched = new AtomicReference<>();
        final IllegalStateException failure = assertThrows(IllegalStateException.class, () ->
            Shmem.runLocal(2, new Shmem.Context().transport(TransportKind.MAPPED).heapSize(HEAP), (shmem) ->
            {
                shmem.barrierAll();
                if (1 == shmem.myPe())
                {
                    jobs.update();
                    watched.set(jobs.all().iterator().next());
                    throw new IllegalStateException("gone");
                }

                shmem.barrierAll();
            }));
        assertEquals("gone", failure.getMessage());
        final JobView.Snapshot job = watched.get().snapshot();
        assertTrue(job.hasEnded());
        assertTrue(job.failure().message().contains("gone"), job.failure().message());
    }
}
