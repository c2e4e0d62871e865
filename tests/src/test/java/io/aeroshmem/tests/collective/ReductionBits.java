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
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.tests.fixture.Pattern;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.RoutineSet;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Reductions of arbitrary bits, including infinities and NaNs, and one number computed from all bits of all results:
 * it is the same on all PEs, and equal to the value of the property, if set.
 */
final class ReductionBits extends RoutineSet
{
    static final String EXPECTED = "aeroshmem.test.bits";

    private static final long SEED = 20_261_121;
    private static final ElementType[] TYPES = {
        ElementType.FLOAT, ElementType.DOUBLE, ElementType.COMPLEX_FLOAT, ElementType.COMPLEX_DOUBLE, ElementType.HALF,
        ElementType.BFLOAT16};
    private static final ReduceOp[] OPS = {ReduceOp.SUM, ReduceOp.PROD, ReduceOp.MAX, ReduceOp.MIN};
    private static final int[] COUNTS = {1, 100, 5_000, 20_000};
    private static final int BYTES = 20_000 * 16;

    private static volatile long bits;

    ReductionBits()
    {
        add("bits", ReductionBits::shouldBeTheSame);
    }

    /**
     * Returns the bits that the last job of threads computed.
     */
    static long bits()
    {
        return bits;
    }

    private static void shouldBeTheSame(final Pe pe)
    {
        final SymmetricBuffer dest = pe.shmem().malloc(BYTES);
        final SymmetricBuffer source = pe.shmem().malloc(BYTES);
        Pattern.fill(source, 0, BYTES, Pattern.seed(SEED, pe.me()));
        final Team team = pe.shmem().world();
        long all = 0;
        for (final ElementType type : TYPES)
        {
            for (final ReduceOp op : OPS)
            {
                for (final int count : COUNTS)
                {
                    if (Arithmetic.isAllowed(op, type))
                    {
                        team.reduce(op, type, dest, source, count);
                        all = Pattern.seed(all, digest(dest, (long)count * type.bytes()));
                        final long mine = all;
                        assertEquals(mine, team.reduceLong(ReduceOp.MAX, mine), op + " of " + count + " " + type);
                        assertEquals(mine, team.reduceLong(ReduceOp.MIN, mine), op + " of " + count + " " + type);
                    }
                }
            }
        }

        final String expected = System.getProperty(EXPECTED);
        if (null != expected)
        {
            assertEquals(Long.parseLong(expected), all);
        }
        else if (0 == pe.me())
        {
            bits = all;
        }

        pe.shmem().barrierAll();
    }

    private static long digest(final SymmetricBuffer buffer, final long length)
    {
        long digest = length;
        long at = 0;
        for (; at + 8 <= length; at += 8)
        {
            digest = Pattern.seed(digest, buffer.getLong(at));
        }

        for (; at < length; at++)
        {
            digest = Pattern.seed(digest, buffer.getByte(at));
        }

        return digest;
    }
}
