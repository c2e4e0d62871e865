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
package io.aeroshmem.tests.conformance;

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.tests.fixture.Pattern;
import io.aeroshmem.tests.fixture.Pe;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.Arrays;
import java.util.BitSet;
import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Random operations from the job's seed against a sequential oracle. Every PE owns a lane in the memory of each, and is
 * its only writer; counters are shared by all and only added to, so their final values are known.
 */
final class Interleavings
{
    private static final int LANE = 4096;
    private static final int COUNTERS = 8;
    private static final int OPERATIONS = 1200;
    private static final int CELL = 64;
    private static final int CELLS = LANE / CELL;
    private static final int KINDS = 12;

    private final Pe pe;
    private final SplittableRandom random;
    private final CommunicationContext[] contexts;
    private final SymmetricBuffer lanes;
    private final SymmetricBuffer staging;
    private final SymmetricBuffer counters;
    private final SymmetricBuffer sums;
    private final UnsafeBuffer local = new UnsafeBuffer(new byte[LANE]);
    private final byte[][] model;
    private final long[][] added;
    /** Cells of each target that a context wrote since its last quiet; another context accesses them after a quiet. */
    private final BitSet[][] dirty;
    private int stagingUsed;

    private Interleavings(final Pe pe)
    {
        this.pe = pe;
        this.random = pe.ownRandom();
        this.contexts = new CommunicationContext[]{pe.ctx(), pe.createContext()};
        this.lanes = pe.calloc((long)LANE * pe.n(), 1);
        this.staging = pe.calloc(16L * LANE, 1);
        this.counters = pe.calloc(COUNTERS, 8);
        this.sums = pe.calloc((long)COUNTERS * pe.n(), 8);
        this.model = new byte[pe.n()][LANE];
        this.added = new long[pe.n()][COUNTERS];
        this.dirty = new BitSet[contexts.length][pe.n()];
        for (final BitSet[] sets : dirty)
        {
            Arrays.setAll(sets, (i) -> new BitSet());
        }
    }

    static void shouldDoWhatTheOracleDoes(final Pe pe)
    {
        final Interleavings run = new Interleavings(pe);
        for (int i = 0; i < OPERATIONS; i++)
        {
            run.step();
        }

        run.end();
    }

    private void step()
    {
        final int c = random.nextInt(contexts.length);
        final int target = random.nextInt(pe.n());
        final int length = random.nextInt(8) == 0 ? random.nextInt(LANE) : random.nextInt(80);
        final int at = random.nextInt(LANE - length);
        final int word = random.nextInt(LANE / 8) * 8;
        switch (random.nextInt(KINDS))
        {
            case 0 -> put(c, target, at, length);
            case 1 -> putNbi(c, target, at, length);
            case 2 -> putLocal(c, target, at, length);
            case 3 -> putElement(c, target, word);
            case 4 -> get(target, at, length);
            case 5 -> getNbi(c, target, at, length);
            case 6 -> update(c, target, word);
            case 7, 8 -> count(c, target);
            case 9 -> contexts[c].fence();
            case 10 -> quiet(c);
            default -> putSignal(c, target, at, length, word);
        }
    }

    private void put(final int c, final int target, final int at, final int length)
    {
        before(c, target, at, length);
        final int from = stage(target, at, length);
        contexts[c].put(lanes, lane(at), staging, from, length, target);
    }

    private void putNbi(final int c, final int target, final int at, final int length)
    {
        before(c, target, at, length);
        final int from = stage(target, at, length);
        contexts[c].putNbi(lanes, lane(at), staging, from, length, target);
    }

    private void putLocal(final int c, final int target, final int at, final int length)
    {
        before(c, target, at, length);
        Pattern.fill(local, 0, length, random.nextLong());
        local.getBytes(0, model[target], at, length);
        contexts[c].put(lanes, lane(at), local, 0, length, target);
    }

    private void putElement(final int c, final int target, final int at)
    {
        before(c, target, at, 8);
        final long value = random.nextLong();
        new UnsafeBuffer(model[target]).putLong(at, value);
        contexts[c].putLong(lanes, lane(at), value, target);
    }

    private void putSignal(final int c, final int target, final int at, final int length, final int word)
    {
        before(c, target, at, length);
        before(c, target, word, 8);
        final int from = stage(target, at, length);
        final long value = random.nextLong();
        if (word + 8 <= at || at + length <= word)
        {
            new UnsafeBuffer(model[target]).putLong(word, value);
            contexts[c].putSignal(
                lanes, lane(at), staging, from, length, lanes, lane(word), value, SignalOp.SET, target);
        }
        else
        {
            contexts[c].put(lanes, lane(at), staging, from, length, target);
        }
    }

    private void get(final int target, final int at, final int length)
    {
        allQuiet();
        Pattern.guard(local, 0, length);
        contexts[0].get(local, 0, lanes, lane(at), length, target);
        final byte[] got = new byte[length];
        local.getBytes(0, got);
        assertArrayEquals(Arrays.copyOfRange(model[target], at, at + length), got, "get from PE " + target);
    }

    private void getNbi(final int c, final int target, final int at, final int length)
    {
        allQuiet();
        contexts[c].getNbi(staging, 0, lanes, lane(at), length, target);
        contexts[c].quiet();
        final byte[] got = new byte[length];
        pe.memory().read(staging, 0, new UnsafeBuffer(got), 0, length);
        assertArrayEquals(Arrays.copyOfRange(model[target], at, at + length), got, "getNbi from PE " + target);
    }

    private void update(final int c, final int target, final int at)
    {
        before(c, target, at, 8);
        final UnsafeBuffer words = new UnsafeBuffer(model[target]);
        final long expected = words.getLong(at);
        final long value = random.nextLong();
        final boolean swap = random.nextBoolean();
        final long before = swap ?
            contexts[c].atomicSwapLong(lanes, lane(at), value, target) :
            contexts[c].atomicFetchXorLong(lanes, lane(at), value, target);
        assertEquals(expected, before, "fetched from PE " + target);
        words.putLong(at, swap ? value : expected ^ value);
    }

    private void count(final int c, final int target)
    {
        final int counter = random.nextInt(COUNTERS);
        final long value = random.nextInt(1000) - 300;
        added[target][counter] += value;
        if (random.nextBoolean())
        {
            contexts[c].atomicAddLong(counters, 8L * counter, value, target);
        }
        else
        {
            contexts[c].atomicFetchAddLong(counters, 8L * counter, value, target);
        }
    }

    /**
     * Waits for what the next operation must not overtake: earlier writes of the same cells. Fence suffices for those
     * of its own context.
     */
    private void before(final int c, final int target, final int at, final int length)
    {
        final int first = at / CELL;
        final int end = (at + length + CELL - 1) / CELL;
        for (int other = 0; other < contexts.length; other++)
        {
            final int next = dirty[other][target].nextSetBit(first);
            if (next >= 0 && next < end)
            {
                if (other == c)
                {
                    contexts[c].fence(target);
                }
                else
                {
                    contexts[other].quiet(target);
                    dirty[other][target].clear();
                }
            }
        }

        dirty[c][target].set(first, Math.max(first, end));
    }

    private int stage(final int target, final int at, final int length)
    {
        if (stagingUsed + length > staging.length())
        {
            allQuiet();
            stagingUsed = LANE; // the first lane is that of nonblocking gets
        }

        final int from = Math.max(stagingUsed, LANE);
        stagingUsed = from + length;
        Pattern.fill(pe, staging, from, length, random.nextLong());
        pe.memory().read(staging, from, new UnsafeBuffer(model[target]), at, length);
        return from;
    }

    private void quiet(final int c)
    {
        contexts[c].quiet();
        for (final BitSet cells : dirty[c])
        {
            cells.clear();
        }
    }

    private void allQuiet()
    {
        for (int c = 0; c < contexts.length; c++)
        {
            quiet(c);
        }
    }

    private long lane(final int at)
    {
        return (long)LANE * pe.me() + at;
    }

    private void end()
    {
        for (int target = 0; target < pe.n(); target++)
        {
            for (int counter = 0; counter < COUNTERS; counter++)
            {
                pe.ctx().putLong(sums, 8L * (pe.me() * COUNTERS + counter), added[target][counter], target);
            }
        }

        allQuiet();
        pe.shmem().barrierAll();
        for (int target = 0; target < pe.n(); target++)
        {
            get(target, 0, LANE - 1);
        }

        for (int counter = 0; counter < COUNTERS; counter++)
        {
            long sum = 0;
            for (int source = 0; source < pe.n(); source++)
            {
                sum += pe.memory().getLong(sums, 8L * (source * COUNTERS + counter));
            }

            assertEquals(sum, pe.memory().getLong(counters, 8L * counter), "counter " + counter);
        }

        contexts[1].close();
        pe.shmem().barrierAll();
        pe.shmem().free(sums);
        pe.shmem().free(counters);
        pe.shmem().free(staging);
        pe.shmem().free(lanes);
    }
}
