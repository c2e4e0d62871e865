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
package io.aeroshmem.collective.request;

import io.aeroshmem.ElementType;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * The length and the position, in bytes, of each block of a buffer. There is one block for each member, in the order of
 * ranks. Lengths and positions are computed from the counts and displacements that the program passes with a request
 * ({@link RequestArguments}).
 */
final class BlockLayout
{
    private final long[] byteCounts;
    private final long[] byteDisplacements;
    private long byteExtent;
    private int elementBytes = 1;

    private BlockLayout(final int size)
    {
        byteCounts = new long[size];
        byteDisplacements = new long[size];
    }

    BlockLayout(
        final ElementType type,
        final int size,
        final long[] counts,
        final long[] displacements,
        final String name)
    {
        this(size);
        if (size != counts.length || null != displacements && size != displacements.length)
        {
            throw new IllegalArgumentException(
                "counts and displacements of " + name + " must have one element for each of " + size +
                " members: " + counts.length + (null == displacements ? "" : " and " + displacements.length));
        }

        elementBytes = type.bytes();
        long next = 0;
        for (int rank = 0; rank < counts.length; rank++)
        {
            final long displacement = null == displacements ? next : displacements[rank];
            final long count = counts[rank];
            final long limit = Long.MAX_VALUE / elementBytes;
            if (count < 0 || displacement < 0 || count > limit || displacement > limit - count)
            {
                throw new IllegalArgumentException(
                    "count and displacement must be >= 0 and count + displacement <= " + limit + " in " + name +
                    ": count=" + count + ", displacement=" + displacement + " of rank " + rank);
            }

            byteCounts[rank] = count * elementBytes;
            byteDisplacements[rank] = displacement * elementBytes;
            next = displacement + count;
            byteExtent = Math.max(byteExtent, 0 == count ? 0 : next * elementBytes);
        }
    }

    /**
     * Checks that no block of dest overlaps another one of dest, or one of source.
     *
     * @param sourceOrNull blocks of source, which may overlap each other.
     * @param distance     from the start of dest to that of source, in bytes.
     */
    static void checkDisjoint(final BlockLayout dest, final BlockLayout sourceOrNull, final long distance)
    {
        final List<long[]> ranges = new ArrayList<>();
        dest.addTo(ranges, 0, 1);
        if (null != sourceOrNull)
        {
            sourceOrNull.addTo(ranges, distance, 0);
        }

        ranges.sort(Comparator.comparingLong((range) -> range[0]));
        long destEnd = Long.MIN_VALUE;
        long sourceEnd = Long.MIN_VALUE;
        for (final long[] range : ranges)
        {
            final boolean isDest = 0 != range[2];
            if (range[0] < destEnd || isDest && range[0] < sourceEnd)
            {
                throw new IllegalArgumentException(
                    "the blocks of dest must be disjoint from each other and from source: a block of " +
                    (isDest ? "dest" : "source") + " at byte " + range[0] + " of dest overlaps the one before it");
            }

            destEnd = isDest ? range[1] : destEnd;
            sourceEnd = isDest ? sourceEnd : Math.max(sourceEnd, range[1]);
        }
    }

    private void addTo(final List<long[]> ranges, final long shift, final int isDest)
    {
        for (int rank = 0; rank < byteCounts.length; rank++)
        {
            if (0 != byteCounts[rank])
            {
                final long start = byteDisplacements[rank] + shift;
                ranges.add(new long[]{start, start + byteCounts[rank], isDest});
            }
        }
    }

    /** Returns the blocks of a buffer in which all have the same place. */
    static BlockLayout ofOne(final long bytes, final int size)
    {
        final BlockLayout blocks = new BlockLayout(size);
        Arrays.fill(blocks.byteCounts, bytes);
        blocks.byteExtent = bytes;
        return blocks;
    }

    /** Returns the lengths of the blocks. */
    long[] byteCounts()
    {
        return byteCounts;
    }

    long byteCount(final int rank)
    {
        return byteCounts[rank];
    }

    /** Returns the positions of the blocks from the start of the buffer. */
    long[] byteDisplacements()
    {
        return byteDisplacements;
    }

    long byteDisplacement(final int rank)
    {
        return byteDisplacements[rank];
    }

    /** Returns the distance from the start of the buffer to the end of the last block. */
    long byteExtent()
    {
        return byteExtent;
    }

    /** Returns the number of elements up to the end of the last block. */
    long elements()
    {
        return byteExtent / elementBytes;
    }
}
