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

import io.aeroshmem.collective.call.CallHistories;
import io.aeroshmem.collective.call.CollectiveCount;
import io.aeroshmem.collective.call.CollectiveEngine;
import io.aeroshmem.collective.call.TeamCollectives;
import io.aeroshmem.collective.request.RequestProgress;
import io.aeroshmem.collective.selection.AlgorithmSettings;
import io.aeroshmem.collective.selection.AlgorithmTable;
import io.aeroshmem.collective.task.StagingPool;
import io.aeroshmem.collective.task.TeamResources;
import io.aeroshmem.collective.task.Topology;
import io.aeroshmem.config.Arguments;
import io.aeroshmem.latency.LatencyRecording;
import io.aeroshmem.latency.OperationRecording;
import io.aeroshmem.lifecycle.PeIdentity;
import io.aeroshmem.memory.DeclaredMemory;
import io.aeroshmem.memory.MemoryBounds;
import io.aeroshmem.rma.ContextUse;
import io.aeroshmem.rma.RmaContext;
import io.aeroshmem.team.CreationAttempt;
import io.aeroshmem.team.CreationDomain;
import io.aeroshmem.team.Membership;
import io.aeroshmem.team.TeamDescriptor;
import io.aeroshmem.team.TeamIds;
import io.aeroshmem.team.TeamRecordExchange;
import io.aeroshmem.team.TeamSlots;
import io.aeroshmem.team.TeamSplit;
import io.aeroshmem.team.TeamSplitting;
import io.aeroshmem.thread.GuardedProxy;
import io.aeroshmem.transport.endpoint.Endpoint;

import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * The factory of the {@link Team} handles of one PE for split and created teams. It also connects the handles of the
 * predefined teams to the {@link Endpoint} of the PE. These handles exist before the PEs can communicate.
 */
final class TeamFactory
{
    private final PeIdentity identity;
    private final Endpoint endpoint;
    private final AlgorithmSettings algorithms;
    private final LatencyRecording latency;
    private final OperationRecording operations;
    private final TeamSlots slots;
    private final TeamRecordExchange rendezvous;
    private final CreationDomain worldDomain;
    private final TeamIds ids = new TeamIds();
    private final DeclaredMemory declared;
    private final Synchronization synchronization;
    private final StagingPool staging = new StagingPool();
    private final boolean isChecked;
    private final RequestProgress requestProgress;
    private final CollectiveCount collectiveCount;
    private final CallHistories histories;

    /** Set before the PE is open. */
    private CommunicationContext defaultContext;

    /**
     * @param isChecked           whether the members of a team agree on each call before they perform it.
     * @param synchronization     of the teams whose parameters set no other.
     * @param maxTeams            that may be open at once.
     * @param operations          that record what contexts do, or null.
     * @param creationCellsOffset offset in the system region of the cells through which PEs create teams.
     * @param declared            memory that open teams have declared.
     * @param collectiveCount     of the calls on all teams of the factory.
     * @param histories           of the calls on all teams of the factory.
     */
    TeamFactory(
        final PeIdentity identity,
        final Endpoint endpoint,
        final boolean isChecked,
        final Synchronization synchronization,
        final int maxTeams,
        final AlgorithmSettings algorithms,
        final LatencyRecording latency,
        final OperationRecording operations,
        final RequestProgress requestProgress,
        final long creationCellsOffset,
        final DeclaredMemory declared,
        final CollectiveCount collectiveCount,
        final CallHistories histories)
    {
        this.histories = histories;
        this.requestProgress = requestProgress;
        this.collectiveCount = collectiveCount;
        this.identity = identity;
        this.endpoint = endpoint;
        this.algorithms = algorithms;
        this.latency = latency;
        this.operations = operations;
        this.declared = declared;
        this.isChecked = isChecked;
        this.synchronization = synchronization;
        slots = new TeamSlots(endpoint, maxTeams);
        rendezvous = new TeamRecordExchange(endpoint, slots);
        worldDomain = CreationDomain.ofWorld(endpoint, creationCellsOffset);
    }

    /** Returns what records the operations of contexts; null for nothing. */
    OperationRecording operations()
    {
        return operations;
    }

    void defaultContext(final CommunicationContext context)
    {
        defaultContext = context;
    }

    CommunicationContext defaultContext()
    {
        return defaultContext;
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
        return created(
            rendezvous.make(place, copy, nPes, index), copy, TeamAttributes.of(synchronization, 0));
    }

    /** Connects a predefined team. */
    void connect(final Team team, final long areaOffset)
    {
        final long[] areas = new long[team.membership().size()];
        Arrays.fill(areas, areaOffset);
        connect(team, collectives(team.name(), team.membership(), areas, team.internalAttributes()));
    }

    /**
     * Returns the handle of a team that was made in one exchange.
     *
     * @param inherited attributes but for the id; null if there is no team.
     */
    Team created(final TeamDescriptor made, final TeamConfig config, final TeamAttributes inherited)
    {
        if (null == made)
        {
            return Team.INVALID;
        }

        final TeamHoldings holdings = new TeamHoldings(
            ids, declared, uses(inherited.contexts()), inherited.collective().memory(), made.name());
        holdings.takeGeneratedId(made.id());
        return opened(made, config, inherited.inherited(holdings.id()), holdings);
    }

    private Team opened(
        final TeamDescriptor made,
        final TeamConfig config,
        final TeamAttributes attributes,
        final TeamHoldings holdings)
    {
        final Membership membership = made.membership();
        final TeamCollectives collectives = collectives(made.name(), membership, made.areas(), attributes);
        final TeamLifetime lifetime = new TeamLifetime(
            made.name(),
            slots,
            made.areas()[membership.myRank()],
            collectives.engine(),
            collectives.latency(),
            collectiveCount,
            histories,
            holdings);

        return connect(new Team(made.name(), identity, membership, config, attributes, lifetime), collectives);
    }

    private Team connect(final Team team, final TeamCollectives collectives)
    {
        final TeamSplit.Parent parent = new TeamSplit.Parent(
            slots, endpoint.nPes(), team.membership(), team.name(), () -> collectives.records().of(0));
        return team.connect(endpoint, collectives, this, new TeamSplitting(parent, collectives));
    }

    /** Begins the creation of a team among the PEs of the world. */
    TeamCreation create(final TeamParams params)
    {
        final List<CommunicationContext> contexts = params.contexts();
        final int[] contextOptions = contexts.isEmpty() ? new int[1] : checkContexts(contexts);
        final MemoryBounds memory = MemoryBounds.of(params.memory(), identity);
        final int[] participants = participants(params);
        final Synchronization requested =
            null == params.synchronization() ? synchronization : params.synchronization();
        final Synchronization held =
            Synchronization.SYNCHRONIZED == synchronization ? synchronization : requested;
        final int size = null == params.outOfBand() ? participants.length : params.outOfBandRanks();
        return begin(
            worldDomain,
            "of this PE",
            "cannot create a team of " + size + " PEs",
            contexts,
            memory,
            (holdings) -> CreationAttempt.ofTeam(
                worldDomain,
                slots,
                endpoint.pause(),
                endpoint.nPes(),
                endpoint.pe(),
                params,
                participants,
                contextOptions,
                memory,
                held,
                params.hasId() && !holdings.takeId(params.id())),
            (made, holdings) -> new TeamAttributes(
                params, requested, held, memory, holdings.id(), made.endpoints()));
    }

    /** Begins a split of a team by colour. */
    TeamCreation split(final Team parent, final CreationDomain domain, final int color, final int key)
    {
        final TeamAttributes inherited = parent.internalAttributes();
        return begin(
            domain,
            "on team " + parent.name(),
            "cannot split team " + parent.name() + " of " + parent.membership().size() + " PEs by colour",
            inherited.contexts(),
            inherited.collective().memory(),
            (holdings) -> CreationAttempt.ofSplit(
                domain, slots, endpoint.pause(), endpoint.nPes(), color, key, inherited.timeoutNs()),
            (made, holdings) -> inherited.inherited(holdings.id()));
    }

    /**
     * Begins an attempt.
     *
     * @param where      another one may be in progress, for messages.
     * @param problem    for messages: what did not succeed.
     * @param start      starts the attempt, with the holdings of the team.
     * @param attributes of the team, if it is made.
     */
    private TeamCreation begin(
        final CreationDomain domain,
        final String where,
        final String problem,
        final List<CommunicationContext> contexts,
        final MemoryBounds memory,
        final Function<TeamHoldings, CreationAttempt> start,
        final BiFunction<TeamDescriptor, TeamHoldings, TeamAttributes> attributes)
    {
        if (!domain.tryBegin())
        {
            throw new IllegalStateException(
                "creations must not overlap: an earlier TeamCreation " + where + " is neither complete nor closed");
        }

        TeamHoldings holdings = null;
        CreationAttempt attempt = null;
        try
        {
            holdings = new TeamHoldings(ids, declared, uses(contexts), memory, "(being created)");
            attempt = start.apply(holdings);
        }
        finally
        {
            if (null == attempt)
            {
                abort(domain, holdings);
            }
        }

        final TeamHoldings taken = holdings;
        final CreationAttempt begun = attempt;
        return new TeamCreation(identity, endpoint, begun, taken, problem, () ->
        {
            final TeamDescriptor made = begun.team();
            if (null == made)
            {
                taken.release();
                return Team.INVALID;
            }

            taken.rename(made.name());
            taken.takeGeneratedId(made.id());
            return opened(made, new TeamConfig(), attributes.apply(made, taken), taken);
        });
    }

    /** Returns the domain of splits of a team. */
    CreationDomain domain(final CollectiveEngine engine)
    {
        return CreationDomain.ofMembers(endpoint, engine.resources());
    }

    private static void abort(final CreationDomain domain, final TeamHoldings holdings)
    {
        if (null != holdings)
        {
            holdings.release();
        }

        domain.end();
    }

    private static List<ContextUse> uses(final List<CommunicationContext> contexts)
    {
        return contexts.stream().map((context) -> ((RmaContext)GuardedProxy.unguarded(context)).use()).toList();
    }

    /** Returns the options of contexts that this PE contributes. */
    private int[] checkContexts(final List<CommunicationContext> contexts)
    {
        final int[] options = new int[contexts.size()];
        for (int i = 0; i < options.length; i++)
        {
            if (!(GuardedProxy.unguarded(contexts.get(i)) instanceof final RmaContext context) ||
                context.owner() != identity)
            {
                throw new IllegalArgumentException(
                    "contexts must be of " + identity + ": context " + i + " is " + contexts.get(i));
            }

            if (context.isClosed())
            {
                throw new IllegalArgumentException("contexts must be open: context " + i + " is closed");
            }

            options[i] = context.optionMask();
        }

        return options;
    }

    /** Returns the PEs of the map, or of the world; null if an exchange alone finds them. */
    private int[] participants(final TeamParams params)
    {
        final int nPes = endpoint.nPes();
        final EndpointMap map = params.endpointMap();
        final boolean hasExchange = null != params.outOfBand();
        if (hasExchange && params.outOfBandRanks() > nPes)
        {
            throw Arguments.mustBe("nranks", "<= " + nPes + ", the size of the world", params.outOfBandRanks());
        }

        if (null == map)
        {
            return hasExchange ? null : IntStream.range(0, nPes).toArray();
        }

        final int[] worldPes = map.worldPes();
        final boolean[] isMapped = new boolean[nPes];
        for (int rank = 0; rank < worldPes.length; rank++)
        {
            if (worldPes[rank] >= nPes || isMapped[worldPes[rank]])
            {
                throw new IllegalArgumentException("endpointMap must have different PEs, 0 to " + (nPes - 1) +
                    ": rank " + rank + " is PE " + worldPes[rank]);
            }

            isMapped[worldPes[rank]] = true;
        }

        if (!isMapped[endpoint.pe()])
        {
            throw new IllegalArgumentException(
                "endpointMap must have the PE that calls: " + map + " does not have " + identity);
        }

        if (hasExchange && params.outOfBandRanks() != worldPes.length)
        {
            throw Arguments.mustBe(
                "nranks", worldPes.length + ", the size of endpointMap", params.outOfBandRanks());
        }

        return worldPes;
    }

    private TeamCollectives collectives(
        final String name, final Membership membership, final long[] areas, final TeamAttributes attributes)
    {
        final int[] worldPes = membership.worldPes();
        final int myRank = membership.myRank();
        final Topology topology = new Topology(endpoint, worldPes);
        final TeamResources resources = TeamResources.of(endpoint, algorithms::forced, staging, topology,
            AlgorithmTable.barrierSchedule(topology, algorithms, myRank), worldPes, myRank, areas);
        final CollectiveEngine engine = new CollectiveEngine(
            identity, name, resources, attributes.collective(), requestProgress, latency.team(name), isChecked);
        collectiveCount.add(engine);
        histories.add(engine);
        return new TeamCollectives(identity, engine);
    }
}
