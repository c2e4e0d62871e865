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
package io.aeroshmem.tests;

import com.sun.management.ThreadMXBean;
import io.aeroshmem.CommunicationContext;
import io.aeroshmem.Comparison;
import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.RetainedCell;
import io.aeroshmem.SessionOption;
import io.aeroshmem.RmaRequest;
import io.aeroshmem.Shmem;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.LoadedLibrary;
import io.aeroshmem.tests.fixture.Pe;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * No call of the steady state allocates, neither on the thread that calls nor on the library's own.
 */
@Tag("ci")
class AllocationTest
{
    private static final ThreadMXBean THREADS = (ThreadMXBean)ManagementFactory.getThreadMXBean();
    private static final int WARM_UP = 100;
    private static final int MEASURED = 100;
    /** Loading and compiling a class allocates once; a call that allocates does so in every attempt. */
    private static final int ATTEMPTS = 20;
    private static final int BLOCK = 5_000;
    /** When the JIT compiler first reads a method, it makes the strings of that class, on the calling thread. */
    private static final int PHASES = 24;
    private static final int QUIET_PHASES = 4;
    private static final int ROUNDS = Integer.getInteger("aeroshmem.test.volume", 1) > 1 ? 1_000 : 300;
    private static final long LONG_WAIT_NS = TimeUnit.MILLISECONDS.toNanos(100);

    @Tag("jdk")
    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC", "UDP"})
    void shouldAllocateNothing(final TransportKind transport)
    {
        Job.of(2).transport(transport)
            .run("every call", AllocationTest::measureAll);
    }

    /**
     * Latencies are recorded, and calls are compared with those of the other PE.
     */
    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC"})
    void shouldAllocateNothingForCollectivesThatAreRecordedAndChecked(
        final TransportKind transport, @TempDir final Path folder)
    {
        Job.of(2).transport(transport)
            .property("aeroshmem.check.collectives", "true")
            .property("aeroshmem.latency.record", "true")
            .property("aeroshmem.latency.dir", folder.toString())
            .run("every collective", (pe) -> measureAll(pe, new CollectiveCalls(pe.shmem()).byName));
    }

    /**
     * Not even once in a long run: several phases in a row of a program that mixes calls, on all PEs.
     */
    @Tag("jdk")
    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC", "UDP"})
    void shouldAllocateNothingInLongPhasesOfMixedCalls(final TransportKind transport) throws Exception
    {
        LoadedLibrary.load();
        Job.of(2).transport(transport).run("phases", AllocationTest::measurePhases);
    }

    private static void measurePhases(final Pe pe)
    {
        final Call round = mixedCalls(pe);
        if (0 != pe.me())
        {
            LockSupport.parkNanos(LONG_WAIT_NS); // what the first long wait of a thread makes
        }

        repeat(round, ROUNDS);
        final long[] agents = agents();
        final List<String> seen = new ArrayList<>();
        int quiet = 0;
        for (int phase = 0; phase < PHASES && quiet < QUIET_PHASES; phase++)
        {
            pe.shmem().barrierAll();
            final long agentsBefore = allocatedBy(agents);
            final long before = THREADS.getCurrentThreadAllocatedBytes();
            repeat(round, ROUNDS);
            final long byCaller = THREADS.getCurrentThreadAllocatedBytes() - before;
            pe.shmem().barrierAll();
            final long byAgents = allocatedBy(agents) - agentsBefore;
            seen.add(byCaller + " and " + byAgents);
            quiet = 0 == pe.shmem().world().reduceLong(ReduceOp.MAX, byCaller + byAgents) ? quiet + 1 : 0;
        }

        assertEquals(QUIET_PHASES, quiet, "bytes by the caller and by the library's threads, in each phase: " + seen);
    }

    private static Call mixedCalls(final Pe pe)
    {
        final Shmem shmem = pe.shmem();
        final CommunicationContext ctx = pe.ctx();
        final SymmetricBuffer words = shmem.calloc(8, 8);
        final SymmetricBuffer dest = shmem.malloc(BLOCK);
        final SymmetricBuffer source = shmem.malloc(BLOCK);
        final int peer = pe.right();
        final long[] turns = new long[1];
        return (i) ->
        {
            turns[0]++;
            ctx.put(dest, 0, source, 0, 2048, peer);
            ctx.putSignal(dest, 0, source, 0, 512, words, 0, turns[0], SignalOp.SET, peer);
            shmem.signalWaitUntil(words, 0, Comparison.GE, turns[0]);
            ctx.quiet();
            ctx.get(dest, 0, source, 0, 1024, peer);
            ctx.getLong(words, 8, peer);
            ctx.atomicFetchAddLong(words, 16, 1, peer);
            ctx.atomicAddLong(words, 24, 1, peer);
            shmem.barrierAll();
            shmem.world().reduce(ReduceOp.SUM, ElementType.LONG, dest, source, 16);
            shmem.world().alltoall(ElementType.LONG, dest, source, 8);
        };
    }

    private static void measureAll(final Pe pe)
    {
        final Map<String, Call> calls = new Calls(pe).byName;
        calls.putAll(new CollectiveCalls(pe.shmem()).byName);
        measureAll(pe, calls);
    }

    private static void measureAll(final Pe pe, final Map<String, Call> calls)
    {
        pe.shmem().barrierAll();
        final long[] agents = agents();
        assertEquals(TransportKind.MAPPED == pe.transport() ? 0 : 1, agents.length, "background threads");
        final List<String> allocating = new ArrayList<>();
        for (final Map.Entry<String, Call> entry : calls.entrySet())
        {
            final long[] allocated = measure(pe, entry.getValue(), agents);
            if (0 != allocated[0] || 0 != allocated[1])
            {
                allocating.add(entry.getKey() + ": " + allocated[0] + " bytes by the caller, " + allocated[1] +
                    " by the library's threads in " + MEASURED + " calls");
            }
        }

        pe.shmem().barrierAll();
        if (!allocating.isEmpty())
        {
            throw new AssertionError("PE " + pe.me() + ":\n" + String.join("\n", allocating));
        }
    }

    /**
     * Returns the minimum that an attempt allocated. Both PEs make the same calls at the same time, until neither
     * allocates anything.
     */
    private static long[] measure(final Pe pe, final Call call, final long[] agents)
    {
        final long[] least = {Long.MAX_VALUE, Long.MAX_VALUE};
        repeat(call, WARM_UP);
        long worst = Long.MAX_VALUE;
        for (int attempt = 0; attempt < ATTEMPTS && 0 != worst; attempt++)
        {
            pe.shmem().barrierAll();
            final long agentsBefore = allocatedBy(agents);
            final long before = THREADS.getCurrentThreadAllocatedBytes();
            repeat(call, MEASURED);
            final long after = THREADS.getCurrentThreadAllocatedBytes();
            pe.shmem().barrierAll();
            final long agentsAfter = allocatedBy(agents);
            least[0] = Math.min(least[0], after - before);
            least[1] = Math.min(least[1], agentsAfter - agentsBefore);
            worst = pe.shmem().world().reduceLong(ReduceOp.MAX, Math.max(least[0], least[1]));
        }

        return least;
    }

    private static void repeat(final Call call, final int times)
    {
        for (int i = 0; i < times; i++)
        {
            call.run(i);
        }
    }

    private static long allocatedBy(final long[] threads)
    {
        long sum = 0;
        for (final long bytes : THREADS.getThreadAllocatedBytes(threads))
        {
            sum += bytes;
        }

        return sum;
    }

    private static long[] agents()
    {
        return Thread.getAllStackTraces().keySet().stream()
            .filter((thread) -> "aeroshmem-progress".equals(thread.getName()))
            .mapToLong(Thread::getId).toArray();
    }

    /**
     * One call; the number grows.
     */
    @FunctionalInterface
    private interface Call
    {
        void run(int i);
    }

    /**
     * Every call by its name.
     */
    private static final class Calls
    {
        private final Map<String, Call> byName = new LinkedHashMap<>();
        private final Shmem shmem;
        private final CommunicationContext ctx;
        private final CommunicationContext own;
        private final SymmetricBuffer words;
        private final SymmetricBuffer dest;
        private final SymmetricBuffer source;
        private final SymmetricBuffer slice;
        private final UnsafeBuffer array = new UnsafeBuffer(new byte[BLOCK]);
        private final int peer;
        private long turns;

        Calls(final Pe pe)
        {
            shmem = pe.shmem();
            ctx = pe.ctx();
            own = shmem.createContext();
            words = shmem.calloc(128, 8);
            dest = shmem.malloc(BLOCK);
            source = shmem.malloc(BLOCK);
            slice = source.slice(0, 64);
            peer = pe.right();
            addElements();
            addBlocks();
            addLongAtomics();
            addIntAtomics();
            addNonblockingAtomics();
            addSessions(pe.me());
            addSignalsAndOrder();
            addWaits();
            addSets();
            addTeams(shmem.world());
        }

        private void addElements()
        {
            byName.put("putByte", (i) -> ctx.putByte(words, 0, (byte)i, peer));
            byName.put("putShort", (i) -> ctx.putShort(words, 0, (short)i, peer));
            byName.put("putInt", (i) -> ctx.putInt(words, 0, i, peer));
            byName.put("putLong", (i) -> ctx.putLong(words, 0, i, peer));
            byName.put("putFloat", (i) -> ctx.putFloat(words, 0, i, peer));
            byName.put("putDouble", (i) -> ctx.putDouble(words, 0, i, peer));
            byName.put("getByte", (i) -> ctx.getByte(words, 8, peer));
            byName.put("getShort", (i) -> ctx.getShort(words, 8, peer));
            byName.put("getInt", (i) -> ctx.getInt(words, 8, peer));
            byName.put("getLong", (i) -> ctx.getLong(words, 8, peer));
            byName.put("getFloat", (i) -> ctx.getFloat(words, 8, peer));
            byName.put("getDouble", (i) -> ctx.getDouble(words, 8, peer));
        }

        private void addBlocks()
        {
            byName.put("put", (i) -> ctx.put(dest, 1, source, 3, 100, peer));
            byName.put("put of many frames", (i) -> ctx.put(dest, 0, source, 0, BLOCK, peer));
            byName.put("put from an array", (i) -> ctx.put(dest, 1, array, 3, 100, peer));
            byName.put("put of many frames from an array", (i) -> ctx.put(dest, 0, array, 0, BLOCK, peer));
            byName.put("get", (i) -> ctx.get(dest, 1, source, 3, 100, peer));
            byName.put("get of many frames", (i) -> ctx.get(dest, 0, source, 0, BLOCK, peer));
            byName.put("get to an array", (i) -> ctx.get(array, 1, source, 3, 1000, peer));
            byName.put("putNbi", (i) -> ctx.putNbi(dest, 1, source, 3, 100, peer));
            byName.put("getNbi", (i) -> ctx.getNbi(dest, 1, source, 3, 100, peer));
            byName.put("getNbi, quiet", (i) ->
            {
                ctx.getNbi(dest, 0, source, 0, BLOCK, peer);
                ctx.quiet();
            });
            byName.put("iput", (i) -> ctx.iput(dest, 0, source, 0, 2, 3, 20, 8, peer));
            byName.put("iget", (i) -> ctx.iget(dest, 0, source, 0, 2, 3, 5, 8, peer));
            byName.put("ibput", (i) -> ctx.ibput(dest, 0, source, 0, 6, 5, 4, 10, 8, peer));
            byName.put("ibget", (i) -> ctx.ibget(dest, 0, source, 0, 6, 5, 4, 5, 8, peer));
            final RetainedCell cell = new RetainedCell(shmem.calloc(1, RetainedCell.requiredBytes(100)), 0, 100);
            byName.put("write to a cell", (i) -> cell.write(array, 3));
            byName.put("read from a cell", (i) -> cell.read(array, 3));
            byName.put("reslice, put", (i) -> ctx.put(dest, 0, slice.reslice(i, 64), 0, 64, peer));
        }

        private void addLongAtomics()
        {
            byName.put("atomicFetchLong", (i) -> ctx.atomicFetchLong(words, 16, peer));
            byName.put("atomicSetLong", (i) -> ctx.atomicSetLong(words, 16, i, peer));
            byName.put("atomicSwapLong", (i) -> ctx.atomicSwapLong(words, 16, i, peer));
            byName.put("atomicCompareSwapLong", (i) -> ctx.atomicCompareSwapLong(words, 16, i, i + 1, peer));
            byName.put("atomicFetchAddLong", (i) -> ctx.atomicFetchAddLong(words, 16, i, peer));
            byName.put("atomicAddLong", (i) -> ctx.atomicAddLong(words, 16, i, peer));
            byName.put("atomicFetchIncLong", (i) -> ctx.atomicFetchIncLong(words, 16, peer));
            byName.put("atomicIncLong", (i) -> ctx.atomicIncLong(words, 16, peer));
            byName.put("atomicFetchAndLong", (i) -> ctx.atomicFetchAndLong(words, 16, i, peer));
            byName.put("atomicAndLong", (i) -> ctx.atomicAndLong(words, 16, i, peer));
            byName.put("atomicFetchOrLong", (i) -> ctx.atomicFetchOrLong(words, 16, i, peer));
            byName.put("atomicOrLong", (i) -> ctx.atomicOrLong(words, 16, i, peer));
            byName.put("atomicFetchXorLong", (i) -> ctx.atomicFetchXorLong(words, 16, i, peer));
            byName.put("atomicFetchMaxLong", (i) -> ctx.atomicFetchMaxLong(words, 16, i, peer));
            byName.put("atomicMinDouble", (i) -> ctx.atomicMinDouble(words, 16, -i, peer));
            byName.put("atomicXorLong", (i) -> ctx.atomicXorLong(words, 16, i, peer));
            byName.put("atomicFetchDouble", (i) -> ctx.atomicFetchDouble(words, 16, peer));
            byName.put("atomicSetDouble", (i) -> ctx.atomicSetDouble(words, 16, i, peer));
            byName.put("atomicSwapDouble", (i) -> ctx.atomicSwapDouble(words, 16, i, peer));
        }

        private void addIntAtomics()
        {
            byName.put("atomicFetchInt", (i) -> ctx.atomicFetchInt(words, 20, peer));
            byName.put("atomicSetInt", (i) -> ctx.atomicSetInt(words, 20, i, peer));
            byName.put("atomicSwapInt", (i) -> ctx.atomicSwapInt(words, 20, i, peer));
            byName.put("atomicCompareSwapInt", (i) -> ctx.atomicCompareSwapInt(words, 20, i, i + 1, peer));
            byName.put("atomicFetchAddInt", (i) -> ctx.atomicFetchAddInt(words, 20, i, peer));
            byName.put("atomicAddInt", (i) -> ctx.atomicAddInt(words, 20, i, peer));
            byName.put("atomicFetchIncInt", (i) -> ctx.atomicFetchIncInt(words, 20, peer));
            byName.put("atomicIncInt", (i) -> ctx.atomicIncInt(words, 20, peer));
            byName.put("atomicFetchAndInt", (i) -> ctx.atomicFetchAndInt(words, 20, i, peer));
            byName.put("atomicAndInt", (i) -> ctx.atomicAndInt(words, 20, i, peer));
            byName.put("atomicFetchOrInt", (i) -> ctx.atomicFetchOrInt(words, 20, i, peer));
            byName.put("atomicOrInt", (i) -> ctx.atomicOrInt(words, 20, i, peer));
            byName.put("atomicFetchXorInt", (i) -> ctx.atomicFetchXorInt(words, 20, i, peer));
            byName.put("atomicXorInt", (i) -> ctx.atomicXorInt(words, 20, i, peer));
            byName.put("atomicFetchFloat", (i) -> ctx.atomicFetchFloat(words, 20, peer));
            byName.put("atomicSetFloat", (i) -> ctx.atomicSetFloat(words, 20, i, peer));
            byName.put("atomicSwapFloat", (i) -> ctx.atomicSwapFloat(words, 20, i, peer));
        }

        private void addNonblockingAtomics()
        {
            byName.put("atomicFetchLongNbi", (i) -> own.atomicFetchLongNbi(words, 24, words, 16, peer));
            byName.put("atomicSwapLongNbi", (i) -> own.atomicSwapLongNbi(words, 24, words, 16, i, peer));
            byName.put("atomicCompareSwapLongNbi", (i) ->
                own.atomicCompareSwapLongNbi(words, 24, words, 16, i, 1, peer));
            byName.put("atomicFetchAddLongNbi", (i) -> own.atomicFetchAddLongNbi(words, 24, words, 16, i, peer));
            byName.put("atomicFetchIncLongNbi", (i) -> own.atomicFetchIncLongNbi(words, 24, words, 16, peer));
            byName.put("atomicFetchAndLongNbi", (i) -> own.atomicFetchAndLongNbi(words, 24, words, 16, i, peer));
            byName.put("atomicFetchOrLongNbi", (i) -> own.atomicFetchOrLongNbi(words, 24, words, 16, i, peer));
            byName.put("atomicFetchMinFloatNbi", (i) -> own.atomicFetchMinFloatNbi(words, 24, words, 16, i, peer));
            byName.put("atomicFetchXorLongNbi", (i) -> own.atomicFetchXorLongNbi(words, 24, words, 16, i, peer));
            byName.put("atomicFetchAddIntNbi", (i) -> own.atomicFetchAddIntNbi(words, 24, words, 16, i, peer));
            byName.put("atomicSwapDoubleNbi", (i) -> own.atomicSwapDoubleNbi(words, 24, words, 16, i, peer));
            byName.put("quiet of a context", (i) ->
            {
                own.atomicFetchIncIntNbi(words, 24, words, 20, peer);
                own.quiet();
            });
        }

        private void addSessions(final int me)
        {
            final CommunicationContext session = shmem.createContext();
            final long[] fetched = new long[1];
            session.sessionStart(SessionOption.BATCH);
            byName.put("atomicIncLong in a session", (i) -> session.atomicIncLong(words, 16, 0 == i % 3 ? me : peer));
            byName.put("getNbi in a session", (i) -> session.getNbi(fetched, 0, words, 8, 1, peer));
            byName.put("several kinds in a session", (i) ->
            {
                session.putLong(words, 0, i, peer);
                session.atomicAddLong(words, 16, i, peer);
                session.atomicFetchAddLongNbi(words, 24, words, 16, i, peer);
                session.getNbi(fetched, 0, words, 8, 1, me);
                session.fence();
            });
        }

        private void addSignalsAndOrder()
        {
            byName.put("signal", (i) -> ctx.signal(words, 32, i, SignalOp.SET, peer));
            byName.put("signalAll", (i) -> ctx.signalAll(words, 32, 1, SignalOp.ADD));
            byName.put("signalFetch", (i) -> shmem.signalFetch(words, 32));
            byName.put("putSignal", (i) -> ctx.putSignal(dest, 0, source, 0, 64, words, 32, i, SignalOp.SET, peer));
            byName.put("putSignal from an array", (i) ->
                ctx.putSignal(dest, 0, array, 0, 3000, words, 32, 1, SignalOp.ADD, peer));
            byName.put("putSignalNbi", (i) ->
                ctx.putSignalNbi(dest, 0, source, 0, 64, words, 32, i, SignalOp.SET, peer));
            byName.put("putSignalAll", (i) -> ctx.putSignalAll(dest, 0, source, 0, 64, words, 32, i, SignalOp.SET));
            byName.put("fence", (i) ->
            {
                ctx.putLong(words, 0, i, peer);
                ctx.fence();
            });
            byName.put("fence of a PE", (i) -> ctx.fence(peer));
            byName.put("quiet", (i) ->
            {
                ctx.putLong(words, 0, i, peer);
                ctx.quiet();
            });
            byName.put("quiet of a PE", (i) -> ctx.quiet(peer));
            byName.put("testQuiet", (i) ->
            {
                ctx.putLong(words, 0, i, peer);
                ctx.testQuiet();
            });
            byName.put("request of a put", (i) ->
            {
                final RmaRequest request = ctx.putRequest(words, 0, words, 8, 8, peer);
                request.await();
                request.close();
            });
            byName.put("request of a get", (i) ->
            {
                final RmaRequest request = ctx.getRequest(words, 0, words, 8, 8, peer);
                request.await();
                request.close();
            });
            byName.put("barrierAll", (i) -> shmem.barrierAll());
            byName.put("syncAll", (i) -> shmem.syncAll());
            byName.put("lock, unlock", (i) ->
            {
                shmem.lock(words, 1000);
                shmem.unlock(words, 1000);
            });
            byName.put("testLock", (i) ->
            {
                if (shmem.testLock(words, 1000))
                {
                    shmem.unlock(words, 1000);
                }
            });
            byName.put("progress", (i) -> shmem.progress());
        }

        private void addWaits()
        {
            byName.put("ping-pong with waitUntilLong", (i) ->
            {
                turns++;
                ctx.putLong(words, 40, turns, peer);
                shmem.waitUntilLong(words, 40, Comparison.GE, turns);
            });
            byName.put("ping-pong with tryWaitUntilInt", (i) ->
            {
                turns++;
                ctx.putInt(words, 48, (int)turns, peer);
                shmem.tryWaitUntilInt(words, 48, Comparison.GE, (int)turns, 60_000_000_000L);
            });
            byName.put("ping-pong with signalWaitUntil", (i) ->
            {
                turns++;
                ctx.signal(words, 56, turns, SignalOp.SET, peer);
                shmem.signalWaitUntil(words, 56, Comparison.GE, turns);
            });
            byName.put("wait that times out", (i) -> shmem.tryWaitUntilLong(words, 64, Comparison.NE, 0, 100));
            byName.put("testLong", (i) -> shmem.testLong(words, 64, Comparison.EQ, i));
            byName.put("testInt", (i) -> shmem.testInt(words, 64, Comparison.EQ, i));
            byName.put("waitUntilInt", (i) -> shmem.waitUntilInt(words, 64, Comparison.LE, i));
        }

        private void addSets()
        {
            final int[] status = new int[8];
            final int[] indices = new int[8];
            final long[] longs = new long[8];
            final int[] ints = new int[8];
            byName.put("waitUntilAllLong", (i) -> shmem.waitUntilAllLong(words, 64, 8, status, Comparison.EQ, 0));
            byName.put("waitUntilAnyLong", (i) -> shmem.waitUntilAnyLong(words, 64, 8, status, Comparison.EQ, 0));
            byName.put("waitUntilSomeLong", (i) ->
                shmem.waitUntilSomeLong(words, 64, 8, indices, status, Comparison.EQ, 0));
            byName.put("tryWaitUntilAnyLong", (i) ->
                shmem.tryWaitUntilAnyLong(words, 64, 8, status, Comparison.NE, 0, 100));
            byName.put("waitUntilAllVectorLong", (i) ->
                shmem.waitUntilAllVectorLong(words, 64, 8, null, Comparison.EQ, longs));
            byName.put("waitUntilAnyVectorInt", (i) ->
                shmem.waitUntilAnyVectorInt(words, 64, 8, null, Comparison.EQ, ints));
            byName.put("waitUntilSomeVectorInt", (i) ->
                shmem.waitUntilSomeVectorInt(words, 64, 8, indices, null, Comparison.EQ, ints));
            byName.put("testAllInt", (i) -> shmem.testAllInt(words, 64, 8, status, Comparison.EQ, 0));
            byName.put("testAnyInt", (i) -> shmem.testAnyInt(words, 64, 8, status, Comparison.EQ, 0));
            byName.put("testSomeInt", (i) -> shmem.testSomeInt(words, 64, 8, indices, status, Comparison.EQ, 0));
            byName.put("testAllVectorLong", (i) ->
                shmem.testAllVectorLong(words, 64, 8, null, Comparison.EQ, longs));
            byName.put("testSomeVectorLong", (i) ->
                shmem.testSomeVectorLong(words, 64, 8, indices, null, Comparison.EQ, longs));
        }

        private void addTeams(final Team world)
        {
            byName.put("team barrier", (i) -> world.barrier());
            byName.put("team sync", (i) -> world.sync());
            byName.put("translatePe", (i) -> world.translatePe(peer, world));
        }
    }

    /**
     * Every collective by its name, on blocks that fit a slot, that do not, and that are large.
     */
    private static final class CollectiveCalls
    {
        private static final int[] COUNTS = {3, 700, 9_000};
        private static final int LARGE = 9_000;
        private static final int SELDOM = 20;

        private final Map<String, Call> byName = new LinkedHashMap<>();
        private final SymmetricBuffer dest;
        private final SymmetricBuffer source;

        CollectiveCalls(final Shmem shmem)
        {
            dest = shmem.malloc(8L * 9_000 * 2 * 2);
            source = shmem.malloc(8L * 9_000 * 2 * 2);
            addMoving(shmem.world(), COUNTS);
            addReducing(shmem.world(), COUNTS);
            final Team team = shmem.world().splitStrided(1, -1, 2);
            byName.put("barrier of a team", (i) -> team.barrier());
            byName.put("sync of a team", (i) -> team.sync());
            byName.put("reduceLong", (i) -> team.reduceLong(ReduceOp.SUM, i));
            byName.put("reduceDouble", (i) -> team.reduceDouble(ReduceOp.PROD, i));
            byName.put("broadcastLong", (i) -> team.broadcastLong(i, i & 1));
            addMoving(team, 10);
            addReducing(team, 10);
        }

        /**
         * A few calls are enough for large blocks.
         */
        private void put(final String name, final int count, final Call call)
        {
            byName.put(name, count < LARGE ? call : (i) ->
            {
                if (0 == i % SELDOM)
                {
                    call.run(i / SELDOM);
                }
            });
        }

        private void addMoving(final Team team, final int... counts)
        {
            for (final int count : counts)
            {
                final String of = " of " + count + ", " + team.nPes() + " PEs from rank " + team.myPe();
                put("broadcast" + of, count, (i) -> team.broadcast(ElementType.LONG, dest, source, count, i & 1));
                put("collect" + of, count, (i) -> team.collect(ElementType.LONG, dest, source, count - (i & 1)));
                put("fcollect" + of, count, (i) -> team.fcollect(ElementType.LONG, dest, source, count));
                put("alltoall" + of, count, (i) -> team.alltoall(ElementType.LONG, dest, source, count));
                put("alltoalls" + of, count, (i) ->
                    team.alltoalls(ElementType.LONG, dest, source, 1 + (i & 1), 2, count));
            }
        }

        private void addReducing(final Team team, final int... counts)
        {
            for (final int count : counts)
            {
                final String of = " of " + count + ", " + team.nPes() + " PEs from rank " + team.myPe();
                put("reduce" + of, count, (i) -> team.reduce(ReduceOp.MAX, ElementType.LONG, dest, source, count));
                put("reduce in place" + of, count, (i) ->
                    team.reduce(ReduceOp.SUM, ElementType.HALF, dest, dest, count));
                put("reduceScatter" + of, count, (i) ->
                    team.reduceScatter(ReduceOp.SUM, ElementType.FLOAT, dest, source, count));
                put("reduceScatter in place" + of, count, (i) ->
                    team.reduceScatter(ReduceOp.XOR, ElementType.LONG, dest, dest, count));
                put("inclusiveScan" + of, count, (i) ->
                    team.inclusiveScan(ReduceOp.SUM, ElementType.DOUBLE, dest, source, count));
                put("exclusiveScan" + of, count, (i) ->
                    team.exclusiveScan(ReduceOp.PROD, ElementType.COMPLEX_FLOAT, dest, source, count));
            }
        }
    }
}
