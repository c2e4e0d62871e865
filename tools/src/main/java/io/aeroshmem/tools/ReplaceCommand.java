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

import io.aeroshmem.tools.launch.JobCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * The {@code aeroshmem replace} command: a running recoverable job goes on with a new process for one PE.
 */
@Command(
    name = "replace",
    description =
    {
        "Ends a PE of a job of 'run --recover' on this host, and starts it again, with another class path or with" +
            " further JVM options. The job goes on in its next generation, with its retained memory."
    },
    mixinStandardHelpOptions = true,
    footer =
    {
        "",
        "Exit codes: 0 when the next generation runs; 1 if the PE was not replaced, or the job ends meanwhile.",
        "",
        "Example: aeroshmem replace 3fa2 1 -cp app-2.jar"
    })
final class ReplaceCommand implements Callable<Integer>
{
    @Option(names = {"-cp", "--class-path"}, paramLabel = "CP",
        description = "Class path of the program in the new process (default: that of the process before).")
    private String classPath;

    @Option(names = "-J", paramLabel = "OPTION",
        description = "Option for the JVM of the new process, in addition to those of the job; may be repeated.")
    private List<String> jvmOptions = new ArrayList<>();

    @Mixin
    private RecoverableJob job;

    @Parameters(index = "1", paramLabel = "PE", description = "The number of the PE.")
    private int pe;

    private ReplaceCommand()
    {
    }

    @Override
    public Integer call()
    {
        return job.send(new JobCommand.Replace(pe, classPath, jvmOptions), "PE " + pe + " was not replaced");
    }
}
