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

import java.io.OutputStream;
import java.util.concurrent.TimeUnit;

/**
 * A process that a launcher started, from its start to its exit code: a PE, or the launcher of another node.
 */
final class ChildProcess
{
    private static final String[] SIGNAL_NAMES =
    {
        null, "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL", "SIGUSR1",
        "SIGSEGV", "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM"
    };

    private final int number;
    private final String name;
    private final Process process;
    private final Thread[] copiers;

    /**
     * A process that was started.
     *
     * @param number  by which the launcher knows it: that of the PE, or the place of the node in the list of hosts.
     * @param name    for people, such as "PE 3".
     * @param process that runs.
     * @param copiers threads that copy its output; none if it inherited the launcher's.
     */
    ChildProcess(final int number, final String name, final Process process, final Thread... copiers)
    {
        this.number = number;
        this.name = name;
        this.process = process;
        this.copiers = copiers;
    }

    int number()
    {
        return number;
    }

    /**
     * Has an action run once the process has ended.
     *
     * @param action to run, on a thread of the JDK.
     */
    void onEnd(final Runnable action)
    {
        process.onExit().thenRun(action);
    }

    String name()
    {
        return name;
    }

    /**
     * Where the process's standard input comes from, unless it was redirected.
     *
     * @return to write to.
     */
    OutputStream input()
    {
        return process.getOutputStream();
    }

    /**
     * Whether a process that reads no more has ended, or does so in a moment.
     *
     * @return false if it still lives.
     */
    boolean isEnding()
    {
        return awaitEnd(System.nanoTime() + TimeUnit.SECONDS.toNanos(1));
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
     * Asks the process to end (SIGTERM). What it still prints is read.
     */
    void terminate()
    {
        process.toHandle().destroy();
    }

    /**
     * Ends the process (SIGKILL).
     */
    void kill()
    {
        process.toHandle().destroyForcibly();
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
     * @param deadlineNs of {@link System#nanoTime()} at which to give up.
     */
    void awaitOutput(final long deadlineNs)
    {
        try
        {
            for (final Thread copier : copiers)
            {
                // 0 would be for ever
                copier.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime())));
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
     * @param where it ran, as in " on hosta"; may be empty.
     * @return for example "PE 3 (pid 4711) was ended by signal 9 (SIGKILL)".
     */
    String describeEnd(final String where)
    {
        return name + " (pid " + pid() + where + ") " + describe(exitCode());
    }

    /**
     * What an exit code says.
     *
     * @param exitCode 128 plus the signal's number where a signal ended the process.
     * @return for example "ended with exit code 7".
     */
    static String describe(final int exitCode)
    {
        final int signal = exitCode - ExitCode.SIGNAL_BASE;
        return signal > 0 && signal < SIGNAL_NAMES.length ?
            "was ended by signal " + signal + " (" + SIGNAL_NAMES[signal] + ")" :
            "ended with exit code " + exitCode;
    }
}
