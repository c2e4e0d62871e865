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
package io.aeroshmem.tests.hosts;

import io.aeroshmem.PredefinedTeam;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.RoutineSet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

/**
 * The hosts of PEs, as the predefined teams represent them.
 */
final class NodeTeams extends RoutineSet
{
    NodeTeams()
    {
        add("teams of nodes", NodeTeams::shouldFollowHosts);
    }

    private static void shouldFollowHosts(final Pe pe)
    {
        final int perHost = HostsJob.PES_PER_HOST;
        final int first = pe.me() / perHost * perHost;
        final Team node = pe.shmem().team(PredefinedTeam.NODE);
        assertEquals(perHost, node.nPes());
        assertEquals(pe.me() - first, node.myPe());
        for (int rank = 0; rank < perHost; rank++)
        {
            assertEquals(first + rank, node.translatePe(rank, pe.shmem().world()));
        }

        final Team leaders = pe.shmem().team(PredefinedTeam.SAME_MYPE_NODE);
        assertEquals(pe.n() / perHost, leaders.nPes());
        assertEquals(pe.me() / perHost, leaders.myPe());

        final Team shared = pe.shmem().team(PredefinedTeam.SHARED);
        final SymmetricBuffer word = pe.shmem().calloc(1, Long.BYTES);
        final boolean isMapped = TransportKind.AUTO == pe.transport();
        assertEquals(isMapped ? perHost : 1, shared.nPes());
        for (int peer = 0; peer < pe.n(); peer++)
        {
            if (peer == pe.me() || isMapped && peer / perHost == pe.me() / perHost)
            {
                assertNotNull(pe.shmem().ptr(word, peer), "PE " + peer);
            }
            else
            {
                assertNull(pe.shmem().ptr(word, peer), "PE " + peer);
            }
        }

        node.barrier();
        leaders.barrier();
        shared.barrier();
    }
}
