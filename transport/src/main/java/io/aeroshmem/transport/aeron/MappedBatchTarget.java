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
import io.aeroshmem.transport.mapped.MappedTransport;
import io.aeroshmem.transport.mapped.MemoryOps;
import org.agrona.UnsafeApi;

import static io.aeroshmem.transport.aeron.RecordDescriptor.*;

/**
 * {@link BatchTarget} for a PE whose memory is mapped. It performs the operations that a {@link BatchRing} has
 * gathered, in one pass.
 */
final class MappedBatchTarget implements BatchTarget
{
    private final MappedTransport transport;
    private final ProgressEngine engine;
    private final int pe;
    /** Ownership of this PE's words; null for another PE. */
    private final WordOwnership ownership;

    MappedBatchTarget(final MappedTransport transport, final ProgressEngine engine, final int pe)
    {
        this.transport = transport;
        this.engine = engine;
        this.pe = pe;
        ownership = engine.pe() == pe ? engine.ownership() : null;
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
        final boolean isClaimed = null != ownership && ownership.isClaimed();
        if (null != pending)
        {
            fetch(base, kind, entries, entryLength, count, MemoryOps.baseOf(dest), isClaimed);
        }
        else if (isAtomic(kind))
        {
            UpdateRuns.update(base, entries, count, kindWidth(kind), kindOperation(kind), isClaimed);
        }
        else
        {
            UpdateRuns.put(base, entries, count, elementWidth(kind));
        }

        return count;
    }

    private static void fetch(
        final long base,
        final long kind,
        final long entries,
        final int entryLength,
        final int count,
        final Object destBase,
        final boolean isClaimed)
    {
        final int operation = kindOperation(kind);
        final int width = kindWidth(kind);
        final long end = entries + (long)count * entryLength;
        if (Long.BYTES == width && AtomicOp.FETCH == operation)
        {
            for (long entry = entries; entry < end; entry += entryLength)
            {
                UnsafeApi.putLong(
                    destBase,
                    BatchRing.destAddress(entry, entryLength),
                    UnsafeApi.getLongVolatile(null, base + UnsafeApi.getLong(entry)));
            }

            return;
        }

        for (long entry = entries; entry < end; entry += entryLength)
        {
            final long before = UpdateRuns.fetch(
                base + UnsafeApi.getLong(entry), width, operation, UnsafeApi.getLong(entry + Long.BYTES), 0, isClaimed);
            final long dest = BatchRing.destAddress(entry, entryLength);
            if (Long.BYTES == width)
            {
                UnsafeApi.putLong(destBase, dest, before);
            }
            else
            {
                UnsafeApi.putInt(destBase, dest, (int)before);
            }
        }
    }
}
