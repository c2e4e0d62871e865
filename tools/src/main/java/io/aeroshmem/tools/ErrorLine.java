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

import io.aeroshmem.tools.exit.CommandException;
import io.aeroshmem.tools.exit.ExitCode;
import io.aeroshmem.tools.exit.FileProblem;
import io.aeroshmem.tools.format.Table;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Handles the errors of the command line: prints one line on standard error, and returns an exit code.
 */
final class ErrorLine implements IParameterExceptionHandler, IExecutionExceptionHandler
{
    private static final Pattern NUMBER_OPTION = Pattern.compile("--?np(=.*)?");
    /** What is left of -np by the option -n. */
    private static final Pattern NUMBER_VALUE = Pattern.compile("'p\\d*' is not an int");
    private static final Pattern JAR_OPTION = Pattern.compile("--?jar(=.*)?");
    private static final Pattern JVM_OPTION = Pattern.compile(
        "-[XD].*|-(ea|da|esa|dsa|enableassertions|server|verbose|agentlib|agentpath|javaagent)(:.*)?|" +
        "--(add|enable|illegal|limit|sun)-.*");

    @Override
    public int handleParseException(final ParameterException exception, final String[] args)
    {
        final CommandLine command = exception.getCommandLine();
        final String name = command.getCommandSpec().qualifiedName();
        print(command, name + ": " + describeUse(exception) + hint(exception) + " (see '" + name + " --help')");
        return ExitCode.USAGE;
    }

    /** Returns which option was meant, if the one given is that of another launcher or of the JVM. */
    private static String hint(final ParameterException exception)
    {
        if (!exception.getCommandLine().getCommandSpec().optionsMap().containsKey("-J"))
        {
            return "";
        }

        final String option = exception instanceof UnmatchedArgumentException ?
            ((UnmatchedArgumentException)exception).getUnmatched().get(0) : "";
        return NUMBER_OPTION.matcher(option).matches() || NUMBER_VALUE.matcher(exception.getMessage()).find() ?
            "; the number of PEs is -n N" :
            JAR_OPTION.matcher(option).matches() ? "; a program in a jar is run by -cp FILE.jar MainClass" :
            JVM_OPTION.matcher(option).matches() ? "; an option for the JVM of each PE is -J" + option : "";
    }

    private static String describeUse(final ParameterException exception)
    {
        final CommandSpec command = exception.getCommandLine().getCommandSpec();
        if (exception instanceof UnmatchedArgumentException && null == command.parent())
        {
            final String first = ((UnmatchedArgumentException)exception).getUnmatched().get(0);
            if (!first.startsWith("-"))
            {
                return "unknown command '" + first + "'; the commands are " + command.subcommands().values().stream()
                    .map(CommandLine::getCommandSpec).filter((spec) -> !spec.usageMessage().hidden())
                    .map(CommandSpec::name).collect(Collectors.joining(", "));
            }
        }

        return oneLine(exception.getMessage());
    }

    @Override
    public int handleExecutionException(
        final Exception exception, final CommandLine command, final ParseResult parseResult)
    {
        return report(exception, command.getErr());
    }

    /** Prints the line of an exception of a command, and returns the exit code. */
    static int report(final Exception exception, final PrintWriter error)
    {
        error.println("aeroshmem: " + describe(exception));
        error.flush();
        return exception instanceof CommandException ? ((CommandException)exception).exitCode() :
            exception instanceof IllegalArgumentException ? ExitCode.USAGE : ExitCode.FAILURE;
    }

    static String describe(final Exception exception)
    {
        if (exception instanceof UncheckedIOException)
        {
            return oneLine(exception.getMessage()) + ": " + describe(((UncheckedIOException)exception).getCause());
        }

        if (exception instanceof FileSystemException)
        {
            return oneLine(((FileSystemException)exception).getFile()) + ": " +
                oneLine(FileProblem.describe((FileSystemException)exception));
        }

        final String message = oneLine(exception.getMessage());
        final String type = exception.getClass().getName();
        if (isExpected(exception, type))
        {
            return message;
        }

        final StackTraceElement[] frames = exception.getStackTrace();
        return type + ": " + message + (0 == frames.length ? "" : " at " + frames[0]);
    }

    /**
     * Returns whether the message was written for the user. The message of a plain I/O exception is often only a file
     * name.
     */
    private static boolean isExpected(final Exception exception, final String type)
    {
        return exception instanceof CommandException ||
            exception instanceof IllegalArgumentException ||
            type.startsWith("io.aeroshmem.") ||
            type.startsWith("io.aeron.") ||
            IOException.class == exception.getClass();
    }

    static String oneLine(final String message)
    {
        return null == message ? "no further information" :
            Table.oneLine(message.strip().replaceAll("\\s*\\R\\s*", "; "));
    }

    private static void print(final CommandLine command, final String line)
    {
        command.getErr().println(line);
        command.getErr().flush();
    }
}
