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

import io.aeroshmem.ReduceOp;
import io.aeroshmem.ShmemException;
import io.aeroshmem.Team;
import io.aeroshmem.TeamConfig;
import io.aeroshmem.TeamCreationException;
import io.aeroshmem.Teams2d;
import io.aeroshmem.tests.fixture.Pe;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Failing creations of teams: the same exception on all members of the parent, which stays usable. The jobs allow few
 * teams, so that a leaked one is detected.
 */
final class Failures
{
    /**
     * What the jobs of these routines set teams.max to.
     */
    static final int MAX_TEAMS = 6;

    private Failures()
    {
    }

    static void shouldRejectInvalidTriplets(final Pe pe)
    {
        final int n = pe.n();
        final int[][] triplets = {
            {0, 1, 0}, {0, 1, -1}, {0, 1, Integer.MIN_VALUE}, {-1, 1, 1}, {n, 1, 1}, {n, -1, 1}, {0, 1, n + 1},
            {0, 0, 2}, {0, -1, 2}, {n - 1, 1, 2}, {0, Integer.MAX_VALUE, 3}, {0, Integer.MIN_VALUE, 3},
            {Integer.MAX_VALUE, 1, 2}, {0, n, 2}, {0, 1, Integer.MAX_VALUE}, {n - 1, Integer.MIN_VALUE, 2},
            {0, 0x40000000, 5}};
        for (int round = 0; round < 2; round++)
        {
            for (final int[] triplet : triplets)
            {
                Members.fails(pe, TeamCreationException.class, pe.shmem().world(), Members.world(pe),
                    () -> pe.shmem().world().splitStrided(triplet[0], triplet[1], triplet[2]));
            }

            for (final int xRange : new int[] {0, -1, Integer.MIN_VALUE})
            {
                Members.fails(pe, TeamCreationException.class, pe.shmem().world(), Members.world(pe),
                    () -> pe.shmem().world().split2d(xRange));
            }
        }

        checkNoneLeaked(pe);
    }

    /**
     * Members of the parent count, not those of the world.
     */
    static void shouldRejectTripletsOutsideTheParent(final Pe pe)
    {
        final int size = (pe.n() + 1) / 2;
        final Team parent = pe.shmem().world().splitStrided(0, 2, size);
        if (Team.INVALID != parent && pe.n() > size)
        {
            Members.fails(pe, TeamCreationException.class, parent, Members.range(0, 2, size),
                () -> parent.splitStrided(0, 1, pe.n()));
            Members.fails(pe, TeamCreationException.class, parent, Members.range(0, 2, size),
                () -> parent.splitStrided(size, 1, 1));
        }

        parent.close();
        checkNoneLeaked(pe);
    }

    static void shouldRejectDifferentTriplets(final Pe pe)
    {
        final int n = pe.n();
        if (1 == n)
        {
            return;
        }

        final Team world = pe.shmem().world();
        final boolean isFirst = 0 == pe.me();
        final boolean isLast = n - 1 == pe.me();
        final Runnable[] creations = {
            () -> world.splitStrided(0, 1, isFirst ? n : n - 1),
            () -> world.splitStrided(isLast ? 1 : 0, 1, 1),
            () -> world.splitStrided(0, 1, isLast ? 1 : n),
            () -> world.splitStrided(0, 1, isLast ? 0 : n),
            () -> world.splitStrided(isFirst ? -1 : 0, 1, 1),
            () -> world.split2d(isFirst ? 1 : 2),
            () -> world.split2d(isLast ? 0 : 2),
            () -> world.split2d(isLast ? n : n + 1),
            () -> split(world, isFirst)};
        for (int i = 0; i < creations.length; i++)
        {
            final TeamCreationException thrown = Members.fails(
                pe, TeamCreationException.class, world, Members.world(pe), creations[i]);
            assertTrue(thrown.getMessage().contains("PE"), "names PEs: " + thrown);
        }

        checkNoneLeaked(pe);
    }

    private static void split(final Team team, final boolean isStrided)
    {
        if (isStrided)
        {
            team.splitStrided(0, 1, team.nPes());
        }
        else
        {
            team.split2d(team.nPes());
        }
    }

    /**
     * Members of one team must give the same configuration.
     */
    static void shouldRejectDifferentConfigurations(final Pe pe)
    {
        if (pe.n() > 1)
        {
            final TeamConfig config = new TeamConfig().numContexts(0 == pe.me() ? 1 : 2);
            Members.fails(pe, TeamCreationException.class, pe.shmem().world(), Members.world(pe),
                () -> pe.shmem().world().splitStrided(0, 1, pe.n(), config));
            Members.fails(pe, TeamCreationException.class, pe.shmem().world(), Members.world(pe),
                () -> pe.shmem().world().split2d(pe.n(), config, new TeamConfig()));
        }

        checkNoneLeaked(pe);
    }

    /**
     * A split concurrent with a reduction is detected without the check of collectives.
     */
    static void shouldRejectACreationBesideAnotherOne(final Pe pe)
    {
        if (pe.n() > 1)
        {
            Members.fails(pe, ShmemException.class, pe.shmem().world(), Members.world(pe), () ->
            {
                if (0 == pe.me())
                {
                    pe.shmem().world().duplicate();
                }
                else
                {
                    pe.shmem().world().splitStrided(0, 1, pe.n());
                }
            });
        }

        checkNoneLeaked(pe);
    }

    static void shouldRejectClosedParents(final Pe pe)
    {
        final Team closed = pe.shmem().world().duplicate();
        closed.close();
        reject(closed);
        Members.use(pe, pe.shmem().world(), Members.world(pe));
        checkNoneLeaked(pe);
    }

    private static void reject(final Team parent)
    {
        final Class<IllegalStateException> type = IllegalStateException.class;
        assertThrows(type, () -> parent.splitStrided(0, 1, 1));
        assertThrows(type, () -> parent.splitStrided(0, 1, 1, new TeamConfig()));
        assertThrows(type, () -> parent.split2d(1));
        assertThrows(type, () -> parent.split2d(1, new TeamConfig(), new TeamConfig()));
        assertThrows(type, parent::duplicate);
    }

    static void shouldReportWhichLimitIsReached(final Pe pe)
    {
        final Team world = pe.shmem().world();
        final int[] all = Members.world(pe);
        final List<Team> teams = new ArrayList<>();
        for (int i = 0; i < MAX_TEAMS; i++)
        {
            teams.add(world.splitStrided(0, 1, pe.n()));
        }

        for (int i = 0; i < 3; i++)
        {
            final TeamCreationException thrown =
                Members.fails(pe, TeamCreationException.class, world, all, world::duplicate);
            assertTrue(thrown.getMessage().contains("aeroshmem.teams.max"), thrown.getMessage());
            assertTrue(thrown.getMessage().contains(String.valueOf(MAX_TEAMS)), thrown.getMessage());
            Members.fails(pe, TeamCreationException.class, world, all, () -> world.split2d(1));
        }

        for (final Team team : teams)
        {
            Members.use(pe, team, all);
        }

        teams.remove(2).close();
        Members.fails(pe, TeamCreationException.class, world, all, () -> world.split2d(pe.n()));
        teams.add(world.splitStrided(pe.n() - 1, -1, pe.n()));
        Members.use(pe, teams.get(MAX_TEAMS - 1), Members.range(pe.n() - 1, -1, pe.n()));
        teams.forEach(Team::close);
        checkNoneLeaked(pe);
    }

    /**
     * Only the first PE has no more room: a team with it fails on all members, a team without it can be created.
     */
    static void shouldFailOnAllWhenOneHasNoRoom(final Pe pe)
    {
        final int n = pe.n();
        if (1 == n)
        {
            return;
        }

        final Team world = pe.shmem().world();
        final List<Team> full = new ArrayList<>();
        for (int i = 0; i < MAX_TEAMS; i++)
        {
            full.add(world.splitStrided(0, 1, 1));
        }

        final TeamCreationException thrown =
            Members.fails(pe, TeamCreationException.class, world, Members.world(pe), world::duplicate);
        assertTrue(thrown.getMessage().contains("aeroshmem.teams.max"), thrown.getMessage());
        Members.fails(pe, TeamCreationException.class, world, Members.world(pe), () -> world.split2d(1));
        for (int i = 0; i < 2 * MAX_TEAMS; i++)
        {
            final Team others = world.splitStrided(1, 1, n - 1);
            Members.check(pe, others, Members.range(1, 1, n - 1));
            others.close();
        }

        full.forEach(Team::close);
        checkNoneLeaked(pe);
    }

    /**
     * Checks that the limit of open teams can be reached and not be exceeded.
     */
    static void checkNoneLeaked(final Pe pe)
    {
        final Team world = pe.shmem().world();
        final List<Team> teams = new ArrayList<>();
        for (int i = 0; i < MAX_TEAMS / 2; i++)
        {
            final Teams2d axes = world.split2d(1 + i);
            teams.add(axes.xAxis());
            teams.add(axes.yAxis());
        }

        assertThrows(TeamCreationException.class, world::duplicate);
        for (final Team team : teams)
        {
            assertEquals(team.nPes(), team.reduceLong(ReduceOp.SUM, 1));
        }

        teams.forEach(Team::close);
    }
}
