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
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.util.concurrent.Callable;

/** The {@code aeroshmem completion} command: prints a script that completes commands and options in a shell. */
@Command(
    name = "completion",
    description = "Prints a script that completes commands and options in bash and zsh: source <(aeroshmem completion)",
    mixinStandardHelpOptions = true)
final class CompletionCommand implements Callable<Integer>
{
    @Spec
    private CommandSpec spec;

    private CompletionCommand()
    {
    }

    @Override
    public Integer call()
    {
        final PrintWriter output = spec.commandLine().getOut();
        output.print(AutoComplete.bash(spec.root().name(), spec.root().commandLine()));
        output.flush();
        return ExitCode.OK;
    }
}
