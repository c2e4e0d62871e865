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

import io.aeroshmem.tools.topology.HostTopology;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Pinning of threads to processors with Linux's {@code taskset}. Without this command no thread is pinned. The output
 * then reports that threads are not pinned, and the figures vary more.
 */
public final class CpuPinning
{
    private static final Path THREAD_SELF = Path.of("/proc/thread-self");
    private static final long TASKSET_TIMEOUT_S = 10;

    private CpuPinning()
    {
    }

    /** Returns the processors that this process may use; empty if the system does not report them. */
    public static List<Integer> allowedCpus()
    {
        return HostTopology.allowedCpus();
    }

    /** Returns whether threads can be pinned: on Linux with {@code taskset}. */
    public static boolean isAvailable()
    {
        return Files.exists(THREAD_SELF) && null != taskset();
    }

    /** Pins the calling thread and those that it starts later; returns false if {@code taskset} failed. */
    public static boolean pinCallingThread(final int cpu) throws IOException, InterruptedException
    {
        final String threadId = Files.readSymbolicLink(THREAD_SELF).getFileName().toString();
        final Process process = new ProcessBuilder(taskset().toString(), "-cp", Integer.toString(cpu), threadId)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
        return process.waitFor(TASKSET_TIMEOUT_S, TimeUnit.SECONDS) && 0 == process.exitValue();
    }

    private static Path taskset()
    {
        return HostTopology.command("taskset");
    }
}
