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

import io.aeron.AeronVersion;
import io.aeroshmem.Info;
import io.aeroshmem.Shmem;
import io.aeroshmem.collective.AlgorithmDocs;
import io.aeroshmem.config.ConfigurationDocs;
import io.aeroshmem.config.PropertyParser;
import io.aeroshmem.config.ShmemProperty;
import io.aeroshmem.device.DeviceProvider;
import io.aeroshmem.tools.exit.CommandException;
import io.aeroshmem.tools.exit.ExitCode;
import io.aeroshmem.tools.launch.JvmCommand;
import io.aeroshmem.transport.job.JobDirectory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;

/**
 * The {@code aeroshmem info} command: prints versions, the resources and GPUs of this host, and the values of all
 * properties.
 */
@Command(
    name = "info",
    description = "Prints versions, the resources and GPUs of this host, and the values of all properties.",
    mixinStandardHelpOptions = true,
    versionProvider = AeroShmemCommand.Version.class)
final class InfoCommand implements Callable<Integer>
{
    enum Format
    {
        TEXT, MARKDOWN
    }

    @Option(names = "--properties", description = "Prints only the properties.")
    private boolean isPropertiesOnly;

    @Option(names = "--algorithms", description = "Prints only the algorithms of the collectives.")
    private boolean isAlgorithmsOnly;

    @Option(names = "--format", paramLabel = "FORMAT", defaultValue = "text",
        description = "text, or markdown: the reference page docs/configuration.md (with --properties) or" +
            " docs/algorithms.md (with --algorithms; default: text).")
    private Format format;

    @Spec
    private CommandSpec spec;

    private InfoCommand()
    {
    }

    @Override
    public Integer call() throws IOException
    {
        final PrintWriter output = spec.commandLine().getOut();
        if (isPropertiesOnly && isAlgorithmsOnly)
        {
            throw CommandException.usage("--properties and --algorithms exclude each other");
        }

        if (isAlgorithmsOnly)
        {
            output.print(Format.MARKDOWN == format ? AlgorithmDocs.markdown() : AlgorithmDocs.text());
        }
        else if (Format.MARKDOWN == format)
        {
            if (!isPropertiesOnly)
            {
                throw CommandException.usage(
                    "--format markdown requires --properties or --algorithms");
            }
            output.print(ConfigurationDocs.markdown());
        }
        else
        {
            printSettings(output);
        }
        output.flush();
        return ExitCode.OK;
    }

    private void printSettings(final PrintWriter output) throws IOException
    {
        if (!isPropertiesOnly)
        {
            printHost(output);
            output.println();
        }
        printProperties(output);
        output.flush();
        // reads all properties and throws if a value is invalid
        new Shmem.Context();
    }

    private static void printHost(final PrintWriter output) throws IOException
    {
        line(output, "Version", Info.name());
        line(output, "Specification", "OpenSHMEM " + Info.specVersion().major() + "." + Info.specVersion().minor());
        line(output, "Aeron", AeronVersion.VERSION);
        line(output, "JDK", System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"));
        line(output, "JDK home", System.getProperty("java.home"));
        line(output, "JVM options", String.join(" ", JvmCommand.requiredOptions()));
        line(output, "System", System.getProperty("os.name") + " " + System.getProperty("os.version") + " " +
            System.getProperty("os.arch"));
        line(output, "Processors", Integer.toString(Runtime.getRuntime().availableProcessors()));
        final Path root = JobDirectory.defaultRoot();
        line(output, "Job root", root + (Files.isDirectory(root) ? space(root) : " (not a directory)"));
        DeviceLines.print(DeviceProvider.find(), (name, value) -> line(output, name, value));
    }

    private static String space(final Path root) throws IOException
    {
        final FileStore store = Files.getFileStore(root);
        return " (" + store.type() + ", " + mebibytes(store.getUsableSpace()) + " of " +
            mebibytes(store.getTotalSpace()) + " free)";
    }

    private static String mebibytes(final long bytes)
    {
        return PropertyParser.formatSize(bytes >> 20 << 20);
    }

    private static void printProperties(final PrintWriter output)
    {
        for (final ShmemProperty property : ShmemProperty.values())
        {
            line(output, property.propertyName(), property.shownText());
        }
    }

    private static void line(final PrintWriter output, final String name, final String value)
    {
        output.printf("%-35s %s%n", name, value);
    }
}
