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

import java.util.Locale;

/** Formats the numbers of a table, each in at most 6 characters. */
final class TableText
{
    private static final long[] TIME_LIMITS = {9_999_500_000L, 9_999_500, 100_000};
    private static final double[] TIME_UNITS = {1e9, 1e6, 1e3};
    private static final String[] TIME_NAMES = {"s", "ms", "us"};
    private static final double[] UNITS = {1e12, 1e9, 1e6, 1e3};
    private static final String[] NAMES = {"T", "G", "M", "k"};
    private static final double PLAIN = 99_999.5;

    private TableText()
    {
    }

    /** Returns nanoseconds, or a greater unit with its name; a dash for {@link LatencyRow#NONE}. */
    static String time(final long ns)
    {
        if (LatencyRow.NONE == ns)
        {
            return "-";
        }

        for (int i = 0; i < TIME_LIMITS.length; i++)
        {
            if (ns >= TIME_LIMITS[i])
            {
                return Math.round(ns / TIME_UNITS[i]) + TIME_NAMES[i];
            }
        }

        return Long.toString(ns);
    }

    /** Returns a number of bytes. From a million on, whole MiB, and less than 100 000 KiB, have that unit. */
    static String size(final long bytes)
    {
        if (bytes < 1_000_000)
        {
            return Long.toString(bytes);
        }

        if (0 == bytes % (1 << 20))
        {
            return (bytes >> 20) + "m";
        }

        return 0 == bytes % (1 << 10) && bytes >> 10 < 100_000 ? (bytes >> 10) + "k" : number(bytes);
    }

    /** Returns a number that is not negative, with thousands or more as a decimal unit if it is large. */
    static String number(final double value)
    {
        if (value < 100)
        {
            return value == Math.rint(value) ? Long.toString(Math.round(value)) :
                String.format(Locale.ROOT, value < 0.1 ? "%.4f" : "%.1f", value);
        }

        if (value < PLAIN)
        {
            return Long.toString(Math.round(value));
        }

        for (int i = 0; i < UNITS.length; i++)
        {
            if (value >= UNITS[i])
            {
                final double part = value / UNITS[i];
                return String.format(Locale.ROOT, part < 99.995 ? "%.2f" : "%.0f", part) + NAMES[i];
            }
        }

        return Long.toString(Math.round(value));
    }
}
