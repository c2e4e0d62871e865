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
import io.aeroshmem.tests.fixture.Pe;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Processes that {@code aeroshmem run} started go from one job to the next, with other settings each time. For what
 * else happens between two jobs see {@code NodeStateMachineTest}.
 */
@Tag("ci")
@Tag("waits")
class AgainTest
{
    private static final String PROGRAM = AgainPe.class.getName();

    @RegisterExtension
    final JobRoot root = new JobRoot();

    /** The seventh job fails. */
    @Test
    void shouldInitialiseAfterCloseAndAfterAFailureAgainAndAgain() throws Exception
    {
        final CommandProcess run = CommandProcess.run(root.path(), "run", "-n", "3", PROGRAM, "6", "fail", "1");

        assertEquals(0, run.exitCode(), run::toString);
        final List<String> expected = jobs(6, 3);
        expected.addAll(List.of("job 2 0 3", "job 2 1 3", "job 2 2 3"));
        assertEquals(expected.stream().sorted().toList(), run.output().stream().sorted().toList(), run::toString);
        assertEquals(List.of(), run.error());
        root.assertEmpty();
    }

    @Test
    void shouldKeepTheFilesOfOneJobAtATime() throws Exception
    {
        try (CommandProcess run = CommandProcess.start(root.path(), "run", "-n", "2", PROGRAM, "5", "wait", "0"))
        {
            run.awaitReady(2);
            Pe.await(() -> 1 == files("control").size(), "the removal of the job before");
            assertEquals(2, files(".heap").size(), () -> files("").toString());
            run.signal("TERM");
            assertEquals(143, run.awaitExit(), run::toString);
            assertEquals(List.of("aeroshmem: terminated; ending the job"), run.error());
        }

        root.assertEmpty();
    }

    @Test
    void shouldEndPesInALaterJobWhenTheLauncherIsKilled() throws Exception
    {
        try (CommandProcess run = CommandProcess.start(root.path(), "run", "-n", "2", PROGRAM, "2", "wait", "0"))
        {
            final List<ProcessHandle> pes = run.awaitReady(2);
            run.signal("KILL");
            CommandProcess.awaitEnd(pes);
            assertEquals(137, run.awaitExit(), run::toString);
        }

        CommandCall.run(root.path(), "clean");
        root.assertEmpty();
    }

    private List<Path> files(final String suffix)
    {
        return root.entries().stream().filter((path) -> path.toString().endsWith(suffix)).toList();
    }

    private static List<String> jobs(final int count, final int nPes)
    {
        final List<String> lines = new ArrayList<>();
        for (int job = 0; job < count; job++)
        {
            for (int pe = 0; pe < nPes; pe++)
            {
                lines.add("job " + job + ' ' + pe + ' ' + nPes);
            }
        }

        return lines;
    }
}
