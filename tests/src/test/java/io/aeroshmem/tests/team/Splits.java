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
package io.aeroshmem.tests.team;

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.PredefinedTeam;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.TeamConfig;
import io.aeroshmem.Teams2d;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Pe;
import org.agrona.concurrent.AtomicBuffer;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

/**
 * Successful splits.
 */
final class Splits
{
    private Splits()
    {
    }

    static void shouldSplitEveryTriplet(final Pe pe)
    {
        final Team world = pe.shmem().world();
        final int n = pe.n();
        for (int start = 0; start < n; start++)
        {
            for (int stride = -n; stride <= n; stride++)
            {
                for (int size = 1; size <= n; size++)
                {
                    final int last = start + stride * (size - 1);
                    if (last >= 0 && last < n && (0 != stride || 1 == size))
                    {
                        final Team team = world.splitStrided(start, stride, size);
                        Members.check(pe, team, Members.range(start, stride, size));
                        team.close();
                    }
                }
            }
        }
    }

    static void shouldTakeNegativeStrides(final Pe pe)
    {
        final Team world = pe.shmem().world();
        final int n = pe.n();
        final Team reversed = world.splitStrided(n - 1, -1, n);
        Members.check(pe, reversed, Members.range(n - 1, -1, n));
        assertEquals(n - 1 - pe.me(), reversed.myPe());
        final int half = Math.max(1, n / 2);
        final Team everySecond = world.splitStrided(n - 1, -2, half);
        Members.check(pe, everySecond, Members.range(n - 1, -2, half));
        final Team again = reversed.splitStrided(n - 1, -1, n);
        Members.check(pe, again, Members.world(pe));
        again.close();
        everySecond.close();
        reversed.close();
    }

    static void shouldSplitInRowsAndColumns(final Pe pe)
    {
        final int n = pe.n();
        for (int xRange = 1; xRange <= n + 2; xRange++)
        {
            final int width = Math.min(xRange, n);
            final Teams2d teams = pe.shmem().world().split2d(xRange);
            final int x = pe.me() % width;
            final int y = pe.me() / width;
            Members.check(pe, teams.xAxis(), Members.range(y * width, 1, Math.min(width, n - y * width)));
            Members.check(pe, teams.yAxis(), Members.range(x, width, (n - x + width - 1) / width));
            assertEquals(x, teams.xAxis().myPe());
            assertEquals(y, teams.yAxis().myPe());
            teams.yAxis().close();
            teams.xAxis().close();
        }
    }

    /**
     * The grid of the reference: ten PEs in rows of three.
     */
    static void shouldSplitTenPesInRowsOfThree(final Pe pe)
    {
        final int[][] rows = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {9}};
        final int[][] columns = {{0, 3, 6, 9}, {1, 4, 7}, {2, 5, 8}};
        final Teams2d teams = pe.shmem().world().split2d(3);
        Members.check(pe, teams.xAxis(), rows[pe.me() / 3]);
        Members.check(pe, teams.yAxis(), columns[pe.me() % 3]);
        teams.xAxis().close();
        teams.yAxis().close();
    }

    /**
     * The table of the reference: twelve PEs as 3 x 2 x 2.
     */
    static void shouldSplitTwelvePesInThreeDimensions(final Pe pe)
    {
        final int x = pe.me() % 3;
        final int y = pe.me() / 3 % 2;
        final int z = pe.me() / 6;
        final Teams2d first = pe.shmem().world().split2d(3);
        final Teams2d second = first.yAxis().split2d(2);
        Members.check(pe, first.xAxis(), Members.range(6 * z + 3 * y, 1, 3));
        Members.check(pe, second.xAxis(), Members.range(6 * z + x, 3, 2));
        Members.check(pe, second.yAxis(), Members.range(3 * y + x, 6, 2));
        assertEquals(x, first.xAxis().myPe());
        assertEquals(y, second.xAxis().myPe());
        assertEquals(z, second.yAxis().myPe());
        first.yAxis().close();
        Members.use(pe, second.xAxis(), Members.range(6 * z + x, 3, 2));
        second.xAxis().close();
        second.yAxis().close();
        first.xAxis().close();
    }

    /**
     * Each team is the one before without its first member, down to a team of one.
     */
    static void shouldShrink(final Pe pe)
    {
        final List<Team> chain = new ArrayList<>();
        Team team = pe.shmem().world();
        while (team.nPes() > 1)
        {
            final Team child = team.splitStrided(1, 1, team.nPes() - 1);
            final int start = pe.n() - team.nPes() + 1;
            Members.check(pe, child, Members.range(start, 1, pe.n() - start));
            if (Team.INVALID == child)
            {
                break;
            }

            chain.add(child);
            team = child;
        }

        assertEquals(pe.me(), chain.size(), "a PE is in as many as there are PEs before it");
        for (int i = chain.size() - 1; i >= 0; i--)
        {
            Members.use(pe, chain.get(i), Members.range(i + 1, 1, pe.n() - i - 1));
        }

        for (int i = 0; i < chain.size(); i++)
        {
            chain.get((i + chain.size() / 2) % chain.size()).close();
        }
    }

    static void shouldOverlap(final Pe pe)
    {
        final Team world = pe.shmem().world();
        final int n = pe.n();
        final int[][] members = {
            Members.range(0, 1, Math.max(1, n - 1)), Members.range(n - 1, -1, Math.max(1, n - 1)), Members.world(pe),
            Members.range(0, 2, (n + 1) / 2), {n / 2}};
        final Team[] teams = {
            world.splitStrided(0, 1, Math.max(1, n - 1)), world.splitStrided(n - 1, -1, Math.max(1, n - 1)),
            world.duplicate(), world.splitStrided(0, 2, (n + 1) / 2), world.splitStrided(n / 2, 0, 1)};
        final SymmetricBuffer dest = pe.shmem().malloc(40_000);
        final SymmetricBuffer source = pe.shmem().malloc(40_000);
        for (int round = 0; round < 20; round++)
        {
            for (int i = 0; i < teams.length; i++)
            {
                final int which = (round + i) % teams.length;
                if (Team.INVALID != teams[which])
                {
                    Members.use(pe, teams[which], members[which]);
                    Members.exchangeBlocks(pe, teams[which], dest, source);
                }
            }
        }

        for (final Team team : teams)
        {
            team.close();
        }

        pe.shmem().free(source);
        pe.shmem().free(dest);
    }

    static void shouldTranslateBetweenSiblings(final Pe pe)
    {
        final Team world = pe.shmem().world();
        final int n = pe.n();
        final Team front = world.splitStrided(0, 1, Math.max(1, n - 1));
        final Team back = world.splitStrided(n - 1, -1, Math.max(1, n - 1));
        for (int rank = -1; rank <= n; rank++)
        {
            if (Team.INVALID != front && Team.INVALID != back)
            {
                final boolean isInBoth = rank >= Math.min(1, n - 1) && rank < Math.max(1, n - 1);
                assertEquals(isInBoth ? n - 1 - rank : -1, front.translatePe(rank, back), "rank " + rank);
            }

            assertEquals(-1, Team.INVALID.translatePe(rank, front));
            assertEquals(-1, front.translatePe(rank, Team.INVALID));
        }

        front.close();
        back.close();
    }

    static void shouldGiveBackTheConfiguration(final Pe pe)
    {
        final Team world = pe.shmem().world();
        final int n = pe.n();
        final TeamConfig config = new TeamConfig().numContexts(3);
        final Team given = world.splitStrided(0, 1, n, config);
        config.numContexts(9);
        assertEquals(3, given.config().numContexts(), "the specified value");
        assertEquals(TeamConfig.NUM_CONTEXTS, given.config().mask() & TeamConfig.NUM_CONTEXTS);
        final Team masked = world.splitStrided(0, 1, n, new TeamConfig().numContexts(3).mask(0));
        assertEquals(0, masked.config().numContexts(), "a mask of 0 is all defaults");
        assertEquals(0, world.config().numContexts());
        final Team without = world.splitStrided(0, 1, n);
        assertEquals(0, without.config().numContexts());
        final int row = pe.me() / Math.min(2, n);
        final int column = pe.me() % Math.min(2, n);
        final Teams2d axes =
            world.split2d(2, new TeamConfig().numContexts(row + 1), new TeamConfig().numContexts(10 + column));
        assertEquals(row + 1, axes.xAxis().config().numContexts(), "rows may differ");
        assertEquals(10 + column, axes.yAxis().config().numContexts(), "columns may differ");
        final Team copy = given.duplicate();
        Members.check(pe, copy, Members.world(pe));
        given.close();
        Members.use(pe, copy, Members.world(pe));
        for (final Team team : new Team[] {masked, without, axes.xAxis(), axes.yAxis(), copy})
        {
            team.close();
        }
    }

    static void shouldMakeContextsOfATeam(final Pe pe)
    {
        final int n = pe.n();
        final Team team = pe.shmem().world().splitStrided(n - 1, -1, n, new TeamConfig().numContexts(1));
        final SymmetricBuffer words = pe.shmem().calloc(n, 8);
        final CommunicationContext first = team.createContext();
        final CommunicationContext more = team.createContext();
        for (int rank = 0; rank < n; rank++)
        {
            (0 == rank % 2 ? first : more).putLong(words, 8L * pe.me(), 100 * pe.me() + rank, rank);
        }

        assertSame(team, more.team());
        first.quiet();
        more.quiet();
        team.sync();
        for (int other = 0; other < n; other++)
        {
            assertEquals(100 * other + team.myPe(), words.getLong(8L * other));
        }

        final AtomicBuffer view = team.ptr(words, 0);
        if (TransportKind.MAPPED == pe.transport())
        {
            assertNotNull(view);
            assertEquals(100L * (n - 1), view.getLong(8 * (n - 1)), "memory of rank 0, the last PE");
        }
        else if (n - 1 != pe.me() && TransportKind.AUTO != pe.transport())
        {
            assertNull(view);
        }

        team.sync();
        first.close();
        team.close();
        assertThrows(IllegalStateException.class, () -> more.putLong(words, 0, 1, 0), "closed with its team");
        assertThrows(IllegalStateException.class, more::quiet, "closed with its team");
        assertThrows(IllegalStateException.class, team::sync, "closed");
        assertThrows(IllegalStateException.class, () -> team.splitStrided(0, 1, 1), "closed");
        assertThrows(IllegalStateException.class, team::createContext, "closed");
        pe.shmem().barrierAll();
        pe.shmem().free(words);
    }

    static void shouldKnowThePredefinedTeams(final Pe pe)
    {
        final Team mine = pe.shmem().team(PredefinedTeam.SAME_MYPE_NODE);
        assertEquals(1, mine.nPes(), "one host");
        assertEquals(0, mine.myPe());
        assertEquals(pe.me(), mine.translatePe(0, pe.shmem().world()));
        Members.use(pe, mine, pe.me());
        final Team node = pe.shmem().team(PredefinedTeam.NODE);
        Members.check(pe, node, Members.world(pe));
        final Team child = node.splitStrided(0, 1, node.nPes());
        Members.check(pe, child, Members.world(pe));
        child.close();
        for (final PredefinedTeam which : PredefinedTeam.values())
        {
            assertThrows(IllegalStateException.class, () -> pe.shmem().team(which).close(), which + " is closed");
        }
    }

    /**
     * In a job whose first PE has a host to itself, and whose others share hosts in pairs.
     */
    static void shouldKnowTheTeamsOfSeveralHosts(final Pe pe)
    {
        final int[][] nodes = {{0}, {1, 2}, {3, 4}};
        final int[][] sameRank = {{0, 1, 3}, {2, 4}};
        final int[] mine = nodes[(pe.me() + 1) / 2];
        final Team node = pe.shmem().team(PredefinedTeam.NODE);
        Members.check(pe, node, mine);
        Members.check(pe, pe.shmem().team(PredefinedTeam.SAME_MYPE_NODE), sameRank[node.myPe()]);
        final Team pair = node.splitStrided(mine.length - 1, -1, mine.length);
        Members.check(pe, pair, Members.range(mine[mine.length - 1], -1, mine.length));
        pair.close();
        final Team all = pe.shmem().world().splitStrided(pe.n() - 1, -1, pe.n());
        Members.check(pe, all, Members.range(pe.n() - 1, -1, pe.n()));
        all.close();
    }

    /**
     * A second close of a handle does not affect the team that has its slot now.
     */
    static void shouldCloseOnlyOnce(final Pe pe)
    {
        final Team world = pe.shmem().world();
        final Team first = world.duplicate();
        first.close();
        final Team second = world.duplicate();
        try
        {
            first.close();
        }
        catch (final IllegalStateException ex)
        {
            assertNotNull(ex.getMessage(), "it may also be rejected");
        }

        final Team third = world.duplicate();
        for (int i = 0; i < 10; i++)
        {
            Members.use(pe, second, Members.world(pe));
            Members.use(pe, third, Members.world(pe));
        }

        assertEquals(pe.n(), second.nPes());
        second.close();
        third.close();
        Team.INVALID.close();
        Team.INVALID.close();
    }
}
