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

/**
 * Conversion between {@code float} and the 16-bit floating-point types HALF and BFLOAT16. Java 17 has neither type, so
 * the reduction kernels compute sums and products in {@code float}. Every value of both types is a value of
 * {@code float}.
 */
final class Float16
{
    private static final int HALF_NAN = 0x7e00;
    private static final int HALF_INFINITY = 0x7c00;
    private static final int HALF_SHIFT = 13;
    /** 2^16 as a float: the first power of two beyond the range of a half. */
    private static final int HALF_OVERFLOW_BITS = 0x47800000;
    /** 2^-14 as a float: smaller halves are subnormal. */
    private static final int HALF_NORMAL_BITS = 0x38800000;
    /**
     * Difference of the exponent biases of float and half, 127 - 15, shifted to the place of a float's exponent.
     */
    private static final int HALF_REBIAS_BITS = 112 << 23;
    /** The subnormal halves are multiples of 2^-24, and so are the floats from 1/2 to 1. */
    private static final float HALF_SUBNORMAL_MAGIC = 0.5f;

    private static final int BFLOAT16_NAN = 0x7fc0;
    private static final int FLOAT_INFINITY_BITS = 0x7f800000;

    private Float16()
    {
    }

    static float halfToFloat(final short half)
    {
        final int sign = (half & 0x8000) << 16;
        final int magnitude = (half & 0x7fff) << HALF_SHIFT;
        if (HALF_INFINITY <= (half & 0x7fff))
        {
            return Float.intBitsToFloat(sign | FLOAT_INFINITY_BITS | magnitude);
        }

        // A float whose exponent is too small by 112; the product is exact, for subnormal halves too.
        return Float.intBitsToFloat(sign | magnitude) * 0x1p112f;
    }

    static short floatToHalf(final float value)
    {
        final int bits = Float.floatToRawIntBits(value);
        final int magnitude = bits & 0x7fffffff;
        if (FLOAT_INFINITY_BITS < magnitude)
        {
            return (short)HALF_NAN;
        }

        final int sign = (bits >>> 16) & 0x8000;
        if (HALF_OVERFLOW_BITS <= magnitude)
        {
            return (short)(sign | HALF_INFINITY);
        }

        if (HALF_NORMAL_BITS > magnitude)
        {
            // The addition rounds to a multiple of 2^-24, to nearest even; the fraction is then their number.
            final float aligned = Float.intBitsToFloat(magnitude) + HALF_SUBNORMAL_MAGIC;
            return (short)(sign | (Float.floatToRawIntBits(aligned) - Float.floatToRawIntBits(HALF_SUBNORMAL_MAGIC)));
        }

        // A carry out of the fraction raises the exponent; beyond the largest, to that of infinity.
        final int even = (magnitude >>> HALF_SHIFT) & 1;
        return (short)(sign | ((magnitude - HALF_REBIAS_BITS + 0xfff + even) >>> HALF_SHIFT));
    }

    static float bfloat16ToFloat(final short value)
    {
        return Float.intBitsToFloat(value << 16);
    }

    static short floatToBfloat16(final float value)
    {
        final int bits = Float.floatToRawIntBits(value);
        if (FLOAT_INFINITY_BITS < (bits & 0x7fffffff))
        {
            return (short)BFLOAT16_NAN;
        }

        return (short)((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16);
    }
}
