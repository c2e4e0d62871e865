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

import io.aeroshmem.simulation.World;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * Jobs in simulated worlds of each kind in which a PE dies: the others end with its failure, or had no more need of it.
 */
class LockstepDeathsTest
{
    /** Of weak memory, deaths are at pauses up to this one. */
    private static final long LAST_WEAK_PAUSE = 4_000;
    private static final String PACKAGE = "io.aeroshmem.tests.collective.";

    @ParameterizedTest(name = "{0}, seed {1}")
    @MethodSource(PACKAGE + "LockstepTest#worlds")
    void shouldSurviveADeath(final LockstepSubject subject, final long seed)
    {
        runWithADeath(subject, seed);
    }

    static void runWithADeath(final LockstepSubject subject, final long seed)
    {
        run(subject, seed, LockstepTest.LAST_PAUSE, (world) -> {});
    }

    @ParameterizedTest(name = "{0}, seed {1}")
    @MethodSource(PACKAGE + "LockstepMessagesTest#worlds")
    @Tag("ci")
    void shouldSurviveADeathAmongMessages(final LockstepSubject subject, final long seed)
    {
        run(subject, seed, LockstepMessagesTest.LAST_PAUSE, World::messages);
    }

    @ParameterizedTest(name = "{0}, seed {1}")
    @MethodSource(PACKAGE + "LockstepWeakTest#worlds")
    @Tag("ci")
    void shouldSurviveADeathWithWeakMemory(final LockstepSubject subject, final long seed)
    {
        run(subject, seed, LAST_WEAK_PAUSE, World::weak);
    }

    /** Has a PE die at a pause up to the last. */
    private static void run(
        final LockstepSubject subject, final long seed, final long lastPause, final Consumer<World> kind)
    {
        final SplittableRandom random = new SplittableRandom(seed + 1);
        final int victim = random.nextInt(LockstepSubject.nPes(seed));
        final long atPause = random.nextLong(lastPause);
        LockstepTest.failingBy(victim, () -> subject.run(seed, kind.andThen((world) -> world.kill(victim, atPause))));
    }
}
