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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Reductions of the same inputs in the same team give the same bits on every path.
 */
@Tag("ci")
class ReductionBitsTest
{
    @ParameterizedTest
    @ValueSource(ints = {4, 6})
    @Tag("nightly")
    void shouldBeTheSameOfMorePes(final int nPes)
    {
        reduce(nPes);
    }

    @Test
    @Tag("jdk")
    void shouldBeTheSameOf3Pes()
    {
        reduce(3);
    }

    private static void reduce(final int nPes)
    {
        job(nPes).transport(TransportKind.MAPPED).run(new ReductionBits());
        final String bits = Long.toString(ReductionBits.bits());
        job(nPes).transport(TransportKind.IPC).property(ReductionBits.EXPECTED, bits).run(new ReductionBits());
        job(nPes).transport(TransportKind.UDP).property(ReductionBits.EXPECTED, bits).run(new ReductionBits());
        job(nPes).transport(TransportKind.MAPPED).form(JobForm.PROCESSES).property(ReductionBits.EXPECTED, bits)
            .run(new ReductionBits());
        final List<Algorithm> algorithms = AlgorithmTable.rows().stream()
            .filter((row) -> Routine.REDUCE == row.routine()).map((row) -> row.algorithm()).distinct()
            .collect(Collectors.toList());
        for (final Algorithm algorithm : algorithms)
        {
            final Job job = job(nPes).property(ReductionBits.EXPECTED, bits)
                .property(Routine.REDUCE.algorithmProperty().propertyName(), algorithm.propertyValue());
            if (Algorithm.TWO_LEVEL == algorithm)
            {
                final String[] nodes = {"a", "a", "b", "b", "b", "c"};
                job.nodes(List.of(nodes).subList(0, nPes).toArray(new String[0]));
            }

            job.run(new ReductionBits());
        }
    }

    private static Job job(final int nPes)
    {
        return Job.of(nPes).inUsedProcesses().heapSize(4 << 20);
    }
}
