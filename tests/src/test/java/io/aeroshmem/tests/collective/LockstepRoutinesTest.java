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
package io.aeroshmem.tests.collective;

import io.aeroshmem.collective.task.Algorithm;
import io.aeroshmem.collective.task.Routine;
import io.aeroshmem.simulation.Seeds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;

/**
 * Each routine by each of its algorithms between PEs that map each other, in simulated worlds, also where the table
 * prefers another one.
 */
@Tag("ci")
class LockstepRoutinesTest
{
    static List<Arguments> algorithmsOfOneHost()
    {
        return LockstepSubject.algorithms().stream().filter((pair) -> Algorithm.TWO_LEVEL != pair.get()[1]).toList();
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("algorithmsOfOneHost")
    @Tag("jdk")
    void shouldMatchTheOracle(final Routine routine, final Algorithm algorithm)
    {
        for (final long seed : Seeds.ofAlgorithm(3))
        {
            LockstepSubject.runForced(
                seed, LockstepSubject.nPesOfForced(seed), routine, algorithm, (world) -> {});
        }
    }
}
