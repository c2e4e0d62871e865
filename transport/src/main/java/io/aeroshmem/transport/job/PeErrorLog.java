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

import org.agrona.ErrorHandler;
import org.agrona.concurrent.SystemEpochClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.errors.DistinctErrorLog;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * Error handler that records the distinct errors of a PE in a file of the job's directory, and then forwards each error
 * to the application's handler. Viewers read the file, see {@link JobView#errors}. The first error creates the file,
 * and the file is removed with the directory. Any thread may call the handler.
 */
public final class PeErrorLog implements ErrorHandler
{
    static final String PREFIX = "errors-";
    static final int LENGTH = 64 << 10;

    private final ErrorHandler next;
    private final Path file;
    private boolean isOpened;
    private DistinctErrorLog log;

    /**
     * @param directory of the job.
     * @param pe        whose errors are recorded.
     * @param next      notified after the error has been logged.
     */
    public PeErrorLog(final JobDirectory directory, final int pe, final ErrorHandler next)
    {
        this.next = next;
        file = directory.path().resolve(PREFIX + pe);
    }

    @Override
    public void onError(final Throwable throwable)
    {
        try
        {
            record(throwable);
        }
        finally
        {
            next.onError(throwable);
        }
    }

    private synchronized void record(final Throwable throwable)
    {
        if (!isOpened)
        {
            isOpened = true;
            log = create();
        }

        if (null != log)
        {
            log.record(throwable);
        }
    }

    /** Returns null without a file: the job has ended, or its file system is full. */
    private DistinctErrorLog create()
    {
        try (FileChannel channel = PrivateFiles.create(file))
        {
            PrivateFiles.reserve(channel, LENGTH);
            return new DistinctErrorLog(
                new UnsafeBuffer(channel.map(FileChannel.MapMode.READ_WRITE, 0, LENGTH)), SystemEpochClock.INSTANCE);
        }
        catch (final IOException | RuntimeException ex)
        {
            return null;
        }
    }
}
