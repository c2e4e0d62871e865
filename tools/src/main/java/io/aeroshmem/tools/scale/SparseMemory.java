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
package io.aeroshmem.tools.scale;

import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.IoUtil;
import org.agrona.collections.LongHashSet;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * The memory of all PEs of a job, equally long pieces of one file with holes, which is mapped in few parts and has no
 * name. A page costs memory when it is first touched. If the file system has none then, the JVM ends by SIGBUS.
 */
final class SparseMemory implements AutoCloseable
{
    static final int PAGE_LENGTH = 4096;

    private final List<MappedByteBuffer> parts = new ArrayList<>();
    private final long[] addresses;
    private final LongHashSet touched = new LongHashSet();
    private final int[] touchedPages;

    /**
     * @param directory of the file.
     * @param length    of each piece in bytes, at most 2 GiB less two pages.
     */
    SparseMemory(final Path directory, final int pieces, final long length)
    {
        final long pieceLength = BitUtil.align(length, PAGE_LENGTH);
        final int piecesOfPart = Math.toIntExact((Integer.MAX_VALUE - PAGE_LENGTH) / pieceLength);
        addresses = new long[pieces];
        touchedPages = new int[pieces];
        final Path file = directory.resolve("memory");
        try (FileChannel channel = FileChannel.open(
            file,
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            StandardOpenOption.DELETE_ON_CLOSE))
        {
            for (int first = 0; first < pieces; first += piecesOfPart)
            {
                final int count = Math.min(piecesOfPart, pieces - first);
                final MappedByteBuffer part =
                    channel.map(FileChannel.MapMode.READ_WRITE, first * pieceLength, count * pieceLength);
                parts.add(part);
                for (int i = 0; i < count; i++)
                {
                    addresses[first + i] = BufferUtil.address(part) + i * pieceLength;
                }
            }
        }
        catch (final IOException ex)
        {
            close();
            throw new UncheckedIOException("cannot map the memory of " + pieces + " PEs in " + directory, ex);
        }
    }

    /** Returns the address of a piece. */
    long address(final int piece)
    {
        return addresses[piece];
    }

    /** Notes that a range of a piece has been written, whose pages are counted once. */
    void touch(final int piece, final long address, final long length)
    {
        for (long page = address / PAGE_LENGTH; page <= (address + length - 1) / PAGE_LENGTH; page++)
        {
            if (touched.add(page))
            {
                touchedPages[piece]++;
            }
        }
    }

    /** Returns the number of pages of a piece that have been touched. */
    int touchedPages(final int piece)
    {
        return touchedPages[piece];
    }

    @Override
    public void close()
    {
        parts.forEach(IoUtil::unmap);
        parts.clear();
    }
}
