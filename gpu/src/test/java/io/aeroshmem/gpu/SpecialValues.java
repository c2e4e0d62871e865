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
package io.aeroshmem.gpu;

import io.aeroshmem.ElementType;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/**
 * Operands of reductions: special values of a type, in pairs with all others where there is room, and random bits.
 */
final class SpecialValues
{
    private static final double[] REALS = {
        0.0, -0.0, 1, -1, 2, 0.5, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Double.NaN, Double.MAX_VALUE,
        -Double.MAX_VALUE, Double.MIN_VALUE, -Double.MIN_VALUE, Double.MIN_NORMAL, Math.PI, 65504, 65520, 6.1e-5, 6e-8};
    /** NaNs with payloads, quiet and signalling, of both signs; subnormal numbers. */
    private static final long[] FLOATS = {
        0x7fc12345L, 0xffc00001L, 0x7f800001L, 0xff923456L, 1, 0x007fffff, 0x80000001L, 0x7f7fffffL, 0x33800000L};
    private static final long[] DOUBLES = {
        0x7ff8123456789abcL, 0xfff8000000000001L, 0x7ff0000000000001L, 0xfff4000000000000L, 1, 0x000fffffffffffffL};
    private static final long[] SHORT_FLOATS = {
        0, 0x8000, 1, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x3c00, 0xbc00, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7c01, 0x7e00,
        0xfe00, 0x7fff, 0x3f80, 0xbf80, 0x7f80, 0xff80, 0x7f81, 0x7fc0, 0xffc0, 0x7f7f, 0xff7f, 0x007f, 0x0080};

    private final ElementType type;
    private final SplittableRandom random;
    private final int wordBytes;
    private final long[] specials;

    SpecialValues(final ElementType type, final long seed)
    {
        this.type = type;
        random = new SplittableRandom(seed);
        wordBytes = type.alignment();
        specials = specialsOf(type);
    }

    private static long[] specialsOf(final ElementType type)
    {
        return switch (type)
        {
            case FLOAT, COMPLEX_FLOAT -> reals(FLOATS, true);
            case DOUBLE, COMPLEX_DOUBLE -> reals(DOUBLES, false);
            case HALF, BFLOAT16 -> SHORT_FLOATS;
            default ->
            {
                final long highest = 1L << (8 * type.bytes() - 1);
                yield new long[]{0, 1, -1, 2, -2, highest, highest - 1, highest + 1, highest >>> 1, 0x55, 0xaa};
            }
        };
    }

    private static long[] reals(final long[] bits, final boolean isFloat)
    {
        final long[] all = new long[REALS.length + bits.length];
        for (int i = 0; i < REALS.length; i++)
        {
            all[i] = isFloat ? Float.floatToRawIntBits((float)REALS[i]) : Double.doubleToRawLongBits(REALS[i]);
        }

        System.arraycopy(bits, 0, all, REALS.length, bits.length);
        return all;
    }

    /** Returns the number of words at whose positions two calls give all pairs of special values. */
    int pairs()
    {
        return specials.length * specials.length;
    }

    /** Special values in succession. */
    void fillSlowly(final ByteBuffer dest)
    {
        fill(dest, specials.length);
    }

    /** Each special value as often as there are special values. */
    void fillFast(final ByteBuffer dest)
    {
        fill(dest, 1);
    }

    private void fill(final ByteBuffer dest, final int period)
    {
        for (int i = 0; i < dest.capacity() / wordBytes; i++)
        {
            final boolean isSpecial = i < pairs() || 0 == random.nextInt(8);
            put(dest, i, isSpecial ? specials[i / period % specials.length] : random.nextLong());
        }
    }

    /** Numbers of moderate size, so that sums and products of many are rounded, and a few special values. */
    void fillOrdinary(final ByteBuffer dest)
    {
        for (int i = 0; i < dest.capacity() / wordBytes; i++)
        {
            put(dest, i, 0 == random.nextInt(16) ? specials[random.nextInt(specials.length)] : ordinary());
        }
    }

    private long ordinary()
    {
        final double real = random.nextDouble(0.5, 2) * (random.nextBoolean() ? 1 : -1);
        return switch (type)
        {
            case FLOAT, COMPLEX_FLOAT -> Float.floatToRawIntBits((float)real);
            case DOUBLE, COMPLEX_DOUBLE -> Double.doubleToRawLongBits(real);
            // Exponents from that of 1/2 on, a random sign and fraction.
            case HALF -> random.nextInt(14, 16) << 10 | random.nextInt() & 0x83ff;
            case BFLOAT16 -> random.nextInt(126, 128) << 7 | random.nextInt() & 0x807f;
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
