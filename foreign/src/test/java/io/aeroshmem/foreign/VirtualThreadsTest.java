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
package io.aeroshmem.foreign;

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.Comparison;
import io.aeroshmem.PeTask;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.TransportKind;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Calls that block in virtual threads. The JVM of these tests has one carrier: a call that did not give way would keep
 * the thread that it waits for from running.
 */
@Timeout(60)
class VirtualThreadsTest
{
    private static final int THREADS = 20;
    private static final int ROUNDS = 10;

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = { "MAPPED", "IPC", "UDP" })
    void shouldGiveWayInAWait(final TransportKind transport) throws Exception
    {
        run(transport, (shmem) ->
        {
            final SymmetricBuffer flags = shmem.calloc(THREADS + 1, Long.BYTES);
            final int peer = 1 - shmem.myPe();
            final CommunicationContext context = shmem.defaultContext();
            // each waits for the one that starts after it, on the other PE
            inVirtualThreads((thread) ->
            {
                shmem.waitUntilLong(flags, (thread + 1L) * Long.BYTES, Comparison.EQ, 1);
                context.putLong(flags, thread * Long.BYTES, 1, peer);
                return null;
            }, () -> context.putLong(flags, (long)THREADS * Long.BYTES, 1, peer));
            shmem.waitUntilLong(flags, 0, Comparison.EQ, 1);
            shmem.barrierAll();
        });
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = { "MAPPED", "IPC", "UDP" })
    void shouldGiveWayInGetsAndFetchingAtomics(final TransportKind transport) throws Exception
    {
        run(transport, (shmem) ->
        {
            final SymmetricBuffer sum = shmem.calloc(1, Long.BYTES);
            final CommunicationContext context = shmem.defaultContext();
            inVirtualThreads((thread) ->
            {
                for (int i = 0; i < ROUNDS; i++)
                {
                    final long before = context.getLong(sum, 0, 0);
                    assertTrue(context.atomicFetchAddLong(sum, 0, 1, 0) >= before);
                }

                return null;
            }, () -> {});
            shmem.barrierAll();
            assertEquals(2 * THREADS * ROUNDS, context.getLong(sum, 0, 0));
            shmem.barrierAll();
        });
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = { "MAPPED", "IPC", "UDP" })
    void shouldGiveWayInCollectivesOfTeams(final TransportKind transport) throws Exception
    {
        run(transport, (shmem) ->
        {
            final List<Team> teams = new ArrayList<>();
            for (int i = 0; i < 8; i++)
            {
                teams.add(shmem.world().splitStrided(0, 1, 2));
            }

            inVirtualThreads((thread) ->
            {
                if (thread < teams.size())
                {
                    for (int i = 0; i < ROUNDS; i++)
                    {
                        teams.get(thread).sync();
                        assertEquals(2L * i + 1, teams.get(thread).reduceLong(ReduceOp.SUM, i + shmem.myPe()));
                    }
                }

                return null;
            }, () -> {});
            teams.forEach(Team::close);
        });
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = { "MAPPED", "IPC", "UDP" })
    void shouldGiveWayWhileALockIsHeld(final TransportKind transport) throws Exception
    {
        run(transport, (shmem) ->
        {
            final SymmetricBuffer locks = shmem.calloc(THREADS, Long.BYTES);
            final SymmetricBuffer counts = shmem.calloc(THREADS, Long.BYTES);
            inVirtualThreads((thread) ->
            {
                // two threads of each PE share a lock
                final long offset = (thread >> 1) * (long)Long.BYTES;
                try (CommunicationContext context = shmem.createContext())
                {
                    for (int i = 0; i < ROUNDS; i++)
                    {
                        shmem.lock(locks, offset);
                        final long value = context.getLong(counts, offset, 0);
                        Thread.yield();
                        context.putLong(counts, offset, value + 1, 0);
                        context.quiet();
                        shmem.unlock(locks, offset);
                    }
                }

                return null;
            }, () -> {});
            shmem.barrierAll();
            for (int i = 0; i < THREADS >> 1; i++)
            {
                assertEquals(4 * ROUNDS, shmem.defaultContext().getLong(counts, (long)i * Long.BYTES, 0));
            }

            shmem.barrierAll();
        });
    }

    private interface Body
    {
        Void run(int thread) throws Exception;
    }

    /** Starts the threads, then runs the action, and waits for the end of the threads. */
    private static void inVirtualThreads(final Body body, final Runnable action) throws Exception
    {
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor())
        {
            final List<Future<Void>> results = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++)
            {
                final int number = thread;
                results.add(executor.submit((Callable<Void>)() -> body.run(number)));
            }

            action.run();
            for (final Future<Void> result : results)
            {
                result.get();
            }
        }
    }

    private static void run(final TransportKind transport, final PeTask task) throws Exception
    {
        Shmem.runLocal(2, new Shmem.Context().heapSize(1 << 20).transport(transport), task);
    }
}
