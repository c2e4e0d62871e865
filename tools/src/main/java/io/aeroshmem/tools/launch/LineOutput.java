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

import io.aeroshmem.transport.Threads;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Writer of the output of a launcher. It writes the lines of the launcher's processes and the launcher's own lines to
 * standard output and standard error. One thread writes to a file at a time. If a process has written part of a line,
 * that line is ended before another process writes to the same file. A write blocks while nothing reads its
 * destination, and other writes to the same file wait for the blocked one. The launcher's own lines, however, wait for
 * it at most one second. Then they are written without waiting for their turn, and block only if nothing reads their
 * own destination.
 */
final class LineOutput
{
    /** Time for which the launcher's own lines wait for a process whose output is not read. */
    private static final long OWN_WAIT_MS = 1_000;

    /** Time in which a launcher that is ending writes; longer, so that its own lines reach a file that is read. */
    private static final long ENDING_WAIT_MS = 2 * OWN_WAIT_MS;

    private final Map<PrintStream, Destination> destinations = new ConcurrentHashMap<>();
    private final Destination shared;
    private Timer timer;

    /** Creates an output; {@code isShared} specifies whether all streams lead to the same file. */
    LineOutput(final boolean isShared)
    {
        shared = isShared ? new Destination() : null;
    }

    /** Returns a new last stage for one stream of one process. */
    LineSink channel(final PrintStream destination)
    {
        return new Channel(destination, file(destination));
    }

    /**
     * Writes lines of the launcher itself, without the end of the last, even if a process blocks the other writers for
     * long.
     */
    void own(final String lines, final PrintStream destination)
    {
        final byte[] bytes = (lines + '\n').getBytes(StandardCharsets.UTF_8);
        final Destination file = file(destination);
        boolean isLocked = false;
        try
        {
            isLocked = file.lock.tryLock(OWN_WAIT_MS, TimeUnit.MILLISECONDS);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
        }

        try
        {
            if (isLocked)
            {
                file.finish(null);
            }

            destination.write(bytes, 0, bytes.length);
            destination.flush();
        }
        finally
        {
            if (isLocked)
            {
                file.lock.unlock();
            }
        }
    }

    /**
     * Runs an action, which may write, on a daemon thread, and waits up to two seconds for it: a launcher that is
     * ending must end even if its output is not read.
     */
    static void whileEnding(final Runnable action)
    {
        final Thread thread = Threads.newDaemon(action);
        thread.setName("last-output");
        thread.start();
        Threads.join(thread, ENDING_WAIT_MS);
    }

    /** Runs an action, which may write, after a delay on a thread for such actions. */
    synchronized void after(final long delayMs, final Runnable action)
    {
        if (null == timer)
        {
            timer = new Timer("output", true);
        }

        timer.schedule(new TimerTask()
        {
            @Override
            public void run()
            {
                action.run();
            }
        }, delayMs);
    }

    private Destination file(final PrintStream destination)
    {
        return null != shared ? shared : destinations.computeIfAbsent(destination, (unused) -> new Destination());
    }

    /** Stage that writes the lines of one stream of one process. */
    private static final class Channel implements LineSink
    {
        private final PrintStream destination;
        private final Destination file;

        private Channel(final PrintStream destination, final Destination file)
        {
            this.destination = destination;
            this.file = file;
        }

        @Override
        public void write(final List<Line> lines)
        {
            file.lock.lock();
            try
            {
                file.finish(this);
                final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                for (final Line line : lines)
                {
                    if (!line.isRest() || this != file.unfinished)
                    {
                        bytes.writeBytes(line.tag());
                    }

                    bytes.writeBytes(line.text());
                    if (line.isEnded())
                    {
                        bytes.write('\n');
                    }

                    file.unfinished = line.isEnded() ? null : this;
                }

                destination.write(bytes.toByteArray(), 0, bytes.size());
                destination.flush();
            }
            finally
            {
                file.lock.unlock();
            }
        }
    }

    /** File to which one or several streams lead. */
    private static final class Destination
    {
        private final ReentrantLock lock = new ReentrantLock();
        /** Guarded by the lock. */
        private Channel unfinished;

        /** Ends the line that another process has left unfinished. */
        private void finish(final Channel writer)
        {
            final Channel other = unfinished;
            if (null != other && other != writer)
            {
                unfinished = null;
                other.destination.write('\n');
                other.destination.flush();
            }
        }
    }
}
