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

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Matching of requests by each {@link Ordering}, and synchronised teams.
 */
@Timeout(120)
class RequestOrderingTest
{
    private static final int MANY = 1_000;
    private static final int FEW = 200;
    private static final int ROUNDS = 5_000 * Integer.getInteger("aeroshmem.test.volume", 1);

    private static Team team(final Shmem shmem, final TeamParams params)
    {
        try (TeamCreation creation = shmem.createTeam(params))
        {
            while (!creation.poll())
            {
                Thread.onSpinWait();
            }

            return creation.team();
        }
    }

    private static Team team(final Shmem shmem, final Ordering ordering)
    {
        return team(shmem, new TeamParams().ordering(ordering).outstandingCalls(4));
    }

    /** Returns a reduction of one element, the one at a position of source, to the same position of dest. */
    private static CollectiveArgs reduce(
        final ReduceOp op, final SymmetricBuffer source, final SymmetricBuffer dest, final int at)
    {
        return new CollectiveArgs().collective(Collective.ALLREDUCE).op(op)
            .source(source.slice((long)at * Long.BYTES, Long.BYTES), 1, ElementType.LONG)
            .dest(dest.slice((long)at * Long.BYTES, Long.BYTES), 1, ElementType.LONG);
    }

    private static List<Integer> positions(final int count, final long seed)
    {
        final List<Integer> positions = new ArrayList<>();
        for (int i = 0; i < count; i++)
        {
            positions.add(i);
        }

        if (0 != seed)
        {
            Collections.shuffle(positions, new Random(seed));
        }

        return positions;
    }

    /** Makes, posts and awaits requests in orders that the seeds specify, and checks what they have reduced. */
    private static void reduceAll(
        final Shmem shmem,
        final Team team,
        final int count,
        final long initSeed,
        final long postSeed,
        final boolean isTagged)
    {
        final int me = shmem.myPe();
        final SymmetricBuffer source = shmem.malloc((long)count * Long.BYTES);
        final SymmetricBuffer dest = shmem.calloc(count, Long.BYTES);
        final CollectiveRequest[] requests = new CollectiveRequest[count];
        for (final int i : positions(count, initSeed))
        {
            source.putLong((long)i * Long.BYTES, (long)i * (me + 1));
            final CollectiveArgs args = reduce(ReduceOp.SUM, source, dest, i).persistent(true);
            requests[i] = team.request(isTagged ? args.tag(i * 0x9E3779B97F4A7C15L) : args);
        }

        for (int round = 0; round < 2; round++)
        {
            for (final int i : positions(count, 0 == postSeed ? 0 : postSeed + round))
            {
                requests[i].post();
            }

            assertEquals(1 + team.nPes() * 7, 1 + team.reduceLong(ReduceOp.SUM, 7), "a blocking call beside requests");
            for (final int i : positions(count, 100 + me))
            {
                requests[i].await();
                assertEquals((long)i * team.nPes() * (team.nPes() + 1) / 2, dest.getLong((long)i * Long.BYTES));
                dest.putLong((long)i * Long.BYTES, -1);
            }
        }

        for (final CollectiveRequest request : requests)
        {
            request.close();
        }

        shmem.free(dest);
        shmem.free(source);
    }

    @ParameterizedTest
    @CsvSource({
        "POST_ORDERED, MAPPED", "POST_ORDERED, IPC",
        "POST_UNORDERED, MAPPED", "POST_UNORDERED, IPC", "POST_UNORDERED, UDP",
        "INIT_ORDERED, MAPPED", "INIT_ORDERED, IPC", "INIT_ORDERED, UDP",
        "INIT_UNORDERED, MAPPED", "INIT_UNORDERED, IPC",
        "INIT_AND_POST_ORDERED, MAPPED", "INIT_AND_POST_ORDERED, IPC",
        "INIT_AND_POST_UNORDERED, MAPPED", "INIT_AND_POST_UNORDERED, IPC"})
    void shouldMatchInEveryOrderThatItAllows(final Ordering ordering, final TransportKind transport) throws Exception
    {
        LocalJobs.run(3, transport, (shmem) ->
        {
            final long seed = 1 + shmem.myPe();
            final int count = TransportKind.MAPPED == transport ? MANY : FEW;
            final Team team = team(shmem, ordering);
            assertEquals(ordering, team.attributes().ordering());
            switch (ordering)
            {
                case POST_ORDERED:
                    reduceAll(shmem, team, count, seed, 0, false);
                    reduceAll(shmem, team, count, seed, 0, true);
                    break;

                case INIT_ORDERED:
                    reduceAll(shmem, team, count, 0, seed, false);
                    break;

                case INIT_AND_POST_ORDERED:
                    reduceAll(shmem, team, count, 0, 0, false);
                    break;

                default:
                    reduceAll(shmem, team, count, seed, seed, true);
            }

            team.close();
        });
    }

    /** Posts a sum and a maximum of the same element, made and posted in orders that differ between members. */
    private static void reduceTwo(
        final Ordering ordering, final boolean areInitsSwapped, final boolean arePostsSwapped) throws Exception
    {
        LocalJobs.run(2, (shmem) ->
        {
            final boolean isOther = 1 == shmem.myPe();
            final Team team = team(shmem, ordering);
            final SymmetricBuffer source = shmem.calloc(2, Long.BYTES);
            final SymmetricBuffer dest = shmem.calloc(2, Long.BYTES);
            final CollectiveRequest[] requests = new CollectiveRequest[2];
            for (int i = 0; i < 2; i++)
            {
                final int at = areInitsSwapped && isOther ? 1 - i : i;
                requests[at] = team.request(reduce(0 == at ? ReduceOp.SUM : ReduceOp.MAX, source, dest, at));
            }

            for (int i = 0; i < 2; i++)
            {
                requests[arePostsSwapped && isOther ? 1 - i : i].post();
            }

            requests[0].await();
            requests[1].await();
        });
    }

    @Test
    void shouldTellOrderedModesApart() throws Exception
    {
        reduceTwo(Ordering.POST_ORDERED, true, false);
        assertThrows(CollectiveMismatchException.class, () -> reduceTwo(Ordering.POST_ORDERED, false, true));
        reduceTwo(Ordering.INIT_ORDERED, false, true);
        assertThrows(CollectiveMismatchException.class, () -> reduceTwo(Ordering.INIT_ORDERED, true, false));
        reduceTwo(Ordering.INIT_AND_POST_ORDERED, false, false);
        assertThrows(CollectiveMismatchException.class, () -> reduceTwo(Ordering.INIT_AND_POST_ORDERED, true, false));
        assertThrows(CollectiveMismatchException.class, () -> reduceTwo(Ordering.INIT_AND_POST_ORDERED, false, true));
    }

    @Test
    void shouldDetectEqualCallsThatArePostedInAnotherOrderThanMade()
    {
        final Exception thrown = assertThrows(CollectiveMismatchException.class, () -> LocalJobs.run(2, (shmem) ->
        {
            final Team team = team(shmem, Ordering.INIT_AND_POST_ORDERED);
            final SymmetricBuffer data = shmem.calloc(4, Long.BYTES);
            final CollectiveRequest first = team.request(reduce(ReduceOp.SUM, data, data, 0));
            final CollectiveRequest second = team.request(reduce(ReduceOp.SUM, data, data, 1));
            (0 == shmem.myPe() ? first : second).post();
            (0 == shmem.myPe() ? second : first).post();
            first.await();
            second.await();
        }));
        assertTrue(thrown.getMessage().contains("make and post the same requests in the same order"),
            thrown.getMessage());
    }

    @ParameterizedTest
    @EnumSource(value = Ordering.class, names = {"POST_UNORDERED", "INIT_UNORDERED", "INIT_AND_POST_UNORDERED"})
    void shouldRequireUniqueTags(final Ordering ordering) throws Exception
    {
        final boolean isUniqueFromInit = Ordering.POST_UNORDERED != ordering;
        LocalJobs.run(2, (shmem) ->
        {
            final Team team = team(shmem, ordering);
            final SymmetricBuffer data = shmem.calloc(4, Long.BYTES);
            final CollectiveArgs untagged = reduce(ReduceOp.SUM, data, data, 0);
            final Exception missing = assertThrows(IllegalArgumentException.class, () -> team.request(untagged));
            assertTrue(missing.getMessage().contains("tag"), missing.getMessage());

            final CollectiveArgs args = reduce(ReduceOp.SUM, data, data, 0).tag(9);
            if (1 == shmem.myPe())
            {
                shmem.syncAll();
            }

            final CollectiveRequest first = team.post(args);
            if (0 == shmem.myPe())
            {
                final CollectiveRequest second = isUniqueFromInit ? null : team.request(args);
                final Exception thrown = assertThrows(IllegalStateException.class, () ->
                {
                    if (isUniqueFromInit)
                    {
                        team.request(args);
                    }
                    else
                    {
                        second.post();
                    }
                });
                assertTrue(thrown.getMessage().contains("tag 9") && thrown.getMessage().contains(ordering.name()),
                    thrown.getMessage());
                assertFalse(first.test(), "nothing is lost");
                shmem.syncAll();
            }

            first.await();
            if (isUniqueFromInit)
            {
                assertThrows(IllegalStateException.class, () -> team.request(args), "open still");
            }

            first.close();
            final CollectiveRequest again = team.post(args);
            again.await();
            again.close();
            team.close();
        });
    }

    @ParameterizedTest
    @CsvSource({"POST_UNORDERED, MAPPED", "POST_UNORDERED, IPC", "INIT_ORDERED, MAPPED", "INIT_ORDERED, IPC"})
    void shouldEndAfterItsLimitAndServeTheTeamAgain(final Ordering ordering, final TransportKind transport)
        throws Exception
    {
        LocalJobs.run(2, transport, (shmem) ->
        {
            final Team team = team(shmem, ordering);
            final SymmetricBuffer data = shmem.calloc(4, Long.BYTES);
            data.putLong(0, 5 + shmem.myPe());
            final CollectiveArgs args = reduce(ReduceOp.SUM, data, data.slice(16, 16), 0).tag(1).persistent(true);
            if (0 == shmem.myPe())
            {
                final CollectiveRequest request = team.request(args.timeoutNs(TimeUnit.MILLISECONDS.toNanos(30)));
                for (int i = 0; i < 3; i++)
                {
                    request.post();
                    final Exception thrown = assertThrows(ShmemTimeoutException.class, request::await);
                    assertTrue(thrown.getMessage().contains("PE 1"), thrown.getMessage());
                }

                shmem.syncAll();
                request.close();
            }
            else
            {
                final CollectiveRequest request = team.request(args);
                shmem.syncAll();
                for (int i = 0; i < 3; i++)
                {
                    request.post();
                    request.await();
                    assertEquals(11, data.getLong(16));
                }

                request.close();
            }

            final CollectiveRequest after = team.post(args.timeoutNs(0));
            after.await();
            assertEquals(11, data.getLong(16));
            after.close();
            shmem.syncAll();
            team.close();
        });
    }

    @ParameterizedTest
    @CsvSource({"POST_ORDERED, false", "POST_UNORDERED, false", "INIT_ORDERED, false", "POST_ORDERED, true"})
    @Tag("ci")
    void shouldNotAllocateOnceRequestsExist(final Ordering ordering, final boolean isActiveSet) throws Exception
    {
        Shmem.runLocal(2, LocalJobs.config().progressMode(ProgressMode.INVOKER), (shmem) ->
        {
            final Team team = team(shmem, ordering);
            final SymmetricBuffer data = shmem.calloc(40, Long.BYTES);
            final CollectiveRequest[] requests = new CollectiveRequest[10];
            for (int i = 0; i < requests.length; i++)
            {
                final CollectiveArgs args = isActiveSet ? new CollectiveArgs().collective(Collective.BROADCAST)
                    .source(data, 4, ElementType.LONG).dest(data.slice(64, 64), 4, ElementType.LONG)
                    .activeSet(0, 1, 2) : reduce(ReduceOp.SUM, data, data, i);
                requests[i] = team.request(args.tag(i).persistent(true));
            }

            postAll(requests, ROUNDS);
            final long bytes = LocalJobs.allocatedBytes(shmem, 20_000, () -> postAll(requests, ROUNDS));
            assertTrue(bytes < 20_000, bytes + " bytes by " + ROUNDS * requests.length + " posts");
            for (final CollectiveRequest request : requests)
            {
                request.close();
            }

            shmem.syncAll();
            team.close();
        });
    }

    private static void postAll(final CollectiveRequest[] requests, final int rounds)
    {
        for (int round = 0; round < rounds; round++)
        {
            for (final CollectiveRequest request : requests)
            {
                request.post();
            }

            for (int i = requests.length - 1; i >= 0; i--)
            {
                requests[i].await();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC"})
    void shouldServeTheTeamAfterATagThatOnlyOneMemberHasPosted(final TransportKind transport) throws Exception
    {
        LocalJobs.run(3, transport, (shmem) ->
        {
            final Team team = team(shmem, Ordering.POST_UNORDERED);
            final SymmetricBuffer data = shmem.calloc(4, Long.BYTES);
            final CollectiveRequest wrong = team.post(reduce(ReduceOp.SUM, data, data, 0)
                .tag(100 + shmem.myPe()).timeoutNs(TimeUnit.MILLISECONDS.toNanos(20)));
            final Exception thrown = assertThrows(ShmemTimeoutException.class, wrong::await);
            assertTrue(0 != shmem.myPe() || thrown.getMessage().contains("PEs 1, 2"), thrown.getMessage());
            wrong.close();

            data.putLong(8, 1 + shmem.myPe());
            final CollectiveRequest request = team.post(reduce(ReduceOp.SUM, data, data.slice(16, 16), 1).tag(5));
            request.await();
            request.close();
            assertEquals(6, data.getLong(24));
            assertEquals(3, team.reduceLong(ReduceOp.SUM, 1));
            team.close();
            team(shmem, Ordering.POST_UNORDERED).close();
        });
    }

    @ParameterizedTest
    @CsvSource({"POST_UNORDERED, MAPPED", "INIT_ORDERED, IPC"})
    void shouldNotWaitForRequestsThatOthersHaveNotPosted(final Ordering ordering, final TransportKind transport)
        throws Exception
    {
        LocalJobs.run(3, transport, (shmem) ->
        {
            final Team team = team(shmem, ordering);
            final SymmetricBuffer data = shmem.calloc(8, Long.BYTES);
            final CollectiveRequest first = team.request(reduce(ReduceOp.SUM, data, data, 0).tag(0));
            final CollectiveRequest second = team.request(reduce(ReduceOp.SUM, data, data, 1).tag(1));
            if (1 == shmem.myPe())
            {
                second.post();
                second.await();
                first.post();
            }
            else
            {
                first.post();
                second.post();
                second.await();
            }

            first.await();
            team.close();
        });
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC"})
    void shouldDetectThatAMemberHasClosedThePe(final TransportKind transport)
    {
        for (int i = 0; i < 3; i++)
        {
            final int closing = i;
            final Exception thrown = assertThrows(PeFailureException.class, () -> LocalJobs.run(3, transport, (shmem) ->
            {
                final Team team = team(shmem, Ordering.POST_UNORDERED);
                final SymmetricBuffer data = shmem.calloc(1, Long.BYTES);
                if (closing != shmem.myPe())
                {
                    team.post(reduce(ReduceOp.SUM, data, data, 0).tag(4)).await();
                }
            }));
            assertTrue(thrown.getMessage().contains("PE " + closing + " called close") &&
                thrown.getMessage().contains("reduce"), thrown.getMessage());
        }
    }

    @Test
    void shouldDetectDifferentCallsOfOneTag()
    {
        final Exception thrown = assertThrows(CollectiveMismatchException.class, () -> LocalJobs.run(2, (shmem) ->
        {
            final Team team = team(shmem, Ordering.INIT_UNORDERED);
            final SymmetricBuffer data = shmem.calloc(1, Long.BYTES);
            team.post(reduce(0 == shmem.myPe() ? ReduceOp.SUM : ReduceOp.MAX, data, data, 0).tag(4)).await();
        }));
        assertTrue(thrown.getMessage().contains("reduce(SUM, LONG)") && thrown.getMessage().contains("same tags"),
            thrown.getMessage());
    }

    @Test
    void shouldDetectDifferentTagsOnAnOrderedTeam()
    {
        assertThrows(CollectiveMismatchException.class, () -> LocalJobs.run(2, (shmem) ->
        {
            final SymmetricBuffer data = shmem.calloc(1, Long.BYTES);
            shmem.world().post(reduce(ReduceOp.SUM, data, data, 0).tag(shmem.myPe())).await();
        }));
    }

    @Test
    void shouldDetectDifferentTagsOnATeamThatComparesTheOrder()
    {
        assertThrows(CollectiveMismatchException.class, () -> LocalJobs.run(2, (shmem) ->
        {
            final Team team = team(shmem, Ordering.INIT_AND_POST_ORDERED);
            final SymmetricBuffer data = shmem.calloc(1, Long.BYTES);
            team.post(reduce(ReduceOp.SUM, data, data, 0).tag(shmem.myPe())).await();
        }));
    }

    /** PE 0 posts the first request that it has made, PE 1 the last; the others have tag 0. */
    @ParameterizedTest
    @CsvSource({"2, 1, 2", "1, 0, 32", "-1, 0, 2", "0, -1, 32"})
    void shouldDetectAnotherOrderOfRequestsWithTags(final long firstTag, final long lastTag, final int count)
    {
        assertThrows(CollectiveMismatchException.class, () -> LocalJobs.run(2, (shmem) ->
        {
            final Team team = team(shmem, Ordering.INIT_AND_POST_ORDERED);
            final SymmetricBuffer data = shmem.calloc(1, Long.BYTES);
            final CollectiveRequest[] requests = new CollectiveRequest[count];
            for (int i = 0; i < count; i++)
            {
                final long tag = 0 == i ? firstTag : count - 1 == i ? lastTag : 0;
                requests[i] = team.request(reduce(ReduceOp.SUM, data, data, 0).tag(tag));
            }

            final CollectiveRequest posted = requests[0 == shmem.myPe() ? 0 : count - 1];
            posted.post();
            posted.await();
        }));
    }

    /** The root of a broadcast needs nothing of the others, so it returns at once unless the team is synchronised. */
    @ParameterizedTest
    @CsvSource({"SYNCHRONIZED, MAPPED", "SYNCHRONIZED, IPC", "NON_SYNCHRONIZED, MAPPED", "NON_SYNCHRONIZED, IPC"})
    @Tag("ci")
    void shouldSynchronizeAsTheTeamSpecifies(final Synchronization synchronization, final TransportKind transport)
        throws Exception
    {
        // of the calls that do not await PE 1
        final Semaphore returns = new Semaphore(0);
        LocalJobs.run(2, transport, (shmem) ->
        {
            final Team team = team(shmem, new TeamParams().synchronization(synchronization));
            assertEquals(synchronization, team.attributes().synchronization());
            final SymmetricBuffer data = shmem.calloc(2, Long.BYTES);
            final SymmetricBuffer flag = shmem.calloc(1, Long.BYTES);
            final long sleepNs = TimeUnit.MILLISECONDS.toNanos(100);
            final boolean isSynchronized = Synchronization.SYNCHRONIZED == synchronization;
            for (int i = 0; i < 3; i++)
            {
                final CollectiveArgs args = new CollectiveArgs().collective(Collective.BROADCAST)
                    .source(data, 1, ElementType.LONG).dest(data.slice(8, 8), 1, ElementType.LONG);
                final boolean awaitsPe1 = isSynchronized || 2 == i;
                if (0 == shmem.myPe())
                {
                    data.putLong(0, 77 + i);
                    if (1 == i)
                    {
                        team.broadcast(ElementType.LONG, data.slice(8, 8), data, 1, 0);
                    }
                    else
                    {
                        team.post(2 == i ? args.tag(1).activeSet(0, 1, 2) : args).await();
                    }

                    assertEquals(awaitsPe1 ? 1 : 0, flag.getLong(0), "PE 1 has entered, call " + i);
                    returns.release();
                }
                else
                {
                    if (awaitsPe1)
                    {
                        LockSupport.parkNanos(sleepNs);
                    }
                    else
                    {
                        assertTrue(returns.tryAcquire(20, TimeUnit.SECONDS), "PE 0 has returned, call " + i);
                    }

                    shmem.defaultContext().putLong(flag, 0, 1, 0);
                    if (1 == i)
                    {
                        team.broadcast(ElementType.LONG, data.slice(8, 8), data, 1, 0);
                    }
                    else
                    {
                        team.post(2 == i ? args.tag(1).activeSet(0, 1, 2) : args).await();
                    }

                    assertEquals(77 + i, data.getLong(8));
                }

                shmem.barrierAll();
                flag.putLong(0, 0);
                shmem.barrierAll();
            }

            team.close();
        });
    }
}
