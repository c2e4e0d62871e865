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
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Jobs of {@code aeroshmem run --recover} whose PEs are lost in real ways; {@link KillsTest} loses them at any moment.
 * {@code NodeStateMachineTest} and {@code RecoveriesTest} of the tools test which failures another generation follows,
 * and when.
 */
@Tag("ci")
@Tag("waits")
class RecoveryTest
{
    private static final String STATE = "freezer.state";
    private static final String PROGRAM = RecoveredPe.class.getName();
    private static final int VOLUME = Integer.getInteger("aeroshmem.test.volume", 1);
    private static final int KILLS = VOLUME;
    /** More than enough to see what each leaves behind. */
    private static final int GENERATIONS = 8 * VOLUME;
    private static final int MAX_DELAY_MS = 450;
    private static final int STARVED = VOLUME;
    private static final long SMALL = 64 << 20;

    @RegisterExtension
    private final JobRoot root = new JobRoot();

    @Test
    void shouldStartAllPesAgainInWhateverWayOneIsLost() throws Exception
    {
        final CommandProcess run = CommandProcess.run(root.path(), "run", "-n", "3", "--recover", "-J",
            "-Daeroshmem.recovery.window=1ms", PROGRAM, "ways");

        assertEquals(0, run.exitCode(), run::toString);
        final int generations = RecoveredPe.Way.values().length;
        final List<String> expected = new ArrayList<>();
        for (int number = 0; number <= generations; number++)
        {
            for (int pe = 0; pe < 3; pe++)
            {
                final int culprit = (number + 2) % 3;
                expected.add("generation " + number + ' ' + pe + ' ' + (0 == number ? "[] none" :
                    (generations == number ? "[]" : "[" + culprit + "]") + " PeFailureException"));
            }
        }

        assertEquals(expected, run.output().stream().filter((line) -> line.startsWith("generation ")).sorted().toList(),
            run::toString);
        assertTrue(run.output().stream().filter("ended"::equals).count() >= generations, run::toString);
        final List<String> lines = run.failureLines();
        assertEquals(generations, lines.size(), run::toString);
        final List<String> causes = List.of("PE 0 (pid \\d+) was ended by signal 9 (SIGKILL)",
            "PE 1 (pid \\d+) ended with exit code 0 without closing its Shmem",
            "PE 2 (pid \\d+) ended with exit code 3",
            "PE 0 (pid \\d+) ended with exit code 1; PE 0 failed: java.lang.IllegalStateException: nothing left" +
            " to trade",
            "PE 1 (pid \\d+) ended with exit code 1; PE 1 failed: java.lang.IllegalStateException: a bad day",
            "PE 2 (pid \\d+) ended with exit code 1; PE 2 requested a recovery: a better day");
        for (int number = 0; number < generations; number++)
        {
            assertTrue(lines.get(number).matches("aeroshmem: generation " + number + " has failed: " +
                causes.get(number).replace("(", "\\(").replace(")", "\\)") + "; starting generation " + (number + 1)),
                run::toString);
        }

        for (int number = 1; number <= generations; number++)
        {
            final String line = "aeroshmem: generation " + number + " runs, \\d+ ms after the failure" +
                " \\(members known \\d+, started \\d+, joined \\d+ ms\\)";
            assertTrue(run.error().stream().anyMatch((text) -> text.matches(line)), run::toString);
        }

        root.assertEmpty();
    }

    /** Also in the middle of a write. */
    @Test
    void shouldFindWholeRecordsAfterKillsAtAnyMoment() throws Exception
    {
        killAtAnyMoment("mapped", "records");
    }

    /** Also while files are written, committed, verified and read. */
    @Test
    void shouldRestoreTheNewestSnapshotAfterKillsAtAnyMoment(@TempDir final Path directory) throws Exception
    {
        killAtAnyMoment("udp", "snapshots", directory.resolve("snapshots").toString());
    }

    private void killAtAnyMoment(final String transport, final String program, final String... arguments)
        throws Exception
    {
        final long seed = Long.getLong("aeroshmem.test.seed", System.nanoTime());
        final Random random = new Random(seed);
        final Set<ProcessHandle> ended = new HashSet<>();
        final List<String> command = new ArrayList<>(List.of("run", "-n", "3", "--transport", transport,
            "--recover=restart", "-J", "-Daeroshmem.recovery.window=1ms", PROGRAM, program, Integer.toString(KILLS)));
        command.addAll(List.of(arguments));
        try (CommandProcess run = CommandProcess.start(root.path(), command.toArray(new String[0])))
        {
            run.awaitReady(3);
            for (int kill = 0; kill < KILLS; kill++)
            {
                final List<ProcessHandle> pes = awaitPes(run, ended);
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(MAX_DELAY_MS)));
                CommandProcess.signal(pes.get(random.nextInt(3)), "KILL");
                ended.addAll(pes);
            }

            assertEquals(0, run.awaitExit(), () -> "seed " + seed + ", " + run);
            assertEquals(KILLS, run.failureLines().size(), () -> "seed " + seed + ", " + run);
            RecoveredPe.requireNothingLost(run.output());
            final String last = "generation " + KILLS + ' ';
            assertEquals(3, run.output().stream().filter((line) -> line.startsWith(last)).count(),
                () -> "seed " + seed + ", " + run);
        }

        assertTrue(ended.stream().noneMatch(ProcessHandle::isAlive), () -> "seed " + seed);
        root.assertEmpty();
    }

    /** A PE that looks at nothing survives no failure. */
    @Test
    void shouldReplaceThePesThatAreLostInWhateverWay() throws Exception
    {
        final CommandProcess run = CommandProcess.run(root.path(), "run", "-n", "3", "--recover=replace",
            "-J", "-Daeroshmem.recovery.window=1ms", "-J", "-Daeroshmem.recovery.join.timeout=3s", PROGRAM, "ways");

        assertEquals(0, run.exitCode(), run::toString);
        final RecoveredPe.Way[] ways = RecoveredPe.Way.values();
        final List<List<String>> pids = new ArrayList<>();
        for (int pe = 0; pe < 3; pe++)
        {
            final String ready = "ready " + pe + ' ';
            pids.add(run.output().stream().filter((line) -> line.startsWith(ready))
                .map((line) -> line.substring(line.lastIndexOf(' '))).toList());
            assertEquals(ways.length + 1, pids.get(pe).size(), run::toString);
        }

        for (int number = 0; number < ways.length; number++)
        {
            final int culprit = number % 3;
            final boolean isLost = ways[number].ordinal() < RecoveredPe.Way.FAIL_AND_RETURN.ordinal();
            for (int pe = 0; pe < 3; pe++)
            {
                final boolean isReplaced =
                    pe == culprit && isLost || pe == (culprit + 1) % 3 && RecoveredPe.isSurvivorLate(number);
                assertEquals(isReplaced, !pids.get(pe).get(number).equals(pids.get(pe).get(number + 1)),
                    () -> "a PE, " + run);
            }
        }

        final List<String> lines = run.failureLines();
        assertEquals(ways.length + 2, lines.size(), run::toString);
        assertTrue(lines.get(5).matches("aeroshmem: generation 4 has failed: PE 1 failed: .*: a bad day; starting" +
            " generation 5"), run::toString);
        assertTrue(lines.get(6).matches("aeroshmem: PE 2 \\(pid \\d+\\) did not join generation 5 within 3000 ms" +
            " \\(aeroshmem.recovery.join.timeout\\); replacing it"), run::toString);
        root.assertEmpty();
    }

    /** A PE can register once in a generation, so this one is over. */
    @Test
    void shouldGoOnAfterAPeThatDiesBeforeItsRecordCanBeRead() throws Exception
    {
        final CommandProcess run = CommandProcess.run(root.path(), "run", "-n", "2", "--recover=replace",
            "-J", "-Daeroshmem.recovery.window=1ms", PROGRAM, "registered");

        assertEquals(0, run.exitCode(), run::toString);
        final List<String> lines = run.failureLines();
        assertEquals(2, lines.size(), run::toString);
        for (int number = 0; number < 2; number++)
        {
            assertTrue(lines.get(number).matches("aeroshmem: generation " + number + " has failed: PE " + number +
                " \\(pid \\d+\\) ended with exit code 9; starting generation " + (number + 1)), run::toString);
        }

        root.assertEmpty();
    }

    /** An upgrade PE by PE: more commands than recoveries are permitted. */
    @Test
    void shouldReplacePesByCommands(@TempDir final Path directory) throws Exception
    {
        final Path end = directory.resolve("end");
        try (CommandProcess run = CommandProcess.start(root.path(), "run", "-n", "2", "--recover=replace",
            "-J", "-Daeroshmem.recovery.max=1", PROGRAM, "until", "2", end.toString()))
        {
            List<ProcessHandle> pes = run.awaitReady(2);
            run.awaitLine("round ");
            final String id = root.entries().stream().map((path) -> path.getFileName().toString())
                .filter((name) -> name.startsWith("recovery-")).findFirst().orElseThrow().substring(9);
            requireRefused(1, "PE 0 was not replaced: the JVM does not start: Unrecognized VM option 'NoSuch'",
                id, "0", "-J", "-XX:NoSuch");
            // all PEs have -XX:+UseSerialGC
            requireRefused(1, "PE 0 was not replaced: the JVM does not start: Multiple garbage collectors selected",
                id, "0", "-J", "-XX:+UseParallelGC");
            requireRefused(1, "PE 2 was not replaced: PE must be 0 to 1: 2", id, "2");
            requireRefused(1, "no recoverable job runs on this host whose id begins with 'x'", "x", "0");
            assertEquals(List.of(), run.error());

            for (int pe = 0; pe < 2; pe++)
            {
                final CommandCall replace = CommandCall.run(root.path(), "replace", id,
                    Integer.toString(pe), "-J", "-Dtest.version=2", "-cp", "new-" + pe + ".jar");
                assertEquals(0, replace.exitCode(), () -> replace + "\n" + run);
                assertTrue(replace.output().get(0).startsWith("generation " + (pe + 1) + " runs, "), replace::toString);
                final List<ProcessHandle> all = run.awaitReady(2);
                final List<ProcessHandle> next = all.subList(all.size() - 2, all.size());
                for (int other = 0; other < 2; other++)
                {
                    assertEquals(other != pe, next.get(other).equals(pes.get(other)), run::toString);
                }

                if (0 == pe)
                {
                    final String command = Files.readString(Path.of("/proc/" + next.get(0).pid() + "/cmdline"));
                    assertTrue(command.contains("-Dtest.version=2"), command);
                    assertTrue(command.contains(Path.of("new-0.jar").toAbsolutePath() + ":"), command);
                }

                pes = List.copyOf(next);
            }

            // never joins, and the job goes on as before
            final CommandCall unfit =
                CommandCall.run(root.path(), "replace", id, "1", "-J", "-Daeroshmem.heap.size=1m");
            assertEquals(1, unfit.exitCode(), unfit::toString);
            assertTrue(unfit.toString().contains("PE 1 was not replaced: PE 1 did not come up: "), unfit::toString);
            run.awaitReady(2);

            Files.createFile(end);
            assertEquals(0, run.awaitExit(), run::toString);
            RecoveredPe.requireNothingLost(run.output());
            assertEquals(List.of(
                "aeroshmem: generation 0 ends: PE 0 is replaced by a command; starting generation 1",
                "aeroshmem: generation 1 ends: PE 1 is replaced by a command; starting generation 2",
                "aeroshmem: generation 2 ends: PE 1 is replaced by a command; starting generation 3"),
                run.failureLines().subList(0, 3), run::toString);
        }

        root.assertEmpty();
    }

    private void requireRefused(final int exitCode, final String line, final String... arguments) throws Exception
    {
        final List<String> command = new ArrayList<>(List.of("replace"));
        command.addAll(List.of(arguments));
        final CommandCall replace = CommandCall.run(root.path(), command.toArray(new String[0]));
        assertEquals(exitCode, replace.exitCode(), replace::toString);
        assertEquals(List.of("aeroshmem: " + line), replace.error(), replace::toString);
    }

    /** Its silence ends the generation. */
    @Test
    void shouldReplaceAPeThatIsStopped() throws Exception
    {
        try (CommandProcess run = CommandProcess.start(root.path(), "run", "-n", "3", "--recover=replace",
            "-J", "-Daeroshmem.liveness.timeout=4s", PROGRAM, "until", "1"))
        {
            final List<ProcessHandle> pes = run.awaitReady(3);
            CommandProcess.signal(pes.get(1), "STOP");

            assertEquals(0, run.awaitExit(), run::toString);
            assertEquals(1, run.failureLines().size(), run::toString);
            RecoveredPe.requireNothingLost(run.output());
        }

        root.assertEmpty();
    }

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

    /** The others have new numbers, and keep their memory. */
    @Test
    void shouldGoOnWithoutThePesThatAreKilled() throws Exception
    {
        goOnWithoutThePesThatAreKilled("mapped");
    }

    @Test
    @Tag("nightly")
    void shouldGoOnOverUdpWithoutThePesThatAreKilled() throws Exception
    {
        goOnWithoutThePesThatAreKilled("udp");
    }

    private void goOnWithoutThePesThatAreKilled(final String transport) throws Exception
    {
        try (CommandProcess run = CommandProcess.start(root.path(), "run", "-n", "4", "--recover=shrink",
            "--tag-output", "--transport", transport, "-J", "-Daeroshmem.recovery.window=1ms", PROGRAM, "shrink"))
        {
            final List<ProcessHandle> pes = new ArrayList<>();
            for (int pe = 0; pe < 4; pe++)
            {
                final String line = run.awaitLine("[pe " + pe + "] ready ");
                pes.add(ProcessHandle.of(Long.parseLong(line.substring(line.lastIndexOf(' ') + 1))).orElseThrow());
                run.awaitLine("[pe " + pe + "] shrunk " + pe + " -1 " + pe + " 4");
            }

            CommandProcess.signal(pes.get(1), "KILL");
            run.awaitLine("[pe 0] shrunk 0 0 0 3");
            run.awaitLine("[pe 1] shrunk 1 2 2 3");
            run.awaitLine("[pe 2] shrunk 2 3 3 3");
            CommandProcess.signal(pes.get(3), "KILL");
            CommandProcess.signal(pes.get(0), "KILL");

            assertEquals(0, run.awaitExit(), run::toString);
            assertTrue(run.output().stream().anyMatch(
                (line) -> line.matches("\\[pe 0] shrunk 0 [01] 2 1")), run::toString);
            assertTrue(run.output().stream().anyMatch(
                (line) -> line.matches("\\[pe 0] generation (2 0 \\[(0,2|2,0)]|3 0 \\[[01]]) .*")), run::toString);
            assertTrue(run.error().contains("aeroshmem: generation 1 has 3 PEs, without PE 1 and the retained memory" +
                " there"), run::toString);
            assertTrue(run.error().stream().noneMatch((line) -> line.contains("wrong: ")), run::toString);
        }

        root.assertEmpty();
    }

    /** Those that are added have zeroed memory, those that go take theirs with them. */
    @Test
    void shouldGoOnWithAnotherNumberOfPes() throws Exception
    {
        try (CommandProcess run = startToResize("replace"))
        {
            requireNotResized(run, "the job has 2 PEs", "2");
            requireNotResized(run, "the number of PEs must be 1 to 65536: 0", "0");

            resize(run, "4");
            awaitMembers(run, "0 0 0", "1 1 1", "2 -1 2", "3 -1 3");
            resize(run, "3");
            awaitMembers(run, "0 0 0", "1 1 1", "2 2 2");
            resize(run, "4");
            awaitMembers(run, "0 0 0", "1 1 1", "2 2 2", "3 -1 3");

            requireNotResized(run, "5 PEs did not come up: PE \\d \\(pid \\d+\\) ended with exit code 7.*", "5");
            awaitMembers(run, "0 0 0", "1 1 1", "2 2 2", "3 3 3");
            resizeToOne(run);
            assertTrue(run.error().contains("aeroshmem: generation 1 has 4 PEs"), run::toString);
            assertTrue(run.error().contains("aeroshmem: generation 2 has 3 PEs, without PE 3 and the retained memory" +
                " there"), run::toString);
        }

        root.assertEmpty();
    }

    @Test
    void shouldGoOnWithAnotherNumberOfPesInAJobThatShrinks() throws Exception
    {
        goOnWithAnotherNumberOfPes("shrink");
    }

    @Test
    @Tag("nightly")
    void shouldStartAnotherNumberOfPes() throws Exception
    {
        goOnWithAnotherNumberOfPes("restart");
    }

    private void goOnWithAnotherNumberOfPes(final String policy) throws Exception
    {
        try (CommandProcess run = startToResize(policy))
        {
            resize(run, "3");
            awaitMembers(run, "0 0 0", "1 1 1", "2 -1 2");
            if ("restart".equals(policy))
            {
                requireNotResized(run, "5 PEs did not come up: PE \\d \\(pid \\d+\\) ended with exit code 7.*", "5");
                awaitMembers(run, "0 0 0", "1 1 1", "2 2 2");
            }

            resizeToOne(run);
        }

        root.assertEmpty();
    }

    private CommandProcess startToResize(final String policy) throws Exception
    {
        final CommandProcess run = CommandProcess.start(
            root.path(), "run", "-n", "2", "--recover=" + policy, PROGRAM, "shrink");
        awaitMembers(run, "0 -1 0", "1 -1 1");
        return run;
    }

    private void resizeToOne(final CommandProcess run) throws Exception
    {
        resize(run, "1");
        awaitMembers(run, "0 0 0");
        assertEquals(0, run.awaitExit(), run::toString);
        assertTrue(run.error().stream().noneMatch((line) -> line.contains("wrong: ")), run::toString);
    }

    private static void awaitMembers(final CommandProcess run, final String... pes) throws Exception
    {
        for (final String pe : pes)
        {
            run.awaitLine("shrunk " + pe + ' ' + pes.length);
        }
    }

    private void resize(final CommandProcess run, final String nPes) throws Exception
    {
        final CommandCall resize = CommandCall.run(root.path(), "resize", "", nPes);
        assertEquals(0, resize.exitCode(), () -> resize + "\n" + run);
        assertTrue(resize.output().get(0).matches("generation \\d+ runs, .*"), resize::toString);
    }

    private void requireNotResized(final CommandProcess run, final String reason, final String nPes) throws Exception
    {
        final CommandCall resize = CommandCall.run(root.path(), "resize", "", nPes);
        assertEquals(1, resize.exitCode(), () -> resize + "\n" + run);
        assertTrue(resize.error().get(0).matches("aeroshmem: the number of PEs was not changed: " + reason),
            () -> resize + "\n" + run);
    }

    /** One that is killed while it waits is replaced. */
    @Test
    void shouldTakeASpareProcess(@TempDir final Path directory) throws Exception
    {
        final Path end = directory.resolve("end");
        try (CommandProcess run = CommandProcess.start(root.path(), "run", "-n", "2", "--recover=replace",
            "--spares", "1", "-J", "-Daeroshmem.recovery.window=1ms", PROGRAM, "until", "3", end.toString()))
        {
            List<ProcessHandle> pes = run.awaitReady(2);
            ProcessHandle spare = CommandProcess.awaitSpare(root.path(), null);
            CommandProcess.signal(spare, "KILL");
            for (int kill = 0; kill < 3; kill++)
            {
                spare = CommandProcess.awaitSpare(root.path(), spare);
                CommandProcess.signal(pes.get(kill % 2), "KILL");
                final List<ProcessHandle> all = run.awaitReady(2);
                pes = all.subList(all.size() - 2, all.size());
                assertTrue(pes.contains(spare), run::toString);
            }

            Files.createFile(end);
            assertEquals(0, run.awaitExit(), run::toString);
            RecoveredPe.requireNothingLost(run.output());
            assertTrue(run.error().stream().anyMatch((line) -> line.matches("aeroshmem: a spare process \\(pid \\d+" +
                "\\) was ended by signal 9 \\(SIGKILL\\); starting another")), run::toString);
        }

        root.assertEmpty();
    }

    /** What it has loaded may be older than the jars. */
    @Test
    void shouldNotReplaceAPeByASpareProcessOfBefore() throws Exception
    {
        try (CommandProcess run = CommandProcess.start(root.path(), "run", "-n", "2", "--recover=replace",
            "--spares", "1", PROGRAM, "until", "1"))
        {
            run.awaitReady(2);
            final ProcessHandle spare = CommandProcess.awaitSpare(root.path(), null);
            final CommandCall replace = CommandCall.run(root.path(), "replace", "", "0");
            assertEquals(0, replace.exitCode(), () -> replace + "\n" + run);
            // it may have ended meanwhile
            assertFalse(run.awaitLine("ready 0 ").endsWith(" " + spare.pid()), run::toString);
            assertFalse(spare.isAlive(), run::toString);
            assertEquals(0, run.awaitExit(), run::toString);
        }

        root.assertEmpty();
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

    @ParameterizedTest
    @CsvSource({ "replace, exit", "restart, closed" })
    void shouldBeFollowedByNoneAfterTheEndOfAJob(final String policy, final String way) throws Exception
    {
        final CommandProcess run = CommandProcess.run(root.path(), "run", "-n", "2", "--recover=" + policy,
            PROGRAM, way);

        assertEquals("exit".equals(way) ? 5 : 7, run.exitCode(), run::toString);
        assertTrue("exit".equals(way) || 1 == run.failureLines().size(), run::toString);
        root.assertEmpty();
    }

    /** Returns the processes of the next generation, when all have been started and none of those before is alive. */
    private static List<ProcessHandle> awaitPes(final CommandProcess run, final Set<ProcessHandle> ended)
    {
        final long deadlineNs = System.nanoTime() + Deadlines.WAIT_NS;
        while (true)
        {
            final List<ProcessHandle> pes = run.toHandle().children().toList();
            if (3 == pes.size() && pes.stream().noneMatch(ended::contains))
            {
                return pes;
            }

            assertTrue(System.nanoTime() - deadlineNs < 0, run::toString);
            assertTrue(pes.stream().noneMatch(ended::contains) || pes.stream().allMatch(ended::contains),
                () -> "processes of two generations: " + pes + " after " + ended);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
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
        "-n 2 --recover=restart, descriptors, oo many open files", "-n 2 --recover=replace, heap, OutOfMemoryError",
        "-n 2 --recover=restart, memory, ' free; enlarge it'",
        "--hosts localhost:2 --recover=replace, memory, trying again in" })
    void shouldLoseNothingIfAReplacementLacksResources(
        final String options, final String what, final String message, @TempDir final Path directory) throws Exception
    {
        starve(options, what, message, directory);
    }

    @Test
    @Tag("nightly")
    void shouldLoseNothingIfAReplacementOnOneHostLacksMemory(@TempDir final Path directory) throws Exception
    {
        starve("-n 2 --recover=replace", "memory", "trying again in", directory);
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
        LongStream.range(seed, seed + STARVED).mapToObj(Long::toString).forEach(arguments::add);
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
    @ParameterizedTest
    @ValueSource(strings = { "restart", "replace" })
    void shouldGoOnAfterAProcessThatCannotBeStarted(final String policy, @TempDir final Path directory)
        throws Exception
    {
        final Path logs = directory.resolve("logs");
        final Path away = directory.resolve("away");
        try (CommandProcess run = CommandProcess.start(root.path(), "run", "-n", "2", "--recover=" + policy,
            "--log-dir", logs.toString(), PROGRAM, "until", "2"))
        {
            final List<ProcessHandle> pes = run.awaitReady(2);
            Files.move(logs, away);
            CommandProcess.signal(pes.get(1), "KILL");
            final String line = run.awaitErrorLine(" cannot be started: cannot create the files of PE ");
            assertTrue(line.startsWith("aeroshmem: generation 1 has failed: PE "), line);
            Files.move(away, logs);

            assertEquals(0, run.awaitExit(), run::toString);
            assertEquals(1, run.failureLines().size(), run::toString);
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

    @Test
    void shouldShowItsGenerationAndWhatItRetains() throws Exception
    {
        try (CommandProcess run = CommandProcess.start(
            root.path(), "run", "-n", "2", "--recover", PROGRAM, "until", "9"))
        {
            run.awaitLine("began ");
            CommandProcess.signal(run.awaitReady(2).get(1), "KILL");
            run.awaitLine("began ");

            // a PE publishes its gauges after it has retained
            final String json = CommandProcess.awaitStat(
                root.path(), (stat) -> stat.matches(".*\"retained_bytes\": [1-9].*"));
            assertTrue(json.contains("\"generation\": 1, \"previous_failure\": \"PE 1 (pid "), json);
            assertTrue(json.matches(".*\"recovery_ms\": \\{\"detected\": [1-9]\\d+, \"members_known\": [1-9]\\d+, " +
                "\"started\": [1-9]\\d+, \"joined\": [1-9]\\d+, \"running\": [1-9]\\d+}.*"), json);
            assertTrue(json.contains("/recovery-"), json);
            assertTrue(json.contains("{\"name\": \"count\", \"bytes\": 8, \"layout_version\": 0, \"states\": " +
                "[\"RETAINED\", \"RETAINED\"]}"), json);
        }
    }

    /** After the kill, while the next generation is delayed or starts. */
    @Test
    void shouldEndOnASignalBetweenGenerations() throws Exception
    {
        try (CommandProcess run = CommandProcess.start(
            root.path(), "run", "-n", "2", "--recover", PROGRAM, "until", "9"))
        {
            final List<ProcessHandle> pes = run.awaitReady(2);
            CommandProcess.signal(pes.get(0), "KILL");
            CommandProcess.awaitEnd(pes);
            run.signal("INT");

            assertEquals(130, run.awaitExit(), run::toString);
            assertEquals(1, run.error().stream().filter("aeroshmem: interrupted; ending the job"::equals).count(),
                run::toString);
            root.assertEmpty();
        }
    }

    @Test
    void shouldKeepTheDirectoryOfAKilledLauncherUntilItsLeaseEnds() throws Exception
    {
        try (CommandProcess run = CommandProcess.start(
            root.path(), "run", "-n", "2", "--recover", PROGRAM, "until", "9"))
        {
            final List<ProcessHandle> pes = run.awaitReady(2);
            run.signal("KILL");
            CommandProcess.awaitEnd(pes);
        }

        CommandCall.run(root.path(), "clean");
        final CommandCall list = CommandCall.run(root.path(), "clean", "--list");
        assertTrue(list.output().stream().anyMatch((line) -> line.contains("/recovery-") && line.contains(
            "of a recoverable job, no process holds it, and its lease ends at ")), list::toString);

        JobRoot.endLeases(root.path());
        CommandCall.run(root.path(), "clean");
        root.assertEmpty();
    }
}
