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

import io.aeroshmem.transport.TransportException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(120)
@SuppressWarnings("try") // Closing early and twice is what is tested.
class JobDirectoryTest
{
    @TempDir(factory = SharedMemory.class)
    private Path root;

    @Test
    void shouldMakePrivateDirectoryAndRemoveItWithoutTrace() throws IOException
    {
        try (JobDirectory job = JobDirectory.create(root, 3))
        {
            assertTrue(job.id().matches("[0-9a-f]{32}"));
            assertEquals(root.toRealPath(), job.path().getParent().getParent());
            assertEquals("aeroshmem-" + PrivateFiles.currentUid(), job.path().getParent().getFileName().toString());
            assertPermissions("rwx------", job.path());
            assertPermissions("rwx------", job.path().getParent());
            assertPermissions("rw-------", job.path().resolve("job.lock"));
            assertPermissions("rw-------", job.path().resolve("control"));
            assertTrue(job.isCreator());
            assertTrue(job.isCreatorAlive());
            assertNotEquals(0, job.token());
            assertEquals(job.path().resolve("pe-2.heap"), job.heapFile(2));
            assertEquals(job.path().resolve("pe-2.system"), job.systemFile(2));
            assertThrows(IndexOutOfBoundsException.class, () -> job.heapFile(3));

            Files.createDirectories(job.aeronDirectory().resolve("images"));
            Files.writeString(job.aeronDirectory().resolve("images").resolve("1.logbuffer"), "x");
            Files.createFile(job.heapFile(0));
            Files.createSymbolicLink(job.path().resolve("link"), root);
            job.delete();
            job.delete();
        }

        assertEquals(List.of(), entries(root));
        assertTrue(Files.exists(root));
    }

    @Test
    void shouldKeepUsersDirectoryWhileAnotherJobIsThere() throws IOException
    {
        try (JobDirectory first = JobDirectory.create(root, 1); JobDirectory second = JobDirectory.create(root, 1))
        {
            assertNotEquals(first.token(), second.token());
            first.delete();
            assertFalse(Files.exists(first.path()));
            assertTrue(Files.exists(second.path().resolve("control")));
            second.delete();
        }

        assertEquals(List.of(), entries(root));
    }

    @Test
    void shouldOpenWhatWasCreated()
    {
        try (JobDirectory job = JobDirectory.create(root, 2); JobDirectory opened = JobDirectory.open(job.path()))
        {
            assertEquals(job.token(), opened.token());
            assertEquals(2, opened.nPes());
            assertFalse(opened.isCreator());
            assertTrue(opened.isCreatorAlive());
            assertThrows(IllegalStateException.class, opened::delete);
            opened.control().phase(1, PePhase.RUNNING);
            assertEquals(PePhase.RUNNING, job.control().phase(1));

            job.close();
            assertFalse(opened.isCreatorAlive());
            assertEquals(PePhase.CLOSED, opened.control().phase(opened.control().creatorCell()));
            assertThrows(IllegalStateException.class, job::delete);
        }
    }

    @Test
    void shouldLockEachProcessOnce()
    {
        try (JobDirectory job = JobDirectory.create(root, 2))
        {
            final ProcessLock lock = job.lockProcess("pe-0");
            assertEquals(job.path().resolve("proc-pe-0.lock"), lock.path());
            assertTrue(ProcessLock.isHeld(lock.path()));
            assertThrows(TransportException.class, () -> job.lockProcess("pe-0"));
            assertTrue(ProcessLock.isHeld(lock.path()));
            assertThrows(IllegalArgumentException.class, () -> job.lockProcess("../x"));
            assertThrows(IllegalArgumentException.class, () -> job.lockProcess(""));
            job.close();
            assertFalse(ProcessLock.isHeld(lock.path()));
            assertThrows(IllegalStateException.class, () -> job.lockProcess("pe-1"));
        }
    }

    @Test
    void shouldTakeOverTheLockOfAProcessThatEndedBeforeItRegistered()
    {
        try (JobDirectory job = JobDirectory.create(root, 2))
        {
            job.lockProcess("pe-0").close();
            final ProcessLock lock = job.lockProcess("pe-0");
            assertTrue(ProcessLock.isHeld(lock.path()));

            job.control().register(0, 1, 0, "proc-pe-0.lock");
            lock.close();
            assertThrows(TransportException.class, () -> job.lockProcess("pe-0"));
            assertFalse(ProcessLock.isHeld(lock.path()));
        }
    }

    @Test
    void shouldRefuseToLockProcessOfRemovedJob()
    {
        try (JobDirectory job = JobDirectory.create(root, 2); JobDirectory opened = JobDirectory.open(job.path()))
        {
            job.delete();
            assertThrows(TransportException.class, () -> opened.lockProcess("pe-0"));
        }
    }

    @Test
    void shouldRefuseUsersDirectoryThatOthersCanEnter() throws IOException
    {
        final Path parent = Files.createDirectory(root.resolve("aeroshmem-" + PrivateFiles.currentUid()));
        Files.setPosixFilePermissions(parent, PosixFilePermissions.fromString("rwxr-xr-x"));
        final TransportException ex =
            assertThrows(TransportException.class, () -> JobDirectory.create(root, 1));
        assertTrue(ex.getMessage().contains("0755") && ex.getMessage().contains("0700"), ex.getMessage());
        assertTrue(ex.getMessage().contains("aeroshmem.shm.dir"), ex.getMessage());
    }

    @Test
    void shouldRefuseUsersDirectoryThatIsALink() throws IOException
    {
        final Path elsewhere = Files.createDirectory(root.resolve("elsewhere"));
        Files.createSymbolicLink(root.resolve("aeroshmem-" + PrivateFiles.currentUid()), elsewhere);
        final TransportException ex =
            assertThrows(TransportException.class, () -> JobDirectory.create(root, 1));
        assertTrue(ex.getMessage().contains("link"), ex.getMessage());
        assertEquals(List.of(), entries(elsewhere));
    }

    @Test
    void shouldRefuseRootThatOthersCanRearrange() throws IOException
    {
        final Path open = Files.createDirectory(root.resolve("open"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        final TransportException ex = assertThrows(TransportException.class, () -> JobDirectory.create(open, 1));
        assertTrue(ex.getMessage().contains("sticky"), ex.getMessage());
        assertThrows(TransportException.class, () -> JobDirectory.create(root.resolve("absent"), 1));
    }

    @Test
    void shouldRefuseBadNumbersOfPes()
    {
        assertThrows(IllegalArgumentException.class, () -> JobDirectory.create(root, 0));
        assertThrows(IllegalArgumentException.class, () -> JobDirectory.create(root, 65537));
    }

    @Test
    void shouldRefuseToOpenWhatIsNoJob() throws IOException
    {
        assertThrows(TransportException.class, () -> JobDirectory.open(root));
        try (JobDirectory job = JobDirectory.create(root, 1))
        {
            final Path absent = job.path().resolveSibling("0".repeat(32));
            assertThrows(TransportException.class, () -> JobDirectory.open(absent));
            Files.createSymbolicLink(absent, job.path());
            assertThrows(TransportException.class, () -> JobDirectory.open(absent));
            Files.delete(absent);
            Files.setPosixFilePermissions(job.path(), PosixFilePermissions.fromString("rwxrwx---"));
            assertThrows(TransportException.class, () -> JobDirectory.open(job.path()));
            Files.setPosixFilePermissions(job.path(), PosixFilePermissions.fromString("rwx------"));
            JobDirectory.open(job.path()).close();
            job.delete();
        }
    }

    @Test
    void shouldTakeRootFromProperty()
    {
        final String before = System.getProperty(JobDirectory.SHM_DIR_PROP_NAME);
        try
        {
            System.setProperty(JobDirectory.SHM_DIR_PROP_NAME, root.toString());
            assertEquals(root, JobDirectory.defaultRoot());
        }
        finally
        {
            if (null == before)
            {
                System.clearProperty(JobDirectory.SHM_DIR_PROP_NAME);
            }
            else
            {
                System.setProperty(JobDirectory.SHM_DIR_PROP_NAME, before);
            }
        }
    }

    @Test
    void shouldNameTheSpaceWhenThereIsNone() throws Exception
    {
        try (SmallFileSystem small = SmallFileSystem.mount(root, 64 * 1024))
        {
            final TransportException ex =
                assertThrows(TransportException.class, () -> JobDirectory.create(small.path(), 1000));
            assertTrue(ex.getMessage().contains("aeroshmem.shm.dir"), ex.getMessage());
            assertEquals(List.of(), entries(small.path()));
            JobDirectory.create(small.path(), 2).close();
        }
    }

    @Test
    void shouldWaitForRoomForTheNextGeneration() throws Exception
    {
        final Path missing = root.resolve("missing");
        final List<String> lines = new ArrayList<>();
        final JobDirectory.Retry retry = (ex, delayNs) ->
        {
            lines.add(JobDirectory.Retry.line(ex, delayNs));
            if (3 == lines.size())
            {
                assertTrue(missing.toFile().mkdir());
            }

            return lines.size() < 4;
        };
        try (JobDirectory job = JobDirectory.createNext(missing, 2, TimeUnit.MINUTES.toNanos(1), retry))
        {
            job.delete();
        }

        final String line = missing + " is not a directory: set aeroshmem.shm.dir to one on a memory file system; " +
            "trying again in ";
        assertEquals(List.of(line + "100 ms", line + "200 ms", line + "400 ms"), lines);
        Files.delete(missing);
        assertNull(JobDirectory.createNext(missing, 2, TimeUnit.MINUTES.toNanos(1), retry), "no further attempt");
        assertThrows(TransportException.class, () -> JobDirectory.createNext(missing, 2, 0, retry));
        assertEquals(4, lines.size(), "no time");
    }

    @Test
    void shouldSurviveCleanersWhileBeingCreated() throws Exception
    {
        final int jobs = 200;
        final List<JobDirectory> kept = new ArrayList<>();
        final ExecutorService executor = Executors.newFixedThreadPool(2);
        try (JobProcess other = JobProcess.start())
        {
            final AtomicBoolean isDone = new AtomicBoolean();
            final Future<?> localCleaner = executor.submit(() ->
            {
                while (!isDone.get())
                {
                    JobCleaner.clean(root);
                }
            });
            final Future<String> remoteCleaner =
                executor.submit(() -> other.command("clean-until-job-count " + root + ' ' + jobs / 10));

            for (int i = 0; i < jobs; i++)
            {
                final JobDirectory job = JobDirectory.create(root, 1);
                JobDirectory.open(job.path()).close();
                if (0 == i % 10)
                {
                    kept.add(job);
                }
                else
                {
                    job.delete();
                    job.close();
                }
            }

            assertEquals("0", remoteCleaner.get(60, TimeUnit.SECONDS));
            isDone.set(true);
            localCleaner.get(60, TimeUnit.SECONDS);
            for (final JobDirectory job : kept)
            {
                assertTrue(job.isCreatorAlive());
                assertEquals("true", other.command("held " + job.path().resolve("job.lock")));
                JobDirectory.open(job.path()).close();
            }
        }
        finally
        {
            executor.shutdownNow();
            kept.forEach(JobDirectory::delete);
            kept.forEach(JobDirectory::close);
        }

        assertEquals(List.of(), entries(root));
    }

    static List<Path> entries(final Path directory) throws IOException
    {
        try (Stream<Path> stream = Files.list(directory))
        {
            return stream.toList();
        }
    }

    private static void assertPermissions(final String expected, final Path path) throws IOException
    {
        assertEquals(expected, PosixFilePermissions.toString(Files.getPosixFilePermissions(path)));
    }
}
