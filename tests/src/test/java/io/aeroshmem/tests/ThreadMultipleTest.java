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
package io.aeroshmem.tests;

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.Shmem;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.JobForm;
import io.aeroshmem.tests.fixture.Pattern;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.RoutineSet;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.concurrent.atomic.AtomicReference;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Four threads of each PE at once, some on the context that all share, some on one of their own.
 */
@Timeout(120)
class ThreadMultipleTest
{
    private static final int THREADS = 4;
    private static final int ROUNDS = 250;
    private static final int BLOCK = 3_000;

    @ParameterizedTest
    @CsvSource({"MAPPED, THREADS", "IPC, THREADS", "UDP, THREADS", "IPC, PROCESSES"})
    void shouldCountExactly(final TransportKind transport, final JobForm form)
    {
        Job.of(2).transport(transport).form(form).run(new Routines());
    }

    /**
     * What the jobs run.
     */
    static final class Routines extends RoutineSet
    {
        Routines()
        {
            add("four threads", ThreadMultipleTest::runThreads);
        }
    }

    private static void runThreads(final Pe pe) throws InterruptedException
    {
        final Memory memory = new Memory(pe.shmem());
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        final Thread[] threads = new Thread[THREADS];
        for (int t = 0; t < THREADS; t++)
        {
            final int index = t;
            threads[t] = new Thread(() -> runThread(pe, memory, index, failure), "pe-" + pe.me() + "-thread-" + t);
            threads[t].setDaemon(true);
            threads[t].start();
        }
        for (final Thread thread : threads)
        {
            thread.join();
        }
        if (null != failure.get())
        {
            throw new AssertionError(failure.get());
        }
        pe.shmem().barrierAll();
        final long all = (long)pe.n() * THREADS * ROUNDS;
        assertEquals(all, memory.words.getLong(0), "atomicInc");
        assertEquals(3 * all, memory.words.getLong(8), "atomicFetchAdd");
        assertEquals(all, memory.words.getLong(16), "signals");
        if (0 == pe.me())
        {
            assertEquals(pe.n() * THREADS * (ROUNDS / 50), memory.words.getLong(24), "counted under the lock");
        }
        pe.shmem().barrierAll();
    }

    private static void runThread(
        final Pe pe, final Memory memory, final int thread, final AtomicReference<Throwable> failure)
    {
        try
        {
            if (0 == thread % 2)
            {
                mix(pe, pe.ctx(), memory, thread);
            }
            else
            {
                try (CommunicationContext ctx = pe.shmem().createContext())
                {
                    mix(pe, ctx, memory, thread);
                }
            }
        }
        catch (final Exception | Error ex)
        {
            failure.compareAndSet(null, ex);
        }
    }

    private static void mix(final Pe pe, final CommunicationContext ctx, final Memory memory, final int thread)
    {
        final UnsafeBuffer local = new UnsafeBuffer(new byte[BLOCK]);
        final UnsafeBuffer back = new UnsafeBuffer(new byte[BLOCK]);
        final long lane = (long)BLOCK * (pe.me() * THREADS + thread);
        for (int i = 0; i < ROUNDS; i++)
        {
            for (int target = 0; target < pe.n(); target++)
            {
                ctx.atomicIncLong(memory.words, 0, target);
                ctx.atomicFetchAddLong(memory.words, 8, 3, target);
                ctx.signal(memory.words, 16, 1, SignalOp.ADD, target);
                if (0 == i % 10)
                {
                    final long seed = Pattern.seed(pe.me(), thread, i, target);
                    Pattern.fill(local, 0, BLOCK, seed);
                    ctx.put(memory.blocks, lane, local, 0, BLOCK, target);
                    ctx.quiet(target);
                    ctx.get(back, 0, memory.blocks, lane, BLOCK, target);
                    Pattern.check("own lane", back, 0, BLOCK, seed);
                }
            }
            if (0 == i % 50)
            {
                pe.shmem().lock(memory.lock, 0);
                ctx.putLong(memory.words, 24, ctx.getLong(memory.words, 24, 0) + 1, 0);
                ctx.quiet();
                pe.shmem().unlock(memory.lock, 0);
            }
        }
        ctx.quiet();
    }

    /**
     * What the threads share.
     */
    private static final class Memory
    {
        private final SymmetricBuffer words;
        private final SymmetricBuffer blocks;
        private final SymmetricBuffer lock;

        Memory(final Shmem shmem)
        {
            words = shmem.calloc(4, 8);
            blocks = shmem.calloc(16L * THREADS, BLOCK);
            lock = shmem.calloc(1, 8);
        }
    }
}
