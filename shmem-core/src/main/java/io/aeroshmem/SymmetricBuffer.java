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
package io.aeroshmem;

import io.aeroshmem.memory.Allocation;
import io.aeroshmem.memory.ArrayRange;
import io.aeroshmem.memory.HeapAccess;
import io.aeroshmem.memory.HeapRange;
import io.aeroshmem.memory.Operand;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.mapped.MemoryOps;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.AtomicBuffer;

import java.nio.ByteBuffer;

/**
 * Symmetric memory: an allocation, or a slice of one, at the same {@link #address()} on every PE. A buffer is the
 * counterpart of a symmetric pointer in C. As the remote operand of an operation, a buffer stands for the memory at the
 * same address on the target PE; as a local operand, for this PE's own memory. The methods of the buffer access this
 * PE's own memory.
 * <p>
 * Every access is checked, regardless of Agrona's bounds-check property, as the {@linkplain io.aeroshmem package}
 * specifies; {@link MemoryKind#DEVICE} memory causes an {@link IllegalStateException}. When an allocation is freed, its
 * slices are invalid too. Unaligned offsets are allowed.
 * <p>
 * <b>Ordering.</b> The accesses are plain, and suit data that no other PE accesses at the same time. To wait for writes
 * of other PEs, use the waits of {@link Shmem}.
 * <p>
 * <b>Threads.</b> A buffer may be used by any thread; {@link #reslice} must not race with another use of the same
 * slice.
 */
public final class SymmetricBuffer extends HeapRange
{
    /** Hint of an allocation: it is mostly the target of remote atomics. {@code SHMEM_MALLOC_ATOMICS_REMOTE}. */
    public static final long ATOMICS_REMOTE = 1;

    /** Hint of an allocation: it is mostly the target of remote signals. {@code SHMEM_MALLOC_SIGNAL_REMOTE}. */
    public static final long SIGNAL_REMOTE = 2;

    SymmetricBuffer(final Allocation allocation)
    {
        super(allocation);
    }

    private SymmetricBuffer(final SymmetricBuffer parent, final long offset, final long length)
    {
        super(parent, offset, length);
    }

    /**
     * Returns the offset of the buffer in its heap, the same on all PEs. No counterpart in C, where a symmetric pointer
     * is an address of one PE.
     *
     * @return in bytes from the start of the heap.
     */
    public long address()
    {
        return HeapAccess.start(this);
    }

    /**
     * Returns the length of the buffer as requested. No counterpart in C.
     *
     * @return in bytes.
     */
    public long length()
    {
        return HeapAccess.length(this);
    }

    /**
     * Returns the kind of memory. No counterpart in C.
     *
     * @return the kind.
     */
    public MemoryKind kind()
    {
        return Region.DEVICE == HeapAccess.region(this) ? MemoryKind.DEVICE : MemoryKind.HOST;
    }

    /**
     * Returns a buffer over a part of this one. No counterpart in C but pointer arithmetic.
     *
     * @param offset of the part in this buffer.
     * @param length of the part.
     * @return the slice. It covers that part even if this buffer, being a slice itself, is moved later.
     * @throws IndexOutOfBoundsException if the part does not lie within this buffer.
     * @throws IllegalStateException     if the buffer was freed or its job is closed.
     */
    public SymmetricBuffer slice(final long offset, final long length)
    {
        return new SymmetricBuffer(this, offset, length);
    }

    /**
     * Moves this slice to another part of the buffer that it was cut from, as that was when the slice was made. No
     * counterpart in C but pointer arithmetic. Allocates nothing. Operations already called with the slice are not
     * affected: they read addresses once, at the call.
     *
     * @param offset of the part in the buffer that this slice was cut from.
     * @param length of the part.
     * @return this.
     * @throws IndexOutOfBoundsException if the part does not lie within the buffer that this slice was cut from.
     * @throws IllegalStateException     if this is not a slice, the buffer was freed or its job is closed.
     */
    public SymmetricBuffer reslice(final long offset, final long length)
    {
        HeapAccess.reslice(this, offset, length);
        return this;
    }

    /**
     * Returns a view of this PE's own memory of the buffer: {@code shmem_ptr} of this PE.
     * <p>
     * A view is plain memory, independent of the allocation. After {@link Shmem#free} and {@link Shmem#realloc} it
     * still accesses the former memory of the allocation, which may be part of another one by then: discard it before.
     * After {@link Shmem#close()} it stays readable, detached from the job.
     *
     * @return the view.
     * @throws IllegalStateException if the buffer is longer than 2 GiB - 1, was freed, its job is closed, or it is the
     *                               memory of a device.
     */
    public AtomicBuffer local()
    {
        return HeapAccess.view(this, 0, viewLength());
    }

    /**
     * Returns a view of this PE's own memory of a part of the buffer: {@code shmem_ptr} of this PE. After free and
     * close it behaves as that of {@link #local()}.
     *
     * @param offset of the part.
     * @param length of the part.
     * @return the view.
     * @throws IndexOutOfBoundsException if the part does not lie within the buffer.
     * @throws IllegalStateException     if the buffer was freed, its job is closed, or it is the memory of a device.
     */
    public AtomicBuffer view(final long offset, final int length)
    {
        return HeapAccess.view(this, offset, length);
    }

    /**
     * Returns a view of this PE's own memory of the buffer: {@code shmem_ptr} of this PE. After free and close it
     * behaves as that of {@link #local()}.
     *
     * @return the view, in native byte order.
     * @throws IllegalStateException if the buffer is longer than 2 GiB - 1, was freed, its job is closed, or it is the
     *                               memory of a device.
     */
    public ByteBuffer byteBuffer()
    {
        return HeapAccess.byteBuffer(this, 0, viewLength());
    }

    /**
     * Reads one {@code byte} of this PE's own memory, plainly. No counterpart in C but a load.
     *
     * @param offset in bytes.
     * @return the value, in native byte order.
     */
    public byte getByte(final long offset)
    {
        return UnsafeApi.getByte(HeapAccess.localAddress(this, offset, Byte.BYTES));
    }

    /**
     * Writes one {@code byte} of this PE's own memory, plainly. No counterpart in C but a store.
     *
     * @param offset in bytes.
     * @param value  to write, in native byte order.
     */
    public void putByte(final long offset, final byte value)
    {
        UnsafeApi.putByte(HeapAccess.localAddress(this, offset, Byte.BYTES), value);
    }

    /**
     * Reads one {@code short} of this PE's own memory, plainly. No counterpart in C but a load.
     *
     * @param offset in bytes.
     * @return the value, in native byte order.
     */
    public short getShort(final long offset)
    {
        return UnsafeApi.getShort(HeapAccess.localAddress(this, offset, Short.BYTES));
    }

    /**
     * Writes one {@code short} of this PE's own memory, plainly. No counterpart in C but a store.
     *
     * @param offset in bytes.
     * @param value  to write, in native byte order.
     */
    public void putShort(final long offset, final short value)
    {
        UnsafeApi.putShort(HeapAccess.localAddress(this, offset, Short.BYTES), value);
    }

    /**
     * Reads one {@code int} of this PE's own memory, plainly. No counterpart in C but a load.
     *
     * @param offset in bytes.
     * @return the value, in native byte order.
     */
    public int getInt(final long offset)
    {
        return UnsafeApi.getInt(HeapAccess.localAddress(this, offset, Integer.BYTES));
    }

    /**
     * Writes one {@code int} of this PE's own memory, plainly. No counterpart in C but a store.
     *
     * @param offset in bytes.
     * @param value  to write, in native byte order.
     */
    public void putInt(final long offset, final int value)
    {
        UnsafeApi.putInt(HeapAccess.localAddress(this, offset, Integer.BYTES), value);
    }

    /**
     * Reads one {@code long} of this PE's own memory, plainly. No counterpart in C but a load.
     *
     * @param offset in bytes.
     * @return the value, in native byte order.
     */
    public long getLong(final long offset)
    {
        return UnsafeApi.getLong(HeapAccess.localAddress(this, offset, Long.BYTES));
    }

    /**
     * Writes one {@code long} of this PE's own memory, plainly. No counterpart in C but a store.
     *
     * @param offset in bytes.
     * @param value  to write, in native byte order.
     */
    public void putLong(final long offset, final long value)
    {
        UnsafeApi.putLong(HeapAccess.localAddress(this, offset, Long.BYTES), value);
    }

    /**
     * Reads one {@code float} of this PE's own memory, plainly. No counterpart in C but a load.
     *
     * @param offset in bytes.
     * @return the value, in native byte order.
     */
    public float getFloat(final long offset)
    {
        return UnsafeApi.getFloat(HeapAccess.localAddress(this, offset, Float.BYTES));
    }

    /**
     * Writes one {@code float} of this PE's own memory, plainly. No counterpart in C but a store.
     *
     * @param offset in bytes.
     * @param value  to write, in native byte order.
     */
    public void putFloat(final long offset, final float value)
    {
        UnsafeApi.putFloat(HeapAccess.localAddress(this, offset, Float.BYTES), value);
    }

    /**
     * Reads one {@code double} of this PE's own memory, plainly. No counterpart in C but a load.
     *
     * @param offset in bytes.
     * @return the value, in native byte order.
     */
    public double getDouble(final long offset)
    {
        return UnsafeApi.getDouble(HeapAccess.localAddress(this, offset, Double.BYTES));
    }

    /**
     * Writes one {@code double} of this PE's own memory, plainly. No counterpart in C but a store.
     *
     * @param offset in bytes.
     * @param value  to write, in native byte order.
     */
    public void putDouble(final long offset, final double value)
    {
        UnsafeApi.putDouble(HeapAccess.localAddress(this, offset, Double.BYTES), value);
    }

    /**
     * Fills this PE's own memory of the buffer with a byte. No counterpart in C but {@code memset}.
     *
     * @param value of every byte.
     */
    public void fill(final byte value)
    {
        MemoryOps.fill(HeapAccess.localAddress(this, 0, length()), length(), value);
    }

    /**
     * Copies elements of an array to this PE's own memory, plainly. No counterpart in C but {@code memcpy}.
     *
     * @param offset in bytes, of any alignment.
     * @param source array that is read.
     * @param from   index of the first element in {@code source}.
     * @param n      number of elements, 0 or more.
     */
    public void putBytes(final long offset, final byte[] source, final int from, final int n)
    {
        final long length = ArrayRange.BYTES.check(source, from, n, Operand.SOURCE_BLOCK);
        final long address = HeapAccess.localAddress(this, offset, length);
        MemoryOps.copy(source, ArrayRange.BYTES.address(from), null, address, length);
    }

    /**
     * Copies elements of this PE's own memory to an array, plainly. No counterpart in C but {@code memcpy}.
     *
     * @param offset in bytes, of any alignment.
     * @param dest   array that is written.
     * @param from   index of the first element in {@code dest}.
     * @param n      number of elements, 0 or more.
     */
    public void getBytes(final long offset, final byte[] dest, final int from, final int n)
    {
        final long length = ArrayRange.BYTES.check(dest, from, n, Operand.DEST_BLOCK);
        final long address = HeapAccess.localAddress(this, offset, length);
        MemoryOps.copy(null, address, dest, ArrayRange.BYTES.address(from), length);
    }

    /**
     * Copies elements of an array to this PE's own memory, plainly. No counterpart in C but {@code memcpy}.
     *
     * @param offset in bytes, of any alignment.
     * @param source array that is read.
     * @param from   index of the first element in {@code source}.
     * @param n      number of elements, 0 or more.
     */
    public void putShorts(final long offset, final short[] source, final int from, final int n)
    {
        final long length = ArrayRange.SHORTS.check(source, from, n, Operand.SOURCE_BLOCK);
        final long address = HeapAccess.localAddress(this, offset, length);
        MemoryOps.copy(source, ArrayRange.SHORTS.address(from), null, address, length);
    }

    /**
     * Copies elements of this PE's own memory to an array, plainly. No counterpart in C but {@code memcpy}.
     *
     * @param offset in bytes, of any alignment.
     * @param dest   array that is written.
     * @param from   index of the first element in {@code dest}.
     * @param n      number of elements, 0 or more.
     */
    public void getShorts(final long offset, final short[] dest, final int from, final int n)
    {
        final long length = ArrayRange.SHORTS.check(dest, from, n, Operand.DEST_BLOCK);
        final long address = HeapAccess.localAddress(this, offset, length);
        MemoryOps.copy(null, address, dest, ArrayRange.SHORTS.address(from), length);
    }

    /**
     * Copies elements of an array to this PE's own memory, plainly. No counterpart in C but {@code memcpy}.
     *
     * @param offset in bytes, of any alignment.
     * @param source array that is read.
     * @param from   index of the first element in {@code source}.
     * @param n      number of elements, 0 or more.
     */
    public void putInts(final long offset, final int[] source, final int from, final int n)
    {
        final long length = ArrayRange.INTS.check(source, from, n, Operand.SOURCE_BLOCK);
        final long address = HeapAccess.localAddress(this, offset, length);
        MemoryOps.copy(source, ArrayRange.INTS.address(from), null, address, length);
    }

    /**
     * Copies elements of this PE's own memory to an array, plainly. No counterpart in C but {@code memcpy}.
     *
     * @param offset in bytes, of any alignment.
     * @param dest   array that is written.
     * @param from   index of the first element in {@code dest}.
     * @param n      number of elements, 0 or more.
     */
    public void getInts(final long offset, final int[] dest, final int from, final int n)
    {
        final long length = ArrayRange.INTS.check(dest, from, n, Operand.DEST_BLOCK);
        final long address = HeapAccess.localAddress(this, offset, length);
        MemoryOps.copy(null, address, dest, ArrayRange.INTS.address(from), length);
    }

    /**
     * Copies elements of an array to this PE's own memory, plainly. No counterpart in C but {@code memcpy}.
     *
     * @param offset in bytes, of any alignment.
     * @param source array that is read.
     * @param from   index of the first element in {@code source}.
     * @param n      number of elements, 0 or more.
     */
    public void putLongs(final long offset, final long[] source, final int from, final int n)
    {
        final long length = ArrayRange.LONGS.check(source, from, n, Operand.SOURCE_BLOCK);
        final long address = HeapAccess.localAddress(this, offset, length);
        MemoryOps.copy(source, ArrayRange.LONGS.address(from), null, address, length);
    }

    /**
     * Copies elements of this PE's own memory to an array, plainly. No counterpart in C but {@code memcpy}.
     *
     * @param offset in bytes, of any alignment.
     * @param dest   array that is written.
     * @param from   index of the first element in {@code dest}.
     * @param n      number of elements, 0 or more.
     */
    public void getLongs(final long offset, final long[] dest, final int from, final int n)
    {
        final long length = ArrayRange.LONGS.check(dest, from, n, Operand.DEST_BLOCK);
        final long address = HeapAccess.localAddress(this, offset, length);
        MemoryOps.copy(null, address, dest, ArrayRange.LONGS.address(from), length);
    }

    /**
     * Copies elements of an array to this PE's own memory, plainly. No counterpart in C but {@code memcpy}.
     *
     * @param offset in bytes, of any alignment.
     * @param source array that is read.
     * @param from   index of the first element in {@code source}.
     * @param n      number of elements, 0 or more.
     */
    public void putFloats(final long offset, final float[] source, final int from, final int n)
    {
        final long length = ArrayRange.FLOATS.check(source, from, n, Operand.SOURCE_BLOCK);
        final long address = HeapAccess.localAddress(this, offset, length);
        MemoryOps.copy(source, ArrayRange.FLOATS.address(from), null, address, length);
    }

    /**
     * Copies elements of this PE's own memory to an array, plainly. No counterpart in C but {@code memcpy}.
     *
     * @param offset in bytes, of any alignment.
     * @param dest   array that is written.
     * @param from   index of the first element in {@code dest}.
     * @param n      number of elements, 0 or more.
     */
    public void getFloats(final long offset, final float[] dest, final int from, final int n)
    {
        final long length = ArrayRange.FLOATS.check(dest, from, n, Operand.DEST_BLOCK);
        final long address = HeapAccess.localAddress(this, offset, length);
        MemoryOps.copy(null, address, dest, ArrayRange.FLOATS.address(from), length);
    }

    /**
     * Copies elements of an array to this PE's own memory, plainly. No counterpart in C but {@code memcpy}.
     *
     * @param offset in bytes, of any alignment.
     * @param source array that is read.
     * @param from   index of the first element in {@code source}.
     * @param n      number of elements, 0 or more.
     */
    public void putDoubles(final long offset, final double[] source, final int from, final int n)
    {
        final long length = ArrayRange.DOUBLES.check(source, from, n, Operand.SOURCE_BLOCK);
        final long address = HeapAccess.localAddress(this, offset, length);
        MemoryOps.copy(source, ArrayRange.DOUBLES.address(from), null, address, length);
    }

    /**
     * Copies elements of this PE's own memory to an array, plainly. No counterpart in C but {@code memcpy}.
     *
     * @param offset in bytes, of any alignment.
     * @param dest   array that is written.
     * @param from   index of the first element in {@code dest}.
     * @param n      number of elements, 0 or more.
     */
    public void getDoubles(final long offset, final double[] dest, final int from, final int n)
    {
        final long length = ArrayRange.DOUBLES.check(dest, from, n, Operand.DEST_BLOCK);
        final long address = HeapAccess.localAddress(this, offset, length);
        MemoryOps.copy(null, address, dest, ArrayRange.DOUBLES.address(from), length);
    }

    /**
     * Returns a view of the buffer by index of {@code byte}. No counterpart in C but a pointer of that type.
     *
     * @return the view; bytes beyond its last whole element are not in it.
     */
    public SymmetricBytes bytes()
    {
        return new SymmetricBytes(this);
    }

    /**
     * Returns a view of the buffer by index of {@code short}. No counterpart in C but a pointer of that type.
     *
     * @return the view; bytes beyond its last whole element are not in it.
     */
    public SymmetricShorts shorts()
    {
        return new SymmetricShorts(this);
    }

    /**
     * Returns a view of the buffer by index of {@code int}. No counterpart in C but a pointer of that type.
     *
     * @return the view; bytes beyond its last whole element are not in it.
     */
    public SymmetricInts ints()
    {
        return new SymmetricInts(this);
    }

    /**
     * Returns a view of the buffer by index of {@code long}. No counterpart in C but a pointer of that type.
     *
     * @return the view; bytes beyond its last whole element are not in it.
     */
    public SymmetricLongs longs()
    {
        return new SymmetricLongs(this);
    }

    /**
     * Returns a view of the buffer by index of {@code float}. No counterpart in C but a pointer of that type.
     *
     * @return the view; bytes beyond its last whole element are not in it.
     */
    public SymmetricFloats floats()
    {
        return new SymmetricFloats(this);
    }

    /**
     * Returns a view of the buffer by index of {@code double}. No counterpart in C but a pointer of that type.
     *
     * @return the view; bytes beyond its last whole element are not in it.
     */
    public SymmetricDoubles doubles()
    {
        return new SymmetricDoubles(this);
    }

    /**
     * Describes the buffer.
     *
     * @return its length, address and heap.
     */
    @Override
    public String toString()
    {
        return HeapAccess.describe(this);
    }

    private int viewLength()
    {
        final long length = length();
        if (length > Integer.MAX_VALUE)
        {
            throw new IllegalStateException(
                "length must be <= " + Integer.MAX_VALUE + " for a whole view: length=" + length +
                ", use view(offset, length)");
        }

        return (int)length;
    }
}
