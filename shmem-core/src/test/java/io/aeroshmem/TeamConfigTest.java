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

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

class TeamConfigTest
{
    @Test
    void shouldSetTheMaskWithEachField()
    {
        final TeamConfig config = new TeamConfig();
        assertEquals(0, config.mask());
        assertEquals(0, config.numContexts());
        config.numContexts(3);
        assertEquals(TeamConfig.NUM_CONTEXTS, config.mask());
        assertEquals(3, config.numContexts());
    }

    @Test
    void shouldHaveDefaultsOutsideTheMask()
    {
        assertEquals(0, new TeamConfig().numContexts(3).mask(0).numContexts());
        assertEquals(3, new TeamConfig().numContexts(3).mask(0).mask(TeamConfig.NUM_CONTEXTS).numContexts());
    }

    @Test
    void shouldRefuseNegativeNumbersAndUnknownBits()
    {
        assertThrows(IllegalArgumentException.class, () -> new TeamConfig().numContexts(-1));
        assertThrows(IllegalArgumentException.class, () -> new TeamConfig().mask(1L << 40));
        assertThrows(IllegalArgumentException.class, () -> new TeamConfig().mask(-1));
    }
}
