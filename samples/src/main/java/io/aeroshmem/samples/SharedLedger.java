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
import io.aeroshmem.Comparison;
import io.aeroshmem.Shmem;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;

import java.io.IOException;

/**
 * Ledger in symmetric memory. Each instrument has a row of words (see {@link Report}). The row of instrument i is on PE
 * i modulo the number of PEs. Any PE books a fill by atomic operations on the row, without any action of the PE that
 * holds the row.
 * <p>
 * An instrument's remaining limit only decreases, so exactly one PE observes it fall below zero, in whatever order the
 * PEs draw on it. That PE puts the number of the instrument into a mailbox on PE 0 by a put with signal, and the signal
 * increments the count of alarms. So PE 0 sees the number when it sees the count.
 */
final class SharedLedger
{
    private static final int RISK_PE = 0;
    private static final int ROW_BYTES = Report.WORDS * Long.BYTES;

    private final Shmem shmem;
    private final CommunicationContext ctx;
    private final Feed feed;
    private final SymmetricBuffer rows;
    private final SymmetricBuffer mailbox;
    private final SymmetricBuffer mailboxTail;
    private final SymmetricBuffer alarms;
    private final SymmetricBuffer outgoing;

    /** Allocates the ledger; called by every PE. {@code limit}, in 1/10000, is on the gross value of an instrument. */
    SharedLedger(final Shmem shmem, final Feed feed, final long limit)
    {
        this.shmem = shmem;
        this.ctx = shmem.defaultContext();
        this.feed = feed;
        final int instruments = Math.max(1, feed.symbols().length);
        final int rowsPerPe = (instruments + shmem.nPes() - 1) / shmem.nPes();
        rows = shmem.calloc(rowsPerPe, ROW_BYTES);
        mailbox = shmem.calloc(instruments, Long.BYTES);
        mailboxTail = shmem.calloc(1, Long.BYTES);
        alarms = shmem.calloc(1, Long.BYTES);
        outgoing = shmem.calloc(1, Long.BYTES);
        for (int row = 0; row < rowsPerPe; row++)
        {
            rows.putLong((long)row * ROW_BYTES + (long)Report.LIMIT_LEFT * Long.BYTES, limit);
        }

        shmem.barrierAll();
    }

    /** Books this PE's share of the feed; called by every PE. Returns the final state on PE 0, null elsewhere. */
    Report run() throws IOException
    {
        feed.read(shmem.myPe(), shmem.nPes(), this::book);
        shmem.barrierAll();
        final Report report = RISK_PE == shmem.myPe() ? report() : null;
        shmem.barrierAll();
        return report;
    }

    private void book(final Fill fill)
    {
        final int instrument = feed.instrument(fill.symbol);
        final int owner = owner(instrument);
        ctx.atomicIncLong(rows, word(instrument, Report.TRADES), owner);
        ctx.atomicAddLong(rows, word(instrument, Report.POSITION), fill.quantity, owner);
        ctx.atomicAddLong(rows, word(instrument, Report.GROSS_QUANTITY), fill.grossQuantity(), owner);
        raiseHigh(fill.price, word(instrument, Report.HIGH), owner);
        lowerLow(fill.price, word(instrument, Report.LOW), owner);
        final long value = fill.grossValue();
        ctx.atomicAddLong(rows, word(instrument, Report.GROSS_VALUE), value, owner);
        final long left = ctx.atomicFetchAddLong(rows, word(instrument, Report.LIMIT_LEFT), -value, owner);
        if (left >= 0 && left < value)
        {
            alarm(instrument);
        }
    }

    private void raiseHigh(final long price, final long offset, final int owner)
    {
        long high = ctx.atomicFetchLong(rows, offset, owner);
        while (price > high)
        {
            final long found = ctx.atomicCompareSwapLong(rows, offset, high, price, owner);
            if (found == high)
            {
                return;
            }

            high = found;
        }
    }

    private void lowerLow(final long price, final long offset, final int owner)
    {
        long low = ctx.atomicFetchLong(rows, offset, owner);
        while (0 == low || price < low)
        {
            final long found = ctx.atomicCompareSwapLong(rows, offset, low, price, owner);
            if (found == low)
            {
                return;
            }

            low = found;
        }
    }

    private void alarm(final int instrument)
    {
        final long slot = ctx.atomicFetchIncLong(mailboxTail, 0, RISK_PE);
        outgoing.putLong(0, instrument);
        ctx.putSignal(mailbox, slot * Long.BYTES, outgoing, 0, Long.BYTES, alarms, 0, 1, SignalOp.ADD, RISK_PE);
    }

    private Report report()
    {
        final Report report = new Report(feed.symbols());
        final long raised = mailboxTail.getLong(0);
        shmem.signalWaitUntil(alarms, 0, Comparison.EQ, raised);
        for (long i = 0; i < raised; i++)
        {
            report.breach((int)mailbox.getLong(i * Long.BYTES));
        }

        for (int instrument = 0; instrument < feed.symbols().length; instrument++)
        {
            final long[] row = report.row(instrument);
            for (int i = 0; i < row.length; i++)
            {
                row[i] = ctx.getLong(rows, word(instrument, i), owner(instrument));
            }
        }

        return report;
    }

    private int owner(final int instrument)
    {
        return instrument % shmem.nPes();
    }

    private long word(final int instrument, final int field)
    {
        return (long)(instrument / shmem.nPes()) * ROW_BYTES + (long)field * Long.BYTES;
    }
}
