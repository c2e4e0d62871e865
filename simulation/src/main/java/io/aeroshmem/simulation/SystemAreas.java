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
import org.agrona.IoUtil;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32;

/**
 * The system areas of a job's PEs, with the mailboxes, flags and barriers to which PEs that map each other store
 * directly, so that no transport sees it.
 */
final class SystemAreas implements AutoCloseable
{
    /** Of each area: what the teams of the whole job have is in front. */
    private static final long MAX_BYTES = 256 << 10;

    private final JobDirectory directory;
    private final MappedByteBuffer[] areas;
    private final CRC32 checksum = new CRC32();

    SystemAreas(final JobDirectory directory)
    {
        this.directory = directory;
        areas = new MappedByteBuffer[directory.nPes()];
    }

    /** Returns the checksum of the areas that exist. */
    long checksum()
    {
        checksum.reset();
        for (int pe = 0; pe < areas.length; pe++)
        {
            final MappedByteBuffer area = null == areas[pe] ? map(pe) : areas[pe];
            if (null != area)
            {
                checksum.update(area.clear());
            }
        }

        return checksum.getValue();
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
