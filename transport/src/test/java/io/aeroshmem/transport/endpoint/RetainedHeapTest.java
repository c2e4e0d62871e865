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
package io.aeroshmem.transport.endpoint;

import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.heap.Segment;
import io.aeroshmem.transport.job.RetainedHeaps;
import io.aeroshmem.transport.job.SharedMemory;
import io.aeroshmem.transport.retained.RetainedBlock;
import io.aeroshmem.transport.retained.RetainedTable;
import org.agrona.UnsafeApi;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("jdk")
class RetainedHeapTest
{
    private static final long LENGTH = 1 << 20;
    private static final int N_PES = 2;
    private static final int OTHER_UID = 12_345;
    private static final RetainedTable.State STATE = new RetainedTable.State(
        0, List.of(new RetainedBlock("book", 4_096, 64, 1, false, 0, RetainedBlock.State.COMMITTED)));

    @TempDir(factory = SharedMemory.class)
    private Path root;

    private Path recovery;

    @BeforeEach
    void before() throws IOException
    {
        recovery = directory("recovery-1");
    }

    private Path directory(final String name) throws IOException
    {
        return Files.createDirectory(
            root.resolve(name), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    private RetainedHeap open(final int generation) throws IOException
    {
        final Path job = directory("job-" + generation);
        return RetainedHeap.open(
            new RetainedHeaps(recovery), generation, 0, N_PES, job.resolve("pe-0.heap"), LENGTH, false);
    }

    /** Has a generation store something, and die. */
    private void store() throws IOException
    {
        final RetainedHeap heap = open(0);
        heap.table().write(STATE);
        UnsafeApi.putLong(heap.segment().address() + 4_096, 42);
        heap.segment().close();
        heap.segment().unlink();
        assertNull(heap.defect());
    }

    private Path file()
    {
        return recovery.resolve("pe-0.heap");
    }

    @Test
    void shouldFindWhatTheGenerationBeforeHasLeft() throws IOException
    {
        store();
        final long inode = inode(file());
        final RetainedHeap heap = open(1);
        assertEquals(STATE, heap.table().read());
        assertEquals(42, UnsafeApi.getLong(heap.segment().address() + 4_096));
        assertEquals(inode, inode(file()));
        assertEquals(inode, inode(root.resolve("job-1/pe-0.heap")));
        assertNull(heap.defect());

        try (Segment peer = Segment.map(root.resolve("job-1/pe-0.heap"), RetainedHeap.HEADER_LENGTH, LENGTH))
        {
            UnsafeApi.putLong(peer.address(), 7);
            assertEquals(7, UnsafeApi.getLong(heap.segment().address()));
        }

        heap.segment().close();
    }

    /** The job of a generation, and its names, may still be there. */
    @Test
    void shouldAdoptAFileThatHasOtherNames() throws IOException
    {
        open(0).segment().close();
        open(1).segment().close();
        final RetainedHeap heap = open(2);
        heap.segment().close();
        assertNull(heap.defect());
        assertEquals(4, Files.getAttribute(file(), "unix:nlink"));
    }

    private enum Change
    {
        ABSENT("does not exist"),
        TRUNCATED("bytes instead of"),
        LONGER("bytes instead of"),
        READABLE_BY_OTHERS("must be a regular file"),
        OF_ANOTHER_USER("must be a regular file"),
        LINK("must be a regular file"),
        DIRECTORY("must be a regular file"),
        OF_ANOTHER_JOB("that of another job"),
        OF_ANOTHER_PE("its PE is 1, not 0"),
        OF_ANOTHER_NUMBER_OF_PES("its number of PEs is 3, not 2"),
        ALTERED_HEADER("the checksum of its header is wrong"),
        ALTERED_BLOCK("list of blocks was altered"),
        OTHER_BYTE_ORDER("other byte order"),
        OTHER_VERSION("its format version is 3, not 2"),
        EMPTY_TABLE("does not begin with a table");

        private final String reason;

        Change(final String reason)
        {
            this.reason = reason;
        }
    }

    @ParameterizedTest
    @EnumSource(Change.class)
    void shouldBeginWithZerosAndSaySoIfTheFileDoesNotVerify(final Change change) throws IOException
    {
        store();
        change(change);

        final RetainedHeap heap = open(1);
        assertTrue(heap.defect().contains(change.reason), heap.defect());
        assertEquals(new RetainedTable.State(RetainedTable.NEW, List.of()), heap.table().read());
        assertEquals(0, UnsafeApi.getLong(heap.segment().address() + 4_096));
        heap.segment().close();

        final RetainedHeap next = open(2);
        assertNull(next.defect());
        next.segment().close();
    }

    private void change(final Change change) throws IOException
    {
        final Path moved = root.resolve("moved");
        switch (change)
        {
            case ABSENT -> Files.delete(file());
            case TRUNCATED ->
            {
                try (FileChannel channel = FileChannel.open(file(), StandardOpenOption.WRITE))
                {
                    channel.truncate(RetainedHeap.HEADER_LENGTH + LENGTH - 1);
                }
            }
            case LONGER -> Files.write(file(), new byte[1], StandardOpenOption.APPEND);
            case READABLE_BY_OTHERS ->
                Files.setPosixFilePermissions(file(), PosixFilePermissions.fromString("rw-r-----"));
            case OF_ANOTHER_USER -> Files.setAttribute(file(), "unix:uid", OTHER_UID);
            case LINK -> Files.createSymbolicLink(file(), Files.move(file(), moved));
            case DIRECTORY ->
            {
                Files.delete(file());
                Files.createDirectory(file());
            }
            case OF_ANOTHER_JOB -> other(directory("recovery-2"), 0, N_PES);
            case OF_ANOTHER_PE -> other(recovery, 1, N_PES);
            case OF_ANOTHER_NUMBER_OF_PES ->
            {
                Files.delete(file());
                other(recovery, 0, N_PES + 1);
            }
            case ALTERED_HEADER -> flip(24);
            case ALTERED_BLOCK -> flip(4_096 + 64);
            case OTHER_BYTE_ORDER ->
            {
                for (int i = 0; i < Long.BYTES; i++)
                {
                    put(i, "ASHMHEAP".charAt(i));
                }
            }
            case OTHER_VERSION -> put(8, 3);
            case EMPTY_TABLE ->
            {
                for (int i = 0; i < Long.BYTES; i++)
                {
                    put(i, 0);
                }
            }
        }
    }

    /** Puts the file of another heap in place of this one. */
    private void other(final Path directory, final int pe, final int nPes) throws IOException
    {
        final Path name = directory("other").resolve("heap");
        final RetainedHeaps heaps = new RetainedHeaps(directory);
        RetainedHeap.open(heaps, 0, pe, nPes, name, LENGTH, false).segment().close();
        Files.move(name, file(), StandardCopyOption.REPLACE_EXISTING);
    }

    private void flip(final int at) throws IOException
    {
        try (FileChannel channel = FileChannel.open(file(), StandardOpenOption.READ, StandardOpenOption.WRITE))
        {
            final ByteBuffer bytes = ByteBuffer.allocate(1);
            // that slot of the table which counts
            final int slot = at < 4_096 ? at : at + (1 << 17) * sequenceBit(channel);
            channel.read(bytes, slot);
            bytes.put(0, (byte)(bytes.get(0) ^ 1)).clear();
            channel.write(bytes, slot);
        }
    }

    private static int sequenceBit(final FileChannel channel) throws IOException
    {
        final ByteBuffer bytes = ByteBuffer.allocate(1);
        channel.read(bytes, 48);
        return bytes.get(0) & 1;
    }

    private void put(final int at, final int value) throws IOException
    {
        try (FileChannel channel = FileChannel.open(file(), StandardOpenOption.WRITE))
        {
            channel.write(ByteBuffer.wrap(new byte[]{ (byte)value }), at);
        }
    }

    /** A heap of another size ends this generation, and the next finds the file. */
    @ParameterizedTest
    @ValueSource(longs = { LENGTH / 2, LENGTH + 4_096 })
    void shouldRejectAnotherHeapSizeAndLoseNothing(final long length) throws IOException
    {
        store();
        final RetainedHeaps heaps = new RetainedHeaps(recovery);
        final Path name = directory("job-1").resolve("pe-0.heap");
        final TransportException ex = assertThrows(
            TransportException.class, () -> RetainedHeap.open(heaps, 1, 0, N_PES, name, length, false));
        assertTrue(ex.getMessage().contains("heapSize=" + length + " instead of " + LENGTH), ex.getMessage());
        assertFalse(Files.exists(name));

        final RetainedHeap heap = open(2);
        assertEquals(STATE, heap.table().read());
        assertEquals(42, UnsafeApi.getLong(heap.segment().address() + 4_096));
        heap.segment().close();
    }

    /** An obstacle that is not the fault of the file ends this generation, and the next finds the file. */
    @Test
    void shouldLoseNothingIfTheFileCannotBeMappedNow() throws IOException
    {
        store();
        final Path job = directory("job-1");
        Files.createFile(job.resolve("pe-0.heap"));
        final RetainedHeaps heaps = new RetainedHeaps(recovery);
        assertThrows(TransportException.class, () ->
            RetainedHeap.open(heaps, 1, 0, N_PES, job.resolve("pe-0.heap"), LENGTH, false));

        final RetainedHeap heap = open(2);
        assertEquals(STATE, heap.table().read());
        heap.segment().close();
    }

    @Test
    void shouldRejectADirectoryThatIsOpenToOthers() throws IOException
    {
        Files.setPosixFilePermissions(recovery, PosixFilePermissions.fromString("rwxr-x---"));
        final TransportException ex =
            assertThrows(TransportException.class, () -> new RetainedHeaps(recovery));
        assertTrue(ex.getMessage().contains("aeroshmem.recovery.directory"), ex.getMessage());
        assertThrows(TransportException.class, () -> new RetainedHeaps(root.resolve("none")));
    }

    @Test
    void shouldLeaveNoFileIfItCannotBeAdded() throws IOException
    {
        Files.createFile(file());
        assertThrows(TransportException.class, () -> open(0));
        assertFalse(Files.exists(root.resolve("job-0/pe-0.heap")));
        assertEquals(0, Files.size(file()));
    }

    private static long inode(final Path file) throws IOException
    {
        return (Long)Files.getAttribute(file, "unix:ino");
    }
}
