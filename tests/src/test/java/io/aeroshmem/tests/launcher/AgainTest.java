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

import io.aeroshmem.tests.fixture.Pe;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Processes that {@code aeroshmem run} started go from one job to the next, with other settings each time.
 */
@Tag("ci")
@Timeout(120)
class AgainTest
{
    private static final String PROGRAM = AgainPe.class.getName();

    @RegisterExtension
    final JobRoot root = new JobRoot();

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void shouldInitialiseAfterCloseAgainAndAgain(final int nPes) throws Exception
    {
        final CommandProcess run = CommandProcess.run(
            root.path(), "run", "-n", Integer.toString(nPes), PROGRAM, "6");

        assertEquals(0, run.exitCode(), run::toString);
        assertEquals(jobs(6, nPes), run.output().stream().sorted().toList(), run::toString);
        assertEquals(List.of(), run.error());
        root.assertEmpty();
    }

    @Test
    void shouldInitialiseAfterAJobThatFailed() throws Exception
    {
        final CommandProcess run = CommandProcess.run(root.path(), "run", "-n", "3", PROGRAM, "1", "fail", "1");

        assertEquals(0, run.exitCode(), run::toString);
        final List<String> expected = jobs(1, 3);
        expected.addAll(List.of("job 2 0 3", "job 2 1 3", "job 2 2 3"));
        assertEquals(expected, run.output().stream().sorted().toList(), run::toString);
        root.assertEmpty();
    }

    @Test
    void shouldFailSoonIfAPeEndsAndOthersInitialiseAgain() throws Exception
    {
        final CommandProcess run = CommandProcess.run(root.path(), "run", "-n", "3", PROGRAM, "2", "leave", "1");

        assertEquals(1, run.exitCode(), run::toString);
        assertTrue(run.launcherLines().get(0).contains(
            "PE 1 ended without joining the next job, which others joined after they had closed one"), run::toString);
        assertTrue(run.output().stream().anyMatch((line) -> line.matches("refused after [0-3] s: .*PE 1 .*")),
            run::toString);
        root.assertEmpty();
    }

    @Test
    void shouldEndTheJobOnAGlobalExitAfterClose() throws Exception
    {
        final CommandProcess run = CommandProcess.run(root.path(), "run", "-n", "3", PROGRAM, "2", "globalExit", "1");

        assertEquals(9, run.exitCode(), run::toString);
        root.assertEmpty();
    }

    @Test
    void shouldFailIfAPeEndsInTheNextJobWithoutClosingIt() throws Exception
    {
        final CommandProcess run = CommandProcess.run(root.path(), "run", "-n", "3", PROGRAM, "1", "abandon", "2");

        assertEquals(1, run.exitCode(), run::toString);
        assertTrue(run.launcherLines().get(0).contains("PE 2"), run::toString);
        assertTrue(run.launcherLines().get(0).contains("without closing its Shmem"), run::toString);
        root.assertEmpty();
    }

    @Test
    void shouldKeepTheFilesOfOneJobAtATime() throws Exception
    {
        try (CommandProcess run = CommandProcess.start(root.path(), "run", "-n", "2", PROGRAM, "5", "wait", "0"))
        {
            run.awaitReady(2);
            assertEquals(2, files(".heap").size(), () -> files("").toString());
            Pe.await(() -> 1 == files("control").size(), "the removal of the job before");
            run.signal("TERM");
            assertEquals(143, run.awaitExit(), run::toString);
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
            for (final ProcessHandle pe : pes)
            {
                pe.onExit().get(10, TimeUnit.SECONDS);
            }
        }
        CommandProcess.run(root.path(), "clean");
        root.assertEmpty();
    }

    private List<Path> files(final String suffix)
    {
        try
        {
            return root.entries().stream().filter((path) -> path.toString().endsWith(suffix)).toList();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
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
