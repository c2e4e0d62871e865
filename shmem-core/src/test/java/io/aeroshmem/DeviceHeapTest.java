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

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Device memory in every operation that takes a buffer, by each way to the device heap of a peer. */
@Tag("waits")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DeviceHeapTest
{
    private static final int NPES = 3;
    private static final int LENGTH = 10_000;

    enum Way
    {
        ADDRESS(TransportKind.MAPPED, false),
        OWNER(TransportKind.MAPPED, true),
        IPC(TransportKind.IPC, true),
        UDP(TransportKind.UDP, true);

        private final TransportKind transport;
        private final boolean isOwnerOnly;

        Way(final TransportKind transport, final boolean isOwnerOnly)
        {
            this.transport = transport;
            this.isOwnerOnly = isOwnerOnly;
        }
    }

    private interface Task
    {
        void run(Shmem shmem, FakeDevice device) throws Exception;
    }

    private static Shmem.Context config()
    {
        return LocalJobs.config().heapSize(8 << 20);
    }

    private static void run(final Way way, final Task task) throws Exception
    {
        Shmem.runLocal(NPES, config().transport(way.transport), (shmem) ->
        {
            task.run(shmem, FakeDevice.attach(shmem, way.isOwnerOnly));
            shmem.barrierAll();
        });
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    @Tag("ci")
    void shouldMoveBlocksBetweenAnyKinds(final Way way) throws Exception
    {
        run(way, (shmem, device) ->
        {
            final CommunicationContext ctx = shmem.defaultContext();
            final SymmetricBuffer[] sources = {shmem.malloc(LENGTH), device.attachment().malloc(LENGTH)};
            final SymmetricBuffer[] dests = {shmem.malloc(LENGTH), device.attachment().malloc(LENGTH)};
            final SymmetricBuffer back = shmem.malloc(LENGTH);
            final Random random = new Random(7 + shmem.myPe());
            final int right = (shmem.myPe() + 1) % NPES;
            final int left = (shmem.myPe() + NPES - 1) % NPES;
            for (int round = 0; round < 24; round++)
            {
                final int form = round % 3;
                for (final SymmetricBuffer source : sources)
                {
                    for (final SymmetricBuffer dest : dests)
                    {
                        final int length = 0 == round % 5 ? LENGTH : random(round, LENGTH);
                        final int at = random(round + 100, LENGTH - length + 1);
                        final byte[] data = new byte[length];
                        random.nextBytes(data);
                        ctx.put(source, at, new UnsafeBuffer(data), 0, length, shmem.myPe());
                        ctx.quiet();
                        if (0 == form)
                        {
                            ctx.put(dest, at, source, at, length, right);
                        }
                        else if (1 == form)
                        {
                            ctx.putNbi(dest, at, source, at, length, right);
                        }
                        else
                        {
                            ctx.put(dest, at, new UnsafeBuffer(data), 0, length, right);
                        }

                        ctx.quiet();
                        assertArrayEquals(data, read(ctx, dest, at, length, right));

                        if (0 == form)
                        {
                            ctx.get(back, at, dest, at, length, right);
                        }
                        else
                        {
                            ctx.getNbi(back, at, dest, at, length, right);
                        }

                        ctx.quiet();
                        final byte[] copy = new byte[length];
                        back.view(at, length).getBytes(0, copy);
                        assertArrayEquals(data, copy);

                        ctx.getNbi(source, at, dest, at, length, right);
                        ctx.quiet();
                        assertArrayEquals(data, read(ctx, source, at, length, shmem.myPe()));
                        shmem.barrierAll();
                        assertEquals(length, read(ctx, dest, at, length, left).length);
                        shmem.barrierAll();
                    }
                }
            }
        });
    }

    private static int random(final int round, final int limit)
    {
        return new Random(31L * round).nextInt(limit);
    }

    private static byte[] read(
        final CommunicationContext ctx, final SymmetricBuffer source, final long offset, final int length, final int pe)
    {
        final byte[] bytes = new byte[length];
        ctx.get(new UnsafeBuffer(bytes), 0, source, offset, length, pe);
        return bytes;
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void shouldMoveElementsAndStrides(final Way way) throws Exception
    {
        run(way, (shmem, device) ->
        {
            final CommunicationContext ctx = shmem.defaultContext();
            final SymmetricBuffer words = device.attachment().calloc(64, 8);
            final int right = (shmem.myPe() + 1) % NPES;
            ctx.putByte(words, 1, (byte)-7, right);
            ctx.putShort(words, 2, (short)-300, right);
            ctx.putInt(words, 4, -70_000, right);
            ctx.putLong(words, 8, Long.MIN_VALUE + 1, right);
            ctx.putFloat(words, 16, -1.5f, right);
            ctx.putDouble(words, 24, 2.25, right);
            ctx.putLong(words, 33, 0x0102030405060708L, right);
            ctx.quiet();
            shmem.barrierAll();
            final int me = shmem.myPe();
            assertEquals(-7, ctx.getByte(words, 1, me));
            assertEquals(-300, ctx.getShort(words, 2, me));
            assertEquals(-70_000, ctx.getInt(words, 4, me));
            assertEquals(Long.MIN_VALUE + 1, ctx.getLong(words, 8, right));
            assertEquals(-1.5f, ctx.getFloat(words, 16, right));
            assertEquals(2.25, ctx.getDouble(words, 24, right));
            assertEquals(0x0102030405060708L, ctx.getLong(words, 33, right));
            shmem.barrierAll();

            final SymmetricBuffer source = device.attachment().malloc(800);
            final SymmetricBuffer dest = device.attachment().calloc(100, 8);
            final SymmetricBuffer back = shmem.calloc(100, 8);
            for (int i = 0; i < 100; i++)
            {
                ctx.putLong(source, 8L * i, 1000L * me + i, me);
            }

            ctx.quiet();
            ctx.iput(dest, 0, source, 8, 3, 2, 20, 8, right);
            ctx.quiet();
            ctx.iget(back, 0, dest, 0, 1, 3, 20, 8, right);
            ctx.quiet();
            for (int i = 0; i < 20; i++)
            {
                assertEquals(1000L * me + 1 + 2 * i, back.getLong(8L * i));
                assertEquals(0, ctx.getLong(dest, 8L * (3 * i + 1), right));
            }

            shmem.barrierAll();
            ctx.ibput(dest, 0, source, 0, 10, 5, 2, 6, 8, right);
            ctx.quiet();
            ctx.ibget(source, 0, dest, 0, 2, 10, 2, 6, 8, right);
            ctx.quiet();
            for (int i = 0; i < 12; i++)
            {
                assertEquals(1000L * me + i / 2 * 5 + i % 2, ctx.getLong(source, 8L * i, me));
            }
        });
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void shouldBeAtomicWhoeverIssues(final Way way) throws Exception
    {
        final int count = TransportKind.UDP == way.transport ? 50 : 500;
        run(way, (shmem, device) ->
        {
            final CommunicationContext ctx = shmem.defaultContext();
            final SymmetricBuffer words = device.attachment().calloc(8, 8);
            final SymmetricBuffer fetched = device.attachment().calloc(1, 8);
            for (int i = 0; i < count; i++)
            {
                ctx.atomicIncLong(words, 0, 1);
                ctx.atomicFetchAddInt(words, 8, 2, 1);
                ctx.atomicAddLong(words, 16, -1, i % NPES);
                long seen;
                do
                {
                    seen = ctx.atomicFetchLong(words, 24, 1);
                }
                while (seen != ctx.atomicCompareSwapLong(words, 24, seen, seen + 3, 1));
            }

            shmem.barrierAll();
            assertEquals((long)NPES * count, ctx.atomicFetchLong(words, 0, 1));
            assertEquals(2 * NPES * count, ctx.atomicFetchInt(words, 8, 1));
            assertEquals(3L * NPES * count, ctx.atomicFetchLong(words, 24, 1));
            shmem.barrierAll();

            final int right = (shmem.myPe() + 1) % NPES;
            ctx.atomicSetLong(words, 32, 0xF0, right);
            ctx.quiet();
            ctx.atomicFetchOrLongNbi(fetched, 0, words, 32, 0x0F, right);
            ctx.quiet();
            assertEquals(0xF0, ctx.getLong(fetched, 0, shmem.myPe()));
            assertEquals(0xFF, ctx.atomicFetchAndLong(words, 32, 0x3C, right));
            assertEquals(0x3C, ctx.atomicFetchXorLong(words, 32, 0xFF, right));
            assertEquals(0xC3, ctx.atomicSwapLong(words, 32, 5, right));
            assertEquals(5, ctx.atomicCompareSwapInt(words, 32, 5, -1, right));
            assertEquals(-1, ctx.atomicFetchInt(words, 32, right));
            final SymmetricBuffer host = shmem.calloc(1, 8);
            ctx.atomicFetchIntNbi(host, 0, words, 32, right);
            ctx.atomicFetchIntNbi(fetched, 0, host, 0, right);
            ctx.quiet();
            assertEquals(-1, host.getInt(0));
        });
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void shouldSignalAndWait(final Way way) throws Exception
    {
        run(way, (shmem, device) ->
        {
            final CommunicationContext ctx = shmem.defaultContext();
            final SymmetricBuffer[] payloads = {shmem.malloc(3000), device.attachment().malloc(3000)};
            final SymmetricBuffer[] sources = {shmem.malloc(3000), device.attachment().malloc(3000)};
            final SymmetricBuffer[] signals = {shmem.calloc(1, 8), device.attachment().calloc(1, 8)};
            final int right = (shmem.myPe() + 1) % NPES;
            final int left = (shmem.myPe() + NPES - 1) % NPES;
            for (int round = 1; round <= 24; round++)
            {
                final SymmetricBuffer payload = payloads[round & 1];
                final SymmetricBuffer source = sources[round >> 1 & 1];
                final SymmetricBuffer signal = signals[round >> 2 & 1];
                final byte[] data = new byte[3000];
                Arrays.fill(data, (byte)(round + shmem.myPe()));
                ctx.put(source, 0, new UnsafeBuffer(data), 0, data.length, shmem.myPe());
                ctx.quiet();
                final SignalOp op = round < 12 ? SignalOp.SET : SignalOp.ADD;
                final long before = shmem.signalFetch(signal, 0);
                shmem.barrierAll();
                ctx.putSignal(
                    payload, 0, source, 0, data.length, signal, 0, SignalOp.SET == op ? before + 1 : 1, op, right);
                assertEquals(before + 1, shmem.signalWaitUntil(signal, 0, Comparison.GT, before));
                Arrays.fill(data, (byte)(round + left));
                assertArrayEquals(data, read(ctx, payload, 0, data.length, shmem.myPe()));
                shmem.barrierAll();
            }

            final SymmetricBuffer words = device.attachment().calloc(8, 8);
            assertFalse(shmem.testLong(words, 0, Comparison.NE, 0));
            assertFalse(shmem.tryWaitUntilLong(words, 0, Comparison.NE, 0, 1000));
            ctx.putLong(words, 8, -4, right);
            ctx.putInt(words, 20, -9, right);
            shmem.waitUntilLong(words, 8, Comparison.LT, 0);
            shmem.waitUntilInt(words, 20, Comparison.EQ, -9);
            assertEquals(1, shmem.waitUntilAnyLong(words, 0, 2, null, Comparison.NE, 0));
            assertTrue(shmem.testAllInt(words, 20, 1, null, Comparison.EQ, -9));
        });
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void shouldLockInDeviceMemory(final Way way) throws Exception
    {
        run(way, (shmem, device) ->
        {
            final CommunicationContext ctx = shmem.defaultContext();
            final SymmetricBuffer hostLock = shmem.calloc(1, 8);
            final SymmetricBuffer lock = device.attachment().calloc(1, 8);
            final SymmetricBuffer counter = shmem.calloc(1, 8);
            for (int i = 0; i < 20; i++)
            {
                shmem.lock(lock, 0);
                final long value = ctx.getLong(counter, 0, 0);
                ctx.putLong(counter, 0, value + 1, 0);
                ctx.quiet();
                shmem.unlock(lock, 0);
            }

            shmem.barrierAll();
            assertEquals(20 * NPES, ctx.getLong(counter, 0, 0));

            shmem.lock(hostLock, 0);
            assertThrows(IllegalStateException.class, () -> shmem.lock(hostLock, 0));
            shmem.unlock(hostLock, 0);
        });
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void shouldEndRepeatedOperationsWhenTheJobFails(final Way way)
    {
        final AtomicInteger ended = new AtomicInteger();
        final CountDownLatch begun = new CountDownLatch(NPES - 1);
        final CountDownLatch others = new CountDownLatch(NPES - 1);
        assertThrows(ShmemException.class, () -> run(way, (shmem, device) ->
        {
            final SymmetricBuffer words = device.attachment().calloc(8, 8);
            final SymmetricBuffer host = shmem.calloc(8, 8);
            final int failing = NPES - 1;
            if (failing == shmem.myPe())
            {
                begun.await();
                Thread.sleep(50);
                shmem.fail(new IllegalStateException("as the test requires"));
                others.await();
                return;
            }

            final CommunicationContext ctx = shmem.defaultContext();
            final Runnable[] operations = {
                () -> ctx.putLong(words, 0, 1, failing), () -> ctx.put(words, 0, host, 0, 64, failing),
                () -> ctx.put(words, 0, words, 0, 64, failing), () -> ctx.getLong(words, 0, failing),
                () -> ctx.get(host, 0, words, 0, 64, failing), () -> ctx.get(words, 0, host, 0, 64, failing),
                () -> ctx.atomicFetchLong(words, 0, failing), () -> ctx.atomicIncInt(words, 8, failing),
                () -> ctx.signal(words, 16, 1, SignalOp.ADD, failing)};
            begun.countDown();
            try
            {
                for (final Runnable operation : operations)
                {
                    assertEquals(failing, assertThrows(PeFailureException.class, () -> repeat(ctx, operation)).pe());
                }

                ended.incrementAndGet();
            }
            finally
            {
                others.countDown();
            }
        }));
        assertEquals(NPES - 1, ended.get());
    }

    @ParameterizedTest
    @EnumSource(value = Way.class, names = {"OWNER", "IPC", "UDP"})
    void shouldFailTheJobWhenADeviceFailsToServeOthers(final Way way)
    {
        final AtomicInteger ended = new AtomicInteger();
        final CountDownLatch all = new CountDownLatch(NPES);
        assertThrows(ShmemException.class, () -> run(way, (shmem, device) ->
        {
            final SymmetricBuffer words = device.attachment().calloc(8, 8);
            final int failing = NPES - 1;
            if (failing == shmem.myPe())
            {
                device.lose();
            }

            try
            {
                final CommunicationContext ctx = shmem.defaultContext();
                final Runnable call = failing == shmem.myPe() ?
                    shmem::barrierAll : () -> repeat(ctx, () -> ctx.atomicFetchAddLong(words, 0, 1, failing));
                final PeFailureException ex = assertThrows(PeFailureException.class, () ->
                {
                    // a PE may still wait in it when another fails the job
                    shmem.barrierAll();
                    call.run();
                });
                assertEquals(failing, ex.pe());
                assertTrue(ex.getMessage().contains("the device is lost"), ex.getMessage());
                ended.incrementAndGet();
            }
            finally
            {
                all.countDown();
                all.await();
            }
        }));
        assertEquals(NPES, ended.get());
    }

    /** The PE that waits drives its engine itself, so an exception of the device would leave its wait. */
    @ParameterizedTest
    @EnumSource(value = Way.class, names = {"IPC", "UDP"})
    @Tag("ci")
    void shouldFailTheJobWhenADeviceHasNoStagingForAReply(final Way way)
    {
        final AtomicInteger ended = new AtomicInteger();
        final CountDownLatch all = new CountDownLatch(2);
        final Shmem.Context config = config().transport(way.transport).progressMode(ProgressMode.INVOKER);
        assertThrows(ShmemException.class, () -> Shmem.runLocal(2, config, (shmem) ->
        {
            final FakeDevice device = FakeDevice.attach(shmem, way.isOwnerOnly);
            final SymmetricBuffer words = device.attachment().calloc(8, 8);
            final SymmetricBuffer host = shmem.calloc(8, 8);
            if (1 == shmem.myPe())
            {
                device.lose();
            }

            try
            {
                final CommunicationContext ctx = shmem.defaultContext();
                final Runnable call = 1 == shmem.myPe() ?
                    shmem::barrierAll : () -> ctx.get(host, 0, words, 0, 64, 1);
                final PeFailureException ex = assertThrows(PeFailureException.class, () ->
                {
                    // a PE may still wait in it when the other fails the job
                    shmem.barrierAll();
                    call.run();
                });
                assertEquals(1, ex.pe());
                assertTrue(ex.getMessage().contains("the device is lost"), ex.getMessage());
                ended.incrementAndGet();
            }
            finally
            {
                all.countDown();
                all.await();
            }
        }));
        assertEquals(2, ended.get());
    }

    @ParameterizedTest
    @EnumSource(value = Way.class, names = {"IPC", "UDP"})
    void shouldReleaseTheStagingOfInterruptedGets(final Way way) throws Exception
    {
        final CountDownLatch isSilent = new CountDownLatch(1);
        final CountDownLatch isOver = new CountDownLatch(1);
        final Shmem.Context config = config().transport(way.transport).progressMode(ProgressMode.INVOKER);
        Shmem.runLocal(2, config, (shmem) ->
        {
            final FakeDevice device = FakeDevice.attach(shmem, way.isOwnerOnly);
            final SymmetricBuffer words = device.attachment().calloc(8, 8);
            final SymmetricBuffer source = shmem.calloc(8, 8);
            source.putLong(0, 42);
            shmem.barrierAll();
            if (0 == shmem.myPe())
            {
                try
                {
                    while (0 != isSilent.getCount())
                    {
                        shmem.progress();
                    }

                    final CommunicationContext ctx = shmem.defaultContext();
                    Thread.currentThread().interrupt();
                    for (int i = 0; i < 10; i++)
                    {
                        assertThrows(ShmemInterruptedException.class, () -> ctx.get(words, 0, source, 0, 64, 1));
                    }

                    assertTrue(Thread.interrupted());
                    assertEquals(0, device.stagingInUse());
                    isOver.countDown();
                    ctx.get(words, 0, source, 0, 64, 1);
                    assertEquals(42, ctx.getLong(words, 0, 0));
                    assertEquals(0, device.stagingInUse());
                }
                finally
                {
                    isOver.countDown();
                }
            }

            isSilent.countDown();
            isOver.await();
            shmem.barrierAll();
        });
    }

    @Test
    void shouldUseTheCellsOfInterruptedOperationsAgain() throws Exception
    {
        runBesideAHeldOwner(config(), (ctx, words, source) ->
        {
            source.putLong(0, 7);
            Thread.currentThread().interrupt();
            for (int i = 0; i < 9; i++)
            {
                assertThrows(ShmemInterruptedException.class, () -> ctx.put(words, 0, source, 0, 64, 1));
            }

            assertThrows(ShmemInterruptedException.class, () -> ctx.atomicFetchLong(words, 0, 1));
            assertTrue(Thread.interrupted());
        });
    }

    @Test
    @Tag("ci")
    void shouldTimeOutWhileTheOwnerIsHeld() throws Exception
    {
        final Shmem.Context config = config().operationTimeoutNs(TimeUnit.SECONDS.toNanos(1));
        runBesideAHeldOwner(config, (ctx, words, source) ->
        {
            final ShmemTimeoutException ex =
                assertThrows(ShmemTimeoutException.class, () -> ctx.put(words, 0, source, 0, 64, 1));
            assertTrue(ex.getMessage().contains("aeroshmem.operation.timeout"), ex.getMessage());
        });
    }

    private interface HeldTask
    {
        void run(CommunicationContext ctx, SymmetricBuffer words, SymmetricBuffer source);
    }

    /** Runs a task on PE 0 while PE 1 performs no access to its device; then puts to this device must work. */
    private static void runBesideAHeldOwner(final Shmem.Context config, final HeldTask task) throws Exception
    {
        final CountDownLatch isReleased = new CountDownLatch(1);
        final CountDownLatch isOver = new CountDownLatch(1);
        Shmem.runLocal(2, config, (shmem) ->
        {
            final FakeDevice device = FakeDevice.attach(shmem, true);
            final SymmetricBuffer words = device.attachment().calloc(8, 8);
            final SymmetricBuffer source = shmem.calloc(8, 8);
            hold(shmem, device, isReleased);
            if (0 == shmem.myPe())
            {
                try
                {
                    task.run(shmem.defaultContext(), words, source);
                    isReleased.countDown();
                    shouldPutManyTimes(shmem.defaultContext(), words, source);
                }
                finally
                {
                    isReleased.countDown();
                    isOver.countDown();
                }
            }

            isOver.await();
            shmem.barrierAll();
        });
    }

    @Test
    void shouldUseTheCellsOfFailedCopiesAgain() throws Exception
    {
        Shmem.runLocal(2, config(), (shmem) ->
        {
            final FakeDevice device = FakeDevice.attach(shmem, true);
            final SymmetricBuffer words = device.attachment().calloc(8, 8);
            final SymmetricBuffer source = shmem.calloc(8, 8);
            if (0 == shmem.myPe())
            {
                final CommunicationContext ctx = shmem.defaultContext();
                device.failAfter(0);
                for (int i = 0; i < 9; i++)
                {
                    assertThrows(IllegalStateException.class, () -> ctx.put(words, 0, source, 0, 64, 1));
                    assertThrows(IllegalStateException.class, () -> ctx.get(source, 0, words, 0, 64, 1));
                }

                device.failAfter(Long.MAX_VALUE);
                shouldPutManyTimes(ctx, words, source);
            }

            shmem.barrierAll();
        });
    }

    /** The next attachment uses the same ring, with another heap. */
    @Test
    void shouldDiscardTheRequestsThatAreLeftAtTheEndOfTheService() throws Exception
    {
        final CountDownLatch isSubmitted = new CountDownLatch(1);
        Shmem.runLocal(2, config().progressMode(ProgressMode.INVOKER), (shmem) ->
        {
            final CommunicationContext ctx = shmem.defaultContext();
            final FakeDevice first = FakeDevice.attach(shmem, true);
            final SymmetricBuffer word = first.attachment().malloc(8);
            if (0 == shmem.myPe())
            {
                Thread.currentThread().interrupt();
                assertThrows(ShmemInterruptedException.class, () -> ctx.putLong(word, 0, 42, 1));
                assertTrue(Thread.interrupted());
                isSubmitted.countDown();
            }

            isSubmitted.await();
            first.onClose();
            first.attachment().detach();

            final FakeDevice second = FakeDevice.attach(shmem, true);
            final SymmetricBuffer words = second.attachment().malloc(64);
            shmem.progress();
            assertEquals(0, ctx.getLong(words, 0, shmem.myPe()));
            final SymmetricBuffer source = shmem.calloc(8, 8);
            if (0 == shmem.myPe())
            {
                shouldPutManyTimes(ctx, words, source);
            }

            shmem.barrierAll();
        });
    }

    /** Has PE 1 perform no access to its device before the latch is released. */
    private static void hold(final Shmem shmem, final FakeDevice device, final CountDownLatch isReleased)
    {
        if (1 == shmem.myPe())
        {
            device.beforeAccess(() ->
            {
                try
                {
                    isReleased.await();
                }
                catch (final InterruptedException ex)
                {
                    throw new IllegalStateException(ex);
                }
            });
        }

        shmem.barrierAll();
    }

    private static void shouldPutManyTimes(
        final CommunicationContext ctx, final SymmetricBuffer words, final SymmetricBuffer source)
    {
        for (int i = 0; i < 20; i++)
        {
            source.putLong(0, 100 + i);
            ctx.put(words, 0, source, 0, 64, 1);
            assertEquals(100 + i, ctx.getLong(words, 0, 1));
        }
    }

    private static void repeat(final CommunicationContext ctx, final Runnable operation)
    {
        while (true)
        {
            operation.run();
            ctx.quiet();
        }
    }

    /** Longer than the close of a PE would wait. */
    @Test
    @Tag("ci")
    @EnabledIfSystemProperty(named = "aeroshmem.test.volume", matches = "\\d\\d+")
    void shouldAwaitADeferredTaskThatTakesLong() throws Exception
    {
        final CountDownLatch ends = new CountDownLatch(1);
        Shmem.runLocal(1, LocalJobs.config().heapSize(8 << 20), (shmem) ->
        {
            final FakeDevice device = FakeDevice.attach(shmem, false);
            device.attachment().defer(() ->
            {
                park(11_000);
                ends.countDown();
            });
            device.attachment().awaitDeferred();
            assertEquals(0, ends.getCount());
        });
    }

    @Test
    void shouldEndTheWaitForADeferredTaskWhenTheJobFails()
    {
        final CountDownLatch deferred = new CountDownLatch(NPES - 1);
        final CountDownLatch isReported = new CountDownLatch(1);
        final AtomicInteger failures = new AtomicInteger();
        assertThrows(IllegalStateException.class, () -> run(Way.ADDRESS, (shmem, device) ->
        {
            if (0 == shmem.myPe())
            {
                deferred.await();
                throw new IllegalStateException("PE 0 fails");
            }

            device.attachment().defer(() ->
            {
                while (isReported.getCount() > 0)
                {
                    park(1);
                }
            });
            deferred.countDown();
            assertThrows(PeFailureException.class, device.attachment()::awaitDeferred);
            if (NPES - 1 == failures.incrementAndGet())
            {
                isReported.countDown();
            }
        }));
        isReported.countDown();
        assertEquals(NPES - 1, failures.get());
    }

    private static void park(final long ms)
    {
        final long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
        while (System.nanoTime() < endNs)
        {
            LockSupport.parkNanos(endNs - System.nanoTime());
        }
    }

    @Test
    void shouldAllocateAsTheHostHeapDoes() throws Exception
    {
        run(Way.OWNER, (shmem, device) ->
        {
            final CommunicationContext ctx = shmem.defaultContext();
            final int me = shmem.myPe();
            final SymmetricBuffer first = device.attachment().malloc(1000);
            assertEquals(MemoryKind.DEVICE, first.kind());
            assertEquals(0, first.address());
            ctx.putLong(first, 0, 42, me);
            ctx.quiet();
            final SymmetricBuffer aligned = device.attachment().align(4096, 100);
            assertEquals(0, aligned.address() % 4096);
            final SymmetricBuffer longer = shmem.realloc(first, 5000);
            assertEquals(42, ctx.getLong(longer, 0, me));
            assertThrows(IllegalStateException.class, () -> ctx.getLong(first, 0, me));
            assertNull(shmem.ptr(longer, me));
            assertThrows(IllegalStateException.class, longer::local);
            assertThrows(IllegalStateException.class, () -> longer.getLong(0));
            assertNull(device.attachment().malloc(0));
            final SymmetricHeapExhaustedException ex = assertThrows(
                SymmetricHeapExhaustedException.class, () -> device.attachment().malloc(FakeDevice.LENGTH));
            assertTrue(ex.getMessage().contains("gpu.heap.size"), ex.getMessage());
            shmem.free(longer);
            shmem.free(aligned);
            final SymmetricBuffer zeros = device.attachment().calloc(10, 8);
            assertEquals(0, zeros.address());
            assertEquals(0, ctx.getLong(zeros, 0, me));
            assertThrows(CollectiveMismatchException.class, () ->
            {
                if (0 == me)
                {
                    shmem.malloc(64);
                }
                else
                {
                    device.attachment().malloc(64);
                }
            });
        });
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void shouldLeaveTheHostAloneWhenItEnds(final Way way) throws Exception
    {
        run(way, (shmem, device) ->
        {
            assertEquals(InitStatus.FULL_MPG, shmem.initStatus());
            assertThrows(IllegalStateException.class, () -> shmem.attach(device));
            final CommunicationContext ctx = shmem.defaultContext();
            final SymmetricBuffer host = shmem.calloc(1, 8);
            final SymmetricBuffer buffer = device.attachment().malloc(64);
            shmem.barrierAll();
            device.attachment().closeHeap();
            shmem.barrierAll();
            device.attachment().endService();
            device.attachment().detach();
            assertEquals(InitStatus.INITIALIZED, shmem.initStatus());
            shmem.barrierAll();
            final String message =
                assertThrows(IllegalStateException.class, () -> ctx.putLong(buffer, 0, 1, 0)).getMessage();
            assertTrue(message.endsWith("cannot be used any more: its device was detached"), message);
            ctx.atomicIncLong(host, 0, 0);
            shmem.barrierAll();
            assertEquals(NPES, ctx.getLong(host, 0, 0));

            final FakeDevice second = FakeDevice.attach(shmem, way.isOwnerOnly);
            final SymmetricBuffer word = second.attachment().calloc(1, 8);
            ctx.atomicIncLong(word, 0, 0);
            shmem.barrierAll();
            assertEquals(NPES, ctx.getLong(word, 0, 0));
        });
    }
}
