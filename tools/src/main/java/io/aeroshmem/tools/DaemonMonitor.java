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

import io.aeron.CncFileDescriptor;
import io.aeron.driver.MediaDriver;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Monitors the media driver of {@code aeroshmem driver}. It detects that the driver can no longer serve clients
 * although its process is alive. This is the case if
 * <ul>
 *     <li>a thread of the driver has ended, or</li>
 *     <li>the CnC file, through which clients connect, was removed or replaced. This happens, for example, if the
 *     driver was suspended for longer than Aeron's driver timeout, and another driver was started in the same
 *     directory.</li>
 * </ul>
 */
final class DaemonMonitor
{
    private static final long POLL_NS = TimeUnit.SECONDS.toNanos(1);
    private static final Object NO_FILE = new Object();

    private final Consumer<String> onFailure;
    private boolean isStopped;
    private boolean isFailed;

    /** Creates a monitor; {@code onFailure} receives the reason once, on any thread. */
    DaemonMonitor(final Consumer<String> onFailure)
    {
        this.onFailure = onFailure;
    }

    /** Returns whether the driver failed before {@link #stop()}. */
    synchronized boolean isFailed()
    {
        return isFailed;
    }

    /** Stops monitoring before the driver is closed: its end is no failure from then on. */
    synchronized void stop()
    {
        isStopped = true;
    }

    /** Reports a failure of the driver, unless one was reported or monitoring was stopped before. */
    void fail(final String reason)
    {
        synchronized (this)
        {
            if (isStopped)
            {
                return;
            }

            isStopped = true;
            isFailed = true;
        }

        onFailure.accept(reason);
    }

    /** Returns a factory of driver threads whose end is a failure. */
    ThreadFactory threadFactory()
    {
        return (task) -> new Thread(() -> run(task));
    }

    private void run(final Runnable task)
    {
        try
        {
            task.run();
        }
        finally
        {
            fail("its thread '" + Thread.currentThread().getName() + "' has ended");
        }
    }

    /** Monitors the files of a launched driver on a separate thread. */
    void start(final MediaDriver.Context launched)
    {
        final Path file = launched.aeronDirectory().toPath().resolve(CncFileDescriptor.CNC_FILE);
        final Object key = keyOf(file);
        final Thread thread = new Thread(() -> monitor(launched, file, key), "aeroshmem-driver-monitor");
        thread.setDaemon(true);
        thread.start();
    }

    private void monitor(final MediaDriver.Context launched, final Path file, final Object key)
    {
        while (!isStopped())
        {
            LockSupport.parkNanos(POLL_NS);
            if (!key.equals(keyOf(file)))
            {
                // the directory now belongs to another driver
                launched.dirDeleteOnShutdown(false);
                fail("its directory " + file.getParent() + " was removed or taken by another driver");
            }
        }
    }

    private synchronized boolean isStopped()
    {
        return isStopped;
    }

    /**
     * Returns the identity of the file: a replacement has another key. On a file system without keys only the presence
     * of the file is detected.
     */
    private static Object keyOf(final Path file)
    {
        try
        {
            return Objects.requireNonNullElse(
                Files.readAttributes(file, BasicFileAttributes.class).fileKey(), file);
        }
        catch (final IOException ex)
        {
            return NO_FILE;
        }
    }
}
