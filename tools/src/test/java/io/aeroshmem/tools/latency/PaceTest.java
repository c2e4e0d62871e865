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
package io.aeroshmem.tools.latency;

import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(60)
class PaceTest
{
    private static final int COUNT = 1000;
    private static final int STALLED = 100;
    private static final long RATE = 10_000;
    private static final long STALL_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private final long[] samples = new long[COUNT];

    /** The calls that were due in the first half of the stall wait for its second half: 25 ms at 10 000 per second. */
    @Test
    void shouldShowAStallInAllCallsThatWereDueDuringIt() throws Exception
    {
        measure(RATE);
        final long late = late();
        assertTrue(late >= RATE * 25 / 1000 - 1, () -> late + " calls are late");
        final LatencyRow row = LatencyRow.ofSamples("barrier", "mapped", 2, 0, RATE, samples, COUNT, 100_000_000);
        assertTrue(row.p90Ns() >= STALL_NS / 2, row::toString);
        assertTrue(row.meanNs() >= STALL_NS / 20.0, row::toString);
    }

    @Test
    void shouldShowAStallOfAClosedLoopInOneCall() throws Exception
    {
        measure(LatencyRow.CLOSED);
        final long late = late();
        assertTrue(late >= 1 && late < COUNT / 10, () -> late + " calls are late");
    }

    private long late()
    {
        return Arrays.stream(samples).filter((ns) -> ns >= STALL_NS / 2).count();
    }

    /** Measures barriers with the loop of the command, of which PE 1 enters one late. */
    private void measure(final long rate) throws Exception
    {
        Shmem.runLocal(2, new Shmem.Context().heapSize(1 << 20), (shmem) ->
        {
            final SymmetricBuffer word = shmem.calloc(1, Long.BYTES);
            final MeasurementTarget target = new MeasurementTarget(
                shmem, shmem.defaultContext(), null, false, word, word, word, 0, ReducedValue.SUM_OF_LONGS);
            shmem.barrierAll();
            if (0 == shmem.myPe())
            {
                if (LatencyRow.CLOSED != rate)
                {
                    target.pace.open(1e9 / rate);
                }

                LatencyOperation.BARRIER.loop().measure(target, samples, COUNT);
            }
            else
            {
                for (int i = 0; i < COUNT; i++)
                {
                    if (STALLED == i)
                    {
                        Thread.sleep(TimeUnit.NANOSECONDS.toMillis(STALL_NS));
                    }

                    shmem.barrierAll();
                }
            }
        });
    }

    @Test
    void shouldNotBeginACallBeforeItIsDue()
    {
        final Pace pace = new Pace();
        final long startNs = System.nanoTime();
        pace.open(1e6);
        for (int i = 0; i < 5; i++)
        {
            final long dueNs = pace.begin(i);
            final long nowNs = System.nanoTime();
            assertTrue(dueNs - startNs >= i * 1_000_000L && nowNs - dueNs >= 0, "call " + i);
        }
    }
}
