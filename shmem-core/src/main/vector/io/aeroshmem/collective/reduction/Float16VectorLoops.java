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
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorSpecies;
import org.agrona.UnsafeApi;

import static jdk.incubator.vector.VectorOperators.ASHR;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;
import static jdk.incubator.vector.VectorOperators.LT;
import static jdk.incubator.vector.VectorOperators.OR;
import static jdk.incubator.vector.VectorOperators.XOR;

/**
 * The implementation of {@link Float16Vectors}: loops over arrays. Only arrays can hold the operands on all versions of
 * the Vector API from Java 17 on, so a block is copied to arrays, and its results are copied back. A lane of 32 bits
 * holds two elements. Sums and products widen both to floats and round the results as {@link Float16} does. Maxima and
 * minima compare the elements as integers of 16 bits.
 * <p>
 * The loops are long and repeat each other because of the compiler. It always inlines the methods of the API. It does
 * not inline a method of this class that it has already compiled to large code, and each vector passed to such a call
 * is allocated. In a loop that multiplies both halves of a lane, it stops inlining even methods of the API; so that
 * loop multiplies the even halves in one run, and the odd ones in another.
 */
final class Float16VectorLoops extends Float16Vectors
{
    private static final VectorSpecies<Integer> LANES = IntVector.SPECIES_PREFERRED;
    private static final VectorSpecies<Short> ELEMENTS = LANES.withLanes(short.class);
    private static final int ARRAY = UnsafeApi.arrayBaseOffset(int[].class);

    private static final int SIGN = 0x80000000;
    private static final int LOWER = 0x0000ffff;
    private static final int UPPER = 0xffff0000;
    private static final int SIGNS = 0x80008000;
    private static final short MAGNITUDE = 0x7fff;

    private static final short BFLOAT16_INFINITY = 0x7f80;
    private static final short HALF_INFINITY = 0x7c00;
    private static final short LARGEST_HALF = HALF_INFINITY - 1;
    private static final int HALF_SHIFT = 13;
    /** Bits of a half after they are moved to their places in a float: the float is the half's value times 2^-112. */
    private static final int PLACED_HALF = SIGN | MAGNITUDE << HALF_SHIFT;
    private static final float HALF_SCALE = 0x1p112f;
    private static final int HALF_REBIAS_BITS = 112 << 23;
    private static final int HALF_NORMAL_BITS = 0x38800000;
    /** The subnormal halves are multiples of 2^-24, and so are the floats from 1/2 to 1. */
    private static final float HALF_SUBNORMAL_MAGIC = 0.5f;

    private final Loop loop;

    Float16VectorLoops(final ReduceOp op, final ElementType type)
    {
        final boolean isHalf = ElementType.HALF == type;
        final short infinity = isHalf ? HALF_INFINITY : BFLOAT16_INFINITY;
        loop = switch (op)
        {
            case SUM -> isHalf ? Float16VectorLoops::sumHalves : Float16VectorLoops::sumBfloat16;
            case PROD -> isHalf ? Float16VectorLoops::multiplyHalves : Float16VectorLoops::multiplyBfloat16;
            case MAX -> (left, right, results, count) -> max(left, right, results, count, infinity);
            case MIN -> (left, right, results, count) -> min(left, right, results, count, infinity);
            default -> throw new IllegalArgumentException(op + " of " + type);
        };
        // A missing method of the API is to be found here, not by a reduction.
        loop.apply(new int[LANES.length()], new int[LANES.length()], new int[LANES.length()], LANES.length());
    }

    @Override
    boolean combine(final long dest, final long left, final long right, final Scratch scratch, final int words)
    {
        final long bytes = (long)words << 3;
        final int[] lefts = scratch.lefts();
        final int[] rights = scratch.rights();
        UnsafeApi.copyMemory(null, left, lefts, ARRAY, bytes);
        UnsafeApi.copyMemory(null, right, rights, ARRAY, bytes);
        int count = 2 * words;
        for (; 0 != count % LANES.length(); count++)
        {
            lefts[count] = 0;
            rights[count] = 0;
        }

        final boolean isCombined = loop.apply(lefts, rights, scratch.results(), count);
        if (isCombined)
        {
            UnsafeApi.copyMemory(scratch.results(), ARRAY, null, dest, bytes);
        }
        return isCombined;
    }

    private static boolean sumBfloat16(final int[] left, final int[] right, final int[] results, final int count)
    {
        for (int i = 0; i < count; i += LANES.length())
        {
            final IntVector a = IntVector.fromArray(LANES, left, i);
            final IntVector b = IntVector.fromArray(LANES, right, i);
            final IntVector even = a.lanewise(LSHL, 16).reinterpretAsFloats()
                .add(b.lanewise(LSHL, 16).reinterpretAsFloats()).reinterpretAsInts();
            final IntVector odd = a.and(UPPER).reinterpretAsFloats()
                .add(b.and(UPPER).reinterpretAsFloats()).reinterpretAsInts();
            final IntVector roundedEven = even.add(0x7fff).add(even.lanewise(LSHR, 16).and(1)).lanewise(LSHR, 16);
            final IntVector roundedOdd = odd.add(0x7fff).add(odd.lanewise(LSHR, 16).and(1)).and(UPPER);
            roundedEven.or(roundedOdd).intoArray(results, i);
        }
        return isWithin(results, results, count, BFLOAT16_INFINITY);
    }

    private static boolean multiplyBfloat16(final int[] left, final int[] right, final int[] results, final int count)
    {
        for (int i = 0; i < count; i += LANES.length())
        {
            final IntVector a = IntVector.fromArray(LANES, left, i);
            final IntVector b = IntVector.fromArray(LANES, right, i);
            final IntVector even = a.lanewise(LSHL, 16).reinterpretAsFloats()
                .mul(b.lanewise(LSHL, 16).reinterpretAsFloats()).reinterpretAsInts();
            final IntVector odd = a.and(UPPER).reinterpretAsFloats()
                .mul(b.and(UPPER).reinterpretAsFloats()).reinterpretAsInts();
            final IntVector roundedEven = even.add(0x7fff).add(even.lanewise(LSHR, 16).and(1)).lanewise(LSHR, 16);
            final IntVector roundedOdd = odd.add(0x7fff).add(odd.lanewise(LSHR, 16).and(1)).and(UPPER);
            roundedEven.or(roundedOdd).intoArray(results, i);
        }
        return isWithin(results, results, count, BFLOAT16_INFINITY);
    }

    /** Sums the values times 2^-112: there a subnormal half is rounded like any other. */
    private static boolean sumHalves(final int[] left, final int[] right, final int[] results, final int count)
    {
        for (int i = 0; i < count; i += LANES.length())
        {
            final IntVector a = IntVector.fromArray(LANES, left, i);
            final IntVector b = IntVector.fromArray(LANES, right, i);
            final IntVector even = a.lanewise(LSHL, 16).lanewise(ASHR, 3).and(PLACED_HALF).reinterpretAsFloats()
                .add(b.lanewise(LSHL, 16).lanewise(ASHR, 3).and(PLACED_HALF).reinterpretAsFloats()).reinterpretAsInts();
            final IntVector odd = a.lanewise(ASHR, 3).and(PLACED_HALF).reinterpretAsFloats()
                .add(b.lanewise(ASHR, 3).and(PLACED_HALF).reinterpretAsFloats()).reinterpretAsInts();
            final IntVector roundedEven = even.add(0xfff).add(even.lanewise(LSHR, HALF_SHIFT).and(1))
                .lanewise(LSHL, 3).min(HALF_INFINITY << 16);
            final IntVector roundedOdd = odd.add(0xfff).add(odd.lanewise(LSHR, HALF_SHIFT).and(1))
                .lanewise(LSHL, 3).min(HALF_INFINITY << 16);
            final IntVector magnitudes = roundedOdd.and(UPPER).or(roundedEven.lanewise(LSHR, 16));
            final IntVector signs = odd.and(SIGN).or(even.and(SIGN).lanewise(LSHR, 16));
            magnitudes.or(signs).intoArray(results, i);
        }
        return isWithin(left, right, count, LARGEST_HALF);
    }

    private static boolean multiplyHalves(final int[] left, final int[] right, final int[] results, final int count)
    {
        multiplyHalves(left, right, results, count, Short.SIZE, 0);
        multiplyHalves(left, right, results, count, 0, LOWER);
        return isWithin(left, right, count, LARGEST_HALF);
    }

    /** Multiplies the values: a subnormal float has too few digits for a product times 2^-112. */
    private static void multiplyHalves(
        final int[] left, final int[] right, final int[] results, final int count, final int shift, final int kept)
    {
        for (int i = 0; i < count; i += LANES.length())
        {
            final IntVector a = IntVector.fromArray(LANES, left, i).lanewise(LSHL, shift);
            final IntVector b = IntVector.fromArray(LANES, right, i).lanewise(LSHL, shift);
            final FloatVector x = a.lanewise(ASHR, 3).and(PLACED_HALF).reinterpretAsFloats();
            final FloatVector y = b.lanewise(ASHR, 3).and(PLACED_HALF).reinterpretAsFloats();
            final IntVector product = x.mul(HALF_SCALE).mul(y.mul(HALF_SCALE)).reinterpretAsInts();
            final IntVector magnitude = product.and(~SIGN);
            final IntVector normal = magnitude.sub(HALF_REBIAS_BITS - 0xfff)
                .add(magnitude.lanewise(LSHR, HALF_SHIFT).and(1)).lanewise(LSHR, HALF_SHIFT).min(HALF_INFINITY);
            final IntVector subnormal = magnitude.reinterpretAsFloats().add(HALF_SUBNORMAL_MAGIC)
                .reinterpretAsInts().sub(Float.floatToRawIntBits(HALF_SUBNORMAL_MAGIC));
            final IntVector rounded = normal.blend(subnormal, magnitude.compare(LT, HALF_NORMAL_BITS));
            final IntVector result = rounded.lanewise(LSHL, 16).or(product.and(SIGN));
            IntVector.fromArray(LANES, results, i).and(kept).or(result.lanewise(LSHR, shift)).intoArray(results, i);
        }
    }

    /** Inverting the magnitude of negative elements gives integers of the same order, and gives the elements back. */
    private static boolean max(
        final int[] left, final int[] right, final int[] results, final int count, final short infinity)
    {
        for (int i = 0; i < count; i += LANES.length())
        {
            final ShortVector a = IntVector.fromArray(LANES, left, i).reinterpretAsShorts();
            final ShortVector b = IntVector.fromArray(LANES, right, i).reinterpretAsShorts();
            final ShortVector x = a.lanewise(XOR, a.lanewise(ASHR, Short.SIZE - 1).and(MAGNITUDE));
            final ShortVector y = b.lanewise(XOR, b.lanewise(ASHR, Short.SIZE - 1).and(MAGNITUDE));
            final ShortVector max = x.max(y);
            max.lanewise(XOR, max.lanewise(ASHR, Short.SIZE - 1).and(MAGNITUDE))
                .reinterpretAsInts().intoArray(results, i);
        }
        return isWithin(left, right, count, infinity);
    }

    private static boolean min(
        final int[] left, final int[] right, final int[] results, final int count, final short infinity)
    {
        for (int i = 0; i < count; i += LANES.length())
        {
            final ShortVector a = IntVector.fromArray(LANES, left, i).reinterpretAsShorts();
            final ShortVector b = IntVector.fromArray(LANES, right, i).reinterpretAsShorts();
            final ShortVector x = a.lanewise(XOR, a.lanewise(ASHR, Short.SIZE - 1).and(MAGNITUDE));
            final ShortVector y = b.lanewise(XOR, b.lanewise(ASHR, Short.SIZE - 1).and(MAGNITUDE));
            final ShortVector min = x.min(y);
            min.lanewise(XOR, min.lanewise(ASHR, Short.SIZE - 1).and(MAGNITUDE))
                .reinterpretAsInts().intoArray(results, i);
        }
        return isWithin(left, right, count, infinity);
    }

    /** Returns whether no magnitude exceeds a limit. */
    private static boolean isWithin(final int[] first, final int[] second, final int count, final short limit)
    {
        final ShortVector limits = ShortVector.broadcast(ELEMENTS, limit);
        ShortVector differences = ShortVector.zero(ELEMENTS);
        for (int i = 0; i < count; i += LANES.length())
        {
            final ShortVector a = IntVector.fromArray(LANES, first, i).reinterpretAsShorts();
            final ShortVector b = IntVector.fromArray(LANES, second, i).reinterpretAsShorts();
            differences = differences.or(limits.sub(a.and(MAGNITUDE))).or(limits.sub(b.and(MAGNITUDE)));
        }
        return 0 == (differences.reinterpretAsInts().reduceLanes(OR) & SIGNS);
    }

    /**
     * A loop over a number of lanes, a multiple of those of a vector.
     */
    @FunctionalInterface
    private interface Loop
    {
        /** Returns false if an element is beyond what the loop combines. */
        boolean apply(int[] left, int[] right, int[] results, int count);
    }
}
