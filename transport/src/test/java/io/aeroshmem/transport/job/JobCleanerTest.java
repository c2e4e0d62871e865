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
package io.aeroshmem.transport.job;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(60)
class JobCleanerTest
{
    @TempDir(factory = SharedMemory.class)
    private Path root;

    @Test
    void shouldFindNothingWhereThereIsNothing()
    {
        assertEquals(List.of(), JobCleaner.list(root));
        assertEquals(List.of(), JobCleaner.clean(root));
    }

    @Test
    void shouldLeaveLiveJobOfThisProcessAlone()
    {
        try (JobDirectory job = JobDirectory.create(root, 3))
        {
            final JobCleaner.JobSummary summary = JobCleaner.list(root).get(0);
            assertTrue(summary.live());
            assertEquals(job.path(), summary.directory());
            assertEquals(3, summary.nPes());
            assertEquals(ProcessHandle.current().pid(), summary.creatorPid());
            assertEquals(ControlDescriptor.fileLength(3), summary.bytes());
            assertEquals(job.control().createdTime(), summary.created().toEpochMilli());
            assertEquals(List.of(), JobCleaner.clean(root));
            assertTrue(job.isCreatorAlive());
            assertTrue(Files.exists(job.path().resolve("control")));
            job.delete();
        }
    }

    @Test
    void shouldLeaveLiveJobOfOtherProcessAloneAndRemoveItOnceDead() throws Exception
    {
        try (JobProcess creator = JobProcess.start())
        {
            final Path path = Path.of(creator.command("create 2 " + root));
            assertTrue(JobCleaner.list(root).get(0).live());
            assertEquals(List.of(), JobCleaner.clean(root));
            creator.kill();

            final List<JobCleaner.JobSummary> dead = JobCleaner.list(root);
            assertEquals(1, dead.size());
            assertFalse(dead.get(0).live());
            final List<JobCleaner.JobSummary> removed = JobCleaner.clean(root);
            assertEquals(1, removed.size());
            assertEquals(path, removed.get(0).directory());
            assertEquals(creator.pid(), removed.get(0).creatorPid());
        }

        assertEquals(List.of(), JobDirectoryTest.entries(root));
    }

    @Test
    void shouldLeaveJobAloneWhileOnePeOutlivesItsCreator() throws Exception
    {
        try (JobProcess creator = JobProcess.start())
        {
            final Path path = Path.of(creator.command("create 1 " + root));
            try (JobProcess pe = JobProcess.startPe(path, 0))
            {
                creator.kill();
                final JobCleaner.JobSummary summary = JobCleaner.list(root).get(0);
                assertTrue(summary.live());
                assertTrue(summary.reason().contains("proc-pe-0.lock"), summary.reason());
                assertEquals(List.of(), JobCleaner.clean(root));
                assertTrue(Files.exists(path.resolve("control")));
                pe.kill();
                assertEquals(1, JobCleaner.clean(root).size());
            }
        }

        assertEquals(List.of(), JobDirectoryTest.entries(root));
    }

    @Test
    void shouldRemoveRestOfDeletionAndOfCreationThatWereCutShort() throws Exception
    {
        final Path parent;
        try (JobDirectory job = JobDirectory.create(root, 1))
        {
            parent = job.path().getParent();
            final Path born = parent.resolve("a".repeat(32));
            PrivateFiles.makeDirectory(born);
            final Path bornWithLock = parent.resolve("b".repeat(32));
            PrivateFiles.makeDirectory(bornWithLock);
            PrivateFiles.create(bornWithLock.resolve("job.lock")).close();
            final Path dying = parent.resolve("c".repeat(32));
            PrivateFiles.makeDirectory(dying);
            PrivateFiles.create(dying.resolve("pe-0.heap")).close();
            final Path foreign = Files.createDirectory(parent.resolve("something-else"));

            assertEquals(2, JobCleaner.clean(root).size());
            assertFalse(Files.exists(born) || Files.exists(bornWithLock) || Files.exists(dying));
            assertTrue(Files.exists(foreign));
            Files.delete(foreign);
            job.delete();
        }
    }

    @Test
    void shouldShareTheWorkAmongCleaners() throws Exception
    {
        final int jobs = 30;
        for (int i = 0; i < jobs; i++)
        {
            // Closed without deletion: what a creator leaves that is killed.
            JobDirectory.create(root, 2).close();
        }

        final ExecutorService executor = Executors.newFixedThreadPool(2);
        try (JobProcess other = JobProcess.start())
        {
            final Callable<Integer> local = () -> JobCleaner.clean(root).size();
            final Callable<Integer> remote = () -> Integer.parseInt(other.command("clean " + root));
            int removed = 0;
            for (final Future<Integer> future : executor.invokeAll(List.of(local, local, remote)))
            {
                removed += future.get();
            }

            removed += JobCleaner.clean(root).size();
            assertEquals(jobs, removed);
        }
        finally
        {
            executor.shutdownNow();
        }

        assertEquals(List.of(), JobDirectoryTest.entries(root));
    }

    /** Each process tries once, when it has released its own lock. */
    @Test
    void shouldRemoveJobWithLastProcessThatLeaves() throws Exception
    {
        final int processes = 6;
        final int jobs = 500;
        final ExecutorService executor = Executors.newFixedThreadPool(processes);
        try
        {
            for (int i = 0; i < jobs; i++)
            {
                final List<Callable<Boolean>> leavers = new ArrayList<>();
                final JobDirectory job = JobDirectory.create(root, processes);
                final CyclicBarrier leaving = new CyclicBarrier(processes);
                for (int pe = 0; pe < processes; pe++)
                {
                    final JobDirectory opened = JobDirectory.open(job.path());
                    final ProcessLock lock = opened.lockProcess("pe-" + pe);
                    leavers.add(() ->
                    {
                        leaving.await();
                        lock.close();
                        return JobCleaner.clean(opened);
                    });
                }

                job.close();
                int removed = 0;
                for (final Future<Boolean> future : executor.invokeAll(leavers))
                {
                    removed += future.get() ? 1 : 0;
                }

                assertEquals(1, removed, "job " + i);
                assertFalse(Files.exists(job.path()), "job " + i);
            }
        }
        finally
        {
            executor.shutdownNow();
        }
    }
}
