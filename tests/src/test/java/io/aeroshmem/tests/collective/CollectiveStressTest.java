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
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;

/**
 * Collectives in great numbers, by many threads and by many PEs.
 */
@Tag("ci")
class CollectiveStressTest
{

    @ParameterizedTest
    @CsvSource({"MAPPED, THREADS, 3", "IPC, THREADS, 4", "UDP, THREADS, 3", "MAPPED, PROCESSES, 3"})
    @Tag("jdk")
    void shouldKeepThreadsApart(final TransportKind transport, final JobForm form, final int nPes)
    {
        final CasePlan plan = new CasePlan(CasePlan.Kind.COVERING, nPes, transport.ordinal(), null);
        Job.of(nPes).transport(transport).form(form).inUsedProcesses()
            .heapSize(8 * CaseRunner.arenaLength(plan.maxBytes()) + (1 << 20))
            .property("aeroshmem.heap.sparse", "true")
            .property(CasePlan.PROPERTY, plan.toString())
            .run(new CollectiveThreads());
    }

    @ParameterizedTest
    @CsvSource({"MAPPED, THREADS, 2, 500000, auto", "MAPPED, PROCESSES, 2, 500000, dissemination",
        "MAPPED, THREADS, 5, 10000, auto", "MAPPED, THREADS, 7, 5000, dissemination", "IPC, THREADS, 2, 20000, auto",
        "IPC, THREADS, 5, 3000, dissemination", "IPC, PROCESSES, 3, 3000, auto", "UDP, THREADS, 3, 5000, auto"})
    void shouldMeetBackToBack(
        final TransportKind transport,
        final JobForm form,
        final int nPes,
        final int times,
        final String algorithm)
    {
        job(transport, form, nPes, times, algorithm).run(new Stress.Barriers());
    }

    @ParameterizedTest
    @CsvSource({"MAPPED, THREADS, 12", "IPC, PROCESSES, 4", "UDP, PROCESSES, 3"})
    @Tag("exhaustive")
    @Timeout(7_200)
    void shouldMeetAMillionTimes(final TransportKind transport, final JobForm form, final int nPes)
    {
        job(transport, form, nPes, 1_000_000, "auto").deadline(Duration.ofHours(2)).run(new Stress.Barriers());
    }

    private static Job job(
        final TransportKind transport,
        final JobForm form,
        final int nPes,
        final int times,
        final String algorithm)
    {
        return Job.of(nPes).transport(transport).form(form).inUsedProcesses().heapSize(1 << 20)
            .property(Stress.TIMES, Integer.toString(times)).property("aeroshmem.algorithm.barrier", algorithm);
    }

    @ParameterizedTest
    @CsvSource({"MAPPED, THREADS, 2", "MAPPED, PROCESSES, 4", "IPC, THREADS, 3", "UDP, PROCESSES, 2"})
    void shouldWaitForASlowLeaf(final TransportKind transport, final JobForm form, final int nPes)
    {
        Job.of(nPes).transport(transport).form(form).inUsedProcesses().heapSize(1 << 20)
            .property(Stress.TIMES, "10000").run(new Stress.Broadcasts());
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC"})
    void shouldWorkWithManyPes(final TransportKind transport)
    {
        Job.of(64).transport(transport).heapSize(1 << 20)
            .property("aeroshmem.heap.sparse", "true")
            .run("64 PEs", Stress::shouldWorkWithManyPes);
    }
}
