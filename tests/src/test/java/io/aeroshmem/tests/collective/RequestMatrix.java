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

/**
 * The cases of requests of the plan that the property specifies.
 */
public final class RequestMatrix extends RoutineSet
{
    RequestMatrix()
    {
        add("requests", RequestMatrix::shouldDoWhatTheOracleDoes);
    }

    private static void shouldDoWhatTheOracleDoes(final Pe pe)
    {
        final RequestPlan plan = RequestPlan.parse(System.getProperty(RequestPlan.PROPERTY));
        final List<RequestCase> cases = plan.cases(pe.n());
        try (RequestTeams teams = new RequestTeams(pe, plan.job(), cases))
        {
            final RequestRunner runner = new RequestRunner(pe, teams, plan.maxBytes());
            runner.run(cases);
            pe.shmem().barrierAll();
            runner.free();
        }
    }
}
