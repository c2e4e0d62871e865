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

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TeamTest
{
    @Test
    void shouldNumberThePredefinedTeams() throws Exception
    {
        LocalJobs.run(3, (shmem) ->
        {
            for (final Team team : new Team[]{shmem.world(), shmem.shared(), shmem.node()})
            {
                assertEquals(3, team.nPes());
                assertEquals(shmem.myPe(), team.myPe());
                assertEquals(0, team.config().numContexts());
                for (int pe = 0; pe < 3; pe++)
                {
                    assertEquals(pe, team.translatePe(pe, shmem.world()));
                }
            }

            final Team alone = shmem.team(PredefinedTeam.SAME_MYPE_NODE);
            assertEquals(1, alone.nPes());
            assertEquals(0, alone.myPe());
            assertEquals(shmem.myPe(), alone.translatePe(0, shmem.world()));
            assertEquals(-1, shmem.world().translatePe((shmem.myPe() + 1) % 3, alone));
            assertEquals(-1, shmem.world().translatePe(3, shmem.node()));
            assertEquals(-1, shmem.world().translatePe(-1, shmem.node()));
            assertEquals(-1, shmem.world().translatePe(0, Team.INVALID));
            assertEquals(-1, Team.INVALID.translatePe(0, shmem.world()));
        });
    }

    @Test
    void shouldAddressRanksOfATeamsContext() throws Exception
    {
        LocalJobs.run(3, (shmem) ->
        {
            final SymmetricBuffer word = shmem.calloc(1, 8);
            final Team alone = shmem.team(PredefinedTeam.SAME_MYPE_NODE);
            try (CommunicationContext ctx = alone.createContext())
            {
                ctx.putLong(word, 0, 10 + shmem.myPe(), 0);
                ctx.quiet();
                assertEquals(10 + shmem.myPe(), word.getLong(0));
                assertThrows(IllegalArgumentException.class, () -> ctx.putLong(word, 0, 1, 1));
                assertEquals(alone, ctx.team());
            }

            shmem.barrierAll();
            assertEquals(12, shmem.node().ptr(word, 2).getLong(0));
            assertThrows(IllegalArgumentException.class, () -> shmem.node().ptr(word, 3));
        });
    }

    @Test
    void shouldHaveAnInvalidTeam()
    {
        assertEquals(-1, Team.INVALID.myPe());
        assertEquals(-1, Team.INVALID.nPes());
        Team.INVALID.close();
        assertThrows(IllegalStateException.class, Team.INVALID::barrier);
        assertThrows(IllegalStateException.class, Team.INVALID::sync);
        assertThrows(IllegalStateException.class, Team.INVALID::config);
        assertThrows(IllegalStateException.class, Team.INVALID::createContext);
    }

    @Test
    void shouldBeAJobOfOneByDefault()
    {
        try (Shmem shmem = Shmem.init(LocalJobs.config()))
        {
            assertEquals(0, shmem.myPe());
            assertEquals(1, shmem.nPes());
            assertEquals(InitStatus.INITIALIZED, shmem.initStatus());
            assertEquals(ThreadLevel.MULTIPLE, shmem.threadLevel());
            shmem.free(shmem.malloc(8));
            shmem.barrierAll();
        }
    }

    @Test
    void shouldNotClosePredefinedTeams() throws Exception
    {
        LocalJobs.run(1, (shmem) ->
        {
            assertThrows(IllegalStateException.class, () -> shmem.world().close());
            assertTrue(shmem.world().toString().contains("WORLD"));
        });
    }
}
