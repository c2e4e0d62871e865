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
import org.junit.jupiter.api.function.Executable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Queries of a closed PE, as their Javadoc specifies.
 */
@Timeout(60)
class QueriesAfterCloseTest
{
    private static final PredefinedTeam[] PREDEFINED_TEAMS = PredefinedTeam.values();

    @Test
    void shouldAnswerQueriesOfAClosedPe() throws Exception
    {
        final Left[] left = new Left[2];
        LocalJobs.run(2, (shmem) ->
        {
            assertTrue(Shmem.isInitialized());
            left[shmem.myPe()] = new Left(shmem);
        });

        assertFalse(Shmem.isInitialized());
        for (int pe = 0; pe < left.length; pe++)
        {
            assertPe(left[pe].shmem, pe, left.length);
            assertTeams(left[pe], pe);
            assertBuffer(left[pe]);
        }
    }

    @Test
    void shouldAnswerQueriesOfAPeThatWasNeverCompleted() throws Exception
    {
        final Shmem[] left = new Shmem[1];
        Shmem.runLocal(1, LocalJobs.config().delayedInit(true), (shmem) -> left[0] = shmem);

        assertPe(left[0], 0, 1);
        assertClosed(left[0]::defaultContext);
    }

    @Test
    void shouldDoNothingWhenAClosedPeFailsOrIsClosed() throws Exception
    {
        final Shmem[] left = new Shmem[1];
        LocalJobs.run(1, (shmem) -> left[0] = shmem);

        left[0].fail(new IllegalStateException("too late"));
        left[0].close();
        left[0].close();
        assertThrows(GlobalExitException.class, () -> left[0].globalExit(3));
    }

    private static void assertPe(final Shmem shmem, final int pe, final int nPes)
    {
        assertTrue(shmem.isClosed());
        assertEquals(pe, shmem.myPe());
        assertEquals(nPes, shmem.nPes());
        assertEquals(InitStatus.BOOTSTRAPPED, shmem.initStatus());
        assertEquals(ThreadLevel.MULTIPLE, shmem.threadLevel());
        assertEquals(LocalJobs.HEAP_SIZE, shmem.context().heapSize());
        assertEquals("Shmem{PE " + pe + " of " + nPes + ", closed}", shmem.toString());
        assertNotNull(Info.name());
        for (int i = -1; i <= nPes; i++)
        {
            assertFalse(shmem.peAccessible(i));
        }

        assertPredefinedTeams(shmem, pe, nPes);
        assertClosed(shmem::progress);
        assertClosed(() -> shmem.recordLatency(true));
        assertClosed(shmem::teamUniqueId);
        assertClosed(shmem::createContext);
        assertClosed(shmem::barrierAll);
        assertClosed(() -> shmem.malloc(8));
        assertClosed(() -> shmem.malloc(0));
        assertClosed(() -> shmem.free(null));
        assertClosed(() -> shmem.realloc(null, 8));
    }

    private static void assertPredefinedTeams(final Shmem shmem, final int pe, final int nPes)
    {
        for (final PredefinedTeam which : PREDEFINED_TEAMS)
        {
            final Team team = shmem.team(which);
            final boolean isAlone = PredefinedTeam.SAME_MYPE_NODE == which;
            assertEquals(isAlone ? 0 : pe, team.myPe(), which::name);
            assertEquals(isAlone ? 1 : nPes, team.nPes(), which::name);
            assertEquals(0, team.config().mask(), which::name);
            assertEquals(pe, team.translatePe(team.myPe(), shmem.world()), which::name);
            assertNotNull(team.toString());
            assertClosed(team::sync);
            assertClosed(team::createContext);
        }

        assertSame(shmem.team(PredefinedTeam.WORLD), shmem.world());
        assertSame(shmem.team(PredefinedTeam.SHARED), shmem.shared());
        assertSame(shmem.team(PredefinedTeam.NODE), shmem.node());
    }

    private static void assertTeams(final Left left, final int pe)
    {
        assertEquals(pe, left.open.myPe());
        assertEquals(2, left.open.nPes());
        assertEquals(3, left.open.config().numContexts());
        assertEquals(pe, left.open.translatePe(pe, left.shmem.world()));
        assertClosed(left.open::sync);
        left.open.close();
        assertClosed(left.open::myPe);

        assertClosed(left.closed::myPe);
        assertClosed(left.closed::nPes);
        assertClosed(left.closed::config);
        assertClosed(() -> left.closed.translatePe(0, left.shmem.world()));
    }

    private static void assertBuffer(final Left left)
    {
        final SymmetricBuffer buffer = left.buffer;
        assertEquals(16, buffer.length());
        assertEquals(left.address, buffer.address());
        assertEquals(MemoryKind.HOST, buffer.kind());
        assertNotNull(buffer.toString());
        assertClosed(buffer::local);
        assertClosed(() -> buffer.slice(0, 8));
        assertClosed(() -> left.shmem.ptr(buffer, 0));
        assertClosed(() -> left.shmem.world().ptr(buffer, 0));
        assertClosed(() -> left.shmem.signalFetch(buffer, 0));

        final CommunicationContext ctx = left.shmem.defaultContext();
        assertSame(left.shmem.world(), ctx.team());
        assertNotNull(ctx.toString());
        assertClosed(() -> ctx.getLong(buffer, 0, 0));
        assertClosed(ctx::quiet);
        assertSame(left.shmem.world(), left.ctx.team());
        left.ctx.close();
    }

    private static void assertClosed(final Executable call)
    {
        final IllegalStateException thrown = assertThrows(IllegalStateException.class, call);
        assertTrue(String.valueOf(thrown.getMessage()).contains("closed"), thrown::toString);
    }

    /**
     * The handles that a program may hold when its PE is closed.
     */
    private static final class Left
    {
        private final Shmem shmem;
        private final SymmetricBuffer buffer;
        private final long address;
        private final CommunicationContext ctx;
        private final Team open;
        private final Team closed;

        Left(final Shmem shmem)
        {
            this.shmem = shmem;
            buffer = shmem.malloc(16);
            address = buffer.address();
            ctx = shmem.createContext();
            open = shmem.world().splitStrided(0, 1, shmem.nPes(), new TeamConfig().numContexts(3));
            closed = shmem.world().splitStrided(0, 1, shmem.nPes());
            closed.close();
            assertNull(shmem.malloc(0));
        }
    }
}
