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
package io.aeroshmem.tests.bootstrap;

import io.aeroshmem.tests.fixture.Deadlines;
import io.aeroshmem.tests.fixture.StartedProcess;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Starts a process for each PE, and another one whenever it ends with a nonzero exit code, as systemd and Kubernetes
 * do. Only this thread starts processes: {@link #poll()} starts those that are due.
 */
final class Supervisor implements AutoCloseable
{
    private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(2);

    private final int nPes;
    private final IntFunction<Map<String, String>> environment;
    private final List<String> command;
    private final List<List<StartedProcess>> processes = new ArrayList<>();

    Supervisor(final int nPes, final IntFunction<Map<String, String>> environment, final List<String> command)
    {
        this.nPes = nPes;
        this.environment = environment;
        this.command = command;
        for (int pe = 0; pe < nPes; pe++)
        {
            processes.add(new ArrayList<>());
        }

        poll();
    }

    /** Returns whether a process is alive or due. */
    boolean poll()
    {
        boolean isRunning = false;
        for (int pe = 0; pe < nPes; pe++)
        {
            isRunning |= pollOf(pe);
        }

        return isRunning;
    }

    /** Returns whether the process of a PE is alive or due. */
    boolean pollOf(final int pe)
    {
        final List<StartedProcess> ofPe = processes.get(pe);
        if (ofPe.isEmpty() || !last(pe).isAlive() && 0 != last(pe).exitCode())
        {
            ofPe.add(start(pe));
        }

        return last(pe).isAlive();
    }

    /** Polls until the last process of each PE, in whichever generation, has printed what a PE prints when ready. */
    void awaitReady(final int generation)
    {
        final long deadlineNs = System.nanoTime() + Deadlines.WAIT_NS;
        for (int pe = 0; pe < nPes; pe++)
        {
            while (generationOf(pe) < generation)
            {
                poll();
                assertTrue(System.nanoTime() - deadlineNs < 0, this::toString);
                LockSupport.parkNanos(POLL_NS);
            }
        }
    }

    /** Polls until the last processes of all PEs are ready in one generation. */
    void awaitGeneration()
    {
        final long deadlineNs = System.nanoTime() + Deadlines.WAIT_NS;
        while (generationOf(0) < 0 ||
            IntStream.range(0, nPes).anyMatch((pe) -> !last(pe).isAlive() || generationOf(pe) != generationOf(0)))
        {
            poll();
            assertTrue(System.nanoTime() - deadlineNs < 0, this::toString);
            LockSupport.parkNanos(POLL_NS);
        }
    }

    void pollFor(final long ms)
    {
        final long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
        while (System.nanoTime() - deadlineNs < 0 && poll())
        {
            LockSupport.parkNanos(POLL_NS);
        }
    }

    void awaitEnd()
    {
        final long deadlineNs = System.nanoTime() + Deadlines.WAIT_NS;
        while (poll())
        {
            assertTrue(System.nanoTime() - deadlineNs < 0, this::toString);
            LockSupport.parkNanos(POLL_NS);
        }
    }

    /** Kills the process of a PE, which the next poll replaces. */
    void kill(final int pe) throws InterruptedException
    {
        last(pe).close();
        last(pe).awaitExit();
    }

    StartedProcess last(final int pe)
    {
        return processes.get(pe).get(processes.get(pe).size() - 1);
    }

    /** Returns the generation that the last process of a PE is ready in, or -1. */
    int generationOf(final int pe)
    {
        return last(pe).lines().stream().filter((line) -> line.startsWith("ready " + pe + ' '))
            .mapToInt((line) -> Integer.parseInt(line.split(" ")[2])).max().orElse(-1);
    }

    /** Returns how many processes a PE has had. */
    int processes(final int pe)
    {
        return processes.get(pe).size();
    }

    /** Returns what the processes of a PE have printed, in their order. */
    List<String> lines(final int pe)
    {
        return processes.get(pe).stream().flatMap((process) -> process.lines().stream()).toList();
    }

    @Override
    public void close()
    {
        processes.forEach(StartedProcess::closeAll);
    }

    @Override
    public String toString()
    {
        return "supervisor of\n" + processes;
    }

    private StartedProcess start(final int pe)
    {
        try
        {
            return StartedProcess.start(environment.apply(pe), command);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}
