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
package io.aeroshmem.tools.latency;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Pinning of threads to processors with Linux's {@code taskset}. Without that command no thread is pinned, which the
 * output reports, and the figures vary more.
 */
public final class CpuPinning
{
    private static final Path THREAD_SELF = Path.of("/proc/thread-self");
    private static final Path SELF_STATUS = Path.of("/proc/self/status");
    private static final String ALLOWED = "Cpus_allowed_list:";
    private static final long TASKSET_TIMEOUT_S = 10;

    private CpuPinning()
    {
    }

    /** Returns the processors that this process may use; empty if the system does not report them. */
    public static List<Integer> allowedCpus()
    {
        if (!Files.isReadable(SELF_STATUS))
        {
            return List.of();
        }
        try
        {
            return Files.readAllLines(SELF_STATUS).stream()
                .filter((line) -> line.startsWith(ALLOWED))
                .findFirst()
                .map((line) -> parse(line.substring(ALLOWED.length()).trim()))
                .orElse(List.of());
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException("cannot read " + SELF_STATUS, ex);
        }
    }

    /** Returns whether threads can be pinned: on Linux with {@code taskset}. */
    public static boolean isAvailable()
    {
        return Files.exists(THREAD_SELF) && null != taskset();
    }

    /** Pins the calling thread and those that it starts later; returns false if {@code taskset} failed. */
    static boolean pinCallingThread(final int cpu) throws IOException, InterruptedException
    {
        final String threadId = Files.readSymbolicLink(THREAD_SELF).getFileName().toString();
        final Process process = new ProcessBuilder(taskset().toString(), "-cp", Integer.toString(cpu), threadId)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
        return process.waitFor(TASKSET_TIMEOUT_S, TimeUnit.SECONDS) && 0 == process.exitValue();
    }

    /** Parses a list such as {@code 0-3,8,10-11}. */
    static List<Integer> parse(final String text)
    {
        final List<Integer> cpus = new ArrayList<>();
        for (final String range : text.split(","))
        {
            final int dash = range.indexOf('-');
            final int first = Integer.parseInt(dash < 0 ? range : range.substring(0, dash));
            final int last = Integer.parseInt(dash < 0 ? range : range.substring(dash + 1));
            for (int cpu = first; cpu <= last; cpu++)
            {
                cpus.add(cpu);
            }
        }
        return cpus;
    }

    private static Path taskset()
    {
        final String path = System.getenv("PATH");
        for (final String directory : (null == path ? "/usr/bin:/bin" : path).split(":"))
        {
            final Path candidate = Path.of(directory, "taskset");
            if (Files.isExecutable(candidate))
            {
                return candidate;
            }
        }
        return null;
    }
}
