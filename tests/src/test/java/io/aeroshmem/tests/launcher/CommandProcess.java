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

import io.aeroshmem.tests.fixture.ChildJvm;
import io.aeroshmem.tests.fixture.Deadlines;
import io.aeroshmem.tools.AeroShmemCommand;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

/**
 * The command {@code aeroshmem} as a process, under a root of job directories of its own.
 */
final class CommandProcess implements AutoCloseable
{
    private static final int SIGINT = 2;
    private static final long POLL_MS = 50;
    private static final long REST_MS = 1_000;
    private static final int STALLED_POLLS = 6;

    private final Process process;
    private final List<String> output = new ArrayList<>();
    private final List<String> error = new ArrayList<>();
    private final List<Thread> readers = new ArrayList<>();
    private final List<ProcessHandle> pes = new ArrayList<>();

    private CommandProcess(final Process process, final boolean isErrorRead)
    {
        this.process = process;
        readers.add(reader(process.getInputStream(), output));
        if (isErrorRead)
        {
            readers.add(reader(process.getErrorStream(), error));
        }
    }

    /** Starts the command in a quick JVM, and its PEs too. */
    static CommandProcess start(final Path root, final String... arguments) throws IOException
    {
        return new CommandProcess(startProcess(root, Map.of(), arguments), true);
    }

    /** Starts the command as {@link #start} does, and leaves its standard error unread. */
    static CommandProcess startWithUnreadError(final Path root, final String... arguments) throws IOException
    {
        return new CommandProcess(startProcess(root, Map.of(), arguments), false);
    }

    private static Process startProcess(
        final Path root, final Map<String, String> environment, final String... arguments) throws IOException
    {
        final List<String> command = new ArrayList<>();
        if (isInterruptIgnored())
        {
            // inherited from a shell that put the build in the background
            command.addAll(List.of("env", "--default-signal=INT"));
        }

        command.addAll(ChildJvm.briefCommand());
        command.add(AeroShmemCommand.class.getName());
        command.addAll(List.of(arguments));
        if (List.of("run", "latency", "bandwidth").contains(arguments[0]))
        {
            command.addAll(command.size() - arguments.length + 1, quickPes());
        }

        return startProcess(root, environment, command);
    }

    private static Process startProcess(
        final Path root, final Map<String, String> environment, final List<String> command) throws IOException
    {
        final ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(environment);
        builder.environment().put("AEROSHMEM_SHM_DIR", root.toString());
        return builder.start();
    }

    /**
     * Starts a class that is not the command, in a quick JVM.
     */
    static CommandProcess startJava(
        final Path root, final Map<String, String> environment, final String className, final String... arguments)
        throws IOException
    {
        final List<String> command = ChildJvm.briefCommand();
        command.add(className);
        command.addAll(List.of(arguments));
        return new CommandProcess(startProcess(root, environment, command), true);
    }

    /**
     * Runs a command to its end.
     */
    static CommandProcess run(final Path root, final String... arguments) throws Exception
    {
        return run(root, Map.of(), arguments);
    }

    static CommandProcess run(final Path root, final Map<String, String> environment, final String... arguments)
        throws Exception
    {
        return new CommandProcess(startProcess(root, environment, arguments), true).awaitEnd();
    }

    /** Runs a command line, which is that of a JVM, to its end. */
    static CommandProcess run(final Path root, final List<String> command) throws Exception
    {
        return new CommandProcess(startProcess(root, Map.of(), command), true).awaitEnd();
    }

    private CommandProcess awaitEnd() throws Exception
    {
        try (this)
        {
            process.getOutputStream().close();
            awaitExit();
            return this;
        }
    }

    ProcessHandle toHandle()
    {
        return process.toHandle();
    }

    OutputStream input()
    {
        return process.getOutputStream();
    }

    void signal(final String name) throws IOException, InterruptedException
    {
        signal(process.toHandle(), name);
    }

    static void signal(final ProcessHandle target, final String name) throws IOException, InterruptedException
    {
        signal(name, List.of(target));
    }

    /** Signals processes that are alive, and none that has the pid of one that has ended. */
    static void signal(final String name, final List<ProcessHandle> targets) throws IOException, InterruptedException
    {
        final List<String> command = new ArrayList<>(List.of("kill", "-" + name));
        targets.stream().filter(ProcessHandle::isAlive).forEach((target) -> command.add(Long.toString(target.pid())));
        if (command.size() > 2)
        {
            final Process kill = new ProcessBuilder(command).inheritIO().start();
            assertTrue(kill.waitFor(Deadlines.WAIT_S, TimeUnit.SECONDS));
        }
    }

    /**
     * Waits for a line with the prefix, and removes it.
     */
    String awaitLine(final String prefix) throws InterruptedException
    {
        return awaitLine(output, prefix, (line) -> line.startsWith(prefix));
    }

    /** Waits for a line of the standard error with the text, and removes it. */
    String awaitErrorLine(final String text) throws InterruptedException
    {
        return awaitLine(error, text, (line) -> line.contains(text));
    }

    private String awaitLine(final List<String> lines, final String text, final Predicate<String> isExpected)
        throws InterruptedException
    {
        final long deadlineNs = System.nanoTime() + Deadlines.WAIT_NS;
        synchronized (lines)
        {
            while (true)
            {
                final Optional<String> found = lines.stream().filter(isExpected).findFirst();
                if (found.isPresent())
                {
                    lines.remove(found.get());
                    return found.get();
                }

                final long leftMs = TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime());
                if (leftMs <= 0 || !process.isAlive() && readers.stream().noneMatch(Thread::isAlive))
                {
                    fail("no line '" + text + "' within " + Deadlines.WAIT_S + " s; " + this);
                }

                lines.wait(Math.min(leftMs, 100));
            }
        }
    }

    /**
     * Waits until all PEs are ready.
     *
     * @return their processes.
     */
    List<ProcessHandle> awaitReady(final int nPes) throws InterruptedException
    {
        for (int pe = 0; pe < nPes; pe++)
        {
            final String line = awaitLine("ready " + pe + " ");
            pes.add(ProcessHandle.of(Long.parseLong(line.substring(line.lastIndexOf(' ') + 1))).orElseThrow());
        }

        return pes;
    }

    /** Waits until the standard error, which is not read, has not grown for a while. */
    void awaitBlockedError() throws IOException, InterruptedException
    {
        final long deadlineNs = System.nanoTime() + Deadlines.WAIT_NS;
        int length = 0;
        int polls = 0;
        while (polls < STALLED_POLLS)
        {
            assertTrue(System.nanoTime() - deadlineNs < 0, this::toString);
            Thread.sleep(POLL_MS);
            final int last = length;
            length = process.getErrorStream().available();
            polls = 0 == length || last != length ? 0 : polls + 1;
        }
    }

    /** Returns the spare process of a job, other than one before, when it is ready. */
    static ProcessHandle awaitSpare(final Path root, final ProcessHandle before) throws Exception
    {
        final Pattern ready = Pattern.compile("\"spares\": \\[\\s*\\{\"pid\": (\\d+), \"ready\": true}\\s*]");
        final AtomicReference<ProcessHandle> spare = new AtomicReference<>();
        awaitStat(root, (json) ->
        {
            final Matcher found = ready.matcher(json);
            spare.set(found.find() ? ProcessHandle.of(Long.parseLong(found.group(1))).orElse(null) : null);
            return null != spare.get() && !spare.get().equals(before);
        });
        return spare.get();
    }

    /** Returns what {@code stat} prints as JSON, without line breaks, when it is as expected. */
    static String awaitStat(final Path root, final Predicate<String> isExpected) throws Exception
    {
        final long deadlineNs = System.nanoTime() + Deadlines.WAIT_NS;
        while (true)
        {
            final CommandCall stat = CommandCall.run(root, "stat", "--once", "--format", "json");
            final String json = String.join("", stat.output());
            if (isExpected.test(json))
            {
                return json;
            }

            assertTrue(System.nanoTime() - deadlineNs < 0, stat::toString);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    int awaitExit() throws InterruptedException
    {
        assertTrue(process.waitFor(Deadlines.WAIT_S, TimeUnit.SECONDS), this::toString);
        for (final Thread reader : readers)
        {
            reader.join(TimeUnit.SECONDS.toMillis(Deadlines.WAIT_S));
        }

        return process.exitValue();
    }

    static void awaitEnd(final List<ProcessHandle> processes) throws Exception
    {
        for (final ProcessHandle process : processes)
        {
            process.onExit().get(Deadlines.WAIT_S, TimeUnit.SECONDS);
        }
    }

    int exitCode()
    {
        return process.exitValue();
    }

    List<String> output()
    {
        synchronized (output)
        {
            return List.copyOf(output);
        }
    }

    List<String> error()
    {
        synchronized (error)
        {
            return List.copyOf(error);
        }
    }

    /**
     * The lines that the launcher itself wrote.
     */
    List<String> launcherLines()
    {
        final List<String> lines = new ArrayList<>(error());
        lines.removeIf((line) -> !line.startsWith("aeroshmem"));
        return lines;
    }

    /** The lines that the launcher itself wrote, without those on generations that run. */
    List<String> failureLines()
    {
        return launcherLines().stream()
            .filter((line) -> !line.matches("aeroshmem.*: generation \\d+.* runs, .*")).toList();
    }

    @Override
    public void close()
    {
        if (process.isAlive())
        {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }

        pes.forEach(ProcessHandle::destroyForcibly);
    }

    /** Returns all output, if the process has ended. */
    @Override
    public String toString()
    {
        try
        {
            for (final Thread reader : process.isAlive() ? List.<Thread>of() : readers)
            {
                reader.join(REST_MS);
            }
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
        }

        return "pid " + process.pid() + (process.isAlive() ? " alive" : " ended with " + process.exitValue()) +
            "\noutput: " + String.join("\n  ", output()) + "\nerror: " + String.join("\n  ", error());
    }

    private static Thread reader(final InputStream source, final List<String> lines)
    {
        final Thread thread = new Thread(() ->
        {
            try (BufferedReader reader = new BufferedReader(new InputStreamReader(source, StandardCharsets.UTF_8)))
            {
                for (String line = reader.readLine(); null != line; line = reader.readLine())
                {
                    synchronized (lines)
                    {
                        lines.add(line);
                        lines.notifyAll();
                    }
                }
            }
            catch (final IOException ex)
            {
                throw new UncheckedIOException(ex);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static List<String> quickPes()
    {
        return ChildJvm.briefOptions().stream().flatMap((option) -> Stream.of("-J", option)).toList();
    }

    private static boolean isInterruptIgnored() throws IOException
    {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
            .filter((line) -> line.startsWith("SigIgn:"))
            .anyMatch((line) -> 0 != (Long.parseUnsignedLong(line.substring(7).trim(), 16) & 1L << SIGINT - 1));
    }
}
