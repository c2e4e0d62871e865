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

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Deadlines;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.JobForm;
import io.aeroshmem.tests.fixture.NetworkFaults;
import io.aeroshmem.tests.fixture.Pattern;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.RoutineSet;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Two PEs flood each other over the smallest term buffers, with and without loss, disorder and duplication: both finish
 * and nothing is lost. {@code -Dtest.volume=10} makes it longer.
 */
@Tag("ci")
class FloodTest
{
    private static final String TIME_PROPERTY = "aeroshmem.test.flood.ms";
    private static final long TIME_MS = Long.getLong(
        TIME_PROPERTY, 300L * Integer.getInteger("aeroshmem.test.volume", 1));
    private static final int SLOTS = 512;
    private static final int BLOCK = 1024;

    @ParameterizedTest
    @CsvSource({"IPC, THREADS", "IPC, PROCESSES", "UDP, THREADS", "UDP, PROCESSES"})
    void shouldLoseNothing(final TransportKind transport, final JobForm form)
    {
        job(transport, form).run(new Routines());
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.01, 0.10})
    void shouldLoseNothingWhereTheNetworkDoes(final double loss)
    {
        job(TransportKind.UDP, JobForm.THREADS).network(new NetworkFaults(loss, 0, 0), 1).run(new Routines());
    }

    @Test
    void shouldLoseNothingWhereTheNetworkReordersAndDuplicates()
    {
        job(TransportKind.UDP, JobForm.THREADS).network(NetworkFaults.DISORDER, 1).run(new Routines());
    }

    private static Job job(final TransportKind transport, final JobForm form)
    {
        return Job.of(2).transport(transport).form(form).inUsedProcesses()
            .property("aeroshmem.term.length", "64k")
            .property(TIME_PROPERTY, Long.toString(TIME_MS))
            .deadline(Deadlines.WAIT.plusMillis(TIME_MS));
    }

    /**
     * The routine that the jobs run.
     */
    static final class Routines extends RoutineSet
    {
        Routines()
        {
            add("flood", FloodTest::flood);
        }
    }

    private static void flood(final Pe pe)
    {
        final SymmetricBuffer blocks = pe.shmem().calloc(SLOTS, BLOCK);
        final SymmetricBuffer counters = pe.shmem().calloc(4, 8);
        final UnsafeBuffer local = new UnsafeBuffer(new byte[BLOCK]);
        final UnsafeBuffer window = new UnsafeBuffer(new byte[SLOTS * BLOCK]);
        final CommunicationContext ctx = pe.ctx();
        final int peer = pe.right();
        final long deadline = System.nanoTime() + TIME_MS * 1_000_000;
        long sum = 0;
        long count = 0;
        long fetches = 0;
        while (System.nanoTime() - deadline < 0 || 0 != count % SLOTS)
        {
            Pattern.fill(local, 0, BLOCK, Pattern.seed(pe.me(), count));
            ctx.put(blocks, count % SLOTS * BLOCK, local, 0, BLOCK, peer);
            ctx.atomicAddLong(counters, 0, count, peer);
            sum += count;
            count++;
            if (0 == count % 500)
            {
                assertEquals(fetches, ctx.atomicFetchIncLong(counters, 8, peer), "fetches");
                fetches++;
            }

            if (0 == count % SLOTS)
            {
                ctx.quiet();
                ctx.get(window, 0, blocks, 0, SLOTS * BLOCK, peer);
                checkWindow(pe, window, count - SLOTS);
                assertEquals(sum, ctx.atomicFetchLong(counters, 0, peer), "sum of what was added");
            }
        }

        ctx.putLong(counters, 16, count, peer);
        ctx.putLong(counters, 24, sum, peer);
        pe.shmem().barrierAll();
        assertEquals(counters.getLong(24), counters.getLong(0), "sum of what the peer added");
        assertEquals(counters.getLong(16) / 500, counters.getLong(8), "the peer's fetch-incs");
        pe.shmem().barrierAll();
    }

    /**
     * Every put of a window is there before the next overwrites it.
     */
    private static void checkWindow(final Pe pe, final UnsafeBuffer window, final long first)
    {
        for (int slot = 0; slot < SLOTS; slot++)
        {
            Pattern.check("put " + (first + slot), window, slot * BLOCK, BLOCK, Pattern.seed(pe.me(), first + slot));
        }
    }
}
