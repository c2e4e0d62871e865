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
package io.aeroshmem.tests.device;

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.Comparison;
import io.aeroshmem.ElementType;
import io.aeroshmem.PeFailureException;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.gpu.Gpu;
import io.aeroshmem.tests.fixture.JvmResources;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.RoutineSet;
import io.aeroshmem.tests.fixture.SimulatedDevice;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The last PE is killed while the others access its device memory, and wait for it, in every way, each on a thread of
 * its own. All of these calls end with the failure, and the survivors' devices and JVMs end in an orderly way, with a
 * status of their own.
 */
public final class DeviceDeath extends RoutineSet
{
    static final int SURVIVED = 42;

    private static final long BOUND_NS = TimeUnit.SECONDS.toNanos(5);
    private static final long CLOSE_NS = TimeUnit.SECONDS.toNanos(2);
    private static final long LEAD_MS = 400;
    private static final int LENGTH = 400_000;
    private static final int LOCK = 8;
    private static final int COUNTER = 16;
    private static final int SIGNAL = 24;

    private final Map<String, Throwable> thrown = new ConcurrentHashMap<>();
    private final Map<String, Long> endNs = new ConcurrentHashMap<>();

    public DeviceDeath()
    {
        add("death", this::shouldEndCallsOfSurvivors);
    }

    private void shouldEndCallsOfSurvivors(final Pe pe) throws Exception
    {
        final Shmem shmem = pe.shmem();
        final Gpu gpu = Gpu.init(shmem);
        final SymmetricBuffer words = gpu.calloc(8, 8);
        final SymmetricBuffer source = gpu.calloc(LENGTH, 1);
        final SymmetricBuffer dest = gpu.calloc(LENGTH, 1);
        final SymmetricBuffer host = shmem.calloc(LENGTH, 1);
        final SymmetricBuffer killedAt = shmem.calloc(1, 8);
        final Team team = shmem.world().duplicate();
        final int victim = pe.n() - 1;
        if (victim == pe.me())
        {
            shmem.lock(words, LOCK);
            shmem.barrierAll();
            die(pe, killedAt);
        }

        shmem.barrierAll();
        final Thread[] threads = calls(pe, team, words, source, dest, host).entrySet().stream()
            .map((call) -> new Thread(() -> repeat(call.getKey(), call.getValue()), call.getKey()))
            .toArray(Thread[]::new);
        for (final Thread thread : threads)
        {
            thread.setDaemon(true);
            thread.start();
        }
        repeat("allocation", () -> gpu.malloc(64));
        for (final Thread thread : threads)
        {
            thread.join(TimeUnit.NANOSECONDS.toMillis(2 * BOUND_NS));
        }

        check(killedAt.getLong(0), victim, threads.length + 1);
        end(shmem, gpu);
    }

    private static Map<String, Runnable> calls(
        final Pe pe,
        final Team team,
        final SymmetricBuffer words,
        final SymmetricBuffer source,
        final SymmetricBuffer dest,
        final SymmetricBuffer host)
    {
        final Shmem shmem = pe.shmem();
        final CommunicationContext ctx = pe.ctx();
        final CommunicationContext own = shmem.createContext();
        final int victim = pe.n() - 1;
        final Map<String, Runnable> calls = new LinkedHashMap<>();
        calls.put("put", () ->
        {
            ctx.put(dest, 0, source, 0, LENGTH, victim);
            ctx.put(dest, 0, host, 0, LENGTH, victim);
            ctx.quiet();
        });
        calls.put("putNbi", () ->
        {
            own.putNbi(dest, 0, source, 0, LENGTH, victim);
            own.quiet();
        });
        calls.put("get", () -> ctx.get(host, 0, source, 0, LENGTH, victim));
        calls.put("iget", () -> ctx.iget(dest, 0, source, 0, 3, 2, 100, 8, victim));
        calls.put("fetch", () -> ctx.atomicFetchAddLong(words, COUNTER, 1, victim));
        calls.put("signal", () ->
        {
            ctx.signal(words, SIGNAL, 1, SignalOp.ADD, victim);
            ctx.quiet();
        });
        calls.put("wait", () -> shmem.waitUntilLong(words, 0, Comparison.EQ, 1));
        calls.put("wait for signal", () -> shmem.signalWaitUntil(words, 32, Comparison.EQ, 1));
        calls.put("lock", () -> shmem.lock(words, LOCK));
        calls.put("reduce", () -> team.reduce(ReduceOp.SUM, ElementType.LONG, dest, source, LENGTH / 8));
        return calls;
    }

    private void repeat(final String name, final Runnable call)
    {
        try
        {
            while (true)
            {
                call.run();
            }
        }
        catch (final Throwable ex)
        {
            endNs.put(name, System.nanoTime());
            thrown.put(name, ex);
        }
    }

    /**
     * Kills this process. The clock is common to all processes.
     */
    private static void die(final Pe pe, final SymmetricBuffer killedAt) throws IOException, InterruptedException
    {
        TimeUnit.MILLISECONDS.sleep(LEAD_MS);
        for (int other = 0; other < pe.n() - 1; other++)
        {
            pe.ctx().putLong(killedAt, 0, System.nanoTime(), other);
        }
        pe.ctx().quiet();
        new ProcessBuilder("kill", "-KILL", Long.toString(ProcessHandle.current().pid())).start();
        TimeUnit.DAYS.sleep(1);
    }

    private void check(final long killedNs, final int victim, final int count)
    {
        assertTrue(0 != killedNs);
        assertEquals(count, thrown.size(), () -> "calls that ended: " + thrown);
        for (final Map.Entry<String, Throwable> entry : thrown.entrySet())
        {
            final String what = entry.getKey() + ": " + entry.getValue();
            assertInstanceOf(PeFailureException.class, entry.getValue(), what);
            assertEquals(victim, ((PeFailureException)entry.getValue()).pe(), what);
            final long ns = endNs.get(entry.getKey()) - killedNs;
            assertTrue(ns < BOUND_NS, () -> "after " + TimeUnit.NANOSECONDS.toMillis(ns) + " ms: " + what);
        }
    }

    private static void end(final Shmem shmem, final Gpu gpu)
    {
        final long startNs = System.nanoTime();
        gpu.close();
        shmem.close();
        final long ns = System.nanoTime() - startNs;
        assertTrue(ns < CLOSE_NS, () -> "closed in " + TimeUnit.NANOSECONDS.toMillis(ns) + " ms");
        JvmResources.assertGone("resources of the driver", List.of(), SimulatedDevice::resources);
        System.exit(SURVIVED);
    }
}
