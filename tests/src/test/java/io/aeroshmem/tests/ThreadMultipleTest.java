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
import io.aeroshmem.ContextOption;
import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.JobForm;
import io.aeroshmem.tests.fixture.Pattern;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.PeThreads;
import io.aeroshmem.tests.fixture.RoutineSet;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Any number of threads of a PE may call at any time: nothing is lost or done twice.
 */
@Tag("jdk")
class ThreadMultipleTest
{
    private static final int THREADS = 8;
    private static final int BLOCK = 3_000;
    private static final int COLLECTORS = 4;

    @ParameterizedTest
    @CsvSource({
        "MAPPED, THREADS", "IPC, THREADS", "UDP, THREADS", "MAPPED, PROCESSES", "IPC, PROCESSES", "UDP, PROCESSES"})
    @Tag("ci")
    void shouldBeExactWithEightThreads(final TransportKind transport, final JobForm form)
    {
        Job.of(2).transport(transport).form(form).inUsedProcesses().run(new Routines());
    }

    @ParameterizedTest
    @Tag("exhaustive")
    @CsvSource({
        "MAPPED, THREADS", "IPC, THREADS", "UDP, THREADS", "MAPPED, PROCESSES", "IPC, PROCESSES", "UDP, PROCESSES"})
    void shouldBeExactForLong(final TransportKind transport, final JobForm form)
    {
        Job.of(3).transport(transport).form(form).inUsedProcesses().run(new LongRoutines());
    }

    /**
     * The routines of the jobs.
     */
    static final class Routines extends RoutineSet
    {
        Routines()
        {
            add("mix", (pe) -> mix(pe, 25));
            add("collectives", (pe) -> runCollectives(pe, 12));
            add("locks", (pe) -> contend(pe, 5));
        }
    }

    /**
     * The routines of the long jobs.
     */
    static final class LongRoutines extends RoutineSet
    {
        LongRoutines()
        {
            add("mix", (pe) -> mix(pe, 400));
            add("collectives", (pe) -> runCollectives(pe, 200));
            add("locks", (pe) -> contend(pe, 50));
        }
    }

    /**
     * All threads put, get, count and signal at once: on the default context, on contexts of their own, and on one that
     * two of them use in turn; threads complete operations while others issue them.
     */
    private static void mix(final Pe pe, final int rounds) throws InterruptedException
    {
        final Memory memory = new Memory(pe.shmem(), pe.n());
        final Object turns = new Object();
        try (CommunicationContext serialized = pe.shmem().createContext(ContextOption.SERIALIZED))
        {
            PeThreads.run(pe, THREADS, (thread) ->
            {
                switch (thread % 4)
                {
                    case 0:
                        mix(pe, pe.ctx(), memory, thread, rounds, new Object());
                        break;

                    case 1:
                        mixOnOwn(pe, memory, thread, rounds);
                        break;

                    case 2:
                        mixOnOwn(pe, memory, thread, rounds, ContextOption.PRIVATE);
                        break;

                    default:
                        mix(pe, serialized, memory, thread, rounds, turns);
                        break;
                }
            });
        }

        pe.shmem().barrierAll();
        final long all = (long)pe.n() * THREADS * rounds;
        assertEquals(all, memory.words.getLong(0), "atomicInc");
        assertEquals(3 * all, memory.words.getLong(8), "atomicFetchAdd");
        assertEquals(all, memory.words.getLong(16), "signals");
        assertEquals(all, memory.words.getLong(24), "signals with payloads");
        assertEquals(all, memory.words.getInt(32), "compare and swap of ints");
        assertEquals(0 == all % 2 ? 0 : -1, memory.words.getLong(40), "xor");
        pe.shmem().barrierAll();
        memory.free(pe.shmem());
    }

    private static void mixOnOwn(
        final Pe pe, final Memory memory, final int thread, final int rounds, final ContextOption... options)
    {
        try (CommunicationContext ctx = pe.shmem().createContext(options))
        {
            mix(pe, ctx, memory, thread, rounds, new Object());
        }
    }

    private static void mix(
        final Pe pe,
        final CommunicationContext ctx,
        final Memory memory,
        final int thread,
        final int rounds,
        final Object turns)
    {
        final UnsafeBuffer local = new UnsafeBuffer(new byte[BLOCK]);
        final UnsafeBuffer back = new UnsafeBuffer(new byte[BLOCK]);
        final int lane = pe.me() * THREADS + thread;
        for (int i = 0; i < rounds; i++)
        {
            for (int target = 0; target < pe.n(); target++)
            {
                synchronized (turns)
                {
                    count(ctx, memory, lane, target);
                    if (0 == (i + thread) % 8)
                    {
                        exchange(ctx, memory, local, back, lane, target, Pattern.seed(pe.me(), thread, i, target));
                    }
                }
            }

            if (0 == i % 16)
            {
                pe.ctx().quiet();
            }
        }

        synchronized (turns)
        {
            ctx.quiet();
        }
    }

    private static void count(
        final CommunicationContext ctx, final Memory memory, final int lane, final int target)
    {
        ctx.atomicIncLong(memory.words, 0, target);
        ctx.atomicFetchAddLong(memory.words, 8, 3, target);
        ctx.signal(memory.words, 16, 1, SignalOp.ADD, target);
        ctx.putSignal(
            memory.sources, 8L * lane, memory.sources, 8L * lane, 8, memory.words, 24, 1, SignalOp.ADD, target);
        ctx.atomicXorLong(memory.words, 40, -1, target);
        int seen = ctx.atomicFetchInt(memory.words, 32, target);
        int found = ctx.atomicCompareSwapInt(memory.words, 32, seen, seen + 1, target);
        while (seen != found)
        {
            seen = found;
            found = ctx.atomicCompareSwapInt(memory.words, 32, seen, seen + 1, target);
        }
    }

    private static void exchange(
        final CommunicationContext ctx,
        final Memory memory,
        final UnsafeBuffer local,
        final UnsafeBuffer back,
        final int lane,
        final int target,
        final long seed)
    {
        final long offset = (long)BLOCK * lane;
        Pattern.fill(local, 0, BLOCK, seed);
        ctx.put(memory.blocks, offset, local, 0, BLOCK, target);
        ctx.quiet(target);
        ctx.get(back, 0, memory.blocks, offset, BLOCK, target);
        Pattern.check("own lane", back, 0, BLOCK, seed);

        // back by nonblocking calls, through symmetric memory of this lane only
        ctx.getNbi(memory.copies, offset, memory.blocks, offset, BLOCK, target);
        ctx.quiet();
        memory.copies.view(offset, BLOCK).getBytes(0, back, 0, BLOCK);
        Pattern.check("nonblocking get", back, 0, BLOCK, seed);
        ctx.putNbi(memory.blocks, offset, memory.copies, offset, BLOCK, target);
        ctx.quiet();
    }

    /**
     * Each of some threads has a team of its own, made by all PEs in the same order; they run collectives on them at
     * once, while another thread counts.
     */
    private static void runCollectives(final Pe pe, final int rounds) throws InterruptedException
    {
        final Team[] teams = new Team[COLLECTORS];
        final SymmetricBuffer[] buffers = new SymmetricBuffer[COLLECTORS];
        for (int i = 0; i < COLLECTORS; i++)
        {
            teams[i] = pe.shmem().world().duplicate();
            buffers[i] = pe.shmem().calloc(2L * pe.n() * BLOCK, 8);
        }

        final SymmetricBuffer counter = pe.shmem().calloc(1, 8);
        final AtomicInteger collecting = new AtomicInteger(COLLECTORS);
        final AtomicLong counted = new AtomicLong();
        PeThreads.run(pe, 1 + COLLECTORS, (thread) ->
        {
            if (thread < COLLECTORS)
            {
                collect(teams[thread], buffers[thread], thread, rounds);
                collecting.decrementAndGet();
            }
            else
            {
                while (collecting.get() > 0)
                {
                    pe.ctx().atomicIncLong(counter, 0, pe.me());
                    counted.incrementAndGet();
                }
            }
        });
        pe.shmem().barrierAll();
        assertEquals(counted.get(), counter.getLong(0));
        pe.shmem().free(counter);
        for (int i = 0; i < COLLECTORS; i++)
        {
            teams[i].close();
            pe.shmem().free(buffers[i]);
        }
    }

    private static void collect(final Team team, final SymmetricBuffer buffer, final int thread, final int rounds)
    {
        final int n = team.nPes();
        final SymmetricBuffer dest = buffer.slice(0, 8L * n * BLOCK);
        final SymmetricBuffer source = buffer.slice(8L * n * BLOCK, 8L * BLOCK);
        for (int i = 0; i < rounds; i++)
        {
            final int nelems = 1 + (i * 37 + thread * 101) % (BLOCK - 1);
            final long value = 1000L * i + thread;
            source.putLong(0, value + team.myPe());
            source.putLong(8L * (nelems - 1), value + team.myPe());
            switch (i % 4)
            {
                case 0:
                    team.fcollect(ElementType.LONG, dest, source, nelems);
                    for (int rank = 0; rank < n; rank++)
                    {
                        assertEquals(value + rank, dest.getLong(8L * rank * nelems), "fcollect");
                        assertEquals(value + rank, dest.getLong(8L * (rank * nelems + nelems - 1)), "fcollect");
                    }

                    break;

                case 1:
                    team.reduce(ReduceOp.MAX, ElementType.LONG, dest, source, nelems);
                    assertEquals(value + n - 1, dest.getLong(8L * (nelems - 1)), "reduce");
                    break;

                case 2:
                    team.broadcast(ElementType.LONG, dest, source, nelems, i % n);
                    assertEquals(value + i % n, dest.getLong(8L * (nelems - 1)), "broadcast");
                    break;

                default:
                    assertEquals(n * value, team.reduceLong(ReduceOp.SUM, value), "reduceLong");
                    team.barrier();
                    break;
            }
        }
    }

    /**
     * All threads of all PEs contend for the same two locks.
     */
    private static void contend(final Pe pe, final int rounds) throws InterruptedException
    {
        final SymmetricBuffer locks = pe.shmem().calloc(2, 8);
        final SymmetricBuffer words = pe.shmem().calloc(2, 8);
        PeThreads.run(pe, THREADS, (thread) ->
        {
            for (int i = 0; i < rounds; i++)
            {
                final long which = 8L * ((i + thread) % 2);
                pe.shmem().lock(locks, which);
                pe.ctx().putLong(words, which, pe.ctx().getLong(words, which, 0) + 1, 0);
                pe.shmem().unlock(locks, which);
            }
        });
        pe.shmem().barrierAll();
        if (0 == pe.me())
        {
            assertEquals(pe.n() * THREADS * rounds, words.getLong(0) + words.getLong(8), "counted under the locks");
        }

        pe.shmem().free(words);
        pe.shmem().free(locks);
    }

    /**
     * The memory that the threads share.
     */
    private static final class Memory
    {
        private final SymmetricBuffer words;
        private final SymmetricBuffer sources;
        private final SymmetricBuffer blocks;
        private final SymmetricBuffer copies;

        Memory(final Shmem shmem, final int n)
        {
            words = shmem.calloc(8, 8);
            sources = shmem.calloc((long)n * THREADS, 8);
            blocks = shmem.calloc((long)n * THREADS, BLOCK);
            copies = shmem.calloc((long)n * THREADS, BLOCK);
        }

        void free(final Shmem shmem)
        {
            shmem.free(copies);
            shmem.free(blocks);
            shmem.free(sources);
            shmem.free(words);
        }
    }
}
