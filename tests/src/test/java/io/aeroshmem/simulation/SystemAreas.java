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
package io.aeroshmem.simulation;

import io.aeroshmem.transport.job.JobDirectory;
import org.agrona.BufferUtil;
import org.agrona.IoUtil;
import org.agrona.UnsafeApi;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The system areas of a job's PEs, with the mailboxes, flags and barriers to which PEs that map each other store
 * directly, so that no transport sees it.
 */
final class SystemAreas implements AutoCloseable
{
    /** Of each area: what the teams of the whole job have is in front. */
    private static final long MAX_BYTES = 256 << 10;
    private static final long FACTOR = 0x9E37_79B9_7F4A_7C15L;

    private final JobDirectory directory;
    private final MappedByteBuffer[] areas;

    SystemAreas(final JobDirectory directory)
    {
        this.directory = directory;
        areas = new MappedByteBuffer[directory.nPes()];
    }

    /** Returns the hash of the areas that exist. */
    long hash()
    {
        long hash = 0;
        for (int pe = 0; pe < areas.length; pe++)
        {
            final MappedByteBuffer area = null == areas[pe] ? map(pe) : areas[pe];
            if (null != area)
            {
                hash = hash * FACTOR + hash(BufferUtil.address(area), area.capacity());
            }
        }
        return hash;
    }

    /** Returns the hash of the words that are not 0, which few are. */
    private static long hash(final long address, final int length)
    {
        long hash = 0;
        for (int i = 0; i < length; i += Long.BYTES)
        {
            final long word = UnsafeApi.getLong(null, address + i);
            if (0 != word)
            {
                hash = (hash ^ word ^ i) * FACTOR;
                hash ^= hash >>> 29;
            }
        }
        return hash;
    }

    private MappedByteBuffer map(final int pe)
    {
        final Path file = directory.systemFile(pe);
        if (Files.exists(file))
        {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ))
            {
                areas[pe] = channel.map(FileChannel.MapMode.READ_ONLY, 0, Math.min(channel.size(), MAX_BYTES));
            }
            catch (final IOException ex)
            {
                throw new UncheckedIOException(ex);
            }
        }
        return areas[pe];
    }

    @Override
    public void close()
    {
        for (final MappedByteBuffer area : areas)
        {
            IoUtil.unmap(area);
        }
    }
}
