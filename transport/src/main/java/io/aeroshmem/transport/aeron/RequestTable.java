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
import io.aeroshmem.transport.mapped.MemoryOps;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Table of this PE's requests to one peer: the gets and fetching operations that await a reply, except those in
 * {@link FetchRuns}. There are at most {@value #CAPACITY} requests; the peer has room for as many replies. Each request
 * has a slot. The generation of a slot counts its uses, so that a late reply to an earlier use is dropped.
 */
final class RequestTable
{
    static final int CAPACITY = 64;

    /** A reply that was awaited and is accepted. */
    static final int ACCEPTED = 0;

    /** A reply to an earlier use of a slot, which no caller awaits any more. */
    static final int LATE = 1;

    /** A reply that matches no request. */
    static final int INVALID = 2;

    private static final int NONE = 0;
    private static final int FETCH = 1;
    private static final int GET = 2;
    private static final int FETCH_INT_NBI = 3;
    private static final int FETCH_LONG_NBI = 4;
    private static final int GET_NBI = 5;
    private static final int ABANDONED_FETCH = 6;
    private static final int ABANDONED_GET = 7;

    private static final VarHandle FREE;
    private static final VarHandle INTS = MethodHandles.arrayElementVarHandle(int[].class);

    /*
     * Ownership and ordering change with the state of a slot:
     * - Free: the slot's bit in free is set.
     * - Acquired: the thread that clears the bit by compare-and-set owns the slot's fields. It fills them by plain
     *   stores, and stores the kind last, with release, before it submits the request. Until that store, the kind is
     *   NONE. A malicious peer may reply to a request that has not been sent. So the holder of the lock of the
     *   ProgressEngine reads the generation opaquely and the kind with acquire, and touches no other field of a slot
     *   whose kind is NONE.
     * - Submitted: the fields belong to the holder of that lock until completion. The submission (under the lock, or
     *   through the ring of the Outbox, whose commit is a release) orders the stores to the fields before the holder's
     *   reads.
     * - Complete: the holder stores the reply's data, then done with release. The waiting caller reads done with
     *   acquire, takes the result, and frees the slot with a release on free. The slot of a nonblocking request is
     *   freed by the holder itself, after the store of the data and before Pending.end().
     * - Abandoned: a caller whose wait for a reply ends by an exception changes the kind, under the lock. The fields
     *   still belong to the holder, which frees the slot when the reply is complete, and stores no data of it.
     * The generation grows before the bit is set again. So a reply to an earlier use of the slot never carries the
     * generation of the current use.
     */
    static
    {
        try
        {
            FREE = MethodHandles.lookup().findVarHandle(RequestTable.class, "free", long.class);
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new ExceptionInInitializerError(ex);
        }
    }

    private volatile long free = -1L;
    private final int[] generation = new int[CAPACITY];
    private final int[] done = new int[CAPACITY];
    private final int[] kind = new int[CAPACITY];
    private final long[] result = new long[CAPACITY];
    /** Arrays, or what keeps the memory of the address allocated. */
    private final Object[] dest = new Object[CAPACITY];
    private final long[] destAddress = new long[CAPACITY];
    private final long[] length = new long[CAPACITY];
    private final long[] position = new long[CAPACITY];
    private final Pending[] pending = new Pending[CAPACITY];
    private final UnsafeBuffer scratch =
        new UnsafeBuffer(BufferUtil.allocateDirectAligned(CAPACITY * Long.BYTES, Long.BYTES));

    /** Acquires a slot and returns its index, or -1 if all are in use. */
    int tryAcquire()
    {
        while (true)
        {
            final long current = free;
            if (0 == current)
            {
                return -1;
            }

            final long bit = Long.lowestOneBit(current);
            if (FREE.compareAndSet(this, current, current & ~bit))
            {
                return Long.numberOfTrailingZeros(bit);
            }
        }
    }

    int generation(final int slot)
    {
        return generation[slot];
    }

    /** Returns the generation of a slot that another thread may own. */
    int currentGeneration(final int slot)
    {
        return (int)INTS.getOpaque(generation, slot);
    }

    /** Returns the address of eight bytes of the slot, for an element on its way into a result. */
    long scratchAddress(final int slot)
    {
        return scratch.addressOffset() + (long)slot * Long.BYTES;
    }

    void fetch(final int slot)
    {
        INTS.setOpaque(done, slot, 0);
        INTS.setRelease(kind, slot, FETCH);
    }

    void fetchNbi(final int slot, final boolean isLong, final long fetchAddress, final Pending counter)
    {
        destAddress[slot] = fetchAddress;
        pending[slot] = counter;
        INTS.setRelease(kind, slot, isLong ? FETCH_LONG_NBI : FETCH_INT_NBI);
    }

    void get(final int slot, final Object memory, final long address, final long bytes)
    {
        destination(slot, memory, address, bytes);
        INTS.setOpaque(done, slot, 0);
        INTS.setRelease(kind, slot, GET);
    }

    void getNbi(final int slot, final Object memory, final long address, final long bytes, final Pending counter)
    {
        destination(slot, memory, address, bytes);
        pending[slot] = counter;
        INTS.setRelease(kind, slot, GET_NBI);
    }

    private void destination(final int slot, final Object memory, final long address, final long bytes)
    {
        dest[slot] = memory;
        destAddress[slot] = address;
        length[slot] = bytes;
        position[slot] = 0;
    }

    /** Returns true if the reply to a blocking request has arrived. */
    boolean isDone(final int slot)
    {
        return 0 != (int)INTS.getAcquire(done, slot);
    }

    long result(final int slot)
    {
        return result[slot];
    }

    /** Frees a slot whose request is complete. */
    void release(final int slot)
    {
        kind[slot] = NONE;
        dest[slot] = null;
        pending[slot] = null;
        INTS.setOpaque(generation, slot, generation[slot] + 1);
        FREE.getAndBitwiseOrRelease(this, 1L << slot);
    }

    /**
     * Abandons a blocking request. The slot stays in use until the peer has replied, because the peer holds a reply
     * descriptor for it until then. Under the engine's lock.
     */
    void abandon(final int slot)
    {
        if (isDone(slot))
        {
            release(slot);
        }
        else
        {
            dest[slot] = null;
            kind[slot] = FETCH == kind[slot] ? ABANDONED_FETCH : ABANDONED_GET;
        }
    }

    /**
     * Applies the reply to a fetching atomic and returns {@link #ACCEPTED}, {@link #LATE} or {@link #INVALID}. Under
     * the engine's lock.
     */
    int onFetchReply(final int slot, final int slotGeneration, final long value)
    {
        final int outcome = outcome(slot, slotGeneration);
        if (ACCEPTED != outcome)
        {
            return outcome;
        }

        switch ((int)INTS.getAcquire(kind, slot))
        {
            case FETCH:
                if (isDone(slot))
                {
                    return INVALID;
                }

                result[slot] = value;
                INTS.setRelease(done, slot, 1);
                return ACCEPTED;

            case FETCH_INT_NBI:
                UnsafeApi.putIntOpaque(null, destAddress[slot], (int)value);
                completeNbi(slot);
                return ACCEPTED;

            case FETCH_LONG_NBI:
                UnsafeApi.putLongOpaque(null, destAddress[slot], value);
                completeNbi(slot);
                return ACCEPTED;

            case ABANDONED_FETCH:
                release(slot);
                return ACCEPTED;

            default:
                return INVALID;
        }
    }

    /**
     * Applies a chunk of the reply to a get and returns {@link #ACCEPTED}, {@link #LATE} or {@link #INVALID}. Chunks
     * arrive in order. Under the engine's lock.
     */
    int onGetReply(
        final int slot, final int slotGeneration, final long chunkPosition, final long address, final int chunkLength)
    {
        final int outcome = outcome(slot, slotGeneration);
        if (ACCEPTED != outcome)
        {
            return outcome;
        }

        final int current = (int)INTS.getAcquire(kind, slot);
        if (!isGet(current) || chunkPosition != position[slot] || chunkLength > length[slot] - chunkPosition)
        {
            return INVALID;
        }

        if (ABANDONED_GET != current)
        {
            MemoryOps.copy(null, address, MemoryOps.baseOf(dest[slot]), destAddress[slot] + chunkPosition, chunkLength);
        }

        position[slot] = chunkPosition + chunkLength;
        if (position[slot] == length[slot])
        {
            completeGet(slot, current);
        }

        return ACCEPTED;
    }

    private static boolean isGet(final int current)
    {
        return GET == current || GET_NBI == current || ABANDONED_GET == current;
    }

    private void completeGet(final int slot, final int current)
    {
        switch (current)
        {
            case GET:
                INTS.setRelease(done, slot, 1);
                break;

            case GET_NBI:
                completeNbi(slot);
                break;

            default:
                release(slot);
                break;
        }
    }

    private void completeNbi(final int slot)
    {
        final Pending counter = pending[slot];
        release(slot);
        counter.end();
    }

    private int outcome(final int slot, final int slotGeneration)
    {
        if (slot < 0 || slot >= CAPACITY)
        {
            return INVALID;
        }

        return hasEnded(slot, slotGeneration) ? LATE : ACCEPTED;
    }

    /** Returns a set bit for each slot in use. */
    long inUse()
    {
        return ~free;
    }

    /** Returns true if this use of a slot has ended. */
    boolean hasEnded(final int slot, final int slotGeneration)
    {
        return 0 != (free & (1L << slot)) || (int)INTS.getOpaque(generation, slot) != slotGeneration;
    }
}
