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
import io.aeroshmem.tests.fixture.PeThreads;
import io.aeroshmem.tests.fixture.RoutineSet;

import java.util.List;

/**
 * The cases of the plan that the property specifies, on several threads of each PE at once: each has teams of its own,
 * which overlap with those of the others.
 */
final class CollectiveThreads extends RoutineSet
{
    private static final int THREADS = 4;

    CollectiveThreads()
    {
        add("threads", CollectiveThreads::shouldDoWhatTheOracleDoes);
    }

    private static void shouldDoWhatTheOracleDoes(final Pe pe) throws InterruptedException
    {
        final CasePlan plan = CasePlan.parse(System.getProperty(CasePlan.PROPERTY));
        final List<CollectiveCase> cases = plan.cases(pe.n());
        final long maxBytes = cases.stream().mapToLong((test) -> test.maxBytes(pe.n())).max().orElse(0);
        try (TeamSet teams = new TeamSet(pe))
        {
            final CaseRunner[] runners = new CaseRunner[THREADS];
            for (int thread = 0; thread < THREADS; thread++)
            {
                runners[thread] = new CaseRunner(pe, teams, maxBytes);
            }

            PeThreads.run(pe, THREADS, (thread) ->
            {
                for (final CollectiveCase test : cases)
                {
                    if (thread == test.shape().ordinal() % THREADS)
                    {
                        runners[thread].run(test);
                    }
                }
            });
            pe.shmem().barrierAll();
        }
    }
}
