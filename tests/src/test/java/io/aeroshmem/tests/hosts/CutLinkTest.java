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
package io.aeroshmem.tests.hosts;

import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Deadlines;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Jobs whose hosts are cut off from each other: a short cut has no effect, a cut longer than the tolerance is an
 * exception on every PE.
 */
@Tag("ci")
@Tag("waits")
class CutLinkTest extends OnTwoHosts
{
    /** Default of aeroshmem.liveness.timeout. */
    private static final long LIVENESS_MS = 10_000;
    private static final long SHORT_LIVENESS_MS = 5_000;
    private static final long SLACK_MS = 1_000;
    private static final long CLOSE_MS = 3_000;

    @ParameterizedTest(name = "{0}, cut at {1} for {2} s")
    @CsvSource("AUTO, 0, 2")
    void shouldSurviveACut(final TransportKind transport, final int end, final int seconds) throws IOException
    {
        survive(transport, end, seconds);
    }

    @ParameterizedTest(name = "{0}, cut at {1} for {2} s")
    @CsvSource({"AUTO, 1, 2", "UDP, 0, 2", "UDP, 1, 2", "AUTO, 0, 6", "UDP, 1, 6"})
    @Tag("nightly")
    void shouldSurviveCutsOfAllKinds(final TransportKind transport, final int end, final int seconds)
        throws IOException
    {
        survive(transport, end, seconds);
    }

    private static void survive(final TransportKind transport, final int end, final int seconds) throws IOException
    {
        final Path stop = Files.createTempFile("aeroshmem-test-stop-", "");
        Files.delete(stop);
        try (HostsJob job = new HostsJob(hosts, Traffic.class).transport(transport)
            .property(Traffic.STOP_PROPERTY, stop.toString()).start())
        {
            for (int pe = 0; pe < HostsJob.PES; pe++)
            {
                job.pe(pe).awaitLine(Traffic.ROUND);
            }

            final int before = rounds(job).size();
            hosts.cut(end, Duration.ofSeconds(seconds));
            final long mended = System.currentTimeMillis();
            HostProcess.await(
                () -> !job.pe(0).isAlive() || rounds(job).stream().filter((time) -> time > mended).count() > 2,
                "rounds after the cut");
            Files.createFile(stop);
            job.awaitEnd(Deadlines.WAIT);

            final List<Long> rounds = rounds(job);
            for (int pe = 0; pe < HostsJob.PES; pe++)
            {
                assertEquals(Integer.toString(rounds.size()), job.pe(pe).awaitLine(Traffic.DONE));
            }

            long gap = 0;
            for (int i = 1; i < rounds.size(); i++)
            {
                gap = Math.max(gap, rounds.get(i) - rounds.get(i - 1));
            }

            assertTrue(gap > seconds * 1_000L - 500, "the cut was felt: " + gap + " ms without a round");
            job.print("cut for " + seconds + " s after " + before + " rounds of " + rounds.size() +
                "; the longest was of " + gap + " ms");
        }
        finally
        {
            Files.deleteIfExists(stop);
        }
    }

    /**
     * When PE 0 ended each round.
     */
    private static List<Long> rounds(final HostsJob job)
    {
        return job.pe(0).lines(Traffic.ROUND).stream()
            .map((line) -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1))).collect(Collectors.toList());
    }

    @ParameterizedTest(name = "{0}, cut at {1}, in {2}")
    @CsvSource("AUTO, 0, 'WAIT,GET,FETCH,BARRIER'")
    void shouldFailOnAllPes(final TransportKind transport, final int end, final String calls)
    {
        fail(new HostsJob(hosts, Blocked.class).transport(transport)
            .property("aeroshmem.liveness.timeout", SHORT_LIVENESS_MS + "ms"), end, calls, SHORT_LIVENESS_MS);
    }

    @ParameterizedTest(name = "{0}, cut at {1}, in {2}")
    @CsvSource({
        "UDP, 1, 'WAIT,GET,FETCH,BARRIER'",
        "AUTO, 1, 'REDUCE,QUIET,MALLOC,LOCK'",
        "UDP, 0, 'CLOSE,GET,QUIET,FETCH'",
        "UDP, 0, 'GET,SPLIT,QUIET,ALLTOALL'",
        "AUTO, 0, 'FETCH,CLOSE,WAIT,GET'",
        "AUTO, 0, 'WAIT,GET,FETCH,BARRIER'"
    })
    @Tag("nightly")
    void shouldFailInWhateverTheyWait(final TransportKind transport, final int end, final String calls)
    {
        fail(new HostsJob(hosts, Blocked.class).transport(transport), end, calls, LIVENESS_MS);
    }

    @ParameterizedTest(name = "{0}, cut at {1}, in {2}")
    @CsvSource("AUTO, 0, 'GET,BARRIER,WAIT,FETCH'")
    @Tag("nightly")
    void shouldFailWithADriverOfEachHostsOwn(final TransportKind transport, final int end, final String calls)
    {
        fail(new HostsJob(hosts, Blocked.class).transport(transport).drivers(), end, calls, LIVENESS_MS);
    }

    @ParameterizedTest(name = "{0}, nothing from {1}, in {2}")
    @CsvSource({"AUTO, 0, 'WAIT,GET,FETCH,BARRIER'", "UDP, 1, 'BARRIER,FETCH,WAIT,GET'"})
    @Tag("nightly")
    void shouldFailWhenOneHostIsSilent(final TransportKind transport, final int end, final String calls)
    {
        fail(new HostsJob(hosts, Blocked.class).transport(transport), () -> hosts.cutOneWay(end), calls, LIVENESS_MS);
    }

    private static void fail(
        final HostsJob unstarted, final int end, final String calls, final long livenessMs)
    {
        fail(unstarted, () -> hosts.cut(end), calls, livenessMs);
    }

    private static void fail(
        final HostsJob unstarted, final Runnable cutting, final String calls, final long livenessMs)
    {
        try (HostsJob job = unstarted.property(Blocked.CALLS_PROPERTY, calls).start())
        {
            final Ends ends = new Ends(job);
            cutting.run();
            final long cut = System.currentTimeMillis();
            job.awaitEnd(Deadlines.WAIT);
            for (int pe = 0; pe < HostsJob.PES; pe++)
            {
                final int first = pe < HostsJob.PES_PER_HOST ? HostsJob.PES_PER_HOST : 0;
                ends.check(pe, cut, livenessMs + SLACK_MS, CLOSE_MS, first, first + 1);
            }
        }
        finally
        {
            hosts.mend();
        }
    }
}
