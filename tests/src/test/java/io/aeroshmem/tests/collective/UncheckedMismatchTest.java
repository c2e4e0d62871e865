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

import io.aeroshmem.CollectiveMismatchException;
import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.TransportKind;
import io.aeroshmem.simulation.Seeds;
import io.aeroshmem.simulation.World;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Detection of mismatched collective calls in jobs without checks: by the signatures in the stamps, and, where the
 * calls do not share a stamp, by the calls that blocked PEs publish: in simulated worlds, where this takes no time.
 */
@Tag("ci")
class UncheckedMismatchTest
{
    private static final int LARGE = 20_000;
    private static final long BYTES = 8L * LARGE * 4;

    @FunctionalInterface
    private interface Call
    {
        void run(Shmem shmem, SymmetricBuffer dest, SymmetricBuffer source);
    }

    /**
     * The call of PE 1, and that of the others.
     */
    private record Pair(Call one, Call other)
    {
    }

    private static Map<String, Pair> pairs(final int count)
    {
        final Map<String, Pair> pairs = new LinkedHashMap<>();
        final Call sum = (shmem, dest, source) ->
            shmem.world().reduce(ReduceOp.SUM, ElementType.LONG, dest, source, count);
        final Call broadcast = (shmem, dest, source) ->
            shmem.world().broadcast(ElementType.LONG, dest, source, count, 0);
        final Call barrier = (shmem, dest, source) -> shmem.barrierAll();
        pairs.put("broadcast, reduce", new Pair(broadcast, sum));
        pairs.put("reduce, broadcast", new Pair(sum, broadcast));
        pairs.put("types", new Pair(sum, (shmem, dest, source) ->
            shmem.world().reduce(ReduceOp.SUM, ElementType.DOUBLE, dest, source, count)));
        pairs.put("operations", new Pair(sum, (shmem, dest, source) ->
            shmem.world().reduce(ReduceOp.MAX, ElementType.LONG, dest, source, count)));
        pairs.put("counts", new Pair(sum, (shmem, dest, source) ->
            shmem.world().reduce(ReduceOp.SUM, ElementType.LONG, dest, source, count - 1)));
        pairs.put("roots", new Pair(broadcast, (shmem, dest, source) ->
            shmem.world().broadcast(ElementType.LONG, dest, source, count, 1)));
        pairs.put("barrier, sync", new Pair(barrier, (shmem, dest, source) -> shmem.syncAll()));
        pairs.put("barrier, reduce", new Pair(barrier, sum));
        pairs.put("fcollect, alltoall", new Pair(
            (shmem, dest, source) -> shmem.world().fcollect(ElementType.LONG, dest, source, count),
            (shmem, dest, source) -> shmem.world().alltoall(ElementType.LONG, dest, source, count)));
        pairs.put("collect, fcollect", new Pair(
            (shmem, dest, source) -> shmem.world().collect(ElementType.LONG, dest, source, count),
            (shmem, dest, source) -> shmem.world().fcollect(ElementType.LONG, dest, source, count)));
        pairs.put("scans", new Pair(
            (shmem, dest, source) ->
                shmem.world().inclusiveScan(ReduceOp.SUM, ElementType.LONG, dest, source, count),
            (shmem, dest, source) ->
                shmem.world().exclusiveScan(ReduceOp.SUM, ElementType.LONG, dest, source, count)));
        pairs.put("reduceScatter, reduce", new Pair(
            (shmem, dest, source) -> shmem.world().reduceScatter(ReduceOp.SUM, ElementType.LONG, dest, source, count),
            sum));
        pairs.put("split, barrier", new Pair(
            (shmem, dest, source) -> shmem.world().split2d(2).xAxis().close(), barrier));
        pairs.put("malloc, barrier", new Pair((shmem, dest, source) -> shmem.malloc(64), barrier));
        pairs.put("free, sync", new Pair(
            (shmem, dest, source) -> shmem.free(source), (shmem, dest, source) -> shmem.syncAll()));
        pairs.put("malloc, broadcast", new Pair((shmem, dest, source) -> shmem.malloc(64), broadcast));
        return pairs;
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void shouldBeFoundOnMappedMemory(final int nPes)
    {
        for (final int count : new int[] {3, LARGE})
        {
            pairs(count).forEach((name, pair) -> assertFound(nPes, (world) -> {}, name, pair));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void shouldBeFoundOverMessages(final int nPes)
    {
        pairs(3).forEach((name, pair) -> assertFound(nPes, World::messages, name, pair));
    }

    private static void assertFound(
        final int nPes, final Consumer<World> setup, final String name, final Pair pair)
    {
        for (final long seed : Seeds.of(1))
        {
            final World world = new World(seed, nPes).untilTimeLimits();
            setup.accept(world);
            final Shmem.Context config = new Shmem.Context()
                .checkCollectives(false)
                .heapSize(4 << 20)
                .heapSparse(true)
                .operationTimeoutNs(TimeUnit.SECONDS.toNanos(10));
            final AssertionError thrown = assertThrows(AssertionError.class, () -> world.run(config, (shmem) ->
            {
                final SymmetricBuffer dest = shmem.calloc(1, BYTES);
                final SymmetricBuffer source = shmem.calloc(1, BYTES);
                (1 == shmem.myPe() ? pair.one : pair.other).run(shmem, dest, source);
                // a PE that waits for nothing in that call fails in the next one
                shmem.barrierAll();
            }), name);
            assertInstanceOf(CollectiveMismatchException.class, thrown.getCause(), () -> name + ": " + thrown);
            final String message = thrown.getCause().getMessage();
            assertTrue(message.contains(" called ") && message.contains("team WORLD"), () -> name + ": " + message);
        }
    }

    private static Shmem.Context config()
    {
        return new Shmem.Context().transport(TransportKind.MAPPED).checkCollectives(false);
    }

    @Test
    void shouldFindACallOnATeamThatAnotherMemberHasClosed()
    {
        final CollectiveMismatchException thrown = assertThrows(
            CollectiveMismatchException.class,
            () -> Shmem.runLocal(3, config(), (shmem) ->
            {
                final Team team = shmem.world().duplicate();
                if (1 != shmem.myPe())
                {
                    team.sync();
                }

                team.close();
                shmem.barrierAll();
            }));
        assertTrue(thrown.getMessage().contains("PE 1 closed team"), thrown.getMessage());
    }

    @Test
    void shouldNotCountACallThatItsPeRejects() throws Exception
    {
        Shmem.runLocal(3, config(), (shmem) ->
        {
            if (1 == shmem.myPe())
            {
                assertThrows(IllegalArgumentException.class, () -> shmem.malloc(-1));
                assertThrows(IllegalArgumentException.class, () -> shmem.world().reduceLong(ReduceOp.AVG, 1));
                assertThrows(IllegalArgumentException.class, () -> shmem.world().broadcastLong(1, 5));
            }

            for (int i = 0; i < 3; i++)
            {
                if (1 == shmem.myPe())
                {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(30));
                }

                shmem.barrierAll();
                assertEquals(3, shmem.world().reduceLong(ReduceOp.SUM, 1));
                shmem.free(shmem.malloc(64));
            }
        });
    }

    @Test
    void shouldNotUseASlotAgainBeforeAllMembersHaveClosedItsTeam() throws Exception
    {
        Shmem.runLocal(2, config(), (shmem) ->
        {
            for (int i = 0; i < 200; i++)
            {
                final Team first = shmem.world().duplicate();
                if (0 == shmem.myPe())
                {
                    first.close();
                }

                // PE 1 could still write into the area that PE 0 had for the first team
                final Team second = shmem.world().duplicate();
                assertEquals(3, second.reduceLong(ReduceOp.SUM, 1 + shmem.myPe()));
                if (1 == shmem.myPe())
                {
                    first.close();
                }

                second.close();
            }
        });
    }
}
