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

import io.aeroshmem.BootstrapException;
import io.aeroshmem.Comparison;
import io.aeroshmem.GlobalExitException;
import io.aeroshmem.InitStatus;
import io.aeroshmem.Shmem;
import io.aeroshmem.ShmemException;
import io.aeroshmem.ShmemInterruptedException;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.ThreadLevel;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.JobForm;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.RoutineSet;
import io.aeroshmem.tests.fixture.TestMemory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Repeated init, and globalExit in any state of the PEs.
 */
class InitAndExitTest
{
    @BeforeEach
    void useMemoryOfTheTests()
    {
        TestMemory.root();
    }

    @ParameterizedTest
    @EnumSource(ThreadLevel.class)
    void shouldGrantTheThreadLevelAskedForAndStartAnewAfterClose(final ThreadLevel level)
    {
        for (int i = 0; i < 2; i++)
        {
            final Shmem.Context config = new Shmem.Context().heapSize(1 << 20).threadLevel(level);
            final Shmem shmem = Shmem.init(config);
            assertEquals(level, shmem.threadLevel());
            assertEquals(InitStatus.INITIALIZED, shmem.initStatus());
            final SymmetricBuffer word = shmem.calloc(1, 8);
            assertEquals(0, shmem.defaultContext().atomicFetchIncLong(word, 0, 0));
            assertFalse(shmem.isClosed());
            shmem.close();
            shmem.close();
            assertTrue(shmem.isClosed());
            assertEquals(InitStatus.BOOTSTRAPPED, shmem.initStatus());
            assertThrows(IllegalStateException.class, shmem::progress);
        }

        assertTrue(TestMemory.jobs().isEmpty());
    }

    @Test
    void shouldStartAnewWithACloneOfAUsedContext()
    {
        final Shmem.Context config = new Shmem.Context().heapSize(1 << 20);
        Shmem.init(config).close();
        final Shmem.Context copy = config.clone();
        try (Shmem shmem = Shmem.init(copy))
        {
            assertEquals(1, shmem.nPes());
            shmem.barrierAll();
        }

        Shmem.init(copy.clone()).close();
        assertTrue(TestMemory.jobs().isEmpty());
    }

    @Test
    void shouldReportThatInitWasInterruptedAndKeepTheFlag()
    {
        Thread.currentThread().interrupt();
        assertThrows(ShmemInterruptedException.class, () -> Shmem.init(new Shmem.Context().heapSize(1 << 20)));
        assertTrue(Thread.interrupted(), "the flag is kept");
        assertTrue(TestMemory.jobs().isEmpty());
        try (Shmem shmem = Shmem.init(new Shmem.Context().heapSize(1 << 20)))
        {
            shmem.barrierAll();
        }
    }

    @Test
    void shouldSetUpTheProcessOfAPeOnlyOnce()
    {
        Job.of(2).transport(TransportKind.IPC).form(JobForm.PROCESSES).run(new Again());
    }

    /**
     * Every PE calls init a second time, while it is open and when it is closed; the job is not affected.
     */
    static final class Again extends RoutineSet
    {
        Again()
        {
            add("init again", Again::initAgain);
        }

        private static void initAgain(final Pe pe)
        {
            final SymmetricBuffer word = pe.shmem().calloc(1, 8);
            assertThrows(BootstrapException.class, Shmem::init);
            pe.shmem().barrierAll();
            pe.ctx().atomicAddLong(word, 0, 5, pe.right());
            pe.shmem().waitUntilLong(word, 0, Comparison.EQ, 5);
            pe.shmem().close();
            assertThrows(ShmemException.class, Shmem::init);
            System.exit(0);
        }
    }

    @Test
    void shouldEndTheWaitOfAnotherThreadWhenThePeIsClosed() throws Exception
    {
        final AtomicReference<Throwable> thrown = new AtomicReference<>();
        final Shmem shmem = Shmem.init(new Shmem.Context().heapSize(1 << 20));
        final SymmetricBuffer word = shmem.calloc(1, 8);
        final Thread thread = new Thread(() -> thrown.set(assertThrows(
            IllegalStateException.class, () -> shmem.waitUntilLong(word, 0, Comparison.NE, 0))));
        thread.start();
        shmem.close();
        thread.join();
        assertTrue(thrown.get().getMessage().contains("closed"), thrown.get().getMessage());
    }

    @Test
    void shouldEndTheLockCallOfAnotherThreadWhenThePeIsClosed() throws Exception
    {
        final AtomicReference<Throwable> thrown = new AtomicReference<>();
        final Shmem shmem = Shmem.init(new Shmem.Context().heapSize(1 << 20));
        final SymmetricBuffer lock = shmem.calloc(1, 8);
        shmem.lock(lock, 0);
        final Thread thread = new Thread(() -> thrown.set(assertThrows(
            IllegalStateException.class, () -> shmem.lock(lock, 0))));
        thread.start();
        Pe.await(() -> 2 == lock.getInt(0) || 2 == lock.getInt(Integer.BYTES), "the second thread to queue");
        shmem.close();
        thread.join();
        assertTrue(thrown.get().getMessage().contains("closed"), thrown.get().getMessage());
    }

    @Test
    void shouldRunTheTerminationHookOfEveryPe()
    {
        final List<Integer> statuses = Collections.synchronizedList(new ArrayList<>());
        final Shmem.Context config = new Shmem.Context().heapSize(1 << 20).terminationHook(statuses::add);
        final GlobalExitException thrown = assertThrows(GlobalExitException.class, () -> Shmem.runLocal(
            3,
            config,
            (shmem) ->
            {
                final SymmetricBuffer word = shmem.calloc(1, 8);
                if (1 == shmem.myPe())
                {
                    shmem.globalExit(5);
                }

                shmem.waitUntilLong(word, 0, Comparison.NE, 0);
            }));
        assertEquals(5, thrown.status());
        assertEquals(List.of(5, 5, 5), statuses);
        assertTrue(TestMemory.jobs().isEmpty());
    }

    @Test
    void shouldEndPesThatComputeAndWaitWithStatusZero()
    {
        Job.of(3).transport(TransportKind.MAPPED).form(JobForm.PROCESSES).run(new Busy());
    }

    /**
     * PE 0 computes and PE 1 waits, while a second thread of PE 2, whose first one is in a barrier, ends the job.
     */
    static final class Busy extends RoutineSet
    {
        Busy()
        {
            add("global exit", Busy::exit);
        }

        private static void exit(final Pe pe)
        {
            final SymmetricBuffer word = pe.shmem().calloc(1, 8);
            if (0 == pe.me())
            {
                Pe.await(() -> word.getLong(0) < 0, "nothing, without calling the library");
            }
            else if (1 == pe.me())
            {
                pe.shmem().waitUntilLong(word, 0, Comparison.NE, 0);
            }
            else
            {
                new Thread(() -> pe.shmem().globalExit(0), "exit").start();
                pe.shmem().barrierAll();
            }
        }
    }
}
