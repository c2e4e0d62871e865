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

import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("waits")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LocksTest
{
    private static final int VOLUME = Integer.getInteger("aeroshmem.test.volume", 1);
    private static final long OPERATION_MS = 1_000;
    private static final String UNLOCKER = "unlocker";
    private static final String FAILING = "failing";
    /** Tickets that can be withdrawn where they stand. */
    private static final int WINDOW = 32;

    @ParameterizedTest
    @EnumSource(TransportKind.class)
    @Tag("jdk")
    void shouldLetOneInAtATime(final TransportKind transport) throws Exception
    {
        final int count = TransportKind.UDP == transport ? 20 : 100;
        LocalJobs.run(3, transport, (shmem) ->
        {
            final CommunicationContext ctx = shmem.defaultContext();
            final SymmetricBuffer locks = shmem.calloc(2, 8);
            final SymmetricBuffer counter = shmem.calloc(1, 8);
            for (int i = 0; i < count; i++)
            {
                final long lock = 0 == i % 2 ? 0 : 8;
                if (0 == i % 3)
                {
                    while (!shmem.testLock(locks, 0))
                    {
                        Thread.onSpinWait();
                    }
                }
                else
                {
                    shmem.lock(locks, 0);
                }

                shmem.lock(locks, 8);
                ctx.putLong(counter, 0, ctx.getLong(counter, 0, 1) + 1, 1);
                shmem.unlock(locks, lock);
                shmem.unlock(locks, 8 - lock);
            }

            shmem.barrierAll();
            assertEquals(3 * count, ctx.getLong(counter, 0, 1));
        });
    }

    @Test
    void shouldRefuseMisuse() throws Exception
    {
        LocalJobs.run(2, (shmem) ->
        {
            final SymmetricBuffer lock = shmem.calloc(2, 8);
            assertThrows(IllegalStateException.class, () -> shmem.unlock(lock, 0));
            assertThrows(IllegalArgumentException.class, () -> shmem.lock(lock, 4));
            shmem.barrierAll();
            if (0 == shmem.myPe())
            {
                shmem.lock(lock, 8);
                assertThrows(IllegalStateException.class, () -> shmem.lock(lock, 8));
                assertThrows(IllegalStateException.class, () -> shmem.testLock(lock, 8));
                shmem.barrierAll();
                shmem.barrierAll();
                shmem.unlock(lock, 8);
            }
            else
            {
                shmem.barrierAll();
                assertFalse(shmem.testLock(lock, 8));
                assertThrows(IllegalStateException.class, () -> shmem.unlock(lock, 8));
                shmem.barrierAll();
                shmem.lock(lock, 8);
                shmem.unlock(lock, 8);
            }
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"MAPPED", "IPC"})
    void shouldPassTheTurnOnWhenAWaiterIsInterrupted(final TransportKind transport) throws Exception
    {
        LocalJobs.run(2, transport, (shmem) ->
        {
            final SymmetricBuffer lock = shmem.calloc(1, 8);
            if (0 == shmem.myPe())
            {
                shmem.lock(lock, 0);
                final AtomicReference<Throwable> thrown = new AtomicReference<>();
                final Thread waiter = new Thread(() ->
                {
                    try
                    {
                        shmem.lock(lock, 0);
                    }
                    catch (final ShmemInterruptedException ex)
                    {
                        thrown.set(Thread.currentThread().isInterrupted() ? ex : null);
                    }
                });
                waiter.start();
                waiter.interrupt();
                waiter.join();
                assertInstanceOf(ShmemInterruptedException.class, thrown.get());
                shmem.barrierAll();
                shmem.unlock(lock, 0);
            }
            else
            {
                shmem.barrierAll();
                shmem.lock(lock, 0);
                shmem.unlock(lock, 0);
            }

            shmem.lock(lock, 0);
            shmem.unlock(lock, 0);
            shmem.barrierAll();
            assertTrue(0 != shmem.myPe() || shmem.testLock(lock, 0));
        });
    }

    /** The home of the lock takes the ticket, and then answers nothing for longer than the limit of an operation. */
    @Test
    @Tag("ci")
    void shouldWaitForAHomeThatIsSilent() throws Exception
    {
        final CountDownLatch held = new CountDownLatch(1);
        final Shmem.Context config = LocalJobs.config()
            .transport(TransportKind.IPC)
            .progressMode(ProgressMode.INVOKER)
            .operationTimeoutNs(TimeUnit.MILLISECONDS.toNanos(OPERATION_MS));
        Shmem.runLocal(2, config, (shmem) ->
        {
            final SymmetricBuffer locks = shmem.calloc(16, 8);
            final long offset = offsetOfHome(1, shmem, locks);
            if (0 == shmem.myPe())
            {
                assertTrue(held.await(30, TimeUnit.SECONDS));
                shmem.lock(locks, offset);
                shmem.unlock(locks, offset);
                shmem.defaultContext().quiet();
                shmem.waitUntilLong(locks, 0, Comparison.EQ, -1);
            }
            else
            {
                shmem.lock(locks, offset);
                held.countDown();
                while (2 != issued(locks, offset))
                {
                    shmem.progress();
                }

                Thread.sleep(OPERATION_MS + OPERATION_MS / 2);
                shmem.unlock(locks, offset);
                assertTrue(shmem.tryLock(locks, offset, TimeUnit.SECONDS.toNanos(30)));
                shmem.unlock(locks, offset);
                shmem.defaultContext().putLong(locks, 0, -1, 0);
                shmem.defaultContext().quiet();
            }
        });
    }

    /** Both threads have checked that the lock is held before either passes it on. */
    @Test
    @Tag("jdk")
    void shouldPassALockOnOnceWhenTwoThreadsUnlockIt() throws Exception
    {
        final CountDownLatch completing = new CountDownLatch(2);
        // from then on nobody completes what is put to PE 1
        final CountDownLatch inactive = new CountDownLatch(1);
        final Shmem.Context config = LocalJobs.config()
            .transport(TransportKind.IPC)
            .progressMode(ProgressMode.INVOKER)
            .threadLevel(ThreadLevel.MULTIPLE)
            .waitIdleStrategySupplier(() ->
            {
                if (UNLOCKER.equals(Thread.currentThread().getName()))
                {
                    completing.countDown();
                }

                return new YieldingIdleStrategy();
            });
        Shmem.runLocal(2, config, (shmem) ->
        {
            final SymmetricBuffer locks = shmem.calloc(16, 8);
            final long offset = offsetOfHome(0, shmem, locks);
            if (0 == shmem.myPe())
            {
                while (!inactive.await(1, TimeUnit.MILLISECONDS))
                {
                    shmem.progress();
                }

                shmem.lock(locks, offset);
                shmem.defaultContext().putLong(locks, 0, 1, 1);
                final AtomicInteger rejected = new AtomicInteger();
                final Runnable unlock = () ->
                {
                    try
                    {
                        shmem.unlock(locks, offset);
                    }
                    catch (final IllegalStateException ex)
                    {
                        rejected.incrementAndGet();
                    }
                };
                final Thread first = new Thread(unlock, UNLOCKER);
                final Thread second = new Thread(unlock, UNLOCKER);
                first.start();
                second.start();
                first.join();
                second.join();
                assertEquals(1, rejected.get());
                assertEquals(0, issued(locks, offset), "tickets after both have unlocked");
            }
            else
            {
                inactive.countDown();
                assertTrue(completing.await(30, TimeUnit.SECONDS));
            }

            shmem.barrierAll();
        });
    }

    /** Returns the offset of a lock, other than the first, whose words are on a PE; it has been taken once. */
    private static long offsetOfHome(final int home, final Shmem shmem, final SymmetricBuffer locks)
    {
        if (0 == shmem.myPe())
        {
            for (long offset = 8; offset < locks.length(); offset += 8)
            {
                shmem.lock(locks, offset);
                shmem.unlock(locks, offset);
            }
        }

        shmem.barrierAll();
        long found = -1;
        for (long offset = 8; offset < locks.length() && home == shmem.myPe(); offset += 8)
        {
            found = 0 != locks.getLong(offset) ? offset : found;
        }

        return shmem.world().reduceLong(ReduceOp.MAX, found);
    }

    /** Returns how many tickets are outstanding, the holder's included. */
    private static int issued(final SymmetricBuffer locks, final long offset)
    {
        // The callers poll.
        VarHandle.acquireFence();
        return (int)(locks.getLong(offset) >>> 32) & 0xFFFF;
    }

    @ParameterizedTest
    @EnumSource(names = {"MAPPED", "IPC"})
    void shouldLeaveNothingBehindWhenATryExpires(final TransportKind transport) throws Exception
    {
        final AtomicInteger threads = new AtomicInteger();
        final Shmem.Context config = LocalJobs.config().transport(transport).threadFactory((task) ->
        {
            threads.incrementAndGet();
            return new Thread(task);
        });
        Shmem.runLocal(3, config, (shmem) ->
        {
            final SymmetricBuffer locks = shmem.calloc(16, 8);
            final long offset = offsetOfHome(0, shmem, locks);
            if (0 == shmem.myPe())
            {
                shmem.lock(locks, offset);
            }

            shmem.barrierAll();
            final int before = threads.get();
            shmem.barrierAll();
            for (int i = 0; i < 300 && 0 != shmem.myPe(); i++)
            {
                assertFalse(shmem.tryLock(locks, offset, 1_000));
            }

            shmem.barrierAll();
            assertEquals(before, threads.get(), "threads of the library");
            if (0 == shmem.myPe())
            {
                assertEquals(1, issued(locks, offset), "tickets, the holder's included");
                shmem.unlock(locks, offset);
                assertTrue(shmem.testLock(locks, offset));
                shmem.unlock(locks, offset);
            }

            shmem.barrierAll();
        });
    }

    @ParameterizedTest
    @CsvSource({"MAPPED, 12", "IPC, 12", "MAPPED, 40", "IPC, 40"})
    void shouldServeInOrderThoseWhoDoNotGiveUp(final TransportKind transport, final int waiters) throws Exception
    {
        final long seed = System.nanoTime();
        final Queued queued = new Queued(waiters, new Random(seed));
        Shmem.runLocal(3, LocalJobs.config().transport(transport), (shmem) ->
        {
            queued.enter(shmem);
            if (0 == shmem.myPe())
            {
                final int left = queued.giveUpSome();
                if (waiters < WINDOW)
                {
                    queued.awaitIssued(1 + left);
                }

                queued.release();
                assertEquals(left, queued.served.size(), "seed=" + seed);
                assertEquals(queued.served.stream().sorted().toList(), queued.served, "seed=" + seed);
                queued.awaitIssued(0);
            }

            shmem.barrierAll();
        });
    }

    /** Where no thread can be started, the tickets far back in the queue are withdrawn when they have come nearer. */
    @ParameterizedTest
    @ValueSource(ints = {12, 40})
    void shouldNotLoseALockForWantOfAThread(final int waiters) throws Exception
    {
        final AtomicBoolean isExhausted = new AtomicBoolean();
        final Queued queued = new Queued(waiters, new Random(1));
        Shmem.runLocal(3, exhaustible(isExhausted), (shmem) ->
        {
            queued.enter(shmem);
            if (0 == shmem.myPe())
            {
                isExhausted.set(true);
                for (int i = 1; i < waiters; i += 2)
                {
                    queued.threads[i].interrupt();
                }

                queued.threads[1].join();
                queued.release();
                assertEquals(waiters, queued.served.size() + queued.givenUp.size());
                queued.awaitIssued(0);
            }

            shmem.barrierAll();
        });
    }

    /** The ticket cannot be withdrawn while the caller tries, which must end; later unlocks of its PE go on. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Tag("ci")
    void shouldNotKeepACallerForWantOfAThread(final boolean isExhaustedLater) throws Exception
    {
        final AtomicBoolean isExhausted = new AtomicBoolean();
        final Queued queued = new Queued(40, new Random(1));
        Shmem.runLocal(3, exhaustible(isExhausted), (shmem) ->
        {
            queued.enter(shmem);
            if (0 == shmem.myPe())
            {
                isExhausted.set(true);
                queued.threads[36].interrupt();
                queued.threads[36].join(TimeUnit.SECONDS.toMillis(30));
                assertFalse(queued.threads[36].isAlive());
                isExhausted.set(isExhaustedLater);
                queued.release();
                assertEquals(
                    IntStream.range(0, 40).filter((i) -> 36 != i).boxed().toList(), queued.served);
                queued.awaitIssued(0);
            }

            shmem.barrierAll();
        });
    }

    /** Returns the configuration of PEs that cannot start a thread while the flag is set. */
    private static Shmem.Context exhaustible(final AtomicBoolean isExhausted)
    {
        return LocalJobs.config().errorHandler((error) -> {}).threadFactory((task) ->
        {
            if (isExhausted.get())
            {
                throw new OutOfMemoryError("unable to create native thread");
            }

            return new Thread(task);
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"MAPPED", "IPC"})
    void shouldNotLoseALockToAnErrorOfAWaiter(final TransportKind transport) throws Exception
    {
        final Shmem.Context config = LocalJobs.config().transport(transport).waitIdleStrategySupplier(() ->
        {
            if (FAILING.equals(Thread.currentThread().getName()))
            {
                throw new IllegalArgumentException(FAILING);
            }

            return new YieldingIdleStrategy();
        });
        Shmem.runLocal(2, config, (shmem) ->
        {
            final SymmetricBuffer locks = shmem.calloc(16, 8);
            final long offset = offsetOfHome(0, shmem, locks);
            if (0 == shmem.myPe())
            {
                shmem.lock(locks, offset);
                final AtomicReference<Throwable> thrown = new AtomicReference<>();
                final Thread waiter = new Thread(() -> thrown.set(
                    assertThrows(IllegalArgumentException.class, () -> shmem.lock(locks, offset))), FAILING);
                waiter.start();
                waiter.join();
                assertEquals(FAILING, thrown.get().getMessage());
                shmem.unlock(locks, offset);
                assertEquals(0, issued(locks, offset));
            }

            shmem.barrierAll();
            shmem.lock(locks, offset);
            shmem.unlock(locks, offset);
            shmem.barrierAll();
        });
    }

    @ParameterizedTest
    @EnumSource(TransportKind.class)
    @Tag("jdk")
    void shouldLetOneInAtATimeWhileOthersGiveUp(final TransportKind transport) throws Exception
    {
        final int rounds = VOLUME * (TransportKind.UDP == transport ? 20 : 100);
        LocalJobs.run(3, transport, (shmem) ->
        {
            final CommunicationContext ctx = shmem.defaultContext();
            final SymmetricBuffer words = shmem.calloc(2, 8);
            final AtomicInteger taken = new AtomicInteger();
            final Runnable caller = () ->
            {
                for (int i = 0; i < rounds; i++)
                {
                    final boolean isHeld = 0 != i % 3 || shmem.tryLock(words, 0, 1_000L * (i % 50));
                    if (0 != i % 3)
                    {
                        shmem.lock(words, 0);
                    }

                    if (isHeld)
                    {
                        ctx.putLong(words, 8, ctx.getLong(words, 8, 1) + 1, 1);
                        shmem.unlock(words, 0);
                        taken.incrementAndGet();
                    }
                }
            };
            final Thread second = new Thread(caller);
            second.start();
            caller.run();
            second.join();
            final long sum = shmem.world().reduceLong(ReduceOp.SUM, taken.get());
            assertEquals(sum, ctx.getLong(words, 8, 1));
            assertTrue(0 != shmem.myPe() || shmem.testLock(words, 0));
        });
    }

    /** The memory may be that of the next generation then. */
    @Test
    @Tag("ci")
    void shouldWithdrawNothingAfterTheClose() throws Exception
    {
        final Queued queued = new Queued(40, new Random(1));
        final AtomicBoolean isQueued = new AtomicBoolean();
        final List<Thread> withdrawing = Collections.synchronizedList(new ArrayList<>());
        // not before the close
        final Shmem.Context config = notingThreads(isQueued, withdrawing, TimeUnit.SECONDS.toNanos(2));
        Shmem.runLocal(3, config, (shmem) ->
        {
            queued.enter(shmem);
            isQueued.set(true);
            if (0 == shmem.myPe())
            {
                queued.giveUpAll();
                assertTrue(withdrawing.size() > 0);
            }

            shmem.barrierAll();
        });

        for (final Thread thread : withdrawing)
        {
            thread.join(1_000);
            assertFalse(thread.isAlive(), "it has yet to look at the lock");
        }
    }

    /** A ticket that is left is not withdrawn in memory that has another use by then. */
    @Test
    void shouldForgetTheTicketsOfMemoryThatWasFreed() throws Exception
    {
        final Queued queued = new Queued(40, new Random(1));
        final AtomicBoolean isQueued = new AtomicBoolean();
        final List<Thread> withdrawing = Collections.synchronizedList(new ArrayList<>());
        final Shmem.Context config = notingThreads(isQueued, withdrawing, 0);
        Shmem.runLocal(3, config, (shmem) ->
        {
            queued.enter(shmem);
            isQueued.set(true);
            final SymmetricBuffer locks = queued.locks[shmem.myPe()];
            if (0 == shmem.myPe())
            {
                queued.giveUpAll();
            }

            shmem.barrierAll();
            shmem.free(locks);
            final SymmetricBuffer next = shmem.malloc(16 * 8);
            assertEquals(locks.address(), next.address());
            for (long offset = 0; offset < next.length(); offset += 8)
            {
                next.putLong(offset, 40L << 32);
            }

            shmem.barrierAll();
            assertTrue(withdrawing.size() > 0);
            for (final Thread thread : List.copyOf(withdrawing))
            {
                thread.join(TimeUnit.SECONDS.toMillis(30));
                assertFalse(thread.isAlive());
            }

            for (long offset = 0; offset < next.length(); offset += 8)
            {
                assertEquals(40L << 32, next.getLong(offset));
            }
        });
    }

    /** Returns a context whose threads, once they are to be noted, are, and begin after a delay. */
    private static Shmem.Context notingThreads(
        final AtomicBoolean isNoting, final List<Thread> noted, final long delayNs)
    {
        return LocalJobs.config().threadFactory((task) ->
        {
            if (!isNoting.get())
            {
                return new Thread(task);
            }

            final Thread thread = new Thread(() ->
            {
                LockSupport.parkNanos(delayNs);
                task.run();
            });
            noted.add(thread);
            return thread;
        });
    }

    /** Threads of all PEs that queue for a lock, one after another, while a PE holds it. */
    private static final class Queued
    {
        private final Shmem[] pes = new Shmem[3];
        private final SymmetricBuffer[] locks = new SymmetricBuffer[3];
        private final Thread[] threads;
        private final Random random;
        private final List<Integer> served = Collections.synchronizedList(new ArrayList<>());
        private final List<Integer> givenUp = Collections.synchronizedList(new ArrayList<>());
        private volatile long offset;

        Queued(final int waiters, final Random random)
        {
            threads = new Thread[waiters];
            this.random = random;
        }

        /** Collective; PE 0 is the home of the lock and holds it. */
        void enter(final Shmem shmem)
        {
            final int me = shmem.myPe();
            pes[me] = shmem;
            locks[me] = shmem.calloc(16, 8);
            offset = offsetOfHome(0, shmem, locks[me]);
            shmem.barrierAll();
            if (0 == me)
            {
                shmem.lock(locks[0], offset);
                for (int i = 0; i < threads.length; i++)
                {
                    final int index = i;
                    threads[i] = new Thread(() -> queue(index));
                    threads[i].start();
                    awaitIssued(i + 2);
                }
            }
        }

        private void queue(final int index)
        {
            final int pe = index % pes.length;
            try
            {
                pes[pe].lock(locks[pe], offset);
                served.add(index);
                pes[pe].unlock(locks[pe], offset);
            }
            catch (final ShmemInterruptedException ex)
            {
                givenUp.add(index);
            }
        }

        /** Interrupts about half of the waiters, one after another, and returns how many are left. */
        int giveUpSome() throws InterruptedException
        {
            int left = threads.length;
            for (final Thread thread : threads)
            {
                if (random.nextBoolean())
                {
                    thread.interrupt();
                    thread.join();
                    left--;
                }
            }

            return left;
        }

        /** Interrupts all of 40 waiters: one whose ticket has to be left, then all from the last one on. */
        void giveUpAll() throws InterruptedException
        {
            threads[35].interrupt();
            threads[35].join();
            for (int i = threads.length - 1; i >= 0; i--)
            {
                threads[i].interrupt();
                threads[i].join();
            }
        }

        void release() throws InterruptedException
        {
            pes[0].unlock(locks[0], offset);
            for (final Thread thread : threads)
            {
                thread.join();
            }
        }

        void awaitIssued(final int count)
        {
            while (count != issued(locks[0], offset))
            {
                pes[0].progress();
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void shouldForgetTheLocksOfMemoryThatReallocCutsOff() throws Exception
    {
        LocalJobs.run(2, (shmem) ->
        {
            final SymmetricBuffer locks = shmem.calloc(2, 4096);
            if (0 == shmem.myPe())
            {
                shmem.lock(locks, 0);
                shmem.lock(locks, 4096);
            }

            final SymmetricBuffer kept = shmem.realloc(locks, 4096);
            final SymmetricBuffer next = shmem.calloc(1, 4096);
            assertEquals(locks.address(), kept.address());
            assertEquals(locks.address() + 4096, next.address());
            if (0 == shmem.myPe())
            {
                shmem.unlock(kept, 0);
                assertThrows(IllegalStateException.class, () -> shmem.unlock(next, 0));
                assertTrue(shmem.testLock(next, 0));
            }

            shmem.barrierAll();
        });
    }
}
