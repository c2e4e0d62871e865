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

import io.aeroshmem.MemoryKind;
import io.aeroshmem.Shmem;
import io.aeroshmem.ShmemException;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.SymmetricHeapExhaustedException;
import io.aeroshmem.tests.fixture.Pattern;
import io.aeroshmem.tests.fixture.Pe;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertEquals;
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
            final SymmetricBuffer buffer = pe.shmem().malloc(size);
            assertEquals(size, buffer.length());
            assertEquals(0, buffer.address() % 64, "64-byte aligned");
            assertEquals(MemoryKind.HOST, buffer.kind());
            checkEqualEverywhere(pe, buffer.address());
            Pattern.fill(buffer, 0, size, size);
            buffers.add(buffer);
        }
        for (int i = 0; i < sizes.length; i++)
        {
            Pattern.check("allocations do not overlap", buffers.get(i), 0, sizes[i], sizes[i]);
            pe.shmem().free(buffers.get(i));
        }
    }

    static void shouldDoNothingForNothing(final Pe pe)
    {
        // Only some PEs call: there is no barrier in these.
        if (0 == pe.me())
        {
            assertNull(pe.shmem().malloc(0));
            assertNull(pe.shmem().calloc(0, 8));
            assertNull(pe.shmem().calloc(8, 0));
            assertNull(pe.shmem().mallocWithHints(0, SymmetricBuffer.ATOMICS_REMOTE));
            pe.shmem().free(null);
        }
        pe.shmem().barrierAll();
    }

    static void shouldZeroWhatCallocGives(final Pe pe)
    {
        final SymmetricBuffer dirty = pe.shmem().malloc(5000);
        Pattern.guard(dirty, 0, 5000);
        pe.shmem().free(dirty);
        final SymmetricBuffer buffer = pe.shmem().calloc(1250, 4);
        assertEquals(5000, buffer.length());
        for (int i = 0; i < 5000; i++)
        {
            assertEquals(0, buffer.getByte(i));
        }
        pe.shmem().barrierAll();
        pe.shmem().free(buffer);
    }

    static void shouldAlign(final Pe pe)
    {
        final SymmetricBuffer odd = pe.shmem().malloc(72);
        for (long alignment = 8; alignment <= 64 << 10; alignment *= 2)
        {
            final SymmetricBuffer buffer = pe.shmem().align(alignment, 24);
            assertEquals(0, buffer.address() % alignment, "aligned to " + alignment);
            assertEquals(24, buffer.length());
            pe.shmem().free(buffer);
        }
        for (final long alignment : new long[]{0, 1, 4, 24, -8})
        {
            assertThrows(IllegalArgumentException.class, () -> pe.shmem().align(alignment, 24), "" + alignment);
        }
        pe.shmem().free(odd);
    }

    static void shouldKeepContentsWhenReallocated(final Pe pe)
    {
        final Shmem shmem = pe.shmem();
        SymmetricBuffer buffer = shmem.realloc(null, 100);
        final SymmetricBuffer behind = shmem.malloc(64);
        Pattern.fill(buffer, 0, 100, pe.me());
        for (final long size : new long[]{101, 5000, 5001, 40, 1, 100_000})
        {
            final long kept = Math.min(size, buffer.length());
            final SymmetricBuffer before = buffer;
            Pattern.fill(before, 0, before.length(), Pattern.seed(pe.me(), size));
            buffer = shmem.realloc(before, size);
            assertEquals(size, buffer.length());
            Pattern.check("realloc to " + size, buffer, 0, kept, Pattern.seed(pe.me(), size));
            assertThrows(IllegalStateException.class, () -> before.getByte(0), "the old object is invalid");
            checkEqualEverywhere(pe, buffer.address());
        }
        Pattern.fill(buffer, 0, buffer.length(), 1);
        final SymmetricBuffer last = buffer;
        assertThrows(SymmetricHeapExhaustedException.class, () -> shmem.realloc(last, 1L << 40));
        Pattern.check("a failed realloc leaves the old block", last, 0, last.length(), 1);
        shmem.barrierAll();
        assertNull(shmem.realloc(last, 0));
        assertThrows(IllegalStateException.class, () -> last.getByte(0));
        shmem.free(behind);
    }

    static void shouldTakeHints(final Pe pe)
    {
        final SymmetricBuffer buffer =
            pe.shmem().mallocWithHints(64, SymmetricBuffer.ATOMICS_REMOTE | SymmetricBuffer.SIGNAL_REMOTE);
        assertEquals(64, buffer.length());
        buffer.putLong(0, 0);
        pe.shmem().barrierAll();
        pe.ctx().atomicIncLong(buffer, 0, pe.right());
        pe.shmem().barrierAll();
        assertEquals(1, buffer.getLong(0));
        pe.shmem().free(buffer);
    }

    static void shouldSlice(final Pe pe)
    {
        final SymmetricBuffer buffer = pe.shmem().malloc(1024);
        final SymmetricBuffer slice = buffer.slice(100, 200);
        assertEquals(buffer.address() + 100, slice.address());
        assertEquals(200, slice.length());
        Pattern.guard(buffer, 0, 1024);
        pe.shmem().barrierAll();
        pe.ctx().putLong(slice, 4, 42, pe.right());
        pe.shmem().barrierAll();
        assertEquals(42, buffer.getLong(104));
        assertEquals(42, slice.getLong(4));
        assertSame(slice, slice.reslice(512, 512));
        assertEquals(buffer.address() + 512, slice.address());
        assertEquals(512, slice.length());
        final SymmetricBuffer inner = slice.slice(8, 8);
        assertEquals(buffer.address() + 520, inner.address());
        assertThrows(IndexOutOfBoundsException.class, () -> inner.slice(0, 9));
        assertThrows(IndexOutOfBoundsException.class, () -> buffer.slice(-1, 8));
        assertThrows(IndexOutOfBoundsException.class, () -> buffer.slice(1020, 5));
        assertThrows(IndexOutOfBoundsException.class, () -> slice.reslice(1000, 25));
        assertThrows(IndexOutOfBoundsException.class, () -> inner.getLong(1));
        assertEquals(0, buffer.slice(1024, 0).length());
        assertThrows(IndexOutOfBoundsException.class, () -> pe.ctx().putLong(inner, 8, 1, pe.right()));
        pe.shmem().barrierAll();
        assertThrows(IllegalArgumentException.class, () -> pe.shmem().free(inner), "a slice is not freed");
        pe.shmem().barrierAll();
        pe.shmem().free(buffer);
        assertThrows(IllegalStateException.class, () -> inner.getByte(0));
        assertThrows(IllegalStateException.class, () -> pe.ctx().putLong(inner, 0, 1, pe.right()));
    }

    static void shouldReportWhatIsFreeWhenExhausted(final Pe pe)
    {
        final List<SymmetricBuffer> buffers = new ArrayList<>();
        final long piece = 256 << 10;
        SymmetricHeapExhaustedException exhausted = null;
        while (null == exhausted)
        {
            try
            {
                buffers.add(pe.shmem().malloc(piece));
            }
            catch (final SymmetricHeapExhaustedException ex)
            {
                exhausted = ex;
            }
        }
        assertTrue(exhausted.getMessage().contains(Long.toString(piece)), exhausted.getMessage());
        assertTrue(exhausted.getMessage().contains("aeroshmem.heap.size"), exhausted.getMessage());
        // Every second one first: freed neighbours merge, so that one block of half the heap fits again.
        for (int i = 0; i < buffers.size(); i += 2)
        {
            pe.shmem().free(buffers.get(i));
        }
        assertThrows(SymmetricHeapExhaustedException.class, () -> pe.shmem().malloc(2 * piece + piece / 2));
        for (int i = 1; i < buffers.size(); i += 2)
        {
            pe.shmem().free(buffers.get(i));
        }
        final SymmetricBuffer large = pe.shmem().malloc(piece * (buffers.size() - 1));
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
                final SymmetricBuffer buffer = pe.shmem().malloc(1 + random.nextInt(60_000));
                Pattern.fill(buffer, 0, buffer.length(), buffer.address());
                buffers.add(buffer);
            }
            else
            {
                final SymmetricBuffer buffer = buffers.remove(random.nextInt(buffers.size()));
                Pattern.check("contents before free", buffer, 0, buffer.length(), buffer.address());
                pe.shmem().free(buffer);
            }
        }
        for (final SymmetricBuffer buffer : buffers)
        {
            checkEqualEverywhere(pe, buffer.address());
            Pattern.check("contents at the end", buffer, 0, buffer.length(), buffer.address());
            pe.shmem().free(buffer);
        }
    }

    static void shouldRejectDifferentSizesOnAllPes(final Pe pe)
    {
        if (1 == pe.n())
        {
            return;
        }
        final SymmetricBuffer hashes = pe.shmem().calloc(pe.n(), 8);
        final RuntimeException thrown = assertThrows(
            RuntimeException.class, () -> pe.shmem().malloc(0 == pe.me() ? 128 : 136));
        assertTrue(thrown instanceof IllegalArgumentException || thrown instanceof ShmemException, thrown.toString());
        assertTrue(thrown.getMessage().contains("128") && thrown.getMessage().contains("136"), thrown.getMessage());
        checkEqualEverywhere(pe, thrown.getClass().getName().hashCode());
        final SymmetricBuffer after = pe.shmem().malloc(128);
        checkEqualEverywhere(pe, after.address());
        pe.shmem().free(after);
        pe.shmem().free(hashes);
    }

    static void shouldThrowTheSameOnAllPesForBadSizes(final Pe pe)
    {
        assertThrows(IllegalArgumentException.class, () -> pe.shmem().malloc(-1));
        assertThrows(IllegalArgumentException.class, () -> pe.shmem().calloc(-1, 8));
        assertThrows(IllegalArgumentException.class, () -> pe.shmem().calloc(1, -8));
        assertThrows(RuntimeException.class, () -> pe.shmem().calloc(1L << 40, 1L << 40), "no overflow");
        final SymmetricBuffer buffer = pe.shmem().malloc(8);
        pe.shmem().free(buffer);
        assertThrows(IllegalStateException.class, () -> pe.shmem().free(buffer), "freed twice");
        pe.shmem().barrierAll();
    }

    private static void checkEqualEverywhere(final Pe pe, final long value)
    {
        final SymmetricBuffer values = pe.shmem().malloc(8L * pe.n());
        for (int target = 0; target < pe.n(); target++)
        {
            pe.ctx().putLong(values, 8L * pe.me(), value, target);
        }
        pe.shmem().barrierAll();
        for (int source = 0; source < pe.n(); source++)
        {
            assertEquals(value, values.getLong(8L * source), "value of PE " + source);
        }
        pe.shmem().free(values);
    }
}
