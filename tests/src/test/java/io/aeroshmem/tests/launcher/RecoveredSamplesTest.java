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

import java.io.IOException;
import java.nio.file.Files;
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

/** The samples of recovery, while their PEs are killed. Each checks its own results. */
@Tag("ci")
@Tag("waits")
class RecoveredSamplesTest
{
    private static final int N_PES = 3;
    private static final int KILLS = 2;
    private static final int MAX_DELAY_MS = 800;

    @RegisterExtension
    private final JobRoot root = new JobRoot();
    private final long seed = Long.getLong("aeroshmem.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @Test
    void shouldTradeOnEachQuoteOnceThoughAStrategyIsKilled() throws Exception
    {
        final List<String> output = run("replace", 1, "io.aeroshmem.samples.RecoveredStrategy", "4000", "1000");
        for (int pe = 1; pe < N_PES; pe++)
        {
            final String begin = "PE " + pe + ": traded on 4000 quotes, each once: ";
            assertEquals(1, output.stream().filter((line) -> line.startsWith(begin)).count(), output::toString);
        }
    }

    @Test
    void shouldBookEachFillOnceThoughAnyPeIsKilled(@TempDir final Path directory) throws Exception
    {
        final StringBuilder fills = new StringBuilder("symbol,side,quantity,price\n");
        for (int i = 0; i < 12_000; i++)
        {
            fills.append((char)('A' + random.nextInt(9))).append(random.nextBoolean() ? ",buy," : ",sell,")
                .append(1 + random.nextInt(100)).append(',').append(1 + random.nextInt(1_000)).append(".25\n");
        }

        final Path file = Files.writeString(directory.resolve("fills.csv"), fills);
        final List<String> output = run("restart", -1, "io.aeroshmem.samples.RiskLedger",
            "--retained", "--pace", "1000", "--verify", file.toString());
        assertTrue(output.stream().anyMatch((line) -> line.startsWith("verified: ")), output::toString);
    }

    /** Runs a job of which a PE, or with -1 any, is killed several times while it is started or runs. */
    private List<String> run(final String policy, final int victim, final String... program) throws Exception
    {
        final List<String> arguments = new ArrayList<>(List.of("run", "-n", Integer.toString(N_PES),
            "--recover=" + policy, "-J", "-Daeroshmem.recovery.window=1ms",
            "-J", "-Daeroshmem.wait.idle.strategy=backoff"));
        arguments.addAll(List.of(program));
        try (CommandProcess run = CommandProcess.start(root.path(), arguments.toArray(new String[0])))
        {
            final Set<ProcessHandle> killed = new HashSet<>();
            for (int kill = 0; kill < KILLS; kill++)
            {
                final int pe = victim < 0 ? random.nextInt(N_PES) : victim;
                final ProcessHandle process = awaitPe(run, pe, killed);
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(MAX_DELAY_MS)));
                CommandProcess.signal(process, "KILL");
                killed.add(process);
            }

            assertEquals(0, run.awaitExit(), () -> "seed " + seed + ", " + run);
            // with REPLACE the loss of a PE that has not joined yet does not end the generation
            final int failures = run.failureLines().size();
            assertTrue(policy.equals("restart") ? KILLS == failures : 0 < failures && failures <= KILLS,
                () -> "seed " + seed + ", " + run);
            root.assertEmpty();
            return run.output();
        }
    }

    /** Returns the process of a PE in the next generation, when all PEs have been started. */
    private ProcessHandle awaitPe(final CommandProcess run, final int pe, final Set<ProcessHandle> killed)
        throws IOException
    {
        final long deadlineNs = System.nanoTime() + Deadlines.WAIT_NS;
        while (true)
        {
            assertTrue(run.toHandle().isAlive(), () -> "seed " + seed + ", " + run);
            final List<ProcessHandle> processes = run.toHandle().children().toList();
            // of those that are seen, some may have ended before the others began
            if (N_PES == processes.size() && processes.stream().noneMatch(killed::contains) &&
                processes.stream().allMatch(ProcessHandle::isAlive))
            {
                for (final ProcessHandle process : processes)
                {
                    if (isPe(process.pid(), pe))
                    {
                        return process;
                    }
                }
            }

            assertTrue(System.nanoTime() - deadlineNs < 0, () -> "seed " + seed + ", " + run);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    private static boolean isPe(final long pid, final int pe) throws IOException
    {
        try
        {
            return List.of(Files.readString(Path.of("/proc", Long.toString(pid), "environ")).split("\0"))
                .contains("AEROSHMEM_PE=" + pe);
        }
        catch (final IOException ex)
        {
            // it has ended meanwhile
            if (!Files.exists(Path.of("/proc", Long.toString(pid))))
            {
                return false;
            }

            throw ex;
        }
    }
}
