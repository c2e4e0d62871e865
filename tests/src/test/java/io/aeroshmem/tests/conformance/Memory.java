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

import io.aeroshmem.CollectiveMismatchException;
import io.aeroshmem.MemoryKind;
import io.aeroshmem.MemoryState;
import io.aeroshmem.Retained;
import io.aeroshmem.Shmem;
import io.aeroshmem.ShmemException;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.SymmetricHeapExhaustedException;
import io.aeroshmem.tests.fixture.Pattern;
import io.aeroshmem.tests.fixture.Pe;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The symmetric heap: malloc and its kin, slices, exhaustion and fragmentation.
 */
final class Memory
{
    private Memory()
    {
    }

    static void shouldAgreeOnAddresses(final Pe pe)
    {
        final long[] sizes = {1, 8, 63, 64, 65, 4096, 100_001};
        final List<SymmetricBuffer> buffers = new ArrayList<>();
        for (final long size : sizes)
        {
            final MemoryKind kind = pe.memory().nextKind();
            final SymmetricBuffer buffer = pe.memory().malloc(kind, size);
            assertEquals(size, buffer.length());
            assertEquals(0, buffer.address() % 64, "64-byte aligned");
            assertEquals(kind, buffer.kind());
            checkEqualEverywhere(pe, buffer.address());
            Pattern.fill(pe, buffer, 0, size, size);
            buffers.add(buffer);
        }

        for (int i = 0; i < sizes.length; i++)
        {
            Pattern.check(pe, "allocations do not overlap", buffers.get(i), 0, sizes[i], sizes[i]);
            pe.shmem().free(buffers.get(i));
        }
    }

    static void shouldDoNothingForNothing(final Pe pe)
    {
        final MemoryKind kind = pe.memory().nextKind();
        // Only some PEs call: there is no barrier in these.
        if (0 == pe.me())
        {
            assertNull(pe.memory().malloc(kind, 0));
            assertNull(pe.memory().calloc(kind, 0, 8));
            assertNull(pe.memory().calloc(kind, 8, 0));
            assertNull(pe.shmem().mallocWithHints(0, SymmetricBuffer.ATOMICS_REMOTE));
            pe.shmem().free(null);
        }

        pe.shmem().barrierAll();
    }

    static void shouldZeroWhatCallocGives(final Pe pe)
    {
        final MemoryKind kind = pe.memory().nextKind();
        final SymmetricBuffer dirty = pe.memory().malloc(kind, 5000);
        Pattern.guard(pe, dirty, 0, 5000);
        pe.shmem().free(dirty);
        final SymmetricBuffer buffer = pe.memory().calloc(kind, 1250, 4);
        assertEquals(dirty.address(), buffer.address());
        assertEquals(5000, buffer.length());
        assertEquals(new UnsafeBuffer(new byte[5000]), pe.memory().copy(buffer, 0, 5000));
        pe.shmem().barrierAll();
        pe.shmem().free(buffer);
    }

    static void shouldAlign(final Pe pe)
    {
        final SymmetricBuffer odd = pe.malloc(72);
        for (long alignment = 8; alignment <= 64 << 10; alignment *= 2)
        {
            final SymmetricBuffer buffer = pe.align(alignment, 24);
            assertEquals(0, buffer.address() % alignment, "aligned to " + alignment);
            assertEquals(24, buffer.length());
            pe.shmem().free(buffer);
        }

        for (final long alignment : new long[]{0, 1, 4, 24, -8})
        {
            assertThrows(IllegalArgumentException.class, () -> pe.align(alignment, 24), "" + alignment);
        }

        pe.shmem().free(odd);
    }

    static void shouldKeepContentsWhenReallocated(final Pe pe)
    {
        final Shmem shmem = pe.shmem();
        final MemoryKind kind = pe.memory().nextKind();
        SymmetricBuffer buffer =
            MemoryKind.HOST == kind ? shmem.realloc(null, 100) : pe.memory().malloc(kind, 100);
        final SymmetricBuffer behind = pe.memory().malloc(kind, 64);
        Pattern.fill(pe, buffer, 0, 100, pe.me());
        for (final long size : new long[]{101, 5000, 5001, 40, 1, 100_000})
        {
            final long kept = Math.min(size, buffer.length());
            final SymmetricBuffer before = buffer;
            Pattern.fill(pe, before, 0, before.length(), Pattern.seed(pe.me(), size));
            buffer = shmem.realloc(before, size);
            assertEquals(size, buffer.length());
            assertEquals(kind, buffer.kind());
            Pattern.check(pe, "realloc to " + size, buffer, 0, kept, Pattern.seed(pe.me(), size));
            assertThrows(
                IllegalStateException.class, () -> pe.memory().getByte(before, 0), "the old object is invalid");
            checkEqualEverywhere(pe, buffer.address());
        }

        Pattern.fill(pe, buffer, 0, buffer.length(), 1);
        final SymmetricBuffer last = buffer;
        assertThrows(SymmetricHeapExhaustedException.class, () -> shmem.realloc(last, 1L << 40));
        Pattern.check(pe, "a failed realloc leaves the old block", last, 0, last.length(), 1);
        shmem.barrierAll();
        assertNull(shmem.realloc(last, 0));
        assertThrows(IllegalStateException.class, () -> pe.memory().getByte(last, 0));
        shmem.free(behind);
    }

    static void shouldTakeHints(final Pe pe)
    {
        final SymmetricBuffer buffer =
            pe.shmem().mallocWithHints(64, SymmetricBuffer.ATOMICS_REMOTE | SymmetricBuffer.SIGNAL_REMOTE);
        assertEquals(64, buffer.length());
        pe.memory().putLong(buffer, 0, 0);
        pe.shmem().barrierAll();
        pe.ctx().atomicIncLong(buffer, 0, pe.right());
        pe.shmem().barrierAll();
        assertEquals(1, pe.memory().getLong(buffer, 0));
        pe.shmem().free(buffer);
    }

    static void shouldSlice(final Pe pe)
    {
        final SymmetricBuffer buffer = pe.malloc(1024);
        final SymmetricBuffer slice = buffer.slice(100, 200);
        assertEquals(buffer.address() + 100, slice.address());
        assertEquals(200, slice.length());
        Pattern.guard(pe, buffer, 0, 1024);
        pe.shmem().barrierAll();
        pe.ctx().putLong(slice, 4, 42, pe.right());
        pe.shmem().barrierAll();
        assertEquals(42, pe.memory().getLong(buffer, 104));
        assertEquals(42, pe.memory().getLong(slice, 4));
        assertSame(slice, slice.reslice(512, 512));
        assertEquals(buffer.address() + 512, slice.address());
        assertEquals(512, slice.length());
        final SymmetricBuffer inner = slice.slice(8, 8);
        assertEquals(buffer.address() + 520, inner.address());
        assertThrows(IndexOutOfBoundsException.class, () -> inner.slice(0, 9));
        assertThrows(IndexOutOfBoundsException.class, () -> buffer.slice(-1, 8));
        assertThrows(IndexOutOfBoundsException.class, () -> buffer.slice(1020, 5));
        assertThrows(IndexOutOfBoundsException.class, () -> slice.reslice(1000, 25));
        assertThrows(IndexOutOfBoundsException.class, () -> pe.memory().getLong(inner, 1));
        assertEquals(0, buffer.slice(1024, 0).length());
        assertThrows(IndexOutOfBoundsException.class, () -> pe.ctx().putLong(inner, 8, 1, pe.right()));
        pe.shmem().barrierAll();
        assertThrows(IllegalArgumentException.class, () -> pe.shmem().free(inner), "a slice is not freed");
        pe.shmem().barrierAll();
        pe.shmem().free(buffer);
        assertThrows(IllegalStateException.class, () -> pe.memory().getByte(inner, 0));
        assertThrows(IllegalStateException.class, () -> pe.ctx().putLong(inner, 0, 1, pe.right()));
    }

    static void shouldReportWhatIsFreeWhenExhausted(final Pe pe)
    {
        final MemoryKind kind = pe.memory().nextKind();
        final List<SymmetricBuffer> buffers = new ArrayList<>();
        final long piece = 256 << 10;
        SymmetricHeapExhaustedException exhausted = null;
        while (null == exhausted)
        {
            try
            {
                buffers.add(pe.memory().malloc(kind, piece));
            }
            catch (final SymmetricHeapExhaustedException ex)
            {
                exhausted = ex;
            }
        }

        assertTrue(exhausted.getMessage().contains(Long.toString(piece)), exhausted.getMessage());
        final String property = MemoryKind.HOST == kind ? "aeroshmem.heap.size" : "aeroshmem.gpu.heap.size";
        assertTrue(exhausted.getMessage().contains(property), exhausted.getMessage());
        // Every second one first: freed neighbours merge, so that one block of half the heap fits again.
        for (int i = 0; i < buffers.size(); i += 2)
        {
            pe.shmem().free(buffers.get(i));
        }

        assertThrows(SymmetricHeapExhaustedException.class, () -> pe.memory().malloc(kind, 2 * piece + piece / 2));
        for (int i = 1; i < buffers.size(); i += 2)
        {
            pe.shmem().free(buffers.get(i));
        }

        final SymmetricBuffer large = pe.memory().malloc(kind, piece * (buffers.size() - 1));
        checkEqualEverywhere(pe, large.address());
        checkEqualEverywhere(pe, buffers.size());
        pe.shmem().free(large);
    }

    static void shouldSurviveChurn(final Pe pe)
    {
        final SplittableRandom random = pe.sharedRandom();
        final List<SymmetricBuffer> buffers = new ArrayList<>();
        for (int i = 0; i < 120; i++)
        {
            if (buffers.isEmpty() || buffers.size() < 20 && random.nextInt(5) < 3)
            {
                final SymmetricBuffer buffer = pe.malloc(1 + random.nextInt(60_000));
                Pattern.fill(pe, buffer, 0, buffer.length(), buffer.address());
                buffers.add(buffer);
            }
            else
            {
                final SymmetricBuffer buffer = buffers.remove(random.nextInt(buffers.size()));
                Pattern.check(pe, "contents before free", buffer, 0, buffer.length(), buffer.address());
                pe.shmem().free(buffer);
            }
        }

        for (final SymmetricBuffer buffer : buffers)
        {
            checkEqualEverywhere(pe, buffer.address());
            Pattern.check(pe, "contents at the end", buffer, 0, buffer.length(), buffer.address());
            pe.shmem().free(buffer);
        }
    }

    static void shouldRejectDifferentSizesOnAllPes(final Pe pe)
    {
        if (1 == pe.n())
        {
            return;
        }

        final SymmetricBuffer hashes = pe.calloc(pe.n(), 8);
        final MemoryKind kind = pe.memory().nextKind();
        final RuntimeException thrown = assertThrows(
            RuntimeException.class, () -> pe.memory().malloc(kind, 0 == pe.me() ? 128 : 136));
        assertTrue(thrown instanceof IllegalArgumentException || thrown instanceof ShmemException, thrown.toString());
        assertTrue(thrown.getMessage().contains("128") && thrown.getMessage().contains("136"), thrown.getMessage());
        checkEqualEverywhere(pe, thrown.getClass().getName().hashCode());
        final SymmetricBuffer after = pe.malloc(128);
        checkEqualEverywhere(pe, after.address());
        pe.shmem().free(after);
        pe.shmem().free(hashes);
    }

    static void shouldThrowTheSameOnAllPesForBadSizes(final Pe pe)
    {
        assertThrows(IllegalArgumentException.class, () -> pe.malloc(-1));
        assertThrows(IllegalArgumentException.class, () -> pe.calloc(-1, 8));
        assertThrows(IllegalArgumentException.class, () -> pe.calloc(1, -8));
        assertThrows(RuntimeException.class, () -> pe.calloc(1L << 40, 1L << 40), "no overflow");
        final SymmetricBuffer buffer = pe.malloc(8);
        pe.shmem().free(buffer);
        assertThrows(IllegalStateException.class, () -> pe.shmem().free(buffer), "freed twice");
        pe.shmem().barrierAll();
    }

    static void shouldRetainByName(final Pe pe)
    {
        final Shmem shmem = pe.shmem();
        final SymmetricBuffer book = shmem.retain("book", 104, 3);
        assertEquals(104, book.length());
        assertEquals(0, book.address() % 64);
        checkEqualEverywhere(pe, book.address());
        assertEquals(0, book.getLong(96));
        shmem.barrierAll();
        pe.ctx().putLong(book, 96, pe.me() + 1, pe.right());
        shmem.barrierAll();
        final SymmetricBuffer again = shmem.retain("book", 104, 3);
        assertEquals(book.address(), again.address());
        assertEquals((pe.me() + pe.n() - 1) % pe.n() + 1, again.getLong(96));

        final Retained retained = shmem.retained().get(0);
        assertEquals(1, shmem.retained().size());
        assertEquals("book", retained.name());
        assertEquals(104, retained.bytes());
        assertEquals(3, retained.layoutVersion());
        assertEquals(MemoryState.ZEROED, retained.state(pe.n() - 1));
        final SymmetricBuffer other = shmem.retain("Ωmega", 1);
        assertEquals(2, shmem.retained().size());

        shmem.release("book");
        assertThrows(IllegalStateException.class, () -> book.getLong(0));
        assertEquals("Ωmega", shmem.retained().get(0).name());
        assertEquals(0, shmem.retain("book", 208).getLong(96), "of another length, and zeroed");
        shmem.release("book");
        shmem.release("Ωmega");
        assertThrows(IllegalStateException.class, () -> other.getByte(0));
        assertEquals(List.of(), shmem.retained());
    }

    static void shouldRejectWhatIsNotTheRetainedMemory(final Pe pe)
    {
        final Shmem shmem = pe.shmem();
        final SymmetricBuffer book = shmem.retain("book", 64);
        assertThrows(IllegalArgumentException.class, () -> shmem.retain("book", 65));
        assertThrows(IllegalArgumentException.class, () -> shmem.retain("book", 64, 1));
        assertThrows(IllegalArgumentException.class, () -> shmem.retain("x", 0));
        assertThrows(IllegalArgumentException.class, () -> shmem.retain("", 8));
        assertThrows(IllegalArgumentException.class, () -> shmem.retain(null, 8));
        assertThrows(IllegalArgumentException.class, () -> shmem.retain("é".repeat(49), 8));
        assertThrows(IllegalArgumentException.class, () -> shmem.release("x"));
        assertThrows(IllegalStateException.class, () -> shmem.free(book));
        assertThrows(IllegalStateException.class, () -> shmem.realloc(book, 128));
        assertThrows(SymmetricHeapExhaustedException.class, () -> shmem.retain("x", 1L << 40));
        if (pe.n() > 1)
        {
            assertThrows(CollectiveMismatchException.class, () -> shmem.retain("x" + pe.me(), 8));
        }

        assertEquals(1, shmem.retained().size());
        assertEquals(0, book.getLong(0));
        shmem.release("book");
    }

    static void shouldResetALock(final Pe pe)
    {
        final Shmem shmem = pe.shmem();
        final SymmetricBuffer lock = shmem.retain("lock", 16);
        lock.putLong(8, 1L << 32);
        shmem.barrierAll();
        assertFalse(shmem.testLock(lock, 8), "held");
        shmem.resetLock(lock, 8);
        shmem.lock(lock, 8);
        shmem.unlock(lock, 8);
        assertThrows(IllegalArgumentException.class, () -> shmem.resetLock(lock, 4));
        shmem.barrierAll();
        shmem.release("lock");
    }

    private static void checkEqualEverywhere(final Pe pe, final long value)
    {
        final SymmetricBuffer values = pe.malloc(8L * pe.n());
        for (int target = 0; target < pe.n(); target++)
        {
            pe.ctx().putLong(values, 8L * pe.me(), value, target);
        }

        pe.shmem().barrierAll();
        for (int source = 0; source < pe.n(); source++)
        {
            assertEquals(value, pe.memory().getLong(values, 8L * source), "value of PE " + source);
        }

        pe.shmem().free(values);
    }
}
