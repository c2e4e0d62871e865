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

import io.aeroshmem.Bootstrap;
import io.aeroshmem.CommunicationContext;
import io.aeroshmem.Comparison;
import io.aeroshmem.DriverFailureException;
import io.aeroshmem.GlobalExitException;
import io.aeroshmem.InitStatus;
import io.aeroshmem.PeFailureException;
import io.aeroshmem.Shmem;
import io.aeroshmem.ShmemInterruptedException;
import io.aeroshmem.ShmemTimeoutException;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Deadlines;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.JobForm;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.RoutineSet;
import io.aeroshmem.tests.fixture.TestDriver;
import io.aeroshmem.tests.fixture.TestMemory;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.BiConsumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Start and end of jobs: closing, failing, being killed, interrupted, or ended by globalExit.
 */
@Tag("ci")
class JobLifeTest
{
    private static final int KILLED = 137;

    @BeforeEach
    void useMemoryOfTheTests()
    {
        TestMemory.root();
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC", "UDP"})
    void shouldThrowTheFirstCauseAndReportItToTheOthers(final TransportKind transport)
    {
        final IllegalStateException cause = new IllegalStateException("the first cause");
        final AtomicReferenceArray<Throwable> others = new AtomicReferenceArray<>(3);
        final Exception thrown = assertThrows(IllegalStateException.class, () -> Shmem.runLocal(
            3,
            new Shmem.Context().transport(transport).heapSize(1 << 20),
            (shmem) ->
            {
                if (1 == shmem.myPe())
                {
                    shmem.barrierAll();
                    throw cause;
                }

                others.set(shmem.myPe(), assertThrows(PeFailureException.class, () -> twoBarriers(shmem)));
            }));
        assertSame(cause, thrown);
        for (int pe = 0; pe < 3; pe += 2)
        {
            final PeFailureException reported = assertInstanceOf(PeFailureException.class, others.get(pe));
            assertEquals(1, reported.pe());
            assertTrue(reported.getMessage().contains("the first cause"), reported.getMessage());
        }

        assertTrue(TestMemory.jobs().isEmpty());
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC", "UDP"})
    void shouldEndEveryKindOfWaitWhenAPeFails(final TransportKind transport)
    {
        endWaits(transport, "waitUntilLong", (shmem, word) -> shmem.waitUntilLong(word, 0, Comparison.EQ, 1));
        endWaits(transport, "signalWaitUntil", (shmem, word) -> shmem.signalWaitUntil(word, 0, Comparison.EQ, 1));
        endWaits(transport, "waitUntilAnyInt", (shmem, word) ->
            shmem.waitUntilAnyInt(word, 0, 2, null, Comparison.EQ, 1));
        endWaits(transport, "barrierAll", (shmem, word) -> shmem.barrierAll());
        endWaits(transport, "syncAll", (shmem, word) -> shmem.syncAll());
        endWaits(transport, "malloc", (shmem, word) -> shmem.malloc(8));
        endWaits(transport, "lock", (shmem, word) -> shmem.lock(word, 8));
        endWaits(transport, "close", (shmem, word) -> shmem.close());
    }

    /**
     * PE 1 holds the lock and fails once the other waits.
     */
    private static void endWaits(
        final TransportKind transport, final String name, final BiConsumer<Shmem, SymmetricBuffer> wait)
    {
        final CountDownLatch waiting = new CountDownLatch(1);
        final boolean isClose = "close".equals(name);
        final Exception thrown = assertThrows(ArithmeticException.class, () -> Shmem.runLocal(
            2,
            new Shmem.Context().transport(transport).heapSize(1 << 20),
            (shmem) ->
            {
                final SymmetricBuffer word = shmem.calloc(2, 8);
                if (1 == shmem.myPe())
                {
                    shmem.lock(word, 8);
                    shmem.barrierAll();
                    waiting.await();
                    throw new ArithmeticException(name);
                }

                shmem.barrierAll();
                waiting.countDown();
                if (isClose)
                {
                    shmem.close();
                }
                else
                {
                    assertEquals(1, assertThrows(PeFailureException.class, () -> wait.accept(shmem, word)).pe());
                }
            }));
        assertEquals(name, thrown.getMessage());
        assertTrue(TestMemory.jobs().isEmpty(), name);
    }

    @ParameterizedTest
    @CsvSource({"MAPPED", "IPC", "UDP"})
    void shouldReportToTheOthersThatAProcessWasKilled(final TransportKind transport)
    {
        Job.of(3).transport(transport).form(JobForm.PROCESSES).exits(1, KILLED).run(new Killed());
    }

    /**
     * PE 1 is killed; the others detect it in every blocking call.
     */
    static final class Killed extends RoutineSet
    {
        Killed()
        {
            add("killed", Killed::die);
        }

        private static void die(final Pe pe)
        {
            final SymmetricBuffer word = pe.shmem().calloc(1, 8);
            if (1 == pe.me())
            {
                // the failure would overtake the last message of the allocation
                pe.shmem().waitUntilLong(word, 0, Comparison.EQ, 2);
                Runtime.getRuntime().halt(KILLED);
            }

            pe.ctx().atomicIncLong(word, 0, 1);
            final long start = System.nanoTime();
            final PeFailureException reported = 0 == pe.me() ?
                assertThrows(PeFailureException.class, () -> pe.shmem().waitUntilLong(word, 0, Comparison.NE, 0)) :
                assertThrows(PeFailureException.class, () -> pe.shmem().barrierAll());
            assertEquals(1, reported.pe());
            Deadlines.requireWithin(TimeUnit.SECONDS.toNanos(5), System.nanoTime() - start, () -> "PE " + pe.me());
            assertThrows(PeFailureException.class, () -> pe.shmem().barrierAll());
            pe.shmem().close();
            pe.shmem().close();
            System.exit(0);
        }
    }

    @Test
    void shouldGiveUpAProcessThatIsPausedForTooLong()
    {
        giveUpAPausedProcess(TransportKind.MAPPED);
    }

    @Test
    @Tag("nightly")
    void shouldGiveUpAProcessOverIpcThatIsPausedForTooLong()
    {
        giveUpAPausedProcess(TransportKind.IPC);
    }

    private static void giveUpAPausedProcess(final TransportKind transport)
    {
        Job.of(2).transport(transport).form(JobForm.PROCESSES)
            .property("aeroshmem.liveness.timeout", "3s").exits(1, KILLED).run(new Paused());
    }

    /**
     * PE 1 is stopped by a signal; it is killed before it is reported as failed, so that it cannot continue and write.
     */
    static final class Paused extends RoutineSet
    {
        Paused()
        {
            add("paused", Paused::pause);
        }

        private static void pause(final Pe pe) throws IOException
        {
            pe.shmem().barrierAll();
            if (1 == pe.me())
            {
                new ProcessBuilder("kill", "-STOP", Long.toString(ProcessHandle.current().pid())).start();
            }

            assertEquals(1, assertThrows(PeFailureException.class, () -> barrierForever(pe)).pe());
            pe.shmem().close();
            System.exit(0);
        }

        private static void barrierForever(final Pe pe)
        {
            while (true)
            {
                pe.shmem().barrierAll();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"IPC", "UDP"})
    void shouldReportThatTheDriverDied(final TransportKind transport)
    {
        final AtomicReferenceArray<Throwable> reported = new AtomicReferenceArray<>(2);
        final TestDriver driver = TestDriver.launch();
        assertThrows(DriverFailureException.class, () -> Shmem.runLocal(
            2,
            new Shmem.Context().transport(transport).heapSize(1 << 20).aeronDirectoryName(driver.directory()),
            (shmem) ->
            {
                final SymmetricBuffer word = shmem.calloc(1, 8);
                if (0 == shmem.myPe())
                {
                    shmem.barrierAll();
                    driver.close();
                    final RuntimeException thrown = assertThrows(RuntimeException.class, () ->
                    {
                        while (true)
                        {
                            shmem.defaultContext().atomicFetchIncLong(word, 0, 1);
                        }
                    });
                    reported.set(0, thrown);
                    throw thrown;
                }

                final RuntimeException thrown = assertThrows(RuntimeException.class, () ->
                {
                    // the other may have left it, and closed the driver, before this one leaves it
                    shmem.barrierAll();
                    shmem.waitUntilLong(word, 0, Comparison.EQ, -1);
                });
                reported.set(1, thrown);
                throw thrown;
            }));
        assertInstanceOf(DriverFailureException.class, reported.get(0));
        assertInstanceOf(DriverFailureException.class, reported.get(1));
        assertTrue(TestMemory.jobs().isEmpty());
    }

    @Test
    void shouldThrowWhenInterruptedAndKeepTheFlag()
    {
        Job.of(2).transport(TransportKind.MAPPED).run("interrupted", (pe) ->
        {
            final SymmetricBuffer word = pe.shmem().calloc(2, 8);
            if (0 == pe.me())
            {
                Thread.currentThread().interrupt();
                assertThrows(ShmemInterruptedException.class,
                    () -> pe.shmem().waitUntilLong(word, 0, Comparison.EQ, 1));
                assertTrue(Thread.interrupted(), "the flag is kept");
                final Thread waiting = Thread.currentThread();
                final Thread interrupter = new Thread(() ->
                {
                    Pe.await(() -> 1 == word.local().getLongVolatile(8), "the other PE");
                    waiting.interrupt();
                });
                interrupter.start();
                assertThrows(ShmemInterruptedException.class,
                    () -> pe.shmem().waitUntilLong(word, 0, Comparison.EQ, 1));
                assertTrue(Thread.interrupted(), "the flag is kept");
                interrupter.join();
            }
            else
            {
                pe.ctx().putLong(word, 8, 1, 0);
                pe.ctx().quiet();
            }
        });
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC", "UDP"})
    void shouldTimeOutWhereThatIsAskedFor(final TransportKind transport)
    {
        final CountDownLatch timedOut = new CountDownLatch(1);
        assertThrows(ShmemTimeoutException.class, () -> Shmem.runLocal(
            2,
            new Shmem.Context().transport(transport).heapSize(1 << 20)
                .operationTimeoutNs(TimeUnit.MILLISECONDS.toNanos(300)),
            (shmem) ->
            {
                try
                {
                    shmem.barrierAll();
                    if (0 == shmem.myPe())
                    {
                        shmem.barrierAll();
                    }
                }
                finally
                {
                    if (0 == shmem.myPe())
                    {
                        timedOut.countDown();
                    }
                }

                timedOut.await();
            }));
        assertTrue(TestMemory.jobs().isEmpty());
    }

    @Test
    void shouldRejectEverythingAfterClose() throws Exception
    {
        final AtomicReferenceArray<Object> kept = new AtomicReferenceArray<>(3);
        Shmem.runLocal(2, new Shmem.Context().heapSize(1 << 20), (shmem) ->
        {
            final SymmetricBuffer word = shmem.calloc(1, 8);
            word.putLong(0, 77 + shmem.myPe());
            shmem.barrierAll();
            if (0 == shmem.myPe())
            {
                kept.set(0, shmem);
                kept.set(1, word);
                kept.set(2, shmem.ptr(word, 1));
            }
        });
        final Shmem shmem = (Shmem)kept.get(0);
        final SymmetricBuffer word = (SymmetricBuffer)kept.get(1);
        final AtomicBuffer remote = (AtomicBuffer)kept.get(2);
        assertTrue(shmem.isClosed());
        final CommunicationContext ctx = shmem.defaultContext();
        assertThrows(IllegalStateException.class, () -> ctx.putLong(word, 0, 1, 0));
        assertThrows(IllegalStateException.class, () -> ctx.getLong(word, 0, 1));
        assertThrows(IllegalStateException.class, ctx::quiet);
        assertThrows(IllegalStateException.class, () -> shmem.malloc(8));
        assertThrows(IllegalStateException.class, shmem::barrierAll);
        assertThrows(IllegalStateException.class, shmem::createContext);
        assertThrows(IllegalStateException.class, () -> word.getLong(0));
        assertThrows(IllegalStateException.class, () -> shmem.waitUntilLong(word, 0, Comparison.EQ, 1));
        assertEquals(78, remote.getLong(0), "a view stays readable");
        remote.putLong(0, 5);
        assertEquals(5, remote.getLong(0));
        assertEquals(InitStatus.BOOTSTRAPPED, shmem.initStatus());
        shmem.close();
    }

    @Test
    void shouldBeAJobOfOneByItself()
    {
        try (Shmem shmem = Shmem.init())
        {
            assertEquals(0, shmem.myPe());
            assertEquals(1, shmem.nPes());
            assertFalse(shmem.isClosed());
            assertEquals(InitStatus.INITIALIZED, shmem.initStatus());
            shmem.barrierAll();
        }

        assertTrue(TestMemory.jobs().isEmpty());
    }

    @Test
    void shouldSetUpAPeOnlyOnce() throws Exception
    {
        final Bootstrap[] bootstraps = Bootstrap.inProcess(1);
        final Shmem.Context config = new Shmem.Context().heapSize(1 << 20).bootstrap(bootstraps[0]);
        try (Shmem shmem = Shmem.init(config))
        {
            shmem.barrierAll();
            assertThrows(RuntimeException.class, () -> Shmem.init(config).close(), "the same configuration");
            final Shmem.Context again = new Shmem.Context().heapSize(1 << 20).bootstrap(bootstraps[0]);
            assertThrows(RuntimeException.class, () -> Shmem.init(again).close(), "the same PE");
            shmem.barrierAll();
        }

        assertTrue(TestMemory.jobs().isEmpty());
    }

    @Test
    void shouldRunManyJobsAfterEachOtherAndAtOnce() throws Exception
    {
        final int jobs = 3;
        final Thread[] threads = new Thread[jobs];
        final AtomicReferenceArray<Throwable> failures = new AtomicReferenceArray<>(jobs);
        for (int j = 0; j < jobs; j++)
        {
            final int index = j;
            threads[j] = new Thread(() ->
            {
                try
                {
                    for (int round = 0; round < 3; round++)
                    {
                        Shmem.runLocal(
                            2, new Shmem.Context().transport(TransportKind.IPC).heapSize(1 << 20), JobLifeTest::count);
                    }
                }
                catch (final Exception | Error ex)
                {
                    failures.set(index, ex);
                }
            });
            threads[j].start();
        }

        for (int j = 0; j < jobs; j++)
        {
            threads[j].join();
            if (null != failures.get(j))
            {
                throw new AssertionError(failures.get(j));
            }
        }

        assertTrue(TestMemory.jobs().isEmpty());
    }

    /**
     * The failure of a PE may overtake the messages of the barrier before it.
     */
    private static void twoBarriers(final Shmem shmem)
    {
        shmem.barrierAll();
        shmem.barrierAll();
    }

    private static void count(final Shmem shmem)
    {
        final SymmetricBuffer word = shmem.calloc(1, 8);
        for (int i = 0; i < 100; i++)
        {
            shmem.defaultContext().atomicIncLong(word, 0, 1 - shmem.myPe());
        }

        shmem.barrierAll();
        assertEquals(100, word.getLong(0));
        shmem.free(word);
    }

    @Test
    void shouldExitEverywhereWithTheStatusGiven()
    {
        final AtomicReferenceArray<Throwable> reported = new AtomicReferenceArray<>(2);
        assertThrows(GlobalExitException.class, () -> Shmem.runLocal(
            2,
            new Shmem.Context().heapSize(1 << 20),
            (shmem) ->
            {
                if (1 == shmem.myPe())
                {
                    shmem.globalExit(7);
                }

                final GlobalExitException thrown = assertThrows(GlobalExitException.class, shmem::barrierAll);
                reported.set(0, thrown);
                throw thrown;
            }));
        assertEquals(7, assertInstanceOf(GlobalExitException.class, reported.get(0)).status());
        assertTrue(TestMemory.jobs().isEmpty());
    }

    @Test
    void shouldExitEveryProcessWithTheStatusGiven()
    {
        Job.of(2).transport(TransportKind.IPC).form(JobForm.PROCESSES).exits(0, 9).exits(1, 9).run(new Exiting());
    }

    /**
     * PE 1 ends the job while PE 0 waits.
     */
    static final class Exiting extends RoutineSet
    {
        Exiting()
        {
            add("global exit", Exiting::exit);
        }

        private static void exit(final Pe pe)
        {
            pe.shmem().barrierAll();
            if (1 == pe.me())
            {
                pe.shmem().globalExit(9);
            }

            pe.shmem().barrierAll();
        }
    }
}
