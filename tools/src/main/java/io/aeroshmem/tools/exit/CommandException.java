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
package io.aeroshmem.tools.exit;

/**
 * Failure of a command, with a line for the user and an exit code. The command prints the line, without a stack trace,
 * and exits with the code.
 */
public final class CommandException extends RuntimeException
{
    private static final long serialVersionUID = 1L;

    private final int exitCode;

    public CommandException(final int exitCode, final String message)
    {
        super(message);
        this.exitCode = exitCode;
    }

    /** Returns a failure caused by invalid usage or configuration. */
    public static CommandException usage(final String message)
    {
        return new CommandException(ExitCode.USAGE, message);
    }

    /** Returns a failure of the work that was started. */
    public static CommandException failure(final String message)
    {
        return new CommandException(ExitCode.FAILURE, message);
    }

    public int exitCode()
    {
        return exitCode;
    }
}
