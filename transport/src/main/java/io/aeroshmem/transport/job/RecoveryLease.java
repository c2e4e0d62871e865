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
package io.aeroshmem.transport.job;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The lease of the directory of a recoverable job, an empty file: its modification time is the time until which the
 * directory is kept if no process holds it. A thread of each process that holds the directory extends the lease, so
 * that it ends one retain timeout after the last one was killed.
 */
final class RecoveryLease
{
    private static final String FILE = "lease";
    private static final long MAX_PERIOD_NS = TimeUnit.SECONDS.toNanos(5);

    private final Path file;
    private final long retainTimeoutNs;
    private final Thread extender;
    private volatile boolean isEnded;

    /** Creates the lease of a directory, or extends the one that another process has created. */
    RecoveryLease(final Path directory, final long retainTimeoutNs) throws IOException
    {
        file = directory.resolve(FILE);
        this.retainTimeoutNs = retainTimeoutNs;
        extender = new Thread(this::keepExtending, "lease");
        extender.setDaemon(true);
        PrivateFiles.createOrVerify(file, PrivateFiles.currentUid());
        extend();
    }

    /** Returns the end of the lease of a directory, or null if it has none or it has expired. */
    static FileTime of(final Path directory) throws IOException
    {
        try
        {
            final FileTime end = Files.getLastModifiedTime(directory.resolve(FILE), LinkOption.NOFOLLOW_LINKS);
            return end.toMillis() > System.currentTimeMillis() ? end : null;
        }
        catch (final NoSuchFileException ex)
        {
            return null;
        }
    }

    static boolean isFile(final Path file)
    {
        return file.endsWith(FILE);
    }

    /** Starts the thread that extends the lease. */
    void start()
    {
        extender.start();
    }

    /** Ends the thread. */
    synchronized void end()
    {
        isEnded = true;
        LockSupport.unpark(extender);
    }

    private void keepExtending()
    {
        while (!isEnded)
        {
            LockSupport.parkNanos(Math.min(MAX_PERIOD_NS, retainTimeoutNs / 2));
            extendUnlessEnded();
        }
    }

    private synchronized void extendUnlessEnded()
    {
        try
        {
            if (!isEnded)
            {
                extend();
            }
        }
        catch (final IOException ex)
        {
            // the lock protects the directory as long as the process lives
            return;
        }
    }

    private void extend() throws IOException
    {
        Files.setLastModifiedTime(file, FileTime.fromMillis(
            System.currentTimeMillis() + TimeUnit.NANOSECONDS.toMillis(retainTimeoutNs)));
    }
}
