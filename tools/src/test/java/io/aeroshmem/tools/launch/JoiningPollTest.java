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
package io.aeroshmem.tools.launch;

import org.junit.jupiter.api.Test;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class JoiningPollTest
{
    private static final long START_NS = Long.MAX_VALUE - 5;

    private final JoiningPoll poll = new JoiningPoll(START_NS);

    @Test
    void shouldPollOftenWhilePesJoin()
    {
        for (int pe = 1; pe <= 20; pe++)
        {
            assertEquals(JoiningPoll.MIN_MS, periodMs(pe, (pe + 1) * JoiningPoll.PATIENCE_MS - pe));
        }
    }

    @Test
    void shouldBackOffFromProgramsThatDoNotJoin()
    {
        assertEquals(JoiningPoll.MIN_MS, periodMs(0, JoiningPoll.PATIENCE_MS - 1));
        final long first = periodMs(0, JoiningPoll.PATIENCE_MS);
        assertTrue(first > JoiningPoll.MIN_MS && first < JoiningPoll.MAX_MS, () -> "period " + first);
        assertEquals(JoiningPoll.MAX_MS, periodMs(0, 10_000));
        assertEquals(JoiningPoll.MAX_MS, periodMs(0, TimeUnit.DAYS.toMillis(40)));
    }

    @Test
    void shouldPollOftenAgainWhenAPeProceeds()
    {
        assertEquals(JoiningPoll.MAX_MS, periodMs(0, 60_000));
        assertEquals(JoiningPoll.MIN_MS, periodMs(1, 60_100));
        assertEquals(JoiningPoll.MIN_MS, periodMs(1, 60_100 + JoiningPoll.PATIENCE_MS - 1));
        assertEquals(JoiningPoll.MAX_MS, periodMs(1, 70_000));
    }

    private long periodMs(final long progress, final long atMs)
    {
        return poll.periodMs(progress, START_NS + TimeUnit.MILLISECONDS.toNanos(atMs));
    }
}
