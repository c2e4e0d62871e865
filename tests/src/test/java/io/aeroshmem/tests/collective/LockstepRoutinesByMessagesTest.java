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
import io.aeroshmem.simulation.World;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * As {@link LockstepRoutinesTest}, by messages: between PEs of one host and of several.
 */
@Tag("ci")
class LockstepRoutinesByMessagesTest
{
    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("io.aeroshmem.tests.collective.LockstepSubject#algorithms")
    void shouldMatchTheOracle(final Routine routine, final Algorithm algorithm)
    {
        for (final long seed : Seeds.ofAlgorithm(2))
        {
            if (Algorithm.TWO_LEVEL != algorithm && 0 == (seed & 1))
            {
                LockstepSubject.runForced(
                    seed, LockstepSubject.nPesOfForced(seed / 2), routine, algorithm, World::messages);
            }
            else
            {
                final int nPes = 5 + (int)Long.remainderUnsigned(seed, 4);
                LockstepSubject.runForced(seed, nPes, routine, algorithm, World::severalHosts);
            }
        }
    }
}
