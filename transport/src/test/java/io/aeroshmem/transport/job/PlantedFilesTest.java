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
import io.aeroshmem.transport.heap.Segment;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Files that another user could have planted in the directories of jobs, and the user's own files with changed
 * attributes.
 */
@Tag("jdk")
@Timeout(60)
@SuppressWarnings("try") // A creator that dies closes early.
class PlantedFilesTest
{
    private static final int OTHER_UID = 12_345;
    private static final int HEAP = 8192;

    private final long uid = PrivateFiles.currentUid();

    @TempDir(factory = SharedMemory.class)
    private Path root;

    /**
     * The object in a file's place.
     */
    private enum Plant
    {
        LINK
        {
            @Override
            void make(final Path file, final Path original) throws IOException
            {
                Files.createSymbolicLink(file, original);
            }
        },

        DANGLING_LINK
        {
            @Override
            void make(final Path file, final Path original) throws IOException
            {
                Files.createSymbolicLink(file, original.resolveSibling("nowhere"));
            }
        },

        HARD_LINK
        {
            @Override
            void make(final Path file, final Path original) throws IOException
            {
                Files.createLink(file, original);
            }
        },

        DIRECTORY
        {
            @Override
            void make(final Path file, final Path original) throws IOException
            {
                Files.createDirectory(file, PosixFilePermissions.asFileAttribute(
                    PosixFilePermissions.fromString("rw-------")));
            }
        },

        FIFO
        {
            @Override
            void make(final Path file, final Path original) throws IOException
            {
                run("mkfifo", "-m", "600", file.toString());
            }
        },

        DEVICE
        {
            @Override
            void make(final Path file, final Path original) throws IOException
            {
                run("mknod", "-m", "600", file.toString(), "c", "1", "5");
            }
        },

        OPEN_TO_GROUP
        {
            @Override
            void make(final Path file, final Path original) throws IOException
            {
                Files.copy(original, file);
                Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
            }
        },

        OPEN_TO_ALL
        {
            @Override
            void make(final Path file, final Path original) throws IOException
            {
                Files.copy(original, file);
                Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw----rw-"));
            }
        },

        FOREIGN
        {
            @Override
            void make(final Path file, final Path original) throws IOException
            {
                Files.copy(original, file);
                Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
                give(file);
            }
        };

        abstract void make(Path file, Path original) throws IOException;
    }

    @ParameterizedTest
    @EnumSource(Plant.class)
    void shouldOpenNoHeapAndNoControlFileButItsOwn(final Plant plant) throws IOException
    {
        try (JobDirectory job = JobDirectory.create(root, 2))
        {
            Segment.create(job.heapFile(0), HEAP, true).close();
            plant.make(job.heapFile(1), job.heapFile(0));
            assertThrows(TransportException.class, () -> Segment.map(job.heapFile(1), HEAP));
            assertThrows(TransportException.class, () -> Segment.create(job.heapFile(1), HEAP, true));

            final Path control = job.path().resolve(JobDirectory.CONTROL);
            final Path moved = Files.move(control, job.path().resolve("moved"));
            plant.make(control, moved);
            assertThrows(TransportException.class, () -> JobDirectory.open(job.path()));
            assertThrows(IOException.class, () -> ControlFile.create(control, 2, 1, JobDirectory.NO_PE));
            job.delete();
        }

        assertEquals(List.of(), JobDirectoryTest.entries(root));
    }

    /**
     * Neither list nor clean waits for a writer of a FIFO, or skips the other jobs.
     */
    @ParameterizedTest
    @EnumSource(value = Plant.class, names = {"LINK", "DANGLING_LINK", "DIRECTORY", "FIFO", "DEVICE"})
    void shouldCleanTheOtherJobsWhateverLiesInTheLocksOfOne(final Plant plant) throws IOException
    {
        final Path parent;
        try (JobDirectory job = JobDirectory.create(root, 1))
        {
            parent = job.path().getParent();
        }

        final Path first = damage(parent.resolve("0".repeat(32)), JobDirectory.JOB_LOCK, plant);
        final Path last = damage(parent.resolve("f".repeat(32)), "proc-pe-0.lock", plant);

        final List<JobCleaner.JobSummary> jobs = JobCleaner.list(root);
        assertEquals(3, jobs.size(), jobs::toString);
        final TransportException thrown = assertThrows(TransportException.class, () -> JobCleaner.clean(root));
        assertTrue(thrown.getMessage().contains("by hand"), thrown::toString);
        assertEquals(1, thrown.getSuppressed().length);
        assertTrue(Files.exists(first) && Files.exists(last));
        assertEquals(2, JobDirectoryTest.entries(parent).size());

        final int[] errors = {0};
        try (JobDirectory next = JobDirectory.create(root, 1))
        {
            assertEquals(List.of(), JobCleaner.clean(root, (ex) -> errors[0]++));
            assertEquals(2, errors[0]);
            next.delete();
        }
    }

    private static Path damage(final Path directory, final String lock, final Plant plant) throws IOException
    {
        PrivateFiles.makeDirectory(directory);
        final Path other = directory.resolve("other");
        PrivateFiles.create(other).close();
        if (!JobDirectory.JOB_LOCK.equals(lock))
        {
            PrivateFiles.create(directory.resolve(JobDirectory.JOB_LOCK)).close();
        }

        plant.make(directory.resolve(lock), other);
        return directory;
    }

    @Test
    void shouldFollowNoLinkBelowTheRoot() throws IOException
    {
        try (JobDirectory job = JobDirectory.create(root, 1))
        {
            final Path parent = job.path().getParent();
            final Path fake = Files.createDirectory(root.resolve("fake"));
            Files.createSymbolicLink(fake.resolve(parent.getFileName()), parent);
            assertThrows(TransportException.class, () ->
                JobDirectory.open(fake.resolve(parent.getFileName()).resolve(job.id())));
            assertThrows(TransportException.class, () -> JobDirectory.create(fake, 1));

            // above it links are resolved once
            Files.createSymbolicLink(root.resolve("link"), root);
            try (JobDirectory opened = JobDirectory.open(
                root.resolve("link").resolve(parent.getFileName()).resolve(job.id())))
            {
                assertEquals(job.path(), opened.path());
            }

            job.delete();
        }
    }

    @Test
    void shouldRefuseARootThatSomebodyElseCouldExchange() throws IOException
    {
        final Path upper = Files.createDirectory(root.resolve("upper"));
        final Path lower = Files.createDirectory(upper.resolve("lower"));
        JobDirectory.create(lower, 1).delete();
        Files.setPosixFilePermissions(upper, PosixFilePermissions.fromString("rwxrwxrwx"));
        final TransportException open = assertThrows(TransportException.class, () -> JobDirectory.create(lower, 1));
        assertTrue(open.getMessage().contains(upper + " can be written by others"), open::toString);
        Files.setPosixFilePermissions(upper, PosixFilePermissions.fromString("rwxr-xr-x"));
        give(upper);
        final TransportException foreign = assertThrows(TransportException.class, () -> JobDirectory.create(lower, 1));
        assertTrue(foreign.getMessage().contains(upper + " belongs to user id " + OTHER_UID), foreign::toString);
    }

    /**
     * In /dev/shm any user may create a directory with any name.
     */
    @ParameterizedTest
    @EnumSource(value = Plant.class, names = {"LINK", "DANGLING_LINK", "DIRECTORY", "FOREIGN"})
    void shouldWorkThoughAnotherUserHasTakenTheName(final Plant plant) throws IOException
    {
        final Path elsewhere = Files.createDirectory(root.resolve("elsewhere"));
        final Path file = Files.createFile(root.resolve("file"));
        final Path taken = root.resolve("aeroshmem-" + uid);
        plant.make(taken, Plant.FOREIGN == plant ? file : elsewhere);
        give(taken);

        try (JobDirectory job = JobDirectory.create(root, 1); JobDirectory second = JobDirectory.create(root, 1))
        {
            final Path parent = job.path().getParent();
            assertNotEquals(taken, parent);
            assertEquals(parent, second.path().getParent());
            assertTrue(parent.getFileName().toString().matches("aeroshmem-" + uid + "-[0-9a-f]{32}"));
            assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(parent)));
            JobDirectory.open(job.path()).close();
            assertEquals(2, JobCleaner.list(root).size());
            assertEquals(List.of(), JobCleaner.clean(root));
            second.close();
            assertEquals(second.path(), JobCleaner.clean(root).get(0).directory());

            // other users guessing names
            final Path guess = Files.createDirectory(root.resolve("aeroshmem-" + uid + '-' + "0".repeat(32)));
            Files.createDirectory(guess.resolve("1".repeat(32)));
            give(guess);
            assertEquals(1, JobCleaner.list(root).size());
            job.delete();
            assertFalse(Files.exists(parent));
            assertTrue(Files.exists(guess));
        }

        assertTrue(Files.exists(taken, LinkOption.NOFOLLOW_LINKS));
        assertEquals(List.of(), JobDirectoryTest.entries(elsewhere));
    }

    private static void give(final Path path) throws IOException
    {
        assumeTrue(0 == PrivateFiles.currentUid(), "skipped: only root can give a file to another user");
        run("chown", "-h", OTHER_UID + ":" + OTHER_UID, path.toString());
    }

    private static void run(final String... command) throws IOException
    {
        final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        final String output = new String(process.getInputStream().readAllBytes());
        assumeTrue(0 == process.onExit().join().exitValue(), () -> "skipped: " + String.join(" ", command) + ": " +
            output);
    }
}
