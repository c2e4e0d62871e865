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

import io.aeroshmem.config.PropertyParser;
import io.aeroshmem.samples.HelloPe;
import io.aeroshmem.tests.fixture.Deadlines;
import io.aeroshmem.tests.fixture.FreePort;
import io.aeroshmem.tests.fixture.JobRoot;
import io.aeroshmem.tools.topology.HostTopology;
import io.aeroshmem.transport.job.HostName;
import io.aeroshmem.transport.job.JobDirectory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The command {@code aeroshmem run}: what only real processes show of it. {@code NodeStateMachineTest} and
 * {@code PeOutputTest} of the tools test its exit codes, lines, signals and output.
 */
@Tag("ci")
@Tag("waits")
class RunTest
{
    private static final String PROGRAM = LauncherPe.class.getName();

    @RegisterExtension
    private final JobRoot root = new JobRoot();

    /** Not even what a job has left of which nothing lives. */
    @Test
    void shouldRunABuiltInSampleAndLeaveNothingBehind() throws Exception
    {
        JobDirectory.create(root.path(), 2).close();
        assertNotEquals(List.of(), root.entries());

        final CommandProcess run = CommandProcess.run(
            root.path(), "run", "-n", "3", "--transport", "udp", HelloPe.class.getName());

        assertEquals(0, run.exitCode(), run::toString);
        assertTrue(run.output().contains("sum of all PE numbers: 3"), run::toString);
        assertEquals(4, run.output().size(), run::toString);
        assertEquals(List.of(), run.error());
        root.assertEmpty();
    }

    /** Another PE prints after the one that failed. */
    @Test
    void shouldPrintTheCauseLast(@TempDir final Path directory) throws Exception
    {
        final int pe = 1;
        final CommandProcess run = CommandProcess.run(
            root.path(), "run", "-n", "3", PROGRAM, "throw", "1", directory.resolve("printed").toString());

        assertEquals(1, run.exitCode(), run::toString);
        final List<String> error = run.error();
        final String header =
            "[pe " + pe + "] Exception in thread \"main\" java.lang.IllegalStateException: nothing left to trade";
        final int cause = error.indexOf(header);
        assertTrue(cause >= 0, run::toString);
        for (int i = cause; i < error.size() - 1; i++)
        {
            assertTrue(error.get(i).startsWith("[pe " + pe + "] "), run::toString);
        }

        assertOneLine(run, "aeroshmem: PE 1 (pid ", "exit code 1", "nothing left to trade; ending the other 2 PEs");
        assertEquals(run.launcherLines(), error.subList(error.size() - 1, error.size()));
        final long witnesses = error.subList(0, cause).stream()
            .filter((line) -> line.contains("Exception in thread \"main\" io.aeroshmem.PeFailureException")).count();
        assertEquals(2, witnesses, run::toString);
    }

    @Test
    void shouldEndTheOthersWhenAPeIsKilled() throws Exception
    {
        try (CommandProcess run = CommandProcess.start(root.path(), "run", "-n", "3", PROGRAM, "stubborn"))
        {
            final List<ProcessHandle> pes = run.awaitReady(3);
            CommandProcess.signal(pes.get(1), "KILL");

            assertEquals(137, run.awaitExit(), run::toString);
            assertOneLine(run, "PE 1 (pid " + pes.get(1).pid() + ") was ended by signal 9 (SIGKILL)");
            CommandProcess.awaitEnd(pes);
            root.assertEmpty();
        }
    }

    @Test
    void shouldEndOnASignalWhileItsOutputIsNotRead() throws Exception
    {
        try (CommandProcess run = CommandProcess.startWithUnreadError(
            root.path(), "run", "-n", "1", "--transport", "udp", PROGRAM, "flood", "1024"))
        {
            final List<ProcessHandle> pes = run.awaitReady(1);
            run.awaitBlockedError();
            run.signal("INT");

            assertEquals(130, run.awaitExit(), run::toString);
            CommandProcess.awaitEnd(pes);
            root.assertEmpty();
        }
    }

    /** The line of an option longer than a pipe holds blocks the launcher while it starts the PEs. */
    @Test
    void shouldEndOnASignalWhileItCannotPrintWhatItStarts() throws Exception
    {
        try (CommandProcess run = CommandProcess.startWithUnreadError(
            root.path(), "run", "-n", "1", "--verbose", PROGRAM, "wait", "x".repeat(100_000)))
        {
            final List<ProcessHandle> pes = run.awaitReady(1);
            run.awaitBlockedError();
            run.signal("TERM");

            assertEquals(143, run.awaitExit(), run::toString);
            CommandProcess.awaitEnd(pes);
            root.assertEmpty();
        }
    }

    @Test
    void shouldEndAJobThatTakesTooLong() throws Exception
    {
        final CommandProcess run =
            CommandProcess.run(root.path(), "run", "-n", "2", "--timeout", "1s", PROGRAM, "wait");

        assertEquals(124, run.exitCode(), run::toString);
        assertOneLine(run, "aeroshmem: the job did not end within 1s (--timeout); ending its 2 PEs");
        final List<String> error = run.error();
        final int line = error.indexOf(run.launcherLines().get(0));
        for (int pe = 0; pe < 2; pe++)
        {
            assertTrue(error.get(line + 1 + pe).startsWith("  PE " + pe), run::toString);
        }

        root.assertEmpty();
    }

    @Test
    void shouldNotBeOutlivedByItsPes() throws Exception
    {
        try (CommandProcess run = CommandProcess.start(
            root.path(), "run", "-n", "2", "--transport", "ipc", PROGRAM, "stubborn"))
        {
            final List<ProcessHandle> pes = run.awaitReady(2);
            run.signal("KILL");
            CommandProcess.awaitEnd(pes);
            assertEquals(137, run.awaitExit(), run::toString);
        }

        // the PEs may have removed it before
        final CommandProcess clean = CommandProcess.run(root.path(), "clean");
        assertEquals(0, clean.exitCode(), clean::toString);
        root.assertEmpty();
    }

    @Test
    void shouldDescribeALivingJobAndLeaveItAlone() throws Exception
    {
        try (CommandProcess run = CommandProcess.start(
            root.path(), "run", "-n", "2", "--heap", "64m", "-J-Daeroshmem.heap.sparse=true", PROGRAM, "stdin"))
        {
            final List<ProcessHandle> pes = run.awaitReady(2);
            final CommandCall list = CommandCall.run(root.path(), "clean", "--list");
            assertTrue(list.output().get(0).contains("alive, 2 PEs, launcher " + run.toHandle().pid()), list::toString);
            final Matcher matcher = Pattern.compile(", (\\S+) in use").matcher(list.output().get(0));
            assertTrue(matcher.find(), list::toString);
            final long inUse = PropertyParser.size("in use", matcher.group(1));
            assertTrue(inUse > 0 && inUse < 64 << 20, list::toString);

            final CommandCall clean = CommandCall.run(root.path(), "clean");
            assertEquals(0, clean.exitCode(), clean::toString);
            final CommandProcess other = CommandProcess.run(root.path(), "run", "-n", "1", HelloPe.class.getName());
            assertEquals(0, other.exitCode(), other::toString);

            awaitDescription(run, pes.get(1).pid());
            assertTrue(run.error().stream().anyMatch((line) -> line.startsWith("  PE 0 (pid ")), run::toString);

            final OutputStream input = run.input();
            input.write("one\n".getBytes(StandardCharsets.UTF_8));
            input.flush();
            run.awaitLine("PE 0 read one");
            input.close();
            assertEquals(0, run.awaitExit(), run::toString);
            root.assertEmpty();
        }
    }

    private static void awaitDescription(final CommandProcess run, final long pid) throws Exception
    {
        final long deadlineNs = System.nanoTime() + Deadlines.WAIT_NS;
        do
        {
            assertTrue(System.nanoTime() - deadlineNs < 0, run::toString);
            run.signal("USR1");
        }
        while (run.error().stream().noneMatch((line) -> line.startsWith("  PE 1 (pid " + pid + ", ") &&
            line.contains(": RUNNING, blocked in barrier")));
    }

    @Test
    void shouldBindTagAndLogEachPe(@TempDir final Path logs) throws Exception
    {
        final List<Integer> allowed = HostTopology.allowedCpus();
        final int[] cpus = { allowed.get(allowed.size() - 1), allowed.get(0) };
        final CommandProcess run = CommandProcess.run(
            root.path(), "run", "-n", "2", "--verbose", "--bind", cpus[0] + "," + cpus[1],
            "--log-dir", logs.resolve("new").toString(), "--tag",
            "{host}/{pe}> ", "-J-Dlauncher.option={pe} of {host}", PROGRAM, "place", "a b");

        assertEquals(0, run.exitCode(), run::toString);
        final String host = HostName.local();
        for (int pe = 0; pe < 2; pe++)
        {
            final String line =
                "place of " + pe + ": processors " + cpus[pe] + ", option " + pe + " of " + host;
            final String tagged = host + "/" + pe + "> " + line;
            assertTrue(run.output().contains(tagged), run::toString);
            assertTrue(run.error().contains(tagged), run::toString);
            assertEquals(List.of(line), Files.readAllLines(logs.resolve("new/pe-" + pe + ".err")));
            final List<String> output = Files.readAllLines(logs.resolve("new/pe-" + pe + ".out"));
            assertEquals(2, output.size(), output::toString);
            assertTrue(output.get(0).startsWith("ready " + pe + " "), output::toString);
            assertEquals(line, output.get(1));
            final String started = run.launcherLines().get(pe);
            for (final String part : List.of("aeroshmem: PE " + pe + " on " + host + " (pid ",
                "AEROSHMEM_JOB_DIR=" + root.path(), " AEROSHMEM_NPES=2 AEROSHMEM_PE=" + pe + " ", "/bin/java ",
                PROGRAM + " place 'a b'"))
            {
                assertTrue(started.contains(part), run::toString);
            }
        }

        assertEquals(2, run.launcherLines().size(), run::toString);
        root.assertEmpty();
    }

    /** The file takes no text, as a full disk does not. */
    @Test
    void shouldFailIfOutputCannotBeLogged(@TempDir final Path logs) throws Exception
    {
        Files.createSymbolicLink(logs.resolve("pe-1.out"), Path.of("/proc/self/oom_score_adj"));
        final CommandProcess run =
            CommandProcess.run(root.path(), "run", "-n", "2", "--log-dir", logs.toString(), PROGRAM, "arguments");

        assertEquals(1, run.exitCode(), run::toString);
        assertOneLine(run, "aeroshmem: cannot write " + logs.resolve("pe-1.out") + " (--log-dir): ");
        assertTrue(Files.readAllLines(logs.resolve("pe-0.out")).size() > 0);
        root.assertEmpty();
    }

    @Test
    void shouldNotWaitForTheReaderOfALog(@TempDir final Path logs) throws Exception
    {
        final Path fifo = logs.resolve("pe-0.err");
        assertEquals(0, new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor());
        final CommandProcess run =
            CommandProcess.run(root.path(), "run", "-n", "1", "--log-dir", logs.toString(), PROGRAM, "arguments");

        assertEquals(1, run.exitCode(), run::toString);
        assertOneLine(run, "aeroshmem: cannot create the files of PE 0 (--log-dir): not a file");
        root.assertEmpty();
    }

    @Test
    void shouldWaitForADebugger() throws Exception
    {
        final int port = FreePort.next();
        try (CommandProcess run = CommandProcess.start(
            root.path(), "run", "-n", "2", "--check", "--debug-pe", "1:" + port, PROGRAM, "checks"))
        {
            final String address = "waits for a debugger at 127.0.0.1:" + port;
            try (Debugger debugger = Debugger.attach(port))
            {
                assertTrue(run.output().stream().noneMatch((line) -> line.startsWith("ready 1")), run::toString);
                debugger.resume();
                assertEquals(0, run.awaitExit(), run::toString);
            }

            assertOneLine(run, "PE 1 (pid ", address);
            assertEquals(2, run.output().stream().filter("checks true true"::equals).count(), run::toString);
        }

        root.assertEmpty();
    }

    @Test
    void shouldReportOnceThatJvmsRefuseAnOption() throws Exception
    {
        final CommandProcess run =
            CommandProcess.run(root.path(), "run", "-n", "3", "-J-XX:Foo", HelloPe.class.getName());

        assertEquals(1, run.exitCode(), run::toString);
        assertEquals(1, run.error().size(), run::toString);
        assertOneLine(run, " did not start: Unrecognized VM option 'Foo' (", "-J-XX:Foo");
        assertEquals(List.of(), run.output().stream().filter((line) -> line.contains("rror")).toList(), run::toString);
        root.assertEmpty();
    }

    @Test
    void shouldRunOverHostsBesideAJobThatCannotBeRemoved() throws Exception
    {
        final String user = "aeroshmem-" + Files.getAttribute(root.path(), "unix:uid");
        final Path directory = Files.createDirectory(
            root.path().resolve(user),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        final Path stale = Files.createDirectory(directory.resolve("a".repeat(32)));
        Files.createDirectory(stale.resolve("job.lock"));

        final CommandProcess run = CommandProcess.run(
            root.path(), "run", "--hosts", "localhost:2", HelloPe.class.getName());

        assertEquals(0, run.exitCode(), run::toString);
        assertOneLine(run, "cannot read or remove the job in " + stale);
        assertTrue(run.output().contains("sum of all PE numbers: 1"), run::toString);
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
