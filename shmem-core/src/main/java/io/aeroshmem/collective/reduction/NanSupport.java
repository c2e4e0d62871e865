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
 * To detect a NaN in results, the kernels of FLOAT and DOUBLE add all elements up. Sums of whole blocks are
 * vectorised. The sum is NaN if an element is NaN. If it is NaN, a second pass replaces the NaNs among the elements.
 * Infinities of both signs may also make the sum NaN. The second pass then changes nothing, and only costs time.
 * {@link Bfloat16Blocks} and {@link HalfBlocks} receive the results of a block as two blocks of floats in scratch
 * memory, and search them for NaNs by integer operations on the bits.
 */
final class NanSupport
{
    private static final int MAX_WORDS = Scratch.BLOCK_BYTES / Float.BYTES;
    private static final int MAX_LONGS = Scratch.BLOCK_BYTES / Long.BYTES;
    private static final long FLOAT_MAGNITUDES = 0x7fffffff7fffffffL;
    private static final long FLOAT_SIGNS = 0x8000000080000000L;
    /** What carries a magnitude beyond that of infinity, 0x7f800000, into the place of the sign. */
    private static final long FLOAT_CARRIES = 0x007fffff007fffffL;
    private static final BlockPass[] PASSES = {(dest, first, second, words) ->
        carry(dest, first, second, FLOAT_MAGNITUDES, FLOAT_CARRIES, words)};

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

    /**
     * Adds a block to the sums, in the shape of the kernels: a multiple of 4, at most {@link Scratch#BLOCK_BYTES}. Not
     * in place, as JDK 17 does not vectorise that.
     */
    static void addFloats(final long dest, final long sums, final long address, final int count)
    {
        final int end = Math.max(0, Math.min(count, MAX_WORDS));
        for (int i = 0; i < end; i += 4)
        {
            final long offset = (long)i << 2;
            final float a0 = UnsafeApi.getFloat(sums + offset);
            final float b0 = UnsafeApi.getFloat(address + offset);
            final float a1 = UnsafeApi.getFloat(sums + offset + 4);
            final float b1 = UnsafeApi.getFloat(address + offset + 4);
            final float a2 = UnsafeApi.getFloat(sums + offset + 8);
            final float b2 = UnsafeApi.getFloat(address + offset + 8);
            final float a3 = UnsafeApi.getFloat(sums + offset + 12);
            final float b3 = UnsafeApi.getFloat(address + offset + 12);
            UnsafeApi.putFloat(dest + offset, a0 + b0);
            UnsafeApi.putFloat(dest + offset + 4, a1 + b1);
            UnsafeApi.putFloat(dest + offset + 8, a2 + b2);
            UnsafeApi.putFloat(dest + offset + 12, a3 + b3);
        }
    }

    /** As {@link #addFloats(long, long, long, int)}. */
    static void addDoubles(final long dest, final long sums, final long address, final int count)
    {
        final int end = Math.max(0, Math.min(count, MAX_WORDS));
        for (int i = 0; i < end; i += 4)
        {
            final long offset = (long)i << 3;
            final double a0 = UnsafeApi.getDouble(sums + offset);
            final double b0 = UnsafeApi.getDouble(address + offset);
            final double a1 = UnsafeApi.getDouble(sums + offset + 8);
            final double b1 = UnsafeApi.getDouble(address + offset + 8);
            final double a2 = UnsafeApi.getDouble(sums + offset + 16);
            final double b2 = UnsafeApi.getDouble(address + offset + 16);
            final double a3 = UnsafeApi.getDouble(sums + offset + 24);
            final double b3 = UnsafeApi.getDouble(address + offset + 24);
            UnsafeApi.putDouble(dest + offset, a0 + b0);
            UnsafeApi.putDouble(dest + offset + 8, a1 + b1);
            UnsafeApi.putDouble(dest + offset + 16, a2 + b2);
            UnsafeApi.putDouble(dest + offset + 24, a3 + b3);
        }
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

    /** Stores which magnitudes of either block reach a bound: their signs are set by what is added to them. */
    static void carry(
        final long dest,
        final long first,
        final long second,
        final long magnitudes,
        final long carries,
        final int longs)
    {
        final int end = Math.max(0, Math.min(longs, MAX_LONGS));
        for (int i = 0; i < end; i += 4)
        {
            final long offset = (long)i << 3;
            final long a0 = UnsafeApi.getLong(first + offset);
            final long b0 = UnsafeApi.getLong(second + offset);
            final long a1 = UnsafeApi.getLong(first + offset + 8);
            final long b1 = UnsafeApi.getLong(second + offset + 8);
            final long a2 = UnsafeApi.getLong(first + offset + 16);
            final long b2 = UnsafeApi.getLong(second + offset + 16);
            final long a3 = UnsafeApi.getLong(first + offset + 24);
            final long b3 = UnsafeApi.getLong(second + offset + 24);
            final long c0 = ((a0 & magnitudes) + carries) | ((b0 & magnitudes) + carries);
            final long c1 = ((a1 & magnitudes) + carries) | ((b1 & magnitudes) + carries);
            final long c2 = ((a2 & magnitudes) + carries) | ((b2 & magnitudes) + carries);
            final long c3 = ((a3 & magnitudes) + carries) | ((b3 & magnitudes) + carries);
            UnsafeApi.putLong(dest + offset, c0);
            UnsafeApi.putLong(dest + offset + 8, c1);
            UnsafeApi.putLong(dest + offset + 16, c2);
            UnsafeApi.putLong(dest + offset + 24, c3);
        }
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
