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

import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.RoutineSet;

import java.util.List;
import java.util.Map;

/**
 * The cases of the plan that the property specifies.
 */
public final class CollectiveMatrix extends RoutineSet
{
    CollectiveMatrix()
    {
        add("collectives", CollectiveMatrix::shouldDoWhatTheOracleDoes);
    }

    /**
     * Properties of the PEs of a job that runs a covering part of the matrix.
     *
     * @param number of the job, which chooses the part.
     * @return by name.
     */
    public static Map<String, String> propertiesOfCoveringJob(final int number)
    {
        final CasePlan plan = new CasePlan(CasePlan.Kind.COVERING, number, 0, null);
        return Map.of(
            CasePlan.PROPERTY, plan.toString(),
            "aeroshmem.heap.size", Long.toString(2 * CaseRunner.arenaLength(plan.maxBytes()) + (1 << 20)),
            "aeroshmem.heap.sparse", "true");
    }

    private static void shouldDoWhatTheOracleDoes(final Pe pe)
    {
        final CasePlan plan = CasePlan.parse(System.getProperty(CasePlan.PROPERTY));
        final List<CollectiveCase> cases = plan.cases(pe.n());
        final long maxBytes = cases.stream().mapToLong((test) -> test.maxBytes(pe.n())).max().orElse(0);
        try (TeamSet teams = new TeamSet(pe))
        {
            final CaseRunner runner = new CaseRunner(pe, teams, maxBytes);
            for (final CollectiveCase test : cases)
            {
                pe.enter("case " + test);
                runner.run(test);
            }

            pe.shmem().barrierAll();
            runner.free();
        }
    }
}
