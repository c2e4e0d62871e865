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
package io.aeroshmem.collective.task;

import io.aeroshmem.transport.endpoint.Endpoint;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The placement of the members of a team, limited to facts that are the same on all members. The choice of an
 * algorithm depends on no other facts about the placement, since all members must make the same choice.
 */
public final class Topology
{
    private final int size;
    private final boolean isAllMapped;
    private final int[] hostOf;
    private final int hosts;

    /** Constructs the topology from the placements that the PEs published when they joined. */
    public Topology(final Endpoint endpoint, final int[] worldPes)
    {
        size = worldPes.length;
        hostOf = new int[size];
        // 1 + number in the team, by number in the world
        final int[] numbers = new int[endpoint.nPes()];
        int count = 0;
        boolean isMapped = true;
        for (int rank = 0; rank < size; rank++)
        {
            final int host = endpoint.host(worldPes[rank]);
            if (0 == numbers[host])
            {
                numbers[host] = ++count;
            }

            hostOf[rank] = numbers[host] - 1;
            isMapped &= endpoint.isMutuallyMapped(worldPes[0], worldPes[rank]);
        }

        hosts = count;
        isAllMapped = isMapped;
    }

    private Topology(final boolean isAllMapped, final int[] hostOf, final int hosts)
    {
        size = hostOf.length;
        this.isAllMapped = isAllMapped;
        this.hostOf = hostOf;
        this.hosts = hosts;
    }

    /**
     * Returns a topology.
     *
     * @param hostOf host of each member, numbered from 0 in the order of the least rank on each.
     */
    public static Topology of(final boolean isAllMapped, final int... hostOf)
    {
        return new Topology(isAllMapped, hostOf, 1 + Arrays.stream(hostOf).max().orElse(0));
    }

    public int size()
    {
        return size;
    }

    /** Returns whether all members reach each other by loads and stores. */
    public boolean isAllMapped()
    {
        return isAllMapped;
    }

    /** Returns the number of hosts. */
    public int hosts()
    {
        return hosts;
    }

    /** Returns the host of a member; hosts are numbered from 0 in the order of the least rank on each. */
    public int hostOf(final int rank)
    {
        return hostOf[rank];
    }

    /** Returns the ranks of the members on a host, ascending; the first one is the host's leader. */
    public int[] membersOf(final int host)
    {
        return IntStream.range(0, size).filter((rank) -> host == hostOf[rank]).toArray();
    }

    /** Returns the leaders of the hosts, by host: the member of the least rank on each. */
    public int[] leaders()
    {
        final int[] leaders = new int[hosts];
        for (int rank = size - 1; rank >= 0; rank--)
        {
            leaders[hostOf[rank]] = rank;
        }

        return leaders;
    }

    /** Returns the members on the host of a member; the first one is the leader. */
    public Group localsOf(final int myRank)
    {
        return new Group(membersOf(hostOf[myRank]), myRank);
    }

    /** Returns the group of the leaders of all hosts. The index of a leader is the number of its host. */
    public Group leadersFor(final int myRank)
    {
        return new Group(leaders(), myRank);
    }
}
