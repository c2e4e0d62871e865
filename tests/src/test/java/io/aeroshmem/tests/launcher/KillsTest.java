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
package io.aeroshmem.tests.launcher;

import io.aeroshmem.Recovery;
import io.aeroshmem.Shmem;
import io.aeroshmem.tests.fixture.Deadlines;
import io.aeroshmem.tests.fixture.InjectedFaults;
import io.aeroshmem.tests.fixture.JobRoot;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A recoverable job whose PEs are killed and stopped at random, also while they are started, join and end. A PE that is
 * stopped goes on before the others notice, or is killed by one of them. The program, {@link KilledPe}, verifies its
 * retained memory.
 */
@Tag("ci")
@Tag("waits")
@Timeout(value = 24, unit = TimeUnit.HOURS)
class KillsTest
{
    private static final int N_PES = 3;
    /** Of a job that shrinks. */
    private static final int MOST_PES = 5;
    private static final int LIVENESS_MS = 4_000;
    private static final int MAX_DELAY_MS = InjectedFaults.IS_NIGHTLY ? 1_200 : 400;
    private static final int MAX_OVERLAP_MS = 30;
    /** A poll reads what all processes of this machine are. */
    private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final Pattern CAUSE = Pattern.compile("PE \\d \\(pid (\\d+)[,) ]");

    @RegisterExtension
    private static final SshDaemon SSH = new SshDaemon();

    @RegisterExtension
    private final JobRoot root = new JobRoot();

    private final Set<ProcessHandle> lost = new HashSet<>();
    private final Set<ProcessHandle> seen = new HashSet<>();
    private InjectedFaults faults;
    private boolean isShrinking;

    static Stream<Object[]> jobs()
    {
        return InjectedFaults.IS_NIGHTLY ?
            InjectedFaults.jobs("restart mapped", "replace mapped", "restart ipc", "replace ipc", "restart udp",
            "replace udp", "shrink mapped", "shrink ipc", "shrink udp", "restart mapped --spares 1",
            "replace mapped --spares 1", "replace udp --spares 1") :
            InjectedFaults.jobs("restart mapped", "replace ipc", "replace udp");
    }

    @ParameterizedTest
    @MethodSource("jobs")
    void shouldLoseNothingByKillsAtAnyMoment(final String kind, final long seed) throws Exception
    {
        faults = new InjectedFaults(kind, seed);
        final String[] words = kind.split(" ", 3);
        isShrinking = "shrink".equals(words[0]);
        final List<String> options = new ArrayList<>(List.of("-n", Integer.toString(isShrinking ? MOST_PES : N_PES),
            "--recover=" + words[0], "--transport", words[1]));
        if (words.length > 2)
        {
            options.addAll(List.of(words[2].split(" ")));
        }

        run(KillsTest::children, options);
    }

    static Stream<Object[]> jobsOnTwoNodes()
    {
        return InjectedFaults.IS_NIGHTLY ? InjectedFaults.jobs("restart nodes", "replace nodes", "shrink nodes") :
            InjectedFaults.jobs("restart nodes");
    }

    @ParameterizedTest
    @MethodSource("jobsOnTwoNodes")
    void shouldLoseNothingOnTwoNodes(final String kind, final long seed) throws Exception
    {
        faults = new InjectedFaults(kind, seed);
        isShrinking = kind.startsWith("shrink");
        final int nPes = isShrinking ? MOST_PES : N_PES;
        final List<String> options = new ArrayList<>(List.of(
            "--hosts", String.join(":" + nPes / 2 + ',', SshDaemon.NODES) + ':' + (nPes - nPes / 2)));
        options.addAll(SSH.options());
        options.add("--recover=" + kind.split(" ")[0]);
        run((run) -> SSH.javaProcesses(KilledPe.class), options);
        SSH.awaitSessions();
        SSH.assertEmpty();
    }

    static Stream<Object[]> jobsOfOneJvm()
    {
        return InjectedFaults.jobs("restart local", "replace local");
    }

    /** PEs that are threads end by exceptions at random points, or other threads fail or end their generation. */
    @ParameterizedTest
    @MethodSource("jobsOfOneJvm")
    void shouldLoseNothingInOneJvm(final String kind, final long seed) throws Exception
    {
        faults = new InjectedFaults(kind, seed);
        final Path end = endFile();
        final AtomicReferenceArray<Shmem> pes = new AtomicReferenceArray<>(N_PES);
        final AtomicInteger doomed = new AtomicInteger(-1);
        final Collection<String> output = new ConcurrentLinkedQueue<>();
        final Shmem.Context template = new Shmem.Context().shmDirectoryName(root.path().toString()).heapSize(16 << 20)
            .recovery(Recovery.valueOf(kind.split(" ")[0].toUpperCase(Locale.ROOT)))
            .recoveryWindowNs(TimeUnit.MILLISECONDS.toNanos(1));
        final FutureTask<Void> job = new FutureTask<>(() ->
        {
            Shmem.runLocal(N_PES, template, (shmem) ->
            {
                pes.set(shmem.myPe(), shmem);
                KilledPe.run(
                    shmem,
                    KilledPe.BULK,
                    (step) -> Files.exists(end),
                    () -> throwIfDoomed(doomed, shmem.myPe()),
                    output::add);
            });
            return null;
        });
        new Thread(job, "job").start();
        boolean isRight = false;
        try
        {
            injectFaults(pes, doomed, job);
            Files.createFile(end);
            job.get(Deadlines.WAIT_S, TimeUnit.SECONDS);
            assertEquals(InjectedFaults.perJob(), InjectedFaults.recoveries(output), () -> faults.toString() + output);
            root.assertEmpty();
            isRight = true;
        }
        catch (final ExecutionException | TimeoutException ex)
        {
            throw new AssertionError(faults.toString() + output, ex);
        }
        finally
        {
            faults.report(InjectedFaults.recoveries(output), isRight);
            Files.deleteIfExists(end);
        }
    }

    private void injectFaults(
        final AtomicReferenceArray<Shmem> pes, final AtomicInteger doomed, final FutureTask<Void> job)
    {
        final Random random = faults.random();
        Shmem last = null;
        while (faults.count() < InjectedFaults.perJob() && !job.isDone())
        {
            final int pe = random.nextInt(N_PES);
            last = awaitNext(pes, pe, last, job);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(MAX_DELAY_MS / 4)));
            final int choice = random.nextInt(3);
            if (2 == choice)
            {
                faults.add(InjectedFaults.Kind.EXCEPTION, "exception of PE " + pe);
                doomed.set(pe);
            }
            else if (1 == choice)
            {
                faults.add(InjectedFaults.Kind.EXCEPTION, "failure of PE " + pe);
                last.fail(new IllegalStateException("a bad day"));
            }
            else
            {
                faults.add(InjectedFaults.Kind.REQUEST, "request of PE " + pe);
                last.requestRecovery("a better day");
            }
        }

        // the last one is not to end the job after a PE has left it
        awaitNext(pes, 0, last, job);
        assertEquals(-1, doomed.get());
    }

    /** Returns the PE, when its task runs in a later generation than that of another PE. */
    private Shmem awaitNext(
        final AtomicReferenceArray<Shmem> pes, final int pe, final Shmem last, final FutureTask<Void> job)
    {
        final int ended = null == last ? -1 : last.generation().number();
        final long deadlineNs = System.nanoTime() + Deadlines.WAIT_NS;
        while (!job.isDone() && (null == pes.get(pe) || pes.get(pe).generation().number() <= ended))
        {
            assertTrue(System.nanoTime() - deadlineNs < 0, () -> "no generation after a failure: " + faults);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }

        return pes.get(pe);
    }

    private static void throwIfDoomed(final AtomicInteger doomed, final int pe)
    {
        if (doomed.compareAndSet(pe, -1))
        {
            throw new IllegalStateException("a bad day");
        }
    }

    private static Path endFile() throws IOException
    {
        final Path end = Files.createTempFile("aeroshmem-test-", ".end");
        Files.delete(end);
        return end;
    }

    private static List<ProcessHandle> children(final CommandProcess run)
    {
        return run.toHandle().children().toList();
    }

    private void run(final Function<CommandProcess, List<ProcessHandle>> pes, final List<String> options)
        throws Exception
    {
        final Path end = endFile();
        final List<String> arguments = new ArrayList<>(List.of("run"));
        arguments.addAll(options);
        arguments.addAll(List.of("-J", "-Daeroshmem.recovery.window=1ms",
            "-J", "-Daeroshmem.liveness.timeout=" + LIVENESS_MS + "ms", "-J", "-Daeroshmem.join.timeout=15s",
            KilledPe.class.getName(), end.toString()));
        boolean isRight = false;
        try (CommandProcess run = CommandProcess.start(root.path(), arguments.toArray(new String[0])))
        {
            try
            {
                injectFaults(run, pes);
                Files.createFile(end);
                assertEquals(0, run.awaitExit(), () -> describe(run));
                check(run);
                assertTrue(seen.stream().noneMatch(ProcessHandle::isAlive), () -> describe(run));
                root.assertEmpty();
                isRight = true;
            }
            finally
            {
                faults.report(InjectedFaults.recoveries(run.output()), isRight);
                Files.deleteIfExists(end);
            }
        }
    }

    private void injectFaults(final CommandProcess run, final Function<CommandProcess, List<ProcessHandle>> pes)
        throws Exception
    {
        final int most = isShrinking ? Math.min(InjectedFaults.perJob(), MOST_PES - 1) : InjectedFaults.perJob();
        final Random random = faults.random();
        while (lost.size() < most)
        {
            final List<ProcessHandle> processes = awaitPes(run, pes);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(MAX_DELAY_MS)));
            lose(processes);
            if (0 == random.nextInt(4) && lost.size() < most)
            {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(MAX_OVERLAP_MS)));
                lose(processes);
            }
        }

        awaitPes(run, pes);
    }

    private void lose(final List<ProcessHandle> processes) throws Exception
    {
        final Random random = faults.random();
        final ProcessHandle pe = processes.get(random.nextInt(processes.size()));
        final int choice = random.nextInt(8);
        final int pauseMs = random.nextInt(2 * LIVENESS_MS);
        faults.add(
            choice < 6 ? InjectedFaults.Kind.KILL : 6 == choice ? InjectedFaults.Kind.STOP : InjectedFaults.Kind.PAUSE,
            (choice < 6 ? "kill " : 6 == choice ? "stop " : "pause of " + pauseMs + " ms, kill ") + pe.pid());
        CommandProcess.signal(pe, choice < 6 ? "KILL" : "STOP");
        if (choice > 6)
        {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(pauseMs));
            CommandProcess.signal(pe, "CONT");
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(MAX_OVERLAP_MS)));
            CommandProcess.signal(pe, "KILL");
        }

        lost.add(pe);
    }

    /** Returns the processes of the next generation, when all have been started, and those that are spare. */
    private List<ProcessHandle> awaitPes(
        final CommandProcess run, final Function<CommandProcess, List<ProcessHandle>> pes)
    {
        final long deadlineNs = System.nanoTime() + Deadlines.WAIT_NS;
        while (true)
        {
            assertTrue(run.toHandle().isAlive(), () -> "the job has ended: " + describe(run));
            final List<ProcessHandle> processes =
                pes.apply(run).stream().filter((process) -> !lost.contains(process)).toList();
            if (processes.size() >= (isShrinking ? MOST_PES - lost.size() : N_PES))
            {
                seen.addAll(processes);
                return processes;
            }

            assertTrue(System.nanoTime() - deadlineNs < 0, () -> "no generation after a loss: " + describe(run));
            LockSupport.parkNanos(POLL_NS);
        }
    }

    /**
     * Each generation has ended by a fault of this test. A PE that is stopped before it joins is only missed. One that
     * is killed there is started again in the same generation.
     */
    private void check(final CommandProcess run)
    {
        // a driver reports what PEs that are killed leave undone
        final List<String> lines = run.failureLines().stream()
            .filter((line) -> line.matches("aeroshmem: generation \\d+ has failed: .*")).toList();
        assertTrue(lines.size() <= lost.size(), () -> describe(run));
        for (int i = 0; i < lines.size(); i++)
        {
            final String line = lines.get(i);
            final Matcher cause = CAUSE.matcher(line);
            assertTrue(line.startsWith("aeroshmem: generation " + i + " has failed: ") &&
                (cause.find() && lost.stream().anyMatch((pe) -> pe.pid() == Long.parseLong(cause.group(1))) ||
                    line.contains("(aeroshmem.join.timeout)")),
                () -> line + '\n' + describe(run));
        }

        assertTrue(run.error().stream().noneMatch((line) -> line.contains("wrong: ")), () -> describe(run));
    }

    private String describe(final CommandProcess run)
    {
        return faults.toString() + run;
    }
}
