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
import io.aeroshmem.transport.PerThread;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorSpecies;
import org.agrona.BufferUtil;
import org.agrona.LangUtil;
import org.agrona.UnsafeApi;

import java.nio.ByteBuffer;

import static io.aeroshmem.collective.reduction.VectorMemory.LANES;
import static io.aeroshmem.collective.reduction.VectorMemory.LOAD;
import static io.aeroshmem.collective.reduction.VectorMemory.STORE;
import static jdk.incubator.vector.VectorOperators.ASHR;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;
import static jdk.incubator.vector.VectorOperators.MAX;
import static jdk.incubator.vector.VectorOperators.XOR;

/**
 * The implementation of {@link Float16Vectors}: loops over vectors of 32-bit lanes, each of which holds two elements.
 * Sums and products widen both elements to floats and round the results as {@link Float16} does. Maxima and minima
 * compare the elements as integers of 16 bits.
 * <p>
 * A loop cannot combine some elements, such as NaNs. It stores results before it knows whether the block contains such
 * elements. So a block that is combined in place is first copied, and restored if the loop cannot combine it.
 * <p>
 * The loops are long and repeat each other because of the compiler. It inlines all methods of the Vector API, and all
 * method handles that are constants, but other methods only up to a limit, which a loop reaches. A vector that passes
 * through a call which is not inlined is allocated.
 */
final class Float16VectorLoops extends Float16Vectors
{
    private static final int VECTOR_BYTES = LANES.vectorByteSize();
    private static final VectorSpecies<Short> ELEMENTS = LANES.withLanes(short.class);
    private static final PerThread<Windows> WINDOWS = new PerThread<>(Windows::new);

    private static final int SIGN = 0x80000000;
    private static final int UPPER = 0xffff0000;
    private static final int SIGNS = 0x80008000;
    private static final short MAGNITUDE = 0x7fff;

    private static final short BFLOAT16_INFINITY = 0x7f80;
    private static final short HALF_INFINITY = 0x7c00;
    private static final short LARGEST_HALF = HALF_INFINITY - 1;
    /** Difference of the widths of the fractions of float and half. */
    private static final int HALF_SHIFT = 13;
    /** Bits of a half after they are moved to their places in a float: the float is the half's value times 2^-112. */
    private static final int PLACED_MAGNITUDE = MAGNITUDE << HALF_SHIFT;
    private static final int PLACED_HALF = SIGN | PLACED_MAGNITUDE;
    private static final int PLACED_INFINITY = HALF_INFINITY << HALF_SHIFT;
    /** Veltkamp's factor: x * s - (x * s - x) is x, rounded to 11 bits. */
    private static final float SPLITTER = 1 + (1 << HALF_SHIFT);

    private static final int FLOAT_EXPONENT = 0x7f800000;
    private static final int FLOAT_FRACTION_BITS = 23;
    /** A placed half, times this, times another placed half, is the product of their values times 2^-101. */
    private static final float PRODUCT_SCALE = 0x1p123f;
    private static final float PRODUCT_RESCALE = 0x1p-11f;
    /** 2^-14, the smallest normal half, times 2^-101. */
    private static final int LEAST_NORMAL_PRODUCT = 127 - 14 - 101 << FLOAT_FRACTION_BITS;

    private final Loop loop;

    Float16VectorLoops(final ReduceOp op, final ElementType type)
    {
        final boolean isHalf = ElementType.HALF == type;
        final short infinity = isHalf ? HALF_INFINITY : BFLOAT16_INFINITY;
        loop = switch (op)
        {
            case SUM -> isHalf ? Float16VectorLoops::sumHalves : Float16VectorLoops::sumBfloat16;
            case PROD -> isHalf ? Float16VectorLoops::multiplyHalves : Float16VectorLoops::multiplyBfloat16;
            case MAX -> (dest, left, right, bytes) -> infinity >= max(dest, left, right, bytes);
            case MIN -> (dest, left, right, bytes) -> infinity >= min(dest, left, right, bytes);
            default -> throw new IllegalArgumentException(op + " of " + type);
        };
        // A missing method of the API is to be found here, not by a reduction.
        apply(new Windows(), VECTOR_BYTES);
    }

    @Override
    boolean combine(final long dest, final long left, final long right, final int bytes)
    {
        final Windows windows = WINDOWS.get();
        final boolean isInPlace = dest == left || dest == right;
        if (isInPlace)
        {
            UnsafeApi.copyMemory(dest, windows.copy, bytes);
        }

        VectorMemory.move(windows.dest, dest);
        VectorMemory.move(windows.left, left);
        VectorMemory.move(windows.right, right);
        final boolean isCombined = apply(windows, bytes);
        if (!isCombined && isInPlace)
        {
            UnsafeApi.copyMemory(windows.copy, dest, bytes);
        }

        return isCombined;
    }

    private boolean apply(final Windows windows, final int bytes)
    {
        try
        {
            return loop.apply(windows.dest, windows.left, windows.right, bytes);
        }
        catch (final Throwable ex)
        {
            LangUtil.rethrowUnchecked(ex);
            return false;
        }
    }

    private static boolean sumBfloat16(
        final ByteBuffer dest, final ByteBuffer left, final ByteBuffer right, final int bytes)
        throws Throwable
    {
        ShortVector largest = ShortVector.zero(ELEMENTS);
        for (int i = 0; i < bytes; i += VECTOR_BYTES)
        {
            final IntVector a = (IntVector)LOAD.invokeExact(left, i);
            final IntVector b = (IntVector)LOAD.invokeExact(right, i);
            final IntVector even = a.lanewise(LSHL, 16).reinterpretAsFloats()
                .add(b.lanewise(LSHL, 16).reinterpretAsFloats()).reinterpretAsInts();
            final IntVector odd = a.and(UPPER).reinterpretAsFloats()
                .add(b.and(UPPER).reinterpretAsFloats()).reinterpretAsInts();
            final IntVector roundedEven = even.add(0x7fff).add(even.lanewise(LSHR, 16).and(1)).lanewise(LSHR, 16);
            final IntVector roundedOdd = odd.add(0x7fff).add(odd.lanewise(LSHR, 16).and(1)).and(UPPER);
            final IntVector sums = roundedEven.or(roundedOdd);
            STORE.invokeExact(sums, dest, i);
            largest = largest.max(sums.reinterpretAsShorts().and(MAGNITUDE));
        }

        return BFLOAT16_INFINITY >= largest.reduceLanes(MAX);
    }

    private static boolean multiplyBfloat16(
        final ByteBuffer dest, final ByteBuffer left, final ByteBuffer right, final int bytes)
        throws Throwable
    {
        ShortVector largest = ShortVector.zero(ELEMENTS);
        for (int i = 0; i < bytes; i += VECTOR_BYTES)
        {
            final IntVector a = (IntVector)LOAD.invokeExact(left, i);
            final IntVector b = (IntVector)LOAD.invokeExact(right, i);
            final IntVector even = a.lanewise(LSHL, 16).reinterpretAsFloats()
                .mul(b.lanewise(LSHL, 16).reinterpretAsFloats()).reinterpretAsInts();
            final IntVector odd = a.and(UPPER).reinterpretAsFloats()
                .mul(b.and(UPPER).reinterpretAsFloats()).reinterpretAsInts();
            final IntVector roundedEven = even.add(0x7fff).add(even.lanewise(LSHR, 16).and(1)).lanewise(LSHR, 16);
            final IntVector roundedOdd = odd.add(0x7fff).add(odd.lanewise(LSHR, 16).and(1)).and(UPPER);
            final IntVector products = roundedEven.or(roundedOdd);
            STORE.invokeExact(products, dest, i);
            largest = largest.max(products.reinterpretAsShorts().and(MAGNITUDE));
        }

        return BFLOAT16_INFINITY >= largest.reduceLanes(MAX);
    }

    /** Sums the values times 2^-112: there a subnormal half is rounded like any other. */
    private static boolean sumHalves(
        final ByteBuffer dest, final ByteBuffer left, final ByteBuffer right, final int bytes)
        throws Throwable
    {
        ShortVector largest = ShortVector.zero(ELEMENTS);
        for (int i = 0; i < bytes; i += VECTOR_BYTES)
        {
            final IntVector a = (IntVector)LOAD.invokeExact(left, i);
            final IntVector b = (IntVector)LOAD.invokeExact(right, i);
            final FloatVector even = a.lanewise(LSHL, 16).lanewise(ASHR, 3).and(PLACED_HALF).reinterpretAsFloats()
                .add(b.lanewise(LSHL, 16).lanewise(ASHR, 3).and(PLACED_HALF).reinterpretAsFloats());
            final FloatVector odd = a.lanewise(ASHR, 3).and(PLACED_HALF).reinterpretAsFloats()
                .add(b.lanewise(ASHR, 3).and(PLACED_HALF).reinterpretAsFloats());
            final FloatVector x = even.mul(SPLITTER);
            final FloatVector y = odd.mul(SPLITTER);
            final IntVector roundedEven = x.sub(x.sub(even)).reinterpretAsInts();
            final IntVector roundedOdd = y.sub(y.sub(odd)).reinterpretAsInts();
            final IntVector sums = roundedEven.and(SIGN).or(roundedEven.lanewise(LSHL, 3)).lanewise(LSHR, 16)
                .or(roundedOdd.and(SIGN)).or(roundedOdd.lanewise(LSHL, 3));
            STORE.invokeExact(sums, dest, i);
            largest = largest.max(a.reinterpretAsShorts().and(MAGNITUDE))
                .max(b.reinterpretAsShorts().and(MAGNITUDE))
                .max(sums.reinterpretAsShorts().and(MAGNITUDE));
        }

        return LARGEST_HALF >= largest.reduceLanes(MAX);
    }

    /**
     * Computes the magnitudes times 2^-101, exactly. A product is rounded by adding and subtracting a power of two
     * whose last place is that of the result, which is that of the smallest normal half if the result is subnormal.
     */
    private static boolean multiplyHalves(
        final ByteBuffer dest, final ByteBuffer left, final ByteBuffer right, final int bytes)
        throws Throwable
    {
        IntVector largest = IntVector.zero(LANES);
        for (int i = 0; i < bytes; i += VECTOR_BYTES)
        {
            final IntVector a = (IntVector)LOAD.invokeExact(left, i);
            final IntVector b = (IntVector)LOAD.invokeExact(right, i);
            final IntVector evenA = a.lanewise(LSHL, HALF_SHIFT).and(PLACED_MAGNITUDE);
            final IntVector evenB = b.lanewise(LSHL, HALF_SHIFT).and(PLACED_MAGNITUDE);
            final IntVector oddA = a.lanewise(LSHR, 3).and(PLACED_MAGNITUDE);
            final IntVector oddB = b.lanewise(LSHR, 3).and(PLACED_MAGNITUDE);
            final FloatVector even = evenA.reinterpretAsFloats().mul(PRODUCT_SCALE).mul(evenB.reinterpretAsFloats());
            final FloatVector odd = oddA.reinterpretAsFloats().mul(PRODUCT_SCALE).mul(oddB.reinterpretAsFloats());
            final FloatVector x = even.reinterpretAsInts().and(FLOAT_EXPONENT).max(LEAST_NORMAL_PRODUCT)
                .add(HALF_SHIFT << FLOAT_FRACTION_BITS).reinterpretAsFloats();
            final FloatVector y = odd.reinterpretAsInts().and(FLOAT_EXPONENT).max(LEAST_NORMAL_PRODUCT)
                .add(HALF_SHIFT << FLOAT_FRACTION_BITS).reinterpretAsFloats();
            final IntVector roundedEven = even.add(x).sub(x).mul(PRODUCT_RESCALE).reinterpretAsInts()
                .min(PLACED_INFINITY).lanewise(LSHR, HALF_SHIFT);
            final IntVector roundedOdd = odd.add(y).sub(y).mul(PRODUCT_RESCALE).reinterpretAsInts()
                .min(PLACED_INFINITY).lanewise(LSHL, 3);
            final IntVector products = roundedEven.or(roundedOdd).or(a.lanewise(XOR, b).and(SIGNS));
            STORE.invokeExact(products, dest, i);
            largest = largest.max(evenA).max(evenB).max(oddA).max(oddB);
        }

        return PLACED_INFINITY > largest.reduceLanes(MAX);
    }

    /**
     * Returns the largest magnitude of the operands. Inverting the magnitude of negative elements gives integers of
     * the same order, and gives the elements back.
     */
    private static short max(
        final ByteBuffer dest, final ByteBuffer left, final ByteBuffer right, final int bytes)
        throws Throwable
    {
        ShortVector largest = ShortVector.zero(ELEMENTS);
        for (int i = 0; i < bytes; i += VECTOR_BYTES)
        {
            final ShortVector a = ((IntVector)LOAD.invokeExact(left, i)).reinterpretAsShorts();
            final ShortVector b = ((IntVector)LOAD.invokeExact(right, i)).reinterpretAsShorts();
            final ShortVector x = a.lanewise(XOR, a.lanewise(ASHR, Short.SIZE - 1).and(MAGNITUDE));
            final ShortVector y = b.lanewise(XOR, b.lanewise(ASHR, Short.SIZE - 1).and(MAGNITUDE));
            final ShortVector maximum = x.max(y);
            final IntVector elements =
                maximum.lanewise(XOR, maximum.lanewise(ASHR, Short.SIZE - 1).and(MAGNITUDE)).reinterpretAsInts();
            STORE.invokeExact(elements, dest, i);
            largest = largest.max(a.and(MAGNITUDE)).max(b.and(MAGNITUDE));
        }

        return largest.reduceLanes(MAX);
    }

    /** As {@link #max}. */
    private static short min(
        final ByteBuffer dest, final ByteBuffer left, final ByteBuffer right, final int bytes)
        throws Throwable
    {
        ShortVector largest = ShortVector.zero(ELEMENTS);
        for (int i = 0; i < bytes; i += VECTOR_BYTES)
        {
            final ShortVector a = ((IntVector)LOAD.invokeExact(left, i)).reinterpretAsShorts();
            final ShortVector b = ((IntVector)LOAD.invokeExact(right, i)).reinterpretAsShorts();
            final ShortVector x = a.lanewise(XOR, a.lanewise(ASHR, Short.SIZE - 1).and(MAGNITUDE));
            final ShortVector y = b.lanewise(XOR, b.lanewise(ASHR, Short.SIZE - 1).and(MAGNITUDE));
            final ShortVector minimum = x.min(y);
            final IntVector elements =
                minimum.lanewise(XOR, minimum.lanewise(ASHR, Short.SIZE - 1).and(MAGNITUDE)).reinterpretAsInts();
            STORE.invokeExact(elements, dest, i);
            largest = largest.max(a.and(MAGNITUDE)).max(b.and(MAGNITUDE));
        }

        return largest.reduceLanes(MAX);
    }

    /**
     * A loop over a block. The length of the block in bytes is a multiple of that of a vector.
     */
    @FunctionalInterface
    private interface Loop
    {
        /** Returns false if an element is beyond what the loop combines; then the results are undefined. */
        boolean apply(ByteBuffer dest, ByteBuffer left, ByteBuffer right, int bytes) throws Throwable;
    }

    /**
     * The buffers of a thread. Three are moved over the operands and the results ({@link VectorMemory#move}). The
     * fourth holds the copy of a block.
     */
    private static final class Windows
    {
        private final ByteBuffer memory = BufferUtil.allocateDirectAligned(Scratch.BLOCK_BYTES, MULTIPLE);
        private final long copy = BufferUtil.address(memory);
        private final ByteBuffer dest = memory.duplicate();
        private final ByteBuffer left = memory.duplicate();
        private final ByteBuffer right = memory.duplicate();
    }
}
