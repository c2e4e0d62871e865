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
package io.aeroshmem.tools.plot;

import java.util.Locale;

/** Formatter of times, rates, sizes and names in plots. */
final class PlotText
{
    private static final double[] LIMITS = {1e9, 1e6, 1e3};
    private static final String[] UNITS = {" s", " ms", " µs"};
    private static final String[] SIZES = {" B", " KiB", " MiB", " GiB"};

    private PlotText()
    {
    }

    /** Returns a text for XML and HTML. */
    static String escape(final String text)
    {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
    }

    /** Returns a time with its unit. */
    static String time(final double ns)
    {
        for (int i = 0; i < LIMITS.length; i++)
        {
            if (ns >= LIMITS[i])
            {
                return number(ns / LIMITS[i]) + UNITS[i];
            }
        }

        return number(ns) + " ns";
    }

    /** Returns a number of megabytes per second with its unit. */
    static String rate(final double megabytes)
    {
        return megabytes >= 1000 ? number(megabytes / 1000) + " GB/s" : number(megabytes) + " MB/s";
    }

    /** Returns a number of bytes, in the largest unit up to GiB of which it is a multiple. */
    static String size(final long bytes)
    {
        for (int shift = 30; shift > 0; shift -= 10)
        {
            if (bytes >= 1L << shift && 0 == (bytes & (1L << shift) - 1))
            {
                return (bytes >> shift) + SIZES[shift / 10];
            }
        }

        return bytes + " B";
    }

    private static String number(final double value)
    {
        return String.format(Locale.ROOT, value == Math.rint(value) ? "%.0f" : "%.2f", value);
    }
}
