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
package io.aeroshmem.memory;

import java.util.List;

/**
 * The bounds of the buffers that were declared for a team ({@link io.aeroshmem.TeamParams#memory}), as they were when
 * the team was created. Immutable.
 */
public final class MemoryBounds
{
    /** No buffers. */
    public static final MemoryBounds NONE = new MemoryBounds(new int[0], new long[0], new long[0]);

    private static final long HASH_FACTOR = 0x9E3779B97F4A7C15L;

    private final int[] regions;
    private final long[] addresses;
    private final long[] lengths;

    private MemoryBounds(final int[] regions, final long[] addresses, final long[] lengths)
    {
        this.regions = regions;
        this.addresses = addresses;
        this.lengths = lengths;
    }

    /**
     * Returns the bounds of buffers, which must be valid buffers of a PE.
     *
     * @throws IllegalArgumentException if one belongs to another PE.
     * @throws IllegalStateException    if one was freed.
     */
    public static MemoryBounds of(final List<? extends HeapRange> buffers, final Object owner)
    {
        if (buffers.isEmpty())
        {
            return NONE;
        }

        final int count = buffers.size();
        final int[] regions = new int[count];
        final long[] addresses = new long[count];
        final long[] lengths = new long[count];
        for (int i = 0; i < count; i++)
        {
            final HeapRange buffer = buffers.get(i);
            lengths[i] = buffer.length;
            addresses[i] = HeapAccess.address(buffer, owner, 0, lengths[i], Operand.BUFFER);
            regions[i] = HeapAccess.region(buffer);
        }

        return new MemoryBounds(regions, addresses, lengths);
    }

    /** Returns the number of buffers. */
    public int count()
    {
        return addresses.length;
    }

    /** Returns the offset of the first buffer in its heap, or 0. */
    public long firstAddress()
    {
        return 0 == addresses.length ? 0 : addresses[0];
    }

    /** Returns the length of the first buffer in bytes, or 0. */
    public long firstLength()
    {
        return 0 == lengths.length ? 0 : lengths[0];
    }

    /** Returns a hash of all bounds. */
    public long hash()
    {
        long hash = addresses.length;
        for (int i = 0; i < addresses.length; i++)
        {
            hash = mix(mix(mix(hash, regions[i]), addresses[i]), lengths[i]);
        }

        return hash;
    }

    private static long mix(final long hash, final long value)
    {
        final long product = (hash ^ value) * HASH_FACTOR;
        return product ^ product >>> Integer.SIZE;
    }

    /** Returns whether a range lies within one of the buffers. */
    public boolean contains(final HeapRange range)
    {
        return contains(HeapAccess.region(range), range.address, range.length);
    }

    private boolean contains(final int region, final long address, final long length)
    {
        for (int i = 0; i < addresses.length; i++)
        {
            if (region == regions[i] && address >= addresses[i] && length <= lengths[i] &&
                address - addresses[i] <= lengths[i] - length)
            {
                return true;
            }
        }

        return false;
    }

    /** Returns whether one of the buffers overlaps an allocation. */
    boolean overlaps(final Allocation allocation)
    {
        for (int i = 0; i < addresses.length; i++)
        {
            if (allocation.heap.region() == regions[i] && addresses[i] < allocation.address + allocation.length &&
                allocation.address < addresses[i] + Math.max(1, lengths[i]))
            {
                return true;
            }
        }

        return false;
    }
}
