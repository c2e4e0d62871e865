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
package io.aeroshmem.tests.collective;

import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import org.junit.jupiter.api.Test;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The oracle against numbers that were worked out by hand, and the coverage of the plan.
 */
class OracleTest
{
    @Test
    void shouldRoundToHalfPrecision()
    {
        assertEquals(0x3C00, Arithmetic.bits(ElementType.HALF, 1));
        assertEquals(0xC000, Arithmetic.bits(ElementType.HALF, -2));
        assertEquals(0x7BFF, Arithmetic.bits(ElementType.HALF, 65_504));
        assertEquals(0x7BFF, Arithmetic.bits(ElementType.HALF, 65_519.9), "rounds down to the greatest");
        assertEquals(0x7C00, Arithmetic.bits(ElementType.HALF, 65_520), "half way to the next is infinite");
        assertEquals(0x0001, Arithmetic.bits(ElementType.HALF, 0x1p-24));
        assertEquals(0x0000, Arithmetic.bits(ElementType.HALF, 0x1p-25), "half goes to the even one");
        assertEquals(0x0002, Arithmetic.bits(ElementType.HALF, 0x1.8p-24), "half goes to the even one");
        assertEquals(0x0400, Arithmetic.bits(ElementType.HALF, 0x1p-14));
        assertEquals(0x03FF, Arithmetic.bits(ElementType.HALF, 0x1p-14 - 0x1p-24));
        assertEquals(0x3C00, Arithmetic.bits(ElementType.HALF, 1 + 0x1p-11), "half goes to the even one");
        assertEquals(0x3C02, Arithmetic.bits(ElementType.HALF, 1 + 0x3p-11), "half goes to the even one");
        assertEquals(0x4000, Arithmetic.bits(ElementType.HALF, 2 - 0x1p-12), "rounds up to the next power");
        assertEquals(0x8000, Arithmetic.bits(ElementType.HALF, -0.0));
        assertEquals(0xFC00, Arithmetic.bits(ElementType.HALF, Double.NEGATIVE_INFINITY));
        for (int bits = 0; bits < 0x10000; bits++)
        {
            final double number = Arithmetic.number(ElementType.HALF, bits);
            assertEquals(Double.isNaN(number) ? 0x7E00 : bits, Arithmetic.bits(ElementType.HALF, number));
        }
    }

    @Test
    void shouldRoundToTheUpperHalfOfAFloat()
    {
        for (int bits = 0; bits < 0x10000; bits++)
        {
            final float same = Float.intBitsToFloat(bits << 16);
            assertEquals(same, (float)Arithmetic.number(ElementType.BFLOAT16, bits));
            assertEquals(Float.isNaN(same) ? 0x7FC0 : bits, Arithmetic.bits(ElementType.BFLOAT16, same));
        }

        assertEquals(0x3F80, Arithmetic.bits(ElementType.BFLOAT16, 1 + 0x1p-8), "half goes to the even one");
        assertEquals(0x3F82, Arithmetic.bits(ElementType.BFLOAT16, 1 + 0x3p-8), "half goes to the even one");
        assertEquals(0x7F80, Arithmetic.bits(ElementType.BFLOAT16, Float.MAX_VALUE));
    }

    @Test
    void shouldCombineByTheCanonicalTree()
    {
        final Value[] values = new Value[7];
        for (int i = 0; i < values.length; i++)
        {
            values[i] = Value.of(Arithmetic.bits(ElementType.DOUBLE, 1.0 / (i + 3)));
        }

        final double expected =
            ((1.0 / 3 + 1.0 / 4) + (1.0 / 5 + 1.0 / 6)) + ((1.0 / 7 + 1.0 / 8) + 1.0 / 9);
        assertEquals(
            Double.doubleToRawLongBits(expected), Oracle.combined(ReduceOp.SUM, ElementType.DOUBLE, values).bits());
    }

    @Test
    void shouldCombineIntegersInTheirWidth()
    {
        assertEquals(-128, combine(ReduceOp.SUM, ElementType.BYTE, 127, 1));
        assertEquals(0, combine(ReduceOp.SUM, ElementType.UNSIGNED_BYTE, 255, 1));
        assertEquals(-1, combine(ReduceOp.MIN, ElementType.SHORT, -1, 1));
        assertEquals(65_535, combine(ReduceOp.MAX, ElementType.UNSIGNED_SHORT, 65_535, 1));
        assertEquals(-1, combine(ReduceOp.MAX, ElementType.UNSIGNED_LONG, -1, 1));
        assertEquals(1, combine(ReduceOp.MAX, ElementType.LONG, -1, 1));
        assertEquals(0xFFFF_FFFEL, combine(ReduceOp.PROD, ElementType.UNSIGNED_INT, 0xFFFF_FFFFL, 2));
        assertEquals(Integer.MIN_VALUE, Arithmetic.identity(ReduceOp.MAX, ElementType.INT).bits());
        assertEquals(0, Arithmetic.identity(ReduceOp.MAX, ElementType.UNSIGNED_LONG).bits());
        assertEquals(-1, Arithmetic.identity(ReduceOp.MIN, ElementType.UNSIGNED_LONG).bits());
        assertEquals(255, Arithmetic.identity(ReduceOp.MIN, ElementType.UNSIGNED_BYTE).bits());
    }

    @Test
    void shouldNotBeBlindToTheOrderOfSums()
    {
        int differ = 0;
        for (int i = 0; i < 100; i++)
        {
            final Value[] values = new Value[4];
            for (int rank = 0; rank < 4; rank++)
            {
                values[rank] = Inputs.at(ElementType.FLOAT, ReduceOp.SUM, 3, rank, i);
            }

            final Value tree = Oracle.combined(ReduceOp.SUM, ElementType.FLOAT, values);
            Value chain = values[0];
            for (int rank = 1; rank < 4; rank++)
            {
                chain = Arithmetic.combine(ReduceOp.SUM, ElementType.FLOAT, chain, values[rank]);
            }

            differ += tree.bits() == chain.bits() ? 0 : 1;
        }

        assertTrue(differ > 20, "differ in " + differ + " of 100");
    }

    @Test
    void shouldContributeDifferentElements()
    {
        assertNotEquals(
            Inputs.at(ElementType.LONG, null, 1, 2, 3), Inputs.at(ElementType.LONG, null, 1, 3, 3));
        assertNotEquals(
            Inputs.at(ElementType.LONG, null, 1, 2, 3), Inputs.at(ElementType.LONG, null, 2, 2, 3));
        assertNotEquals(
            Inputs.at(ElementType.COMPLEX_FLOAT, ReduceOp.SUM, 1, 2, 3),
            Inputs.at(ElementType.COMPLEX_FLOAT, ReduceOp.SUM, 1, 2, 4));
    }

    @Test
    void shouldNameTheMembersOfTeams()
    {
        assertArrayEquals(new int[] {9, 7, 5, 3, 1}, TeamShape.STRIDED_BACK.members(10, 3, 0));
        assertArrayEquals(new int[] {9}, TeamShape.X_AXIS.members(10, 9, 0));
        assertArrayEquals(new int[] {0, 3, 6, 9}, TeamShape.Y_AXIS.members(10, 3, 0));
        assertArrayEquals(new int[] {1, 3, 5, 7, 9}, TeamShape.GRANDCHILD.members(10, 1, 0));
        assertArrayEquals(new int[] {0}, TeamShape.GRANDCHILD.members(1, 0, 0));
    }

    @Test
    void shouldMeetEveryTripleWithEveryCountAndTeam()
    {
        final Map<Call, Set<String>> met = new EnumMap<>(Call.class);
        final Map<Call, Set<TeamShape>> shapes = new EnumMap<>(Call.class);
        final Map<Call, Set<Long>> counts = new EnumMap<>(Call.class);
        for (int job = 0; job < CollectiveMatrixTest.COVERING_JOBS; job++)
        {
            for (final CollectiveCase test : new CasePlan(CasePlan.Kind.COVERING, job, 11, null).cases(4))
            {
                final Set<String> pairs = met.computeIfAbsent(test.call(), (key) -> new HashSet<>());
                pairs.add(test.op() + " " + test.type() + " " + test.shape());
                shapes.computeIfAbsent(test.call(), (key) -> EnumSet.noneOf(TeamShape.class)).add(test.shape());
                counts.computeIfAbsent(test.call(), (key) -> new HashSet<>()).add(test.count());
            }
        }

        for (final Call call : Call.values())
        {
            int triples = 0;
            for (final ElementType type : ElementType.values())
            {
                triples += call.isAllowed(null, type) ? 1 : 0;
                for (final ReduceOp op : ReduceOp.values())
                {
                    triples += call.isAllowed(op, type) ? 1 : 0;
                }
            }

            assertEquals(triples * TeamShape.values().length, met.get(call).size(), call + " by team");
            assertEquals(TeamShape.values().length, shapes.get(call).size());
            assertTrue(counts.get(call).size() >= 5, call + ": counts " + counts.get(call));
        }
    }

    private static long combine(final ReduceOp op, final ElementType type, final long left, final long right)
    {
        return Arithmetic.combine(op, type, Value.of(left), Value.of(right)).bits();
    }
}
