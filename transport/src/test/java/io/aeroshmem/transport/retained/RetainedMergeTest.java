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
package io.aeroshmem.transport.retained;

import io.aeroshmem.transport.retained.RetainedBlock.State;
import io.aeroshmem.transport.retained.RetainedMerge.Contents;
import io.aeroshmem.transport.retained.RetainedMerge.Merged;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class RetainedMergeTest
{
    private static final int N_PES = 3;
    private static final int NAMES = 3;

    /** PEs that perform a program of retain and release calls, a step of any PE at a time. */
    private static final class World
    {
        private final List<List<RetainedBlock>> tables = new ArrayList<>();
        private final int[] steps = new int[N_PES];
        private final int[] calls;

        World(final int[] calls)
        {
            this.calls = calls;
            for (int pe = 0; pe < N_PES; pe++)
            {
                tables.add(new ArrayList<>());
            }
        }

        /** A call is two steps, and a PE takes each after all PEs have taken the one before. */
        boolean step(final int pe)
        {
            for (final int other : steps)
            {
                if (other < steps[pe])
                {
                    return false;
                }
            }

            if (steps[pe] == 2 * calls.length)
            {
                return false;
            }

            final int call = steps[pe] / 2;
            final boolean isLast = 1 == (steps[pe] & 1);
            final RetainedBlock block = block(calls[call], State.PREPARED);
            final List<RetainedBlock> table = tables.get(pe);
            final boolean isRelease = isIn(call);
            table.removeIf((known) -> known.name().equals(block.name()));
            if (!isRelease || !isLast)
            {
                table.add(block.in(isRelease ? State.RELEASING : isLast ? State.COMMITTED : State.PREPARED));
            }

            steps[pe]++;
            return true;
        }

        /** Returns whether a call is the release of what a call before has retained. */
        private boolean isIn(final int call)
        {
            boolean isIn = false;
            for (int i = 0; i < call; i++)
            {
                isIn ^= calls[i] == calls[call];
            }

            return isIn;
        }

        /** Returns the names that exist after a number of calls. */
        Set<String> after(final int count)
        {
            final Set<String> names = new TreeSet<>();
            for (int i = 0; i < count; i++)
            {
                final String name = "name-" + calls[i];
                if (!names.remove(name))
                {
                    names.add(name);
                }
            }

            return names;
        }
    }

    private static RetainedBlock block(final int number, final State state)
    {
        return new RetainedBlock("name-" + number, 64L * number, 64, number, false, 0, state);
    }

    /** Each PE's table is one of two neighbouring states; what any PE has completed holds, no call in part. */
    @Test
    void shouldRollForwardWhereverPesStop()
    {
        final Random random = new Random(1);
        for (int round = 0; round < 20_000; round++)
        {
            final World world = new World(random.ints(4, 0, NAMES).toArray());
            for (int stops = random.nextInt(60); stops > 0; stops--)
            {
                world.step(random.nextInt(N_PES));
            }

            final List<List<RetainedBlock>> survivors = new ArrayList<>();
            int completed = 0;
            int begun = 0;
            for (int pe = 0; pe < N_PES; pe++)
            {
                if (0 == pe || random.nextBoolean())
                {
                    survivors.add(world.tables.get(pe));
                    completed = Math.max(completed, world.steps[pe] / 2);
                    begun = Math.max(begun, (world.steps[pe] + 1) / 2);
                }
            }

            final Set<String> merged = new TreeSet<>();
            RetainedMerge.merge(survivors).forEach((allocation) ->
            {
                assertEquals(State.COMMITTED, allocation.block().state());
                assertEquals(Contents.KEPT, allocation.contents());
                merged.add(allocation.block().name());
            });
            final boolean isAllOfThem = survivors.size() == N_PES;
            assertTrue(
                merged.equals(world.after(completed)) || !isAllOfThem && merged.equals(world.after(begun)),
                () -> world.tables + " of which " + survivors + " give " + merged);
        }
    }

    @Test
    void shouldNotRollForwardWhatNoPeHasCommitted()
    {
        final List<RetainedBlock> prepared = List.of(block(0, State.PREPARED));
        assertEquals(List.of(), RetainedMerge.merge(List.of(prepared, prepared)));
        assertEquals(List.of(), RetainedMerge.merge(List.of(prepared, List.of())));
        final List<RetainedBlock> releasing = List.of(block(0, State.RELEASING));
        assertEquals(List.of(new Merged(block(0, State.COMMITTED), Contents.KEPT)),
            RetainedMerge.merge(List.of(releasing, releasing)));
    }

    /** Bytes change when all are RESTORING, and a PE is COMMITTED again when all have changed them. */
    @Test
    void shouldKeepOrRestoreOrLoseTheContentsOnAllPes()
    {
        final RetainedBlock before = block(0, State.COMMITTED).zeroed(true);
        final RetainedBlock during = before.restoring();
        final RetainedBlock after = during.zeroed(false).in(State.COMMITTED);
        assertMerged(before, Contents.KEPT, before, during);
        assertMerged(after, Contents.RESTORED, during, after);
        assertMerged(after, Contents.KEPT, after, after);
        assertMerged(during.lost(), Contents.LOST, during, during);

        // one has begun the next generation, and that one ends before the other has
        assertMerged(during.lost(), Contents.LOST, during.lost(), during);
        assertMerged(during.lost(), Contents.KEPT, during.lost(), during.lost());
    }

    private static void assertMerged(
        final RetainedBlock expected, final Contents contents, final RetainedBlock one, final RetainedBlock other)
    {
        final List<Merged> merged = List.of(new Merged(expected, contents));
        assertEquals(merged, RetainedMerge.merge(List.of(List.of(one), List.of(other))));
        assertEquals(merged, RetainedMerge.merge(List.of(List.of(other), List.of(one))));
    }

    @Test
    void shouldRejectTablesThatDifferInMemoryOrByMoreThanAStep()
    {
        final List<RetainedBlock> committed = List.of(block(0, State.COMMITTED));
        assertRejected(committed, List.of());
        assertRejected(List.of(block(0, State.PREPARED)), List.of(block(0, State.RELEASING)));
        final List<RetainedBlock> restoring = List.of(block(0, State.COMMITTED).restoring());
        assertRejected(restoring, List.of());
        assertRejected(restoring, List.of(block(0, State.PREPARED)));
        assertRejected(restoring, List.of(block(0, State.RELEASING)));
        assertRejected(restoring, List.of(restoring.get(0).restoring()));
        assertRejected(committed, List.of(restoring.get(0).in(State.COMMITTED)));
        assertRejected(committed, List.of(restoring.get(0).restoring()));
        assertRejected(committed, List.of(new RetainedBlock("name-0", 64, 64, 0, false, 0, State.COMMITTED)));
        assertRejected(committed, List.of(new RetainedBlock("name-0", 0, 65, 0, false, 0, State.COMMITTED)));
        assertRejected(committed, List.of(new RetainedBlock("name-0", 0, 64, 1, false, 0, State.COMMITTED)));
    }

    private static void assertRejected(final List<RetainedBlock> one, final List<RetainedBlock> other)
    {
        assertThrows(RetainedTableException.class, () -> RetainedMerge.merge(List.of(one, other)));
        assertThrows(RetainedTableException.class, () -> RetainedMerge.merge(List.of(other, one)));
    }
}
