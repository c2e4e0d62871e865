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

import io.aeroshmem.tests.fixture.Deadlines;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A host of a test: a network, a host name, processes and a <code>/dev/shm</code> of its own, held together by its
 * first process.
 * <p>
 * That process ends when its standard input does. The kernel then kills all others of the host and takes the rest down,
 * so that nothing is left even if the test is killed.
 */
final class Host implements AutoCloseable
{
    private static final String MEMORY = "512m";
    private static final String INIT =
        "mount -t tmpfs -o size=" + MEMORY + ",mode=1777 tmpfs /dev/shm && hostname \"$0\" && ip link set lo up && " +
        "echo ready && exec cat > /dev/null";

    private final String name;
    private final Process keeper;
    private final ProcessHandle first;

    private Host(final String name, final Process keeper, final ProcessHandle first)
    {
        this.name = name;
        this.keeper = keeper;
        this.first = first;
    }

    /**
     * @throws IOException with the reason, if this is not permitted.
     */
    static Host start(final String name) throws IOException
    {
        final Process keeper = new ProcessBuilder(
            "unshare", "--net", "--mount", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc",
            "sh", "-c", INIT, name).redirectErrorStream(true).start();
        final BufferedReader output =
            new BufferedReader(new InputStreamReader(keeper.getInputStream(), StandardCharsets.UTF_8));
        final String line = Deadlines.readLine(keeper, output);
        if (!"ready".equals(line))
        {
            keeper.destroyForcibly();
            throw new IOException("unshare says: " + line);
        }

        return new Host(name, keeper, keeper.children().findFirst().orElseThrow());
    }

    String name()
    {
        return name;
    }

    /**
     * Returns the id of its first process, in the namespace of this JVM.
     */
    long pid()
    {
        return first.pid();
    }

    /**
     * Returns the path of a file of this host, for this JVM.
     */
    Path path(final String absolute)
    {
        return Path.of("/proc", Long.toString(pid()), "root", absolute);
    }

    /**
     * Returns the command line that runs a command on this host.
     */
    List<String> command(final List<String> command)
    {
        final List<String> inside = new ArrayList<>(
            List.of("nsenter", "--target", Long.toString(pid()), "--net", "--mount", "--uts", "--pid", "--"));
        inside.addAll(command);
        return inside;
    }

    /**
     * Runs a command of this host to its end.
     *
     * @return its output.
     */
    String run(final String... command)
    {
        return run(command(List.of(command)));
    }

    /**
     * Changes its network by the command ip, run in the process namespace of this machine.
     */
    void ip(final String... arguments)
    {
        final List<String> command =
            new ArrayList<>(List.of("nsenter", "--target", Long.toString(pid()), "--net", "--", "ip"));
        command.addAll(List.of(arguments));
        run(command);
    }

    private String run(final List<String> command)
    {
        try
        {
            final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(Deadlines.WAIT_S, TimeUnit.SECONDS) || 0 != process.exitValue())
            {
                process.destroyForcibly();
                throw new AssertionError(name + ": " + String.join(" ", command) + ": " + output);
            }

            return output;
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            throw new AssertionError(ex);
        }
    }

    /**
     * Returns the files in its shared memory; nothing if the host is dead.
     */
    List<Path> memory()
    {
        if (!keeper.isAlive())
        {
            return List.of();
        }

        try (Stream<Path> files = Files.walk(path("/dev/shm")))
        {
            return files.skip(1).collect(Collectors.toList());
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /**
     * Empties its shared memory.
     */
    void clean()
    {
        final List<Path> files = memory();
        for (int i = files.size() - 1; i >= 0; i--)
        {
            try
            {
                Files.deleteIfExists(files.get(i));
            }
            catch (final IOException ex)
            {
                throw new UncheckedIOException(ex);
            }
        }
    }

    /**
     * Kills all its processes, as a power failure would. Kills nothing a second time, also if their pids have been
     * taken meanwhile.
     */
    void kill()
    {
        first.destroyForcibly();
        keeper.onExit().join();
    }

    @Override
    public void close()
    {
        kill();
    }

    @Override
    public String toString()
    {
        return name;
    }
}
