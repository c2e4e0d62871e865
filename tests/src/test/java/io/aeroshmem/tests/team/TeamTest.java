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
import io.aeroshmem.tests.fixture.RoutineSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Teams of every kind over every transport.
 */
class TeamTest
{
    /** Of random tests: 1, and more in the nightly run. */
    private static final int VOLUME = Integer.getInteger("aeroshmem.test.volume", 1);
    private static final String MAX_TEAMS = "aeroshmem.teams.max";
    private static final int[] PES = {1, 2, 3, 5};
    private static final TransportKind[] TRANSPORTS = {TransportKind.MAPPED, TransportKind.IPC, TransportKind.UDP};

    /** One job of each kind. */
    static List<Arguments> jobs()
    {
        return List.of(
            Arguments.of(TransportKind.MAPPED, JobForm.THREADS, 5),
            Arguments.of(TransportKind.IPC, JobForm.THREADS, 3),
            Arguments.of(TransportKind.UDP, JobForm.THREADS, 2),
            Arguments.of(TransportKind.MAPPED, JobForm.PROCESSES, 4));
    }

    static List<Arguments> moreJobs()
    {
        final List<Arguments> jobs = new ArrayList<>();
        for (final TransportKind transport : TRANSPORTS)
        {
            for (final int nPes : PES)
            {
                jobs.add(Arguments.of(transport, JobForm.THREADS, nPes));
            }
        }

        jobs.add(Arguments.of(TransportKind.IPC, JobForm.PROCESSES, 3));
        jobs.removeIf((job) -> jobs().stream().anyMatch((other) -> Arrays.equals(other.get(), job.get())));
        return jobs;
    }

    @ParameterizedTest(name = "{0}, {1}, {2} PEs")
    @MethodSource("jobs")
    void shouldSplit(final TransportKind transport, final JobForm form, final int nPes)
    {
        job(nPes, transport, form).run(new SplitRoutines());
    }

    @ParameterizedTest(name = "{0}, {1}, {2} PEs")
    @MethodSource("jobs")
    void shouldInitialise(final TransportKind transport, final JobForm form, final int nPes)
    {
        small(nPes, transport, form).run(new InitialisationRoutines());
    }

    @ParameterizedTest(name = "{0}, {1}, {2} PEs")
    @MethodSource("jobs")
    @Tag("ci")
    void shouldFailOnAllMembers(final TransportKind transport, final JobForm form, final int nPes)
    {
        small(nPes, transport, form).run(new FailureRoutines());
    }

    @ParameterizedTest(name = "{0}, {1}, {2} PEs")
    @MethodSource("moreJobs")
    @Tag("nightly")
    void shouldDoAllOfThatInMoreJobs(final TransportKind transport, final JobForm form, final int nPes)
    {
        doAllOfThat(transport, form, nPes);
    }

    @Test
    @Tag("ci")
    void shouldDoAllOfThatInAJobOfOnePe()
    {
        doAllOfThat(TransportKind.IPC, JobForm.THREADS, 1);
    }

    private void doAllOfThat(final TransportKind transport, final JobForm form, final int nPes)
    {
        shouldSplit(transport, form, nPes);
        shouldInitialise(transport, form, nPes);
        shouldFailOnAllMembers(transport, form, nPes);
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC", "UDP"})
    @Tag("ci")
    void shouldSplitAsTheReferencesShow(final TransportKind transport)
    {
        job(10, transport, JobForm.THREADS)
            .run(RoutineSet.of("ten PEs", Splits::shouldSplitTenPesInRowsOfThree));
        job(12, transport, JobForm.THREADS)
            .run(RoutineSet.of("twelve PEs", Splits::shouldSplitTwelvePesInThreeDimensions));
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"AUTO", "IPC"})
    void shouldKnowTheTeamsOfSeveralHosts(final TransportKind transport)
    {
        job(5, transport, JobForm.THREADS).nodes("a", "b", "b", "c", "c")
            .run("hosts", Splits::shouldKnowTheTeamsOfSeveralHosts);
    }

    @ParameterizedTest
    @CsvSource({"MAPPED, THREADS, 2, 1000", "MAPPED, PROCESSES, 3, 200", "IPC, THREADS, 2, 200",
        "UDP, THREADS, 3, 80"})
    @Tag("ci")
    void shouldUseSlotsAgain(
        final TransportKind transport, final JobForm form, final int nPes, final int teams)
    {
        small(nPes, transport, form).property(TeamChurn.TEAMS, Integer.toString(VOLUME * teams)).run(new TeamChurn());
    }

    @ParameterizedTest
    @CsvSource({"MAPPED, THREADS, 5", "MAPPED, PROCESSES, 3", "IPC, THREADS, 4", "UDP, PROCESSES, 2"})
    @Tag("exhaustive")
    @Timeout(3_600)
    void shouldUseSlotsAHundredThousandTimes(final TransportKind transport, final JobForm form, final int nPes)
    {
        small(nPes, transport, form)
            .deadline(Duration.ofHours(1))
            .property(TeamChurn.TEAMS, "100000")
            .run(new TeamChurn());
    }

    @Test
    @Tag("ci")
    void shouldMakeTeamsOverANetworkThatLosesAndReorders()
    {
        faulty(3).run(new SplitRoutines());
        faulty(3).run(new InitialisationRoutines());
        faulty(2).property(TeamChurn.TEAMS, "100").run(new TeamChurn());
    }

    private static Job faulty(final int nPes)
    {
        return small(nPes, TransportKind.UDP, JobForm.THREADS).network(NetworkFaults.ALL, 1);
    }

    private static Job job(final int nPes, final TransportKind transport, final JobForm form)
    {
        return Job.of(nPes).transport(transport).form(form).inUsedProcesses()
            .heapSize(1 << 20);
    }

    private static Job small(final int nPes, final TransportKind transport, final JobForm form)
    {
        return job(nPes, transport, form).property(MAX_TEAMS, Integer.toString(Failures.MAX_TEAMS));
    }
}
