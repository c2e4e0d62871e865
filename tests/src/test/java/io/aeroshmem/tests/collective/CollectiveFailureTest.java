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
package io.aeroshmem.tests.collective;

import io.aeroshmem.Comparison;
import io.aeroshmem.ElementType;
import io.aeroshmem.PeFailureException;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.ShmemException;
import io.aeroshmem.ShmemInterruptedException;
import io.aeroshmem.ShmemTimeoutException;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Deadlines;
import io.aeroshmem.tests.fixture.TestMemory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Collectives that a member never enters: they end when it fails, by the operation timeout, and by an interrupt.
 */
@Tag("ci")
@Tag("waits")
class CollectiveFailureTest
{
    private static final long TIMEOUT_NS = TimeUnit.MILLISECONDS.toNanos(400);
    private static final int LARGE = 30_000;
    private static final long BYTES = 8L * LARGE * 3;

    @BeforeEach
    void useMemoryOfTheTests()
    {
        TestMemory.root();
    }

    /**
     * A call that other members cannot complete without the first one.
     */
    @FunctionalInterface
    private interface Call
    {
        void run(Team team, SymmetricBuffer dest, SymmetricBuffer source);
    }

    private static Map<String, Call> calls()
    {
        final Map<String, Call> calls = new LinkedHashMap<>();
        calls.put("barrier", (team, dest, source) -> team.barrier());
        calls.put("sync", (team, dest, source) -> team.sync());
        calls.put("reduceLong", (team, dest, source) -> team.reduceLong(ReduceOp.SUM, 1));
        calls.put("broadcastLong", (team, dest, source) -> team.broadcastLong(1, 0));
        calls.put("splitStrided", (team, dest, source) -> team.splitStrided(0, 1, 1));
        calls.put("split2d", (team, dest, source) -> team.split2d(2));
        calls.put("duplicate", (team, dest, source) -> team.duplicate());
        for (final int count : new int[] {3, LARGE})
        {
            addMoving(calls, count);
            addReducing(calls, count);
        }

        return calls;
    }

    private static void addMoving(final Map<String, Call> calls, final int count)
    {
        calls.put("broadcast of " + count, (team, dest, source) ->
            team.broadcast(ElementType.LONG, dest, source, count, 0));
        calls.put("collect of " + count, (team, dest, source) ->
            team.collect(ElementType.LONG, dest, source, count));
        calls.put("fcollect of " + count, (team, dest, source) ->
            team.fcollect(ElementType.LONG, dest, source, count));
        calls.put("alltoall of " + count, (team, dest, source) ->
            team.alltoall(ElementType.LONG, dest, source, count));
        calls.put("alltoalls of " + count, (team, dest, source) ->
            team.alltoalls(ElementType.LONG, dest, source, 1, 1, count));
    }

    private static void addReducing(final Map<String, Call> calls, final int count)
    {
        calls.put("reduce of " + count, (team, dest, source) ->
            team.reduce(ReduceOp.SUM, ElementType.LONG, dest, source, count));
        calls.put("reduceScatter of " + count, (team, dest, source) ->
            team.reduceScatter(ReduceOp.SUM, ElementType.LONG, dest, source, count));
        calls.put("inclusiveScan of " + count, (team, dest, source) ->
            team.inclusiveScan(ReduceOp.SUM, ElementType.LONG, dest, source, count));
        calls.put("exclusiveScan of " + count, (team, dest, source) ->
            team.exclusiveScan(ReduceOp.SUM, ElementType.LONG, dest, source, count));
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC"})
    void shouldReportToMembersThatOneHasFailed(final TransportKind transport)
    {
        for (final Map.Entry<String, Call> call : calls().entrySet())
        {
            final IllegalStateException thrown = assertThrows(IllegalStateException.class, () ->
                Shmem.runLocal(3, config(transport), (shmem) -> failOne(shmem, call.getValue())), call.getKey());
            assertEquals("gone", thrown.getMessage(), call.getKey());
            assertTrue(TestMemory.jobs().isEmpty(), call.getKey());
        }
    }

    private static void failOne(final Shmem shmem, final Call call)
    {
        final SymmetricBuffer dest = shmem.malloc(BYTES);
        final SymmetricBuffer source = shmem.malloc(BYTES);
        final Team team = shmem.world().duplicate();
        shmem.barrierAll();
        if (0 == shmem.myPe())
        {
            throw new IllegalStateException("gone");
        }

        final PeFailureException thrown =
            assertThrows(PeFailureException.class, () -> call.run(team, dest, source));
        assertEquals(0, thrown.pe());
        assertThrows(PeFailureException.class, team::barrier);
        team.close();
        throw thrown;
    }

    @ParameterizedTest
    @CsvSource({"MAPPED, false", "MAPPED, true", "IPC, false", "IPC, true"})
    void shouldEndAfterTheTimeSetOrByAnInterrupt(final TransportKind transport, final boolean isInterrupted)
    {
        final Shmem.Context config = config(transport).operationTimeoutNs(isInterrupted ? 0 : TIMEOUT_NS);
        final AtomicInteger completed = new AtomicInteger();
        final ShmemException end = assertThrows(ShmemException.class, () ->
            Shmem.runLocal(2, config, (shmem) -> endAll(shmem, isInterrupted, completed)));
        assertEquals(2, completed.get(), () -> "ended early by " + end);
        // the other member may wait for this one, so closing a PE after that is an error
        assertTrue(end.getMessage().contains("closed during a collective call"), end.getMessage());
    }

    private static void endAll(final Shmem shmem, final boolean isInterrupted, final AtomicInteger completed)
    {
        final SymmetricBuffer dest = shmem.malloc(BYTES);
        final SymmetricBuffer source = shmem.malloc(BYTES);
        final SymmetricBuffer done = shmem.calloc(1, 8);
        final Map<String, Team> teams = new LinkedHashMap<>();
        for (final String name : calls().keySet())
        {
            teams.put(name, shmem.world().duplicate());
        }

        shmem.barrierAll();
        if (1 == shmem.myPe())
        {
            // at the same time, each on a team of its own
            final List<CompletableFuture<Void>> ends = new ArrayList<>();
            calls().forEach((name, call) -> ends.add(CompletableFuture.runAsync(
                () -> endOne(name, teams.get(name), call, dest, source, isInterrupted),
                (task) -> new Thread(task).start())));
            ends.forEach(CompletableFuture::join);
            shmem.defaultContext().putLong(done, 0, 1, 0);
        }
        else
        {
            shmem.waitUntilLong(done, 0, Comparison.EQ, 1);
        }

        assertEquals(3, shmem.world().reduceLong(ReduceOp.SUM, shmem.myPe() + 1), "other teams work");
        teams.values().forEach(Team::close);
        completed.incrementAndGet();
        shmem.barrierAll();
    }

    private static void endOne(
        final String name,
        final Team team,
        final Call call,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final boolean isInterrupted)
    {
        final Class<? extends ShmemException> type =
            isInterrupted ? ShmemInterruptedException.class : ShmemTimeoutException.class;
        if (isInterrupted)
        {
            Thread.currentThread().interrupt();
        }

        assertThrows(type, () -> call.run(team, dest, source), name);
        assertEquals(isInterrupted, Thread.interrupted(), name + ": the flag is kept");
        final String outOfStep =
            assertThrows(IllegalStateException.class, team::sync, name + ": out of step with the other member")
            .getMessage();
        assertTrue(outOfStep.endsWith("; it must be closed"), outOfStep);
        assertThrows(IllegalStateException.class, () -> call.run(team, dest, source), name);
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC"})
    void shouldRefuseCallsOfTheWorldAfterAHeapCallThatTimedOut(final TransportKind transport)
    {
        final CountDownLatch refused = new CountDownLatch(1);
        final Shmem.Context config = config(transport).checkCollectives(false).operationTimeoutNs(TIMEOUT_NS);
        assertThrows(ShmemException.class, () ->
            Shmem.runLocal(2, config, (shmem) ->
            {
                if (0 == shmem.myPe())
                {
                    assertThrows(ShmemTimeoutException.class, () -> shmem.malloc(BYTES));
                    assertThrows(IllegalStateException.class, () -> shmem.malloc(BYTES));
                    final String message =
                        assertThrows(IllegalStateException.class, shmem::barrierAll).getMessage();
                    assertTrue(message.endsWith("; the job must end, as the team is predefined"), message);
                    refused.countDown();
                }
                else
                {
                    assertTrue(refused.await(Deadlines.WAIT_S, TimeUnit.SECONDS));
                }
            }));
        assertEquals(0, refused.getCount(), "another call ended with another exception");
    }

    private static Shmem.Context config(final TransportKind transport)
    {
        return new Shmem.Context().transport(transport).heapSize(2 * BYTES + (64 << 10));
    }
}
