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

import io.aeroshmem.tools.exit.ExitCode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * The file from which the JVMs of PEs map classes that are loaded and linked already: an archive of class data, or on
 * JDK 25 and later an AOT cache, which has the profiles of methods too. If it is missing, the JVM of one PE writes it
 * when it ends, under another name: it counts once this launcher has renamed it. A JVM to which it does not belong, as
 * its class path or JDK has changed, loads its classes as usual.
 */
final class ClassDataArchive
{
    static final ClassDataArchive NONE = new ClassDataArchive(null);

    private static final int FIRST_JDK_WITH_AOT_CACHE = 25;

    /** Exit codes of a JVM that a signal has ended in order: SIGHUP, SIGINT, SIGTERM. */
    private static final Set<Integer> ORDERLY = Set.of(129, 130, 143);

    private final Path file;
    private final Path part;
    private Process writer;

    /** Creates the archive with a file, null for none. */
    ClassDataArchive(final Path file)
    {
        this.file = file;
        // of this launcher alone: others may write at the same time, also on other hosts
        part = null == file ? null : file.resolveSibling(file.getFileName() + "." + UUID.randomUUID() + ".part");
    }

    Path file()
    {
        return file;
    }

    /** Returns the options of a JVM, which writes the file if it is missing and this JVM is the writer. */
    List<String> options(final boolean isWriter)
    {
        return null == file ? List.of() :
            options(isWriter, Files.exists(file), Runtime.version().feature() >= FIRST_JDK_WITH_AOT_CACHE);
    }

    /** What the JVM says of it goes to standard error: the program's output stays as it is. */
    List<String> options(final boolean isWriter, final boolean exists, final boolean isAotCache)
    {
        if (exists)
        {
            return List.of("-Xlog:disable", "-Xlog:all=warning:stderr",
                (isAotCache ? "-XX:AOTCache=" : "-XX:SharedArchiveFile=") + file);
        }

        if (!isWriter)
        {
            return List.of();
        }

        return isAotCache ?
            List.of("-Xlog:disable", "-Xlog:all=error:stderr", "-XX:+DisplayVMOutputToStderr",
                "-XX:AOTCacheOutput=" + part) :
            List.of("-Xlog:disable", "-Xlog:all=error:stderr", "-XX:ArchiveClassesAtExit=" + part);
    }

    /** Handles the start of the process that may write the file; an earlier one has ended. */
    void onStart(final Process process)
    {
        conclude();
        writer = null == file ? null : process;
    }

    /** Takes what the process has written, if it is complete and the process ended by itself; else removes it. */
    void conclude()
    {
        if (null == writer || writer.isAlive())
        {
            return;
        }

        final int code = writer.exitValue();
        writer = null;
        // A JVM with an AOT cache writes this first, and removes it when a child JVM has made the file of it. If the
        // child fails, it leaves a part of the file or none, and its parent ends as usual.
        final Path recording = part.resolveSibling(part.getFileName() + ".config");
        try
        {
            if (Files.exists(part) && !Files.exists(recording) &&
                (code <= ExitCode.SIGNAL_BASE || ORDERLY.contains(code)))
            {
                Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
            }

            Files.deleteIfExists(part);
            Files.deleteIfExists(recording);
        }
        catch (final IOException ex)
        {
            // as without the file: a later job writes it
        }
    }
}
