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

import io.aeroshmem.ThreadLevel;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.JobForm;
import io.aeroshmem.tests.fixture.JobMatrix;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.List;

/**
 * Every routine over every transport, with PEs as threads and as processes.
 */
class ConformanceTest
{
    static List<Arguments> jobsOfThreads()
    {
        return JobMatrix.jobs(JobForm.THREADS, 3);
    }

    static List<Arguments> jobsOfProcesses()
    {
        return JobMatrix.jobs(JobForm.PROCESSES, 2);
    }

    /** With the jobs below, each two of transport, form and number of PEs occur together. */
    static List<Arguments> jobsOfOtherSizes()
    {
        final List<Arguments> ofThreads = JobMatrix.jobs(JobForm.THREADS, 1, 4, 5);
        final List<Arguments> ofProcesses = JobMatrix.jobs(JobForm.PROCESSES, 1, 4, 5);
        final List<Arguments> jobs = new ArrayList<>();
        for (int i = 0; i < ofThreads.size(); i++)
        {
            jobs.add((0 == i % 2 ? ofThreads : ofProcesses).get(i));
        }

        jobs.add(Arguments.of(TransportKind.MAPPED, JobForm.THREADS, 4));
        jobs.add(Arguments.of(TransportKind.IPC, JobForm.THREADS, 2));
        jobs.add(Arguments.of(TransportKind.UDP, JobForm.PROCESSES, 3));
        return jobs;
    }

    @ParameterizedTest(name = "{0}, {1}, {2} PEs")
    @MethodSource("jobsOfThreads")
    @Tag("jdk")
    void shouldConform(final TransportKind transport, final JobForm form, final int nPes)
    {
        run(transport, form, nPes);
    }

    @ParameterizedTest(name = "{0}, {1}, {2} PEs")
    @MethodSource("jobsOfProcesses")
    @Tag("ci")
    @Tag("jdk")
    void shouldConformInProcesses(final TransportKind transport, final JobForm form, final int nPes)
    {
        run(transport, form, nPes);
    }

    @ParameterizedTest(name = "{0}, {1}, {2} PEs")
    @CsvSource({"UDP, THREADS, 1", "IPC, PROCESSES, 5"})
    @Tag("ci")
    void shouldConformInJobsOfOtherSizes(final TransportKind transport, final JobForm form, final int nPes)
    {
        run(transport, form, nPes);
    }

    /** Programs keep to their thread level, and threads of the library never count. */
    @ParameterizedTest
    @CsvSource({"FUNNELED, MAPPED, 4", "SERIALIZED, IPC, 3"})
    @Tag("ci")
    void shouldConformWhereTheThreadsOfCallsAreChecked(
        final ThreadLevel level, final TransportKind transport, final int nPes)
    {
        Job.of(nPes).transport(transport).setup((config) -> config.threadLevel(level).checkThreads(true))
            .run(new AllRoutines());
    }

    @ParameterizedTest(name = "{0}, {1}, {2} PEs")
    @MethodSource("jobsOfOtherSizes")
    @Tag("nightly")
    void shouldConformInAllJobsOfOtherSizes(final TransportKind transport, final JobForm form, final int nPes)
    {
        run(transport, form, nPes);
    }

    @ParameterizedTest(name = "{0}, {1}, {2} PEs")
    @CsvSource({"MAPPED, PROCESSES, 7", "IPC, THREADS, 7", "UDP, PROCESSES, 7", "AUTO, THREADS, 7"})
    @Tag("nightly")
    void shouldConformBetweenSevenPes(final TransportKind transport, final JobForm form, final int nPes)
    {
        run(transport, form, nPes);
    }

    private static void run(final TransportKind transport, final JobForm form, final int nPes)
    {
        Job.of(nPes).transport(transport).form(form).inUsedProcesses().run(new AllRoutines());
    }
}
