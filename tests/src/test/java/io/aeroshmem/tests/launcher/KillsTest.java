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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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
    private static final int KILLS =
        Integer.getInteger("aeroshmem.test.kills", 3 * Integer.getInteger("aeroshmem.test.volume", 1));
    private static final int N_PES = 3;
    private static final int LIVENESS_MS = 4_000;
    private static final int MAX_DELAY_MS = 1_200;
    private static final int MAX_OVERLAP_MS = 30;
    private static final Pattern CAUSE = Pattern.compile("PE \\d \\(pid (\\d+)[,) ]");

    @RegisterExtension
    private static final SshDaemon SSH = new SshDaemon();

    @RegisterExtension
    private final JobRoot root = new JobRoot();

    private final long seed = Long.getLong("aeroshmem.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final Set<Long> lost = new HashSet<>();
    private final Set<Long> seen = new HashSet<>();
    private final List<String> deeds = new ArrayList<>();

    @ParameterizedTest
    @CsvSource({
        "restart, mapped", "replace, mapped", "restart, ipc", "replace, ipc", "restart, udp", "replace, udp" })
    void shouldLoseNothingByKillsAtAnyMoment(final String policy, final String transport) throws Exception
    {
        run(KillsTest::children, "-n", Integer.toString(N_PES), "--recover=" + policy, "--transport", transport);
    }

    @Test
    void shouldLoseNothingOnTwoNodes() throws Exception
    {
        final List<String> options = new ArrayList<>(List.of("--hosts", String.join(",", SshDaemon.NODES) + ":2"));
        options.addAll(SSH.options());
        options.add("--recover");
        run(KillsTest::started, options.toArray(new String[0]));
        SSH.awaitSessions();
        SSH.assertEmpty();
    }

    /** Also those that have just been started. */
    private static List<Long> children(final CommandProcess run)
    {
        return ProcessHandle.of(run.pid()).stream().flatMap(ProcessHandle::children).map(ProcessHandle::pid).toList();
    }

    private static List<Long> started(final CommandProcess run)
    {
        return run.output().stream().filter((line) -> line.startsWith("started "))
            .map((line) -> Long.parseLong(line.substring(line.indexOf(' ') + 1)))
            .filter((pid) -> ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent()).toList();
    }

    private void run(final Function<CommandProcess, List<Long>> pes, final String... options) throws Exception
    {
        final Path end = Files.createTempFile("aeroshmem-test-", ".end");
        Files.delete(end);
        final List<String> arguments = new ArrayList<>(List.of("run"));
        arguments.addAll(List.of(options));
        arguments.addAll(List.of("-J", "-Daeroshmem.recovery.window=1ms",
            "-J", "-Daeroshmem.liveness.timeout=" + LIVENESS_MS + "ms", "-J", "-Daeroshmem.join.timeout=15s",
            KilledPe.class.getName(), end.toString()));
        try (CommandProcess run = CommandProcess.start(root.path(), arguments.toArray(new String[0])))
        {
            while (lost.size() < KILLS)
            {
                final List<Long> pids = awaitPes(run, pes);
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(MAX_DELAY_MS)));
                lose(pids.get(random.nextInt(N_PES)));
                if (0 == random.nextInt(4))
                {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(MAX_OVERLAP_MS)));
                    lose(pids.get(random.nextInt(N_PES)));
                }
            }

            awaitPes(run, pes);
            Files.createFile(end);

            assertEquals(0, run.awaitExit(), () -> describe(run));
            check(run);
        }
        finally
        {
            Files.deleteIfExists(end);
        }

        assertTrue(seen.stream().noneMatch((pid) -> ProcessHandle.of(pid).isPresent()), () -> describe(null));
        root.assertEmpty();
    }

    private void lose(final long pid) throws Exception
    {
        final int choice = random.nextInt(8);
        final int pauseMs = random.nextInt(2 * LIVENESS_MS);
        deeds.add((choice < 6 ? "kill " : 6 == choice ? "stop " : "pause of " + pauseMs + " ms, kill ") + pid);
        CommandProcess.signal(pid, choice < 6 ? "KILL" : "STOP");
        if (choice > 6)
        {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(pauseMs));
            CommandProcess.signal(pid, "CONT");
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(MAX_OVERLAP_MS)));
            CommandProcess.signal(pid, "KILL");
        }

        lost.add(pid);
    }

    /** Returns the processes of the next generation, when all have been started. */
    private List<Long> awaitPes(final CommandProcess run, final Function<CommandProcess, List<Long>> pes)
    {
        final long deadlineNs = System.nanoTime() + Deadlines.WAIT_NS;
        while (true)
        {
            assertTrue(ProcessHandle.of(run.pid()).isPresent(), () -> "the job has ended: " + describe(run));
            final List<Long> pids = pes.apply(run);
            if (N_PES == pids.size() && pids.stream().noneMatch(lost::contains))
            {
                seen.addAll(pids);
                return pids;
            }

            assertTrue(System.nanoTime() - deadlineNs < 0, () -> "no generation after a loss: " + describe(run));
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    /**
     * Each generation has ended by a deed of this test. A PE that is stopped before it joins is only missed. One that
     * is killed there is started again in the same generation.
     */
    private void check(final CommandProcess run)
    {
        // a driver reports what PEs that are killed leave undone
        final List<String> lines =
            run.failureLines().stream().filter((line) -> line.startsWith("aeroshmem: generation ")).toList();
        assertTrue(!lines.isEmpty() && lines.size() <= lost.size(), () -> describe(run));
        for (int i = 0; i < lines.size(); i++)
        {
            final String line = lines.get(i);
            final Matcher cause = CAUSE.matcher(line);
            assertTrue(line.startsWith("aeroshmem: generation " + i + " has failed: ") &&
                (cause.find() && lost.contains(Long.parseLong(cause.group(1))) ||
                    line.contains("(aeroshmem.join.timeout)")),
                () -> line + '\n' + describe(run));
        }

        assertTrue(run.error().stream().noneMatch((line) -> line.contains("wrong: ")), () -> describe(run));
    }

    private String describe(final CommandProcess run)
    {
        return "seed " + seed + "\ndeeds:\n  " + String.join("\n  ", deeds) + '\n' + run;
    }
}
