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
package io.aeroshmem.tools.launch;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;

class ProcessTextTest
{
    @Test
    void shouldQuoteForAShellAndHideSecrets()
    {
        assertEquals(
            "AEROSHMEM_PE=0 AEROSHMEM_RENDEZVOUS_SECRET=... AEROSHMEM_SHM_DIR='/a b'" +
                " AEROSHMEM_UNIQUE_ID=... java -Daeroshmem.rendezvous.secret=... -Dx=y,z -cp /a.jar:/b 'it'\\''s' ''",
            ProcessText.of(
                Map.of(
                    "AEROSHMEM_SHM_DIR", "/a b", "AEROSHMEM_PE", "0", "AEROSHMEM_RENDEZVOUS_SECRET", "hidden words",
                    "AEROSHMEM_UNIQUE_ID", "ab12", "HOME", "/root"),
                List.of(
                    "java", "-Daeroshmem.rendezvous.secret=hidden words", "-Dx=y,z", "-cp", "/a.jar:/b", "it's", "")));
    }

    @Test
    void shouldReplaceThePlaceholdersOfPes()
    {
        assertEquals("a-3-b:3 %p", Placeholders.replace("a-{pe}-{host}:{pe} %p", 3, "b"));
    }
}
