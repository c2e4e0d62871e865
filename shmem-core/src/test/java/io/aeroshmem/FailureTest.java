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

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.ObjIntConsumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FailureTest
{
    @ParameterizedTest
    @EnumSource(TransportKind.class)
    void shouldThrowTheFirstCauseOfAFailingJob(final TransportKind transport)
    {
        final List<Throwable> seen = Collections.synchronizedList(new ArrayList<>());
        final ArithmeticException cause = new ArithmeticException("by zero");
        final ArithmeticException thrown = assertThrows(
            ArithmeticException.class,
            () -> LocalJobs.run(3, transport, (shmem) ->
            {
                try
                {
                    shmem.barrierAll();
                    if (1 == shmem.myPe())
                    {
                        throw cause;
                    }

                    shmem.barrierAll();
                }
                catch (final PeFailureException ex)
                {
                    seen.add(ex);
                    throw ex;
                }
            }));

        assertSame(cause, thrown);
        assertEquals(2, thrown.getSuppressed().length);
        assertEquals(2, seen.size());
        for (final Throwable ex : seen)
        {
            assertEquals(1, ((PeFailureException)ex).pe());
            assertTrue(ex.getMessage().contains("by zero"), ex.getMessage());
        }
    }

    @Test
    void shouldEndEveryKindOfWaitWhenAPeGivesUp() throws Exception
    {
        final PeTask[] waits = {
            (shmem) -> shmem.waitUntilLong(shmem.calloc(1, 8), 0, Comparison.NE, 0),
            (shmem) -> shmem.signalWaitUntil(shmem.calloc(1, 8), 0, Comparison.NE, 0),
            (shmem) -> shmem.waitUntilAnyInt(shmem.calloc(1, 8), 0, 2, null, Comparison.NE, 0),
            (shmem) ->
            {
                final SymmetricBuffer word = shmem.calloc(1, 8);
                while (!shmem.testLong(word, 0, Comparison.NE, 0))
                {
                    Thread.onSpinWait();
                }
            },
            (shmem) ->
            {
                shmem.calloc(1, 8);
                shmem.malloc(8);
            },
            (shmem) ->
            {
                shmem.calloc(1, 8);
                shmem.world().sync();
            },
        };

        for (final PeTask wait : waits)
        {
            LocalJobs.run(2, (shmem) ->
            {
                if (0 == shmem.myPe())
                {
                    shmem.calloc(1, 8);
                    shmem.fail(new IllegalStateException("gave up"));
                    shmem.close();
                }
                else
                {
                    final PeFailureException ex = assertThrows(PeFailureException.class, () -> wait.run(shmem));
                    assertEquals(0, ex.pe());
                    shmem.close();
                }
            });
        }
    }

    @Test
    void shouldCloseAgainAndAgainAfterAFailure() throws Exception
    {
        final Bootstrap[] bootstraps = Bootstrap.inProcess(2);
        final CountDownLatch failed = new CountDownLatch(1);
        final AtomicReference<Throwable> problem = new AtomicReference<>();
        final Thread other = new Thread(() ->
        {
            final Shmem shmem = Shmem.init(LocalJobs.config().bootstrap(bootstraps[1]));
            shmem.fail(new IllegalStateException("gave up"));
            failed.countDown();
            try
            {
                shmem.close();
                shmem.close();
            }
            catch (final Throwable ex)
            {
                problem.set(ex);
            }
        });
        other.start();
        final Shmem shmem = Shmem.init(LocalJobs.config().bootstrap(bootstraps[0]));
        assertTrue(failed.await(30, TimeUnit.SECONDS));
        shmem.close();
        shmem.close();
        assertTrue(shmem.isClosed());
        other.join();
        assertEquals(null, problem.get());
    }

    @Test
    void shouldRefuseCallsOnAClosedPe() throws Exception
    {
        final Shmem[] left = new Shmem[1];
        final SymmetricBuffer[] buffers = new SymmetricBuffer[1];
        final org.agrona.concurrent.AtomicBuffer[] views = new org.agrona.concurrent.AtomicBuffer[1];
        LocalJobs.run(1, (shmem) ->
        {
            left[0] = shmem;
            buffers[0] = shmem.calloc(1, 8);
            buffers[0].putLong(0, 42);
            views[0] = buffers[0].local();
        });

        final Shmem shmem = left[0];
        assertEquals(42, views[0].getLong(0));
        assertEquals(InitStatus.BOOTSTRAPPED, shmem.initStatus());
        assertThrows(IllegalStateException.class, () -> shmem.malloc(8));
        assertThrows(IllegalStateException.class, shmem::barrierAll);
        assertThrows(IllegalStateException.class, () -> shmem.world().sync());
        assertThrows(IllegalStateException.class, () -> shmem.defaultContext().putLong(buffers[0], 0, 1, 0));
        assertThrows(IllegalStateException.class, () -> shmem.defaultContext().quiet());
        assertThrows(IllegalStateException.class, () -> shmem.defaultContext().fence());
        assertThrows(IllegalStateException.class, () -> shmem.createContext());
        assertThrows(IllegalStateException.class, () -> buffers[0].getLong(0));
        assertThrows(IllegalStateException.class, () -> shmem.testLong(buffers[0], 0, Comparison.EQ, 0));
        assertThrows(IllegalStateException.class, () -> shmem.ptr(buffers[0], 0));
        assertFalse(shmem.peAccessible(0));
        shmem.fail(new IllegalStateException("too late"));
        shmem.close();
    }

    @Test
    void shouldThrowWhereAGlobalExitCannotEndTheJvm()
    {
        final List<Integer> statuses = Collections.synchronizedList(new ArrayList<>());
        final GlobalExitException thrown = assertThrows(
            GlobalExitException.class,
            () -> LocalJobs.run(3, (shmem) ->
            {
                try
                {
                    // all have left init, where the exit would end them before the task
                    shmem.barrierAll();
                    if (2 == shmem.myPe())
                    {
                        shmem.globalExit(7);
                    }

                    shmem.barrierAll();
                }
                catch (final GlobalExitException ex)
                {
                    statuses.add(ex.status());
                    throw ex;
                }
            }));
        assertEquals(7, thrown.status());
        assertEquals(List.of(7, 7, 7), statuses);
    }

    @Test
    void shouldRunTheTerminationHookOnce()
    {
        final List<Integer> statuses = Collections.synchronizedList(new ArrayList<>());
        assertThrows(
            GlobalExitException.class,
            () -> Shmem.runLocal(1, LocalJobs.config().terminationHook(statuses::add), (shmem) ->
            {
                final SymmetricBuffer word = shmem.calloc(1, 8);
                assertThrows(GlobalExitException.class, () -> shmem.globalExit(3));
                shmem.waitUntilLong(word, 0, Comparison.NE, 0);
            }));
        assertEquals(List.of(3), statuses);
    }

    @Test
    void shouldTimeOutAsTheContextSpecifies()
    {
        final Shmem.Context config = LocalJobs.config().operationTimeoutNs(TimeUnit.MILLISECONDS.toNanos(50));
        final CountDownLatch isRunning = new CountDownLatch(1);
        final CountDownLatch isOver = new CountDownLatch(1);
        final ShmemTimeoutException thrown = assertThrows(
            ShmemTimeoutException.class,
            () -> Shmem.runLocal(2, config, (shmem) ->
            {
                if (0 == shmem.myPe())
                {
                    isRunning.await();
                    try
                    {
                        shmem.barrierAll();
                    }
                    finally
                    {
                        isOver.countDown();
                    }
                }
                else
                {
                    isRunning.countDown();
                    isOver.await();
                }
            }));
        final String message = thrown.getMessage();
        assertTrue(message.contains("aeroshmem.operation.timeout, waiting for PE 1."), message);
        assertTrue(
            message.matches("(?s).*\\n  PE 0 .*: RUNNING, blocked in barrier on team WORLD, call 1, .*"), message);
        assertTrue(message.matches("(?s).*\\n  PE 1 .*: RUNNING, in no call that waits.*"), message);
    }

    @Test
    void shouldInterruptThePesOfALocalJob() throws Exception
    {
        final CountDownLatch waiting = new CountDownLatch(2);
        final AtomicReference<Throwable> thrown = new AtomicReference<>();
        final Thread runner = new Thread(() ->
        {
            try
            {
                LocalJobs.run(2, (shmem) ->
                {
                    final SymmetricBuffer word = shmem.calloc(1, 8);
                    waiting.countDown();
                    shmem.waitUntilLong(word, 0, Comparison.NE, 0);
                });
            }
            catch (final Throwable ex)
            {
                thrown.set(ex);
            }
        });
        runner.start();
        assertTrue(waiting.await(30, TimeUnit.SECONDS));
        runner.interrupt();
        runner.join();
        assertInstanceOf(InterruptedException.class, thrown.get());
        assertInstanceOf(ShmemInterruptedException.class, thrown.get().getSuppressed()[0]);
    }

    @Test
    void shouldFailTheJobOfAPeThatIsClosedAmidACollective()
    {
        final CountDownLatch interrupted = new CountDownLatch(1);
        final PeFailureException failure = assertThrows(PeFailureException.class, () ->
            LocalJobs.run(2, (shmem) ->
            {
                final int count = 1 << 14;
                final SymmetricBuffer buffer = shmem.malloc(count * Long.BYTES);
                if (1 == shmem.myPe())
                {
                    Thread.currentThread().interrupt();
                    assertThrows(
                        ShmemInterruptedException.class,
                        () -> shmem.world().reduce(ReduceOp.SUM, ElementType.LONG, buffer, buffer, count));
                    assertTrue(Thread.interrupted());
                    assertThrows(IllegalStateException.class, () -> shmem.world().sync());
                    assertThrows(IllegalStateException.class, () -> shmem.malloc(Long.BYTES));
                    interrupted.countDown();
                    shmem.close();
                }
                else
                {
                    interrupted.await();
                    shmem.world().reduce(ReduceOp.SUM, ElementType.LONG, buffer, buffer, count);
                }
            }));
        assertEquals(1, failure.pe());
        assertTrue(failure.getMessage().contains("closed during a collective call on team WORLD"), failure::toString);
    }

    @Test
    void shouldFailInitOnAllPesWhenPropertiesDiffer() throws Exception
    {
        final String limits = failedInit((config, pe) -> config.maxTeams(10 + pe));
        assertTrue(limits.contains("aeroshmem.teams.max must be equal on all PEs: PE 1 has 11, PE 0 has 10"), limits);

        final String algorithms = failedInit((config, pe) -> config.algorithm("reduce", 0 == pe ? "auto" : "flat"));
        assertTrue(algorithms.contains("aeroshmem.algorithm.reduce must be equal on all PEs"), algorithms);
        assertTrue(algorithms.contains("PE 1 has flat, PE 0 has auto"), algorithms);
    }

    private static String failedInit(final ObjIntConsumer<Shmem.Context> setter) throws Exception
    {
        final Bootstrap[] bootstraps = Bootstrap.inProcess(2);
        final Throwable[] thrown = new Throwable[2];
        final Thread[] threads = new Thread[2];
        for (int i = 0; i < 2; i++)
        {
            final int pe = i;
            final Shmem.Context config = LocalJobs.config().bootstrap(bootstraps[pe]);
            setter.accept(config, pe);
            threads[i] = new Thread(
                () -> thrown[pe] = assertThrows(BootstrapException.class, () -> Shmem.init(config)));
            threads[i].start();
        }

        for (final Thread thread : threads)
        {
            thread.join();
        }

        assertEquals(thrown[0].getMessage(), thrown[1].getMessage());
        return thrown[0].getMessage();
    }
}
