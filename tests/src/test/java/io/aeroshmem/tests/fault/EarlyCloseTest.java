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
package io.aeroshmem.tests.fault;

import io.aeroshmem.Bootstrap;
import io.aeroshmem.Comparison;
import io.aeroshmem.ElementType;
import io.aeroshmem.PeFailureException;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.TeamConfig;
import io.aeroshmem.TeamUniqueId;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Deadlines;
import io.aeroshmem.tests.fixture.FastBootstraps;
import io.aeroshmem.tests.fixture.TestMemory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A PE leaves its code by an exception, and its close, in the try-with-resources form, matches no call of the others:
 * these end by an exception that names both calls, and its own exception surfaces.
 */
@Tag("ci")
@Tag("waits")
class EarlyCloseTest
{
    /** A scan needs its first member, and the others need no other. */
    private static final int CLOSING_PE = 0;
    private static final int LARGE = 30_000;
    private static final long BYTES = 8L * LARGE * 4;
    private static final int VOLUME = Integer.getInteger("aeroshmem.test.volume", 1);
    /** Longer than the library takes, by its own clock, to find that no PE can end a wait. */
    private static final long UNTIL_STALLED_NS = TimeUnit.MILLISECONDS.toNanos(2_200);
    private static final long UNTIL_STALLED_HERE_NS = UNTIL_STALLED_NS / FastBootstraps.SPEED;

    @BeforeEach
    void useMemoryOfTheTests()
    {
        TestMemory.root();
    }

    /**
     * A call that cannot end without the PE that closes.
     */
    @FunctionalInterface
    private interface Call
    {
        void run(Scene scene);
    }

    /**
     * The objects of one PE's call.
     */
    private static final class Scene
    {
        final Shmem shmem;
        final SymmetricBuffer dest;
        final SymmetricBuffer source;
        final Team team;
        final TeamUniqueId id;

        Scene(final Shmem shmem)
        {
            this.shmem = shmem;
            dest = shmem.calloc(1, BYTES);
            source = shmem.calloc(1, BYTES);
            team = shmem.world().duplicate();
            id = id(shmem);
            if (CLOSING_PE == shmem.myPe())
            {
                shmem.lock(dest, 128);
            }

            shmem.barrierAll();
        }

        private static TeamUniqueId id(final Shmem shmem)
        {
            final SymmetricBuffer bytes = shmem.malloc(64);
            if (0 == shmem.myPe())
            {
                final byte[] id = shmem.teamUniqueId().toBytes();
                for (int i = 0; i < id.length; i++)
                {
                    bytes.putByte(8 + i, id[i]);
                }

                bytes.putLong(0, id.length);
            }

            shmem.world().broadcast(ElementType.BYTE, bytes, bytes, 64, 0);
            final byte[] id = new byte[(int)bytes.getLong(0)];
            for (int i = 0; i < id.length; i++)
            {
                id[i] = bytes.getByte(8 + i);
            }

            return TeamUniqueId.fromBytes(id);
        }
    }

    private static Map<String, Call> calls()
    {
        final Map<String, Call> calls = new LinkedHashMap<>();
        calls.put("barrierAll", (scene) -> scene.shmem.barrierAll());
        calls.put("sync", (scene) -> scene.team.sync());
        calls.put("reduceLong", (scene) -> scene.team.reduceLong(ReduceOp.SUM, 1));
        calls.put("broadcastLong", (scene) -> scene.team.broadcastLong(1, CLOSING_PE));
        calls.put("splitStrided", (scene) -> scene.team.splitStrided(0, 1, 1));
        calls.put("split2d", (scene) -> scene.team.split2d(2));
        calls.put("duplicate", (scene) -> scene.team.duplicate());
        calls.put("malloc", (scene) -> scene.shmem.malloc(64));
        calls.put("calloc", (scene) -> scene.shmem.calloc(8, 8));
        calls.put("free", (scene) -> scene.shmem.free(scene.source));
        calls.put("realloc", (scene) -> scene.shmem.realloc(scene.source, 64));
        for (final int count : new int[] {3, LARGE})
        {
            calls.put("broadcast of " + count, (scene) ->
                scene.team.broadcast(ElementType.LONG, scene.dest, scene.source, count, CLOSING_PE));
            calls.put("collect of " + count, (scene) ->
                scene.team.collect(ElementType.LONG, scene.dest, scene.source, count));
            calls.put("fcollect of " + count, (scene) ->
                scene.team.fcollect(ElementType.LONG, scene.dest, scene.source, count));
            calls.put("alltoall of " + count, (scene) ->
                scene.team.alltoall(ElementType.LONG, scene.dest, scene.source, count));
            calls.put("alltoalls of " + count, (scene) ->
                scene.team.alltoalls(ElementType.LONG, scene.dest, scene.source, 1, 1, count));
            calls.put("reduce of " + count, (scene) ->
                scene.team.reduce(ReduceOp.SUM, ElementType.LONG, scene.dest, scene.source, count));
            calls.put("reduceScatter of " + count, (scene) ->
                scene.team.reduceScatter(ReduceOp.SUM, ElementType.LONG, scene.dest, scene.source, count));
            calls.put("inclusiveScan of " + count, (scene) ->
                scene.team.inclusiveScan(ReduceOp.SUM, ElementType.LONG, scene.dest, scene.source, count));
            calls.put("exclusiveScan of " + count, (scene) ->
                scene.team.exclusiveScan(ReduceOp.SUM, ElementType.LONG, scene.dest, scene.source, count));
        }

        return calls;
    }

    private static Map<String, Call> callsOfUnknownPeers()
    {
        final Map<String, Call> calls = new LinkedHashMap<>();
        calls.put("waitUntilLong", (scene) -> scene.shmem.waitUntilLong(scene.source, 0, Comparison.EQ, 7));
        calls.put("waitUntilAllLong", (scene) ->
            scene.shmem.waitUntilAllLong(scene.source, 0, 3, null, Comparison.EQ, 7));
        calls.put("signalWaitUntil", (scene) -> scene.shmem.signalWaitUntil(scene.source, 0, Comparison.GE, 1));
        calls.put("lock", (scene) -> scene.shmem.lock(scene.dest, 128));
        calls.put("teamInit", (scene) -> scene.shmem.teamInit(
            new TeamConfig().uniqueId(scene.id), scene.shmem.nPes(), scene.shmem.myPe()));
        return calls;
    }

    /** In jobs of 2 to 4 PEs in turn; in the nightly run in each of them. */
    @Test
    void shouldEndEveryCallOfTheOthers() throws Exception
    {
        final Shmem.Context config = new Shmem.Context().transport(TransportKind.MAPPED);
        int turn = 0;
        for (final Map.Entry<String, Call> call : calls().entrySet())
        {
            turn++;
            for (int nPes = 2; nPes <= 4; nPes++)
            {
                if (VOLUME > 1 || 0 == (turn + nPes) % 3)
                {
                    closeOne(nPes, config, call.getKey(), call.getValue());
                }
            }
        }
    }

    private static List<String> callsOverMessages()
    {
        return List.of(
            "barrierAll", "sync", "reduceLong", "broadcastLong", "malloc", "free", "splitStrided", "collect of 3",
            "broadcast of " + LARGE, "reduce of " + LARGE, "alltoall of 3", "inclusiveScan of " + LARGE);
    }

    @ParameterizedTest
    @MethodSource("callsOverMessages")
    void shouldEndCallsOfTheOthersOverMessages(final String name) throws Exception
    {
        closeOne(3, new Shmem.Context().transport(TransportKind.IPC), name, calls().get(name));
        closeOne(2, new Shmem.Context().transport(TransportKind.UDP), name, calls().get(name));
    }

    @ParameterizedTest
    @ValueSource(strings = {"barrierAll", "broadcastLong", "reduce of 3", "malloc", "splitStrided"})
    void shouldEndCallsThatAreChecked(final String name) throws Exception
    {
        final Shmem.Context config = new Shmem.Context().transport(TransportKind.MAPPED).checkCollectives(true);
        closeOne(3, config, name, calls().get(name));
    }

    @Test
    void shouldEndWaitsThatNobodyIsLeftToEnd() throws Exception
    {
        for (final Map.Entry<String, Call> call : callsOfUnknownPeers().entrySet())
        {
            closeOne(4, new Shmem.Context().transport(TransportKind.MAPPED), call.getKey(), call.getValue());
        }
    }

    /** Each PE waits in another call. */
    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"IPC", "UDP"})
    void shouldEndDifferentWaitsThatNobodyIsLeftToEnd(final TransportKind transport) throws Exception
    {
        final List<Call> calls = List.copyOf(callsOfUnknownPeers().values());
        final int nPes = 4;
        for (int first = 0; first < calls.size(); first += nPes - 1)
        {
            final int offset = first;
            closeOne(nPes, new Shmem.Context().transport(transport), "calls from " + first,
                (scene) -> calls.get((offset + scene.shmem.myPe() - 1) % calls.size()).run(scene));
        }
    }

    @Test
    void shouldNotEndAWaitThatAPeThatComputesIsAboutToEnd() throws Exception
    {
        run(3, new Shmem.Context().transport(TransportKind.MAPPED), (scene) ->
        {
            if (1 == scene.shmem.myPe())
            {
                scene.shmem.waitUntilLong(scene.source, 0, Comparison.EQ, 7);
            }
            else if (2 == scene.shmem.myPe())
            {
                compute();
                scene.shmem.defaultContext().putLong(scene.source, 0, 7, 1);
            }
            else
            {
                scene.shmem.unlock(scene.dest, 128);
            }
        }).forEach((failure) -> assertEquals(null, failure));
    }

    private static void compute()
    {
        final long endNs = System.nanoTime() + UNTIL_STALLED_HERE_NS;
        while (System.nanoTime() - endNs < 0)
        {
            Thread.onSpinWait();
        }
    }

    private static void sleep()
    {
        LockSupport.parkNanos(UNTIL_STALLED_HERE_NS);
    }

    private static Map<String, Call> actionsOfADaemon()
    {
        final Map<String, Call> actions = new LinkedHashMap<>();
        actions.put("compute", (scene) -> compute());
        actions.put("sleep", (scene) -> sleep());
        actions.put("wait, then compute", (scene) ->
        {
            scene.shmem.waitUntilLong(scene.dest, 0, Comparison.EQ, 7);
            compute();
        });
        return actions;
    }

    private static List<String> namesOfActions()
    {
        return List.copyOf(actionsOfADaemon().keySet());
    }

    @ParameterizedTest
    @MethodSource("namesOfActions")
    void shouldNotEndAWaitThatADaemonOfThePeIsAboutToEnd(final String name) throws Exception
    {
        final Call action = actionsOfADaemon().get(name);
        run(2, new Shmem.Context().transport(TransportKind.MAPPED), (scene) ->
        {
            if (CLOSING_PE == scene.shmem.myPe())
            {
                scene.shmem.unlock(scene.dest, 128);
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
                scene.shmem.defaultContext().putLong(scene.dest, 0, 7, 1);
                return;
            }

            final CompletableFuture<Void> task = CompletableFuture.runAsync(() ->
            {
                action.run(scene);
                scene.source.putLong(0, 7);
            });
            scene.shmem.waitUntilLong(scene.source, 0, Comparison.EQ, 7);
            task.join();
        }).forEach((failure) -> assertEquals(null, failure, name));
    }

    @Test
    void shouldNotEndATimedWait() throws Exception
    {
        run(2, new Shmem.Context().transport(TransportKind.MAPPED), (scene) ->
        {
            if (1 == scene.shmem.myPe())
            {
                assertTrue(!scene.shmem.trySignalWaitUntil(scene.source, 0, Comparison.EQ, 7, UNTIL_STALLED_NS));
                assertTrue(!scene.shmem.tryLock(scene.dest, 128, UNTIL_STALLED_NS));
            }
        }).forEach((failure) -> assertEquals(null, failure));
    }

    private static void closeOne(final int nPes, final Shmem.Context config, final String name, final Call call)
        throws Exception
    {
        final IllegalStateException own = new IllegalStateException("the program's own");
        final List<Throwable> failures = run(nPes, config, (scene) ->
        {
            if (CLOSING_PE == scene.shmem.myPe())
            {
                throw own;
            }

            call.run(scene);
        });

        for (int pe = 0; pe < nPes; pe++)
        {
            final Throwable failure = failures.get(pe);
            if (CLOSING_PE == pe)
            {
                assertSame(own, failure, name);
                assertEquals(0, failure.getSuppressed().length, name);
                continue;
            }

            assertNotNull(failure, name + " of PE " + pe + " ended well");
            assertEquals(PeFailureException.class, failure.getClass(), () -> name + ": " + failure);
            assertEquals(CLOSING_PE, ((PeFailureException)failure).pe(), name);
            assertTrue(failure.getMessage().contains("PE " + CLOSING_PE + " called close"), failure::getMessage);
        }

        assertTrue(TestMemory.jobs().isEmpty(), name);
    }

    private static List<Throwable> run(final int nPes, final Shmem.Context config, final Call call) throws Exception
    {
        final Bootstrap[] bootstraps = FastBootstraps.of(nPes);
        final ExecutorService executor = Executors.newFixedThreadPool(nPes);
        final List<Throwable> failures = new ArrayList<>();
        try
        {
            final List<Future<?>> futures = new ArrayList<>();
            for (final Bootstrap bootstrap : bootstraps)
            {
                futures.add(executor.submit(() ->
                {
                    try (Shmem shmem = Shmem.init(config.clone().heapSize(4 << 20).bootstrap(bootstrap)))
                    {
                        call.run(new Scene(shmem));
                    }

                    return null;
                }));
            }

            for (final Future<?> future : futures)
            {
                failures.add(failureOf(future));
            }
        }
        finally
        {
            executor.shutdownNow();
        }

        return failures;
    }

    private static Throwable failureOf(final Future<?> future) throws Exception
    {
        try
        {
            future.get(Deadlines.WAIT_S, TimeUnit.SECONDS);
            return null;
        }
        catch (final ExecutionException ex)
        {
            return ex.getCause();
        }
    }
}
