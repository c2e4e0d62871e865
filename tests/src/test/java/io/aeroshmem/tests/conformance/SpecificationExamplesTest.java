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
package io.aeroshmem.tests.conformance;

import io.aeroshmem.Shmem;
import io.aeroshmem.TransportKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Compares the lines that the examples print on four PEs with those of the C programs, in any order. */
@Timeout(60)
class SpecificationExamplesTest
{
    private static final int PES = 4;
    private static final Map<String, List<String>> LINES = lines();

    private static Map<String, List<String>> lines()
    {
        final Map<String, List<String>> lines = new LinkedHashMap<>();
        lines.put("hello-openshmem",
            List.of("Hello from 0 of 4", "Hello from 1 of 4", "Hello from 2 of 4", "Hello from 3 of 4"));
        lines.put("shmem_alltoall_example", List.of());
        lines.put("shmem_alltoalls_example", List.of());
        lines.put("shmem_atomic_add_example", List.of("0: dst = 66", "1: dst = 22", "2: dst = 22", "3: dst = 22"));
        lines.put("shmem_atomic_fetch_add_example", List.of(
            "0: old = -1, dst = 66", "1: old = 22, dst = 22", "2: old = -1, dst = 22", "3: old = -1, dst = 22"));
        lines.put("shmem_atomic_fetch_inc_example", List.of(
            "0: old = 22, dst = 22", "1: old = -1, dst = 23", "2: old = -1, dst = 22", "3: old = -1, dst = 22"));
        lines.put("shmem_atomic_inc_example", List.of("0: dst = 74", "1: dst = 75", "2: dst = 74", "3: dst = 74"));
        lines.put("shmem_atomic_swap_example",
            List.of("1: dest = 1, swapped = 2", "3: dest = 3, swapped = 0"));
        lines.put("shmem_barrier_example", List.of("0: x = 4", "1: x = 10101", "2: x = 4", "3: x = 10101"));
        lines.put("shmem_barrierall_example", List.of("0: x = 4", "1: x = 4", "2: x = 4", "3: x = 4"));
        lines.put("shmem_broadcast_example",
            List.of("0: 0, 1, 2, 3", "1: 0, 1, 2, 3", "2: 0, 1, 2, 3", "3: 0, 1, 2, 3"));
        lines.put("shmem_collect_example", List.of(
            "0: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9", "1: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9",
            "2: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9", "3: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9"));
        lines.put("shmem_ctx_pipelined_reduce", List.of());
        lines.put("shmem_fence_example", List.of(
            "dest[0] on PE 0 is 0", "dest[0] on PE 1 is 1", "dest[0] on PE 2 is 1", "dest[0] on PE 3 is 0"));
        lines.put("shmem_finalize_example", List.of("0: y = 10101", "1: y = -1", "2: y = -1", "3: y = -1"));
        lines.put("shmem_g_example", List.of("0: y = 10101", "1: y = -1", "2: y = -1", "3: y = -1"));
        lines.put("shmem_init_example", List.of("PE 1 targ=33 (expect 33)"));
        lines.put("shmem_iput_example", List.of("dest on PE 1 is 1 3 5 7 9"));
        lines.put("shmem_npes_example", List.of(
            "I am #0 of 4 PEs executing this program", "I am #1 of 4 PEs executing this program",
            "I am #2 of 4 PEs executing this program", "I am #3 of 4 PEs executing this program"));
        lines.put("shmem_p_example", List.of("OK"));
        lines.put("shmem_ptr_example", List.of("PE 1 dest: 1, 2, 3, 4"));
        lines.put("shmem_put_example", List.of(
            "dest[0] on PE 0 is 0", "dest[0] on PE 1 is 1", "dest[0] on PE 2 is 0", "dest[0] on PE 3 is 0"));
        lines.put("shmem_put_signal_example", List.of());
        lines.put("shmem_quiet_example", List.of("x: { 1, 2, 3 }", "y: 90"));
        lines.put("shmem_scan_example", List.of());
        lines.put("shmem_sync_example", List.of());
        lines.put("shmem_team_context", List.of());
        lines.put("shmem_team_split_strided", List.of());
        lines.put("shmem_team_translate_pe", List.of());
        lines.put("shmem_test_any_example", List.of());
        lines.put("shmem_test_some_example", List.of());
        lines.put("shmem_wait_until_all", List.of());
        lines.put("shmem_wait_until_any_all2all_sum", List.of());
        lines.put("shmem_wait_until_any_vector", List.of());
        lines.put("shmem_wait_until_some_all2all_sum", List.of());
        final String numbers = "0 \t1 \t2 \t3 \t4 \t5 \t6 \t7 \t8 \t9 \t10 \t11 \t12 \t13 \t14 \t15 \t";
        lines.put("writing_shmem_example", List.of(
            "dest on PE 1 is \t" + numbers, "dest on PE 2 is \t" + numbers, "dest on PE 3 is \t" + numbers));
        return lines;
    }

    private static Stream<String> names()
    {
        return LINES.keySet().stream();
    }

    @ParameterizedTest
    @MethodSource("names")
    void shouldPrintTheLinesOfTheReference(final String name) throws Exception
    {
        assertEquals(LINES.get(name), printed(name, PES, TransportKind.MAPPED));
    }

    /** The winner of the race, and the first PE whose update is seen, vary. */
    @Test
    void shouldPrintOneOfTheLinesOfTheReference() throws Exception
    {
        final List<String> winner = printed("shmem_atomic_compare_swap_example", PES, TransportKind.MAPPED);
        assertEquals(1, winner.size());
        assertTrue(winner.get(0).matches("PE [0-3] was first"), winner.get(0));

        final List<String> update = printed("shmem_test_example1", PES, TransportKind.MAPPED);
        assertEquals(1, update.size());
        assertTrue(update.get(0).matches("PE 0 observed first update from PE [1-3]"), update.get(0));

        final List<String> counts = printed("shmem_lock_example", PES, TransportKind.MAPPED);
        assertEquals(List.of("count is 0", "count is 1", "count is 2", "count is 3"),
            counts.stream().map((line) -> line.substring(line.indexOf(' ') + 1)).sorted().toList());
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "shmem_ctx_pipelined_reduce", "shmem_put_signal_example", "shmem_scan_example", "shmem_sync_example",
        "shmem_team_context", "shmem_wait_until_some_all2all_sum"})
    void shouldHaveTheSameResultsOverMessages(final String name) throws Exception
    {
        assertEquals(LINES.get(name), printed(name, 3, TransportKind.IPC));
    }

    @Test
    void shouldRejectAnUnknownName()
    {
        final IllegalArgumentException ex = assertThrows(
            IllegalArgumentException.class, () -> printed("shmem_none", 1, TransportKind.MAPPED));
        assertTrue(ex.getMessage().contains("hello-openshmem") && ex.getMessage().endsWith("name=shmem_none"),
            ex.getMessage());
    }

    private static List<String> printed(
        final String name, final int nPes, final TransportKind transport) throws Exception
    {
        final List<String> lines = Collections.synchronizedList(new ArrayList<>());
        final Shmem.Context config = new Shmem.Context()
            .transport(transport).heapSize(1 << 20).operationTimeoutNs(TimeUnit.SECONDS.toNanos(30));
        Shmem.runLocal(nPes, config, (shmem) -> SpecificationExamples.run(name, shmem, lines::add));
        return lines.stream().sorted().toList();
    }
}
