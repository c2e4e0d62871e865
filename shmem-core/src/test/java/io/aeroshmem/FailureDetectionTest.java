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

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * How a program learns that its job has failed: by calls that wait for nothing, by {@link Shmem#failure()}, and by its
 * {@link FailureHandler}.
 */
@Tag("waits")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FailureDetectionTest
{
    private static final long SECONDS = 20;

    /** Calls that have nothing to wait for, on buffers of zeros. */
    private static Map<String, Runnable> checkingCalls(
        final Shmem shmem, final Team alone, final SymmetricBuffer words, final SymmetricBuffer lock)
    {
        final CommunicationContext context = shmem.defaultContext();
        final int other = 1 - shmem.myPe();
        final int[] indices = new int[2];
        final Map<String, Runnable> calls = new LinkedHashMap<>();
        calls.put("quiet", context::quiet);
        calls.put("quiet of a PE", () -> context.quiet(other));
        calls.put("fence", context::fence);
        calls.put("fence of a PE", () -> context.fence(other));
        calls.put("testQuiet", context::testQuiet);
        calls.put("sessionStop", () ->
        {
            context.sessionStart(SessionOption.BATCH);
            context.sessionStop();
        });
        final RmaRequest request = context.getRequest(words, 0, words, 64, Long.BYTES, shmem.myPe());
        calls.put("test of a request", request::test);
        calls.put("await of a request", request::await);
        calls.put("createContext", () -> shmem.createContext().close());
        calls.put("get", () -> context.getLong(words, 0, shmem.myPe()));
        calls.put("strided get", () -> context.iget(words, 0, words, 64, 1, 2, 2, Long.BYTES, shmem.myPe()));
        calls.put("fetching atomic", () -> context.atomicFetchAddLong(words, 64, 0, shmem.myPe()));
        calls.put("progress", shmem::progress);
        calls.put("signalFetch", () -> shmem.signalFetch(words, 0));
        calls.put("signalWaitUntil", () -> shmem.signalWaitUntil(words, 0, Comparison.EQ, 0));
        calls.put("trySignalWaitUntil", () -> shmem.trySignalWaitUntil(words, 0, Comparison.EQ, 0, 0));
        calls.put("waitUntilLong", () -> shmem.waitUntilLong(words, 0, Comparison.EQ, 0));
        calls.put("waitUntilInt", () -> shmem.waitUntilInt(words, 0, Comparison.EQ, 0));
        calls.put("tryWaitUntilLong", () -> shmem.tryWaitUntilLong(words, 0, Comparison.EQ, 0, 0));
        calls.put("waitUntilAll", () -> shmem.waitUntilAllLong(words, 0, 2, null, Comparison.EQ, 0));
        calls.put("waitUntilAny", () -> shmem.waitUntilAnyLong(words, 0, 2, null, Comparison.EQ, 0));
        calls.put("waitUntilSome", () -> shmem.waitUntilSomeLong(words, 0, 2, indices, null, Comparison.EQ, 0));
        calls.put("tryWaitUntilAll", () -> shmem.tryWaitUntilAllLong(words, 0, 2, null, Comparison.EQ, 0, 0));
        calls.put("tryWaitUntilAny", () -> shmem.tryWaitUntilAnyInt(words, 0, 2, null, Comparison.EQ, 0, 0));
        calls.put("waitUntilAll of none", () -> shmem.waitUntilAllLong(words, 0, 0, null, Comparison.EQ, 0));
        calls.put("satisfied test", () -> shmem.testLong(words, 0, Comparison.EQ, 0));
        calls.put("unsatisfied test", () -> shmem.testLong(words, 0, Comparison.EQ, 1));
        calls.put("testAll", () -> shmem.testAllLong(words, 0, 2, null, Comparison.EQ, 0));
        calls.put("testAny", () -> shmem.testAnyInt(words, 0, 2, null, Comparison.EQ, 0));
        calls.put("testSome", () -> shmem.testSomeInt(words, 0, 2, indices, null, Comparison.EQ, 0));
        calls.put("unlock", () -> shmem.unlock(lock, 0));
        calls.put("testLock", () -> shmem.testLock(lock, 8));
        calls.put("lock", () -> shmem.lock(lock, 8));
        calls.put("sync of one", alone::sync);
        calls.put("barrier of one", alone::barrier);
        calls.put("broadcast of one", () -> alone.broadcastLong(1, 0));
        return calls;
    }

    private static void awaitFailure(final Shmem shmem)
    {
        while (null == shmem.failure())
        {
            Thread.onSpinWait();
        }
    }

    @ParameterizedTest
    @EnumSource(TransportKind.class)
    void shouldEndLoopsOfCallsThatDoNotWait(final TransportKind transport)
    {
        final List<String> silent = new ArrayList<>();
        final IllegalStateException cause = new IllegalStateException("gave up");
        final IllegalStateException thrown =
            assertThrows(IllegalStateException.class, () -> LocalJobs.run(2, transport, (shmem) ->
            {
                final SymmetricBuffer words = shmem.calloc(16, 8);
                final SymmetricBuffer lock = shmem.calloc(2, 8);
                final Team alone = shmem.world().splitStrided(0, 1, 1);
                if (0 == shmem.myPe())
                {
                    shmem.lock(lock, 0);
                }

                final Map<String, Runnable> calls = checkingCalls(
                    shmem, Team.INVALID == alone ? shmem.world() : alone, words, lock);
                shmem.barrierAll();
                if (1 == shmem.myPe())
                {
                    assertNull(shmem.failure());
                    assertTrue(shmem.peAccessible(0));
                    shmem.fail(cause);
                }

                awaitFailure(shmem);
                calls.forEach((name, call) ->
                {
                    try
                    {
                        call.run();
                        silent.add("PE " + shmem.myPe() + ": " + name);
                    }
                    catch (final PeFailureException ex)
                    {
                        assertEquals(1, ex.pe());
                    }
                });
                shmem.defaultContext().putLong(words, 0, 1, 1 - shmem.myPe());
                assertFalse(shmem.peAccessible(0));
                assertEquals(InitStatus.INITIALIZED, shmem.initStatus());
                throw cause;
            }));
        assertSame(cause, thrown);
        assertEquals(List.of(), silent);
    }

    @ParameterizedTest
    @EnumSource(ProgressMode.class)
    @Tag("ci")
    void shouldCallTheHandlerOnceOnEachPe(final ProgressMode mode) throws Exception
    {
        final BlockingQueue<Integer> called = new LinkedBlockingQueue<>();
        final AtomicReference<ShmemException> failure = new AtomicReference<>();
        final List<Shmem> pes = new ArrayList<>();
        final Shmem.Context config = LocalJobs.config().progressMode(mode).failureHandler((shmem, ex) ->
        {
            failure.set(ex);
            called.add(shmem.myPe());
            shmem.close();
        });
        final ArithmeticException cause = new ArithmeticException("by zero");
        final ArithmeticException thrown = assertThrows(
            ArithmeticException.class,
            () -> Shmem.runLocal(3, config, (shmem) ->
            {
                synchronized (pes)
                {
                    pes.add(shmem);
                }

                shmem.barrierAll();
                if (1 == shmem.myPe())
                {
                    throw cause;
                }

                // A PE that computes: it makes no call of the library before its handler has closed it.
                while (!shmem.isClosed())
                {
                    Thread.onSpinWait();
                }
            }));
        assertSame(cause, thrown);

        final List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < 3; i++)
        {
            numbers.add(called.poll(SECONDS, TimeUnit.SECONDS));
        }

        numbers.sort(null);
        assertEquals(List.of(0, 1, 2), numbers);
        assertNull(called.poll(500, TimeUnit.MILLISECONDS));
        assertEquals(1, assertInstanceOf(PeFailureException.class, failure.get()).pe());
        for (final Shmem shmem : pes)
        {
            assertEquals(failure.get().getMessage(), shmem.failure().getMessage());
        }
    }

    @Test
    void shouldEndALoopOfPutsThatAsksForTheFailure()
    {
        assertThrows(ArithmeticException.class, () -> LocalJobs.run(2, (shmem) ->
        {
            final SymmetricBuffer words = shmem.calloc(1, 8);
            if (1 == shmem.myPe())
            {
                throw new ArithmeticException("by zero");
            }
            while (null == shmem.failure())
            {
                shmem.defaultContext().putLong(words, 0, 1, 1);
            }
        }));
    }

    @Test
    void shouldReportAGlobalExitToTheHandler() throws Exception
    {
        final BlockingQueue<ShmemException> failures = new LinkedBlockingQueue<>();
        assertThrows(GlobalExitException.class, () -> Shmem.runLocal(
            2,
            LocalJobs.config().failureHandler((shmem, failure) -> failures.add(failure)),
            (shmem) ->
            {
                shmem.barrierAll();
                if (1 == shmem.myPe())
                {
                    shmem.globalExit(7);
                }
                while (true)
                {
                    shmem.defaultContext().fence();
                }
            }));
        for (int pe = 0; pe < 2; pe++)
        {
            final ShmemException failure = failures.poll(SECONDS, TimeUnit.SECONDS);
            assertEquals(7, assertInstanceOf(GlobalExitException.class, failure).status());
        }
    }

    @Test
    void shouldNotCallTheHandlerOfAJobThatEndsWell() throws Exception
    {
        final BlockingQueue<ShmemException> failures = new LinkedBlockingQueue<>();
        final AtomicReference<Shmem> pe = new AtomicReference<>();
        Shmem.runLocal(2, LocalJobs.config().failureHandler((shmem, failure) -> failures.add(failure)), pe::set);
        assertNull(failures.poll(500, TimeUnit.MILLISECONDS));
        assertNull(pe.get().failure());
    }

    @Test
    void shouldReportWhatTheHandlerThrowsAndNotWaitForIt() throws Exception
    {
        final BlockingQueue<Throwable> errors = new LinkedBlockingQueue<>();
        final CountDownLatch called = new CountDownLatch(1);
        final CountDownLatch closed = new CountDownLatch(1);
        final ArithmeticException thrown = new ArithmeticException("in the handler");
        final Shmem shmem = Shmem.init(LocalJobs.config()
            .bootstrap(Bootstrap.inProcess(1)[0])
            .errorHandler(errors::add)
            .failureHandler((pe, failure) ->
            {
                called.countDown();
                assertDoesNotThrow(() -> closed.await(SECONDS, TimeUnit.SECONDS));
                throw thrown;
            }));
        shmem.fail(new IllegalStateException("gave up"));
        assertTrue(called.await(SECONDS, TimeUnit.SECONDS));
        shmem.close();
        assertEquals(0, errors.size(), () -> Arrays.toString(errors.toArray()));
        closed.countDown();
        assertSame(thrown, errors.poll(SECONDS, TimeUnit.SECONDS));
        assertNotNull(shmem.failure());
    }
}
