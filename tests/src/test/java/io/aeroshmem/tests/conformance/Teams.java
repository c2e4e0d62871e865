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
package io.aeroshmem.tests.conformance;

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.PredefinedTeam;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Pe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The predefined teams.
 */
final class Teams
{
    /** Over how many hosts the PEs are spread. */
    private static final int HOSTS = Integer.getInteger("aeroshmem.test.hosts", 1);

    private Teams()
    {
    }

    static void shouldNumberThePredefinedTeams(final Pe pe)
    {
        final Team world = pe.shmem().world();
        assertEquals(pe.me(), world.myPe());
        assertEquals(pe.n(), world.nPes());
        assertSame(world, pe.shmem().team(PredefinedTeam.WORLD));
        assertSame(pe.shmem().shared(), pe.shmem().team(PredefinedTeam.SHARED));
        assertSame(pe.shmem().node(), pe.shmem().team(PredefinedTeam.NODE));
        assertEquals(pe.me(), pe.shmem().node().translatePe(pe.shmem().node().myPe(), world));
        if (TransportKind.AUTO != pe.transport())
        {
            assertEquals(pe.n() / HOSTS, pe.shmem().node().nPes(), "hosts have as many each");
        }

        final Team shared = pe.shmem().shared();
        if (TransportKind.MAPPED == pe.transport())
        {
            assertEquals(pe.n(), shared.nPes());
        }

        final SymmetricBuffer buffer = pe.shmem().malloc(8);
        int before = -1;
        for (int i = 0; i < shared.nPes(); i++)
        {
            final int inWorld = shared.translatePe(i, world);
            assertTrue(inWorld > before, "in the order of the world");
            before = inWorld;
            assertEquals(i, world.translatePe(inWorld, shared));
            assertNotNull(pe.shmem().ptr(buffer, inWorld), "PEs of SHARED share memory");
        }

        assertEquals(pe.me(), shared.translatePe(shared.myPe(), world));
        pe.shmem().free(buffer);
    }

    static void shouldTranslateOnlyMembers(final Pe pe)
    {
        final Team world = pe.shmem().world();
        int members = 0;
        for (int i = 0; i < pe.n(); i++)
        {
            final int inNode = world.translatePe(i, pe.shmem().node());
            final boolean mayBeElsewhere = TransportKind.AUTO == pe.transport() || HOSTS > 1;
            assertTrue(members == inNode || mayBeElsewhere && -1 == inNode, "rank " + inNode);
            members += -1 == inNode ? 0 : 1;
        }

        assertEquals(pe.shmem().node().nPes(), members);
        assertEquals(-1, world.translatePe(-1, world));
        assertEquals(-1, world.translatePe(pe.n(), world));
        assertEquals(-1, world.translatePe(0, Team.INVALID));
        assertEquals(-1, Team.INVALID.translatePe(0, world));
        assertEquals(-1, Team.INVALID.myPe());
        assertEquals(-1, Team.INVALID.nPes());
        Team.INVALID.close();
        assertThrows(RuntimeException.class, Team.INVALID::barrier);
        assertThrows(RuntimeException.class, Team.INVALID::sync);
        assertThrows(RuntimeException.class, Team.INVALID::config);
        assertThrows(RuntimeException.class, world::close, "a predefined team is not closed");
        world.sync();
    }

    static void shouldMeetInTeams(final Pe pe)
    {
        final Team[] teams = {pe.shmem().world(), pe.shmem().node(), pe.shmem().shared()};
        final SymmetricBuffer words = pe.calloc((long)teams.length * pe.n(), 8);
        for (int round = 1; round <= 40; round++)
        {
            for (int t = 0; t < teams.length; t++)
            {
                final Team team = teams[t];
                for (int i = 0; i < team.nPes(); i++)
                {
                    pe.ctx().putLong(
                        words, 8L * (t * pe.n() + pe.me()), round, team.translatePe(i, pe.shmem().world()));
                }

                if (0 == round % 2)
                {
                    pe.ctx().quiet();
                    team.sync();
                }
                else
                {
                    team.barrier();
                }

                for (int i = 0; i < team.nPes(); i++)
                {
                    final int other = team.translatePe(i, pe.shmem().world());
                    assertEquals(round, pe.memory().getLong(words, 8L * (t * pe.n() + other)), "of PE " + other);
                }

                team.sync();
            }
        }

        pe.shmem().free(words);
    }

    static void shouldCountPesOfAContextInItsTeam(final Pe pe)
    {
        final SymmetricBuffer words = pe.calloc(pe.n(), 8);
        final Team[] teams = {pe.shmem().world(), pe.shmem().node(), pe.shmem().shared()};
        for (final Team team : teams)
        {
            try (CommunicationContext ctx = pe.inSession(team.createContext()))
            {
                assertSame(team, ctx.team());
                for (int i = 0; i < team.nPes(); i++)
                {
                    ctx.putLong(words, 8L * pe.me(), 100 + i, i);
                }

                ctx.quiet();
                assertThrows(IllegalArgumentException.class, () -> ctx.putLong(words, 0, 1, team.nPes()));
                assertThrows(IllegalArgumentException.class, () -> ctx.putLong(words, 0, 1, -1));
            }

            team.sync();
            for (int i = 0; i < team.nPes(); i++)
            {
                assertEquals(
                    100 + team.myPe(), pe.memory().getLong(words, 8L * team.translatePe(i, pe.shmem().world())));
            }

            team.sync();
        }

        pe.shmem().barrierAll();
        pe.shmem().free(words);
    }
}
