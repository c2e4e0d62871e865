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
package io.aeroshmem.collective.selection;

import io.aeroshmem.collective.task.Topology;

/**
 * A property of a team's topology that an algorithm may need or prefer.
 */
public enum TopologyPredicate
{
    /** Any team. */
    ANY("any team")
    {
        @Override
        boolean fits(final Topology topology)
        {
            return true;
        }
    },
    /** All members reach each other by loads and stores. */
    MAPPED("all members mapped")
    {
        @Override
        boolean fits(final Topology topology)
        {
            return topology.isAllMapped();
        }
    },
    /** The number of members is a power of two. */
    POWER_OF_TWO("a number of members that is a power of two")
    {
        @Override
        boolean fits(final Topology topology)
        {
            return 1 == Integer.bitCount(topology.size());
        }
    },
    /** Members are on several hosts, and on some host there are several. */
    SEVERAL_HOSTS("several hosts, on some of them several members")
    {
        @Override
        boolean fits(final Topology topology)
        {
            return topology.hosts() > 1 && topology.hosts() < topology.size();
        }
    },
    /** The members of each host are a block of ranks, whose length is a power of two; the last one may be shorter. */
    ALIGNED_HOSTS("hosts whose members have adjacent ranks, a power of two on each but the last")
    {
        @Override
        boolean fits(final Topology topology)
        {
            final int block = topology.membersOf(0).length;
            boolean isAligned = 1 == Integer.bitCount(block);
            for (int rank = 0; rank < topology.size(); rank++)
            {
                isAligned &= topology.hostOf(rank) == rank / block;
            }

            return isAligned;
        }
    };

    private final String description;

    TopologyPredicate(final String description)
    {
        this.description = description;
    }

    abstract boolean fits(Topology topology);

    public String description()
    {
        return description;
    }
}
