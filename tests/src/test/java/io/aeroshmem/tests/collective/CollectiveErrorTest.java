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
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.JobForm;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Collectives with invalid arguments, on one PE or on all.
 */
@Tag("ci")
@Tag("waits")
class CollectiveErrorTest
{
    private static final String CHECK = "aeroshmem.check.collectives";

    @ParameterizedTest
    @CsvSource({"MAPPED, THREADS, 1", "MAPPED, THREADS, 2", "MAPPED, PROCESSES, 3", "IPC, THREADS, 3",
        "UDP, THREADS, 2"})
    void shouldRejectBadCalls(final TransportKind transport, final JobForm form, final int nPes)
    {
        Job.of(nPes).transport(transport).form(form).inUsedProcesses().heapSize(1 << 20).run(new BadCalls());
    }

    @ParameterizedTest
    @CsvSource({"MAPPED, 1", "IPC, 2"})
    void shouldRejectBadCallsWhereCallsAreChecked(final TransportKind transport, final int nPes)
    {
        Job.of(nPes).transport(transport).heapSize(1 << 20).property(CHECK, "true")
            .run("bad calls by all", new BadCalls().routines().get("bad calls by all"));
    }

    @ParameterizedTest
    @CsvSource({"MAPPED, 3", "IPC, 4", "UDP, 2"})
    void shouldDoTheSameWhereCallsAreChecked(final TransportKind transport, final int nPes)
    {
        final CasePlan plan = new CasePlan(CasePlan.Kind.COVERING, nPes, 0, null);
        Job.of(nPes).transport(transport).heapSize(2 * CaseRunner.arenaLength(plan.maxBytes()) + (1 << 20))
            .property("aeroshmem.heap.sparse", "true").property(CHECK, "true")
            .property(CasePlan.PROPERTY, plan.toString()).run(new CollectiveMatrix());
    }

    @ParameterizedTest
    @CsvSource({"MAPPED, 3", "IPC, 4"})
    void shouldMatchTheOracleByRequestsWhereCallsAreChecked(final TransportKind transport, final int nPes)
    {
        final RequestPlan plan = new RequestPlan(RequestPlan.Kind.COVERING, nPes, 0, null);
        Job.of(nPes).transport(transport).heapSize(2 * RequestCall.arenaLength(plan.maxBytes()) + (1 << 20))
            .property("aeroshmem.heap.sparse", "true").property(CHECK, "true")
            .property(RequestPlan.PROPERTY, plan.toString()).run(new RequestMatrix());
    }
}
