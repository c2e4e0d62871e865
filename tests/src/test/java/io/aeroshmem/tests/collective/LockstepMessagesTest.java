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

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.SessionOption;
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

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Jobs in simulated worlds whose PEs exchange messages: as {@link LockstepTest}, over a network that the seed slows
 * down.
 */
class LockstepMessagesTest
{
    /** Deaths, cuts and losses are at pauses up to this one. */
    static final long LAST_PAUSE = 6_000;

    static List<Arguments> worlds()
    {
        return LockstepSubject.worlds(3);
    }

    @ParameterizedTest(name = "{0}, seed {1}")
    @MethodSource("worlds")
    @Tag("ci")
    void shouldDoWhatTheProgramsExpect(final LockstepSubject subject, final long seed)
    {
        subject.run(seed, World::messages);
    }

    @ParameterizedTest
    @EnumSource(LockstepSubject.class)
    @Tag("ci")
    @Tag("jdk")
    void shouldDoTheSameWithTheSameSeed(final LockstepSubject subject)
    {
        subject.runAlike(Seeds.of(1)[0], "messages", World::messages);
    }

    /** What a session gathers is not stored before it is sent, though a world observes the transports. */
    @Test
    void shouldGatherInASession()
    {
        new World(Seeds.of(1)[0], 2).messages().run(new Shmem.Context().heapSize(1 << 16), (shmem) ->
        {
            final SymmetricBuffer word = shmem.calloc(1, Long.BYTES);
            try (CommunicationContext ctx = shmem.createContext())
            {
                ctx.sessionStart(SessionOption.BATCH);
                ctx.putLong(word, 0, 1, shmem.myPe());
                assertEquals(0, word.getLong(0));
                ctx.sessionStop();
                ctx.quiet();
                assertEquals(1, word.getLong(0));
            }

            shmem.barrierAll();
        });
    }
}
