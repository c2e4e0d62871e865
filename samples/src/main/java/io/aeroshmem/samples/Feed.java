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

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * CSV file of {@link Fill fills} or of prices. The header of the file shows which of the two it holds. Columns are
 * identified by name. Unknown columns are skipped.
 * <pre>
 * fills:  symbol, side (buy or sell), quantity, price
 * prices: symbol, price (each line counts as one unit bought at this price)
 * </pre>
 * Instruments are numbered in the sorted order of their symbols. So all PEs that read the file derive the same numbers
 * without communication.
 */
final class Feed
{
    private static final String BYTE_ORDER_MARK = "\ufeff";

    private final Path file;
    private final int symbolColumn;
    private final int sideColumn;
    private final int quantityColumn;
    private final int priceColumn;
    private final String[] symbols;
    private final long lines;

    /** Reads the header and the symbols, and checks all lines, so that a wrong one is found before a job starts. */
    Feed(final Path file) throws IOException
    {
        this.file = file;
        if (Files.exists(file) && !Files.isRegularFile(file))
        {
            throw new IllegalArgumentException(file + " must be a regular file: it is read twice");
        }

        try (BufferedReader reader = Files.newBufferedReader(file))
        {
            final String first = reader.readLine();
            if (null == first)
            {
                throw new IllegalArgumentException(file + " must not be empty: the first line specifies the columns");
            }

            final String header = first.startsWith(BYTE_ORDER_MARK) ? first.substring(1) : first;
            final List<String> columns = Arrays.asList(header.toLowerCase(Locale.ROOT).trim().split("\\s*,\\s*"));
            symbolColumn = columns.indexOf("symbol");
            sideColumn = columns.indexOf("side");
            quantityColumn = columns.indexOf("quantity");
            priceColumn = columns.indexOf("price");
            if (symbolColumn < 0 || priceColumn < 0 || sideColumn < 0 != quantityColumn < 0)
            {
                throw new IllegalArgumentException(
                    file + ": columns must include symbol,side,quantity,price (fills) or symbol,price " +
                    "(prices): '" + header + "'");
            }

            final TreeSet<String> names = new TreeSet<>();
            final Fill fill = new Fill();
            long count = 0;
            for (String line = reader.readLine(); null != line; line = reader.readLine())
            {
                count++;
                if (!line.isBlank())
                {
                    parse(line, count, fill);
                    names.add(fill.symbol);
                }
            }

            symbols = names.toArray(new String[0]);
            lines = count;
        }
    }

    /** Returns the symbols of the instruments in the order of their numbers; not to be modified. */
    String[] symbols()
    {
        return symbols;
    }

    /** Returns the number of an instrument: the index of its symbol. */
    int instrument(final String symbol)
    {
        return Arrays.binarySearch(symbols, symbol);
    }

    /** Reads one share of the lines, which are consecutive; the action receives each fill in the same object. */
    void read(final int share, final int shares, final Consumer<Fill> action) throws IOException
    {
        final long from = lines * share / shares;
        final long to = lines * (share + 1) / shares;
        final Fill fill = new Fill();
        try (BufferedReader reader = Files.newBufferedReader(file))
        {
            reader.readLine();
            for (long i = 0; i < to; i++)
            {
                final String line = reader.readLine();
                if (i >= from && !line.isBlank())
                {
                    parse(line, i + 1, fill);
                    action.accept(fill);
                }
            }
        }
    }

    private void parse(final String line, final long number, final Fill fill)
    {
        try
        {
            fill.symbol = column(line, symbolColumn, number);
            fill.price = Decimal.parse(column(line, priceColumn, number));
            fill.quantity = sideColumn < 0 ? 1 :
                sign(column(line, sideColumn, number)) * quantity(column(line, quantityColumn, number));
        }
        catch (final IllegalArgumentException ex)
        {
            throw new IllegalArgumentException(file + ", line " + (number + 1) + ": " + ex.getMessage(), ex);
        }

        if (0 == fill.price)
        {
            throw new IllegalArgumentException(file + ", line " + (number + 1) + ": price must be > 0");
        }
    }

    private static long quantity(final String text)
    {
        final long scaled = Decimal.parse(text);
        if (0 == scaled || 0 != scaled % Decimal.ONE)
        {
            throw new IllegalArgumentException("quantity must be an integer > 0: '" + text + "'");
        }

        return scaled / Decimal.ONE;
    }

    private static int sign(final String side)
    {
        if ("buy".equalsIgnoreCase(side) || "b".equalsIgnoreCase(side))
        {
            return 1;
        }

        if ("sell".equalsIgnoreCase(side) || "s".equalsIgnoreCase(side))
        {
            return -1;
        }

        throw new IllegalArgumentException("side must be buy or sell: '" + side + "'");
    }

    private static String column(final String line, final int column, final long number)
    {
        int start = 0;
        for (int i = 0; i < column; i++)
        {
            start = line.indexOf(',', start) + 1;
            if (0 == start)
            {
                throw new IllegalArgumentException(
                    "line " + (number + 1) + " has " + (i + 1) + " columns: '" + line + "'");
            }
        }

        final int end = line.indexOf(',', start);
        return (end < 0 ? line.substring(start) : line.substring(start, end)).trim();
    }
}
