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

import io.aeroshmem.DriverFailureException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.SplittableRandom;

/**
 * As {@link LockstepMessagesTest}, with streams that are cut, or one that ends.
 */
@Tag("ci")
class LockstepMessagesWithFaultsTest
{
    private static final String WORLDS = "io.aeroshmem.tests.collective.LockstepMessagesTest#worlds";
    private static final int CUTS = 8;

    @ParameterizedTest(name = "{0}, seed {1}")
    @MethodSource(WORLDS)
    void shouldDoWhatTheProgramsExpectWhileStreamsAreCut(final LockstepSubject subject, final long seed)
    {
        runWithCuts(subject, seed);
    }

    static void runWithCuts(final LockstepSubject subject, final long seed)
    {
        final SplittableRandom random = new SplittableRandom(seed + 2);
        subject.run(seed, (world) ->
        {
            world.messages();
            for (int i = 0; i < CUTS; i++)
            {
                world.cut(random.nextLong(LockstepMessagesTest.LAST_PAUSE), random.nextLong(1L << random.nextInt(14)));
            }
        });
    }

    /** All end with this failure, unless they had no more need of the stream. */
    @ParameterizedTest(name = "{0}, seed {1}")
    @MethodSource(WORLDS)
    void shouldEndWhenAStreamIsLost(final LockstepSubject subject, final long seed)
    {
        final long atPause = new SplittableRandom(seed + 3).nextLong(LockstepMessagesTest.LAST_PAUSE);
        try
        {
            subject.run(seed, (world) -> world.messages().loseStream(atPause));
        }
        catch (final AssertionError ex)
        {
            if (!(ex.getCause() instanceof DriverFailureException))
            {
                throw ex;
            }
        }
    }
}
