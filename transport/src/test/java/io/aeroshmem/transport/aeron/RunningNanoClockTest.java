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

import org.agrona.concurrent.CachedNanoClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class RunningNanoClockTest
{
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long COUNTED_NS = TimeUnit.MILLISECONDS.toNanos(500);

    @Test
    void shouldCountTheTimeBetweenReadings()
    {
        final CachedNanoClock source = new CachedNanoClock();
        source.update(Long.MAX_VALUE - SECOND_NS);
        final RunningNanoClock clock = new RunningNanoClock(source);
        final long startNs = clock.nanoTime();
        for (int i = 1; i <= 100; i++)
        {
            source.advance(COUNTED_NS);
            assertEquals(i * COUNTED_NS, clock.nanoTime() - startNs);
        }
    }

    @Test
    void shouldCountLittleOfAPause()
    {
        final CachedNanoClock source = new CachedNanoClock();
        final RunningNanoClock clock = new RunningNanoClock(source);
        final long startNs = clock.nanoTime();
        source.advance(3600 * SECOND_NS);
        assertEquals(COUNTED_NS, clock.nanoTime() - startNs);
        source.advance(2_000_000);
        assertEquals(COUNTED_NS + 2_000_000, clock.nanoTime() - startNs);
        source.advance(16 * SECOND_NS);
        assertEquals(2 * COUNTED_NS + 2_000_000, clock.nanoTime() - startNs);
    }

    /** A thread has read the time and is suspended; another one sees the end of a pause, or just a later time. */
    @ParameterizedTest
    @ValueSource(longs = {16_000_000_000L, 400_000_000L})
    void shouldNotGoBackForAThreadThatWasSuspended(final long suspendedNs)
    {
        final long[] now = {0};
        final Runnable[] meanwhile = {() -> {}};
        final RunningNanoClock clock = new RunningNanoClock(() ->
        {
            final long read = now[0];
            final Runnable other = meanwhile[0];
            meanwhile[0] = () -> {};
            other.run();
            return read;
        });
        now[0] = COUNTED_NS;
        final long before = clock.nanoTime();
        final long[] seenByOther = new long[1];
        meanwhile[0] = () ->
        {
            now[0] += suspendedNs;
            seenByOther[0] = clock.nanoTime();
        };
        final long seen = clock.nanoTime();
        final long later = clock.nanoTime();
        assertTrue(seen >= before, "back by " + (before - seen) + " ns");
        assertTrue(later >= seenByOther[0] && later - before <= COUNTED_NS, "forward by " + (later - before) + " ns");
    }
}
