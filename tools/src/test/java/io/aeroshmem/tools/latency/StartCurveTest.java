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

import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

class StartCurveTest
{
    private static final long MS = 1_000_000;
    private static final long DURATION_NS = 4_000 * MS;

    @Test
    void shouldFindWhenHalfAndMostAndAllOfThePeakAreReached()
    {
        final StartCurve curve = new StartCurve(DURATION_NS);
        for (int ms = 0; ms < 4_000; ms++)
        {
            curve.add(ms * MS, ms < 300 ? 10 : ms < 1_000 ? 60 : ms < 1_500 ? 95 : 100, MS);
        }

        assertEquals(10_000, curve.start());
        assertEquals(100_000, curve.peak());
        // windows of 200 ms: the first of them that has 50 000 calls per second begins before 300 ms
        assertEquals(260, curve.reached(0.5));
        assertEquals(980, curve.reached(0.9));
        assertEquals(1_500, curve.reached(1));
    }

    @Test
    void shouldTakeForThePeakWhatLastsAndNotTheFastestMoment()
    {
        final StartCurve curve = new StartCurve(DURATION_NS);
        for (int ms = 0; ms < 4_000; ms++)
        {
            curve.add(ms * MS, ms / 100 == 30 ? 500 : ms / 100 == 35 ? 1 : 100, MS);
        }

        assertEquals(100_000, curve.peak());
        assertEquals(0, curve.reached(1));
    }

    @Test
    void shouldHaveThePointsOfThreeInEachDecade()
    {
        final StartCurve curve = new StartCurve(DURATION_NS);
        curve.add(5 * MS, 1, 5 * MS);
        curve.add(15 * MS, 3, MS);
        curve.add(3_999 * MS, 7, MS);
        curve.add(DURATION_NS, 7, MS);

        assertEquals(List.of(10L, 20L, 4_000L), List.copyOf(curve.points().keySet()));
        assertEquals(List.of(200.0, 3_000.0, 7_000.0), List.copyOf(curve.points().values()));
    }

    @Test
    void shouldHaveNoTimesWithoutCalls()
    {
        final StartCurve curve = new StartCurve(DURATION_NS);

        assertEquals(Double.NaN, curve.peak());
        assertEquals(-1, curve.reached(0.5));
    }

    @Test
    void shouldCountCallsThatLastLongerThanTheWindows()
    {
        final StartCurve curve = new StartCurve(DURATION_NS);
        for (int i = 1; i <= 8; i++)
        {
            curve.add(i * 500 * MS, 1, 500 * MS);
        }

        assertEquals(2, curve.start());
        assertEquals(2, curve.peak());
        assertEquals(310, curve.reached(1));
    }
}
