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

import io.aeroshmem.tests.fixture.JobRoot;
import io.aeroshmem.transport.job.RecoveryDirectory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Recoverable jobs whose PEs commands replace, add or remove, or that spare processes replace.
 */
@Tag("ci")
@Tag("waits")
class RecoveryCommandsTest
{
    private static final String PROGRAM = RecoveredPe.class.getName();

    @RegisterExtension
    private final JobRoot root = new JobRoot();

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
                final List<ProcessHandle> next = awaitGeneration(run);
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

                pes = next;
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

    /** No job runs then, but the launcher owns the directory that all generations have in common. */
    @Test
    void shouldFindAJobBetweenItsGenerations() throws Exception
    {
        try (RecoveryDirectory directory = RecoveryDirectory.create(root.path(), TimeUnit.MINUTES.toNanos(1)))
        {
            requireRefused(1, "PE 0 was not replaced: the job takes no commands: it was not started on this host" +
                " alone by 'aeroshmem run --recover', or has ended",
                directory.path().getFileName().toString().substring("recovery-".length()), "0");
        }
    }

    private void requireRefused(final int exitCode, final String line, final String... arguments) throws Exception
    {
        final List<String> command = new ArrayList<>(List.of("replace"));
        command.addAll(List.of(arguments));
        final CommandCall replace = CommandCall.run(root.path(), command.toArray(new String[0]));
        assertEquals(exitCode, replace.exitCode(), replace::toString);
        assertEquals(List.of("aeroshmem: " + line), replace.error(), replace::toString);
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
        assertTrue(run.error().stream().noneMatch((line) -> line.contains("is lost, because")),
            () -> "a PE that is added has lost nothing: " + run);
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

    /**
     * One that is killed while it waits is replaced. None is taken for a PE that a command replaces: what it has loaded
     * may be older than the jars.
     */
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
            for (int kill = 0; kill < 2; kill++)
            {
                spare = CommandProcess.awaitSpare(root.path(), spare);
                CommandProcess.signal(pes.get(kill), "KILL");
                pes = awaitGeneration(run);
                assertTrue(pes.contains(spare), run::toString);
            }

            spare = CommandProcess.awaitSpare(root.path(), spare);
            final CommandCall replace = CommandCall.run(root.path(), "replace", "", "0");
            assertEquals(0, replace.exitCode(), () -> replace + "\n" + run);
            assertFalse(awaitGeneration(run).contains(spare), run::toString);
            assertFalse(spare.isAlive(), run::toString);

            Files.createFile(end);
            assertEquals(0, run.awaitExit(), run::toString);
            RecoveredPe.requireNothingLost(run.output());
            assertTrue(run.error().stream().anyMatch((line) -> line.matches("aeroshmem: a spare process \\(pid \\d+" +
                "\\) was ended by signal 9 \\(SIGKILL\\); starting another")), run::toString);
        }

        root.assertEmpty();
    }

    /** Returns the PEs of the next generation, which are ready. */
    private static List<ProcessHandle> awaitGeneration(final CommandProcess run) throws InterruptedException
    {
        final List<ProcessHandle> all = run.awaitReady(2);
        return List.copyOf(all.subList(all.size() - 2, all.size()));
    }
}
