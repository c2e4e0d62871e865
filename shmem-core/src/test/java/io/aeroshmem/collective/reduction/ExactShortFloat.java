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

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Arrays;

/**
 * A 16-bit floating-point type in exact decimal arithmetic, made from its definition only: a sign, an exponent and a
 * fraction.
 */
final class ExactShortFloat
{
    static final ExactShortFloat HALF = new ExactShortFloat(5, 0x7e00);
    static final ExactShortFloat BFLOAT16 = new ExactShortFloat(8, 0x7fc0);

    private final int infinity;
    private final int nan;
    /** The values from 0 up by their bits; the last is what infinity would be, were it finite. */
    private final BigDecimal[] magnitudes;

    private ExactShortFloat(final int exponentBits, final int nan)
    {
        final int fractionBits = 15 - exponentBits;
        final int bias = (1 << (exponentBits - 1)) - 1;
        this.nan = nan;
        infinity = ((1 << exponentBits) - 1) << fractionBits;
        magnitudes = new BigDecimal[infinity + 1];
        for (int bits = 0; bits <= infinity; bits++)
        {
            final int exponent = bits >>> fractionBits;
            final int fraction = bits & ((1 << fractionBits) - 1);
            final int significand = 0 == exponent ? fraction : fraction | (1 << fractionBits);
            final int scale = Math.max(exponent, 1) - bias - fractionBits;
            magnitudes[bits] = BigDecimal.valueOf(significand).multiply(powerOfTwo(scale));
        }
    }

    private static BigDecimal powerOfTwo(final int exponent)
    {
        return 0 <= exponent ?
            BigDecimal.valueOf(2).pow(exponent) :
            BigDecimal.ONE.divide(BigDecimal.valueOf(2).pow(-exponent), MathContext.UNLIMITED);
    }

    boolean isNan(final short bits)
    {
        return infinity < (bits & 0x7fff);
    }

    /** The value as a float, which must have it. */
    float value(final short bits)
    {
        final float magnitude;
        if (isNan(bits))
        {
            return Float.NaN;
        }
        else if (infinity == (bits & 0x7fff))
        {
            magnitude = Float.POSITIVE_INFINITY;
        }
        else
        {
            magnitude = (float)magnitudes[bits & 0x7fff].doubleValue();
            if (0 != new BigDecimal(magnitude).compareTo(magnitudes[bits & 0x7fff]))
            {
                throw new AssertionError("no float: " + magnitudes[bits & 0x7fff]);
            }
        }

        return 0 > bits ? -magnitude : magnitude;
    }

    /** The nearest value, ties to even. */
    short round(final float value)
    {
        if (Float.isNaN(value))
        {
            return (short)nan;
        }

        final int sign = 0 > Float.floatToIntBits(value) ? 0x8000 : 0;
        if (Float.isInfinite(value))
        {
            return (short)(sign | infinity);
        }

        final BigDecimal magnitude = new BigDecimal(Math.abs(value));
        final int found = Arrays.binarySearch(magnitudes, magnitude);
        if (0 <= found)
        {
            return (short)(sign | found);
        }

        final int above = -found - 1;
        if (above > infinity)
        {
            return (short)(sign | infinity);
        }

        final BigDecimal fromBelow = magnitude.subtract(magnitudes[above - 1]);
        final BigDecimal toAbove = magnitudes[above].subtract(magnitude);
        final int order = fromBelow.compareTo(toAbove);
        final boolean isBelow = 0 > order || (0 == order && 0 == ((above - 1) & 1));
        return (short)(sign | (isBelow ? above - 1 : above));
    }
}
