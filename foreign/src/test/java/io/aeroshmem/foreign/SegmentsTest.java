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
package io.aeroshmem.foreign;

import io.aeroshmem.PeTask;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.TransportKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

class SegmentsTest
{
    /** Three copied pieces and a part of one. */
    private static final int LENGTH = 3 * (16 << 10) + 8;
    private static final long PATTERN = 0x9e37_79b9_7f4a_7c15L;
    private static final long LARGE = (2L << 30) + 64;

    enum Form
    {
        NATIVE((length) -> Arena.ofAuto().allocate(length)),
        UNALIGNED((length) -> Arena.ofAuto().allocate(length + 1).asSlice(1)),
        BYTES((length) -> MemorySegment.ofArray(new byte[(int)length])),
        SLICED_BYTES((length) -> MemorySegment.ofArray(new byte[(int)length + 5]).asSlice(5)),
        LONGS((length) -> MemorySegment.ofArray(new long[(int)length >> 3])),
        SLICED_CHARS((length) -> MemorySegment.ofArray(new char[(int)(length >> 1) + 3]).asSlice(6)),
        BUFFER((length) -> MemorySegment.ofBuffer(ByteBuffer.allocateDirect((int)length)));

        private final LongFunction<MemorySegment> allocator;

        Form(final LongFunction<MemorySegment> allocator)
        {
            this.allocator = allocator;
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldTransferAnySegment(final Form form) throws Exception
    {
        run(TransportKind.MAPPED, (shmem) ->
        {
            final SymmetricBuffer buffer = shmem.calloc(LENGTH + 16, 1);
            final int peer = 1 - shmem.myPe();
            final MemorySegment source = form.allocator.apply(LENGTH);
            fill(source, shmem.myPe());
            Segments.put(shmem.defaultContext(), buffer, 7, 0 == peer ? source.asReadOnly() : source, peer);
            shmem.barrierAll();
            for (int i = 0; i < LENGTH; i++)
            {
                assertEquals(expected(i, peer), buffer.getByte(7 + i), "byte " + i);
            }

            assertEquals(0, buffer.getByte(6));
            assertEquals(0, buffer.getByte(7 + LENGTH));
            final MemorySegment dest = form.allocator.apply(LENGTH);
            Segments.get(shmem.defaultContext(), dest, buffer, 7, peer);
            assertEquals(-1, dest.mismatch(source));
        });
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = { "MAPPED", "IPC", "UDP" })
    void shouldTransferOverEveryTransport(final TransportKind transport) throws Exception
    {
        run(transport, (shmem) ->
        {
            final SymmetricBuffer buffer = shmem.malloc(LENGTH);
            final int peer = 1 - shmem.myPe();
            try (Arena arena = Arena.ofConfined())
            {
                final MemorySegment source = arena.allocate(LENGTH);
                fill(source, shmem.myPe());
                Segments.put(shmem.defaultContext(), buffer, 0, source, peer);
                // the segment may be written as soon as the call returns
                source.fill((byte)0);
            }

            shmem.barrierAll();
            final MemorySegment own = Segments.of(buffer);
            final MemorySegment sent = MemorySegment.ofArray(new byte[LENGTH]);
            fill(sent, peer);
            assertEquals(-1, own.mismatch(sent));
            final MemorySegment dest = MemorySegment.ofArray(new double[LENGTH >> 3]);
            Segments.get(shmem.defaultContext(), dest, buffer, 0, peer);
            fill(sent, shmem.myPe());
            assertEquals(-1, dest.mismatch(sent));
        });
    }

    @Test
    void shouldShowTheMemoryOfABuffer() throws Exception
    {
        run(TransportKind.MAPPED, (shmem) ->
        {
            final SymmetricBuffer buffer = shmem.calloc(64, 1);
            final MemorySegment segment = Segments.of(buffer);
            assertEquals(64, segment.byteSize());
            shmem.defaultContext().putLong(buffer, 56, 10 + shmem.myPe(), 1 - shmem.myPe());
            shmem.barrierAll();
            assertEquals(11 - shmem.myPe(), segment.get(ValueLayout.JAVA_LONG, 56));
            segment.set(ValueLayout.JAVA_LONG, 0, 5);
            assertEquals(5, buffer.getLong(0));
            assertThrows(IndexOutOfBoundsException.class, () -> segment.get(ValueLayout.JAVA_LONG, 57));
            // any thread
            assertEquals(5L, CompletableFuture.supplyAsync(() -> segment.get(ValueLayout.JAVA_LONG, 0)).get());

            shmem.free(buffer);
            assertThrows(IllegalStateException.class, () -> Segments.of(buffer));
        });
    }

    @Test
    void shouldKeepTheMemoryAfterTheJob() throws Exception
    {
        final MemorySegment[] segments = new MemorySegment[2];
        run(TransportKind.MAPPED, (shmem) ->
        {
            final SymmetricBuffer buffer = shmem.malloc(8);
            buffer.putLong(0, 3 + shmem.myPe());
            segments[shmem.myPe()] = Segments.of(buffer);
            shmem.barrierAll();
        });
        System.gc();
        assertEquals(3, segments[0].get(ValueLayout.JAVA_LONG, 0));
        assertEquals(4, segments[1].get(ValueLayout.JAVA_LONG, 0));
    }

    /** Sparse: few pages of it are touched. */
    @Test
    void shouldShowSlicesOfALongBuffer() throws Exception
    {
        Shmem.runLocal(1, new Shmem.Context().heapSize(LARGE + (1 << 20)), (shmem) ->
        {
            final SymmetricBuffer buffer = shmem.malloc(LARGE);
            assertThrows(IllegalStateException.class, () -> Segments.of(buffer));
            final long end = LARGE - 8;
            Segments.of(buffer.slice(end, 8)).set(ValueLayout.JAVA_LONG, 0, PATTERN);
            assertEquals(PATTERN, buffer.getLong(end));
        });
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 1, 16 << 10, (16 << 10) + 1 })
    void shouldTransferAnyLength(final int length) throws Exception
    {
        run(TransportKind.MAPPED, (shmem) ->
        {
            final SymmetricBuffer buffer = shmem.calloc(LENGTH, 1);
            final MemorySegment source = MemorySegment.ofArray(new int[LENGTH >> 2]).asSlice(0, length);
            fill(source, 0);
            Segments.put(shmem.defaultContext(), buffer, 0, source, shmem.myPe());
            assertEquals(-1, Segments.of(buffer).asSlice(0, length).mismatch(source));
            assertEquals(0, buffer.getByte(length));
            final MemorySegment dest = MemorySegment.ofArray(new int[LENGTH >> 2]).asSlice(0, length);
            Segments.get(shmem.defaultContext(), dest, buffer, 0, shmem.myPe());
            assertEquals(-1, dest.mismatch(source));
        });
    }

    @Test
    void shouldRejectWhatJavaRejects() throws Exception
    {
        Shmem.runLocal(1, new Shmem.Context().heapSize(1 << 20), (shmem) ->
        {
            final SymmetricBuffer buffer = shmem.calloc(64, 1);
            final MemorySegment nine = MemorySegment.ofArray(new byte[9]);
            assertThrows(IndexOutOfBoundsException.class,
                () -> Segments.put(shmem.defaultContext(), buffer, 56, nine, 0));
            assertThrows(IndexOutOfBoundsException.class,
                () -> Segments.put(shmem.defaultContext(), buffer, -1, nine, 0));
            assertThrows(IndexOutOfBoundsException.class,
                () -> Segments.get(shmem.defaultContext(), nine, buffer, Long.MAX_VALUE, 0));
            assertThrows(IllegalArgumentException.class,
                () -> Segments.put(shmem.defaultContext(), buffer, 0, nine, 1));
            assertThrows(IllegalArgumentException.class,
                () -> Segments.get(shmem.defaultContext(), nine.asReadOnly(), buffer, 0, 0));

            final MemorySegment closed;
            try (Arena arena = Arena.ofConfined())
            {
                closed = arena.allocate(8);
                final MemorySegment confined = closed;
                final Throwable failure = CompletableFuture.runAsync(
                    () -> Segments.put(shmem.defaultContext(), buffer, 0, confined, 0))
                    .handle((nothing, thrown) -> thrown.getCause()).get();
                assertEquals(WrongThreadException.class, failure.getClass());
            }

            assertThrows(IllegalStateException.class,
                () -> Segments.put(shmem.defaultContext(), buffer, 0, closed, 0));
            for (int i = 0; i < 64; i++)
            {
                assertEquals(0, buffer.getByte(i));
            }
        });
    }

    private static void run(final TransportKind transport, final PeTask task) throws Exception
    {
        Shmem.runLocal(2, new Shmem.Context().heapSize(1 << 20).transport(transport), task);
    }

    private static void fill(final MemorySegment segment, final int pe)
    {
        for (long i = 0; i < segment.byteSize(); i++)
        {
            segment.set(ValueLayout.JAVA_BYTE, i, expected(i, pe));
        }
    }

    private static byte expected(final long index, final int pe)
    {
        return (byte)((index + 1) * PATTERN + pe >>> 56 - pe);
    }
}
