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
package io.aeroshmem.tests.fault;

import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Deadlines;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.PeProcess;
import io.aeroshmem.tests.fixture.TestMemory;
import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.PePhase;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A job in one situation, each of its PEs in another JVM of the pool.
 */
final class FaultJob implements AutoCloseable
{
    private static final long CLOSE_NS = TimeUnit.SECONDS.toNanos(2);
    private static final int NANOS = 4;
    private static final int CLOSE_NANOS = 5;
    private static final int PROBLEMS = 6;
    private static final int OUTCOME = 7;

    final Situation situation;
    final TransportKind transport;
    final int idlePe;
    private final String name;
    private final PeProcess[] players;
    private final String id;
    private final JobDirectory directory;
    private final boolean isCreator;
    private final long livenessMs;
    private final String driver;
    private final long seed;
    private final String[] clients;

    /**
     * @param id        unique id of the job, or null.
     * @param directory of a job without an id; closed by this object, and deleted if it created the directory.
     * @param driver    directory of the media driver.
     * @param idlePe    which of the PEs is idle.
     * @param players   the JVM of each PE; null for a PE that never joins.
     */
    FaultJob(
        final String name,
        final Situation situation,
        final TransportKind transport,
        final String id,
        final JobDirectory directory,
        final boolean isCreator,
        final String driver,
        final long livenessMs,
        final int idlePe,
        final long seed,
        final PeProcess... players)
    {
        this.name = name;
        this.situation = situation;
        this.transport = transport;
        this.driver = driver;
        this.livenessMs = livenessMs;
        this.idlePe = idlePe;
        this.seed = seed;
        this.players = players;
        clients = new String[players.length];
        Arrays.fill(clients, FaultPe.OF_LIBRARY);
        this.id = id;
        this.directory = directory;
        this.isCreator = isCreator;
    }

    /**
     * Sets the owner of each PE's Aeron client.
     */
    FaultJob clients(final String... owners)
    {
        System.arraycopy(owners, 0, clients, 0, clients.length);
        return this;
    }

    void play()
    {
        for (int pe = 0; pe < players.length; pe++)
        {
            if (null != players[pe])
            {
                play(pe);
            }
        }
    }

    private void play(final int pe)
    {
        FaultPe.send(players[pe], "play", name, null == id ? directory.path().toString() : FaultPe.ID + id,
            Integer.toString(pe), Integer.toString(players.length), transport.name(),
            TransportKind.MAPPED == transport ? "" : driver, Long.toString(livenessMs), situation.name(),
            Integer.toString(idlePe), Long.toString(seed), clients[pe], TestMemory.root().toString());
    }

    /**
     * Waits until all PEs are blocked in the call of the situation.
     */
    void awaitBlocked()
    {
        for (int pe = 0; pe < players.length; pe++)
        {
            if (Situation.INIT == situation)
            {
                awaitPhase(pe, PePhase.RECORDED);
            }
            else
            {
                FaultPe.await(players[pe], name, pe, FaultPe.READY);
                if (idlePe != pe)
                {
                    FaultPe.await(players[pe], name, pe, FaultPe.BLOCKED);
                }
            }
        }
    }

    void awaitPhase(final int pe, final int phase)
    {
        if (null != players[pe])
        {
            Pe.await(() -> directory.control().phase(pe) >= phase, "phase of PE " + pe + " in " + this);
        }
    }

    void awaitRegistered(final int pe)
    {
        Pe.await(() -> 0 != directory.control().pid(pe), "registration of PE " + pe + " in " + this);
    }

    ControlFile control()
    {
        return directory.control();
    }

    void go()
    {
        if (null != players[idlePe])
        {
            FaultPe.send(players[idlePe], "go", name);
        }
    }

    /**
     * Checks that the calls of all PEs but one end with the expected outcome, within the bound.
     *
     * @param exceptPe the one, -1 for none.
     * @param sinceNs  when it happened.
     * @param boundNs  from then to the exception.
     * @param expected prefix of the outcome, and parts of it.
     * @return the longest time from then to an exception, in ns, and the longest of a close.
     */
    long[] awaitEnds(final int exceptPe, final long sinceNs, final long boundNs, final String... expected)
    {
        final long[] longest = new long[2];
        for (int pe = 0; pe < players.length; pe++)
        {
            if (exceptPe != pe && null != players[pe])
            {
                final String[] done = FaultPe.await(players[pe], name, pe, FaultPe.DONE);
                final String what = this + ", PE " + pe + ": " + done[OUTCOME];
                assertOutcome(what, done[OUTCOME], expected);
                assertEquals("", done[PROBLEMS], what);
                final long ns = Long.parseLong(done[NANOS]) - sinceNs;
                Deadlines.requireWithin(boundNs, ns, () -> what);
                final long closeNs = Long.parseLong(done[CLOSE_NANOS]);
                Deadlines.requireWithin(CLOSE_NS, closeNs, () -> "close of " + what);
                longest[0] = Math.max(longest[0], ns);
                longest[1] = Math.max(longest[1], closeNs);
            }
        }

        return longest;
    }

    /**
     * As {@link #awaitEnds}, whether or not the others have left init.
     */
    long[] awaitDeath(final int victimPe, final long sinceNs, final long boundNs)
    {
        return awaitEnds(victimPe, sinceNs, boundNs, "", "PeFailureException", "PE " + victimPe + " (pid ", "died");
    }

    void awaitIdle()
    {
        if (Situation.INIT != situation)
        {
            assertEquals("", FaultPe.await(players[idlePe], name, idlePe, FaultPe.DONE)[PROBLEMS], this.toString());
        }
    }

    private void assertOutcome(final String what, final String outcome, final String... expected)
    {
        if (Situation.CLOSE == situation)
        {
            assertEquals(FaultPe.RETURNED, outcome, what);
            return;
        }

        final String start = Situation.INIT == situation && expected[0].startsWith("PeFailure") ?
            "BootstrapException by " + expected[0] : expected[0];
        assertTrue(outcome.startsWith(start), what);
        for (int i = 1; i < expected.length; i++)
        {
            assertTrue(outcome.contains(expected[i]), what + ", expected '" + expected[i] + "'");
        }
    }

    /**
     * Checks that all PEs end without a failure.
     */
    void awaitGoodEnd()
    {
        for (int pe = 0; pe < players.length; pe++)
        {
            final String[] done = FaultPe.await(players[pe], name, pe, FaultPe.DONE);
            assertEquals(FaultPe.RETURNED, done[OUTCOME], this + ", PE " + pe);
            assertEquals("", done[PROBLEMS], this + ", PE " + pe);
        }
    }

    @Override
    public void close()
    {
        if (isCreator)
        {
            directory.delete();
        }

        if (null != directory)
        {
            directory.close();
        }
    }

    @Override
    public String toString()
    {
        return "job " + name + " over " + transport + " in " + situation + ", idle PE " + idlePe;
    }
}
