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

import io.aeroshmem.ShmemException;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.SymmetricHeapExhaustedException;
import io.aeroshmem.transport.mapped.Memory;
import org.agrona.UnsafeApi;

/**
 * Allocation as the API offers it: collective over the world. Every call first has all PEs agree
 * ({@link HeapAgreement}), then acts on the books of this PE's heap, which act alike on all PEs.
 * <p>
 * What a PE can see to be wrong by itself, such as a negative size or a freed buffer, is thrown before anything is
 * exchanged, and the call does not count: PEs that all make the same mistake stay together. When collectives are
 * checked, the mistake takes part in the agreement, so that PEs that did not make it hear of it.
 * <p>
 * An allocation ends with a barrier. The others begin with completing what this PE issued; the agreement that follows
 * then is the barrier on entry.
 */
public class CollectiveHeap
{
    private static final long HINTS = SymmetricBuffer.ATOMICS_REMOTE | SymmetricBuffer.SIGNAL_REMOTE;
    private static final long ZERO_PIECE = 1L << 20;

    private final Object owner;
    private final SymmetricHeap heap;
    private final HeapAgreement agreement;
    private final WorldSync world;
    private final boolean isChecked;

    /**
     * Construct for one PE.
     *
     * @param owner     identity of the PE, which its buffers carry too.
     * @param heap      the books of its heap.
     * @param agreement with the other PEs.
     * @param world     how calls wait for all PEs.
     * @param isChecked whether mistakes of some PEs are to be made known to all.
     */
    public CollectiveHeap(
        final Object owner,
        final SymmetricHeap heap,
        final HeapAgreement agreement,
        final WorldSync world,
        final boolean isChecked)
    {
        this.owner = owner;
        this.heap = heap;
        this.agreement = agreement;
        this.world = world;
        this.isChecked = isChecked;
    }

    /**
     * Allocate.
     *
     * @param bytes 0 or more.
     * @return the allocation, or null for 0 bytes.
     */
    public Allocation malloc(final long bytes)
    {
        checkBytes(bytes, HeapAgreement.MALLOC, bytes, 0);
        return 0 == bytes ? omitted(HeapAgreement.MALLOC) :
            allocate(HeapAgreement.MALLOC, bytes, 0, bytes, HeapAllocator.MIN_ALIGNMENT, false);
    }

    /**
     * Allocate memory of a special use.
     *
     * @param bytes 0 or more.
     * @param hints of {@link io.aeroshmem.SymmetricBuffer}.
     * @return the allocation, or null for 0 bytes.
     */
    public Allocation mallocWithHints(final long bytes, final long hints)
    {
        if (0 != (hints & ~HINTS))
        {
            throw refused(
                HeapAgreement.MALLOC_WITH_HINTS,
                bytes,
                hints,
                new IllegalArgumentException(
                    "hints: given 0x" + Long.toHexString(hints) + ", allowed are the bits 0x" +
                    Long.toHexString(HINTS)));
        }

        checkBytes(bytes, HeapAgreement.MALLOC_WITH_HINTS, bytes, hints);
        return 0 == bytes ? omitted(HeapAgreement.MALLOC_WITH_HINTS) :
            allocate(HeapAgreement.MALLOC_WITH_HINTS, bytes, hints, bytes, HeapAllocator.MIN_ALIGNMENT, false);
    }

    /**
     * Allocate zeroes.
     *
     * @param count        of elements, 0 or more.
     * @param elementBytes size of one, 0 or more.
     * @return the allocation, or null where that makes 0 bytes.
     */
    public Allocation calloc(final long count, final long elementBytes)
    {
        if (count < 0 || elementBytes < 0 || 0 != Math.multiplyHigh(count, elementBytes) || count * elementBytes < 0)
        {
            throw refused(
                HeapAgreement.CALLOC,
                count,
                elementBytes,
                new IllegalArgumentException(
                    "given count " + count + " and elementBytes " + elementBytes + ", allowed is 0 or more of each" +
                    " and a product of at most " + Long.MAX_VALUE));
        }

        final long bytes = count * elementBytes;
        return 0 == bytes ? omitted(HeapAgreement.CALLOC) :
            allocate(HeapAgreement.CALLOC, count, elementBytes, bytes, HeapAllocator.MIN_ALIGNMENT, true);
    }

    /**
     * Allocate at a multiple of an alignment.
     *
     * @param alignment a power of two, {@link SymmetricHeap#LEAST_ALIGNMENT} or more.
     * @param bytes     0 or more.
     * @return the allocation, or null for 0 bytes.
     */
    public Allocation align(final long alignment, final long bytes)
    {
        if (alignment < SymmetricHeap.LEAST_ALIGNMENT || Long.bitCount(alignment) != 1)
        {
            throw refused(
                HeapAgreement.ALIGN,
                bytes,
                alignment,
                new IllegalArgumentException(
                    "alignment: given " + alignment + ", allowed is a power of two, " + SymmetricHeap.LEAST_ALIGNMENT +
                    " or more"));
        }

        checkBytes(bytes, HeapAgreement.ALIGN, bytes, alignment);
        return 0 == bytes ? omitted(HeapAgreement.ALIGN) :
            allocate(HeapAgreement.ALIGN, bytes, alignment, bytes, alignment, false);
    }

    /**
     * Change the size of an allocation and keep its contents.
     *
     * @param range all of it.
     * @param bytes 1 or more.
     * @return the allocation to use from now on.
     */
    public Allocation realloc(final HeapRange range, final long bytes)
    {
        checkBytes(bytes, HeapAgreement.REALLOC, bytes, range.address);
        final Allocation old = allocation(range, HeapAgreement.REALLOC, bytes, range.address);
        world.complete();
        agree(HeapAgreement.REALLOC, bytes, old.address, HeapAgreement.OK, 0, null);

        final Allocation allocation = heap.reallocate(old, bytes);
        if (null == allocation)
        {
            throw exhausted(bytes, HeapAllocator.MIN_ALIGNMENT);
        }

        if (allocation.address != old.address)
        {
            final long base = heap.memory().address();
            Memory.copy(
                null, base + old.address, null, base + allocation.address, Math.min(old.length, allocation.length));
            heap.free(old);
        }

        world.barrier();
        return allocation;
    }

    /**
     * Give an allocation back.
     *
     * @param range all of it.
     */
    public void free(final HeapRange range)
    {
        final Allocation allocation = allocation(range, HeapAgreement.FREE, range.address, 0);
        world.complete();
        agree(HeapAgreement.FREE, allocation.address, 0, HeapAgreement.OK, 0, null);
        heap.free(allocation);
    }

    /**
     * A call for no memory, or to free none: it does nothing, and is remembered to explain what the others call.
     *
     * @param kind of call.
     * @return null.
     */
    public Allocation omitted(final int kind)
    {
        agreement.omit(kind);
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
            isExhausted ? HeapAgreement.EXHAUSTED : HeapAgreement.OK,
            isExhausted ? 0 : allocation.address,
            allocation);

        if (isZeroed)
        {
            zero(heap.memory().address() + allocation.address, bytes);
        }

        world.barrier();
        return allocation;
    }

    /**
     * Agree with all PEs, and give back what was taken for the call if they do not.
     */
    private void agree(
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
            isAgreed = HeapAgreement.OK == agreement.agree(kind, first, second, status, address);
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
            throw exhausted(HeapAgreement.CALLOC == kind ? first * second : first, alignment(kind, second));
        }
    }

    private static long alignment(final int kind, final long second)
    {
        return HeapAgreement.ALIGN == kind ? second : HeapAllocator.MIN_ALIGNMENT;
    }

    private SymmetricHeapExhaustedException exhausted(final long bytes, final long alignment)
    {
        return new SymmetricHeapExhaustedException(
            bytes, alignment, heap.freeBytes(), heap.largestFreeBlock(), heap.capacity());
    }

    private void checkBytes(final long bytes, final int kind, final long first, final long second)
    {
        if (bytes < 0)
        {
            throw refused(
                kind, first, second, new IllegalArgumentException("bytes: given " + bytes + ", allowed is 0 or more"));
        }
    }

    private Allocation allocation(final HeapRange range, final int kind, final long first, final long second)
    {
        try
        {
            return HeapAccess.allocation(range, owner);
        }
        catch (final IllegalArgumentException | IllegalStateException ex)
        {
            throw refused(kind, first, second, ex);
        }
    }

    /**
     * What to throw for a mistake of this PE. When collectives are checked, other PEs hear of it first; they, and
     * this PE unless all made the same mistake, get the exception that says who differs.
     */
    private RuntimeException refused(
        final int kind, final long first, final long second, final RuntimeException mistake)
    {
        if (isChecked)
        {
            try
            {
                agreement.agree(kind, first, second, HeapAgreement.REFUSED, 0);
            }
            catch (final ShmemException ex)
            {
                ex.addSuppressed(mistake);
                return ex;
            }
        }

        return mistake;
    }

    private static void zero(final long address, final long length)
    {
        for (long done = 0; done < length; done += ZERO_PIECE)
        {
            UnsafeApi.setMemory(null, address + done, Math.min(ZERO_PIECE, length - done), (byte)0);
        }
    }
}
