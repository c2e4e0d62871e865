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
package io.aeroshmem.tools.topology;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/** Parses and formats lists of processors in the notation of Linux, such as {@code 0-3,8,10-11}. */
public final class CpuList
{
    private static final int MOST_CPUS = 1 << 16;

    private CpuList()
    {
    }

    /**
     * Parses a list; a blank one is empty.
     *
     * @throws NumberFormatException if it is malformed.
     */
    public static List<Integer> parse(final String text)
    {
        final List<Integer> cpus = new ArrayList<>();
        for (final String range : text.isBlank() ? new String[0] : text.strip().split(","))
        {
            final int dash = range.indexOf('-');
            final int first = Integer.parseInt(dash < 0 ? range : range.substring(0, dash));
            final int last = Integer.parseInt(dash < 0 ? range : range.substring(dash + 1));
            if (last - first > MOST_CPUS)
            {
                throw new NumberFormatException("too many processors: " + text);
            }

            for (int cpu = first; cpu <= last; cpu++)
            {
                cpus.add(cpu);
            }
        }

        return cpus;
    }

    /** Returns a list as text, in ascending order; empty for none. */
    public static String format(final Collection<Integer> cpus)
    {
        final StringBuilder text = new StringBuilder();
        int first = -1;
        int last = -1;
        for (final int cpu : new TreeSet<>(cpus))
        {
            if (first >= 0 && cpu == last + 1)
            {
                last = cpu;
                continue;
            }

            append(text, first, last);
            first = cpu;
            last = cpu;
        }

        append(text, first, last);
        return text.toString();
    }

    private static void append(final StringBuilder text, final int first, final int last)
    {
        if (first >= 0)
        {
            text.append(text.isEmpty() ? "" : ",").append(first).append(first == last ? "" : "-" + last);
        }
    }
}
