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

import io.aeroshmem.config.Arguments;
import org.agrona.collections.Long2ObjectHashMap;

import java.util.Comparator;
import java.util.TreeSet;

/**
 * An allocator of blocks in an address space of offsets. It never accesses the memory at these offsets.
 * <p>
 * <b>Deterministic.</b> The result of a call depends only on the calls before it, so PEs that make the same calls in
 * the same order get the same offsets.
 * <p>
 * <b>Best fit.</b> The smallest free block that is large enough is taken. If several such blocks have the same size,
 * the one with the lowest offset is taken. The remainder of the block stays free. Blocks are linked to their
 * neighbours, and free neighbours are merged at once, so two free blocks never touch.
 * <p>
 * <b>Cost.</b> A call costs O(log n) in the number of free blocks. Only an allocation with an alignment above
 * {@value #MIN_ALIGNMENT} may cost more. It tries one block after the other, since too little of a block may remain
 * after its first aligned offset.
 * <p>
 * Not thread-safe.
 */
public final class HeapAllocator
{
    /** Alignment and granularity of all blocks, in bytes: a cache line. */
    public static final long MIN_ALIGNMENT = 64;

    /** Returned instead of an offset when no free block is large enough. */
    public static final long EXHAUSTED = -1;

    private final TreeSet<Block> freeBlocks = new TreeSet<>(
        Comparator.<Block>comparingLong((block) -> block.size).thenComparingLong((block) -> block.offset));
    private final Long2ObjectHashMap<Block> usedBlocks = new Long2ObjectHashMap<>();
    private final Block probe = new Block(0, 0);
    private final long capacity;
    private long freeBytes;

    /** Constructs for the offsets from 0 to a capacity, rounded down to a multiple of {@link #MIN_ALIGNMENT}. */
    public HeapAllocator(final long capacity)
    {
        this.capacity = capacity & -MIN_ALIGNMENT;
        if (this.capacity <= 0)
        {
            throw Arguments.mustBe("heap capacity", ">= " + MIN_ALIGNMENT, capacity);
        }

        freeBytes = this.capacity;
        freeBlocks.add(new Block(0, this.capacity));
    }

    /**
     * Takes a block of 1 or more bytes at an alignment that is a power of two, at least {@link #MIN_ALIGNMENT}; returns
     * its offset, or {@link #EXHAUSTED}, in which case nothing has changed.
     */
    public long allocate(final long size, final long alignment)
    {
        checkSize(size);
        if (Long.bitCount(alignment) != 1 || alignment < 0)
        {
            throw Arguments.mustBe("alignment", "a power of two", alignment);
        }

        if (size > capacity)
        {
            return EXHAUSTED;
        }

        final long blockSize = roundUp(size);
        final long mask = Math.max(alignment, MIN_ALIGNMENT) - 1;
        probe.size = blockSize;
        Block candidate = freeBlocks.ceiling(probe);
        while (null != candidate)
        {
            // Distance to the next aligned offset. The offset itself might overflow.
            final long padding = -candidate.offset & mask;
            if (padding <= candidate.size - blockSize)
            {
                return take(candidate, padding, blockSize);
            }

            candidate = freeBlocks.higher(candidate);
        }

        return EXHAUSTED;
    }

    /**
     * Takes a block of 1 or more bytes at the highest offset at which it fits; returns that, or {@link #EXHAUSTED}, in
     * which case nothing has changed.
     */
    public long allocateLast(final long size)
    {
        checkSize(size);
        final long blockSize = roundUp(size);
        Block last = null;
        for (final Block block : freeBlocks)
        {
            if (size <= capacity && block.size >= blockSize && (null == last || block.offset > last.offset))
            {
                last = block;
            }
        }

        return null == last ? EXHAUSTED : take(last, last.size - blockSize, blockSize);
    }

    /**
     * Takes the block of 1 or more bytes at an offset, a multiple of {@link #MIN_ALIGNMENT}; returns false, without a
     * change, if part of it is in use or outside the space.
     */
    public boolean takeAt(final long offset, final long size)
    {
        checkSize(size);
        if (offset < 0 || 0 != (offset & (MIN_ALIGNMENT - 1)))
        {
            throw Arguments.mustBe("offset", "a multiple of " + MIN_ALIGNMENT + " >= 0", offset);
        }

        final long blockSize = roundUp(size);
        for (final Block block : freeBlocks)
        {
            final long padding = offset - block.offset;
            if (size <= capacity && padding >= 0 && padding <= block.size - blockSize)
            {
                take(block, padding, blockSize);
                return true;
            }
        }

        return false;
    }

    /**
     * Changes the size of a block in place: always possible to shrink, and to grow if the block after it is free and
     * large enough. Returns false if it has not changed.
     */
    public boolean resize(final long offset, final long size)
    {
        checkSize(size);
        final Block block = usedBlocks.get(offset);
        if (null == block)
        {
            throw noBlockAt(offset);
        }

        if (size > capacity)
        {
            return false;
        }

        final long blockSize = roundUp(size);
        if (blockSize > block.size)
        {
            final Block next = block.next;
            if (null == next || !next.isFree || next.size < blockSize - block.size)
            {
                return false;
            }

            freeBlocks.remove(next);
            freeBytes -= next.size;
            absorbNext(block);
        }

        if (blockSize < block.size)
        {
            release(splitAfter(block, blockSize));
        }

        return true;
    }

    /** Frees a block and merges it with its free neighbours. */
    public void free(final long offset)
    {
        final Block block = usedBlocks.remove(offset);
        if (null == block)
        {
            throw noBlockAt(offset);
        }

        release(block);
    }

    public long capacity()
    {
        return capacity;
    }

    public long freeBytes()
    {
        return freeBytes;
    }

    /** Returns the size of the largest free block; 0 if nothing is free. */
    public long largestFreeBlock()
    {
        return freeBlocks.isEmpty() ? 0 : freeBlocks.last().size;
    }

    /** Returns the number of pieces of the free space; 1 when nothing is taken. */
    public int freeBlockCount()
    {
        return freeBlocks.size();
    }

    /** Takes a piece out of a free block; what is before and after it stays free. */
    private long take(final Block block, final long padding, final long size)
    {
        freeBlocks.remove(block);
        freeBytes -= block.size;

        Block taken = block;
        if (padding > 0)
        {
            taken = splitAfter(block, padding);
            addFree(block);
        }

        if (size < taken.size)
        {
            addFree(splitAfter(taken, size));
        }

        taken.isFree = false;
        usedBlocks.put(taken.offset, taken);
        return taken.offset;
    }

    /** Frees a block that is in neither set, and merges it with its neighbours. */
    private void release(final Block block)
    {
        Block merged = block;
        final Block next = block.next;
        if (null != next && next.isFree)
        {
            freeBlocks.remove(next);
            freeBytes -= next.size;
            absorbNext(block);
        }

        final Block previous = block.previous;
        if (null != previous && previous.isFree)
        {
            freeBlocks.remove(previous);
            freeBytes -= previous.size;
            absorbNext(previous);
            merged = previous;
        }

        addFree(merged);
    }

    private void addFree(final Block block)
    {
        block.isFree = true;
        freeBlocks.add(block);
        freeBytes += block.size;
    }

    private static Block splitAfter(final Block block, final long size)
    {
        final Block rest = new Block(block.offset + size, block.size - size);
        rest.previous = block;
        rest.next = block.next;
        if (null != rest.next)
        {
            rest.next.previous = rest;
        }

        block.next = rest;
        block.size = size;
        return rest;
    }

    private static void absorbNext(final Block block)
    {
        final Block next = block.next;
        block.size += next.size;
        block.next = next.next;
        if (null != block.next)
        {
            block.next.previous = block;
        }
    }

    private static long roundUp(final long size)
    {
        return (size + MIN_ALIGNMENT - 1) & -MIN_ALIGNMENT;
    }

    private static void checkSize(final long size)
    {
        if (size < 1)
        {
            throw Arguments.mustBe("size", ">= 1", size);
        }
    }

    private static IllegalArgumentException noBlockAt(final long offset)
    {
        return new IllegalArgumentException("offset must be that of a block in use: offset=" + offset);
    }

    /** A run of bytes, taken or free. The linked blocks cover the whole space, in the order of their offsets. */
    private static final class Block
    {
        private final long offset;
        private long size;
        private boolean isFree;
        private Block previous;
        private Block next;

        Block(final long offset, final long size)
        {
            this.offset = offset;
            this.size = size;
            this.isFree = true;
        }
    }
}
