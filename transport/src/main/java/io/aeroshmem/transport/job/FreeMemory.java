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

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;

/**
 * Memory that new files in a directory can take: what its file system has free, or what the memory limit of this
 * process's control groups leaves, if that is less. A mapped page that cannot be supplied ends a process by SIGBUS or
 * SIGKILL, so it is compared with all that will be touched before any of it is created. It reserves nothing.
 */
public final class FreeMemory
{
    private static final Set<String> MEMORY_TYPES = Set.of("tmpfs", "ramfs", "hugetlbfs");
    private static final String DEVICE = "unix:dev";
    private static final int TENTHS = 10;
    private static final double TENTH = (1 << 20) / (double)TENTHS;

    private final Path directory;
    private final long usable;
    private final long total;
    private final CgroupMemory cgroup;

    private FreeMemory(final Path directory, final long usable, final long total, final CgroupMemory cgroup)
    {
        this.directory = directory;
        this.usable = usable;
        this.total = total;
        this.cgroup = cgroup;
    }

    /**
     * Returns the memory for a directory, which need not exist yet.
     *
     * Memory that cannot be determined, as in a root directory that is no mount point, counts as unlimited.
     */
    public static FreeMemory of(final Path directory)
    {
        Path existing = directory.toAbsolutePath();
        while (!Files.exists(existing) && null != existing.getParent())
        {
            existing = existing.getParent();
        }

        final File file = existing.toFile();
        final long total = file.getTotalSpace();
        // A memory file system without a limit reports a total of 0.
        return new FreeMemory(
            existing, 0 == total ? Long.MAX_VALUE : file.getUsableSpace(), total, CgroupMemory.current());
    }

    /** Returns whether both are of the same file system. */
    public boolean isSameStore(final FreeMemory other)
    {
        try
        {
            return this == other ||
                Files.getAttribute(directory, DEVICE).equals(Files.getAttribute(other.directory, DEVICE));
        }
        catch (final IOException ex)
        {
            return true;
        }
    }

    /** Returns the number of bytes that files can take; nothing else of the process's memory is considered. */
    public long fileBytes()
    {
        return cgroup.available() < usable && isMemory() ? cgroup.available() : usable;
    }

    /**
     * Returns why memory is short and what else to do about it, in words, or null if it is not.
     *
     * @param fileBytes    of files in the directory.
     * @param chargedBytes part of them that processes of this control group will touch first. Pages of other file
     *                     systems than those in memory are written back when memory is short.
     * @param otherBytes   of memory that these processes will take besides.
     */
    public String shortage(final long fileBytes, final long chargedBytes, final long otherBytes)
    {
        if (fileBytes > usable)
        {
            return directory + " has " + floor(usable) + " of " + floor(total) +
                " free; enlarge it (docker run --shm-size)";
        }

        if (chargedBytes > cgroup.available() - otherBytes && isMemory())
        {
            return "the control group's memory limit of " + floor(cgroup.limit()) + " leaves " +
                floor(cgroup.available()) +
                (0 == otherBytes ? "" : ", of which processes take " + mebibytes(otherBytes) + " at the least") +
                "; raise it (docker run --memory)";
        }

        return null;
    }

    private boolean isMemory()
    {
        try
        {
            return MEMORY_TYPES.contains(Files.getFileStore(directory).type());
        }
        catch (final IOException ex)
        {
            return false;
        }
    }

    /** Returns a number of bytes in MiB, rounded up. */
    public static String mebibytes(final long bytes)
    {
        return format(Math.ceil(bytes / TENTH));
    }

    private static String floor(final long bytes)
    {
        return format(Math.floor(bytes / TENTH));
    }

    private static String format(final double tenths)
    {
        return String.format(Locale.ROOT, "%.1f MiB", tenths / TENTHS);
    }
}
