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

import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("jdk")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RmaTest
{
    @ParameterizedTest
    @EnumSource(TransportKind.class)
    void shouldMoveElementsAndBlocks(final TransportKind transport) throws Exception
    {
        LocalJobs.run(3, transport, (shmem) ->
        {
            final CommunicationContext ctx = shmem.defaultContext();
            final int next = (shmem.myPe() + 1) % 3;
            final int me = shmem.myPe();
            final SymmetricBuffer a = shmem.calloc(1000, 1);
            final SymmetricBuffer b = shmem.calloc(1000, 1);

            ctx.putByte(a, 1, (byte)(me + 1), next);
            ctx.putShort(a, 3, (short)(me + 2), next);
            ctx.putInt(a, 6, me + 3, next);
            ctx.putLong(a, 11, me + 4, next);
            ctx.putFloat(a, 20, me + 0.5f, next);
            ctx.putDouble(a, 24, me + 0.25, next);
            ctx.quiet();
            assertEquals(me + 1, ctx.getByte(a, 1, next));
            assertEquals(me + 2, ctx.getShort(a, 3, next));
            assertEquals(me + 3, ctx.getInt(a, 6, next));
            assertEquals(me + 4, ctx.getLong(a, 11, next));
            assertEquals(me + 0.5f, ctx.getFloat(a, 20, next));
            assertEquals(me + 0.25, ctx.getDouble(a, 24, next));

            final byte[] bytes = new byte[301];
            new Random(me).nextBytes(bytes);
            final UnsafeBuffer heapBuffer = new UnsafeBuffer(bytes, 1, 300);
            final UnsafeBuffer direct = new UnsafeBuffer(ByteBuffer.allocateDirect(400));
            ctx.put(a, 101, heapBuffer, 1, 299, next);
            ctx.quiet();
            ctx.get(direct, 7, a, 101, 299, next);
            for (int i = 0; i < 299; i++)
            {
                assertEquals(bytes[i + 2], direct.getByte(7 + i));
            }

            shmem.barrierAll();
            ctx.getNbi(b, 500, a, 101, 299, next);
            ctx.quiet();
            for (int i = 0; i < 299; i++)
            {
                assertEquals(bytes[i + 2], b.getByte(500 + i));
            }

            ctx.putNbi(a, 600, b, 500, 299, me);
            ctx.quiet(me);
            ctx.get(b, 0, a, 600, 299, me);
            assertEquals(bytes[300], b.getByte(298));
            assertTrue(ctx.testQuiet());
            ctx.put(a, 1000, b, 1000, 0, next);
        });
    }

    @Test
    void shouldMoveOverlappingBlocksToItself() throws Exception
    {
        Shmem.runLocal(1, LocalJobs.config().heapSize(8 << 20), (shmem) ->
        {
            final int length = 3 << 20;
            final SymmetricBuffer buffer = shmem.malloc(length + 1000);
            for (final int shift : new int[]{1000, -1000, 7})
            {
                final int from = shift < 0 ? -shift : 0;
                for (int i = 0; i < length; i++)
                {
                    buffer.putByte(from + i, (byte)(i * 31 ^ i >> 8));
                }

                shmem.defaultContext().put(buffer, from + shift, buffer, from, length, 0);
                for (int i = 0; i < length; i++)
                {
                    assertEquals((byte)(i * 31 ^ i >> 8), buffer.getByte(from + shift + i));
                }
            }
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"MAPPED", "IPC"})
    void shouldMoveStridedElementsAndBlocks(final TransportKind transport) throws Exception
    {
        LocalJobs.run(2, transport, (shmem) ->
        {
            final CommunicationContext ctx = shmem.defaultContext();
            final SymmetricBuffer source = shmem.malloc(4096);
            final SymmetricBuffer dest = shmem.calloc(4096, 1);
            final SymmetricBuffer back = shmem.calloc(4096, 1);
            final int peer = 1 - shmem.myPe();
            for (int i = 0; i < 4096; i++)
            {
                source.putByte(i, (byte)(i * 7 ^ i >> 8));
            }

            for (final int size : new int[]{1, 2, 4, 8, 16})
            {
                ctx.iput(dest, 0, source, 0, 3, 2, 40, size, peer);
                ctx.quiet();
                ctx.iget(back, 0, dest, 0, 1, 3, 40, size, peer);
                for (int i = 0; i < 40 * size; i++)
                {
                    assertEquals(source.getByte(2L * (i / size) * size + i % size), back.getByte(i));
                }

                ctx.ibput(dest, 0, source, 0, 5, 4, 3, 10, size, peer);
                ctx.quiet();
                ctx.ibget(back, 0, dest, 0, 3, 5, 3, 10, size, peer);
                for (int i = 0; i < 30 * size; i++)
                {
                    final int block = i / (3 * size);
                    assertEquals(source.getByte(4L * block * size + i % (3 * size)), back.getByte(i));
                }

                shmem.barrierAll();
            }

            ctx.iput(dest, 4096, source, 0, 1, 1, 0, 8, peer);
            assertThrows(IllegalArgumentException.class, () -> ctx.iput(dest, 0, source, 0, 0, 1, 1, 8, peer));
            assertThrows(IllegalArgumentException.class, () -> ctx.iput(dest, 0, source, 0, 1, 1, 1, 3, peer));
            assertThrows(IllegalArgumentException.class, () -> ctx.iget(dest, 4, source, 0, 1, 1, 1, 8, peer));
            assertThrows(IllegalArgumentException.class, () -> ctx.ibput(dest, 0, source, 0, 2, 3, 3, 1, 8, peer));
            assertThrows(
                IndexOutOfBoundsException.class,
                () -> ctx.iput(dest, 0, source, 0, Long.MAX_VALUE / 2, 1, 1000, 16, peer));
            assertThrows(IndexOutOfBoundsException.class, () -> ctx.iget(dest, 0, source, 0, 1, 2, 257, 8, peer));
        });
    }

    @ParameterizedTest
    @EnumSource(TransportKind.class)
    void shouldShowASignalOnlyAfterItsPayload(final TransportKind transport) throws Exception
    {
        final int count = TransportKind.UDP == transport ? 100 : 1000;
        LocalJobs.run(2, transport, (shmem) ->
        {
            final CommunicationContext ctx = shmem.defaultContext();
            final SymmetricBuffer payload = shmem.calloc(128, 8);
            final SymmetricBuffer source = shmem.calloc(128, 8);
            final SymmetricBuffer signal = shmem.calloc(2, 8);
            final int peer = 1 - shmem.myPe();
            for (int i = 1; i <= count; i++)
            {
                source.putLong(1016, i);
                if (0 == shmem.myPe())
                {
                    ctx.putSignal(payload, 0, source, 0, 1024, signal, 0, i, SignalOp.SET, peer);
                    assertEquals(i, shmem.signalWaitUntil(signal, 8, Comparison.GE, i));
                }
                else
                {
                    assertEquals(i, shmem.signalWaitUntil(signal, 0, Comparison.EQ, i));
                    assertEquals(i, payload.getLong(1016));
                    ctx.signal(signal, 8, 1, SignalOp.ADD, peer);
                }
            }

            shmem.barrierAll();
            ctx.putSignalAll(payload, 0, source, 0, 8, signal, 0, 1, SignalOp.ADD);
            ctx.signalAll(signal, 8, -1, SignalOp.SET);
            shmem.barrierAll();
            assertEquals(0 == shmem.myPe() ? 1 : count + 1, shmem.signalFetch(signal, 0));
            assertEquals(-1, shmem.signalFetch(signal, 8));
        });
    }

    @Test
    void shouldRefuseBadArgumentsBeforeAnythingIsSent() throws Exception
    {
        final SymmetricBuffer[] buffers = new SymmetricBuffer[2];
        LocalJobs.run(2, (shmem) ->
        {
            final CommunicationContext ctx = shmem.defaultContext();
            final SymmetricBuffer buffer = shmem.calloc(8, 8);
            final SymmetricBuffer freed = shmem.malloc(64);
            shmem.free(freed);
            buffers[shmem.myPe()] = buffer;
            shmem.barrierAll();
            final SymmetricBuffer foreign = buffers[1 - shmem.myPe()];

            assertThrows(IllegalArgumentException.class, () -> ctx.putLong(buffer, 0, 1, 2));
            assertThrows(IllegalArgumentException.class, () -> ctx.putLong(buffer, 0, 1, -1));
            assertThrows(IllegalArgumentException.class, () -> ctx.putLong(foreign, 0, 1, 0));
            assertThrows(IllegalStateException.class, () -> ctx.putLong(freed, 0, 1, 0));
            assertThrows(IndexOutOfBoundsException.class, () -> ctx.putLong(buffer, 57, 1, 0));
            assertThrows(IndexOutOfBoundsException.class, () -> ctx.putLong(buffer, -1, 1, 0));
            assertThrows(IndexOutOfBoundsException.class, () -> ctx.put(buffer, 0, buffer, 0, -1, 0));
            assertThrows(IndexOutOfBoundsException.class, () -> ctx.put(buffer, 0, buffer, Long.MAX_VALUE, 8, 0));
            assertThrows(
                IndexOutOfBoundsException.class, () -> ctx.put(buffer, 0, new ExpandableArrayBuffer(8), 4, 8, 0));
            assertThrows(IllegalArgumentException.class, () -> ctx.atomicAddLong(buffer, 4, 1, 0));
            assertThrows(IllegalArgumentException.class, () -> ctx.signal(buffer, 4, 1, SignalOp.SET, 0));
            assertThrows(
                IllegalArgumentException.class, () -> ctx.putSignal(buffer, 0, buffer, 8, 8, buffer, 16, 1, null, 0));
            assertThrows(IllegalArgumentException.class, () -> ctx.atomicFetchInt(buffer, 2, 0));
            assertThrows(IllegalArgumentException.class, () -> ctx.quiet(2));
            assertThrows(IllegalArgumentException.class, () -> ctx.fence(-1));
            shmem.barrierAll();
            for (int i = 0; i < 8; i++)
            {
                assertEquals(0, buffer.getLong(8L * i));
            }
        });
    }

    @Test
    void shouldOpenAndCloseContexts() throws Exception
    {
        LocalJobs.run(2, (shmem) ->
        {
            final SymmetricBuffer buffer = shmem.calloc(8, 8);
            final CommunicationContext ctx = shmem.createContext(ContextOption.PRIVATE, ContextOption.NOSTORE);
            assertSame(shmem.world(), ctx.team());
            ctx.putLong(buffer, 0, 1, 1 - shmem.myPe());
            ctx.close();
            ctx.close();
            assertThrows(IllegalStateException.class, () -> ctx.putLong(buffer, 0, 1, 0));
            assertThrows(IllegalStateException.class, ctx::quiet);
            assertThrows(IllegalStateException.class, ctx::testQuiet);
            assertThrows(IllegalStateException.class, () -> shmem.defaultContext().close());
            shmem.barrierAll();
            assertEquals(1, buffer.getLong(0));
        });
    }

    @Test
    void shouldGiveViewsOfMemoryThatIsReachable() throws Exception
    {
        LocalJobs.run(2, (shmem) ->
        {
            final SymmetricBuffer buffer = shmem.calloc(8, 8);
            assertNotNull(shmem.ptr(buffer, 1 - shmem.myPe()));
            shmem.ptr(buffer.slice(8, 8), 1 - shmem.myPe()).putLongRelease(0, 5 + shmem.myPe());
            shmem.waitUntilLong(buffer, 8, Comparison.EQ, 6 - shmem.myPe());
            assertTrue(shmem.peAccessible(1));
            assertFalse(shmem.peAccessible(2));
        });

        LocalJobs.run(2, TransportKind.IPC, (shmem) ->
        {
            final SymmetricBuffer buffer = shmem.malloc(8);
            assertNull(shmem.ptr(buffer, 1 - shmem.myPe()));
            assertNotNull(shmem.ptr(buffer, shmem.myPe()));
            assertTrue(shmem.peAccessible(1));
            assertEquals(1, shmem.shared().nPes());
            assertEquals(2, shmem.node().nPes());
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"MAPPED", "IPC"})
    void shouldLetThreadsShareAContext(final TransportKind transport) throws Exception
    {
        LocalJobs.run(2, transport, (shmem) ->
        {
            final SymmetricBuffer words = shmem.calloc(4, 8);
            final CommunicationContext ctx = shmem.defaultContext();
            final int peer = 1 - shmem.myPe();
            final Throwable[] failures = new Throwable[3];
            final Thread[] threads = new Thread[3];
            for (int t = 0; t < 3; t++)
            {
                final int slot = t;
                threads[t] = new Thread(() ->
                {
                    try
                    {
                        for (int i = 1; i <= 500; i++)
                        {
                            ctx.putLong(words, 8L * slot, i, peer);
                            ctx.atomicFetchAddLongNbi(words, 24, words, 24, 0, peer);
                            ctx.quiet();
                            assertEquals(i, ctx.getLong(words, 8L * slot, peer));
                        }
                    }
                    catch (final Throwable ex)
                    {
                        failures[slot] = ex;
                    }
                });
                threads[t].start();
            }

            for (int t = 0; t < 3; t++)
            {
                threads[t].join();
                assertNull(failures[t]);
            }
        });
    }

    @Test
    void shouldEndAQuietWhileAnotherThreadKeepsIssuing() throws Exception
    {
        LocalJobs.run(2, TransportKind.IPC, (shmem) ->
        {
            final SymmetricBuffer words = shmem.calloc(4, 8);
            if (0 == shmem.myPe())
            {
                final CommunicationContext ctx = shmem.defaultContext();
                final AtomicBoolean isOver = new AtomicBoolean();
                final AtomicLong issued = new AtomicLong();
                final Thread thread = new Thread(() ->
                {
                    while (!isOver.get())
                    {
                        ctx.getNbi(words, 8, words, 0, 8, 1);
                        ctx.putLong(words, 16, 1, 1);
                        issued.incrementAndGet();
                    }
                });
                thread.start();
                while (issued.get() < 100)
                {
                    Thread.onSpinWait();
                }

                for (int i = 1; i <= 100; i++)
                {
                    ctx.atomicFetchIncLongNbi(words, 24, words, 0, 1);
                    ctx.quiet();
                    assertEquals(i - 1, words.getLong(24));
                }

                isOver.set(true);
                thread.join();
            }
        });
    }

    @Test
    void shouldMoveInInvokerModeWhileSomebodyWaits() throws Exception
    {
        Shmem.runLocal(
            2,
            LocalJobs.config().transport(TransportKind.IPC).progressMode(ProgressMode.INVOKER),
            (shmem) ->
            {
                final SymmetricBuffer words = shmem.calloc(2, 8);
                final int peer = 1 - shmem.myPe();
                for (int i = 1; i <= 100; i++)
                {
                    shmem.defaultContext().putSignal(words, 0, words, 8, 0, words, 0, i, SignalOp.SET, peer);
                    while (!shmem.testLong(words, 0, Comparison.GE, i))
                    {
                        Thread.onSpinWait();
                    }

                    assertEquals(0, shmem.defaultContext().atomicFetchLong(words, 8, peer));
                }
            });
    }
}
