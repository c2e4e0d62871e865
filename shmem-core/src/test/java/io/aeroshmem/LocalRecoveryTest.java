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
import io.aeroshmem.transport.job.JobCleaner;
import io.aeroshmem.transport.job.JobDirectory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Generations of jobs whose PEs are threads of this JVM. */
@Timeout(120)
class LocalRecoveryTest
{
    private static final int N = 3;

    /** Of each PE in each generation: its number, the lost PEs and the message of the cause. */
    private final Set<String> seen = ConcurrentHashMap.newKeySet();
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

    @AfterEach
    void clear()
    {
        System.clearProperty(ShmemProperty.RECOVERY_JOIN_TIMEOUT.propertyName());
        System.clearProperty(ShmemProperty.RECOVERY_WINDOW.propertyName());
        System.clearProperty(ShmemProperty.SHM_DIR.propertyName());
    }

    @Test
    void shouldRunTheTaskAgainInWhateverWayAPeFails() throws Exception
    {
        // so that no recovery is delayed
        System.setProperty(ShmemProperty.RECOVERY_WINDOW.propertyName(), "1ms");
        Shmem.runLocal(N, config(), (shmem) ->
        {
            record(shmem);
            switch (shmem.generation().number())
            {
                case 0 -> fail(shmem, 1, () ->
                {
                    throw new IllegalStateException("a bad day");
                });
                case 1 -> fail(shmem, 0, () -> shmem.requestRecovery("a better day"));
                case 2 -> fail(shmem, 2, () -> shmem.fail(new IllegalStateException("caught")));
                case 3 -> fail(shmem, 0, () ->
                {
                    throw new AssertionError("not equal");
                });
                default -> assertEquals(N, shmem.world().reduceLong(ReduceOp.SUM, 1));
            }
        });

        final List<String> expected = Stream.of(
            "0 [] null",
            "1 [1] PE 1 failed: java.lang.IllegalStateException: a bad day",
            "2 [] PE 0 requested a recovery: a better day",
            "3 [2] PE 2 failed: java.lang.IllegalStateException: caught",
            "4 [0] PE 0 failed: java.lang.AssertionError: not equal")
            .flatMap((text) -> Stream.of("0 ", "1 ", "2 ").map((pe) -> pe + text)).sorted().toList();
        assertEquals(expected, seen.stream().sorted().toList());
        assertEquals(5 * N, threads.size(), "threads of its own for each generation");
    }

    /** What was never allocated is zero; what was, is zeroed, also in the next generation. */
    @Test
    void shouldTakeNoPagesForRetainedMemoryThatWasNeverUsed() throws Exception
    {
        final Path root = Files.createTempDirectory(JobDirectory.defaultRoot(), "aeroshmem-recovery-");
        System.setProperty(ShmemProperty.SHM_DIR.propertyName(), root.toString());
        System.setProperty(ShmemProperty.RECOVERY_WINDOW.propertyName(), "1ms");
        final long length = 16 << 20;
        Shmem.runLocal(1, config().heapSize(4 * length).heapSparse(true), (shmem) ->
        {
            final int number = shmem.generation().number();
            shmem.retain("kept " + number, length);
            assertTrue(pages(root) < length / 2, "touched in generation " + number);
            if (2 == number)
            {
                shmem.release("kept 1");
                checkZero(shmem.retain("kept again", length));
                return;
            }

            if (1 == number)
            {
                final SymmetricBuffer kept = shmem.retain("kept 1", length);
                kept.putLong(0, 1);
                kept.putLong(length - Long.BYTES, 1);
            }

            throw new IllegalStateException("a bad day");
        });
        Files.delete(root);
    }

    private static void checkZero(final SymmetricBuffer buffer)
    {
        for (long i = 0; i < buffer.length(); i += Long.BYTES)
        {
            assertEquals(0, buffer.getLong(i));
        }
    }

    /** Returns the bytes that the files of a job occupy. */
    private static long pages(final Path root) throws Exception
    {
        final Process du = new ProcessBuilder("du", "-s", "--block-size=1", root.toString()).start();
        return Long.parseLong(new String(du.getInputStream().readAllBytes(), StandardCharsets.UTF_8).split("\\s")[0]);
    }

    /** Named memory crosses, with what the PE and others stored there; no other does, and no file stays. */
    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC", "UDP"})
    void shouldRetainMemoryFromOneGenerationToTheNext(final TransportKind transport) throws Exception
    {
        final Path root = Files.createTempDirectory(JobDirectory.defaultRoot(), "aeroshmem-recovery-");
        System.setProperty(ShmemProperty.SHM_DIR.propertyName(), root.toString());
        System.setProperty(ShmemProperty.RECOVERY_WINDOW.propertyName(), "1ms");
        final int last = 3;
        Shmem.runLocal(N, config().transport(transport), (shmem) ->
        {
            final int number = shmem.generation().number();
            final int me = shmem.myPe();
            if (number > last)
            {
                // a check has failed, and would again
                shmem.globalExit(1);
            }

            record(shmem);
            assertEquals(0 == number ? List.of() : List.of("book", "cursor"),
                shmem.retained().stream().map(Retained::name).sorted().toList());
            final SymmetricBuffer book = shmem.retain("book", 4096);
            final SymmetricBuffer cursor = shmem.retain("cursor", Long.BYTES);
            for (int pe = 0; pe < N && number > 0; pe++)
            {
                assertEquals(MemoryState.RETAINED, shmem.retained().get(0).state(pe));
            }

            assertEquals(number, cursor.getLong(0));
            for (int i = 0; i < number; i++)
            {
                assertEquals(10L * i + (me + N - 1) % N, book.getLong(8L * i), "of generation " + i);
            }

            shmem.defaultContext().putLong(book, 8L * number, 10L * number + me, (me + 1) % N);
            shmem.barrierAll();
            cursor.putLong(0, number + 1);
            if (number < last)
            {
                fail(shmem, number, () ->
                {
                    throw new IllegalStateException("a bad day");
                });
            }
        });
        assertEquals((last + 1) * N, seen.size());
        assertEquals(List.of(), JobCleaner.list(root));
        Files.deleteIfExists(root.resolve("aeroshmem-" + Files.getAttribute(root, "unix:uid")));
        Files.delete(root);
    }

    @Test
    void shouldThrowTheLastCauseWithTheEarlierOnesAfterTheMostRecoveries()
    {
        final Exception ex = assertThrows(IllegalStateException.class, () ->
            Shmem.runLocal(2, config().maxRecoveries(2), (shmem) ->
            {
                record(shmem);
                fail(shmem, 1, () ->
                {
                    throw new IllegalStateException("in generation " + shmem.generation().number());
                });
            }));

        assertEquals("in generation 2", ex.getMessage());
        final List<String> earlier = Stream.of(ex.getSuppressed()).map(Throwable::getMessage)
            .filter((message) -> message.startsWith("generation ")).toList();
        assertEquals(List.of(
            "generation 0 of the job failed: java.lang.IllegalStateException: in generation 0",
            "generation 1 of the job failed: java.lang.IllegalStateException: in generation 1"), earlier);
    }

    /** The threads of PEs that survive go on. */
    @Test
    void shouldReplaceOnlyThePesThatFail() throws Exception
    {
        final Path root = Files.createTempDirectory(JobDirectory.defaultRoot(), "aeroshmem-recovery-");
        System.setProperty(ShmemProperty.SHM_DIR.propertyName(), root.toString());
        System.setProperty(ShmemProperty.RECOVERY_WINDOW.propertyName(), "1ms");
        final Map<String, Thread> threadOf = new ConcurrentHashMap<>();
        final AtomicReferenceArray<SymmetricBuffer> earlier = new AtomicReferenceArray<>(N);
        Shmem.runLocal(N, config().recovery(Recovery.REPLACE), (shmem) ->
        {
            final int number = shmem.generation().number();
            final int me = shmem.myPe();
            record(shmem);
            threadOf.put(number + " " + me, Thread.currentThread());
            for (int pe = 0; pe < N; pe++)
            {
                final boolean isNew = 0 == pe && (1 == number || 4 == number);
                assertEquals(isNew, shmem.generation().isReplacement(pe));
            }

            if (number > 0)
            {
                final String message = assertThrows(IllegalStateException.class, () ->
                    shmem.defaultContext().putLong(earlier.get(me), 0, 1, 0)).getMessage();
                assertTrue(message.contains("generation " + (number - 1)), message);
            }

            final SymmetricBuffer count = shmem.retain("count", Long.BYTES);
            assertEquals(number, count.getLong(0));
            shmem.barrierAll();
            count.putLong(0, number + 1);
            earlier.set(me, count);
            switch (number)
            {
                case 0, 3 -> fail(shmem, number % N, () ->
                {
                    throw new IllegalStateException("a bad day");
                });
                case 1 -> fail(shmem, 1, () -> shmem.requestRecovery("a better day"));
                case 2 -> fail(shmem, 2, () -> shmem.fail(new IllegalStateException("caught")));
                default -> assertEquals(N, shmem.world().reduceLong(ReduceOp.SUM, 1));
            }
        });

        assertEquals(5 * N, seen.size());
        for (int number = 1; number < 5; number++)
        {
            for (int pe = 0; pe < N; pe++)
            {
                final boolean isNew = 0 == pe && (1 == number || 4 == number);
                assertEquals(!isNew, threadOf.get(number + " " + pe) == threadOf.get((number - 1) + " " + pe));
            }
        }

        assertEquals(List.of(), JobCleaner.list(root));
        Files.deleteIfExists(root.resolve("aeroshmem-" + Files.getAttribute(root, "unix:uid")));
        Files.delete(root);
    }

    @Test
    void shouldEndTheThreadsThatSurviveTheLastFailure()
    {
        final Exception ex = assertThrows(IllegalStateException.class, () ->
            Shmem.runLocal(N, config().recovery(Recovery.REPLACE).maxRecoveries(1), (shmem) ->
            {
                record(shmem);
                fail(shmem, 1, () ->
                {
                    throw new IllegalStateException("in generation " + shmem.generation().number());
                });
            }));

        assertEquals("in generation 1", ex.getMessage());
        assertTrue(threads.stream().noneMatch(Thread::isAlive), threads::toString);
        assertEquals(N + 1, threads.size());
    }

    @Test
    void shouldEndByAGlobalExit()
    {
        final GlobalExitException ex = assertThrows(GlobalExitException.class, () ->
            Shmem.runLocal(2, config(), (shmem) ->
            {
                record(shmem);
                fail(shmem, 1, () -> shmem.globalExit(5));
            }));

        assertEquals(5, ex.status());
        assertEquals(Set.of("0 0 [] null", "1 0 [] null"), seen);
    }

    @Test
    void shouldNotRepeatAnInvalidConfiguration()
    {
        final Exception ex = assertThrows(IllegalArgumentException.class, () ->
            Shmem.runLocal(2, config().heapSize(1), (shmem) -> record(shmem)));
        assertTrue(Stream.of(ex.getSuppressed()).noneMatch((each) -> each.getMessage().startsWith("generation ")));
    }

    /** The library refuses a directory that others may enter: here for a while, as if there were no room. */
    @Test
    @Tag("ci")
    void shouldWaitUntilThereCanBeANextGeneration(@TempDir final Path root) throws Exception
    {
        final CompletableFuture<Void> room = new CompletableFuture<>();
        Shmem.runLocal(2, config().shmDirectoryName(root.toString()), (shmem) ->
        {
            record(shmem);
            shmem.barrierAll();
            if (0 == shmem.generation().number() && 1 == shmem.myPe())
            {
                final Path jobs;
                try (Stream<Path> entries = Files.list(root))
                {
                    jobs = entries.findFirst().orElseThrow();
                }

                Files.setPosixFilePermissions(jobs, PosixFilePermissions.fromString("rwxrwxrwx"));
                CompletableFuture.delayedExecutor(500, TimeUnit.MILLISECONDS).execute(() ->
                {
                    try
                    {
                        Files.setPosixFilePermissions(jobs, PosixFilePermissions.fromString("rwx------"));
                        room.complete(null);
                    }
                    catch (final IOException ex)
                    {
                        room.completeExceptionally(ex);
                    }
                });
                throw new IllegalStateException("a bad day");
            }

            if (0 == shmem.generation().number())
            {
                fail(shmem, -1, () -> {});
            }
        });
        room.get();
        assertTrue(seen.contains("0 1 [1] PE 1 failed: java.lang.IllegalStateException: a bad day"), seen::toString);
    }

    @Test
    @Tag("ci")
    void shouldEndTheJobIfAThreadDoesNotEnd() throws Exception
    {
        System.setProperty(ShmemProperty.RECOVERY_JOIN_TIMEOUT.propertyName(), "2s");
        final CountDownLatch waiting = new CountDownLatch(1);
        final CountDownLatch end = new CountDownLatch(1);
        final ShmemException ex = assertThrows(ShmemException.class, () ->
            Shmem.runLocal(2, config(), (shmem) ->
            {
                record(shmem);
                if (1 == shmem.myPe())
                {
                    waiting.await();
                    throw new IllegalStateException("a bad day");
                }

                waiting.countDown();
                end.await();
            }));

        assertEquals("PE 0 (thread aeroshmem-pe-0) did not end within 2000 ms after its generation of the job had" +
            " failed (aeroshmem.recovery.join.timeout)", ex.getMessage());
        assertEquals("a bad day", ex.getSuppressed()[0].getMessage());
        end.countDown();
        for (final Thread thread : threads)
        {
            thread.join();
        }
    }

    @Test
    void shouldHaveOneGenerationWithoutRecovery()
    {
        assertThrows(IllegalStateException.class, () -> Shmem.runLocal(2, LocalJobs.config(), (shmem) ->
        {
            record(shmem);
            fail(shmem, 1, () ->
            {
                throw new IllegalStateException("a bad day");
            });
        }));
        assertEquals(Set.of("0 0 [] null", "1 0 [] null"), seen);
    }

    private static Shmem.Context config()
    {
        return LocalJobs.config().recovery(Recovery.RESTART);
    }

    private void record(final Shmem shmem)
    {
        final Generation generation = shmem.generation();
        assertFalse(shmem.isEnded());
        assertNull(shmem.failure());
        threads.add(Thread.currentThread());
        seen.add(shmem.myPe() + " " + generation.number() + ' ' +
            generation.lost().stream().map(Lost::pe).map(String::valueOf).collect(Collectors.joining(",", "[", "] ")) +
            (null == generation.cause() ? null : generation.cause().getMessage()));
    }

    /** Lets one PE fail; the others then receive the failure. */
    private static void fail(final Shmem shmem, final int pe, final Runnable failure)
    {
        shmem.barrierAll();
        if (pe == shmem.myPe())
        {
            failure.run();
            assertTrue(shmem.isEnded());
            return;
        }

        while (true)
        {
            shmem.barrierAll();
        }
    }
}
