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

import org.agrona.collections.Long2ObjectHashMap;

import java.util.Comparator;
import java.util.TreeSet;

/**
 * Deals out blocks of an address space of offsets; it never touches the memory they stand for.
 * <p>
 * <b>Deterministic.</b> What a call returns depends on the calls before it alone, so PEs that make the same calls in
 * the same order get the same offsets.
 * <p>
 * <b>Best fit.</b> The smallest free block that serves is taken, of equals the lowest; what is left of it stays free.
 * Blocks know their neighbours, and free neighbours are merged at once, so two free blocks never touch. Every call
 * costs O(log n) in the number of free blocks, but for alignments above {@value #MIN_ALIGNMENT}: there the blocks that
 * are large enough by size, yet may not be after alignment, are tried in turn.
 * <p>
 * Not thread-safe.
 */
public final class HeapAllocator
{
    /**
     * Alignment and granularity of all blocks, in bytes: a cache line.
     */
    public static final long MIN_ALIGNMENT = 64;

    /**
     * Returned in place of an offset when no free block serves.
     */
    public static final long EXHAUSTED = -1;

    private final TreeSet<Block> freeBlocks = new TreeSet<>(
        Comparator.<Block>comparingLong((block) -> block.size).thenComparingLong((block) -> block.offset));
    private final Long2ObjectHashMap<Block> usedBlocks = new Long2ObjectHashMap<>();
    private final Block probe = new Block(0, 0);
    private final long capacity;
    private long freeBytes;

    /**
     * Makes an allocator for the offsets from 0.
     *
     * @param capacity in bytes; rounded down to a multiple of {@link #MIN_ALIGNMENT}.
     * @throws IllegalArgumentException if that leaves nothing.
     */
    public HeapAllocator(final long capacity)
    {
        this.capacity = capacity & -MIN_ALIGNMENT;
        if (this.capacity <= 0)
        {
            throw new IllegalArgumentException(
                "heap capacity: given " + capacity + ", allowed is " + MIN_ALIGNMENT + " bytes or more");
        }

        freeBytes = this.capacity;
        freeBlocks.add(new Block(0, this.capacity));
    }

    /**
     * Takes a block.
     *
     * @param size      in bytes, 1 or more.
     * @param alignment of the offset in bytes, a power of two; less than {@link #MIN_ALIGNMENT} counts as that.
     * @return the offset, or {@link #EXHAUSTED} if no free block serves; then nothing has changed.
     * @throws IllegalArgumentException if the size or the alignment is not allowed.
     */
    public long allocate(final long size, final long alignment)
    {
        checkSize(size);
        if (Long.bitCount(alignment) != 1 || alignment < 0)
        {
            throw new IllegalArgumentException("alignment: given " + alignment + ", allowed is a power of two");
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
            // What to skip to the next aligned offset, which itself might overflow.
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
     * Changes the size of a block where it lies: always possible to shrink, and to grow if what follows is free and
     * large enough.
     *
     * @param offset that {@link #allocate} returned.
     * @param size   in bytes, 1 or more.
     * @return whether the block has the size now; if not, nothing has changed.
     * @throws IllegalArgumentException if the size is not allowed, or no block was taken at the offset.
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

    /**
     * Gives a block back. It is merged with its free neighbours.
     *
     * @param offset that {@link #allocate} returned.
     * @throws IllegalArgumentException if no block was taken there, or it was given back already.
     */
    public void free(final long offset)
    {
        final Block block = usedBlocks.remove(offset);
        if (null == block)
        {
            throw noBlockAt(offset);
        }

        release(block);
    }

    /**
     * The whole space.
     *
     * @return in bytes.
     */
    public long capacity()
    {
        return capacity;
    }

    /**
     * What is free in all.
     *
     * @return in bytes.
     */
    public long freeBytes()
    {
        return freeBytes;
    }

    /**
     * The largest block that can be taken.
     *
     * @return in bytes; 0 if nothing is free.
     */
    public long largestFreeBlock()
    {
        return freeBlocks.isEmpty() ? 0 : freeBlocks.last().size;
    }

    /**
     * In how many pieces the free space is.
     *
     * @return 1 when nothing is taken.
     */
    public int freeBlockCount()
    {
        return freeBlocks.size();
    }

    /** Takes a piece out of the middle of a free block; what is before and after it stays free. */
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
            throw new IllegalArgumentException("size: given " + size + ", allowed is 1 byte or more");
        }
    }

    private static IllegalArgumentException noBlockAt(final long offset)
    {
        return new IllegalArgumentException("no block was taken at offset " + offset + ", or it was freed already");
    }

    /** A run of bytes, taken or free; all of them together, linked in order, are the whole space. */
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
