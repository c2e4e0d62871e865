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

import java.util.Locale;

/**
 * Final state of the ledger of {@link RiskLedger}, instrument by instrument. It contains only values that do not depend
 * on the order in which fills were booked, so that a parallel run and a sequential one agree to the last digit.
 */
final class Report
{
    /** Words of an instrument, in the order of memory. */
    static final int TRADES = 0;
    static final int POSITION = 1;
    static final int GROSS_QUANTITY = 2;
    static final int GROSS_VALUE = 3;
    static final int HIGH = 4;
    static final int LOW = 5;
    static final int LIMIT_LEFT = 6;
    static final int WORDS = 8;

    private static final String FORMAT = "%-8s %7s %10s %10s %14s %10s %10s %10s %12s%s%n";

    private final String[] symbols;
    private final long[][] rows;
    private final boolean[] isBreached;

    Report(final String[] symbols)
    {
        this.symbols = symbols;
        rows = new long[symbols.length][WORDS];
        isBreached = new boolean[symbols.length];
    }

    /** Returns the {@link #WORDS} words of an instrument, to be filled in. */
    long[] row(final int instrument)
    {
        return rows[instrument];
    }

    /** Marks an instrument as beyond its limit. */
    void breach(final int instrument)
    {
        isBreached[instrument] = true;
    }

    @Override
    public String toString()
    {
        final StringBuilder text = new StringBuilder(String.format(Locale.ROOT, FORMAT, "symbol", "trades",
            "position", "gross qty", "gross value", "average", "low", "high", "limit left", ""));
        long trades = 0;
        long value = 0;
        int breaches = 0;
        for (int i = 0; i < symbols.length; i++)
        {
            final long[] row = rows[i];
            text.append(String.format(Locale.ROOT, FORMAT, symbols[i], row[TRADES], row[POSITION], row[GROSS_QUANTITY],
                Decimal.format(row[GROSS_VALUE]), Decimal.format(row[GROSS_VALUE] / Math.max(1, row[GROSS_QUANTITY])),
                Decimal.format(row[LOW]), Decimal.format(row[HIGH]), Decimal.format(row[LIMIT_LEFT]),
                isBreached[i] ? " BREACHED" : ""));
            trades += row[TRADES];
            value = Math.addExact(value, row[GROSS_VALUE]);
            breaches += isBreached[i] ? 1 : 0;
        }

        return text.append(String.format(Locale.ROOT, "%d instruments, %d trades, gross value %s, %d limits breached%n",
            symbols.length, trades, Decimal.format(value), breaches)).toString();
    }
}
