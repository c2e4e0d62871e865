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
package io.aeroshmem.tools.launch;

import io.aeroshmem.tools.ExitCode;

import java.util.concurrent.TimeUnit;

/**
 * One PE of the job as a process, from its start to its exit code.
 */
final class PeProcess
{
    private static final String[] SIGNAL_NAMES =
    {
        null, "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL", "SIGUSR1",
        "SIGSEGV", "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM"
    };

    private final int pe;
    private final Process process;
    private final Thread[] copiers;

    /**
     * A process that was started.
     *
     * @param pe      which PE it runs.
     * @param process of the PE.
     * @param copiers threads that copy its output; none if it inherited the launcher's.
     */
    PeProcess(final int pe, final Process process, final Thread... copiers)
    {
        this.pe = pe;
        this.process = process;
        this.copiers = copiers;
    }

    int pe()
    {
        return pe;
    }

    long pid()
    {
        return process.pid();
    }

    boolean isAlive()
    {
        return process.isAlive();
    }

    /**
     * The exit code, known once the process has ended: 128 plus the signal's number if a signal ended it.
     *
     * @return the exit code.
     */
    int exitCode()
    {
        return process.exitValue();
    }

    /**
     * Asks the process to end (SIGTERM).
     */
    void terminate()
    {
        process.destroy();
    }

    /**
     * Ends the process (SIGKILL).
     */
    void kill()
    {
        process.destroyForcibly();
    }

    /**
     * Waits for the end of the process.
     *
     * @param deadlineNs of {@link System#nanoTime()} at which to give up.
     * @return false if it still lives, or if the calling thread was interrupted (its flag stays set).
     */
    boolean awaitEnd(final long deadlineNs)
    {
        try
        {
            return process.waitFor(Math.max(0, deadlineNs - System.nanoTime()), TimeUnit.NANOSECONDS);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /**
     * Waits until what the process printed has been copied, or the calling thread is interrupted (its flag stays set).
     * A grandchild may hold the pipe open for longer than the process lives, hence the limit.
     *
     * @param millis to wait at most.
     */
    void awaitOutput(final long millis)
    {
        try
        {
            for (final Thread copier : copiers)
            {
                copier.join(millis);
            }
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * How the process ended, for the launcher's line.
     *
     * @return for example "PE 3 (pid 4711) was ended by signal 9 (SIGKILL)".
     */
    String describeEnd()
    {
        final int code = exitCode();
        final int signal = code - ExitCode.SIGNAL_BASE;
        final String who = "PE " + pe + " (pid " + pid() + ") ";
        if (signal > 0 && signal < SIGNAL_NAMES.length)
        {
            return who + "was ended by signal " + signal + " (" + SIGNAL_NAMES[signal] + ")";
        }
        return who + "ended with exit code " + code;
    }
}
