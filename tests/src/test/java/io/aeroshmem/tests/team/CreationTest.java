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
package io.aeroshmem.tests.team;

import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.JobForm;
import io.aeroshmem.tests.fixture.NetworkFaults;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;

/**
 * Teams of createTeam and of splits by colour over every transport.
 */
class CreationTest
{
    /** Of random tests: 1, and more in the nightly run. */
    private static final int VOLUME = Integer.getInteger("aeroshmem.test.volume", 1);

    @ParameterizedTest(name = "{0}, {1}, {2} PEs")
    @CsvSource(
        {"MAPPED, THREADS, 1", "MAPPED, THREADS, 2", "MAPPED, THREADS, 5", "IPC, THREADS, 3", "UDP, THREADS, 3",
        "MAPPED, PROCESSES, 3", "IPC, PROCESSES, 2"})
    void shouldCreate(final TransportKind transport, final JobForm form, final int nPes)
    {
        job(nPes, transport, form).run(new CreationRoutines());
    }

    @ParameterizedTest(name = "{0}, {1}, {2} PEs")
    @CsvSource({"UDP, THREADS, 3", "MAPPED, PROCESSES, 3"})
    @Tag("ci")
    void shouldFailOnAll(final TransportKind transport, final JobForm form, final int nPes)
    {
        failOnAll(transport, form, nPes);
    }

    @ParameterizedTest(name = "{0}, {1}, {2} PEs")
    @CsvSource({"MAPPED, THREADS, 1", "MAPPED, THREADS, 2", "MAPPED, THREADS, 5", "IPC, THREADS, 3"})
    @Tag("nightly")
    void shouldFailOnAllInMoreJobs(final TransportKind transport, final JobForm form, final int nPes)
    {
        failOnAll(transport, form, nPes);
    }

    private static void failOnAll(final TransportKind transport, final JobForm form, final int nPes)
    {
        job(nPes, transport, form)
            .property("aeroshmem.teams.max", Integer.toString(Failures.MAX_TEAMS))
            .run(new CreationFailureRoutines());
    }

    @Test
    void shouldCreateInInvokerMode()
    {
        job(3, TransportKind.IPC, JobForm.THREADS)
            .property("aeroshmem.progress.mode", "invoker")
            .run(new CreationRoutines());
    }

    @Test
    void shouldCreateWithCheckedCollectives()
    {
        job(3, TransportKind.MAPPED, JobForm.THREADS)
            .property("aeroshmem.check.collectives", "true")
            .property("aeroshmem.check.threads", "true")
            .run(new CreationRoutines());
    }

    @Test
    void shouldCompareNoAddressesWithinDeclaredMemory()
    {
        job(3, TransportKind.MAPPED, JobForm.THREADS)
            .property("aeroshmem.check.collectives", "true")
            .run("declared memory", Creations::shouldCompareNoAddressesWithinDeclaredMemory);
    }

    @Test
    void shouldSynchronizeEveryTeam()
    {
        job(3, TransportKind.MAPPED, JobForm.THREADS)
            .property("aeroshmem.collectives.synchronization", "synchronized")
            .run("synchronised", Creations::shouldSynchronizeEveryTeam);
    }

    @Test
    void shouldCreateAmongPesOfSeveralNodesInOneJvm()
    {
        job(4, TransportKind.AUTO, JobForm.THREADS).nodes("a", "b", "b", "c").run(new CreationRoutines());
    }

    @Test
    @Tag("ci")
    void shouldCreateOverANetworkThatLosesAndReorders()
    {
        job(3, TransportKind.UDP, JobForm.THREADS).network(NetworkFaults.ALL, 1).run(new CreationRoutines());
    }

    @ParameterizedTest
    @CsvSource({"MAPPED, 16", "IPC, 8"})
    @Tag("ci")
    void shouldInterleaveCreationsAndDestructions(final TransportKind transport, final int nPes)
    {
        job(nPes, transport, JobForm.THREADS)
            .run("interleaved", CreationChurn::shouldInterleaveCreationsAndDestructions);
    }

    @ParameterizedTest
    @CsvSource({"MAPPED, THREADS, 3, 100", "MAPPED, PROCESSES, 2, 40", "IPC, THREADS, 2, 40"})
    @Tag("ci")
    void shouldKeepNothing(final TransportKind transport, final JobForm form, final int nPes, final int teams)
    {
        churn(transport, form, nPes, VOLUME * teams);
    }

    @ParameterizedTest
    @CsvSource({"MAPPED, THREADS, 5", "MAPPED, PROCESSES, 3", "IPC, THREADS, 3", "UDP, THREADS, 2"})
    @Tag("exhaustive")
    @Timeout(1_200)
    void shouldKeepNothingOfTenThousandTeams(final TransportKind transport, final JobForm form, final int nPes)
    {
        churn(transport, form, nPes, 10_000);
    }

    private static void churn(final TransportKind transport, final JobForm form, final int nPes, final int teams)
    {
        job(nPes, transport, form)
            .deadline(Duration.ofMinutes(15))
            .property("aeroshmem.teams.max", Integer.toString(Failures.MAX_TEAMS))
            .property(TeamChurn.TEAMS, Integer.toString(teams))
            .run(new CreationChurn());
    }

    private static Job job(final int nPes, final TransportKind transport, final JobForm form)
    {
        return Job.of(nPes).transport(transport).form(form).inUsedProcesses()
            .heapSize(1 << 20);
    }
}
