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
package io.aeroshmem.transport.endpoint;

import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.job.JobDirectory;
import org.agrona.CloseHelper;
import org.agrona.ErrorHandler;

/**
 * Shutdown hook of a process with PEs in a job. The hook cleans up files only; all other resources end with the
 * process.
 * <p>
 * In a job that has not failed, the hook closes nothing, since the program may close its PEs in a hook of its own. It
 * marks the PEs as ending. If the process then ends before its PEs have left, other processes report that the JVM was
 * ending. The hook also registers the files of the process for deletion by the JVM, which deletes them after all hooks
 * have run.
 * <p>
 * In a job that has failed, by a global exit for example, no orderly leave is needed, and the hook abandons the job at
 * once.
 */
final class ShutdownHook
{
    private final JobDirectory directory;
    private final int[] pes;
    private final Runnable announcement;
    private final Runnable abandonment;
    private final Thread thread = new Thread(this::onShutdown, "aeroshmem-end-of-jvm");
    private ErrorHandler errorHandler;

    /**
     * @param announcement waits until the other nodes know of the PEs that are ending.
     * @param abandonment  releases the lock and the files of a failed job, unless its PEs have left.
     */
    ShutdownHook(
        final JobDirectory directory, final int[] pes, final Runnable announcement, final Runnable abandonment)
    {
        this.directory = directory;
        this.pes = pes;
        this.announcement = announcement;
        this.abandonment = abandonment;
    }

    void add(final ErrorHandler handler)
    {
        errorHandler = handler;
        try
        {
            Runtime.getRuntime().addShutdownHook(thread);
        }
        catch (final IllegalStateException ex)
        {
            throw new TransportException("a PE cannot be set up during the shutdown of its JVM", ex);
        }
    }

    void remove()
    {
        try
        {
            Runtime.getRuntime().removeShutdownHook(thread);
        }
        catch (final IllegalStateException ex)
        {
            return; // the JVM is ending, and the hook will find nothing left to do
        }
    }

    private void onShutdown()
    {
        CloseHelper.closeAll(errorHandler, this::markEnding, () -> directory.deleteOnExit(pes), announcement::run);
        abandonment.run();
    }

    private void markEnding()
    {
        for (final int pe : pes)
        {
            directory.control().ending(pe);
        }
    }
}
