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
package io.aeroshmem.tests.fault;

import io.aeroshmem.tests.fixture.ChildJvm;
import io.aeroshmem.tests.fixture.Deadlines;
import io.aeroshmem.tests.fixture.TestMemory;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The test's side of a JVM of the pool: the commands sent to it, and its output by job, PE and kind.
 */
final class PoolJvm implements AutoCloseable
{
    private final Process process;
    private final Map<String, String[]> events = new ConcurrentHashMap<>();

    private PoolJvm(final Process process)
    {
        this.process = process;
        final Thread reader = new Thread(this::read, "reader-of-" + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    static PoolJvm start(final String mainClass, final String... arguments)
    {
        final List<String> command = ChildJvm.command();
        command.addAll(command.size() - 2, List.of("-Daeroshmem.term.length=64k",
            "-Daeroshmem.shm.dir=" + TestMemory.root()));
        command.add(mainClass);
        command.addAll(Arrays.asList(arguments));
        try
        {
            return new PoolJvm(new ProcessBuilder(command).redirectError(Redirect.INHERIT).start());
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /**
     * Starts a JVM that runs PEs.
     */
    static PoolJvm start()
    {
        return start(FaultPe.class.getName());
    }

    /**
     * Starts a media driver.
     */
    static PoolJvm startDriver(final Path directory, final long livenessMs)
    {
        final PoolJvm driver = start(FaultDriver.class.getName(), directory.toString(), Long.toString(livenessMs));
        driver.await(directory.toString(), -1, FaultPe.READY);
        return driver;
    }

    long pid()
    {
        return process.pid();
    }

    boolean isAlive()
    {
        return process.isAlive();
    }

    /** Returns this JVM or, if it has ended, which is printed, another one. */
    PoolJvm orNext()
    {
        if (process.isAlive())
        {
            return this;
        }

        System.out.println("JVM " + pid() + " of the pool has ended with " + process.exitValue());
        return start();
    }

    void send(final String... words)
    {
        try
        {
            process.getOutputStream().write((String.join(FaultPe.SEPARATOR, words) + "\n")
                .getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /**
     * Waits for an event of this kind.
     *
     * @return all fields: mark, job, PE, kind, then what belongs to the kind.
     */
    String[] await(final String job, final int pe, final String kind)
    {
        return await(job, pe, kind, Deadlines.WAIT_NS);
    }

    String[] await(final String job, final int pe, final String kind, final long timeoutNs)
    {
        final long deadlineNs = System.nanoTime() + timeoutNs;
        final String key = key(job, Integer.toString(pe), kind);
        synchronized (events)
        {
            while (!events.containsKey(key))
            {
                final long leftMs = TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime());
                if (leftMs <= 0)
                {
                    throw new AssertionError("JVM " + pid() +
                        (isAlive() ? " (alive)" : " (ended with exit code " + process.exitValue() + ")") +
                        " did not say '" + kind + "' of PE " + pe + " in job " + job + "; it said " + said(job));
                }

                try
                {
                    events.wait(leftMs);
                }
                catch (final InterruptedException ex)
                {
                    throw new AssertionError("interrupted", ex);
                }
            }

            return events.get(key);
        }
    }

    boolean hasSaid(final String job, final int pe, final String kind)
    {
        return events.containsKey(key(job, Integer.toString(pe), kind));
    }

    private String said(final String job)
    {
        final StringBuilder text = new StringBuilder();
        events.values().stream().filter((event) -> job.equals(event[1]))
            .forEach((event) -> text.append("\n  ").append(Arrays.toString(event)));
        return text.toString();
    }

    /**
     * Sends SIGKILL, and waits until this JVM has ended: until then it seems alive.
     *
     * @return when it was sent, on the clock that all processes share.
     */
    long kill()
    {
        final long nowNs = System.nanoTime();
        process.destroyForcibly().onExit().join();
        return nowNs;
    }

    /**
     * Sends SIGSTOP or SIGCONT.
     *
     * @return when.
     */
    long signal(final String name)
    {
        final long nowNs = System.nanoTime();
        try
        {
            final Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(pid())).inheritIO().start();
            if (!kill.waitFor(Deadlines.WAIT_NS, TimeUnit.NANOSECONDS) || 0 != kill.exitValue())
            {
                throw new AssertionError("cannot signal " + pid());
            }
        }
        catch (final IOException | InterruptedException ex)
        {
            throw new AssertionError(ex);
        }

        return nowNs;
    }

    void awaitEnd()
    {
        try
        {
            if (!process.waitFor(Deadlines.WAIT_NS, TimeUnit.NANOSECONDS))
            {
                throw new AssertionError("JVM " + pid() + " lives");
            }
        }
        catch (final InterruptedException ex)
        {
            throw new AssertionError(ex);
        }
    }

    @Override
    public void close()
    {
        process.destroyForcibly();
        process.onExit().join();
    }

    private static String key(final String job, final String pe, final String kind)
    {
        return job + ' ' + pe + ' ' + kind;
    }

    private void read()
    {
        try (BufferedReader in = new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)))
        {
            for (String line = in.readLine(); null != line; line = in.readLine())
            {
                final String[] fields = line.split(FaultPe.SEPARATOR, -1);
                if (!FaultPe.MARK.equals(fields[0]))
                {
                    continue;
                }

                synchronized (events)
                {
                    events.put(key(fields[1], fields[2], fields[3]), fields);
                    events.notifyAll();
                }
            }
        }
        catch (final IOException ex)
        {
            if (process.isAlive())
            {
                throw new UncheckedIOException(ex);
            }
        }
    }
}
