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
import io.aeroshmem.Shmem;
import io.aeroshmem.ShmemException;
import io.aeroshmem.ShmemInterruptedException;
import io.aeroshmem.ShmemTimeoutException;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.TestMemory;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Blocked calls that an inactive peer does not complete: a timeout ends some of them, an interrupt all.
 */
@Tag("waits")
class BlockedCallsTest
{
    private static final long TIMEOUT_NS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final int LARGE = 1 << 19;

    @BeforeEach
    void useMemoryOfTheTests()
    {
        TestMemory.root();
    }

    /**
     * A call that cannot end while the other PE is inactive.
     */
    @FunctionalInterface
    private interface Call
    {
        void run(Shmem shmem, SymmetricBuffer buffer);
    }

    private static Map<String, Call> collectives()
    {
        final Map<String, Call> calls = new LinkedHashMap<>();
        calls.put("barrierAll", (shmem, buffer) -> shmem.barrierAll());
        calls.put("syncAll", (shmem, buffer) -> shmem.syncAll());
        calls.put("team barrier", (shmem, buffer) -> shmem.node().barrier());
        calls.put("team sync", (shmem, buffer) -> shmem.node().sync());
        calls.put("malloc", (shmem, buffer) -> shmem.malloc(8));
        calls.put("calloc", (shmem, buffer) -> shmem.calloc(1, 8));
        calls.put("align", (shmem, buffer) -> shmem.align(64, 8));
        calls.put("realloc", (shmem, buffer) -> shmem.realloc(buffer, 8));
        calls.put("free", (shmem, buffer) -> shmem.free(buffer));
        calls.put("close", (shmem, buffer) -> shmem.close());
        return calls;
    }

    private static Map<String, Call> waits()
    {
        final Map<String, Call> calls = new LinkedHashMap<>();
        calls.put("waitUntilLong", (shmem, buffer) -> shmem.waitUntilLong(buffer, 0, Comparison.NE, 0));
        calls.put("waitUntilInt", (shmem, buffer) -> shmem.waitUntilInt(buffer, 0, Comparison.NE, 0));
        calls.put("signalWaitUntil", (shmem, buffer) -> shmem.signalWaitUntil(buffer, 0, Comparison.NE, 0));
        calls.put("waitUntilAllLong", (shmem, buffer) ->
            shmem.waitUntilAllLong(buffer, 0, 2, new int[]{0, 1}, Comparison.NE, 0));
        calls.put("tryWaitUntilAllLong", (shmem, buffer) ->
            shmem.tryWaitUntilAllLong(buffer, 0, 3, null, Comparison.NE, 0, 3_600_000_000_000L));
        calls.put("waitUntilAnyInt", (shmem, buffer) ->
            shmem.waitUntilAnyInt(buffer, 0, 3, null, Comparison.NE, 0));
        calls.put("waitUntilSomeVectorLong", (shmem, buffer) ->
            shmem.waitUntilSomeVectorLong(buffer, 0, 2, new int[2], null, Comparison.GT, new long[2]));
        calls.put("lock", (shmem, buffer) -> shmem.lock(buffer, 64));
        return calls;
    }

    private static Map<String, Call> transfers()
    {
        final UnsafeBuffer local = new UnsafeBuffer(new byte[LARGE]);
        final Map<String, Call> calls = new LinkedHashMap<>();
        calls.put("getLong", (shmem, buffer) -> shmem.defaultContext().getLong(buffer, 0, 1));
        calls.put("get", (shmem, buffer) -> shmem.defaultContext().get(local, 0, buffer, 0, LARGE, 1));
        calls.put("get to symmetric memory", (shmem, buffer) ->
            shmem.defaultContext().get(buffer, LARGE, buffer, 0, LARGE, 1));
        calls.put("iget", (shmem, buffer) -> shmem.defaultContext().iget(buffer, LARGE, buffer, 0, 1, 2, 9, 8, 1));
        calls.put("atomicFetchAddLong", (shmem, buffer) -> shmem.defaultContext().atomicFetchAddLong(buffer, 0, 0, 1));
        calls.put("atomicSwapDouble", (shmem, buffer) -> shmem.defaultContext().atomicSwapDouble(buffer, 0, 0, 1));
        calls.put("put and quiet", (shmem, buffer) ->
        {
            shmem.defaultContext().put(buffer, 0, local, 0, 64, 1);
            shmem.defaultContext().quiet();
        });
        calls.put("signal and quiet of one PE", (shmem, buffer) ->
        {
            shmem.defaultContext().signal(buffer, 64, 0, SignalOp.ADD, 1);
            shmem.defaultContext().quiet(1);
        });
        calls.put("getNbi and quiet", (shmem, buffer) ->
        {
            shmem.defaultContext().getNbi(buffer, LARGE, buffer, 0, LARGE, 1);
            shmem.defaultContext().quiet();
        });
        calls.put("close of a context", (shmem, buffer) ->
        {
            try (CommunicationContext ctx = shmem.createContext())
            {
                ctx.putLong(buffer, 0, 0, 1);
            }
        });
        return calls;
    }

    @Test
    @Tag("ci")
    void shouldTimeOutInEveryCollectiveCall()
    {
        collectives().forEach((name, call) ->
        {
            final AtomicReference<Throwable> thrown = new AtomicReference<>();
            final Exception failure = assertThrows(ShmemException.class, () -> runBeside(
                config(TransportKind.MAPPED).operationTimeoutNs(TIMEOUT_NS), call, thrown), name);
            assertInstanceOf(ShmemTimeoutException.class, thrown.get(), name);
            assertTrue(thrown.get().getMessage().contains("aeroshmem.operation.timeout"), failure.getMessage());
        });
    }

    @Test
    void shouldEndEveryCollectiveCallByAnInterruptAndKeepTheFlag()
    {
        collectives().forEach((name, call) ->
        {
            final AtomicReference<Throwable> thrown = new AtomicReference<>();
            assertThrows(ShmemException.class, () -> runBeside(
                config(TransportKind.MAPPED), (shmem, buffer) ->
                {
                    Thread.currentThread().interrupt();
                    call.run(shmem, buffer);
                }, thrown), name);
            assertInstanceOf(ShmemInterruptedException.class, thrown.get(), name);
        });
    }

    /**
     * Runs the call on PE 0, which then fails with the exception of the call; PE 1 is inactive until then.
     */
    private static void runBeside(
        final Shmem.Context config, final Call call, final AtomicReference<Throwable> thrown) throws Exception
    {
        final CountDownLatch isOver = new CountDownLatch(1);
        Shmem.runLocal(2, config, (shmem) ->
        {
            final SymmetricBuffer buffer = shmem.calloc(2, 8);
            if (1 == shmem.myPe())
            {
                isOver.await();
                return;
            }

            try
            {
                call.run(shmem, buffer);
            }
            catch (final ShmemException ex)
            {
                thrown.set(ex);
                final boolean isFlagKept = Thread.interrupted();
                assertEquals(ex instanceof ShmemInterruptedException, isFlagKept, "interrupt flag");
                throw ex;
            }
            finally
            {
                isOver.countDown();
            }
        });
    }

    @Test
    void shouldEndEveryWaitByAnInterruptOnlyAndGoOn() throws Exception
    {
        final CountDownLatch isOver = new CountDownLatch(1);
        Shmem.runLocal(2, config(TransportKind.IPC).operationTimeoutNs(TIMEOUT_NS * 8), (shmem) ->
        {
            final SymmetricBuffer buffer = shmem.calloc(16, 8);
            if (1 == shmem.myPe())
            {
                shmem.lock(buffer, 64);
                shmem.barrierAll();
                isOver.await();
                shmem.unlock(buffer, 64);
            }
            else
            {
                shmem.barrierAll();
                try
                {
                    waits().forEach((name, call) -> interruptWait(shmem, buffer, name, call));
                }
                finally
                {
                    isOver.countDown();
                }

                shmem.lock(buffer, 64);
                shmem.unlock(buffer, 64);
            }

            shmem.barrierAll();
        });
    }

    private static void interruptWait(
        final Shmem shmem, final SymmetricBuffer buffer, final String name, final Call call)
    {
        Thread.currentThread().interrupt();
        final Throwable thrown = assertThrows(ShmemInterruptedException.class, () -> call.run(shmem, buffer), name);
        assertTrue(Thread.interrupted(), name + " keeps the flag");
        assertTrue(thrown.getMessage().contains("interrupt"), thrown.getMessage());
    }

    @Test
    void shouldSetNoTimeLimitToWaits() throws Exception
    {
        Shmem.runLocal(1, config(TransportKind.MAPPED).operationTimeoutNs(TIMEOUT_NS / 10), (shmem) ->
        {
            final SymmetricBuffer buffer = shmem.calloc(16, 8);
            final long end = System.nanoTime() + TIMEOUT_NS;
            final Thread thread = new Thread(() ->
            {
                Pe.await(() -> System.nanoTime() - end > 0, "longer than the operation timeout");
                buffer.putLong(0, 1);
            });
            thread.start();
            shmem.waitUntilLong(buffer, 0, Comparison.EQ, 1);
            assertTrue(System.nanoTime() - end > 0);
            thread.join();
        });
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"IPC", "UDP"})
    @Tag("ci")
    void shouldEndTransfersToAPeThatDoesNothing(final TransportKind transport) throws Exception
    {
        final CountDownLatch isIdle = new CountDownLatch(1);
        final CountDownLatch isOver = new CountDownLatch(1);
        final Shmem.Context config = config(transport).heapSize(4 << 20).operationTimeoutNs(TIMEOUT_NS)
            .progressMode(ProgressMode.INVOKER);
        final AtomicReference<Throwable> thrown = new AtomicReference<>();
        assertThrows(IllegalStateException.class, () -> Shmem.runLocal(2, config, (shmem) ->
        {
            final SymmetricBuffer buffer = shmem.calloc(2, LARGE);
            if (1 == shmem.myPe())
            {
                isIdle.countDown();
                isOver.await();
                throw new IllegalStateException("enough");
            }

            isIdle.await();
            try
            {
                transfers().forEach((name, call) -> endTransfer(shmem, buffer, name, call));
            }
            catch (final RuntimeException | Error ex)
            {
                thrown.set(ex);
            }
            finally
            {
                isOver.countDown();
            }
        }));
        if (null != thrown.get())
        {
            throw new AssertionError(thrown.get());
        }
    }

    private static void endTransfer(
        final Shmem shmem, final SymmetricBuffer buffer, final String name, final Call call)
    {
        final Throwable timeout = assertThrows(ShmemTimeoutException.class, () -> call.run(shmem, buffer), name);
        assertTrue(timeout.getMessage().contains("aeroshmem.operation.timeout"), timeout.getMessage());
        assertFalse(Thread.currentThread().isInterrupted());
        interruptWait(shmem, buffer, name, call);
    }

    @Test
    void shouldMakeProgressByPollingAWaitWithoutTime() throws Exception
    {
        Shmem.runLocal(2, config(TransportKind.IPC).progressMode(ProgressMode.INVOKER), (shmem) ->
        {
            final SymmetricBuffer word = shmem.calloc(2, 8);
            shmem.barrierAll();
            shmem.defaultContext().putLong(word, 0, 1, 1 - shmem.myPe());
            shmem.defaultContext().putInt(word, 8, 1, 1 - shmem.myPe());
            Pe.await(() -> shmem.tryWaitUntilLong(word, 0, Comparison.EQ, 1, 0), "the long");
            Pe.await(() -> shmem.tryWaitUntilInt(word, 8, Comparison.EQ, 1, 0), "the int");
            shmem.barrierAll();
            shmem.defaultContext().putLong(word, 8, 2, 1 - shmem.myPe());
            Pe.await(() -> 1 == shmem.tryWaitUntilAnyLong(word, 0, 2, null, Comparison.EQ, 2, 0), "a word of the set");
            shmem.barrierAll();
        });
    }

    private static Shmem.Context config(final TransportKind transport)
    {
        return new Shmem.Context().transport(transport).heapSize(1 << 20);
    }
}
