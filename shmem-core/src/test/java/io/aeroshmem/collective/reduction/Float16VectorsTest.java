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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ShortBuffer;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * That the Vector API is used where it is loaded, and sums and products of halves, with it and without.
 */
@Tag("vector")
@Tag("jdk")
class Float16VectorsTest
{
    private static final short HALF_INFINITY = 0x7c00;
    /** Every so many halves are combined with all others; odd, so that both signs are among them. */
    private static final int STEP = 2039;

    @ParameterizedTest
    @CsvSource({
        "SUM, HALF", "PROD, HALF", "MAX, HALF", "MIN, HALF",
        "SUM, BFLOAT16", "PROD, BFLOAT16", "MAX, BFLOAT16", "MIN, BFLOAT16"})
    void shouldBeUsedIfTheModuleIsLoaded(final ReduceOp op, final ElementType type)
    {
        assertEquals(
            ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent(), null != Float16Vectors.of(op, type));
    }

    @ParameterizedTest
    @EnumSource(names = {"SUM", "PROD"})
    void shouldRoundHalvesAsFloat16(final ReduceOp op)
    {
        final short[] halves = finiteHalves();
        final Operands operands = new Operands(op, halves.length);
        for (int i = 0; i < halves.length; i += STEP)
        {
            operands.left.position(0);
            for (int k = 0; k < halves.length; k++)
            {
                operands.left.put(halves[i]);
            }

            operands.right.position(0);
            operands.right.put(halves);
            operands.combineAndCheck();
        }
    }

    /** With 65536 in place of the infinity, the result would be finite. */
    @ParameterizedTest
    @CsvSource({"SUM, -100", "PROD, 0.5"})
    void shouldCombineAnInfinityOfEitherOperandAtAnyPosition(final ReduceOp op, final float other)
    {
        final int count = 128;
        final Operands operands = new Operands(op, count);
        for (final boolean isLeft : new boolean[]{true, false})
        {
            for (int position = 0; position < count; position++)
            {
                for (int k = 0; k < count; k++)
                {
                    operands.left.put(k, Float16.floatToHalf(other));
                    operands.right.put(k, Float16.floatToHalf(other));
                }

                (isLeft ? operands.left : operands.right).put(position, HALF_INFINITY);
                operands.combineAndCheck();
            }
        }
    }

    private static short[] finiteHalves()
    {
        final short[] halves = new short[2 * HALF_INFINITY];
        for (int i = 0; i < HALF_INFINITY; i++)
        {
            halves[2 * i] = (short)i;
            halves[2 * i + 1] = (short)(i | 0x8000);
        }

        return halves;
    }

    private static final class Operands
    {
        private final ReduceOp op;
        private final int count;
        private final ByteBuffer memory;
        private final ShortBuffer left;
        private final ShortBuffer right;
        private final ShortBuffer dest;

        Operands(final ReduceOp op, final int count)
        {
            this.op = op;
            this.count = count;
            memory = BufferUtil.allocateDirectAligned(3 * count * Short.BYTES, 64).order(ByteOrder.nativeOrder());
            final ShortBuffer elements = memory.asShortBuffer();
            dest = elements.slice(0, count);
            left = elements.slice(count, count);
            right = elements.slice(2 * count, count);
        }

        void combineAndCheck()
        {
            final long address = BufferUtil.address(memory);
            final long bytes = (long)count * Short.BYTES;
            Reduction.of(op, ElementType.HALF)
                .combine(null, address, null, address + bytes, null, address + 2 * bytes, count);
            for (int i = 0; i < count; i++)
            {
                final float a = Float16.halfToFloat(left.get(i));
                final float b = Float16.halfToFloat(right.get(i));
                final short expected = Float16.floatToHalf(ReduceOp.SUM == op ? a + b : a * b);
                if (expected != dest.get(i))
                {
                    assertEquals(expected, dest.get(i), op + " of " + a + " and " + b);
                }
            }
        }
    }
}
