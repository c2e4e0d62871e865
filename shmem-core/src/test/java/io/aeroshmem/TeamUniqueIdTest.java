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
package io.aeroshmem;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class TeamUniqueIdTest
{
    private static final byte[] SEAL = "0123456789abcdef and more".getBytes(StandardCharsets.US_ASCII);

    private final TeamUniqueId id = TeamUniqueId.of(3, 1L << 40, 77, SEAL);

    @Test
    void shouldSurviveTheWayThroughBytes()
    {
        assertTrue(id.toBytes().length <= 56);
        final TeamUniqueId copy = TeamUniqueId.fromBytes(id.toBytes());
        assertEquals(id, copy);
        assertEquals(id.hashCode(), copy.hashCode());
        assertEquals(id.toString(), copy.toString());
        assertEquals(3, copy.pe());
        assertEquals(1L << 40, copy.place());
        assertEquals(77, copy.serial());
        assertTrue(copy.isSealed(SEAL));
        assertFalse(copy.isSealed("0123456789abcdeF and more".getBytes(StandardCharsets.US_ASCII)));
        assertNotEquals(id, TeamUniqueId.of(3, 1L << 40, 78, SEAL));
    }

    @Test
    void shouldBeImmutable()
    {
        final byte[] bytes = id.toBytes();
        final byte[] before = bytes.clone();
        Arrays.fill(bytes, (byte)0);
        assertArrayEquals(before, id.toBytes());
        final byte[] given = before.clone();
        final TeamUniqueId copy = TeamUniqueId.fromBytes(given);
        Arrays.fill(given, (byte)0);
        assertEquals(id, copy);
    }

    @Test
    void shouldRefuseWhatIsNoTeamUniqueId()
    {
        assertThrows(IllegalArgumentException.class, () -> TeamUniqueId.fromBytes(new byte[0]));
        assertThrows(IllegalArgumentException.class, () -> TeamUniqueId.fromBytes(new byte[TeamUniqueId.LENGTH]));
        assertThrows(
            IllegalArgumentException.class, () -> TeamUniqueId.fromBytes(Arrays.copyOf(id.toBytes(), 56)));
    }
}
