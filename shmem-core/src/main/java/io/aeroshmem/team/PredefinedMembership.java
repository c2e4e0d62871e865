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
package io.aeroshmem.team;

import io.aeroshmem.PredefinedTeam;
import io.aeroshmem.transport.endpoint.BootstrappedEndpoint;

/**
 * Determines the members of the predefined teams. In each team, ranks follow the order of the PEs in the world. Every
 * PE derives the members from data that all PEs exchanged when they joined, so all members of a team derive the same
 * ranks.
 */
public final class PredefinedMembership
{
    private final BootstrappedEndpoint endpoint;

    public PredefinedMembership(final BootstrappedEndpoint endpoint)
    {
        this.endpoint = endpoint;
    }

    /** Returns the members of the predefined team that this PE belongs to. */
    public Membership of(final PredefinedTeam which)
    {
        final int nPes = endpoint.nPes();
        final int myPe = endpoint.pe();
        switch (which)
        {
            case WORLD:
                return Membership.inWorldOrder(nPes, myPe, (pe) -> true);

            case SHARED:
                return Membership.inWorldOrder(nPes, myPe, (pe) -> endpoint.isMutuallyMapped(myPe, pe));

            case NODE:
                return Membership.inWorldOrder(nPes, myPe, (pe) -> endpoint.host(myPe) == endpoint.host(pe));

            default:
                final int[] ranks = ranksOnHosts(nPes);
                return Membership.inWorldOrder(nPes, myPe, (pe) -> ranks[myPe] == ranks[pe]);
        }
    }

    /** Returns the number of PEs before each one on its host. */
    private int[] ranksOnHosts(final int nPes)
    {
        final int[] ranks = new int[nPes];
        final int[] counts = new int[nPes];
        for (int pe = 0; pe < nPes; pe++)
        {
            ranks[pe] = counts[endpoint.host(pe)]++;
        }

        return ranks;
    }
}
