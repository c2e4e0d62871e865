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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class PropertyNameCheckTest
{
    @ParameterizedTest
    @CsvSource({
        "AEROSHMEM_HAEP_SIZE, AEROSHMEM_HEAP_SIZE",
        "AEROSHMEM_HEAPSIZE, AEROSHMEM_HEAP_SIZE",
        "AEROSHMEM_TRANSPROT, AEROSHMEM_TRANSPORT",
        "AEROSHMEM_NPE, AEROSHMEM_NPES",
        "AEROSHMEM_ALGORITHM_ALLTOALLSS, AEROSHMEM_ALGORITHM_ALLTOALLS",
        "AEROSHMEM_RENDEZVOUZ, AEROSHMEM_RENDEZVOUS",
        "AEROSHMEM_UDP_MUT, AEROSHMEM_UDP_MTU"
    })
    void shouldFindAMisspeltVariable(final String given, final String nearest)
    {
        final String message = assertThrows(
            IllegalArgumentException.class,
            () -> PropertyNameCheck.check(List.of(), List.of("PATH", given))).getMessage();
        assertTrue(message.startsWith("unknown environment variable " + given + ": the nearest is " + nearest),
            message);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "AEROSHMEM_PE", "AEROSHMEM_NPES", "AEROSHMEM_JOB_DIR", "AEROSHMEM_UNIQUE_ID", "AEROSHMEM_SSH",
        "AEROSHMEM_RENDEZVOUS", "AEROSHMEM_RENDEZVOUS_SECRET", "AEROSHMEM_HOME", "AEROSHMEM_VERSION", "AEROSHMEM_A",
        "AEROSHMEM_SERVICE_HOST", "AEROSHMEM_SERVICE_PORT", "AEROSHMEM_PORT", "AEROSHMEM_PORT_7077_TCP_ADDR",
        "AEROSHMEMHEAP_SIZE", "aeroshmem_heap_siz"
    })
    void shouldAllowVariablesOfTheLauncherAndOfOthers(final String name)
    {
        assertDoesNotThrow(() -> PropertyNameCheck.check(List.of(), List.of(name)));
    }

    @ParameterizedTest
    @CsvSource({
        "aeroshmem.haep.size, aeroshmem.heap.size",
        "aeroshmem.Heap.Size, aeroshmem.heap.size",
        "aeroshmem.check.collective, aeroshmem.check.collectives",
        "aeroshmem.latency.records, aeroshmem.latency.record"
    })
    void shouldFindAnUnknownProperty(final String given, final String nearest)
    {
        final String message = assertThrows(
            IllegalArgumentException.class, () -> PropertyNameCheck.check(List.of(given), List.of())).getMessage();
        assertTrue(message.startsWith("unknown property " + given + ": the nearest is " + nearest), message);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "aeroshmem.heap.size", "aeroshmem.script", "aeroshmem.ssh", "aeroshmem.test.seed", "aeron.dir", "aeroshmem"
    })
    void shouldAllowPropertiesOfTheCommandLineAndOfTests(final String name)
    {
        assertDoesNotThrow(() -> PropertyNameCheck.check(List.of(name), List.of()));
    }

    @Test
    void shouldFindAnUnknownPropertyInInit()
    {
        System.setProperty("aeroshmem.haep.size", "1m");
        try
        {
            final Exception ex = assertThrows(IllegalArgumentException.class, () -> Shmem.init().close());
            assertTrue(ex.getMessage().contains("aeroshmem.heap.size"), ex.getMessage());
        }
        finally
        {
            System.clearProperty("aeroshmem.haep.size");
        }
    }
}
