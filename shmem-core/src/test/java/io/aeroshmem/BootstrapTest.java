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
package io.aeroshmem;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(60)
class BootstrapTest
{
    /** Well below the default of aeroshmem.join.timeout. */
    private static final long JOIN_SECONDS = 30;

    @Test
    void shouldMakeOnePerPeInOrder()
    {
        final Bootstrap[] bootstraps = Bootstrap.inProcess(3);
        assertEquals(3, bootstraps.length);
        for (int pe = 0; pe < 3; pe++)
        {
            assertEquals("PE " + pe + " of 3", bootstraps[pe].toString());
        }
    }

    @Test
    void shouldBeAJobOfOneWhereTheEnvironmentNamesNone()
    {
        assertEquals("PE 0 of 1", Bootstrap.fromEnvironment().toString());
    }

    @Test
    void shouldRefuseAJobOfNone()
    {
        final Exception ex = assertThrows(IllegalArgumentException.class, () -> Bootstrap.inProcess(0));
        assertTrue(ex.getMessage().contains("must be >= 1: npes=0"), ex.getMessage());
    }

    @Test
    void shouldRefuseARecoveryThatNobodyPerforms()
    {
        final Shmem.Context config = LocalJobs.config().recovery(Recovery.RESTART);
        final Exception ex = assertThrows(BootstrapException.class, () -> Shmem.init(config));
        assertEquals("recovery=RESTART (aeroshmem.recovery) requires aeroshmem run --recover, Shmem.runLocal or a" +
            " supervisor of the processes of AEROSHMEM_PE, JOB_COMPLETION_INDEX or a UniqueId, two or more: nothing" +
            " else starts the PEs of a job again", ex.getMessage());
    }

    @Test
    void shouldRecoverInTheDirectoryThatTheContextSets(@TempDir final Path directory)
    {
        final Shmem.Context config = LocalJobs.config().recovery(Recovery.RESTART)
            .shmDirectoryName(directory.toString()).recoveryDirectory(directory.toString());
        try (Shmem shmem = Shmem.init(config))
        {
            assertEquals(0, shmem.generation().number());
            assertTrue(Files.exists(directory.resolve("pe-0.heap")), "the heap must be in the directory");
        }
    }

    @Test
    void shouldBeInGeneration0WithoutRecovery() throws Exception
    {
        try (Shmem shmem = Shmem.init(LocalJobs.config().bootstrap(Bootstrap.inProcess(1)[0])))
        {
            assertEquals(0, shmem.generation().number());
            assertFalse(shmem.isEnded());
            assertThrows(IllegalStateException.class, () -> shmem.requestRecovery("why not"));
            shmem.fail(new IllegalStateException("over"));
            assertTrue(shmem.isEnded());
        }
    }

    @Test
    void shouldReportAFailedSetUpToWaitingPes() throws Exception
    {
        final Bootstrap[] bootstraps = Bootstrap.inProcess(3);
        final FutureTask<Throwable> waiting = new FutureTask<>(() ->
            assertThrows(BootstrapException.class, () -> Shmem.init(LocalJobs.config().bootstrap(bootstraps[1]))));
        final Thread thread = new Thread(waiting);
        thread.start();
        while (!waiting.isDone() && Thread.State.RUNNABLE == thread.getState())
        {
            Thread.onSpinWait();
        }

        final Shmem.Context wrong = LocalJobs.config().heapSize(5).bootstrap(bootstraps[0]);
        assertThrows(IllegalArgumentException.class, () -> Shmem.init(wrong));
        assertNamesTheFirst(waiting.get(JOIN_SECONDS, TimeUnit.SECONDS));
    }

    /** No PE has a job directory before the rendezvous has gathered all of them. */
    @Test
    void shouldReportAFailedSetUpToPesThatTheRendezvousGathers() throws Exception
    {
        final UniqueId id = UniqueId.create();
        final Bootstrap gathered = Bootstrap.uniqueId(1, 3, id);
        final FutureTask<Throwable> waiting = new FutureTask<>(() ->
            assertThrows(BootstrapException.class, () -> Shmem.init(LocalJobs.config().bootstrap(gathered))));
        new Thread(waiting).start();
        final Shmem.Context wrong = LocalJobs.config().heapSize(5).bootstrap(Bootstrap.uniqueId(0, 3, id));
        assertThrows(IllegalArgumentException.class, () -> Shmem.init(wrong));
        assertNamesTheFirst(waiting.get(JOIN_SECONDS, TimeUnit.SECONDS));
    }

    @Test
    void shouldReportAFailedSetUpToLaterPes()
    {
        final Bootstrap[] bootstraps = Bootstrap.inProcess(3);
        final Shmem.Context wrong = LocalJobs.config().heapSize(5).bootstrap(bootstraps[0]);
        assertThrows(IllegalArgumentException.class, () -> Shmem.init(wrong));
        for (final Bootstrap bootstrap : bootstraps)
        {
            assertNamesTheFirst(assertThrows(
                BootstrapException.class, () -> Shmem.init(LocalJobs.config().bootstrap(bootstrap))));
        }
    }

    @Test
    void shouldThrowWhatWasWrongWithTheTemplateOfALocalJob()
    {
        final Exception ex = assertThrows(IllegalArgumentException.class, () ->
            Shmem.runLocal(3, LocalJobs.config().heapSize(5), (shmem) -> shmem.barrierAll()));
        assertTrue(ex.getMessage().contains("aeroshmem.heap.size"), ex.getMessage());
    }

    private static void assertNamesTheFirst(final Throwable ex)
    {
        final String message = ex.getMessage();
        assertTrue(message.matches("PE 0 (\\(.*\\) )?could not join: aeroshmem.heap.size must be .*"), message);
        assertTrue(ex.getMessage().contains(": aeroshmem.heap.size=5"), ex.getMessage());
        assertEquals(0, assertInstanceOf(PeFailureException.class, ex.getCause()).pe());
    }
}
