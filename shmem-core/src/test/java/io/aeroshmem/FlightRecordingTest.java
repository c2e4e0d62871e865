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

import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.agrona.concurrent.IdleStrategy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("waits")
@Timeout(60)
class FlightRecordingTest
{
    private static final String COLLECTIVE = "io.aeroshmem.Collective";
    private static final String WAIT = "io.aeroshmem.Wait";
    private static final String FAILURE = "io.aeroshmem.Failure";
    private static final String RECOVERY = "io.aeroshmem.Recovery";
    private static final long LATE_MS = 200;

    @TempDir
    private Path directory;

    @FunctionalInterface
    private interface Program
    {
        void run() throws Exception;
    }

    /** Runs a program before the recording too: events are enabled after their classes were loaded. */
    private List<RecordedEvent> record(final Program program, final String... enabled) throws Exception
    {
        program.run();
        final Path file = directory.resolve("recording.jfr");
        try (Recording recording = new Recording())
        {
            for (final String event : enabled)
            {
                recording.enable(event);
            }

            recording.start();
            program.run();
            recording.stop();
            recording.dump(file);
        }

        return RecordingFile.readAllEvents(file).stream()
            .filter((event) -> event.getEventType().getName().startsWith("io.aeroshmem.")).toList();
    }

    @Test
    @Tag("jdk")
    void shouldRecordCollectivesOfEachPe() throws Exception
    {
        final List<RecordedEvent> events = record(FlightRecordingTest::makeCalls, COLLECTIVE);
        assertEquals(
            Set.of(
                "0 barrier WORLD 0", "1 barrier WORLD 0", "0 reduce WORLD 16", "1 reduce WORLD 16",
                "0 reduce WORLD-requests 8", "1 reduce WORLD-requests 8"),
            events.stream().map(FlightRecordingTest::describe).collect(Collectors.toSet()));
        final Duration longest = events.stream()
            .filter((event) -> describe(event).equals("0 barrier WORLD 0"))
            .map(RecordedEvent::getDuration).max(Duration::compareTo).orElseThrow();
        assertTrue(longest.toMillis() >= LATE_MS / 4, () -> "PE 0 waits for PE 1: " + longest);
    }

    private static String describe(final RecordedEvent event)
    {
        return event.getInt("pe") + " " + event.getString("routine") + " " + event.getString("team") + " " +
            event.getLong("bytes");
    }

    @Test
    @Tag("ci")
    @Tag("jdk")
    void shouldRecordLongWaitsOnly() throws Exception
    {
        final List<RecordedEvent> events = record(FlightRecordingTest::makeCalls, WAIT);
        final List<RecordedEvent> barriers = events.stream()
            .filter((event) -> 0 == event.getInt("pe") && event.getString("call").equals("barrier")).toList();
        assertTrue(!barriers.isEmpty(), events::toString);
        assertTrue(
            barriers.stream().anyMatch((event) -> event.getDuration().toMillis() >= LATE_MS / 4 &&
            "on team WORLD".equals(event.getString("place"))), events::toString);
        assertTrue(events.stream().allMatch((event) -> event.getDuration().toNanos() >= 1_000_000), events::toString);
    }

    @ParameterizedTest
    @EnumSource(LongCall.class)
    @Tag("ci")
    void shouldRecordWaitsWithoutWhatFollows(final LongCall call) throws Exception
    {
        final AtomicReference<HeldPeer> held = new AtomicReference<>();
        final List<RecordedEvent> events = record(
            () ->
            {
                held.set(new HeldPeer());
                held.get().run(call);
            },
            WAIT).stream().filter((event) -> 0 == event.getInt("pe")).toList();
        final Instant computing = held.get().computing;
        assertTrue(events.stream().anyMatch((event) -> event.getEndTime().isBefore(computing)), events::toString);
        assertTrue(events.stream().anyMatch((event) -> event.getStartTime().isAfter(computing)), events::toString);
        assertTrue(events.stream().allMatch((event) ->
            event.getEndTime().isBefore(computing) || event.getStartTime().isAfter(computing)), events::toString);
    }

    @Test
    @Tag("jdk")
    void shouldRecordNoCallsUnlessTheyAreEnabled() throws Exception
    {
        assertEquals(List.of(), record(FlightRecordingTest::makeCalls));
    }

    @Test
    @Tag("jdk")
    void shouldRecordFailures() throws Exception
    {
        final List<RecordedEvent> events = record(FlightRecordingTest::fail);
        assertEquals(Set.of(FAILURE), events.stream().map((event) -> event.getEventType().getName())
            .collect(Collectors.toSet()), events::toString);
        assertEquals(1, events.get(0).getInt("failedPe"));
        assertEquals("PE_FAILED", events.get(0).getString("kind"));
        assertTrue(events.get(0).getString("message").contains("PE 1"), events::toString);
    }

    private static void fail() throws Exception
    {
        assertThrows(FailedPe.class, () -> Shmem.runLocal(2, context(), (shmem) ->
        {
            if (1 == shmem.myPe())
            {
                throw new FailedPe();
            }

            assertEquals(1, assertThrows(PeFailureException.class, shmem::barrierAll).pe());
        }));
    }

    /** One event of each PE, with the phases in order. */
    @Test
    @Tag("jdk")
    void shouldRecordRecoveries() throws Exception
    {
        final List<RecordedEvent> events = record(FlightRecordingTest::recover).stream()
            .filter((event) -> RECOVERY.equals(event.getEventType().getName())).toList();
        assertEquals(2, events.size(), events::toString);
        for (final RecordedEvent event : events)
        {
            assertEquals(1, event.getInt("generation"));
            assertEquals(1, event.getInt("failedPe"));
            assertTrue(event.getString("cause").contains("FailedPe"), events::toString);
            final List<Instant> ends = Stream.of("detected", "membersKnown", "started", "joined", "running")
                .map(event::getInstant).toList();
            assertTrue(ends.get(0).isAfter(Instant.EPOCH), events::toString);
            assertEquals(ends.stream().sorted().toList(), ends);
            assertEquals(Duration.between(ends.get(0), ends.get(4)), event.getDuration("total"));
        }
    }

    private static void recover() throws Exception
    {
        Shmem.runLocal(2, context().recovery(Recovery.REPLACE), (shmem) ->
        {
            if (0 == shmem.generation().number())
            {
                shmem.barrierAll();
                if (1 == shmem.myPe())
                {
                    throw new FailedPe();
                }

                assertThrows(PeFailureException.class, shmem::barrierAll);
            }
        });
    }

    /** With a text of its own, since JDK 17 loses one that an event of an earlier recording had. */
    private static final class FailedPe extends RuntimeException
    {
        private static final long serialVersionUID = 1;
        private static final AtomicInteger COUNT = new AtomicInteger();

        FailedPe()
        {
            super("failure " + COUNT.incrementAndGet());
        }
    }

    /** Makes a reduction of two elements, one of one element as a request, and a barrier that PE 1 enters late. */
    /** One event for each collective and interval, in every recording. */
    @Test
    void shouldRecordTheLatenciesOfIntervals() throws Exception
    {
        final List<RecordedEvent> events = record(() -> makeCalls(context().recordLatency(true)
            .latencyDirectoryName(directory.toString()).latencyIntervalNs(3_600_000_000_000L)));
        assertEquals(
            Set.of("0 barrier 0B 1", "1 barrier 0B 1", "0 reduce to-64B 1", "1 reduce to-64B 1", "0 reduce to-8B 1",
                "1 reduce to-8B 1"),
            events.stream().map((event) -> event.getInt("pe") + " " + event.getString("routine") + " " +
                event.getString("size") + " " + event.getLong("count")).collect(Collectors.toSet()));
        final RecordedEvent late = events.stream().filter((event) -> 0 == event.getInt("pe") &&
            "barrier".equals(event.getString("routine"))).findFirst().orElseThrow();
        assertEquals("WORLD", late.getString("team"));
        assertTrue(late.getDuration("p50").toMillis() >= LATE_MS / 4, () -> "PE 0 waits for PE 1: " + late);
        assertEquals(late.getDuration("max"), late.getDuration("p999"));
        assertTrue(late.getDuration("interval").compareTo(late.getDuration("p50")) > 0, late::toString);
    }

    private static void makeCalls() throws Exception
    {
        makeCalls(context());
    }

    private static void makeCalls(final Shmem.Context context) throws Exception
    {
        final CountDownLatch isWaiting = new CountDownLatch(1);
        Shmem.runLocal(2, context, (shmem) ->
        {
            final SymmetricBuffer source = shmem.calloc(2, Long.BYTES);
            final SymmetricBuffer dest = shmem.calloc(2, Long.BYTES);
            shmem.world().reduce(ReduceOp.SUM, ElementType.LONG, dest, source, 2);
            try (CollectiveRequest request = shmem.world().request(new CollectiveArgs()
                .collective(Collective.ALLREDUCE).op(ReduceOp.SUM)
                .source(source, 1, ElementType.LONG).dest(dest, 1, ElementType.LONG)))
            {
                request.post();
                request.await();
            }

            if (1 == shmem.myPe())
            {
                isWaiting.await();
                Thread.sleep(LATE_MS);
            }
            else
            {
                isWaiting.countDown();
            }

            shmem.barrierAll();
        });
    }

    /** Calls that wait until the peer performs what was issued before. */
    private enum LongCall
    {
        FETCHES, UPDATES, PUT, LOCK, QUIET
    }

    /** PE 0 waits in a call, computes and waits again; PE 1 performs nothing until each wait has lasted for a while. */
    private static final class HeldPeer
    {
        /** Far more than those after which the event of a wait begins. */
        private static final int ROUNDS = 500;
        /** From then on; far above the threshold of the event, which is 1 ms. */
        private static final long HELD_MS = 50;
        private static final int BLOCK = 1 << 19;

        private final AtomicInteger rounds = new AtomicInteger();
        /** PE 1 has left the barrier, in which it would perform requests. */
        private final CountDownLatch isHeld = new CountDownLatch(1);
        private final CountDownLatch isFirstIssued = new CountDownLatch(1);
        private final CountDownLatch isFirstComplete = new CountDownLatch(1);
        private final CountDownLatch isSecondIssued = new CountDownLatch(1);
        /** Time at which PE 0 computed. */
        private volatile Instant computing;

        void run(final LongCall call) throws Exception
        {
            final Shmem.Context config = context().heapSize(4 << 20).transport(TransportKind.IPC)
                .progressMode(ProgressMode.INVOKER).waitIdleStrategySupplier(() -> new CountingIdleStrategy(rounds));
            Shmem.runLocal(2, config, (shmem) ->
            {
                final SymmetricBuffer block = shmem.malloc(2 * BLOCK);
                final SymmetricBuffer words = shmem.calloc(32, Long.BYTES);
                shmem.barrierAll();
                if (0 == shmem.myPe())
                {
                    isHeld.await();
                    make(call, shmem, block, words);
                    isFirstComplete.countDown();
                    Thread.sleep(LATE_MS);
                    computing = Instant.now();
                    Thread.sleep(LATE_MS);
                    isSecondIssued.countDown();
                    shmem.defaultContext().atomicFetchLong(words, 0, 1);
                }
                else
                {
                    isHeld.countDown();
                    isFirstIssued.await();
                    awaitLongWait();
                    while (isFirstComplete.getCount() > 0)
                    {
                        shmem.progress();
                    }

                    isSecondIssued.await();
                    awaitLongWait();
                }

                shmem.barrierAll();
            });
        }

        private void awaitLongWait() throws InterruptedException
        {
            final int first = rounds.get();
            while (rounds.get() - first < ROUNDS)
            {
                Thread.sleep(1);
            }

            Thread.sleep(HELD_MS);
        }

        private void make(
            final LongCall call, final Shmem shmem, final SymmetricBuffer block, final SymmetricBuffer words)
            throws Exception
        {
            final CommunicationContext ctx = shmem.defaultContext();
            switch (call)
            {
                case FETCHES ->
                {
                    isFirstIssued.countDown();
                    for (int i = 0; i < 65; i++)
                    {
                        ctx.atomicCompareSwapLongNbi(words, 8, words, 0, 0, 0, 1);
                    }
                }
                case UPDATES ->
                {
                    isFirstIssued.countDown();
                    for (int i = 0; i < 20_000; i++)
                    {
                        ctx.atomicAddLong(words, 0, 1, 1);
                    }
                }
                case PUT ->
                {
                    isFirstIssued.countDown();
                    ctx.putNbi(block, 0, block, BLOCK, BLOCK, 1);
                }
                case LOCK ->
                {
                    isFirstIssued.countDown();
                    for (int i = 0; i < 32; i++)
                    {
                        shmem.lock(words, 8L * i);
                        shmem.unlock(words, 8L * i);
                    }
                }
                case QUIET ->
                {
                    ctx.getNbi(block, 0, block, BLOCK, BLOCK, 1);
                    final Thread other = new Thread(ctx::quiet);
                    other.start();
                    awaitLongWait();
                    isFirstIssued.countDown();
                    ctx.quiet();
                    other.join();
                }
                default -> throw new AssertionError(call);
            }
        }
    }

    /** Counts the rounds of all waits. */
    private static final class CountingIdleStrategy implements IdleStrategy
    {
        private final AtomicInteger rounds;

        CountingIdleStrategy(final AtomicInteger rounds)
        {
            this.rounds = rounds;
        }

        @Override
        public void idle(final int workCount)
        {
            idle();
        }

        @Override
        public void idle()
        {
            rounds.getAndIncrement();
            Thread.yield();
        }

        @Override
        public void reset()
        {
        }
    }

    /** Without checks, calls take no other steps unless an event is enabled. */
    private static Shmem.Context context()
    {
        return new Shmem.Context().heapSize(1 << 20).checkCollectives(false).checkThreads(false);
    }
}
