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

import io.aeroshmem.tools.exit.ExitCode;

import java.io.OutputStream;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Process started by a launcher, from its start to its exit code: a PE, a node launcher, or the remote shell that runs
 * a node launcher on another host.
 */
final class ChildProcess
{
    private static final String[] SIGNAL_NAMES =
    {
        null, "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL", "SIGUSR1",
        "SIGSEGV", "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM"
    };

    private volatile int number;
    private final String name;
    private final Process process;
    private final Thread[] copiers;

    /**
     * Wraps a started process. {@code number} is that of the PE, or the index of the node in the list of hosts;
     * {@code copiers} are the threads that copy its output, none if it inherited that of the launcher.
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

    /** Changes the number: a PE has another one in the next generation. */
    void number(final int newNumber)
    {
        number = newNumber;
    }

    /** Runs an action, on a thread of the JDK, once the process has ended. */
    void onEnd(final Runnable action)
    {
        process.onExit().thenRun(action);
    }

    String name()
    {
        return name;
    }

    /** Returns the stream to the standard input of the process, unless that was redirected. */
    OutputStream input()
    {
        return process.getOutputStream();
    }

    /** Returns whether the process ends within a second, as it may if it no longer reads its input. */
    boolean isEnding()
    {
        return awaitEnd(System.nanoTime() + TimeUnit.SECONDS.toNanos(1));
    }

    boolean isAlive()
    {
        return process.isAlive();
    }

    /** Returns whether the process has ended and its output has been copied. */
    boolean isOver()
    {
        return !isAlive() && Stream.of(copiers).noneMatch(Thread::isAlive);
    }

    /** Returns the exit code of the ended process: 128 plus the signal's number if a signal ended it. */
    int exitCode()
    {
        return process.exitValue();
    }

    /** Sends SIGTERM or SIGKILL. Output that the process still prints is copied. */
    void signal(final EndSchedule.Signal signal)
    {
        if (EndSchedule.Signal.KILL == signal)
        {
            process.toHandle().destroyForcibly();
        }
        else
        {
            process.toHandle().destroy();
        }
    }

    /**
     * Waits for the end of the process. Returns false if the deadline expired or the calling thread was interrupted
     * (its flag stays set).
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
     * Waits until the output of the process has been copied, or the calling thread is interrupted (its flag stays set).
     * A grandchild may hold the pipe open for longer than the process lives, hence the deadline.
     */
    void awaitOutput(final long deadlineNs)
    {
        try
        {
            for (final Thread copier : copiers)
            {
                // 0 would wait indefinitely
                copier.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime())));
            }
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the meaning of an exit code, for example "ended with exit code 7". */
    static String describe(final int exitCode)
    {
        final int signal = exitCode - ExitCode.SIGNAL_BASE;
        return signal > 0 && signal < SIGNAL_NAMES.length ?
            "was ended by signal " + signal + " (" + SIGNAL_NAMES[signal] + ")" :
            "ended with exit code " + exitCode;
    }
}
