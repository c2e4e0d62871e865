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
package io.aeroshmem.tools.latency;

import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class LatencyPlanTest
{
    private static final List<ReducedValue> REDUCTIONS = List.of(
        ReducedValue.SUM_OF_LONGS, new ReducedValue(ElementType.HALF, ReduceOp.MAX));
    private static final Traffic MATRIX = new Traffic(
        Traffic.Pattern.MATRIX, List.of(List.of(0, 2), List.of(1, 0)), 16, 3, true);

    @Test
    void shouldReachThePesUnchanged()
    {
        final LatencyPlan plan = new LatencyPlan(
            List.of(LatencyOperation.PUT, LatencyOperation.BARRIER), List.of(8L, 1L << 20), REDUCTIONS, 1000,
            LatencyPlan.AUTOMATIC, LatencyFormat.JSON,
            new LatencyVariation(List.of(1000L, 20_000L), true, true, true, MATRIX, 7),
            Path.of("/tmp/a=b"), Path.of("/tmp/c.csv"), List.of(2, 3), "udp", HeapKind.DEVICE, true, "1.0", true, true,
            false);

        assertEquals(plan, LatencyPlan.parse(plan.toArguments().toArray(new String[0])));
        assertEquals(12 << 20, plan.bufferBytes(4), "a block for each thread of each PE");
    }

    @Test
    void shouldReachThePesWithoutOptionalValues()
    {
        final LatencyPlan plan = new LatencyPlan(
            List.of(LatencyOperation.SYNC), List.of(), List.of(ReducedValue.SUM_OF_LONGS), LatencyPlan.AUTOMATIC, 0,
            LatencyFormat.TABLE, LatencyVariation.NONE, null, null, List.of(), "auto", HeapKind.HOST, false,
            "(development build)", false, false, true);

        assertEquals(plan, LatencyPlan.parse(plan.toArguments().toArray(new String[0])));
        assertEquals(Long.BYTES, plan.bufferBytes(4));
    }

    @Test
    void shouldChooseSizesForEachOperationUnlessTheyAreGiven()
    {
        final List<LatencyOperation> operations = List.of(
            LatencyOperation.PINGPONG, LatencyOperation.GET, LatencyOperation.REDUCE, LatencyOperation.ALLTOALL);
        final LatencyPlan chosen = plan(operations, List.of());
        assertEquals(List.of(8L), chosen.sizes(LatencyOperation.PINGPONG));
        assertEquals(List.of(8L, 4096L, 1L << 20), chosen.sizes(LatencyOperation.GET));
        assertEquals(List.of(8L, 1L << 20), chosen.sizes(LatencyOperation.REDUCE));
        assertEquals(List.of(8L), chosen.sizes(LatencyOperation.ALLTOALL));
        assertEquals(1 << 20, chosen.bufferBytes(4));

        final LatencyPlan given = plan(operations, List.of(16L, 1L << 20));
        assertEquals(List.of(8L), given.sizes(LatencyOperation.PINGPONG));
        assertEquals(List.of(16L, 1L << 20), given.sizes(LatencyOperation.ALLTOALL));
        assertEquals(4 << 20, given.bufferBytes(4), "a block for each PE");
    }

    private static LatencyPlan plan(final List<LatencyOperation> operations, final List<Long> sizes)
    {
        return new LatencyPlan(operations, sizes, List.of(ReducedValue.SUM_OF_LONGS), 1, 1,
            LatencyFormat.CSV, LatencyVariation.NONE, null, null, List.of(), "auto", HeapKind.PINNED, false, "1.0",
            false, true, true);
    }

    @Test
    void shouldMeasureReductionsWithAllTheirTypesAndOperations()
    {
        final List<ReducedValue> all = ReducedValue.all(List.of(ElementType.values()), List.of(ReduceOp.values()));
        assertEquals(3 * 8 + 2 * 12 + 2 * 14, all.size());
        assertTrue(all.contains(new ReducedValue(ElementType.COMPLEX_DOUBLE, ReduceOp.PROD)));
        final LatencyPlan plan = new LatencyPlan(List.of(), List.of(), REDUCTIONS, 1, 1, LatencyFormat.CSV,
            LatencyVariation.NONE, null, null, List.of(), "auto", HeapKind.HOST, false, "1.0", false, true, true);
        assertEquals(REDUCTIONS, plan.reductions(LatencyOperation.REDUCE));
        assertEquals(1, plan.reductions(LatencyOperation.PUT).size());
        assertEquals("reduce_max_half", plan.name(LatencyOperation.REDUCE, REDUCTIONS.get(1), LatencyRow.CLOSED));
        assertEquals("put", plan.name(LatencyOperation.PUT, REDUCTIONS.get(0), LatencyRow.CLOSED));
    }

    @Test
    void shouldVaryOnlyOperationsForWhichThatIsDefined()
    {
        final LatencyVariation open = new LatencyVariation(List.of(10L), false, false, false, Traffic.NONE, 0);
        assertTrue(open.isPossible(LatencyOperation.BARRIER));
        assertFalse(open.isPossible(LatencyOperation.PUT_BW));
        final LatencyVariation shifted = new LatencyVariation(List.of(), true, false, false, Traffic.NONE, 0);
        assertTrue(shifted.isPossible(LatencyOperation.SCATTERV));
        assertFalse(shifted.isPossible(LatencyOperation.REDUCE));
        final LatencyVariation matrix = new LatencyVariation(List.of(), false, true, false, Traffic.NONE, 0);
        assertTrue(matrix.isPossible(LatencyOperation.PINGPONG));
        assertTrue(matrix.isPossible(LatencyOperation.PUT_BW));
        assertFalse(matrix.isPossible(LatencyOperation.PUT_BIBW));
        assertFalse(matrix.isPossible(LatencyOperation.BARRIER));
    }

    @Test
    void shouldFindOperationsByTheNamesOfTheRows()
    {
        assertEquals(LatencyOperation.ATOMIC_FETCH_ADD, of(" Atomic_Fetch_Add"));
        for (final LatencyOperation operation : LatencyOperation.values())
        {
            assertEquals(operation, of(operation.lowerCaseName()));
        }
    }

    @Test
    void shouldListTheOperationsForAnUnknownName()
    {
        final String unknown = assertThrows(IllegalArgumentException.class, () -> of("jump")).getMessage();
        assertTrue(unknown.contains("'jump'") && unknown.contains("pingpong"), unknown);
    }

    private static LatencyOperation of(final String name)
    {
        return LatencyOperation.of(name, "all", (operation) -> true);
    }
}
