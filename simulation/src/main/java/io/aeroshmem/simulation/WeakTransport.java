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
package io.aeroshmem.simulation;

import io.aeroshmem.simulation.WeakMemory.Lane;
import io.aeroshmem.transport.AtomicOp;
import io.aeroshmem.transport.Pending;
import io.aeroshmem.transport.Transport;
import org.agrona.UnsafeApi;

import java.util.ArrayList;
import java.util.List;

/**
 * Transport of a PE whose puts, signals, atomic updates and nonblocking gets and fetches take effect later, when its
 * {@link WeakMemory} performs them. A blocking put is copied when it is issued; the source of a nonblocking one is read
 * when it takes effect. Blocking gets and fetches act at once, a fetch after what a fence has ordered before it.
 */
final class WeakTransport implements Transport
{
    private static final long ARRAY_BASE = UnsafeApi.arrayBaseOffset(byte[].class);

    private final Transport next;
    private final WeakMemory memory;
    private final int me;
    /** Whether what it issues to a PE takes effect in the order of issue: for the library's own calls. */
    private final boolean isOrdered;

    WeakTransport(final Transport next, final WeakMemory memory, final int me, final boolean isOrdered)
    {
        this.next = next;
        this.memory = memory;
        this.me = me;
        this.isOrdered = isOrdered;
    }

    private Lane lane(final int pe)
    {
        return memory.lane(me, pe, isOrdered);
    }

    private void add(final int pe, final Runnable effect)
    {
        lane(pe).add(effect);
    }

    @Override
    public boolean isMessaging()
    {
        return true;
    }

    @Override
    public void putByte(final int pe, final int region, final long offset, final byte value)
    {
        add(pe, () -> next.putByte(pe, region, offset, value));
    }

    @Override
    public byte getByte(final int pe, final int region, final long offset)
    {
        completeOrdered(pe);
        return next.getByte(pe, region, offset);
    }

    @Override
    public void putShort(final int pe, final int region, final long offset, final short value)
    {
        add(pe, () -> next.putShort(pe, region, offset, value));
    }

    @Override
    public short getShort(final int pe, final int region, final long offset)
    {
        completeOrdered(pe);
        return next.getShort(pe, region, offset);
    }

    @Override
    public void putInt(final int pe, final int region, final long offset, final int value)
    {
        add(pe, () -> next.putInt(pe, region, offset, value));
    }

    @Override
    public int getInt(final int pe, final int region, final long offset)
    {
        completeOrdered(pe);
        return next.getInt(pe, region, offset);
    }

    @Override
    public void putLong(final int pe, final int region, final long offset, final long value)
    {
        add(pe, () -> next.putLong(pe, region, offset, value));
    }

    @Override
    public long getLong(final int pe, final int region, final long offset)
    {
        completeOrdered(pe);
        return next.getLong(pe, region, offset);
    }

    @Override
    public void put(
        final int pe, final int region, final long offset, final Object base, final long address, final long length)
    {
        pieces(pe, region, offset, base, address, length).forEach(lane(pe)::add);
    }

    /** Returns the effects of a block, whose source may be reused. */
    private List<Runnable> pieces(
        final int pe, final int region, final long offset, final Object base, final long address, final long length)
    {
        final byte[] block = new byte[Math.toIntExact(length)];
        UnsafeApi.copyMemory(base, address, block, ARRAY_BASE, length);
        return pieces(length, (from, bytes) -> next.put(pe, region, offset + from, block, ARRAY_BASE + from, bytes));
    }

    private List<Runnable> pieces(final long length, final Piece effect)
    {
        final List<Runnable> pieces = new ArrayList<>();
        if (length > 0)
        {
            final long first = memory.piece(length);
            pieces.add(() -> effect.put(0, first));
            if (first < length)
            {
                pieces.add(() -> effect.put(first, length - first));
            }
        }

        return pieces;
    }

    @Override
    public void get(
        final int pe, final int region, final long offset, final Object base, final long address, final long length)
    {
        completeOrdered(pe);
        next.get(pe, region, offset, base, address, length);
    }

    @Override
    public void putNbi(final int pe, final int region, final long offset, final long address, final long length)
    {
        pieces(length, (from, bytes) -> next.putNbi(pe, region, offset + from, address + from, bytes))
            .forEach(lane(pe)::add);
    }

    @Override
    public void getNbi(
        final int pe,
        final int region,
        final long offset,
        final Object dest,
        final long address,
        final long length,
        final Pending pending)
    {
        pending.begin();
        lane(pe).addReturning(() ->
        {
            next.getNbi(pe, region, offset, dest, address, length, pending);
            pending.end();
        });
    }

    @Override
    public void signal(
        final int pe, final int region, final long offset, final long value, final int signalOperation)
    {
        add(pe, () -> next.signal(pe, region, offset, value, signalOperation));
    }

    @Override
    public void putSignal(
        final int pe,
        final int region,
        final long offset,
        final Object base,
        final long address,
        final long length,
        final int signalRegion,
        final long signalOffset,
        final long value,
        final int signalOperation)
    {
        lane(pe).add(
            pieces(pe, region, offset, base, address, length),
            () -> next.signal(pe, signalRegion, signalOffset, value, signalOperation));
    }

    @Override
    public void atomicInt(final int pe, final int op, final int region, final long offset, final int value)
    {
        add(pe, () -> next.atomicInt(pe, op, region, offset, value));
    }

    @Override
    public int fetchAtomicInt(
        final int pe, final int op, final int region, final long offset, final int value, final int cond)
    {
        completeFenced(pe);
        final int previous = next.fetchAtomicInt(pe, op, region, offset, value, cond);
        onFetched(pe, op, previous, cond);
        return previous;
    }

    @Override
    public void fetchAtomicIntNbi(
        final int pe,
        final int op,
        final int region,
        final long offset,
        final int value,
        final int cond,
        final long address,
        final Pending pending)
    {
        pending.begin();
        lane(pe).addReturning(() ->
        {
            next.fetchAtomicIntNbi(pe, op, region, offset, value, cond, address, pending);
            pending.end();
        });
    }

    @Override
    public void atomicLong(final int pe, final int op, final int region, final long offset, final long value)
    {
        add(pe, () -> next.atomicLong(pe, op, region, offset, value));
    }

    @Override
    public long fetchAtomicLong(
        final int pe, final int op, final int region, final long offset, final long value, final long cond)
    {
        completeFenced(pe);
        final long previous = next.fetchAtomicLong(pe, op, region, offset, value, cond);
        onFetched(pe, op, previous, cond);
        return previous;
    }

    @Override
    public void fetchAtomicLongNbi(
        final int pe,
        final int op,
        final int region,
        final long offset,
        final long value,
        final long cond,
        final long address,
        final Pending pending)
    {
        pending.begin();
        lane(pe).addReturning(() ->
        {
            next.fetchAtomicLongNbi(pe, op, region, offset, value, cond, address, pending);
            pending.end();
        });
    }

    private void onFetched(final int pe, final int op, final long previous, final long cond)
    {
        if (AtomicOp.FETCH != op && (AtomicOp.COMPARE_SWAP != op || previous == cond))
        {
            memory.onPerformed(pe);
        }
    }

    /** A fence orders no gets, but those of the library's own calls follow what these have issued before. */
    private void completeOrdered(final int pe)
    {
        if (isOrdered)
        {
            completeFenced(pe);
        }
    }

    private void completeFenced(final int pe)
    {
        final Lane lane = lane(pe);
        while (lane.isAnyBeforeFence())
        {
            lane.performOne();
        }
    }

    @Override
    public void fence(final int pe)
    {
        lane(pe).fence();
    }

    @Override
    public void quiet(final int pe)
    {
        final Lane lane = lane(pe);
        while (!lane.isQuiet())
        {
            memory.await(lane);
        }
    }

    @Override
    public boolean isQuiet(final int pe)
    {
        return lane(pe).isQuiet();
    }

    /** Has a part of a block take effect. */
    private interface Piece
    {
        void put(long from, long bytes);
    }
}
