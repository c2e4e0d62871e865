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
package io.aeroshmem.tests.conformance;

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.Comparison;
import io.aeroshmem.ContextOption;
import io.aeroshmem.MemoryKind;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.SymmetricHeapExhaustedException;
import io.aeroshmem.tests.fixture.Pattern;
import io.aeroshmem.tests.fixture.Pe;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/**
 * Boundary cases of routines: zero lengths at the end of a buffer, NaNs, negative signals, parts of arrays, read-only
 * buffers, handles of freed memory.
 */
final class Edges
{
    private static final int MEBIBYTE = 1 << 20;

    private Edges()
    {
    }

    static void shouldMoveNothingAtTheEndOfABuffer(final Pe pe)
    {
        final int length = 48;
        final SymmetricBuffer buffer = pe.malloc(length);
        final SymmetricBuffer signal = pe.calloc(1, 8);
        final UnsafeBuffer local = new UnsafeBuffer(new byte[16]);
        final CommunicationContext ctx = pe.ctx();
        Pattern.guard(pe, buffer, 0, length);
        pe.shmem().barrierAll();
        final SymmetricBuffer end = buffer.slice(length, 0);
        ctx.put(buffer, length, buffer, length, 0, pe.right());
        ctx.put(end, 0, end, 0, 0, pe.right());
        ctx.put(buffer, length, local, 16, 0, pe.right());
        ctx.get(buffer, length, buffer, length, 0, pe.right());
        ctx.get(local, 16, buffer, length, 0, pe.right());
        ctx.putNbi(buffer, length, buffer, length, 0, pe.right());
        ctx.getNbi(buffer, length, buffer, length, 0, pe.right());
        ctx.iput(buffer, length, buffer, length, 1, 1, 0, 16, pe.right());
        ctx.iget(buffer, length, buffer, length, 7, 9, 0, 16, pe.right());
        ctx.ibput(buffer, length, buffer, length, 4, 4, 4, 0, 16, pe.right());
        ctx.ibget(buffer, length, buffer, length, 4, 4, 0, 4, 16, pe.right());
        ctx.putSignal(buffer, length, buffer, length, 0, signal, 0, 1, SignalOp.ADD, pe.right());
        ctx.putSignal(buffer, length, local, 16, 0, signal, 0, 1, SignalOp.ADD, pe.right());
        ctx.putSignalNbi(buffer, length, buffer, length, 0, signal, 0, 1, SignalOp.ADD, pe.right());
        assertEquals(3, pe.shmem().signalWaitUntil(signal, 0, Comparison.GE, 3), "a signal comes without payload");
        if (MemoryKind.HOST == buffer.kind())
        {
            assertEquals(0, end.local().capacity());
            assertEquals(0, buffer.view(length, 0).capacity());
            assertEquals(0, end.byteBuffer().remaining());
        }

        assertThrows(IndexOutOfBoundsException.class, () -> ctx.put(end, 0, buffer, 0, 1, pe.right()));
        pe.shmem().barrierAll();
        Pattern.checkGuard(pe, "nothing moved", buffer, 0, length);
        pe.shmem().free(signal);
        pe.shmem().free(buffer);
    }

    static void shouldKeepTheBitsOfWhatIsNoNumber(final Pe pe)
    {
        final long[] doubles = {0x7FF8_0000_0000_0001L, 0xFFF8_1234_5678_9ABCL, 0x8000_0000_0000_0000L, 1L};
        final int[] floats = {0x7FC0_0001, 0xFFC1_2345, 0x8000_0000, 1};
        final SymmetricBuffer words = pe.calloc(2L * pe.n(), 8);
        final SymmetricBuffer fetched = pe.calloc(2, 8);
        final CommunicationContext ctx = pe.ctx();
        final long at = 16L * pe.me();
        for (int i = 0; i < doubles.length; i++)
        {
            final double d = Double.longBitsToDouble(doubles[i]);
            final float f = Float.intBitsToFloat(floats[i]);
            ctx.atomicSetDouble(words, at, d, pe.right());
            ctx.atomicSetFloat(words, at + 8, f, pe.right());
            assertEquals(doubles[i], ctx.atomicFetchLong(words, at, pe.right()));
            assertEquals(floats[i], ctx.atomicFetchInt(words, at + 8, pe.right()));
            ctx.atomicFetchDoubleNbi(fetched, 0, words, at, pe.right());
            ctx.atomicFetchFloatNbi(fetched, 8, words, at + 8, pe.right());
            ctx.quiet();
            assertEquals(doubles[i], pe.memory().getLong(fetched, 0));
            assertEquals(floats[i], pe.memory().getInt(fetched, 8));
            final double wasDouble = ctx.atomicSwapDouble(words, at, -d, pe.right());
            final float wasFloat = ctx.atomicSwapFloat(words, at + 8, -f, pe.right());
            assertEquals(doubles[i], Double.doubleToRawLongBits(wasDouble));
            assertEquals(floats[i], Float.floatToRawIntBits(wasFloat));
        }

        pe.shmem().barrierAll();
        pe.shmem().free(fetched);
        pe.shmem().free(words);
    }

    static void shouldTakeSignalsBelowZeroAndWrapThem(final Pe pe)
    {
        final SymmetricBuffer signal = pe.calloc(2, 8);
        final SymmetricBuffer data = pe.calloc(2, 8);
        pe.ctx().putSignal(data, 0, data, 8, 8, signal, 0, -7, SignalOp.ADD, pe.right());
        assertEquals(-7, pe.shmem().signalWaitUntil(signal, 0, Comparison.LT, 0));
        pe.ctx().signal(signal, 8, Long.MAX_VALUE, SignalOp.SET, pe.right());
        pe.ctx().fence();
        pe.ctx().signal(signal, 8, 1, SignalOp.ADD, pe.right());
        assertEquals(Long.MIN_VALUE, pe.shmem().signalWaitUntil(signal, 8, Comparison.LT, 0), "adding wraps");
        pe.shmem().barrierAll();
        pe.shmem().free(data);
        pe.shmem().free(signal);
    }

    static void shouldTouchOnlyThePartOfAnArrayThatABufferWraps(final Pe pe)
    {
        final byte[] array = new byte[64];
        final UnsafeBuffer part = new UnsafeBuffer(array, 13, 20);
        final UnsafeBuffer bytes = new UnsafeBuffer(ByteBuffer.wrap(array, 37, 20).slice());
        final SymmetricBuffer source = pe.calloc(20, 1);
        final SymmetricBuffer dest = pe.calloc(40, 1);
        Pattern.fill(pe, source, 0, 20, pe.me());
        pe.shmem().barrierAll();
        pe.ctx().get(part, 3, source, 0, 17, pe.right());
        pe.ctx().get(bytes, 0, source, 0, 20, pe.right());
        final byte[] expected = new byte[64];
        for (int i = 0; i < 20; i++)
        {
            expected[37 + i] = Pattern.at(pe.right(), i);
            if (i < 17)
            {
                expected[16 + i] = Pattern.at(pe.right(), i);
            }
        }

        assertArrayEquals(expected, array);
        final ByteBuffer[] wholes = {ByteBuffer.wrap(array), ByteBuffer.allocateDirect(64).put(array)};
        for (final ByteBuffer whole : wholes)
        {
            whole.clear();
            final UnsafeBuffer readOnly = new UnsafeBuffer(whole.asReadOnlyBuffer());
            pe.ctx().put(dest, 0, readOnly, 37, 20, pe.right());
            pe.shmem().barrierAll();
            Pattern.check(pe, "put from what is read-only", dest, 0, 20, pe.me());
            assertThrows(IllegalArgumentException.class, () -> pe.ctx().get(readOnly, 0, source, 0, 8, pe.right()));
            pe.shmem().barrierAll();
        }

        assertArrayEquals(expected, array, "what is read-only was not written");
        pe.shmem().free(dest);
        pe.shmem().free(source);
    }

    static void shouldCopyLongOverlappingBlocksWithinOneself(final Pe pe)
    {
        final int length = MEBIBYTE + 4097;
        final SymmetricBuffer buffer = pe.malloc(2L * MEBIBYTE + 65_536);
        for (final int distance : new int[]{1, 4097, MEBIBYTE - 3})
        {
            for (final boolean up : new boolean[]{true, false})
            {
                final long from = up ? 3 : 3 + distance;
                final long to = up ? 3 + distance : 3;
                Pattern.fill(pe, buffer, from, length, distance);
                pe.ctx().put(buffer, to, buffer, from, length, pe.me());
                pe.ctx().quiet();
                Pattern.check(pe, "overlapping put by " + distance + ", up " + up, buffer, to, length, distance);
            }
        }

        pe.shmem().free(buffer);
    }

    static void shouldEndSlicesWithTheirAllocationAndOnlyThen(final Pe pe)
    {
        final SymmetricBuffer buffer = pe.malloc(100);
        final SymmetricBuffer slice = buffer.slice(10, 50);
        pe.memory().putLong(slice, 0, 42);
        assertThrows(SymmetricHeapExhaustedException.class, () -> pe.shmem().realloc(buffer, 1L << 50));
        assertEquals(42, pe.memory().getLong(slice, 0), "a realloc that fails leaves slices as they are");
        assertThrows(IllegalArgumentException.class, () -> pe.shmem().realloc(slice, 10));
        final SymmetricBuffer grown = pe.shmem().realloc(buffer, 40_000);
        assertEquals(42, pe.memory().getLong(grown, 10));
        assertThrows(IllegalStateException.class, () -> pe.memory().getLong(slice, 0));
        assertThrows(IllegalStateException.class, () -> slice.reslice(0, 1));
        assertThrows(IllegalStateException.class, () -> pe.ctx().getLong(slice, 0, pe.right()));
        assertThrows(IllegalStateException.class, () -> pe.shmem().realloc(buffer, 10));
        assertThrows(IllegalStateException.class, () -> pe.shmem().free(buffer));
        pe.shmem().barrierAll();
        pe.shmem().free(grown);
        if (0 == pe.me())
        {
            assertThrows(IllegalStateException.class, () -> pe.ctx().putLong(grown, 0, 1, pe.right()), "on one PE");
        }

        pe.shmem().barrierAll();
    }

    static void shouldLeaveNoHolderToTheLocksOfTheNextAllocation(final Pe pe)
    {
        final MemoryKind kind = pe.memory().nextKind();
        final SymmetricBuffer first = pe.memory().calloc(kind, 2, 8);
        if (0 == pe.me())
        {
            pe.shmem().lock(first, 8);
        }

        pe.shmem().free(first);
        final SymmetricBuffer second = pe.memory().calloc(kind, 2, 8);
        assertEquals(first.address(), second.address());
        if (0 == pe.me())
        {
            assertThrows(IllegalStateException.class, () -> pe.shmem().unlock(second, 8), "the lock is free");
        }

        pe.shmem().lock(second, 8);
        pe.shmem().unlock(second, 8);
        pe.shmem().barrierAll();
        pe.shmem().free(second);
    }

    static void shouldCloseContextsAgainButNotTheDefaultOne(final Pe pe)
    {
        final CommunicationContext ctx = pe.createContext(ContextOption.PRIVATE, ContextOption.SERIALIZED);
        ctx.close();
        ctx.close();
        assertThrows(IllegalStateException.class, ctx::testQuiet);
        assertThrows(IllegalStateException.class, () -> ctx.fence(pe.me()));
        assertThrows(IllegalStateException.class, () -> pe.ctx().close());
        pe.ctx().quiet();
        pe.shmem().barrierAll();
    }

    static void shouldRejectTheSameInSignalsToAllOthers(final Pe pe)
    {
        final SymmetricBuffer word = pe.calloc(2, 8);
        final UnsafeBuffer local = new UnsafeBuffer(new byte[8]);
        final CommunicationContext ctx = pe.ctx();
        assertThrows(IndexOutOfBoundsException.class, () -> ctx.signalAll(word, 16, 1, SignalOp.SET));
        assertThrows(IllegalArgumentException.class, () -> ctx.signalAll(word, 4, 1, SignalOp.SET));
        assertThrows(IllegalArgumentException.class, () -> ctx.signalAll(word, 0, 1, null));
        assertThrows(
            IndexOutOfBoundsException.class, () -> ctx.putSignalAll(word, 9, word, 0, 8, word, 0, 1, SignalOp.SET));
        assertThrows(
            IndexOutOfBoundsException.class, () -> ctx.putSignalAll(word, 0, word, 9, 8, word, 0, 1, SignalOp.SET));
        assertThrows(
            IndexOutOfBoundsException.class, () -> ctx.putSignalAll(word, 0, local, 1, 8, word, 0, 1, SignalOp.SET));
        assertThrows(
            IllegalArgumentException.class, () -> ctx.putSignalAll(word, 0, local, 0, 8, word, 1, 1, SignalOp.SET));
        pe.shmem().barrierAll();
        assertEquals(0, pe.memory().getLong(word, 0), "nothing was sent");
        assertEquals(0, pe.memory().getLong(word, 8), "nothing was sent");
        pe.shmem().barrierAll();
        pe.shmem().free(word);
    }
}
