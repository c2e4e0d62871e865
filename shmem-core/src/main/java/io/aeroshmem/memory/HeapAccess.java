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
import io.aeroshmem.transport.SimulatedThread;
import org.agrona.concurrent.AtomicBuffer;

import java.nio.ByteBuffer;

/**
 * The checked translation from a buffer of the API to an address, for the packages that move data. The checks are a few
 * comparisons that inline into the caller. They are always made, regardless of Agrona's bounds-check property. The text
 * of an exception is composed only when a check has failed.
 */
public final class HeapAccess
{
    private HeapAccess()
    {
    }

    /**
     * Checks an access by a PE, which must own the buffer, and returns the offset in the region, the same on all PEs.
     */
    public static long address(
        final HeapRange range, final Object owner, final long offset, final long length, final Operand operand)
    {
        if (null == range || range.allocation.owner != owner || (offset | length) < 0 ||
            offset > range.length - length)
        {
            throw rejected(range, owner, offset, length, operand);
        }

        return range.address + offset;
    }

    /** Returns whether a buffer, which may be null, is memory of an allocation. */
    public static boolean isOf(final HeapRange range, final Allocation allocation)
    {
        return null != range && allocation == range.allocation;
    }

    /**
     * Checks an access by a PE, which must own the buffer, to an element that must be aligned to its size, a power of
     * two; returns the offset in the region.
     */
    public static long alignedAddress(
        final HeapRange range, final Object owner, final long offset, final int elementBytes, final Operand operand)
    {
        final long address = address(range, owner, offset, elementBytes, operand);
        if (0 != (address & (elementBytes - 1)))
        {
            throw misaligned(range, offset, elementBytes, operand);
        }

        return address;
    }

    /** Checks an access by the owner of the buffer and returns the offset in the region. */
    public static long address(final HeapRange range, final long offset, final long length)
    {
        if (null == range.allocation.owner || (offset | length) < 0 || offset > range.length - length)
        {
            throw rejected(range, range.allocation.heap.owner(), offset, length, Operand.THIS);
        }

        return range.address + offset;
    }

    /**
     * Checks an access to the PE's own memory and returns the address for loads and stores, which the memory of a
     * device does not have.
     */
    public static long localAddress(final HeapRange range, final long offset, final long length)
    {
        final long base = range.allocation.base;
        if (0 == base || (offset | length) < 0 || offset > range.length - length)
        {
            throw localRejected(range, offset, length);
        }

        final long address = base + range.address + offset;
        if (length > 0)
        {
            SimulatedThread.access(address);
        }

        return address;
    }

    /** Checks an access to an element of the PE's own memory and returns the address for loads and stores. */
    public static long elementAddress(final HeapRange range, final long index, final int elementBytes)
    {
        final long base = range.allocation.base;
        if (0 == base || index < 0 || index >= range.length / elementBytes)
        {
            throw elementRejected(range, index, elementBytes);
        }

        final long address = base + range.address + index * elementBytes;
        SimulatedThread.access(address);
        return address;
    }

    /**
     * Returns the address by which operations of the library name the PE's own memory, be it memory of the host or of a
     * device, at the offset in the region that a check of the access has returned; 0 for a null buffer.
     */
    public static long operandAddress(final HeapRange range, final long address)
    {
        if (null == range)
        {
            return 0;
        }

        final long base = range.allocation.operandBase;
        if (0 == base)
        {
            throw ended(range, Operand.THIS);
        }

        return base + address;
    }

    /** Returns a view of the PE's own memory, which stays readable after the job is closed. */
    public static AtomicBuffer view(final HeapRange range, final long offset, final int length)
    {
        localAddress(range, offset, length);
        return range.allocation.heap.memory().view(range.address + offset, length);
    }

    /** Returns a view of the PE's own memory in native byte order, which stays readable after the job is closed. */
    public static ByteBuffer byteBuffer(final HeapRange range, final long offset, final int length)
    {
        localAddress(range, offset, length);
        return range.allocation.heap.memory().byteBuffer(range.address + offset, length);
    }

    /** Moves a slice to another offset and length within the range that it was cut from. */
    public static void reslice(final HeapRange slice, final long offset, final long length)
    {
        final long windowLength = slice.windowLength;
        if (null == slice.allocation.owner || (offset | length) < 0 || offset > windowLength - length)
        {
            throw resliceRejected(slice, offset, length);
        }

        slice.address = slice.windowAddress + offset;
        slice.length = length;
    }

    /** Returns whether a range can be moved. */
    public static boolean isSlice(final HeapRange range)
    {
        return HeapRange.WHOLE != range.windowLength;
    }

    /** Returns the offset of a range in its heap; not checked for validity. */
    public static long start(final HeapRange range)
    {
        return range.address;
    }

    /** Returns the length of a range; not checked for validity. */
    public static long length(final HeapRange range)
    {
        return range.length;
    }

    /** Returns the {@link io.aeroshmem.transport.Region} of a range; that of the host's memory for a null one. */
    public static int region(final HeapRange range)
    {
        return null == range ? Region.USER : range.allocation.region;
    }

    /** Returns the allocation of a buffer that is to be freed or reallocated; rejects slices. */
    public static Allocation allocation(final HeapRange range, final Object owner)
    {
        address(range, owner, 0, 0, Operand.BUFFER);
        if (HeapRange.WHOLE != range.windowLength)
        {
            throw new IllegalArgumentException(
                "buffer must be the one that the allocation returned: buffer is a " + describe(range));
        }

        return range.allocation;
    }

    /** Describes a range, such as "buffer of 64 bytes at 128 of the symmetric heap of PE 1". */
    public static String describe(final HeapRange range)
    {
        return (HeapRange.WHOLE == range.windowLength ? "buffer of " : "slice of ") + range.length + " bytes at " +
            range.address + " of " + range.allocation.heap;
    }

    /** Returns the exception for an address that is not aligned to its element. */
    public static IllegalArgumentException misaligned(
        final HeapRange range, final long offset, final int alignment, final Operand operand)
    {
        return operand.misaligned(describe(range), offset, range.address + offset, alignment);
    }

    private static RuntimeException elementRejected(final HeapRange range, final long index, final int elementBytes)
    {
        return 0 == range.allocation.base ? localRejected(range, 0, elementBytes) : new IndexOutOfBoundsException(
            "index must be from 0 to " + (range.length / elementBytes - 1) + ": index=" + index +
            ", elements of " + elementBytes + " bytes of a " + describe(range));
    }

    private static RuntimeException rejected(
        final HeapRange range, final Object owner, final long offset, final long length, final Operand operand)
    {
        if (null == range)
        {
            return operand.isNull();
        }

        final Allocation allocation = range.allocation;
        if (null == allocation.owner)
        {
            return ended(range, operand);
        }

        if (allocation.heap.owner() != owner)
        {
            final boolean isOfOtherJob = owner.toString().equals(allocation.heap.owner().toString());
            return operand.foreign(describe(range) + (isOfOtherJob ? " of another job" : ""), owner);
        }

        return operand.outOfBounds(describe(range), range.length, offset, length);
    }

    private static RuntimeException localRejected(final HeapRange range, final long offset, final long length)
    {
        final Allocation allocation = range.allocation;
        if (null == allocation.owner)
        {
            return ended(range, Operand.THIS);
        }

        if (0 == allocation.base)
        {
            return new IllegalStateException(
                "the " + describe(range) + " has no local view: it is the memory of a device, use put and get");
        }

        return Operand.THIS.outOfBounds(describe(range), range.length, offset, length);
    }

    private static RuntimeException resliceRejected(final HeapRange slice, final long offset, final long length)
    {
        if (null == slice.allocation.owner)
        {
            return ended(slice, Operand.THIS);
        }

        if (HeapRange.WHOLE == slice.windowLength)
        {
            return new IllegalStateException("only a slice can be moved: buffer is a " + describe(slice));
        }

        return Operand.THIS.outOfBounds(
            "slice of a range of " + slice.windowLength + " bytes at " + slice.windowAddress,
            slice.windowLength,
            offset,
            length);
    }

    private static IllegalStateException ended(final HeapRange range, final Operand operand)
    {
        return new IllegalStateException(
            operand.given(describe(range)) + " cannot be used any more: " + range.allocation.ending);
    }
}
