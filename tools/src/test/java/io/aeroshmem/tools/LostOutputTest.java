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

import io.aeroshmem.tools.exit.ExitCode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Output that cannot be written, here to a device that is full. */
@EnabledOnOs(OS.LINUX)
@Timeout(120)
class LostOutputTest
{
    private static final Path FULL = Path.of("/dev/full");

    @TempDir
    private Path directory;

    @Test
    void shouldFailIfTheOutputIsLost() throws Exception
    {
        Files.createSymbolicLink(directory.resolve("output"), FULL);
        final CommandJvm command = new CommandJvm(directory).run("--version");
        assertEquals(ExitCode.FAILURE, command.exitCode());
        assertEquals(
            List.of("aeroshmem: cannot write to the standard output: No space left on device"), command.error());
    }

    /** The text of the system's error depends on the language. */
    @ParameterizedTest
    @ValueSource(strings = { "C", "de_DE.UTF-8" })
    @Tag("ci")
    void shouldRecogniseAClosedPipeInEveryLanguage(final String language) throws Exception
    {
        final CommandJvm command = new CommandJvm(directory).environment("LC_ALL", language);
        if (!"C".equals(language))
        {
            final Path locale = directory.resolve(language);
            assumeTrue(Files.exists(Path.of("/usr/share/locale/de/LC_MESSAGES/libc.mo")), "German texts are missing");
            assumeTrue(
                isRun("localedef", "-i", "de_DE", "-f", "UTF-8", "--no-archive", locale.toString()), "localedef");
            command.environment("LOCPATH", directory.toString());
        }

        final Path pipe = directory.resolve("output");
        assertTrue(isRun("mkfifo", pipe.toString()));
        // opened once the other end is, and closed before the command begins
        final Thread reader = new Thread(() ->
        {
            try
            {
                Files.newInputStream(pipe).close();
            }
            catch (final IOException ex)
            {
                throw new UncheckedIOException(ex);
            }
        });
        reader.start();

        assertEquals(ExitCode.CLOSED_PIPE, command.run("--version").exitCode());
        assertEquals(List.of(), command.error());
    }

    private static boolean isRun(final String... command) throws InterruptedException
    {
        try
        {
            return 0 == new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor();
        }
        catch (final IOException ex)
        {
            return false;
        }
    }

    @Test
    @Tag("ci")
    void shouldFailIfTheErrorsAreLost() throws Exception
    {
        Files.createSymbolicLink(directory.resolve("error"), FULL);
        final CommandJvm command =
            new CommandJvm(directory).run("run", "-n", "1", "--verbose", "io.aeroshmem.samples.HelloPe");
        assertEquals(ExitCode.FAILURE, command.exitCode());
    }

    @Test
    void shouldKeepTheExitCodeOfACommandThatFails() throws Exception
    {
        Files.createSymbolicLink(directory.resolve("error"), FULL);
        assertEquals(ExitCode.USAGE, new CommandJvm(directory).run("unknown").exitCode());
    }
}
