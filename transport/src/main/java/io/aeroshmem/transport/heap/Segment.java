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
package io.aeroshmem.transport.heap;

import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.job.PrivateFiles;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Memory file of a PE, mapped into this process.
 */
public final class Segment implements AutoCloseable
{
    private static final byte[] ZEROS = new byte[8192];

    /*
     * Lifetime. close() closes the file, unlink() removes its name, and the memory is unmapped when no object reaches
     * the mapping any more. address() is valid as long as this object is reachable. A view alone is enough to keep the
     * memory mapped. So a view stays readable long after the job was closed, and never crashes the JVM. Only memory
     * without views is ever unmapped explicitly, by unmap(). A file has one mapping in a process, which its segments
     * share, see FileMapping.
     *
     * Length. A file of up to 2 GiB - 1 bytes is mapped once, as a MappedByteBuffer that all views share. A longer file
     * is mapped as a whole for address(), see LongMapping. Its views are ByteBuffers, which are limited to 2 GiB - 1
     * bytes, so they cannot use that mapping. They use windows instead: further mappings, made when first needed, one
     * of which begins at each GiB. A view that fits in no window has its own mapping. All mappings of one file show the
     * same memory.
     *
     * Area. The end of a segment may be address space only, until reserve makes the file system supply memory for a
     * part of it. The supplied part is always the beginning. So one number, reserved(), is the end of the memory that
     * may be touched. The file system supplies memory when zeros are written. They are written through a
     * RandomAccessFile, because an interrupt of the thread would close a FileChannel.
     *
     * Header. The file of a heap that outlives its job begins with a header. Address, length and offsets are those of
     * the memory after it.
     *
     * Thread-safe.
     */
    private final Path file;
    private final int headerLength;
    private final FileChannel channel;
    /** Of the file, with the header. */
    private final FileMapping mapping;
    private final long fileLength;
    private final long fileAddress;
    /** Null if all memory has been supplied, or another process supplies it. */
    private final RandomAccessFile reservations;
    private volatile long reserved;

    private Segment(
        final Path file,
        final int headerLength,
        final long fileLength,
        final FileChannel channel,
        final RandomAccessFile reservations,
        final long reserved) throws IOException
    {
        this.file = file;
        this.headerLength = headerLength;
        this.channel = channel;
        this.fileLength = fileLength;
        this.reservations = reservations;
        this.reserved = reserved;
        mapping = FileMapping.of(PrivateFiles.fileKey(file), channel, fileLength);
        fileAddress = mapping.address();
    }

    /**
     * Makes a memory file and maps it; its memory is zero.
     *
     * @param file   must not exist.
     * @param length in bytes, at least 1.
     * @param sparse false to have the file system supply the memory now, so that shortage is an exception here;
     *               true to have it supplied page by page when first touched, when shortage ends the JVM (SIGBUS).
     * @throws TransportException if space is short, the file exists, or it cannot be mapped. No file is left behind.
     */
    public static Segment create(final Path file, final long length, final boolean sparse)
    {
        return create(file, 0, length, sparse);
    }

    /** As {@link #create(Path, long, boolean)}, with a header, which is never sparse. */
    public static Segment create(final Path file, final int headerLength, final long length, final boolean sparse)
    {
        if (length < 1)
        {
            throw new IllegalArgumentException("heapSize must be >= 1: heapSize=" + length + " (aeroshmem.heap.size)");
        }

        if (length > Long.MAX_VALUE - headerLength)
        {
            throw new TransportException("heapSize must be <= " + (Long.MAX_VALUE - headerLength) + ": heapSize=" +
                length + " (aeroshmem.heap.size)");
        }

        final long fileLength = headerLength + length;
        return create(file, headerLength, sparse ? headerLength : fileLength, fileLength, fileLength);
    }

    /**
     * As {@link #create}, for memory of which only the beginning is supplied; {@link #reserve} supplies more.
     *
     * @param supplied in bytes, a multiple of the page size.
     * @param length   in bytes, a multiple of the page size, at least 1.
     */
    public static Segment createArea(final Path file, final long supplied, final long length)
    {
        return create(file, 0, supplied, length, supplied);
    }

    private static Segment create(
        final Path file, final int headerLength, final long supplied, final long fileLength, final long space)
    {
        checkSpace(file, space);
        final FileChannel channel;
        try
        {
            channel = PrivateFiles.create(file);
        }
        catch (final IOException ex)
        {
            throw new TransportException("cannot create the heap file " + file + ": " + ex, ex);
        }

        RandomAccessFile reservations = null;
        try
        {
            PrivateFiles.reserve(channel, supplied);
            if (supplied < fileLength)
            {
                reservations = new RandomAccessFile(file.toFile(), "rw");
                reservations.setLength(fileLength);
            }

            return new Segment(file, headerLength, fileLength, channel, reservations, supplied);
        }
        catch (final IOException ex)
        {
            final TransportException failure = new TransportException(
                "cannot create a file of " + space + " bytes, " + file + ": " + ex + "; free besides what it took: " +
                free(file) + " bytes; free space, or set a smaller aeroshmem.heap.size (--heap)", ex);
            closeAfter(reservations, failure);
            abandon(file, channel, failure);
            throw failure;
        }
        catch (final RuntimeException ex)
        {
            closeAfter(reservations, ex);
            abandon(file, channel, ex);
            throw ex;
        }
    }

    /**
     * Maps the memory file that a PE has made.
     *
     * @throws TransportException if it is not a regular file of this user with that length and one name, or cannot be
     *                            mapped.
     */
    public static Segment map(final Path file, final long length)
    {
        return map(file, 0, length);
    }

    /** As {@link #map(Path, long)}; a file with a header may have several names. */
    public static Segment map(final Path file, final int headerLength, final long length)
    {
        FileChannel channel = null;
        try
        {
            final long uid = PrivateFiles.currentUid();
            channel = headerLength > 0 ? PrivateFiles.openLinked(file, uid) : PrivateFiles.open(file, uid);
            final long found = channel.size() - headerLength;
            if (length < 1 || found != length)
            {
                throw new TransportException("heapSize must be equal on all PEs: the heap file " + file + " has " +
                    found + " bytes instead of " + length + " (aeroshmem.heap.size)");
            }

            return new Segment(file, headerLength, headerLength + length, channel, null, headerLength + length);
        }
        catch (final NoSuchFileException ex)
        {
            throw new TransportException("the heap file " + file + " does not exist: its PE has ended or never joined",
                ex);
        }
        catch (final IOException ex)
        {
            final TransportException failure =
                new TransportException("cannot map the heap file " + file + " of " + length + " bytes: " + ex, ex);
            closeAfter(channel, failure);
            throw failure;
        }
        catch (final RuntimeException ex)
        {
            closeAfter(channel, ex);
            throw ex;
        }
    }

    /** Returns the page-aligned address of the memory in this process, valid as long as this object is reachable. */
    public long address()
    {
        return fileAddress + headerLength;
    }

    /** Returns the length of the memory in bytes. */
    public long length()
    {
        return fileLength - headerLength;
    }

    /** Returns a view of the header. */
    public AtomicBuffer header()
    {
        return new UnsafeBuffer(fileBuffer(0, headerLength));
    }

    /**
     * Has the file system supply a piece and all memory before it, and zeroes the piece. Other memory that was supplied
     * before keeps its contents. After an exception no more than before may be touched.
     *
     * @throws TransportException       if the file system has too little space, or the segment is closed.
     * @throws IllegalArgumentException if the piece does not lie within a segment that was made here.
     */
    public synchronized void reserve(final long offset, final long pieceLength)
    {
        if (null == reservations || offset < 0 || pieceLength < 0 || pieceLength > fileLength - offset)
        {
            throw new IllegalArgumentException(
                "cannot reserve " + pieceLength + " bytes at " + offset + " of " + file + ": it ends at " + fileLength);
        }

        final long end = offset + pieceLength;
        final long before = reserved;
        if (end > before)
        {
            supply(before, end);
        }

        if (offset < before)
        {
            UnsafeApi.setMemory(null, fileAddress + offset, Math.min(end, before) - offset, (byte)0);
        }
    }

    private void supply(final long begin, final long end)
    {
        try
        {
            reservations.seek(begin);
            long position = begin;
            while (position < end)
            {
                // Whole pieces, hence whole pages: the file ends with a page.
                final int piece = (int)Math.min(ZEROS.length, fileLength - position);
                reservations.write(ZEROS, 0, piece);
                position += piece;
            }

            reserved = position;
        }
        catch (final IOException ex)
        {
            throw new TransportException(
                "cannot reserve " + (end - begin) + " more bytes in " + file + ": " + ex + "; free now: " + free(file) +
                " bytes; free space, set a smaller aeroshmem.heap.size (--heap), or another aeroshmem.shm.dir", ex);
        }
    }

    /** Returns how many bytes from the start have been supplied and may be touched. */
    public long reserved()
    {
        return reserved;
    }

    /** Returns a view for loads and stores, see {@link #byteBuffer}. */
    public AtomicBuffer view(final long offset, final int length)
    {
        return new UnsafeBuffer(byteBuffer(offset, length));
    }

    /**
     * Returns a view in native byte order, at position 0, which keeps the memory mapped by itself.
     *
     * @throws IndexOutOfBoundsException if the view would not lie within the memory.
     * @throws IllegalStateException     if the segment is closed and a new window is needed.
     */
    public ByteBuffer byteBuffer(final long offset, final int length)
    {
        if (offset < 0 || length < 0 || offset > length() - length)
        {
            throw new IndexOutOfBoundsException("a view of " + length + " bytes at " + offset + " in a segment of " +
                length());
        }

        return fileBuffer(headerLength + offset, length);
    }

    private ByteBuffer fileBuffer(final long offset, final int length)
    {
        try
        {
            return mapping.buffer(channel, offset, length);
        }
        catch (final ClosedChannelException ex)
        {
            throw new IllegalStateException("segment is closed: " + file, ex);
        }
        catch (final IOException ex)
        {
            throw new TransportException("cannot map " + length + " bytes at " + offset + " of " + file + ": " + ex,
                ex);
        }
    }

    /**
     * Unmaps the memory, of which there are no views, with the last segment of the file; nothing may access it by this
     * one any more. Called once.
     */
    public void unmap()
    {
        mapping.unmap();
    }

    /** Removes the name of the file; the memory stays as long as it is mapped. Idempotent. */
    public void unlink()
    {
        try
        {
            Files.deleteIfExists(file);
        }
        catch (final IOException ex)
        {
            throw new TransportException("cannot unlink the heap file " + file + ": " + ex, ex);
        }
    }

    /** Releases the file. The mapping stays as long as this object or a view reaches it. Idempotent. */
    @Override
    public void close()
    {
        try
        {
            channel.close();
            if (null != reservations)
            {
                reservations.close();
            }
        }
        catch (final IOException ex)
        {
            throw new TransportException("cannot close the heap file " + file + ": " + ex, ex);
        }
    }

    @Override
    public String toString()
    {
        return "Segment{" + file + ", length=" + length() + ", open=" + channel.isOpen() + '}';
    }

    /**
     * Checks the free space, for a message that reports it. This reserves nothing: several PEs may see the same free
     * bytes, which is why memory is reserved by writing.
     */
    private static void checkSpace(final Path file, final long length)
    {
        try
        {
            final FileStore store = Files.getFileStore(file.toAbsolutePath().getParent());
            // A memory file system without a limit reports a total of 0.
            if (store.getTotalSpace() > 0 && store.getUsableSpace() < length)
            {
                throw new TransportException("a file of " + length + " bytes does not fit in " + file.getParent() +
                    ": " + store.getUsableSpace() + " of " + store.getTotalSpace() + " bytes are free; free space, " +
                    "set a smaller aeroshmem.heap.size (--heap), or another aeroshmem.shm.dir");
            }
        }
        catch (final IOException ex)
        {
            throw new TransportException("cannot determine the free space for the heap file " + file + ": " + ex, ex);
        }
    }

    private static String free(final Path file)
    {
        try
        {
            return Long.toString(Files.getFileStore(file.toAbsolutePath().getParent()).getUsableSpace());
        }
        catch (final IOException ex)
        {
            return "unknown (" + ex + ')';
        }
    }

    private static void abandon(final Path file, final FileChannel channel, final RuntimeException failure)
    {
        closeAfter(channel, failure);
        try
        {
            Files.deleteIfExists(file);
        }
        catch (final IOException ex)
        {
            failure.addSuppressed(ex);
        }
    }

    private static void closeAfter(final Closeable resource, final RuntimeException failure)
    {
        try
        {
            if (null != resource)
            {
                resource.close();
            }
        }
        catch (final IOException ex)
        {
            failure.addSuppressed(ex);
        }
    }
}
