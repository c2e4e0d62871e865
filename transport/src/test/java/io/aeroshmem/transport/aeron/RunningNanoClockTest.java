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

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;

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
        source.advance(1);
        assertEquals(COUNTED_NS + 1, clock.nanoTime() - startNs);
        source.advance(16 * SECOND_NS);
        assertEquals(2 * COUNTED_NS + 1, clock.nanoTime() - startNs);
    }
}
