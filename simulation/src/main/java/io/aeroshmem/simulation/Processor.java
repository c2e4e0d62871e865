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
package io.aeroshmem.simulation;

import io.aeroshmem.transport.job.KernelFile;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * The processor that all threads of a world share. One of them runs at a time, and it takes a third of the time to pass
 * the baton on where no other processor has to be woken for that. Worlds that run at the same time have numbers of
 * their own, others the number 0.
 */
final class Processor
{
    private static final String ALLOWED = "Cpus_allowed:";

    static final String FORK_PROPERTY = "aeroshmem.test.fork";

    /** Of the JVMs that run tests at the same time, from 1. */
    private static final int FORK = Integer.getInteger(FORK_PROPERTY, 1);

    private static final Map<Integer, Executor> STARTERS = new ConcurrentHashMap<>();

    private Processor()
    {
    }

    /** Starts threads that stay on the processor of a number, as do those that they start. */
    static void start(final int number, final List<? extends Thread> threads)
    {
        CompletableFuture.runAsync(
            () -> threads.forEach(Thread::start), STARTERS.computeIfAbsent(number, Processor::newStarters)).join();
    }

    private static Executor newStarters(final int number)
    {
        return new ThreadPoolExecutor(
            0, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), (tasks) -> newStarter(number, tasks));
    }

    private static Thread newStarter(final int number, final Runnable tasks)
    {
        final Thread starter = new Thread(
            () ->
            {
                pin(number);
                tasks.run();
            },
            "simulated-start");
        starter.setDaemon(true);
        return starter;
    }

    /** Without taskset, the threads run where they will. */
    private static void pin(final int number)
    {
        try
        {
            final String thread = Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName().toString();
            new ProcessBuilder("taskset", "-cp", Integer.toString(cpu(number)), thread)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
        }
        catch (final IOException ex)
        {
            System.err.println("worlds run on any processor: " + ex.getMessage());
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the processor of a number, one of those that this JVM may use. */
    private static int cpu(final int number) throws IOException
    {
        final String mask = KernelFile.read(Path.of("/proc/self/status")).lines()
            .filter((line) -> line.startsWith(ALLOWED)).findFirst().orElse(ALLOWED + "1")
            .substring(ALLOWED.length()).replace(",", "").strip();
        final BigInteger cpus = new BigInteger(mask, 16);
        return IntStream.range(0, cpus.bitLength()).filter(cpus::testBit).skip((FORK + number) % cpus.bitCount())
            .findFirst().orElse(0);
    }
}
