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

import io.aeroshmem.Bootstrap;
import io.aeroshmem.ContextOption;
import io.aeroshmem.GlobalExitException;
import io.aeroshmem.InitStatus;
import io.aeroshmem.PeFailureException;
import io.aeroshmem.PeTask;
import io.aeroshmem.PredefinedTeam;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.ShmemException;
import io.aeroshmem.ShmemTimeoutException;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.TeamConfig;
import io.aeroshmem.TransportKind;
import io.aeroshmem.UniqueId;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.JobForm;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.RoutineSet;
import io.aeroshmem.tests.fixture.TestMemory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Delayed set-up: a PE has joined its job before it has memory and is connected.
 */
@Tag("waits")
@Tag("ci")
class DelayedInitTest
{
    private static final String PROPERTY = "aeroshmem.init.delayed";
    private static final String INTERFACE = "aeroshmem.rendezvous.interface";
    private static final int KILLED = 137;

    @BeforeEach
    void useMemoryOfTheTests()
    {
        TestMemory.root();
    }

    @ParameterizedTest
    @CsvSource({"MAPPED, THREADS", "IPC, THREADS", "UDP, THREADS", "UDP, PROCESSES"})
    void shouldAnswerQueriesFirstAndThenBeCompletedByTheFirstCall(final TransportKind transport, final JobForm form)
    {
        Job.of(3).transport(transport).form(form).property(PROPERTY, "true").run(new Queries());
    }

    /**
     * The routines of the jobs.
     */
    static final class Queries extends RoutineSet
    {
        Queries()
        {
            add("queries", DelayedInitTest::query);
            add("work", DelayedInitTest::work);
        }
    }

    private static void query(final Pe pe)
    {
        final Shmem shmem = pe.shmem();
        assertEquals(InitStatus.BOOTSTRAPPED, shmem.initStatus());
        assertTrue(shmem.context().delayedInit());
        assertEquals(3, shmem.nPes());
        assertEquals(3, shmem.world().nPes());
        assertEquals(pe.me(), shmem.world().myPe());
        assertEquals(3, shmem.node().nPes());
        assertEquals(pe.me(), shmem.node().myPe());
        assertEquals(TransportKind.MAPPED == pe.transport() ? 3 : 1, shmem.shared().nPes());
        assertEquals(1, shmem.team(PredefinedTeam.SAME_MYPE_NODE).nPes());
        assertEquals(2, shmem.world().translatePe(2, shmem.node()));
        assertEquals(0, shmem.world().config().mask());
        assertEquals(shmem.context().threadLevel(), shmem.threadLevel());
        assertTrue(shmem.peAccessible(2));
        assertTrue(shmem.toString().contains("BOOTSTRAPPED"), shmem::toString);
        for (final Path job : TestMemory.jobs())
        {
            final List<Path> files = TestMemory.find(job, 3);
            for (final String name : new String[]{ "pe-" + pe.me() + ".heap", "pe-" + pe.me() + ".system" })
            {
                assertTrue(files.stream().noneMatch((file) -> file.endsWith(name)), "no memory: " + files);
            }
        }

        refuse(shmem::defaultContext);
        refuse(shmem::createContext);
        refuse(() -> shmem.world().createContext(ContextOption.PRIVATE));
        refuse(() -> shmem.node().barrier());
        refuse(() -> shmem.shared().sync());
        refuse(() -> shmem.world().splitStrided(0, 1, 1));
        refuse(() -> shmem.world().duplicate());
        refuse(() -> shmem.world().reduceLong(ReduceOp.SUM, 1));
        refuse(shmem::teamUniqueId);
        refuse(() -> shmem.teamInit(new TeamConfig(), 1, 0));
        refuse(() -> shmem.free(null));
        refuse(() -> shmem.ptr(null, 0));
        refuse(() -> shmem.signalFetch(null, 0));
        refuse(() -> shmem.lock(null, 0));
        refuse(() -> shmem.unlock(null, 0));
        refuse(() -> shmem.recordLatency(true));
        refuse(shmem::progress);
        assertEquals(InitStatus.BOOTSTRAPPED, shmem.initStatus());

        final Team world = shmem.world();
        shmem.barrierAll();
        assertEquals(InitStatus.INITIALIZED, shmem.initStatus());
        assertSame(world, shmem.world());
    }

    private static void refuse(final Executable call)
    {
        final String message = assertThrows(IllegalStateException.class, call).getMessage();
        assertTrue(message.contains("only bootstrapped") && message.contains(PROPERTY), message);
        assertTrue(message.contains("realloc, attach, barrierAll"), message);
    }

    private static void work(final Pe pe)
    {
        final SymmetricBuffer word = pe.shmem().calloc(3, 8);
        for (int to = 0; to < pe.n(); to++)
        {
            pe.ctx().putLong(word, 8L * pe.me(), 100 + pe.me(), to);
        }

        pe.shmem().barrierAll();
        for (int from = 0; from < pe.n(); from++)
        {
            assertEquals(100 + from, word.getLong(8L * from));
        }

        assertEquals(3, pe.shmem().node().reduceLong(ReduceOp.SUM, 1));
    }

    @Test
    void shouldBeCompletedByEveryCallThatAllocatesOrSynchronisesAll() throws Exception
    {
        completeBy((shmem) -> shmem.malloc(8));
        completeBy((shmem) -> shmem.calloc(1, 8));
        completeBy((shmem) -> shmem.align(64, 8));
        completeBy((shmem) -> shmem.mallocWithHints(8, SymmetricBuffer.ATOMICS_REMOTE));
        completeBy((shmem) -> shmem.realloc(null, 8));
        completeBy((shmem) -> assertNull(shmem.malloc(0)));
        completeBy(Shmem::barrierAll);
        completeBy(Shmem::syncAll);
        completeBy((shmem) -> shmem.world().barrier());
        completeBy((shmem) -> shmem.team(PredefinedTeam.WORLD).sync());
    }

    private static void completeBy(final Consumer<Shmem> call) throws Exception
    {
        Shmem.runLocal(2, delayed(), (shmem) ->
        {
            assertEquals(InitStatus.BOOTSTRAPPED, shmem.initStatus());
            call.accept(shmem);
            assertEquals(InitStatus.INITIALIZED, shmem.initStatus());
            assertNotNull(shmem.defaultContext());
            shmem.close();
            assertEquals(InitStatus.BOOTSTRAPPED, shmem.initStatus());
        });
        assertTrue(TestMemory.jobs().isEmpty());
    }

    @Test
    void shouldBeCompletedOnceWhenSeveralThreadsCallAtOnce() throws Exception
    {
        Shmem.runLocal(2, delayed(), (shmem) ->
        {
            final Thread other = new Thread(() -> shmem.node().myPe());
            final Thread second = new Thread(shmem::barrierAll);
            other.start();
            second.start();
            other.join();
            second.join();
            assertEquals(InitStatus.INITIALIZED, shmem.initStatus());
            shmem.malloc(8);
        });
    }

    @Test
    void shouldKnowTheTeamsOfSeveralNodes()
    {
        Job.of(4).nodes("a", "a", "b", "a").setup((config) -> config.delayedInit(true)).run("nodes", (pe) ->
        {
            assertEquals(InitStatus.BOOTSTRAPPED, pe.shmem().initStatus());
            assertEquals(2 == pe.me() ? 1 : 3, pe.shmem().node().nPes());
            assertEquals(new int[]{0, 1, 0, 2}[pe.me()], pe.shmem().node().myPe());
            assertEquals(2 == pe.me() ? 1 : 3, pe.shmem().shared().nPes());
            pe.shmem().barrierAll();
            assertEquals(2 == pe.me() ? 1 : 3, pe.shmem().node().reduceLong(ReduceOp.SUM, 1));
        });
    }

    @Test
    void shouldBeDelayedOverSeveralNodesToo()
    {
        System.setProperty(INTERFACE, "127.0.0.1");
        try
        {
            Job.of(4).nodes("here", "there", "here", "there").bootstraps(DelayedInitTest::ofUniqueId)
                .setup((config) -> config.delayedInit(true)).run("nodes that meet", (pe) ->
                {
                    assertEquals(InitStatus.BOOTSTRAPPED, pe.shmem().initStatus());
                    assertEquals(2, pe.shmem().node().nPes());
                    assertEquals(pe.me() / 2, pe.shmem().node().myPe());
                    pe.shmem().syncAll();
                    assertEquals(4, pe.shmem().world().reduceLong(ReduceOp.SUM, 1));
                });
            assertThrows(ArithmeticException.class, DelayedInitTest::failOverNodes);
        }
        finally
        {
            System.clearProperty(INTERFACE);
        }

        assertTrue(TestMemory.jobs().isEmpty());
    }

    /**
     * PE 3 fails while it is bootstrapped; those of the other node report it.
     */
    private static void failOverNodes() throws Exception
    {
        final Bootstrap[] bootstraps = ofUniqueId(4);
        final AtomicReferenceArray<Throwable> thrown = new AtomicReferenceArray<>(4);
        final Thread[] threads = new Thread[4];
        final CountDownLatch bootstrapped = new CountDownLatch(4);
        for (int i = 0; i < 4; i++)
        {
            final int pe = i;
            final Shmem.Context config = delayed().bootstrap(bootstraps[pe]).nodeName(0 == pe % 2 ? "here" : "there");
            final PeTask task = (shmem) ->
            {
                bootstrapped.countDown();
                if (3 == pe)
                {
                    // a PE that is still in init throws BootstrapException
                    bootstrapped.await();
                    throw new ArithmeticException("no more");
                }

                shmem.barrierAll();
            };
            threads[i] = new Thread(
                () -> thrown.set(pe, assertThrows(Exception.class, () -> Shmem.run(config, task))));
            threads[i].start();
        }

        for (final Thread thread : threads)
        {
            thread.join();
        }

        for (int pe = 0; pe < 3; pe++)
        {
            assertEquals(3, assertInstanceOf(PeFailureException.class, thrown.get(pe)).pe());
        }

        throw assertInstanceOf(ArithmeticException.class, thrown.get(3));
    }

    private static Bootstrap[] ofUniqueId(final int nPes)
    {
        final UniqueId id = UniqueId.create();
        final Bootstrap[] bootstraps = new Bootstrap[nPes];
        for (int pe = 0; pe < nPes; pe++)
        {
            bootstraps[pe] = Bootstrap.uniqueId(pe, nPes, id);
        }

        return bootstraps;
    }

    @Test
    void shouldCloseWithoutEverHavingBeenCompleted() throws Exception
    {
        Shmem.runLocal(3, delayed(), DelayedInitTest::leave);
        assertTrue(TestMemory.jobs().isEmpty());
        Job.of(3).form(JobForm.PROCESSES).property(PROPERTY, "true").run(new Leaving());
    }

    /**
     * All PEs leave.
     */
    static final class Leaving extends RoutineSet
    {
        Leaving()
        {
            add("leave", (pe) ->
            {
                leave(pe.shmem());
                System.exit(0);
            });
        }
    }

    private static void leave(final Shmem shmem)
    {
        assertEquals(InitStatus.BOOTSTRAPPED, shmem.initStatus());
        shmem.close();
        shmem.close();
        assertTrue(shmem.isClosed());
        assertEquals(InitStatus.BOOTSTRAPPED, shmem.initStatus());
        assertTrue(assertThrows(IllegalStateException.class, shmem::barrierAll).getMessage().contains("closed"));
        assertTrue(assertThrows(IllegalStateException.class, () -> shmem.malloc(8)).getMessage().contains("closed"));
        assertThrows(IllegalStateException.class, shmem::defaultContext);
    }

    @Test
    void shouldFailWhenOneIsClosedWhileOthersComplete()
    {
        final AtomicReferenceArray<Throwable> thrown = new AtomicReferenceArray<>(3);
        final Exception first = assertThrows(Exception.class, () -> Shmem.runLocal(3, delayed(), (shmem) ->
        {
            if (1 == shmem.myPe())
            {
                shmem.close();
            }
            else
            {
                final ShmemException ex = assertThrows(ShmemException.class, shmem::barrierAll);
                thrown.set(shmem.myPe(), ex);
                assertInstanceOf(ShmemException.class, assertThrows(Exception.class, shmem::barrierAll));
                throw ex;
            }
        }));
        assertTrue(first.getMessage().contains("PE 1 was closed while it was only bootstrapped"), first.getMessage());
        for (int pe = 0; pe < 3; pe += 2)
        {
            final String message = thrown.get(pe).getMessage();
            assertTrue(message.contains("PE 1 was closed while it was only bootstrapped"), message);
        }

        assertTrue(TestMemory.jobs().isEmpty());
    }

    @Test
    void shouldReportInTheNextCallThatAnotherPeFailed()
    {
        final CountDownLatch failed = new CountDownLatch(1);
        assertThrows(ArithmeticException.class, () -> Shmem.runLocal(2, delayed(), (shmem) ->
        {
            if (0 == shmem.myPe())
            {
                shmem.fail(new ArithmeticException("no more"));
                failed.countDown();
                throw new ArithmeticException("no more");
            }

            failed.await();
            assertEquals(2, shmem.nPes());
            final PeFailureException ex = assertThrows(PeFailureException.class, () -> shmem.malloc(8));
            assertEquals(0, ex.pe());
            assertTrue(ex.getMessage().contains("no more"), ex.getMessage());
            assertThrows(PeFailureException.class, shmem::syncAll);
            shmem.close();
        }));
        assertTrue(TestMemory.jobs().isEmpty());
    }

    @Test
    void shouldReportInTheNextCallThatAnotherProcessWasKilled()
    {
        Job.of(2).form(JobForm.PROCESSES).property(PROPERTY, "true").exits(1, KILLED).run(new Killed());
    }

    /**
     * PE 1 dies; PE 0, which waits for it to complete the set-up, or makes a call later, reports it.
     */
    static final class Killed extends RoutineSet
    {
        Killed()
        {
            add("killed", Killed::die);
        }

        private static void die(final Pe pe)
        {
            if (1 == pe.me())
            {
                Runtime.getRuntime().halt(KILLED);
            }

            assertEquals(1, assertThrows(PeFailureException.class, () -> pe.shmem().malloc(8)).pe());
            assertEquals(1, assertThrows(PeFailureException.class, () -> pe.shmem().barrierAll()).pe());
            pe.shmem().close();
            System.exit(0);
        }
    }

    @Test
    void shouldExitGloballyWhileBootstrapped()
    {
        final GlobalExitException thrown = assertThrows(GlobalExitException.class, () -> Shmem.runLocal(
            2,
            delayed(),
            (shmem) ->
            {
                if (0 == shmem.myPe())
                {
                    shmem.globalExit(7);
                }

                shmem.barrierAll();
            }));
        assertEquals(7, thrown.status());
        assertTrue(TestMemory.jobs().isEmpty());
    }

    @Test
    void shouldObeyTheOperationTimeout()
    {
        final CountDownLatch timedOut = new CountDownLatch(1);
        final Shmem.Context config = delayed().operationTimeoutNs(TimeUnit.MILLISECONDS.toNanos(300));
        assertThrows(ShmemTimeoutException.class, () -> Shmem.runLocal(2, config, (shmem) ->
        {
            if (0 == shmem.myPe())
            {
                try
                {
                    shmem.barrierAll();
                }
                finally
                {
                    timedOut.countDown();
                }
            }

            timedOut.await();
            assertEquals(0, assertThrows(PeFailureException.class, shmem::barrierAll).pe());
        }));
        assertTrue(TestMemory.jobs().isEmpty());
    }

    @Test
    void shouldNotBeHurriedByTheJoinTimeout()
    {
        Job.of(2).property("aeroshmem.join.timeout", "1s").property(PROPERTY, "true").run("late", (pe) ->
        {
            final long lateNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(1_500);
            if (1 == pe.me())
            {
                Pe.await(() -> System.nanoTime() - lateNs > 0, "being late");
            }

            pe.shmem().barrierAll();
        });
    }

    private static Shmem.Context delayed()
    {
        return new Shmem.Context().heapSize(1 << 20).delayedInit(true);
    }
}
