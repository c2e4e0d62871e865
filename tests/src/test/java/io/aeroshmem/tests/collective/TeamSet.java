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

import io.aeroshmem.Team;
import io.aeroshmem.TeamConfig;
import io.aeroshmem.TeamUniqueId;
import io.aeroshmem.Teams2d;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.UniqueIds;

import java.util.EnumMap;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

/**
 * A PE's team of each shape.
 */
final class TeamSet implements AutoCloseable
{
    private final Map<TeamShape, Team> teams = new EnumMap<>(TeamShape.class);
    private final Map<TeamShape, int[]> members = new EnumMap<>(TeamShape.class);
    private final Pe pe;

    TeamSet(final Pe pe)
    {
        this.pe = pe;
        final Team world = pe.shmem().world();
        final int n = pe.n();
        add(TeamShape.WORLD, world);
        add(TeamShape.STRIDED, world.splitStrided(1 == n ? 0 : 1, 2, Math.max(1, n / 2)));
        final Team reversed = world.splitStrided(n - 1, -1, n);
        add(TeamShape.REVERSED, reversed);
        add(TeamShape.STRIDED_BACK, world.splitStrided(n - 1, 1 == n ? 0 : -2, (n + 1) / 2));
        final Teams2d axes = world.split2d(TeamShape.xRange(n));
        add(TeamShape.X_AXIS, axes.xAxis());
        add(TeamShape.Y_AXIS, axes.yAxis());
        addArbitrary();
        final int half = (n + 1) / 2;
        final Team child = reversed.splitStrided(0, 1 == n ? 0 : 2, half);
        if (Team.INVALID == child)
        {
            add(TeamShape.GRANDCHILD, Team.INVALID);
        }
        else
        {
            add(TeamShape.GRANDCHILD, child.splitStrided(half - 1, -1, half));
            child.close();
        }
    }

    Team team(final TeamShape shape)
    {
        return teams.get(shape);
    }

    /**
     * Numbers in the world by rank; null where this PE is no member.
     */
    int[] members(final TeamShape shape)
    {
        return members.get(shape);
    }

    @Override
    public void close()
    {
        for (final Map.Entry<TeamShape, Team> entry : teams.entrySet())
        {
            if (TeamShape.WORLD != entry.getKey())
            {
                entry.getValue().close();
            }
        }
    }

    private void addArbitrary()
    {
        final int[] expected = TeamShape.ARBITRARY.members(pe.n(), pe.me(), pe.seed());
        final TeamUniqueId id = UniqueIds.share(pe, pe.n() - 1);
        if (null == expected)
        {
            add(TeamShape.ARBITRARY, Team.INVALID);
            return;
        }

        add(TeamShape.ARBITRARY, pe.shmem().teamInit(
            new TeamConfig().uniqueId(id), expected.length, rank(expected, pe.me())));
    }

    private void add(final TeamShape shape, final Team team)
    {
        final int[] expected = shape.members(pe.n(), pe.me(), pe.seed());
        if (null == expected)
        {
            assertSame(Team.INVALID, team, shape + " without this PE");
        }
        else
        {
            assertEquals(expected.length, team.nPes(), "size of " + shape);
            assertEquals(rank(expected, pe.me()), team.myPe(), "rank in " + shape);
            for (int i = 0; i < expected.length; i++)
            {
                assertEquals(expected[i], team.translatePe(i, pe.shmem().world()), "member " + i + " of " + shape);
                assertEquals(i, pe.shmem().world().translatePe(expected[i], team), "rank in " + shape);
            }
        }

        teams.put(shape, team);
        members.put(shape, expected);
    }

    private static int rank(final int[] members, final int worldPe)
    {
        int rank = 0;
        while (members[rank] != worldPe)
        {
            rank++;
        }

        return rank;
    }
}
