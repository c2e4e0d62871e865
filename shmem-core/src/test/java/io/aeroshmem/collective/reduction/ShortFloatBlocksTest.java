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
package io.aeroshmem.collective.reduction;

import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Blocks of HALF and BFLOAT16 against the same elements combined one by one, which {@link ReductionTest} compares with
 * the oracle. Its blocks nearly all hold a NaN and so are combined one by one too; those here hold none, or one.
 */
@Tag("vector")
@Tag("jdk")
class ShortFloatBlocksTest
{
    private static final int VALUES = 1 << 16;
    private static final int MAGNITUDES = 0x7fff;

    private final ByteBuffer memory = BufferUtil.allocateDirectAligned(3 * VALUES * Short.BYTES, 64);
    private final long left = BufferUtil.address(memory);
    private final long right = left + VALUES * Short.BYTES;
    private final long dest = right + VALUES * Short.BYTES;
    private final SplittableRandom random = new SplittableRandom(1);

    @ParameterizedTest
    @CsvSource({
        "SUM, HALF", "PROD, HALF", "MAX, HALF", "MIN, HALF",
        "SUM, BFLOAT16", "PROD, BFLOAT16", "MAX, BFLOAT16", "MIN, BFLOAT16"})
    void shouldCombineBlocksAsSingleElements(final ReduceOp op, final ElementType type)
    {
        final Reduction reduction = Reduction.of(op, type);
        final int infinity = ElementType.HALF == type ? 0x7c00 : 0x7f80;
        final int fractionBits = Integer.numberOfTrailingZeros(infinity);
        // Without infinities, then with some, then with NaNs.
        for (final int limit : new int[]{infinity, infinity + 1, MAGNITUDES + 1})
        {
            final int count = fillLeft(limit);
            for (int i = 0; i < count; i++)
            {
                putRight(i, randomBelow(limit));
            }

            assertCombines(reduction, count);
            for (int i = 0; i < count; i++)
            {
                putRight(i, oneOrTwo(type) | signOrNone());
            }

            assertCombines(reduction, count);
            for (int i = 0; i < count; i++)
            {
                putRight(i, halfOfLastBit(i, infinity, fractionBits));
            }

            assertCombines(reduction, count);
            // An infinity less the greatest number.
            for (int i = 0; i < count; i++)
            {
                putRight(i, (~UnsafeApi.getShort(left + 2L * i) & ~MAGNITUDES) | (infinity - 1));
            }

            assertCombines(reduction, count);
            // Products round where the subnormal numbers end.
            for (int i = 0; i < count; i++)
            {
                final int magnitude = UnsafeApi.getShort(left + 2L * i) & MAGNITUDES;
                final int inverse = (infinity >>> 1) + random.nextInt(1 << fractionBits) - magnitude;
                putRight(i, Math.max(0, Math.min(limit - 1, inverse)) | signOrNone());
            }

            assertCombines(reduction, count);
        }
    }

    /** Stores every number of a magnitude below the limit, of both signs: the greatest first, within the blocks. */
    private int fillLeft(final int limit)
    {
        int count = 0;
        for (int magnitude = limit - 1; magnitude >= 0; magnitude--)
        {
            UnsafeApi.putShort(left + 2L * count++, (short)magnitude);
            UnsafeApi.putShort(left + 2L * count++, (short)(magnitude | ~MAGNITUDES));
        }

        return count;
    }

    private void putRight(final int index, final int bits)
    {
        UnsafeApi.putShort(right + 2L * index, (short)bits);
    }

    private int randomBelow(final int limit)
    {
        return random.nextInt(limit) | signOrNone();
    }

    private int signOrNone()
    {
        return random.nextBoolean() ? ~MAGNITUDES : 0;
    }

    /** Returns a number from 1 to 2: products with it have twice the digits. */
    private int oneOrTwo(final ElementType type)
    {
        return ElementType.HALF == type ? 0x3c00 + random.nextInt(1 << 10) : 0x3f80 + random.nextInt(1 << 7);
    }

    /** Returns half of the last bit of the left number, so that the sum is a tie, or a number beside it. */
    private int halfOfLastBit(final int index, final int infinity, final int fractionBits)
    {
        final int exponents = UnsafeApi.getShort(left + 2L * index) & infinity;
        final int half = Math.max(0, exponents - ((fractionBits + 1) << fractionBits));
        return Math.max(0, half + random.nextInt(3) - 1) | signOrNone();
    }

    private void assertCombines(final Reduction reduction, final int count)
    {
        reduction.combine(null, dest, null, left, null, right, count);
        for (int i = 0; i < count; i++)
        {
            final long offset = 2L * i;
            final short a = UnsafeApi.getShort(left + offset);
            final short b = UnsafeApi.getShort(right + offset);
            reduction.combine(null, left + offset, null, left + offset, null, right + offset, 1);
            final short expected = UnsafeApi.getShort(left + offset);
            UnsafeApi.putShort(left + offset, a);
            final short actual = UnsafeApi.getShort(dest + offset);
            if (expected != actual)
            {
                assertEquals(Integer.toHexString(expected & 0xffff), Integer.toHexString(actual & 0xffff),
                    () -> reduction + " of " + Integer.toHexString(a & 0xffff) + " and " +
                        Integer.toHexString(b & 0xffff));
            }
        }
    }
}
