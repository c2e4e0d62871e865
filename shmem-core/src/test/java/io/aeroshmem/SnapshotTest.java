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

import io.aeroshmem.config.ShmemProperty;
import io.aeroshmem.transport.job.JobDirectory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Snapshots of jobs whose PEs are threads of this JVM. */
@Tag("jdk")
@Timeout(120)
class SnapshotTest
{
    private static final int N = 3;
    private static final int LONG_BLOCK = 300_000;

    private Path directory;

    @BeforeEach
    void before() throws IOException
    {
        directory = Files.createTempDirectory(JobDirectory.defaultRoot(), "aeroshmem-snapshots-");
    }

    @AfterEach
    void after() throws IOException
    {
        System.clearProperty(ShmemProperty.RECOVERY_WINDOW.propertyName());
        try (Stream<Path> files = Files.walk(directory))
        {
            for (final Path file : files.sorted(Comparator.reverseOrder()).toList())
            {
                Files.delete(file);
            }
        }
    }

    private static void fill(final SymmetricBuffer buffer, final long value)
    {
        for (long i = 0; i < buffer.length(); i += Long.BYTES)
        {
            buffer.putLong(i, value + i);
        }
    }

    private static void check(final SymmetricBuffer buffer, final long value)
    {
        for (long i = 0; i < buffer.length(); i += Long.BYTES)
        {
            assertEquals(value + i, buffer.getLong(i));
        }
    }

    private static void checkState(final Shmem shmem, final MemoryState state)
    {
        for (final Retained retained : shmem.retained())
        {
            for (int pe = 0; pe < shmem.nPes(); pe++)
            {
                assertEquals(state, retained.state(pe), retained::toString);
            }
        }
    }

    /** In the same job, where the program goes on with its buffers, and in one that has nothing, at other offsets. */
    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC", "UDP"})
    void shouldRestoreTheMemoryOfAllPes(final TransportKind transport) throws Exception
    {
        LocalJobs.run(N, transport, (shmem) ->
        {
            final SymmetricBuffer book = shmem.retain("book", LONG_BLOCK, 7);
            final SymmetricBuffer cursor = shmem.retain("cursor", 8);
            fill(book, 1_000 * shmem.myPe());
            // a put that no PE has completed before the call is in the snapshot
            shmem.defaultContext().putLong(cursor, 0, shmem.myPe(), (shmem.myPe() + 1) % N);
            shmem.snapshot(directory);
            fill(book, -1);
            cursor.putLong(0, -1);
            shmem.restore(directory);
            check(book, 1_000 * shmem.myPe());
            assertEquals((shmem.myPe() + N - 1) % N, cursor.getLong(0));
            checkState(shmem, MemoryState.RESTORED);
        });

        LocalJobs.run(N, transport, (shmem) ->
        {
            shmem.malloc(1_000).fill((byte)-1);
            shmem.retain("cursor", 8).putLong(0, 42);
            shmem.restore(directory);
            assertEquals(List.of("cursor", "book"), shmem.retained().stream().map(Retained::name).toList());
            check(shmem.retain("book", LONG_BLOCK, 7), 1_000 * shmem.myPe());
            assertEquals((shmem.myPe() + N - 1) % N, shmem.retain("cursor", 8).getLong(0));
            checkState(shmem, MemoryState.RESTORED);
            shmem.release("book");
            shmem.retain("new", 8);
        });
    }

    /** A generation that follows finds what was restored, and what the program has stored since. */
    @Test
    void shouldRetainWhatWasRestored() throws Exception
    {
        System.setProperty(ShmemProperty.RECOVERY_WINDOW.propertyName(), "1ms");
        Shmem.runLocal(2, LocalJobs.config().recovery(Recovery.RESTART), (shmem) ->
        {
            final SymmetricBuffer book = shmem.retain("book", 64);
            switch (shmem.generation().number())
            {
                case 0 ->
                {
                    fill(book, 10);
                    shmem.snapshot(directory);
                    fill(book, 20);
                    shmem.restore(directory);
                }
                case 1 ->
                {
                    checkState(shmem, MemoryState.RETAINED);
                    check(book, 10);
                    shmem.restore(directory);
                    fill(book, 30);
                }
                default ->
                {
                    checkState(shmem, MemoryState.RETAINED);
                    check(book, 30);
                    return;
                }
            }

            shmem.barrierAll();
            throw new IllegalStateException("a bad day");
        });
    }

    @Test
    void shouldChangeNothingIfTheSnapshotDoesNotFit() throws Exception
    {
        LocalJobs.run(2, (shmem) ->
        {
            assertReason(shmem, "contains no snapshot");
            fill(shmem.retain("book", 64, 1), shmem.myPe());
            shmem.snapshot(directory);
            shmem.release("book");

            for (final long[] other : new long[][]{ { 64, 2 }, { 72, 1 } })
            {
                final SymmetricBuffer book = shmem.retain("book", other[0], (int)other[1]);
                fill(book, 7);
                assertReason(shmem, "with this length and version");
                check(book, 7);
                shmem.release("book");
            }

            final SymmetricBuffer more = shmem.retain("more", 8);
            assertReason(shmem, "none of that name");
            assertEquals(List.of("more"), shmem.retained().stream().map(Retained::name).toList());
            shmem.release("more");

            final SymmetricBuffer rest = shmem.malloc(LocalJobs.HEAP_SIZE);
            final SymmetricHeapExhaustedException ex =
                assertThrows(SymmetricHeapExhaustedException.class, () -> shmem.restore(directory));
            assertTrue(ex.getMessage().contains("64"), ex::getMessage);
            assertEquals(List.of(), shmem.retained());
            shmem.free(rest);
            shmem.restore(directory);
            check(shmem.retain("book", 64, 1), shmem.myPe());
        });
        LocalJobs.run(3, (shmem) ->
        {
            assertReason(shmem, "one of 2 PEs, not 3");
            assertEquals(List.of(), shmem.retained());
        });
    }

    /** The PE that has failed states the reason, and all others which PE it is. */
    private void assertReason(final Shmem shmem, final String reason)
    {
        final SnapshotException ex = assertThrows(SnapshotException.class, () -> shmem.restore(directory));
        assertTrue(ex.getMessage().startsWith("nothing was restored from " + directory + ": "), ex::getMessage);
        assertTrue(ex.getMessage().contains(reason) || null == ex.getCause() &&
            ex.getMessage().matches(".*: PE \\d has failed, and its exception states the reason"), ex::getMessage);
        assertNull(shmem.failure());
        shmem.barrierAll();
    }

    /** One PE's part is altered, or missing, and no PE restores anything. */
    @Test
    void shouldChangeNothingIfAFileIsAltered() throws Exception
    {
        LocalJobs.run(2, (shmem) ->
        {
            final SymmetricBuffer book = shmem.retain("book", LONG_BLOCK);
            fill(book, shmem.myPe());
            shmem.snapshot(directory);
            fill(book, 7);
            final Path part = directory.resolve("snapshot-1/pe-1.part");
            final byte[] whole = Files.readAllBytes(part);
            for (final int[] change : new int[][]{
                { 0, 0 }, { whole.length - 1, 0 }, { whole.length, 24 }, { whole.length, whole.length - 100 } })
            {
                alter(shmem, part, whole, change[0], change[1]);
                assertReason(shmem, "pe-1.part cannot be used: ");
                check(book, 7);
                checkState(shmem, MemoryState.ZEROED);
            }

            alter(shmem, part, whole, whole.length, -1);
            shmem.restore(directory);
            check(book, shmem.myPe());
        });
    }

    private static void alter(
        final Shmem shmem, final Path part, final byte[] whole, final int length, final int at) throws IOException
    {
        shmem.barrierAll();
        if (0 == shmem.myPe())
        {
            final byte[] altered = Arrays.copyOf(whole, length);
            if (at >= 0 && length > 0)
            {
                altered[at] ^= 16;
            }

            Files.write(part, altered);
        }

        shmem.barrierAll();
    }

    /** A directory of each host; PE 0 commits in its own. */
    @Test
    void shouldWriteToTheDirectoryOfEachPe() throws Exception
    {
        LocalJobs.run(2, (shmem) ->
        {
            final Path own = directory.resolve("host-" + shmem.myPe());
            fill(shmem.retain("book", 64), shmem.myPe());
            shmem.snapshot(own);
            shmem.snapshot(own);
            assertEquals(0 == shmem.myPe(), Files.exists(own.resolve("snapshot-2/manifest")));
            assertTrue(Files.exists(own.resolve("snapshot-2/pe-" + shmem.myPe() + ".part")));
            shmem.barrierAll();
            assertFalse(Files.exists(own.resolve("snapshot-1")));
            fill(shmem.retain("book", 64), 7);
            shmem.restore(own);
            check(shmem.retain("book", 64), shmem.myPe());
            shmem.barrierAll();

            // that of the other host
            assertThrows(SnapshotException.class,
                () -> shmem.restore(directory.resolve("host-" + (1 - shmem.myPe()))));
        });
    }

    @Test
    void shouldKeepAsManyAsSet() throws Exception
    {
        final AtomicInteger errors = new AtomicInteger();
        Shmem.runLocal(2, LocalJobs.config().snapshotKeep(2).errorHandler((ex) -> errors.incrementAndGet()), (shmem) ->
        {
            final SymmetricBuffer book = shmem.retain("book", 64);
            for (int i = 1; i <= 4; i++)
            {
                fill(book, i);
                shmem.snapshot(directory);
            }

            shmem.barrierAll();
            assertFalse(Files.exists(directory.resolve("snapshot-2")));
            assertTrue(Files.exists(directory.resolve("snapshot-3/manifest")));
            shmem.restore(directory);
            check(book, 4);

            // the operator takes the newest one away
            shmem.barrierAll();
            if (0 == shmem.myPe())
            {
                Files.delete(directory.resolve("snapshot-4/manifest"));
            }

            shmem.restore(directory);
            check(book, 3);
        });
        assertEquals(0, errors.get());
        assertThrows(IllegalArgumentException.class, () -> LocalJobs.config().snapshotKeep(0).conclude());
    }

    /** A PE that cannot write prevents the snapshot, and the one before stays. */
    @Test
    void shouldKeepTheOneBeforeIfAPeCannotWrite() throws Exception
    {
        LocalJobs.run(2, (shmem) ->
        {
            final SymmetricBuffer book = shmem.retain("book", 64);
            fill(book, 1);
            shmem.snapshot(directory);
            fill(book, 2);
            final Path obstacle = directory.resolve("snapshot-2/pe-1.part/in the way");
            if (0 == shmem.myPe())
            {
                Files.createDirectories(obstacle);
            }

            shmem.barrierAll();
            final SnapshotException ex = assertThrows(SnapshotException.class, () -> shmem.snapshot(directory));
            assertTrue(ex.getMessage().startsWith("no snapshot was written to " + directory), ex::getMessage);
            assertFalse(Files.exists(directory.resolve("snapshot-2/pe-0.part")) && 0 == shmem.myPe());
            shmem.restore(directory);
            check(book, 1);
        });
    }

    @Test
    void shouldRejectCallsThatDiffer() throws Exception
    {
        LocalJobs.run(2, (shmem) -> assertThrows(CollectiveMismatchException.class, () ->
        {
            if (0 == shmem.myPe())
            {
                shmem.snapshot(directory);
            }
            else
            {
                shmem.restore(directory);
            }
        }));
        LocalJobs.run(1, (shmem) ->
        {
            assertThrows(IllegalArgumentException.class, () -> shmem.snapshot(null));
            assertThrows(IllegalArgumentException.class, () -> shmem.restore(null));
        });
    }

    @Test
    void shouldRejectOnAllPesWhatOneMayNotPass() throws Exception
    {
        Shmem.runLocal(3, LocalJobs.config().checkCollectives(true), (shmem) ->
        {
            final Path ofThis = 1 == shmem.myPe() ? null : directory;
            assertRejectedByPe1("snapshot", () -> shmem.snapshot(ofThis));
            assertRejectedByPe1("restore", () -> shmem.restore(ofThis));
            shmem.snapshot(directory);
            shmem.restore(directory);
        });
    }

    private static void assertRejectedByPe1(final String name, final Executable call)
    {
        final String message = assertThrows(CollectiveMismatchException.class, call).getMessage();
        assertTrue(message.contains("PE 1 called " + name + "(directory) and rejected it"), message);
    }
}
