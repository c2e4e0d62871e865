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

import io.aeroshmem.config.Arguments;

import java.util.List;

/**
 * The parameters of a team to create: {@code ucc_team_params_t}. Fluent; copied when used. The defaults are:
 * <ul>
 *     <li>no out-of-band exchange and no endpoint map, so all PEs of the job take part;</li>
 *     <li>the default context;</li>
 *     <li>generated endpoints and id;</li>
 *     <li>{@link Ordering#POST_ORDERED};</li>
 *     <li>the synchronisation of {@link Shmem.Context#synchronization()};</li>
 *     <li>no hint of the number of calls in flight, no declared memory, no time limit.</li>
 * </ul>
 */
public final class TeamParams
{
    private int outOfBandRank;
    private int outOfBandRanks;
    private OobCollective outOfBand;
    private List<CommunicationContext> contexts = List.of();
    private long endpoint;
    private boolean hasEndpoint;
    private boolean isContiguous;
    private EndpointMap endpointMap;
    private Ordering ordering = Ordering.POST_ORDERED;
    private int outstandingCalls;
    private Synchronization requestedSynchronization;
    private Synchronization synchronization;
    private List<SymmetricBuffer> memory = List.of();
    private long id;
    private boolean hasId;
    private long timeoutNs;

    /** Constructs parameters with all defaults. */
    public TeamParams()
    {
    }

    TeamParams copy()
    {
        final TeamParams copy = new TeamParams();
        copy.outOfBandRank = outOfBandRank;
        copy.outOfBandRanks = outOfBandRanks;
        copy.outOfBand = outOfBand;
        copy.contexts = contexts;
        copy.endpoint = endpoint;
        copy.hasEndpoint = hasEndpoint;
        copy.isContiguous = isContiguous;
        copy.endpointMap = endpointMap;
        copy.ordering = ordering;
        copy.outstandingCalls = outstandingCalls;
        copy.requestedSynchronization = requestedSynchronization;
        copy.synchronization = synchronization;
        copy.memory = memory;
        copy.id = id;
        copy.hasId = hasId;
        copy.timeoutNs = timeoutNs;
        return copy;
    }

    /**
     * Sets the exchange by which the participants find each other: {@code oob}. Without one, the participants are the
     * PEs of {@link #endpointMap(EndpointMap)}, or the whole world.
     *
     * @param rank       of this PE in the exchange, 0 to nranks - 1.
     * @param nranks     number of participants, all of them PEs of this job.
     * @param collective exchange.
     * @return this for a fluent API.
     * @throws IllegalArgumentException if there is no such rank, or the exchange is null.
     */
    public TeamParams outOfBand(final int rank, final int nranks, final OobCollective collective)
    {
        if (rank < 0 || rank >= nranks)
        {
            throw Arguments.mustBe("rank", "0 to nranks - 1, nranks=" + nranks, rank);
        }

        outOfBand = Arguments.notNull(collective, "collective");
        outOfBandRank = rank;
        outOfBandRanks = nranks;
        return this;
    }

    /**
     * Returns the exchange by which the participants find each other: {@code oob}.
     *
     * @return the exchange, or null.
     */
    public OobCollective outOfBand()
    {
        return outOfBand;
    }

    /**
     * Returns the rank of this PE in the exchange: {@code oob.oob_ep}.
     *
     * @return 0 or more; 0 without an exchange.
     */
    public int outOfBandRank()
    {
        return outOfBandRank;
    }

    /**
     * Returns the number of participants of the exchange: {@code oob.n_oob_eps}.
     *
     * @return 1 or more; 0 without an exchange.
     */
    public int outOfBandRanks()
    {
        return outOfBandRanks;
    }

    /**
     * Sets the contexts that this PE contributes: those of {@code ucc_team_create_post}. Number and options are the
     * same on all participants. None may be closed while the team is open. Otherwise they have no effect: the team's
     * collectives use the PE's connection to each peer directly, without a context.
     *
     * @param contexts open contexts of this PE; none for the default context.
     * @return this for a fluent API.
     * @throws IllegalArgumentException if one of them is null.
     */
    public TeamParams contexts(final CommunicationContext... contexts)
    {
        for (final CommunicationContext context : Arguments.notNull(contexts, "contexts"))
        {
            Arguments.notNull(context, "an element of contexts");
        }

        this.contexts = List.of(contexts);
        return this;
    }

    /**
     * Returns the contexts that this PE contributes.
     *
     * @return immutable; of an open team, one or more.
     */
    public List<CommunicationContext> contexts()
    {
        return contexts;
    }

    /**
     * Sets the endpoint of this PE: {@code ep}. Unique in the team; given by all participants or by none.
     *
     * @param endpoint an unsigned integer.
     * @return this for a fluent API.
     */
    public TeamParams endpoint(final long endpoint)
    {
        this.endpoint = endpoint;
        hasEndpoint = true;
        return this;
    }

    /**
     * Returns the endpoint of this PE: {@code ep}.
     *
     * @return an unsigned integer; 0 if it is not set.
     */
    public long endpoint()
    {
        return endpoint;
    }

    /**
     * Returns whether the endpoint is set: {@code UCC_TEAM_PARAM_FIELD_EP} of the mask.
     *
     * @return true if it is; of an open team, always.
     */
    public boolean hasEndpoint()
    {
        return hasEndpoint;
    }

    /**
     * Sets whether the endpoints are 0 to n - 1 and are the ranks: {@code ep_range},
     * {@code UCC_COLLECTIVE_EP_RANGE_CONTIG}. Otherwise given endpoints are labels, and ranks follow the exchange, the
     * map or the world. The same on all participants.
     *
     * @param isContiguous whether they are.
     * @return this for a fluent API.
     */
    public TeamParams contiguousEndpoints(final boolean isContiguous)
    {
        this.isContiguous = isContiguous;
        return this;
    }

    /**
     * Returns whether the endpoints are the ranks: {@code ep_range}.
     *
     * @return true if they are; of an open team, also if they were generated.
     */
    public boolean contiguousEndpoints()
    {
        return isContiguous;
    }

    /**
     * Sets the participants: {@code ep_map}. Exactly these PEs create the team, each with the same map, in the order of
     * their ranks, unless an exchange or contiguous endpoints give the order.
     *
     * @param endpointMap of PEs of the world, this one among them; null: the whole world, or those of the exchange.
     * @return this for a fluent API.
     */
    public TeamParams endpointMap(final EndpointMap endpointMap)
    {
        this.endpointMap = endpointMap;
        return this;
    }

    /**
     * Returns the participants: {@code ep_map}.
     *
     * @return the map, or null if it is not set; of an open team, the members by rank.
     */
    public EndpointMap endpointMap()
    {
        return endpointMap;
    }

    /**
     * Sets how requests of the team are matched: {@code ordering}. The same on all participants.
     *
     * @param ordering to set.
     * @return this for a fluent API.
     * @throws IllegalArgumentException if it is null.
     */
    public TeamParams ordering(final Ordering ordering)
    {
        this.ordering = Arguments.notNull(ordering, "ordering");
        return this;
    }

    /**
     * Returns how requests of the team are matched: {@code ordering}.
     *
     * @return the ordering.
     */
    public Ordering ordering()
    {
        return ordering;
    }

    /**
     * Sets how many requests of the team will be in flight at once: {@code outstanding_colls}. A hint for the
     * reservation of resources; more are no error.
     *
     * @param outstandingCalls number; 0 for no hint.
     * @return this for a fluent API.
     * @throws IllegalArgumentException if it is negative.
     */
    public TeamParams outstandingCalls(final int outstandingCalls)
    {
        Arguments.notNegative(outstandingCalls, "outstandingCalls");
        this.outstandingCalls = outstandingCalls;
        return this;
    }

    /**
     * Returns how many requests of the team will be in flight at once: {@code outstanding_colls}.
     *
     * @return number; 0 for no hint.
     */
    public int outstandingCalls()
    {
        return outstandingCalls;
    }

    /**
     * Sets the synchronisation of the team's collectives: {@code sync_type}. The same on all participants. Where the
     * library is {@link Synchronization#SYNCHRONIZED} ({@link Shmem.Context#synchronization(Synchronization)}), so is
     * the team.
     *
     * @param synchronization to set.
     * @return this for a fluent API.
     * @throws IllegalArgumentException if it is null.
     */
    public TeamParams synchronization(final Synchronization synchronization)
    {
        this.synchronization = Arguments.notNull(synchronization, "synchronization");
        requestedSynchronization = synchronization;
        return this;
    }

    /**
     * Returns the synchronisation of the team's collectives: {@code sync_type}.
     *
     * @return the synchronisation, null if it is not set; of an open team, the one that holds.
     */
    public Synchronization synchronization()
    {
        return synchronization;
    }

    /**
     * Returns the synchronisation that the program has set.
     *
     * @return the synchronisation, or null if it is not set.
     */
    public Synchronization requestedSynchronization()
    {
        return requestedSynchronization;
    }

    /**
     * Sets the buffers that the team's collectives will use: {@code mem_params}. The same addresses on all
     * participants. Collectives may use other buffers too. {@link Shmem#free} and {@link Shmem#realloc} reject the
     * declared ones while the team is open.
     *
     * @param buffers of this PE; slices too.
     * @return this for a fluent API.
     * @throws IllegalArgumentException if one of them is null.
     */
    public TeamParams memory(final SymmetricBuffer... buffers)
    {
        for (final SymmetricBuffer buffer : Arguments.notNull(buffers, "buffers"))
        {
            Arguments.notNull(buffer, "an element of buffers");
        }

        memory = List.of(buffers);
        return this;
    }

    /**
     * Returns the buffers that the team's collectives will use: {@code mem_params}.
     *
     * @return immutable.
     */
    public List<SymmetricBuffer> memory()
    {
        return memory;
    }

    /**
     * Sets the id of the team: {@code id}. The same on all participants, and of no other open team of this PE.
     *
     * @param id an unsigned integer.
     * @return this for a fluent API.
     */
    public TeamParams id(final long id)
    {
        this.id = id;
        hasId = true;
        return this;
    }

    /**
     * Returns the id of the team: {@code id}.
     *
     * @return an unsigned integer; 0 if it is not set.
     */
    public long id()
    {
        return id;
    }

    /**
     * Returns whether the id is set: {@code UCC_TEAM_PARAM_FIELD_ID} of the mask.
     *
     * @return true if it is; of an open team, always.
     */
    public boolean hasId()
    {
        return hasId;
    }

    /**
     * Sets the time limit of the creation, from the call of {@link Shmem#createTeam}; participants may set different
     * ones, of which the earliest counts.
     *
     * @param timeoutNs in nanoseconds; 0 for none.
     * @return this for a fluent API.
     * @throws IllegalArgumentException if it is negative.
     */
    public TeamParams timeoutNs(final long timeoutNs)
    {
        Arguments.notNegative(timeoutNs, "timeoutNs");
        this.timeoutNs = timeoutNs;
        return this;
    }

    /**
     * Returns the time limit of the creation.
     *
     * @return nanoseconds; 0 for none.
     */
    public long timeoutNs()
    {
        return timeoutNs;
    }

    /** Sets what was asked and what holds, either of which may be null. */
    TeamParams synchronization(final Synchronization requested, final Synchronization held)
    {
        requestedSynchronization = requested;
        synchronization = held;
        return this;
    }

    /** Sets the contexts of an open team. */
    TeamParams contexts(final List<CommunicationContext> contexts)
    {
        this.contexts = contexts;
        return this;
    }

    /** Sets the declared memory of an open team. */
    TeamParams memory(final List<SymmetricBuffer> memory)
    {
        this.memory = memory;
        return this;
    }

    /** Sets the exchange of an open team, or none. */
    TeamParams outOfBandOf(final TeamParams other)
    {
        outOfBand = other.outOfBand;
        outOfBandRank = other.outOfBandRank;
        outOfBandRanks = other.outOfBandRanks;
        return this;
    }

    /**
     * Lists all values.
     *
     * @return one line.
     */
    @Override
    public String toString()
    {
        return "TeamParams{outOfBand=" + (null == outOfBand ? "none" : outOfBandRank + " of " + outOfBandRanks) +
            ", contexts=" + contexts.size() + ", endpoint=" + (hasEndpoint ? Long.toUnsignedString(endpoint) : "none") +
            ", contiguousEndpoints=" + isContiguous + ", endpointMap=" + endpointMap + ", ordering=" + ordering +
            ", outstandingCalls=" + outstandingCalls + ", synchronization=" + synchronization +
            ", requestedSynchronization=" + requestedSynchronization + ", memory=" + memory +
            ", id=" + (hasId ? Long.toUnsignedString(id) : "none") + ", timeoutNs=" + timeoutNs + "}";
    }
}
