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

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Probe that detects the end of one process of this host, whether or not it is a child. A process that has ended has no
 * entry in {@code /proc}, or is a zombie there. A later process with the same pid differs in its start time, which
 * {@code /proc} states in clock ticks.
 * <p>
 * Immutable.
 */
public final class ProcessProbe
{
    private static final Path PROC = Path.of("/proc");
    /** Index of the 22nd field, counted from the third, which follows the name in parentheses. */
    private static final int START_FIELD = 19;
    /** Index of the 9th field: the flags of the thread. */
    private static final int FLAGS_FIELD = 6;
    /** Flag of a thread that is being ended and never returns to its program ({@code PF_EXITING}). */
    private static final long EXITING = 4;

    private final long pid;
    private final String start;

    private ProcessProbe(final long pid, final String start)
    {
        this.pid = pid;
        this.start = start;
    }

    /**
     * Returns a probe of a live process that has mapped a file, or null if no such process is visible from here. The
     * mapping identifies the process: if the file belongs to another pid namespace, its pid may denote another process
     * here.
     */
    public static ProcessProbe ofMapping(final long pid, final Path mapped)
    {
        final String[] fields = fields(pid);
        return null != fields && isRunning(fields) && isMapping(pid, mapped) ?
            new ProcessProbe(pid, fields[START_FIELD]) : null;
    }

    /** Returns whether the process has ended; false while that is unknown. */
    public boolean isGone()
    {
        final String[] fields = fields(pid);
        return null == fields ? !Files.exists(stat(pid)) && Files.exists(PROC.resolve("self")) :
            !isRunning(fields) || !start.equals(fields[START_FIELD]);
    }

    /**
     * Returns whether the kernel is ending the process: some of its threads are still in the kernel, and none of them
     * will run its program again. Then the memory of the process is being released, its locks after that. False for a
     * process that has ended, also for a zombie.
     */
    public static boolean isExiting(final long pid)
    {
        return isExiting(PROC, pid);
    }

    static boolean isExiting(final Path proc, final long pid)
    {
        boolean isExiting = false;
        try (DirectoryStream<Path> threads =
            Files.newDirectoryStream(proc.resolve(Long.toString(pid)).resolve("task")))
        {
            for (final Path thread : threads)
            {
                final String[] fields = fields(thread.resolve("stat"));
                if (null != fields && isRunning(fields))
                {
                    if (0 == (Long.parseLong(fields[FLAGS_FIELD]) & EXITING))
                    {
                        return false;
                    }

                    isExiting = true;
                }
            }
        }
        catch (final IOException | DirectoryIteratorException ex)
        {
            // The process has ended meanwhile, or is not visible.
            return false;
        }

        return isExiting;
    }

    @Override
    public String toString()
    {
        return "ProcessProbe{pid=" + pid + ", start=" + start + '}';
    }

    private static Path stat(final long pid)
    {
        return PROC.resolve(Long.toString(pid)).resolve("stat");
    }

    private static boolean isRunning(final String[] fields)
    {
        return !"Z".equals(fields[0]) && !"X".equals(fields[0]);
    }

    private static String[] fields(final long pid)
    {
        return fields(stat(pid));
    }

    /** Returns null if there is no such process or thread. */
    private static String[] fields(final Path stat)
    {
        try
        {
            final String text = KernelFile.read(stat);
            final String[] fields = text.substring(text.lastIndexOf(')') + 1).trim().split(" ");
            return fields.length > START_FIELD ? fields : null;
        }
        catch (final IOException ex)
        {
            // The process does not exist, or ended meanwhile.
            return null;
        }
    }

    private static boolean isMapping(final long pid, final Path file)
    {
        try
        {
            final String inode = Files.getAttribute(file, "unix:ino", LinkOption.NOFOLLOW_LINKS).toString();
            return KernelFile.read(PROC.resolve(Long.toString(pid)).resolve("maps"))
                .lines()
                .map((line) -> line.trim().split(" +"))
                .anyMatch((fields) -> fields.length > 5 && inode.equals(fields[4]));
        }
        catch (final NoSuchFileException ex)
        {
            return false;
        }
        catch (final IOException | UnsupportedOperationException | IllegalArgumentException ex)
        {
            // The mappings of another user's process are not readable.
            return false;
        }
    }
}
