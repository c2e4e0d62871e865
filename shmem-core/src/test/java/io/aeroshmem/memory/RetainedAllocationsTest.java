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

import io.aeroshmem.MemoryState;
import io.aeroshmem.Retained;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.retained.RetainedBlock;
import io.aeroshmem.transport.retained.RetainedBlock.State;
import io.aeroshmem.transport.retained.RetainedTable;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

/** What the table of a PE contains at each step of a restore. */
class RetainedAllocationsTest
{
    private static final int CAPACITY = 1 << 12;
    private static final RetainedBlock BOOK = new RetainedBlock("book", 1_024, 100, 1, false, 4, State.COMMITTED);
    private static final List<RetainedBlock> SNAPSHOT = List.of(
        BOOK, new RetainedBlock("log", 0, 64, 2, false, 0, State.COMMITTED));

    private final UnsafeBuffer memory = new UnsafeBuffer(ByteBuffer.allocateDirect(CAPACITY));
    private final RetainedTable table = RetainedTable.create(
        new UnsafeBuffer(ByteBuffer.allocateDirect(RetainedTable.LENGTH)),
        new RetainedTable.Identity(42, 0, 2, CAPACITY));
    private final SymmetricHeap heap = new SymmetricHeap(this, Region.USER, CAPACITY, new Memory());
    private final RetainedAllocations allocations = new RetainedAllocations(null, heap, null, null, table, 3, 0, 2);

    private final class Memory implements LocalMemory
    {
        @Override
        public long address()
        {
            return memory.addressOffset();
        }

        @Override
        public long operandAddress()
        {
            return address();
        }

        @Override
        public void copy(final long fromOffset, final long toOffset, final long length)
        {
            throw new UnsupportedOperationException();
        }

        @Override
        public void zero(final long offset, final long length)
        {
            memory.setMemory((int)offset, (int)length, (byte)0);
        }

        @Override
        public AtomicBuffer view(final long offset, final int length)
        {
            throw new UnsupportedOperationException();
        }

        @Override
        public ByteBuffer byteBuffer(final long offset, final int length)
        {
            throw new UnsupportedOperationException();
        }
    }

    private Map<String, Allocation> begin()
    {
        allocations.adopt(BOOK, new MemoryState[]{ MemoryState.RETAINED, MemoryState.RETAINED }, false);
        memory.setMemory(0, CAPACITY, (byte)-1);
        final Map<String, Allocation> taken = allocations.takeMissing(SNAPSHOT);
        assertEquals(List.of("log"), List.copyOf(taken.keySet()));
        allocations.beginRestore(SNAPSHOT, taken);
        assertEquals(State.RESTORING, block("book").state());
        assertEquals(5, block("book").restores());
        assertEquals(State.PREPARED, block("log").state());
        return taken;
    }

    private RetainedBlock block(final String name)
    {
        return table.read().blocks().stream().filter((block) -> name.equals(block.name())).findFirst().orElse(null);
    }

    private void checkStates(final MemoryState state)
    {
        for (final Retained retained : allocations.list())
        {
            assertEquals(state, retained.state(0));
            assertEquals(state, retained.state(1));
        }
    }

    @Test
    void shouldCommitWhatIsRestored()
    {
        begin();
        allocations.completeRestore();
        assertEquals(BOOK.restoring().in(State.COMMITTED), block("book"));
        assertEquals(State.COMMITTED, block("log").state());
        assertEquals(-1, memory.getByte(1_024));
        checkStates(MemoryState.RESTORED);
    }

    /** A file that was verified cannot be read a second time. */
    @Test
    void shouldZeroAllContentsOfARestoreThatFails()
    {
        final Map<String, Allocation> taken = begin();
        allocations.abandonRestore(taken);
        assertEquals(BOOK.restoring().lost(), block("book"));
        assertNull(block("log"));
        assertEquals(1, heap.allocationCount());
        for (int i = 0; i < 100; i++)
        {
            assertEquals(0, memory.getByte(1_024 + i));
        }

        checkStates(MemoryState.ZEROED);
    }

    @Test
    void shouldTakeAllOrNothing()
    {
        final long free = heap.freeBytes();
        assertNull(allocations.takeMissing(List.of(
            BOOK, new RetainedBlock("long", 0, CAPACITY - 64, 0, false, 0, State.COMMITTED))));
        assertEquals(free, heap.freeBytes());
        assertEquals(List.of(), table.read().blocks());
    }

    /** A generation that follows a restore which all PEs had begun, and none completed. */
    @Test
    void shouldZeroWhatIsLost()
    {
        memory.setMemory(0, CAPACITY, (byte)-1);
        allocations.adopt(
            BOOK.restoring().lost(), new MemoryState[]{ MemoryState.ZEROED, MemoryState.ZEROED }, true);
        allocations.write();
        assertEquals(BOOK.restoring().lost(), block("book"));
        assertEquals(0, memory.getByte(1_024));
        assertEquals(0, memory.getByte(1_024 + 99));
        assertEquals(-1, memory.getByte(1_024 + 100));
    }
}
