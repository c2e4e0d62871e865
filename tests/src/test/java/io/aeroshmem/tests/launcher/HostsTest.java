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
import org.junit.jupiter.params.provider.ValueSource;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Jobs over several hosts, reached by ssh.
 */
@Tag("ci")
@Tag("waits")
class HostsTest
{
    private static final String PROGRAM = LauncherPe.class.getName();
    private static final int KILLS = 2 * Integer.getInteger("aeroshmem.test.volume", 1);
    private static final String TWO_NODES = String.join(",", SshDaemon.NODES) + ":2";

    @RegisterExtension
    private static final SshDaemon SSH = new SshDaemon();

    @RegisterExtension
    private final JobRoot root = new JobRoot();

    @Test
    void shouldRunOverTwoNodesWithInputAndAnyArguments(@TempDir final Path logs) throws Exception
    {
        final List<String> words = List.of("a  b", "it's \"$HOME\"", "`id` \\ !*", "one\ntwo", "");
        final List<String> program = new ArrayList<>(List.of(
            "--tag", "{host} [pe {pe}] ", "--log-dir", logs.toString(), PROGRAM, "arguments"));
        program.addAll(words);
        try (CommandProcess run = start(TWO_NODES, program.toArray(new String[0])))
        {
            final OutputStream input = run.input();
            input.write("first\nsecond\n".getBytes(StandardCharsets.UTF_8));
            input.close();

            assertEquals(0, run.awaitExit(), run::toString);
            final List<String> expected = new ArrayList<>();
            for (int pe = 0; pe < 3; pe++)
            {
                for (final String word : words)
                {
                    expected.add(tag(pe) + "argument '" + word.replace("\n", "\\n") + "'");
                }

                expected.add(tag(pe) + "sum 3, node team of " + (0 == pe ? 1 : 2));
                final List<String> logged = Files.readAllLines(logs.resolve("pe-" + pe + ".out"));
                assertTrue(logged.contains("sum 3, node team of " + (0 == pe ? 1 : 2)), logged::toString);
                assertEquals(0, Files.size(logs.resolve("pe-" + pe + ".err")));
            }

            expected.add(tag(0) + "input first");
            expected.add(tag(0) + "input second");
            final List<String> actual = new ArrayList<>(run.output());
            actual.removeIf((line) -> line.contains("] ready "));
            expected.sort(null);
            actual.sort(null);
            assertEquals(expected, actual, run::toString);
            assertEquals(List.of(), run.error());
        }

        assertNothingLeft();
    }

    @Test
    void shouldEndEverywhereWhenAPeIsKilled() throws Exception
    {
        try (CommandProcess run = start(TWO_NODES, PROGRAM, "wait"))
        {
            final List<ProcessHandle> pes = run.awaitReady(3);
            CommandProcess.signal(pes.get(2), "KILL");

            assertEquals(137, run.awaitExit(), run::toString);
            assertOneLine(run, "PE 2 (pid " + pes.get(2).pid() + " on nodeb) was ended by signal 9 (SIGKILL)");
            CommandProcess.awaitEnd(pes);
        }

        assertNothingLeft();
    }

    @Tag("nightly")
    @Test
    void shouldNotBeOutlivedByItsPes() throws Exception
    {
        try (CommandProcess run = start(TWO_NODES, PROGRAM, "compute"))
        {
            final List<ProcessHandle> pes = run.awaitReady(3);
            final long startNs = System.nanoTime();
            run.signal("KILL");
            CommandProcess.awaitEnd(pes);

            Deadlines.requireWithin(TimeUnit.SECONDS.toNanos(5), System.nanoTime() - startNs, run::toString);
            assertEquals(137, run.awaitExit(), run::toString);
        }

        awaitNothingLeft();
    }

    @Tag("nightly")
    @Test
    void shouldReportInOneLineThatThereIsNoSuchHost() throws Exception
    {
        try (CommandProcess run = start("nodea,nowhere.invalid", PROGRAM, "wait"))
        {
            assertEquals(1, run.awaitExit(), run::toString);
            assertEquals(1, run.error().size(), run::toString);
            assertOneLine(run, "cannot start PE 1 on nowhere.invalid: ", "resolve hostname");
        }

        assertNothingLeft();
    }

    @Tag("nightly")
    @ParameterizedTest
    @CsvSource({
        "-J-Daeroshmem.shm.dir=/missing, job root must be a directory, aeroshmem.shm.dir",
        "--heap 100t, heaps of 104857600, aeroshmem.heap.size",
        "--bind 4000-4001, --bind must, --bind=4000-4001",
        "--log-dir /dev/null/logs, cannot create the directory /dev/null/logs, --log-dir",
    })
    void shouldReportInOneLineWhyItCannotStart(final String option, final String what, final String why)
        throws Exception
    {
        final List<String> program = new ArrayList<>(List.of(option.split(" ")));
        program.addAll(List.of(PROGRAM, "wait"));
        try (CommandProcess run = start(TWO_NODES, program.toArray(new String[0])))
        {
            assertEquals(2, run.awaitExit(), run::toString);
            assertEquals(1, run.error().size(), run::toString);
            assertOneLine(run, what, why);
        }

        assertNothingLeft();
    }

    @Tag("nightly")
    @ParameterizedTest
    @ValueSource(strings = { "wait", "compute", "stubborn" })
    void shouldEndEverywhereOnASignal(final String occupation) throws Exception
    {
        try (CommandProcess run = start(TWO_NODES, PROGRAM, occupation))
        {
            final List<ProcessHandle> pes = run.awaitReady(3);
            run.signal("TERM");

            assertEquals(143, run.awaitExit(), run::toString);
            CommandProcess.awaitEnd(pes);
        }

        assertNothingLeft();
    }

    @Tag("nightly")
    @ParameterizedTest
    @ValueSource(ints = { 0, 3, 255 })
    void shouldExitWithTheStatusOfAGlobalExit(final int status) throws Exception
    {
        try (CommandProcess run = start(TWO_NODES, PROGRAM, "globalExit", "1", Integer.toString(status)))
        {
            assertEquals(status, run.awaitExit(), run::toString);
            assertEquals(0 == status ? 0 : 1, run.launcherLines().size(), run::toString);
        }

        assertNothingLeft();
    }

    @Tag("nightly")
    @ParameterizedTest
    @CsvSource({ "0, 7", "2, 255", "1, 2" })
    void shouldExitWithThatOfThePeThatFailed(final int pe, final int status) throws Exception
    {
        try (CommandProcess run =
            start(TWO_NODES, PROGRAM, "exit", Integer.toString(pe), Integer.toString(status)))
        {
            assertEquals(status, run.awaitExit(), run::toString);
            assertOneLine(run, "PE " + pe + " (pid ", "ended with exit code " + status, "ending the other 2 PEs");
        }

        assertNothingLeft();
    }

    /** 255 is also ssh's own exit code, and the job has failed before the PE ends with it. */
    @Tag("nightly")
    @Test
    void shouldExitWithThatOfAPeThatEndsAfterItsFailure() throws Exception
    {
        try (CommandProcess run = start(TWO_NODES, PROGRAM, "failLate", "2", "255"))
        {
            assertEquals(255, run.awaitExit(), run::toString);
            assertOneLine(run, "PE 2 (pid ", "ended with exit code 255");
        }

        assertNothingLeft();
    }

    @Tag("nightly")
    @Test
    void shouldFailIfAPeNeverJoins() throws Exception
    {
        try (CommandProcess run = start(TWO_NODES, PROGRAM, "abandon", "1"))
        {
            assertEquals(1, run.awaitExit(), run::toString);
            assertOneLine(run, "PE 1 on nodeb ended without joining");
        }

        assertNothingLeft();
    }

    @Tag("nightly")
    @Test
    void shouldEndAJobThatTakesTooLong() throws Exception
    {
        try (CommandProcess run = start(TWO_NODES, "--timeout", "4s", PROGRAM, "compute"))
        {
            assertEquals(124, run.awaitExit(), run::toString);
            assertOneLine(run, "did not end within 4s (--timeout)");
        }

        assertNothingLeft();
    }

    @Tag("nightly")
    @Test
    void shouldEndAJobThatTakesTooLongAfterAFailure() throws Exception
    {
        try (CommandProcess run = start(TWO_NODES, "--keep-going", "--timeout", "20s", PROGRAM, "compute", "2"))
        {
            assertEquals(124, run.awaitExit(), run::toString);
        }

        assertNothingLeft();
    }

    @Tag("nightly")
    @ParameterizedTest
    @ValueSource(strings = { "KILL", "TERM" })
    void shouldEndWhenTheLauncherOfANodeIsGone(final String signal) throws Exception
    {
        try (CommandProcess run = start(TWO_NODES, PROGRAM, "compute"))
        {
            final List<ProcessHandle> pes = run.awaitReady(3);
            CommandProcess.signal(pes.get(2).parent().orElseThrow(), signal);

            assertEquals(1, run.awaitExit(), run::toString);
            assertOneLine(run, "launcher", "ending the job");
            CommandProcess.awaitEnd(pes);
        }

        awaitNothingLeft();
    }

    @Tag("nightly")
    @Test
    void shouldEndWhenTheWayToANodeIsCut() throws Exception
    {
        try (CommandProcess run = start(TWO_NODES, PROGRAM, "compute"))
        {
            final List<ProcessHandle> pes = run.awaitReady(3);
            final ProcessHandle way = run.toHandle().children()
                .filter((child) -> child.info().commandLine().orElse("").contains("nodeb")).findFirst().orElseThrow();
            CommandProcess.signal(way, "KILL");

            assertEquals(1, run.awaitExit(), run::toString);
            assertOneLine(run, "lost PEs 1-2 on nodeb", "SIGKILL");
            CommandProcess.awaitEnd(pes);
        }

        awaitNothingLeft();
    }

    @Tag("nightly")
    @Test
    void shouldRunOnOneNodeOfTwoNames() throws Exception
    {
        try (CommandProcess run = start(String.join(",", SshDaemon.TWINS), PROGRAM, "arguments"))
        {
            run.input().close();
            assertEquals(0, run.awaitExit(), run::toString);
            assertTrue(run.output().contains("sum 1, node team of 2"), run::toString);
        }

        assertNothingLeft();
    }

    @Tag("nightly")
    @Test
    void shouldEndOnOneNodeOfTwoNamesWhenAPeIsKilled() throws Exception
    {
        for (int pe = 0; pe < 2; pe++)
        {
            try (CommandProcess run = start(String.join(",", SshDaemon.TWINS), PROGRAM, "wait"))
            {
                final List<ProcessHandle> pes = run.awaitReady(2);
                CommandProcess.signal(pes.get(pe), "KILL");

                assertEquals(137, run.awaitExit(), run::toString);
                assertOneLine(run, "PE " + pe + " (pid ", "SIGKILL");
            }

            assertNothingLeft();
        }
    }

    @Tag("nightly")
    @Test
    void shouldRunHereAndThere() throws Exception
    {
        try (CommandProcess run = start("localhost:2,nodeb", PROGRAM, "arguments"))
        {
            run.input().close();
            assertEquals(0, run.awaitExit(), run::toString);
            assertEquals(
                3, run.output().stream().filter((line) -> line.startsWith("sum 3, ")).count(), run::toString);
        }

        assertNothingLeft();
    }

    @Tag("nightly")
    @Test
    void shouldLetTheOthersNoticeByThemselves() throws Exception
    {
        try (CommandProcess run = start(TWO_NODES, "--keep-going", PROGRAM, "wait"))
        {
            final List<ProcessHandle> pes = run.awaitReady(3);
            CommandProcess.signal(pes.get(2), "KILL");

            assertEquals(137, run.awaitExit(), run::toString);
            final long witnesses = run.error().stream().filter((line) -> line.contains("PeFailureException")).count();
            assertTrue(witnesses >= 2, run::toString);
        }

        assertNothingLeft();
    }

    /**
     * On each host in turn, with retained memory that RecoveredPe verifies. Then the launcher of a host starts a
     * process for a command.
     */
    @Test
    void shouldRecoverOnAllHostsWhenAPeIsKilledOrReplacedByACommand() throws Exception
    {
        try (CommandProcess run = start(TWO_NODES, "--recover=replace", "-J", "-Daeroshmem.recovery.window=1ms",
            "-J", "-Daeroshmem.recovery.max=" + KILLS, RecoveredPe.class.getName(), "until",
            Integer.toString(KILLS + 1)))
        {
            List<Long> pes = awaitGeneration(run, 0, 3);
            for (int kill = 0; kill < KILLS; kill++)
            {
                CommandProcess.signal(process(pes.get(kill % 3)), "KILL");
                final List<Long> next = awaitGeneration(run, kill + 1, 3);
                for (int pe = 0; pe < 3; pe++)
                {
                    assertEquals(pe != kill % 3, pes.get(pe).equals(next.get(pe)), run::toString);
                }

                pes = next;
            }

            replaceAPeByACommand(run, pes, KILLS, false);
            assertEquals(0, run.awaitExit(), run::toString);
            final List<String> lines = run.failureLines();
            assertEquals(KILLS + 1, lines.size(), run::toString);
            for (int kill = 0; kill < KILLS; kill++)
            {
                assertTrue(lines.get(kill).contains("generation " + kill + " has failed: PE " + kill % 3 + ' ') &&
                    lines.get(kill).endsWith("; starting generation " + (kill + 1)), run::toString);
            }

            RecoveredPe.requireNothingLost(run.output());
        }

        assertNothingLeft();
    }

    @Tag("nightly")
    @Test
    void shouldStartAllAgainWhenAPeIsReplacedByACommand() throws Exception
    {
        try (CommandProcess run = start(TWO_NODES, "--recover=restart", "-J", "-Daeroshmem.recovery.max=0",
            RecoveredPe.class.getName(), "until", "1"))
        {
            replaceAPeByACommand(run, awaitGeneration(run, 0, 3), 0, true);
            assertEquals(0, run.awaitExit(), run::toString);
            assertEquals(1, run.failureLines().size(), run::toString);
            RecoveredPe.requireNothingLost(run.output());
        }

        assertNothingLeft();
    }

    private static void replaceAPeByACommand(
        final CommandProcess run, final List<Long> pes, final int generation, final boolean areAllStarted)
        throws Exception
    {
        run.awaitLine("round ");
        requireRefused(run, "PE 1 was not replaced: the launcher on nodea has not started PE 1: the command is given" +
            " on its host", "nodea", "replace", "", "1");
        requireRefused(run, "the number of PEs was not changed: a job on several hosts keeps its number of PEs",
            "nodeb", "resize", "", "4");
        requireRefused(run, "PE 1 was not replaced: the JVM does not start: Unrecognized VM option 'NoSuch'",
            "nodeb", "replace", "", "1", "-J", "-XX:NoSuch");

        final CommandCall replace = CommandCall.run(SSH.root("nodeb"), "replace", "", "1", "-J", "-Dtest.version=2");
        assertEquals(0, replace.exitCode(), () -> replace + "\n" + run);
        final List<Long> next = awaitGeneration(run, generation + 1, 3);
        for (int pe = 0; pe < 3; pe++)
        {
            assertEquals(!areAllStarted && 1 != pe, pes.get(pe).equals(next.get(pe)), run::toString);
        }

        final String line = "aeroshmem: generation " + generation + " ends: PE 1 on nodeb is replaced by a command;" +
            " starting generation " + (generation + 1);
        assertTrue(run.error().contains(line), run::toString);
    }

    private static void requireRefused(
        final CommandProcess run, final String reason, final String node, final String... arguments)
    {
        final CommandCall command = CommandCall.run(SSH.root(node), arguments);
        assertEquals(1, command.exitCode(), () -> command + "\n" + run);
        assertEquals(List.of("aeroshmem: " + reason), command.error(), command::toString);
    }

    @Test
    void shouldTakeSpareProcessesOfBothHosts() throws Exception
    {
        takeSpareProcesses("restart");
    }

    @Tag("nightly")
    @Test
    void shouldTakeASpareProcessOnTheHostOfALostPe() throws Exception
    {
        takeSpareProcesses("replace");
    }

    private void takeSpareProcesses(final String policy) throws Exception
    {
        try (CommandProcess run = start(TWO_NODES, "--recover=" + policy, "--spares", "1",
            RecoveredPe.class.getName(), "until", "1"))
        {
            final List<Long> pes = awaitGeneration(run, 0, 3);
            final List<ProcessHandle> spares = new ArrayList<>();
            for (final String node : List.of("nodea", "nodeb"))
            {
                spares.add(CommandProcess.awaitSpare(SSH.root(node), null));
            }

            CommandProcess.signal(process(pes.get(1)), "KILL");
            final List<Long> next = awaitGeneration(run, 1, 3);
            assertEquals(spares.get(1).pid(), next.get(1), run::toString);
            assertEquals("restart".equals(policy), spares.get(0).pid() == next.get(0), run::toString);

            assertEquals(0, run.awaitExit(), run::toString);
            RecoveredPe.requireNothingLost(run.output());
        }

        assertNothingLeft();
    }

    @Test
    void shouldRecoverOnOneNodeOfTwoNames() throws Exception
    {
        try (CommandProcess run = start(String.join(",", SshDaemon.TWINS), "--recover=restart",
            RecoveredPe.class.getName(), "until", "2"))
        {
            CommandProcess.signal(process(awaitGeneration(run, 0, 2).get(1)), "KILL");
            CommandProcess.signal(process(awaitGeneration(run, 1, 2).get(0)), "KILL");

            assertEquals(0, run.awaitExit(), run::toString);
            RecoveredPe.requireNothingLost(run.output());
        }

        assertNothingLeft();
    }

    /** On one host another PE is left, on the other none. {@code LostHostTest} loses a host in each build. */
    @Tag("nightly")
    @Test
    void shouldGoOnWithoutThePesThatAreKilled() throws Exception
    {
        try (CommandProcess run = start(TWO_NODES, "--recover=shrink",
            "-J", "-Daeroshmem.recovery.window=1ms", RecoveredPe.class.getName(), "shrink"))
        {
            final List<Long> pes = awaitGeneration(run, 0, 3);
            for (int pe = 0; pe < 3; pe++)
            {
                run.awaitLine("shrunk " + pe + " -1 " + pe + " 3");
            }

            CommandProcess.signal(process(pes.get(1)), "KILL");
            run.awaitLine("shrunk 0 0 0 2");
            run.awaitLine("shrunk 1 2 2 2");
            CommandProcess.signal(process(pes.get(0)), "KILL");
            run.awaitLine("shrunk 0 1 2 1");

            assertEquals(0, run.awaitExit(), run::toString);
            assertTrue(run.error().containsAll(List.of(
                "aeroshmem: generation 1 has 2 PEs, without PE 1 and the retained memory there",
                "aeroshmem: generation 2 has 1 PE, without PE 0 and the retained memory there")), run::toString);
            assertTrue(run.error().stream().noneMatch((line) -> line.contains("wrong: ")), run::toString);
        }

        assertNothingLeft();
    }

    /** Their retained memory is lost. Two launchers are on the other host then, of which one keeps the memory there. */
    @Test
    void shouldStartPesOnAnotherHostWhenTheirLauncherIsKilled() throws Exception
    {
        try (CommandProcess run = start(TWO_NODES, "--recover=replace",
            "-J", "-Daeroshmem.recovery.window=1ms", RecoveredPe.class.getName(), "moved", "3"))
        {
            ProcessHandle first = process(awaitGeneration(run, 0, 3).get(0));
            awaitFound(run, 0, 0, 0);
            CommandProcess.signal(first.parent().orElseThrow(), "KILL");
            final List<Long> moved = awaitGeneration(run, 1, 3);
            awaitFound(run, 0, 7, 7);
            run.awaitLine("state of 0: ZEROED");

            CommandProcess.signal(process(moved.get(1)), "KILL");
            first = process(awaitGeneration(run, 2, 3).get(0));
            awaitFound(run, 7, 7, 7);

            CommandProcess.signal(first.parent().orElseThrow(), "KILL");
            awaitFound(run, 0, 7, 7);
            run.awaitLine("state of 0: ZEROED");
            assertEquals(0, run.awaitExit(), run::toString);
            for (final String host : List.of("nodea", "nodeb"))
            {
                assertTrue(run.error().stream().anyMatch((line) -> line.contains("lost PE 0 on " + host + ": ") &&
                    line.endsWith("; starting PE 0 on nodeb, with zeros as retained memory")), run::toString);
            }

            CommandProcess.awaitEnd(List.of(first));
        }

        JobRoot.endLeases(SSH.root("nodea"));
        awaitNothingLeft();
    }

    /** As it waits for the next generation: another one on that host takes the directory over, with its own memory. */
    @Test
    void shouldKeepTheMemoryBesideALauncherThatIsKilled(@TempDir final Path directory) throws Exception
    {
        final Path end = directory.resolve("end");
        try (CommandProcess run = start(String.join(",", SshDaemon.TWINS), "--recover=replace",
            "-J", "-Daeroshmem.recovery.max=20", RecoveredPe.class.getName(), "moved", "20", end.toString()))
        {
            List<Long> pes = awaitGeneration(run, 0, 2);
            awaitFound(run, 0, 0);
            final ProcessHandle launcher = process(pes.get(0)).parent().orElseThrow();
            int generation = 1;
            CommandProcess.signal(process(pes.get(1)), "KILL");
            // The delay counts from the start of the generation that failed, and doubles: the fourth is 2 s.
            while (!run.awaitErrorLine("; starting generation " + generation).matches(".* in \\d{4,} ms"))
            {
                pes = awaitGeneration(run, generation, 2);
                awaitFound(run, 7, 7);
                generation++;
                CommandProcess.signal(process(pes.get(1)), "KILL");
            }

            CommandProcess.signal(launcher, "KILL");
            pes = awaitGeneration(run, generation, 2);
            awaitFound(run, 0, 7);

            CommandProcess.signal(process(pes.get(0)), "KILL");
            awaitGeneration(run, generation + 1, 2);
            awaitFound(run, 7, 7);
            Files.createFile(end);
            assertEquals(0, run.awaitExit(), run::toString);
        }

        assertNothingLeft();
    }

    private static void awaitFound(final CommandProcess run, final int... numbers) throws InterruptedException
    {
        for (int pe = 0; pe < numbers.length; pe++)
        {
            run.awaitLine("found " + pe + ' ' + numbers[pe]);
        }
    }

    /** Returns the pids of the PEs of a generation, when all have joined it; those of the last may have ended. */
    private static List<Long> awaitGeneration(
        final CommandProcess run, final int generation, final int nPes) throws Exception
    {
        final List<Long> pes = new ArrayList<>();
        for (int pe = 0; pe < nPes; pe++)
        {
            final String line = run.awaitLine("ready " + pe + ' ' + generation + ' ');
            pes.add(Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)));
        }

        return pes;
    }

    private static ProcessHandle process(final long pid)
    {
        return ProcessHandle.of(pid).orElseThrow();
    }

    private static String tag(final int pe)
    {
        return (0 == pe ? "nodea" : "nodeb") + " [pe " + pe + "] ";
    }

    private CommandProcess start(final String hosts, final String... program) throws Exception
    {
        final List<String> arguments = new ArrayList<>(List.of("run", "--hosts", hosts));
        arguments.addAll(SSH.options());
        arguments.addAll(List.of(program));
        return CommandProcess.start(root.path(), arguments.toArray(new String[0]));
    }

    private void assertNothingLeft() throws Exception
    {
        root.assertEmpty();
        SSH.assertEmpty();
    }

    /**
     * For jobs whose launchers on the nodes may end after that of the job.
     */
    private void awaitNothingLeft() throws Exception
    {
        SSH.awaitSessions();
        final CommandCall clean = CommandCall.run(SSH.root("nodea"), "clean");
        assertEquals(0, clean.exitCode(), clean::toString);
        assertEquals(0, CommandCall.run(SSH.root("nodeb"), "clean").exitCode());
        assertNothingLeft();
    }

    private static void assertOneLine(final CommandProcess run, final String... parts)
    {
        final List<String> lines = run.launcherLines();
        assertEquals(1, lines.size(), run::toString);
        for (final String part : parts)
        {
            assertTrue(lines.get(0).contains(part), run::toString);
        }
    }
}
