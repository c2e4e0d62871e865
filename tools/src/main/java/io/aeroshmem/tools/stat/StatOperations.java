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
package io.aeroshmem.tools.stat;

import io.aeroshmem.transport.job.JobView;
import io.aeroshmem.transport.job.PeCounter;

import java.io.PrintWriter;
import java.util.List;

/**
 * Writes one table for each job, at most 80 characters wide. The table has a row for each PE, with two groups of
 * columns:
 * <ul>
 * <li>rates: the operations of each kind, the bytes sent and the bytes received;</li>
 * <li>counts: back pressure, full submission rings, waits for reply slots, malformed or rejected frames, errors.</li>
 * </ul>
 * A PE that records operations has a second row, with the operations that it has issued itself.
 */
public final class StatOperations implements StatWriter
{
    private static final String FORMAT = "%4s %5s %5s %5s %5s %6s %6s %6s %5s %5s %5s %5s %5s%n";
    private static final String ISSUED_FORMAT = "%4s %5s %5s %5s %5s issued %6s put %6s got%n";
    private static final List<PeCounter> ISSUED = List.of(
        PeCounter.PUTS_ISSUED, PeCounter.GETS_ISSUED, PeCounter.ATOMICS_ISSUED, PeCounter.SIGNALS_ISSUED);

    @Override
    public void write(
        final PrintWriter output, final List<JobView.Snapshot> jobs, final List<JobView.Snapshot> earlier)
    {
        for (final JobView.Snapshot job : jobs)
        {
            StatTable.writeHeading(output, job);
            output.printf(FORMAT, "PE", "put/s", "get/s", "amo/s", "sig/s", "coll/s", "sent/s", "recv/s", "bpres",
                "ring", "reply", "frame", "error");
            for (int pe = 0; pe < job.pes().size(); pe++)
            {
                write(output, job.pes().get(pe), new PeRates(job, earlier, pe));
            }

            output.println();
        }
    }

    private static void write(final PrintWriter output, final JobView.Pe pe, final PeRates rates)
    {
        output.printf(
            FORMAT,
            pe.pe(),
            rates.rate(PeCounter.PUTS),
            rates.rate(PeCounter.GETS),
            rates.rate(PeCounter.ATOMICS),
            rates.rate(PeCounter.SIGNALS),
            rates.rate(PeCounter.COLLECTIVES),
            rates.rate(PeCounter.BYTES_SENT),
            rates.rate(PeCounter.BYTES_RECEIVED),
            rates.count(PeCounter.BACK_PRESSURE),
            rates.count(PeCounter.RING_FULL),
            rates.count(PeCounter.REPLY_SLOT_WAITS),
            rates.count(PeCounter.MALFORMED_FRAMES, PeCounter.REJECTED_FRAMES),
            rates.count(PeCounter.ERRORS));
        if (ISSUED.stream().anyMatch((counter) -> 0 != pe.counter(counter)))
        {
            output.printf(
                ISSUED_FORMAT,
                "",
                rates.rate(PeCounter.PUTS_ISSUED),
                rates.rate(PeCounter.GETS_ISSUED),
                rates.rate(PeCounter.ATOMICS_ISSUED),
                rates.rate(PeCounter.SIGNALS_ISSUED),
                rates.rate(PeCounter.BYTES_PUT),
                rates.rate(PeCounter.BYTES_GOT));
        }
    }
}
