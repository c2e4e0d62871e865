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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Failures of PEs of the other host that the PEs of one host report: death, stop, exit, and processes that do not
 * belong to the job.
 */
@Tag("ci")
@Tag("waits")
class HostFailureTest extends OnTwoHosts
{
    private static final int KILLED = 137;
    private static final long SOON_MS = 2_000;
    /** From the start of the job: the time until a PE exits is part of it. */
    private static final long EXIT_MS = 4_000;
    private static final long CLOSE_MS = 3_000;
    /** A stopped process is killed after 1.2 times aeroshmem.liveness.timeout, which is 10 s by default. */
    private static final long STOPPED_MS = 12_000 + 1_000;
    private static final long ACROSS_HOSTS_MS = 10_000 + 1_000;

    @ParameterizedTest(name = "{0}, PE {1}, in {2}")
    @CsvSource({
        "AUTO, 3, 'WAIT,FETCH,GET,BARRIER'",
        "AUTO, 2, 'GET,REDUCE,WAIT,QUIET'"
    })
    void shouldReportADeadPe(final TransportKind transport, final int victim, final String calls)
    {
        killOne(transport, victim, calls);
    }

    @ParameterizedTest(name = "{0}, PE {1}, in {2}")
    @CsvSource({
        "AUTO, 0, 'WAIT,FETCH,GET,BARRIER'",
        "AUTO, 1, 'REDUCE,WAIT,CLOSE,SPLIT'",
        "UDP, 0, 'FETCH,CLOSE,QUIET,MALLOC'",
        "UDP, 1, 'QUIET,GET,FETCH,LOCK'",
        "UDP, 2, 'GET,WAIT,QUIET,ALLTOALL'",
        "UDP, 3, 'MALLOC,LOCK,BARRIER,GET'"
    })
    @Tag("exhaustive")
    void shouldReportAnyDeadPe(final TransportKind transport, final int victim, final String calls)
    {
        killOne(transport, victim, calls);
    }

    private static void killOne(final TransportKind transport, final int victim, final String calls)
    {
        try (HostsJob job = new HostsJob(hosts, Blocked.class).transport(transport)
            .property(Blocked.CALLS_PROPERTY, calls).start())
        {
            final Ends ends = new Ends(job);
            final long killed = System.currentTimeMillis();
            job.pe(victim).kill();
            final int[] statuses = new int[HostsJob.PES];
            statuses[victim] = KILLED;
            job.awaitEnd(Deadlines.WAIT, statuses);
            for (int pe = 0; pe < HostsJob.PES; pe++)
            {
                if (pe != victim)
                {
                    checkMessage(ends.check(pe, killed, SOON_MS, CLOSE_MS, victim), ends, victim);
                }
            }
        }
    }

    /**
     * The message names the dead PE, its host and its last sign of life.
     */
    private static void checkMessage(final String message, final Ends ends, final int victim)
    {
        if (!"by none".equals(message))
        {
            assertTrue(message.contains("PE " + victim + " (pid " + ends.pid(victim) + ", host " +
                hosts.host(victim / HostsJob.PES_PER_HOST) + ")"), message);
            assertTrue(message.contains(" ms ago"), message);
        }
    }

    @ParameterizedTest(name = "{0}, host {1}, in {2}")
    @CsvSource({
        "AUTO, 1, 'FETCH,WAIT,BARRIER,BARRIER'",
        "AUTO, 0, 'BARRIER,BARRIER,GET,REDUCE'",
        "UDP, 1, 'WAIT,QUIET,BARRIER,BARRIER'"
    })
    @Tag("exhaustive")
    void shouldReportADeadHost(final TransportKind transport, final int victim, final String calls)
    {
        try (TwoHosts two = TwoHosts.start();
            HostsJob job = new HostsJob(two, Blocked.class).transport(transport)
                .property(Blocked.CALLS_PROPERTY, calls).start())
        {
            final Ends ends = new Ends(job);
            final long killed = System.currentTimeMillis();
            two.host(victim).kill();
            final int first = victim * HostsJob.PES_PER_HOST;
            final int[] statuses = new int[HostsJob.PES];
            Arrays.fill(statuses, first, first + HostsJob.PES_PER_HOST, KILLED);
            job.awaitEnd(Deadlines.WAIT, statuses);
            for (int pe = 0; pe < HostsJob.PES; pe++)
            {
                if (0 == statuses[pe])
                {
                    ends.check(pe, killed, ACROSS_HOSTS_MS, CLOSE_MS, first, first + 1);
                }
            }
        }
    }

    @ParameterizedTest(name = "{0}, status {1}, {2}")
    @CsvSource({
        "AUTO, 3, 'COMPUTE,WAIT,COMPUTE,EXIT'"
    })
    void shouldExitEverywhere(final TransportKind transport, final int status, final String calls)
    {
        exit(transport, status, calls);
    }

    @ParameterizedTest(name = "{0}, status {1}, {2}")
    @CsvSource({
        "AUTO, 0, 'WAIT,COMPUTE,EXIT,COMPUTE'",
        "UDP, 255, 'EXIT,COMPUTE,WAIT,COMPUTE'",
        "AUTO, 255, 'COMPUTE,EXIT,GET,BARRIER'",
        "UDP, 3, 'COMPUTE,EXIT,EXIT,COMPUTE'"
    })
    @Tag("exhaustive")
    void shouldExitOnEveryPeWhenAnyExits(final TransportKind transport, final int status, final String calls)
    {
        exit(transport, status, calls);
    }

    private static void exit(final TransportKind transport, final int status, final String calls)
    {
        try (HostsJob job = new HostsJob(hosts, Blocked.class).transport(transport)
            .property(Blocked.CALLS_PROPERTY, calls).property(Blocked.STATUS_PROPERTY, Integer.toString(status))
            .start())
        {
            final Ends ends = new Ends(job);
            final long start = System.nanoTime();
            job.awaitEnd(Deadlines.WAIT, status, status, status, status);
            final long ns = System.nanoTime() - start;
            Deadlines.requireWithin(TimeUnit.MILLISECONDS.toNanos(EXIT_MS), ns, ends::toString);
            job.print("all exited " + ns / 1_000_000 + " ms after " + ends);
        }
    }

    @ParameterizedTest(name = "{0}, PE {1} stops")
    @CsvSource({"AUTO, 2", "UDP, 3", "UDP, 0"})
    @Tag("exhaustive")
    void shouldWaitForOneThatStopsForAWhile(final TransportKind transport, final int pe) throws IOException
    {
        final Path stop = Files.createTempFile("aeroshmem-test-stop-", "");
        Files.delete(stop);
        try (HostsJob job = new HostsJob(hosts, Traffic.class).transport(transport)
            .property(Traffic.STOP_PROPERTY, stop.toString()).start())
        {
            job.pe(pe).awaitLine(Traffic.ROUND);
            job.pe(pe).stop();
            hosts.host(0).run("sleep", "5");
            final int before = job.pe(pe).lines(Traffic.ROUND).size();
            job.pe(pe).resume();
            HostProcess.await(
                () -> !job.pe(pe).isAlive() || job.pe(pe).lines(Traffic.ROUND).size() > before + 2,
                "rounds after the stop");
            Files.createFile(stop);
            job.awaitEnd(Deadlines.WAIT);
        }
        finally
        {
            Files.deleteIfExists(stop);
        }
    }

    @ParameterizedTest(name = "{0}, PE {1} stops, in {2}")
    @CsvSource({
        "AUTO, 2, 'WAIT,GET,BARRIER,FETCH'",
        "UDP, 3, 'FETCH,QUIET,BARRIER,WAIT'",
        "AUTO, 0, 'BARRIER,WAIT,FETCH,REDUCE'"
    })
    @Tag("exhaustive")
    void shouldGiveUpOneThatStopsForTooLong(final TransportKind transport, final int victim, final String calls)
    {
        try (HostsJob job = new HostsJob(hosts, Blocked.class).transport(transport)
            .property(Blocked.CALLS_PROPERTY, calls).start())
        {
            final Ends ends = new Ends(job);
            final long stopped = System.currentTimeMillis();
            job.pe(victim).stop();
            final int first = victim / HostsJob.PES_PER_HOST * HostsJob.PES_PER_HOST;
            for (int pe = 0; pe < HostsJob.PES; pe++)
            {
                if (pe != victim)
                {
                    final HostProcess survivor = job.pe(pe);
                    assertTrue(survivor.awaitEnd(System.nanoTime() + Deadlines.WAIT_NS), () -> survivor + " ends");
                    if (pe / HostsJob.PES_PER_HOST == victim / HostsJob.PES_PER_HOST)
                    {
                        ends.checkOfLeader(pe, stopped, STOPPED_MS, CLOSE_MS, victim);
                    }
                    else
                    {
                        ends.check(pe, stopped, STOPPED_MS, CLOSE_MS, first, first + 1);
                    }
                }
            }
        }
    }

    @Test
    void shouldRejectOneWithoutTheSecret()
    {
        final List<HostProcess> outsiders = new ArrayList<>();
        try (HostsJob job = new HostsJob(hosts, NodeTeams.class))
        {
            job.start(0);
            job.start(1);
            job.start(2);
            outsiders.add(job.start("outsider", 3, "not " + job.secret()));
            assertTrue(outsiders.get(0).awaitEnd(System.nanoTime() + Deadlines.WAIT_NS), "the outsider ends");
            assertNotEquals(0, outsiders.get(0).exitValue());
            final String reported = outsiders.get(0).output();
            assertTrue(reported.contains("BootstrapException") && reported.contains("secret"), reported);
            job.start(3);
            job.awaitEnd(Deadlines.WAIT);
            final String log = job.pe(0).output();
            assertTrue(log.contains(hosts.address(1)), "PE 0 reports the rejected address: " + log);
            assertTrue(!log.contains(job.secret()) && !reported.contains(job.secret()), "the secret is not shown");
        }
        finally
        {
            outsiders.forEach(HostProcess::kill);
        }
    }
}
