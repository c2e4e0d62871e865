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

import io.aeroshmem.config.ShmemProperty;
import io.aeroshmem.tests.fixture.TestMemory;
import io.aeroshmem.tools.AeroShmemCommand;
import picocli.CommandLine;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;

/**
 * A command of {@code aeroshmem} that ran in this JVM, without a process, under a root of job directories: for those
 * that inspect or change jobs, and end by themselves.
 *
 * @param exitCode what it returned.
 * @param output   lines.
 * @param error    lines.
 */
record CommandCall(int exitCode, List<String> output, List<String> error)
{
    static CommandCall run(final Path root, final String... arguments)
    {
        final StringWriter output = new StringWriter();
        final StringWriter error = new StringWriter();
        final CommandLine commandLine = AeroShmemCommand.commandLine();
        commandLine.setOut(new PrintWriter(output));
        commandLine.setErr(new PrintWriter(error));
        final String before = TestMemory.root().toString();
        System.setProperty(ShmemProperty.SHM_DIR.propertyName(), root.toString());
        try
        {
            final int exitCode = commandLine.execute(arguments);
            return new CommandCall(exitCode, output.toString().lines().toList(), error.toString().lines().toList());
        }
        finally
        {
            System.setProperty(ShmemProperty.SHM_DIR.propertyName(), before);
        }
    }
}
