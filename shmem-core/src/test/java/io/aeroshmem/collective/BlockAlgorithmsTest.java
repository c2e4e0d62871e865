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

import io.aeroshmem.Shmem;
import io.aeroshmem.Team;
import io.aeroshmem.TransportKind;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The algorithms that touch the memory of other members, each by itself: teams of many sizes, blocks that are shorter
 * than a slice, about as long as a piece, and of many pieces, in place where that is allowed.
 */
@Timeout(180)
class BlockAlgorithmsTest
{
    private static final int[] COUNTS = {1, 2, 7, 30, 65, 1000, 8191, 8192, 8193, 20_001};
    private static final int MAX_COUNT = 20_001;
    private static final int MAX_STRIDE = 3;

    @ParameterizedTest
    @CsvSource({"1, MAPPED", "3, MAPPED", "8, MAPPED", "5, IPC", "3, UDP"})
    void shouldReadFromMembers(final int nPes, final TransportKind transport) throws Exception
    {
        readFromMembers(nPes, transport);
    }

    @ParameterizedTest
    @CsvSource({"1, IPC", "2, IPC", "3, IPC", "8, IPC", "2, UDP", "5, UDP"})
    @Tag("ci")
    void shouldReadFromMembersInMoreTeams(final int nPes, final TransportKind transport) throws Exception
    {
        readFromMembers(nPes, transport);
    }

    private static void readFromMembers(final int nPes, final TransportKind transport) throws Exception
    {
        Shmem.runLocal(nPes, directRead(config(nPes, transport)), (shmem) ->
        {
            final RoutineChecks checks = new RoutineChecks(shmem, shmem.world(), MAX_COUNT, 1);
            for (final int count : COUNTS)
            {
                checks.reduce(count);
                checks.broadcast(count);
                checks.reduceScatter(count);
                checks.scan(count);
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"1, MAPPED", "4, MAPPED", "5, MAPPED", "3, IPC", "5, UDP"})
    void shouldExchangeInPairs(final int nPes, final TransportKind transport) throws Exception
    {
        exchangeInPairs(nPes, transport);
    }

    @ParameterizedTest
    @CsvSource({"1, IPC", "2, IPC", "5, IPC", "8, IPC", "2, UDP", "3, UDP"})
    @Tag("ci")
    void shouldExchangeInPairsInMoreTeams(final int nPes, final TransportKind transport) throws Exception
    {
        exchangeInPairs(nPes, transport);
    }

    private static void exchangeInPairs(final int nPes, final TransportKind transport) throws Exception
    {
        Shmem.runLocal(nPes, pairwise(config(nPes, transport)), (shmem) ->
        {
            final RoutineChecks checks = new RoutineChecks(shmem, shmem.world(), MAX_COUNT, MAX_STRIDE);
            for (final int count : COUNTS)
            {
                checks.collect(count);
                checks.alltoall(count, 1, 1);
                checks.alltoall(count, 2, MAX_STRIDE);
                checks.alltoall(count, 1, 2);
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"1, MAPPED", "3, MAPPED", "8, MAPPED", "5, IPC", "2, UDP"})
    void shouldPassPiecesOn(final int nPes, final TransportKind transport) throws Exception
    {
        passPiecesOn(nPes, transport);
    }

    @ParameterizedTest
    @CsvSource({"1, IPC", "2, IPC", "3, IPC", "8, IPC", "3, UDP", "5, UDP"})
    @Tag("ci")
    void shouldPassPiecesOnInMoreTeams(final int nPes, final TransportKind transport) throws Exception
    {
        passPiecesOn(nPes, transport);
    }

    private static void passPiecesOn(final int nPes, final TransportKind transport) throws Exception
    {
        Shmem.runLocal(nPes, passing(config(nPes, transport)), (shmem) ->
        {
            final RoutineChecks checks = new RoutineChecks(shmem, shmem.world(), MAX_COUNT, 1);
            for (final int count : COUNTS)
            {
                checks.reduce(count);
                checks.broadcast(count);
                checks.collect(count);
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"3, MAPPED", "2, IPC"})
    @Tag("ci")
    void shouldMoveLongBlocks(final int nPes, final TransportKind transport) throws Exception
    {
        moveLongBlocks(nPes, transport);
    }

    @ParameterizedTest
    @CsvSource({"3, UDP"})
    @Tag("ci")
    void shouldMoveLongBlocksInMoreTeams(final int nPes, final TransportKind transport) throws Exception
    {
        moveLongBlocks(nPes, transport);
    }

    private static void moveLongBlocks(final int nPes, final TransportKind transport) throws Exception
    {
        final int longest = 1 << 20;
        final Shmem.Context config = config(nPes, transport).heapSize(2L * nPes * longest * Long.BYTES + (1 << 20));
        Shmem.runLocal(nPes, directRead(pairwise(config.clone())), (shmem) ->
        {
            final RoutineChecks checks = new RoutineChecks(shmem, shmem.world(), longest, 1);
            checks.reduce(longest);
            checks.broadcast(65_537);
            checks.collect(longest);
        });
        Shmem.runLocal(nPes, passing(config), (shmem) ->
        {
            final RoutineChecks checks = new RoutineChecks(shmem, shmem.world(), longest, 1);
            checks.reduce(longest);
            checks.broadcast(65_537);
            checks.collect(65_537);
        });
    }

    /**
     * Calls follow each other without pause, while different members are late.
     */
    @ParameterizedTest
    @CsvSource({"3, MAPPED", "4, IPC"})
    @Tag("ci")
    void shouldKeepCallsApart(final int nPes, final TransportKind transport) throws Exception
    {
        keepCallsApart(nPes, transport);
    }

    @ParameterizedTest
    @CsvSource({"2, IPC", "3, UDP"})
    @Tag("ci")
    void shouldKeepCallsApartInMoreTeams(final int nPes, final TransportKind transport) throws Exception
    {
        keepCallsApart(nPes, transport);
    }

    private static void keepCallsApart(final int nPes, final TransportKind transport) throws Exception
    {
        keepCallsApart(nPes, pairwise(directRead(config(nPes, transport))));
        keepCallsApart(nPes, passing(pairwise(config(nPes, transport))));
    }

    private static void keepCallsApart(final int nPes, final Shmem.Context config) throws Exception
    {
        Shmem.runLocal(nPes, config, (shmem) ->
        {
            final Team reversed = shmem.world().splitStrided(nPes - 1, -1, nPes);
            final RoutineChecks checks = new RoutineChecks(shmem, reversed, MAX_COUNT, MAX_STRIDE);
            final Random random = new Random(42);
            for (int i = 0; i < 500; i++)
            {
                final int routine = random.nextInt(7);
                final int count = 0 == random.nextInt(10) ? random.nextInt(MAX_COUNT) : random.nextInt(100);
                if (shmem.myPe() == random.nextInt(4 * nPes))
                {
                    LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(200));
                }
                checks.perform(routine, count);
            }
        });
    }

    private static Shmem.Context directRead(final Shmem.Context config)
    {
        return config
            .algorithm("broadcast", "direct_read")
            .algorithm("reduce", "direct_read")
            .algorithm("reduce_scatter", "direct_read")
            .algorithm("scan", "direct_read");
    }

    private static Shmem.Context passing(final Shmem.Context config)
    {
        return config.algorithm("broadcast", "pipelined").algorithm("reduce", "work_stealing");
    }

    private static Shmem.Context pairwise(final Shmem.Context config)
    {
        return config
            .algorithm("alltoall", "pairwise")
            .algorithm("alltoalls", "pairwise")
            .algorithm("collect", "pairwise");
    }

    private static Shmem.Context config(final int nPes, final TransportKind transport)
    {
        return new Shmem.Context()
            .transport(transport)
            .heapSize(2L * nPes * MAX_COUNT * MAX_STRIDE * Long.BYTES + (1 << 20))
            .operationTimeoutNs(TimeUnit.SECONDS.toNanos(60));
    }
}
