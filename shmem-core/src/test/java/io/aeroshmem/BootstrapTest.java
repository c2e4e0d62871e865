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
import static org.junit.jupiter.api.Assertions.assertTrue;

class BootstrapTest
{
    @Test
    void shouldMakeOnePerPeInOrder()
    {
        final Bootstrap[] bootstraps = Bootstrap.inProcess(3);
        assertEquals(3, bootstraps.length);
        for (int pe = 0; pe < 3; pe++)
        {
            assertEquals("PE " + pe + " of 3", bootstraps[pe].toString());
        }
    }

    @Test
    void shouldBeAJobOfOneWhereTheEnvironmentNamesNone()
    {
        assertEquals("PE 0 of 1", Bootstrap.fromEnvironment().toString());
    }

    @Test
    void shouldRefuseAJobOfNone()
    {
        final Exception ex = assertThrows(IllegalArgumentException.class, () -> Bootstrap.inProcess(0));
        assertTrue(ex.getMessage().contains("given 0, allowed is 1 or more"), ex.getMessage());
    }
}
