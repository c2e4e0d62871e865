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
package io.aeroshmem.sync;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.BitSet;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Simulation of the schedules of all members of a team.
 */
class BarrierScheduleTest
{
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 7, 8, 12, 64})
    void shouldDependOnAllAfterOneRoundOrLogarithmicallyMany(final int size)
    {
        final BarrierSchedule[] flat = schedules(size, (rank) -> BarrierSchedule.flat(size, rank));
        play(flat);
        assertEquals(size > 1 ? 1 : 0, flat[0].rounds());

        final BarrierSchedule[] dissemination = schedules(size, (rank) -> BarrierSchedule.dissemination(size, rank));
        play(dissemination);
        assertEquals(SystemAreaDescriptor.rounds(size), dissemination[0].rounds());
        assertEquals(SystemAreaDescriptor.rounds(size), signals(dissemination[size - 1]));
    }

    @Test
    void shouldDependOnAllOnSeveralHosts()
    {
        final int[][] hosts = {{0, 4, 5}, {1}, {2, 3, 6, 7, 8}};
        final int[] leaders = {0, 1, 2};
        final BarrierSchedule[] schedules = new BarrierSchedule[9];
        for (final int[] locals : hosts)
        {
            for (final int rank : locals)
            {
                schedules[rank] = BarrierSchedule.twoLevel(leaders, locals, rank);
            }
        }

        play(schedules);
        assertEquals(1, signals(schedules[5]));
        assertEquals(2, signals(schedules[1]));
        assertEquals(2 + 4, signals(schedules[2]));
    }

    private interface ScheduleOf
    {
        BarrierSchedule of(int rank);
    }

    private static BarrierSchedule[] schedules(final int size, final ScheduleOf scheduleOf)
    {
        return IntStream.range(0, size).mapToObj(scheduleOf::of).toArray(BarrierSchedule[]::new);
    }

    private static int signals(final BarrierSchedule schedule)
    {
        return IntStream.range(0, schedule.rounds()).map((round) -> schedule.targets(round).length).sum();
    }

    /**
     * Lets each member proceed as far as its signals allow, until all are done. A signal carries the members that its
     * sender depends on.
     */
    private static void play(final BarrierSchedule[] schedules)
    {
        final int size = schedules.length;
        final BitSet[] dependencies = new BitSet[size];
        final BitSet[][] flags = new BitSet[size][size];
        final int[] rounds = new int[size];
        for (int rank = 0; rank < size; rank++)
        {
            dependencies[rank] = new BitSet();
            dependencies[rank].set(rank);
            if (schedules[rank].rounds() > 0)
            {
                signal(schedules[rank].targets(0), rank, dependencies, flags);
            }
        }

        boolean isMoved = true;
        while (isMoved)
        {
            isMoved = false;
            for (int rank = 0; rank < size; rank++)
            {
                final BarrierSchedule schedule = schedules[rank];
                final BitSet[] own = flags[rank];
                if (rounds[rank] < schedule.rounds() &&
                    Arrays.stream(schedule.sources(rounds[rank])).allMatch((other) -> null != own[other]))
                {
                    for (final int other : schedule.sources(rounds[rank]))
                    {
                        dependencies[rank].or(own[other]);
                        own[other] = new BitSet();
                    }

                    if (++rounds[rank] < schedule.rounds())
                    {
                        signal(schedule.targets(rounds[rank]), rank, dependencies, flags);
                    }

                    isMoved = true;
                }
            }
        }

        for (int rank = 0; rank < size; rank++)
        {
            assertEquals(schedules[rank].rounds(), rounds[rank], "rank " + rank + " does not end");
            assertEquals(size, dependencies[rank].cardinality(), "rank " + rank + " depends on " + dependencies[rank]);
            for (final BitSet flag : flags[rank])
            {
                assertTrue(null == flag || flag.isEmpty(), "rank " + rank + " left a flag unread");
            }
        }
    }

    private static void signal(final int[] targets, final int rank, final BitSet[] dependencies, final BitSet[][] flags)
    {
        for (final int other : targets)
        {
            assertFalse(other == rank, "rank " + rank + " signals itself");
            assertEquals(null, flags[other][rank], "rank " + rank + " signals " + other + " twice");
            flags[other][rank] = (BitSet)dependencies[rank].clone();
        }
    }
}
