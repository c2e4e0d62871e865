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
package io.aeroshmem.latency;

import io.aeroshmem.collective.task.Routine;
import io.aeroshmem.transport.job.PeLatencyFile;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.agrona.ErrorHandler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LatencyRecordingTest
{
    private static final long LONG_INTERVAL_NS = TimeUnit.MINUTES.toNanos(10);
    private static final long SHORT_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(2);

    @TempDir
    private Path directory;
    @TempDir
    private Path jobDirectory;
    private final List<Throwable> errors = new CopyOnWriteArrayList<>();
    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private LatencyRecording recording;

    @AfterEach
    void close()
    {
        if (null != recording)
        {
            recording.close();
        }
    }

    @Test
    void shouldHaveNeitherThreadNorFilesWhileItWasNeverOn() throws IOException
    {
        record(directory.resolve("none"), LONG_INTERVAL_NS);
        recording.record(false);
        assertFalse(recording.isOn());
        recording.close();

        assertEquals(List.of(), threads);
        assertFalse(Files.exists(directory.resolve("none")));
    }

    @Test
    void shouldWriteALineForEachTeamCollectiveAndSizeClass() throws IOException
    {
        record(directory.resolve("made/by it"), LONG_INTERVAL_NS);
        recording.record(true);
        final TeamLatency world = recording.team("WORLD");
        final TeamLatency other = recording.team("team, 7");
        assertTrue(world.isOn());
        world.record(Routine.BARRIER, 0, 1000, 1100);
        world.record(Routine.REDUCE, 8, 2000, 2200);
        world.record(Routine.REDUCE, 1, 3000, 3250);
        world.record(Routine.REDUCE, 9, 3000, 3333);
        other.record(Routine.EXCLUSIVE_SCAN, 1 << 20, 0, 5_000_000);
        recording.close();

        final Path log = directory.resolve("made/by it/aeroshmem-pe3.hlog");
        final Map<String, Histogram> histograms = read(log);
        assertEquals(
            List.of(
                "WORLD.barrier.0B", "WORLD.reduce.to-64B", "WORLD.reduce.to-8B",
                "team__7.exclusive_scan.to-2MiB"),
            new ArrayList<>(histograms.keySet()));
        assertEquals(2, histograms.get("WORLD.reduce.to-8B").getTotalCount());
        assertEquals(1, histograms.get("WORLD.reduce.to-8B").getCountAtValue(200));
        assertEquals(1, histograms.get("WORLD.reduce.to-8B").getCountAtValue(250));
        assertEquals(5e6, histograms.get("team__7.exclusive_scan.to-2MiB").getMaxValue(), 5e4);
        assertTrue(Files.readAllLines(log).get(0).startsWith("#[Latencies in nanoseconds of PE 3 of 4, "));

        final String distribution = Files.readString(log.resolveSibling("aeroshmem-pe3.WORLD.reduce.to-8B.hgrm"));
        assertTrue(distribution.contains("Percentile TotalCount"), distribution);
        assertTrue(distribution.matches("(?s).*Total count +=  +2\\].*"), distribution);
        assertEquals(List.of(), errors);
    }

    @Test
    void shouldLogEveryIntervalAndNothingWhileNothingIsRecorded() throws IOException
    {
        record(directory, SHORT_INTERVAL_NS);
        recording.record(true);
        final TeamLatency world = recording.team("WORLD");
        world.record(Routine.SYNC, 0, 0, 100);
        awaitLines(1);
        world.record(Routine.SYNC, 0, 0, 200);
        world.record(Routine.BROADCAST, 8, 0, 300);
        awaitLines(3);
        recording.close();

        final List<EncodableHistogram> lines = lines(directory.resolve("aeroshmem-pe3.hlog"));
        assertTrue(lines.size() <= 4, "empty intervals are left out: " + lines.size());
        assertEquals("WORLD.sync.0B", lines.get(0).getTag());
        assertEquals(1, ((Histogram)lines.get(0)).getTotalCount());
        assertEquals(2, read(directory.resolve("aeroshmem-pe3.hlog")).get("WORLD.sync.0B").getTotalCount());
        for (final EncodableHistogram line : lines)
        {
            assertTrue(line.getStartTimeStamp() <= line.getEndTimeStamp());
            assertEquals(System.currentTimeMillis(), line.getStartTimeStamp(), 60_000);
        }
    }

    @Test
    void shouldBeSwitchedOnAndOff() throws IOException
    {
        record(directory, LONG_INTERVAL_NS);
        final TeamLatency world = recording.team("WORLD");
        assertFalse(world.isOn());
        recording.record(true);
        recording.record(true);
        assertTrue(world.isOn());
        world.record(Routine.SYNC, 0, 0, 100);
        recording.record(false);
        assertFalse(world.isOn());
        awaitLines(1);
        recording.record(true);
        assertTrue(world.isOn());
        world.record(Routine.SYNC, 0, 0, 200);
        recording.close();
        assertFalse(world.isOn());
        recording.record(true);
        assertFalse(world.isOn(), "closed");

        assertEquals(1, threads.size());
        assertTrue(threads.get(0).isDaemon());
        assertEquals(2, lines(directory.resolve("aeroshmem-pe3.hlog")).size());
    }

    @Test
    void shouldWriteWhatAClosedTeamLeavesAndForgetIt() throws IOException
    {
        record(directory, LONG_INTERVAL_NS);
        recording.record(true);
        final TeamLatency team = recording.team("team-0-1");
        team.record(Routine.SYNC, 0, 0, 100);
        team.record(Routine.REDUCE, 8, 0, 200);
        team.close();
        team.close();
        await(() -> Files.exists(directory.resolve("aeroshmem-pe3.team-0-1.sync.0B.hgrm")) &&
            Files.exists(directory.resolve("aeroshmem-pe3.team-0-1.reduce.to-8B.hgrm")));
        assertTrue(recording.toString().contains(" 0 histograms"), recording.toString());

        recording.record(false);
        final TeamLatency idle = recording.team("team-0-2");
        idle.record(Routine.SYNC, 0, 0, 100);
        idle.close();
        await(() -> Files.exists(directory.resolve("aeroshmem-pe3.team-0-2.sync.0B.hgrm")));
        recording.close();
        assertEquals(
            List.of("team-0-1.reduce.to-8B", "team-0-1.sync.0B", "team-0-2.sync.0B"),
            new ArrayList<>(read(directory.resolve("aeroshmem-pe3.hlog")).keySet()));
        assertEquals(List.of(), errors);
    }

    /** Viewers find everything recorded so far, whether the log can be written or not. */
    @Test
    void shouldPublishTheTotalsOfOpenTeams() throws IOException
    {
        final Path file = directory.resolve("file");
        Files.writeString(file, "in the way of the log");
        record(file, SHORT_INTERVAL_NS);
        recording.record(true);
        final Path published = jobDirectory.resolve("latencies-3");
        final TeamLatency world = recording.team("WORLD");
        final TeamLatency other = recording.team("other");
        for (int i = 1; i <= 3; i++)
        {
            final int count = i;
            world.record(Routine.SYNC, 0, 0, 100L * i);
            other.record(Routine.SYNC, 0, 0, 100);
            await(() -> Files.exists(published) &&
                count == read(published).getOrDefault("WORLD.sync.0B", new Histogram(2)).getTotalCount());
        }

        assertEquals(1, errors.size(), errors.toString());
        other.close();
        world.record(Routine.SYNC, 0, 0, 400);
        await(() -> 4 == read(published).get("WORLD.sync.0B").getTotalCount());
        assertEquals(List.of("WORLD.sync.0B"), new ArrayList<>(read(published).keySet()));
        assertEquals(400, read(published).get("WORLD.sync.0B").getMaxValue(), 4);
    }

    @Test
    void shouldHoldNoMemoryForTeamsThatAreClosedFasterThanTheyCanBeWritten() throws IOException
    {
        final CountDownLatch disk = new CountDownLatch(1);
        record(directory, LONG_INTERVAL_NS, (task) -> new Thread(() ->
        {
            awaitUninterruptibly(disk);
            task.run();
        }), errors::add);
        recording.record(true);
        final int teams = 1100;
        for (int i = 0; i < teams; i++)
        {
            final TeamLatency team = recording.team("team-0-" + i);
            team.record(Routine.SYNC, 0, 0, 100);
            team.close();
        }

        disk.countDown();
        recording.close();
        assertEquals(1000, read(directory.resolve("aeroshmem-pe3.hlog")).size());
        assertEquals(1, errors.size());
        assertTrue(errors.get(0).getMessage().contains("the latencies of 100 collectives"), errors.toString());
    }

    private static void awaitUninterruptibly(final CountDownLatch latch)
    {
        try
        {
            latch.await();
        }
        catch (final InterruptedException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    @Test
    void shouldKeepTimesThatAreOutOfRange() throws IOException
    {
        record(directory, LONG_INTERVAL_NS);
        recording.record(true);
        final TeamLatency world = recording.team("WORLD");
        world.record(Routine.SYNC, 0, 0, Long.MAX_VALUE);
        world.record(Routine.SYNC, 0, 5, 4);
        recording.close();

        final Histogram histogram = read(directory.resolve("aeroshmem-pe3.hlog")).get("WORLD.sync.0B");
        assertEquals(2, histogram.getTotalCount());
        assertEquals(1, histogram.getCountAtValue(0));
        assertEquals(LatencyHistogram.HIGHEST_NS, histogram.getMaxValue(), 0.01 * LatencyHistogram.HIGHEST_NS);
    }

    @Test
    void shouldLoseNothingWhileIntervalsAreTaken() throws Exception
    {
        record(directory, TimeUnit.MILLISECONDS.toNanos(1));
        recording.record(true);
        final TeamLatency world = recording.team("WORLD");
        final int callers = 4;
        final int calls = 200_000;
        // one at a time, but not always the same
        for (int i = 0; i < callers; i++)
        {
            final Thread caller = new Thread(() ->
            {
                for (int j = 0; j < calls; j++)
                {
                    world.record(Routine.SYNC, 0, 0, j);
                }
            });
            caller.start();
            caller.join();
        }

        recording.close();
        final Path log = directory.resolve("aeroshmem-pe3.hlog");
        assertEquals((long)callers * calls, read(log).get("WORLD.sync.0B").getTotalCount());
        assertEquals(List.of(), errors);
    }

    /** Unlike a collective, an operation is recorded by any threads at the same time. */
    @Test
    void shouldLoseNoOperationOfThreadsThatRecordAtTheSameTime() throws Exception
    {
        record(directory, TimeUnit.MILLISECONDS.toNanos(1));
        recording.record(true);
        final OperationRecording operations = recording.operations(System::nanoTime);
        final int calls = 100_000;
        final List<Thread> callers = new ArrayList<>();
        for (int i = 0; i < 4; i++)
        {
            final Thread caller = new Thread(() ->
            {
                for (int j = 0; j < calls; j++)
                {
                    operations.end(Operation.PUT, 8, operations.begin());
                }
            });
            callers.add(caller);
            caller.start();
        }

        for (final Thread caller : callers)
        {
            caller.join();
        }

        recording.close();
        final Path log = directory.resolve("aeroshmem-pe3.hlog");
        assertEquals(4L * calls, read(log).get("operations.put.to-8B").getTotalCount());
        assertEquals(4L * calls, operations.count(Operation.PUT));
        assertEquals(32L * calls, operations.bytes(Operation.PUT));
        assertEquals(List.of(), errors);
    }

    @Test
    void shouldCountOperationsWhileNoLatenciesAreRecorded() throws IOException
    {
        record(directory, LONG_INTERVAL_NS);
        final OperationRecording operations = recording.operations(() ->
        {
            throw new AssertionError("the clock is read");
        });
        operations.end(Operation.GET, 16, operations.begin());
        operations.end(Operation.QUIET, 0, operations.begin());
        assertEquals(1, operations.count(Operation.GET, Operation.GET_NBI));
        assertEquals(16, operations.bytes(Operation.GET, Operation.GET_NBI));
        recording.close();
        assertFalse(Files.exists(directory.resolve("aeroshmem-pe3.hlog")));
    }

    @Test
    void shouldAllocateNothingInSteadyState()
    {
        record(directory, SHORT_INTERVAL_NS);
        recording.record(true);
        final TeamLatency world = recording.team("WORLD");
        final OperationRecording operations = recording.operations(System::nanoTime);
        final Routine[] routines = Routine.values();
        recordEach(world, operations, routines, 1000);
        final com.sun.management.ThreadMXBean bean =
            (com.sun.management.ThreadMXBean)ManagementFactory.getThreadMXBean();
        final long thread = Thread.currentThread().getId();
        bean.getThreadAllocatedBytes(thread);

        // the JVM allocates now and then, a recording would do so in every attempt
        long allocated = Long.MAX_VALUE;
        for (int attempt = 0; attempt < 10 && allocated >= 4096; attempt++)
        {
            final long before = bean.getThreadAllocatedBytes(thread);
            recordEach(world, operations, routines, 100_000);
            allocated = bean.getThreadAllocatedBytes(thread) - before;
        }

        assertTrue(allocated < 4096, "allocated " + allocated + " bytes");
    }

    private static void recordEach(
        final TeamLatency latency, final OperationRecording operations, final Routine[] routines, final int times)
    {
        for (int i = 0; i < times; i++)
        {
            operations.end(Operation.FETCH_ATOMIC, 8, operations.begin());
            for (int r = 0; r < routines.length; r++)
            {
                if (latency.isOn())
                {
                    latency.record(routines[r], 8, 0, i + (1L << r));
                }
            }
        }
    }

    @Test
    void shouldTellTheErrorHandlerOfARunOfFailuresOnceAndGoOn() throws Exception
    {
        final Path file = directory.resolve("file");
        Files.writeString(file, "in the way");
        record(file, SHORT_INTERVAL_NS);
        recording.record(true);
        final TeamLatency world = recording.team("WORLD");
        world.record(Routine.SYNC, 0, 0, 100);
        await(() -> !errors.isEmpty());
        assertTrue(errors.get(0) instanceof IOException, errors.toString());
        assertTrue(errors.get(0).getMessage().contains("file"), errors.toString());

        // when the fault has ended, the records of the meantime are written
        Files.delete(file);
        awaitLines(file.resolve("aeroshmem-pe3.hlog"), 1);
        recording.close();
        assertEquals(1, read(file.resolve("aeroshmem-pe3.hlog")).get("WORLD.sync.0B").getTotalCount());
        assertEquals(1, errors.size(), errors.toString());
    }

    @Test
    void shouldWriteDistributionsWhereTheLogCannotBeWritten() throws IOException
    {
        Files.createDirectory(directory.resolve("aeroshmem-pe3.hlog"));
        record(directory, SHORT_INTERVAL_NS);
        recording.record(true);
        recording.team("WORLD").record(Routine.SYNC, 0, 0, 100);
        recording.close();

        assertTrue(Files.exists(directory.resolve("aeroshmem-pe3.WORLD.sync.0B.hgrm")));
        assertEquals(1, errors.size(), errors.toString());
    }

    /** A FIFO that nobody reads has the name of a file that is not complete. */
    @Test
    void shouldNotWriteToAFifo() throws Exception
    {
        final Path fifo = directory.resolve("aeroshmem-pe3.WORLD.sync.0B.hgrm.part");
        assertEquals(0, new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor());
        record(directory, LONG_INTERVAL_NS);
        recording.record(true);
        recording.team("WORLD").record(Routine.SYNC, 0, 0, 100);
        recording.close();

        assertTrue(Files.isRegularFile(directory.resolve("aeroshmem-pe3.WORLD.sync.0B.hgrm")));
        assertEquals(List.of(), errors);
    }

    @Test
    void shouldSurviveAnErrorHandlerThatThrows() throws Exception
    {
        final Path file = directory.resolve("file");
        Files.writeString(file, "in the way");
        final AtomicReference<Throwable> uncaught = new AtomicReference<>();
        final RuntimeException thrown = new IllegalStateException("from the handler");
        final ThreadFactory factory = (task) ->
        {
            final Thread thread = new Thread(task);
            thread.setUncaughtExceptionHandler((t, ex) -> uncaught.set(ex));
            return thread;
        };
        record(file, SHORT_INTERVAL_NS, factory, (error) ->
        {
            throw thrown;
        });
        recording.record(true);
        recording.team("WORLD").record(Routine.SYNC, 0, 0, 100);
        await(() -> null != uncaught.get());
        assertSame(thrown, uncaught.get());
        Files.delete(file);
        recording.close();
        assertTrue(Files.exists(file.resolve("aeroshmem-pe3.WORLD.sync.0B.hgrm")));
    }

    @Test
    void shouldWriteEverythingWhenClosedByAnInterruptedThread() throws IOException
    {
        record(directory, LONG_INTERVAL_NS);
        recording.record(true);
        recording.team("WORLD").record(Routine.SYNC, 0, 0, 100);
        Thread.currentThread().interrupt();
        recording.close();
        assertTrue(Thread.interrupted(), "kept");

        assertEquals(1, lines(directory.resolve("aeroshmem-pe3.hlog")).size());
        assertTrue(Files.exists(directory.resolve("aeroshmem-pe3.WORLD.sync.0B.hgrm")));
    }

    @Test
    void shouldWriteOnWhenItsThreadIsInterrupted() throws Exception
    {
        record(directory, SHORT_INTERVAL_NS);
        recording.record(true);
        final TeamLatency world = recording.team("WORLD");
        world.record(Routine.SYNC, 0, 0, 100);
        for (int line = 1; line <= 100; line++)
        {
            world.record(Routine.SYNC, 0, 0, 100);
            awaitLines(line);
            threads.get(0).interrupt(); // as it publishes, mostly
        }

        assertTrue(threads.get(0).isAlive());
        recording.close();
        assertEquals(List.of(), errors);
    }

    private void record(final Path directory, final long intervalNs)
    {
        final ThreadFactory factory = (task) ->
        {
            final Thread thread = new Thread(task);
            threads.add(thread);
            return thread;
        };
        record(directory, intervalNs, factory, errors::add);
    }

    private void record(
        final Path directory, final long intervalNs, final ThreadFactory factory, final ErrorHandler errorHandler)
    {
        recording = new LatencyRecording(
            3,
            4,
            Routine.values(),
            directory,
            intervalNs,
            new PeLatencyFile(jobDirectory, 3),
            factory,
            errorHandler);
    }

    private void awaitLines(final int count) throws IOException
    {
        awaitLines(directory.resolve("aeroshmem-pe3.hlog"), count);
    }

    private static void awaitLines(final Path log, final int count) throws IOException
    {
        await(() -> Files.exists(log) &&
            Files.readAllLines(log).stream().filter((line) -> line.startsWith("Tag=")).count() >= count);
    }

    private static void await(final Condition condition) throws IOException
    {
        while (!condition.isMet())
        {
            Thread.yield();
        }
    }

    private static Map<String, Histogram> read(final Path log) throws IOException
    {
        final Map<String, Histogram> histograms = new TreeMap<>();
        for (final EncodableHistogram line : lines(log))
        {
            final Histogram histogram = (Histogram)line;
            final Histogram earlier = histograms.putIfAbsent(line.getTag(), histogram);
            if (null != earlier)
            {
                earlier.add(histogram);
            }
        }

        return histograms;
    }

    private static List<EncodableHistogram> lines(final Path log) throws IOException
    {
        final List<EncodableHistogram> lines = new ArrayList<>();
        try (HistogramLogReader reader = new HistogramLogReader(log.toFile()))
        {
            // from the start of the log on, as HdrHistogram's own commands read it
            EncodableHistogram next = reader.nextIntervalHistogram(0, Double.MAX_VALUE);
            while (null != next)
            {
                lines.add(next);
                next = reader.nextIntervalHistogram(0, Double.MAX_VALUE);
            }
        }

        return lines;
    }

    /** A condition that a test waits for. */
    private interface Condition
    {
        boolean isMet() throws IOException;
    }
}
