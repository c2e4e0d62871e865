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

import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Latency recording of whole PEs; what it records and writes is tested beside it.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LatencyTest
{
    @TempDir
    private Path directory;

    @Test
    void shouldWriteNothingUnlessSwitchedOn() throws Exception
    {
        Shmem.runLocal(2, config(), (shmem) -> shmem.world().barrier());
        assertEquals(List.of(), files());
    }

    @Test
    void shouldRecordEveryCollectiveFromTheStartAsTheContextSpecifies() throws Exception
    {
        final int calls = 3;
        Shmem.runLocal(2, config().recordLatency(true), (shmem) ->
        {
            final Team world = shmem.world();
            final SymmetricBuffer dest = shmem.malloc(1 << 12);
            final SymmetricBuffer source = shmem.malloc(1 << 12);
            for (int i = 0; i < calls; i++)
            {
                everyCollective(world, dest, source);
            }

            assertThrows(
                IndexOutOfBoundsException.class,
                () -> world.reduce(ReduceOp.SUM, ElementType.LONG, dest, source, 1 << 20));
        });

        final List<String> tags = List.of(
            "WORLD.alltoall.to-512B", "WORLD.alltoalls.to-64B", "WORLD.barrier.0B", "WORLD.broadcast.to-8B",
            "WORLD.collect.to-8B", "WORLD.exclusive_scan.to-8B", "WORLD.fcollect.to-4KiB", "WORLD.inclusive_scan.to-8B",
            "WORLD.reduce.0B", "WORLD.reduce.to-8B", "WORLD.reduce_scatter.to-64B", "WORLD.sync.0B");
        for (int pe = 0; pe < 2; pe++)
        {
            final Map<String, Long> counts = counts(pe);
            assertEquals(tags, List.copyOf(counts.keySet()));
            counts.forEach((tag, count) ->
                assertEquals("WORLD.reduce.to-8B".equals(tag) ? 2 * calls : calls, count, tag));
            for (final String tag : tags)
            {
                assertTrue(Files.exists(directory.resolve("aeroshmem-pe" + pe + "." + tag + ".hgrm")), tag);
            }
        }
    }

    @Test
    void shouldRecordRequestsFromPostToCompletionUnderTagsOfTheirOwn() throws Exception
    {
        final int calls = 3;
        final long delayNs = TimeUnit.MILLISECONDS.toNanos(20);
        Shmem.runLocal(2, config().recordLatency(true), (shmem) ->
        {
            final SymmetricBuffer dest = shmem.malloc(1 << 12);
            final SymmetricBuffer source = shmem.malloc(1 << 12);
            final CollectiveRequest sum = shmem.world().request(new CollectiveArgs().persistent(true)
                .collective(Collective.ALLREDUCE).op(ReduceOp.SUM)
                .source(source, 8, ElementType.LONG).dest(dest, 8, ElementType.LONG));
            for (int i = 0; i < calls; i++)
            {
                sum.post();
                final long startNs = System.nanoTime();
                while (System.nanoTime() - startNs < delayNs)
                {
                    Thread.onSpinWait();
                }

                sum.await();
                shmem.world().sync();
            }

            final CollectiveRequest late = shmem.world().request(
                new CollectiveArgs().collective(Collective.BARRIER).timeoutNs(1));
            if (0 == shmem.myPe())
            {
                late.post();
                assertThrows(ShmemTimeoutException.class, late::await);
            }

            shmem.world().sync();
            if (1 == shmem.myPe())
            {
                shmem.world().post(new CollectiveArgs().collective(Collective.BARRIER)).await();
            }

            shmem.world().sync();
        });

        final Map<String, Long> expected = new TreeMap<>(Map.of(
            "WORLD-requests.reduce.to-64B", 3L, "WORLD.sync.0B", 5L));
        assertEquals(expected, counts(0), "without the one that timed out");
        expected.put("WORLD-requests.sync.0B", 1L);
        assertEquals(expected, counts(1));
        assertTrue(Files.exists(directory.resolve("aeroshmem-pe0.WORLD-requests.reduce.to-64B.hgrm")));
    }

    @Test
    void shouldRecordTheLongestBlockOfRequestsWhoseBlocksDifferInLength() throws Exception
    {
        final long[] counts = {1, 100};
        Shmem.runLocal(2, config().recordLatency(true), (shmem) ->
        {
            final SymmetricBuffer dest = shmem.malloc(1 << 12);
            final SymmetricBuffer source = shmem.malloc(1 << 12);
            final Team world = shmem.world();
            final long own = counts[shmem.myPe()];
            world.post(new CollectiveArgs().collective(Collective.ALLGATHERV)
                .source(source, own, ElementType.LONG).destV(dest, counts, null, ElementType.LONG)).await();
            final CollectiveArgs gather = new CollectiveArgs().collective(Collective.GATHERV).root(1)
                .source(source, own, ElementType.LONG);
            world.post(1 == shmem.myPe() ? gather.destV(dest, counts, null, ElementType.LONG) : gather).await();
        });

        assertEquals(
            Map.of("WORLD-requests.allgatherv.to-4KiB", 1L, "WORLD-requests.gatherv.to-8B", 1L),
            counts(0), "PE 0 knows only its own block of the gather");
        assertEquals(
            Map.of("WORLD-requests.allgatherv.to-4KiB", 1L, "WORLD-requests.gatherv.to-4KiB", 1L), counts(1));
    }

    private static void everyCollective(final Team team, final SymmetricBuffer dest, final SymmetricBuffer source)
    {
        team.barrier();
        team.sync();
        team.broadcast(ElementType.INT, dest, source, 1, 0);
        team.collect(ElementType.BYTE, dest, source, 1 + team.myPe());
        team.fcollect(ElementType.LONG, dest, source, 65);
        team.alltoall(ElementType.LONG, dest, source, 64);
        team.alltoalls(ElementType.LONG, dest, source, 2, 3, 5);
        team.reduce(ReduceOp.SUM, ElementType.LONG, dest, source, 0);
        team.reduce(ReduceOp.SUM, ElementType.LONG, dest, source, 1);
        team.reduceLong(ReduceOp.MAX, 7);
        team.reduceScatter(ReduceOp.SUM, ElementType.LONG, dest, source, 2);
        team.inclusiveScan(ReduceOp.SUM, ElementType.SHORT, dest, source, 4);
        team.exclusiveScan(ReduceOp.SUM, ElementType.SHORT, dest, source, 4);
    }

    @Test
    void shouldBeSwitchedPerPeWhileItRuns() throws Exception
    {
        final Shmem[] left = new Shmem[1];
        Shmem.runLocal(2, config(), (shmem) ->
        {
            shmem.world().barrier();
            if (1 == shmem.myPe())
            {
                left[0] = shmem;
                shmem.recordLatency(true);
            }

            shmem.world().barrier();
            shmem.world().barrier();
            shmem.recordLatency(false);
            shmem.world().barrier();
        });

        assertEquals(List.of("aeroshmem-pe1.WORLD.barrier.0B.hgrm", "aeroshmem-pe1.hlog"), files());
        assertEquals(Map.of("WORLD.barrier.0B", 2L), counts(1));
        assertThrows(IllegalStateException.class, () -> left[0].recordLatency(true));
    }

    @Test
    void shouldWriteWhatThereIsAfterAFailure() throws IOException
    {
        assertThrows(
            ArithmeticException.class,
            () -> Shmem.runLocal(2, config().recordLatency(true), (shmem) ->
            {
                shmem.world().barrier();
                if (1 == shmem.myPe())
                {
                    throw new ArithmeticException("by zero");
                }

                shmem.world().barrier();
            }));
        for (int pe = 0; pe < 2; pe++)
        {
            assertEquals(Map.of("WORLD.barrier.0B", 1L), counts(pe), "without the one that failed");
            assertTrue(Files.exists(directory.resolve("aeroshmem-pe" + pe + ".WORLD.barrier.0B.hgrm")));
        }
    }

    @Test
    void shouldNameATeamAlikeOnItsMembersAndWriteItsFilesWhenItIsClosed() throws Exception
    {
        final List<String> left = new CopyOnWriteArrayList<>();
        Shmem.runLocal(2, config().recordLatency(true), (shmem) ->
        {
            final Team pair = shmem.world().duplicate();
            pair.sync();
            final String name = pair.toString().replaceAll("^Team\\{([^,]+),.*$", "$1");
            left.add(name);
            pair.close();
            final Path file = directory.resolve("aeroshmem-pe" + shmem.myPe() + "." + name + ".sync.0B.hgrm");
            while (!Files.exists(file))
            {
                Thread.onSpinWait();
            }

            // the next team may have the same slot, and has another name
            final Team next = shmem.world().duplicate();
            next.sync();
            next.close();
        });

        assertEquals(left.get(0), left.get(1));
        assertEquals(counts(0), counts(1));
        assertEquals(1L, counts(0).get(left.get(0) + ".sync.0B"));
        assertEquals(2, counts(0).size(), counts(0).toString());
    }

    /** Each call of a context under the name of its operation, whichever transport performs it. */
    @ParameterizedTest
    @EnumSource(names = {"MAPPED", "IPC"})
    void shouldRecordOperationsAndWaitsOnRequest(final TransportKind transport) throws Exception
    {
        final int calls = 3;
        Shmem.runLocal(2, config().transport(transport).recordLatency(true).recordOperations(true), (shmem) ->
        {
            final SymmetricBuffer word = shmem.calloc(1 << 10, Long.BYTES);
            final SymmetricBuffer block = shmem.calloc(1 << 10, Long.BYTES);
            final CommunicationContext ctx = shmem.defaultContext();
            final int peer = 1 - shmem.myPe();
            for (int i = 0; i < calls; i++)
            {
                everyOperation(ctx, word, block, peer);
                shmem.waitUntilLong(word, 0, Comparison.GE, 1);
                shmem.tryWaitUntilLong(word, 0, Comparison.LT, 0, 1);
                shmem.waitUntilAllLong(word, 0, 1, null, Comparison.GE, 1);
            }

            assertThrows(IllegalArgumentException.class, () -> ctx.putLong(word, 0, 1, 2));
            shmem.barrierAll();
        });

        final Map<String, Long> expected = new TreeMap<>();
        expected.put("operations.put.to-8B", 4L * calls);
        expected.put("operations.put.to-64B", (long)calls);
        expected.put("operations.get.to-8B", (long)calls);
        expected.put("operations.get.to-64B", (long)calls);
        expected.put("operations.put_nbi.to-4KiB", (long)calls);
        expected.put("operations.get_nbi.to-4KiB", (long)calls);
        expected.put("operations.put_signal.to-64B", (long)calls);
        expected.put("operations.signal.0B", (long)calls);
        expected.put("operations.atomic.to-8B", 2L * calls);
        expected.put("operations.fetch_atomic.to-8B", 2L * calls);
        expected.put("operations.fetch_atomic_nbi.to-8B", (long)calls);
        expected.put("operations.quiet.0B", 2L * calls);
        expected.put("operations.wait.0B", 3L * calls);
        for (int pe = 0; pe < 2; pe++)
        {
            final Map<String, Long> counts = counts(pe);
            counts.keySet().removeIf((tag) -> !tag.startsWith("operations."));
            assertEquals(expected, counts);
        }
    }

    /** Sessions change what performs the operations of a context, and not what records them. */
    @Test
    void shouldRecordOperationsOfSessions() throws Exception
    {
        final int calls = 100;
        final Shmem.Context config = config().transport(TransportKind.IPC).recordLatency(true).recordOperations(true);
        Shmem.runLocal(2, config, (shmem) ->
        {
            final SymmetricBuffer word = shmem.calloc(1, Long.BYTES);
            final CommunicationContext ctx = shmem.defaultContext();
            ctx.sessionStart(SessionOption.BATCH);
            for (int i = 0; i < calls; i++)
            {
                ctx.atomicAddLong(word, 0, 1, 1 - shmem.myPe());
            }

            ctx.sessionStop();
            shmem.barrierAll();
            assertEquals(calls, word.getLong(0));
        });

        assertEquals((long)calls, counts(0).get("operations.atomic.to-8B"));
    }

    /** Without the request there is nothing of operations, whatever is switched on later. */
    @Test
    void shouldNotRecordOperationsUnlessAsked() throws Exception
    {
        Shmem.runLocal(2, config().recordLatency(true), (shmem) ->
        {
            final SymmetricBuffer word = shmem.calloc(1 << 10, Long.BYTES);
            final SymmetricBuffer block = shmem.calloc(1 << 10, Long.BYTES);
            everyOperation(shmem.defaultContext(), word, block, 1 - shmem.myPe());
            shmem.waitUntilLong(word, 0, Comparison.GE, 1);
        });

        assertEquals(Map.of(), counts(0));
    }

    private static void everyOperation(
        final CommunicationContext ctx, final SymmetricBuffer word, final SymmetricBuffer block, final int peer)
    {
        ctx.putByte(block, 0, (byte)1, peer);
        ctx.putShort(block, 0, (short)1, peer);
        ctx.putInt(block, 0, 1, peer);
        ctx.putLong(block, 0, 1, peer);
        ctx.getLong(block, 0, peer);
        ctx.put(block, 64, block, 0, 32, peer);
        ctx.get(block, 128, block, 0, 32, peer);
        ctx.putNbi(block, 2048, block, 0, 1024, peer);
        ctx.getNbi(block, 4096, block, 0, 1024, peer);
        ctx.quiet();
        ctx.putSignal(block, 256, block, 0, 16, word, 64, 1, SignalOp.ADD, peer);
        ctx.signal(word, 64, 1, SignalOp.ADD, peer);
        ctx.atomicAddLong(word, 0, 1, peer);
        ctx.atomicAddInt(word, 128, 1, peer);
        ctx.atomicFetchAddLong(word, 192, 1, peer);
        ctx.atomicFetchInt(word, 128, peer);
        ctx.atomicFetchAddLongNbi(block, 512, word, 192, 1, peer);
        ctx.quiet(peer);
    }

    private Shmem.Context config()
    {
        return LocalJobs.config()
            .latencyDirectoryName(directory.toString())
            .latencyIntervalNs(TimeUnit.MINUTES.toNanos(10));
    }

    /** How many calls the log of a PE has, by tag. */
    private Map<String, Long> counts(final int pe) throws IOException
    {
        final Map<String, Long> counts = new TreeMap<>();
        try (HistogramLogReader log = new HistogramLogReader(
            directory.resolve("aeroshmem-pe" + pe + ".hlog").toFile()))
        {
            EncodableHistogram next = log.nextIntervalHistogram(0, Double.MAX_VALUE);
            while (null != next)
            {
                counts.merge(next.getTag(), ((Histogram)next).getTotalCount(), Long::sum);
                next = log.nextIntervalHistogram(0, Double.MAX_VALUE);
            }
        }

        return counts;
    }

    private List<String> files() throws IOException
    {
        try (Stream<Path> files = Files.list(directory))
        {
            return files.map((file) -> file.getFileName().toString()).sorted().toList();
        }
    }
}
