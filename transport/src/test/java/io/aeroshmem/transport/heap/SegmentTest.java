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
package io.aeroshmem.transport.heap;

import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.job.PrivateFiles;
import io.aeroshmem.transport.job.SharedMemory;
import io.aeroshmem.transport.job.SmallFileSystem;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("jdk")
@Timeout(120)
class SegmentTest
{
    private static final long GIB = 1L << 30;

    @TempDir(factory = SharedMemory.class)
    private Path root;

    @ParameterizedTest
    @ValueSource(longs = {1, 4095, 4096, 1 << 20, (1 << 20) + 1, 5 << 20})
    void shouldMakeZeroedMemoryOfAnyLength(final long length) throws IOException
    {
        final Path file = root.resolve("pe-0.heap");
        try (Segment segment = Segment.create(file, length, false))
        {
            assertEquals(length, segment.length());
            assertEquals(length, Files.size(file));
            assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
            assertEquals(0, segment.address() % 4096);
            assertEquals(0, UnsafeApi.getByte(segment.address()));
            assertEquals(0, UnsafeApi.getByte(segment.address() + length - 1));
            assertEquals(length, segment.view(0, (int)length).capacity());
            assertEquals(0, segment.view(length, 0).capacity());
        }
    }

    @Test
    void shouldGiveAllMappingsTheSameMemory()
    {
        final Path file = root.resolve("pe-0.heap");
        try (Segment owner = Segment.create(file, 8192, false); Segment peer = Segment.map(file, 8192))
        {
            UnsafeApi.putLong(owner.address() + 4096, 42);
            assertEquals(42, UnsafeApi.getLong(peer.address() + 4096));
            final AtomicBuffer view = peer.view(4096, 16);
            view.getAndAddLong(0, 1);
            assertEquals(43, UnsafeApi.getLongVolatile(null, owner.address() + 4096));
            final ByteBuffer bytes = owner.byteBuffer(4096, 8);
            assertEquals(ByteOrder.nativeOrder(), bytes.order());
            assertEquals(43, bytes.getLong(0));
            assertEquals(8, bytes.capacity());
        }
    }

    @Test
    void shouldMapAFileOnceUntilTheLastSegmentIsUnmapped() throws IOException
    {
        final Path file = root.resolve("pe-0.system");
        try (Segment owner = Segment.create(file, 8192, false); Segment peer = Segment.map(file, 8192))
        {
            assertEquals(owner.address(), peer.address());
            assertEquals(1, mappings(file));
            owner.unmap();
            UnsafeApi.putLong(peer.address() + 4096, 42);
            assertEquals(1, mappings(file));
            peer.unmap();
            assertEquals(0, mappings(file));
        }

        try (Segment later = Segment.map(file, 8192))
        {
            assertEquals(42, UnsafeApi.getLong(later.address() + 4096));
        }
    }

    @Test
    void shouldKeepViewsReadableWhenAllElseIsGone() throws Exception
    {
        final Path file = root.resolve("pe-0.heap");
        Segment segment = Segment.create(file, 1 << 20, false);
        segment.view(0, 8).putLong(0, 4711);
        final AtomicBuffer view = segment.view(0, 1 << 20);
        final ByteBuffer bytes = segment.byteBuffer(0, 8);
        segment.unlink();
        segment.unlink();
        segment.close();
        segment.close();
        assertFalse(Files.exists(file));

        final WeakReference<Segment> reference = new WeakReference<>(segment);
        segment = null;
        collect(reference);

        assertEquals(4711, view.getLong(0));
        assertEquals(4711, bytes.getLong(0));
        view.putLong((1 << 20) - 8, 7);
        assertEquals(7, view.getLong((1 << 20) - 8));
    }

    @Test
    void shouldReachBothEndsAndViewsBeyondTwoGiB() throws Exception
    {
        final long length = 3 * GIB;
        final Path file = root.resolve("pe-0.heap");
        final AtomicBuffer detached;
        Segment owner = Segment.create(file, length, true);
        try (Segment peer = Segment.map(file, length))
        {
            assertEquals(length, Files.size(file));
            UnsafeApi.putLong(owner.address(), 1);
            UnsafeApi.putLong(owner.address() + length - 8, 2);
            UnsafeApi.putLong(owner.address() + 2 * GIB + 4096, 3);
            assertEquals(1, UnsafeApi.getLong(peer.address()));
            assertEquals(2, UnsafeApi.getLong(peer.address() + length - 8));
            assertEquals(1, peer.view(0, 8).getLong(0));
            assertEquals(2, peer.view(length - 16, 16).getLong(8));
            assertEquals(3, peer.view(2 * GIB + 4096, 4096).getLong(0));
            assertEquals(3, owner.byteBuffer(2 * GIB + 4088, 16).getLong(8));
            assertEquals(0, peer.view(length, 0).capacity());

            // Longer than what is left of the window that begins at or before it.
            final AtomicBuffer large = peer.view(GIB - 4096, Integer.MAX_VALUE);
            assertEquals(3, large.getLong((int)(GIB + 8192)));
            assertEquals(1, peer.view(0, Integer.MAX_VALUE).getLong(0));
            assertEquals(Integer.MAX_VALUE, peer.view(0, Integer.MAX_VALUE).capacity());

            detached = owner.view(2 * GIB + 4096, 8);
            assertThrows(IndexOutOfBoundsException.class, () -> peer.view(length - 8, 16));
        }

        final long mappedWithOwner = mappings(file);
        owner.close();
        owner.unlink();
        final WeakReference<Segment> reference = new WeakReference<>(owner);
        owner = null;
        collect(reference);
        awaitFewerMappings(file, mappedWithOwner);
        assertEquals(3, detached.getLong(0));
        Reference.reachabilityFence(detached);
    }

    @Test
    void shouldMakeViewsOfLongSegmentOnInterruptedThread()
    {
        try (Segment segment = Segment.create(root.resolve("pe-0.heap"), 3 * GIB, true))
        {
            Thread.currentThread().interrupt();
            assertEquals(0, segment.view(2 * GIB, 8).getLong(0));
            assertTrue(Thread.interrupted());
            assertEquals(0, segment.view(GIB, 8).getLong(0));
        }
    }

    @Test
    void shouldRejectNewWindowsOnceClosed()
    {
        final Segment segment = Segment.create(root.resolve("pe-0.heap"), 3 * GIB, true);
        segment.view(0, 8);
        segment.close();
        assertEquals(0, segment.view(8, 8).getLong(0));
        assertThrows(IllegalStateException.class, () -> segment.view(2 * GIB, 8));
    }

    @Test
    void shouldNameTheMissingJvmOption() throws Exception
    {
        final Process process = new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--add-opens", "java.base/jdk.internal.misc=ALL-UNNAMED",
            "-cp", System.getProperty("java.class.path"),
            LongSegmentProcess.class.getName(),
            root.resolve("pe-0.heap").toString()).redirectErrorStream(true).start();
        final String output = new String(process.getInputStream().readAllBytes());
        assertTrue(process.waitFor(30, TimeUnit.SECONDS));
        assertTrue(output.contains("--add-opens java.base/sun.nio.ch=ALL-UNNAMED"), output);
        assertTrue(output.contains("heapSize=" + 3 * GIB + " (aeroshmem.heap.size"), output);
        assertFalse(Files.exists(root.resolve("pe-0.heap")));
    }

    @Test
    void shouldReportTheFreeSpaceWhenMoreIsRequested() throws IOException
    {
        final Path file = root.resolve("pe-0.heap");
        final FileStore store = Files.getFileStore(root);
        final long length = store.getTotalSpace() + 1;
        for (final boolean sparse : new boolean[]{ false, true })
        {
            final TransportException ex =
                assertThrows(TransportException.class, () -> Segment.create(file, length, sparse));
            assertTrue(ex.getMessage().contains(Long.toString(length)), ex.getMessage());
            assertTrue(ex.getMessage().contains("aeroshmem.heap.size"), ex.getMessage());
            assertTrue(ex.getMessage().contains("--heap"), ex.getMessage());
            assertFalse(Files.exists(file));
        }
    }

    @Test
    void shouldReportShortageFoundOnlyByWriting() throws Exception
    {
        try (SmallFileSystem small = SmallFileSystem.mount(root, 1 << 20))
        {
            final Path file = small.path().resolve("reserved");
            try (FileChannel channel = PrivateFiles.create(file))
            {
                assertThrows(IOException.class, () -> PrivateFiles.reserve(channel, 2 << 20));
            }

            Files.delete(file);
            final Path heap = small.path().resolve("pe-0.heap");
            Segment.create(heap, 1 << 19, false).close();
            final Path second = small.path().resolve("pe-1.heap");
            assertThrows(TransportException.class, () -> Segment.create(second, (1 << 19) + 4096, false));
            assertFalse(Files.exists(second));
            Segment.create(second, 1 << 18, false).close();
        }
    }

    @Test
    void shouldTakeNothingForAnAreaBeforeItIsReserved() throws Exception
    {
        final long arena = 1L << 30;
        try (SmallFileSystem small = SmallFileSystem.mount(root, 1 << 20))
        {
            final Path file = small.path().resolve("pe-0.system");
            try (Segment segment = Segment.createArea(file, 4096, 4096 + arena))
            {
                final FileStore store = Files.getFileStore(file);
                assertEquals(4096 + arena, segment.length());
                assertEquals(4096, segment.reserved());
                assertTrue(used(store) < 1 << 17, () -> "used " + used(store));

                segment.reserve(4096 + 100, 200_000);
                assertTrue(segment.reserved() >= 4096 + 100 + 200_000, segment::toString);
                final long usedBefore = used(store);
                UnsafeApi.setMemory(null, segment.address() + 4096, 200_100, (byte)-1);
                segment.reserve(4096 + 50, 100);
                assertEquals(usedBefore, used(store));
                assertEquals(-1, UnsafeApi.getByte(segment.address() + 4096 + 49));
                assertEquals(0, UnsafeApi.getByte(segment.address() + 4096 + 50));
                assertEquals(0, UnsafeApi.getByte(segment.address() + 4096 + 149));
                assertEquals(-1, UnsafeApi.getByte(segment.address() + 4096 + 150));

                final long reserved = segment.reserved();
                final TransportException ex =
                    assertThrows(TransportException.class, () -> segment.reserve(reserved, 2 << 20));
                assertTrue(ex.getMessage().contains("aeroshmem.heap.size"), ex.getMessage());
                assertEquals(reserved, segment.reserved());
                segment.reserve(reserved, 4096);
                assertEquals(0, UnsafeApi.getLong(segment.address() + reserved));
            }
        }
    }

    @Test
    void shouldReserveUpToTheEndAndNoFurther()
    {
        final Path file = root.resolve("pe-0.system");
        try (Segment segment = Segment.createArea(file, 8192, 5 * 4096); Segment peer =
            Segment.map(file, segment.length()))
        {
            segment.reserve(8192 + 3 * 4096 - 1, 1);
            assertEquals(8192 + 3 * 4096, segment.reserved());
            UnsafeApi.putLong(segment.address() + 8192, 5);
            assertEquals(5, UnsafeApi.getLong(peer.address() + 8192));
            assertThrows(IllegalArgumentException.class, () -> segment.reserve(8192 + 3 * 4096, 1));
            assertThrows(IllegalArgumentException.class, () -> segment.reserve(8192, Long.MAX_VALUE));
            assertThrows(IllegalArgumentException.class, () -> segment.reserve(Long.MAX_VALUE, 1));
            assertThrows(IllegalArgumentException.class, () -> peer.reserve(8192, 1));
        }
    }

    @Test
    void shouldReserveOnInterruptedThread()
    {
        try (Segment segment = Segment.createArea(root.resolve("pe-0.system"), 4096, 4096 + (1 << 20)))
        {
            Thread.currentThread().interrupt();
            segment.reserve(4096, 8192);
            segment.reserve(4096, 1 << 17);
            assertTrue(Thread.interrupted());
            assertTrue(segment.reserved() >= 4096 + (1 << 17), segment::toString);
        }
    }

    @Test
    void shouldRejectAFileThatExists() throws IOException
    {
        final Path file = root.resolve("pe-0.heap");
        Files.writeString(file, "mine");
        assertThrows(TransportException.class, () -> Segment.create(file, 4096, false));
        assertEquals("mine", Files.readString(file));

        final Path link = root.resolve("pe-1.heap");
        Files.createSymbolicLink(link, root.resolve("elsewhere"));
        assertThrows(TransportException.class, () -> Segment.create(link, 4096, false));
        assertFalse(Files.exists(root.resolve("elsewhere")));
    }

    @Test
    void shouldMapOnlyPrivateRegularFileOfTheLength() throws IOException
    {
        final Path file = root.resolve("pe-0.heap");
        Segment.create(file, 8192, false).close();
        assertThrows(TransportException.class, () -> Segment.map(file, 4096));
        assertThrows(TransportException.class, () -> Segment.map(file, 8193));
        assertThrows(TransportException.class, () -> Segment.map(root.resolve("absent"), 8192));
        final Path link = root.resolve("link");
        Files.createSymbolicLink(link, file);
        assertThrows(TransportException.class, () -> Segment.map(link, 8192));
        assertThrows(TransportException.class, () -> Segment.map(root, 8192));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw----"));
        assertThrows(TransportException.class, () -> Segment.map(file, 8192));
    }

    @Test
    void shouldCheckViews()
    {
        try (Segment segment = Segment.create(root.resolve("pe-0.heap"), 4096, false))
        {
            assertThrows(IndexOutOfBoundsException.class, () -> segment.view(-1, 1));
            assertThrows(IndexOutOfBoundsException.class, () -> segment.view(0, -1));
            assertThrows(IndexOutOfBoundsException.class, () -> segment.view(4096, 1));
            assertThrows(IndexOutOfBoundsException.class, () -> segment.view(1, 4096));
            assertThrows(IndexOutOfBoundsException.class, () -> segment.view(Long.MAX_VALUE, Integer.MAX_VALUE));
            assertThrows(IllegalArgumentException.class, () -> Segment.create(root.resolve("x"), 0, false));
        }
    }

    private static long used(final FileStore store)
    {
        try
        {
            return store.getTotalSpace() - store.getUsableSpace();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private static void collect(final WeakReference<?> reference)
    {
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (null != reference.get() && System.nanoTime() - deadlineNs < 0)
        {
            System.gc();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    private static void awaitFewerMappings(final Path file, final long before) throws IOException
    {
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (mappings(file) >= before)
        {
            assertTrue(System.nanoTime() - deadlineNs < 0, () -> "still " + before + " mappings");
            System.gc();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    private static long mappings(final Path file) throws IOException
    {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps")))
        {
            return lines.filter((line) -> line.contains(file.toString())).count();
        }
    }

    static final class LongSegmentProcess
    {
        private LongSegmentProcess()
        {
        }

        public static void main(final String[] args)
        {
            Segment.create(Path.of(args[0]), 3 * GIB, true).close();
        }
    }
}
