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

import io.aeroshmem.collective.CollectiveAttributes;
import io.aeroshmem.memory.MemoryBounds;
import io.aeroshmem.team.Membership;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * The attributes of a team, as one PE knows them. Immutable.
 */
final class TeamAttributes
{
    private final CollectiveAttributes collective;
    private final Synchronization requested;
    private final List<CommunicationContext> contexts;
    private final List<SymmetricBuffer> memory;
    private final TeamParams params;
    private final long id;
    private final long[] endpoints;
    private final Integer[] ranksByEndpoint;
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
        ranksByEndpoint = null == endpoints ? null : sorted(endpoints);
    }

    private static Integer[] sorted(final long[] endpoints)
    {
        final Integer[] ranks = new Integer[endpoints.length];
        Arrays.setAll(ranks, (rank) -> rank);
        Arrays.sort(ranks, Comparator.comparing((rank) -> endpoints[rank], Long::compareUnsigned));
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
            return Long.compareUnsigned(endpoint, size) < 0 ? (int)endpoint : -1;
        }

        int low = 0;
        int high = size - 1;
        while (low <= high)
        {
            final int middle = low + high >>> 1;
            final int order = Long.compareUnsigned(endpoints[ranksByEndpoint[middle]], endpoint);
            if (0 == order)
            {
                return ranksByEndpoint[middle];
            }

            if (order < 0)
            {
                low = middle + 1;
            }
            else
            {
                high = middle - 1;
            }
        }

        return -1;
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
