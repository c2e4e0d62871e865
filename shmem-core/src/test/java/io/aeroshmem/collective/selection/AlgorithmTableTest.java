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
package io.aeroshmem.collective.selection;

import io.aeroshmem.collective.task.Algorithm;
import io.aeroshmem.collective.task.Routine;
import io.aeroshmem.collective.task.Topology;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class AlgorithmTableTest
{
    private static final Topology FOUR_MAPPED = Topology.of(true, 0, 0, 0, 0);
    private static final Topology SIX_MESSAGING = Topology.of(false, 0, 0, 0, 0, 0, 0);
    private static final Topology TWO_HOSTS = Topology.of(false, 0, 0, 1, 1);

    @ParameterizedTest
    @EnumSource(Routine.class)
    void shouldEndEachRoutineWithARowForEverything(final Routine routine)
    {
        final List<AlgorithmRow> rows =
            AlgorithmTable.rows().stream().filter((row) -> row.routine() == routine).toList();
        final AlgorithmRow last = rows.isEmpty() ? null : rows.get(rows.size() - 1);
        final boolean isOfRequestsOnly = routine.compareTo(Routine.FAN_IN) >= 0;
        assertTrue(null == last || last.isUnconditional() || isOfRequestsOnly && last.slotsOnly().isUnconditional(),
            () -> rows.toString());
    }

    @ParameterizedTest
    @EnumSource(Algorithm.class)
    void shouldForceAnAlgorithmOnlyWhereItIsEligible(final Algorithm forced)
    {
        for (final AlgorithmRow row : AlgorithmTable.rows())
        {
            for (final Topology topology : List.of(FOUR_MAPPED, SIX_MESSAGING, TWO_HOSTS))
            {
                final AlgorithmChoice[] choices = AlgorithmTable.choices(
                    row.routine(), topology, forced, false);
                if (row.algorithm() == forced && row.isEligibleIn(topology))
                {
                    assertEquals(forced, choices[0].algorithm());
                }

                assertTrue(choices.length > 0);
            }
        }
    }

    @Test
    void shouldPreferRowsForRequestsInRequestsOnly()
    {
        assertTrue(isAmongChoices(FOUR_MAPPED, null, true));
        assertFalse(isAmongChoices(FOUR_MAPPED, null, false));
        assertFalse(isAmongChoices(SIX_MESSAGING, null, true));
        assertTrue(isAmongChoices(FOUR_MAPPED, Algorithm.WORK_STEALING, false));
        assertFalse(isAmongChoices(SIX_MESSAGING, Algorithm.WORK_STEALING, false));
    }

    private static boolean isAmongChoices(final Topology topology, final Algorithm forced, final boolean isRequest)
    {
        return Arrays.stream(AlgorithmTable.choices(Routine.REDUCE, topology, forced, isRequest))
            .anyMatch((choice) -> Algorithm.WORK_STEALING == choice.algorithm());
    }

    @Test
    void shouldKnowTheShapeOfATeam()
    {
        assertTrue(TopologyPredicate.MAPPED.fits(FOUR_MAPPED));
        assertFalse(TopologyPredicate.MAPPED.fits(TWO_HOSTS));
        assertTrue(TopologyPredicate.POWER_OF_TWO.fits(FOUR_MAPPED));
        assertFalse(TopologyPredicate.POWER_OF_TWO.fits(SIX_MESSAGING));
        assertTrue(TopologyPredicate.SEVERAL_HOSTS.fits(TWO_HOSTS));
        assertFalse(TopologyPredicate.SEVERAL_HOSTS.fits(SIX_MESSAGING));
        assertFalse(TopologyPredicate.SEVERAL_HOSTS.fits(Topology.of(false, 0, 1, 2)));
        assertTrue(TopologyPredicate.ALIGNED_HOSTS.fits(TWO_HOSTS));
        assertTrue(TopologyPredicate.ALIGNED_HOSTS.fits(FOUR_MAPPED));
        assertTrue(TopologyPredicate.ALIGNED_HOSTS.fits(Topology.of(false, 0, 0, 1, 1, 2)));
        assertFalse(TopologyPredicate.ALIGNED_HOSTS.fits(Topology.of(false, 0, 0, 1, 2, 2)));
        assertFalse(TopologyPredicate.ALIGNED_HOSTS.fits(Topology.of(false, 0, 0, 0, 1, 1, 1)));
        assertFalse(TopologyPredicate.ALIGNED_HOSTS.fits(Topology.of(false, 0, 1, 0, 1)));
        assertFalse(TopologyPredicate.ALIGNED_HOSTS.fits(Topology.of(false, 0, 1, 1)));
    }

    @Test
    void shouldDescribeEveryRow()
    {
        assertEquals(AlgorithmTable.rows().size(), AlgorithmDocs.rows().size());
        assertTrue(AlgorithmDocs.rows().contains(
            new AlgorithmDocs.Row("aeroshmem.algorithm.reduce", "reduce", "flat", "all calls", "nothing")));
    }
}
