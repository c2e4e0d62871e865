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

import io.aeroshmem.device.DeviceProvider;
import io.aeroshmem.tools.exit.CommandException;
import io.aeroshmem.tools.exit.ExitCode;
import io.aeroshmem.tools.exit.FileProblem;
import io.aeroshmem.tools.exit.OutputFile;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;

/**
 * The {@code aeroshmem gpu-header} command: writes the headers for CUDA kernels that communicate.
 */
@Command(
    name = "gpu-header",
    description =
    {
        "Writes aeroshmem_device.cuh, the header for CUDA kernels that communicate, and the headers that it includes.",
        "nvcc -ptx -rdc=true -arch=compute_75 -I DIR kernels.cu compiles kernels with it."
    },
    mixinStandardHelpOptions = true)
final class GpuHeaderCommand implements Callable<Integer>
{
    @Parameters(arity = "0..1", paramLabel = "DIR", defaultValue = ".",
        description = "Directory, created if it is missing; the working directory by default.")
    private Path directory;

    @Spec
    private CommandSpec spec;

    private GpuHeaderCommand()
    {
    }

    @Override
    public Integer call()
    {
        final DeviceProvider provider = DeviceProvider.find();
        if (null == provider)
        {
            throw CommandException.usage("the module aeroshmem-gpu must be on the class path");
        }

        try
        {
            Files.createDirectories(directory);
            provider.headers().forEach(this::write);
        }
        catch (final IOException ex)
        {
            throw CommandException.usage("cannot write headers to " + directory + ": " + FileProblem.describe(ex));
        }

        spec.commandLine().getOut().flush();
        return ExitCode.OK;
    }

    private void write(final String name, final String text)
    {
        final Path file = directory.resolve(name);
        OutputFile.write(file, text.getBytes(StandardCharsets.UTF_8));
        spec.commandLine().getOut().println(file);
    }
}
