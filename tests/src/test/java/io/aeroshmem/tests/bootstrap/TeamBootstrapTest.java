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
package io.aeroshmem.tests.bootstrap;

import io.aeroshmem.Bootstrap;
import io.aeroshmem.PeTask;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.JobForm;
import io.aeroshmem.tests.fixture.JobMatrix;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.RoutineSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/**
 * Jobs within a job.
 */
@Tag("ci")
class TeamBootstrapTest
{
    static List<Arguments> jobs()
    {
        return JobMatrix.jobs(4);
    }

    @ParameterizedTest(name = "{0}, {1}, {2} PEs")
    @MethodSource("jobs")
    void shouldRunJobsOfTheMembersOfTeams(final TransportKind transport, final JobForm form, final int nPes)
    {
        Job.of(nPes).transport(transport).form(form).inUsedProcesses().heapSize(1 << 20).run(new Halves());
    }

    @Test
    void shouldRejectInvalidTeams()
    {
        assertThrows(IllegalStateException.class, () -> Bootstrap.overTeam(Team.INVALID));
    }

    /**
     * Odd and even PEs start a job each, at the same time, twice; the first job continues.
     */
    static final class Halves extends RoutineSet
    {
        Halves()
        {
            add("jobs of halves", Halves::run);
        }

        private static void run(final Pe pe) throws Exception
        {
            final Shmem shmem = pe.shmem();
            final int me = shmem.myPe();
            try (Team even = shmem.world().splitStrided(0, 2, 2); Team odd = shmem.world().splitStrided(1, 2, 2))
            {
                final Team mine = 0 == me % 2 ? even : odd;
                for (int round = 0; round < 2; round++)
                {
                    Shmem.run(
                        new Shmem.Context().heapSize(1 << 20).bootstrap(Bootstrap.overTeam(mine)), exchange(me));
                    assertEquals(nPesSum(shmem), shmem.world().reduceLong(ReduceOp.SUM, me));
                }
            }
        }

        private static long nPesSum(final Shmem shmem)
        {
            return shmem.nPes() * (shmem.nPes() - 1L) / 2;
        }

        private static PeTask exchange(final int worldPe)
        {
            return (inner) ->
            {
                assertEquals(2, inner.nPes());
                assertEquals(worldPe / 2, inner.myPe());
                final SymmetricBuffer buffer = inner.calloc(1, Long.BYTES);
                inner.defaultContext().putLong(buffer, 0, worldPe, 1 - inner.myPe());
                inner.barrierAll();
                assertEquals(worldPe ^ 2, buffer.getLong(0));
            };
        }
    }
}
