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

import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.tests.fixture.Pattern;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.RoutineSet;
import org.agrona.concurrent.AtomicBuffer;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Many repetitions of one collective.
 */
final class Stress
{
    static final String TIMES = "aeroshmem.test.times";

    private static final int LONGEST_LEAD = 100;

    private Stress()
    {
    }

    /**
     * For processes.
     */
    static final class Barriers extends RoutineSet
    {
        Barriers()
        {
            add("barriers", Stress::shouldMeetBackToBack);
        }
    }

    /**
     * For processes.
     */
    static final class Broadcasts extends RoutineSet
    {
        Broadcasts()
        {
            add("broadcasts", Stress::shouldWaitForASlowLeaf);
        }
    }

    /**
     * Every PE counts its barriers in its own memory; after each one, none is behind and none has passed the next.
     */
    static void shouldMeetBackToBack(final Pe pe)
    {
        final int times = Integer.getInteger(TIMES);
        final SymmetricBuffer counts = pe.shmem().calloc(1, 8);
        final Team team = pe.shmem().world().splitStrided(pe.n() - 1, -1, pe.n());
        final AtomicBuffer own = counts.local();
        final AtomicBuffer peer = pe.shmem().ptr(counts, pe.right());
        for (int i = 1; i <= times; i++)
        {
            own.putLongRelease(0, i);
            if (0 == i % 3)
            {
                team.barrier();
            }
            else
            {
                team.sync();
            }

            if (null != peer || 0 == i % 500)
            {
                final long seen = null != peer ? peer.getLongAcquire(0) : pe.ctx().getLong(counts, 0, pe.right());
                if (seen < i || seen > i + 1)
                {
                    throw new AssertionError("after barrier " + i + " PE " + pe.right() + " is in its " + seen);
                }
            }
        }

        team.close();
        pe.shmem().barrierAll();
    }

    /**
     * The root does nothing but broadcast; the last leaf pauses now and then, so that the root runs ahead until its
     * mailboxes are full.
     */
    static void shouldWaitForASlowLeaf(final Pe pe)
    {
        final int times = Integer.getInteger(TIMES);
        final Team team = pe.shmem().world();
        // mostly lengths that the root sends without waiting
        final int[] small = {8, 100, 24, 200, 8};
        final int[] mixed = {8, 100, 3_000, 24, 20_000};
        final SymmetricBuffer source = pe.shmem().malloc(20_000);
        final SymmetricBuffer dest = pe.shmem().malloc(20_000);
        final SymmetricBuffer turn = pe.shmem().calloc(1, 8);
        final boolean isSlow = pe.n() - 1 == pe.me();
        long lead = 0;
        for (int i = 0; i < times; i++)
        {
            final int length = (0 == i / 1_000 % 5 ? mixed : small)[i % 5];
            final long seed = Pattern.seed(pe.seed(), i);
            if (0 == pe.me())
            {
                Pattern.fill(source, 0, length, seed);
            }
            else if (isSlow)
            {
                if (500 == i % 1_000)
                {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
                    lead = Math.max(lead, pe.ctx().getLong(turn, 0, 0) - i);
                }
            }

            team.broadcast(ElementType.BYTE, dest, source, length, 0);
            Pattern.check("broadcast " + i, dest, 0, length, seed);
            if (0 == pe.me())
            {
                turn.putLong(0, i + 1);
            }
        }

        assertTrue(lead < LONGEST_LEAD, "the root was " + lead + " broadcasts ahead");
        pe.shmem().barrierAll();
    }

    /**
     * Runs a few calls of every routine in a job of many PEs.
     */
    static void shouldWorkWithManyPes(final Pe pe)
    {
        final Team world = pe.shmem().world();
        final int n = pe.n();
        assertEquals((long)n * (n - 1) / 2, world.reduceLong(ReduceOp.SUM, pe.me()));
        for (int i = 0; i < 20; i++)
        {
            world.barrier();
            assertEquals(i, world.broadcastLong(n / 2 == pe.me() ? i : -1, n / 2));
        }

        final SymmetricBuffer dest = pe.shmem().malloc(8L * n * 16);
        final SymmetricBuffer source = pe.shmem().malloc(8L * n * 16);
        for (int i = 0; i < n; i++)
        {
            source.putLong(8L * i, pe.me() * 1_000L + i);
        }

        world.alltoall(ElementType.LONG, dest, source, 1);
        for (int i = 0; i < n; i++)
        {
            assertEquals(i * 1_000L + pe.me(), dest.getLong(8L * i));
        }

        world.reduce(ReduceOp.MAX, ElementType.LONG, dest, source, n);
        for (int i = 0; i < n; i++)
        {
            assertEquals((n - 1) * 1_000L + i, dest.getLong(8L * i));
        }

        world.fcollect(ElementType.LONG, dest, source, 16);
        for (int i = 0; i < n; i++)
        {
            assertEquals(i * 1_000L + 15, dest.getLong(8L * (i * 16 + 15)));
        }

        world.inclusiveScan(ReduceOp.SUM, ElementType.LONG, dest, source, 1);
        assertEquals(1_000L * pe.me() * (pe.me() + 1) / 2, dest.getLong(0));
        final Team team = world.splitStrided(n - 1, -2, n / 2);
        if (Team.INVALID != team)
        {
            assertEquals(n / 2, team.reduceLong(ReduceOp.SUM, 1));
            team.close();
        }

        pe.shmem().barrierAll();
    }
}
