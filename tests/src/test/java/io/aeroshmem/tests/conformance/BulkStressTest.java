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

import io.aeroshmem.SessionOption;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.JobForm;
import io.aeroshmem.tests.fixture.NetworkFaults;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;

/**
 * Many small operations where frames are lost, where term buffers hold few of them, and between many PEs; and every
 * routine in sessions.
 */
@Tag("ci")
class BulkStressTest
{

    @ParameterizedTest(name = "{0}, {1} PEs, {2} drivers, sessions {3}")
    @CsvSource({"THREADS, 3, 1, false", "PROCESSES, 2, 2, true"})
    void shouldConformOverALossyNetwork(
        final JobForm form, final int nPes, final int drivers, final boolean isInSessions)
    {
        final Job job = Job.of(nPes).transport(TransportKind.UDP).network(NetworkFaults.LOSS_1, drivers).form(form)
            .inUsedProcesses();
        run(job, isInSessions);
    }

    @ParameterizedTest(name = "{0}, sessions {1}")
    @CsvSource({"IPC, false", "UDP, true"})
    void shouldConformWithTheShortestTermBuffers(final TransportKind transport, final boolean isInSessions)
    {
        run(Job.of(3).transport(transport).property("aeroshmem.term.length", "64k"), isInSessions);
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"IPC"})
    void shouldConformBetweenManyPes(final TransportKind transport)
    {
        run(Job.of(16).transport(transport).heapSize(4 << 20), false);
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "UDP"})
    @Tag("nightly")
    void shouldConformBetweenManyPesOverOtherTransports(final TransportKind transport)
    {
        shouldConformBetweenManyPes(transport);
    }

    @ParameterizedTest(name = "{0}, sessions {1}")
    @CsvSource({"IPC, true", "UDP, false"})
    @Tag("nightly")
    void shouldConformWithTheShortestTermBuffersInMoreJobs(final TransportKind transport, final boolean isInSessions)
    {
        shouldConformWithTheShortestTermBuffers(transport, isInSessions);
    }

    @ParameterizedTest(name = "{0}, {1} PEs, sessions {2}")
    @CsvSource({"MAPPED, 64, false", "IPC, 64, false", "IPC, 64, true", "UDP, 64, true"})
    @Tag("exhaustive")
    void shouldConformBetweenVeryManyPes(final TransportKind transport, final int nPes, final boolean isInSessions)
    {
        run(Job.of(nPes).transport(transport).heapSize(4 << 20).property("aeroshmem.term.length", "64k")
            .deadline(Duration.ofMinutes(14)), isInSessions);
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC"})
    void shouldConformInSessions(final TransportKind transport)
    {
        Job.of(3).transport(transport).inSessions(SessionOption.BATCH).run(new AllRoutines());
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"UDP"})
    void shouldConformInSessionsThatClaimWords(final TransportKind transport)
    {
        Job.of(3).transport(transport).inSessions(SessionOption.BATCH, SessionOption.SAME_AMO)
            .run(new AllRoutines());
    }

    @Test
    @Tag("nightly")
    void shouldConformInSessionsOverTheOtherTransport()
    {
        shouldConformInSessions(TransportKind.UDP);
        shouldConformInSessionsThatClaimWords(TransportKind.IPC);
    }

    private static void run(final Job job, final boolean isInSessions)
    {
        (isInSessions ? job.inSessions(SessionOption.BATCH, SessionOption.SAME_AMO) : job).run(new BulkRoutines());
    }
}
