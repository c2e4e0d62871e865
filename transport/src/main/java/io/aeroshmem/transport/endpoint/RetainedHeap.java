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
import io.aeroshmem.transport.heap.Segment;
import io.aeroshmem.transport.job.RetainedHeaps;
import io.aeroshmem.transport.retained.RetainedTable;
import io.aeroshmem.transport.retained.RetainedTable.Identity;
import io.aeroshmem.transport.retained.RetainedTableException;
import org.agrona.CloseHelper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The heap of a PE in a recoverable job. A generation that finds the file of the one before maps it as it is, if the
 * file verifies; otherwise it makes a new one.
 *
 * @param segment memory of the heap, whose header is the table.
 * @param table   of the retained blocks, new if the file is.
 * @param defect  why the file of the generation before is not used, as a clause about it; null if it is, or in
 *                generation 0.
 */
record RetainedHeap(Segment segment, RetainedTable table, String defect)
{
    /** Length of the header in bytes. */
    static final int HEADER_LENGTH = RetainedTable.LENGTH;

    /**
     * Opens or makes the heap, which gets a name in the directory of this generation.
     *
     * @param heaps      of the recoverable job.
     * @param generation of the job, from 0 on.
     * @param pe         its number in all generations.
     * @param nPes       number of PEs in generation 0.
     * @param name       of the file in the directory of this generation.
     * @param isSparse   as for {@link Segment#create(Path, long, boolean)}.
     */
    static RetainedHeap open(
        final RetainedHeaps heaps,
        final int generation,
        final int pe,
        final int nPes,
        final Path name,
        final long length,
        final boolean isSparse)
    {
        final Identity identity = new Identity(heaps.token(), pe, nPes, length);
        String defect = null;
        if (generation > 0)
        {
            try
            {
                return adopt(heaps, name, identity);
            }
            catch (final RetainedTableException ex)
            {
                defect = ex.getMessage();
                heaps.remove(pe);
            }
        }

        return create(heaps, name, identity, isSparse, defect);
    }

    /**
     * Maps the file of the generation before.
     *
     * @throws RetainedTableException if the file does not verify. Any other exception, such as one for want of
     *                                resources, leaves it to a next generation.
     */
    private static RetainedHeap adopt(final RetainedHeaps heaps, final Path name, final Identity identity)
    {
        final String defect = heaps.defect(identity.pe(), HEADER_LENGTH + identity.heapLength());
        if (null != defect)
        {
            if (null == heaps.defect(identity.pe()))
            {
                requireSameLength(heaps, name, identity);
            }

            throw new RetainedTableException(defect);
        }

        heaps.link(identity.pe(), name);
        Segment segment = null;
        try
        {
            segment = Segment.map(name, HEADER_LENGTH, identity.heapLength());
            return new RetainedHeap(segment, RetainedTable.open(segment.header(), identity), null);
        }
        catch (final RuntimeException ex)
        {
            abandon(name, segment, ex);
            throw ex;
        }
    }

    /**
     * Rejects another heap size than that of the generation before: the file has another length, but verifies. A next
     * generation with its size may use it.
     */
    private static void requireSameLength(final RetainedHeaps heaps, final Path name, final Identity identity)
    {
        final long length = heaps.length(identity.pe()) - HEADER_LENGTH;
        if (length < 1)
        {
            return;
        }

        heaps.link(identity.pe(), name);
        Segment segment = null;
        final TransportException failure = new TransportException("heapSize must be that of the generation before," +
            " whose memory is retained: heapSize=" + identity.heapLength() + " instead of " + length +
            " (aeroshmem.heap.size)");
        try
        {
            segment = Segment.map(name, HEADER_LENGTH, length);
            RetainedTable.open(
                segment.header(), new Identity(identity.token(), identity.pe(), identity.nPes(), length));
        }
        catch (final RetainedTableException ex)
        {
            return; // it was truncated, or is that of another
        }
        finally
        {
            abandon(name, segment, failure);
        }

        throw failure;
    }

    /** Adds the file to the directory of the recoverable job when it is complete: what is there can be adopted. */
    private static RetainedHeap create(
        final RetainedHeaps heaps,
        final Path name,
        final Identity identity,
        final boolean isSparse,
        final String defect)
    {
        final Segment segment = Segment.create(name, HEADER_LENGTH, identity.heapLength(), isSparse);
        try
        {
            final RetainedTable table = RetainedTable.create(segment.header(), identity);
            heaps.add(identity.pe(), name);
            return new RetainedHeap(segment, table, defect);
        }
        catch (final RuntimeException ex)
        {
            abandon(name, segment, ex);
            throw ex;
        }
    }

    private static void abandon(final Path name, final Segment segment, final RuntimeException failure)
    {
        CloseHelper.close(failure::addSuppressed, segment);
        try
        {
            Files.deleteIfExists(name);
        }
        catch (final IOException ex)
        {
            failure.addSuppressed(ex);
        }
    }
}
