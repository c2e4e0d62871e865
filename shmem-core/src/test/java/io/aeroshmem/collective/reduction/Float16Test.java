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

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertEquals;

@Tag("jdk")
class Float16Test
{
    private static final int VALUES = 1 << 16;

    @Test
    void shouldConvertEveryHalfToFloatAndBack()
    {
        for (int bits = 0; bits < VALUES; bits++)
        {
            final short half = (short)bits;
            final float value = Float16.halfToFloat(half);
            assertSame(ExactShortFloat.HALF.value(half), value, bits);
            assertEquals(ExactShortFloat.HALF.isNan(half) ? 0x7e00 : half, Float16.floatToHalf(value), "" + value);
        }
    }

    @Test
    void shouldConvertEveryBfloat16ToFloatAndBack()
    {
        for (int bits = 0; bits < VALUES; bits++)
        {
            final short element = (short)bits;
            final float value = Float16.bfloat16ToFloat(element);
            assertSame(ExactShortFloat.BFLOAT16.value(element), value, bits);
            assertEquals(
                ExactShortFloat.BFLOAT16.isNan(element) ? 0x7fc0 : element, Float16.floatToBfloat16(value));
        }
    }

    private static void assertSame(final float expected, final float actual, final int bits)
    {
        assertEquals(Float.floatToIntBits(expected), Float.floatToIntBits(actual), Integer.toHexString(bits));
    }

    @Test
    @Tag("ci")
    void shouldRoundToNearestEvenAroundEveryValueOfHalf()
    {
        for (int bits = 0; bits < VALUES; bits++)
        {
            final float value = Float16.halfToFloat((short)bits);
            final float next = 0x7bff == (bits & 0x7fff) ?
                Math.copySign(65536, value) : Float16.halfToFloat((short)(bits + 1));
            assertRoundsBetween(value, next);
        }
    }

    @Test
    @Tag("ci")
    void shouldRoundToNearestEvenAroundEveryValueOfBfloat16()
    {
        for (int bits = 0; bits < VALUES; bits++)
        {
            final float value = Float16.bfloat16ToFloat((short)bits);
            assertRoundsBetween(value, Float16.bfloat16ToFloat((short)(bits + 1)));
        }

        assertRounds(Float.MAX_VALUE);
        assertRounds(-Float.MAX_VALUE);
    }

    /** The middle of two neighbours, a tie, and the floats beside it. */
    private static void assertRoundsBetween(final float value, final float next)
    {
        final float middle = value + (next - value) / 2;
        assertRounds(middle);
        assertRounds(Math.nextUp(middle));
        assertRounds(Math.nextDown(middle));
        assertRounds(Math.nextUp(value));
        assertRounds(Math.nextDown(value));
    }

    @Test
    @Tag("ci")
    void shouldRoundAnyFloat()
    {
        final SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 100_000; i++)
        {
            assertRounds(Float.intBitsToFloat(random.nextInt()));
            assertRounds((float)Math.scalb(random.nextDouble(-1, 1), random.nextInt(-30, 20)));
        }
    }

    private static void assertRounds(final float value)
    {
        assertEquals(ExactShortFloat.HALF.round(value), Float16.floatToHalf(value), "half of " + value);
        assertEquals(ExactShortFloat.BFLOAT16.round(value), Float16.floatToBfloat16(value), "bfloat16 of " + value);
    }
}
