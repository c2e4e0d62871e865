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
import io.aeroshmem.samples.Grid3d;
import io.aeroshmem.samples.HelloPe;
import io.aeroshmem.tools.topology.HostTopology;
import io.aeroshmem.transport.job.HostName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The command {@code aeroshmem run}: its options, output, exit codes and clean-up.
 */
@Tag("ci")
@Timeout(180)
class RunTest
{
    private static final String PROGRAM = LauncherPe.class.getName();

    @RegisterExtension
    private final JobRoot root = new JobRoot();

    @ParameterizedTest
    @ValueSource(strings = { "auto", "mapped", "ipc", "udp" })
    void shouldRunABuiltInSampleAndLeaveNothingBehind(final String transport) throws Exception
    {
        final CommandProcess run = CommandProcess.run(
            root.path(), "run", "-n", "3", "--transport", transport, HelloPe.class.getName());

        assertEquals(0, run.exitCode(), run::toString);
        assertTrue(run.output().contains("sum of all PE numbers: 3"), run::toString);
        assertEquals(4, run.output().size(), run::toString);
        assertEquals(List.of(), run.error());
        root.assertEmpty();
    }

    @Test
    void shouldPrintThePlacesOfTwelveProcessesInThreeDimensions() throws Exception
    {
        final CommandProcess run = CommandProcess.run(root.path(), "run", "-n", "12", Grid3d.class.getName());

        assertEquals(0, run.exitCode(), run::toString);
        assertEquals(
            List.of(
                "xdim = 3, ydim = 2, zdim = 2",
                "(0, 0, 0) is mype = 0", "(1, 0, 0) is mype = 1", "(2, 0, 0) is mype = 2",
                "(0, 1, 0) is mype = 3", "(1, 1, 0) is mype = 4", "(2, 1, 0) is mype = 5",
                "(0, 0, 1) is mype = 6", "(1, 0, 1) is mype = 7", "(2, 0, 1) is mype = 8",
                "(0, 1, 1) is mype = 9", "(1, 1, 1) is mype = 10", "(2, 1, 1) is mype = 11"),
            run.output(),
            run::toString);
        assertEquals(List.of(), run.error());
        root.assertEmpty();
    }

    @Test
    void shouldExitWithThatOfThePeThatFailed() throws Exception
    {
        final CommandProcess run = CommandProcess.run(root.path(), "run", "-n", "3", PROGRAM, "exit", "1", "7");

        assertEquals(7, run.exitCode(), run::toString);
        assertOneLine(run, "PE 1 (pid ", "ended with exit code 7; ending the other 2 PEs");
        root.assertEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 255 })
    void shouldExitWithTheStatusOfAGlobalExit(final int status) throws Exception
    {
        final CommandProcess run = CommandProcess.run(
            root.path(), "run", "-n", "3", PROGRAM, "globalExit", "1", Integer.toString(status));

        assertEquals(status, run.exitCode(), run::toString);
        assertEquals(0 == status ? 0 : 1, run.launcherLines().size(), run::toString);
        assertTrue(0 == status || run.launcherLines().get(0).contains("globalExit(255)"), run::toString);
        root.assertEmpty();
    }

    @Test
    void shouldFailIfAPeLeavesTheOthersWithExitCodeZero() throws Exception
    {
        final CommandProcess run = CommandProcess.run(root.path(), "run", "-n", "2", PROGRAM, "exit", "0", "0");

        assertEquals(1, run.exitCode(), run::toString);
        root.assertEmpty();
    }

    @Test
    void shouldFailIfAPeNeverJoins() throws Exception
    {
        final CommandProcess run = CommandProcess.run(root.path(), "run", "-n", "2", PROGRAM, "abandon", "1");

        assertEquals(1, run.exitCode(), run::toString);
        assertOneLine(run, "PE 1 ended without joining");
        root.assertEmpty();
    }

    @Test
    void shouldNameTheCauseOfAnException() throws Exception
    {
        final CommandProcess run = CommandProcess.run(root.path(), "run", "-n", "3", PROGRAM, "throw", "2");

        assertEquals(1, run.exitCode(), run::toString);
        assertOneLine(run, "exit code 1", "nothing left to trade");
        assertTrue(
            run.error().stream().anyMatch((line) -> line.contains("java.lang.IllegalStateException")), run::toString);
        root.assertEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 1 })
    void shouldPrintTheCauseLast(final int pe) throws Exception
    {
        final CommandProcess run =
            CommandProcess.run(root.path(), "run", "-n", "3", PROGRAM, "throw", Integer.toString(pe));

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
        assertTrue(error.get(error.size() - 1).startsWith("aeroshmem: PE " + pe + " (pid "), run::toString);
        final long witnesses = error.subList(0, cause).stream()
            .filter((line) -> line.contains("Exception in thread \"main\" io.aeroshmem.PeFailureException")).count();
        assertEquals(2, witnesses, run::toString);
    }

    @Test
    void shouldExitWithThatOfThePeThatTheJobFailedWith() throws Exception
    {
        // PE 0 is notified at once that PE 1 has failed, and PE 1 ends later with another exit code
        final CommandProcess run = CommandProcess.run(root.path(), "run", "-n", "2", PROGRAM, "failLate", "1", "7");

        assertEquals(7, run.exitCode(), run::toString);
        assertOneLine(run, "PE 1 (pid ", "ended with exit code 7");
        root.assertEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = { "wait", "compute", "stubborn" })
    void shouldEndTheOthersWhenAPeIsKilled(final String occupation) throws Exception
    {
        try (CommandProcess run = CommandProcess.start(root.path(), "run", "-n", "3", PROGRAM, occupation))
        {
            final List<ProcessHandle> pes = run.awaitReady(3);
            CommandProcess.signal(pes.get(1).pid(), "KILL");

            assertEquals(137, run.awaitExit(), run::toString);
            assertOneLine(run, "PE 1 (pid " + pes.get(1).pid() + ") was ended by signal 9 (SIGKILL)");
            CommandProcess.awaitEnd(pes);
            root.assertEmpty();
        }
    }

    @Test
    void shouldLetTheOthersNoticeByThemselves() throws Exception
    {
        try (CommandProcess run = CommandProcess.start(root.path(), "run", "-n", "3", "--keep-going", PROGRAM, "wait"))
        {
            final List<ProcessHandle> pes = run.awaitReady(3);
            CommandProcess.signal(pes.get(2).pid(), "KILL");

            assertEquals(137, run.awaitExit(), run::toString);
            final long witnesses = run.error().stream().filter((line) -> line.contains("PeFailureException")).count();
            assertTrue(witnesses >= 2, run::toString);
            root.assertEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({ "INT, 130, wait", "TERM, 143, wait", "TERM, 143, compute", "TERM, 143, stubborn" })
    void shouldCleanUpOnASignal(final String signal, final int exitCode, final String occupation) throws Exception
    {
        try (CommandProcess run = CommandProcess.start(
            root.path(), "run", "-n", "2", "--transport", "udp", PROGRAM, occupation))
        {
            final List<ProcessHandle> pes = run.awaitReady(2);
            run.signal(signal);

            assertEquals(exitCode, run.awaitExit(), run::toString);
            CommandProcess.awaitEnd(pes);
            assertOneLine(run, "INT".equals(signal) ? "interrupted" : "terminated");
            assertEquals(1, run.error().size(), run::toString);
            root.assertEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({ "INT, 130", "TERM, 143" })
    void shouldEndOnASignalWhileItsOutputIsNotRead(final String signal, final int exitCode) throws Exception
    {
        try (CommandProcess run = CommandProcess.startWithUnreadError(
            root.path(), "run", "-n", "1", "--transport", "udp", PROGRAM, "flood", "1024"))
        {
            final List<ProcessHandle> pes = run.awaitReady(1);
            run.awaitBlockedError();
            run.signal(signal);

            assertEquals(exitCode, run.awaitExit(), run::toString);
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

    /** Ctrl-C reaches the PEs too, and one may be the first to end. */
    @Test
    void shouldReportNoFailureWhenItIsInterruptedWithItsPes() throws Exception
    {
        try (CommandProcess run = CommandProcess.start(root.path(), "run", "-n", "3", PROGRAM, "wait"))
        {
            final List<ProcessHandle> pes = run.awaitReady(3);
            CommandProcess.signal("INT", List.of(pes.get(1).pid(), run.pid(), pes.get(0).pid(), pes.get(2).pid()));

            assertEquals(130, run.awaitExit(), run::toString);
            assertOneLine(run, "interrupted");
            assertEquals(1, run.error().size(), run::toString);
            root.assertEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({ "wait, auto", "compute, auto", "wait, udp", "compute, ipc", "stubborn, auto" })
    void shouldNotBeOutlivedByItsPes(final String occupation, final String transport) throws Exception
    {
        try (CommandProcess run = CommandProcess.start(
            root.path(), "run", "-n", "2", "--transport", transport, PROGRAM, occupation))
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

    @ParameterizedTest
    @ValueSource(strings = { "clean", "run" })
    void shouldRemoveWhatAJobLeftOfWhichNothingLives(final String cleaner) throws Exception
    {
        try (CommandProcess run = CommandProcess.start(
            root.path(), "run", "-n", "2", "--transport", "udp", PROGRAM, "wait"))
        {
            final List<ProcessHandle> pes = run.awaitReady(2);
            for (final ProcessHandle pe : pes)
            {
                // so that it removes nothing
                CommandProcess.signal(pe.pid(), "STOP");
            }
            run.signal("KILL");
            for (final ProcessHandle pe : pes)
            {
                CommandProcess.signal(pe.pid(), "KILL");
            }
            CommandProcess.awaitEnd(pes);
            assertEquals(137, run.awaitExit(), run::toString);
        }
        assertNotEquals(List.of(), root.entries());

        final CommandProcess next = "clean".equals(cleaner) ?
            CommandProcess.run(root.path(), "clean") :
            CommandProcess.run(root.path(), "run", "-n", "1", HelloPe.class.getName());

        assertEquals(0, next.exitCode(), next::toString);
        root.assertEmpty();
    }

    @Test
    void shouldLeaveALivingJobAlone() throws Exception
    {
        try (CommandProcess run = CommandProcess.start(root.path(), "run", "-n", "2", PROGRAM, "stdin"))
        {
            run.awaitReady(2);
            final CommandProcess list = CommandProcess.run(root.path(), "clean", "--list");
            assertTrue(list.output().get(0).contains("alive, 2 PEs, launcher " + run.pid()), list::toString);

            final CommandProcess clean = CommandProcess.run(root.path(), "clean");
            assertEquals(0, clean.exitCode(), clean::toString);
            final CommandProcess other = CommandProcess.run(root.path(), "run", "-n", "1", HelloPe.class.getName());
            assertEquals(0, other.exitCode(), other::toString);

            final OutputStream input = run.input();
            input.write("one\n".getBytes(StandardCharsets.UTF_8));
            input.flush();
            run.awaitLine("PE 0 read one");
            input.close();
            assertEquals(0, run.awaitExit(), run::toString);
            root.assertEmpty();
        }
    }

    @Test
    void shouldListTheBlocksThatAJobUses() throws Exception
    {
        try (CommandProcess run = CommandProcess.start(
            root.path(), "run", "-n", "2", "--heap", "64m", "-J-Daeroshmem.heap.sparse=true", PROGRAM, "wait"))
        {
            run.awaitReady(2);
            final CommandProcess list = CommandProcess.run(root.path(), "clean", "--list");
            final Matcher matcher = Pattern.compile(" \\((\\S+) in use\\)").matcher(list.output().get(0));
            assertTrue(matcher.find(), list::toString);
            final long inUse = PropertyParser.size("in use", matcher.group(1));
            assertTrue(inUse > 0 && inUse < 64 << 20, list::toString);
        }
    }

    @Test
    void shouldCheckWhatPesCall() throws Exception
    {
        final CommandProcess run = CommandProcess.run(root.path(), "run", "-n", "2", "--check", PROGRAM, "checks");

        assertEquals(0, run.exitCode(), run::toString);
        assertTrue(run.output().contains("checks true true"), run::toString);
    }

    @Test
    void shouldEndAJobThatTakesTooLong() throws Exception
    {
        final CommandProcess run = CommandProcess.run(
            root.path(), "run", "-n", "2", "--timeout", "2s", PROGRAM, "compute");

        assertEquals(124, run.exitCode(), run::toString);
        assertOneLine(run, "did not end within 2s (--timeout)");
        assertEquals(2, run.error().stream().filter((line) -> line.startsWith("  PE ")).count(), run::toString);
        root.assertEmpty();
    }

    @Test
    void shouldReportWhatPesDo() throws Exception
    {
        try (CommandProcess run = CommandProcess.start(root.path(), "run", "-n", "2", PROGRAM, "stdin"))
        {
            final List<ProcessHandle> pes = run.awaitReady(2);
            final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(CommandProcess.DEADLINE_S);
            do
            {
                assertTrue(System.nanoTime() - deadlineNs < 0, run::toString);
                run.signal("USR1");
            }
            while (run.error().stream().noneMatch((line) -> line.startsWith("  PE 1 (pid " + pes.get(1).pid() + ", ") &&
                line.contains(": RUNNING, blocked in barrier")));
            assertTrue(run.error().stream().anyMatch((line) -> line.startsWith("  PE 0 (pid ")), run::toString);

            run.input().close();
            assertEquals(0, run.awaitExit(), run::toString);
        }
    }

    @Test
    void shouldTagWholeLines() throws Exception
    {
        final int lines = 2_000;
        final CommandProcess run = CommandProcess.run(
            root.path(), "run", "-n", "3", "--tag-output", PROGRAM, "print", Integer.toString(lines));

        assertEquals(0, run.exitCode(), run::toString);
        final List<String> expected = new ArrayList<>();
        for (int pe = 0; pe < 3; pe++)
        {
            for (int i = 0; i < lines; i++)
            {
                expected.add("[pe " + pe + "] line " + i + " of " + pe + " " + "x".repeat(i % 97));
            }
        }
        final List<String> actual = new ArrayList<>(run.output());
        actual.removeIf((line) -> line.contains("] ready "));
        expected.sort(null);
        actual.sort(null);
        assertEquals(expected, actual);
    }

    @Test
    void shouldKeepLinesWholeAndTagErrors() throws Exception
    {
        final int lines = 1_000;
        final CommandProcess run =
            CommandProcess.run(root.path(), "run", "-n", "3", PROGRAM, "pieces", Integer.toString(lines));

        assertEquals(0, run.exitCode(), run::toString);
        final List<String> output = new ArrayList<>();
        final List<String> error = new ArrayList<>();
        for (int pe = 0; pe < 3; pe++)
        {
            for (int i = 0; i < lines; i++)
            {
                output.add("line " + i + " of " + pe);
                error.add("[pe " + pe + "] line " + i + " of " + pe);
            }
        }
        assertEquals(output.stream().sorted().toList(),
            run.output().stream().filter((line) -> !line.startsWith("ready ")).sorted().toList());
        assertEquals(error.stream().sorted().toList(), run.error().stream().sorted().toList());
    }

    @Test
    void shouldBindTagAndLogEachPe(@TempDir final Path logs) throws Exception
    {
        final List<Integer> allowed = HostTopology.allowedCpus();
        final int[] cpus = { allowed.get(allowed.size() - 1), allowed.get(0) };
        final CommandProcess run = CommandProcess.run(
            root.path(), "run", "-n", "2", "--bind", cpus[0] + "," + cpus[1],
            "--log-dir", logs.resolve("new").toString(), "--tag",
            "{host}/{pe}> ", "-J-Dlauncher.option={pe} of {host}", PROGRAM, "place");

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
        }
        root.assertEmpty();
    }

    @Test
    void shouldPrintWhatItStarts(@TempDir final Path logs) throws Exception
    {
        final CommandProcess run = CommandProcess.run(
            root.path(), "run", "-n", "1", "--verbose", "--log-dir", logs.toString(), PROGRAM, "arguments", "a b");

        assertEquals(0, run.exitCode(), run::toString);
        assertOneLine(
            run, "aeroshmem: PE 0 on " + HostName.local() + " (pid ", "AEROSHMEM_JOB_DIR=" + root.path(),
            " AEROSHMEM_NPES=1 AEROSHMEM_PE=0 ", "/bin/java ", PROGRAM + " arguments 'a b'");
        assertEquals(run.output(), Files.readAllLines(logs.resolve("pe-0.out")));
        assertTrue(run.output().contains("argument 'a b'"), run::toString);
    }

    @Test
    void shouldWaitForADebugger() throws Exception
    {
        final int port = Debugger.freePort();
        try (CommandProcess run = CommandProcess.start(
            root.path(), "run", "-n", "2", "--debug-pe", "1:" + port, PROGRAM, "checks"))
        {
            final String address = "waits for a debugger at 127.0.0.1:" + port;
            try (Debugger debugger = Debugger.attach(port))
            {
                assertTrue(run.output().stream().noneMatch((line) -> line.startsWith("ready 1")), run::toString);
                debugger.resume();
                assertEquals(0, run.awaitExit(), run::toString);
            }
            assertOneLine(run, "PE 1 (pid ", address);
            assertEquals(2, run.output().stream().filter((line) -> line.startsWith("checks ")).count(), run::toString);
        }
        root.assertEmpty();
    }

    @Test
    void shouldRejectAHeapThatDoesNotFit() throws Exception
    {
        final CommandProcess run = CommandProcess.run(root.path(), "run", "-n", "2", "--heap", "100t", PROGRAM, "wait");

        assertEquals(2, run.exitCode(), run::toString);
        assertOneLine(run, "2 PEs need ", " free; ", "aeroshmem.heap.size (--heap)");
        assertFalse(run.error().stream().anyMatch((line) -> line.contains("\tat ")), run::toString);
        root.assertEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "run -n 3 -J-XX:Foo io.aeroshmem.samples.HelloPe",
        "run -n 3 --keep-going -J-XX:Foo io.aeroshmem.samples.HelloPe",
        "latency --npes 2 --op barrier -J-XX:Foo",
        "bandwidth --npes 2 --op put_bw -J-XX:Foo"
    })
    void shouldReportOnceThatJvmsRefuseAnOption(final String command) throws Exception
    {
        final CommandProcess run = CommandProcess.run(root.path(), command.split(" "));

        assertEquals(1, run.exitCode(), run::toString);
        assertEquals(1, run.error().size(), run::toString);
        assertOneLine(run, " did not start: Unrecognized VM option 'Foo' (", "-J-XX:Foo");
        assertEquals(List.of(), run.output().stream().filter((line) -> line.contains("rror")).toList(), run::toString);
        root.assertEmpty();
    }

    @Test
    void shouldReportAnOptionThatOnePeRefuses() throws Exception
    {
        final CommandProcess run = CommandProcess.run(
            root.path(), "run", "-n", "2", "-J-XX:ThreadStackSize={pe}000000000", HelloPe.class.getName());

        assertEquals(1, run.exitCode(), run::toString);
        assertOneLine(run, "the JVM of PE 1 did not start: ", "ThreadStackSize", "; ending the other PE");
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
