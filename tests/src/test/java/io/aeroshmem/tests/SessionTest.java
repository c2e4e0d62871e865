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
import io.aeroshmem.Comparison;
import io.aeroshmem.ProgressMode;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.SessionOption;
import io.aeroshmem.ShmemInterruptedException;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Deadlines;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.Pe;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongBinaryOperator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Sessions that gather: the order of what gathers and what does not, completion, and threads beside the session's. */
class SessionTest
{
    private static final int WORDS = 64;
    /** Of random tests: 1, and more in the nightly run. */
    private static final int VOLUME = Integer.getInteger("aeroshmem.test.volume", 1);
    private static final int OPERATIONS = 500 * VOLUME;
    private static final int UPDATES = 5_000 * VOLUME + 1;
    private static final int SESSIONS = 300;
    private static final int LONG_FORMS = 10;
    /** Operations that update a word, with their nonblocking fetch and a model: those of 8 bytes, then those of 4. */
    private static final List<Form> FORMS = List.of(
        new Form(CommunicationContext::atomicAddLong, CommunicationContext::atomicFetchAddLongNbi,
            (before, value) -> before + value),
        new Form(CommunicationContext::atomicAndLong, CommunicationContext::atomicFetchAndLongNbi,
            (before, value) -> before & value),
        new Form(CommunicationContext::atomicOrLong, CommunicationContext::atomicFetchOrLongNbi,
            (before, value) -> before | value),
        new Form(CommunicationContext::atomicXorLong, CommunicationContext::atomicFetchXorLongNbi,
            (before, value) -> before ^ value),
        new Form((ctx, words, offset, value, peer) -> ctx.atomicIncLong(words, offset, peer),
            (ctx, fetched, slot, words, offset, value, peer) ->
                ctx.atomicFetchIncLongNbi(fetched, slot, words, offset, peer),
            (before, value) -> before + 1),
        new Form(CommunicationContext::atomicAddDouble, CommunicationContext::atomicFetchAddDoubleNbi,
            (before, value) -> Double.doubleToRawLongBits(Double.longBitsToDouble(before) + value)),
        new Form(CommunicationContext::atomicMinLong, CommunicationContext::atomicFetchMinLongNbi, Math::min),
        new Form(CommunicationContext::atomicMinDouble, CommunicationContext::atomicFetchMinDoubleNbi,
            (before, value) -> Double.doubleToLongBits(Math.min(Double.longBitsToDouble(before), value))),
        new Form(CommunicationContext::atomicMaxLong, CommunicationContext::atomicFetchMaxLongNbi, Math::max),
        new Form(CommunicationContext::atomicMaxDouble, CommunicationContext::atomicFetchMaxDoubleNbi,
            (before, value) -> Double.doubleToLongBits(Math.max(Double.longBitsToDouble(before), value))),
        new Form(CommunicationContext::atomicAddInt, CommunicationContext::atomicFetchAddIntNbi,
            (before, value) -> Integer.toUnsignedLong((int)(before + value))),
        new Form(CommunicationContext::atomicAndInt, CommunicationContext::atomicFetchAndIntNbi,
            (before, value) -> Integer.toUnsignedLong((int)(before & value))),
        new Form(CommunicationContext::atomicOrInt, CommunicationContext::atomicFetchOrIntNbi,
            (before, value) -> Integer.toUnsignedLong((int)(before | value))),
        new Form(CommunicationContext::atomicXorInt, CommunicationContext::atomicFetchXorIntNbi,
            (before, value) -> Integer.toUnsignedLong((int)(before ^ value))),
        new Form((ctx, words, offset, value, peer) -> ctx.atomicIncInt(words, offset, peer),
            (ctx, fetched, slot, words, offset, value, peer) ->
                ctx.atomicFetchIncIntNbi(fetched, slot, words, offset, peer),
            (before, value) -> Integer.toUnsignedLong((int)(before + 1))),
        new Form(CommunicationContext::atomicAddFloat, CommunicationContext::atomicFetchAddFloatNbi,
            (before, value) -> Integer.toUnsignedLong(
                Float.floatToRawIntBits(Float.intBitsToFloat((int)before) + (int)value))),
        new Form(CommunicationContext::atomicMinInt, CommunicationContext::atomicFetchMinIntNbi,
            (before, value) -> Integer.toUnsignedLong(Math.min((int)before, (int)value))),
        new Form(CommunicationContext::atomicMinFloat, CommunicationContext::atomicFetchMinFloatNbi,
            (before, value) -> Integer.toUnsignedLong(
                Float.floatToIntBits(Math.min(Float.intBitsToFloat((int)before), (int)value)))),
        new Form(CommunicationContext::atomicMaxInt, CommunicationContext::atomicFetchMaxIntNbi,
            (before, value) -> Integer.toUnsignedLong(Math.max((int)before, (int)value))),
        new Form(CommunicationContext::atomicMaxFloat, CommunicationContext::atomicFetchMaxFloatNbi,
            (before, value) -> Integer.toUnsignedLong(
                Float.floatToIntBits(Math.max(Float.intBitsToFloat((int)before), (int)value)))));

    private interface Update
    {
        void update(CommunicationContext ctx, SymmetricBuffer words, long offset, int value, int peer);
    }

    private interface Fetch
    {
        void fetch(
            CommunicationContext ctx,
            SymmetricBuffer fetched,
            long slot,
            SymmetricBuffer words,
            long offset,
            int value,
            int peer);
    }

    private record Form(Update update, Fetch fetch, LongBinaryOperator model)
    {
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC", "UDP"})
    @Tag("ci")
    void shouldKeepTheOrderOfItsThread(final TransportKind transport)
    {
        Job.of(2).transport(transport).run("order of a session", SessionTest::keepOrder);
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC", "UDP"})
    void shouldKeepFetchesApartFromUpdates(final TransportKind transport)
    {
        Job.of(2).transport(transport).run("fetches among updates", SessionTest::fetchAmongUpdates);
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"IPC", "UDP"})
    void shouldBeCompletedAndOrderedByAnotherThread(final TransportKind transport)
    {
        Job.of(2).transport(transport).run("quiet and fence of another thread", SessionTest::completeByAnotherThread);
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"IPC", "UDP"})
    void shouldSendWhatHasGatheredWhileTheProgramComputes(final TransportKind transport)
    {
        Job.of(2).transport(transport).run("a program that computes", SessionTest::compute);
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"IPC", "UDP"})
    @Tag("ci")
    void shouldBeQuietOnlyWhenAllIsComplete(final TransportKind transport)
    {
        Job.of(2).transport(transport).run("testQuiet in a session", SessionTest::testQuiet);
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"IPC", "UDP"})
    void shouldCompleteWhenItsContextCloses(final TransportKind transport)
    {
        Job.of(2).transport(transport).run("sessions one after another", SessionTest::close);
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC", "UDP"})
    void shouldLoseNoUpdateBesideAtomicsOfItsOwnPe(final TransportKind transport)
    {
        Job.of(2).transport(transport).run("sums beside atomics", SessionTest::updateBesideAtomics);
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"IPC", "UDP"})
    void shouldLoseNoUpdateBesideSignalsOfItsOwnPe(final TransportKind transport)
    {
        Job.of(2).transport(transport).run("sums beside signals", SessionTest::updateBesideSignals);
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"IPC", "UDP"})
    void shouldLoseNoUpdateBesideAViewOfItsOwnMemory(final TransportKind transport)
    {
        Job.of(2).transport(transport).run("sums beside a view", SessionTest::updateBesideView);
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC"})
    void shouldTakeMemoryOnlyForPesThatAreAddressed(final TransportKind transport)
    {
        Job.of(16).transport(transport).property("aeroshmem.term.length", "64k").heapSize(4 << 20)
            .run("memory of a session", SessionTest::measureMemory);
    }

    @Test
    void shouldReleaseTheMemoryOfSessionsThatAnotherThreadEnds()
    {
        Job.of(2).transport(TransportKind.IPC).run("sessions that another thread ends", SessionTest::endElsewhere);
    }

    @Test
    void shouldReleaseTheMemoryOfSessionsWhoseCloseFails()
    {
        final CountDownLatch isIdle = new CountDownLatch(1);
        final CountDownLatch isOver = new CountDownLatch(1);
        Job.of(2).transport(TransportKind.IPC).setup((config) -> config.progressMode(ProgressMode.INVOKER))
            .run("sessions whose close fails", (pe) -> failToClose(pe, isIdle, isOver));
    }

    /** The thread of a session has ended before the other thread ends the session, and then it goes on. */
    private static void endElsewhere(final Pe pe) throws Exception
    {
        final SymmetricBuffer words = pe.shmem().calloc(WORDS, Long.BYTES);
        final CommunicationContext ctx = pe.shmem().createContext();
        pe.shmem().barrierAll();
        if (0 == pe.me())
        {
            assertBoundedMemory("the thread has ended", () ->
            {
                final Thread thread = new Thread(() -> updateAllInSession(pe, ctx, words));
                thread.start();
                thread.join();
                ctx.sessionStop();
                return null;
            });
            assertBoundedMemory("the thread goes on", () ->
            {
                updateAllInSession(pe, ctx, words);
                run(() ->
                {
                    ctx.sessionStop();
                    return null;
                });
                ctx.atomicIncLong(words, 0, pe.right());
                return null;
            });
        }

        ctx.close();
        pe.shmem().barrierAll();
        assertEquals((0 == pe.me() ? 2 : 3) * SESSIONS, pe.ctx().atomicFetchLong(words, 0, pe.me()));
    }

    /** PE 1 performs nothing while PE 0 closes contexts, until an interrupt. */
    private static void failToClose(final Pe pe, final CountDownLatch isIdle, final CountDownLatch isOver)
        throws Exception
    {
        final SymmetricBuffer words = pe.shmem().calloc(WORDS, Long.BYTES);
        pe.shmem().barrierAll();
        if (1 == pe.me())
        {
            isIdle.countDown();
            isOver.await();
        }
        else
        {
            isIdle.await(); // in the barrier PE 1 would perform updates
            try
            {
                assertBoundedMemory("close", () ->
                {
                    final CommunicationContext ctx = pe.shmem().createContext();
                    updateAllInSession(pe, ctx, words);
                    Thread.currentThread().interrupt();
                    assertThrows(ShmemInterruptedException.class, ctx::close);
                    assertTrue(Thread.interrupted());
                    return null;
                });
            }
            finally
            {
                isOver.countDown();
            }
        }

        pe.shmem().barrierAll();
        assertEquals(SESSIONS, pe.ctx().atomicFetchLong(words, 0, pe.me()));
    }

    private static void updateAllInSession(final Pe pe, final CommunicationContext ctx, final SymmetricBuffer words)
    {
        ctx.sessionStart(SessionOption.BATCH);
        ctx.atomicIncLong(words, 0, pe.me());
        ctx.atomicIncLong(words, 0, pe.right());
    }

    private static void assertBoundedMemory(final String when, final Callable<Void> session) throws Exception
    {
        session.call();
        final long before = settledMemory();
        for (int i = 1; i < SESSIONS; i++)
        {
            session.call();
        }

        final long limit = before + SESSIONS * 4096L;
        for (int i = 0; i < 100 && directMemory() >= limit; i++)
        {
            System.gc();
            Thread.sleep(10);
        }

        assertTrue(directMemory() < limit, () -> directMemory() - before + " bytes when " + when);
    }

    /**
     * All PEs are in this JVM, and only the first one operates. Measured again if memory of jobs that have ended was
     * released meanwhile.
     */
    private static void measureMemory(final Pe pe)
    {
        final SymmetricBuffer words = pe.shmem().calloc(WORDS, Long.BYTES);
        final CommunicationContext ctx = pe.shmem().createContext();
        pe.shmem().barrierAll();
        if (0 == pe.me())
        {
            final int peers = 5;
            final long rings = TransportKind.MAPPED == pe.transport() ? 0 : peers;
            long grown = -1;
            for (int i = 0; i < 100 && (grown < 4096 * rings || grown >= 4096 * rings + 1024); i++)
            {
                ctx.sessionStart(SessionOption.BATCH);
                final long before = directMemory();
                for (int peer = 0; peer < peers; peer++)
                {
                    increment(ctx, words, peer);
                }

                grown = directMemory() - before;
                ctx.sessionStop();
            }

            assertTrue(grown >= 4096 * rings && grown < 4096 * rings + 1024, grown + " bytes");
        }

        ctx.close();
        pe.shmem().barrierAll();
    }

    /** Returns the direct memory once that of earlier jobs was released. */
    private static long settledMemory() throws InterruptedException
    {
        long last = Long.MAX_VALUE;
        long now = directMemory();
        while (now < last)
        {
            System.gc();
            Thread.sleep(50);
            last = now;
            now = directMemory();
        }

        return now;
    }

    private static long directMemory()
    {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter((pool) -> "direct".equals(pool.getName())).mapToLong(BufferPoolMXBean::getMemoryUsed).sum();
    }

    /**
     * Each PE operates on words of the other at random, by what gathers and what does not, while a second thread of it
     * keeps the engine busy; a model has the values that the words must have.
     */
    private static void keepOrder(final Pe pe) throws Exception
    {
        final SymmetricBuffer words = pe.shmem().calloc(WORDS + 2, Long.BYTES);
        final SymmetricBuffer others = pe.shmem().calloc(WORDS, Long.BYTES);
        final CommunicationContext other = pe.shmem().createContext();
        final AtomicBoolean isStopped = new AtomicBoolean();
        final FutureTask<Long> beside = start(() -> flood(other, others, pe.right(), isStopped));
        try
        {
            final CommunicationContext ctx = pe.shmem().createContext();
            ctx.sessionStart(SessionOption.BATCH, SessionOption.SAME_AMO);
            final long[] model = new long[WORDS + 2];
            final SplittableRandom random = pe.ownRandom();
            for (int i = 0; i < OPERATIONS; i++)
            {
                final int form = random.nextInt(40);
                final int times = 0 == random.nextInt(8) ? random.nextInt(40) : 1;
                for (int j = 0; j < times; j++)
                {
                    operate(ctx, form, words, random.nextInt(WORDS), random.nextLong(), model, pe.right());
                }
            }

            ctx.quiet();
            final long[] actual = new long[WORDS + 2];
            ctx.get(actual, 0, words, 0, actual.length, pe.right());
            assertArrayEquals(model, actual);
            ctx.close();
        }
        finally
        {
            isStopped.set(true);
        }

        final long issued = beside.get();
        pe.shmem().barrierAll();
        assertEquals(
            pe.shmem().world().reduceLong(ReduceOp.SUM, issued),
            pe.shmem().world().reduceLong(ReduceOp.SUM, sum(pe, others)));
        other.close();
    }

    /**
     * Nonblocking fetches alternate with updates by the same operation, on words of the other PE and then of this one;
     * a model has the values that are fetched and those that the words must have.
     */
    private static void fetchAmongUpdates(final Pe pe)
    {
        final int fetches = 100;
        final SymmetricBuffer[] words = {
            pe.shmem().calloc(FORMS.size() * 2, Long.BYTES), pe.shmem().calloc(FORMS.size() * 2, Long.BYTES)};
        final SymmetricBuffer fetched = pe.shmem().calloc(2 * fetches, Long.BYTES);
        final CommunicationContext ctx = pe.shmem().createContext();
        ctx.sessionStart(SessionOption.BATCH, SessionOption.SAME_AMO);
        for (int target = 0; target < words.length; target++)
        {
            final int peer = 0 == target ? pe.right() : pe.me();
            final long[] model = new long[FORMS.size() * 2];
            final SplittableRandom random = pe.ownRandom();
            for (int round = 0; round < 200; round++)
            {
                final long[] expected = new long[2 * fetches];
                for (int i = 0; i < fetches; i++)
                {
                    final int form = 0 == random.nextInt(4) ? random.nextInt(FORMS.size()) : round % FORMS.size();
                    final int word = 2 * form + random.nextInt(2);
                    final int slot = i + (form < LONG_FORMS ? 0 : fetches);
                    final boolean isFetch = random.nextBoolean();
                    final int value = random.nextInt();
                    final long offset = (long)word * Long.BYTES;
                    final Form operation = FORMS.get(form);
                    if (isFetch)
                    {
                        expected[slot] = model[word];
                        operation.fetch.fetch(
                            ctx, fetched, (long)slot * Long.BYTES, words[target], offset, value, peer);
                    }
                    else
                    {
                        operation.update.update(ctx, words[target], offset, value, peer);
                    }

                    model[word] = operation.model.applyAsLong(model[word], value);
                }

                ctx.quiet();
                final long[] actual = new long[2 * fetches];
                ctx.get(actual, 0, fetched, 0, actual.length, pe.me());
                assertArrayEquals(expected, actual, "round " + round);
                ctx.put(fetched, 0, new long[2 * fetches], 0, 2 * fetches, pe.me());
            }

            final long[] actual = new long[FORMS.size() * 2];
            ctx.get(actual, 0, words[target], 0, actual.length, peer);
            assertArrayEquals(model, actual);
        }

        ctx.close();
    }

    /**
     * All updates are of the same few words: by sessions of both PEs, by the threads of the sessions without gathering,
     * and, in each second round, by another thread of their PE. A PE may claim its words before the first such round.
     */
    private static void updateBesideAtomics(final Pe pe) throws Exception
    {
        final SymmetricBuffer words = pe.shmem().calloc(WORDS, Long.BYTES);
        final CommunicationContext ctx = pe.shmem().createContext();
        final CommunicationContext other = pe.shmem().createContext();
        long issued = 0;
        for (int round = 0; round < 6; round++)
        {
            final AtomicBoolean isStopped = new AtomicBoolean(0 == round % 2);
            final FutureTask<Long> beside = start(() -> flood(other, words, pe.me(), isStopped));
            ctx.sessionStart(SessionOption.BATCH, SessionOption.SAME_AMO);
            for (int i = 0; i < 20 * OPERATIONS; i++)
            {
                final long offset = 8L * (i % 3);
                if (0 == i % 1000)
                {
                    ctx.atomicFetchAddLong(words, offset, 1, pe.me());
                }
                else
                {
                    ctx.atomicAddLong(words, offset, 1, 0 == (i & 1) ? pe.right() : pe.me());
                }
            }

            ctx.sessionStop();
            ctx.quiet();
            isStopped.set(true);
            issued += 20 * OPERATIONS + beside.get();
            pe.shmem().barrierAll();
            final long sum = pe.shmem().world().reduceLong(ReduceOp.SUM, sum(pe, words));
            assertEquals(pe.shmem().world().reduceLong(ReduceOp.SUM, issued), sum, "round " + round);
        }

        ctx.close();
        other.close();
    }

    /** As {@link #updateBesideAtomics}, but the other thread adds by signals, and nothing ends a claim before. */
    private static void updateBesideSignals(final Pe pe) throws Exception
    {
        final SymmetricBuffer words = pe.shmem().calloc(WORDS, Long.BYTES);
        final CommunicationContext ctx = pe.shmem().createContext();
        final CommunicationContext other = pe.shmem().createContext();
        final AtomicBoolean isStopped = new AtomicBoolean();
        ctx.sessionStart(SessionOption.BATCH, SessionOption.SAME_AMO);
        final FutureTask<Long> beside = start(() -> signal(other, words, pe.me(), isStopped));
        for (int i = 0; i < 100 * OPERATIONS; i++)
        {
            ctx.atomicAddLong(words, 8L * (i % 3), 1, 0 == (i & 1) ? pe.right() : pe.me());
        }

        ctx.sessionStop();
        ctx.quiet();
        isStopped.set(true);
        final long issued = 100 * OPERATIONS + beside.get();
        pe.shmem().barrierAll();
        final long sum = pe.shmem().world().reduceLong(ReduceOp.SUM, sum(pe, words));
        assertEquals(pe.shmem().world().reduceLong(ReduceOp.SUM, issued), sum);
        ctx.close();
        other.close();
    }

    /** Without the promise of {@link SessionOption#SAME_AMO}, atomic methods of a view remain atomic. */
    private static void updateBesideView(final Pe pe)
    {
        final SymmetricBuffer words = pe.shmem().calloc(WORDS, Long.BYTES);
        final AtomicBuffer view = words.local();
        final CommunicationContext ctx = pe.shmem().createContext();
        ctx.sessionStart(SessionOption.BATCH);
        for (int i = 0; i < 100 * OPERATIONS; i++)
        {
            ctx.atomicAddLong(words, 0, 1, 0 == (i & 1) ? pe.right() : pe.me());
            view.getAndAddLong(0, 1);
        }

        ctx.quiet();
        pe.shmem().barrierAll();
        assertEquals(200 * OPERATIONS, ctx.atomicFetchLong(words, 0, pe.me()));
        ctx.sessionStop();
        ctx.close();
        pe.shmem().barrierAll();
    }

    private static long signal(
        final CommunicationContext ctx, final SymmetricBuffer words, final int peer, final AtomicBoolean isStopped)
    {
        long issued = 0;
        while (!isStopped.get())
        {
            ctx.signal(words, issued++ % 3 * Long.BYTES, 1, SignalOp.ADD, peer);
        }

        ctx.quiet();
        return issued;
    }

    private static long flood(
        final CommunicationContext ctx, final SymmetricBuffer words, final int peer, final AtomicBoolean isStopped)
    {
        long issued = 0;
        while (!isStopped.get())
        {
            ctx.atomicAddLong(words, issued++ % WORDS * Long.BYTES, 1, peer);
        }

        ctx.quiet();
        return issued;
    }

    private static void operate(
        final CommunicationContext ctx,
        final int form,
        final SymmetricBuffer words,
        final int word,
        final long value,
        final long[] model,
        final int peer)
    {
        final long offset = (long)word * Long.BYTES;
        switch (form)
        {
            case 0 ->
            {
                assertEquals(model[word], ctx.atomicFetchAddLong(words, offset, value, peer));
                model[word] += value;
            }
            case 1 -> assertEquals(model[word], ctx.getLong(words, offset, peer));
            case 2 ->
            {
                ctx.put(words, offset, new long[]{value, value + 1, value + 2}, 0, 3, peer);
                model[word] = value;
                model[word + 1] = value + 1;
                model[word + 2] = value + 2;
            }
            case 3 ->
            {
                ctx.putSignal(
                    words, offset, new UnsafeBuffer(new byte[8]), 0, 8, words, offset, value, SignalOp.SET, peer);
                model[word] = value;
            }
            case 4, 5, 6, 7, 8 ->
            {
                ctx.putLong(words, offset, value, peer);
                model[word] = value;
            }
            case 9, 10, 11 ->
            {
                ctx.atomicXorLong(words, offset, value, peer);
                model[word] ^= value;
            }
            case 12, 13 ->
            {
                ctx.atomicSetLong(words, offset, value, peer);
                model[word] = value;
            }
            default ->
            {
                ctx.atomicAddLong(words, offset, value, peer);
                model[word] += value;
            }
        }
    }

    /** What the thread of a session issued before is completed by a quiet, and ordered by a fence, of another one. */
    private static void completeByAnotherThread(final Pe pe) throws Exception
    {
        final SymmetricBuffer words = pe.shmem().calloc(WORDS, Long.BYTES);
        final SymmetricBuffer flag = pe.shmem().calloc(1, Long.BYTES);
        final CommunicationContext ctx = pe.shmem().createContext();
        ctx.sessionStart(SessionOption.BATCH);
        final long[] fetched = new long[100];
        long expected = 0;
        for (int round = 1; round <= 100; round++)
        {
            final int count = round * 7 % 100;
            expected += count;
            for (int i = 0; i < count; i++)
            {
                ctx.atomicIncLong(words, 8L * (i % WORDS), pe.right());
            }

            final long flagged = round;
            run(() ->
            {
                ctx.fence();
                ctx.putLong(flag, 0, flagged, pe.right());
                return null;
            });
            pe.shmem().waitUntilLong(flag, 0, Comparison.GE, round);
            assertEquals(expected, sum(pe, words), "fence, round " + round);
            pe.shmem().syncAll();

            ctx.quiet();
            for (int i = 0; i < count; i++)
            {
                ctx.getNbi(fetched, i, flag, 0, 1, pe.right());
            }

            final int updates = 0 == round % 2 ? count : 0;
            for (int i = 0; i < updates; i++)
            {
                ctx.atomicIncLong(words, 8L * (i % WORDS), pe.right());
            }

            expected += updates;
            run(() ->
            {
                ctx.quiet();
                return null;
            });
            for (int i = 0; i < count; i++)
            {
                assertEquals(round, fetched[i], "quiet, round " + round);
            }

            pe.shmem().syncAll();
            assertEquals(expected, sum(pe, words), "quiet, round " + round);
            pe.shmem().syncAll();
        }

        ctx.sessionStop();
        ctx.close();
        pe.shmem().barrierAll();
    }

    /** No thread calls the library, so the agent sends what has gathered. */
    private static void compute(final Pe pe)
    {
        final SymmetricBuffer words = pe.shmem().calloc(WORDS, Long.BYTES);
        final CommunicationContext ctx = pe.shmem().createContext();
        pe.shmem().barrierAll();
        ctx.sessionStart(SessionOption.BATCH);
        for (int i = 0; i < 10; i++)
        {
            ctx.putLong(words, 8L * i, i + 1, pe.right());
        }

        final long deadlineNs = System.nanoTime() + Deadlines.WAIT_NS;
        while (55 != sum(pe, words) && System.nanoTime() < deadlineNs)
        {
            Thread.onSpinWait();
        }

        assertEquals(55, sum(pe, words));
        ctx.sessionStop();
        pe.shmem().barrierAll();
    }

    /** Another thread drives the engine, so that a test often finds its lock taken. */
    private static void testQuiet(final Pe pe) throws Exception
    {
        final SymmetricBuffer words = pe.shmem().calloc(WORDS, Long.BYTES);
        final AtomicBoolean isStopped = new AtomicBoolean();
        final FutureTask<Void> beside = start(() ->
        {
            while (!isStopped.get())
            {
                pe.ctx().testQuiet();
            }

            return null;
        });
        try (CommunicationContext ctx = pe.shmem().createContext())
        {
            ctx.sessionStart(SessionOption.BATCH, SessionOption.SAME_AMO);
            final long[] fetched = new long[1];
            for (int round = 1; round <= 100 * VOLUME; round++)
            {
                ctx.putLong(words, 8, round, pe.right());
                ctx.atomicAddLong(words, 0, 1, pe.right());
                awaitQuiet(ctx);
                assertEquals(round, pe.ctx().atomicFetchLong(words, 0, pe.right()));
                ctx.getNbi(fetched, 0, words, 8, 1, pe.right());
                awaitQuiet(ctx);
                assertEquals(round, fetched[0]);
            }
        }
        finally
        {
            isStopped.set(true);
        }

        beside.get();
        pe.shmem().barrierAll();
    }

    private static void awaitQuiet(final CommunicationContext ctx)
    {
        while (!ctx.testQuiet())
        {
            Thread.onSpinWait();
        }
    }

    /** Sessions of several threads, one after another, and their end by the close of the context. */
    private static void close(final Pe pe) throws Exception
    {
        final SymmetricBuffer words = pe.shmem().calloc(WORDS, Long.BYTES);
        pe.shmem().barrierAll();
        final CommunicationContext shared = pe.shmem().createContext();
        for (int i = 0; i < 4; i++)
        {
            run(() ->
            {
                shared.sessionStart(SessionOption.BATCH);
                increment(shared, words, pe.right());
                shared.sessionStop();
                return null;
            });
        }

        final CommunicationContext closed = pe.shmem().createContext();
        closed.sessionStart(SessionOption.BATCH);
        increment(closed, words, pe.right());
        closed.close();

        final CommunicationContext stoppedByAnother = pe.shmem().createContext();
        stoppedByAnother.sessionStart(SessionOption.BATCH);
        increment(stoppedByAnother, words, pe.right());
        run(() ->
        {
            stoppedByAnother.sessionStop();
            return null;
        });
        increment(stoppedByAnother, words, pe.right());

        pe.shmem().defaultContext().sessionStart(SessionOption.BATCH);
        increment(pe.shmem().defaultContext(), words, pe.right());
        pe.shmem().barrierAll();
        shared.quiet();
        stoppedByAnother.quiet();
        pe.shmem().barrierAll();
        assertEquals(8L * UPDATES, sum(pe, words));
        pe.shmem().syncAll();
        increment(pe.shmem().defaultContext(), words, pe.right());
    }

    private static void increment(final CommunicationContext ctx, final SymmetricBuffer words, final int peer)
    {
        for (int i = 0; i < UPDATES; i++)
        {
            ctx.atomicIncLong(words, 8L * (i % WORDS), peer);
        }
    }

    private static long sum(final Pe pe, final SymmetricBuffer words)
    {
        long sum = 0;
        for (int i = 0; i < WORDS; i++)
        {
            sum += pe.shmem().defaultContext().atomicFetchLong(words, 8L * i, pe.me());
        }

        return sum;
    }

    private static <T> FutureTask<T> start(final Callable<T> action)
    {
        final FutureTask<T> task = new FutureTask<>(action);
        final Thread thread = new Thread(task, "beside the session");
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    private static void run(final Callable<Void> action) throws Exception
    {
        start(action).get();
    }
}
