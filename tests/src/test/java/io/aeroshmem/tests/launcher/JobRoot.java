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
package io.aeroshmem.tests.launcher;

import io.aeroshmem.tests.fixture.TestMemory;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * A fresh root of job directories for each test, on /dev/shm where there is one.
 */
final class JobRoot implements BeforeEachCallback, AfterEachCallback
{
    private static final Path DEV_SHM = Path.of("/dev/shm");

    private Path path;
    private boolean isLimited;

    @Override
    public void beforeEach(final ExtensionContext context) throws IOException
    {
        final Path parent = Files.isDirectory(DEV_SHM) ? DEV_SHM : Path.of(System.getProperty("java.io.tmpdir"));
        path = Files.createTempDirectory(parent, "aeroshmem-test-");
    }

    @Override
    public void afterEach(final ExtensionContext context) throws IOException, InterruptedException
    {
        for (final Path left : entries())
        {
            Files.deleteIfExists(left);
        }

        if (isLimited)
        {
            assertEquals(0, new ProcessBuilder("umount", "-l", path.toString()).start().waitFor());
        }

        Files.deleteIfExists(path);
    }

    Path path()
    {
        return path;
    }

    /** Makes the root a memory file system of a few bytes; skips the test where this user may not. */
    void limit(final long bytes) throws IOException, InterruptedException
    {
        isLimited = 0 == new ProcessBuilder("mount", "-t", "tmpfs", "-o", "mode=0700,size=" + bytes, "tmpfs",
            path.toString()).start().waitFor();
        Assumptions.assumeTrue(isLimited, "no right to mount a file system");
    }

    void assertEmpty()
    {
        assertEquals(List.of(), entries());
    }

    /** Ends the leases of the recoverable jobs under a root: the owners of these jobs have been killed. */
    static void endLeases(final Path root) throws IOException
    {
        try (Stream<Path> found = Files.walk(root))
        {
            for (final Path lease : found.filter((path) -> path.endsWith("lease")).toList())
            {
                Files.setLastModifiedTime(lease, FileTime.from(Instant.now().minusSeconds(1)));
            }
        }
    }

    /** Returns the files in the root, children before their parents. */
    List<Path> entries()
    {
        return TestMemory.find(path, Integer.MAX_VALUE).stream()
            .filter((entry) -> !entry.equals(path)).sorted(Comparator.reverseOrder()).toList();
    }
}
