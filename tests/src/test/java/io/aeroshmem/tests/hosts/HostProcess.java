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
package io.aeroshmem.tests.hosts;

import io.aeroshmem.tests.fixture.ChildJvm;
import io.aeroshmem.tests.fixture.Deadlines;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * A JVM on a host, a PE or a driver, whose output goes to a file.
 */
final class HostProcess
{
    private static final long POLL_NS = 5_000_000L;

    private final Host host;
    private final String name;
    private final Process entered;
    private final ProcessHandle jvm;
    private final Path output;
    private boolean isStopped;

    private HostProcess(
        final Host host, final String name, final Process entered, final ProcessHandle jvm, final Path output)
    {
        this.host = host;
        this.name = name;
        this.entered = entered;
        this.jvm = jvm;
        this.output = output;
    }

    /**
     * @param arguments of the JVM, from options to those of the main class.
     */
    static HostProcess start(
        final Host host,
        final String name,
        final Path folder,
        final List<String> arguments,
        final Map<String, String> environment)
    {
        final Path output = folder.resolve(name + ".txt");
        final List<String> command = ChildJvm.command();
        command.addAll(arguments);
        final ProcessBuilder builder = new ProcessBuilder(host.command(command))
            .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()));
        builder.environment().keySet().removeIf((variable) -> variable.startsWith("AEROSHMEM_"));
        builder.environment().putAll(environment);
        try
        {
            final Process entered = builder.start();
            await(() -> entered.children().findFirst().isPresent() || !entered.isAlive(), "a process on " + host);
            return new HostProcess(
                host, name, entered, entered.children().findFirst().orElse(entered.toHandle()), output);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    Host host()
    {
        return host;
    }

    boolean isAlive()
    {
        return entered.isAlive();
    }

    int exitValue()
    {
        return entered.exitValue();
    }

    /**
     * Waits for its end.
     *
     * @return false if it did not end in time.
     */
    boolean awaitEnd(final long deadlineNs)
    {
        if (isStopped)
        {
            awaitKill(deadlineNs);
        }

        try
        {
            return entered.waitFor(Math.max(0, deadlineNs - System.nanoTime()), TimeUnit.NANOSECONDS);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", ex);
        }
    }

    /**
     * Waits until a stopped process is dead. Its parent, nsenter, has stopped as well, and reaps it only when
     * continued.
     */
    private void awaitKill(final long deadlineNs)
    {
        while (!isDead() && System.nanoTime() - deadlineNs < 0)
        {
            LockSupport.parkNanos(POLL_NS);
        }

        if (isDead())
        {
            signal("CONT", entered.toHandle());
        }
    }

    private boolean isDead()
    {
        try
        {
            final String status = Files.readString(Path.of("/proc", Long.toString(jvm.pid()), "stat"));
            return 'Z' == status.charAt(status.lastIndexOf(')') + 2);
        }
        catch (final IOException ex)
        {
            return true; // reaped by its parent
        }
    }

    /**
     * Returns its output so far.
     */
    String output()
    {
        try
        {
            return Files.readString(output);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /**
     * Returns the rest of the first line with the prefix.
     */
    Optional<String> line(final String prefix)
    {
        return lines(prefix).stream().findFirst();
    }

    List<String> lines(final String prefix)
    {
        return output().lines().filter((line) -> line.startsWith(prefix))
            .map((line) -> line.substring(prefix.length()).trim()).collect(Collectors.toList());
    }

    /**
     * Waits for a line with the prefix.
     */
    String awaitLine(final String prefix)
    {
        await(() -> line(prefix).isPresent() || !isAlive(), "'" + prefix + "' of " + this);
        return line(prefix).orElseThrow(
            () -> new AssertionError(this + " ended without '" + prefix + "'\n" + output()));
    }

    /**
     * Polls a condition until it holds, at long intervals, so that the job has the processors.
     */
    static void await(final BooleanSupplier condition, final String what)
    {
        final long deadline = System.nanoTime() + Deadlines.WAIT_NS;
        while (!condition.getAsBoolean())
        {
            if (System.nanoTime() - deadline > 0)
            {
                throw new AssertionError("not within " + Deadlines.WAIT_S + " s: " + what);
            }

            LockSupport.parkNanos(POLL_NS);
        }
    }

    /**
     * Stops it until it is continued or killed.
     */
    void stop()
    {
        isStopped = true;
        signal("STOP", jvm);
    }

    /**
     * Continues it and its parent, nsenter, which stops with it.
     */
    void resume()
    {
        isStopped = false;
        signal("CONT", jvm);
        signal("CONT", entered.toHandle());
    }

    void terminate()
    {
        jvm.destroy();
    }

    void kill()
    {
        jvm.destroyForcibly();
        if (entered.isAlive())
        {
            signal("CONT", entered.toHandle());
            entered.onExit().join();
        }
    }

    /**
     * Sends a line to its standard input.
     */
    void send(final String line)
    {
        try
        {
            entered.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            entered.getOutputStream().flush();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /** Sends a signal to a process that is alive, and to none that has its pid now; returns whether it was sent. */
    static boolean signal(final String signal, final ProcessHandle process)
    {
        try
        {
            return process.isAlive() &&
                0 == new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start().waitFor();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", ex);
        }
    }

    @Override
    public String toString()
    {
        return name + " on " + host;
    }
}
