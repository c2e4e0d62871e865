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

import io.aeroshmem.config.Arguments;
import io.aeroshmem.memory.HeapAccess;
import io.aeroshmem.memory.Operand;
import org.agrona.BitUtil;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.AtomicBuffer;

import java.lang.invoke.VarHandle;

/**
 * A record of this PE's own memory that is never torn: a {@link #read} returns what one {@link #write} has written,
 * whole, even if the process of the PE was killed in the middle of another one. In memory of {@link Shmem#retain} it is
 * what a PE that was lost finds again. No counterpart in C.
 * <p>
 * <b>Use.</b> Each PE constructs the cell over the same memory in each generation of the job. Memory that is zero is a
 * cell that was not written yet. The record has a fixed length; the program defines its layout, and versions it by that
 * of the {@linkplain Shmem#retain(String, long, int) memory}. Other PEs do not write to the memory of a cell.
 * <p>
 * <b>Threads.</b> One thread at a time writes; any thread of this PE reads at any time. Neither allocates.
 */
public final class RetainedCell
{
    /*
     * The epoch, the number of writes, and then two slots. The slot that counts is that of the epoch's lowest bit.
     *
     * Write e + 1 fills the slot of e - 1, which does not count, and then stores the epoch by release: a thread that
     * sees the epoch sees the record. The fence before keeps these stores behind that of epoch e: until epoch e is
     * stored, the slot of e - 1 counts. A process that is killed has executed its stores up to some instruction, and
     * the memory keeps them; so it holds write e or e + 1.
     *
     * A reader copies the slot between two loads of the epoch. If it has seen a byte of write e + 2, which goes to the
     * slot of e, the acquire fence pairs with the fence of that write, and the second load finds e + 1 or later.
     */
    private static final int EPOCH = 0;
    private static final int SLOTS = Long.BYTES;
    private static final int MAX_LENGTH = (Integer.MAX_VALUE - SLOTS) / 2 & -Long.BYTES;
    /** A copy of at most this many bytes does not delay a safepoint. */
    private static final int MAX_PIECE = 1 << 20;

    private final SymmetricBuffer buffer;
    private final int length;
    private final AtomicBuffer memory;

    /**
     * Makes a cell over memory. Local; does not change the memory.
     *
     * @param buffer of host memory, such as {@link Shmem#retain} returns; zeroed before the first use.
     * @param offset of the cell in the buffer, at an address that is a multiple of 8.
     * @param length of the record in bytes, 1 or more.
     * @throws IllegalArgumentException  if the buffer is null, the length is not allowed, or the address misaligned.
     * @throws IndexOutOfBoundsException if the {@link #requiredBytes} do not lie within the buffer.
     * @throws IllegalStateException     if the buffer was freed, its job is closed, or it is the memory of a device.
     */
    public RetainedCell(final SymmetricBuffer buffer, final long offset, final int length)
    {
        this.buffer = Arguments.notNull(buffer, "buffer").slice(offset, requiredBytes(length));
        if (0 != (this.buffer.address() & (Long.BYTES - 1)))
        {
            throw HeapAccess.misaligned(buffer, offset, Long.BYTES, Operand.BUFFER);
        }

        this.length = length;
        memory = this.buffer.local();
    }

    /**
     * Returns the memory that a cell takes, a multiple of 8.
     *
     * @param length of the record in bytes, 1 or more.
     * @return in bytes: 8, and twice the length, rounded up to a multiple of 8.
     * @throws IllegalArgumentException if the length is less than 1 or more than 1 GiB - 8.
     */
    public static long requiredBytes(final int length)
    {
        if (length < 1 || length > MAX_LENGTH)
        {
            throw Arguments.mustBe("length", "1 to " + MAX_LENGTH, length);
        }

        return SLOTS + 2L * slotLength(length);
    }

    /**
     * Returns the length of the record.
     *
     * @return in bytes.
     */
    public int length()
    {
        return length;
    }

    /**
     * Returns the number of writes since the memory was zero, in this generation of the job and those before.
     *
     * @return 0 if there was none.
     * @throws IllegalStateException if the buffer was freed, or its job is closed.
     */
    public long epoch()
    {
        checkUsable();
        return memory.getLongAcquire(EPOCH);
    }

    /**
     * Writes the record. All that this thread has stored before is visible to who reads it. Takes a copy of the record;
     * allocates nothing, and never waits.
     *
     * @param source       of the record.
     * @param sourceOffset of its first byte in {@code source}.
     * @return the number of this write, from 1 on.
     * @throws IllegalArgumentException  if the source is null.
     * @throws IndexOutOfBoundsException if the source has fewer than {@link #length()} bytes from there on; nothing has
     *                                   changed.
     * @throws IllegalStateException     if the buffer was freed, or its job is closed.
     */
    public long write(final DirectBuffer source, final int sourceOffset)
    {
        Arguments.notNull(source, "source").boundsCheck(sourceOffset, length);
        checkUsable();
        return write(memory, source, sourceOffset, length);
    }

    /**
     * Reads the record that was written last, with acquire ordering. Repeats the copy as often as another thread
     * completes a write meanwhile. Allocates nothing.
     *
     * @param dest       receives the record; unchanged if there was no write.
     * @param destOffset of its first byte in {@code dest}.
     * @return the number of the write, 0 if there was none.
     * @throws IllegalArgumentException  if dest is null.
     * @throws IndexOutOfBoundsException if dest has fewer than {@link #length()} bytes from there on.
     * @throws IllegalStateException     if the buffer was freed, or its job is closed.
     */
    public long read(final MutableDirectBuffer dest, final int destOffset)
    {
        Arguments.notNull(dest, "dest").boundsCheck(destOffset, length);
        checkUsable();
        return read(memory, dest, destOffset, length);
    }

    static long write(final AtomicBuffer memory, final DirectBuffer source, final int sourceOffset, final int length)
    {
        final long epoch = memory.getLong(EPOCH) + 1;
        VarHandle.releaseFence();
        copy(source, sourceOffset, memory, slot(epoch, length), length);
        memory.putLongRelease(EPOCH, epoch);
        return epoch;
    }

    static long read(final AtomicBuffer memory, final MutableDirectBuffer dest, final int destOffset, final int length)
    {
        long epoch = memory.getLongAcquire(EPOCH);
        long before = 0;
        while (epoch != before)
        {
            copy(memory, slot(epoch, length), dest, destOffset, length);
            VarHandle.acquireFence();
            before = epoch;
            epoch = memory.getLongAcquire(EPOCH);
        }

        return epoch;
    }

    private static void copy(
        final DirectBuffer source,
        final int sourceOffset,
        final MutableDirectBuffer dest,
        final int destOffset,
        final int length)
    {
        for (int done = 0; done < length; done += MAX_PIECE)
        {
            dest.putBytes(destOffset + done, source, sourceOffset + done, Math.min(MAX_PIECE, length - done));
        }
    }

    private static int slot(final long epoch, final int length)
    {
        return SLOTS + (int)(epoch & 1) * slotLength(length);
    }

    private static int slotLength(final int length)
    {
        return BitUtil.align(length, Long.BYTES);
    }

    private void checkUsable()
    {
        HeapAccess.localAddress(buffer, 0, Long.BYTES);
    }

    /**
     * Describes the cell.
     *
     * @return its length and memory.
     */
    @Override
    public String toString()
    {
        return "cell of " + length + " bytes in a " + buffer;
    }
}
