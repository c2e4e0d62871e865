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
package io.aeroshmem.tools.topology;

import io.aeroshmem.transport.job.KernelFile;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Reads the threads of a process from {@code /proc}, with the processor time that each thread has used. */
public final class ThreadTimes
{
    private static final Path PROC = Path.of("/proc");
    private static final String ALLOWED = "Cpus_allowed_list:";

    /** Fields of {@code /proc/PID/task/TID/stat} after the name, which may contain spaces. */
    private static final int USER_TICKS = 11;
    private static final int SYSTEM_TICKS = 12;
    private static final int LAST_CPU = 36;

    /** Linux reports times in this unit to programs, whatever its own is. */
    private static final double TICKS_PER_SECOND = 100;

    private ThreadTimes()
    {
    }

    /**
     * A thread.
     *
     * @param name    of at most 15 characters.
     * @param seconds of processor time.
     * @param allowed processors.
     * @param lastCpu processor on which it last ran.
     */
    public record Entry(String name, double seconds, List<Integer> allowed, int lastCpu)
    {
    }

    /** Returns the threads of a process of this user, the busiest first; none if it has ended. */
    public static List<Entry> of(final long pid)
    {
        return of(PROC.resolve(Long.toString(pid)).resolve("task"));
    }

    static List<Entry> of(final Path tasks)
    {
        final List<Entry> entries = new ArrayList<>();
        if (!Files.isDirectory(tasks))
        {
            return entries;
        }

        try (DirectoryStream<Path> directories = Files.newDirectoryStream(tasks))
        {
            for (final Path directory : directories)
            {
                add(directory, entries);
            }
        }
        catch (final IOException | DirectoryIteratorException ex)
        {
            // the process has ended meanwhile
            return entries;
        }

        entries.sort(Comparator.comparingDouble(Entry::seconds).reversed());
        return entries;
    }

    private static void add(final Path directory, final List<Entry> entries)
    {
        try
        {
            final String stat = KernelFile.read(directory.resolve("stat"));
            final int nameEnd = stat.lastIndexOf(')');
            if (nameEnd < 0)
            {
                return;
            }

            final String[] fields = stat.substring(nameEnd + 2).strip().split(" ");
            final String allowed = KernelFile.read(directory.resolve("status")).lines()
                .filter((line) -> line.startsWith(ALLOWED)).findFirst().orElse(ALLOWED);
            entries.add(new Entry(
                stat.substring(stat.indexOf('(') + 1, nameEnd),
                (Long.parseLong(fields[USER_TICKS]) + Long.parseLong(fields[SYSTEM_TICKS])) / TICKS_PER_SECOND,
                CpuList.parse(allowed.substring(ALLOWED.length())),
                Integer.parseInt(fields[LAST_CPU])));
        }
        catch (final IOException ex)
        {
            // the thread has ended meanwhile
            return;
        }
    }
}
