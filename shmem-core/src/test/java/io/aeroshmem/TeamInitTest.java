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

import org.agrona.concurrent.IdleStrategy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.ObjIntConsumer;

import static io.aeroshmem.TeamCreationTest.assertFailsAlike;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("waits")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TeamInitTest
{
    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC", "UDP"})
    @Tag("ci")
    void shouldMakeTeamsOfAnyPesInAnyOrder(final TransportKind transport) throws Exception
    {
        final int[] indices = { -1, 2, 0, -1, 1 };
        LocalJobs.run(5, transport, (shmem) ->
        {
            final SymmetricBuffer buffer = shmem.malloc(64);
            for (int i = 0; i < 20; i++)
            {
                final TeamConfig config = new TeamConfig().numContexts(i).uniqueId(id(shmem, buffer, i % 5));
                final int index = indices[shmem.myPe()];
                if (index >= 0)
                {
                    try (Team team = shmem.teamInit(config, 3, index))
                    {
                        assertEquals(index, team.myPe());
                        assertEquals(3, team.nPes());
                        assertEquals(4, team.translatePe(1, shmem.world()));
                        assertEquals(i, team.config().numContexts());
                        assertEquals(config.uniqueId(), team.config().uniqueId());
                        assertEquals(7, team.reduceLong(ReduceOp.SUM, shmem.myPe()));
                        assertNull(team.duplicate().config().uniqueId());
                    }
                }
            }
        });
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC"})
    void shouldFailAlikeOnAllParticipants(final TransportKind transport) throws Exception
    {
        final String[] messages = new String[3];
        Shmem.runLocal(3, LocalJobs.config().transport(transport).maxTeams(1), (shmem) ->
        {
            final SymmetricBuffer buffer = shmem.malloc(64);
            final int me = shmem.myPe();
            final TeamConfig first = new TeamConfig().uniqueId(id(shmem, buffer, 1));
            assertFailsAlike(shmem, messages, () -> shmem.teamInit(first, 1 == me ? 2 : 3, me));
            assertFailsAlike(shmem, messages, () -> shmem.teamInit(first, 3, me));
            assertTrue(messages[0].contains("npes"), messages[0]);
            final TeamConfig second = new TeamConfig().uniqueId(id(shmem, buffer, 2));
            assertFailsAlike(shmem, messages, () -> shmem.teamInit(second, 3, 0));
            final TeamConfig third = new TeamConfig().uniqueId(id(shmem, buffer, 0));
            assertFailsAlike(shmem, messages, () -> shmem.teamInit(third, 3, 2 == me ? 3 : me));
            final TeamConfig fourth = new TeamConfig().uniqueId(id(shmem, buffer, 0));
            assertFailsAlike(shmem, messages, () -> shmem.teamInit(fourth, 0, me));
            final TeamConfig fifth = new TeamConfig().uniqueId(id(shmem, buffer, 0)).numContexts(2 == me ? 1 : 2);
            assertFailsAlike(shmem, messages, () -> shmem.teamInit(fifth, 3, me));

            final Team alone = shmem.world().splitStrided(1, 1, 1);
            final TeamConfig sixth = new TeamConfig().uniqueId(id(shmem, buffer, 0));
            assertFailsAlike(shmem, messages, () -> shmem.teamInit(sixth, 3, me));
            assertTrue(messages[0].contains("PE 1 cannot have more than "), messages[0]);
            alone.close();

            final TeamConfig seventh = new TeamConfig().uniqueId(id(shmem, buffer, 0));
            final Team team = shmem.teamInit(seventh, 3, 2 - me);
            assertFailsAlike(shmem, messages, () -> shmem.teamInit(seventh, 3, me));
            team.barrier();
        });
    }

    /**
     * PE 0 has created a team of its own before the others begin.
     */
    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC"})
    void shouldFailOnAllWhenOneWasCompleteByItself(final TransportKind transport) throws Exception
    {
        final String[] messages = new String[3];
        assertThrows(
            CollectiveMismatchException.class,
            () -> LocalJobs.run(3, transport, (shmem) ->
            {
                final int me = shmem.myPe();
                final TeamConfig config = new TeamConfig().uniqueId(id(shmem, shmem.malloc(64), 1));
                if (0 == me)
                {
                    assertEquals(1, shmem.teamInit(config, 1, 0).nPes());
                }

                final CollectiveMismatchException ex = assertThrows(CollectiveMismatchException.class, () ->
                {
                    // a PE may still wait in it when another fails the job
                    shmem.barrierAll();
                    if (0 == me)
                    {
                        shmem.barrierAll();
                    }

                    shmem.teamInit(config, 3, me);
                });
                messages[me] = ex.getMessage();
                throw ex;
            }));

        for (final String message : messages)
        {
            assertTrue(message.contains("PE 0 specified npes=1, and its team was made"), message);
            assertTrue(message.contains("npes=3"), message);
        }
    }

    @Test
    void shouldRefuseMissingAndForeignIdsLocally() throws Exception
    {
        final byte[][] foreign = new byte[1][];
        LocalJobs.run(1, (shmem) -> foreign[0] = shmem.teamUniqueId().toBytes());
        LocalJobs.run(1, (shmem) ->
        {
            assertThrows(IllegalArgumentException.class, () -> shmem.teamInit(null, 1, 0));
            assertThrows(TeamCreationException.class, () -> shmem.teamInit(new TeamConfig(), 1, 0));
            final TeamConfig masked = new TeamConfig().uniqueId(shmem.teamUniqueId()).mask(0);
            assertThrows(TeamCreationException.class, () -> shmem.teamInit(masked, 1, 0));
            final TeamConfig other = new TeamConfig().uniqueId(TeamUniqueId.fromBytes(foreign[0]));
            assertThrows(TeamCreationException.class, () -> shmem.teamInit(other, 1, 0));
            final byte[] garbled = shmem.teamUniqueId().toBytes();
            garbled[17]++;
            final TeamConfig garbage = new TeamConfig().uniqueId(TeamUniqueId.fromBytes(garbled));
            assertThrows(TeamCreationException.class, () -> shmem.teamInit(garbage, 1, 0));
        });
    }

    @Test
    @Tag("ci")
    void shouldReportAWithdrawalToTheOthers() throws Exception
    {
        final AtomicInteger timeouts = new AtomicInteger();
        // PE 0 waits for a shorter time than PE 1, which hears of that
        final ObjIntConsumer<Shmem.Context> limits = (config, pe) ->
            config.operationTimeoutNs(TimeUnit.SECONDS.toNanos(0 == pe ? 2 : 60));
        LocalJobs.runEach(3, limits, (shmem) ->
        {
            final SymmetricBuffer buffer = shmem.malloc(64);
            final TeamConfig teamConfig = new TeamConfig().uniqueId(id(shmem, buffer, 2));
            final ShmemException ex =
                assertThrows(ShmemException.class, () -> shmem.teamInit(teamConfig, 4, shmem.myPe()));
            assertTrue(ex instanceof TeamCreationException, ex::toString);
            final TeamConfig again = new TeamConfig().uniqueId(id(shmem, buffer, 2));
            if (2 != shmem.myPe())
            {
                final ShmemException end = assertThrows(
                    ShmemException.class, () -> shmem.teamInit(again, 3, shmem.myPe()));
                if (end instanceof ShmemTimeoutException)
                {
                    timeouts.incrementAndGet();
                }
                else
                {
                    assertTrue(end.getMessage().contains("stopped waiting"), end.getMessage());
                }
            }
            else
            {
                while (0 == timeouts.get())
                {
                    Thread.onSpinWait();
                }

                assertThrows(TeamCreationException.class, () -> shmem.teamInit(again, 3, 2));
            }
        });
        assertEquals(1, timeouts.get());
    }

    @Test
    void shouldKeepTheInterrupt() throws Exception
    {
        LocalJobs.run(2, (shmem) ->
        {
            final SymmetricBuffer buffer = shmem.malloc(64);
            final TeamConfig config = new TeamConfig().uniqueId(id(shmem, buffer, 0));
            if (0 == shmem.myPe())
            {
                Thread.currentThread().interrupt();
                assertThrows(ShmemInterruptedException.class, () -> shmem.teamInit(config, 2, 0));
                assertTrue(Thread.interrupted());
            }

            shmem.syncAll();
            if (1 == shmem.myPe())
            {
                final String message =
                    assertThrows(TeamCreationException.class, () -> shmem.teamInit(config, 2, 1)).getMessage();
                assertTrue(message.contains("PE 0 stopped waiting"), message);
            }

            final Team team = shmem.teamInit(
                new TeamConfig().uniqueId(id(shmem, buffer, 1)), 2, 1 - shmem.myPe());
            team.sync();
        });
    }

    /** The team's slot is free again, of which there is one, and the others are notified. */
    @Test
    void shouldReleaseItsSlotAfterAnError() throws Exception
    {
        final AtomicReference<Thread> failing = new AtomicReference<>();
        final Shmem.Context config = LocalJobs.config().maxTeams(1).waitIdleStrategySupplier(
            () -> new FailingIdleStrategy(failing));
        Shmem.runLocal(2, config, (shmem) ->
        {
            final SymmetricBuffer buffer = shmem.malloc(64);
            final TeamConfig first = new TeamConfig().uniqueId(id(shmem, buffer, 0));
            if (0 == shmem.myPe())
            {
                failing.set(Thread.currentThread());
                assertThrows(StackOverflowError.class, () -> shmem.teamInit(first, 2, 0));
                failing.set(null);
            }

            shmem.syncAll();
            if (1 == shmem.myPe())
            {
                final String message =
                    assertThrows(TeamCreationException.class, () -> shmem.teamInit(first, 2, 1)).getMessage();
                assertTrue(message.contains("PE 0 stopped waiting"), message);
            }

            shmem.teamInit(new TeamConfig().uniqueId(id(shmem, buffer, 1)), 2, shmem.myPe()).sync();
        });
    }

    private record FailingIdleStrategy(AtomicReference<Thread> failing) implements IdleStrategy
    {
        @Override
        public void idle(final int workCount)
        {
            idle();
        }

        @Override
        public void idle()
        {
            if (Thread.currentThread() == failing.get())
            {
                throw new StackOverflowError("for the test");
            }

            Thread.yield();
        }

        @Override
        public void reset()
        {
        }
    }

    private static TeamUniqueId id(final Shmem shmem, final SymmetricBuffer buffer, final int root)
    {
        if (root == shmem.myPe())
        {
            buffer.local().putBytes(0, shmem.teamUniqueId().toBytes());
        }

        shmem.world().broadcast(ElementType.BYTE, buffer, buffer, TeamUniqueId.LENGTH, root);
        final byte[] bytes = new byte[TeamUniqueId.LENGTH];
        buffer.local().getBytes(0, bytes);
        return TeamUniqueId.fromBytes(bytes);
    }
}
