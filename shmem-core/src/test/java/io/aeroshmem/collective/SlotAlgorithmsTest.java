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
package io.aeroshmem.collective;

import io.aeroshmem.ElementType;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.TransportKind;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * The algorithms that move blocks through slots, each by itself: teams of many sizes, blocks of less than a slot and
 * of many, in place where that is allowed.
 */
@Timeout(120)
class SlotAlgorithmsTest
{
    private static final int[] COUNTS = {0, 1, 2, 7, 30, 31, 1000, 3001};
    private static final int MAX_COUNT = 3001;
    private static final int MAX_STRIDE = 3;

    @ParameterizedTest
    @CsvSource({"1, MAPPED", "3, MAPPED", "8, MAPPED", "5, IPC", "3, UDP"})
    void shouldPerformRoutinesFlat(final int nPes, final TransportKind transport) throws Exception
    {
        performRoutinesFlat(nPes, transport);
    }

    @ParameterizedTest
    @CsvSource({"1, IPC", "2, IPC", "3, IPC", "8, IPC"})
    @Tag("ci")
    void shouldPerformRoutinesFlatInMoreTeams(final int nPes, final TransportKind transport) throws Exception
    {
        performRoutinesFlat(nPes, transport);
    }

    private static void performRoutinesFlat(final int nPes, final TransportKind transport) throws Exception
    {
        final Shmem.Context config = config(nPes, transport)
            .algorithm("alltoall", "flat")
            .algorithm("alltoalls", "flat")
            .algorithm("collect", "flat")
            .algorithm("reduce", "flat")
            .algorithm("reduce_scatter", "flat")
            .algorithm("scan", "flat");
        Shmem.runLocal(nPes, config, (shmem) ->
        {
            final RoutineChecks fixture = new RoutineChecks(shmem, shmem.world(), MAX_COUNT, MAX_STRIDE);
            for (final int count : COUNTS)
            {
                fixture.alltoall(count, 1, 1);
                fixture.alltoall(count, 2, MAX_STRIDE);
                fixture.collect(count);
                fixture.reduce(count);
                fixture.reduceScatter(count);
                fixture.scan(count);
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"1, MAPPED", "3, MAPPED", "8, MAPPED", "5, IPC", "3, UDP"})
    void shouldPerformRoutinesInRounds(final int nPes, final TransportKind transport) throws Exception
    {
        performRoutinesInRounds(nPes, transport);
    }

    @ParameterizedTest
    @CsvSource({"1, IPC", "2, IPC", "3, IPC", "8, IPC", "9, IPC"})
    @Tag("ci")
    void shouldPerformRoutinesInRoundsInMoreTeams(final int nPes, final TransportKind transport) throws Exception
    {
        performRoutinesInRounds(nPes, transport);
    }

    private static void performRoutinesInRounds(final int nPes, final TransportKind transport) throws Exception
    {
        final Shmem.Context config = config(nPes, transport)
            .algorithm("alltoall", "bruck")
            .algorithm("alltoalls", "bruck")
            .algorithm("broadcast", "binomial")
            .algorithm("collect", "bruck")
            .algorithm("reduce", "recursive_doubling")
            .algorithm("scan", "recursive_doubling");
        Shmem.runLocal(nPes, config, (shmem) ->
        {
            final RoutineChecks fixture = new RoutineChecks(shmem, shmem.world(), MAX_COUNT, MAX_STRIDE);
            for (final int count : COUNTS)
            {
                fixture.broadcast(count);
                fixture.alltoall(count, 1, 1);
                fixture.alltoall(count, 2, MAX_STRIDE);
                fixture.collect(count);
                fixture.reduce(count);
                fixture.scan(count);
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"1, MAPPED", "4, MAPPED", "7, MAPPED", "5, IPC", "3, UDP"})
    void shouldReduceUpAndDownTree(final int nPes, final TransportKind transport) throws Exception
    {
        reduceUpAndDownTree(nPes, transport);
    }

    @ParameterizedTest
    @CsvSource({"1, IPC", "2, IPC", "3, IPC", "8, IPC", "9, IPC"})
    @Tag("ci")
    void shouldReduceUpAndDownTreeInMoreTeams(final int nPes, final TransportKind transport) throws Exception
    {
        reduceUpAndDownTree(nPes, transport);
    }

    private static void reduceUpAndDownTree(final int nPes, final TransportKind transport) throws Exception
    {
        final Shmem.Context config = config(nPes, transport).algorithm("reduce", "binomial");
        Shmem.runLocal(nPes, config, (shmem) ->
        {
            final RoutineChecks fixture = new RoutineChecks(shmem, shmem.world(), MAX_COUNT, MAX_STRIDE);
            for (final int count : COUNTS)
            {
                fixture.reduce(count);
                fixture.broadcast(count);
            }
        });
    }

    /**
     * Slots that are acknowledged and slots that are not follow each other on the same mailboxes.
     */
    @ParameterizedTest
    @CsvSource({"3, MAPPED", "6, IPC"})
    @Tag("ci")
    void shouldMixAlgorithms(final int nPes, final TransportKind transport) throws Exception
    {
        mixAlgorithms(nPes, transport);
    }

    @ParameterizedTest
    @CsvSource({"3, IPC"})
    @Tag("ci")
    void shouldMixAlgorithmsInMoreTeams(final int nPes, final TransportKind transport) throws Exception
    {
        mixAlgorithms(nPes, transport);
    }

    private static void mixAlgorithms(final int nPes, final TransportKind transport) throws Exception
    {
        final Shmem.Context config = config(nPes, transport)
            .algorithm("alltoall", "bruck")
            .algorithm("collect", "bruck")
            .algorithm("reduce", "recursive_doubling")
            .algorithm("scan", 0 == nPes % 2 ? "recursive_doubling" : "flat");
        Shmem.runLocal(nPes, config, (shmem) ->
        {
            final RoutineChecks fixture = new RoutineChecks(shmem, shmem.world(), MAX_COUNT, MAX_STRIDE);
            final Random random = new Random(42);
            for (int i = 0; i < 2000; i++)
            {
                final int count = random.nextInt(10) == 0 ? random.nextInt(200) : 1 + random.nextInt(4);
                fixture.perform(random.nextInt(7), count);
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"64, MAPPED", "33, IPC"})
    @Tag("ci")
    void shouldServeManyPes(final int nPes, final TransportKind transport) throws Exception
    {
        Shmem.runLocal(nPes, config(nPes, transport).heapSize(4L << 20), (shmem) ->
        {
            final RoutineChecks fixture = new RoutineChecks(shmem, shmem.world(), 40, MAX_STRIDE);
            for (final int count : new int[] {1, 7, 40})
            {
                for (int routine = 1; routine < 7; routine++)
                {
                    fixture.perform(routine, count);
                }
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"2, MAPPED", "5, MAPPED", "5, IPC"})
    @Tag("ci")
    void shouldLetFastRootBroadcastToSlowLeaf(final int nPes, final TransportKind transport) throws Exception
    {
        final Shmem.Context config = config(nPes, transport).algorithm("broadcast", "binomial");
        Shmem.runLocal(nPes, config, (shmem) ->
        {
            final SymmetricBuffer source = shmem.malloc(Long.BYTES);
            final SymmetricBuffer dest = shmem.malloc(Long.BYTES);
            for (int i = 1; i <= 10_000; i++)
            {
                source.putLong(0, i);
                shmem.world().broadcast(ElementType.LONG, dest, source, 1, 0);
                assertEquals(i, dest.getLong(0));
                if (shmem.myPe() == nPes - 1 && 0 == i % 1000)
                {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
                }
            }
        });
    }

    private static Shmem.Context config(final int nPes, final TransportKind transport)
    {
        return new Shmem.Context()
            .transport(transport)
            .heapSize(3L * nPes * MAX_COUNT * MAX_STRIDE * Long.BYTES + (1 << 20))
            .operationTimeoutNs(TimeUnit.SECONDS.toNanos(60));
    }
}
