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
import io.aeroshmem.tests.fixture.Pe;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Ends jobs from any thread of one PE, or of two at once, whatever the others do.
 */
@Tag("ci")
@Tag("waits")
class GlobalExitTest
{
    private static final String PROGRAM = GlobalExitPe.class.getName();
    private static final int N_PES = 4;
    private static final long BOUND_NS = TimeUnit.SECONDS.toNanos(2);

    @RegisterExtension
    final JobRoot root = new JobRoot();

    @Test
    void shouldEndEveryProcessSoonWithTheStatus() throws Exception
    {
        try (CommandProcess two = start("other", "255", "254"))
        {
            end(two, 255, 254);
        }

        root.assertEmpty();
    }

    private CommandProcess start(final String... arguments) throws Exception
    {
        final String[] command = new String[4 + arguments.length];
        command[0] = "run";
        command[1] = "-n";
        command[2] = Integer.toString(N_PES);
        command[3] = PROGRAM;
        System.arraycopy(arguments, 0, command, 4, arguments.length);
        return CommandProcess.start(root.path(), command);
    }

    private static void end(final CommandProcess run, final int... statuses) throws Exception
    {
        final List<ProcessHandle> pes = run.awaitReady(N_PES);
        final long startNs = System.nanoTime();
        run.input().write("now\n".getBytes(StandardCharsets.UTF_8));
        run.input().flush();
        Pe.await(() -> pes.stream().noneMatch(ProcessHandle::isAlive), "end of the PEs");
        final long ns = System.nanoTime() - startNs;
        final int status = run.awaitExit();
        final long launcherNs = System.nanoTime() - startNs;
        assertTrue(Arrays.stream(statuses).anyMatch((given) -> given == status), run::toString);
        Deadlines.requireWithin(BOUND_NS, ns, run::toString);
        for (int pe = 0; pe < N_PES; pe++)
        {
            assertTrue(run.output().contains("last words of " + pe), run::toString);
        }

        System.out.println("globalExit(" + status + "): PEs gone after " + TimeUnit.NANOSECONDS.toMillis(ns) +
            " ms, launcher after " + TimeUnit.NANOSECONDS.toMillis(launcherNs) + " ms");
    }
}
