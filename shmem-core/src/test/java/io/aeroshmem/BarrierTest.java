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

import io.aeroshmem.collective.task.CallSignature;
import io.aeroshmem.collective.task.Routine;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BarrierTest
{
    private static final int VOLUME = Integer.getInteger("aeroshmem.test.volume", 1);

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7})
    void shouldLetNoPePassBeforeAllHaveEntered(final int npes) throws Exception
    {
        final int count = 2_000;
        LocalJobs.run(npes, (shmem) ->
        {
            final SymmetricBuffer entered = shmem.calloc(1, Long.BYTES);
            final CommunicationContext ctx = shmem.defaultContext();
            for (int i = 1; i <= count; i++)
            {
                entered.putLong(0, i);
                if (0 == i % 3)
                {
                    shmem.syncAll();
                }
                else
                {
                    shmem.barrierAll();
                }

                for (int pe = 0; pe < npes; pe++)
                {
                    final long seen = ctx.getLong(entered, 0, pe);
                    assertTrue(i == seen || i + 1 == seen, "PE " + pe + " has entered " + seen + " in round " + i);
                }
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"3, flat", "6, flat", "3, dissemination", "6, dissemination", "4, two_level"})
    void shouldSynchroniseByAnyAlgorithm(final int npes, final String algorithm) throws Exception
    {
        Shmem.runLocal(npes, LocalJobs.config().algorithm("barrier", algorithm), BarrierTest::synchronise);
    }

    @ParameterizedTest
    @CsvSource({"AUTO, auto", "AUTO, two_level", "IPC, two_level", "AUTO, flat", "UDP, dissemination"})
    @Tag("ci")
    void shouldSynchronisePesOfSeveralNodes(final TransportKind transport, final String algorithm) throws Exception
    {
        final String[] nodes = {"b", "a", "b", "b", "c", "a"};
        LocalJobs.runEach(
            nodes.length,
            (config, pe) -> config.transport(transport).nodeName(nodes[pe]).algorithm("barrier", algorithm),
            BarrierTest::synchronise);
    }

    /** Some PEs always use the barrier itself, which counts no call: those that publish calls count the same ones. */
    private static void synchronise(final Shmem shmem)
    {
        final int npes = shmem.nPes();
        final SymmetricBuffer entered = shmem.calloc(1, Long.BYTES);
        final io.aeroshmem.sync.Barrier barrier = shmem.world().engine().resources().barrier();
        for (int i = 1; i <= 100 * VOLUME; i++)
        {
            entered.putLong(0, i);
            if (1 == shmem.myPe() % 2)
            {
                shmem.world().sync();
            }
            else
            {
                barrier.sign(CallSignature.of(Routine.SYNC.ordinal()));
                barrier.start();
                while (!barrier.poll())
                {
                    shmem.progress();
                    Thread.yield();
                }
            }

            for (int pe = 0; pe < npes; pe++)
            {
                final long seen = shmem.defaultContext().getLong(entered, 0, pe);
                assertTrue(i == seen || i + 1 == seen, "PE " + pe + " has entered " + seen + " in round " + i);
            }
        }
    }

    @Test
    void shouldNotWaitWhileNoBarrierIsInProgress() throws Exception
    {
        LocalJobs.run(3, (shmem) ->
        {
            final Team team = shmem.world().duplicate();
            final io.aeroshmem.sync.Barrier barrier = team.engine().resources().barrier();
            assertEquals(-1, barrier.pendingPe());
            team.sync();
            assertEquals(-1, barrier.pendingPe());
            team.close();
        });
    }

    @ParameterizedTest
    @EnumSource(TransportKind.class)
    void shouldCompletePutsOfAllContextsOnEveryTransport(final TransportKind transport) throws Exception
    {
        LocalJobs.run(3, transport, (shmem) ->
        {
            final SymmetricBuffer cells = shmem.calloc(2L * 3, Long.BYTES);
            try (CommunicationContext ctx = shmem.createContext())
            {
                for (int i = 1; i <= 100; i++)
                {
                    for (int pe = 0; pe < 3; pe++)
                    {
                        ctx.putLong(cells, 8L * shmem.myPe(), i, pe);
                        shmem.defaultContext().atomicAddLong(cells, 24 + 8L * shmem.myPe(), 1, pe);
                    }

                    shmem.barrierAll();
                    for (int pe = 0; pe < 3; pe++)
                    {
                        assertEquals(i, cells.getLong(8L * pe));
                        assertEquals(i, cells.getLong(24 + 8L * pe));
                    }

                    shmem.syncAll();
                }
            }
        });
    }

    /** The other PE does not acknowledge the put, so the barrier does not begin; a second call then matches. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Tag("ci")
    void shouldNotCountABarrierThatEndsBeforeItBegins(final boolean isChecked) throws Exception
    {
        final CountDownLatch silent = new CountDownLatch(1);
        final CountDownLatch ended = new CountDownLatch(1);
        final Shmem.Context config = LocalJobs.config()
            .transport(TransportKind.IPC)
            .progressMode(ProgressMode.INVOKER)
            .checkCollectives(isChecked)
            .operationTimeoutNs(TimeUnit.SECONDS.toNanos(2));
        Shmem.runLocal(2, config, (shmem) ->
        {
            final SymmetricBuffer word = shmem.calloc(1, Long.BYTES);
            if (0 == shmem.myPe())
            {
                assertTrue(silent.await(30, TimeUnit.SECONDS));
                final long calls = shmem.world().engine().number();
                shmem.defaultContext().putLong(word, 0, 1, 1);
                assertThrows(ShmemTimeoutException.class, shmem::barrierAll);
                assertEquals(calls, shmem.world().engine().number());
                ended.countDown();
            }
            else
            {
                silent.countDown();
                assertTrue(ended.await(30, TimeUnit.SECONDS));
            }

            shmem.barrierAll();
            assertEquals(shmem.myPe(), word.getLong(0));
            assertEquals(3, shmem.world().reduceLong(ReduceOp.SUM, 1 + shmem.myPe()));
        });
    }

    @Test
    void shouldSynchroniseThePredefinedTeamsSeparately() throws Exception
    {
        LocalJobs.run(4, (shmem) ->
        {
            final SymmetricBuffer entered = shmem.calloc(1, Long.BYTES);
            for (int i = 1; i <= 500; i++)
            {
                final Team team = 0 == i % 2 ? shmem.shared() : shmem.node();
                entered.putLong(0, i);
                team.sync();
                for (int pe = 0; pe < team.nPes(); pe++)
                {
                    assertTrue(shmem.defaultContext().getLong(entered, 0, team.translatePe(pe, shmem.world())) >= i);
                }

                team.barrier();
                shmem.team(PredefinedTeam.SAME_MYPE_NODE).barrier();
            }
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"MAPPED", "IPC"})
    void shouldMoveAsAMachineThatNeverBlocks(final TransportKind transport) throws Exception
    {
        LocalJobs.run(5, transport, (shmem) ->
        {
            final SymmetricBuffer entered = shmem.calloc(1, Long.BYTES);
            final io.aeroshmem.sync.Barrier barrier = shmem.world().engine().resources().barrier();
            for (int i = 1; i <= 200; i++)
            {
                entered.putLong(0, i);
                if (1 == shmem.myPe() % 2)
                {
                    barrier.sign(CallSignature.of(Routine.SYNC.ordinal()));
                    barrier.start();
                    while (!barrier.poll())
                    {
                        shmem.progress();
                        Thread.yield();
                    }
                }
                else
                {
                    shmem.world().sync();
                }

                for (int pe = 0; pe < shmem.nPes(); pe++)
                {
                    assertTrue(shmem.defaultContext().getLong(entered, 0, pe) >= i);
                }
            }
        });
    }
}
