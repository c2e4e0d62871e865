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
import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.gpu.Gpu;
import io.aeroshmem.gpu.GpuStream;
import jcuda.driver.CUstream;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Ledger in the memory of GPUs. Each PE books its share of the {@link Fill fills} into positions in its own device
 * memory. Then reductions on a CUDA stream aggregate the positions of all PEs, from device memory to device memory.
 * <p>
 * A position has the words of a {@link Report} row from {@link Report#TRADES} to {@link Report#LOW}. The words are
 * stored column by column, so that one reduction aggregates all columns that are summed. If a PE has no fills of an
 * instrument, it contributes a value that changes no result: 0 to a sum and to the highest price, the largest
 * {@code long} to the lowest price.
 */
final class DeviceLedger
{
    private static final int RISK_PE = 0;
    private static final int SUMMED = Report.GROSS_VALUE + 1;
    private static final long NO_PRICE = Long.MAX_VALUE;

    private final Shmem shmem;
    private final CommunicationContext ctx;
    private final Gpu gpu;
    private final Feed feed;
    private final long limit;
    private final int instruments;
    private final int me;
    private final SymmetricBuffer sums;
    private final SymmetricBuffer highs;
    private final SymmetricBuffer lows;
    private final SymmetricBuffer allSums;
    private final SymmetricBuffer allHighs;
    private final SymmetricBuffer allLows;

    /**
     * Books a feed and returns the final state on PE 0, null elsewhere; called by every PE. {@code limit}, in 1/10000,
     * is on the gross value of an instrument; {@code device} is the number of the GPU.
     */
    static Report run(final Shmem shmem, final int device, final Feed feed, final long limit) throws IOException
    {
        try (LedgerStream stream = new LedgerStream();
            Gpu gpu = Gpu.init(shmem, new Gpu.Context().device(device)))
        {
            final DeviceLedger ledger = new DeviceLedger(shmem, gpu, feed, limit);
            final Report report = ledger.run(stream.open(gpu));
            ledger.free();
            return report;
        }
    }

    private DeviceLedger(final Shmem shmem, final Gpu gpu, final Feed feed, final long limit)
    {
        this.shmem = shmem;
        this.gpu = gpu;
        this.feed = feed;
        this.limit = limit;
        ctx = shmem.defaultContext();
        me = shmem.myPe();
        instruments = Math.max(1, feed.symbols().length);
        sums = gpu.calloc((long)SUMMED * instruments, Long.BYTES);
        highs = gpu.calloc(instruments, Long.BYTES);
        lows = gpu.malloc((long)instruments * Long.BYTES);
        allSums = gpu.malloc(sums.length());
        allHighs = gpu.malloc(highs.length());
        allLows = gpu.malloc(lows.length());
        for (int instrument = 0; instrument < instruments; instrument++)
        {
            ctx.putLong(lows, offset(instrument), NO_PRICE, me);
        }
    }

    /**
     * Books this PE's share of the feed and aggregates the positions; called by every PE. Returns the final state on PE
     * 0, null elsewhere.
     */
    private Report run(final CUstream cudaStream) throws IOException
    {
        feed.read(me, shmem.nPes(), this::book);
        // The stream does not wait for operations that the host has called.
        ctx.quiet();

        final Team world = shmem.world();
        final GpuStream stream = gpu.stream(cudaStream);
        stream.reduce(world, ReduceOp.SUM, ElementType.LONG, allSums, sums, (long)SUMMED * instruments);
        stream.reduce(world, ReduceOp.MAX, ElementType.LONG, allHighs, highs, instruments);
        stream.reduce(world, ReduceOp.MIN, ElementType.LONG, allLows, lows, instruments);
        stream.synchronize();
        return RISK_PE == me ? report() : null;
    }

    /** Frees the positions; called by every PE. */
    private void free()
    {
        for (final SymmetricBuffer buffer : new SymmetricBuffer[]{allLows, allHighs, allSums, lows, highs, sums})
        {
            shmem.free(buffer);
        }
    }

    private void book(final Fill fill)
    {
        final int instrument = feed.instrument(fill.symbol);
        add(Report.TRADES, instrument, 1);
        add(Report.POSITION, instrument, fill.quantity);
        add(Report.GROSS_QUANTITY, instrument, fill.grossQuantity());
        add(Report.GROSS_VALUE, instrument, fill.grossValue());
        // Only this PE books into its own positions, so it may read and write without an atomic operation.
        if (fill.price > ctx.getLong(highs, offset(instrument), me))
        {
            ctx.putLong(highs, offset(instrument), fill.price, me);
        }

        if (fill.price < ctx.getLong(lows, offset(instrument), me))
        {
            ctx.putLong(lows, offset(instrument), fill.price, me);
        }
    }

    private void add(final int column, final int instrument, final long value)
    {
        ctx.atomicAddLong(sums, offset(column * instruments + instrument), value, me);
    }

    private UnsafeBuffer copy(final SymmetricBuffer source)
    {
        final int length = Math.toIntExact(source.length());
        final UnsafeBuffer copy = new UnsafeBuffer(ByteBuffer.allocateDirect(length));
        ctx.get(copy, 0, source, 0, length, me);
        return copy;
    }

    private Report report()
    {
        final UnsafeBuffer totals = copy(allSums);
        final UnsafeBuffer highest = copy(allHighs);
        final UnsafeBuffer lowest = copy(allLows);
        final Report report = new Report(feed.symbols());
        for (int instrument = 0; instrument < feed.symbols().length; instrument++)
        {
            final long[] row = report.row(instrument);
            for (int column = 0; column < SUMMED; column++)
            {
                row[column] = totals.getLong((column * instruments + instrument) * Long.BYTES);
            }

            row[Report.HIGH] = highest.getLong(instrument * Long.BYTES);
            row[Report.LOW] = lowest.getLong(instrument * Long.BYTES);
            row[Report.LIMIT_LEFT] = limit - row[Report.GROSS_VALUE];
            if (row[Report.LIMIT_LEFT] < 0)
            {
                report.breach(instrument);
            }
        }

        return report;
    }

    private static long offset(final int index)
    {
        return (long)index * Long.BYTES;
    }
}
