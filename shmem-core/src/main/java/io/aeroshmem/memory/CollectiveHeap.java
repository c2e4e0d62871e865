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

import io.aeroshmem.MemoryKind;
import io.aeroshmem.ShmemException;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.SymmetricHeapExhaustedException;
import io.aeroshmem.config.Arguments;
import io.aeroshmem.transport.Region;

/**
 * The collective heap calls of the API, on one heap of this PE: that of the host or that of a device. All PEs of the
 * world agree on each call ({@link AllocationConsensus}), and every PE's heap is updated alike. An allocation takes its
 * block before the agreement, because the PEs compare the addresses. If they do not agree, or one of them has found no
 * free block, each PE frees the block that it has taken. An allocation of 0 bytes does nothing, and needs no agreement.
 */
public final class CollectiveHeap
{
    private static final long HINTS = SymmetricBuffer.ATOMICS_REMOTE | SymmetricBuffer.SIGNAL_REMOTE;

    /*
     * Errors. A PE detects some errors by itself, such as a negative size or a freed buffer. Unless collectives are
     * checked (aeroshmem.check.collectives), such an error is thrown before anything is exchanged, and the call does
     * not take part in the agreement. If all PEs make the same error, their later calls still match. If collectives are
     * checked, the PE contributes the error to the agreement, which reports it to the other PEs.
     *
     * Synchronisation. Allocations and realloc end with a barrier. realloc and free first complete what this PE has
     * issued; the consensus that follows serves as the barrier on entry.
     */
    private final Object owner;
    private final SymmetricHeap heap;
    private final AllocationConsensus consensus;
    private final WorldSync world;
    private final MemoryUse use;
    private final boolean isChecked;
    private final int base;

    /** Constructs for one PE; {@code isChecked} reports the errors of some PEs to all of them. */
    public CollectiveHeap(
        final Object owner,
        final SymmetricHeap heap,
        final AllocationConsensus consensus,
        final WorldSync world,
        final MemoryUse use,
        final boolean isChecked)
    {
        this.use = use;
        this.owner = owner;
        this.heap = heap;
        this.consensus = consensus;
        this.world = world;
        this.isChecked = isChecked;
        base = Region.DEVICE == heap.region() ? AllocationConsensus.DEVICE : 0;
    }

    /** Allocates; returns null for 0 bytes. */
    public Allocation malloc(final long bytes)
    {
        checkBytes(bytes, AllocationConsensus.MALLOC, bytes, 0);
        return 0 == bytes ? omitted(AllocationConsensus.MALLOC) :
            allocate(AllocationConsensus.MALLOC, bytes, 0, bytes, HeapAllocator.MIN_ALIGNMENT, false);
    }

    /** Allocates with hints of {@link SymmetricBuffer}; returns null for 0 bytes. */
    public Allocation mallocWithHints(final long bytes, final long hints)
    {
        if (0 != (hints & ~HINTS))
        {
            throw rejected(
                AllocationConsensus.MALLOC_WITH_HINTS,
                bytes,
                hints,
                Arguments.mustBe(
                    "hints", "a subset of 0x" + Long.toHexString(HINTS), "0x" + Long.toHexString(hints)));
        }

        checkBytes(bytes, AllocationConsensus.MALLOC_WITH_HINTS, bytes, hints);
        return 0 == bytes ? omitted(AllocationConsensus.MALLOC_WITH_HINTS) :
            allocate(AllocationConsensus.MALLOC_WITH_HINTS, bytes, hints, bytes, HeapAllocator.MIN_ALIGNMENT, false);
    }

    /** Allocates zeroed memory; returns null where the product is 0 bytes. */
    public Allocation calloc(final long count, final long elementBytes)
    {
        if (count < 0 || elementBytes < 0 || 0 != Math.multiplyHigh(count, elementBytes) || count * elementBytes < 0)
        {
            throw rejected(
                AllocationConsensus.CALLOC,
                count,
                elementBytes,
                new IllegalArgumentException(
                    "count and elementBytes must be >= 0 and their product <= " + Long.MAX_VALUE + ": count=" + count +
                    ", elementBytes=" + elementBytes));
        }

        final long bytes = count * elementBytes;
        return 0 == bytes ? omitted(AllocationConsensus.CALLOC) :
            allocate(AllocationConsensus.CALLOC, count, elementBytes, bytes, HeapAllocator.MIN_ALIGNMENT, true);
    }

    /**
     * Allocates at a multiple of an alignment, a power of two >= {@link SymmetricHeap#LEAST_ALIGNMENT}; returns null
     * for 0 bytes.
     */
    public Allocation align(final long alignment, final long bytes)
    {
        if (alignment < SymmetricHeap.LEAST_ALIGNMENT || Long.bitCount(alignment) != 1)
        {
            throw rejected(AllocationConsensus.ALIGN, bytes, alignment, SymmetricHeap.badAlignment(alignment));
        }

        checkBytes(bytes, AllocationConsensus.ALIGN, bytes, alignment);
        return 0 == bytes ? omitted(AllocationConsensus.ALIGN) :
            allocate(AllocationConsensus.ALIGN, bytes, alignment, bytes, alignment, false);
    }

    /** Changes the size of an allocation, keeps its contents, and returns the allocation to use from now on. */
    public Allocation realloc(final HeapRange range, final long bytes)
    {
        checkBytes(bytes, AllocationConsensus.REALLOC, bytes, range.address);
        final Allocation old = allocation(range, AllocationConsensus.REALLOC, bytes, range.address);
        world.complete(AllocationConsensus.methodName(base + AllocationConsensus.REALLOC));
        agree(AllocationConsensus.REALLOC, bytes, old.address, AllocationConsensus.OK, 0, null);

        final Allocation allocation = heap.reallocate(old, bytes);
        if (null == allocation)
        {
            throw exhausted(bytes, HeapAllocator.MIN_ALIGNMENT);
        }

        if (allocation.address != old.address)
        {
            heap.memory().copy(old.address, allocation.address, Math.min(old.length, allocation.length));
            heap.free(old);
        }

        world.barrier();
        return allocation;
    }

    /** Frees an allocation. */
    public void free(final HeapRange range)
    {
        final Allocation allocation = allocation(range, AllocationConsensus.FREE, range.address, 0);
        world.complete(AllocationConsensus.methodName(base + AllocationConsensus.FREE));
        agree(AllocationConsensus.FREE, allocation.address, 0, AllocationConsensus.OK, 0, null);
        heap.free(allocation);
    }

    /**
     * Records a call for no memory, or to free none: it does nothing, and explains what the other PEs call. Returns
     * null.
     */
    public Allocation omitted(final int kind)
    {
        consensus.omit(base + kind);
        return null;
    }

    private Allocation allocate(
        final int kind,
        final long first,
        final long second,
        final long bytes,
        final long alignment,
        final boolean isZeroed)
    {
        final Allocation allocation = heap.allocate(bytes, alignment);
        final boolean isExhausted = null == allocation;
        agree(
            kind,
            first,
            second,
            isExhausted ? AllocationConsensus.EXHAUSTED : AllocationConsensus.OK,
            isExhausted ? 0 : allocation.address,
            allocation);

        if (isZeroed)
        {
            allocation.zero();
        }

        world.barrier();
        return allocation;
    }

    /** Agrees with all PEs, and frees what was taken for the call if they disagree. */
    void agree(
        final int kind,
        final long first,
        final long second,
        final int status,
        final long address,
        final Allocation taken)
    {
        boolean isAgreed = false;
        try
        {
            isAgreed = AllocationConsensus.OK == consensus.agree(base + kind, first, second, status, address);
        }
        finally
        {
            if (!isAgreed && null != taken)
            {
                heap.free(taken);
            }
        }

        if (!isAgreed)
        {
            throw exhausted(AllocationConsensus.CALLOC == kind ? first * second : first, alignment(kind, second));
        }
    }

    private static long alignment(final int kind, final long second)
    {
        return AllocationConsensus.ALIGN == kind ? second : HeapAllocator.MIN_ALIGNMENT;
    }

    private SymmetricHeapExhaustedException exhausted(final long bytes, final long alignment)
    {
        return new SymmetricHeapExhaustedException(
            Region.DEVICE == heap.region() ? MemoryKind.DEVICE : MemoryKind.HOST,
            bytes,
            alignment,
            heap.freeBytes(),
            heap.largestFreeBlock(),
            heap.capacity());
    }

    private void checkBytes(final long bytes, final int kind, final long first, final long second)
    {
        if (bytes < 0)
        {
            throw rejected(kind, first, second, Arguments.mustBe("bytes", ">= 0", bytes));
        }
    }

    private Allocation allocation(final HeapRange range, final int kind, final long first, final long second)
    {
        try
        {
            final Allocation allocation = HeapAccess.allocation(range, owner);
            use.checkFree(allocation);
            return allocation;
        }
        catch (final IllegalArgumentException | IllegalStateException ex)
        {
            throw rejected(kind, first, second, ex);
        }
    }

    /**
     * Returns the exception for an error of this PE. When collectives are checked, it is reported to the other PEs
     * first; they, and this PE unless all made the same error, get the exception that names the PEs that differ.
     */
    RuntimeException rejected(
        final int kind, final long first, final long second, final RuntimeException error)
    {
        if (isChecked)
        {
            try
            {
                consensus.agree(base + kind, first, second, AllocationConsensus.REJECTED, 0);
            }
            catch (final ShmemException ex)
            {
                ex.addSuppressed(error);
                return ex;
            }
        }

        return error;
    }
}
