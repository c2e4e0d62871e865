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

import io.aeroshmem.Comparison;
import io.aeroshmem.PeFailureException;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.gpu.DeviceReach;
import io.aeroshmem.gpu.Gpu;
import io.aeroshmem.tests.fixture.Deadlines;
import io.aeroshmem.tests.fixture.JvmResources;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.SimulatedDevice;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The calls of a PE when the last PE is killed, each on a thread of its own, and the exceptions they end with. */
final class Survivor
{
    /** Property of the job: the {@link DeviceReach.Way} to the device memory of another PE. */
    static final String WAY = "aeroshmem.test.way";

    private static final long BOUND_NS = TimeUnit.SECONDS.toNanos(5);
    private static final long CLOSE_NS = TimeUnit.SECONDS.toNanos(2);
    private static final long LEAD_MS = 400;

    private final Map<String, Throwable> thrown = new ConcurrentHashMap<>();
    private final Map<String, Long> endNs = new ConcurrentHashMap<>();
    private final List<Thread> threads = new ArrayList<>();
    private int count;

    /** Verifies that this PE reaches the device memory of another in the way that the job names. */
    static void checkWay(final Pe pe, final Gpu gpu)
    {
        final DeviceReach reach = gpu.reach(pe.right());
        assertEquals(System.getProperty(WAY), reach.way().name(), reach::toString);
    }

    /**
     * Kills this process, when the others have begun, and after they had time to get into their calls. The clock is
     * common to all processes.
     *
     * @param killedAt receives the time, on the other PEs, and the number of those that have begun, on this one.
     */
    static void die(final Pe pe, final SymmetricBuffer killedAt) throws IOException, InterruptedException
    {
        // started before the others take the processors, which would delay the kill by its start
        final Process killer = new ProcessBuilder(
            "sh", "-c", "read line && kill -KILL " + ProcessHandle.current().pid()).start();
        pe.shmem().waitUntilLong(killedAt, Long.BYTES, Comparison.EQ, pe.n() - 1);
        TimeUnit.MILLISECONDS.sleep(LEAD_MS);
        for (int other = 0; other < pe.n() - 1; other++)
        {
            pe.ctx().putLong(killedAt, 0, System.nanoTime(), other);
        }

        pe.ctx().quiet();
        killer.getOutputStream().write('\n');
        killer.getOutputStream().flush();
        TimeUnit.DAYS.sleep(1);
    }

    /** Tells the victim that this PE has begun: it needs it no more to begin its calls. */
    static void begin(final Pe pe, final SymmetricBuffer killedAt)
    {
        pe.ctx().atomicIncLong(killedAt, Long.BYTES, pe.n() - 1);
    }

    /** Makes a call once, on a thread of its own. */
    void start(final String name, final Runnable call)
    {
        count++;
        final Thread thread = new Thread(() -> record(name, call), name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    /** Repeats a call on a thread of its own. */
    void startRepeating(final String name, final Runnable call)
    {
        start(name, () -> repeat(call));
    }

    /** Repeats a call on this thread. */
    void perform(final String name, final Runnable call)
    {
        count++;
        record(name, () -> repeat(call));
    }

    private static void repeat(final Runnable call)
    {
        while (true)
        {
            call.run();
        }
    }

    private void record(final String name, final Runnable call)
    {
        try
        {
            call.run();
        }
        catch (final Throwable ex)
        {
            endNs.put(name, System.nanoTime());
            thrown.put(name, ex);
        }
    }

    /** Verifies that every call has ended with the failure of the victim, in time. */
    void check(final SymmetricBuffer killedAt, final int victim) throws InterruptedException
    {
        for (final Thread thread : threads)
        {
            thread.join(TimeUnit.SECONDS.toMillis(Deadlines.WAIT_S));
        }

        final long killedNs = killedAt.getLong(0);
        assertTrue(0 != killedNs);
        assertEquals(count, thrown.size(), () -> "calls that ended: " + thrown);
        for (final Map.Entry<String, Throwable> entry : thrown.entrySet())
        {
            final String what = entry.getKey() + ": " + entry.getValue();
            assertInstanceOf(PeFailureException.class, entry.getValue(), what);
            assertEquals(victim, ((PeFailureException)entry.getValue()).pe(), what);
            final long ns = endNs.get(entry.getKey()) - killedNs;
            Deadlines.requireWithin(BOUND_NS, ns, () -> what);
        }
    }

    /** Closes GPU and PE, and verifies that nothing remains. */
    static void end(final Shmem shmem, final Gpu gpu)
    {
        final long startNs = System.nanoTime();
        gpu.close();
        shmem.close();
        final long ns = System.nanoTime() - startNs;
        Deadlines.requireWithin(CLOSE_NS, ns, () -> "close");
        JvmResources.assertGone("resources of the driver", List.of(), SimulatedDevice::resources);
    }
}
