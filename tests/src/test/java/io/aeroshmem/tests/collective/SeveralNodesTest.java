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
package io.aeroshmem.tests.collective;

import io.aeroshmem.TransportKind;
import io.aeroshmem.collective.selection.AlgorithmTable;
import io.aeroshmem.collective.task.Algorithm;
import io.aeroshmem.collective.task.Routine;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.JobForm;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Every collective over PEs that count themselves to several nodes, against the oracle. Members of a node map each
 * other, others exchange messages.
 */
@Tag("ci")
class SeveralNodesTest
{
    private static final String ALIGNED = "a,a,b,b,c";
    private static final String UNALIGNED = "b,a,b,b,c,a";

    @ParameterizedTest
    @CsvSource({
        "0, THREADS, AUTO, '" + ALIGNED + "'",
        "1, THREADS, AUTO, '" + UNALIGNED + "'",
        "2, THREADS, IPC, 'a,a,a,a,b,b'",
        "3, PROCESSES, AUTO, 'a,b,a'"
    })
    void shouldDoWhatTheOracleDoes(
        final int number, final JobForm form, final TransportKind transport, final String nodes)
    {
        final CasePlan plan = new CasePlan(CasePlan.Kind.COVERING, number, 0, null);
        run(job(plan, nodes).form(form).transport(transport));
    }

    static List<Arguments> routinesOfTwoLevels()
    {
        return AlgorithmTable.rows().stream()
            .filter((row) -> Algorithm.TWO_LEVEL == row.algorithm())
            .map((row) -> Arguments.of(row.routine()))
            .collect(Collectors.toList());
    }

    /** Each build has {@code LockstepRoutinesByMessagesTest}, with nodes of any shape. */
    @ParameterizedTest
    @MethodSource("routinesOfTwoLevels")
    @Tag("nightly")
    void shouldDoSoForBlocksOfAnySizeInTwoLevels(final Routine routine)
    {
        for (final String nodes : List.of(ALIGNED, UNALIGNED, "a,a,a,a,b,b,b"))
        {
            final CasePlan plan =
                new CasePlan(CasePlan.Kind.COVERING, nodes.length(), 0, Call.valueOf(routine.name()));
            run(job(plan, nodes).transport(nodes.length() > 11 ? TransportKind.IPC : TransportKind.AUTO)
                .property(routine.algorithmProperty().propertyName(), Algorithm.TWO_LEVEL.propertyValue()));
        }
    }

    private static Job job(final CasePlan plan, final String nodes)
    {
        final String[] names = nodes.split(",");
        return Job.of(names.length).nodes(names).inUsedProcesses()
            .heapSize(2 * CaseRunner.arenaLength(plan.maxBytes()) + (1 << 20))
            .property("aeroshmem.heap.sparse", "true")
            .property(CasePlan.PROPERTY, plan.toString());
    }

    private static void run(final Job job)
    {
        job.run(new CollectiveMatrix());
    }
}
