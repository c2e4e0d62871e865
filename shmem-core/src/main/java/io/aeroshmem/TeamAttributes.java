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

import io.aeroshmem.collective.task.CollectiveAttributes;
import io.aeroshmem.memory.MemoryBounds;
import io.aeroshmem.team.Membership;
import org.agrona.collections.Long2LongHashMap;

import java.util.List;

/**
 * The attributes of a team on one member. {@link Team#attributes()} returns them as {@link TeamParams}. A team that is
 * split from the team inherits every attribute except the id, the endpoints and the out-of-band exchange. Immutable.
 */
final class TeamAttributes
{
    private static final int NO_RANK = -1;

    private final CollectiveAttributes collective;
    private final Synchronization requested;
    private final List<CommunicationContext> contexts;
    private final List<SymmetricBuffer> memory;
    private final TeamParams params;
    private final long id;
    private final long[] endpoints;
    private final Long2LongHashMap rankByEndpoint;
    private final boolean isContiguous;

    /**
     * @param params    of the creation, or those that are inherited.
     * @param requested synchronisation that was asked for.
     * @param held      synchronisation that holds.
     * @param endpoints by rank; null if they are the ranks.
     */
    TeamAttributes(
        final TeamParams params,
        final Synchronization requested,
        final Synchronization held,
        final MemoryBounds bounds,
        final long id,
        final long[] endpoints)
    {
        this.params = params;
        this.requested = requested;
        this.id = id;
        this.endpoints = endpoints;
        collective = new CollectiveAttributes(params.ordering(), params.outstandingCalls(), held, bounds);
        contexts = params.contexts();
        memory = params.memory();
        isContiguous = null == endpoints;
        rankByEndpoint = null == endpoints ? null : ranks(endpoints);
    }

    private static Long2LongHashMap ranks(final long[] endpoints)
    {
        final Long2LongHashMap ranks = new Long2LongHashMap(NO_RANK);
        for (int rank = 0; rank < endpoints.length; rank++)
        {
            ranks.put(endpoints[rank], rank);
        }

        return ranks;
    }

    /** Returns the attributes of a predefined team, or of one that was created without parameters from no parent. */
    static TeamAttributes of(final Synchronization library, final long id)
    {
        return new TeamAttributes(new TeamParams(), library, library, MemoryBounds.NONE, id, null);
    }

    /** Returns the attributes of a team that is split from the one with these. */
    TeamAttributes inherited(final long childId)
    {
        final TeamParams inherited = new TeamParams()
            .contexts(contexts)
            .ordering(params.ordering())
            .outstandingCalls(params.outstandingCalls())
            .memory(memory)
            .timeoutNs(params.timeoutNs());
        return new TeamAttributes(
            inherited, requested, collective.synchronization(), collective.memory(), childId, null);
    }

    CollectiveAttributes collective()
    {
        return collective;
    }

    /** Returns the contributed contexts; empty: the default context. */
    List<CommunicationContext> contexts()
    {
        return contexts;
    }

    long timeoutNs()
    {
        return params.timeoutNs();
    }

    /** Returns the endpoint of a rank, which exists. */
    long endpoint(final int rank)
    {
        return null == endpoints ? rank : endpoints[rank];
    }

    /** Returns the rank of an endpoint, or -1. */
    int rank(final long endpoint, final int size)
    {
        if (null == endpoints)
        {
            return Long.compareUnsigned(endpoint, size) < 0 ? (int)endpoint : NO_RANK;
        }

        return (int)rankByEndpoint.get(endpoint);
    }

    /**
     * Returns the attributes as parameters.
     *
     * @param defaultContext that stands for none; null if the PE has none yet.
     */
    TeamParams params(final Membership membership, final CommunicationContext defaultContext)
    {
        final List<CommunicationContext> defaults = null == defaultContext ? List.of() : List.of(defaultContext);
        return new TeamParams()
            .outOfBandOf(params)
            .contexts(contexts.isEmpty() ? defaults : contexts)
            .endpoint(endpoint(membership.myRank()))
            .contiguousEndpoints(isContiguous)
            .endpointMap(EndpointMap.of(membership.worldPes()))
            .ordering(collective.ordering())
            .outstandingCalls(collective.outstandingCalls())
            .synchronization(requested, collective.synchronization())
            .memory(memory)
            .id(id)
            .timeoutNs(params.timeoutNs());
    }
}
