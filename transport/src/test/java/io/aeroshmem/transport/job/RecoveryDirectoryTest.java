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
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(60)
class RecoveryDirectoryTest
{
    @TempDir(factory = SharedMemory.class)
    private Path root;

    @Test
    void shouldBePrivateAndBeRemovedWithAllItsFiles() throws Exception
    {
        final RecoveryDirectory directory = RecoveryDirectory.create(root, TimeUnit.MINUTES.toNanos(1));
        final Path path = directory.path();
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(path)));
        Files.writeString(path.resolve("pe-0.heap"), "retained");
        directory.close();
        directory.close();
        assertEquals(List.of(), JobDirectoryTest.entries(root));
    }

    @Test
    void shouldKeepItAsLongAsItsOwnerLives() throws Exception
    {
        try (RecoveryDirectory directory = RecoveryDirectory.create(root, 1))
        {
            final JobCleaner.JobSummary summary = JobCleaner.list(root).get(0);
            assertEquals(directory.path(), summary.directory());
            assertTrue(summary.live());
            assertEquals("of a recoverable job, its creator holds job.lock", summary.reason());
            assertEquals(List.of(), JobCleaner.clean(root));
            assertTrue(Files.exists(directory.path()));
        }
    }

    /** Where nobody could go on without the owner. */
    @Test
    void shouldHaveNoLeaseIfTheOwnerIsTheJvmOfAllPes() throws Exception
    {
        try (RecoveryDirectory directory = RecoveryDirectory.createForThisJvm(root))
        {
            assertFalse(Files.exists(directory.path().resolve("lease")));
            assertEquals(List.of(), JobCleaner.clean(root));
            Files.writeString(directory.path().resolve("pe-0.heap"), "retained");
        }

        assertEquals(List.of(), JobDirectoryTest.entries(root));
    }

    /** Each generation has a name for a heap; the bytes are there once. */
    @Test
    void shouldCountAHeapOnce() throws Exception
    {
        try (RecoveryDirectory directory = RecoveryDirectory.createForThisJvm(root);
            JobDirectory job = JobDirectory.create(root, 1))
        {
            final long before = bytes();
            final Path heap = Files.write(directory.path().resolve("pe-0.heap"), new byte[1_000]);
            Files.createLink(job.heapFile(0), heap);
            assertEquals(before + 1_000, bytes());
            Files.delete(heap);
            assertEquals(before + 1_000, bytes());
            job.delete();
        }
    }

    private long bytes()
    {
        return JobCleaner.list(root).stream().mapToLong(JobCleaner.JobSummary::bytes).sum();
    }

    @Test
    void shouldExtendTheLease() throws Exception
    {
        try (RecoveryDirectory directory = RecoveryDirectory.create(root, TimeUnit.MILLISECONDS.toNanos(100)))
        {
            final FileTime first = Files.getLastModifiedTime(directory.path().resolve("lease"));
            while (first.equals(Files.getLastModifiedTime(directory.path().resolve("lease"))))
            {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void shouldKeepItWithoutItsOwnerUntilTheLeaseEnds() throws Exception
    {
        final Path path = deadOwner();
        Files.setLastModifiedTime(path.resolve("lease"), FileTime.from(Instant.now().plusSeconds(60)));
        assertTrue(JobCleaner.list(root).get(0).live());
        assertEquals(List.of(), JobCleaner.clean(root));
        assertTrue(Files.exists(path));

        Files.setLastModifiedTime(path.resolve("lease"), FileTime.from(Instant.now().minusMillis(1)));
        assertFalse(JobCleaner.list(root).get(0).live());
        assertEquals(path, JobCleaner.clean(root).get(0).directory());
        assertEquals(List.of(), JobDirectoryTest.entries(root));
    }

    /** Of several launchers on this host one keeps the memory; its commands and spare processes end with it. */
    @Test
    void shouldBeTakenOverFromADeadOwner() throws Exception
    {
        final Path path = deadOwner();
        Files.writeString(path.resolve("pe-0.heap"), "retained");
        SpareFile.create(path, 1);
        CommandFile.create(path);
        try (RecoveryDirectory directory = RecoveryDirectory.create(
            root, path.getFileName().toString().substring(RecoveryDirectory.name("").length()), 1))
        {
            assertEquals(path, directory.path());
            assertEquals("retained", Files.readString(path.resolve("pe-0.heap")));
            assertEquals(List.of(), SpareFile.list(path, PrivateFiles.currentUid()));
            CommandFile.create(path);
            assertEquals("of a recoverable job, its creator holds job.lock", JobCleaner.list(root).get(0).reason());
        }

        assertEquals(List.of(), JobDirectoryTest.entries(root));
    }

    /** A spare process of the owner before does not wait for the next one. */
    @Test
    void shouldEndASpareWhoseFileIsGone() throws Exception
    {
        try (RecoveryDirectory directory = RecoveryDirectory.create(root, TimeUnit.MINUTES.toNanos(1)))
        {
            final SpareFile spare = SpareFile.create(directory.path(), 1);
            spare.remove();
            assertFalse(spare.await(ProcessHandle.current().pid()));
        }
    }

    /** Viewers read the directory while spare processes come and go. */
    @Test
    void shouldListTheSparesThatAreThere() throws Exception
    {
        try (RecoveryDirectory directory = RecoveryDirectory.create(root, TimeUnit.MINUTES.toNanos(1)))
        {
            final Path path = directory.path();
            PrivateFiles.restrict(Files.createFile(path.resolve("spare-1")));
            SpareFile.create(path, 2);
            final long uid = PrivateFiles.currentUid();
            assertEquals(List.of(new SpareFile.Spare(0, false)), SpareFile.list(path, uid), "one is being made");

            final AtomicBoolean isOver = new AtomicBoolean();
            final CompletableFuture<Void> changes = CompletableFuture.runAsync(() ->
            {
                for (int number = 3; !isOver.get(); number++)
                {
                    SpareFile.create(path, number).remove();
                }
            });
            try
            {
                for (int i = 0; i < 2_000; i++)
                {
                    assertTrue(SpareFile.list(path, uid).size() <= 2);
                }
            }
            finally
            {
                isOver.set(true);
                changes.get();
            }
        }
    }

    @Test
    void shouldRemoveOneWhoseCreationWasCutShort() throws Exception
    {
        final Path path = deadOwner();
        Files.delete(path.resolve("lease"));
        JobCleaner.clean(root);
        assertEquals(List.of(), JobDirectoryTest.entries(root));

        Files.createDirectories(path);
        PrivateFiles.restrict(Files.createFile(path.getParent().resolve("recovery-1")));
        Files.setPosixFilePermissions(path.getParent(), PosixFilePermissions.fromString("rwx------"));
        JobCleaner.clean(root);
        assertFalse(Files.exists(path), "an empty one");
        assertTrue(Files.exists(path.getParent().resolve("recovery-1")), "not one of a job");
    }

    @Test
    void shouldNotBeTakenForAJob() throws Exception
    {
        try (RecoveryDirectory directory = RecoveryDirectory.create(root, 1))
        {
            assertTrue(Files.exists(directory.path()));
            assertEquals(List.of(), JobCleaner.jobDirectories(root, PrivateFiles.currentUid()));
        }
    }

    /** Returns a directory as an owner leaves it that was killed. */
    private Path deadOwner() throws Exception
    {
        final Path path;
        try (RecoveryDirectory directory = RecoveryDirectory.create(root, TimeUnit.MINUTES.toNanos(1)))
        {
            path = directory.path();
        }

        Files.createDirectories(path);
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwx------"));
        Files.setPosixFilePermissions(path.getParent(), PosixFilePermissions.fromString("rwx------"));
        for (final String name : new String[]{ "job.lock", "lease", "pe-0.heap" })
        {
            PrivateFiles.restrict(Files.createFile(path.resolve(name)));
        }

        return path;
    }
}
