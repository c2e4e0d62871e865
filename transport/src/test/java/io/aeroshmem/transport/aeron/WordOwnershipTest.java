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
package io.aeroshmem.transport.aeron;

import io.aeroshmem.transport.AtomicOp;
import io.aeroshmem.transport.mapped.MemoryOps;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.concurrent.FutureTask;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("jdk")
@Timeout(60)
class WordOwnershipTest
{
    private static final int UPDATES = 2_000_000;

    private final EngineLock lock = new EngineLock();
    private final WordOwnership ownership = new WordOwnership(lock);

    @Test
    void shouldBeClaimedByTheOnlyUser()
    {
        assertFalse(ownership.isClaimed());
        ownership.claim();
        assertTrue(ownership.isClaimed());

        ownership.beforeAtomic();
        assertFalse(ownership.isClaimed());
        ownership.claim();
        assertTrue(ownership.isClaimed());

        ownership.release();
        assertFalse(ownership.isClaimed());
    }

    @Test
    void shouldNotBeClaimedAfterAnAtomicOfAnotherThread() throws Exception
    {
        ownership.claim();
        inThread(ownership::beforeAtomic);
        assertFalse(ownership.isClaimed());
        ownership.claim();
        assertFalse(ownership.isClaimed());

        ownership.beforeAtomic();
        inThread(ownership::claim);
        assertFalse(ownership.isClaimed());
    }

    @Test
    void shouldNotBeClaimedOnceBarred()
    {
        ownership.claim();
        ownership.useAtomics();
        assertFalse(ownership.isClaimed());
        ownership.claim();
        assertFalse(ownership.isClaimed());
    }

    @Test
    void shouldPermitAtomicsAfterTheEngineHasRetired()
    {
        lock.retire();
        ownership.beforeAtomic();
        ownership.claim();
        assertFalse(ownership.isClaimed());
    }

    /** One thread claims and makes passes over a word, another begins to perform atomics on it at some time. */
    @Test
    void shouldLoseNoUpdate() throws Exception
    {
        final ByteBuffer memory = BufferUtil.allocateDirectAligned(Long.BYTES, Long.BYTES);
        final long word = BufferUtil.address(memory);
        for (int round = 0; round < 20; round++)
        {
            UnsafeApi.putLong(word, 0);
            final WordOwnership ownership = new WordOwnership(lock);
            final int startAt = round * 1000;
            final FutureTask<Void> other = new FutureTask<>(() -> addAtomically(ownership, word, startAt), null);
            new Thread(other).start();
            for (int i = 0; i < UPDATES / 100; i++)
            {
                ownership.claim();
                lock.lock();
                addInOnePass(ownership.isClaimed(), word);
                lock.unlock();
            }

            other.get();
            assertEquals(UPDATES + UPDATES / 20, UnsafeApi.getLongVolatile(null, word), "round " + round);
        }

        Reference.reachabilityFence(memory);
    }

    private static void addInOnePass(final boolean isClaimed, final long word)
    {
        for (int i = 0; i < 100; i++)
        {
            if (isClaimed)
            {
                MemoryOps.fetchUpdateLong(word, AtomicOp.ADD, 1);
            }
            else
            {
                MemoryOps.atomicLong(word, AtomicOp.ADD, 1);
            }
        }
    }

    /** Begins when the sum has reached a value. */
    private static void addAtomically(final WordOwnership ownership, final long word, final int startAt)
    {
        while (UnsafeApi.getLongVolatile(null, word) < startAt)
        {
            Thread.onSpinWait();
        }

        for (int i = 0; i < UPDATES / 20; i++)
        {
            ownership.beforeAtomic();
            MemoryOps.atomicLong(word, AtomicOp.ADD, 1);
        }
    }

    private static void inThread(final Runnable action) throws InterruptedException
    {
        final Thread thread = new Thread(action);
        thread.start();
        thread.join();
    }
}
