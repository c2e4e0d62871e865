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
package io.aeroshmem.transport.aeron;

import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.device.DeviceMemory;
import org.agrona.UnsafeApi;

/**
 * Bounds of this PE's regions, against which every address in a message is checked. The bound of the system area is the
 * end of its reserved part. Beyond this bound, the system area is address space only: an access to a page that the file
 * system cannot supply would end the JVM. A PE extends the reserved part before it publishes an address in the
 * extension to a peer, so no message with such an address arrives before the extension is reserved.
 */
public final class RegionMemory
{
    private final long userBase;
    private final long userLength;
    private final long systemBase;
    private volatile long systemLength;
    private volatile Device device;

    /** The system length is its reserved part. */
    public RegionMemory(
        final long userBase, final long userLength, final long systemBase, final long systemLength)
    {
        this.userBase = userBase;
        this.userLength = userLength;
        this.systemBase = systemBase;
        this.systemLength = systemLength;
    }

    /** Extends the reserved part of the system area; without effect if the length is less than before. Any thread. */
    public synchronized void growSystem(final long length)
    {
        systemLength = Math.max(systemLength, length);
    }

    /** Adds the device heap. Any thread. */
    public void addDevice(final DeviceMemory memory, final long base, final long length)
    {
        device = new Device(memory, base, length);
    }

    /** Ends the device heap: every further access to it is out of bounds. Any thread. */
    public void removeDevice()
    {
        final Device current = device;
        if (null != current)
        {
            device = new Device(current.memory, current.base, 0);
        }
    }

    /** Returns the memory of a region that loads and stores do not reach, or null for host memory. */
    DeviceMemory device(final int region)
    {
        final Device device = Region.DEVICE == region ? this.device : null;
        return null == device ? null : device.memory;
    }

    /** Returns the raw address, or 0 if the region is unknown or the range is not inside it. */
    long address(final int region, final long offset, final long length)
    {
        if (Region.USER == region)
        {
            return isInside(offset, length, userLength) ? userBase + offset : 0;
        }

        if (Region.SYSTEM == region)
        {
            return isInside(offset, length, systemLength) ? systemBase + offset : 0;
        }

        final Device device = Region.DEVICE == region ? this.device : null;
        return null != device && isInside(offset, length, device.length) ? device.base + offset : 0;
    }

    /** Returns the raw address, or 0 if the word is not inside the region or not naturally aligned. */
    long wordAddress(final int region, final long offset, final int width)
    {
        return 0 == (offset & (width - 1)) ? address(region, offset, width) : 0;
    }

    /** Returns the raw address of the start of a region in which {@link #address} has found one. */
    long base(final int region)
    {
        return Region.USER == region ? userBase : Region.SYSTEM == region ? systemBase : device.base;
    }

    /**
     * Returns true if all words are inside the region.
     *
     * @param isAligned   true if they must be naturally aligned.
     * @param offsets     address of the offset of the first word.
     * @param offsetsStep distance of the offsets in bytes.
     */
    boolean areInside(
        final int region,
        final int width,
        final boolean isAligned,
        final long offsets,
        final int count,
        final int offsetsStep)
    {
        if (0 == address(region, 0, width))
        {
            return false;
        }

        final long last = length(region) - width;
        long outside = 0;
        long bits = 0;
        for (int i = 0; i < count; i++)
        {
            final long offset = UnsafeApi.getLong(offsets + (long)i * offsetsStep);
            outside |= offset | last - offset;
            bits |= offset;
        }

        return outside >= 0 && (!isAligned || 0 == (bits & (width - 1)));
    }

    private long length(final int region)
    {
        return Region.USER == region ? userLength : Region.SYSTEM == region ? systemLength : device.length;
    }

    private static boolean isInside(final long offset, final long length, final long limit)
    {
        return offset >= 0 && length >= 0 && length <= limit && offset <= limit - length;
    }

    private record Device(DeviceMemory memory, long base, long length)
    {
    }
}
