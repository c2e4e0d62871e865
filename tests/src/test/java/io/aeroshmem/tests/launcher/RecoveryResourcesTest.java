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

import io.aeroshmem.tests.fixture.Deadlines;
import io.aeroshmem.tests.fixture.JobRoot;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Recoverable jobs whose processes lack something or cannot be ended, and what many generations leave behind.
 */
@Tag("ci")
@Tag("waits")
class RecoveryResourcesTest
{
    private static final String STATE = "freezer.state";
    private static final String PROGRAM = RecoveredPe.class.getName();
    private static final int VOLUME = Integer.getInteger("aeroshmem.test.volume", 1);
    /** More than enough to see what each leaves behind. */
    private static final int GENERATIONS = 8 * VOLUME;
    private static final long SMALL = 64 << 20;

    @RegisterExtension
    private final JobRoot root = new JobRoot();

    /** It may write to its memory once more. Two jobs wait beside each other. */
    @Test
    void shouldGoOnWithoutTheMemoryOfAProcessThatCannotBeKilled() throws Exception
    {
        try (JobWithAFrozenPe replace = new JobWithAFrozenPe("replace");
            JobWithAFrozenPe restart = new JobWithAFrozenPe("restart"))
        {
            replace.freeze();
            restart.freeze();
            replace.awaitEnd();
            restart.awaitEnd();
            root.assertEmpty();
        }
    }

    /** The freezer of control groups of version 1 delays SIGKILL. */
    private final class JobWithAFrozenPe implements AutoCloseable
    {
        private final Path group;
        private final CommandProcess run;
        private ProcessHandle pe;

        private JobWithAFrozenPe(final String policy) throws IOException
        {
            group = Path.of("/sys/fs/cgroup/freezer/aeroshmem-test-" + policy + '-' + ProcessHandle.current().pid());
            try
            {
                Files.createDirectory(group);
            }
            catch (final IOException ex)
            {
                final String text = "skipped: no process can be frozen here: " + ex;
                System.out.println(text);
                Assumptions.abort(text);
            }

            run = CommandProcess.start(root.path(), "run", "-n", "3", "--recover=" + policy,
                "-J", "-Daeroshmem.recovery.join.timeout=1s", PROGRAM, "moved", "1");
        }

        private void freeze() throws Exception
        {
            final List<ProcessHandle> pes = List.copyOf(run.awaitReady(3));
            for (int each = 0; each < 3; each++)
            {
                run.awaitLine("found " + each + " 0");
            }

            Files.writeString(group.resolve("cgroup.procs"), Long.toString(pes.get(1).pid()));
            pe = pes.get(1);
            Files.writeString(group.resolve(STATE), "FROZEN");
            CommandProcess.signal(pes.get(2), "KILL");
        }

        private void awaitEnd() throws Exception
        {
            assertEquals(0, run.awaitExit(), run::toString);
            assertTrue(run.error().contains("aeroshmem: PE 1 (pid " + pe.pid() + ") has not ended within 10000 ms" +
                " after SIGKILL; giving up its process and its retained memory"), run::toString);
            assertTrue(run.output().containsAll(List.of(
                "state of 0: RETAINED", "state of 1: ZEROED", "state of 2: RETAINED", "found 0 7", "found 1 0",
                "found 2 7")), run::toString);
        }

        @Override
        public void close() throws IOException
        {
            Files.writeString(group.resolve(STATE), "THAWED");
            run.close();
            removeGroup(group);
        }
    }

    /** It is in use until the last process in it has been reaped. */
    private static void removeGroup(final Path group) throws IOException
    {
        final long deadlineNs = System.nanoTime() + Deadlines.WAIT_NS;
        while (!Files.readString(group.resolve("cgroup.procs")).isEmpty() && System.nanoTime() - deadlineNs < 0)
        {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }

        Files.delete(group);
    }

    @Test
    void shouldLeaveNothingBehindAfterManyRecoveries() throws Exception
    {
        recoverOftenAndLeaveNothing("ipc");
    }

    @Test
    @Tag("nightly")
    void shouldLeaveNothingBehindAfterManyRecoveriesOfMappedMemory() throws Exception
    {
        recoverOftenAndLeaveNothing("mapped");
    }

    private void recoverOftenAndLeaveNothing(final String transport) throws Exception
    {
        final CommandProcess run = CommandProcess.run(root.path(), "run", "-n", "2", "--recover=replace",
            "--transport", transport, "-J", "-Daeroshmem.recovery.window=1ms", PROGRAM, "leaks",
            Integer.toString(GENERATIONS));

        assertEquals(0, run.exitCode(), run::toString);
        assertEquals(GENERATIONS, run.failureLines().size(), run::toString);
        root.assertEmpty();
    }

    /** A snapshot or a restore is not begun, and the one that is committed stays. */
    @Test
    void shouldLoseNothingIfAPeCannotOpenFiles(@TempDir final Path directory) throws Exception
    {
        final CommandProcess run = CommandProcess.run(
            root.path(), "run", "-n", "2", PROGRAM, "descriptors", directory.resolve("snapshots").toString());
        assertEquals(0, run.exitCode(), run::toString);
        assertEquals(2, run.output().stream().filter((line) -> line.contains("Too many open files")).count(),
            run::toString);
        root.assertEmpty();
    }

    /** A process that lacks something fails with an exception, and one that follows joins. */
    @ParameterizedTest
    @CsvSource({
        "-n 2 --recover=restart, descriptors, oo many open files",
        "--hosts localhost:2 --recover=replace, memory, trying again in" })
    void shouldLoseNothingIfAReplacementLacksResources(
        final String options, final String what, final String message, @TempDir final Path directory) throws Exception
    {
        starve(options, what, message, directory);
    }

    @ParameterizedTest
    @CsvSource({
        "-n 2 --recover=replace, heap, OutOfMemoryError", "-n 2 --recover=restart, memory, ' free; enlarge it'",
        "-n 2 --recover=replace, memory, trying again in" })
    @Tag("nightly")
    void shouldLoseNothingIfAReplacementLacksOtherResources(
        final String options, final String what, final String message, @TempDir final Path directory) throws Exception
    {
        starve(options, what, message, directory);
    }

    private void starve(final String options, final String what, final String message, final Path directory)
        throws Exception
    {
        final long seed = Long.getLong("aeroshmem.test.seed", System.nanoTime());
        root.limit(SMALL);
        final List<String> arguments = new ArrayList<>(List.of("run"));
        arguments.addAll(List.of(options.split(" ")));
        arguments.addAll(List.of("-J", "-Daeroshmem.recovery.window=1ms", "-J", "-Daeroshmem.heap.size=1m",
            "-J", "-Xmx32m", PROGRAM, "starved", what, directory.resolve("count").toString()));
        LongStream.range(seed, seed + VOLUME).mapToObj(Long::toString).forEach(arguments::add);
        try (CommandProcess run = CommandProcess.start(root.path(), arguments.toArray(new String[0])))
        {
            freeMemoryWhenAwaited(run, 1);
            assertEquals(0, run.awaitExit(), () -> "seed " + seed + ", " + run);
            assertTrue(Integer.parseInt(Files.readString(directory.resolve("count"))) > 0, run::toString);
            assertTrue(run.error().stream().anyMatch((line) -> line.contains(message)),
                () -> "seed " + seed + ", " + run);
        }

        root.assertEmpty();
    }

    /** Whether it lacks what the system or the user may take away, here the directory of the output. */
    @Test
    void shouldGoOnAfterAProcessThatCannotBeStarted(@TempDir final Path directory) throws Exception
    {
        goOnAfterAProcessThatCannotBeStarted("replace", directory);
    }

    @Test
    @Tag("nightly")
    void shouldGoOnAfterOneOfAllProcessesThatCannotBeStarted(@TempDir final Path directory) throws Exception
    {
        goOnAfterAProcessThatCannotBeStarted("restart", directory);
    }

    private void goOnAfterAProcessThatCannotBeStarted(final String policy, final Path directory) throws Exception
    {
        final String cause = " cannot be started: cannot create the files of PE ";
        final Path logs = directory.resolve("logs");
        final Path away = directory.resolve("away");
        try (CommandProcess run = CommandProcess.start(root.path(), "run", "-n", "2", "--recover=" + policy,
            "--log-dir", logs.toString(), PROGRAM, "until", "2"))
        {
            final List<ProcessHandle> pes = run.awaitReady(2);
            Files.move(logs, away);
            CommandProcess.signal(pes.get(1), "KILL");
            final String line = run.awaitErrorLine(cause);
            assertTrue(line.startsWith("aeroshmem: generation 1 has failed: PE "), line);
            Files.move(away, logs);

            assertEquals(0, run.awaitExit(), run::toString);
            // a slow machine may start more processes before the directory is there again
            assertEquals(1, run.failureLines().stream().filter((text) -> !text.contains(cause)).count(), run::toString);
            RecoveredPe.requireNothingLost(run.output());
        }

        root.assertEmpty();
    }

    /** A launcher that waits for room is not taken for lost. */
    @Test
    @Tag("nightly")
    void shouldWaitForRoomLongerThanAHostMayBeSilent(@TempDir final Path directory) throws Exception
    {
        root.limit(SMALL);
        try (CommandProcess run = CommandProcess.start(root.path(), "run", "--hosts", "localhost:2",
            "--recover=replace", "-J", "-Daeroshmem.liveness.timeout=2s", "-J", "-Daeroshmem.heap.size=1m", PROGRAM,
            "starved", "memory", directory.resolve("count").toString(), "1"))
        {
            // after 1.5 s; the next attempt follows 1.6 s later
            freeMemoryWhenAwaited(run, 5);
            assertEquals(0, run.awaitExit(), run::toString);
            assertTrue(run.error().stream().anyMatch((line) -> line.contains("; trying again in 1600 ms")),
                run::toString);
        }

        root.assertEmpty();
    }

    /** A launcher that has no room for the next generation gets some after some attempts, however slow it is. */
    private void freeMemoryWhenAwaited(final CommandProcess run, final int attemptsEach) throws IOException
    {
        long attempts = 0;
        while (run.toHandle().isAlive())
        {
            final long found = run.error().stream().filter((line) -> line.contains("; trying again in ")).count();
            if (found >= attempts + attemptsEach)
            {
                Starvation.freeMemory(root.path());
                attempts = found;
            }

            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    /** With the memory that its PEs had retained. */
    @Test
    void shouldLeaveNothingWhenTheJvmOfAllPesEnds() throws Exception
    {
        try (CommandProcess program = CommandProcess.startJava(root.path(), Map.of(), PROGRAM, "local"))
        {
            assertEquals(4, program.awaitExit(), program::toString);
        }

        root.assertEmpty();
    }
}
