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
package io.aeroshmem.transport.endpoint;

import io.aeroshmem.transport.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Which threads may act by themselves, in a process of one PE and in one that several may share.
 */
@Tag("jdk")
@Timeout(60)
class ProgramThreadsTest
{
    private static final long NOW_MS = System.currentTimeMillis();

    private final CountDownLatch end = new CountDownLatch(1);
    private final ProgramThreads alone = new ProgramThreads(false);
    private final ProgramThreads shared = new ProgramThreads(true);

    @AfterEach
    void endThreads()
    {
        end.countDown();
    }

    private static Thread start(final Runnable task, final Thread.State state)
    {
        return started(newDaemon(task), state);
    }

    private static Thread started(final Thread thread, final Thread.State state)
    {
        thread.start();
        await(thread, state);
        return thread;
    }

    private static void await(final Thread thread, final Thread.State state)
    {
        while (state != thread.getState())
        {
            Thread.onSpinWait();
        }
    }

    private void awaitEnd()
    {
        try
        {
            end.await();
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
        }
    }

    private void parkUntilEnd()
    {
        while (end.getCount() > 0)
        {
            LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
        }
    }

    private void check(final Thread thread, final boolean isFreeAlone, final boolean isFreeShared)
    {
        assertEquals(isFreeAlone, alone.isFree(thread, NOW_MS), "alone");
        assertEquals(isFreeShared, shared.isFree(thread, NOW_MS), "shared");
    }

    @Test
    void shouldCountADaemonThatComputes() throws Exception
    {
        final CountDownLatch isComputing = new CountDownLatch(1);
        final Thread thread = newDaemon(() ->
        {
            isComputing.countDown();
            while (end.getCount() > 0)
            {
                Thread.onSpinWait();
            }
        });
        thread.start();
        isComputing.await();
        check(thread, true, true);
    }

    @Test
    void shouldCountADaemonThatSleeps()
    {
        check(start(this::parkUntilEnd, Thread.State.TIMED_WAITING), true, true);
        final Thread sleeper = start(() ->
        {
            try
            {
                Thread.sleep(60_000);
            }
            catch (final InterruptedException ex)
            {
                Thread.currentThread().interrupt();
            }
        }, Thread.State.TIMED_WAITING);
        check(sleeper, true, true);
        sleeper.interrupt();
    }

    @Test
    void shouldNotCountAThreadThatAnotherHasToWake()
    {
        check(start(this::awaitEnd, Thread.State.WAITING), false, false);
    }

    @Test
    void shouldCountAWaitWithALimitInAProcessOfOnePe()
    {
        final Thread thread = start(() ->
        {
            try
            {
                end.await(60, TimeUnit.SECONDS);
            }
            catch (final InterruptedException ex)
            {
                Thread.currentThread().interrupt();
            }
        }, Thread.State.TIMED_WAITING);
        check(thread, true, false);
    }

    @Test
    void shouldNotCountTheThreadsOfTheLibrary()
    {
        final Thread thread = started(Threads.newDaemon(this::parkUntilEnd), Thread.State.TIMED_WAITING);
        check(thread, false, false);
        assertTrue(Threads.isOfLibrary(thread));
        assertFalse(Threads.isOfLibrary(Thread.currentThread()));
    }

    @Test
    void shouldNotCountIdleWorkers() throws Exception
    {
        final Thread[] worker = new Thread[2];
        final ThreadPoolExecutor executor = new ThreadPoolExecutor(
            0, 1, 60, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), ProgramThreadsTest::newDaemon);
        executor.submit(() -> worker[0] = Thread.currentThread()).get();
        await(worker[0], Thread.State.TIMED_WAITING);
        check(worker[0], false, false);
        executor.shutdownNow();

        final ForkJoinPool pool = new ForkJoinPool(1);
        CompletableFuture.runAsync(() -> worker[1] = Thread.currentThread(), pool).get();
        while (Thread.State.RUNNABLE == worker[1].getState())
        {
            Thread.onSpinWait();
        }

        check(worker[1], false, false);
        pool.shutdownNow();
    }

    @Test
    void shouldCountATimerInAProcessOfOnePe() throws Exception
    {
        final Thread[] worker = new Thread[1];
        final ScheduledThreadPoolExecutor executor =
            new ScheduledThreadPoolExecutor(1, ProgramThreadsTest::newDaemon);
        executor.submit(() -> worker[0] = Thread.currentThread()).get();
        await(worker[0], Thread.State.WAITING);
        check(worker[0], false, false);
        executor.schedule(() -> {}, 60, TimeUnit.SECONDS);
        await(worker[0], Thread.State.TIMED_WAITING);
        check(worker[0], true, false);
        executor.shutdownNow();
    }

    private static Thread newDaemon(final Runnable task)
    {
        final Thread thread = new Thread(task);
        thread.setDaemon(true);
        return thread;
    }
}
