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

import io.aeroshmem.memory.Allocation;
import io.aeroshmem.memory.HeapAccess;
import io.aeroshmem.memory.LocalMemory;
import io.aeroshmem.memory.Operand;
import io.aeroshmem.memory.SymmetricHeap;
import io.aeroshmem.transport.Region;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.ByteBuffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("jdk")
class SymmetricBufferTest
{
    private static final int CAPACITY = 1 << 16;
    private static final String OWNER = "PE 1 of 2";

    private final LocalMemory memory = new DirectMemory(CAPACITY);
    private final SymmetricHeap heap = new SymmetricHeap(OWNER, Region.USER, CAPACITY, memory);

    @Test
    void shouldHaveTheLengthThatWasAskedForAndAnAlignedAddress()
    {
        final SymmetricBuffer first = buffer(100);
        final SymmetricBuffer second = buffer(1);
        assertEquals(0, first.address());
        assertEquals(100, first.length());
        assertEquals(128, second.address());
        assertEquals(1, second.length());
        assertEquals(MemoryKind.HOST, first.kind());
    }

    @Test
    void shouldReadAndWriteItsOwnMemoryOnly()
    {
        buffer(64);
        final SymmetricBuffer buffer = buffer(40);
        buffer.putByte(0, (byte)0x12);
        buffer.putShort(2, (short)0x3456);
        buffer.putInt(4, 0x789abcde);
        buffer.putLong(8, 0x0123456789abcdefL);
        buffer.putFloat(16, 1.5f);
        buffer.putDouble(24, -2.25);
        buffer.putLong(31, 77);

        assertEquals(0x12, buffer.getByte(0));
        assertEquals(0x3456, buffer.getShort(2));
        assertEquals(0x789abcde, buffer.getInt(4));
        assertEquals(0x0123456789abcdefL, buffer.getLong(8));
        assertEquals(1.5f, buffer.getFloat(16));
        assertEquals(77, buffer.getLong(31));
        final AtomicBuffer all = memory.view(0, CAPACITY);
        assertEquals(0x789abcde, all.getInt(68));
        assertEquals(0, all.getLong(56));
        assertEquals(0, all.getLong(104));
    }

    @Test
    void shouldGiveViewsOfExactlyItsBytes()
    {
        buffer(64);
        final SymmetricBuffer buffer = buffer(40);
        final AtomicBuffer local = buffer.local();
        final ByteBuffer bytes = buffer.byteBuffer();
        final AtomicBuffer view = buffer.view(8, 16);
        buffer.putLong(8, 42);

        assertEquals(40, local.capacity());
        assertEquals(40, bytes.capacity());
        assertEquals(16, view.capacity());
        assertEquals(42, local.getLong(8));
        assertEquals(42, bytes.getLong(8));
        assertEquals(42, view.getLong(0));
        assertThrows(IndexOutOfBoundsException.class, () -> buffer.view(25, 16));
        assertThrows(IndexOutOfBoundsException.class, () -> buffer.view(-1, 16));
        assertThrows(IndexOutOfBoundsException.class, () -> buffer.view(0, -1));
    }

    @ParameterizedTest
    @CsvSource({
        "-1, 1", "0, 101", "100, 1", "101, 0", "93, 8", "0, -1", "50, -1", "-1, -1",
        "9223372036854775807, 1", "1, 9223372036854775807", "9223372036854775807, 9223372036854775807",
        "-9223372036854775808, 8", "0, -9223372036854775808"
    })
    void shouldRefuseAccessOutOfBounds(final long offset, final long length)
    {
        final SymmetricBuffer buffer = buffer(100);
        final SymmetricBuffer slice = buffer(200).slice(50, 100);
        for (final SymmetricBuffer each : new SymmetricBuffer[]{ buffer, slice })
        {
            final Exception ex = assertThrows(
                IndexOutOfBoundsException.class,
                () -> HeapAccess.address(each, OWNER, offset, length, Operand.DEST_BLOCK));
            assertEquals(
                "destOffset and length must be >= 0 and destOffset + length <= 100: destOffset=" + offset +
                ", length=" + length + ", dest is a " + each,
                ex.getMessage());
            assertThrows(IndexOutOfBoundsException.class, () -> HeapAccess.localAddress(each, offset, length));
            assertThrows(IndexOutOfBoundsException.class, () -> each.slice(offset, length));
            assertEquals(each.address() + 92, HeapAccess.address(each, OWNER, 92, 8, Operand.DEST));
            assertEquals(each.address() + 100, HeapAccess.address(each, OWNER, 100, 0, Operand.DEST));
        }

        assertThrows(IndexOutOfBoundsException.class, () -> buffer.getLong(93));
        assertThrows(IndexOutOfBoundsException.class, () -> buffer.putByte(100, (byte)1));
    }

    @Test
    void shouldRefuseMisalignedAtomics()
    {
        final SymmetricBuffer slice = buffer(100).slice(4, 90);
        assertEquals(4, HeapAccess.alignedAddress(slice, OWNER, 0, 4, Operand.DEST));
        assertEquals(8, HeapAccess.alignedAddress(slice, OWNER, 4, 8, Operand.DEST));
        final Exception ex = assertThrows(
            IllegalArgumentException.class, () -> HeapAccess.alignedAddress(slice, OWNER, 8, 8, Operand.DEST));
        assertTrue(ex.getMessage().contains("offset=8") && ex.getMessage().contains("multiple of 8"), ex.getMessage());
        assertThrows(
            IndexOutOfBoundsException.class, () -> HeapAccess.alignedAddress(slice, OWNER, 84, 8, Operand.DEST));
    }

    @Test
    void shouldRefuseABufferOfAnotherPe()
    {
        final SymmetricBuffer buffer = buffer(100);
        final Exception ex = assertThrows(
            IllegalArgumentException.class, () -> HeapAccess.address(buffer, "PE 0 of 2", 0, 8, Operand.DEST));
        assertEquals(
            "dest must be a buffer of PE 0 of 2: dest is a buffer of 100 bytes at 0 of the symmetric heap of PE 1 of 2",
            ex.getMessage());
        assertThrows(IllegalArgumentException.class, () -> HeapAccess.allocation(buffer, "PE 0 of 2"));
    }

    @Test
    void shouldEndWithItsSlicesWhenFreed()
    {
        final SymmetricBuffer buffer = buffer(100);
        final SymmetricBuffer slice = buffer.slice(8, 16).slice(0, 8);
        final AtomicBuffer view = slice.local();
        slice.putLong(0, 5);
        heap.free(HeapAccess.allocation(buffer, OWNER));

        for (final SymmetricBuffer each : new SymmetricBuffer[]{ buffer, slice })
        {
            final Exception ex = assertThrows(IllegalStateException.class, () -> each.getLong(0));
            assertTrue(ex.getMessage().contains("it was freed"), ex.getMessage());
            assertThrows(IllegalStateException.class, () -> each.putInt(0, 1));
            assertThrows(IllegalStateException.class, each::local);
            assertThrows(IllegalStateException.class, each::byteBuffer);
            assertThrows(IllegalStateException.class, () -> each.slice(0, 0));
            assertThrows(IllegalStateException.class, () -> HeapAccess.address(each, OWNER, 0, 8, Operand.DEST));
            assertThrows(IllegalStateException.class, () -> HeapAccess.alignedAddress(each, OWNER, 0, 8, Operand.DEST));
            assertThrows(IllegalStateException.class, () -> HeapAccess.allocation(each, OWNER));
        }

        assertThrows(IllegalStateException.class, () -> slice.reslice(0, 8));
        assertEquals(5, view.getLong(0));
        assertEquals(0, buffer(100).address());
    }

    @Test
    void shouldEndWhenTheHeapIsClosedButLeaveViewsReadable()
    {
        final SymmetricBuffer buffer = buffer(100);
        final AtomicBuffer view = buffer.local();
        buffer.putLong(0, 7);
        heap.close("its job is closed");
        heap.close("again");

        final Exception ex = assertThrows(IllegalStateException.class, () -> buffer.getLong(0));
        assertTrue(ex.getMessage().contains("its job is closed"), ex.getMessage());
        assertThrows(IllegalStateException.class, () -> HeapAccess.address(buffer, OWNER, 0, 8, Operand.DEST));
        assertThrows(IllegalStateException.class, () -> heap.allocate(8, 8));
        assertEquals(7, view.getLong(0));
        assertEquals(100, buffer.length());
    }

    @Test
    void shouldAimASliceAnewWithinItsParent()
    {
        final SymmetricBuffer parent = buffer(1000).slice(100, 200);
        final SymmetricBuffer slice = parent.slice(10, 20);
        assertEquals(110, slice.address());
        assertSame(slice, slice.reslice(0, 200));
        assertEquals(100, slice.address());
        assertEquals(200, slice.length());
        slice.reslice(200, 0);
        assertThrows(IndexOutOfBoundsException.class, () -> slice.getByte(0));
        assertThrows(IndexOutOfBoundsException.class, () -> slice.reslice(0, 201));
        assertThrows(IndexOutOfBoundsException.class, () -> slice.reslice(-1, 1));
        assertThrows(IndexOutOfBoundsException.class, () -> slice.reslice(Long.MAX_VALUE, Long.MAX_VALUE));
        assertEquals(300, slice.address());

        parent.reslice(0, 1);
        slice.reslice(0, 200);
        assertEquals(100, slice.address());
        assertThrows(IllegalStateException.class, () -> buffer(8).reslice(0, 8));
    }

    @Test
    void shouldRefuseToFreeASlice()
    {
        final SymmetricBuffer slice = buffer(100).slice(0, 100);
        final Exception ex = assertThrows(IllegalArgumentException.class, () -> HeapAccess.allocation(slice, OWNER));
        assertTrue(ex.getMessage().contains("slice of 100 bytes at 0"), ex.getMessage());
    }

    @Test
    void shouldRefuseLocalAccessToDeviceMemory()
    {
        final SymmetricHeap deviceHeap = new SymmetricHeap(OWNER, Region.DEVICE, CAPACITY, new DeviceMemory());
        final SymmetricBuffer buffer = new SymmetricBuffer(deviceHeap.allocate(100, 8));
        assertEquals(MemoryKind.DEVICE, buffer.kind());
        final Exception ex = assertThrows(IllegalStateException.class, () -> buffer.getLong(0));
        assertTrue(ex.getMessage().contains("device"), ex.getMessage());
        assertThrows(IllegalStateException.class, buffer::local);
        assertEquals(8, HeapAccess.address(buffer, OWNER, 8, 8, Operand.DEST));
    }

    @Test
    void shouldRefuseWholeViewsAboveTwoGibibytes()
    {
        final SymmetricHeap large = new SymmetricHeap(OWNER, Region.USER, 1L << 33, memory);
        final SymmetricBuffer buffer = new SymmetricBuffer(large.allocate(1L << 31, 8));
        assertThrows(IllegalStateException.class, buffer::byteBuffer);
        final Exception ex = assertThrows(IllegalStateException.class, buffer::local);
        assertTrue(ex.getMessage().contains("view(offset, length)"), ex.getMessage());
    }

    @Test
    void shouldReallocateInPlaceOrMove()
    {
        final SymmetricBuffer buffer = buffer(100);
        final Allocation old = HeapAccess.allocation(buffer, OWNER);
        final Allocation grown = heap.reallocate(old, 1000);
        assertEquals(old.address(), grown.address());
        assertEquals(1000, grown.length());
        final Exception ex = assertThrows(IllegalStateException.class, () -> buffer.getByte(0));
        assertTrue(ex.getMessage().contains("realloc"), ex.getMessage());
        assertThrows(IllegalStateException.class, () -> heap.reallocate(old, 10));
        assertThrows(IllegalStateException.class, () -> heap.free(old));

        final Allocation wall = heap.allocate(8, 8);
        final Allocation moved = heap.reallocate(grown, 2000);
        assertNotEquals(grown.address(), moved.address());
        assertEquals(3, heap.allocationCount());
        heap.free(grown);
        assertEquals(0, heap.allocate(1000, 8).address());

        final long free = heap.freeBytes();
        assertNull(heap.reallocate(moved, CAPACITY));
        assertEquals(free, heap.freeBytes());
        assertEquals(2000, moved.length());
        heap.free(moved);
        heap.free(wall);
    }

    @Test
    void shouldReportExhaustionAndLoseNothing()
    {
        final Allocation most = heap.allocate(CAPACITY - 640, 64);
        assertNull(heap.allocate(641, 8));
        assertNull(heap.allocate(Long.MAX_VALUE, 8));
        assertEquals(640, heap.freeBytes());
        assertEquals(640, heap.largestFreeBlock());
        assertEquals(CAPACITY, heap.capacity());
        heap.free(most);
        assertEquals(CAPACITY, heap.largestFreeBlock());
        assertThrows(IllegalArgumentException.class, () -> heap.allocate(8, 4));
        assertThrows(IllegalArgumentException.class, () -> heap.allocate(8, 24));
        assertThrows(IllegalArgumentException.class, () -> heap.allocate(-8, 8));
        final SymmetricHeap other = new SymmetricHeap("PE 0 of 2", Region.USER, CAPACITY, memory);
        assertThrows(IllegalArgumentException.class, () -> other.free(heap.allocate(8, 8)));
    }

    private SymmetricBuffer buffer(final long length)
    {
        return new SymmetricBuffer(heap.allocate(length, 8));
    }

    private static final class DeviceMemory implements LocalMemory
    {
        @Override
        public long address()
        {
            return 0;
        }

        @Override
        public long operandAddress()
        {
            return Long.BYTES;
        }

        @Override
        public void copy(final long fromOffset, final long toOffset, final long length)
        {
            throw new AssertionError("no copy of device memory");
        }

        @Override
        public void zero(final long offset, final long length)
        {
            throw new AssertionError("no zeros in device memory");
        }

        @Override
        public AtomicBuffer view(final long offset, final int length)
        {
            throw new AssertionError("no view of device memory");
        }

        @Override
        public ByteBuffer byteBuffer(final long offset, final int length)
        {
            throw new AssertionError("no view of device memory");
        }
    }
}
