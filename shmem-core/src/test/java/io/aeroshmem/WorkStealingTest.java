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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Reductions of large blocks over mapped memory as requests: members that wait perform the shares of members that do
 * not.
 */
@Timeout(60)
class WorkStealingTest
{
    private static final int COUNT = 128 * 1024;

    /** Without an agent a member that has posted does nothing until it calls the library again. */
    @ParameterizedTest
    @CsvSource({"2, false", "2, true", "3, false", "8, true"})
    void shouldCompleteWhileAMemberMakesNoCall(final int nPes, final boolean isInPlace) throws Exception
    {
        final CountDownLatch performed = new CountDownLatch(1);
        Shmem.runLocal(nPes, config(ProgressMode.INVOKER), (shmem) ->
        {
            final SymmetricBuffer source = shmem.malloc((long)COUNT * Long.BYTES);
            final SymmetricBuffer dest = isInPlace ? source : shmem.calloc(COUNT, Long.BYTES);
            fill(source, shmem.myPe());
            shmem.barrierAll();
            final CollectiveRequest request = shmem.world().post(sum(source, dest, ElementType.LONG, COUNT));
            if (1 == shmem.myPe())
            {
                request.await();
                check(dest, nPes);
                performed.countDown();
            }
            else
            {
                assertTrue(performed.await(30, TimeUnit.SECONDS), "PE 1 waits for the share of another PE");
                check(dest, nPes);
                request.await();
            }
            request.close();
            shmem.barrierAll();
        });
    }

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

    /** Whoever performs a block combines it in the canonical order. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5})
    void shouldHaveTheBitsOfABlockingReduction(final int nPes) throws Exception
    {
        Shmem.runLocal(nPes, config(ProgressMode.AGENT), (shmem) ->
        {
            final SymmetricBuffer source = shmem.malloc((long)COUNT * Double.BYTES);
            final SymmetricBuffer blocking = shmem.malloc((long)COUNT * Double.BYTES);
            final SymmetricBuffer dest = shmem.malloc((long)COUNT * Double.BYTES);
            for (int i = 0; i < COUNT; i++)
            {
                source.putDouble((long)i * Double.BYTES, Math.sin(i + 1e6 * shmem.myPe()) * Math.pow(10, i % 30));
            }
            shmem.world().reduce(ReduceOp.SUM, ElementType.DOUBLE, blocking, source, COUNT);
            for (int round = 0; round < 20; round++)
            {
                LockSupport.parkNanos((shmem.myPe() + round) % nPes * 30_000L);
                try (CollectiveRequest request =
                    shmem.world().post(sum(source, dest, ElementType.DOUBLE, COUNT)))
                {
                    request.await();
                }
                for (int i = 0; i < COUNT; i++)
                {
                    final long offset = (long)i * Double.BYTES;
                    assertEquals(blocking.getLong(offset), dest.getLong(offset));
                }
                shmem.barrierAll();
            }
        });
    }

    @Test
    void shouldCompleteByProgressAlone() throws Exception
    {
        Shmem.runLocal(2, config(ProgressMode.INVOKER), (shmem) ->
        {
            final SymmetricBuffer data = shmem.malloc((long)COUNT * Long.BYTES);
            for (int round = 0; round < 20; round++)
            {
                fill(data, shmem.myPe());
                final AtomicInteger completions = new AtomicInteger();
                final CollectiveRequest request = shmem.world().post(sum(data, data, ElementType.LONG, COUNT)
                    .onComplete((done, error) -> completions.incrementAndGet()));
                while (0 == completions.get())
                {
                    shmem.progress();
                }
                check(data, 2);
                request.close();
                shmem.barrierAll();
            }
        });
    }

    @Test
    void shouldNameTheLatePeWhenOnlyProgressIsCalled() throws Exception
    {
        final CountDownLatch expired = new CountDownLatch(1);
        Shmem.runLocal(2, config(ProgressMode.INVOKER), (shmem) ->
        {
            final SymmetricBuffer data = shmem.malloc((long)COUNT * Long.BYTES);
            fill(data, shmem.myPe());
            shmem.barrierAll();
            if (0 == shmem.myPe())
            {
                final AtomicInteger completions = new AtomicInteger();
                final CollectiveRequest request = shmem.world().post(sum(data, data, ElementType.LONG, COUNT)
                    .timeoutNs(TimeUnit.MILLISECONDS.toNanos(20))
                    .onComplete((done, error) -> completions.incrementAndGet()));
                while (0 == completions.get())
                {
                    shmem.progress();
                }
                final String message = assertThrows(ShmemTimeoutException.class, request::await).getMessage();
                assertTrue(message.contains("waiting for PE 1"), message);
                expired.countDown();
            }
            else
            {
                assertTrue(expired.await(30, TimeUnit.SECONDS));
                final CollectiveRequest request =
                    shmem.world().post(sum(data, data, ElementType.LONG, COUNT));
                request.await();
                check(data, 2);
                request.close();
            }
            shmem.barrierAll();
        });
    }

    @Test
    void shouldNotBeDoneBeforeEveryMemberHasPosted() throws Exception
    {
        final CountDownLatch polled = new CountDownLatch(1);
        Shmem.runLocal(2, config(ProgressMode.AGENT), (shmem) ->
        {
            final SymmetricBuffer data = shmem.malloc((long)COUNT * Long.BYTES);
            fill(data, shmem.myPe());
            shmem.barrierAll();
            if (0 == shmem.myPe())
            {
                final CollectiveRequest request = shmem.world().post(sum(data, data, ElementType.LONG, COUNT));
                for (int i = 0; i < 10_000; i++)
                {
                    assertFalse(request.test());
                }
                assertEquals(value(0, 0), data.getLong(0));
                polled.countDown();
                request.await();
                request.close();
            }
            else
            {
                assertTrue(polled.await(30, TimeUnit.SECONDS));
                final CollectiveRequest request = shmem.world().post(sum(data, data, ElementType.LONG, COUNT));
                request.await();
                request.close();
            }
            check(data, 2);
            shmem.barrierAll();
        });
    }

    /** An expired request keeps its place; the team can be closed all the same, and its area serves the next team. */
    @ParameterizedTest
    @EnumSource(ProgressMode.class)
    void shouldCloseATeamWithARequestThatHasExpired(final ProgressMode mode) throws Exception
    {
        Shmem.runLocal(2, config(mode), (shmem) ->
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
        return LocalJobs.config().heapSize(8 << 20).transport(TransportKind.MAPPED).progressMode(mode);
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
