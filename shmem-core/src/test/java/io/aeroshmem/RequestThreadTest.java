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

import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Creation of teams and posting of requests by several threads, at every thread level.
 */
@Timeout(60)
class RequestThreadTest
{
    private static final int VOLUME = Integer.getInteger("aeroshmem.test.volume", 1);
    private static final int MAX_DELAY = 400;

    private static CollectiveArgs sum(final SymmetricBuffer data, final int at)
    {
        return new CollectiveArgs().collective(Collective.ALLREDUCE).op(ReduceOp.SUM)
            .source(data.slice((long)at * Long.BYTES, Long.BYTES), 1, ElementType.LONG)
            .dest(data.slice((at + 1L) * Long.BYTES, Long.BYTES), 1, ElementType.LONG);
    }

    private static Team create(final Shmem shmem)
    {
        return create(shmem, new TeamParams());
    }

    private static Team create(final Shmem shmem, final TeamParams params)
    {
        final TeamCreation creation = shmem.createTeam(params);
        while (!creation.poll())
        {
            Thread.onSpinWait();
        }

        return creation.team();
    }

    private static <T> T inOtherThread(final Callable<T> call) throws Exception
    {
        final ExecutorService executor = Executors.newSingleThreadExecutor();
        try
        {
            return executor.submit(call).get();
        }
        catch (final ExecutionException ex)
        {
            throw (Exception)ex.getCause();
        }
        finally
        {
            executor.shutdown();
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadLevel.class)
    void shouldCreateAndPostAsTheLevelAllows(final ThreadLevel level) throws Exception
    {
        final boolean isOtherAllowed = level.compareTo(ThreadLevel.SERIALIZED) >= 0;
        Shmem.runLocal(2, LocalJobs.config().threadLevel(level).checkThreads(true), (shmem) ->
        {
            final SymmetricBuffer data = shmem.calloc(4, Long.BYTES);
            data.putLong(0, 3);
            final Team team;
            if (isOtherAllowed)
            {
                team = inOtherThread(() -> create(shmem));
            }
            else
            {
                assertThrows(IllegalStateException.class, () -> inOtherThread(() -> create(shmem)));
                team = create(shmem);
            }

            final CollectiveRequest request = team.request(sum(data, 0).persistent(true));
            if (isOtherAllowed)
            {
                inOtherThread(() ->
                {
                    request.post();
                    request.await();
                    return null;
                });
            }
            else
            {
                final Exception thrown = assertThrows(IllegalStateException.class, () -> inOtherThread(() ->
                {
                    request.post();
                    return null;
                }));
                assertTrue(thrown.getMessage().contains("thread level " + level), thrown.getMessage());
                request.post();
                assertThrows(IllegalStateException.class, () -> inOtherThread(request::test));
                request.await();
            }

            assertEquals(6, data.getLong(8));
            request.close();
            team.close();
        });
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC"})
    void shouldServeATeamForEachThread(final TransportKind transport) throws Exception
    {
        final Shmem.Context config = LocalJobs.config().transport(transport).threadLevel(ThreadLevel.MULTIPLE);
        Shmem.runLocal(2, config, (shmem) ->
        {
            final int count = 3;
            final SymmetricBuffer data = shmem.calloc(2 * count, Long.BYTES);
            final ExecutorService executor = Executors.newFixedThreadPool(count);
            final Future<?>[] futures = new Future<?>[count];
            for (int i = 0; i < count; i++)
            {
                final Team team = create(shmem);
                final int at = 2 * i;
                futures[i] = executor.submit(() ->
                {
                    try (CollectiveRequest request = team.request(sum(data, at).persistent(true)))
                    {
                        for (int round = 0; round < 500; round++)
                        {
                            data.putLong((long)at * Long.BYTES, round);
                            request.post();
                            request.await();
                            assertEquals(2L * round, data.getLong((at + 1L) * Long.BYTES));
                        }
                    }

                    team.close();
                });
            }

            for (final Future<?> future : futures)
            {
                future.get();
            }

            executor.shutdown();
            shmem.barrierAll();
        });
    }

    /** The second thread is an error of the program: it is found, and the requests of the other team are intact. */
    @Test
    void shouldRefuseASecondThreadAndKeepOtherTeamsIntact() throws Exception
    {
        final Shmem.Context config = LocalJobs.config().threadLevel(ThreadLevel.MULTIPLE);
        Shmem.runLocal(1, config, (shmem) ->
        {
            final SymmetricBuffer data = shmem.calloc(8, Long.BYTES);
            final Team misused = create(shmem);
            final Team team = create(shmem);
            final AtomicInteger refused = new AtomicInteger();
            final AtomicInteger posted = new AtomicInteger();
            final AtomicBoolean isEnding = new AtomicBoolean();
            final CyclicBarrier start = new CyclicBarrier(3);
            final ExecutorService executor = Executors.newFixedThreadPool(2);
            final Future<?>[] futures = new Future<?>[2];
            for (int i = 0; i < futures.length; i++)
            {
                final int at = 4 * i;
                futures[i] = executor.submit(() ->
                {
                    start.await();
                    while (!isEnding.get() || 0 == refused.get())
                    {
                        try (CollectiveRequest request = misused.request(sum(data, at)))
                        {
                            request.post();
                            request.await();
                            posted.incrementAndGet();
                        }
                        catch (final IllegalStateException ex)
                        {
                            assertTrue(ex.getMessage().contains("one thread of a PE at a time"), ex.getMessage());
                            refused.incrementAndGet();
                        }
                    }

                    return null;
                });
            }

            start.await();
            try (CollectiveRequest request = team.request(sum(data, 2).persistent(true)))
            {
                for (int round = 0; round < 20_000; round++)
                {
                    data.putLong(16, round);
                    request.post();
                    request.await();
                    assertEquals(round, data.getLong(24));
                }
            }

            isEnding.set(true);
            for (final Future<?> future : futures)
            {
                future.get();
            }

            executor.shutdown();
            assertTrue(posted.get() > 0 && refused.get() > 0);
            misused.close();
            team.close();
        });
    }

    /** The refused thread leaves no tag and no number behind, by which other requests are matched. */
    @ParameterizedTest
    @CsvSource({"INIT_ORDERED, MULTIPLE", "INIT_UNORDERED, SERIALIZED", "INIT_ORDERED, SERIALIZED"})
    void shouldPostAfterARefusedPost(final Ordering ordering, final ThreadLevel level) throws Exception
    {
        final CountDownLatch refused = new CountDownLatch(1);
        Shmem.runLocal(2, LocalJobs.config().threadLevel(level).checkThreads(true), (shmem) ->
        {
            final SymmetricBuffer data = shmem.calloc(2, Long.BYTES);
            data.putLong(0, 3);
            final Team team = create(shmem, new TeamParams().ordering(ordering));
            final CollectiveArgs args = sum(data, 0).tag(7).timeoutNs(TimeUnit.SECONDS.toNanos(20));
            if (0 == shmem.myPe())
            {
                final Thread blocked = new Thread(team::barrier);
                blocked.start();
                while (!isInBarrier(blocked))
                {
                    Thread.yield();
                }

                assertThrows(IllegalStateException.class, () -> team.post(args));
                refused.countDown();
                blocked.join();
            }
            else
            {
                await(refused);
                team.barrier();
            }

            final CollectiveRequest request = team.post(args);
            request.await();
            assertEquals(6, data.getLong(8));
            request.close();
            team.close();
        });
    }

    /** Tags exist so that threads need no order: they post at once, in any order, and beside blocking calls. */
    @ParameterizedTest
    @CsvSource({
        "POST_UNORDERED, MAPPED", "INIT_UNORDERED, MAPPED", "INIT_AND_POST_UNORDERED, MAPPED", "POST_UNORDERED, IPC",
        "INIT_AND_POST_UNORDERED, IPC"})
    @Tag("ci")
    void shouldPostTaggedRequestsOfSeveralThreadsAtOnce(final Ordering ordering, final TransportKind transport)
        throws Exception
    {
        final int posters = 3;
        final int rounds = 400;
        final Shmem.Context config = LocalJobs.config().transport(transport).threadLevel(ThreadLevel.MULTIPLE);
        Shmem.runLocal(2, config, (shmem) ->
        {
            final SymmetricBuffer data = shmem.calloc(4 * posters, Long.BYTES);
            final Team team = create(shmem, new TeamParams().ordering(ordering));
            final ExecutorService executor = Executors.newFixedThreadPool(posters);
            final Future<?>[] futures = new Future<?>[posters];
            for (int i = 0; i < posters; i++)
            {
                final int thread = i;
                futures[i] = executor.submit(() -> postInPairs(shmem, team, data, thread, rounds));
            }

            for (int round = 0; round < rounds; round++)
            {
                assertEquals(2L * round + 1, team.reduceLong(ReduceOp.SUM, round + shmem.myPe()));
            }

            for (final Future<?> future : futures)
            {
                future.get();
            }

            executor.shutdown();
            team.close();
        });
    }

    /** Posts two persistent requests and one that is made for each round, in an order that depends on the PE. */
    private static void postInPairs(
        final Shmem shmem, final Team team, final SymmetricBuffer data, final int thread, final int rounds)
    {
        final int at = 4 * thread;
        final int first = shmem.myPe();
        final CollectiveRequest[] requests = {
            team.request(sum(data, at).tag(3 * thread).persistent(true)),
            team.request(sum(data, at + 2).tag(3 * thread + 1).persistent(true))};
        for (int round = 0; round < rounds; round++)
        {
            data.putLong((long)at * Long.BYTES, round);
            data.putLong((at + 2L) * Long.BYTES, round + thread);
            requests[first].post();
            final CollectiveRequest fan =
                team.post(new CollectiveArgs().collective(Collective.FAN_IN).tag(3 * thread + 2));
            requests[1 - first].post();
            requests[0].await();
            requests[1].await();
            fan.await();
            fan.close();
            assertEquals(2L * round, data.getLong((at + 1L) * Long.BYTES));
            assertEquals(2L * (round + thread), data.getLong((at + 3L) * Long.BYTES));
        }

        requests[0].close();
        requests[1].close();
    }

    /** Either the post or the close fails: a request is never closed with its team. */
    @ParameterizedTest
    @EnumSource(value = Ordering.class, names = {"POST_ORDERED", "POST_UNORDERED"})
    @Tag("ci")
    void shouldEitherPostOrClose(final Ordering ordering) throws Exception
    {
        final BlockingQueue<Boolean> closed = new LinkedBlockingQueue<>();
        Shmem.runLocal(2, LocalJobs.config().threadLevel(ThreadLevel.MULTIPLE), (shmem) ->
        {
            final CollectiveArgs args = new CollectiveArgs().collective(Collective.BARRIER).tag(1);
            final ExecutorService executor = Executors.newSingleThreadExecutor();
            for (int i = 0; i < MAX_DELAY * VOLUME; i++)
            {
                final Team team = create(shmem, new TeamParams().ordering(ordering));
                if (0 == shmem.myPe())
                {
                    final AtomicBoolean isStarted = new AtomicBoolean();
                    final int delay = i % MAX_DELAY;
                    final Future<CollectiveRequest> posted = executor.submit(() ->
                    {
                        isStarted.set(true);
                        return postOrNull(team, args);
                    });
                    while (!isStarted.get())
                    {
                        Thread.onSpinWait();
                    }

                    for (int k = 0; k < delay; k++)
                    {
                        Thread.onSpinWait();
                    }

                    final boolean isClosed = isClosed(team);
                    final CollectiveRequest request = posted.get();
                    assertEquals(isClosed, null == request, "the request was closed with its team");
                    closed.add(isClosed);
                    if (null != request)
                    {
                        request.await();
                    }
                }
                else if (!Boolean.TRUE.equals(closed.poll(20, TimeUnit.SECONDS)))
                {
                    team.post(args).await();
                }

                team.close();
            }

            executor.shutdown();
        });
    }

    /** A request whose post has not noticed the close ends all the same. */
    @Test
    @Tag("ci")
    void shouldEndARequestThatIsPostedWhileThePeIsClosed() throws Exception
    {
        final ExecutorService executor = Executors.newSingleThreadExecutor();
        for (int i = 0; i < 100; i++)
        {
            Shmem.runLocal(1, LocalJobs.config().threadLevel(ThreadLevel.MULTIPLE), (shmem) ->
            {
                final CollectiveArgs args = new CollectiveArgs().collective(Collective.BARRIER).persistent(true);
                final CollectiveRequest request = shmem.world().request(args);
                final CountDownLatch started = new CountDownLatch(1);
                final Future<?> posts = executor.submit(() -> postUntilClosed(request, started));
                await(started);
                while (!isClosed(shmem))
                {
                    Thread.onSpinWait();
                }

                posts.get(20, TimeUnit.SECONDS);
            });
        }

        executor.shutdown();
    }

    private static void postUntilClosed(final CollectiveRequest request, final CountDownLatch started)
    {
        try
        {
            while (true)
            {
                request.post();
                started.countDown();
                while (!request.test())
                {
                    Thread.onSpinWait();
                }
            }
        }
        catch (final IllegalStateException | ShmemException ex)
        {
            // the PE is closed
        }
    }

    private static boolean isClosed(final Shmem shmem)
    {
        try
        {
            shmem.close();
            return true;
        }
        catch (final IllegalStateException ex)
        {
            return false;
        }
    }

    private static CollectiveRequest postOrNull(final Team team, final CollectiveArgs args)
    {
        try
        {
            return team.post(args);
        }
        catch (final IllegalStateException ex)
        {
            return null;
        }
    }

    private static boolean isClosed(final Team team)
    {
        try
        {
            team.close();
            return true;
        }
        catch (final IllegalStateException ex)
        {
            return false;
        }
    }

    private static boolean isInBarrier(final Thread thread)
    {
        return Arrays.stream(thread.getStackTrace()).anyMatch((frame) -> "awaitTask".equals(frame.getMethodName()));
    }

    /** After the close the team's area serves other teams: nobody may perform a request there any more. */
    @Test
    void shouldCloseATeamWhenNoThreadPerformsItsExpiredRequestAnyMore() throws Exception
    {
        final CountDownLatch expired = new CountDownLatch(1);
        Shmem.runLocal(2, LocalJobs.config().heapSize(8 << 20).progressMode(ProgressMode.INVOKER), (shmem) ->
        {
            final FakeDevice device = FakeDevice.attach(shmem, false);
            final SymmetricBuffer data = device.attachment().calloc(2, Long.BYTES);
            final Team team = shmem.world().splitStrided(0, 1, 2);
            final CollectiveArgs args = sum(data, 0);
            if (0 == shmem.myPe())
            {
                final CollectiveRequest request = team.post(args.timeoutNs(1));
                assertThrows(ShmemTimeoutException.class, request::await);
                request.close();
                closeDuringPoll(shmem, device, team, expired);
            }
            else
            {
                await(expired);
                final CollectiveRequest request = team.post(args);
                request.await();
                request.close();
                team.close();
            }

            shmem.barrierAll();
        });
    }

    private static void closeDuringPoll(
        final Shmem shmem, final FakeDevice device, final Team team, final CountDownLatch expired) throws Exception
    {
        final CountDownLatch performed = new CountDownLatch(1);
        final CountDownLatch released = new CountDownLatch(1);
        device.beforeAccess(() ->
        {
            performed.countDown();
            await(released);
        });
        final ExecutorService executor = Executors.newFixedThreadPool(2);
        try
        {
            final Future<?> poll = executor.submit(() ->
            {
                while (performed.getCount() > 0)
                {
                    shmem.progress();
                }
            });
            expired.countDown();
            await(performed);
            final Future<?> close = executor.submit(team::close);
            assertThrows(TimeoutException.class, () -> close.get(200, TimeUnit.MILLISECONDS));
            released.countDown();
            close.get(30, TimeUnit.SECONDS);
            poll.get(30, TimeUnit.SECONDS);
        }
        finally
        {
            released.countDown();
            executor.shutdown();
        }
    }

    private static void await(final CountDownLatch latch)
    {
        try
        {
            assertTrue(latch.await(30, TimeUnit.SECONDS));
        }
        catch (final InterruptedException ex)
        {
            throw new AssertionError(ex);
        }
    }
}
