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

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("jdk")
@Timeout(60)
@SuppressWarnings("try") // Closing early and twice is what is tested.
class ProcessLockTest
{
    @TempDir(factory = SharedMemory.class)
    private Path root;

    @Test
    void shouldHoldLockForOthersHoweverOftenThisProcessLooksAtIt() throws Exception
    {
        final Path path = root.resolve("a.lock");
        final Path alias = root.resolve("alias.lock");
        try (JobProcess other = JobProcess.start(); ProcessLock lock = ProcessLock.create(path))
        {
            Files.createLink(alias, path);
            assertTrue(ProcessLock.isHeld(path));
            assertTrue(ProcessLock.isHeld(alias));
            assertNull(ProcessLock.tryAcquire(path));
            assertNull(ProcessLock.tryAcquire(alias));
            assertThrows(FileAlreadyExistsException.class, () -> ProcessLock.create(path));
            assertEquals("true", other.command("held " + path));
            assertEquals("true", other.command("held " + alias));

            lock.close();
            lock.close();
            assertFalse(ProcessLock.isHeld(path));
            assertEquals("false", other.command("held " + path));
        }
    }

    @Test
    void shouldNeverOpenAFileOfWhichThisProcessHoldsTheLock() throws IOException
    {
        final Path path = root.resolve("a.lock");
        try (ProcessLock lock = ProcessLock.create(path); LockProbe probe = new LockProbe(path))
        {
            for (int i = 0; i < 10; i++)
            {
                assertTrue(probe.isHeld());
                assertTrue(ProcessLock.isHeld(lock.path()));
                assertNull(ProcessLock.tryAcquire(path));
            }

            assertEquals(1, openDescriptors(path));
        }

        assertEquals(0, openDescriptors(path));
    }

    private static long openDescriptors(final Path path) throws IOException
    {
        long count = 0;
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(Path.of("/proc/self/fd")))
        {
            for (final Path descriptor : descriptors)
            {
                // One of them is the stream itself, which is no link any more once it is read to the end.
                count += Files.isSymbolicLink(descriptor) && path.equals(Files.readSymbolicLink(descriptor)) ? 1 : 0;
            }
        }

        return count;
    }

    @Test
    void shouldSeeLockOfOtherProcessGoWithIt() throws Exception
    {
        try (JobProcess other = JobProcess.start())
        {
            final Path path = Path.of(other.command("create 1 " + root)).resolve("job.lock");
            try (LockProbe probe = new LockProbe(path))
            {
                assertTrue(probe.isHeld());
                assertTrue(probe.isHeld());
                assertNull(ProcessLock.tryAcquire(path));
                other.kill();
                assertFalse(probe.isHeld());
                assertFalse(ProcessLock.isHeld(path));

                // A probe that outlives the change of hands must not drop the lock that this process took.
                try (ProcessLock lock = ProcessLock.tryAcquire(path); JobProcess third = JobProcess.start())
                {
                    assertNotNull(lock);
                    assertTrue(probe.isHeld());
                    probe.close();
                    assertEquals("true", third.command("held " + path));
                    lock.close();
                    assertEquals("false", third.command("held " + path));
                }
            }
        }
    }

    @Test
    void shouldSeeLockOfUnlinkedFileThroughOpenProbe() throws Exception
    {
        try (JobProcess other = JobProcess.start())
        {
            final Path path = Path.of(other.command("create 1 " + root)).resolve("job.lock");
            try (LockProbe probe = new LockProbe(path))
            {
                assertTrue(probe.isHeld());
                Files.delete(path);
                assertTrue(probe.isHeld());
                assertFalse(ProcessLock.isHeld(path));
                other.kill();
                assertFalse(probe.isHeld());
            }
        }
    }

    @Test
    void shouldTakeMissingFileForFree() throws IOException
    {
        final Path path = root.resolve("none.lock");
        assertFalse(ProcessLock.isHeld(path));
        assertThrows(NoSuchFileException.class, () -> ProcessLock.tryAcquire(path));
        try (LockProbe probe = new LockProbe(path))
        {
            assertFalse(probe.isHeld());
            try (ProcessLock lock = ProcessLock.create(path))
            {
                assertTrue(probe.isHeld());
                assertEquals(path, lock.path());
            }

            assertFalse(probe.isHeld());
        }
    }

    @Test
    void shouldNotTakeLockOfFileThatWasReplaced() throws IOException
    {
        final Path path = root.resolve("b.lock");
        try (ProcessLock first = ProcessLock.create(path))
        {
            Files.delete(path);
            try (ProcessLock second = ProcessLock.create(path))
            {
                first.close();
                assertTrue(ProcessLock.isHeld(second.path()));
            }
        }
    }
}
