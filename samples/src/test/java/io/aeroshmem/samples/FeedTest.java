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

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class FeedTest
{
    @TempDir
    private Path directory;

    @Test
    void shouldReadFills() throws IOException
    {
        final Feed feed = feed(" Time, account,symbol , side,quantity,price\n1,A,ZINC,buy,10,1.5\n2,B,IRON,SELL,3,2\n");

        assertArrayEquals(new String[]{ "IRON", "ZINC" }, feed.symbols());
        assertEquals(1, feed.instrument("ZINC"));
        assertEquals(List.of("ZINC 10 15000", "IRON -3 20000"), read(feed, 0, 1));
    }

    @Test
    void shouldReadPricesAsUnitsBought() throws IOException
    {
        final Feed feed = feed("symbol,date,price\nMSFT,Jan 1 2000,39.81\nMSFT,Feb 1 2000,36.35\n");

        assertEquals(List.of("MSFT 1 398100", "MSFT 1 363500"), read(feed, 0, 1));
    }

    /** As spreadsheets write it. */
    @Test
    void shouldReadAByteOrderMarkAndOtherEndsOfLines() throws IOException
    {
        final Feed feed = feed("\ufeffsymbol,price\r\nA,1\r\n\r\n  \r\n");

        assertArrayEquals(new String[]{ "A" }, feed.symbols());
        assertEquals(List.of("A 1 10000"), read(feed, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> new Feed(Path.of("/dev/zero")));
    }

    @Test
    void shouldAssignEachLineToOneShare() throws IOException
    {
        final StringBuilder text = new StringBuilder("symbol,price\n");
        for (int i = 1; i <= 23; i++)
        {
            text.append("S,").append(i).append('\n');
        }

        final Feed feed = feed(text.toString());
        for (int shares = 1; shares <= 30; shares++)
        {
            final List<String> all = new ArrayList<>();
            for (int share = 0; share < shares; share++)
            {
                all.addAll(read(feed, share, shares));
            }

            assertEquals(read(feed, 0, 1), all);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value =
        {
            "symbol,side,quantity,price;A,hold,1,1 | line 2: side must be buy or sell: 'hold'",
            "symbol,side,quantity,price;A,buy,1,1;A,buy,1.5,1 | line 3: quantity must be an integer > 0: '1.5'",
            "symbol,side,quantity,price;A,buy,0,1 | line 2: quantity must be an integer > 0: '0'",
            "symbol,price;A,-1 | line 2: number must be decimal without a sign, with",
            "symbol,price;A,0 | line 2: price must be > 0",
            "symbol,price;A | line 2",
            "symbol,quantity,price;A,1,1 | columns must include",
            "name,price;A,1 | columns must include",
        })
    void shouldReportTheMalformedLine(final String lines, final String expected)
    {
        final String message = assertThrows(
            IllegalArgumentException.class, () -> read(feed(lines.replace(';', '\n')), 0, 1)).getMessage();

        assertTrue(message.contains(expected), message);
    }

    @Test
    void shouldCalculateInTenThousandths()
    {
        assertEquals(398_100, Decimal.parse("39.81"));
        assertEquals(10_000, Decimal.parse("1.00000"));
        assertEquals(1, Decimal.parse(".0001"));
        assertEquals(0, Decimal.parse("0"));
        assertThrows(IllegalArgumentException.class, () -> Decimal.parse("0.00001"));
        assertThrows(IllegalArgumentException.class, () -> Decimal.parse("."));
        assertThrows(IllegalArgumentException.class, () -> Decimal.parse("1e3"));
        assertEquals("39.81", Decimal.format(398_100));
        assertEquals("0.01", Decimal.format(50));
        assertEquals("-0.50", Decimal.format(-5_000));
        assertEquals("-1234.57", Decimal.format(-12_345_678));
    }

    private Feed feed(final String text) throws IOException
    {
        return new Feed(Files.writeString(directory.resolve("feed.csv"), text));
    }

    private static List<String> read(final Feed feed, final int share, final int shares) throws IOException
    {
        final List<String> fills = new ArrayList<>();
        feed.read(share, shares, (fill) -> fills.add(fill.symbol + ' ' + fill.quantity + ' ' + fill.price));
        return fills;
    }
}
