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
import io.aeroshmem.TransportKind;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.Collections;
import java.util.HashSet;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("ci")
class MarketAverageTest
{
    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC"})
    void shouldHaveTheSameResultsWithRequests(final TransportKind transport) throws Exception
    {
        final Set<String> reports = Collections.synchronizedSet(new HashSet<>());
        Shmem.runLocal(2, new Shmem.Context().transport(transport), (shmem) ->
            reports.add(MarketAverage.compare(shmem, 5, 1_000)));
        assertEquals(2, reports.size());
        for (final String report : reports)
        {
            assertTrue(report.startsWith("5 windows, 1000 symbols, ") && report.endsWith("is hidden\n"), report);
        }
    }
}
