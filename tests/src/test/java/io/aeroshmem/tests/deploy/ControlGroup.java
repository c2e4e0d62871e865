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
package io.aeroshmem.tests.deploy;

import io.aeroshmem.tests.fixture.Deadlines;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Limits of the processors and the memory of a container, in control groups of either version of the kernel's
 * interface.
 */
final class ControlGroup implements AutoCloseable
{
    static final String PREFIX = "aeroshmem-test-";

    private static final Path ROOT = Path.of("/sys/fs/cgroup");
    private static final int PERIOD_US = 100_000;
    private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final AtomicInteger MADE = new AtomicInteger();

    private final List<Path> groups;

    private ControlGroup(final List<Path> groups)
    {
        this.groups = groups;
    }

    /**
     * @param bytes of memory.
     * @throws IOException if this machine does not permit it.
     */
    static ControlGroup make(final double processors, final long bytes) throws IOException
    {
        final String name = PREFIX + ProcessHandle.current().pid() + "-" + MADE.incrementAndGet();
        final String quota = Long.toString(Math.round(processors * PERIOD_US));
        final List<Path> groups = new ArrayList<>();
        try
        {
            for (final Path root : roots())
            {
                removeThoseOfKilledTests(root);
                groups.add(Files.createDirectory(root.resolve(name)));
            }

            if (1 == groups.size())
            {
                Files.writeString(groups.get(0).resolve("memory.max"), Long.toString(bytes));
                Files.writeString(groups.get(0).resolve("cpu.max"), quota + " " + PERIOD_US);
            }
            else
            {
                Files.writeString(groups.get(0).resolve("memory.limit_in_bytes"), Long.toString(bytes));
                Files.writeString(groups.get(1).resolve("cpu.cfs_period_us"), Integer.toString(PERIOD_US));
                Files.writeString(groups.get(1).resolve("cpu.cfs_quota_us"), quota);
            }

            return new ControlGroup(groups);
        }
        catch (final IOException ex)
        {
            new ControlGroup(groups).close();
            throw ex;
        }
    }

    /** Returns the root of all groups, or those of the memory and the processors. */
    static List<Path> roots()
    {
        final boolean isUnified = Files.exists(ROOT.resolve("cgroup.controllers"));
        return isUnified ? List.of(ROOT) : List.of(ROOT.resolve("memory"), ROOT.resolve("cpu"));
    }

    private static void removeThoseOfKilledTests(final Path root) throws IOException
    {
        try (DirectoryStream<Path> groups = Files.newDirectoryStream(root, PREFIX + "*"))
        {
            for (final Path group : groups)
            {
                final String[] words = group.getFileName().toString().substring(PREFIX.length()).split("-");
                final long pid = Long.parseLong(words[0]);
                if (ProcessHandle.of(pid).isEmpty())
                {
                    remove(group, false); // unless its last process has not ended yet
                }
            }
        }
    }

    /**
     * Returns the files that a process writes its id to, to belong to it.
     */
    List<String> files()
    {
        return groups.stream().map((group) -> group.resolve("cgroup.procs").toString()).toList();
    }

    /**
     * Removes it, as soon as its last process has ended.
     */
    @Override
    public void close() throws IOException
    {
        final long deadlineNs = System.nanoTime() + Deadlines.WAIT_NS;
        for (final Path group : groups)
        {
            while (!remove(group, System.nanoTime() - deadlineNs > 0))
            {
                LockSupport.parkNanos(POLL_NS);
            }
        }
    }

    private static boolean remove(final Path group, final boolean isLast) throws IOException
    {
        try
        {
            Files.deleteIfExists(group);
            return true;
        }
        catch (final FileSystemException ex)
        {
            if (isLast)
            {
                throw ex;
            }

            return false;
        }
    }
}
