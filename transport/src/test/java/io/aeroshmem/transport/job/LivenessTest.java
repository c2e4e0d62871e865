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

import io.aeroshmem.transport.CachedPause;
import org.agrona.ErrorHandler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("waits")
@Timeout(120)
@SuppressWarnings("try") // Closing early and twice is what is tested.
class LivenessTest
{
    @TempDir(factory = SharedMemory.class)
    private Path root;
    private JobDirectory job;
    private final ConcurrentLinkedQueue<Throwable> errors = new ConcurrentLinkedQueue<>();
    /** Pids of processes that the kernel is ending. */
    private final Set<Long> exiting = ConcurrentHashMap.newKeySet();
    private final CachedPause pause = new CachedPause();

    @BeforeEach
    void create()
    {
        job = JobDirectory.create(root, 4);
    }

    @AfterEach
    void delete()
    {
        job.delete();
        job.close();
        assertTrue(errors.isEmpty(), errors::toString);
    }

    @Test
    void shouldReportKilledPeToAllOthers() throws Exception
    {
        try (Liveness liveness = liveness(0);
            JobProcess victim = JobProcess.startPe(job.path(), 1);
            JobProcess survivor = JobProcess.startPe(job.path(), 3))
        {
            poll(liveness, 3);
            assertNull(job.control().failure());

            victim.kill();
            final JobFailure failure = pollFailure(liveness);

            assertEquals(JobFailure.Kind.PE_DIED, failure.kind());
            assertEquals(1, failure.pe());
            assertTrue(failure.message().contains("pid " + victim.pid()), failure.message());
            assertTrue(failure.message().contains("host " + HostName.local()), failure.message());
            assertTrue(failure.message().contains("proc-pe-1.lock"), failure.message());
            assertTrue(failure.message().contains("RUNNING"), failure.message());
            assertTrue(failure.message().contains("last activity "), failure.message());
            assertTrue(failure.message().contains("its log: "), failure.message());
            assertTrue(survivor.isAlive());
        }
    }

    @Test
    void shouldReportPeWhoseJvmEndedAsSuch() throws Exception
    {
        try (Liveness liveness = liveness(0);
            JobProcess victim = JobProcess.startPe(job.path(), 1))
        {
            job.control().ending(1);
            poll(liveness, 3);
            assertNull(job.control().failure());

            victim.kill();
            final JobFailure failure = pollFailure(liveness);
            assertEquals(JobFailure.Kind.PE_DIED, failure.kind());
            assertEquals(1, failure.pe());
            assertTrue(failure.message().contains(") ended without closing: its lock "), failure.message());
        }
    }

    @Test
    @Tag("ci")
    void shouldLetSurvivingProcessReportWhenTheCreatorDoesNotLook() throws Exception
    {
        try (JobProcess victim = JobProcess.startPe(job.path(), 0);
            JobProcess survivor = JobProcess.startPe(job.path(), 2))
        {
            victim.kill();
            final JobFailure failure = awaitFailure();
            assertEquals(JobFailure.Kind.PE_DIED, failure.kind());
            assertEquals(0, failure.pe());
            assertTrue(failure.message().contains("detected by PE 2"), failure.message());
            assertTrue(survivor.isAlive());
        }
    }

    @Test
    @Tag("ci")
    void shouldNotReportPeThatLeft() throws Exception
    {
        try (Liveness liveness = liveness(0);
            JobProcess leaver = JobProcess.startPe(job.path(), 1);
            JobProcess stayer = JobProcess.startPe(job.path(), 2))
        {
            leaver.command("leave");
            leaver.kill();
            poll(liveness, 4);
            awaitRounds(2, 4);
            assertNull(job.control().failure());
            assertTrue(stayer.isAlive());
        }
    }

    @Test
    void shouldNotReportPesThatNeverCameOrAreOfThisProcess() throws Exception
    {
        final ControlFile control = job.control();
        final ProcessLock lock = job.lockProcess("pid-" + ProcessHandle.current().pid());
        for (int pe = 0; pe < 3; pe++)
        {
            control.register(pe, ProcessHandle.current().pid(), 0, lock.path().getFileName().toString());
        }

        // PE 2 is of this process, but not of this thread's: seen through the table of held locks.
        try (Liveness liveness = liveness(0, 0, 1))
        {
            poll(liveness, 3);
            assertTrue(control.heartbeat(1) > 0);
            assertTrue(control.heartbeat(control.creatorCell()) > 0);
            assertNull(control.failure());
        }
    }

    @Test
    @Tag("ci")
    void shouldReportDeathOfCreator() throws Exception
    {
        try (JobProcess creator = JobProcess.start())
        {
            final Path path = Path.of(creator.command("create 1 " + root));
            try (JobProcess pe = JobProcess.startPe(path, 0); JobDirectory opened = JobDirectory.open(path))
            {
                assertTrue(opened.isCreatorAlive());
                creator.kill();
                Await.until(() -> opened.control().isFailed(), opened.control()::toString);
                final JobFailure failure = opened.control().failure();
                assertEquals(JobFailure.Kind.LAUNCHER_DIED, failure.kind());
                assertEquals(-1, failure.pe());
                assertTrue(failure.message().contains("pid " + creator.pid()), failure.message());
                assertTrue(failure.message().contains("job.lock"), failure.message());
                assertFalse(opened.isCreatorAlive());
                assertTrue(pe.isAlive());
            }
        }
    }

    @Test
    @Tag("ci")
    void shouldNotReportCreatorThatLeft() throws Exception
    {
        try (JobProcess pe = JobProcess.startPe(job.path(), 0); JobDirectory opened = JobDirectory.open(job.path()))
        {
            try (JobDirectory leaving = JobDirectory.create(root, 1); JobProcess stayer =
                JobProcess.startPe(leaving.path(), 0))
            {
                leaving.close();
                final ControlFile control = leaving.control();
                awaitRounds(control, 0, 4);
                assertNull(control.failure());
                assertTrue(stayer.isAlive());
            }

            assertEquals(1, JobCleaner.clean(root).size());
            assertNull(opened.control().failure());
            assertTrue(pe.isAlive());
        }
    }

    @Test
    void shouldKillPausedProcessBeforeReportingIt() throws Exception
    {
        try (JobProcess paused = JobProcess.startPe(job.path(), 1);
            Liveness liveness = liveness(TimeUnit.SECONDS.toNanos(2), 0))
        {
            awaitRounds(1, 1);
            poll(liveness, 9);
            assertNull(job.control().failure());
            paused.signal("STOP");
            Await.until(() -> isFailedAfterPoll(liveness), job.control()::toString);
            final JobFailure failure = job.control().failure();
            assertEquals(JobFailure.Kind.PE_DIED, failure.kind());
            assertEquals(1, failure.pe());
            assertTrue(failure.message().contains("killed"), failure.message());
            Await.until(() -> !paused.isAlive(), () -> "the paused process lives");
        }
    }

    /** As a process in a frozen control group, or one that waits for a device. */
    @Test
    void shouldReportAKilledProcessThatDoesNotEnd() throws Exception
    {
        try (JobProcess silent = JobProcess.start();
            Liveness liveness = liveness(TimeUnit.SECONDS.toNanos(2), 0))
        {
            silent.command("open " + job.path());
            // held by this process, its lock stays held
            final ProcessIdentity identity = ProcessIdentity.of(ProcessHandle.of(silent.pid()).orElseThrow());
            job.control().register(1, silent.pid(), identity.startTime(),
                job.lockProcess("kept").path().getFileName().toString());
            job.control().phase(1, PePhase.RUNNING);
            poll(liveness, 11);
            Await.until(() -> !silent.isAlive(), () -> "it was not killed");
            poll(liveness, 49);
            assertNull(job.control().failure());
            poll(liveness, 2);
            final JobFailure failure = job.control().failure();
            assertEquals(1, failure.pe());
            assertTrue(failure.message().contains("it has not ended within 10000 ms after SIGKILL; it was silent and" +
                " was killed by PE 0"), failure::message);
        }
    }

    @Test
    void shouldReportProcessThatHoldsItsLockWhileTheKernelEndsIt() throws Exception
    {
        try (JobProcess ending = JobProcess.startPe(job.path(), 1); Liveness liveness = liveness(0))
        {
            exiting.add(ending.pid());
            awaitRounds(1, 1);
            ending.signal("STOP");
            poll(liveness, 2);
            assertNull(job.control().failure(), "its heartbeat may be late");
            final JobFailure failure = pollFailure(liveness);
            assertEquals(JobFailure.Kind.PE_DIED, failure.kind());
            assertEquals(1, failure.pe());
            assertTrue(failure.message().contains("its threads have ended while it was RUNNING"), failure::message);
            assertTrue(failure.message().contains("proc-pe-1.lock"), failure::message);
            assertTrue(pause.time() <= 4 * Liveness.INTERVAL_MS, () -> "after " + pause.time() + " ms");
        }
    }

    @Test
    void shouldNotReportProcessThatLeavesWhileTheKernelEndsIt() throws Exception
    {
        try (JobProcess ending = JobProcess.startPe(job.path(), 1); Liveness liveness = liveness(0))
        {
            exiting.add(ending.pid());
            ending.signal("STOP");
            job.control().phase(1, PePhase.CLOSED);
            poll(liveness, 10);
            assertNull(job.control().failure());
        }
    }

    @Test
    void shouldTakeNoOtherProcessThatTheKernelEndsForThatOfAPe() throws Exception
    {
        try (JobProcess other = JobProcess.start(); JobProcess silent = JobProcess.startPe(job.path(), 1))
        {
            final ProcessIdentity identity = ProcessIdentity.of(ProcessHandle.of(other.pid()).orElseThrow());
            job.control().register(2, other.pid(), identity.startTime() - 10_000, "proc-pe-1.lock");
            job.control().phase(2, PePhase.RUNNING);
            exiting.add(other.pid());
            try (Liveness liveness = liveness(0))
            {
                poll(liveness, 10);
                assertNull(job.control().failure());
            }

            assertTrue(silent.isAlive());
        }
    }

    /** Containers may share the job root, but not the pid namespace. */
    @Test
    void shouldReportSilentProcessWithThePidOfThisOne() throws Exception
    {
        try (JobProcess silent = JobProcess.startPe(job.path(), 1))
        {
            reportWithoutKill(ProcessIdentity.current());
            assertTrue(silent.isAlive());
        }
    }

    @Test
    void shouldReportSilentProcessWithThePidOfAnotherPe() throws Exception
    {
        try (JobProcess silent = JobProcess.startPe(job.path(), 1);
            JobProcess other = JobProcess.startPe(job.path(), 3))
        {
            reportWithoutKill(new ProcessIdentity(other.pid(), job.control().startTime(3)));
            assertTrue(silent.isAlive());
            assertTrue(other.isAlive());
        }
    }

    @Test
    void shouldReportSilentProcessWithThePidOfAnotherProgram() throws Exception
    {
        try (JobProcess silent = JobProcess.startPe(job.path(), 1); JobProcess program = JobProcess.start())
        {
            reportWithoutKill(ProcessIdentity.of(ProcessHandle.of(program.pid()).orElseThrow()));
            assertTrue(silent.isAlive());
            assertTrue(program.isAlive());
        }
    }

    /** PE 2 is in the process of PE 1, which holds its lock; it has no heartbeat, and the others do. */
    private void reportWithoutKill(final ProcessIdentity found) throws Exception
    {
        job.control().register(2, found.pid(), found.startTime(), "proc-pe-1.lock");
        job.control().phase(2, PePhase.RUNNING);
        try (Liveness liveness = liveness(TimeUnit.SECONDS.toNanos(2), 0))
        {
            while (!isFailedAfterPoll(liveness))
            {
                job.control().heartbeat(1, pause.epochClock.time());
                job.control().heartbeat(3, pause.epochClock.time());
                assertTrue(pause.epochClock.time() < 10_000, job.control()::toString);
            }
        }

        final JobFailure failure = job.control().failure();
        assertEquals(JobFailure.Kind.PE_DIED, failure.kind());
        assertEquals(2, failure.pe());
        assertTrue(failure.message().contains("cannot be killed"), failure::message);
    }

    @Test
    @Tag("ci")
    void shouldNotKillWithoutDeadline() throws Exception
    {
        try (JobProcess paused = JobProcess.startPe(job.path(), 1); Liveness liveness = liveness(0))
        {
            paused.signal("STOP");
            poll(liveness, 100);
            assertNull(job.control().failure());
            paused.signal("CONT");
            awaitRounds(1, 2);
        }
    }

    @Test
    void shouldReportErrorOnceAndStillWatchTheOthers() throws Exception
    {
        damageLockName();
        try (Liveness liveness = liveness(0); JobProcess victim = JobProcess.startPe(job.path(), 2))
        {
            poll(liveness, 4);
            assertNull(job.control().failure());
            victim.kill();
            assertEquals(2, pollFailure(liveness).pe());
        }

        assertEquals(1, errors.size());
        errors.clear();
    }

    @Test
    void shouldStillWatchWhenTheErrorHandlerThrows() throws Exception
    {
        damageLockName();
        final AtomicInteger uncaught = new AtomicInteger();
        final ThreadFactory threadFactory = (runnable) ->
        {
            final Thread thread = new Thread(runnable);
            thread.setUncaughtExceptionHandler((dead, ex) -> uncaught.incrementAndGet());
            return thread;
        };
        final ErrorHandler thrower = (ex) ->
        {
            throw new IllegalStateException(ex);
        };
        try (Liveness liveness = new Liveness(
            job, new int[]{0}, true, 0, threadFactory, thrower, pause, exiting::contains))
        {
            poll(liveness, 4);
        }

        assertEquals(1, uncaught.get());
    }

    /**
     * Without its thread nobody here would notice the end of another process, and the others would kill this one.
     */
    @Test
    void shouldFailTheJobWhenAnErrorEndsTheThread() throws Exception
    {
        final AtomicInteger uncaught = new AtomicInteger();
        final ThreadFactory threadFactory = (runnable) ->
        {
            final Thread thread = new Thread(runnable);
            thread.setUncaughtExceptionHandler((dead, ex) -> uncaught.incrementAndGet());
            return thread;
        };
        try (Liveness liveness = new Liveness(job, new int[]{2}, true, 0, threadFactory, errors::add, pause))
        {
            liveness.watch((elapsedNs) ->
            {
                throw new InternalError("a fault in mapped memory");
            });
            liveness.start();
            final JobFailure failure = awaitFailure();
            assertEquals(JobFailure.Kind.PE_FAILED, failure.kind());
            assertEquals(2, failure.pe());
            assertTrue(failure.message().contains("a fault in mapped memory"), failure.message());
        }

        assertEquals(1, uncaught.get());
    }

    private void damageLockName() throws IOException
    {
        job.control().register(1, 4711, 0, "proc-pe-1.lock");
        try (RandomAccessFile access = new RandomAccessFile(job.path().resolve("control").toFile(), "rw"))
        {
            access.seek(ControlDescriptor.cellOffset(1) + ControlDescriptor.LOCK_NAME_OFFSET);
            access.write("../../a".getBytes(StandardCharsets.UTF_8));
        }
    }

    @Test
    void shouldFailTheJobWithWhatAWatchFinds() throws Exception
    {
        final JobFailure failure = new JobFailure(JobFailure.Kind.DRIVER_DIED, 0, -1, "found");
        final AtomicBoolean isFound = new AtomicBoolean();
        try (Liveness liveness = liveness(0))
        {
            liveness.watch((elapsedNs) -> isFound.get() ? failure : null);
            poll(liveness, 2);
            assertNull(job.control().failure());
            isFound.set(true);
            assertEquals(failure, pollFailure(liveness));
        }
    }

    @Test
    void shouldRunEveryWatchWhenOneThrows() throws Exception
    {
        final JobFailure failure = new JobFailure(JobFailure.Kind.DRIVER_DIED, 0, -1, "found");
        try (Liveness liveness = liveness(0))
        {
            liveness.watch((elapsedNs) ->
            {
                throw new IllegalStateException("broken");
            });
            liveness.watch((elapsedNs) -> failure);
            assertEquals(failure, pollFailure(liveness));
        }

        assertEquals(1, errors.size());
        errors.clear();
    }

    @Test
    void shouldFailTheJobWithTheFirstSuspicionWhenNothingElseIsFound() throws Exception
    {
        final JobFailure failure = new JobFailure(JobFailure.Kind.DRIVER_DIED, 0, -1, "the first");
        try (Liveness liveness = liveness(0))
        {
            liveness.suspect(failure, TimeUnit.MILLISECONDS.toNanos(2 * Liveness.INTERVAL_MS));
            liveness.suspect(new JobFailure(JobFailure.Kind.DRIVER_DIED, 0, -1, "the second"), 0);
            poll(liveness, 1);
            assertNull(job.control().failure());
            assertEquals(failure, pollFailure(liveness));
        }
    }

    @Test
    void shouldNameTheCauseAndNotTheSuspicion() throws Exception
    {
        try (Liveness liveness = liveness(0); JobProcess victim = JobProcess.startPe(job.path(), 1))
        {
            poll(liveness, 2);
            liveness.suspect(
                new JobFailure(JobFailure.Kind.DRIVER_DIED, 0, -1, "a stream ended"), TimeUnit.SECONDS.toNanos(30));
            victim.kill();
            assertEquals(JobFailure.Kind.PE_DIED, pollFailure(liveness).kind());
        }
    }

    @Test
    void shouldTellEachListenerOnce() throws Exception
    {
        final ConcurrentLinkedQueue<JobFailure> received = new ConcurrentLinkedQueue<>();
        final JobFailure failure = new JobFailure(JobFailure.Kind.PE_FAILED, 3, 1, "enough");
        try (Liveness liveness = liveness(0))
        {
            liveness.onFailure(received::add);
            poll(liveness, 2);
            assertTrue(received.isEmpty());
            job.control().fail(3, failure);
            poll(liveness, 1);
            assertEquals(1, received.size());
            liveness.onFailure(received::add);
            poll(liveness, 3);
        }

        assertEquals(List.of(failure, failure), List.copyOf(received));
    }

    @Test
    void shouldCloseFromAnyThreadAtAnyTime() throws Exception
    {
        final Liveness never = liveness(0);
        never.close();
        final Liveness liveness = liveness(0);
        liveness.start();
        Thread.currentThread().interrupt();
        liveness.close();
        assertTrue(Thread.interrupted());
        liveness.close();
        assertThrows(
            IllegalArgumentException.class,
            () -> new Liveness(job, new int[0], false, 0, Thread::new, errors::add, pause));
    }

    private Liveness liveness(final int pe)
    {
        return liveness(0, pe);
    }

    private Liveness liveness(final long killDeadlineNs, final int... pes)
    {
        return new Liveness(
            job, pes, true, killDeadlineNs, Thread::new, errors::add, pause, exiting::contains);
    }

    private void poll(final Liveness liveness, final int rounds)
    {
        for (int i = 0; i < rounds; i++)
        {
            pause.nanoClock.advance(TimeUnit.MILLISECONDS.toNanos(Liveness.INTERVAL_MS));
            pause.epochClock.advance(Liveness.INTERVAL_MS);
            liveness.poll();
        }
    }

    private boolean isFailedAfterPoll(final Liveness liveness)
    {
        poll(liveness, 1);

        return job.control().isFailed();
    }

    private JobFailure pollFailure(final Liveness liveness)
    {
        assertTrue(isFailedAfterPoll(liveness), job.control()::toString);

        return job.control().failure();
    }

    private JobFailure awaitFailure() throws Exception
    {
        Await.until(job.control()::isFailed, job.control()::toString);

        return job.control().failure();
    }

    private void awaitRounds(final int pe, final int rounds) throws Exception
    {
        awaitRounds(job.control(), pe, rounds);
    }

    private static void awaitRounds(final ControlFile control, final int pe, final int rounds) throws Exception
    {
        for (int i = 0; i < rounds; i++)
        {
            final long before = control.heartbeat(pe);
            Await.until(() -> control.heartbeat(pe) != before, control::toString);
        }
    }
}
