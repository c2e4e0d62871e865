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
import io.aeroshmem.SimulatedCuda;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(120)
class RiskLedgerTest
{
    private static final Path SHIPPED = Path.of("../samples/src/main/samples/fills.csv");

    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 3, 4, 7 })
    @Tag("ci")
    void shouldReportWhatASequentialRunReports(final int nPes) throws Exception
    {
        assertAgreement(new Feed(SHIPPED), Decimal.parse("500000"), nPes);
    }

    @ParameterizedTest
    @ValueSource(ints = { 2, 4 })
    void shouldAgreeWhenAllBookTheSameInstruments(final int nPes) throws Exception
    {
        final long seed = 20_260_101;
        final Random random = new Random(seed);
        final StringBuilder text = new StringBuilder("symbol,side,quantity,price\n");
        for (int i = 0; i < 20_000; i++)
        {
            text.append((char)('A' + random.nextInt(3))).append(random.nextBoolean() ? ",buy," : ",sell,")
                .append(1 + random.nextInt(100)).append(',').append(1 + random.nextInt(1000)).append(".25\n");
        }

        final Feed feed = new Feed(Files.writeString(directory.resolve("fills.csv"), text));

        assertAgreement(feed, Decimal.parse("100000000"), nPes);
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 3 })
    void shouldReportTheSameFromDeviceMemory(final int nPes) throws Exception
    {
        SimulatedCuda.assumeAvailable();
        final Feed feed = new Feed(SHIPPED);
        final long limit = Decimal.parse("500000");
        final String expected = SequentialLedger.run(feed, limit).toString();
        final AtomicReference<String> actual = new AtomicReference<>();
        Shmem.runLocal(nPes, new Shmem.Context(), (shmem) ->
        {
            final Report report = DeviceLedger.run(shmem, 0, feed, limit);
            if (null != report)
            {
                actual.set(report.toString());
            }
        });

        assertTrue(expected.contains("BREACHED"), expected);
        assertEquals(expected, actual.get());
    }

    @Test
    void shouldReportWhatTheReadmeShows() throws Exception
    {
        final long limit = Decimal.parse(RiskLedger.DEFAULT_LIMIT);
        final String report = SequentialLedger.run(new Feed(SHIPPED), limit).toString();

        final String readme = Files.readString(Path.of("../README.md"));
        final String block = "```\n" + report.replace(System.lineSeparator(), "\n") + RiskLedger.VERIFIED + "\n```";
        assertTrue(readme.contains(block), report);
    }

    private static void assertAgreement(final Feed feed, final long limit, final int nPes) throws Exception
    {
        final String expected = SequentialLedger.run(feed, limit).toString();
        final AtomicReference<String> actual = new AtomicReference<>();
        Shmem.runLocal(nPes, new Shmem.Context(), (shmem) ->
        {
            final Report report = new SharedLedger(shmem, feed, limit).run();
            if (null != report)
            {
                actual.set(report.toString());
            }
        });

        assertTrue(expected.contains("BREACHED"), expected);
        assertEquals(expected, actual.get());
    }
}
