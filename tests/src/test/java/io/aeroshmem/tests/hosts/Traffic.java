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
package io.aeroshmem.tests.hosts;

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.RoutineSet;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Rounds of puts, gets, atomics, barriers and reductions between all PEs, each checked to the last byte, until a file
 * exists.
 */
final class Traffic extends RoutineSet
{
    static final String STOP_PROPERTY = "aeroshmem.test.stop";
    static final String ROUND = "round ";
    static final String DONE = "rounds done: ";

    private static final PrintStream OUT = System.out;
    private static final int WORDS = 5_000;
    private static final int LENGTH = WORDS * Long.BYTES;

    Traffic()
    {
        add("traffic", Traffic::run);
    }

    private static void run(final Pe pe)
    {
        final Path stop = Path.of(System.getProperty(STOP_PROPERTY));
        final CommunicationContext ctx = pe.ctx();
        final SymmetricBuffer blocks = pe.shmem().calloc(pe.n(), LENGTH);
        final SymmetricBuffer counts = pe.shmem().calloc(pe.n(), Long.BYTES);
        final SymmetricBuffer sum = pe.shmem().calloc(1, Long.BYTES);
        final UnsafeBuffer local = new UnsafeBuffer(new byte[LENGTH]);
        long round = 0;
        boolean goesOn = true;
        while (goesOn)
        {
            for (int target = 0; target < pe.n(); target++)
            {
                assertEquals(round, ctx.atomicFetchAddLong(counts, (long)pe.me() * Long.BYTES, 1, target), "count");
                ctx.atomicAddLong(sum, 0, round + pe.me(), target);
                fill(local, round, pe.me(), target);
                ctx.put(blocks, (long)pe.me() * LENGTH, local, 0, LENGTH, target);
            }

            pe.shmem().barrierAll();
            for (int peer = 0; peer < pe.n(); peer++)
            {
                check(blocks, round, peer, pe.me());
                final int source = pe.ownRandom().nextInt(pe.n());
                ctx.get(local, 0, blocks, (long)source * LENGTH, LENGTH, peer);
                check(local, round, source, peer);
            }

            round++;
            OUT.println(ROUND + round + " at " + System.currentTimeMillis());
            goesOn = 0 != pe.shmem().world().reduceLong(ReduceOp.MIN, Files.exists(stop) ? 0 : 1);
        }

        final long n = pe.n();
        assertEquals(n * round * (round - 1) / 2 + round * n * (n - 1) / 2, sum.getLong(0), "sum");
        OUT.println(DONE + round);
    }

    private static long word(final long round, final int source, final int target, final int index)
    {
        return (round * 31 + source) * 0x9E3779B97F4A7C15L + target * 0xD1B54A32D192ED03L + index;
    }

    private static void fill(final UnsafeBuffer buffer, final long round, final int source, final int target)
    {
        for (int i = 0; i < WORDS; i++)
        {
            buffer.putLong(i * Long.BYTES, word(round, source, target, i));
        }
    }

    private static void check(final UnsafeBuffer buffer, final long round, final int source, final int target)
    {
        for (int i = 0; i < WORDS; i++)
        {
            same(word(round, source, target, i), buffer.getLong(i * Long.BYTES), round, source, i);
        }
    }

    private static void check(final SymmetricBuffer blocks, final long round, final int source, final int target)
    {
        final long start = (long)source * LENGTH;
        for (int i = 0; i < WORDS; i++)
        {
            same(word(round, source, target, i), blocks.getLong(start + (long)i * Long.BYTES), round, source, i);
        }
    }

    private static void same(
        final long expected, final long found, final long round, final int source, final int index)
    {
        if (expected != found)
        {
            throw new AssertionError("round " + round + ", word " + index + " of PE " + source + ": " +
                Long.toHexString(found) + " in the place of " + Long.toHexString(expected));
        }
    }
}
