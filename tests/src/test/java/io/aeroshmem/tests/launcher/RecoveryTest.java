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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import static org.junit.jupiter.api.Assertions.assertEquals;
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
    private static final String PROGRAM = RecoveredPe.class.getName();
    private static final int KILLS = Integer.getInteger("aeroshmem.test.volume", 1);
    private static final int MAX_DELAY_MS = 450;

    @RegisterExtension
    private final JobRoot root = new JobRoot();

    @Test
    @Tag("nightly")
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
        requireCauses(run, run.failureLines(), true);
        root.assertEmpty();
    }

    private static void requireCauses(
        final CommandProcess run, final List<String> lines, final boolean areAllStarted)
    {
        // without an end of the process, whose generation alone ends, where it is not started again
        final String ends = " \\(pid \\d+\\) ended with exit code 1; ";
        final List<String> causes = List.of(
            "PE 0 \\(pid \\d+\\) was ended by signal 9 \\(SIGKILL\\)",
            "PE 1 \\(pid \\d+\\) ended with exit code 0 without closing its Shmem",
            "PE 2 \\(pid \\d+\\) ended with exit code 3",
            "PE 0" + ends + "PE 0 failed: java.lang.IllegalStateException: nothing left to trade",
            (areAllStarted ? "PE 1" + ends : "") + "PE 1 failed: java.lang.IllegalStateException: a bad day",
            (areAllStarted ? "PE 2" + ends : "") + "PE 2 requested a recovery: a better day");
        assertEquals(causes.size(), lines.size(), run::toString);
        for (int number = 0; number < causes.size(); number++)
        {
            assertTrue(lines.get(number).matches("aeroshmem: generation " + number + " has failed: " +
                causes.get(number) + "; starting generation " + (number + 1)), run::toString);
            final String line = "aeroshmem: generation " + (number + 1) + " runs, \\d+ ms after the failure" +
                " \\(members known \\d+, started " + (areAllStarted ? "\\d+" : "(\\d+|-)") + ", joined \\d+ ms\\)";
            assertTrue(run.error().stream().anyMatch((text) -> text.matches(line)), run::toString);
        }
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
        final List<String> failures = lines.stream().filter((line) -> line.contains(" has failed: ")).toList();
        requireCauses(run, failures, false);
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

    @ParameterizedTest
    @CsvSource({ "replace, exit", "restart, closed" })
    @Tag("nightly")
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
            assertTrue(pes.stream().allMatch(ended::contains) || ended.stream().noneMatch(ProcessHandle::isAlive),
                () -> "processes of two generations: " + pes + " after " + ended);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    /** The signal follows a kill, while the next generation is delayed or starts. */
    @Test
    void shouldShowItsGenerationAndWhatItRetainsAndEndOnASignalBetweenGenerations() throws Exception
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

            final List<ProcessHandle> pes = run.awaitReady(2);
            CommandProcess.signal(pes.get(2), "KILL");
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
            assertEquals(137, run.awaitExit(), run::toString);
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
