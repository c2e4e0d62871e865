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
import io.aeroshmem.tests.fixture.JobMatrix;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Every collective over every transport and kind of team, against the oracle: a covering part of the matrix, and all
 * of it in the profile exhaustive, of which <code>-Daeroshmem.test.share=3/24</code> takes one of 24 parts.
 */
class CollectiveMatrixTest
{
    static final int COVERING_JOBS = 15;
    /** Of the jobs of threads, those that have up to 3 PEs. */
    private static final int FEW_COVERING_JOBS = 3;

    static final String SHARE_PROPERTY = "aeroshmem.test.share";
    private static final int ROTATION = (int)(Long.getLong("aeroshmem.test.seed", System.nanoTime()) & 0xFFFF);
    private static final int[] PES = {1, 2, 3, 4, 5, 8, 12};
    private static final TransportKind[] TRANSPORTS = {TransportKind.MAPPED, TransportKind.IPC, TransportKind.UDP};

    static List<Arguments> fewCoveringJobsOfThreads()
    {
        return coveringJobsOfThreads().subList(0, FEW_COVERING_JOBS);
    }

    static List<Arguments> otherCoveringJobsOfThreads()
    {
        final List<Arguments> jobs = coveringJobsOfThreads();
        return jobs.subList(FEW_COVERING_JOBS, jobs.size());
    }

    /** For the order of memory accesses, and for Aeron: simulated worlds have all sizes. */
    private static List<Arguments> coveringJobsOfThreads()
    {
        return jobs(0, JobForm.THREADS, 3, 2, 3, 8, 12, 5);
    }

    static List<Arguments> fewCoveringJobsOfProcesses()
    {
        return coveringJobsOfProcesses().subList(0, TRANSPORTS.length);
    }

    static List<Arguments> otherCoveringJobsOfProcesses()
    {
        final List<Arguments> jobs = coveringJobsOfProcesses();
        return jobs.subList(TRANSPORTS.length, jobs.size());
    }

    private static List<Arguments> coveringJobsOfProcesses()
    {
        return jobs(6, JobForm.PROCESSES, 5, 3, 4, 2, 4, 2, 8, 1, 3);
    }

    /** Jobs over each transport in turn. */
    private static List<Arguments> jobs(final int first, final JobForm form, final int... pes)
    {
        return IntStream.range(0, pes.length)
            .mapToObj((i) -> Arguments.of(first + i, TRANSPORTS[i % TRANSPORTS.length], form, pes[i])).toList();
    }

    static List<Arguments> allJobs()
    {
        return JobMatrix.jobs(PES);
    }

    @ParameterizedTest(name = "{1}, {2}, {3} PEs")
    @MethodSource("fewCoveringJobsOfThreads")
    @Tag("jdk")
    void shouldMatchTheOracle(
        final int number, final TransportKind transport, final JobForm form, final int nPes)
    {
        runCovering(number, transport, form, nPes);
    }

    @ParameterizedTest(name = "{1}, {2}, {3} PEs")
    @MethodSource("otherCoveringJobsOfThreads")
    @Tag("ci")
    void shouldMatchTheOracleInJobsOfOtherSizes(
        final int number, final TransportKind transport, final JobForm form, final int nPes)
    {
        runCovering(number, transport, form, nPes);
    }

    @ParameterizedTest(name = "{1}, {2}, {3} PEs")
    @MethodSource("fewCoveringJobsOfProcesses")
    @Tag("ci")
    void shouldMatchTheOracleInProcesses(
        final int number, final TransportKind transport, final JobForm form, final int nPes)
    {
        runCovering(number, transport, form, nPes);
    }

    @ParameterizedTest(name = "{1}, {2}, {3} PEs")
    @MethodSource("otherCoveringJobsOfProcesses")
    @Tag("nightly")
    void shouldMatchTheOracleInMoreJobsOfProcesses(
        final int number, final TransportKind transport, final JobForm form, final int nPes)
    {
        runCovering(number, transport, form, nPes);
    }

    @ParameterizedTest(name = "{1}, {2}, {3} PEs")
    @CsvSource({
        "0, MAPPED, THREADS, 3", "1, IPC, THREADS, 4", "2, UDP, THREADS, 2", "3, MAPPED, THREADS, 8",
        "4, MAPPED, PROCESSES, 2", "5, IPC, PROCESSES, 3", "6, MAPPED, THREADS, 4", "7, IPC, THREADS, 3",
        "8, MAPPED, THREADS, 5", "9, UDP, THREADS, 3"})
    @Tag("ci")
    void shouldMatchTheOracleByRequests(
        final int number, final TransportKind transport, final JobForm form, final int nPes)
    {
        final RequestPlan plan = new RequestPlan(RequestPlan.Kind.COVERING, number, ROTATION, null);
        requests(plan, transport, form, nPes, Deadlines.WAIT);
    }

    @ParameterizedTest(name = "{0}, {1}, {2} PEs")
    @CsvSource({
        "MAPPED, THREADS, 15", "IPC, THREADS, 15", "UDP, THREADS, 15", "MAPPED, PROCESSES, 15",
        "MAPPED, THREADS, 5", "IPC, THREADS, 4", "UDP, THREADS, 4", "IPC, PROCESSES, 4"})
    @Tag("exhaustive")
    @Timeout(value = 12, unit = TimeUnit.HOURS)
    void shouldMatchTheOracleByRequestsInEveryCase(
        final TransportKind transport, final JobForm form, final int nPes)
    {
        final String[] share = System.getProperty(SHARE_PROPERTY, "1/1").split("/");
        final RequestPlan plan = new RequestPlan(
            RequestPlan.Kind.EXHAUSTIVE, Integer.parseInt(share[0]) - 1, Integer.parseInt(share[1]), null);
        requests(plan, transport, form, nPes, Duration.ofHours(12));
    }

    private static void requests(
        final RequestPlan plan,
        final TransportKind transport,
        final JobForm form,
        final int nPes,
        final Duration deadline)
    {
        Job.of(nPes).transport(transport).form(form).inUsedProcesses().deadline(deadline)
            .heapSize(2 * RequestCall.arenaLength(plan.maxBytes()) + (1 << 20))
            .property("aeroshmem.heap.sparse", "true")
            .property(RequestPlan.PROPERTY, plan.toString())
            .run(new RequestMatrix());
    }

    @ParameterizedTest(name = "{0}, {1}, {2} PEs")
    @MethodSource("allJobs")
    @Tag("exhaustive")
    @Timeout(value = 12, unit = TimeUnit.HOURS)
    void shouldMatchTheOracleInEveryCase(final TransportKind transport, final JobForm form, final int nPes)
    {
        final String[] share = System.getProperty(SHARE_PROPERTY, "1/1").split("/");
        run(new CasePlan(CasePlan.Kind.EXHAUSTIVE, Integer.parseInt(share[0]) - 1, Integer.parseInt(share[1]), null),
            transport, form, nPes, Duration.ofHours(12));
    }

    private static void runCovering(
        final int number, final TransportKind transport, final JobForm form, final int nPes)
    {
        run(new CasePlan(CasePlan.Kind.COVERING, number, ROTATION, null), transport, form, nPes,
            Deadlines.WAIT);
    }

    private static void run(
        final CasePlan plan,
        final TransportKind transport,
        final JobForm form,
        final int nPes,
        final Duration deadline)
    {
        job(plan, transport, form, nPes, deadline).run(new CollectiveMatrix());
    }

    private static Job job(
        final CasePlan plan,
        final TransportKind transport,
        final JobForm form,
        final int nPes,
        final Duration deadline)
    {
        return Job.of(nPes).transport(transport).form(form).inUsedProcesses().deadline(deadline)
            .heapSize(2 * CaseRunner.arenaLength(plan.maxBytes()) + (1 << 20))
            .property("aeroshmem.heap.sparse", "true")
            .property(CasePlan.PROPERTY, plan.toString());
    }
}
