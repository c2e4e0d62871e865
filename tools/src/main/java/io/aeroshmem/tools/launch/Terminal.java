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
package io.aeroshmem.tools.launch;

import io.aeroshmem.transport.job.KernelFile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Determines whether the standard streams are connected to a terminal, and whether this process may read from it.
 */
public final class Terminal
{
    private static final String TERMINAL = "/dev/(tty|pts/|console).*";
    private static final Path STAT = Path.of("/proc/self/stat");
    private static final Path STANDARD_INPUT = Path.of("/proc/self/fd/0");
    private static final Path STANDARD_OUTPUT = Path.of("/proc/self/fd/1");
    private static final Path STANDARD_ERROR = Path.of("/proc/self/fd/2");

    /** Indices in the kernel's line, counted from the field after the name of the command. */
    private static final int PROCESS_GROUP = 2;
    private static final int GROUP_OF_TERMINAL = 5;

    private Terminal()
    {
    }

    /**
     * Returns whether the standard input is a terminal on which another job of the shell is in the foreground: the
     * kernel stops a process that reads from it then. Returns false if unknown.
     */
    static boolean isOfAnotherJob()
    {
        try
        {
            return isTerminal(STANDARD_INPUT) && isInBackground(KernelFile.read(STAT));
        }
        catch (final IOException | UnsupportedOperationException ex)
        {
            // not Linux, or no standard input
            return false;
        }
    }

    /** Returns whether the standard output is a terminal; false if unknown. */
    public static boolean isOutput()
    {
        return isTerminal(STANDARD_OUTPUT);
    }

    /** Returns whether the standard error is a terminal; false if unknown. */
    public static boolean isError()
    {
        return isTerminal(STANDARD_ERROR);
    }

    private static boolean isTerminal(final Path file)
    {
        try
        {
            return Files.readSymbolicLink(file).toString().matches(TERMINAL);
        }
        catch (final IOException | UnsupportedOperationException ex)
        {
            // not Linux, or closed
            return false;
        }
    }

    /** Returns whether the standard output and error are the same terminal, file or pipe; false if unknown. */
    static boolean isErrorWithOutput()
    {
        try
        {
            return Files.readSymbolicLink(STANDARD_OUTPUT).equals(Files.readSymbolicLink(STANDARD_ERROR));
        }
        catch (final IOException | UnsupportedOperationException ex)
        {
            // not Linux, or one is closed
            return false;
        }
    }

    /**
     * Returns whether a process, of which {@code stat} is the line in /proc, is not in the foreground of its terminal.
     */
    static boolean isInBackground(final String stat)
    {
        // the name of the command is in parentheses and may contain anything
        final String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return !fields[PROCESS_GROUP].equals(fields[GROUP_OF_TERMINAL]);
    }
}
