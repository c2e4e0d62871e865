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

import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/**
 * Operands: every pair of the special values of a type as long as there is room, and random ones.
 */
final class Values
{
    private static final double[] SPECIAL_REALS = {
        0.0, -0.0, 1, -1, 2, 0.5, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Double.NaN, Double.MAX_VALUE,
        -Double.MAX_VALUE, Double.MIN_VALUE, -Double.MIN_VALUE, Double.MIN_NORMAL, Math.PI, 65504, 65520, 6.1e-5, 6e-8};
    /** NaNs with a payload, quiet and signalling, of both signs, by the upper bits of the type. */
    private static final long[] FLOAT_BITS = {0x7fc12345L, 0xffc00001L, 0x7f800001L, 0xff923456L, 1, 0x007fffff};
    private static final long[] DOUBLE_BITS = {
        0x7ff8123456789abcL, 0xfff8000000000001L, 0x7ff0000000000001L, 0xfff4000000000000L, 1, 0x000fffffffffffffL};
    private static final long[] SHORT_BITS = {
        0, 0x8000, 1, 0x8001, 0x03ff, 0x0400, 0x3c00, 0xbc00, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7c01, 0x7e00, 0xfe00,
        0x7fff, 0x3f80, 0xbf80, 0x7f80, 0xff80, 0x7f81, 0x7fc0, 0xffc0, 0x7f7f, 0xff7f, 0x007f, 0x0080};

    private final ElementType type;
    private final SplittableRandom random;
    private final int wordBytes;
    private final long[] specials;

    Values(final ElementType type, final SplittableRandom random)
    {
        this.type = type;
        this.random = random;
        wordBytes = type.alignment();
        specials = specials();
    }

    private long[] specials()
    {
        return switch (type)
        {
            case FLOAT, COMPLEX_FLOAT -> reals(FLOAT_BITS, true);
            case DOUBLE, COMPLEX_DOUBLE -> reals(DOUBLE_BITS, false);
            case HALF, BFLOAT16 -> SHORT_BITS;
            default -> integers();
        };
    }

    private static long[] reals(final long[] bits, final boolean isFloat)
    {
        final long[] all = new long[SPECIAL_REALS.length + bits.length];
        for (int i = 0; i < SPECIAL_REALS.length; i++)
        {
            all[i] = isFloat ?
                Float.floatToRawIntBits((float)SPECIAL_REALS[i]) : Double.doubleToRawLongBits(SPECIAL_REALS[i]);
        }

        System.arraycopy(bits, 0, all, SPECIAL_REALS.length, bits.length);
        return all;
    }

    private long[] integers()
    {
        final long highest = 1L << (8 * wordBytes - 1);
        return new long[]{0, 1, -1, 2, -2, highest, highest - 1, highest + 1, highest >>> 1, 0x55, 0xaa};
    }

    /** Pairs of the special values first, then random values. */
    void fill(final ByteBuffer left, final ByteBuffer right, final int count)
    {
        final int words = count * type.bytes() / wordBytes;
        final int start = random.nextInt(specials.length * specials.length);
        for (int i = 0; i < words; i++)
        {
            final int pair = start + i;
            final boolean isSpecial = i < specials.length * specials.length || 0 == random.nextInt(8);
            put(left, i, isSpecial ? specials[pair % specials.length] : ordinaryOrAny());
            put(right, i, isSpecial ? specials[pair / specials.length % specials.length] : ordinaryOrAny());
        }
    }

    /** Numbers only, of moderate size: neither NaN nor infinity nor a zero with a sign. */
    void fillOrdinary(final ByteBuffer values, final int count)
    {
        for (int i = 0; i < count * type.bytes() / wordBytes; i++)
        {
            put(values, i, ordinary());
        }
    }

    private long ordinaryOrAny()
    {
        return random.nextBoolean() ? ordinary() : random.nextLong();
    }

    private long ordinary()
    {
        final double real = random.nextDouble(0.01, 100) * (random.nextBoolean() ? 1 : -1);
        return switch (type)
        {
            case FLOAT, COMPLEX_FLOAT -> Float.floatToRawIntBits((float)real);
            case DOUBLE, COMPLEX_DOUBLE -> Double.doubleToRawLongBits(real);
            case HALF -> ExactShortFloat.HALF.round((float)real);
            case BFLOAT16 -> ExactShortFloat.BFLOAT16.round((float)real);
            default -> random.nextLong();
        };
    }

    private void put(final ByteBuffer dest, final int word, final long bits)
    {
        for (int i = 0; i < wordBytes; i++)
        {
            dest.put(word * wordBytes + i, (byte)(bits >>> (8 * i)));
        }
    }
}
