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
package io.aeroshmem.tools.latency;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("jdk")
class JvmMeterTest
{
    private static final int COUNT = 1000;

    private final JvmMeter meter = new JvmMeter();
    private Object last;

    @Test
    void shouldCountTheBytesOfALoopThatAllocates()
    {
        meter.begin();
        for (int i = 0; i < COUNT; i++)
        {
            last = new byte[1024];
        }

        final long bytes = meter.end().allocatedBytes();
        assertNotNull(last);
        assertTrue(bytes >= COUNT * 1024L && bytes < COUNT * 2048L, () -> bytes + " bytes");
    }

    @Test
    void shouldCountNothingForALoopThatAllocatesNothing()
    {
        final long[] sums = new long[1];
        for (int run = 0; run < 2; run++)
        {
            // the first run loads classes
            meter.begin();
            for (int i = 0; i < COUNT; i++)
            {
                sums[0] += System.nanoTime();
            }

            final JvmCosts costs = meter.end();
            assertTrue(0 == run || 0 == costs.allocatedBytes(), costs::toString);
        }
    }

    @Test
    void shouldCountCollections()
    {
        meter.begin();
        System.gc();
        final JvmCosts costs = meter.end();
        assertTrue(costs.collections() >= 1, costs::toString);
        assertTrue(costs.pauseMs() >= 0, costs::toString);
    }

    @Test
    void shouldTakeTheHighestOfAllPes()
    {
        assertEquals(new JvmCosts(7, 2, 9), new JvmCosts(7, 1, 9).max(new JvmCosts(3, 2, 0)));
        assertEquals(
            JvmCosts.UNKNOWN, new JvmCosts(7, 1, 9).max(new JvmCosts(JvmCosts.UNKNOWN, 2, 0)).allocatedBytes());
    }
}
