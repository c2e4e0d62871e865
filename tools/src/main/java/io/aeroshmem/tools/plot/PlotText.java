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

/** Texts in plots. */
final class PlotText
{
    private static final double[] LIMITS = {1e9, 1e6, 1e3};
    private static final String[] UNITS = {" s", " ms", " µs"};

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

    private static String number(final double value)
    {
        return String.format(Locale.ROOT, value == Math.rint(value) ? "%.0f" : "%.2f", value);
    }
}
