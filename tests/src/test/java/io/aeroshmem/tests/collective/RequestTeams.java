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

import io.aeroshmem.EndpointMap;
import io.aeroshmem.Ordering;
import io.aeroshmem.Synchronization;
import io.aeroshmem.Team;
import io.aeroshmem.TeamCreation;
import io.aeroshmem.TeamParams;
import io.aeroshmem.tests.fixture.Pe;

import java.util.EnumMap;
import java.util.Map;

/**
 * A PE's team of each shape, for requests: made by splits, or created with the ordering and the synchronisation that
 * the properties specify.
 */
final class RequestTeams implements AutoCloseable
{
    static final String ORDERING_PROPERTY = "aeroshmem.test.request.ordering";
    static final String SYNCHRONIZATION_PROPERTY = "aeroshmem.test.request.synchronization";

    private final Map<TeamShape, Team> teams = new EnumMap<>(TeamShape.class);
    private final Pe pe;
    private final TeamSet splits;
    private final boolean isTagged;

    RequestTeams(final Pe pe)
    {
        this.pe = pe;
        final String ordering = System.getProperty(ORDERING_PROPERTY);
        splits = null == ordering ? new TeamSet(pe) : null;
        isTagged = null != ordering && ordering.endsWith("UNORDERED");
        for (final TeamShape shape : TeamShape.values())
        {
            final int[] members = members(shape);
            if (null != members)
            {
                teams.put(shape, null == ordering ? splits.team(shape) : create(members, Ordering.valueOf(ordering)));
            }
        }
    }

    private Team create(final int[] members, final Ordering ordering)
    {
        final TeamParams params = new TeamParams()
            .endpointMap(EndpointMap.of(members))
            .ordering(ordering)
            .synchronization(Synchronization.valueOf(System.getProperty(SYNCHRONIZATION_PROPERTY)));
        try (TeamCreation creation = pe.shmem().createTeam(params))
        {
            while (!creation.poll())
            {
                Thread.yield();
            }
            return creation.team();
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
        return shape.members(pe.n(), pe.me(), pe.seed());
    }

    /**
     * Returns whether requests are matched by tag.
     */
    boolean isTagged()
    {
        return isTagged;
    }

    @Override
    public void close()
    {
        if (null != splits)
        {
            splits.close();
            return;
        }
        teams.values().forEach(Team::close);
    }
}
