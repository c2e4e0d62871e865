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

import org.agrona.UnsafeApi;

/**
 * Support for canonical NaNs in the results of the kernels. If both operands of an operation are NaN, the processor
 * keeps the payload of the first one. The compiler may swap the operands, at least those of a sum, so the JVM's
 * interpreter and its two compilers may produce different payloads. Therefore the kernels replace every NaN in a result
 * by the canonical one.
 * <p>
 * To detect a NaN in results, the kernels of FLOAT and DOUBLE add all elements up, in vectors. The sum is NaN if an
 * element is; then a second pass replaces the NaNs among the elements. If infinities of both signs made the sum NaN,
 * that pass changes nothing.
 * {@link Bfloat16Blocks} and {@link HalfBlocks} receive the results of a block as two blocks of floats in scratch
 * memory, and search them for NaNs by integer operations on the bits.
 */
final class NanSupport
{
    private static final int MAX_LONGS = Scratch.BLOCK_BYTES / Long.BYTES;
    private static final long FLOAT_MAGNITUDES = 0x7fffffff7fffffffL;
    private static final long FLOAT_SIGNS = 0x8000000080000000L;
    /** What carries a magnitude beyond that of infinity, 0x7f800000, into the place of the sign. */
    private static final long FLOAT_CARRIES = 0x007fffff007fffffL;
    private static final BlockPass[] PASSES = {(dest, first, second, words) ->
        BlockPasses.carry(dest, first, second, FLOAT_MAGNITUDES, FLOAT_CARRIES, words)};

    private NanSupport()
    {
    }

    static float canonical(final float value)
    {
        return value == value ? value : Float.NaN;
    }

    static double canonical(final double value)
    {
        return value == value ? value : Double.NaN;
    }

    static short canonicalHalf(final short value)
    {
        return isNanHalf(value) ? Float16.floatToHalf(Float.NaN) : value;
    }

    static short canonicalBfloat16(final short value)
    {
        return isNanBfloat16(value) ? Float16.floatToBfloat16(Float.NaN) : value;
    }

    static boolean isNanFloat(final float value)
    {
        return value != value;
    }

    static boolean isNanDouble(final double value)
    {
        return value != value;
    }

    static boolean isNanHalf(final short value)
    {
        return isNanFloat(Float16.halfToFloat(value));
    }

    static boolean isNanBfloat16(final short value)
    {
        return isNanFloat(Float16.bfloat16ToFloat(value));
    }

    /** Returns whether the sum of the elements is NaN. Their number is a multiple of 4. */
    static boolean isSumOfFloatsNan(final long address, final int count)
    {
        float a = 0;
        float b = 0;
        float c = 0;
        float d = 0;
        for (int i = 0; i < count; i += 4)
        {
            final long element = address + ((long)i << 2);
            a += UnsafeApi.getFloat(element);
            b += UnsafeApi.getFloat(element + 4);
            c += UnsafeApi.getFloat(element + 8);
            d += UnsafeApi.getFloat(element + 12);
        }

        return Float.isNaN(a + b + c + d);
    }

    /** As {@link #isSumOfFloatsNan(long, int)}. */
    static boolean isSumOfDoublesNan(final long address, final int count)
    {
        double a = 0;
        double b = 0;
        double c = 0;
        double d = 0;
        for (int i = 0; i < count; i += 4)
        {
            final long element = address + ((long)i << 3);
            a += UnsafeApi.getDouble(element);
            b += UnsafeApi.getDouble(element + 8);
            c += UnsafeApi.getDouble(element + 16);
            d += UnsafeApi.getDouble(element + 24);
        }

        return Double.isNaN(a + b + c + d);
    }

    /**
     * Returns whether a float of two blocks is NaN, by arithmetic on longs. The spare block is overwritten.
     *
     * @param longs length of each block in longs: a multiple of 4, at most {@link Scratch#BLOCK_BYTES} in bytes.
     */
    static boolean hasNanFloat(final long first, final long second, final long spare, final int longs)
    {
        BlockPass.run(PASSES, 0, spare, first, second, longs);
        return 0 != (union(spare, longs) & FLOAT_SIGNS);
    }

    /** Returns all longs of a block, combined by or: in four parts, so that none waits for the one before it. */
    static long union(final long address, final int longs)
    {
        long a = 0;
        long b = 0;
        long c = 0;
        long d = 0;
        final int end = Math.max(0, Math.min(longs, MAX_LONGS));
        for (int i = 0; i < end; i += 4)
        {
            final long word = address + ((long)i << 3);
            a |= UnsafeApi.getLong(word);
            b |= UnsafeApi.getLong(word + 8);
            c |= UnsafeApi.getLong(word + 16);
            d |= UnsafeApi.getLong(word + 24);
        }

        return a | b | c | d;
    }

    static void canonicaliseFloats(final long address, final long length)
    {
        for (long element = address; element < address + length; element += Float.BYTES)
        {
            UnsafeApi.putFloat(element, canonical(UnsafeApi.getFloat(element)));
        }
    }

    static void canonicaliseDoubles(final long address, final long length)
    {
        for (long element = address; element < address + length; element += Double.BYTES)
        {
            UnsafeApi.putDouble(element, canonical(UnsafeApi.getDouble(element)));
        }
    }
}
