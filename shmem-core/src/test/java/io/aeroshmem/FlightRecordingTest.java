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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(60)
class FlightRecordingTest
{
    private static final String COLLECTIVE = "io.aeroshmem.Collective";
    private static final String WAIT = "io.aeroshmem.Wait";
    private static final String FAILURE = "io.aeroshmem.Failure";
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

    @Test
    void shouldRecordNoCallsUnlessTheyAreEnabled() throws Exception
    {
        assertEquals(List.of(), record(FlightRecordingTest::makeCalls));
    }

    @Test
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

    private static final class FailedPe extends RuntimeException
    {
        private static final long serialVersionUID = 1;
    }

    /** Makes a reduction of two elements, one of one element as a request, and a barrier that PE 1 enters late. */
    private static void makeCalls() throws Exception
    {
        Shmem.runLocal(2, context(), (shmem) ->
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
                Thread.sleep(LATE_MS);
            }
            shmem.barrierAll();
        });
    }

    /** Without checks, calls take no other steps unless an event is enabled. */
    private static Shmem.Context context()
    {
        return new Shmem.Context().heapSize(1 << 20).checkCollectives(false).checkThreads(false);
    }
}
