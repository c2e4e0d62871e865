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

import org.agrona.concurrent.AtomicBuffer;

import java.nio.ByteBuffer;

/**
 * The library's way from a buffer of the API to an address. Each check is a few comparisons that inline into the
 * caller; they are always made, whatever Agrona's bounds-check switch says. What a failed check has found is worked out
 * after it failed.
 */
public final class HeapAccess
{
    private HeapAccess()
    {
    }

    /**
     * Checks an access by a PE and gives its address in the heap.
     *
     * @param range   accessed.
     * @param owner   the PE; it must be the one that the buffer belongs to.
     * @param offset  in the range, in bytes.
     * @param length  in bytes.
     * @param operand what the arguments are called in a message.
     * @return the offset in the region, the same on all PEs.
     * @throws IndexOutOfBoundsException if offset and length do not lie within the range.
     * @throws IllegalStateException     if the allocation was freed, or its job is closed.
     * @throws IllegalArgumentException  if the range is null, or belongs to another PE or another job.
     */
    public static long address(
        final HeapRange range, final Object owner, final long offset, final long length, final Operand operand)
    {
        if (null == range || range.allocation.owner != owner || (offset | length) < 0 ||
            offset > range.length - length)
        {
            throw refusal(range, owner, offset, length, operand);
        }

        return range.address + offset;
    }

    /**
     * Checks an access by a PE to one element that has to be aligned, and gives its address in the heap.
     *
     * @param range        accessed.
     * @param owner        the PE; it must be the one that the buffer belongs to.
     * @param offset       in the range, in bytes.
     * @param elementBytes size of the element, a power of two; the address must be a multiple of it.
     * @param operand      what the arguments are called in a message.
     * @return the offset in the region, the same on all PEs.
     * @throws IndexOutOfBoundsException if the element does not lie within the range.
     * @throws IllegalStateException     if the allocation was freed, or its job is closed.
     * @throws IllegalArgumentException  if the range is null, belongs to another PE or another job, or the address is
     *                                   not aligned.
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

    /**
     * Checks an access as {@link #address(HeapRange, Object, long, long, Operand)} does, for whichever PE the buffer
     * belongs to.
     *
     * @param range  accessed.
     * @param offset in the range, in bytes.
     * @param length in bytes.
     * @return the offset in the region.
     */
    public static long address(final HeapRange range, final long offset, final long length)
    {
        if (null == range.allocation.owner || (offset | length) < 0 || offset > range.length - length)
        {
            throw refusal(range, range.allocation.heap.owner(), offset, length, Operand.THIS);
        }

        return range.address + offset;
    }

    /**
     * Checks an access to the PE's own memory and gives the address for loads and stores.
     *
     * @param range  accessed.
     * @param offset in the range, in bytes.
     * @param length in bytes.
     * @return where the bytes lie in this process.
     * @throws IndexOutOfBoundsException if offset and length do not lie within the range.
     * @throws IllegalStateException     if the allocation was freed, its job is closed, or it is a device's memory.
     */
    public static long localAddress(final HeapRange range, final long offset, final long length)
    {
        final long base = range.allocation.base;
        if (0 == base || (offset | length) < 0 || offset > range.length - length)
        {
            throw localRefusal(range, offset, length);
        }

        return base + range.address + offset;
    }

    /**
     * Makes a view of the PE's own memory, which stays readable after the job is closed.
     *
     * @param range  to look at.
     * @param offset in the range, in bytes.
     * @param length in bytes.
     * @return the view.
     * @throws IndexOutOfBoundsException if offset and length do not lie within the range.
     * @throws IllegalStateException     if the allocation was freed, its job is closed, or it is a device's memory.
     */
    public static AtomicBuffer view(final HeapRange range, final long offset, final int length)
    {
        localAddress(range, offset, length);
        return range.allocation.heap.memory().view(range.address + offset, length);
    }

    /**
     * Makes a view of the PE's own memory, which stays readable after the job is closed.
     *
     * @param range  to look at.
     * @param offset in the range, in bytes.
     * @param length in bytes.
     * @return the view, in native byte order.
     * @throws IndexOutOfBoundsException if offset and length do not lie within the range.
     * @throws IllegalStateException     if the allocation was freed, its job is closed, or it is a device's memory.
     */
    public static ByteBuffer byteBuffer(final HeapRange range, final long offset, final int length)
    {
        localAddress(range, offset, length);
        return range.allocation.heap.memory().byteBuffer(range.address + offset, length);
    }

    /**
     * Aims a slice anew.
     *
     * @param slice  to aim.
     * @param offset in the range that the slice was cut from, in bytes.
     * @param length in bytes.
     * @throws IndexOutOfBoundsException if offset and length do not lie within the range that the slice was cut from.
     * @throws IllegalStateException     if this is no slice, the allocation was freed, or its job is closed.
     */
    public static void reslice(final HeapRange slice, final long offset, final long length)
    {
        final long windowLength = slice.windowLength;
        if (null == slice.allocation.owner || (offset | length) < 0 || offset > windowLength - length)
        {
            throw resliceRefusal(slice, offset, length);
        }

        slice.address = slice.windowAddress + offset;
        slice.length = length;
    }

    /**
     * Where a range starts in its heap; not checked for validity.
     *
     * @param range asked about.
     * @return in bytes.
     */
    public static long start(final HeapRange range)
    {
        return range.address;
    }

    /**
     * How long a range is; not checked for validity.
     *
     * @param range asked about.
     * @return in bytes.
     */
    public static long length(final HeapRange range)
    {
        return range.length;
    }

    /**
     * The memory that a range lies in.
     *
     * @param range asked about.
     * @return of {@link io.aeroshmem.transport.Region}.
     */
    public static int region(final HeapRange range)
    {
        return range.allocation.heap.region();
    }

    /**
     * The allocation behind a buffer that is to be freed or reallocated, which a slice does not stand for.
     *
     * @param range whole.
     * @param owner the PE; it must be the one that the buffer belongs to.
     * @return its allocation.
     * @throws IllegalStateException    if the allocation was freed, or its job is closed.
     * @throws IllegalArgumentException if this is a slice, or the buffer belongs to another PE or another job.
     */
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

    /**
     * Names a range in a message.
     *
     * @param range to name.
     * @return such as "buffer of 64 bytes at 128 of the symmetric heap of PE 1".
     */
    public static String describe(final HeapRange range)
    {
        return (HeapRange.WHOLE == range.windowLength ? "buffer of " : "slice of ") + range.length + " bytes at " +
            range.address + " of " + range.allocation.heap;
    }

    /**
     * The exception for an address that is not aligned to its element.
     *
     * @param range     accessed.
     * @param offset    in the range, in bytes.
     * @param alignment that is needed, in bytes.
     * @param operand   what the arguments are called.
     * @return to be thrown.
     */
    public static IllegalArgumentException misaligned(
        final HeapRange range, final long offset, final int alignment, final Operand operand)
    {
        return operand.misaligned(describe(range), offset, range.address + offset, alignment);
    }

    private static RuntimeException refusal(
        final HeapRange range, final Object owner, final long offset, final long length, final Operand operand)
    {
        if (null == range)
        {
            return operand.isNull();
        }

        final Allocation allocation = range.allocation;
        if (allocation.heap.owner() != owner)
        {
            return operand.foreign(describe(range), owner);
        }

        if (null == allocation.owner)
        {
            return ended(range, operand);
        }

        return operand.outOfBounds(describe(range), range.length, offset, length);
    }

    private static RuntimeException localRefusal(final HeapRange range, final long offset, final long length)
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

    private static RuntimeException resliceRefusal(final HeapRange slice, final long offset, final long length)
    {
        if (null == slice.allocation.owner)
        {
            return ended(slice, Operand.THIS);
        }

        if (HeapRange.WHOLE == slice.windowLength)
        {
            return new IllegalStateException("only a slice can be aimed anew, given is a " + describe(slice));
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
