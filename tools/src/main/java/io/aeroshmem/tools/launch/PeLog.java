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

import io.aeroshmem.tools.exit.CommandException;
import io.aeroshmem.tools.exit.FileProblem;
import io.aeroshmem.tools.exit.OutputFile;
import io.aeroshmem.transport.job.JobDirectory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Consumer;

/**
 * The files with the output of one PE: {@code pe-3.out} and {@code pe-3.err} for PE 3, for example. Their lines have
 * no tags, even with {@code --tag-output} or {@code --tag}. The files of a job replace those of an earlier job; the
 * generations of a job share them.
 */
record PeLog(LogFile output, LogFile error)
{
    /** Appends a line of the launcher to what a PE has printed on standard error, unless that cannot be written. */
    static void append(final Path directory, final int pe, final String line)
    {
        try
        {
            Files.writeString(errorFile(directory, pe), line + '\n', StandardOpenOption.APPEND);
        }
        catch (final IOException ex)
        {
            // the launcher prints the line, too
        }
    }

    private static Path errorFile(final Path directory, final int pe)
    {
        return directory.resolve(JobDirectory.peName(pe) + ".err");
    }

    /** Creates the files of a PE, or opens them to append to them; {@code report} receives failures to write. */
    static PeLog open(
        final Path directory, final int pe, final boolean isAppending, final Consumer<String> report)
    {
        try
        {
            return new PeLog(
                open(directory.resolve(JobDirectory.peName(pe) + ".out"), isAppending, report),
                open(errorFile(directory, pe), isAppending, report));
        }
        catch (final IOException ex)
        {
            throw CommandException.failure(
                "cannot create the files of PE " + pe + " (--log-dir): " + FileProblem.describe(ex));
        }
    }

    /** Each write is appended: the launchers of two hosts may share a file, when a PE moves from one to the other. */
    private static LogFile open(final Path file, final boolean isAppending, final Consumer<String> report)
        throws IOException
    {
        OutputFile.requireFile(file);
        if (!isAppending)
        {
            Files.write(file, new byte[0]);
        }

        return new LogFile(
            Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND),
            (ex) -> report.accept("cannot write " + file + " (--log-dir): " + ex.getMessage()));
    }
}
