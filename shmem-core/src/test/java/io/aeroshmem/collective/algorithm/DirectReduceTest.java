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
package io.aeroshmem.collective.algorithm;

import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.TransportKind;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.junit.jupiter.api.Assertions.assertEquals;

@Timeout(120)
class DirectReduceTest
{
    @ParameterizedTest
    @CsvSource({
        "1, MAPPED", "2, MAPPED", "3, MAPPED", "4, MAPPED", "5, MAPPED", "8, MAPPED", "12, MAPPED",
        "2, IPC", "3, IPC", "5, IPC", "8, IPC", "2, UDP", "3, UDP", "5, UDP"})
    void shouldReduceInCanonicalOrder(final int nPes, final TransportKind transport) throws Exception
    {
        Shmem.runLocal(nPes, new Shmem.Context().transport(transport).heapSize(8 << 20), (shmem) ->
        {
            final int most = 65_537;
            final SymmetricBuffer source = shmem.malloc(most * Double.BYTES);
            final SymmetricBuffer dest = shmem.malloc(most * Double.BYTES);
            int round = 0;
            for (final int count : new int[]{31, 63, 1000, 1, 7, 8191, 8192, 8193, most})
            {
                for (final boolean isInPlace : new boolean[]{false, true})
                {
                    round++;
                    fill(source, count, shmem.myPe(), round);
                    fill(dest, count, -1, round);
                    final SymmetricBuffer result = isInPlace ? source : dest;
                    shmem.world().reduce(ReduceOp.SUM, ElementType.DOUBLE, result, source, count);
                    for (int i = 0; i < count; i++)
                    {
                        assertEquals(expected(0, nPes, i, round), result.getDouble(i * Double.BYTES));
                    }
                }
            }
        });
    }

    private static void fill(final SymmetricBuffer buffer, final int count, final int pe, final int round)
    {
        for (int i = 0; i < count; i++)
        {
            buffer.putDouble(i * Double.BYTES, value(pe, i, round));
        }
    }

    private static double value(final int pe, final int index, final int round)
    {
        return Math.scalb(1.0 + 0.1 * pe + 1e-3 * (index % 1009), (pe * 7 + index + round) % 40);
    }

    private static double expected(final int first, final int count, final int index, final int round)
    {
        if (1 == count)
        {
            return value(first, index, round);
        }

        final int left = Integer.highestOneBit(count - 1);
        return expected(first, left, index, round) + expected(first + left, count - left, index, round);
    }
}
