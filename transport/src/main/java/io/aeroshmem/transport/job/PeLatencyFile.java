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

import io.aeroshmem.transport.TransportException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * The file in the job's directory in which a PE publishes its latencies to viewers, see {@link JobView.Pe#latencies}.
 * The PE replaces it as a whole, so a viewer reads one state or the next, never a part. One thread writes; the file is
 * removed with the directory.
 */
public final class PeLatencyFile
{
    static final String PREFIX = "latencies-";

    private final Path file;
    private final Path next;

    /**
     * @param directory of the job.
     * @param pe        whose latencies are published.
     */
    public PeLatencyFile(final Path directory, final int pe)
    {
        file = directory.resolve(PREFIX + pe);
        next = directory.resolve(PREFIX + pe + ".next");
    }

    /**
     * Publishes a state in place of the one before. Does nothing if the job's directory has been removed. An interrupt
     * of the thread is kept.
     *
     * @param log interval log of HdrHistogram with a line for each tag.
     * @throws IOException if the file cannot be written: its file system is full.
     */
    public void replace(final byte[] log) throws IOException
    {
        try
        {
            // what a killed process of this PE has left
            Files.deleteIfExists(next);
            PrivateFiles.create(next).close();
            // not by the channel, which an interrupt of the thread would close
            Files.write(next, log, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
        }
        catch (final NoSuchFileException ex)
        {
            // the job has ended, and with it its viewers
            return;
        }
        catch (final IOException ex)
        {
            Files.deleteIfExists(next);
            throw new IOException("the latencies could not be published in " + file + ": " + ex, ex);
        }
    }

    /** Returns the state that a PE has published, or the empty string: also for a file of another user. */
    static String read(final Path directory, final int pe, final long uid)
    {
        final Path file = directory.resolve(PREFIX + pe);
        try
        {
            PrivateFiles.verifyOwner(file, uid);
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        }
        catch (final IOException | TransportException ex)
        {
            return "";
        }
    }
}
