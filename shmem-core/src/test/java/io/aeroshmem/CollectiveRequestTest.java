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

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Nonblocking collectives: results, order, repetition, time limits, handlers and misuse.
 */
@Timeout(120)
class CollectiveRequestTest
{
    private static final int[] COUNTS = {0, 1, 4, 29, 256, 10_000};
    /** The lockstep tests of the module {@code tests} have the others too. */
    private static final Collective[] BLOCKING = {
        Collective.BARRIER, Collective.BROADCAST, Collective.ALLREDUCE, Collective.REDUCE_SCATTER,
        Collective.ALLGATHER, Collective.ALLTOALL, Collective.INCLUSIVE_SCAN, Collective.EXCLUSIVE_SCAN};

    /**
     * Performs each collective of one count by one request, and checks its result.
     */
    private static final class Calls
    {
        private final Team team;
        private final int size;
        private final int me;
        private final SymmetricBuffer source;
        private final SymmetricBuffer dest;

        Calls(final Shmem shmem, final Team team, final int maxCount)
        {
            this.team = team;
            size = team.nPes();
            me = team.myPe();
            source = shmem.malloc((long)size * maxCount * Long.BYTES);
            dest = shmem.malloc((long)size * maxCount * Long.BYTES);
        }

        CollectiveArgs args(final Collective collective, final int count)
        {
            final int sources = Collective.ALLTOALL == collective || Collective.REDUCE_SCATTER == collective ? size : 1;
            final int dests = Collective.ALLTOALL == collective || Collective.ALLGATHER == collective ? size : 1;
            final CollectiveArgs args = new CollectiveArgs().collective(collective).op(ReduceOp.SUM);
            return Collective.BARRIER == collective ? args : args
                .source(source, (long)sources * count, ElementType.LONG)
                .dest(dest, (long)dests * count, ElementType.LONG)
                .root(size - 1);
        }

        void fill(final int count, final int round)
        {
            for (int i = 0; i < size * count; i++)
            {
                source.putLong((long)i * Long.BYTES, value(me, i, round));
                dest.putLong((long)i * Long.BYTES, -1);
            }
        }

        static long value(final int rank, final int i, final int round)
        {
            return 1_000_003L * (rank + 1) + 31L * i + round;
        }

        void check(final Collective collective, final int count, final int round)
        {
            for (int i = 0; i < count; i++)
            {
                long all = 0;
                long block = 0;
                long before = 0;
                for (int rank = 0; rank < size; rank++)
                {
                    all += value(rank, i, round);
                    block += value(rank, me * count + i, round);
                    before += rank < me ? value(rank, i, round) : 0;
                }

                switch (collective)
                {
                    case BARRIER:
                        assertDest(-1, i, collective);
                        break;
                    case BROADCAST:
                        assertDest(value(size - 1, i, round), i, collective);
                        break;
                    case ALLREDUCE:
                        assertDest(all, i, collective);
                        break;
                    case REDUCE_SCATTER:
                        assertDest(block, i, collective);
                        break;
                    case INCLUSIVE_SCAN:
                        assertDest(before + value(me, i, round), i, collective);
                        break;
                    case EXCLUSIVE_SCAN:
                        assertDest(before, i, collective);
                        break;
                    default:
                        for (int rank = 0; rank < size; rank++)
                        {
                            final int at = Collective.ALLTOALL == collective ? me * count + i : i;
                            assertDest(value(rank, at, round), rank * count + i, collective);
                        }
                }
            }
        }

        private void assertDest(final long expected, final int i, final Collective collective)
        {
            assertEquals(expected, dest.getLong((long)i * Long.BYTES), () -> collective + ", element " + i);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1, MAPPED", "5, MAPPED", "2, IPC", "3, UDP"})
    @Tag("ci")
    void shouldPerformEachCollective(final int nPes, final TransportKind transport) throws Exception
    {
        final Shmem.Context config = LocalJobs.config().transport(transport)
            .heapSize(2L * nPes * 10_000 * Long.BYTES + (1 << 20));
        Shmem.runLocal(nPes, config, (shmem) ->
        {
            final Team reversed = shmem.world().splitStrided(nPes - 1, -1, nPes);
            for (final Team team : new Team[]{shmem.world(), reversed})
            {
                final Calls calls = new Calls(shmem, team, 10_000);
                for (final Collective collective : BLOCKING)
                {
                    for (final int count : COUNTS)
                    {
                        perform(team, calls, collective, count);
                    }
                }

                shmem.free(calls.dest);
                shmem.free(calls.source);
            }

            reversed.close();
        });
    }

    private static void perform(final Team team, final Calls calls, final Collective collective, final int count)
    {
        calls.fill(count, 0);
        final CollectiveRequest once = team.post(calls.args(collective, count));
        while (!once.test())
        {
            Thread.onSpinWait();
        }

        calls.check(collective, count, 0);
        assertTrue(once.test());
        once.await();
        once.close();
        team.sync();

        try (CollectiveRequest again = team.request(calls.args(collective, count).persistent(true)))
        {
            for (int round = 1; round <= 3; round++)
            {
                calls.fill(count, round);
                again.post();
                again.await();
                calls.check(collective, count, round);
                team.sync();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC", "UDP"})
    void shouldKeepAThousandInFlight(final TransportKind transport) throws Exception
    {
        LocalJobs.run(3, transport, (shmem) ->
        {
            final int count = 1_000;
            final Team team = shmem.world();
            final SymmetricBuffer source = shmem.malloc(count * Long.BYTES);
            final SymmetricBuffer dest = shmem.malloc(count * Long.BYTES);
            final List<CollectiveRequest> requests = new ArrayList<>();
            for (int i = 0; i < count; i++)
            {
                source.putLong((long)i * Long.BYTES, (long)i * (shmem.myPe() + 1));
                final CollectiveArgs args = new CollectiveArgs()
                    .collective(0 == i % 3 ? Collective.BROADCAST : Collective.ALLREDUCE).op(ReduceOp.SUM)
                    .source(source.slice((long)i * Long.BYTES, Long.BYTES), 1, ElementType.LONG)
                    .dest(dest.slice((long)i * Long.BYTES, Long.BYTES), 1, ElementType.LONG).root(i % 2);
                requests.add(team.post(args));
                if (0 == i % 100)
                {
                    assertEquals(3, team.reduceLong(ReduceOp.SUM, 1), "a blocking call beside requests");
                }
            }

            final List<CollectiveRequest> mixed = new ArrayList<>(requests);
            Collections.shuffle(mixed, new Random(shmem.myPe()));
            mixed.forEach(CollectiveRequest::await);
            for (int i = 0; i < count; i++)
            {
                final long expected = 0 == i % 3 ? (long)i * (1 + i % 2) : 6L * i;
                assertEquals(expected, dest.getLong((long)i * Long.BYTES), "request " + i);
            }

            requests.forEach(CollectiveRequest::close);
            shmem.barrierAll();
        });
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC"})
    void shouldProgressWhileTheProgramComputes(final TransportKind transport) throws Exception
    {
        LocalJobs.run(2, transport, (shmem) ->
        {
            final SymmetricBuffer data = shmem.calloc(10_000, Long.BYTES);
            final AtomicInteger completions = new AtomicInteger();
            final CollectiveRequest request = shmem.world().post(new CollectiveArgs()
                .collective(Collective.ALLREDUCE).op(ReduceOp.SUM)
                .source(data, 10_000, ElementType.LONG).dest(data, 10_000, ElementType.LONG)
                .onComplete((done, error) -> completions.incrementAndGet()));
            final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            while (0 == completions.get() && System.nanoTime() - deadlineNs < 0)
            {
                Thread.onSpinWait();
            }

            assertEquals(1, completions.get(), "the agent drives requests");
            request.await(); // until the handler has returned
            assertTrue(request.test());
            assertEquals(1, completions.get());
            shmem.barrierAll();
        });
    }

    @Test
    void shouldProgressByProgressAloneWithoutAnAgent() throws Exception
    {
        Shmem.runLocal(2, LocalJobs.config().progressMode(ProgressMode.INVOKER), (shmem) ->
        {
            final SymmetricBuffer data = shmem.calloc(1, Long.BYTES);
            data.putLong(0, 1 + shmem.myPe());
            final AtomicInteger completions = new AtomicInteger();
            final CollectiveRequest request = shmem.world().post(new CollectiveArgs()
                .collective(Collective.ALLREDUCE).op(ReduceOp.SUM)
                .source(data, 1, ElementType.LONG).dest(data, 1, ElementType.LONG)
                .onComplete((done, error) -> completions.incrementAndGet()));
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            assertEquals(0, completions.get(), "a handler is not run within a post, and there is no agent");
            while (0 == completions.get())
            {
                shmem.progress();
            }

            assertEquals(3, data.getLong(0));
            request.close();
            shmem.barrierAll();
        });
    }

    @Test
    void shouldRunTheHandlerOncePerPost() throws Exception
    {
        LocalJobs.run(2, (shmem) ->
        {
            final AtomicInteger completions = new AtomicInteger();
            final AtomicReference<CollectiveRequest> seen = new AtomicReference<>();
            final CollectiveRequest request = shmem.world().request(new CollectiveArgs()
                .collective(Collective.BARRIER).persistent(true).onComplete((done, error) ->
                {
                    assertNull(error);
                    seen.set(done);
                    completions.incrementAndGet();
                }));
            for (int i = 1; i <= 1_000; i++)
            {
                request.post();
                request.await();
                assertEquals(i, completions.get());
                shmem.progress();
                assertEquals(i, completions.get());
            }

            assertSame(request, seen.get());
            request.close();
        });
    }

    /** In its handler a request is complete, also when the handler of the post before still runs on another thread. */
    @Test
    void shouldBeCompleteInTheHandlerWhateverTheHandlerOfTheLastPostDoes() throws Exception
    {
        final Shmem.Context config =
            LocalJobs.config().progressMode(ProgressMode.INVOKER).threadLevel(ThreadLevel.MULTIPLE);
        Shmem.runLocal(1, config, (shmem) ->
        {
            final AtomicInteger handlers = new AtomicInteger();
            final CountDownLatch isFirstHandled = new CountDownLatch(1);
            final CountDownLatch isSecondBegun = new CountDownLatch(1);
            final AtomicReference<Thread> tester = new AtomicReference<>();
            final List<Boolean> seen = Collections.synchronizedList(new ArrayList<>());
            final CollectiveRequest request = shmem.world().request(new CollectiveArgs()
                .collective(Collective.BARRIER).persistent(true).onComplete((done, error) ->
                {
                    if (1 == handlers.incrementAndGet())
                    {
                        isFirstHandled.countDown();
                        await(isSecondBegun);
                        return;
                    }

                    seen.add(done.test());
                    isSecondBegun.countDown();
                    join(tester.get());
                    seen.add(done.test());
                    done.await();
                }));
            request.post();
            tester.set(new Thread(request::test));
            tester.get().start();
            await(isFirstHandled);
            request.post();
            assertTrue(request.test());
            assertEquals(List.of(true, true), seen);
            request.close();
        });
    }

    /** A program may give its threads any ids. */
    @Test
    void shouldNotTakeAnotherThreadOfTheSameIdForThatOfTheHandler() throws Exception
    {
        final Shmem.Context config =
            LocalJobs.config().progressMode(ProgressMode.INVOKER).threadLevel(ThreadLevel.MULTIPLE);
        Shmem.runLocal(1, config, (shmem) ->
        {
            final CountDownLatch isBegun = new CountDownLatch(1);
            final CountDownLatch isTested = new CountDownLatch(1);
            final AtomicReference<Boolean> seen = new AtomicReference<>();
            final CollectiveRequest request = shmem.world().request(barrier(() ->
            {
                isBegun.countDown();
                await(isTested);
            }));
            request.post();
            final Thread handling = new ThreadOfFixedId(request::test);
            handling.start();
            await(isBegun);
            final Thread testing = new ThreadOfFixedId(() -> seen.set(request.test()));
            testing.start();
            join(testing);
            isTested.countDown();
            join(handling);
            assertEquals(false, seen.get());
            assertTrue(request.test());
            request.close();
        });
    }

    private static final class ThreadOfFixedId extends Thread
    {
        private ThreadOfFixedId(final Runnable task)
        {
            super(task);
        }

        @Override
        public long getId()
        {
            return 7;
        }
    }

    private static void await(final CountDownLatch latch)
    {
        try
        {
            assertTrue(latch.await(10, TimeUnit.SECONDS));
        }
        catch (final InterruptedException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    private static void join(final Thread thread)
    {
        try
        {
            thread.join(10_000);
            assertFalse(thread.isAlive());
        }
        catch (final InterruptedException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    @Test
    void shouldRunTheHandlersAfterOneThatThrowsAnError() throws Exception
    {
        final List<Throwable> errors = Collections.synchronizedList(new ArrayList<>());
        final Shmem.Context config =
            LocalJobs.config().progressMode(ProgressMode.INVOKER).errorHandler(errors::add);
        Shmem.runLocal(1, config, (shmem) ->
        {
            final AtomicInteger completions = new AtomicInteger();
            final AssertionError thrown = new AssertionError("of a handler");
            final CollectiveRequest first = shmem.world().post(barrier(() ->
            {
                throw thrown;
            }));
            final CollectiveRequest second = shmem.world().post(barrier(completions::incrementAndGet));
            shmem.progress();
            assertEquals(1, completions.get());
            assertEquals(List.of(thrown), errors);
            assertTrue(first.test() && second.test());
            first.close();
            second.close();
        });
    }

    @Test
    void shouldRunTheHandlersAfterOneWhoseErrorTheErrorHandlerRefuses() throws Exception
    {
        final RuntimeException refusal = new IllegalStateException("of the error handler");
        final Shmem.Context config = LocalJobs.config().progressMode(ProgressMode.INVOKER).errorHandler((error) ->
        {
            throw refusal;
        });
        Shmem.runLocal(1, config, (shmem) ->
        {
            final AtomicInteger completions = new AtomicInteger();
            final AtomicReference<Throwable> uncaught = new AtomicReference<>();
            final CollectiveRequest first = shmem.world().post(barrier(() ->
            {
                throw new IllegalArgumentException("of a handler");
            }));
            final CollectiveRequest second = shmem.world().post(barrier(completions::incrementAndGet));
            Thread.currentThread().setUncaughtExceptionHandler((thread, ex) -> uncaught.set(ex));
            try
            {
                shmem.progress();
            }
            finally
            {
                Thread.currentThread().setUncaughtExceptionHandler(null);
            }

            assertEquals(1, completions.get());
            assertSame(refusal, uncaught.get());
            first.close();
            second.close();
        });
    }

    private static CollectiveArgs barrier(final Runnable handler)
    {
        return new CollectiveArgs().collective(Collective.BARRIER).onComplete((done, error) -> handler.run());
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC"})
    @Tag("ci")
    void shouldEndAfterItsLimitAndServeTheTeamAgain(final TransportKind transport) throws Exception
    {
        LocalJobs.run(2, transport, (shmem) ->
        {
            final Team team = shmem.world();
            final SymmetricBuffer data = shmem.calloc(2, Long.BYTES);
            final AtomicReference<ShmemException> error = new AtomicReference<>();
            final CollectiveArgs args = new CollectiveArgs().collective(Collective.ALLREDUCE).op(ReduceOp.SUM)
                .source(data.slice(0, Long.BYTES), 1, ElementType.LONG)
                .dest(data.slice(Long.BYTES, Long.BYTES), 1, ElementType.LONG);
            data.putLong(0, 5);
            if (0 == shmem.myPe())
            {
                final CollectiveRequest request = team.post(args.persistent(true)
                    .timeoutNs(TimeUnit.MILLISECONDS.toNanos(50)).onComplete((done, cause) -> error.set(cause)));
                final ShmemTimeoutException thrown = assertThrows(ShmemTimeoutException.class, request::await);
                assertTrue(thrown.getMessage().contains("50000000 ns") && thrown.getMessage().contains("PE 1"),
                    thrown.getMessage());
                assertSame(thrown, error.get());
                assertThrows(ShmemTimeoutException.class, request::test);
                shmem.defaultContext().putLong(data, 0, 7, 1);
                request.post();
                assertThrows(ShmemTimeoutException.class, request::await, "the late member has not come");
                shmem.syncAll();
                request.close();
            }
            else
            {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(300));
                shmem.syncAll();
                team.post(args).await();
                team.post(args).await();
                assertEquals(5 + data.getLong(0), data.getLong(Long.BYTES));
            }

            final CollectiveRequest after = team.post(args.timeoutNs(0));
            after.await();
            assertEquals(12, data.getLong(Long.BYTES));
            shmem.barrierAll();
        });
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC"})
    void shouldDetectThatMembersPostDifferentRequests(final TransportKind transport)
    {
        final Exception thrown = assertThrows(CollectiveMismatchException.class, () ->
            LocalJobs.run(2, transport, (shmem) ->
            {
                final SymmetricBuffer data = shmem.calloc(2, Long.BYTES);
                shmem.world().post(new CollectiveArgs()
                    .collective(Collective.ALLREDUCE).op(0 == shmem.myPe() ? ReduceOp.SUM : ReduceOp.MAX)
                    .source(data, 2, ElementType.LONG).dest(data, 2, ElementType.LONG)).await();
            }));
        assertTrue(thrown.getMessage().contains("reduce(SUM, LONG)") &&
            thrown.getMessage().contains("reduce(MAX, LONG)"), thrown.getMessage());
    }

    @Test
    void shouldDetectThatAMemberHasClosedThePe()
    {
        final Exception thrown = assertThrows(PeFailureException.class, () -> LocalJobs.run(2, (shmem) ->
        {
            if (0 == shmem.myPe())
            {
                shmem.world().post(new CollectiveArgs().collective(Collective.BARRIER)).await();
            }
        }));
        assertTrue(thrown.getMessage().contains("PE 1 called close") && thrown.getMessage().contains("sync"),
            thrown.getMessage());
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC"})
    void shouldNotFreeBuffersOfARequestInFlight(final TransportKind transport) throws Exception
    {
        LocalJobs.run(2, transport, (shmem) ->
        {
            final SymmetricBuffer source = shmem.calloc(4, Long.BYTES);
            final SymmetricBuffer dest = shmem.calloc(4, Long.BYTES);
            final SymmetricBuffer other = shmem.calloc(4, Long.BYTES);
            if (1 == shmem.myPe())
            {
                shmem.syncAll();
            }

            final CollectiveRequest request = shmem.world().post(new CollectiveArgs()
                .collective(Collective.ALLREDUCE).op(ReduceOp.SUM).persistent(true)
                .source(source.slice(8, 8), 1, ElementType.LONG).dest(dest.slice(0, 8), 1, ElementType.LONG));
            if (0 == shmem.myPe())
            {
                for (final SymmetricBuffer buffer : new SymmetricBuffer[]{source, dest})
                {
                    final Exception thrown = assertThrows(IllegalStateException.class, () -> shmem.free(buffer));
                    assertTrue(thrown.getMessage().contains("in use by reduce(SUM, LONG)"), thrown.getMessage());
                    assertThrows(IllegalStateException.class, () -> shmem.realloc(buffer, 1_000));
                }

                shmem.syncAll();
            }

            request.await();
            shmem.free(other);
            shmem.free(dest);
            final Exception thrown = assertThrows(IllegalStateException.class, request::post);
            assertTrue(thrown.getMessage().contains("dest") && thrown.getMessage().contains("free"),
                thrown.getMessage());
            request.close();
            assertEquals(2, shmem.world().reduceLong(ReduceOp.SUM, 1), "the team goes on");
        });
    }

    @Test
    void shouldRejectMisuseAndGoOn() throws Exception
    {
        LocalJobs.run(2, (shmem) ->
        {
            final Team team = shmem.world().duplicate();
            final SymmetricBuffer data = shmem.calloc(4, Long.BYTES);
            final CollectiveArgs barrier = new CollectiveArgs().collective(Collective.BARRIER);
            if (0 == shmem.myPe())
            {
                final CollectiveRequest request = team.request(barrier);
                assertThrows(IllegalStateException.class, request::test);
                assertThrows(IllegalStateException.class, request::await);
                request.post();
                assertFalse(request.test());
                assertThrows(IllegalStateException.class, request::post);
                assertThrows(IllegalStateException.class, request::close);
                assertThrows(IllegalStateException.class, team::close);
                assertThrows(IllegalStateException.class, shmem::close);
                shmem.syncAll();
                request.await();
                assertThrows(IllegalStateException.class, request::post, "not persistent");
                request.close();
                request.close();
                assertThrows(IllegalStateException.class, request::post);
                assertThrows(IllegalStateException.class, request::test);
            }
            else
            {
                shmem.syncAll();
                team.post(barrier).await();
            }

            rejectArguments(team, data);

            team.post(barrier).await();
            team.close();
            assertThrows(IllegalStateException.class, () -> team.request(barrier));
            shmem.barrierAll();
        });
    }

    private static void rejectArguments(final Team team, final SymmetricBuffer data)
    {
        final CollectiveArgs args = new CollectiveArgs();
        assertThrows(IllegalArgumentException.class, () -> team.request(null));
        assertThrows(IllegalArgumentException.class, () -> team.request(args));
        args.collective(Collective.ALLREDUCE);
        assertThrows(IllegalArgumentException.class, () -> team.request(args), "no operation");
        args.op(ReduceOp.SUM);
        assertThrows(IllegalArgumentException.class, () -> team.request(args), "no type");
        args.source(data, 4, ElementType.LONG).dest(data, 3, ElementType.LONG);
        assertThrows(IllegalArgumentException.class, () -> team.request(args), "other counts");
        args.dest(data, 4, ElementType.INT);
        assertThrows(IllegalArgumentException.class, () -> team.request(args), "other types");
        args.source(data, 5, ElementType.LONG).dest(data, 5, ElementType.LONG);
        assertThrows(IndexOutOfBoundsException.class, () -> team.request(args), "too short");
        args.collective(Collective.ALLGATHER)
            .source(data.slice(Long.BYTES, 2 * Long.BYTES), 2, ElementType.LONG).dest(data, 4, ElementType.LONG);
        assertInstanceOf(IllegalArgumentException.class,
            assertThrows(RuntimeException.class, () -> team.request(args)), "overlap");
        args.collective(Collective.BROADCAST).source(data, 4, ElementType.LONG).dest(data, 4, ElementType.LONG).root(2);
        assertThrows(IllegalArgumentException.class, () -> team.request(args), "no such root");
        assertThrows(IllegalArgumentException.class, () -> args.timeoutNs(-1));
        assertThrows(IllegalArgumentException.class, () -> args.source(data, -1, ElementType.LONG));
        args.collective(Collective.ALLREDUCE).op(ReduceOp.AND).root(0)
            .source(data, 4, ElementType.DOUBLE).dest(data, 4, ElementType.DOUBLE);
        assertThrows(IllegalArgumentException.class, () -> team.request(args), "bits of reals");
    }

    @Test
    void shouldAllocateNothingOnceARequestExists() throws Exception
    {
        LocalJobs.run(2, (shmem) ->
        {
            final SymmetricBuffer data = shmem.calloc(1, Long.BYTES);
            final CollectiveRequest request = shmem.world().request(new CollectiveArgs()
                .collective(Collective.ALLREDUCE).op(ReduceOp.SUM).persistent(true)
                .source(data, 1, ElementType.LONG).dest(data, 1, ElementType.LONG));
            repeat(request, 20_000);
            final long allocated = LocalJobs.allocatedBytes(shmem, 10_000, () -> repeat(request, 10_000));
            assertTrue(allocated < 10_000, () -> allocated + " bytes for 10 000 posts");
            request.close();
            shmem.barrierAll();
        });
    }

    private static void repeat(final CollectiveRequest request, final int times)
    {
        for (int i = 0; i < times; i++)
        {
            request.post();
            while (!request.test())
            {
                Thread.onSpinWait();
            }
        }
    }

    /** The poll that sends waits for room, as the other PE receives nothing: an interrupt there ends no request. */
    @Test
    @Tag("ci")
    void shouldStayInFlightWhenAPollIsInterrupted() throws Exception
    {
        final int bytes = 4 << 20;
        final Shmem.Context config = LocalJobs.config()
            .heapSize(20 << 20)
            .transport(TransportKind.IPC)
            .progressMode(ProgressMode.INVOKER);
        Shmem.runLocal(2, config, (shmem) ->
        {
            final SymmetricBuffer source = shmem.malloc(2L * bytes);
            final SymmetricBuffer dest = shmem.malloc(2L * bytes);
            source.fill((byte)(1 + shmem.myPe()));
            try (CollectiveRequest request = shmem.world().post(new CollectiveArgs().collective(Collective.ALLTOALL)
                .source(source, 2 * bytes, ElementType.BYTE).dest(dest, 2 * bytes, ElementType.BYTE)))
            {
                if (0 == shmem.myPe())
                {
                    final Thread waiter = Thread.currentThread();
                    final Thread interrupter = new Thread(() ->
                    {
                        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(300));
                        waiter.interrupt();
                    });
                    interrupter.start();
                    awaitUnlessInterrupted(request);
                    // the flag, which the call leaves set, would end the join
                    while (!Thread.interrupted())
                    {
                        Thread.onSpinWait();
                    }

                    interrupter.join();
                }
                else
                {
                    Thread.sleep(1500);
                }

                request.await();
            }

            for (int pe = 0; pe < 2; pe++)
            {
                assertEquals((byte)(1 + pe), dest.getByte((long)pe * bytes));
                assertEquals((byte)(1 + pe), dest.getByte((pe + 1L) * bytes - 1));
            }

            assertEquals(2, shmem.world().reduceLong(ReduceOp.SUM, 1));
        });
    }

    private static void awaitUnlessInterrupted(final CollectiveRequest request)
    {
        try
        {
            request.await();
        }
        catch (final ShmemInterruptedException ex)
        {
            // the request is still in flight
        }
    }
}
