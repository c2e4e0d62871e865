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
import io.aeroshmem.tests.fixture.RoutineSet;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Teams made and closed as often as the property says, by a job that allows few at once.
 */
final class Churn extends RoutineSet
{
    static final String TEAMS = "aeroshmem.test.teams";

    Churn()
    {
        add("create and destroy", Churn::shouldUseSlotsAgain);
    }

    private static void shouldUseSlotsAgain(final Pe pe)
    {
        final Team world = pe.shmem().world();
        final int n = pe.n();
        final int total = Integer.getInteger(TEAMS);
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
        Failures.checkNoneLeaked(pe);
    }
}
