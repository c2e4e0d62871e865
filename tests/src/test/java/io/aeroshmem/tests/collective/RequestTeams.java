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
import java.util.List;
import java.util.Map;

/**
 * A PE's team of each shape and ordering that cases need. Every second one of those ordered by posts is predefined or
 * made by splits; the others are created, every second one synchronised, with hints below the number of requests that
 * are in flight. From job to job they take turns.
 */
final class RequestTeams implements AutoCloseable
{
    private final Map<Ordering, Map<TeamShape, Team>> created = new EnumMap<>(Ordering.class);
    private final Pe pe;
    private final int job;
    private final TeamSet splits;

    RequestTeams(final Pe pe, final int job, final List<RequestCase> cases)
    {
        this.pe = pe;
        this.job = job;
        splits = new TeamSet(pe);
        for (final Ordering ordering : Ordering.values())
        {
            created.put(ordering, new EnumMap<>(TeamShape.class));
            for (final TeamShape shape : TeamShape.values())
            {
                if (isCreated(shape, ordering) && null != members(shape) &&
                    cases.stream().anyMatch((test) -> ordering == test.ordering() && shape == test.shape()))
                {
                    created.get(ordering).put(shape, create(shape, ordering));
                }
            }
        }
    }

    private boolean isCreated(final TeamShape shape, final Ordering ordering)
    {
        return Ordering.POST_ORDERED != ordering || 0 == (shape.ordinal() + job) % 2;
    }

    private Team create(final TeamShape shape, final Ordering ordering)
    {
        final boolean isSynchronized = 0 == (shape.ordinal() / 2 + ordering.ordinal() + job) % 2;
        final TeamParams params = new TeamParams()
            .endpointMap(EndpointMap.of(members(shape)))
            .ordering(ordering)
            .outstandingCalls(shape.ordinal())
            .synchronization(isSynchronized ? Synchronization.SYNCHRONIZED : Synchronization.NON_SYNCHRONIZED);
        try (TeamCreation creation = pe.shmem().createTeam(params))
        {
            while (!creation.poll())
            {
                pe.pause();
            }

            return creation.team();
        }
    }

    Team team(final RequestCase test)
    {
        return isCreated(test.shape(), test.ordering()) ? created.get(test.ordering()).get(test.shape()) :
            splits.team(test.shape());
    }

    /**
     * Numbers in the world by rank; null where this PE is no member.
     */
    int[] members(final TeamShape shape)
    {
        return splits.members(shape);
    }

    @Override
    public void close()
    {
        created.values().forEach((teams) -> teams.values().forEach(Team::close));
        splits.close();
    }
}
