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

/**
 * This PE's own regions, and the check that keeps whatever a message says inside them. Of the system area counts what
 * is reserved: behind that is address space only, and touching a page that the file system cannot supply would end the
 * JVM. It grows; a PE grows it before it lets any peer know of an address in the new part, so a message that is meant
 * for it finds it grown.
 */
public final class LocalMemory
{
    private final long userBase;
    private final long userLength;
    private final long systemBase;
    private volatile long systemLength;

    /**
     * Construct over the regions of this PE's segment.
     *
     * @param userBase     address of the user heap.
     * @param userLength   of the user heap, in bytes.
     * @param systemBase   address of the system area.
     * @param systemLength of what is reserved of the system area, in bytes.
     */
    public LocalMemory(
        final long userBase, final long userLength, final long systemBase, final long systemLength)
    {
        this.userBase = userBase;
        this.userLength = userLength;
        this.systemBase = systemBase;
        this.systemLength = systemLength;
    }

    /**
     * More of the system area is reserved now. Any thread.
     *
     * @param length of what is reserved, in bytes; without effect if it is less than before.
     */
    public synchronized void growSystem(final long length)
    {
        systemLength = Math.max(systemLength, length);
    }

    /**
     * @return the raw address, or 0 if the range is not inside the region.
     */
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
        return 0;
    }

    /**
     * @return the raw address, or 0 if the word is not inside the region or not naturally aligned.
     */
    long wordAddress(final int region, final long offset, final int width)
    {
        return 0 == (offset & (width - 1)) ? address(region, offset, width) : 0;
    }

    private static boolean isInside(final long offset, final long length, final long limit)
    {
        return offset >= 0 && length >= 0 && length <= limit && offset <= limit - length;
    }
}
