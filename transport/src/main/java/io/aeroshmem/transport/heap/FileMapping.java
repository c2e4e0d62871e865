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

import org.agrona.BufferUtil;
import org.agrona.IoUtil;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.util.HashMap;
import java.util.Map;

/**
 * The mappings of one file in this process, see {@link Segment}.
 * <p>
 * A file that crosses from one generation of a job to the next is mapped once: while its mapping exists, the kernel
 * gives its device and inode to no other file, and a process that opens the file again finds the mapping by them. So
 * the number of mappings does not depend on when the garbage of earlier generations is collected.
 * <p>
 * Thread-safe.
 */
final class FileMapping
{
    /** Distance of the windows; each is twice as long, so that any view of up to this length lies within one. */
    private static final int WINDOW_STEP = 1 << 30;

    /** Those that have been shared, by file. */
    private static final Map<String, WeakReference<FileMapping>> SHARED = new HashMap<>();

    private final long length;
    private final LongMapping longMapping;
    private final MappedByteBuffer[] windows;
    private final long address;

    private FileMapping(final FileChannel channel, final long length) throws IOException
    {
        this.length = length;
        if (length <= Integer.MAX_VALUE)
        {
            windows = new MappedByteBuffer[]{ map(channel, 0, length) };
            longMapping = null;
            address = BufferUtil.address(windows[0]);
        }
        else
        {
            windows = new MappedByteBuffer[(int)((length + WINDOW_STEP - 1) / WINDOW_STEP)];
            longMapping = LongMapping.map(channel, length);
            address = longMapping.address();
        }
    }

    /** Maps a file of a length in bytes. */
    static FileMapping of(final FileChannel channel, final long length) throws IOException
    {
        return new FileMapping(channel, length);
    }

    /**
     * Returns the mapping of a file that this process has mapped before and still reaches; else maps it.
     *
     * @param key of the file, its device and inode.
     */
    static FileMapping shared(final String key, final FileChannel channel, final long length) throws IOException
    {
        synchronized (SHARED)
        {
            SHARED.values().removeIf((reference) -> null == reference.get());
            final WeakReference<FileMapping> reference = SHARED.get(key);
            final FileMapping known = null == reference ? null : reference.get();
            if (null != known && length == known.length)
            {
                if (null != known.longMapping)
                {
                    LongMapping.makeUninterruptible(channel);
                }

                return known;
            }

            final FileMapping mapping = new FileMapping(channel, length);
            SHARED.put(key, new WeakReference<>(mapping));
            return mapping;
        }
    }

    /** Returns the page-aligned address of the file in this process, valid as long as this object is reachable. */
    long address()
    {
        return address;
    }

    long length()
    {
        return length;
    }

    /**
     * Returns a part of the file in native byte order, which keeps it mapped by itself.
     *
     * @param channel of the file.
     * @throws IOException if a further mapping is needed and fails.
     */
    ByteBuffer buffer(final FileChannel channel, final long offset, final int partLength) throws IOException
    {
        if (null == longMapping)
        {
            return windows[0].slice((int)offset, partLength).order(ByteOrder.nativeOrder());
        }

        // An empty view at the end of a file of whole GiB lies at the end of the last window.
        final int index = (int)Math.min(offset / WINDOW_STEP, windows.length - 1);
        final long windowOffset = (long)index * WINDOW_STEP;
        final long end = offset + partLength;
        if (end - windowOffset > Integer.MAX_VALUE)
        {
            return map(channel, offset, partLength).order(ByteOrder.nativeOrder());
        }

        return window(channel, index, windowOffset).slice((int)(offset - windowOffset), partLength)
            .order(ByteOrder.nativeOrder());
    }

    private synchronized MappedByteBuffer window(final FileChannel channel, final int index, final long windowOffset)
        throws IOException
    {
        MappedByteBuffer window = windows[index];
        if (null == window)
        {
            window = map(channel, windowOffset, Math.min(Integer.MAX_VALUE, length - windowOffset));
            windows[index] = window;
        }

        return window;
    }

    /** Ends the mappings; nothing may access them any more. Called once, on a mapping that is not shared. */
    synchronized void unmap()
    {
        if (null != longMapping)
        {
            longMapping.unmap();
        }

        for (final MappedByteBuffer window : windows)
        {
            IoUtil.unmap(window);
        }
    }

    private static MappedByteBuffer map(final FileChannel channel, final long offset, final long length)
        throws IOException
    {
        return channel.map(FileChannel.MapMode.READ_WRITE, offset, length);
    }
}
