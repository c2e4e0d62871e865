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

import io.aeroshmem.simulation.Seeds;
import io.aeroshmem.simulation.World;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Jobs in simulated worlds, see {@link LockstepSubject}: any order of the steps of their PEs.
 */
@Timeout(120)
class LockstepTest
{
    static long[] seeds()
    {
        return Seeds.of(12);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldPerformCollectives(final long seed)
    {
        perform(LockstepSubject.COLLECTIVES, seed);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldPerformRequests(final long seed)
    {
        perform(LockstepSubject.REQUESTS, seed);
    }

    @Test
    void shouldDoTheSameWithTheSameSeed()
    {
        final World first = LockstepSubject.REQUESTS.run(7, (world) -> {});
        final World second = LockstepSubject.REQUESTS.run(7, (world) -> {});
        assertEquals(first.trace().toString(), second.trace().toString());
        assertEquals(first.trace().hash(), second.trace().hash());
    }

    private static void perform(final LockstepSubject subject, final long seed)
    {
        subject.run(seed, (unchanged) -> {});
    }
}
