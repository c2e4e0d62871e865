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
import io.aeroshmem.ElementType;
import io.aeroshmem.Shmem;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.Pattern;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.TestMemory;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Rejection of invalid arguments and properties: the exception names the rule and the value, nothing is sent, and the
 * job continues.
 */
class BadInputTest
{
    private static final int LENGTH = 512;
    private static final long FAR = 123_456_789_012L;

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC", "UDP"})
    void shouldRejectBadArgumentsAndSendNothing(final TransportKind transport)
    {
        final AtomicReferenceArray<SymmetricBuffer> buffers = new AtomicReferenceArray<>(3);
        Job.of(3).transport(transport).run("bad arguments", (pe) -> refuse(pe, buffers));
    }

    private static void refuse(final Pe pe, final AtomicReferenceArray<SymmetricBuffer> buffers)
    {
        final SymmetricBuffer buffer = pe.shmem().align(64, LENGTH);
        final SymmetricBuffer freed = pe.shmem().malloc(LENGTH);
        pe.shmem().free(freed);
        buffers.set(pe.me(), buffer);
        Pattern.guard(buffer, 0, LENGTH);
        pe.shmem().barrierAll();
        final Cases cases = new Cases(pe, buffer);
        cases.refusePes();
        cases.refuseRanges();
        cases.refuseNulls();
        cases.refuseBuffers(freed, IllegalStateException.class, "free");
        cases.refuseBuffers(buffers.get(pe.right()), IllegalArgumentException.class, "PE " + pe.me());
        cases.refuseMisaligned();
        cases.refuseStrides();
        cases.refuseSets();
        pe.shmem().barrierAll();
        Pattern.checkGuard("nothing was sent", buffer, 0, LENGTH);
        pe.shmem().barrierAll();
        pe.ctx().putLong(buffer, 8, 42, pe.right());
        pe.shmem().barrierAll();
        assertEquals(42, buffer.getLong(8), "the job goes on");
        pe.shmem().free(buffer);
    }

    /**
     * The calls that must be rejected.
     */
    private static final class Cases
    {
        private final Pe pe;
        private final Shmem shmem;
        private final CommunicationContext ctx;
        private final SymmetricBuffer buffer;
        private final UnsafeBuffer local = new UnsafeBuffer(new byte[64]);
        private final int peer;

        Cases(final Pe pe, final SymmetricBuffer buffer)
        {
            this.pe = pe;
            this.shmem = pe.shmem();
            this.ctx = pe.ctx();
            this.buffer = buffer;
            this.peer = pe.right();
        }

        private static void refuse(
            final Class<? extends RuntimeException> type, final Executable call, final String... said)
        {
            final RuntimeException thrown = assertThrows(type, call);
            for (final String text : said)
            {
                assertTrue(String.valueOf(thrown.getMessage()).contains(text), "'" + text + "' in: " + thrown);
            }
        }

        void refusePes()
        {
            for (final int bad : new int[]{-1, -977, 3, 977, Integer.MAX_VALUE, Integer.MIN_VALUE})
            {
                final String given = Integer.toString(bad);
                final Executable[] calls =
                {
                    () -> ctx.putByte(buffer, 0, (byte)1, bad),
                    () -> ctx.putLong(buffer, 0, 1, bad),
                    () -> ctx.getLong(buffer, 0, bad),
                    () -> ctx.put(buffer, 0, buffer, 8, 8, bad),
                    () -> ctx.put(buffer, 0, local, 0, 8, bad),
                    () -> ctx.get(buffer, 0, buffer, 8, 8, bad),
                    () -> ctx.get(local, 0, buffer, 8, 8, bad),
                    () -> ctx.putNbi(buffer, 0, buffer, 8, 8, bad),
                    () -> ctx.getNbi(buffer, 0, buffer, 8, 8, bad),
                    () -> ctx.iput(buffer, 0, buffer, 64, 1, 1, 2, 8, bad),
                    () -> ctx.ibget(buffer, 0, buffer, 64, 2, 2, 1, 1, 8, bad),
                    () -> ctx.putSignal(buffer, 0, buffer, 8, 8, buffer, 16, 1, SignalOp.SET, bad),
                    () -> ctx.putSignal(buffer, 0, local, 8, 8, buffer, 16, 1, SignalOp.SET, bad),
                    () -> ctx.signal(buffer, 0, 1, SignalOp.ADD, bad),
                    () -> ctx.atomicIncLong(buffer, 0, bad),
                    () -> ctx.atomicFetchAddInt(buffer, 0, 1, bad),
                    () -> ctx.atomicFetchAddLongNbi(buffer, 0, buffer, 8, 1, bad),
                    () -> ctx.quiet(bad),
                    () -> ctx.fence(bad),
                    () -> shmem.ptr(buffer, bad)
                };
                for (final Executable call : calls)
                {
                    refuse(IllegalArgumentException.class, call, given, Integer.toString(pe.n() - 1));
                }
            }
        }

        void refuseRanges()
        {
            for (final long bad : new long[]{-1, LENGTH, LENGTH - 7, FAR, Long.MAX_VALUE, Long.MIN_VALUE})
            {
                final Executable[] calls =
                {
                    () -> ctx.putLong(buffer, bad, 1, peer),
                    () -> ctx.getLong(buffer, bad, peer),
                    () -> ctx.put(buffer, bad, buffer, 0, 8, peer),
                    () -> ctx.put(buffer, 0, buffer, bad, 8, peer),
                    () -> ctx.get(buffer, bad, buffer, 0, 8, peer),
                    () -> ctx.get(local, 0, buffer, bad, 8, peer),
                    () -> ctx.putNbi(buffer, bad, buffer, 0, 8, peer),
                    () -> ctx.getNbi(buffer, 0, buffer, bad, 8, peer),
                    () -> ctx.putSignal(buffer, bad, buffer, 0, 8, buffer, 0, 1, SignalOp.SET, peer),
                    () -> shmem.waitUntilLong(buffer, bad, Comparison.EQ, 0),
                    () -> shmem.testLong(buffer, bad, Comparison.EQ, 0),
                    () -> ctx.putSignalAll(buffer, bad, buffer, 0, 8, buffer, 0, 1, SignalOp.SET)
                };
                for (final Executable call : calls)
                {
                    refuse(IndexOutOfBoundsException.class, call, Long.toString(bad), Integer.toString(LENGTH));
                }
            }

            for (final long bad : new long[]{-1, LENGTH + 1, FAR, Long.MAX_VALUE, Long.MIN_VALUE})
            {
                refuse(IndexOutOfBoundsException.class,
                    () -> ctx.put(buffer, 0, buffer, 0, bad, peer), Long.toString(bad));
                refuse(IndexOutOfBoundsException.class,
                    () -> ctx.getNbi(buffer, 0, buffer, 0, bad, peer), Long.toString(bad));
            }

            refuse(IndexOutOfBoundsException.class, () -> ctx.put(buffer, 0, local, 57, 8, peer), "57", "64");
            refuse(IndexOutOfBoundsException.class, () -> ctx.put(buffer, 0, local, -2, 8, peer), "-2", "64");
            refuse(IndexOutOfBoundsException.class, () -> ctx.get(local, 0, buffer, 0, 65, peer), "65", "64");
            refuse(IndexOutOfBoundsException.class, () -> ctx.get(local, 0, buffer, 0, -5, peer), "-5");
            refuse(IndexOutOfBoundsException.class, () -> ctx.atomicIncLong(buffer, LENGTH, peer), "" + LENGTH);
            refuse(IndexOutOfBoundsException.class, () -> ctx.signal(buffer, -8, 1, SignalOp.SET, peer), "-8");
            refuse(IndexOutOfBoundsException.class, () -> ctx.atomicFetchLongNbi(buffer, LENGTH, buffer, 0, peer));
            refuse(IndexOutOfBoundsException.class, () -> shmem.lock(buffer, LENGTH));
        }

        void refuseNulls()
        {
            final Class<IllegalArgumentException> type = IllegalArgumentException.class;
            refuse(type, () -> ctx.putLong(null, 0, 1, peer), "dest is null");
            refuse(type, () -> ctx.getNbi(buffer, 0, null, 0, 8, peer), "source is null");
            refuse(type, () -> ctx.put(buffer, 0, (SymmetricBuffer)null, 0, 8, peer), "source is null");
            refuse(type, () -> ctx.put(buffer, 0, (UnsafeBuffer)null, 0, 8, peer), "source is null");
            refuse(type, () -> ctx.get((UnsafeBuffer)null, 0, buffer, 0, 8, peer), "dest is null");
            refuse(type, () -> ctx.signal(null, 0, 1, SignalOp.SET, peer), "signal is null");
            refuse(type, () -> ctx.signal(buffer, 0, 1, null, peer), "op is null");
            refuse(type, () -> ctx.atomicIncLong(null, 0, peer), "dest is null");
            refuse(type, () -> ctx.atomicFetchLong(null, 0, peer), "source is null");
            refuse(type, () -> ctx.atomicFetchLongNbi(null, 0, buffer, 0, peer), "fetch is null");
            refuse(type, () -> shmem.waitUntilLong(buffer, 0, null, 0), "cmp is null");
            refuse(type, () -> shmem.lock(null, 0), "lock is null");
            refuse(type, () -> shmem.world().broadcast(null, buffer, buffer, 1, 0), "type is null");
            refuse(type, () -> shmem.world().broadcast(ElementType.LONG, null, buffer, 1, 0), "dest is null");
            refuse(type, () -> shmem.world().reduce(null, ElementType.LONG, buffer, buffer, 1), "op is null");
        }

        void refuseBuffers(
            final SymmetricBuffer bad, final Class<? extends RuntimeException> type, final String said)
        {
            final Executable[] calls =
            {
                () -> ctx.putLong(bad, 0, 1, peer),
                () -> ctx.getLong(bad, 0, peer),
                () -> ctx.put(bad, 0, buffer, 0, 8, peer),
                () -> ctx.put(buffer, 0, bad, 0, 8, peer),
                () -> ctx.put(bad, 0, buffer, 0, 0, peer),
                () -> ctx.put(bad, 0, local, 0, 8, peer),
                () -> ctx.get(local, 0, bad, 0, 8, peer),
                () -> ctx.putNbi(buffer, 0, bad, 0, 8, peer),
                () -> ctx.iput(bad, 0, buffer, 0, 1, 1, 1, 8, peer),
                () -> ctx.putSignal(buffer, 0, buffer, 0, 8, bad, 0, 1, SignalOp.SET, peer),
                () -> ctx.signal(bad, 0, 1, SignalOp.SET, peer),
                () -> ctx.atomicAddLong(bad, 0, 1, peer),
                () -> ctx.atomicFetchLongNbi(bad, 0, buffer, 0, peer),
                () -> shmem.waitUntilLong(bad, 0, Comparison.EQ, 0),
                () -> shmem.testInt(bad, 0, Comparison.EQ, 0),
                () -> shmem.signalFetch(bad, 0),
                () -> shmem.testLock(bad, 0),
                () -> shmem.ptr(bad, peer)
            };
            for (final Executable call : calls)
            {
                refuse(type, call, said);
            }
        }

        void refuseMisaligned()
        {
            for (final long bad : new long[]{1, 4, 7, 12})
            {
                final Executable[] calls =
                {
                    () -> ctx.atomicFetchLong(buffer, bad, peer),
                    () -> ctx.atomicIncLong(buffer, bad, peer),
                    () -> ctx.atomicSetDouble(buffer, bad, 1, peer),
                    () -> ctx.atomicSwapLong(buffer, bad, 1, peer),
                    () -> ctx.atomicFetchAddLongNbi(buffer, 0, buffer, bad, 1, peer),
                    () -> ctx.signal(buffer, bad, 1, SignalOp.SET, peer),
                    () -> ctx.putSignal(buffer, 0, buffer, 64, 8, buffer, bad, 1, SignalOp.SET, peer),
                    () -> shmem.waitUntilLong(buffer, bad, Comparison.EQ, 0),
                    () -> shmem.signalFetch(buffer, bad),
                    () -> shmem.lock(buffer, bad)
                };
                for (final Executable call : calls)
                {
                    refuse(IllegalArgumentException.class, call, Long.toString(bad), "8");
                }
            }

            refuse(IllegalArgumentException.class, () -> ctx.atomicIncInt(buffer, 2, peer), "2", "4");
            refuse(IllegalArgumentException.class, () -> ctx.atomicSwapFloat(buffer, 5, 1, peer), "5", "4");
            refuse(IllegalArgumentException.class, () -> shmem.testInt(buffer, 3, Comparison.EQ, 0), "3", "4");
        }

        void refuseStrides()
        {
            refuse(IllegalArgumentException.class,
                () -> ctx.iput(buffer, 0, buffer, 64, 0, 1, 2, 8, peer), "0", "1");
            refuse(IllegalArgumentException.class,
                () -> ctx.iget(buffer, 0, buffer, 64, 1, -3, 2, 8, peer), "-3");
            refuse(IllegalArgumentException.class,
                () -> ctx.iput(buffer, 0, buffer, 64, 1, 1, 2, 3, peer), "3", "16");
            refuse(IllegalArgumentException.class,
                () -> ctx.iput(buffer, 4, buffer, 64, 1, 1, 2, 8, peer), "4", "8");
            refuse(IllegalArgumentException.class,
                () -> ctx.iput(buffer, 0, buffer, 66, 1, 1, 2, 4, peer), "66", "4");
            refuse(IllegalArgumentException.class,
                () -> ctx.ibput(buffer, 0, buffer, 64, 3, 4, 4, 2, 8, peer), "3", "4");
            refuse(RuntimeException.class, () -> ctx.iput(buffer, 0, buffer, 64, 1, 1, -1, 8, peer), "-1");
            refuse(IndexOutOfBoundsException.class, () -> ctx.iput(buffer, 0, buffer, 0, 8, 1, 9, 8, peer));
            refuse(RuntimeException.class,
                () -> ctx.iput(buffer, 0, buffer, 0, Long.MAX_VALUE / 8, 1, 9, 8, peer));
            refuse(RuntimeException.class,
                () -> ctx.ibput(buffer, 0, buffer, 0, 1L << 62, 1L << 62, 1L << 62, 4, 8, peer));
        }

        void refuseSets()
        {
            refuse(RuntimeException.class, () -> shmem.testAllLong(buffer, 0, -1, null, Comparison.EQ, 0), "-1");
            refuse(RuntimeException.class,
                () -> shmem.testAllLong(buffer, 0, 4, new int[3], Comparison.EQ, 0), "3", "4");
            refuse(RuntimeException.class,
                () -> shmem.testSomeLong(buffer, 0, 4, new int[2], null, Comparison.EQ, 0), "2", "4");
            refuse(RuntimeException.class,
                () -> shmem.testAllVectorLong(buffer, 0, 4, null, Comparison.EQ, new long[1]), "1", "4");
            refuse(IndexOutOfBoundsException.class,
                () -> shmem.testAllLong(buffer, 0, LENGTH / 8 + 1, null, Comparison.EQ, 0));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"12q", "-1", "lots", "1.5g", "0", "9999999999999999999"})
    void shouldRejectAMalformedHeapSize(final String size)
    {
        refuseProperty("aeroshmem.heap.size", size, "aeroshmem.heap.size", size);
    }

    @Test
    void shouldRejectAnUnknownTransport()
    {
        refuseProperty(
            "aeroshmem.transport", "pigeon", "aeroshmem.transport", "pigeon", "mapped", "ipc", "udp", "auto");
    }

    @Test
    void shouldRejectAnUnknownProperty()
    {
        refuseProperty("aeroshmem.haep.size", "1m", "aeroshmem.haep.size", "the nearest is aeroshmem.heap.size");
    }

    @Test
    void shouldRejectAMalformedTermLength()
    {
        refuseProperty("aeroshmem.term.length", "100k", "aeroshmem.term.length", "aeroshmem.term.length=100k");
    }

    @Test
    void shouldReportThatADriverDirectoryIsMissing()
    {
        final String missing = TestMemory.root().resolve("no-driver-here").toString();
        refuseJob(new Shmem.Context().transport(TransportKind.IPC).aeronDirectoryName(missing),
            missing, "aeroshmem.aeron.dir");
        refuseJob(new Shmem.Context().transport(TransportKind.UDP).aeronDirectoryName(missing),
            missing, "aeroshmem.aeron.dir");
        checkGoesOn();
    }

    @Test
    void shouldRejectAHeapThatDoesNotFit() throws IOException
    {
        final long usable = Files.getFileStore(TestMemory.root()).getUsableSpace();
        final Map<Long, String> textBySize = Map.of(
            usable + (1L << 40), "MiB of shared memory", Long.MAX_VALUE, Long.toString(Long.MAX_VALUE));
        textBySize.forEach((asked, text) ->
        {
            final Shmem.Context config = new Shmem.Context().heapSize(asked);
            refuseJob(config, text, "aeroshmem.heap.size");
            refuse(() -> Shmem.init(config).close(), text, "aeroshmem.heap.size");
        });
        checkGoesOn();
    }

    @Test
    void shouldRejectAMalformedHeapSizeAtOnce()
    {
        refuse(() -> Shmem.init(new Shmem.Context().heapSize(-4)).close(), "-4", "aeroshmem.heap.size");
        checkGoesOn();
    }

    private static void refuseProperty(final String name, final String value, final String... said)
    {
        TestMemory.root();
        System.setProperty(name, value);
        try
        {
            final RuntimeException thrown =
                assertThrows(IllegalArgumentException.class, () -> Shmem.init(new Shmem.Context()).close());
            checkSaid(thrown, said);
        }
        finally
        {
            System.clearProperty(name);
        }

        checkGoesOn();
    }

    private static void refuseJob(final Shmem.Context config, final String... said)
    {
        refuse(() -> Shmem.runLocal(2, config.clone(), Shmem::barrierAll), said);
    }

    private static void refuse(final Executable call, final String... said)
    {
        TestMemory.root();
        checkSaid(assertThrows(RuntimeException.class, call), said);
    }

    private static void checkSaid(final RuntimeException thrown, final String... said)
    {
        for (final String text : said)
        {
            assertTrue(thrown.getMessage().contains(text), "'" + text + "' in: " + thrown);
        }
    }

    private static void checkGoesOn()
    {
        assertTrue(TestMemory.jobs().isEmpty(), "left behind: " + TestMemory.jobs());
        try (Shmem shmem = Shmem.init(new Shmem.Context().heapSize(1 << 20)))
        {
            shmem.barrierAll();
        }

        assertTrue(TestMemory.jobs().isEmpty(), "left behind: " + TestMemory.jobs());
    }
}
