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

import io.aeroshmem.transport.Region;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * The books of one PE's heap in one {@link Region}: which blocks are taken, and the {@link Allocation}s that stand for
 * them. Local and deterministic: PEs that make the same calls in the same order get the same addresses.
 * <p>
 * Thread-safe; none of this is a hot path.
 */
public final class SymmetricHeap
{
    /**
     * The least alignment that a program may ask for, in bytes.
     */
    public static final long LEAST_ALIGNMENT = 8;

    private final Set<Allocation> allocations = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Object owner;
    private final int region;
    private final LocalMemory memory;
    private final HeapAllocator allocator;
    private boolean isClosed;

    /**
     * Makes the books of an empty heap.
     *
     * @param owner    the PE, as an identity that its contexts compare with; its {@code toString} names the PE in
     *                 messages.
     * @param region   of {@link Region}.
     * @param capacity in bytes.
     * @param memory   this PE's own piece of the region.
     */
    public SymmetricHeap(final Object owner, final int region, final long capacity, final LocalMemory memory)
    {
        this.owner = owner;
        this.region = region;
        this.memory = memory;
        this.allocator = new HeapAllocator(capacity);
    }

    /**
     * Takes a block.
     *
     * @param bytes     1 or more.
     * @param alignment of the address in bytes: a power of two, {@link #LEAST_ALIGNMENT} or more. Blocks are aligned to
     *                  {@link HeapAllocator#MIN_ALIGNMENT} in any case.
     * @return the allocation, or null if no free block serves; then nothing has changed.
     * @throws IllegalArgumentException if the number of bytes or the alignment is not allowed.
     * @throws IllegalStateException    if the heap is closed.
     */
    public synchronized Allocation allocate(final long bytes, final long alignment)
    {
        checkOpen();
        if (alignment < LEAST_ALIGNMENT || Long.bitCount(alignment) != 1)
        {
            throw new IllegalArgumentException(
                "alignment: given " + alignment + ", allowed is a power of two, " + LEAST_ALIGNMENT + " or more");
        }

        final long address = allocator.allocate(bytes, alignment);
        return HeapAllocator.EXHAUSTED == address ? null : open(address, bytes);
    }

    /**
     * Changes the size of a block, where it lies if possible. If the result has another address, the caller copies
     * {@code min(old.length(), bytes)} bytes from the old address to the new one and then calls {@link #free} with the
     * old allocation, which is valid until then. If it has the same address, the old allocation has ended.
     *
     * @param old   allocation of this heap.
     * @param bytes 1 or more.
     * @return the allocation to use from now on, or null if no free block serves; then nothing has changed.
     * @throws IllegalArgumentException if the number of bytes is not allowed or the allocation is another heap's.
     * @throws IllegalStateException    if the allocation has ended or the heap is closed.
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

    /**
     * Gives a block back and ends its allocation, and with it all buffers over it.
     *
     * @param allocation of this heap.
     * @throws IllegalArgumentException if the allocation is another heap's.
     * @throws IllegalStateException    if the allocation has ended or the heap is closed.
     */
    public synchronized void free(final Allocation allocation)
    {
        checkOpen();
        checkLive(allocation);
        allocator.free(allocation.address);
        close(allocation, "it was freed");
    }

    /**
     * Ends all allocations; views made before stay readable. Does nothing the second time.
     */
    public synchronized void close()
    {
        isClosed = true;
        for (final Allocation allocation : allocations)
        {
            allocation.end("its job is closed");
        }

        allocations.clear();
    }

    /**
     * The PE it belongs to.
     *
     * @return what was given when it was made.
     */
    public Object owner()
    {
        return owner;
    }

    /**
     * Which memory it is in.
     *
     * @return of {@link Region}.
     */
    public int region()
    {
        return region;
    }

    /**
     * This PE's own piece of the region.
     *
     * @return what was given when it was made.
     */
    public LocalMemory memory()
    {
        return memory;
    }

    /**
     * The size of the heap.
     *
     * @return in bytes.
     */
    public long capacity()
    {
        return allocator.capacity();
    }

    /**
     * What is free in all.
     *
     * @return in bytes.
     */
    public synchronized long freeBytes()
    {
        return allocator.freeBytes();
    }

    /**
     * The largest block that can be taken.
     *
     * @return in bytes.
     */
    public synchronized long largestFreeBlock()
    {
        return allocator.largestFreeBlock();
    }

    /**
     * How many allocations live.
     *
     * @return 0 when everything was freed.
     */
    public synchronized int allocationCount()
    {
        return allocations.size();
    }

    @Override
    public String toString()
    {
        return (Region.DEVICE == region ? "the device heap of " : "the symmetric heap of ") + owner;
    }

    private Allocation open(final long address, final long bytes)
    {
        final Allocation allocation = new Allocation(this, address, bytes);
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
            throw new IllegalArgumentException("given is an " + allocation + ", allowed is one of " + this);
        }

        if (null == allocation.owner)
        {
            throw new IllegalStateException("the " + allocation + " cannot be used: " + allocation.ending);
        }
    }
}
