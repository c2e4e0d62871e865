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

import io.aeroshmem.Shmem;
import io.aeroshmem.TransportKind;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Small runs of the workloads, which check their results. */
@Timeout(60)
@Tag("ci")
class WorkloadsTest
{
    private static final int UPDATES = 3000;

    @ParameterizedTest
    @CsvSource({
        "MAPPED, 2, false", "MAPPED, 3, true", "IPC, 2, true", "IPC, 3, false", "UDP, 2, false", "UDP, 3, true"})
    void shouldPrintARowOfEach(final TransportKind transport, final int nPes, final boolean isInSession)
        throws Exception
    {
        final Queue<String> rows = new ConcurrentLinkedQueue<>();
        final Shmem.Context config = new Shmem.Context()
            .transport(transport)
            .heapSize(Workloads.heapSize(UPDATES))
            .operationTimeoutNs(TimeUnit.SECONDS.toNanos(30));
        Shmem.runLocal(nPes, config, (shmem) ->
            Workloads.run(shmem, Workloads.NAMES, UPDATES, isInSession, 0, rows::add));

        assertEquals(4, rows.size(), rows::toString);
        for (final String name : List.of("histo", "gups", "indexgather"))
        {
            assertTrue(isRow(rows.poll(), name + ",aeroshmem," + nPes + ",8," + UPDATES), name);
        }

        assertTrue(isRow(rows.poll(), "intsort_exchange,aeroshmem," + nPes + ",4," + 2 * UPDATES), "intsort");
    }

    @Test
    void shouldExchangeKeysThatAreAllInOneRange() throws Exception
    {
        // in which each PE draws a key of PE 1
        final int round = 20;
        final Shmem.Context config = new Shmem.Context()
            .transport(TransportKind.MAPPED)
            .heapSize(1 << 20)
            .operationTimeoutNs(TimeUnit.SECONDS.toNanos(30));
        Shmem.runLocal(4, config, (shmem) ->
        {
            final KeyExchange exchange = new KeyExchange(
                shmem,
                1,
                shmem.malloc(Integer.BYTES),
                shmem.malloc(KeyExchange.receivedBytes(1)),
                shmem.calloc(1, Long.BYTES));
            exchange.draw(round, 1);
            exchange.exchange();
            assertTrue(exchange.isInRange());
            assertEquals(1 == shmem.myPe() ? 4 : 0, exchange.received());
        });
    }

    private static boolean isRow(final String row, final String begin)
    {
        return row.matches(begin + ",,,,,,,\\d+\\.\\d\\d,[1-9]\\d*,\\d+\\.\\d");
    }
}
