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

import io.aeroshmem.tests.fixture.Deadlines;

import java.io.PrintStream;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The ends of the PEs of a job of {@link Blocked} calls. Created while all block in their calls.
 */
final class Ends
{
    private static final PrintStream OUT = System.out;

    private final HostsJob job;
    private final String[] pids = new String[HostsJob.PES];

    Ends(final HostsJob job)
    {
        this.job = job;
        for (int pe = 0; pe < HostsJob.PES; pe++)
        {
            pids[pe] = job.pe(pe).awaitLine(Blocked.BLOCKED);
        }
    }

    /**
     * Returns the process id on the PE's host.
     */
    String pid(final int pe)
    {
        return pids[pe];
    }

    @Override
    public String toString()
    {
        return "the calls of processes " + Arrays.toString(pids);
    }

    /**
     * As {@link #check}, but the PE may have detected first that the driver, which the failed PE runs, has stopped.
     */
    void checkOfLeader(
        final int pe, final long sinceMs, final long boundMs, final long closeMs, final int leader)
    {
        final String line = job.pe(pe).line(Blocked.ENDED).orElse("");
        if (line.contains("by DriverFailureException: "))
        {
            assertTrue(line.contains("(pid " + pids[leader]), line);
            checkTimes(pe, sinceMs, boundMs, closeMs);
        }
        else
        {
            check(pe, sinceMs, boundMs, closeMs, leader);
        }
    }

    /**
     * Checks that the PE ended and closed in time, by a PeFailureException for one of those PEs unless it was closing
     * already.
     *
     * @return the failure that it reported.
     */
    String check(
        final int pe, final long sinceMs, final long boundMs, final long closeMs, final Integer... failed)
    {
        final String how = checkTimes(pe, sinceMs, boundMs, closeMs);
        if (!"by none".equals(how))
        {
            final List<Integer> pes = Arrays.asList(failed);
            assertTrue(how.startsWith("by PeFailureException: "), () -> "PE " + pe + " " + how);
            assertTrue(pes.stream().anyMatch((each) -> how.contains("PE " + each + " (pid " + pids[each])),
                () -> "PE " + pe + " names none of " + pes + ": " + how);
        }

        return how;
    }

    private String checkTimes(final int pe, final long sinceMs, final long boundMs, final long closeMs)
    {
        final String line = job.pe(pe).line(Blocked.ENDED)
            .orElseThrow(() -> job.failure("PE " + pe + " does not say how it ended"));
        final int space = line.indexOf(' ');
        final long ended = Long.parseLong(line.substring(0, space));
        final String how = line.substring(space + 1);
        final long took = ended - sinceMs;
        final long close = Long.parseLong(job.pe(pe).awaitLine(Blocked.CLOSED)) - ended;
        OUT.println("PE " + pe + " after " + took + " ms, closed in " + close + " ms: " + how);
        Deadlines.requireWithin(
            TimeUnit.MILLISECONDS.toNanos(boundMs), TimeUnit.MILLISECONDS.toNanos(took), () -> "PE " + pe + ' ' + how);
        Deadlines.requireWithin(TimeUnit.MILLISECONDS.toNanos(closeMs), TimeUnit.MILLISECONDS.toNanos(close),
            () -> "close of PE " + pe);
        return how;
    }
}
