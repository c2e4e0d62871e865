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
package io.aeroshmem.tools;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** The command in a JVM of its own, also with another environment than that of the test. */
final class CommandJvm
{
    /** Options of the command with which PEs that run for a second take less time. */
    static final List<String> BRIEF_PES = List.of(
        "-J-XX:TieredStopAtLevel=1", "-J-XX:CompileThresholdScaling=4", "-J-XX:+UseSerialGC", "-J-Xmx256m");

    private static final long DEADLINE_S = 100;

    private final Path directory;
    private final Map<String, String> environment = new HashMap<>();
    private int exitCode;

    /** @param directory for job directories and the output. */
    CommandJvm(final Path directory)
    {
        this.directory = directory;
        environment.put("AEROSHMEM_SHM_DIR", directory.toString());
    }

    CommandJvm environment(final String name, final String value)
    {
        environment.put(name, value);
        return this;
    }

    /** Runs the command to its end. */
    CommandJvm run(final String... arguments) throws IOException, InterruptedException
    {
        final List<String> command = new ArrayList<>(List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1", "-XX:CompileThresholdScaling=4", "-XX:+UseSerialGC", "-Xmx256m"));
        command.addAll(openingOptions());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), AeroShmemCommand.class.getName()));
        command.addAll(List.of(arguments));
        final ProcessBuilder builder = new ProcessBuilder(command)
            .redirectOutput(directory.resolve("output").toFile())
            .redirectError(directory.resolve("error").toFile());
        builder.environment().putAll(environment);
        final Process process = builder.start();
        try
        {
            assertTrue(process.waitFor(DEADLINE_S, TimeUnit.SECONDS), "the command must end");
        }
        finally
        {
            if (process.isAlive())
            {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        }

        exitCode = process.exitValue();
        return this;
    }

    private static List<String> openingOptions()
    {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .filter((option) -> option.startsWith("--add-opens=") || option.startsWith("--enable-native-access=") ||
                option.startsWith("--sun-misc-unsafe"))
            .toList();
    }

    int exitCode()
    {
        return exitCode;
    }

    List<String> output() throws IOException
    {
        return lines("output");
    }

    List<String> error() throws IOException
    {
        return lines("error");
    }

    private List<String> lines(final String name) throws IOException
    {
        return Files.readAllLines(directory.resolve(name), StandardCharsets.UTF_8);
    }

    @Override
    public String toString()
    {
        try
        {
            return "exit code " + exitCode + ", output " + output() + ", error " + error();
        }
        catch (final IOException ex)
        {
            return ex.toString();
        }
    }
}
