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

import io.aeroshmem.Shmem;
import io.aeroshmem.ThreadLevel;
import io.aeroshmem.TransportKind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ShmemPropertyTest
{
    private static final String HEAP_SIZE = "aeroshmem.heap.size";

    @AfterEach
    void clear()
    {
        for (final ShmemProperty property : ShmemProperty.values())
        {
            System.clearProperty(property.propertyName());
        }
    }

    @Test
    void shouldPreferTheSystemPropertyToTheEnvironmentToTheDefault()
    {
        final Map<String, String> properties = Map.of(HEAP_SIZE, "2m", "aeroshmem.transport", " ");
        final Map<String, String> environment = Map.of(
            "AEROSHMEM_HEAP_SIZE", "1m", "AEROSHMEM_LIVENESS_TIMEOUT", " 2s ", "AEROSHMEM_TRANSPORT", "ipc");

        assertEquals(
            new ShmemProperty.Setting(HEAP_SIZE, "2m"),
            ShmemProperty.HEAP_SIZE.setting(properties::get, environment::get));
        assertEquals(
            new ShmemProperty.Setting("AEROSHMEM_LIVENESS_TIMEOUT (aeroshmem.liveness.timeout)", "2s"),
            ShmemProperty.LIVENESS_TIMEOUT.setting(properties::get, environment::get));
        assertEquals("ipc", ShmemProperty.TRANSPORT.setting(properties::get, environment::get).text());
        assertNull(ShmemProperty.MAX_TEAMS.setting(properties::get, environment::get).text());
    }

    @Test
    void shouldReadTypedValues()
    {
        assertEquals(64 << 20, ShmemProperty.HEAP_SIZE.longValue());
        assertFalse(ShmemProperty.HEAP_SIZE.isGiven());
        System.setProperty(HEAP_SIZE, "3g");
        System.setProperty("aeroshmem.transport", "UDP");
        System.setProperty("aeroshmem.check.collectives", "true");
        System.setProperty("aeroshmem.idle.strategy", "spin");

        assertTrue(ShmemProperty.HEAP_SIZE.isGiven());
        assertEquals(3L << 30, ShmemProperty.HEAP_SIZE.longValue());
        assertEquals("3g", ShmemProperty.HEAP_SIZE.text());
        assertEquals(10_000_000_000L, ShmemProperty.LIVENESS_TIMEOUT.longValue());
        assertEquals(TransportKind.UDP, ShmemProperty.TRANSPORT.choice(TransportKind.class));
        assertEquals(ThreadLevel.MULTIPLE, ShmemProperty.THREAD_LEVEL.choice(ThreadLevel.class));
        assertTrue(ShmemProperty.CHECK_COLLECTIVES.booleanValue());
        assertNull(ShmemProperty.AERON_DIR.text());
        assertNull(ShmemProperty.WAIT_IDLE_STRATEGY.idleStrategy());
        assertThrows(IllegalStateException.class, ShmemProperty.TRANSPORT::longValue);
        assertThrows(IllegalStateException.class, ShmemProperty.HEAP_SIZE::booleanValue);
    }

    @Test
    void shouldNameThePropertyTheValueAndWhatIsAllowed()
    {
        System.setProperty(HEAP_SIZE, "lots");
        final Exception malformed = assertThrows(IllegalArgumentException.class, ShmemProperty.HEAP_SIZE::longValue);
        assertEquals(
            "aeroshmem.heap.size must be a size such as 4096, 64k, 64m, 1g or 2GiB (units of 1024):" +
                " aeroshmem.heap.size=lots",
            malformed.getMessage());

        System.setProperty(HEAP_SIZE, "1k");
        final Exception tooSmall = assertThrows(IllegalArgumentException.class, ShmemProperty.HEAP_SIZE::longValue);
        assertTrue(tooSmall.getMessage().endsWith(", >= 4k: aeroshmem.heap.size=1k"), tooSmall.getMessage());

        final Exception outOfRange =
            assertThrows(IllegalArgumentException.class, () -> ShmemProperty.LIVENESS_TIMEOUT.check(5));
        final String message = outOfRange.getMessage();
        assertTrue(message.startsWith("aeroshmem.liveness.timeout must be "), message);
        assertTrue(message.endsWith(", 1s to 3600s: aeroshmem.liveness.timeout=5"), message);
        assertEquals(1_000_000_000L, ShmemProperty.LIVENESS_TIMEOUT.check(1_000_000_000L));
    }

    @ParameterizedTest
    @CsvSource({
        "aeroshmem.udp.mtu, 17", "aeroshmem.udp.mtu, 32", "aeroshmem.udp.mtu, 1025", "aeroshmem.udp.mtu, foo",
        "aeroshmem.ipc.mtu, 1025", "aeroshmem.ipc.mtu, 65505", "aeroshmem.term.length, 100000",
        "aeroshmem.join.timeout, soon" })
    void shouldRefuseABadValueWhenAContextIsMade(final String property, final String value)
    {
        System.setProperty(property, value);

        final Exception thrown = assertThrows(IllegalArgumentException.class, Shmem.Context::new);
        assertTrue(thrown.getMessage().startsWith(property + " must be "), thrown::toString);
        assertTrue(thrown.getMessage().endsWith(": " + property + "=" + value), thrown::toString);
        assertEquals(1, thrown.getMessage().lines().count());
    }

    @ParameterizedTest
    @CsvSource({
        "aeroshmem.udp.mtu, 0", "aeroshmem.udp.mtu, 1024", "aeroshmem.ipc.mtu, 1408", "aeroshmem.term.length, 64k" })
    void shouldAcceptAValueOnTheGrid(final String property, final String value)
    {
        System.setProperty(property, value);

        assertDoesNotThrow(Shmem.Context::new);
    }

    @Test
    void shouldNeverShowASecret()
    {
        assertEquals("unset", ShmemProperty.RENDEZVOUS_SECRET.shownText());
        System.setProperty("aeroshmem.rendezvous.secret", "known to few");
        assertEquals("set", ShmemProperty.RENDEZVOUS_SECRET.shownText());
        assertEquals("known to few", ShmemProperty.RENDEZVOUS_SECRET.text());

        assertEquals("64m", ShmemProperty.HEAP_SIZE.shownText());
        System.setProperty(HEAP_SIZE, "3g");
        assertEquals("3g", ShmemProperty.HEAP_SIZE.shownText());
        assertEquals("/dev/shm, else java.io.tmpdir", ShmemProperty.SHM_DIR.shownText());
    }

    @ParameterizedTest
    @EnumSource(ShmemProperty.class)
    void shouldHaveADefaultThatIsAllowed(final ShmemProperty property)
    {
        assertTrue(property.propertyName().startsWith("aeroshmem."));
        assertEquals(property.propertyName().toUpperCase().replace('.', '_'), property.environmentName());
        assertFalse(property.description().isBlank());
        switch (property.type())
        {
            case SIZE, DURATION, NUMBER -> property.longValue();
            case BOOLEAN -> property.booleanValue();
            case IDLE_STRATEGY -> property.idleStrategy();
            case CHOICE -> assertTrue(property.allowed().contains(property.defaultText()));
            case TEXT -> assertEquals(property.defaultText(), property.text());
            default -> assertNull(property.text());
        }
    }

    @Test
    void shouldMarkThePropertiesThatInitCompares()
    {
        final Set<String> compared = new HashSet<>(new Settings().compared().keySet());
        // these are compared on the way to the rendezvous, when the heaps are mapped, and when the devices are set up
        compared.addAll(
            Set.of(HEAP_SIZE, "aeroshmem.rendezvous", "aeroshmem.rendezvous.secret", "aeroshmem.gpu.heap.size"));
        final Set<String> marked = new HashSet<>();
        for (final ShmemProperty property : ShmemProperty.values())
        {
            if (property.isCommon())
            {
                marked.add(property.propertyName());
            }
        }

        assertEquals(compared, marked);
        assertTrue(ConfigurationDocs.markdown().contains(
            "| `aeroshmem.teams.max` | `AEROSHMEM_TEAMS_MAX` | `4096` | a whole number, 1 to 65536 | *same* |"));
    }

    @Test
    void shouldListEveryPropertyOnceInMarkdown()
    {
        final String page = ConfigurationDocs.markdown();
        final Set<String> names = new HashSet<>();
        for (final ShmemProperty property : ShmemProperty.values())
        {
            assertTrue(names.add(property.propertyName()), property.propertyName());
            final String row = page.lines()
                .filter((line) -> line.startsWith("| `" + property.propertyName() + "` |"))
                .reduce((first, second) -> first + second)
                .orElseThrow();
            assertEquals(7, row.chars().filter((c) -> '|' == c).count(), row);
            assertTrue(row.contains(property.environmentName()) && row.contains(property.description()), row);
            assertTrue(property.type().isDefaultInWords() || row.contains("`" + property.defaultText() + "`"), row);
        }

        assertTrue(page.contains("| `AEROSHMEM_JOB_DIR` |"));
        assertTrue(page.endsWith("|\n"));
    }
}
