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
package io.aeroshmem.memory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class HeapAllocatorTest
{
    private static final long CAPACITY = 1 << 20;

    @Test
    void shouldTakeTheSmallestBlockThatServesAndOfEqualsTheLowest()
    {
        final HeapAllocator allocator = new HeapAllocator(CAPACITY);
        final long[] offsets = new long[6];
        final long[] sizes = { 256, 64, 128, 64, 128, 64 };
        for (int i = 0; i < offsets.length; i++)
        {
            offsets[i] = allocator.allocate(sizes[i], 8);
        }

        allocator.free(offsets[0]);
        allocator.free(offsets[2]);
        allocator.free(offsets[4]);
        assertEquals(4, allocator.freeBlockCount());

        assertEquals(offsets[2], allocator.allocate(100, 8));
        assertEquals(offsets[4], allocator.allocate(128, 8));
        assertEquals(offsets[0], allocator.allocate(1, 8));
    }

    @Test
    void shouldTakeTheLastBlockThatServes()
    {
        final HeapAllocator allocator = new HeapAllocator(CAPACITY);
        assertEquals(CAPACITY - 128, allocator.allocateLast(100));
        assertEquals(0, allocator.allocate(64, 64), "from the other end");
        final long second = allocator.allocateLast(64);
        assertEquals(CAPACITY - 192, second);
        final long third = allocator.allocateLast(256);
        allocator.free(second);
        assertEquals(second, allocator.allocateLast(64), "the gap is the last block that serves");
        assertEquals(third - 128, allocator.allocateLast(128));
        assertEquals(HeapAllocator.EXHAUSTED, allocator.allocateLast(CAPACITY));
        assertEquals(HeapAllocator.EXHAUSTED, allocator.allocateLast(Long.MAX_VALUE));
        assertThrows(IllegalArgumentException.class, () -> allocator.allocateLast(0));
    }

    @Test
    void shouldTakeABlockAtAnOffset()
    {
        final HeapAllocator allocator = new HeapAllocator(CAPACITY);
        assertTrue(allocator.takeAt(CAPACITY - 128, 128));
        assertTrue(allocator.takeAt(640, 65));
        assertFalse(allocator.takeAt(704, 1), "in use");
        assertFalse(allocator.takeAt(576, 65), "reaches into one in use");
        assertTrue(allocator.takeAt(576, 64));
        assertFalse(allocator.takeAt(CAPACITY - 64, 128), "beyond the end");
        assertFalse(allocator.takeAt(0, Long.MAX_VALUE));
        assertThrows(IllegalArgumentException.class, () -> allocator.takeAt(8, 8));
        assertThrows(IllegalArgumentException.class, () -> allocator.takeAt(-64, 64));
        assertEquals(CAPACITY - 128 - 128 - 64, allocator.freeBytes());
        assertEquals(0, allocator.allocate(576, 64));
        allocator.free(640);
        allocator.free(576);
        allocator.free(0);
        allocator.free(CAPACITY - 128);
        assertEquals(1, allocator.freeBlockCount());
    }

    @Test
    void shouldMergeFreedNeighboursOnBothSides()
    {
        final HeapAllocator allocator = new HeapAllocator(CAPACITY);
        final long a = allocator.allocate(1000, 64);
        final long b = allocator.allocate(2000, 64);
        final long c = allocator.allocate(3000, 64);
        final long d = allocator.allocate(4000, 64);

        allocator.free(a);
        allocator.free(c);
        assertEquals(3, allocator.freeBlockCount());
        allocator.free(b);
        assertEquals(2, allocator.freeBlockCount());
        assertEquals(a, allocator.allocate(d - a, 64));
        allocator.free(a);
        allocator.free(d);

        assertEquals(1, allocator.freeBlockCount());
        assertEquals(CAPACITY, allocator.largestFreeBlock());
        assertEquals(CAPACITY, allocator.freeBytes());
    }

    @Test
    void shouldLeaveThePaddingBeforeAnAlignedBlockFree()
    {
        final HeapAllocator allocator = new HeapAllocator(CAPACITY);
        assertEquals(0, allocator.allocate(64, 64));
        assertEquals(4096, allocator.allocate(64, 4096));
        assertEquals(64, allocator.allocate(4096 - 64, 64));
        assertEquals(CAPACITY - 4096 - 64, allocator.freeBytes());
        assertEquals(1, allocator.freeBlockCount());
    }

    @Test
    void shouldFindAnAlignedBlockThatFitsExactly()
    {
        final HeapAllocator allocator = new HeapAllocator(16384);
        assertEquals(0, allocator.allocate(4096, 4096));
        assertEquals(4096, allocator.allocate(4096, 4096));
        assertEquals(8192, allocator.allocate(8192, 8192));
        assertEquals(0, allocator.largestFreeBlock());
        allocator.free(4096);
        assertEquals(HeapAllocator.EXHAUSTED, allocator.allocate(4096, 8192));
        assertEquals(4096, allocator.allocate(4096, 4096));
    }

    @Test
    void shouldServeOffsetsFarBeyondTwoGibibytes()
    {
        final long capacity = 1L << 40;
        final HeapAllocator allocator = new HeapAllocator(capacity);
        assertEquals(0, allocator.allocate(3L << 30, 64));
        assertEquals(1L << 39, allocator.allocate(1L << 39, 1L << 39));
        assertEquals(3L << 30, allocator.allocate((1L << 39) - (3L << 30), 64));
        assertEquals(HeapAllocator.EXHAUSTED, allocator.allocate(1, 64));
    }

    @ParameterizedTest
    @ValueSource(longs = { CAPACITY + 1, Long.MAX_VALUE, Long.MAX_VALUE - 62 })
    void shouldChangeNothingWhenExhausted(final long size)
    {
        final HeapAllocator allocator = new HeapAllocator(CAPACITY);
        final long first = allocator.allocate(CAPACITY / 2, 64);
        final long free = allocator.freeBytes();

        assertEquals(HeapAllocator.EXHAUSTED, allocator.allocate(size, 64));
        assertEquals(HeapAllocator.EXHAUSTED, allocator.allocate(free + 1, 64));
        assertFalse(allocator.resize(first, size));
        assertEquals(free, allocator.freeBytes());
        assertEquals(free, allocator.largestFreeBlock());
        assertEquals(CAPACITY / 2, allocator.allocate(free, 64));
    }

    @Test
    void shouldNotOverflowOnHugeAlignments()
    {
        final HeapAllocator allocator = new HeapAllocator(CAPACITY);
        allocator.allocate(64, 64);
        assertEquals(HeapAllocator.EXHAUSTED, allocator.allocate(64, 1L << 62));
        assertEquals(CAPACITY - 64, allocator.freeBytes());
    }

    @Test
    void shouldShrinkAndGrowInPlace()
    {
        final HeapAllocator allocator = new HeapAllocator(CAPACITY);
        final long a = allocator.allocate(1024, 64);
        final long b = allocator.allocate(1024, 64);

        assertTrue(allocator.resize(a, 1000));
        assertFalse(allocator.resize(a, 1025));
        assertTrue(allocator.resize(a, 100));
        assertEquals(CAPACITY - 128 - 1024, allocator.freeBytes());
        assertTrue(allocator.resize(a, 1024));
        assertFalse(allocator.resize(a, 2048));
        allocator.free(b);
        assertTrue(allocator.resize(a, CAPACITY));
        assertEquals(0, allocator.freeBytes());
        assertEquals(0, allocator.largestFreeBlock());
        assertTrue(allocator.resize(a, 1));
        assertEquals(CAPACITY - 64, allocator.largestFreeBlock());
        assertEquals(1, allocator.freeBlockCount());
    }

    @Test
    void shouldRefuseWhatIsNoBlock()
    {
        final HeapAllocator allocator = new HeapAllocator(CAPACITY);
        final long a = allocator.allocate(1024, 64);
        assertThrows(IllegalArgumentException.class, () -> allocator.free(a + 64));
        assertThrows(IllegalArgumentException.class, () -> allocator.resize(a + 64, 8));
        allocator.free(a);
        assertThrows(IllegalArgumentException.class, () -> allocator.free(a));
        assertThrows(IllegalArgumentException.class, () -> allocator.allocate(0, 64));
        assertThrows(IllegalArgumentException.class, () -> allocator.allocate(-1, 64));
        assertThrows(IllegalArgumentException.class, () -> allocator.allocate(8, 0));
        assertThrows(IllegalArgumentException.class, () -> allocator.allocate(8, 96));
        assertThrows(IllegalArgumentException.class, () -> allocator.allocate(8, Long.MIN_VALUE));
        assertThrows(IllegalArgumentException.class, () -> new HeapAllocator(63));
        assertEquals(64, new HeapAllocator(127).capacity());
    }

    @Test
    void shouldAgreeWithAnOracleAndWithItselfOnRandomCalls()
    {
        final long seed = System.nanoTime();
        System.out.println("HeapAllocatorTest seed " + seed);
        for (int round = 0; round < 20; round++)
        {
            new Exercise(new Random(seed + round), "seed " + seed + " round " + round).run();
        }
    }

    /** Two allocators that receive the same calls, and a map of the used ranges that checks their results. */
    private static final class Exercise
    {
        private final HeapAllocator allocator = new HeapAllocator(CAPACITY);
        private final HeapAllocator twin = new HeapAllocator(CAPACITY);
        private final TreeMap<Long, Long> taken = new TreeMap<>();
        private final List<Long> offsets = new ArrayList<>();
        private final Random random;
        private final String label;

        Exercise(final Random random, final String label)
        {
            this.random = random;
            this.label = label;
        }

        void run()
        {
            for (int i = 0; i < 2000; i++)
            {
                final int choice = random.nextInt(10);
                if (choice < 5 || offsets.isEmpty())
                {
                    allocate();
                }
                else if (choice < 8)
                {
                    free(random.nextInt(offsets.size()));
                }
                else
                {
                    resize();
                }

                checkTotals();
            }

            while (!offsets.isEmpty())
            {
                free(random.nextInt(offsets.size()));
            }

            assertEquals(1, allocator.freeBlockCount(), label);
            assertEquals(CAPACITY, allocator.largestFreeBlock(), label);
            assertEquals(CAPACITY, allocator.freeBytes(), label);
        }

        private void allocate()
        {
            final long size = 1 + (long)(random.nextDouble() * random.nextDouble() * CAPACITY / 8);
            final long alignment = 1L << random.nextInt(15);
            final long offset = allocator.allocate(size, alignment);
            assertEquals(offset, twin.allocate(size, alignment), label);
            if (HeapAllocator.EXHAUSTED == offset)
            {
                assertFalse(gapExists(size, alignment), () -> label + ": there is room for " + size + "@" + alignment);
                return;
            }

            assertEquals(0, offset % Math.max(64, alignment), label);
            take(offset, size);
            offsets.add(offset);
        }

        private void free(final int index)
        {
            final long offset = offsets.remove(index);
            allocator.free(offset);
            twin.free(offset);
            taken.remove(offset);
        }

        private void resize()
        {
            final long offset = offsets.get(random.nextInt(offsets.size()));
            final long old = taken.get(offset);
            final long size = 1 + random.nextInt((int)(2 * old));
            final boolean resized = allocator.resize(offset, size);
            assertEquals(resized, twin.resize(offset, size), label);
            if (resized)
            {
                taken.remove(offset);
                take(offset, size);
            }
            else
            {
                final Map.Entry<Long, Long> next = taken.higherEntry(offset);
                final long end = null == next ? CAPACITY : next.getKey();
                assertTrue(offset + roundUp(size) > end, label);
            }
        }

        private void take(final long offset, final long size)
        {
            final long end = offset + roundUp(size);
            final Map.Entry<Long, Long> before = taken.lowerEntry(offset);
            final Map.Entry<Long, Long> after = taken.ceilingEntry(offset);
            assertTrue(offset >= 0 && end <= CAPACITY, label);
            assertTrue(null == before || before.getKey() + before.getValue() <= offset, label);
            assertTrue(null == after || end <= after.getKey(), label);
            taken.put(offset, roundUp(size));
        }

        private boolean gapExists(final long size, final long alignment)
        {
            final long mask = Math.max(64, alignment) - 1;
            long start = 0;
            for (final Map.Entry<Long, Long> entry : taken.entrySet())
            {
                if (((start + mask) & ~mask) + roundUp(size) <= entry.getKey())
                {
                    return true;
                }

                start = entry.getKey() + entry.getValue();
            }

            return ((start + mask) & ~mask) + roundUp(size) <= CAPACITY;
        }

        private void checkTotals()
        {
            long start = 0;
            long free = 0;
            long largest = 0;
            int count = 0;
            for (final Map.Entry<Long, Long> entry : taken.entrySet())
            {
                final long gap = entry.getKey() - start;
                free += gap;
                largest = Math.max(largest, gap);
                count += gap > 0 ? 1 : 0;
                start = entry.getKey() + entry.getValue();
            }

            final long gap = CAPACITY - start;
            assertEquals(free + gap, allocator.freeBytes(), label);
            assertEquals(Math.max(largest, gap), allocator.largestFreeBlock(), label);
            assertEquals(count + (gap > 0 ? 1 : 0), allocator.freeBlockCount(), label);
        }

        private static long roundUp(final long size)
        {
            return (size + 63) / 64 * 64;
        }
    }
}
