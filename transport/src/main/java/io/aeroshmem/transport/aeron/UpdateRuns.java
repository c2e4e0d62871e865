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
import io.aeroshmem.transport.mapped.MemoryOps;
import org.agrona.UnsafeApi;

import static io.aeroshmem.transport.aeron.RecordDescriptor.UPDATE_RUN_PAIR;

/**
 * Loops that perform the operations of a run on host memory. A run is a record of several updates or several fetches,
 * see {@link RecordDescriptor}. An entry of a run is an offset from a base, followed by a value if the operation has
 * one. The offsets are not checked here.
 */
final class UpdateRuns
{
    private UpdateRuns()
    {
    }

    /** Stores elements of 1, 2, 4 or 8 bytes. */
    static void put(final long base, final long pairs, final int count, final int width)
    {
        final long end = pairs + (long)count * UPDATE_RUN_PAIR;
        for (long pair = pairs; pair < end; pair += UPDATE_RUN_PAIR)
        {
            final long dest = base + UnsafeApi.getLong(pair);
            final long value = UnsafeApi.getLong(pair + Long.BYTES);
            switch (width)
            {
                case Long.BYTES -> UnsafeApi.putLongOpaque(null, dest, value);
                case Integer.BYTES -> UnsafeApi.putIntOpaque(null, dest, (int)value);
                case Short.BYTES -> UnsafeApi.putShortOpaque(null, dest, (short)value);
                default -> UnsafeApi.putByteOpaque(null, dest, (byte)value);
            }
        }
    }

    /**
     * Updates words of 4 or 8 bytes as {@link MemoryOps#atomicLong} does.
     *
     * @param isClaimed true if nothing else updates them meanwhile, see {@link WordOwnership}.
     */
    static void update(
        final long base,
        final long pairs,
        final int count,
        final int width,
        final int operation,
        final boolean isClaimed)
    {
        final long end = pairs + (long)count * UPDATE_RUN_PAIR;
        if (isClaimed && Long.BYTES == width && AtomicOp.ADD == operation)
        {
            for (long pair = pairs; pair < end; pair += UPDATE_RUN_PAIR)
            {
                MemoryOps.fetchUpdateLong(
                    base + UnsafeApi.getLong(pair), AtomicOp.ADD, UnsafeApi.getLong(pair + Long.BYTES));
            }

            return;
        }

        for (long pair = pairs; pair < end; pair += UPDATE_RUN_PAIR)
        {
            updateWord(
                base + UnsafeApi.getLong(pair), UnsafeApi.getLong(pair + Long.BYTES), width, operation, isClaimed);
        }
    }

    private static void updateWord(
        final long address, final long value, final int width, final int operation, final boolean isClaimed)
    {
        if (Long.BYTES == width)
        {
            if (isClaimed)
            {
                MemoryOps.fetchUpdateLong(address, operation, value);
            }
            else
            {
                MemoryOps.atomicLong(address, operation, value);
            }
        }
        else if (isClaimed)
        {
            MemoryOps.fetchUpdateInt(address, operation, (int)value);
        }
        else
        {
            MemoryOps.atomicInt(address, operation, (int)value);
        }
    }

    /**
     * Performs fetches of words of 4 or 8 bytes as {@link MemoryOps#fetchAtomicLong} does, and stores the previous
     * values one after another, in 8 bytes each.
     *
     * @param fetches    offsets, each followed by an operand unless the operation is FETCH.
     * @param stepLength from one fetch to the next, in bytes.
     */
    static void fetch(
        final long base,
        final long fetches,
        final int stepLength,
        final int count,
        final int width,
        final int operation,
        final boolean isClaimed,
        final long values)
    {
        if (Long.BYTES == width && AtomicOp.FETCH == operation)
        {
            for (int i = 0; i < count; i++)
            {
                final long offset = UnsafeApi.getLong(fetches + (long)i * stepLength);
                UnsafeApi.putLong(values + (long)i * Long.BYTES, UnsafeApi.getLongVolatile(null, base + offset));
            }

            return;
        }

        for (int i = 0; i < count; i++)
        {
            final long fetch = fetches + (long)i * stepLength;
            final long operand = AtomicOp.FETCH == operation ? 0 : UnsafeApi.getLong(fetch + Long.BYTES);
            UnsafeApi.putLong(
                values + (long)i * Long.BYTES,
                fetch(base + UnsafeApi.getLong(fetch), width, operation, operand, 0, isClaimed));
        }
    }

    /** Updates a word of 4 or 8 bytes as {@link MemoryOps#fetchAtomicLong} does, and returns its previous value. */
    static long fetch(
        final long address,
        final int width,
        final int operation,
        final long value,
        final long condition,
        final boolean isClaimed)
    {
        // a fetch alone must not store; and one that compares stays on the path of the others that do
        if (isClaimed && AtomicOp.FETCH != operation && AtomicOp.COMPARE_SWAP != operation)
        {
            return Long.BYTES == width ?
                MemoryOps.fetchUpdateLong(address, operation, value) :
                MemoryOps.fetchUpdateInt(address, operation, (int)value);
        }

        return Long.BYTES == width ?
            MemoryOps.fetchAtomicLong(address, operation, value, condition) :
            MemoryOps.fetchAtomicInt(address, operation, (int)value, (int)condition);
    }
}
