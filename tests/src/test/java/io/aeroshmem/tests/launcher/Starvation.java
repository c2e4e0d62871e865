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
package io.aeroshmem.tests.launcher;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;

/**
 * What the processes of PE 1 lack after the first one has been lost: descriptors, Java heap or shared memory. How much
 * is left follows from a seed, so that processes fail at different steps: nothing for the first one; another one may
 * have enough. A file has the number of the next process.
 */
final class Starvation
{
    /** Of descriptors or pieces. */
    private static final int MAX_REST = 16;
    private static final int PIECE = 1 << 14;
    private static final String BALLAST_FILE = "ballast";
    private static final List<byte[]> BALLAST = new ArrayList<>();

    private final String what;
    private final Path count;
    private final long[] seeds;

    /** The arguments are the name of the resource, the file, and the seeds of the processes that lack it. */
    Starvation(final String... arguments)
    {
        what = arguments[0];
        count = Path.of(arguments[1]);
        seeds = Arrays.stream(arguments).skip(2).mapToLong(Long::parseLong).toArray();
    }

    /** Has the processes that follow lack the resource. */
    void begin() throws IOException
    {
        Files.writeString(count, "0");
    }

    /** Gives back the shared memory that was taken; else the next process does. */
    static void freeMemory(final Path root) throws IOException
    {
        Files.deleteIfExists(root.resolve(BALLAST_FILE));
    }

    /** Takes the resource, if this is a process that is to lack it. */
    void take() throws IOException, InterruptedException
    {
        final Path root = Path.of(System.getenv("AEROSHMEM_SHM_DIR"));
        if (!"1".equals(System.getenv("AEROSHMEM_PE")) || !Files.exists(count))
        {
            return;
        }

        final int number = Integer.parseInt(Files.readString(count));
        freeMemory(root);
        if (number < seeds.length)
        {
            Files.writeString(count, Integer.toString(number + 1));
            final SplittableRandom random = new SplittableRandom(seeds[number]);
            final int rest = 0 == number ? 0 : random.nextInt(MAX_REST);
            switch (what)
            {
                case "descriptors" -> takeDescriptors(rest);
                case "heap" -> takeHeap(rest);
                case "memory" -> takeMemory(root.resolve(BALLAST_FILE), rest);
                default -> throw new IllegalArgumentException(what);
            }
        }
    }

    private static void takeDescriptors(final int rest) throws IOException, InterruptedException
    {
        final int next = 1 + Arrays.stream(Objects.requireNonNull(new File("/proc/self/fd").list()))
            .mapToInt(Integer::parseInt).max().orElseThrow();
        final Process limiter = new ProcessBuilder("prlimit", "--pid", Long.toString(ProcessHandle.current().pid()),
            "--nofile=" + (next + rest) + ":").start();
        if (0 != limiter.waitFor())
        {
            throw new IllegalStateException("prlimit");
        }
    }

    private static void takeHeap(final int rest)
    {
        try
        {
            while (true)
            {
                BALLAST.add(new byte[PIECE]);
            }
        }
        catch (final OutOfMemoryError ex)
        {
            BALLAST.subList(0, rest).clear();
        }
    }

    private static void takeMemory(final Path ballast, final int rest) throws IOException
    {
        try (OutputStream output = Files.newOutputStream(ballast))
        {
            while (true)
            {
                output.write(new byte[PIECE]);
            }
        }
        catch (final IOException ex)
        {
            // it is full
            try (FileChannel channel = FileChannel.open(ballast, StandardOpenOption.WRITE))
            {
                channel.truncate(Math.max(0, channel.size() - (long)rest * PIECE));
            }
        }
    }
}
