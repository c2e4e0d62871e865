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
 * Exit codes of the {@code aeroshmem} command. Commands that run PEs, such as {@code aeroshmem run}, also return the
 * exit codes of the PEs.
 */
public final class ExitCode
{
    /** Success. */
    public static final int OK = 0;

    /** The work was started and failed. */
    public static final int FAILURE = 1;

    /** Invalid command line or configuration; nothing was started. */
    public static final int USAGE = 2;

    /** {@code --timeout} expired (the code that GNU {@code timeout} uses). */
    public static final int TIMEOUT = 124;

    /** What is printed is no longer read (that of a process ended by SIGPIPE). */
    public static final int CLOSED_PIPE = 141;

    /**
     * Base of the exit code of a process ended by a signal, whose number is added: 130 for SIGINT, 137 for SIGKILL, 143
     * for SIGTERM.
     */
    public static final int SIGNAL_BASE = 128;

    private ExitCode()
    {
    }
}
