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

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.RetainedCell;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/**
 * Ledger that outlives its PEs: whichever PE is killed at whatever moment, the job goes on with the next generation,
 * and each fill is booked once.
 * <p>
 * Each PE sums up its own fills in retained memory, in a {@link RetainedCell} for each instrument. One write of the
 * cell books a fill: all words of a row change at once, or none does. The number of trades in a row says which fills of
 * the instrument are booked. So in each generation a PE reads its share of the feed from the beginning, and skips the
 * first fills of each instrument, as many as the row counts. At the end PE 0 adds up the rows of all PEs.
 */
final class RetainedLedger
{
    private static final int REPORT_PE = 0;
    private static final int ROW_BYTES = Report.WORDS * Long.BYTES;

    private final Shmem shmem;
    private final CommunicationContext ctx;
    private final Feed feed;
    private final long limit;
    private final long paceNs;
    private final RetainedCell[] cells;
    private final UnsafeBuffer row = new UnsafeBuffer(new byte[ROW_BYTES]);
    private final long[] read;

    /**
     * Finds the ledger of the generation before, or makes one; called by every PE. {@code limit}, in 1/10000, is on the
     * gross value of an instrument; {@code paceNs} is the time between two fills of the feed.
     */
    RetainedLedger(final Shmem shmem, final Feed feed, final long limit, final long paceNs)
    {
        this.shmem = shmem;
        this.ctx = shmem.defaultContext();
        this.feed = feed;
        this.limit = limit;
        this.paceNs = paceNs;
        final int instruments = Math.max(1, feed.symbols().length);
        final long cellBytes = RetainedCell.requiredBytes(ROW_BYTES);
        final SymmetricBuffer memory = shmem.retain("ledger", instruments * cellBytes);
        cells = new RetainedCell[instruments];
        for (int i = 0; i < instruments; i++)
        {
            cells[i] = new RetainedCell(memory, i * cellBytes, ROW_BYTES);
        }

        read = new long[instruments];
    }

    /** Books this PE's share of the feed; called by every PE. Returns the final state on PE 0, null elsewhere. */
    Report run() throws IOException
    {
        if (shmem.generation().number() > 0)
        {
            System.out.println("PE " + shmem.myPe() + ": generation " + shmem.generation().number() +
                " goes on after " + booked() + " fills");
        }

        feed.read(shmem.myPe(), shmem.nPes(), this::book);
        final SymmetricBuffer rows = shmem.calloc(cells.length, ROW_BYTES);
        for (int i = 0; i < cells.length; i++)
        {
            cells[i].read(row, 0);
            rows.putBytes((long)i * ROW_BYTES, row.byteArray(), 0, 0 == cells[i].epoch() ? 0 : ROW_BYTES);
        }

        shmem.barrierAll();
        final Report report = REPORT_PE == shmem.myPe() ? report(rows) : null;
        shmem.barrierAll();
        return report;
    }

    private long booked()
    {
        long booked = 0;
        for (final RetainedCell cell : cells)
        {
            booked += 0 == cell.read(row, 0) ? 0 : get(Report.TRADES);
        }

        return booked;
    }

    private void book(final Fill fill)
    {
        final int instrument = feed.instrument(fill.symbol);
        final RetainedCell cell = cells[instrument];
        if (0 == cell.read(row, 0))
        {
            row.setMemory(0, ROW_BYTES, (byte)0);
        }

        if (read[instrument]++ < get(Report.TRADES))
        {
            return;
        }

        add(Report.TRADES, 1);
        add(Report.POSITION, fill.quantity);
        add(Report.GROSS_QUANTITY, fill.grossQuantity());
        add(Report.GROSS_VALUE, fill.grossValue());
        put(Report.HIGH, Math.max(get(Report.HIGH), fill.price));
        put(Report.LOW, lower(get(Report.LOW), fill.price));
        cell.write(row, 0);
        LockSupport.parkNanos(paceNs);
    }

    private Report report(final SymmetricBuffer rows)
    {
        final Report report = new Report(feed.symbols());
        final long[] words = new long[cells.length * Report.WORDS];
        for (int pe = 0; pe < shmem.nPes(); pe++)
        {
            ctx.get(words, 0, rows, 0, words.length, pe);
            for (int instrument = 0; instrument < feed.symbols().length; instrument++)
            {
                add(report.row(instrument), words, instrument * Report.WORDS);
            }
        }

        for (int instrument = 0; instrument < feed.symbols().length; instrument++)
        {
            final long[] total = report.row(instrument);
            total[Report.LIMIT_LEFT] = limit - total[Report.GROSS_VALUE];
            if (total[Report.LIMIT_LEFT] < 0)
            {
                report.breach(instrument);
            }
        }

        return report;
    }

    private static void add(final long[] total, final long[] words, final int from)
    {
        total[Report.TRADES] += words[from + Report.TRADES];
        total[Report.POSITION] += words[from + Report.POSITION];
        total[Report.GROSS_QUANTITY] += words[from + Report.GROSS_QUANTITY];
        total[Report.GROSS_VALUE] = Math.addExact(total[Report.GROSS_VALUE], words[from + Report.GROSS_VALUE]);
        total[Report.HIGH] = Math.max(total[Report.HIGH], words[from + Report.HIGH]);
        total[Report.LOW] = lower(total[Report.LOW], words[from + Report.LOW]);
    }

    /** Returns the lower price, where 0 is none. */
    private static long lower(final long one, final long other)
    {
        return 0 == one || 0 != other && other < one ? other : one;
    }

    private long get(final int word)
    {
        return row.getLong(word * Long.BYTES);
    }

    private void put(final int word, final long value)
    {
        row.putLong(word * Long.BYTES, value);
    }

    private void add(final int word, final long value)
    {
        put(word, Math.addExact(get(word), value));
    }
}
