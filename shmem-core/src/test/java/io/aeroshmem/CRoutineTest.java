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

import io.aeroshmem.ApiSource.DocumentedMethod;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The Javadoc of every method of the API names the C routine that it corresponds to, or states that there is none.
 */
class CRoutineTest
{
    private static final List<Class<?>> API = List.of(
        Shmem.class,
        Team.class,
        CommunicationContext.class,
        SymmetricBuffer.class,
        TeamConfig.class,
        Bootstrap.class,
        UniqueId.class,
        TeamUniqueId.class,
        Info.class);

    private static final Pattern ROUTINE =
        Pattern.compile("\\b(shmem|shmemx|nvshmem|nvshmemx|ishmem|ishmemx|ucc|SHMEM|NVSHMEM|NVSHMEMX|UCC)_\\w+");
    private static final Pattern NONE = Pattern.compile("[Nn]o counterpart in C\\b");

    @Test
    void shouldNameTheRoutineOfC() throws IOException
    {
        final List<String> without = new ArrayList<>();
        int methods = 0;
        for (final Class<?> type : API)
        {
            for (final DocumentedMethod method : ApiSource.methods(type))
            {
                methods++;
                final String javadoc = method.javadoc().replaceAll("\\s*\\n\\s*\\*\\s*", " ");
                if (!"toString".equals(method.name()) && !NONE.matcher(javadoc).find() &&
                    !ROUTINE.matcher(javadoc).find())
                {
                    without.add(type.getSimpleName() + "." + method);
                }
            }
        }

        assertTrue(methods > 200, "only " + methods + " methods read");
        assertEquals("", String.join("\n", without));
    }
}
