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

import io.aeroshmem.Comparison;
import io.aeroshmem.PeFailureException;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.simulation.Seeds;
import io.aeroshmem.simulation.World;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Jobs in simulated worlds, see {@link LockstepSubject}: any order of the steps of their PEs.
 */
class LockstepTest
{
    /** Deaths and stops at pauses up to this one: later than that, the programs of few PEs have ended. */
    static final long LAST_PAUSE = 1_500;

    private static final long SCRIPTED_SEED = 8;

    static List<Arguments> worlds()
    {
        return LockstepSubject.worlds(4);
    }

    @ParameterizedTest(name = "{0}, seed {1}")
    @MethodSource("worlds")
    @Tag("jdk")
    void shouldDoWhatTheProgramsExpect(final LockstepSubject subject, final long seed)
    {
        subject.run(seed, (world) -> {});
    }

    /** A PE that stops for too long is dead to the others, and ends when it goes on. */
    @ParameterizedTest(name = "{0}, seed {1}")
    @MethodSource("worlds")
    @Tag("ci")
    void shouldSurviveAStop(final LockstepSubject subject, final long seed)
    {
        final SplittableRandom random = new SplittableRandom(seed + 2);
        final int victim = random.nextInt(LockstepSubject.nPes(seed));
        final long atPause = random.nextLong(LAST_PAUSE);
        final long length = random.nextLong(1L << random.nextInt(20));
        failingBy(victim, () ->
            subject.run(seed, (world) -> world.stop(victim, atPause).resume(victim, atPause + length)));
    }

    /** Runs a world that ends well, or with the failure of this PE. */
    static void failingBy(final int victim, final Runnable world)
    {
        try
        {
            world.run();
        }
        catch (final AssertionError ex)
        {
            if (!(ex.getCause() instanceof PeFailureException failure) || failure.pe() != victim)
            {
                throw ex;
            }
        }
    }

    @ParameterizedTest
    @EnumSource(LockstepSubject.class)
    @Tag("ci")
    @Tag("jdk")
    void shouldDoTheSameWithTheSameSeed(final LockstepSubject subject)
    {
        subject.runAlike(Seeds.of(1)[0], "mapped", (world) -> {});
    }

    /** The script repeats a schedule without the seed that chose it, and with it what the schedule leads to. */
    @Test
    void shouldFollowAScript()
    {
        final World recorded = LockstepSubject.LOCKS.run(SCRIPTED_SEED, (world) -> {});
        final World repeated =
            LockstepSubject.LOCKS.run(SCRIPTED_SEED, (world) -> world.scripted(recorded.script()));
        final World starved = LockstepSubject.LOCKS.run(SCRIPTED_SEED, (world) -> world.scripted("0*1000"));
        assertEquals(recorded.trace().hash(), repeated.trace().hash());
        assertNotEquals(recorded.trace().hash(), starved.trace().hash());
    }

    /** PEs that wait for each other are reported with their calls and the seed, and no time limit has to pass. */
    @Test
    void shouldReportADeadlock()
    {
        final World world = new World(5, 3);
        final AssertionError thrown = assertThrows(AssertionError.class, () ->
            world.run(new Shmem.Context().heapSize(1 << 16), (shmem) ->
            {
                final SymmetricBuffer word = shmem.calloc(1, Long.BYTES);
                shmem.barrierAll();
                shmem.waitUntilLong(word, 0, Comparison.NE, 0);
            }));
        assertTrue(thrown.getMessage().contains("seed 5") && thrown.getMessage().contains(
            "RUNNING, blocked in a wait on memory"), thrown.getMessage());
        assertTrue(world.nanoTime() < TimeUnit.SECONDS.toNanos(1_001), "virtual time passed");
    }
}
