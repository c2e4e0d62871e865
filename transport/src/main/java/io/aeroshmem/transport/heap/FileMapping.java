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
 * A file is mapped once, by whatever parts of the process open it: those of one generation of a job and of the next, or
 * processes that are simulated in one JVM. While a mapping exists, the kernel gives the device and inode of its file to
 * no other, so they find the mapping. Each segment has a share in it.
 * <p>
 * Thread-safe.
 */
final class FileMapping
{
    /** Distance of the windows; each is twice as long, so that any view of up to this length lies within one. */
    private static final int WINDOW_STEP = 1 << 30;

    /** Those that are still reached, by file. */
    private static final Map<String, WeakReference<FileMapping>> MAPPINGS = new HashMap<>();

    private final long length;
    private final LongMapping longMapping;
    private final MappedByteBuffer[] windows;
    private final long address;
    /** Segments that have not unmapped it; guarded by {@link #MAPPINGS}. */
    private int shares;

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

    /**
     * Returns a share in the mapping of a file that this process has mapped before and still reaches; else maps it.
     *
     * @param key    of the file, its device and inode.
     * @param length of the file in bytes.
     */
    static FileMapping of(final String key, final FileChannel channel, final long length) throws IOException
    {
        synchronized (MAPPINGS)
        {
            final WeakReference<FileMapping> reference = MAPPINGS.get(key);
            FileMapping mapping = null == reference ? null : reference.get();
            if (null == mapping || length != mapping.length)
            {
                mapping = new FileMapping(channel, length);
                MAPPINGS.values().removeIf((other) -> null == other.get());
                MAPPINGS.put(key, new WeakReference<>(mapping));
            }
            else if (null != mapping.longMapping)
            {
                LongMapping.makeUninterruptible(channel);
            }

            mapping.shares++;
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

    /** Releases a share, by which nothing may access the memory any more. The last one ends the mappings. */
    void unmap()
    {
        synchronized (MAPPINGS)
        {
            shares--;
            if (shares > 0)
            {
                return;
            }

            MAPPINGS.values().removeIf((other) -> this == other.get());
        }

        unmapAll();
    }

    private synchronized void unmapAll()
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
