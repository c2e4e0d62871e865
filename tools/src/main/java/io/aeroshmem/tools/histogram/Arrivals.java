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
package io.aeroshmem.tools.histogram;

import io.aeroshmem.tools.format.Figures;
import org.HdrHistogram.Histogram;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Report on the PE that comes last to a collective. The recorded time of a call includes the time that an early PE
 * waits for the others. So the PE with the shortest median time waits least, and comes last. The skew is the difference
 * between the longest and the shortest median.
 */
public final class Arrivals
{
    private static final double MEDIAN = 50;
    private static final Set<HistogramKey.Part> CALL =
        Set.of(HistogramKey.Part.TEAM, HistogramKey.Part.COLLECTIVE, HistogramKey.Part.SIZE);

    private Arrivals()
    {
    }

    private record Member(String pe, long median)
    {
    }

    /** Prints a line for each collective that several PEs have recorded; returns their number. */
    public static int print(final PrintWriter output, final Map<HistogramKey, Histogram> histograms)
    {
        final Map<HistogramKey, List<Member>> calls = new LinkedHashMap<>();
        histograms.forEach((key, histogram) -> calls.computeIfAbsent(key.of(CALL), (unused) -> new ArrayList<>())
            .add(new Member(key.pe(), histogram.getValueAtPercentile(MEDIAN))));
        calls.values().removeIf((members) -> members.size() < 2);
        calls.forEach((call, members) ->
        {
            members.sort(Comparator.comparingLong(Member::median));
            final Member last = members.get(0);
            final Member first = members.get(members.size() - 1);
            output.println(call + ": PE " + last.pe + " comes last (p50 " + Figures.time(last.median) +
                "), PE " + first.pe + " first (p50 " + Figures.time(first.median) + "), skew " +
                Figures.time(first.median - last.median));
        });
        return calls.size();
    }
}
