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
package io.aeroshmem.transport.retained;

import io.aeroshmem.transport.retained.RetainedTable.Identity;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class RetainedTableTest
{
    private static final long HEAP_LENGTH = 1 << 20;
    private static final Identity IDENTITY = new Identity(42, 1, 3, HEAP_LENGTH);
    private static final int SEQUENCE = 48;
    private static final int SLOTS = 4_096;
    private static final int SLOT_LENGTH = 1 << 17;

    private final UnsafeBuffer buffer = new UnsafeBuffer(ByteBuffer.allocateDirect(RetainedTable.LENGTH));
    private final RetainedTable table = RetainedTable.create(buffer, IDENTITY);

    private static RetainedBlock block(final String name, final long offset, final long length)
    {
        return new RetainedBlock(name, offset, length, 3, false, 0, RetainedBlock.State.COMMITTED);
    }

    private static RetainedTable.State state(final int generation, final RetainedBlock... blocks)
    {
        return new RetainedTable.State(generation, List.of(blocks));
    }

    private RetainedTable.State reopened()
    {
        return RetainedTable.open(buffer, IDENTITY).read();
    }

    @Test
    void shouldHoldWhatWasWrittenLast()
    {
        assertEquals(state(RetainedTable.NEW), reopened());
        final RetainedTable.State first = state(1, block("book", 4_096, 100), block("Ω", 64, 64));
        table.write(first);
        assertEquals(first, reopened());
        assertEquals("Ω", reopened().blocks().get(0).name(), "in the order of the offsets");

        final RetainedTable.State second = new RetainedTable.State(
            2, List.of(block("book", 4_096, 100).zeroed(true).in(RetainedBlock.State.RELEASING)));
        table.write(second);
        assertEquals(second, reopened());
        table.write(state(3));
        assertEquals(state(3), reopened());
    }

    @Test
    void shouldHoldTheGreatestNumberOfBlocksAndTheLongestName()
    {
        final List<RetainedBlock> blocks = new ArrayList<>();
        for (int i = 0; i < RetainedTable.MAX_BLOCKS; i++)
        {
            blocks.add(block(String.format("%0" + RetainedTable.MAX_NAME_BYTES + "d", i), 64L * i, 64));
        }

        final RetainedTable.State full = new RetainedTable.State(1, blocks);
        table.write(full);
        table.write(full);
        assertEquals(full, reopened());

        blocks.add(block("one more", HEAP_LENGTH - 64, 64));
        assertThrows(
            IllegalArgumentException.class, () -> table.write(new RetainedTable.State(1, blocks)));
        for (final String name : List.of("", "é".repeat(RetainedTable.MAX_NAME_BYTES / 2) + "e", "\ud800", "a\udfff"))
        {
            assertThrows(IllegalArgumentException.class, () -> table.write(state(1, block(name, 0, 64))));
        }

        assertEquals(full, reopened(), "a write that was rejected changes nothing");
    }

    /** A process can end between any two stores: all that a write has stored so far is then in the file. */
    @Test
    void shouldHoldTheOldOrTheNewStateWhereverAWriteEnds()
    {
        table.write(state(1, block("a", 0, 64)));
        final RetainedTable.State before = state(2, block("a", 0, 64), block("b", 64, 64));
        table.write(before);
        final byte[] old = new byte[RetainedTable.LENGTH];
        buffer.getBytes(0, old);
        final RetainedTable.State after = state(3, block("b", 64, 64), block("c", 128, 64));
        table.write(after);
        final byte[] complete = new byte[RetainedTable.LENGTH];
        buffer.getBytes(0, complete);

        for (int word = 0; word < RetainedTable.LENGTH; word += Long.BYTES)
        {
            if (SEQUENCE != word)
            {
                // a prefix, and the word alone: the stores of a write in any order but for the last
                buffer.putBytes(0, old);
                buffer.putBytes(SLOTS, complete, SLOTS, Math.max(0, word - SLOTS));
                assertEquals(before, reopened());
                buffer.putBytes(0, old);
                buffer.putBytes(word, complete, word, Long.BYTES);
                assertEquals(before, reopened());
                word += word > SLOTS + 1_024 && word % SLOT_LENGTH > 8_192 ? 4_096 : 0;
            }
        }

        buffer.putBytes(0, complete);
        assertEquals(after, reopened());
    }

    @Test
    void shouldRejectEveryAlteredBitOfWhatCounts()
    {
        table.write(state(1, block("a", 0, 64)));
        final int slot = SLOTS + (int)(buffer.getLong(SEQUENCE) & 1) * SLOT_LENGTH;
        for (final int[] range : new int[][]{ { 0, SEQUENCE + 8 }, { slot, slot + 32 }, { slot + 64, slot + 192 } })
        {
            for (int bit = range[0] * 8; bit < range[1] * 8; bit++)
            {
                if (bit / 8 < 20 || bit / 8 >= 24)
                {
                    flip(bit);
                    final int altered = bit;
                    assertThrows(RetainedTableException.class, this::reopened, () -> "bit " + altered);
                    flip(bit);
                }
            }
        }

        assertEquals(1, reopened().blocks().size());
    }

    private void flip(final int bit)
    {
        buffer.putByte(bit / 8, (byte)(buffer.getByte(bit / 8) ^ 1 << bit % 8));
    }

    @Test
    void shouldRejectATableOfAnotherPeJobOrHost()
    {
        for (final Identity other : List.of(
            new Identity(43, 1, 3, HEAP_LENGTH),
            new Identity(42, 2, 3, HEAP_LENGTH),
            new Identity(42, 1, 4, HEAP_LENGTH),
            new Identity(42, 1, 3, HEAP_LENGTH + 4_096)))
        {
            assertThrows(RetainedTableException.class, () -> RetainedTable.open(buffer, other));
        }

        buffer.putLong(0, Long.reverseBytes(buffer.getLong(0)));
        assertTrue(assertThrows(RetainedTableException.class, this::reopened).getMessage().contains("byte order"));
        buffer.setMemory(0, RetainedTable.LENGTH, (byte)0);
        assertThrows(RetainedTableException.class, this::reopened);
    }

    /** Whoever writes a table with a right checksum still cannot lead a reader outside the heap. */
    @Test
    void shouldRejectBlocksThatAreNotInTheHeapOrOverlap()
    {
        for (final RetainedBlock[] blocks : new RetainedBlock[][]{
            { block("a", HEAP_LENGTH - 64, 65) },
            { block("a", -64, 64) },
            { block("a", Long.MAX_VALUE - 8, 64) },
            { block("a", 0, 0) },
            { block("a", 32, 64) },
            { block("a", 0, 65), block("b", 64, 64) },
            { block("a", 0, 64), block("a", 64, 64) } })
        {
            table.write(state(1, blocks));
            assertThrows(RetainedTableException.class, this::reopened, blocks[0]::toString);
        }
    }
}
