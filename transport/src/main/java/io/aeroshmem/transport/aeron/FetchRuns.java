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

import io.aeroshmem.transport.AtomicOp;
import io.aeroshmem.transport.Pending;
import io.aeroshmem.transport.mapped.MemoryOps;
import org.agrona.MutableDirectBuffer;
import org.agrona.UnsafeApi;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

import static io.aeroshmem.transport.aeron.RecordDescriptor.*;

/**
 * Runs of nonblocking fetches to one peer. The fetches of a run perform the same operation, and are gathered in one
 * record. Their values come in one reply, or in several if a frame lacks room for all of them. Without runs, each fetch
 * would need a request and a reply of its own. At most {@value #CAPACITY} runs are outstanding, and the peer has room
 * for the replies to that many runs. Runs are numbered, and the peer answers them in order. The state of a run is in
 * slot {@code number % CAPACITY}.
 */
final class FetchRuns
{
    static final int CAPACITY = 32;

    /** Limit of the words of a run. */
    static final int LENGTH_LIMIT = 512;

    private static final int MASK = CAPACITY - 1;
    private static final VarHandle OPENED;
    private static final VarHandle COMPLETED;

    /*
     * Joining. A fetch joins a run only while the run is the last record of the open frame of the Outbox. So the run
     * cannot complete before the fetch has been sent with it. A run counts once in the Pending of its communication
     * context, and only fetches of that context join it.
     *
     * Ownership and ordering. All state is accessed under the lock of the ProgressEngine, except the counts opened and
     * completed, which any thread loads with acquire. opened is stored with release when a run is opened. completed is
     * stored with release after the values of a run have been stored, and before Pending.end(). So a thread that sees a
     * run as completed also sees its values.
     */
    static
    {
        try
        {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            OPENED = lookup.findVarHandle(FetchRuns.class, "opened", long.class);
            COMPLETED = lookup.findVarHandle(FetchRuns.class, "completed", long.class);
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new ExceptionInInitializerError(ex);
        }
    }

    private final int[] counts = new int[CAPACITY];
    private final int[] widths = new int[CAPACITY];
    private final Object[] dests = new Object[CAPACITY];
    private final Pending[] pending = new Pending[CAPACITY];
    private long[] destAddresses;
    private long opened;
    /** Runs whose frame has left. */
    private long sent;
    private long completed;
    /** Words of the run that is answered now which have arrived. */
    private int arrived;
    /** Index in the open frame and kind of the run that was opened last. */
    private int openIndex;
    private long openKind;

    /** Returns the number of runs that were opened; any thread, as the next. */
    long opened()
    {
        return (long)OPENED.getAcquire(this);
    }

    /** Returns the number of runs whose values have been stored. */
    long completed()
    {
        return (long)COMPLETED.getAcquire(this);
    }

    boolean isIdle()
    {
        return opened == completed;
    }

    /** Returns whether another run may be opened. Any thread, for which the answer may be outdated. */
    boolean hasRoom()
    {
        return CAPACITY != opened() - completed();
    }

    /**
     * Appends a fetch to the open frame, in the run that is its last record or in a new one.
     *
     * @param kind     of the operation, see {@link RecordDescriptor#atomicKind}.
     * @param dest array that the previous value is stored in, or what keeps its memory allocated, or null.
     * @return false if the frame or the table of runs is full.
     */
    boolean append(
        final Outbox outbox,
        final long kind,
        final long offset,
        final long value,
        final Object dest,
        final long destAddress,
        final Pending counter)
    {
        if (0 == reserve(outbox, kind, dest, counter))
        {
            return false;
        }

        final int slot = (int)(opened - 1) & MASK;
        final MutableDirectBuffer frame = outbox.frame();
        final int index = outbox.appendIndex();
        frame.putLong(index, offset);
        if (AtomicOp.FETCH != kindOperation(kind))
        {
            frame.putLong(index + Long.BYTES, value);
        }

        destAddresses[slot * LENGTH_LIMIT + counts[slot]] = destAddress;
        extend(outbox, slot, 1, wordLength(kind));
        return true;
    }

    /**
     * Appends fetches of one kind, each an offset, the operand if the operation has one, and the address of its
     * destination.
     *
     * @param entryLength from one fetch to the next, in bytes.
     * @return the number of those that there was room for.
     */
    int append(
        final Outbox outbox,
        final long kind,
        final long entries,
        final int entryLength,
        final int count,
        final Object dest,
        final Pending counter)
    {
        final int wordLength = wordLength(kind);
        int appended = 0;
        while (appended < count)
        {
            final int more = Math.min(reserve(outbox, kind, dest, counter), count - appended);
            if (0 == more)
            {
                break;
            }

            final int slot = (int)(opened - 1) & MASK;
            final int destIndex = slot * LENGTH_LIMIT + counts[slot];
            final long words = outbox.frame().addressOffset() + outbox.appendIndex();
            for (int i = 0; i < more; i++)
            {
                final long entry = entries + (long)(appended + i) * entryLength;
                final long word = words + (long)i * wordLength;
                UnsafeApi.putLong(word, UnsafeApi.getLong(entry));
                if (Long.BYTES != wordLength)
                {
                    UnsafeApi.putLong(word + Long.BYTES, UnsafeApi.getLong(entry + Long.BYTES));
                }

                destAddresses[destIndex + i] = BatchRing.destAddress(entry, entryLength);
            }

            extend(outbox, slot, more, wordLength);
            appended += more;
        }

        return appended;
    }

    private static int wordLength(final long kind)
    {
        return AtomicOp.FETCH == kindOperation(kind) ? FETCH_RUN_WORD : FETCH_ATOMIC_RUN_PAIR;
    }

    /**
     * Returns the number of fetches that may join the run that is the last record of the open frame, which is a new one
     * if none may; 0 if the frame or the table of runs is full.
     */
    private int reserve(final Outbox outbox, final long kind, final Object dest, final Pending counter)
    {
        final int wordLength = wordLength(kind);
        final int slot = (int)(opened - 1) & MASK;
        if (kind == openKind && outbox.lastIndex() == openIndex && 0 != openIndex && counts[slot] < LENGTH_LIMIT &&
            pending[slot] == counter && dests[slot] == dest)
        {
            return Math.min(LENGTH_LIMIT - counts[slot], outbox.room() / wordLength);
        }

        if (!hasRoom() || !outbox.hasRoom(FETCH_RUN_LENGTH + wordLength))
        {
            return 0;
        }

        open(outbox, kind, dest, counter);
        return Math.min(LENGTH_LIMIT, outbox.room() / wordLength);
    }

    private void extend(final Outbox outbox, final int slot, final int count, final int wordLength)
    {
        outbox.extend(count * wordLength);
        counts[slot] += count;
        outbox.frame().putInt(openIndex + FETCH_RUN_SIZE, groupSize(wordLength, counts[slot]));
    }

    private void open(final Outbox outbox, final long kind, final Object dest, final Pending counter)
    {
        if (null == destAddresses)
        {
            destAddresses = new long[CAPACITY * LENGTH_LIMIT];
        }

        final int slot = (int)opened & MASK;
        counts[slot] = 0;
        widths[slot] = kindWidth(kind);
        dests[slot] = dest;
        pending[slot] = counter;
        counter.begin();

        final MutableDirectBuffer frame = outbox.frame();
        openKind = kind;
        openIndex = outbox.appendIndex();
        frame.putLong(
            openIndex, AtomicOp.FETCH == kindOperation(kind) ? FETCH_RUN_HEADER : FETCH_ATOMIC_RUN_HEADER);
        frame.putLong(openIndex + FETCH_RUN_KIND, kind);
        frame.putInt(openIndex + FETCH_RUN_NUMBER, (int)opened);
        outbox.append(FETCH_RUN_LENGTH, false);
        OPENED.setRelease(this, opened + 1);
    }

    /** Forbids further fetches to join the last run, and accepts replies: the frame of all open runs has left. */
    void onFrameSent()
    {
        sent = opened;
        openIndex = 0;
    }

    /**
     * Stores values of the first run that is not complete.
     *
     * @param address of the values.
     * @return false if the peer owes no such values.
     */
    boolean onReply(final int number, final int position, final int count, final long address)
    {
        final int slot = (int)completed & MASK;
        if (completed == sent || (int)completed != number ||
            position != arrived || count < 1 || count > counts[slot] - position)
        {
            return false;
        }

        store(slot, position, count, address);
        arrived = position + count;
        if (arrived == counts[slot])
        {
            complete(slot);
        }

        return true;
    }

    private void store(final int slot, final int position, final int count, final long address)
    {
        final Object base = MemoryOps.baseOf(dests[slot]);
        final int from = slot * LENGTH_LIMIT + position;
        if (Long.BYTES == widths[slot])
        {
            for (int i = 0; i < count; i++)
            {
                UnsafeApi.putLong(base, destAddresses[from + i], UnsafeApi.getLong(address + (long)i * Long.BYTES));
            }
        }
        else
        {
            for (int i = 0; i < count; i++)
            {
                UnsafeApi.putInt(base, destAddresses[from + i], UnsafeApi.getInt(address + (long)i * Long.BYTES));
            }
        }
    }

    private void complete(final int slot)
    {
        final Pending counter = pending[slot];
        arrived = 0;
        pending[slot] = null;
        dests[slot] = null;
        COMPLETED.setRelease(this, completed + 1);
        counter.end();
    }
}
