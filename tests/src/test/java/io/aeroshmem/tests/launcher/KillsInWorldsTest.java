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

import io.aeroshmem.Recovery;
import io.aeroshmem.Shmem;
import io.aeroshmem.simulation.KnownTraces;
import io.aeroshmem.simulation.Seeds;
import io.aeroshmem.simulation.Simulation;
import io.aeroshmem.simulation.Trace;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** As {@link KillsTest}, in simulated worlds: PEs die wherever they are, in a set-up, a recovery or a close too. */
public class KillsInWorldsTest
{
    private static final long KNOWN_SEED = 4;
    private static final int STEPS = 12;
    private static final int MAX_KILLS = 4;
    private static final int BULK = 256;
    /** More than a generation takes in most worlds. */
    private static final long MEAN_NS = TimeUnit.MICROSECONDS.toNanos(200);

    static long[] seeds()
    {
        return Seeds.of(24);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    @Tag("ci")
    void shouldLoseNothing(final long seed)
    {
        run(seed);
    }

    @Test
    @Tag("jdk")
    void shouldDoTheSameWithTheSameSeed()
    {
        KnownTraces.check("kills", run(KNOWN_SEED));
        final long seed = seeds()[0];
        final Trace first = run(seed);
        for (int i = 1; i < Seeds.repetitions(2); i++)
        {
            final Trace next = run(seed);
            assertEquals(first.toString(), next.toString(), () -> "seed " + seed);
            assertEquals(first.hash(), next.hash(), () -> "seed " + seed);
        }
    }

    /** Runs a job with this seed. */
    public static Trace run(final long seed)
    {
        final SplittableRandom random = new SplittableRandom(seed);
        final int pes = 1 + random.nextInt(5);
        final Simulation.Context simulation = new Simulation.Context().seed(seed).pes(pes);
        switch (random.nextInt(3))
        {
            case 0 -> simulation.mapped();
            case 1 -> simulation.messages();
            default -> simulation.weak();
        }

        final int kills = 1 + random.nextInt(MAX_KILLS);
        long atNs = 0;
        for (int i = 0; i < kills; i++)
        {
            atNs += random.nextLong(2 * MEAN_NS);
            simulation.kill(random.nextInt(pes), Duration.ofNanos(atNs));
        }

        final Shmem.Context context = new Shmem.Context().heapSize(1 << 18).heapSparse(true)
            .recovery(Recovery.RESTART).maxRecoveries(MAX_KILLS);
        return Simulation.run(simulation, context, (shmem) ->
            KilledPe.run(shmem, BULK, (step) -> step >= STEPS, () -> {}, (line) -> {}));
    }
}
