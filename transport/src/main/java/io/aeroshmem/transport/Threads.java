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
package io.aeroshmem.transport;

import java.util.concurrent.TimeUnit;

/**
 * Makes threads that do not keep the JVM alive, ends threads, and closes things without losing interrupts or
 * exceptions.
 */
public final class Threads
{
    private Threads()
    {
    }

    /**
     * Makes a daemon thread: the threads of the library end with those of the program.
     *
     * @param task of the thread.
     * @return the thread, not started.
     */
    public static Thread newDaemon(final Runnable task)
    {
        return daemon(new Thread(task));
    }

    /**
     * Makes a thread from a factory of the program a daemon, whatever the factory made it.
     *
     * @param thread not started.
     * @return the same thread.
     */
    public static Thread daemon(final Thread thread)
    {
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Waits for a thread to end, whether the caller is interrupted or not; the flag stays.
     *
     * @param thread    to wait for.
     * @param timeoutMs the longest to wait, in milliseconds.
     */
    public static void join(final Thread thread, final long timeoutMs)
    {
        boolean isInterrupted = false;
        final long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        while (thread.isAlive())
        {
            final long remainingMs = TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime());
            if (remainingMs <= 0)
            {
                break;
            }

            try
            {
                thread.join(remainingMs);
            }
            catch (final InterruptedException ex)
            {
                isInterrupted = true;
            }
        }

        if (isInterrupted)
        {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Closes all that are there; what goes wrong is added to an exception.
     *
     * @param exception  that takes what goes wrong as suppressed.
     * @param closeables each may be null.
     */
    public static void closeAll(final Exception exception, final AutoCloseable... closeables)
    {
        for (final AutoCloseable closeable : closeables)
        {
            try
            {
                if (null != closeable)
                {
                    closeable.close();
                }
            }
            catch (final Exception ex)
            {
                exception.addSuppressed(ex);
            }
        }
    }
}
