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
package io.aeroshmem;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/**
 * Reductions of large blocks over mapped memory as requests, where threads meet: those of members that claim blocks at
 * the same time, and the background thread. The lockstep tests of the module {@code tests} have all else.
 */
@Timeout(60)
class WorkStealingTest
{
    private static final int COUNT = 128 * 1024;

    /** Every block is performed once: in place a second performer would add to the result. */
    @ParameterizedTest
    @EnumSource(ProgressMode.class)
    @Tag("ci")
    void shouldPerformEachBlockOnce(final ProgressMode mode) throws Exception
    {
        final int nPes = 4;
        final long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Shmem.runLocal(nPes, config(mode), (shmem) ->
        {
            final SplittableRandom shared = new SplittableRandom(seed);
            final SplittableRandom own = new SplittableRandom(seed + shmem.myPe());
            final SymmetricBuffer data = shmem.malloc((long)COUNT * Long.BYTES);
            for (int round = 0; round < 300; round++)
            {
                final int count = 8_193 + shared.nextInt(COUNT - 8_193);
                fill(data, shmem.myPe());
                try (CollectiveRequest request = shmem.world().post(sum(data, data, ElementType.LONG, count)))
                {
                    LockSupport.parkNanos(own.nextInt(3) * 50_000L);
                    for (int polls = own.nextInt(20); polls > 0; polls--)
                    {
                        shmem.progress();
                    }

                    request.await();
                }

                for (int i = 0; i < COUNT; i += 61)
                {
                    final long expected = i < count ? sumOf(i, nPes) : value(i, shmem.myPe());
                    assertEquals(expected, data.getLong((long)i * Long.BYTES));
                }
            }
        });
    }

    /** An expired request keeps its place; the team can be closed all the same, and its area serves the next team. */
    @Test
    void shouldCloseATeamWithARequestThatHasExpired() throws Exception
    {
        Shmem.runLocal(2, config(ProgressMode.AGENT), (shmem) ->
        {
            final SymmetricBuffer data = shmem.malloc((long)COUNT * Long.BYTES);
            for (int round = 0; round < 20; round++)
            {
                final Team team = shmem.world().splitStrided(0, 1, 2);
                if (round % 2 == shmem.myPe())
                {
                    final CollectiveRequest request = team.post(
                        sum(data, data, ElementType.LONG, COUNT).timeoutNs(TimeUnit.MILLISECONDS.toNanos(2)));
                    assertThrows(ShmemTimeoutException.class, request::await);
                    request.close();
                    team.close();
                }

                shmem.barrierAll();
                team.close();

                fill(data, shmem.myPe());
                final Team next = shmem.world().splitStrided(0, 1, 2);
                try (CollectiveRequest request = next.post(sum(data, data, ElementType.LONG, COUNT)))
                {
                    request.await();
                }

                check(data, 2);
                next.close();
                shmem.barrierAll();
            }
        });
    }

    private static Shmem.Context config(final ProgressMode mode)
    {
        return LocalJobs.config().heapSize(1 << 20).transport(TransportKind.MAPPED).progressMode(mode);
    }

    private static CollectiveArgs sum(
        final SymmetricBuffer source, final SymmetricBuffer dest, final ElementType type, final int count)
    {
        return new CollectiveArgs().collective(Collective.ALLREDUCE).op(ReduceOp.SUM)
            .source(source, count, type).dest(dest, count, type);
    }

    private static long value(final int i, final int pe)
    {
        return 1_000_003L * (pe + 1) + 31L * i;
    }

    private static long sumOf(final int i, final int nPes)
    {
        long sum = 0;
        for (int pe = 0; pe < nPes; pe++)
        {
            sum += value(i, pe);
        }

        return sum;
    }

    private static void fill(final SymmetricBuffer buffer, final int pe)
    {
        for (int i = 0; i < COUNT; i++)
        {
            buffer.putLong((long)i * Long.BYTES, value(i, pe));
        }
    }

    private static void check(final SymmetricBuffer buffer, final int nPes)
    {
        for (int i = 0; i < COUNT; i++)
        {
            assertEquals(sumOf(i, nPes), buffer.getLong((long)i * Long.BYTES));
        }
    }
}
