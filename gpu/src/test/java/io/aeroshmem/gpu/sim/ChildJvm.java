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
package io.aeroshmem.gpu.sim;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * A JVM with the driver of the test, in which the test runs a main class that reads and writes lines.
 */
public final class ChildJvm implements AutoCloseable
{
    private static final long TIMEOUT_S = 30;

    private final Process process;
    private final BufferedReader out;
    private final PrintWriter in;

    private ChildJvm(final Process process)
    {
        this.process = process;
        out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        in = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
    }

    /**
     * Starts a JVM.
     *
     * @param main        its main class.
     * @param environment variables in addition to those of this process.
     * @param arguments   of the main class.
     * @return the JVM.
     */
    public static ChildJvm start(
        final Class<?> main, final Map<String, String> environment, final String... arguments)
    {
        final List<String> command = new ArrayList<>(List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx128m", "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1", "-XX:-CreateCoredumpOnCrash", "-XX:ErrorFile=/dev/null",
            "--add-opens", "java.base/jdk.internal.misc=ALL-UNNAMED",
            "--add-opens", "java.base/sun.nio.ch=ALL-UNNAMED", "-cp", System.getProperty("java.class.path")));
        if (Runtime.version().feature() >= 24)
        {
            command.add(1, "--enable-native-access=ALL-UNNAMED");
        }

        command.add(main.getName());
        command.addAll(Arrays.asList(arguments));
        final ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        try
        {
            return new ChildJvm(builder.start());
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    long pid()
    {
        return process.pid();
    }

    void kill()
    {
        process.destroyForcibly();
        exitCode();
    }

    void writeLine(final String line)
    {
        in.println(line);
    }

    /**
     * Waits for the next line that begins with a word.
     *
     * @param word of the line.
     * @return the line without it.
     */
    public String await(final String word)
    {
        final StringBuilder others = new StringBuilder();
        try
        {
            for (String line = out.readLine(); null != line; line = out.readLine())
            {
                if (line.startsWith(word + " ") || line.equals(word))
                {
                    return line.substring(word.length()).trim();
                }

                others.append(line).append('\n');
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }

        throw new AssertionError("no line '" + word + "' in:\n" + others);
    }

    /**
     * Returns what the JVM prints until its end.
     *
     * @return its lines.
     */
    public String rest()
    {
        return out.lines().collect(Collectors.joining("\n"));
    }

    /**
     * Waits for the end of the JVM.
     *
     * @return its exit code.
     */
    public int exitCode()
    {
        try
        {
            if (!process.waitFor(TIMEOUT_S, TimeUnit.SECONDS))
            {
                process.destroyForcibly();
                throw new AssertionError("child JVM still runs");
            }

            return process.exitValue();
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
    }
}
