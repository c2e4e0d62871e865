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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;

/**
 * Jobs in simulated worlds whose operations take effect as late as OpenSHMEM permits: as {@link LockstepTest}. What the
 * programs do by communication contexts must not rely on more order.
 */
class LockstepWeakTest
{
    static List<Arguments> worlds()
    {
        return LockstepSubject.worlds(3);
    }

    @ParameterizedTest(name = "{0}, seed {1}")
    @MethodSource("worlds")
    @Tag("ci")
    void shouldDoWhatTheProgramsExpect(final LockstepSubject subject, final long seed)
    {
        subject.run(seed, World::weak);
    }

    @ParameterizedTest
    @EnumSource(LockstepSubject.class)
    @Tag("ci")
    @Tag("jdk")
    void shouldDoTheSameWithTheSameSeed(final LockstepSubject subject)
    {
        subject.runAlike(Seeds.of(1)[0], "weak", World::weak);
    }
}
