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
package io.aeroshmem.tests.team;

import io.aeroshmem.ReduceOp;
import io.aeroshmem.Team;
import io.aeroshmem.Teams2d;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.PeMain;
import io.aeroshmem.tests.fixture.RoutineSet;
import io.aeroshmem.tests.fixture.TestMemory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Teams created and closed as often as the property specifies, in a job that allows few at once.
 */
final class TeamChurn extends RoutineSet
{
    static final String TEAMS = "aeroshmem.test.teams";

    private static final int SOME = 200;
    private static final long MOST_GROWTH = 1 << 10;

    TeamChurn()
    {
        add("create and destroy", TeamChurn::shouldUseSlotsAgain);
    }

    /**
     * Checks that the memory of the job's files does not grow; their lengths are address space only.
     */
    private static void shouldUseSlotsAgain(final Pe pe) throws IOException
    {
        churn(pe, SOME);
        final long before = usedKilobytes();
        churn(pe, Integer.getInteger(TEAMS));
        final long grown = usedKilobytes() - before;
        assertTrue(grown < MOST_GROWTH, "memory of the job has grown by " + grown + " KiB");
        Failures.checkNoneLeaked(pe);
    }

    private static void churn(final Pe pe, final int total)
    {
        final Team world = pe.shmem().world();
        final int n = pe.n();
        Team last = world.duplicate();
        int made = 1;
        for (int round = 0; made < total; round++)
        {
            final Team team = 0 == round % 3 ? last.duplicate() :
                last.splitStrided(1 == round % 3 ? 0 : n - 1, 1 == round % 3 ? 1 : -1, n);
            made++;
            if (0 == round % 2)
            {
                assertEquals((long)n * round, team.reduceLong(ReduceOp.SUM, round), "round " + round);
            }

            if (0 == round % 3)
            {
                // acknowledgements of readers to the root may still be in flight when the team is closed
                assertEquals(round, team.broadcastLong(team.myPe() == round % n ? round : -1, round % n));
            }

            last.close();
            last = team;
            if (0 == round % 10)
            {
                final Teams2d axes = world.split2d(2);
                made += 2;
                assertEquals(axes.xAxis().nPes(), axes.xAxis().reduceLong(ReduceOp.SUM, 1));
                axes.xAxis().close();
                axes.yAxis().close();
            }
        }

        last.close();
        world.barrier();
    }

    /**
     * Returns the allocated size of the memory files of all PEs.
     */
    static long usedKilobytes() throws IOException
    {
        final String directory = System.getProperty(PeMain.JOB_DIRECTORY);
        final Path job = null == directory ? TestMemory.jobs().get(0) : Path.of(directory);
        final List<String> command = new ArrayList<>(List.of("du", "-k"));
        for (final Path file : TestMemory.find(job, 1))
        {
            if (file.getFileName().toString().startsWith("pe-"))
            {
                command.add(file.toString());
            }
        }

        assertTrue(command.size() > 2, "no memory in " + job);
        final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        long sum = 0;
        for (final String line : output.split("\n"))
        {
            sum += Long.parseLong(line.split("\t")[0]);
        }

        return sum;
    }
}
