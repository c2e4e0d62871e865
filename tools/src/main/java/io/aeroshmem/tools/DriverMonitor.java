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
 * Finds that the driver of the daemon can serve no more, though its process lives: one of its threads has ended by an
 * error, or the files by which clients reach it were removed or replaced, as happens when another driver is started in
 * the directory of one that was stopped for longer than Aeron's driver timeout.
 */
final class DriverMonitor
{
    private static final long POLL_NS = TimeUnit.SECONDS.toNanos(1);
    private static final Object NO_FILE = new Object();

    private final Consumer<String> onFailure;
    private boolean isDone;
    private boolean isFailed;

    /**
     * Nothing is watched yet.
     *
     * @param onFailure takes the reason, once, on any thread.
     */
    DriverMonitor(final Consumer<String> onFailure)
    {
        this.onFailure = onFailure;
    }

    /**
     * Has the driver failed?
     *
     * @return true if it did before {@link #stop()}.
     */
    synchronized boolean isFailed()
    {
        return isFailed;
    }

    /**
     * The driver is about to be closed: its end is no failure from now on.
     */
    synchronized void stop()
    {
        isDone = true;
    }

    /**
     * The driver fails, unless it has failed or been stopped before.
     *
     * @param reason for people.
     */
    void fail(final String reason)
    {
        synchronized (this)
        {
            if (isDone)
            {
                return;
            }
            isDone = true;
            isFailed = true;
        }
        onFailure.accept(reason);
    }

    /**
     * Makes the threads of the driver.
     *
     * @return threads whose end is a failure.
     */
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

    /**
     * Watches the files of a driver that was launched, on a thread of its own.
     *
     * @param launched configuration of the driver.
     */
    void watch(final MediaDriver.Context launched)
    {
        final Path file = launched.aeronDirectory().toPath().resolve(CncFileDescriptor.CNC_FILE);
        final Object key = keyOf(file);
        final Thread thread = new Thread(() -> watch(launched, file, key), "aeroshmem-driver-monitor");
        thread.setDaemon(true);
        thread.start();
    }

    private void watch(final MediaDriver.Context launched, final Path file, final Object key)
    {
        while (!isOver())
        {
            LockSupport.parkNanos(POLL_NS);
            if (!key.equals(keyOf(file)))
            {
                // what is there now belongs to another
                launched.dirDeleteOnShutdown(false);
                fail("its directory " + file.getParent() + " was removed or taken by another driver");
            }
        }
    }

    private synchronized boolean isOver()
    {
        return isDone;
    }

    /**
     * Which file it is: another one of the same name has another key. A file system without keys tells only whether
     * there is one.
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
