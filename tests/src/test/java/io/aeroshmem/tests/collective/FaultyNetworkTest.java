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
import io.aeroshmem.tests.fixture.Deadlines;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.JobForm;
import io.aeroshmem.tests.fixture.NetworkFaults;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Every collective, by several threads of each PE at once, over networks that lose, reorder and duplicate datagrams,
 * against the oracle.
 */
@Tag("ci")
class FaultyNetworkTest
{
    private static final int ROTATION = (int)(Long.getLong("aeroshmem.test.seed", System.nanoTime()) & 0xFFFF);
    private static final NetworkFaults[] FAULTS = {
        NetworkFaults.LOSS_1, NetworkFaults.LOSS_10, NetworkFaults.DISORDER, NetworkFaults.ALL};
    private static final int[] PES = {2, 3, 4};

    /** Requests meet the fourth network. */
    static List<Arguments> coveringJobs()
    {
        return List.of(
            Arguments.of(1, NetworkFaults.LOSS_10, JobForm.THREADS, 2, 1),
            Arguments.of(2, NetworkFaults.DISORDER, JobForm.THREADS, 4, 1),
            Arguments.of(3, NetworkFaults.ALL, JobForm.PROCESSES, 3, 2));
    }

    static List<Arguments> allJobs()
    {
        final List<Arguments> jobs = new ArrayList<>();
        for (final NetworkFaults faults : FAULTS)
        {
            for (final JobForm form : JobForm.values())
            {
                for (final int nPes : PES)
                {
                    jobs.add(Arguments.of(jobs.size(), faults, form, nPes, JobForm.THREADS == form ? 1 : 2));
                }
            }
        }

        return jobs;
    }

    @ParameterizedTest(name = "{1}, {2}, {3} PEs, {4} drivers")
    @MethodSource("coveringJobs")
    void shouldMatchTheOracle(
        final int number, final NetworkFaults faults, final JobForm form, final int nPes, final int drivers)
    {
        run(new CasePlan(CasePlan.Kind.COVERING, number, ROTATION, null), faults, form, nPes, drivers,
            Deadlines.WAIT);
    }

    @ParameterizedTest(name = "{1}, {2}, {3} PEs, {4} drivers")
    @MethodSource("allJobs")
    @Tag("exhaustive")
    @Timeout(value = 12, unit = TimeUnit.HOURS)
    void shouldMatchTheOracleInEveryCase(
        final int number, final NetworkFaults faults, final JobForm form, final int nPes, final int drivers)
    {
        final String[] share = System.getProperty(CollectiveMatrixTest.SHARE_PROPERTY, "1/1").split("/");
        run(new CasePlan(CasePlan.Kind.EXHAUSTIVE, Integer.parseInt(share[0]) - 1, Integer.parseInt(share[1]), null),
            faults, form, nPes, drivers, Duration.ofHours(12));
    }

    @Test
    void shouldMatchTheOracleByRequests()
    {
        final RequestPlan plan = new RequestPlan(RequestPlan.Kind.COVERING_SMALL, 0, ROTATION, null);
        Job.of(3).transport(TransportKind.UDP).network(NetworkFaults.LOSS_1, 1).form(JobForm.THREADS)
            .heapSize(2 * RequestCall.arenaLength(plan.maxBytes()) + (1 << 20))
            .property("aeroshmem.heap.sparse", "true")
            .property(RequestPlan.PROPERTY, plan.toString())
            .run(new RequestMatrix());
    }

    private static void run(
        final CasePlan plan,
        final NetworkFaults faults,
        final JobForm form,
        final int nPes,
        final int drivers,
        final Duration deadline)
    {
        Job.of(nPes).transport(TransportKind.UDP).network(faults, drivers).form(form).deadline(deadline)
            .inUsedProcesses()
            .heapSize(8 * CaseRunner.arenaLength(plan.maxBytes()) + (1 << 20))
            .property("aeroshmem.heap.sparse", "true")
            .property(CasePlan.PROPERTY, plan.toString())
            .run(new CollectiveThreads());
    }
}
