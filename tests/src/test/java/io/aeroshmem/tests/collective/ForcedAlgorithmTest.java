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

import io.aeroshmem.Collective;
import io.aeroshmem.TransportKind;
import io.aeroshmem.collective.Algorithm;
import io.aeroshmem.collective.AlgorithmRow;
import io.aeroshmem.collective.AlgorithmTable;
import io.aeroshmem.collective.Routine;
import io.aeroshmem.tests.fixture.Job;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Every algorithm of the choice table over messages, and between hosts, against the oracle, also where the table
 * prefers another one. {@link LockstepTest} has them over mapped memory.
 */
@Tag("ci")
@Timeout(200)
class ForcedAlgorithmTest
{
    private static final int[] PES = {2, 5, 8};
    private static final TransportKind[] MESSAGES = {TransportKind.IPC, TransportKind.UDP};

    static List<Arguments> algorithms()
    {
        final List<List<Object>> pairs = AlgorithmTable.rows().stream()
            .map((row) -> List.<Object>of(routine(row), row.algorithm()))
            .distinct().collect(Collectors.toList());
        return Stream.iterate(0, (i) -> i < pairs.size(), (i) -> i + 1)
            .map((i) -> Arguments.of(i, pairs.get(i).get(0), pairs.get(i).get(1)))
            .collect(Collectors.toList());
    }

    @ParameterizedTest(name = "{1}, {2}")
    @MethodSource("algorithms")
    void shouldMatchTheOracle(final int number, final Routine routine, final Algorithm algorithm)
    {
        final Call call = routine.compareTo(Routine.FAN_IN) < 0 ? Call.valueOf(routine.name()) : null;
        // the jobs differ from algorithm to algorithm
        run(number + 2, call, routine, algorithm, MESSAGES[number % 2], PES[(number + 2) % 3]);
        if (0 == number % 2 || Algorithm.TWO_LEVEL == algorithm)
        {
            run(number + 3, call, routine, algorithm, TransportKind.AUTO, 5, "a", "a", "a", "b", "b");
        }
        if (0 != number % 2 || Algorithm.TWO_LEVEL == algorithm)
        {
            run(number + 4, call, routine, algorithm, TransportKind.AUTO, 7, "a", "b", "c", "a", "b", "a", "a");
        }
    }

    private static void run(
        final int number,
        final Call call,
        final Routine routine,
        final Algorithm algorithm,
        final TransportKind transport,
        final int nPes,
        final String... nodes)
    {
        if (null == call)
        {
            runRequests(number, routine, algorithm, transport, nPes, nodes);
            return;
        }

        // An algorithm that sends 240 bytes in a round needs up to 70 000 rounds of messages for large counts.
        final CasePlan plan = new CasePlan(CasePlan.Kind.COVERING_SMALL, number, 0, call);
        Job.of(nPes).transport(transport).nodes(nodes).deadline(Duration.ofSeconds(100))
            .heapSize(2 * CaseRunner.arenaLength(plan.maxBytes()) + (1 << 20))
            .property("aeroshmem.heap.sparse", "true")
            .property(CasePlan.PROPERTY, plan.toString())
            .property(routine.algorithmProperty().propertyName(), algorithm.propertyValue())
            .run(new CollectiveMatrix());
    }

    /** Runs a routine that only requests have. */
    private static void runRequests(
        final int number,
        final Routine routine,
        final Algorithm algorithm,
        final TransportKind transport,
        final int nPes,
        final String... nodes)
    {
        final Collective collective =
            Routine.ROOTED_REDUCE == routine ? Collective.REDUCE : Collective.valueOf(routine.name());
        final RequestPlan plan = new RequestPlan(RequestPlan.Kind.COVERING_SMALL, number, 0, collective);
        Job.of(nPes).transport(transport).nodes(nodes).deadline(Duration.ofSeconds(100))
            .heapSize(2 * RequestCall.arenaLength(plan.maxBytes()) + (1 << 20))
            .property("aeroshmem.heap.sparse", "true")
            .property(RequestPlan.PROPERTY, plan.toString())
            .property(routine.algorithmProperty().propertyName(), algorithm.propertyValue())
            .run(new RequestMatrix());
    }

    private static Routine routine(final AlgorithmRow row)
    {
        return row.routine();
    }
}
