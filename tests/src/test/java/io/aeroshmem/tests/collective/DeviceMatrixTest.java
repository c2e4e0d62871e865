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
import io.aeroshmem.tests.fixture.MemoryChoice;
import io.aeroshmem.tests.fixture.RoutineSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Every collective against the oracle with dest and source in device memory, and with kinds of memory that differ
 * within a PE and between PEs, on the simulated driver. Of all jobs <code>-Daeroshmem.test.share=3/24</code> takes one
 * of 24 parts.
 */
class DeviceMatrixTest
{
    private static final int ROTATION = (int)(Long.getLong("aeroshmem.test.seed", System.nanoTime()) & 0xFFFF);
    private static final int[] PES = {1, 2, 4};

    static List<Arguments> allJobs()
    {
        final List<Arguments> jobs = new ArrayList<>();
        for (final JobForm form : JobForm.values())
        {
            for (final TransportKind transport : TransportKind.values())
            {
                for (final MemoryChoice memory : new MemoryChoice[]{MemoryChoice.DEVICE, MemoryChoice.MIXED})
                {
                    for (final int nPes : PES)
                    {
                        jobs.add(Arguments.of(jobs.size(), memory, transport, form, nPes, true));
                        jobs.add(Arguments.of(jobs.size(), memory, transport, form, nPes, false));
                    }
                }
            }
        }

        // in an order in which the jobs of a part have nothing in common
        Collections.shuffle(jobs, new Random(0));
        final String[] share = System.getProperty(CollectiveMatrixTest.SHARE_PROPERTY, "1/1").split("/");
        final int part = Integer.parseInt(share[0]) - 1;
        final int parts = Integer.parseInt(share[1]);
        return jobs.subList(jobs.size() * part / parts, jobs.size() * (part + 1) / parts);
    }

    @ParameterizedTest(name = "{1}, {2}, {3}, {4} PEs, CUDA IPC {5}")
    @CsvSource({"0, MIXED, MAPPED, THREADS, 3, true"})
    void shouldMatchTheOracle(
        final int number,
        final MemoryChoice memory,
        final TransportKind transport,
        final JobForm form,
        final int nPes,
        final boolean isShared)
    {
        calls(CasePlan.Kind.COVERING_SMALL, number, memory, transport, form, nPes, isShared);
    }

    @ParameterizedTest(name = "{1}, {2}, {3}, {4} PEs, CUDA IPC {5}")
    @CsvSource({
        "1, DEVICE, UDP, THREADS, 2, true", "2, MIXED, MAPPED, PROCESSES, 4, false",
        "3, DEVICE, MAPPED, PROCESSES, 2, true"})
    @Tag("ci")
    void shouldMatchTheOracleOnEveryPath(
        final int number,
        final MemoryChoice memory,
        final TransportKind transport,
        final JobForm form,
        final int nPes,
        final boolean isShared)
    {
        calls(CasePlan.Kind.COVERING_SMALL, number, memory, transport, form, nPes, isShared);
    }

    @ParameterizedTest(name = "{1}, {2}, {3}, {4} PEs, CUDA IPC {5}")
    @CsvSource({
        "0, MIXED, MAPPED, THREADS, 4, true", "1, DEVICE, UDP, THREADS, 2, true",
        "2, MIXED, MAPPED, PROCESSES, 3, false"})
    @Tag("ci")
    void shouldMatchTheOracleByRequests(
        final int number,
        final MemoryChoice memory,
        final TransportKind transport,
        final JobForm form,
        final int nPes,
        final boolean isShared)
    {
        requests(RequestPlan.Kind.COVERING_SMALL, number, memory, transport, form, nPes, isShared);
    }

    @ParameterizedTest(name = "{1}, {2}, {3}, {4} PEs, CUDA IPC {5}")
    @MethodSource("allJobs")
    @Tag("exhaustive")
    @Timeout(1_200)
    void shouldMatchTheOracleInEveryJob(
        final int number,
        final MemoryChoice memory,
        final TransportKind transport,
        final JobForm form,
        final int nPes,
        final boolean isShared)
    {
        calls(CasePlan.Kind.COVERING, number, memory, transport, form, nPes, isShared);
        requests(RequestPlan.Kind.COVERING, number, memory, transport, form, nPes, isShared);
    }

    private static void calls(
        final CasePlan.Kind kind,
        final int number,
        final MemoryChoice memory,
        final TransportKind transport,
        final JobForm form,
        final int nPes,
        final boolean isShared)
    {
        final CasePlan plan = new CasePlan(kind, number, ROTATION, null);
        final Job job = Job.of(nPes).transport(transport).form(form)
            .heapSize(2 * CaseRunner.arenaLength(plan.maxBytes()) + (1 << 20))
            .property(CasePlan.PROPERTY, plan.toString());
        run(job, memory, isShared, new CollectiveMatrix());
    }

    private static void requests(
        final RequestPlan.Kind kind,
        final int number,
        final MemoryChoice memory,
        final TransportKind transport,
        final JobForm form,
        final int nPes,
        final boolean isShared)
    {
        final RequestPlan plan = new RequestPlan(kind, number, ROTATION, null);
        final Job job = Job.of(nPes).transport(transport).form(form)
            .heapSize(3 * RequestCall.arenaLength(plan.maxBytes()) + (1 << 20))
            .property(RequestPlan.PROPERTY, plan.toString());
        run(job, memory, isShared, new RequestMatrix());
    }

    private static void run(
        final Job job, final MemoryChoice memory, final boolean isShared, final RoutineSet set)
    {
        job.inUsedProcesses()
            .memory(memory)
            .property("aeroshmem.heap.sparse", "true")
            .property("aeroshmem.gpu.ipc", Boolean.toString(isShared))
            .run(set);
    }
}
