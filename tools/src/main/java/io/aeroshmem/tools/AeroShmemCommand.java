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

import io.aeroshmem.Info;
import io.aeroshmem.tools.exit.ExitCode;
import io.aeroshmem.tools.exit.StandardStreams;
import io.aeroshmem.transport.JdkPackages;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

/**
 * The {@code aeroshmem} command: parses the command line and executes one of the subcommands.
 */
@Command(
    name = "aeroshmem",
    description = "Runs and inspects AeroSHMEM jobs.",
    mixinStandardHelpOptions = true,
    versionProvider = AeroShmemCommand.Version.class,
    footer =
    {
        "",
        "Exit codes: 0 success; 1 failure, or output that could not be written;",
        "2 invalid usage or configuration; 141 the output is no longer read (| head);",
        "'run' returns that of the PE that caused the failure of the job",
        "(124: --timeout expired)."
    })
public final class AeroShmemCommand implements Callable<Integer>
{
    private static final List<Class<?>> COMMANDS = List.of(
        RunCommand.class, DriverCommand.class, LatencyCommand.class, BandwidthCommand.class, HistogramCommand.class,
        StatCommand.class, InfoCommand.class, CleanCommand.class, ReplaceCommand.class, ResizeCommand.class,
        GpuHeaderCommand.class, SimulateCommand.class, CompletionCommand.class,
        CommandLine.HelpCommand.class, NodeCommand.class);
    /** What they print depends on the others. */
    private static final List<Class<?>> ON_COMMANDS = List.of(CompletionCommand.class, CommandLine.HelpCommand.class);

    @Spec
    private CommandSpec spec;

    private AeroShmemCommand()
    {
    }

    /** Parses the command line, runs its command, and exits with the exit code of the command. */
    public static void main(final String[] args)
    {
        final String problem = JdkPackages.problem();
        if (null != problem)
        {
            System.err.println("aeroshmem: " + problem);
            System.exit(ExitCode.USAGE);
        }

        final StandardStreams streams = StandardStreams.install();
        final boolean isNode = 1 == args.length && NodeCommand.NAME.equals(args[0]);
        System.exit(streams.exitCode(isNode ? NodeCommand.run() : commandLine(args).execute(args)));
    }

    /** Returns a command line with the subcommands, ready to execute. */
    public static CommandLine commandLine()
    {
        return commandLine(COMMANDS);
    }

    /** Returns a command line for arguments: picocli's model of all commands takes longer than most of them. */
    static CommandLine commandLine(final String... args)
    {
        final List<Class<?>> named = COMMANDS.stream()
            .filter((type) -> args.length > 0 && type.getAnnotation(Command.class).name().equals(args[0]))
            .filter((type) -> !ON_COMMANDS.contains(type)).toList();
        return commandLine(named.isEmpty() ? COMMANDS : named);
    }

    private static CommandLine commandLine(final List<Class<?>> commands)
    {
        final ErrorLine errorLine = new ErrorLine();
        final CommandLine commandLine = new CommandLine(new AeroShmemCommand());
        commands.forEach(commandLine::addSubcommand);
        commandLine.getSubcommands().values().forEach((command) ->
            command.getCommandSpec().versionProvider(commandLine.getCommandSpec().versionProvider()));
        commandLine
            .setParameterExceptionHandler(errorLine)
            .setExecutionExceptionHandler(errorLine)
            .setExecutionStrategy(AeroShmemCommand::execute)
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setUsageHelpWidth(80);
        // arguments after the main class belong to the program, even if they resemble options of this command
        Optional.ofNullable(commandLine.getSubcommands().get("run")).ifPresent((run) -> run.setStopAtPositional(true));
        return commandLine;
    }

    /** Prints the help on the error stream, because no command was given. */
    @Override
    public Integer call()
    {
        spec.commandLine().usage(spec.commandLine().getErr());
        spec.commandLine().getErr().flush();
        return ExitCode.USAGE;
    }

    /** Executes the parsed command. With {@code --help} picocli ignores unknown arguments; here they are rejected. */
    private static int execute(final ParseResult parseResult)
    {
        for (ParseResult level = parseResult; null != level; level = level.subcommand())
        {
            if (!level.unmatched().isEmpty())
            {
                throw new UnmatchedArgumentException(level.commandSpec().commandLine(), level.unmatched());
            }
        }

        return new CommandLine.RunLast().execute(parseResult);
    }

    static final class Version implements IVersionProvider
    {
        @Override
        public String[] getVersion()
        {
            return new String[]{ Info.name() };
        }
    }
}
