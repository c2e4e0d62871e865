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

import io.aeroshmem.collective.AlgorithmSettings;
import io.aeroshmem.collective.CheckedCollectives;
import io.aeroshmem.collective.CollectiveEngine;
import io.aeroshmem.collective.RequestProgress;
import io.aeroshmem.collective.StagingPool;
import io.aeroshmem.collective.TeamCollectives;
import io.aeroshmem.collective.TeamResources;
import io.aeroshmem.latency.LatencyRecording;
import io.aeroshmem.latency.TeamLatency;
import io.aeroshmem.lifecycle.PeIdentity;
import io.aeroshmem.team.Membership;
import io.aeroshmem.team.TeamDescriptor;
import io.aeroshmem.team.TeamRecordExchange;
import io.aeroshmem.team.TeamSlots;
import io.aeroshmem.team.TeamSplitting;
import io.aeroshmem.thread.GuardedCollectives;
import io.aeroshmem.transport.endpoint.Endpoint;

import java.util.Arrays;

/** The factory of one PE's handles of its teams. */
final class TeamFactory
{
    private final PeIdentity identity;
    private final Endpoint endpoint;
    private final AlgorithmSettings algorithms;
    private final LatencyRecording latency;
    private final TeamSlots slots;
    private final TeamRecordExchange rendezvous;
    private final StagingPool staging = new StagingPool();
    private final boolean isChecked;
    private final RequestProgress requestProgress;

    TeamFactory(
        final PeIdentity identity,
        final Endpoint endpoint,
        final AlgorithmSettings algorithms,
        final LatencyRecording latency,
        final int maxTeams,
        final boolean isChecked,
        final RequestProgress requestProgress)
    {
        this.requestProgress = requestProgress;
        this.isChecked = isChecked;
        this.identity = identity;
        this.endpoint = endpoint;
        this.algorithms = algorithms;
        this.latency = latency;
        slots = new TeamSlots(endpoint, maxTeams);
        rendezvous = new TeamRecordExchange(endpoint, slots);
    }

    TeamUniqueId uniqueId()
    {
        final TeamRecordExchange.TableLocation place = rendezvous.open();
        return TeamUniqueId.of(place.pe(), place.offset(), place.serial(), rendezvous.seal(place));
    }

    Team initialized(final TeamConfig config, final int nPes, final int index)
    {
        final TeamUniqueId uniqueId = config.uniqueId();
        if (null == uniqueId)
        {
            throw new TeamCreationException(
                "config must have a unique id, set and in its mask (TeamConfig.uniqueId): config=" + config);
        }

        final TeamRecordExchange.TableLocation place =
            new TeamRecordExchange.TableLocation(uniqueId.pe(), uniqueId.place(), uniqueId.serial());
        if (!uniqueId.isSealed(rendezvous.seal(place)))
        {
            throw new TeamCreationException(
                "uniqueId must be from Shmem.teamUniqueId of a PE of this job: uniqueId=" + uniqueId);
        }

        final TeamConfig copy = config.copy();
        return created(rendezvous.make(place, copy, nPes, index), copy);
    }

    /** Connects a predefined team. */
    void connect(final Team team, final long areaOffset)
    {
        final long[] areas = new long[team.membership().size()];
        Arrays.fill(areas, areaOffset);
        connect(team, collectives(team.name(), team.membership(), areas));
    }

    Team created(final TeamDescriptor made, final TeamConfig config)
    {
        if (null == made)
        {
            return Team.INVALID;
        }

        final Membership membership = made.membership();
        final TeamCollectives collectives = collectives(made.name(), membership, made.areas());
        final TeamLifetime lifetime = new TeamLifetime(
            made.name(),
            slots,
            made.areas()[membership.myRank()],
            collectives.engine(),
            collectives.latency());

        return connect(new Team(made.name(), identity, membership, config, lifetime), collectives);
    }

    private Team connect(final Team team, final TeamCollectives collectives)
    {
        final TeamSplitting splitting =
            new TeamSplitting(slots, endpoint.nPes(), team.membership(), team.name(), collectives);
        return team.connect(endpoint, collectives, this, splitting);
    }

    private TeamCollectives collectives(final String name, final Membership membership, final long[] areas)
    {
        final TeamResources resources =
            TeamResources.of(endpoint, algorithms, staging, membership.worldPes(), membership.myRank(), areas);
        final CollectiveEngine engine = new CollectiveEngine(
            identity, name, resources, Ordering.POST_ORDERED, false, requestProgress);
        final TeamLatency teamLatency = latency.team(name);
        final TeamCollectives collectives = isChecked ?
            new CheckedCollectives(identity, engine, teamLatency) : new TeamCollectives(identity, engine, teamLatency);
        return null == identity.guard() ?
            collectives : new GuardedCollectives(identity.guard(), identity, collectives);
    }
}
