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
package io.aeroshmem.transport.job;

import io.aeroshmem.transport.TransportException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(60)
class JobViewTest
{
    @TempDir(factory = SharedMemory.class)
    private Path root;
    private JobDirectory job;
    private ControlFile control;
    private JobView view;

    @BeforeEach
    void openJob() throws IOException
    {
        job = JobDirectory.create(root, 2);
        control = job.control();
        final ProcessIdentity self = ProcessIdentity.current();
        control.register(1, self.pid(), self.startTime(), "proc-pe-1.lock");
        view = JobView.open(job.path());
    }

    @AfterEach
    void deleteJob()
    {
        job.delete();
        job.close();
    }

    @Test
    void shouldShowPesAndTheirCounters()
    {
        control.phase(1, PePhase.RUNNING);
        control.counter(1, PeCounter.HEAP_USED).setRelease(4711);
        control.activities().publish(1, "barrier", " on team WORLD", 7, 17, 0, 5, System.currentTimeMillis());

        final JobView.Snapshot snapshot = view.snapshot();
        assertEquals(job.id(), snapshot.id());
        assertEquals(ProcessHandle.current().pid(), snapshot.creatorPid());
        assertFalse(snapshot.hasEnded());
        assertNull(snapshot.failure());
        assertEquals(2, snapshot.pes().size());
        final JobView.Pe absent = snapshot.pes().get(0);
        assertEquals(0, absent.pid());
        assertEquals("ABSENT", absent.phase());
        assertEquals(0, absent.counters().length);
        assertEquals(0, absent.counter(PeCounter.HEAP_USED));
        final JobView.Pe present = snapshot.pes().get(1);
        assertEquals(ProcessHandle.current().pid(), present.pid());
        assertEquals("RUNNING", present.phase());
        assertEquals(4711, present.counter(PeCounter.HEAP_USED));
        assertEquals(0, present.counter(PeCounter.ERRORS));
        assertEquals("barrier on team WORLD", present.blockedIn().text());
        assertEquals(17, present.blockedIn().number());
        assertNull(absent.blockedIn());
    }

    @Test
    void shouldShowTheGenerationAndTheFailureOfTheOneBefore()
    {
        assertEquals(0, view.snapshot().generation());
        assertNull(view.snapshot().previousFailure());
        final JobFailure failure = new JobFailure(JobFailure.Kind.PE_FAILED, 1, 3, "out of memory");
        control.generation(2, failure);
        assertEquals(2, view.snapshot().generation());
        assertEquals(failure, view.snapshot().previousFailure());
    }

    @Test
    void shouldShowTheFailureOfAJobThatHasEnded()
    {
        control.fail(1, new JobFailure(JobFailure.Kind.PE_FAILED, 1, 3, "out of memory"));
        assertTrue(view.isRunning());
        job.delete();
        final JobView.Snapshot snapshot = view.snapshot();
        assertTrue(snapshot.hasEnded());
        assertEquals("out of memory", snapshot.failure().message());
    }

    @Test
    void shouldShowDistinctErrors() throws IOException
    {
        final List<Throwable> handled = new ArrayList<>();
        final PeErrorLog log = new PeErrorLog(job, 1, handled::add);
        final Path file = job.path().resolve("errors-1");
        assertFalse(Files.exists(file));
        for (int i = 0; i < 3; i++)
        {
            log.onError(new IllegalStateException("again and again"));
        }

        log.onError(new IllegalArgumentException("once"));

        assertEquals(4, handled.size());
        final List<Integer> observations = new ArrayList<>();
        final List<String> texts = new ArrayList<>();
        assertEquals(2, view.errors(1, (count, first, last, text) ->
        {
            observations.add(count);
            texts.add(text);
        }));
        assertEquals(List.of(3, 1), observations);
        assertTrue(texts.get(0).contains("again and again") && texts.get(1).contains("once"), texts.toString());
        assertEquals(0, view.errors(0, (count, first, last, text) -> texts.add(text)));
        job.delete();
        assertFalse(Files.exists(file));
    }

    @Test
    void shouldHandOnErrorsThatCannotBeLogged()
    {
        job.delete();
        final List<Throwable> handled = new ArrayList<>();
        final IllegalStateException error = new IllegalStateException("after the end");
        new PeErrorLog(job, 0, handled::add).onError(error);
        assertEquals(List.of(error), handled);
    }

    @Test
    void shouldFollowJobsThatComeAndGo() throws IOException
    {
        final JobViews jobs = new JobViews(root, "");
        assertTrue(jobs.isEmpty());
        jobs.update();
        assertEquals(1, jobs.snapshots().size());
        try (JobDirectory second = JobDirectory.create(root, 1))
        {
            final JobViews ofPrefix = new JobViews(root, second.id().substring(0, 20));
            ofPrefix.update();
            assertEquals(second.id(), ofPrefix.snapshots().get(0).id());
            assertEquals(1, ofPrefix.all().size());
            jobs.update();
            assertEquals(2, jobs.all().size());
            second.delete();
        }

        Files.createDirectory(job.path().resolveSibling("0123456789abcdef0123456789abcdef"));
        jobs.update();
        assertEquals(job.id(), jobs.snapshots().get(0).id());
        assertEquals(1, jobs.all().size());
    }

    @Test
    void shouldLeaveOutSimulatedJobs()
    {
        try (JobDirectory simulated = JobDirectory.create(root, 1, 1, JobDirectory.SIMULATED))
        {
            final JobViews jobs = new JobViews(root, "");
            jobs.update();
            assertEquals(List.of(job.id()), jobs.snapshots().stream().map(JobView.Snapshot::id).toList());
            assertTrue(jobs.problems().isEmpty(), jobs.problems()::toString);
            simulated.delete();
        }
    }

    /** A damaged control file hides neither the rest of its job nor another job. */
    @Test
    void shouldShowTheRestBesideADamagedControlFile() throws IOException
    {
        try (JobDirectory second = JobDirectory.create(root, 1))
        {
            final JobViews jobs = new JobViews(root, "");
            write(second, ControlDescriptor.cellOffset(0) + ControlDescriptor.PHASE_OFFSET, 0x7777_7777);
            jobs.update();
            assertEquals(2, jobs.snapshots().size());
            assertEquals(List.of("2004318071"), jobs.snapshots().stream()
                .filter((snapshot) -> snapshot.id().equals(second.id()))
                .map((snapshot) -> snapshot.pes().get(0).phase()).toList());

            write(second, ControlDescriptor.N_PES_OFFSET, -1);
            final JobViews others = new JobViews(root, "");
            others.update();
            assertEquals(List.of(job.id()), others.snapshots().stream().map(JobView.Snapshot::id).toList());
            assertEquals(List.of(second.path()), List.copyOf(others.problems().keySet()));
            assertTrue(others.problems().get(second.path()).contains("is damaged"), others.problems()::toString);
            second.delete();
            others.update();
            assertTrue(others.problems().isEmpty());
        }
    }

    @Test
    void shouldReportDamagedErrors() throws IOException
    {
        new PeErrorLog(job, 1, (ex) -> {}).onError(new IllegalStateException("once"));
        final Path file = job.path().resolve("errors-1");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE))
        {
            // the length of the first entry, less than that of its header
            channel.write(ByteBuffer.wrap(new byte[]{1, 0, 0, 0}), 0);
        }

        final TransportException ex =
            assertThrows(TransportException.class, () -> view.errors(1, (count, first, last, text) -> {}));
        assertTrue(ex.getMessage().startsWith(file + " is damaged"), ex.getMessage());
    }

    private static void write(final JobDirectory directory, final int offset, final int value) throws IOException
    {
        final ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.nativeOrder());
        try (FileChannel channel =
            FileChannel.open(directory.path().resolve(JobDirectory.CONTROL), StandardOpenOption.WRITE))
        {
            channel.write(bytes.putInt(0, value), offset);
        }
    }
}
