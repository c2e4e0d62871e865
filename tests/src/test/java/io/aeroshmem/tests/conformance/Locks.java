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
package io.aeroshmem.tests.conformance;

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.Comparison;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.tests.fixture.Pe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Distributed locks.
 */
final class Locks
{
    private Locks()
    {
    }

    static void shouldExcludeOthersWhileHeld(final Pe pe)
    {
        final int rounds = 25;
        final SymmetricBuffer locks = pe.calloc(4, 8);
        final SymmetricBuffer counters = pe.calloc(4, 8);
        for (int i = 0; i < rounds; i++)
        {
            final long at = 8L * (i % 2);
            pe.shmem().lock(locks, at);
            increase(pe, counters, at);
            pe.shmem().unlock(locks, at);
        }

        pe.shmem().barrierAll();
        if (0 == pe.me())
        {
            assertEquals((long)rounds * pe.n(), pe.memory().getLong(counters, 0) + pe.memory().getLong(counters, 8));
        }

        pe.shmem().free(counters);
        pe.shmem().free(locks);
    }

    static void shouldExcludeOthersWhenTested(final Pe pe)
    {
        final int rounds = 10;
        final SymmetricBuffer lock = pe.calloc(1, 8);
        final SymmetricBuffer counter = pe.calloc(1, 8);
        for (int i = 0; i < rounds; i++)
        {
            Pe.await(() -> pe.shmem().testLock(lock, 0), "lock");
            increase(pe, counter, 0);
            pe.shmem().unlock(lock, 0);
        }

        pe.shmem().barrierAll();
        if (0 == pe.me())
        {
            assertEquals((long)rounds * pe.n(), pe.memory().getLong(counter, 0));
        }

        pe.shmem().free(counter);
        pe.shmem().free(lock);
    }

    static void shouldRejectALockThatIsHeld(final Pe pe)
    {
        final SymmetricBuffer lock = pe.calloc(1, 8);
        if (0 == pe.me())
        {
            pe.shmem().lock(lock, 0);
        }

        pe.shmem().barrierAll();
        if (0 != pe.me())
        {
            assertFalse(pe.shmem().testLock(lock, 0));
        }

        pe.shmem().barrierAll();
        if (0 == pe.me())
        {
            pe.shmem().unlock(lock, 0);
        }

        pe.shmem().barrierAll();
        if (pe.n() - 1 == pe.me())
        {
            assertTrue(pe.shmem().testLock(lock, 0));
            pe.shmem().unlock(lock, 0);
        }

        pe.shmem().barrierAll();
        pe.shmem().free(lock);
    }

    /**
     * PE 0 holds the lock while the others request it one after another: a request changes the lock's memory.
     */
    static void shouldBeTakenInTheOrderOfRequests(final Pe pe)
    {
        final SymmetricBuffer lock = pe.calloc(1, 8);
        final SymmetricBuffer words = pe.calloc(2, 8);
        if (0 == pe.me())
        {
            pe.shmem().lock(lock, 0);
        }

        pe.shmem().barrierAll();
        if (0 == pe.me())
        {
            for (int other = 1; other < pe.n(); other++)
            {
                final long before = sum(pe, lock);
                pe.ctx().signal(words, 0, 1, SignalOp.SET, other);
                Pe.await(() -> before != sum(pe, lock), "the request of PE " + other);
            }

            pe.shmem().unlock(lock, 0);
        }
        else
        {
            pe.shmem().signalWaitUntil(words, 0, Comparison.EQ, 1);
            pe.shmem().lock(lock, 0);
            assertEquals(pe.me() - 1, pe.ctx().atomicFetchIncLong(words, 8, 0), "how many had it before");
            pe.shmem().unlock(lock, 0);
        }

        pe.shmem().barrierAll();
        pe.shmem().free(words);
        pe.shmem().free(lock);
    }

    private static long sum(final Pe pe, final SymmetricBuffer lock)
    {
        long sum = 0;
        for (int other = 0; other < pe.n(); other++)
        {
            sum += pe.ctx().atomicFetchLong(lock, 0, other);
        }

        return sum;
    }

    /**
     * Not atomic: the lock has to protect it.
     */
    private static void increase(final Pe pe, final SymmetricBuffer counter, final long at)
    {
        final CommunicationContext ctx = pe.ctx();
        ctx.putLong(counter, at, ctx.getLong(counter, at, 0) + 1, 0);
        ctx.quiet();
    }
}
