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
package io.aeroshmem;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CheckedCollectivesTest
{
    private static final String[] MESSAGES = new String[3];

    private static void run(final TransportKind transport, final PeTask task) throws Exception
    {
        Shmem.runLocal(3, LocalJobs.config().transport(transport).checkCollectives(true), task);
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC"})
    void shouldNameTheCallsOfAllWhenTheyDiffer(final TransportKind transport) throws Exception
    {
        run(transport, (shmem) ->
        {
            final int me = shmem.myPe();
            final SymmetricBuffer dest = shmem.calloc(64, 8);
            final SymmetricBuffer source = shmem.calloc(64, 8);
            final Team team = shmem.world().splitStrided(2, -1, 3);

            differs(shmem, team, () ->
            {
                if (1 == me)
                {
                    team.barrier();
                }
                else
                {
                    team.sync();
                }
            });
            assertTrue(MESSAGES[0].contains("PEs 0, 2 called sync(); PE 1 called barrier()"), MESSAGES[0]);

            differs(shmem, team, () -> team.reduce(
                0 == me ? ReduceOp.SUM : ReduceOp.MAX, ElementType.LONG, dest, source, 3));
            assertTrue(MESSAGES[0].contains("PE 0 called reduce(SUM, LONG, "), MESSAGES[0]);
            differs(shmem, team, () -> team.reduce(
                ReduceOp.SUM, 0 == me ? ElementType.UNSIGNED_LONG : ElementType.LONG, dest, source, 3));
            differs(shmem, team, () -> team.reduce(ReduceOp.SUM, ElementType.LONG, dest, source, 1 + me));
            differs(shmem, team, () -> team.reduce(ReduceOp.SUM, ElementType.LONG, dest, source, 2 == me ? 0 : 1));
            differs(shmem, team, () -> team.broadcast(ElementType.LONG, dest, source, 3, me));
            differs(shmem, team, () -> team.broadcast(ElementType.LONG, dest, 0 == me ? dest : source, 3, 1));
            differs(shmem, team, () -> team.fcollect(
                ElementType.LONG, dest, 0 == me ? source.slice(8, 64) : source, 3));
            differs(shmem, team, () -> team.alltoalls(ElementType.LONG, dest, source, 1, 1 + me % 2, 3));
            differs(shmem, team, () -> team.reduceLong(0 == me ? ReduceOp.SUM : ReduceOp.MIN, me));
            differs(shmem, team, () -> team.broadcastLong(me, me));
            differs(shmem, team, () ->
            {
                if (1 == me)
                {
                    team.collect(ElementType.LONG, dest, source, me);
                }
                else
                {
                    team.fcollect(ElementType.LONG, dest, source, 1);
                }
            });
            differs(shmem, team, () ->
            {
                if (1 == me)
                {
                    team.inclusiveScan(ReduceOp.SUM, ElementType.LONG, dest, source, 1);
                }
                else
                {
                    team.exclusiveScan(ReduceOp.SUM, ElementType.LONG, dest, source, 1);
                }
            });
            differs(shmem, team, () ->
            {
                if (1 == me)
                {
                    team.duplicate();
                }
                else
                {
                    team.barrier();
                }
            });
            assertTrue(MESSAGES[0].contains("PE 1 called duplicate()"), MESSAGES[0]);
            team.duplicate().close();
        });
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC"})
    void shouldFindACallOnTheHeapBesideACollective(final TransportKind transport) throws Exception
    {
        run(transport, (shmem) ->
        {
            final SymmetricBuffer buffer = shmem.malloc(64);
            differs(shmem, shmem.world(), () ->
            {
                if (1 == shmem.myPe())
                {
                    shmem.malloc(8);
                }
                else
                {
                    shmem.world().reduceLong(ReduceOp.SUM, 1);
                }
            });
            assertTrue(MESSAGES[0].contains("PE 1 called malloc(8 bytes)"), MESSAGES[0]);
            differs(shmem, shmem.world(), () ->
            {
                if (1 == shmem.myPe())
                {
                    shmem.barrierAll();
                }
                else
                {
                    shmem.free(buffer);
                }
            });
            differs(shmem, shmem.world(), () -> shmem.malloc(8 + shmem.myPe()));
            shmem.free(buffer);
        });
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC"})
    void shouldReportARejectionToTheOthers(final TransportKind transport) throws Exception
    {
        run(transport, (shmem) ->
        {
            final int me = shmem.myPe();
            final SymmetricBuffer dest = shmem.calloc(64, 8);
            final SymmetricBuffer source = shmem.calloc(64, 8);
            final Team team = shmem.world();

            differs(shmem, team, () -> team.broadcast(
                ElementType.LONG, 1 == me ? dest.slice(0, 8) : dest, source, 3, 1));
            assertTrue(MESSAGES[0].contains("rejected"), MESSAGES[0]);
            differs(shmem, team, () -> team.reduce(
                1 == me ? ReduceOp.AND : ReduceOp.SUM, ElementType.DOUBLE, dest, source, 3));
            differs(shmem, team, () -> team.reduce(ReduceOp.SUM, 1 == me ? null : ElementType.LONG, dest, source, 3));
            differs(shmem, team, () -> team.collect(ElementType.LONG, dest, source, 1 == me ? -1 : 1));
            differs(shmem, team, () -> team.broadcastLong(3, 1 == me ? -1 : 1));
            differs(shmem, team, () -> team.alltoall(ElementType.LONG, 2 == me ? source : dest, source, 1));
        });
    }

    @Test
    void shouldThrowTheOwnExceptionWhereAllMakeTheSameMistake() throws Exception
    {
        run(TransportKind.MAPPED, (shmem) ->
        {
            final SymmetricBuffer dest = shmem.calloc(64, 8);
            final SymmetricBuffer source = shmem.calloc(64, 8);
            final Team team = shmem.world();
            assertThrows(IllegalArgumentException.class, () -> team.broadcast(ElementType.LONG, dest, source, 3, 3));
            assertThrows(IndexOutOfBoundsException.class, () -> team.fcollect(ElementType.LONG, dest, source, 60));
            assertThrows(
                IndexOutOfBoundsException.class,
                () -> team.collect(ElementType.LONG, dest.slice(0, 16), source, 1));
            assertThrows(
                IllegalArgumentException.class,
                () -> team.reduce(ReduceOp.AND, ElementType.DOUBLE, dest, source, 1));
            assertEquals(3, team.reduceLong(ReduceOp.SUM, 1));
        });
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC", "UDP"})
    void shouldLetCorrectCallsPass(final TransportKind transport) throws Exception
    {
        run(transport, (shmem) ->
        {
            final int me = shmem.myPe();
            final SymmetricBuffer dest = shmem.calloc(64, 8);
            final SymmetricBuffer source = shmem.calloc(64, 8);
            final Team team = shmem.world();
            for (int i = 0; i < 20; i++)
            {
                source.putLong(0, 10 + me);
                team.reduce(ReduceOp.SUM, ElementType.LONG, dest, source, 1);
                assertEquals(33, dest.getLong(0));
                team.fcollect(ElementType.LONG, dest, source, 1);
                assertEquals(12, dest.getLong(16));
                team.collect(ElementType.LONG, dest, 0 == me ? null : source, 0 == me ? 0 : 1);
                assertEquals(12, dest.getLong(8));
                team.broadcast(ElementType.LONG, dest, source, 1, 2);
                assertEquals(12, dest.getLong(0));
                team.broadcast(ElementType.LONG, dest, 0 == me ? source : null, 0, 2);
                assertEquals(11, team.broadcastLong(10 + me, 1));
                assertEquals(3.0, team.reduceDouble(ReduceOp.SUM, me));
                team.sync();
                shmem.barrierAll();
            }
        });
    }

    private static void differs(final Shmem shmem, final Team team, final Executable call)
    {
        final CollectiveMismatchException ex = assertThrows(CollectiveMismatchException.class, call);
        shmem.syncAll();
        MESSAGES[shmem.myPe()] = ex.getMessage();
        shmem.syncAll();
        for (final String message : MESSAGES)
        {
            assertEquals(ex.getMessage(), message);
        }

        assertEquals(6, team.reduceLong(ReduceOp.SUM, 2));
        shmem.syncAll();
    }
}
