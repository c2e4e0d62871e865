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
package io.aeroshmem.tools;

import io.aeroshmem.tools.latency.MachineDescription;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;

class DistortionsTest
{
    @Test
    void shouldNameTheCausesInOneLine()
    {
        assertEquals("", Distortions.describe(4, 2, 2, true, machine("performance")));
        assertEquals("", Distortions.describe(0, 2, 2, true, machine(MachineDescription.UNKNOWN)));
        assertEquals(
            "3 processors for 4 busy threads", Distortions.describe(3, 2, 2, true, machine("performance")));
        assertEquals("threads are not pinned", Distortions.describe(4, 2, 2, false, machine("performance")));
        assertEquals(
            "1 processors for 2 busy threads; threads are not pinned; governor performance, powersave",
            Distortions.describe(1, 2, 0, false, machine("performance, powersave")));
    }

    private static MachineDescription machine(final String governors)
    {
        return new MachineDescription("CPU", governors, "never", "never", "0 of 2048 kB", 1);
    }
}
