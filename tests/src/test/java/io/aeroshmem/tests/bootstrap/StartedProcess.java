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

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A process and what it prints. Closing it ends it, and those it started, if they have not ended.
 */
final class StartedProcess implements AutoCloseable
{
    private static final long DEADLINE_S = 60;

    private final Process process;
    private final List<String> lines = new ArrayList<>();
    private final Thread reader;

    private StartedProcess(final Process process)
    {
        this.process = process;
        this.reader = new Thread(this::read, "reader of process " + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    /**
     * @param environment what to add to this process's own, without what a scheduler may have set there.
     */
    static StartedProcess start(final Map<String, String> environment, final List<String> command) throws IOException
    {
        final ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().keySet().removeIf(
            (name) -> name.matches("(AEROSHMEM|OMPI|PMI|PMIX|SLURM)_.*|JOB_COMPLETION_INDEX"));
        builder.environment().putAll(environment);
        final Process process = builder.start();
        process.getOutputStream().close();
        return new StartedProcess(process);
    }

    long pid()
    {
        return process.pid();
    }

    boolean isAlive()
    {
        return process.isAlive();
    }

    int exitCode()
    {
        return process.exitValue();
    }

    int awaitExit() throws InterruptedException
    {
        assertTrue(process.waitFor(DEADLINE_S, TimeUnit.SECONDS), this::toString);
        reader.join(TimeUnit.SECONDS.toMillis(DEADLINE_S));
        return process.exitValue();
    }

    List<String> lines()
    {
        synchronized (lines)
        {
            return List.copyOf(lines);
        }
    }

    /**
     * Returns the one line with the prefix.
     */
    String line(final String prefix)
    {
        final List<String> found = lines().stream().filter((line) -> line.startsWith(prefix)).toList();
        assertTrue(1 == found.size(), () -> "one line '" + prefix + "…' expected; " + this);
        return found.get(0);
    }

    static void closeAll(final Collection<StartedProcess> processes)
    {
        processes.forEach(StartedProcess::close);
    }

    @Override
    public void close()
    {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    @Override
    public String toString()
    {
        final String state = process.isAlive() ? "alive" : "exit code " + process.exitValue();
        return "process " + process.pid() + ", " + state + ", printed:\n" + String.join("\n", lines());
    }

    private void read()
    {
        try (BufferedReader output =
            new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)))
        {
            for (String line = output.readLine(); null != line; line = output.readLine())
            {
                synchronized (lines)
                {
                    lines.add(line);
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
