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
package io.aeroshmem.tools.latency;

import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;

/**
 * Transfer of the figures of a measurement to PE 0, which prints them. The figures are the row of the PE that has timed
 * the calls, and the {@link JvmCosts} of all PEs. A barrier orders the puts before the reads by PE 0. Another barrier
 * orders these reads before the puts of the next measurement.
 */
final class FigureExchange
{
    private static final int ROW_WORDS = 9;
    private static final int COST_WORDS = 3;

    private final Shmem shmem;
    private final SymmetricBuffer words;

    /** Allocates the memory; called by every PE. */
    FigureExchange(final Shmem shmem)
    {
        this.shmem = shmem;
        words = shmem.calloc(ROW_WORDS + (long)COST_WORDS * shmem.nPes(), Long.BYTES);
    }

    /** Puts the costs of this PE. */
    void put(final JvmCosts costs)
    {
        put(
            ROW_WORDS + COST_WORDS * shmem.myPe(),
            new long[]{costs.allocatedBytes(), costs.collections(), costs.pauseMs()});
    }

    /** Puts the figures of a row. */
    void put(final LatencyRow row)
    {
        put(0, new long[]{row.samples(), row.minNs(), row.p50Ns(), row.p90Ns(), row.p99Ns(), row.p999Ns(), row.maxNs(),
            Double.doubleToRawLongBits(row.meanNs()), Double.doubleToRawLongBits(row.opsPerSecond())});
    }

    private void put(final int first, final long[] values)
    {
        for (int i = 0; i < values.length; i++)
        {
            shmem.defaultContext().putLong(words, (first + i) * (long)Long.BYTES, values[i], 0);
        }
    }

    /** Returns the row that a PE has put, with the highest costs of all PEs; called by PE 0 after the barrier. */
    LatencyRow row(
        final String operation, final String transport, final long bytes, final long rate, final PePair pairOrNull)
    {
        JvmCosts costs = JvmCosts.NONE;
        for (int pe = 0; pe < shmem.nPes(); pe++)
        {
            final int first = ROW_WORDS + COST_WORDS * pe;
            costs = costs.max(new JvmCosts(get(first), get(first + 1), get(first + 2)));
        }

        return new LatencyRow(operation, transport, shmem.nPes(), bytes, get(0), get(1), get(2), get(3), get(4),
            get(5), get(6), Double.longBitsToDouble(get(7)), Double.longBitsToDouble(get(8)), rate, pairOrNull, costs);
    }

    private long get(final int index)
    {
        return words.getLong(index * (long)Long.BYTES);
    }
}
