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
package io.aeroshmem.rma;

import io.aeroshmem.config.Arguments;
import io.aeroshmem.transport.Pending;
import io.aeroshmem.transport.Transport;
import org.agrona.UnsafeApi;

/**
 * Loops over the elements or blocks of a strided transfer. Steps are distances in bytes from one element or block to
 * the next. Arguments have been checked.
 * <p>
 * Puts, and gets from mapped peers, transfer elements of 1 to 8 bytes as single elements, so that none of them tears.
 * Elements of 16 bytes, and blocks, are transferred as blocks.
 * <p>
 * A get by messages is a round trip. So {@code startGets} issues a nonblocking get for each element or block, and
 * counts these gets in a {@link Pending}. The caller then waits for all of them.
 */
public final class Strided
{
    private Strided()
    {
    }

    /**
     * Returns the bytes from the first element of a strided range to the end of its last; {@link Long#MAX_VALUE} on
     * overflow.
     */
    public static long extent(final long stride, final long blockSize, final long nblocks, final int elementBytes)
    {
        if (0 == nblocks || 0 == blockSize)
        {
            return 0;
        }

        final long gaps = nblocks - 1;
        if (Math.multiplyHigh(gaps, stride) != 0 || gaps * stride < 0)
        {
            return Long.MAX_VALUE;
        }

        final long elements = gaps * stride + blockSize;
        return elements < 0 || elements > Long.MAX_VALUE / elementBytes ? Long.MAX_VALUE : elements * elementBytes;
    }

    /** Checks the arguments of a strided transfer but its buffers; throws what the routine is documented to throw. */
    public static void check(
        final long destStride,
        final long sourceStride,
        final long blockSize,
        final long count,
        final int elementBytes)
    {
        if (elementBytes < 1 || elementBytes > 16 || Integer.bitCount(elementBytes) != 1)
        {
            throw Arguments.mustBe("elementBytes", "1, 2, 4, 8 or 16", elementBytes);
        }

        Arguments.notNegative(count, "number of elements or blocks");
        Arguments.notNegative(blockSize, "blockSize");
        checkStride("destStride", destStride, blockSize);
        checkStride("sourceStride", sourceStride, blockSize);
    }

    static void put(
        final Transport transport,
        final int pe,
        final int region,
        final long destOffset,
        final long destStep,
        final long sourceAddress,
        final long sourceStep,
        final long count,
        final int elementBytes)
    {
        long dest = destOffset;
        long source = sourceAddress;
        switch (elementBytes)
        {
            case Byte.BYTES:
                for (long i = 0; i < count; i++, dest += destStep, source += sourceStep)
                {
                    transport.putByte(pe, region, dest, UnsafeApi.getByte(null, source));
                }

                break;

            case Short.BYTES:
                for (long i = 0; i < count; i++, dest += destStep, source += sourceStep)
                {
                    transport.putShort(pe, region, dest, UnsafeApi.getShort(null, source));
                }

                break;

            case Integer.BYTES:
                for (long i = 0; i < count; i++, dest += destStep, source += sourceStep)
                {
                    transport.putInt(pe, region, dest, UnsafeApi.getInt(null, source));
                }

                break;

            case Long.BYTES:
                for (long i = 0; i < count; i++, dest += destStep, source += sourceStep)
                {
                    transport.putLong(pe, region, dest, UnsafeApi.getLong(null, source));
                }

                break;

            default:
                transport.putStrided(
                    pe, region, destOffset, destStep, sourceAddress, sourceStep, count, elementBytes);
                break;
        }
    }

    static void get(
        final Transport transport,
        final int pe,
        final int region,
        final long sourceOffset,
        final long sourceStep,
        final long destAddress,
        final long destStep,
        final long count,
        final int elementBytes)
    {
        long source = sourceOffset;
        long dest = destAddress;
        switch (elementBytes)
        {
            case Byte.BYTES:
                for (long i = 0; i < count; i++, dest += destStep, source += sourceStep)
                {
                    UnsafeApi.putByte(null, dest, transport.getByte(pe, region, source));
                }

                break;

            case Short.BYTES:
                for (long i = 0; i < count; i++, dest += destStep, source += sourceStep)
                {
                    UnsafeApi.putShort(null, dest, transport.getShort(pe, region, source));
                }

                break;

            case Integer.BYTES:
                for (long i = 0; i < count; i++, dest += destStep, source += sourceStep)
                {
                    UnsafeApi.putInt(null, dest, transport.getInt(pe, region, source));
                }

                break;

            case Long.BYTES:
                for (long i = 0; i < count; i++, dest += destStep, source += sourceStep)
                {
                    UnsafeApi.putLong(null, dest, transport.getLong(pe, region, source));
                }

                break;

            default:
                transport.getStrided(
                    pe, region, sourceOffset, sourceStep, destAddress, destStep, count, elementBytes);
                break;
        }
    }

    static void startGets(
        final Transport transport,
        final int pe,
        final int region,
        final long sourceOffset,
        final long sourceStep,
        final long destAddress,
        final long destStep,
        final long count,
        final long blockBytes,
        final Pending pending)
    {
        for (long i = 0; i < count; i++)
        {
            transport.getNbi(
                pe, region, sourceOffset + i * sourceStep, null, destAddress + i * destStep, blockBytes, pending);
        }
    }

    private static void checkStride(final String name, final long stride, final long blockSize)
    {
        if (stride < 1 || stride < blockSize)
        {
            throw Arguments.mustBe(name, ">= " + Math.max(1, blockSize), stride);
        }
    }
}
