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

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

class FiguresTest
{
    @ParameterizedTest
    @CsvSource({ "99999, 99999", "100000, 100us", "9999499, 9999us", "9999500, 10ms", "9999499999, 9999ms",
        "9999500000, 10s", "-1, -" })
    void shouldWriteTimesInSixCharacters(final long ns, final String expected)
    {
        assertEquals(expected, Figures.time(ns));
    }

    @ParameterizedTest
    @CsvSource({ "0, 0", "24, 24", "0.004, 0.0040", "2.5, 2.5", "99.97, 100.0", "12345.6, 12346", "99999.4, 99999",
        "99999.5, 100k", "123456789, 123M", "99996000, 100M", "12345678, 12.35M" })
    void shouldWriteNumbersInSixCharacters(final double value, final String expected)
    {
        assertEquals(expected, Figures.number(value));
    }

    @ParameterizedTest
    @CsvSource({ "8, 8", "999999, 999999", "1048576, 1m", "1049600, 1025k", "102398976, 99999k", "104858624, 105M",
        "1000001, 1.00M" })
    void shouldWriteSizesInSixCharacters(final long bytes, final String expected)
    {
        assertEquals(expected, Figures.size(bytes));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0", "7, 7", "999, 999", "999.4, 999", "999.6, 1.00k", "1500, 1.50k", "9994, 9.99k", "9996, 10.0k",
        "12345, 12.3k", "99940, 99.9k", "99960, 100k", "123456, 123k",
        "67108864, 67.1M", "1e9, 1.00G", "1e18, 1000P"})
    void shouldWriteShortNumbersInFiveCharacters(final double value, final String text)
    {
        assertEquals(text, Figures.shortNumber(value));
    }

    @ParameterizedTest
    @CsvSource({ "0, 0 ns", "999.4, 999.40 ns", "1000, 1 µs", "1500000, 1.50 ms", "12e9, 12 s" })
    void shouldLabelTimes(final double ns, final String label)
    {
        assertEquals(label, Figures.timeLabel(ns));
    }

    @ParameterizedTest
    @CsvSource({ "0, 0 B", "8, 8 B", "1025, 1025 B", "4096, 4 KiB", "1048576, 1 MiB", "3298534883328, 3 TiB" })
    void shouldLabelSizes(final long bytes, final String label)
    {
        assertEquals(label, Figures.sizeLabel(bytes));
    }

    @Test
    void shouldLeaveOutNumbersThatJsonDoesNotHave()
    {
        assertEquals("1.3", Figures.decimal(1.25, 1).toString());
        assertEquals("100000000000", Figures.decimal(1e11, 0).toString());
        assertNull(Figures.decimal(Double.POSITIVE_INFINITY, 1));
        assertNull(Figures.decimal(Double.NaN, 3));
    }
}
