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
package io.aeroshmem.samples;

import io.aeroshmem.Bootstrap;
import io.aeroshmem.Shmem;
import io.aeroshmem.TransportKind;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Small runs of the samples, each of which checks its own results. */
@Timeout(60)
@Tag("ci")
class TradingSamplesTest
{
    @ParameterizedTest
    @CsvSource({"MAPPED, 3", "IPC, 2", "UDP, 2"})
    void shouldFanOutMarketData(final TransportKind transport, final int nPes) throws Exception
    {
        final String[] reports = reports(transport, nPes, (shmem) -> MarketData.fanOut(shmem, 1_000, 2_000, false));
        checkQuotes(reports, nPes - 1);
    }

    private static void checkQuotes(final String[] reports, final int puts)
    {
        assertTrue(reports[0].startsWith("PE 0: published 1000 quotes to " + (reports.length - 1) + " PEs, in " + puts +
            " puts each, p50 "), reports[0]);
        for (int pe = 1; pe < reports.length; pe++)
        {
            assertTrue(reports[pe].matches("PE " + pe + ": read [1-9]\\d* of 1000 quotes, .*"), reports[pe]);
        }
    }

    /** PE 0 and PE 3 are on one node, PEs 1, 2 and 4 on another. */
    @Test
    void shouldFanOutMarketDataByAPutForEachHost() throws Exception
    {
        final Bootstrap[] pes = Bootstrap.inProcess(5);
        final String[] reports = new String[pes.length];
        final List<Thread> threads = new ArrayList<>();
        for (int pe = 0; pe < pes.length; pe++)
        {
            final int number = pe;
            final Shmem.Context config = config().bootstrap(pes[pe]).nodeName(0 == pe % 3 ? "a" : "b");
            threads.add(new Thread(() ->
            {
                try
                {
                    Shmem.run(config, (shmem) -> reports[number] = MarketData.fanOut(shmem, 1_000, 2_000, true));
                }
                catch (final Exception ex)
                {
                    reports[number] = ex.toString();
                }
            }));
        }

        threads.forEach(Thread::start);
        for (final Thread thread : threads)
        {
            thread.join();
        }

        checkQuotes(reports, 2);
    }

    @ParameterizedTest
    @CsvSource({"MAPPED, 3", "IPC, 2", "UDP, 2"})
    void shouldBroadcastTheOrderBook(final TransportKind transport, final int nPes) throws Exception
    {
        final String[] reports = reports(transport, nPes, (shmem) -> OrderBook.publish(shmem, 200));
        for (int pe = 0; pe < nPes; pe++)
        {
            assertTrue(reports[pe].startsWith("PE " + pe + ": 200 snapshots after 20000 orders, p50 "), reports[pe]);
        }
    }

    @ParameterizedTest
    @CsvSource({"MAPPED, 4", "IPC, 3", "UDP, 2"})
    void shouldDrawEachNumberOnce(final TransportKind transport, final int nPes) throws Exception
    {
        final String[] reports = reports(transport, nPes, (shmem) -> SequenceNumbers.draw(shmem, 500));
        for (int pe = 0; pe < nPes; pe++)
        {
            assertTrue(reports[pe].startsWith("PE " + pe + ": drew 500 numbers, p50 "), reports[pe]);
        }
    }

    @ParameterizedTest
    @CsvSource({"MAPPED, 4", "IPC, 3", "UDP, 2"})
    void shouldPerformEachTaskOnce(final TransportKind transport, final int nPes) throws Exception
    {
        final String[] reports = reports(transport, nPes, (shmem) -> WorkQueue.work(shmem, 200));
        long count = 0;
        for (int pe = 0; pe < nPes; pe++)
        {
            assertTrue(reports[pe].matches("PE " + pe + ": \\d+ of " + 200 * nPes + " tasks, .*"), reports[pe]);
            count += Long.parseLong(reports[pe].split(" ")[2]);
        }

        assertEquals(200L * nPes, count);
    }

    @ParameterizedTest
    @CsvSource({"MAPPED, 4, 2, 2", "MAPPED, 1, 1, 1", "MAPPED, 3, 1, 3", "IPC, 4, 2, 2", "UDP, 2, 1, 2"})
    void shouldSpreadHeat(
        final TransportKind transport, final int nPes, final int xLength, final int yLength) throws Exception
    {
        final String[] reports = reports(transport, nPes, (shmem) -> HeatStencil.spread(shmem, 51, 8));
        for (int pe = 0; pe < nPes; pe++)
        {
            assertTrue(reports[pe].startsWith("PE " + pe + " at (" + pe % xLength + ", " + pe / xLength + ") of (" +
                xLength + ", " + yLength + "): 51 steps of 8 x 8 points, p50 "), reports[pe]);
        }
    }

    private static String[] reports(
        final TransportKind transport, final int nPes, final Function<Shmem, String> sample) throws Exception
    {
        final ConcurrentSkipListMap<Integer, String> reports = new ConcurrentSkipListMap<>();
        Shmem.runLocal(nPes, config().transport(transport), (shmem) -> reports.put(shmem.myPe(), sample.apply(shmem)));
        return reports.values().toArray(new String[0]);
    }

    private static Shmem.Context config()
    {
        return new Shmem.Context().heapSize(1 << 20).operationTimeoutNs(TimeUnit.SECONDS.toNanos(30));
    }
}
