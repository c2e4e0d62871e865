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
package io.aeroshmem.tests.init;

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.Comparison;
import io.aeroshmem.GlobalExitException;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.ThreadLevel;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.TestMemory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Thread levels, and the check of calls against them.
 */
@Tag("jdk")
@Tag("waits")
class ThreadLevelTest
{
    private static final int HANDOVERS = 50;

    @BeforeEach
    void useMemoryOfTheTests()
    {
        TestMemory.root();
    }

    @Test
    void shouldKnowAllLevelsInOrder()
    {
        assertEquals(
            List.of(ThreadLevel.SINGLE, ThreadLevel.FUNNELED, ThreadLevel.SERIALIZED, ThreadLevel.MULTIPLE),
            List.of(ThreadLevel.values()));
        assertTrue(ThreadLevel.SINGLE.compareTo(ThreadLevel.FUNNELED) < 0);
        assertTrue(ThreadLevel.FUNNELED.compareTo(ThreadLevel.SERIALIZED) < 0);
        assertTrue(ThreadLevel.SERIALIZED.compareTo(ThreadLevel.MULTIPLE) < 0);
        assertEquals(ThreadLevel.MULTIPLE, new Shmem.Context().threadLevel());
    }

    @ParameterizedTest
    @CsvSource({"SINGLE, MAPPED", "FUNNELED, MAPPED", "FUNNELED, IPC"})
    void shouldFindCallsOfAnotherThread(final ThreadLevel level, final TransportKind transport)
    {
        Job.of(2).transport(transport).setup((config) -> config.threadLevel(level).checkThreads(true))
            .run("calls of another thread", (pe) -> callFromAnotherThread(pe, level));
    }

    private static void callFromAnotherThread(final Pe pe, final ThreadLevel level)
    {
        final Shmem shmem = pe.shmem();
        assertEquals(level, shmem.threadLevel());
        final SymmetricBuffer word = shmem.calloc(1, 8);
        final CommunicationContext ctx = shmem.createContext();
        find(pe, level, "CommunicationContext.putLong", () -> pe.ctx().putLong(word, 0, 1, 0));
        find(pe, level, "CommunicationContext.getLong", () -> ctx.getLong(word, 0, 0));
        find(pe, level, "CommunicationContext.quiet", ctx::quiet);
        find(pe, level, "CommunicationContext.close", ctx::close);
        find(pe, level, "Shmem.barrierAll", shmem::barrierAll);
        find(pe, level, "Team.sync", () -> shmem.node().sync());
        find(pe, level, "Team.reduceLong", () -> shmem.world().reduceLong(ReduceOp.SUM, 1));
        find(pe, level, "Team.splitStrided", () -> shmem.world().splitStrided(0, 1, 1));
        find(pe, level, "Shmem.createContext", shmem::createContext);
        find(pe, level, "Shmem.malloc", () -> shmem.malloc(8));
        find(pe, level, "Shmem.free", () -> shmem.free(word));
        find(pe, level, "Shmem.waitUntilLong", () -> shmem.waitUntilLong(word, 0, Comparison.EQ, 0));
        find(pe, level, "Shmem.testLong", () -> shmem.testLong(word, 0, Comparison.EQ, 0));
        find(pe, level, "Shmem.signalFetch", () -> shmem.signalFetch(word, 0));
        find(pe, level, "Shmem.lock", () -> shmem.lock(word, 0));
        find(pe, level, "Shmem.testLock", () -> shmem.testLock(word, 0));
        find(pe, level, "Shmem.ptr", () -> shmem.ptr(word, 0));
        find(pe, level, "Shmem.close", shmem::close);
        assertFalse(shmem.isClosed());

        assertNull(thrownByAnother(shmem::progress));
        assertNull(thrownByAnother(shmem::toString));
        assertNull(thrownByAnother(shmem.world()::toString));
        assertNull(thrownByAnother(ctx::toString));
        assertNull(thrownByAnother(shmem::myPe));
        ctx.putLong(word, 0, 7, pe.right());
        ctx.quiet();
        shmem.waitUntilLong(word, 0, Comparison.EQ, 7);
        ctx.close();
        shmem.free(word);
    }

    private static void find(final Pe pe, final ThreadLevel level, final String call, final Executable task)
    {
        final Throwable thrown = thrownByAnother(task);
        assertTrue(thrown instanceof IllegalStateException, () -> call + ": " + thrown);
        final String message = thrown.getMessage();
        assertTrue(message.contains("thread level " + level), message);
        assertTrue(message.contains("'another'"), message);
        assertTrue(message.contains("'" + Thread.currentThread().getName() + "'"), message);
        assertTrue(message.contains(call), message);
    }

    private static Throwable thrownByAnother(final Executable task)
    {
        final AtomicReference<Throwable> thrown = new AtomicReference<>();
        final Thread thread = new Thread(() -> thrown.set(thrownBy(task)), "another");
        thread.start();
        join(thread);
        return thrown.get();
    }

    private static Throwable thrownBy(final Executable task)
    {
        try
        {
            task.execute();
            return null;
        }
        catch (final Throwable ex)
        {
            return ex;
        }
    }

    private static void join(final Thread thread)
    {
        try
        {
            thread.join();
        }
        catch (final InterruptedException ex)
        {
            throw new AssertionError(ex);
        }
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC", "UDP"})
    void shouldFindTwoCallsAtOnce(final TransportKind transport)
    {
        Job.of(2).transport(transport)
            .setup((config) -> config.threadLevel(ThreadLevel.SERIALIZED).checkThreads(true))
            .run("two calls at once", ThreadLevelTest::callTwiceAtOnce);
    }

    private static void callTwiceAtOnce(final Pe pe) throws Exception
    {
        final Shmem shmem = pe.shmem();
        final SymmetricBuffer words = shmem.calloc(2, 8);
        final AtomicReference<Throwable> thrown = new AtomicReference<>();
        final Thread waiting = new Thread(() -> thrown.set(thrownBy(() ->
        {
            words.local().putLongVolatile(8, 1);
            shmem.signalWaitUntil(words, 0, Comparison.EQ, 5);
        })), "waiting");
        waiting.start();
        Pe.await(() -> 1 == words.local().getLongVolatile(8), "the thread to begin");

        final Executable[] calls = {
            () -> pe.ctx().putLong(words, 0, 1, pe.right()), shmem::barrierAll, () -> shmem.malloc(8),
            () -> shmem.testLong(words, 0, Comparison.EQ, 0), shmem::createContext, () -> shmem.lock(words, 0),
            () -> shmem.world().duplicate(), shmem::close};
        // a moment before, the name of the call is that of the last one
        Pe.await(
            () -> String.valueOf(thrownBy(() -> shmem.signalFetch(words, 0))).contains("in Shmem.signalWaitUntil"),
            "the thread to be in its call");
        for (final Executable call : calls)
        {
            final String message = assertThrows(IllegalStateException.class, call).getMessage();
            assertTrue(message.contains("thread level SERIALIZED"), message);
            assertTrue(message.contains("'" + Thread.currentThread().getName() + "' called "), message);
            assertTrue(message.contains("while thread 'waiting' was in Shmem.signalWaitUntil"), message);
        }

        shmem.progress();
        words.local().putLongVolatile(0, 5);
        join(waiting);
        assertNull(thrown.get());
        shmem.barrierAll();

        // the level permits calls of one thread after the other
        for (int i = 0; i < HANDOVERS; i++)
        {
            assertNull(thrownByAnother(() ->
            {
                pe.ctx().atomicIncLong(words, 8, pe.right());
                pe.ctx().quiet();
            }));
            pe.ctx().atomicIncLong(words, 8, pe.right());
            pe.ctx().quiet();
        }

        assertNull(thrownByAnother(shmem::barrierAll));
        assertEquals(1 + 2 * HANDOVERS, words.getLong(8));
        assertNull(thrownByAnother(() -> shmem.world().duplicate().close()));
    }

    @Test
    void shouldFindShortCallsAtOnce()
    {
        Job.of(1).setup((config) -> config.threadLevel(ThreadLevel.SERIALIZED).checkThreads(true))
            .run("short calls", (pe) ->
            {
                final SymmetricBuffer word = pe.shmem().calloc(1, 8);
                final AtomicInteger done = new AtomicInteger();
                final AtomicReference<Throwable> found = new AtomicReference<>();
                final Runnable hammer = () ->
                {
                    while (null == found.get())
                    {
                        try
                        {
                            pe.ctx().atomicIncLong(word, 0, 0);
                            done.incrementAndGet();
                        }
                        catch (final IllegalStateException ex)
                        {
                            found.set(ex);
                        }
                    }
                };
                final Thread first = new Thread(hammer, "first");
                final Thread second = new Thread(hammer, "second");
                first.start();
                second.start();
                join(first);
                join(second);
                assertTrue(found.get().getMessage().contains("CommunicationContext.atomicIncLong while thread"));
                assertEquals(done.get(), word.getLong(0));
            });
    }

    @Test
    void shouldHaveThePeClosedByTheThreadThatSetItUp()
    {
        final Shmem shmem = Shmem.init(new Shmem.Context().heapSize(1 << 20).checkThreads(true));
        assertEquals(ThreadLevel.MULTIPLE, shmem.threadLevel());
        final String message = thrownByAnother(shmem::close).getMessage();
        assertTrue(message.contains("thread level MULTIPLE") && message.contains("Shmem.close"), message);
        assertNull(thrownByAnother(shmem::barrierAll));
        assertFalse(Proxy.isProxyClass(shmem.defaultContext().getClass()), "nothing else is checked");
        shmem.close();
        assertTrue(shmem.isClosed());
    }

    @ParameterizedTest
    @EnumSource(ThreadLevel.class)
    void shouldCheckNothingUnlessAsked(final ThreadLevel level)
    {
        final Shmem shmem = Shmem.init(new Shmem.Context().heapSize(1 << 20).threadLevel(level));
        assertFalse(shmem.context().checkThreads());
        assertFalse(Proxy.isProxyClass(shmem.defaultContext().getClass()));
        assertNull(thrownByAnother(() -> shmem.defaultContext().putLong(shmem.malloc(8), 0, 1, 0)));
        assertNull(thrownByAnother(shmem::close));
    }

    @Test
    void shouldLetAnyThreadEndTheJob()
    {
        final Shmem.Context config =
            new Shmem.Context().heapSize(1 << 20).threadLevel(ThreadLevel.FUNNELED).checkThreads(true);
        final GlobalExitException thrown = assertThrows(GlobalExitException.class, () ->
            Shmem.runLocal(2, config, (shmem) ->
            {
                if (0 == shmem.myPe())
                {
                    assertTrue(thrownByAnother(() -> shmem.globalExit(9)) instanceof GlobalExitException);
                }

                shmem.barrierAll();
            }));
        assertEquals(9, thrown.status());
        assertThrows(Exception.class, () -> Shmem.runLocal(2, config, (shmem) ->
        {
            if (0 == shmem.myPe())
            {
                assertNull(thrownByAnother(() -> shmem.fail(new ArithmeticException())));
            }

            shmem.barrierAll();
        }));
        assertTrue(TestMemory.jobs().isEmpty());
    }

    @Test
    void shouldCheckWhileOnlyBootstrapped() throws Exception
    {
        final Shmem.Context config = new Shmem.Context().heapSize(1 << 20)
            .threadLevel(ThreadLevel.FUNNELED).checkThreads(true).delayedInit(true);
        Shmem.runLocal(2, config, (shmem) ->
        {
            final Throwable thrown = thrownByAnother(shmem::barrierAll);
            assertTrue(thrown.getMessage().contains("thread level FUNNELED"), thrown.getMessage());
            shmem.barrierAll();
            final Team team = shmem.world().duplicate();
            team.barrier();
            team.close();
        });
    }
}
