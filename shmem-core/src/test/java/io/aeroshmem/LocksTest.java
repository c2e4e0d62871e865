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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LocksTest
{
    private static final String UNLOCKER = "unlocker";

    @ParameterizedTest
    @EnumSource(TransportKind.class)
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
    void shouldWaitForAHomeThatIsSilent() throws Exception
    {
        final CountDownLatch held = new CountDownLatch(1);
        final Shmem.Context config = LocalJobs.config()
            .transport(TransportKind.IPC)
            .progressMode(ProgressMode.INVOKER)
            .operationTimeoutNs(TimeUnit.SECONDS.toNanos(1));
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
                while (3 != locks.getInt(offset))
                {
                    shmem.progress();
                }
                Thread.sleep(3000);
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
    void shouldPassALockOnOnceWhenTwoThreadsUnlockIt() throws Exception
    {
        final CountDownLatch completing = new CountDownLatch(2);
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
                assertEquals(locks.getInt(offset), locks.getInt(offset + Integer.BYTES), "ticket that is served");
            }
            else
            {
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
            found = 1 == locks.getInt(offset) ? offset : found;
        }
        return shmem.world().reduceLong(ReduceOp.MAX, found);
    }

    /** A ticket that was given up is not passed on in memory that has another use by then. */
    @Test
    void shouldForgetTheTicketsOfMemoryThatWasFreed() throws Exception
    {
        final AtomicBoolean isDelayed = new AtomicBoolean();
        final Shmem.Context config = LocalJobs.config().threadFactory((task) -> new Thread(() ->
        {
            LockSupport.parkNanos(isDelayed.get() ? TimeUnit.SECONDS.toNanos(1) : 1);
            task.run();
        }));
        Shmem.runLocal(2, config, (shmem) ->
        {
            final SymmetricBuffer lock = shmem.calloc(1, 8);
            if (0 == shmem.myPe())
            {
                shmem.lock(lock, 0);
            }
            shmem.barrierAll();
            if (1 == shmem.myPe())
            {
                isDelayed.set(true);
                assertFalse(shmem.tryLock(lock, 0, 1));
            }
            shmem.barrierAll();
            if (0 == shmem.myPe())
            {
                shmem.unlock(lock, 0);
            }

            shmem.free(lock);
            final SymmetricBuffer next = shmem.malloc(8);
            assertEquals(lock.address(), next.address());
            next.putInt(0, 2);
            next.putInt(4, 1);
            shmem.barrierAll();
            Thread.sleep(2000);
            assertEquals(1, next.getInt(4));
        });
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
