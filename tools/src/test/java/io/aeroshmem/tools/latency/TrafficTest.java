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

import io.aeroshmem.tools.exit.CommandException;
import io.aeroshmem.tools.latency.Traffic.Pattern;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class TrafficTest
{
    private static final int PES = 4;

    private static List<List<Integer>> targets(final Pattern pattern)
    {
        return targets(new Traffic(pattern, List.of(), 0, 1, false));
    }

    private static List<List<Integer>> targets(final Traffic traffic)
    {
        traffic.validate(PES);
        return IntStream.range(0, PES).mapToObj((pe) -> traffic.targets(pe, PES)).toList();
    }

    @Test
    void shouldNameTheTargetsOfEachPe()
    {
        assertEquals(List.of(List.of(1), List.of(2), List.of(3), List.of(0)), targets(Pattern.NEXT));
        assertEquals(List.of(List.of(2), List.of(3), List.of(), List.of()), targets(Pattern.PAIRS));
        assertEquals(List.of(List.of(), List.of(0), List.of(0), List.of(0)), targets(Pattern.INCAST));
        assertEquals(List.of(List.of(1, 2, 3), List.of(), List.of(), List.of()), targets(Pattern.OUTCAST));
        assertEquals(
            List.of(List.of(1, 2, 3), List.of(2, 3, 0), List.of(3, 0, 1), List.of(0, 1, 2)), targets(Pattern.ALL));
        assertEquals(List.of(List.of(1), List.of(), List.of(), List.of()), targets((Pattern)null));
    }

    @Test
    void shouldCallEachPeOnceAtRandom()
    {
        final List<Integer> targets = targets(Pattern.RANDOM).stream().map((pes) -> pes.get(0)).toList();

        assertEquals(List.of(0, 1, 2, 3), targets.stream().sorted().toList());
        IntStream.range(0, PES).forEach((pe) -> assertTrue(pe != targets.get(pe), targets::toString));
    }

    @Test
    void shouldCallInTheSharesOfAMatrix()
    {
        final Traffic traffic = new Traffic(
            Pattern.MATRIX,
            Traffic.parseWeights("m", List.of("0,1 3,0", "", "0 0 0 0", "1,0,0,0", " 0, 0, 0, 2 ")),
            0,
            2,
            false);

        assertEquals(List.of(List.of(1, 2, 2, 2), List.of(), List.of(0), List.of(3, 3)), targets(traffic));
        assertEquals(3, traffic.callers(PES));
        assertEquals(traffic, Traffic.parse(traffic.toString()));
        assertThrows(CommandException.class, () -> traffic.validate(3));
        assertThrows(CommandException.class, () -> Traffic.parseWeights("m", List.of("0,-1")));
        assertThrows(CommandException.class, () -> Traffic.parseWeights("m", List.of("0,x")));
    }

    @Test
    void shouldCompleteAWindowByAQuiet()
    {
        final Traffic all = new Traffic(Pattern.ALL, List.of(), 0, 1, false);
        assertEquals(1000, all.window(1, 1000));
        assertEquals(64, all.window(3, 1000));
        assertEquals(10, all.window(3, 10));
        assertEquals(16, new Traffic(null, List.of(), 16, 1, false).window(3, 1000));
    }
}
