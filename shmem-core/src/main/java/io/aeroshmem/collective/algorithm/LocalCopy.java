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
package io.aeroshmem.collective.algorithm;

import io.aeroshmem.transport.mapped.MemoryOps;
import org.agrona.UnsafeApi;

/**
 * Copies within this process, between blocks, slots and private memory.
 */
final class LocalCopy
{
    private LocalCopy()
    {
    }

    /**
     * Copies a block. A block of 8 bytes, the most frequent one where latency matters, takes a load and a store instead
     * of a call of some ten nanoseconds.
     */
    static void copy(final long from, final long to, final long length)
    {
        if (Long.BYTES == length)
        {
            UnsafeApi.putLong(to, UnsafeApi.getLong(from));
        }
        else
        {
            MemoryOps.copy(null, from, null, to, length);
        }
    }

    /**
     * Copies elements with a stride.
     *
     * @param fromStep     distance of elements in bytes.
     * @param toStep       distance of their destinations in bytes.
     * @param elementBytes 1, 2, 4, 8 or 16.
     */
    static void copyStrided(
        final long from,
        final long fromStep,
        final long to,
        final long toStep,
        final long count,
        final int elementBytes)
    {
        long source = from;
        long dest = to;
        switch (elementBytes)
        {
            case Byte.BYTES:
                for (long i = 0; i < count; i++, source += fromStep, dest += toStep)
                {
                    UnsafeApi.putByte(dest, UnsafeApi.getByte(source));
                }

                break;

            case Short.BYTES:
                for (long i = 0; i < count; i++, source += fromStep, dest += toStep)
                {
                    UnsafeApi.putShort(dest, UnsafeApi.getShort(source));
                }

                break;

            case Integer.BYTES:
                for (long i = 0; i < count; i++, source += fromStep, dest += toStep)
                {
                    UnsafeApi.putInt(dest, UnsafeApi.getInt(source));
                }

                break;

            case Long.BYTES:
                for (long i = 0; i < count; i++, source += fromStep, dest += toStep)
                {
                    UnsafeApi.putLong(dest, UnsafeApi.getLong(source));
                }

                break;

            default:
                for (long i = 0; i < count; i++, source += fromStep, dest += toStep)
                {
                    UnsafeApi.copyMemory(source, dest, elementBytes);
                }

                break;
        }
    }
}
