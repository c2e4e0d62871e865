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
package io.aeroshmem.transport.aeron;

import io.aeroshmem.transport.Pending;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * Ring of the operations that one session has gathered for one PE: updates of one kind, or nonblocking fetches of one
 * kind. {@link RecordDescriptor} defines the kind of an operation. The producer is the thread of the session. The
 * consumer is the holder of the lock of the {@link ProgressEngine}. It passes the entries to the {@link BatchTarget}.
 */
final class BatchRing extends BatchRingHead
{
    /** Length of the entries in bytes. */
    static final int LENGTH = 4 * 1024;

    private static final int MASK = LENGTH - 1;
    private static final int PAIR_SHIFT = 4;
    private static final int TRIPLE_SHIFT = 5;
    private static final VarHandle HEAD;
    private static final VarHandle TAIL;

    /*
     * Entries have 16 bytes, or 32 if they are fetches with an operand:
     * - update: offset, value;
     * - fetch without an operand: offset, local address;
     * - fetch with an operand: offset, operand, local address.
     * Values that all entries share are in fields, which the producer changes only while the ring is empty.
     *
     * Ordering. The accesses pair as follows:
     * - The producer stores the fields and the entry plainly, then tail with release. The consumer loads tail with
     *   acquire before it reads them.
     * - The consumer stores head with release after the target has taken the entries: each has been performed, has a
     *   sequence number of the Outbox, or belongs to a run of FetchRuns. A quiet loads head with acquire, and so sees
     *   the numbers and runs that it has to wait for.
     * - The producer loads head with acquire before it overwrites an entry or changes the fields.
     */
    static
    {
        try
        {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            HEAD = lookup.findVarHandle(BatchRingHead.class, "head", long.class);
            TAIL = lookup.findVarHandle(BatchRing.class, "tail", long.class);
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new ExceptionInInitializerError(ex);
        }
    }

    private final BatchTarget target;
    private final ByteBuffer memory = BufferUtil.allocateDirectAligned(LENGTH, Long.BYTES);
    private final long address = BufferUtil.address(memory);
    private long tail;
    /** Tail at which the ring may be full. */
    private long limit;
    /** Kind of the entries, as in {@link RecordDescriptor}; 0 where no entry may join. */
    private long kind;
    /** Kind of an update that may join; 0 where none may, as among fetches, whose kinds are those of updates. */
    private long joiningKind;
    private int shift = PAIR_SHIFT;
    private Object dest;
    private Pending pending;

    BatchRing(final BatchTarget target)
    {
        this.target = target;
    }

    BatchTarget target()
    {
        return target;
    }

    // -- the producer

    /** Appends an update; returns false if the ring is full or has entries of another kind. */
    boolean offerUpdate(final long updateKind, final long offset, final long value)
    {
        if (updateKind != joiningKind || tail == limit)
        {
            return false;
        }

        final long entry = address + ((tail << PAIR_SHIFT) & MASK);
        UnsafeApi.putLong(entry, offset);
        UnsafeApi.putLong(entry + Long.BYTES, value);
        TAIL.setRelease(this, tail + 1);
        return true;
    }

    /** Appends a fetch; returns false if the ring is full or has entries that have less in common. */
    boolean offerFetch(
        final long fetchKind,
        final long offset,
        final long operand,
        final Object fetchDest,
        final long destAddress,
        final Pending counter)
    {
        if (fetchKind != kind || fetchDest != dest || counter != pending || tail == limit)
        {
            return false;
        }

        final long entry = address + ((tail << shift) & MASK);
        UnsafeApi.putLong(entry, offset);
        if (PAIR_SHIFT == shift)
        {
            UnsafeApi.putLong(entry + Long.BYTES, destAddress);
        }
        else
        {
            UnsafeApi.putLong(entry + Long.BYTES, operand);
            UnsafeApi.putLong(entry + 2 * Long.BYTES, destAddress);
        }

        TAIL.setRelease(this, tail + 1);
        return true;
    }

    /** Sets what the entries have in common from now on. The ring is empty. */
    void begin(final long entryKind, final boolean hasOperand, final Object fetchDest, final Pending counter)
    {
        kind = entryKind;
        joiningKind = null == counter ? entryKind : 0;
        shift = hasOperand ? TRIPLE_SHIFT : PAIR_SHIFT;
        dest = fetchDest;
        pending = counter;
        limit = tail + (LENGTH >> shift);
    }

    /** Lets no entry join before {@link #begin}. The ring is empty. */
    void end()
    {
        begin(0, false, null, null);
    }

    // -- the holder of the engine's lock

    /** Passes entries to the target until the ring is empty or the target takes no more. */
    void drain()
    {
        final long end = tail();
        long position = head;
        while (position < end)
        {
            final int index = (int)(position << shift) & MASK;
            final int available = (int)Math.min(end - position, (LENGTH - index) >> shift);
            final int count = target.take(kind, address + index, 1 << shift, available, dest, pending);
            if (0 == count)
            {
                return;
            }

            position += count;
            HEAD.setRelease(this, position);
        }
    }

    /** Returns the address that a fetched value is stored at. */
    static long destAddress(final long entry, final int entryLength)
    {
        return UnsafeApi.getLong(entry + (1 << PAIR_SHIFT == entryLength ? Long.BYTES : 2 * Long.BYTES));
    }

    // -- any thread

    /** Returns the number of entries that were appended. */
    long tail()
    {
        return (long)TAIL.getAcquire(this);
    }

    /** Returns the number of entries that the target has taken. */
    long head()
    {
        return (long)HEAD.getAcquire(this);
    }

    /** Returns true if the target has taken all entries that had been appended before. */
    boolean isEmpty()
    {
        final long position = tail();
        return head() >= position;
    }
}

/** The consumer's position, on cache lines of its own. */
abstract class BatchRingHead
{
    long p00, p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11, p12, p13, p14;
    long head;
    long p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27, p28, p29;
}
