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

import java.util.concurrent.atomic.AtomicReference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LocksTest
{
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
}
