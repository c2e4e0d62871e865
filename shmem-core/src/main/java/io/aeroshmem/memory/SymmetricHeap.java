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
import io.aeroshmem.transport.Region;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * The allocation state of one PE's heap in one {@link Region}: the blocks in use, and their {@link Allocation}s. Local
 * and deterministic: PEs that make the same calls in the same order get the same addresses.
 * <p>
 * Thread-safe. None of the methods is on a hot path.
 */
public final class SymmetricHeap
{
    /** The least alignment that a program may request, in bytes. */
    public static final long LEAST_ALIGNMENT = 8;

    private final Set<Allocation> allocations = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Object owner;
    private final int region;
    private final LocalMemory memory;
    private final HeapAllocator allocator;
    private final UntouchedRange untouched;
    private boolean isClosed;

    /** Constructs an empty heap. Contexts compare the identity of {@code owner}, and messages print it. */
    public SymmetricHeap(final Object owner, final int region, final long capacity, final LocalMemory memory)
    {
        this(owner, region, capacity, memory, UntouchedRange.none());
    }

    /** As above, of memory of which a range is zero. */
    public SymmetricHeap(
        final Object owner,
        final int region,
        final long capacity,
        final LocalMemory memory,
        final UntouchedRange untouched)
    {
        this.untouched = untouched;
        this.owner = owner;
        this.region = region;
        this.memory = memory;
        this.allocator = new HeapAllocator(capacity);
    }

    /**
     * Takes a block of 1 or more bytes at an alignment that is a power of two, {@link #LEAST_ALIGNMENT} or more; blocks
     * are aligned to {@link HeapAllocator#MIN_ALIGNMENT} in any case. Returns null if no free block is large enough;
     * then nothing has changed.
     */
    public synchronized Allocation allocate(final long bytes, final long alignment)
    {
        checkOpen();
        if (alignment < LEAST_ALIGNMENT || Long.bitCount(alignment) != 1)
        {
            throw badAlignment(alignment);
        }

        final long address = allocator.allocate(bytes, alignment);
        return HeapAllocator.EXHAUSTED == address ? null : open(address, bytes);
    }

    /**
     * Takes a block of 1 or more bytes at the end of the free space. Returns null if no free block is large enough;
     * then nothing has changed.
     */
    public synchronized Allocation allocateLast(final long bytes)
    {
        checkOpen();
        final long address = allocator.allocateLast(bytes);
        return HeapAllocator.EXHAUSTED == address ? null : open(address, bytes);
    }

    /** Takes the block of 1 or more bytes at an address. Returns null if a part of it is in use or outside the heap. */
    public synchronized Allocation takeAt(final long address, final long bytes)
    {
        checkOpen();
        return allocator.takeAt(address, bytes) ? open(address, bytes) : null;
    }

    /**
     * Changes the size of a block, in place if possible, and returns the allocation to use from now on, or null if no
     * free block is large enough; then nothing has changed. If the result has another address, the caller copies
     * {@code min(old.length(), bytes)} bytes to it and then calls {@link #free} with the old allocation, which is valid
     * until then. If it has the same address, the old allocation has ended.
     */
    public synchronized Allocation reallocate(final Allocation old, final long bytes)
    {
        checkOpen();
        checkLive(old);
        if (allocator.resize(old.address, bytes))
        {
            close(old, "it was reallocated: use the buffer that realloc returned");
            return open(old.address, bytes);
        }

        return allocate(bytes, HeapAllocator.MIN_ALIGNMENT);
    }

    /** Frees a block and ends its allocation, and with it all buffers over it. */
    public synchronized void free(final Allocation allocation)
    {
        checkOpen();
        checkLive(allocation);
        allocator.free(allocation.address);
        close(allocation, "it was freed");
    }

    /** Ends all allocations, for the given reason; existing views stay readable. Idempotent. */
    public synchronized void close(final String why)
    {
        isClosed = true;
        for (final Allocation allocation : allocations)
        {
            allocation.end(why);
        }

        allocations.clear();
    }

    public Object owner()
    {
        return owner;
    }

    /** Returns the {@link Region}. */
    public int region()
    {
        return region;
    }

    /** Returns this PE's own part of the region. */
    public LocalMemory memory()
    {
        return memory;
    }

    public long capacity()
    {
        return allocator.capacity();
    }

    public synchronized long freeBytes()
    {
        return allocator.freeBytes();
    }

    public synchronized long largestFreeBlock()
    {
        return allocator.largestFreeBlock();
    }

    /** Returns the number of live allocations. */
    public synchronized int allocationCount()
    {
        return allocations.size();
    }

    @Override
    public String toString()
    {
        return (Region.DEVICE == region ? "the device heap of " : "the symmetric heap of ") + owner;
    }

    static IllegalArgumentException badAlignment(final long alignment)
    {
        return Arguments.mustBe("alignment", "a power of two >= " + LEAST_ALIGNMENT, alignment);
    }

    private Allocation open(final long address, final long bytes)
    {
        final Allocation allocation = new Allocation(this, address, bytes, untouched);
        untouched.take(address, address + bytes);
        allocations.add(allocation);
        return allocation;
    }

    private void close(final Allocation allocation, final String why)
    {
        allocations.remove(allocation);
        allocation.end(why);
    }

    private void checkOpen()
    {
        if (isClosed)
        {
            throw new IllegalStateException(this + " is closed");
        }
    }

    private void checkLive(final Allocation allocation)
    {
        if (this != allocation.heap)
        {
            throw new IllegalArgumentException("allocation must be of " + this + ": it is an " + allocation);
        }

        if (null == allocation.owner)
        {
            throw new IllegalStateException("the " + allocation + " cannot be used: " + allocation.ending);
        }
    }
}
