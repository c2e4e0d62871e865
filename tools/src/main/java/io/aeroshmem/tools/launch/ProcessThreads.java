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
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Detects whether a JVM has started in a process on this host, by the names that the kernel reports for the threads of
 * the process.
 */
final class ProcessThreads
{
    /** Name, cut by the kernel, of a thread that HotSpot starts once it has accepted its options. */
    private static final String STARTED = "Signal Dispatch";

    private ProcessThreads()
    {
    }

    /** Returns whether a process is a JVM that has accepted its options; false if it has ended. */
    static boolean hasJvmStarted(final long pid)
    {
        try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(pid), "task")))
        {
            return threads.anyMatch((thread) -> name(thread).startsWith(STARTED));
        }
        catch (final IOException | UncheckedIOException ex)
        {
            return false;
        }
    }

    private static String name(final Path thread)
    {
        try
        {
            return KernelFile.read(thread.resolve("comm"));
        }
        catch (final IOException ex)
        {
            // the thread has ended
            return "";
        }
    }
}
