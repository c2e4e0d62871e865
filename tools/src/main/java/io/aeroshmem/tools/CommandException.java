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

/**
 * What a command could not do, said in one line: what was given, what is allowed and what to set. The command prints
 * the message and ends with the exit code; there is no stack trace to read.
 */
public final class CommandException extends RuntimeException
{
    private static final long serialVersionUID = 1L;

    private final int exitCode;

    /**
     * A failure with its exit code.
     *
     * @param exitCode of the process, one of {@link ExitCode}.
     * @param message  one line for the user.
     */
    public CommandException(final int exitCode, final String message)
    {
        super(message);
        this.exitCode = exitCode;
    }

    /**
     * A wrong use of the command.
     *
     * @param message one line for the user.
     * @return the exception with {@link ExitCode#USAGE}.
     */
    public static CommandException usage(final String message)
    {
        return new CommandException(ExitCode.USAGE, message);
    }

    /**
     * A failure of what was started.
     *
     * @param message one line for the user.
     * @return the exception with {@link ExitCode#FAILURE}.
     */
    public static CommandException failure(final String message)
    {
        return new CommandException(ExitCode.FAILURE, message);
    }

    /**
     * The exit code of the process.
     *
     * @return one of {@link ExitCode}.
     */
    public int exitCode()
    {
        return exitCode;
    }
}
