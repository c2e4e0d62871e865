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
import io.aeroshmem.collective.StagingPool;
import io.aeroshmem.collective.TeamCollectives;
import io.aeroshmem.collective.TeamResources;
import io.aeroshmem.job.PeIdentity;
import io.aeroshmem.latency.LatencyRecording;
import io.aeroshmem.latency.TeamLatency;
import io.aeroshmem.sync.SystemAreaDescriptor;
import io.aeroshmem.team.Membership;
import io.aeroshmem.team.NewTeam;
import io.aeroshmem.team.PredefinedMembership;
import io.aeroshmem.team.TeamRendezvous;
import io.aeroshmem.team.TeamSlots;
import io.aeroshmem.team.TeamSplitting;
import io.aeroshmem.transport.Endpoint;

import java.util.Arrays;

/**
 * Makes one PE's handles on its teams.
 */
final class TeamFactory
{
    private final PeIdentity identity;
    private final Endpoint endpoint;
    private final AlgorithmSettings algorithms;
    private final LatencyRecording latency;
    private final TeamSlots slots;
    private final PredefinedMembership memberships;
    private final TeamRendezvous rendezvous;
    private final StagingPool staging = new StagingPool();
    private final boolean isChecked;

    TeamFactory(
        final PeIdentity identity,
        final Endpoint endpoint,
        final AlgorithmSettings algorithms,
        final LatencyRecording latency,
        final int maxTeams,
        final boolean isChecked)
    {
        this.isChecked = isChecked;
        this.identity = identity;
        this.endpoint = endpoint;
        this.algorithms = algorithms;
        this.latency = latency;
        slots = new TeamSlots(endpoint, maxTeams);
        memberships = new PredefinedMembership(endpoint);
        rendezvous = new TeamRendezvous(endpoint, slots);
    }

    TeamUniqueId uniqueId()
    {
        final TeamRendezvous.Place place = rendezvous.open();
        return TeamUniqueId.of(place.pe(), place.offset(), place.serial(), rendezvous.seal(place));
    }

    Team initialized(final TeamConfig config, final int nPes, final int index)
    {
        final TeamUniqueId uniqueId = null == config ? null : config.uniqueId();
        if (null == uniqueId)
        {
            throw new TeamCreationException(
                "config: given " + config + ", allowed for teamInit is one whose unique id is set and in its mask" +
                " (TeamConfig.uniqueId)");
        }

        final TeamRendezvous.Place place =
            new TeamRendezvous.Place(uniqueId.pe(), uniqueId.place(), uniqueId.serial());
        if (!uniqueId.isSealed(rendezvous.seal(place)))
        {
            throw new TeamCreationException(
                "config: given " + uniqueId + ", allowed is one that Shmem.teamUniqueId of a PE of this job made");
        }

        final TeamConfig copy = config.copy();
        return created(rendezvous.make(place, copy, nPes, index), copy);
    }

    Team predefined(final PredefinedTeam which, final SystemAreaDescriptor descriptor)
    {
        final Membership membership = memberships.of(which);
        final long[] areas = new long[membership.size()];
        Arrays.fill(areas, descriptor.teamAreaOffset(which));
        return team(which.name(), membership, areas, new TeamConfig(), true);
    }

    Team created(final NewTeam team, final TeamConfig config)
    {
        return null == team ? Team.INVALID : team(team.name(), team.membership(), team.areas(), config, false);
    }

    private Team team(
        final String name,
        final Membership membership,
        final long[] areas,
        final TeamConfig config,
        final boolean isPredefined)
    {
        final TeamResources resources =
            TeamResources.of(endpoint, algorithms, staging, membership.worldPes(), membership.myRank(), areas);
        final CollectiveEngine engine = new CollectiveEngine(identity, name, resources);
        final TeamLatency teamLatency = latency.team(name);
        final TeamCollectives collectives = isChecked ?
            new CheckedCollectives(identity, engine, teamLatency) : new TeamCollectives(identity, engine, teamLatency);
        final TeamSplitting splitting =
            new TeamSplitting(slots, endpoint.nPes(), membership, name, collectives);
        final TeamLifetime lifetime = isPredefined ? null :
            new TeamLifetime(name, slots, areas[membership.myRank()], engine, teamLatency);

        return new Team(name, identity, endpoint, membership, collectives, config, this, splitting, lifetime);
    }
}
