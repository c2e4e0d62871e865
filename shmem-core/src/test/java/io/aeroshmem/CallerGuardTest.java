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

import io.aeroshmem.thread.CallerGuard;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The collective calls of a team admit one thread of a PE at a time, any thread.
 */
@Tag("jdk")
@Timeout(60)
class CallerGuardTest
{
    /** Of random tests: 1, and more in the nightly run. */
    private static final int VOLUME = Integer.getInteger("aeroshmem.test.volume", 1);

    @Test
    void shouldRejectASecondThreadInACall() throws Exception
    {
        runWithBlockedCall((team) ->
        {
            assertRejected("in a call", () -> team.reduceLong(ReduceOp.SUM, 1));
            assertRejected("in a call", () ->
            {
                team.splitStrided(0, 1, 1);
                return null;
            });
            assertRejected("in a call", () ->
            {
                team.sync();
                return null;
            });
        });
    }

    @Test
    void shouldRejectACloseDuringACall() throws Exception
    {
        runWithBlockedCall((team) -> assertRejected("must not be closed during a call", () ->
        {
            team.close();
            return null;
        }));
    }

    private static void assertRejected(final String text, final Callable<?> call)
    {
        final IllegalStateException thrown = assertThrows(IllegalStateException.class, call::call);
        assertTrue(thrown.getMessage().contains(text), thrown.getMessage());
    }

    /**
     * On PE 0 a thread waits in a barrier for PE 1 while another one acts; then all continue.
     */
    private static void runWithBlockedCall(final Consumer<Team> step) throws Exception
    {
        LocalJobs.run(2, (shmem) ->
        {
            final SymmetricBuffer go = shmem.calloc(1, Long.BYTES);
            try (Team team = shmem.world().duplicate())
            {
                if (0 == shmem.myPe())
                {
                    final Thread blocked = new Thread(team::barrier);
                    blocked.start();
                    while (!isInBarrier(blocked))
                    {
                        Thread.yield();
                    }

                    step.accept(team);
                    shmem.defaultContext().putLong(go, 0, 1, 1);
                    blocked.join();
                }
                else
                {
                    shmem.waitUntilLong(go, 0, Comparison.EQ, 1);
                    team.barrier();
                }

                assertEquals(3, team.reduceLong(ReduceOp.SUM, 1 + shmem.myPe()));
            }
        });
    }

    private static boolean isInBarrier(final Thread thread)
    {
        return Arrays.stream(thread.getStackTrace()).anyMatch((frame) -> "awaitTask".equals(frame.getMethodName()));
    }

    @Test
    void shouldLetThreadsInOneAfterTheOther() throws Exception
    {
        LocalJobs.run(2, (shmem) ->
        {
            for (int i = 0; i < 50; i++)
            {
                final AtomicInteger failures = new AtomicInteger();
                final Thread thread = new Thread(() ->
                {
                    for (int k = 0; k < 10; k++)
                    {
                        shmem.barrierAll();
                    }
                });
                thread.setUncaughtExceptionHandler((which, ex) -> failures.incrementAndGet());
                thread.start();
                thread.join();
                assertEquals(0, failures.get());
            }
        });
    }

    @Test
    void shouldKeepItsMemoryWhenManyThreadsRace() throws Exception
    {
        LocalJobs.run(1, (shmem) ->
        {
            final SymmetricBuffer dest = shmem.calloc(1, 4096);
            final SymmetricBuffer source = shmem.calloc(1, 4096);
            final ExecutorService executor = Executors.newFixedThreadPool(4);
            final Future<?>[] futures = new Future<?>[4];
            for (int i = 0; i < futures.length; i++)
            {
                final int count = 1 + 100 * i;
                futures[i] = executor.submit(() ->
                {
                    for (int k = 0; k < 20_000; k++)
                    {
                        shmem.world().reduce(ReduceOp.SUM, ElementType.LONG, dest, source, count);
                    }
                });
            }

            int rejected = 0;
            for (final Future<?> future : futures)
            {
                try
                {
                    future.get();
                }
                catch (final ExecutionException ex)
                {
                    assertInstanceOf(IllegalStateException.class, ex.getCause());
                    rejected++;
                }
            }

            executor.shutdown();
            assertTrue(rejected < futures.length, "all were rejected");
        });
    }

    /**
     * More threads than processors, so that owners are descheduled anywhere, also before they store their depth; then
     * another thread is inside for so long that they go on meanwhile.
     */
    @Test
    @Tag("ci")
    void shouldKeepAThreadInsideWhenADescheduledOwnerGoesOn() throws Exception
    {
        final CallerGuard guard = new CallerGuard("raced");
        final AtomicReference<Thread> last = new AtomicReference<>();
        final AtomicInteger inside = new AtomicInteger();
        final AtomicInteger violations = new AtomicInteger();
        final int count = 2 * Runtime.getRuntime().availableProcessors() + 2;
        final long startNs = System.nanoTime();
        final ExecutorService executor = Executors.newFixedThreadPool(count);
        final Future<?>[] futures = new Future<?>[count];
        for (int i = 0; i < count; i++)
        {
            futures[i] = executor.submit(() ->
            {
                while (System.nanoTime() - startNs < TimeUnit.SECONDS.toNanos(VOLUME) && 0 == violations.get())
                {
                    if (tryEnter(guard))
                    {
                        if (Thread.currentThread() != last.getAndSet(Thread.currentThread()))
                        {
                            violations.addAndGet(inside.getAndIncrement());
                            spin(TimeUnit.MILLISECONDS.toNanos(5));
                            inside.getAndDecrement();
                        }

                        guard.leave();
                        for (int k = 0; k < 100_000 && tryEnter(guard); k++)
                        {
                            if (0 != inside.get())
                            {
                                violations.getAndIncrement();
                            }

                            guard.leave();
                        }
                    }
                }
            });
        }

        executor.shutdown();
        for (final Future<?> future : futures)
        {
            future.get();
        }

        assertEquals(0, violations.get(), "threads were inside together");
        guard.enter();
        guard.leave();
        guard.close(() -> {});
        assertRejected("is closed", () ->
        {
            guard.enter();
            return null;
        });
    }

    private static void spin(final long ns)
    {
        final long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < ns)
        {
            Thread.onSpinWait();
        }
    }

    /** A blocked call runs completion handlers, which may make calls on the same team. */
    @Test
    void shouldAdmitNestedCallsWhileAnotherThreadIsRejected() throws Exception
    {
        final CallerGuard guard = new CallerGuard("nested");
        final AtomicBoolean isEnding = new AtomicBoolean();
        final AtomicInteger rejected = new AtomicInteger();
        final ExecutorService executor = Executors.newSingleThreadExecutor();
        guard.enter();
        final Future<Integer> admitted = executor.submit(() ->
        {
            int count = 0;
            while (!isEnding.get())
            {
                if (tryEnter(guard))
                {
                    guard.leave();
                    count++;
                }
                else
                {
                    rejected.getAndIncrement();
                }
            }

            return count;
        });
        executor.shutdown();
        try
        {
            while (rejected.get() < 20_000)
            {
                guard.enter();
                guard.leave();
            }
        }
        finally
        {
            isEnding.set(true);
        }

        assertEquals(0, admitted.get());
        guard.leave();
        guard.close(() -> {});
    }

    @Test
    void shouldAdmitNoThreadWhileItChecksWhetherToClose() throws Exception
    {
        final CallerGuard guard = new CallerGuard("closing");
        final ExecutorService executor = Executors.newSingleThreadExecutor();
        final List<Future<Boolean>> admitted = new ArrayList<>();
        guard.enter();
        guard.leave();
        assertThrows(UnsupportedOperationException.class, () -> guard.close(() ->
        {
            admitted.add(executor.submit(() -> tryEnter(guard)));
            assertThrows(TimeoutException.class, () -> admitted.get(0).get(50, TimeUnit.MILLISECONDS));
            throw new UnsupportedOperationException();
        }));
        assertTrue(admitted.get(0).get(), "the guard is open");
        assertRejected("during a call", () ->
        {
            guard.close(() -> {});
            return null;
        });
        executor.submit(guard::leave).get();

        guard.close(() ->
        {
            admitted.add(executor.submit(() -> tryEnter(guard)));
            assertThrows(TimeoutException.class, () -> admitted.get(1).get(50, TimeUnit.MILLISECONDS));
        });
        assertFalse(admitted.get(1).get(), "the guard is closed");
        executor.shutdown();
    }

    private static boolean tryEnter(final CallerGuard guard)
    {
        try
        {
            guard.enter();
            return true;
        }
        catch (final IllegalStateException ex)
        {
            return false;
        }
    }
}
