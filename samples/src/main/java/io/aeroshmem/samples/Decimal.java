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
package io.aeroshmem.samples;

/**
 * Parses and formats prices and amounts, which are integers in units of 1/10000. Unlike sums of {@code double}, their
 * sums do not depend on the order of addition. Each value fits a word, so atomic operations can update it.
 */
final class Decimal
{
    static final int DIGITS = 4;
    static final long ONE = 10_000;

    private static final int MAX_WHOLE_DIGITS = 12;

    private Decimal()
    {
    }

    /**
     * Parses a decimal number without a sign, with at most four nonzero digits after the point, and returns its value
     * times 10000.
     */
    static long parse(final String text)
    {
        final int point = text.indexOf('.');
        final String whole = point < 0 ? text : text.substring(0, point);
        final String fraction = point < 0 ? "" : text.substring(point + 1);
        if (whole.length() + fraction.length() == 0 || whole.length() > MAX_WHOLE_DIGITS)
        {
            throw malformed(text);
        }

        long value = 0;
        for (int i = 0; i < whole.length(); i++)
        {
            value = value * 10 + digit(text, whole.charAt(i));
        }

        for (int i = 0; i < Math.max(DIGITS, fraction.length()); i++)
        {
            final int digit = i < fraction.length() ? digit(text, fraction.charAt(i)) : 0;
            if (i < DIGITS)
            {
                value = value * 10 + digit;
            }
            else if (0 != digit)
            {
                throw malformed(text);
            }
        }

        return value;
    }

    /** Formats a value, times 10000, with two digits after the point, rounded half up. */
    static String format(final long value)
    {
        final long cents = Math.floorDiv(value + ONE / 200, ONE / 100);
        final long magnitude = Math.abs(cents);
        return (cents < 0 ? "-" : "") + magnitude / 100 + '.' + magnitude / 10 % 10 + magnitude % 10;
    }

    private static int digit(final String text, final char c)
    {
        if (c < '0' || c > '9')
        {
            throw malformed(text);
        }

        return c - '0';
    }

    private static IllegalArgumentException malformed(final String text)
    {
        return new IllegalArgumentException("number must be decimal without a sign, with at most " + DIGITS +
            " digits after the point: '" + text + "'");
    }
}
