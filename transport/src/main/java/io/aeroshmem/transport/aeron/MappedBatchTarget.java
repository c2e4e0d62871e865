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
import io.aeroshmem.transport.mapped.MappedTransport;
import io.aeroshmem.transport.mapped.MemoryOps;
import org.agrona.UnsafeApi;

import static io.aeroshmem.transport.aeron.RecordDescriptor.*;

/** Performs what has gathered for a PE whose memory is mapped, in one pass. */
final class MappedBatchTarget implements BatchTarget
{
    private final MappedTransport transport;
    private final ProgressEngine engine;
    private final int pe;

    MappedBatchTarget(final MappedTransport transport, final ProgressEngine engine, final int pe)
    {
        this.transport = transport;
        this.engine = engine;
        this.pe = pe;
    }

    @Override
    public void add(final BatchRing ring)
    {
        engine.addMappedBatch(ring);
    }

    @Override
    public void remove(final BatchRing ring)
    {
        engine.removeMappedBatch(ring);
    }

    @Override
    public boolean isPathEmpty()
    {
        return true;
    }

    @Override
    public int submit(final BatchRing ring)
    {
        ring.drain();
        return 0;
    }

    @Override
    public int take(
        final long kind,
        final long entries,
        final int entryLength,
        final int count,
        final Object dest,
        final Pending pending)
    {
        final long base = transport.address(pe, kindRegion(kind), 0);
        final long end = entries + (long)count * entryLength;
        if (null != pending)
        {
            fetch(base, kind, entries, end, entryLength, MemoryOps.baseOf(dest));
        }
        else if (isAtomic(kind))
        {
            update(base, kind, entries, end, entryLength);
        }
        else
        {
            put(base, kind, entries, end, entryLength);
        }
        return count;
    }

    private static void update(
        final long base, final long kind, final long entries, final long end, final int entryLength)
    {
        final int operation = kindOperation(kind);
        final boolean isLong = Long.BYTES == kindWidth(kind);
        for (long entry = entries; entry < end; entry += entryLength)
        {
            final long address = base + UnsafeApi.getLong(entry);
            final long value = UnsafeApi.getLong(entry + Long.BYTES);
            if (isLong)
            {
                MemoryOps.atomicLong(address, operation, value);
            }
            else
            {
                MemoryOps.atomicInt(address, operation, (int)value);
            }
        }
    }

    private static void put(
        final long base, final long kind, final long entries, final long end, final int entryLength)
    {
        final int width = elementWidth(kind);
        for (long entry = entries; entry < end; entry += entryLength)
        {
            final long address = base + UnsafeApi.getLong(entry);
            final long value = UnsafeApi.getLong(entry + Long.BYTES);
            switch (width)
            {
                case Byte.BYTES -> UnsafeApi.putByteOpaque(null, address, (byte)value);
                case Short.BYTES -> UnsafeApi.putShortOpaque(null, address, (short)value);
                case Integer.BYTES -> UnsafeApi.putIntOpaque(null, address, (int)value);
                default -> UnsafeApi.putLongOpaque(null, address, value);
            }
        }
    }

    private static void fetch(
        final long base,
        final long kind,
        final long entries,
        final long end,
        final int entryLength,
        final Object destBase)
    {
        final int operation = kindOperation(kind);
        final boolean isLong = Long.BYTES == kindWidth(kind);
        for (long entry = entries; entry < end; entry += entryLength)
        {
            final long address = base + UnsafeApi.getLong(entry);
            final long operand = UnsafeApi.getLong(entry + Long.BYTES);
            final long dest = BatchRing.destAddress(entry, entryLength);
            if (isLong)
            {
                UnsafeApi.putLong(destBase, dest, MemoryOps.fetchAtomicLong(address, operation, operand, 0));
            }
            else
            {
                UnsafeApi.putInt(destBase, dest, MemoryOps.fetchAtomicInt(address, operation, (int)operand, 0));
            }
        }
    }
}
