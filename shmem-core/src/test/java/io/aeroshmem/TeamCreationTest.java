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

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TeamCreationTest
{
    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC", "UDP"})
    void shouldSplitByStrides(final TransportKind transport) throws Exception
    {
        LocalJobs.run(5, transport, (shmem) ->
        {
            final int me = shmem.myPe();
            final Team even = shmem.world().splitStrided(0, 2, 3);
            assertEquals(me % 2 == 0, Team.INVALID != even);
            if (Team.INVALID != even)
            {
                assertEquals(me / 2, even.myPe());
                assertEquals(3, even.nPes());
                assertEquals(6, even.reduceLong(ReduceOp.SUM, me));
                assertEquals(4, even.translatePe(2, shmem.world()));
                assertEquals(-1, shmem.world().translatePe(1, even));
            }

            final Team reversed = shmem.world().splitStrided(4, -1, 5);
            assertEquals(4 - me, reversed.myPe());
            assertEquals(4, reversed.broadcastLong(me, 0));
            final Team last = reversed.splitStrided(4, -2, 3);
            assertEquals(me % 2 == 0 ? me / 2 : -1, last.myPe());
            final Team one = reversed.splitStrided(1, 0, 1);
            assertEquals(3 == me ? 0 : -1, one.myPe());
            one.close();
            last.close();
            reversed.close();
            even.close();
        });
    }

    @Test
    void shouldSplitInTwoDimensionsWithAShortLastRow() throws Exception
    {
        LocalJobs.run(10, (shmem) ->
        {
            final int me = shmem.myPe();
            final Teams2d teams = shmem.world().split2d(
                3, new TeamConfig().numContexts(me / 3), new TeamConfig().numContexts(10 + me % 3));
            assertEquals(me % 3, teams.xAxis().myPe());
            assertEquals(9 == me ? 1 : 3, teams.xAxis().nPes());
            assertEquals(me / 3, teams.yAxis().myPe());
            assertEquals(me % 3 == 0 ? 4 : 3, teams.yAxis().nPes());
            assertEquals(me / 3, teams.xAxis().config().numContexts());
            assertEquals(10 + me % 3, teams.yAxis().config().numContexts());
            assertNotEquals(teams.xAxis().toString(), teams.yAxis().toString());

            final Teams2d wide = shmem.world().split2d(11);
            assertEquals(me, wide.xAxis().myPe());
            assertEquals(1, wide.yAxis().nPes());
            wide.xAxis().sync();
            wide.yAxis().sync();
        });
    }

    @Test
    void shouldDuplicateMembersRanksAndConfiguration() throws Exception
    {
        LocalJobs.run(3, (shmem) ->
        {
            final Team reversed = shmem.world().splitStrided(2, -1, 3, new TeamConfig().numContexts(4));
            final Team duplicate = reversed.duplicate();
            assertNotSame(reversed, duplicate);
            assertEquals(reversed.myPe(), duplicate.myPe());
            assertEquals(4, duplicate.config().numContexts());
            reversed.close();
            assertEquals(3, duplicate.reduceLong(ReduceOp.SUM, shmem.myPe()));
        });
    }

    @Test
    void shouldCompareWhatConfigurationsComeTo() throws Exception
    {
        LocalJobs.run(3, (shmem) ->
        {
            final TeamConfig[] sameAsDefault = {
                null, new TeamConfig().numContexts(0), new TeamConfig().numContexts(3).mask(0)};
            final Team team = shmem.world().splitStrided(0, 1, 3, sameAsDefault[shmem.myPe()]);
            assertEquals(0, team.config().numContexts());
            final Teams2d teams = shmem.world().split2d(
                3, sameAsDefault[shmem.myPe()], new TeamConfig().numContexts(shmem.myPe()));
            assertEquals(3, teams.xAxis().nPes());
        });
    }

    @Test
    void shouldRefuseAUniqueIdForASplitOnAllAlike() throws Exception
    {
        final String[] messages = new String[3];
        LocalJobs.run(3, (shmem) ->
        {
            final Team world = shmem.world();
            final TeamConfig config = new TeamConfig().uniqueId(shmem.teamUniqueId());
            final TeamConfig onOne = 1 == shmem.myPe() ? config : null;
            assertFailsAlike(shmem, messages, () -> world.splitStrided(0, 1, 3, config));
            assertFailsAlike(shmem, messages, () -> world.splitStrided(0, 1, 3, onOne));
            assertTrue(messages[0].contains("PE 1 specified a configuration with a unique id"), messages[0]);
            assertFailsAlike(shmem, messages, () -> world.split2d(2, null, onOne));
            world.splitStrided(0, 1, 3, config.mask(0)).close();
        });
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC"})
    void shouldFailAlikeOnAllAndKeepTheParent(final TransportKind transport) throws Exception
    {
        final String[] messages = new String[4];
        Shmem.runLocal(4, LocalJobs.config().transport(transport).maxTeams(3), (shmem) ->
        {
            final Team world = shmem.world();
            final int me = shmem.myPe();
            assertFailsAlike(shmem, messages, () -> world.splitStrided(0, 1, 5));
            assertFailsAlike(shmem, messages, () -> world.splitStrided(0, 1, 0));
            assertFailsAlike(shmem, messages, () -> world.splitStrided(1, -1, 3));
            assertFailsAlike(shmem, messages, () -> world.splitStrided(0, 0, 2));
            assertFailsAlike(shmem, messages, () -> world.splitStrided(-1, 1, 2));
            assertFailsAlike(shmem, messages, () -> world.splitStrided(0, Integer.MAX_VALUE, Integer.MAX_VALUE));
            assertFailsAlike(shmem, messages, () -> world.splitStrided(0, Integer.MIN_VALUE, 2));
            assertTrue(messages[0].contains("PE"), messages[0]);
            assertFailsAlike(shmem, messages, () -> world.splitStrided(0, 1, 1 == me ? 3 : 2));
            assertTrue(messages[0].contains("PEs 0, 2, 3 called splitStrided(start 0, stride 1, size 2); PE 1 called"),
                messages[0]);
            assertFailsAlike(shmem, messages, () -> world.split2d(0));
            assertFailsAlike(shmem, messages, () -> world.split2d(-1));
            assertFailsAlike(shmem, messages, () -> world.split2d(1 + me));
            assertFailsAlike(shmem, messages, () -> 3 == me ? world.duplicate() : world.split2d(2));
            assertFailsAlike(
                shmem, messages, () -> world.split2d(2, new TeamConfig().numContexts(me), new TeamConfig()));

            final List<Team> teams = new ArrayList<>();
            final Team alone = world.splitStrided(2, 1, 1);
            while (2 == me && teams.size() < 2)
            {
                teams.add(alone.duplicate());
            }

            assertFailsAlike(shmem, messages, () -> world.split2d(2));
            assertTrue(messages[0].contains("PE 2 "), messages[0]);
            assertTrue(messages[0].contains("cannot have more than 3 teams open at once"), messages[0]);
            assertTrue(messages[0].contains("aeroshmem.teams.max"), messages[0]);
            teams.forEach(Team::sync);
            teams.forEach(Team::close);
            alone.close();

            final Team all = world.duplicate();
            final Teams2d grid = world.split2d(2);
            assertEquals(6, all.reduceLong(ReduceOp.SUM, me));
            assertEquals(2 * (me - me % 2) + 1, grid.xAxis().reduceLong(ReduceOp.SUM, me));
        });
    }

    @Test
    void shouldCreateNoTeamFromNone() throws Exception
    {
        assertSame(Team.INVALID, Team.INVALID.splitStrided(0, 1, 1));
        assertSame(Team.INVALID, Team.INVALID.splitStrided(-1, 0, 0, new TeamConfig()));
        assertEquals(new Teams2d(Team.INVALID, Team.INVALID), Team.INVALID.split2d(1));
        assertEquals(new Teams2d(Team.INVALID, Team.INVALID), Team.INVALID.split2d(0, new TeamConfig(), null));
        assertSame(Team.INVALID, Team.INVALID.duplicate());
        final TeamCreation creation = Team.INVALID.split(0, 0);
        assertTrue(creation.poll());
        assertSame(Team.INVALID, creation.team());
        creation.close();
        assertTrue(creation.poll());
    }

    @Test
    void shouldDestroyNoTeam()
    {
        Team.INVALID.close();
        final TeamDestruction destruction = Team.INVALID.destroy();
        assertTrue(destruction.poll());
        destruction.await();
        assertTrue(Team.INVALID.destroy().poll());
    }

    /** A team of one PE has no neighbours: whatever stride its members pass is the same. */
    @Test
    void shouldIgnoreTheStrideOfATeamOfOne() throws Exception
    {
        LocalJobs.run(3, (shmem) ->
        {
            final int me = shmem.myPe();
            for (int start = 0; start < 3; start++)
            {
                final Team team = shmem.world().splitStrided(start, (me - 1) * 7, 1);
                assertEquals(me == start ? 1 : -1, team.nPes());
                assertEquals(me == start, Team.INVALID != team);
                team.close();
            }

            assertThrows(TeamCreationException.class, () -> shmem.world().splitStrided(3, me, 1));
        });
    }

    @Test
    void shouldBeUselessOnceClosed() throws Exception
    {
        LocalJobs.run(2, (shmem) ->
        {
            final SymmetricBuffer word = shmem.calloc(1, 8);
            final Team team = shmem.world().duplicate();
            final CommunicationContext ctx = team.createContext();
            for (int i = 0; i < 100; i++)
            {
                team.createContext().close();
            }

            ctx.putLong(word, 0, 5, 1 - shmem.myPe());
            team.barrier();
            team.close();
            team.close();
            assertThrows(IllegalStateException.class, () -> ctx.putLong(word, 0, 5, 0));
            assertThrows(IllegalStateException.class, team::sync);
            assertThrows(IllegalStateException.class, team::barrier);
            assertThrows(IllegalStateException.class, team::duplicate);
            assertThrows(IllegalStateException.class, team::createContext);
            assertThrows(IllegalStateException.class, team::config);
            assertThrows(IllegalStateException.class, team::myPe);
            assertThrows(IllegalStateException.class, team::nPes);
            assertThrows(IllegalStateException.class, () -> team.ptr(word, 0));
            assertThrows(IllegalStateException.class, () -> team.translatePe(0, shmem.world()));
            assertThrows(IllegalStateException.class, () -> shmem.world().translatePe(0, team));
            assertThrows(IllegalStateException.class, () -> team.reduceLong(ReduceOp.SUM, 1));
            assertTrue(team.toString().contains("team-0-"), team.toString());
            shmem.barrierAll();
            assertEquals(5, word.getLong(0));
        });
    }

    @Test
    void shouldUseSlotsAgain() throws Exception
    {
        Shmem.runLocal(3, LocalJobs.config().maxTeams(2), (shmem) ->
        {
            for (int i = 0; i < 5_000; i++)
            {
                final Team team = shmem.world().duplicate();
                if (0 == i % 3)
                {
                    assertEquals(3L * i, team.reduceLong(ReduceOp.SUM, i));
                }
                else if (1 == i % 3)
                {
                    assertEquals(i, team.broadcastLong(i, i % 3));
                }

                team.close();
            }
        });
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC"})
    void shouldSplitDifferentParentsFromDifferentThreads(final TransportKind transport) throws Exception
    {
        LocalJobs.run(3, transport, (shmem) ->
        {
            final AtomicReference<Throwable> failure = new AtomicReference<>();
            final CyclicBarrier start = new CyclicBarrier(3);
            final Thread[] threads = new Thread[3];
            for (int i = 0; i < threads.length; i++)
            {
                final int number = i;
                final Team parent = shmem.world().duplicate();
                threads[i] = new Thread(() -> splitAndClose(parent, number, start, failure));
            }

            for (final Thread thread : threads)
            {
                thread.start();
            }

            for (final Thread thread : threads)
            {
                thread.join(TimeUnit.SECONDS.toMillis(60));
            }

            assertNull(failure.get(), () -> "" + failure.get());
        });
    }

    private static void splitAndClose(
        final Team parent, final int number, final CyclicBarrier start, final AtomicReference<Throwable> failure)
    {
        try
        {
            start.await(30, TimeUnit.SECONDS);
            for (int i = 0; i < 200; i++)
            {
                final Team team = parent.splitStrided(2, -1, 1 + (i + number) % 3);
                if (Team.INVALID != team)
                {
                    assertEquals((long)number * team.nPes(), team.reduceLong(ReduceOp.SUM, number));
                }

                team.close();
            }
        }
        catch (final Exception | AssertionError ex)
        {
            failure.set(ex);
        }
    }

    static void assertFailsAlike(final Shmem shmem, final String[] messages, final Callable<?> call)
    {
        final String message = assertThrows(TeamCreationException.class, call::call).getMessage();
        shmem.syncAll();
        messages[shmem.myPe()] = message;
        shmem.syncAll();
        for (int pe = 0; pe < shmem.nPes(); pe++)
        {
            assertEquals(message, messages[pe]);
        }
    }
}
