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

import java.io.IOException;

/** Ledger on one thread with ordinary variables: the reference for {@link SharedLedger} and {@link DeviceLedger}. */
final class SequentialLedger
{
    private SequentialLedger()
    {
    }

    /**
     * Books a whole feed and returns the final state; {@code limit}, in 1/10000, is on the gross value of an
     * instrument.
     */
    static Report run(final Feed feed, final long limit) throws IOException
    {
        final Report report = new Report(feed.symbols());
        for (int instrument = 0; instrument < feed.symbols().length; instrument++)
        {
            report.row(instrument)[Report.LIMIT_LEFT] = limit;
        }

        feed.read(0, 1, (fill) ->
        {
            final long[] row = report.row(feed.instrument(fill.symbol));
            row[Report.TRADES]++;
            row[Report.POSITION] += fill.quantity;
            row[Report.GROSS_QUANTITY] += fill.grossQuantity();
            row[Report.GROSS_VALUE] = Math.addExact(row[Report.GROSS_VALUE], fill.grossValue());
            row[Report.HIGH] = Math.max(row[Report.HIGH], fill.price);
            row[Report.LOW] = 0 == row[Report.LOW] ? fill.price : Math.min(row[Report.LOW], fill.price);
            row[Report.LIMIT_LEFT] -= fill.grossValue();
            if (row[Report.LIMIT_LEFT] < 0)
            {
                report.breach(feed.instrument(fill.symbol));
            }
        });
        return report;
    }
}
