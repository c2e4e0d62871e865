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
import picocli.CommandLine.Parameters;

import java.util.concurrent.Callable;

/**
 * The {@code aeroshmem resize} command: a running recoverable job goes on with more or fewer PEs.
 */
@Command(
    name = "resize",
    description =
    {
        "Changes the number of PEs of a job of 'run --recover' on this host. The job goes on in its next generation." +
            " PEs are added at the end, with zeroed memory; or the last ones go, with their retained memory."
    },
    mixinStandardHelpOptions = true,
    footer =
    {
        "",
        "Exit codes: 0 when the next generation runs; 1 if the number was not changed, or the job ends meanwhile.",
        "",
        "Example: aeroshmem resize 3fa2 6"
    })
final class ResizeCommand implements Callable<Integer>
{
    @Mixin
    private RecoverableJob job;

    @Parameters(index = "1", paramLabel = "N", description = "The number of PEs of the next generation.")
    private int nPes;

    private ResizeCommand()
    {
    }

    @Override
    public Integer call()
    {
        return job.send(new JobCommand.Resize(nPes), "the number of PEs was not changed");
    }
}
