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

import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.job.SharedMemory;
import io.aeroshmem.transport.job.SmallFileSystem;
import io.aeroshmem.transport.job.SnapshotDirectory;
import io.aeroshmem.transport.job.SnapshotDirectory.Manifest;
import io.aeroshmem.transport.retained.RetainedTable.Identity;
import org.agrona.concurrent.UnsafeBuffer;
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
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The files of a snapshot: what is committed, and what is rejected. */
@Tag("jdk")
class SnapshotFilesTest
{
    private static final int HEAP = 4 << 20;
    private static final int LONG_BLOCK = (2 << 20) + 17;
    private static final int OTHER_UID = 12_345;
    private static final RetainedTable.State STATE = new RetainedTable.State(0, List.of(
        new RetainedBlock("log", 64, 3, 1, false, 0, RetainedBlock.State.COMMITTED),
        new RetainedBlock("book", 4_096, LONG_BLOCK, 7, false, 0, RetainedBlock.State.COMMITTED)));

    @TempDir(factory = SharedMemory.class)
    private Path root;

    private final byte[] heap = new byte[HEAP];

    private ByteBuffer view(final long offset, final int length)
    {
        return ByteBuffer.wrap(heap, (int)offset, length).slice();
    }

    private Path path()
    {
        return root.resolve("of/the/program");
    }

    private Manifest write(final SnapshotDirectory directory, final int seed) throws IOException
    {
        new Random(seed).nextBytes(heap);
        final Manifest manifest = Manifest.of(directory.newest() + 1, 2, HEAP);
        for (int pe = 0; pe < 2; pe++)
        {
            try (FileChannel part = directory.createPart(manifest.number(), pe))
            {
                SnapshotPart.write(part, identity(manifest, pe), STATE, this::view);
            }

            directory.force(manifest.number());
        }

        return manifest;
    }

    private static Identity identity(final Manifest manifest, final int pe)
    {
        return new Identity(manifest.id(), pe, manifest.nPes(), manifest.heapLength());
    }

    private static RetainedTable.State verify(final SnapshotDirectory directory, final Manifest manifest)
        throws IOException
    {
        try (FileChannel part = directory.openPart(manifest.number(), 1))
        {
            return SnapshotPart.verify(part, identity(manifest, 1));
        }
    }

    @Test
    void shouldReadWhatWasWrittenToOtherOffsets() throws IOException
    {
        final SnapshotDirectory directory = SnapshotDirectory.make(path());
        final Manifest manifest = write(directory, 1);
        assertEquals(0, directory.newest(), "not committed");
        directory.commit(manifest);
        assertEquals(1, directory.newest());
        assertEquals(manifest, SnapshotDirectory.open(path()).manifest(1));
        assertEquals("rwx------", PosixFilePermissions.toString(
            Files.getPosixFilePermissions(path().resolve("snapshot-1"))));

        final byte[] before = heap.clone();
        new Random(2).nextBytes(heap);
        try (FileChannel part = directory.openPart(1, 1))
        {
            final RetainedTable.State state = SnapshotPart.verify(part, identity(manifest, 1));
            assertEquals(STATE.blocks(), state.blocks());
            SnapshotPart.read(part, state, (block) -> block.offset() + 1_024, this::view);
        }

        for (final RetainedBlock block : STATE.blocks())
        {
            final int from = (int)block.offset();
            final int to = from + (int)block.length();
            assertArrayEquals(
                Arrays.copyOfRange(before, from, to), Arrays.copyOfRange(heap, from + 1_024, to + 1_024));
        }
    }

    /** The number counts up; an attempt that was not committed is replaced, and its parts are not those of the next. */
    @Test
    void shouldKeepTheNewestOnes() throws IOException
    {
        final SnapshotDirectory directory = SnapshotDirectory.make(path());
        final Manifest failed = write(directory, 1);
        for (int number = 1; number <= 4; number++)
        {
            final Manifest manifest = write(directory, number);
            assertEquals(number, manifest.number());
            directory.commit(manifest);
            final int oldest = directory.revokeOlder(2);
            assertEquals(Math.max(1, number - 1), oldest);
            directory.removeOlder(oldest, 0);
            directory.removeOlder(oldest, 1);
        }

        assertEquals(List.of("snapshot-3", "snapshot-4"), names(path()));
        assertEquals(List.of("manifest", "pe-0.part", "pe-1.part"), names(path().resolve("snapshot-3")));
        assertTrue(assertThrows(RetainedTableException.class,
            () -> verify(directory, new Manifest(4, failed.id(), 2, HEAP))).getMessage().contains("snapshot"));
    }

    private static List<String> names(final Path directory) throws IOException
    {
        try (Stream<Path> files = Files.list(directory))
        {
            return files.map((file) -> file.getFileName().toString()).sorted().toList();
        }
    }

    /** Whatever is left after the loss of a page that was not on the disk, or of the end. */
    @Test
    void shouldRejectAPartThatIsCutShortOrAlteredAnywhere() throws IOException
    {
        final SnapshotDirectory directory = SnapshotDirectory.make(path());
        final Manifest manifest = write(directory, 1);
        directory.commit(manifest);
        verify(directory, manifest);
        final Path file = directory.part(1, 1);
        final byte[] whole = Files.readAllBytes(file);
        final int table = RetainedTable.LENGTH;
        final int log = table + 3 + Long.BYTES;
        for (final int length : new int[]{ 0, 8, 4_096, table - 1, table, table + 3, log, log + LONG_BLOCK - 1,
            whole.length - 8, whole.length - 1 })
        {
            Files.write(file, Arrays.copyOf(whole, length));
            assertThrows(RetainedTableException.class, () -> verify(directory, manifest), () -> "length " + length);
        }

        Files.write(file, Arrays.copyOf(whole, whole.length + 1));
        assertThrows(RetainedTableException.class, () -> verify(directory, manifest));

        final int slot = 4_096 + (1 << 17) * (int)(new UnsafeBuffer(whole).getLong(48) & 1);
        for (final int at : new int[]{ 0, 8, 12, 16, 24, 32, 40, 48, slot, slot + 8, slot + 12, slot + 24, slot + 64,
            slot + 72, slot + 80, slot + 84, slot + 88, slot + 92, slot + 96, table, table + 2, table + 3, log,
            log + (1 << 20), log + LONG_BLOCK - 1, whole.length - 8 })
        {
            final byte[] altered = whole.clone();
            altered[at] ^= 4;
            Files.write(file, altered);
            assertThrows(RetainedTableException.class, () -> verify(directory, manifest), () -> "byte " + at);
        }

        Files.write(file, whole);
        assertEquals(STATE.blocks(), verify(directory, manifest).blocks());
    }

    @Test
    void shouldNameTheOtherByteOrderOfAPart() throws IOException
    {
        final SnapshotDirectory directory = SnapshotDirectory.make(path());
        final Manifest manifest = write(directory, 1);
        directory.commit(manifest);
        final Path file = directory.part(1, 1);
        final ByteBuffer part = ByteBuffer.wrap(Files.readAllBytes(file));
        Files.write(file, part.putLong(0, Long.reverseBytes(part.getLong(0))).array());
        assertEquals("it was written by a host of the other byte order",
            assertThrows(RetainedTableException.class, () -> verify(directory, manifest)).getMessage());
    }

    @Test
    void shouldRejectAManifestOfWhichAnyByteIsAltered() throws IOException
    {
        final SnapshotDirectory directory = SnapshotDirectory.make(path());
        directory.commit(write(directory, 1));
        final Path file = path().resolve("snapshot-1/manifest");
        final byte[] whole = Files.readAllBytes(file);
        for (int i = 0; i < whole.length; i++)
        {
            final byte[] altered = whole.clone();
            altered[i] ^= 1;
            Files.write(file, altered);
            assertThrows(TransportException.class, () -> directory.manifest(1), new String(altered));
            Files.write(file, Arrays.copyOf(whole, i));
            assertThrows(TransportException.class, () -> directory.manifest(1), () -> "cut short");
        }

        Files.writeString(file, new String(whole).replace("format 1", "format 2"));
        assertTrue(assertThrows(TransportException.class, () -> directory.manifest(1)).getMessage()
            .contains("its format is 2, not 1"));
        Files.write(file, whole);
        Files.move(path().resolve("snapshot-1"), path().resolve("snapshot-2"));
        assertTrue(assertThrows(TransportException.class, () -> directory.manifest(2)).getMessage()
            .contains("its number is 1"));
    }

    private enum Change
    {
        READABLE_BY_OTHERS, OF_ANOTHER_USER, LINK, SECOND_NAME, DIRECTORY, ABSENT
    }

    @ParameterizedTest
    @EnumSource(Change.class)
    void shouldRejectAFileThatIsNotAPrivateOne(final Change change) throws IOException
    {
        final SnapshotDirectory directory = SnapshotDirectory.make(path());
        final Manifest manifest = write(directory, 1);
        directory.commit(manifest);
        change(directory.part(1, 1), change);
        assertThrows(TransportException.class, () -> verify(directory, manifest));
        if (Change.ABSENT != change)
        {
            change(path().resolve("snapshot-1/manifest"), change);
            assertThrows(TransportException.class, () -> directory.manifest(1));
        }
    }

    private void change(final Path file, final Change change) throws IOException
    {
        switch (change)
        {
            case READABLE_BY_OTHERS ->
                Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
            case OF_ANOTHER_USER -> Files.setAttribute(file, "unix:uid", OTHER_UID);
            case LINK -> Files.createSymbolicLink(file, Files.move(file, root.resolve(file.getFileName())));
            case SECOND_NAME -> Files.createLink(root.resolve(file.getFileName()), file);
            case DIRECTORY ->
            {
                Files.delete(file);
                Files.createDirectory(file);
            }
            case ABSENT -> Files.delete(file);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "rwxrwxrwx", "rwxr-x---" })
    void shouldRejectADirectoryThatIsOpenToOthers(final String mode) throws IOException
    {
        final SnapshotDirectory directory = SnapshotDirectory.make(path());
        final Manifest manifest = write(directory, 1);
        Files.setPosixFilePermissions(path().resolve("snapshot-1"), PosixFilePermissions.fromString(mode));
        assertThrows(TransportException.class, () -> verify(directory, manifest));
        assertThrows(TransportException.class, () -> directory.createPart(1, 0));
        if (mode.endsWith("rwx"))
        {
            Files.setPosixFilePermissions(path(), PosixFilePermissions.fromString(mode));
            assertThrows(TransportException.class, () -> SnapshotDirectory.open(path()));
            assertThrows(TransportException.class, () -> SnapshotDirectory.make(path()));
        }
    }

    @Test
    void shouldRejectALinkInPlaceOfASnapshot() throws IOException
    {
        final SnapshotDirectory directory = SnapshotDirectory.make(path());
        final Manifest manifest = write(directory, 1);
        directory.commit(manifest);
        Files.move(path().resolve("snapshot-1"), root.resolve("elsewhere"));
        Files.createSymbolicLink(path().resolve("snapshot-1"), root.resolve("elsewhere"));
        assertThrows(TransportException.class, () -> directory.manifest(1));
        assertThrows(TransportException.class, () -> verify(directory, manifest));

        Files.createSymbolicLink(root.resolve("dangling"), root.resolve("nowhere"));
        assertThrows(IOException.class, () -> SnapshotDirectory.make(root.resolve("dangling")));
        Files.createFile(root.resolve("file"));
        assertThrows(TransportException.class, () -> SnapshotDirectory.make(root.resolve("file")));
    }

    /** A part that does not fit leaves the snapshot that was committed. */
    @Test
    void shouldKeepWhatIsCommittedIfSpaceIsShort() throws IOException
    {
        try (SmallFileSystem small = SmallFileSystem.mount(root, 5 << 20))
        {
            final SnapshotDirectory directory = SnapshotDirectory.make(small.path());
            new Random(1).nextBytes(heap);
            final Manifest first = Manifest.of(1, 2, HEAP);
            try (FileChannel part = directory.createPart(1, 1))
            {
                SnapshotPart.write(part, identity(first, 1), STATE, this::view);
            }

            directory.commit(first);
            final Manifest second = Manifest.of(2, 2, HEAP);
            try (FileChannel part = directory.createPart(2, 0))
            {
                SnapshotPart.write(part, identity(second, 0), STATE, this::view);
            }

            try (FileChannel part = directory.createPart(2, 1))
            {
                assertThrows(IOException.class, () ->
                    SnapshotPart.write(part, identity(second, 1), STATE, this::view));
            }

            directory.remove(2, 0);
            directory.remove(2, 1);
            assertFalse(Files.exists(small.path().resolve("snapshot-2"), LinkOption.NOFOLLOW_LINKS));
            assertEquals(1, directory.newest());
            verify(directory, first);
        }
    }

    @Test
    void shouldRejectTheTableOfAHeapFile() throws IOException
    {
        final SnapshotDirectory directory = SnapshotDirectory.make(path());
        final Manifest manifest = write(directory, 1);
        final UnsafeBuffer table = new UnsafeBuffer(ByteBuffer.allocateDirect(RetainedTable.LENGTH));
        RetainedTable.create(table, new Identity(42, 1, 2, HEAP)).write(STATE);
        try (FileChannel part = FileChannel.open(directory.part(1, 1), StandardOpenOption.WRITE))
        {
            part.write(table.byteBuffer().duplicate(), 0);
        }

        assertThrows(RetainedTableException.class, () -> verify(directory, manifest));
    }
}
