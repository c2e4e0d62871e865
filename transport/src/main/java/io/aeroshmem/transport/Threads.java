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

import org.agrona.ErrorHandler;

import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Static helpers that make and recognise the library's own threads, join threads uninterruptibly, and report errors
 * and close resources without losing an exception.
 */
public final class Threads
{
    private static final Set<Thread> OF_LIBRARY =
        Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    private Threads()
    {
    }

    /** Returns a new thread of the library, not started. */
    public static Thread newDaemon(final Runnable task)
    {
        return daemon(new Thread(task));
    }

    /**
     * Makes a thread, which an application's factory may have made, one of the library, and returns it: a daemon, as
     * the library's threads end with the program's.
     */
    public static Thread daemon(final Thread thread)
    {
        thread.setDaemon(true);
        OF_LIBRARY.add(thread);
        return thread;
    }

    /** Returns whether a thread was made by {@link #daemon}, and not by the program. */
    public static boolean isOfLibrary(final Thread thread)
    {
        return OF_LIBRARY.contains(thread);
    }

    /**
     * Waits until a thread ends or the timeout expires. An interrupt does not end the wait; the interrupt flag is kept.
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
     * Passes an error to the program's handler, and what that throws to the handler of uncaught exceptions of the
     * current thread, which goes on.
     */
    public static void report(final ErrorHandler errorHandler, final Throwable error)
    {
        try
        {
            errorHandler.onError(error);
        }
        catch (final Throwable ex)
        {
            final Thread current = Thread.currentThread();
            current.getUncaughtExceptionHandler().uncaughtException(current, ex);
        }
    }

    /** Closes every non-null resource and adds what they throw to an exception as suppressed. */
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
