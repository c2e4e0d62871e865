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
package io.aeroshmem.transport.aeron;

import io.aeroshmem.simulation.Seeds;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.JobFailure;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The engines of several PEs over a simulated network, where one seed decides what happens next. A failing seed fails
 * each time: {@code -Daeroshmem.test.seed} repeats it.
 */
class MessageSimulationTest
{
    private static final int SEEDS = Seeds.repetitions(50);
    private static final int FAILING_SEEDS = Seeds.repetitions(100);
    private static final int LARGE_SEEDS = Seeds.repetitions(1);
    private static final int MANY_PES = LARGE_SEEDS > 1 ? SimulatedPe.MAX_PES : 9;
    private static final int REPETITIONS = Seeds.repetitions(2);

    private final Path root = JobDirectory.defaultRoot();

    private final Long given = Long.getLong("aeroshmem.test.seed");
    private final long first = null == given ? System.nanoTime() & 0xFFFF_FFFFL : given;

    private int seeds(final int count)
    {
        System.out.println("seeds " + first + " to " + (first + count - 1) + "; -Daeroshmem.test.seed=" + first);
        return null == given ? count : 1;
    }

    @Test
    @Tag("ci")
    void shouldPerformOneSidedOperationsInAnyOrderOfEvents()
    {
        final int count = seeds(SEEDS);
        for (long seed = first; seed < first + count; seed++)
        {
            MessageSeeds.run(root, seed, MessageSeeds.nPes(seed), MessageSeeds.harmless(seed));
        }
    }

    @Test
    @Tag("ci")
    void shouldPerformOneSidedOperationsBetweenManyPes()
    {
        final int count = seeds(LARGE_SEEDS);
        for (long seed = first; seed < first + count; seed++)
        {
            MessageSeeds.run(root, seed, MANY_PES, MessageSeeds.harmless(seed));
        }
    }

    @Test
    @Tag("ci")
    void shouldEndEveryCallWhenAStreamIsLost()
    {
        assertTrue(failures(JobFailure.Kind.DRIVER_DIED, false) > FAILING_SEEDS / 10 || null != given);
    }

    @Test
    void shouldEndEveryCallWhenAProcessIsKilled()
    {
        assertTrue(failures(JobFailure.Kind.PE_FAILED, true) > FAILING_SEEDS / 10 || null != given);
    }

    private int failures(final JobFailure.Kind kind, final boolean isDeath)
    {
        int failures = 0;
        long deathsInCalls = 0;
        final int count = seeds(FAILING_SEEDS);
        for (long seed = first; seed < first + count; seed++)
        {
            final MessageWorld world =
                MessageSeeds.end(root, seed, MessageSeeds.nPes(seed), new LostStreams(isDeath));
            deathsInCalls += Stream.of(world.pes).filter(SimulatedPe::isKilledInCall).count();
            if (world.hasFailed())
            {
                failures++;
                // the streams of a dead process may be seen to end before its death is
                final JobFailure.Kind found = world.failure().kind();
                assertTrue(kind == found || isDeath && JobFailure.Kind.DRIVER_DIED == found, world::toString);
            }
        }

        System.out.println(
            failures + " of " + count + " jobs have failed; " + deathsInCalls + " PEs have died in calls");
        assertTrue(!isDeath || deathsInCalls > failures / 10 || null != given);
        return failures;
    }

    @Test
    void shouldGiveTheSameTraceForTheSameSeed()
    {
        final long seed = first;
        final long trace = MessageSeeds.run(root, seed, MessageSeeds.nPes(seed), MessageSeeds.harmless(seed));
        for (int i = 1; i < REPETITIONS; i++)
        {
            assertEquals(trace, MessageSeeds.run(root, seed, MessageSeeds.nPes(seed), MessageSeeds.harmless(seed)));
        }
    }
}
