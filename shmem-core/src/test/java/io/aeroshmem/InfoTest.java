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

class InfoTest
{
    @Test
    void shouldFollowOpenShmemOneSix()
    {
        assertEquals(new Info.Version(1, 6, 0), Info.specVersion());
        assertEquals("1.6.0", Info.specVersion().toString());
    }

    @Test
    void shouldKnowTheVersionOfTheBuild()
    {
        assertTrue(Info.name().startsWith("AeroSHMEM " + Info.vendorVersion()), Info.name());
    }

    @Test
    void shouldParseVersions()
    {
        assertEquals(new Info.Version(1, 2, 3), Info.parse("1.2.3"));
        assertEquals(new Info.Version(0, 10, 0), Info.parse("0.10.0-SNAPSHOT"));
        assertEquals(new Info.Version(2, 0, 0), Info.parse("2.0"));
        assertThrows(IllegalStateException.class, () -> Info.parse("${project.version}"));
    }
}
