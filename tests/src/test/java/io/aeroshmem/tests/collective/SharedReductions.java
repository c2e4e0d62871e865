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

import io.aeroshmem.Collective;
import io.aeroshmem.CollectiveArgs;
import io.aeroshmem.CollectiveRequest;
import io.aeroshmem.CommunicationContext;
import io.aeroshmem.Comparison;
import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.ShmemException;
import io.aeroshmem.ShmemTimeoutException;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Pe;

import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The program of requests for reductions that are longer than a member reduces alone: over mapped memory, members
 * perform parts for each other. They are in place, so that a part that two perform adds to the result.
 */
final class SharedReductions
{
    static final int PARTS = 5;

    /** More than a member reduces alone. */
    private static final int COUNT = 17_000;
    private static final int REDUCTIONS = 3;
    private static final int MAX_POLLS = 40;
    private static final long TIMEOUT_NS = 10_000;
    /** Of the elements that are checked. */
    private static final int STEP = 61;

    private final Pe pe;
    private final Shmem shmem;
    private final SplittableRandom shared;
    private final SplittableRandom own;
    private final SymmetricBuffer data;
    private final SymmetricBuffer flag;
    private int round;

    private SharedReductions(final Pe pe)
    {
        this.pe = pe;
        shmem = pe.shmem();
        shared = pe.sharedRandom();
        own = pe.ownRandom();
        data = shmem.calloc(COUNT, Long.BYTES);
        flag = shmem.calloc(1, Long.BYTES);
    }

    static void run(final Pe pe)
    {
        final SharedReductions reductions = new SharedReductions(pe);
        for (int i = 0; i < REDUCTIONS; i++)
        {
            reductions.oneAfterTheOther();
        }

        // of successive seeds each in turn
        switch ((int)Long.remainderUnsigned(pe.seed(), PARTS))
        {
            case 0 -> reductions.withoutAMember();
            case 1 -> reductions.byProgressAlone();
            case 2 -> reductions.notBeforeAllHavePosted();
            case 3 -> reductions.expired();
            default -> reductions.doubles();
        }

        pe.shmem().barrierAll();
        pe.shmem().free(reductions.flag);
        pe.shmem().free(reductions.data);
    }

    private CollectiveRequest post(final Team team, final int count)
    {
        return team.post(args(count));
    }

    private CollectiveArgs args(final int count)
    {
        return new CollectiveArgs().collective(Collective.ALLREDUCE).op(ReduceOp.SUM)
            .source(data, count, ElementType.LONG).dest(data, count, ElementType.LONG);
    }

    private void oneAfterTheOther()
    {
        final int count = COUNT - shared.nextInt(COUNT / 2);
        fill();
        try (CollectiveRequest request = post(shmem.world(), count))
        {
            for (int polls = own.nextInt(4); polls > 0; polls--)
            {
                shmem.progress();
                pe.world().point();
            }

            request.await();
        }

        check(count);
    }

    /** One member awaits the request, and performs the parts of all others, which make no call meanwhile. */
    private void withoutAMember()
    {
        final int awaiting = shared.nextInt(pe.n());
        fill();
        shmem.barrierAll();
        try (CollectiveRequest request = post(shmem.world(), COUNT))
        {
            if (awaiting == pe.me() || TransportKind.MAPPED != pe.transport())
            {
                request.await();
                for (int other = 0; other < pe.n(); other++)
                {
                    pe.ctx().putLong(flag, 0, 1, other);
                }
            }
            else
            {
                while (0 == flag.getLong(0))
                {
                    throwFailure();
                    pe.pause();
                }
            }

            check(COUNT);
            request.await();
        }
    }

    /** In a loop without a call that would find the failure of the job, or perform parts. */
    private void throwFailure()
    {
        final ShmemException failure = shmem.failure();
        if (null != failure)
        {
            throw failure;
        }
    }

    private void byProgressAlone()
    {
        final int[] completions = new int[1];
        fill();
        final CollectiveRequest request =
            shmem.world().post(args(COUNT).onComplete((done, error) -> completions[0]++));
        progressUntil(completions);
        assertTrue(request.test());
        check(COUNT);
        request.close();
        assertEquals(1, completions[0]);
    }

    private void progressUntil(final int[] completions)
    {
        while (0 == completions[0])
        {
            shmem.progress();
            pe.pause();
        }
    }

    private void notBeforeAllHavePosted()
    {
        final CommunicationContext ctx = pe.ctx();
        final int late = shared.nextInt(pe.n());
        fill();
        shmem.barrierAll();
        if (late == pe.me())
        {
            shmem.waitUntilLong(flag, 0, Comparison.EQ, pe.n() - 1);
        }

        try (CollectiveRequest request = post(shmem.world(), COUNT))
        {
            if (late != pe.me())
            {
                for (int polls = own.nextInt(MAX_POLLS); polls > 0; polls--)
                {
                    assertFalse(request.test(), "PE " + late + " has not posted");
                    pe.pause();
                }

                assertEquals(value(0, pe.me()), data.getLong(0));
                ctx.atomicAddLong(flag, 0, 1, late);
            }

            request.await();
        }

        check(COUNT);
    }

    /** A request that has expired keeps its place; its team can be closed, and its area serves the next team. */
    private void expired()
    {
        final int waiting = shared.nextInt(pe.n());
        final boolean isByProgress = shared.nextBoolean();
        final Team team = shmem.world().duplicate();
        if (waiting == pe.me() && pe.n() > 1)
        {
            final int[] completions = new int[1];
            final CollectiveRequest request = team.post(
                args(COUNT).timeoutNs(TIMEOUT_NS).onComplete((done, error) -> completions[0]++));
            if (isByProgress)
            {
                progressUntil(completions);
            }

            final String message = assertThrows(ShmemTimeoutException.class, request::await).getMessage();
            assertTrue(message.contains("waiting for PE"), message);
            assertTrue(pe.n() > 2 || message.contains("waiting for PE " + (1 - waiting)), message);
            request.close();
            team.close();
        }

        shmem.barrierAll();
        team.close();

        final Team next = shmem.world().duplicate();
        fill();
        try (CollectiveRequest request = post(next, COUNT))
        {
            request.await();
        }

        check(COUNT);
        next.close();
    }

    /** Whoever performs a part combines it in the canonical order. */
    private void doubles()
    {
        final SymmetricBuffer dest = shmem.calloc(COUNT, Double.BYTES);
        final SymmetricBuffer blocking = shmem.calloc(COUNT, Double.BYTES);
        for (int i = 0; i < COUNT; i++)
        {
            data.putDouble((long)i * Double.BYTES, Math.sin(i + 1e6 * pe.me()) * Math.pow(10, i % 30));
        }

        shmem.world().reduce(ReduceOp.SUM, ElementType.DOUBLE, blocking, data, COUNT);
        try (CollectiveRequest request = shmem.world().post(new CollectiveArgs()
            .collective(Collective.ALLREDUCE).op(ReduceOp.SUM)
            .source(data, COUNT, ElementType.DOUBLE).dest(dest, COUNT, ElementType.DOUBLE)))
        {
            request.await();
        }

        for (long at = 0; at < (long)COUNT * Double.BYTES; at += Double.BYTES)
        {
            assertEquals(blocking.getLong(at), dest.getLong(at));
        }

        shmem.free(blocking);
        shmem.free(dest);
    }

    private void fill()
    {
        round++;
        for (int i = 0; i < COUNT; i += STEP)
        {
            data.putLong((long)i * Long.BYTES, value(i, pe.me()));
        }
    }

    private void check(final int count)
    {
        for (int i = 0; i < COUNT; i += STEP)
        {
            long expected = i < count ? 0 : value(i, pe.me());
            for (int other = 0; i < count && other < pe.n(); other++)
            {
                expected += value(i, other);
            }

            assertEquals(expected, data.getLong((long)i * Long.BYTES), "element " + i + " of " + count);
        }
    }

    private long value(final int i, final int ofPe)
    {
        return (ofPe + 1) * 1_000_003L + (i + round) * 31L;
    }
}
