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
package io.aeroshmem.tools.format;

import io.aeroshmem.config.PropertyParser;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;

/** Formats times, sizes and numbers: in at most 6 characters for a column of a table, and as labels of a plot. */
public final class Figures
{
    /** A value that is not known, in a table. */
    public static final String NONE = "-";

    private static final int LENGTH = 6;
    private static final int DIGITS = 5;
    private static final int FEW_DIGITS = 3;
    private static final double THOUSAND = 1000;
    private static final String[] TIMES = {"", "us", "ms", "s"};
    private static final String[] TIME_LABELS = {" ns", " µs", " ms", " s"};
    private static final String[] NUMBERS = {"", "k", "M", "G", "T", "P"};

    private Figures()
    {
    }

    /** Returns nanoseconds, or a greater unit with its name; a dash for a negative time. */
    public static String time(final long ns)
    {
        final int unit = ns < 100_000 ? 0 : ns < 9_999_500 ? 1 : ns < 9_999_500_000L ? 2 : 3;
        return ns < 0 ? NONE : Math.round(ns / Math.pow(THOUSAND, unit)) + TIMES[unit];
    }

    /** Returns milliseconds as seconds, 0 for a negative time. */
    public static String seconds(final long ms)
    {
        return fixed(Math.max(0, ms) / THOUSAND, 1) + "s";
    }

    /** Returns a number of bytes: below a million as it is, else in a binary unit if it fits, else in a decimal one. */
    public static String size(final long bytes)
    {
        final String size = bytes < 1_000_000 ? Long.toString(bytes) : PropertyParser.formatSize(bytes);
        return size.length() <= LENGTH ? size : number(bytes);
    }

    /** Returns a number that is not negative: below 100 with a fraction, above 99 999 with a decimal unit. */
    public static String number(final double value)
    {
        return value >= 100 || value == Math.rint(value) ? number(value, DIGITS) : fixed(value, value < 0.1 ? 4 : 1);
    }

    /** Returns a number that is not negative in at most 5 characters: above 999 with a decimal unit. */
    public static String shortNumber(final double value)
    {
        return number(value, FEW_DIGITS);
    }

    private static String number(final double value, final int digits)
    {
        if (value < Math.pow(10, digits) - 0.5)
        {
            return fixed(value, 0);
        }

        int unit = 0;
        double scaled = value;
        while (scaled >= THOUSAND - 0.5 && unit < NUMBERS.length - 1)
        {
            scaled /= THOUSAND;
            unit++;
        }

        return fixed(scaled, scaled >= 99.95 ? 0 : scaled >= 9.995 && FEW_DIGITS == digits ? 1 : 2) + NUMBERS[unit];
    }

    /** Returns a ratio; a dash for NaN. */
    public static String ratio(final double ratio)
    {
        return Double.isNaN(ratio) ? NONE : fixed(ratio, 2);
    }

    /** Returns a number with decimals for CSV and JSON, null if it is not finite. */
    public static BigDecimal decimal(final double value, final int decimals)
    {
        return Double.isFinite(value) ? BigDecimal.valueOf(value).setScale(decimals, RoundingMode.HALF_UP) : null;
    }

    /** Returns the label of a time, with its unit. */
    public static String timeLabel(final double ns)
    {
        final int unit = ns < 1e3 ? 0 : ns < 1e6 ? 1 : ns < 1e9 ? 2 : 3;
        return label(ns / Math.pow(THOUSAND, unit)) + TIME_LABELS[unit];
    }

    /** Returns the label of a number of megabytes per second, with its unit. */
    public static String rateLabel(final double megabytes)
    {
        return megabytes < THOUSAND ? label(megabytes) + " MB/s" : label(megabytes / THOUSAND) + " GB/s";
    }

    /** Returns the label of a number of bytes, in the largest binary unit that divides it. */
    public static String sizeLabel(final long bytes)
    {
        final String size = PropertyParser.formatSize(bytes);
        final int last = size.length() - 1;
        return Character.isDigit(size.charAt(last)) ? size + " B" :
            size.substring(0, last) + " " + Character.toUpperCase(size.charAt(last)) + "iB";
    }

    private static String label(final double value)
    {
        return fixed(value, value == Math.rint(value) ? 0 : 2);
    }

    private static String fixed(final double value, final int decimals)
    {
        return String.format(Locale.ROOT, "%." + decimals + "f", value);
    }
}
