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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

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

    @Test
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
