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
package io.aeroshmem.lifecycle;

import org.junit.jupiter.api.Test;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Whether and when another generation follows one that has failed. */
class RecoveriesTest
{
    private static final long WINDOW_MS = 60_000;
    private static final long START_NS = Long.MAX_VALUE - 5;

    private long nowMs;
    private Recoveries recoveries = recoveries(3);

    @Test
    void shouldRecoverAtOnceThenEverLater()
    {
        final long[] delaysMs = { 0, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000 };
        recoveries = recoveries(Integer.MAX_VALUE);
        for (final long delayMs : delaysMs)
        {
            nowMs += 100;
            assertTrue(recoveries.onFailure(nowNs(), "bad luck"));
            assertEquals(0 == delayMs ? 0 : delayMs - 100, delayMs());
            recoveries.onStart(nowNs());
        }

        assertEquals(delaysMs.length, recoveries.generation());
    }

    @Test
    void shouldNotDelayAGenerationThatFollowsALongOne()
    {
        fail();
        nowMs += 499;
        assertTrue(recoveries.onFailure(nowNs(), "bad luck"));
        assertEquals(1, delayMs());
        recoveries.onStart(nowNs());
        nowMs += 5_000;
        assertTrue(recoveries.onFailure(nowNs(), "bad luck"));
        assertEquals(0, delayMs());
    }

    @Test
    void shouldEndAfterTheMostRecoveriesWithinTheWindow()
    {
        fail();
        fail();
        nowMs += WINDOW_MS - 1;
        fail();
        assertFalse(recoveries.onFailure(nowNs(), "the last"));
        assertEquals("generation 3 has failed: the last; ending the job after 3 recoveries within 60s" +
            " (aeroshmem.recovery.max, aeroshmem.recovery.window)", recoveries.exhausted("the last"));
        assertEquals(3, recoveries.generation());

        nowMs++;
        assertTrue(recoveries.onFailure(nowNs(), "the first two no longer count"));
        assertEquals(Recoveries.FIRST_DELAY_MS - 1, delayMs());
    }

    @Test
    void shouldCountDelaysFromTheWindowToo()
    {
        fail();
        fail();
        nowMs += WINDOW_MS;
        recoveries.onStart(nowNs());
        assertTrue(recoveries.onFailure(nowNs(), "bad luck"));
        assertEquals(0, delayMs());
    }

    @Test
    void shouldNotRecoverWithoutRecoveries()
    {
        recoveries = recoveries(0);
        assertFalse(recoveries.onFailure(nowNs(), "bad luck"));
        assertEquals("", recoveries.earlier());
    }

    @Test
    void shouldReportEachGeneration()
    {
        assertTrue(recoveries.onFailure(nowNs(), "bad luck"));
        assertEquals("generation 0 has failed: bad luck; starting generation 1", recoveries.line(0));
        assertTrue(recoveries.onFailure(nowNs(), "worse\r\nluck"));
        assertEquals("generation 1 has failed: worse luck; starting generation 2 in 500 ms",
            recoveries.line(TimeUnit.MILLISECONDS.toNanos(500)));
        assertEquals("earlier generations of the job ended:\n  generation 0: bad luck\n  generation 1: worse luck",
            recoveries.earlier());
    }

    /** An upgrade of all PEs is no reason to end the job, or to delay its recovery from a failure. */
    @Test
    void shouldNotCountCommands()
    {
        fail();
        fail();
        for (int i = 0; i < 10; i++)
        {
            recoveries.onCommand("new");
            assertEquals(0, delayMs());
            assertEquals("generation " + (2 + i) + " ends: new; starting generation " + (3 + i), recoveries.line(0));
            recoveries.onStart(nowNs());
        }

        assertTrue(recoveries.onFailure(nowNs(), "bad luck"), "the third");
        assertEquals(2 * Recoveries.FIRST_DELAY_MS, delayMs());
        assertEquals("generation 12 has failed: bad luck; starting generation 13", recoveries.line(0));
        assertFalse(recoveries.onFailure(nowNs(), "the last"));
    }

    private void fail()
    {
        assertTrue(recoveries.onFailure(nowNs(), "bad luck"));
        recoveries.onStart(nowNs());
    }

    private long delayMs()
    {
        return TimeUnit.NANOSECONDS.toMillis(recoveries.delayNs(nowNs()));
    }

    private long nowNs()
    {
        return START_NS + TimeUnit.MILLISECONDS.toNanos(nowMs);
    }

    private static Recoveries recoveries(final int max)
    {
        return new Recoveries(max, TimeUnit.MILLISECONDS.toNanos(WINDOW_MS), START_NS);
    }
}
