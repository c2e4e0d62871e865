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
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.RoutineSet;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A differing call of one PE, in a job that checks collectives: the exception of each names
 * the calls of all, and the team serves the next call.
 */
final class Mismatches extends RoutineSet
{
    private final List<Mismatch> mismatches = new ArrayList<>();

    Mismatches()
    {
        addRoutines();
        addArguments();
        add("mismatches", this::shouldBeReportedToAll);
        add("differing counts of a collect", Mismatches::shouldLetCountsOfACollectDiffer);
    }

    /**
     * What the others and what one PE calls.
     */
    private record Mismatch(String others, PeCall othersCall, String one, PeCall oneCall)
    {
    }

    /**
     * A call on some team.
     */
    @FunctionalInterface
    private interface PeCall
    {
        void run(Team team, SymmetricBuffer dest, SymmetricBuffer source);
    }

    private void different(final String others, final PeCall othersCall, final String one, final PeCall oneCall)
    {
        mismatches.add(new Mismatch(others, othersCall, one, oneCall));
    }

    private void addRoutines()
    {
        final PeCall reduce = (team, dest, source) -> team.reduce(ReduceOp.SUM, ElementType.LONG, dest, source, 3);
        final PeCall broadcast = (team, dest, source) -> team.broadcast(ElementType.LONG, dest, source, 3, 0);
        final PeCall fcollect = (team, dest, source) -> team.fcollect(ElementType.LONG, dest, source, 3);
        final PeCall barrier = (team, dest, source) -> team.barrier();
        final PeCall sync = (team, dest, source) -> team.sync();
        different("reduce", reduce, "broadcast", broadcast);
        different("broadcast", broadcast, "fcollect", fcollect);
        different("fcollect", fcollect, "collect", (team, dest, source) ->
            team.collect(ElementType.LONG, dest, source, 3));
        different("alltoall", (team, dest, source) -> team.alltoall(ElementType.LONG, dest, source, 3),
            "alltoalls", (team, dest, source) -> team.alltoalls(ElementType.LONG, dest, source, 1, 1, 3));
        different("inclusiveScan", (team, dest, source) ->
            team.inclusiveScan(ReduceOp.SUM, ElementType.LONG, dest, source, 3),
            "exclusiveScan", (team, dest, source) ->
            team.exclusiveScan(ReduceOp.SUM, ElementType.LONG, dest, source, 3));
        different("reduce", reduce, "reduceScatter", (team, dest, source) ->
            team.reduceScatter(ReduceOp.SUM, ElementType.LONG, dest, source, 3));
        different("barrier", barrier, "reduce", reduce);
        different("reduce", reduce, "sync", sync);
        different("barrier", barrier, "sync", sync);
        different("reduce", reduce, "splitStrided", (team, dest, source) -> team.splitStrided(0, 1, 1));
        different("split2d", (team, dest, source) -> team.split2d(2), "barrier", barrier);
        different("reduce", (team, dest, source) -> team.reduceLong(ReduceOp.SUM, 1), "broadcast",
            (team, dest, source) -> team.broadcastLong(1, 0));
    }

    private void addArguments()
    {
        final PeCall reduce = (team, dest, source) -> team.reduce(ReduceOp.SUM, ElementType.LONG, dest, source, 3);
        different("LONG", reduce, "DOUBLE", (team, dest, source) ->
            team.reduce(ReduceOp.SUM, ElementType.DOUBLE, dest, source, 3));
        different("LONG", reduce, "INT", (team, dest, source) ->
            team.reduce(ReduceOp.SUM, ElementType.INT, dest, source, 3));
        different("SUM", reduce, "MAX", (team, dest, source) ->
            team.reduce(ReduceOp.MAX, ElementType.LONG, dest, source, 3));
        different("3", reduce, "4", (team, dest, source) ->
            team.reduce(ReduceOp.SUM, ElementType.LONG, dest, source, 4));
        different("3", reduce, "0", (team, dest, source) ->
            team.reduce(ReduceOp.SUM, ElementType.LONG, dest, source, 0));
        different("0", (team, dest, source) -> team.fcollect(ElementType.LONG, dest, source, 0),
            "3", (team, dest, source) -> team.fcollect(ElementType.LONG, dest, source, 3));
        different("root 0", (team, dest, source) -> team.broadcast(ElementType.INT, dest, source, 3, 0),
            "root 1", (team, dest, source) -> team.broadcast(ElementType.INT, dest, source, 3, 1));
        different("INT", (team, dest, source) -> team.broadcast(ElementType.INT, dest, source, 3, 1),
            "FLOAT", (team, dest, source) -> team.broadcast(ElementType.FLOAT, dest, source, 3, 1));
        different("2", (team, dest, source) -> team.alltoalls(ElementType.LONG, dest, source, 2, 1, 3),
            "3", (team, dest, source) -> team.alltoalls(ElementType.LONG, dest, source, 3, 1, 3));
        different("2", (team, dest, source) -> team.alltoalls(ElementType.LONG, dest, source, 1, 2, 3),
            "1", (team, dest, source) -> team.alltoalls(ElementType.LONG, dest, source, 1, 1, 3));
        different("INT", (team, dest, source) -> team.collect(ElementType.INT, dest, source, 3),
            "SHORT", (team, dest, source) -> team.collect(ElementType.SHORT, dest, source, 3));
        different("SUM", (team, dest, source) -> team.reduceDouble(ReduceOp.SUM, 1),
            "MIN", (team, dest, source) -> team.reduceDouble(ReduceOp.MIN, 1));
        different("SUM", (team, dest, source) -> team.exclusiveScan(ReduceOp.SUM, ElementType.HALF, dest, source, 9),
            "PROD", (team, dest, source) -> team.exclusiveScan(ReduceOp.PROD, ElementType.HALF, dest, source, 9));
    }

    private void shouldBeReportedToAll(final Pe pe)
    {
        final SymmetricBuffer dest = pe.shmem().malloc(1_000L * pe.n());
        final SymmetricBuffer source = pe.shmem().malloc(1_000L * pe.n());
        final Team reversed = pe.shmem().world().splitStrided(pe.n() - 1, -1, pe.n());
        int turn = 0;
        for (final Team team : new Team[] {pe.shmem().world(), reversed})
        {
            for (final Mismatch mismatch : mismatches)
            {
                final boolean isOne = turn++ % pe.n() == pe.me();
                pe.enter(mismatch.others + " and " + mismatch.one + " on " + team);
                final CollectiveMismatchException thrown = assertThrows(CollectiveMismatchException.class,
                    () -> (isOne ? mismatch.oneCall : mismatch.othersCall).run(team, dest, source));
                final String message = thrown.getMessage();
                assertTrue(message.contains(mismatch.one), "'" + mismatch.one + "' in: " + message);
                assertTrue(message.contains(mismatch.others), "'" + mismatch.others + "' in: " + message);
                assertTrue(message.contains("PE"), message);
                final long hash = message.hashCode();
                assertEquals(hash, team.reduceLong(ReduceOp.MAX, hash), "others got another message than " + message);
                assertEquals(hash, team.reduceLong(ReduceOp.MIN, hash), "others got another message than " + message);
                team.barrier();
                assertEquals(turn, team.broadcastLong(turn, pe.n() - 1));
            }
        }

        reversed.close();
        pe.shmem().barrierAll();
        pe.shmem().free(source);
        pe.shmem().free(dest);
    }

    private static void shouldLetCountsOfACollectDiffer(final Pe pe)
    {
        final SymmetricBuffer dest = pe.shmem().malloc(1_000L * pe.n());
        final SymmetricBuffer source = pe.shmem().malloc(1_000L * pe.n());
        for (int i = 0; i < 20; i++)
        {
            source.putLong(0, 10L * i + pe.me());
            pe.shmem().world().collect(ElementType.LONG, dest, source, (pe.me() + i) % 2);
            long at = 0;
            for (int other = 0; other < pe.n(); other++)
            {
                if (1 == (other + i) % 2)
                {
                    assertEquals(10L * i + other, dest.getLong(at));
                    at += 8;
                }
            }
        }

        pe.shmem().barrierAll();
        pe.shmem().free(source);
        pe.shmem().free(dest);
    }
}
