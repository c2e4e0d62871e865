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
package io.aeroshmem.config;

import io.aeroshmem.TransportKind;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.SleepingIdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class PropertyParserTest
{
    @ParameterizedTest
    @CsvSource({
        "0, 0", "4096, 4096", "12b, 12", "64k, 65536", "64K, 65536", "64kb, 65536", "64KiB, 65536", "64m, 67108864",
        "1g, 1073741824", "2GiB, 2147483648", "3 GB, 3221225472", "1t, 1099511627776", "1TiB, 1099511627776",
        "9223372036854775807, 9223372036854775807", "8388607t, 9223370937343148032"
    })
    void shouldParseSizes(final String text, final long bytes)
    {
        assertEquals(bytes, PropertyParser.size("heap", text));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", "m", "64q", "-1", "+1", "1.5g", "64 m b", "0x10", "1_000", "64mibs", "\u0663k", "9223372036854775808",
        "8388608t"
    })
    void shouldRefuseMalformedSizes(final String text)
    {
        final Exception ex =
            assertThrows(IllegalArgumentException.class, () -> PropertyParser.size("aeroshmem.heap.size", text));
        assertTrue(ex.getMessage().startsWith("aeroshmem.heap.size must be "), ex.getMessage());
        assertTrue(ex.getMessage().endsWith(": aeroshmem.heap.size=" + text), ex.getMessage());
        assertTrue(ex.getMessage().contains("64m"), ex.getMessage());
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0", "5, 5", "5ns, 5", "2us, 2000", "500ms, 500000000", "10s, 10000000000", "10S, 10000000000",
        "1m, 60000000000", "2 h, 7200000000000"
    })
    void shouldParseDurations(final String text, final long durationNs)
    {
        assertEquals(durationNs, PropertyParser.durationNs("timeout", text));
    }

    @ParameterizedTest
    @ValueSource(strings = { "", "s", "10 sec", "-1s", "1d", "0.5s", "9223372036855s" })
    void shouldRefuseMalformedDurations(final String text)
    {
        final Exception ex =
            assertThrows(IllegalArgumentException.class, () -> PropertyParser.durationNs("timeout", text));
        assertTrue(ex.getMessage().endsWith(": timeout=" + text), ex.getMessage());
    }

    @ParameterizedTest
    @CsvSource({ "0, 0", "1023, 1023", "1024, 1k", "67108864, 64m", "1073741825, 1073741825", "1099511627776, 1t" })
    void shouldWriteSizesAsItReadsThem(final long bytes, final String text)
    {
        assertEquals(text, PropertyParser.formatSize(bytes));
        assertEquals(bytes, PropertyParser.size("heap", text));
    }

    @ParameterizedTest
    @CsvSource({ "0, 0s", "1, 1ns", "1000, 1us", "1500000, 1500us", "100000000, 100ms", "3600000000000, 3600s" })
    void shouldWriteDurationsAsItReadsThem(final long durationNs, final String text)
    {
        assertEquals(text, PropertyParser.formatDuration(durationNs));
        assertEquals(durationNs, PropertyParser.durationNs("timeout", text));
    }

    @Test
    void shouldParseNumbersBooleansAndNamesInAnyCase()
    {
        assertEquals(128, PropertyParser.number("teams", "128"));
        assertThrows(IllegalArgumentException.class, () -> PropertyParser.number("teams", "128k"));
        assertThrows(IllegalArgumentException.class, () -> PropertyParser.number("teams", "-1"));

        assertTrue(PropertyParser.bool("check", "TRUE"));
        assertFalse(PropertyParser.bool("check", "false"));
        assertThrows(IllegalArgumentException.class, () -> PropertyParser.bool("check", "yes"));

        assertEquals(TransportKind.UDP, PropertyParser.choice(TransportKind.class, "transport", "udp"));
        assertEquals(TransportKind.MAPPED, PropertyParser.choice(TransportKind.class, "transport", "Mapped"));
        final Exception ex = assertThrows(
            IllegalArgumentException.class, () -> PropertyParser.choice(TransportKind.class, "transport", "tcp"));
        assertEquals("transport must be auto, mapped, ipc or udp: transport=tcp", ex.getMessage());
    }

    @Test
    void shouldParseIdleStrategies()
    {
        assertNull(PropertyParser.idleStrategy("idle", "auto"));
        assertInstanceOf(BusySpinIdleStrategy.class, PropertyParser.idleStrategy("idle", "spin").get());
        assertInstanceOf(YieldingIdleStrategy.class, PropertyParser.idleStrategy("idle", "Yield").get());
        assertInstanceOf(BackoffIdleStrategy.class, PropertyParser.idleStrategy("idle", "backoff").get());
        assertInstanceOf(SleepingIdleStrategy.class, PropertyParser.idleStrategy("idle", "sleep-ns").get());
        final Exception ex =
            assertThrows(IllegalArgumentException.class, () -> PropertyParser.idleStrategy("idle", "sleep"));
        assertTrue(ex.getMessage().contains("sleep-ns"), ex.getMessage());
    }
}
