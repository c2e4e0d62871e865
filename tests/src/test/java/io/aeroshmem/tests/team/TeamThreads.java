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
package io.aeroshmem.tests.team;

import io.aeroshmem.ReduceOp;
import io.aeroshmem.Team;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.PeThreads;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Threads of a PE that create teams at the same time, each from its own parent.
 */
final class TeamThreads
{
    private static final int THREADS = 3;
    private static final int ROUNDS = 40;

    private TeamThreads()
    {
    }

    static void shouldSplitDifferentParentsAtOnce(final Pe pe) throws InterruptedException
    {
        final Team[] parents = new Team[THREADS];
        parents[0] = pe.shmem().world();
        parents[1] = pe.shmem().world().splitStrided(pe.n() - 1, -1, pe.n());
        parents[2] = pe.shmem().world().splitStrided(0, 1, Math.max(1, pe.n() - 1));
        PeThreads.run(pe, THREADS, (thread) -> splitOften(parents[thread], thread));
        pe.shmem().barrierAll();
        parents[1].close();
        parents[2].close();
    }

    private static void splitOften(final Team parent, final int thread)
    {
        for (int round = 0; round < ROUNDS && Team.INVALID != parent; round++)
        {
            final int size = 1 + (round + thread) % parent.nPes();
            final Team team = parent.splitStrided(size - 1, 1 == size ? 1 : -1, size);
            assertEquals(parent.myPe() < size, Team.INVALID != team);
            if (Team.INVALID != team)
            {
                assertEquals((long)size * (size - 1) / 2, team.reduceLong(ReduceOp.SUM, parent.myPe()));
                assertEquals(1_000L * thread + round, team.broadcastLong(1_000L * thread + round, size - 1));
                team.close();
            }
        }
    }
}
