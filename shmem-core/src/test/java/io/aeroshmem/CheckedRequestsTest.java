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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.aeroshmem.CreateTeamTest.made;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Requests that differ between members, in jobs that check collectives. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CheckedRequestsTest
{
    private static final String[] MESSAGES = new String[3];
    private static final long[] COUNTS = {1, 2, 3};

    private static void run(final TransportKind transport, final PeTask task) throws Exception
    {
        Shmem.runLocal(3, LocalJobs.config().transport(transport).checkCollectives(true), task);
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC"})
    void shouldNameTheRequestsOfAllWhenTheyDiffer(final TransportKind transport) throws Exception
    {
        run(transport, (shmem) ->
        {
            final int me = shmem.myPe();
            final SymmetricBuffer dest = shmem.calloc(64, 8);
            final SymmetricBuffer source = shmem.calloc(64, 8);
            final Team team = shmem.world().splitStrided(2, -1, 3);

            differ(shmem, team, dest, 1 == me ? new CollectiveArgs().collective(Collective.BARRIER) :
                reduction(dest, source, ReduceOp.SUM, ElementType.LONG, 3));
            contains("PEs 0, 2 posted reduce(SUM, LONG, ");
            contains("; PE 1 posted sync(); all members must post the same requests in the same order");

            differ(shmem, team, dest, reduction(
                dest, source, 0 == me ? ReduceOp.MAX : ReduceOp.SUM, ElementType.LONG, 3));
            contains("PE 0 posted reduce(MAX, LONG, ");
            differ(shmem, team, dest, reduction(
                dest, source, ReduceOp.SUM, 0 == me ? ElementType.UNSIGNED_LONG : ElementType.LONG, 3));
            differ(shmem, team, dest, reduction(dest, source, ReduceOp.SUM, ElementType.LONG, 2 == me ? 4 : 3));
            contains("PE 2 posted reduce(SUM, LONG, ");
            contains(", 4 elements)");
            differ(shmem, team, dest, reduction(dest, source, ReduceOp.SUM, ElementType.LONG, 2 == me ? 0 : 3));
            differ(shmem, team, dest, reduction(
                dest, 2 == me ? source.slice(8, 64) : source, ReduceOp.SUM, ElementType.LONG, 3));
            differ(shmem, team, dest, broadcast(dest, source).root(me));
            contains("PE 2 posted broadcast(LONG, ");
            contains(", root 2)");
            differ(shmem, team, dest, broadcast(dest, source).root(1).tag(7 + me / 2));
            contains(", root 1, tag 8)");
            differ(shmem, team, dest, new CollectiveArgs().collective(Collective.FAN_IN).root(me / 2));
            contains("PE 2 posted fanIn(root 1)");
            differ(shmem, team, dest, new CollectiveArgs().collective(Collective.REDUCE_SCATTERV).op(ReduceOp.SUM)
                .source(source, 6, ElementType.LONG)
                .destV(dest, 1 == me ? COUNTS : new long[]{2, 2, 2}, new long[3], ElementType.LONG));
            contains("PEs 0, 2 posted reduceScatterv(SUM, LONG, ");
        });
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC", "UDP"})
    void shouldLetTheSameRequestsPass(final TransportKind transport) throws Exception
    {
        run(transport, (shmem) ->
        {
            final int me = shmem.myPe();
            final SymmetricBuffer dest = shmem.calloc(64, 8);
            final SymmetricBuffer source = shmem.calloc(64, 8);
            final Team team = shmem.world();
            final CollectiveRequest sum = team.request(
                reduction(dest, source, ReduceOp.SUM, ElementType.LONG, 1).persistent(true));
            for (int i = 0; i < 20; i++)
            {
                source.putLong(0, 10 + me);
                sum.post();
                final CollectiveRequest none = team.post(reduction(null, null, ReduceOp.SUM, ElementType.LONG, 0));
                final CollectiveRequest barrier = team.post(new CollectiveArgs().collective(Collective.BARRIER));
                sum.await();
                assertEquals(33, dest.getLong(0));
                none.await();
                barrier.await();

                dest.putLong(8L * me, 20 + me);
                team.post(new CollectiveArgs().collective(Collective.ALLGATHER)
                    .source(dest, 3, ElementType.LONG).dest(dest, 3, ElementType.LONG)).await();
                assertEquals(20, dest.getLong(0));
                assertEquals(22, dest.getLong(16));
                final CollectiveArgs gather = new CollectiveArgs().collective(Collective.GATHERV).root(2)
                    .source(source, COUNTS[me], ElementType.LONG);
                team.post(2 == me ? gather.destV(dest, COUNTS, new long[]{0, 1, 3}, ElementType.LONG) :
                    gather).await();
                if (2 == me)
                {
                    assertEquals(11, dest.getLong(8));
                    assertEquals(12, dest.getLong(24));
                }

                team.barrier();
            }
        });
    }

    @ParameterizedTest
    @EnumSource(Ordering.class)
    void shouldCompareRequestsThatAreMatchedInAnyOrder(final Ordering ordering) throws Exception
    {
        run(TransportKind.MAPPED, (shmem) ->
        {
            final int me = shmem.myPe();
            final SymmetricBuffer dest = shmem.calloc(64, 8);
            final SymmetricBuffer source = shmem.calloc(64, 8);
            final Team team = made(shmem.createTeam(new TeamParams().ordering(ordering)));
            for (final Synchronization synchronization : Synchronization.values())
            {
                final Team child = made(shmem.createTeam(
                    new TeamParams().ordering(ordering).synchronization(synchronization)));
                differ(shmem, child, dest, broadcast(dest, source).root(me).tag(3));
                child.destroy().await();
            }

            final CollectiveRequest wrong = team.request(
                reduction(dest, source, 1 == me ? ReduceOp.MAX : ReduceOp.SUM, ElementType.LONG, 1).tag(1));
            final CollectiveRequest right = team.request(
                reduction(dest.slice(64, 8), source, ReduceOp.SUM, ElementType.LONG, 1).tag(2));
            source.putLong(0, 1 + me);
            dest.putLong(0, -1);
            wrong.post();
            right.post();
            right.await();
            assertEquals(6, dest.getLong(64));
            assertThrows(CollectiveMismatchException.class, wrong::await);
            assertEquals(-1, dest.getLong(0));
            shmem.syncAll();
        });
    }

    @Test
    void shouldCompareTheOrderInWhichRequestsAreMade() throws Exception
    {
        run(TransportKind.MAPPED, (shmem) ->
        {
            final SymmetricBuffer dest = shmem.calloc(64, 8);
            final SymmetricBuffer source = shmem.calloc(64, 8);
            final Team team = made(
                shmem.createTeam(new TeamParams().ordering(Ordering.INIT_AND_POST_ORDERED)));
            final CollectiveRequest first = team.request(
                reduction(dest, source, ReduceOp.SUM, ElementType.LONG, 1));
            final CollectiveRequest second = team.request(
                reduction(dest, source, ReduceOp.SUM, ElementType.LONG, 1));
            final CollectiveRequest posted = 0 == shmem.myPe() ? second : first;
            posted.post();
            final CollectiveMismatchException ex = assertThrows(CollectiveMismatchException.class, posted::await);
            assertTrue(ex.getMessage().contains(", made as request 2)"), ex.getMessage());
            shmem.syncAll();
        });
    }

    private static CollectiveArgs reduction(
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final ReduceOp op,
        final ElementType type,
        final long nelems)
    {
        return new CollectiveArgs().collective(Collective.ALLREDUCE).op(op)
            .source(source, nelems, type).dest(dest, nelems, type);
    }

    private static CollectiveArgs broadcast(final SymmetricBuffer dest, final SymmetricBuffer source)
    {
        return new CollectiveArgs().collective(Collective.BROADCAST)
            .source(source, 3, ElementType.LONG).dest(dest, 3, ElementType.LONG);
    }

    /** Counts that differ between sender and receiver are found before anything is sent, and the team goes on. */
    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC"})
    void shouldDetectCountsThatDifferBetweenSenderAndReceiver(final TransportKind transport) throws Exception
    {
        Shmem.runLocal(3, LocalJobs.config().transport(transport).checkCollectives(true), (shmem) ->
        {
            final int me = shmem.myPe();
            final Team team = shmem.world();
            final SymmetricBuffer source = shmem.calloc(16, Long.BYTES);
            final SymmetricBuffer dest = shmem.calloc(16, Long.BYTES);
            final long[] equal = {2, 2, 2};
            final long[] displacements = {0, 4, 8};
            final long[] other = {2, 1 == me ? 3 : 2, 2};
            differ(shmem, team, dest, new CollectiveArgs().collective(Collective.ALLTOALLV)
                .sourceV(source, equal, displacements, ElementType.LONG)
                .destV(dest, 1 == me ? new long[]{2, 2, 3} : equal, displacements, ElementType.LONG));
            contains("alltoallv with counts that differ: PE 2 sends 2 elements of LONG to PE 1, which expects 3");
            differ(shmem, team, dest, new CollectiveArgs().collective(Collective.ALLGATHERV)
                .source(source, 2, ElementType.LONG)
                .destV(dest, 0 == me ? new long[]{2, 1, 2} : equal, displacements, ElementType.LONG));
            contains("allgatherv with counts that differ: PE 1 sends 2 elements of LONG to PE 0, which expects 1");
            differ(shmem, team, dest, new CollectiveArgs().collective(Collective.GATHERV).root(2)
                .source(source, other[me], ElementType.LONG)
                .destV(2 == me ? dest : null, equal, displacements, ElementType.LONG));
            contains("gatherv with counts that differ: PE 1 sends 3 elements of LONG to PE 2, which expects 2");
            differ(shmem, team, dest, new CollectiveArgs().collective(Collective.SCATTERV).root(2)
                .sourceV(2 == me ? source : null, equal, displacements, ElementType.LONG)
                .dest(dest, other[me], ElementType.LONG));
            contains("scatterv with counts that differ: PE 2 sends 2 elements of LONG to PE 1, which expects 3");

            team.post(new CollectiveArgs().collective(Collective.ALLTOALLV)
                .sourceV(source, equal, displacements, ElementType.LONG)
                .destV(dest, equal, displacements, ElementType.LONG)).await();
        });
    }

    private static void contains(final String text)
    {
        assertTrue(MESSAGES[0].contains(text), MESSAGES[0]);
    }

    private static void differ(
        final Shmem shmem, final Team team, final SymmetricBuffer dest, final CollectiveArgs args)
    {
        dest.putLong(0, 42);
        try (CollectiveRequest request = team.request(args))
        {
            request.post();
            final CollectiveMismatchException ex = assertThrows(CollectiveMismatchException.class, request::await);
            assertThrows(CollectiveMismatchException.class, request::test);
            shmem.syncAll();
            MESSAGES[shmem.myPe()] = ex.getMessage();
            shmem.syncAll();
            for (final String message : MESSAGES)
            {
                assertEquals(ex.getMessage(), message);
            }
        }

        assertEquals(42, dest.getLong(0));
        assertEquals(6, team.reduceLong(ReduceOp.SUM, 2));
        shmem.syncAll();
        team.post(new CollectiveArgs().collective(Collective.BARRIER).tag(9)).await();
        dest.putLong(0, 2);
        team.post(reduction(dest, dest, ReduceOp.SUM, ElementType.LONG, 1).tag(10)).await();
        assertEquals(6, dest.getLong(0));
        shmem.syncAll();
    }
}
