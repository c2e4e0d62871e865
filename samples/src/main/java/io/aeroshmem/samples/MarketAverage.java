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

import io.aeroshmem.Collective;
import io.aeroshmem.CollectiveArgs;
import io.aeroshmem.CollectiveRequest;
import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;

import java.util.Arrays;
import java.util.Locale;

/**
 * Sample that hides a reduction behind computation. Each PE receives the trades of its own venue. At the end of each
 * window the volume and the value of every symbol are summed over all venues, and the market-wide average prices follow
 * from the sums.
 * <p>
 * The same windows are processed in three ways, in several rounds: without a reduction; with a blocking reduction at
 * the end of each window; and with an asynchronous reduction that proceeds while the trades of the next window are
 * processed. The last two ways must have the same results. PE 0 prints how much of the time of the reductions was
 * hidden.
 * <pre>
 * aeroshmem run -n 2 io.aeroshmem.samples.MarketAverage [windows [symbols]]
 * </pre>
 */
public final class MarketAverage
{
    private static final int WINDOWS = 40;
    private static final int SYMBOLS = 1 << 16;
    private static final int TRIALS = 100;
    private static final int ROUNDS = 15;
    private static final int TRADES_PER_POLL = 256;
    /** Computation per window, in times of a reduction. */
    private static final int COMPUTATION = 2;

    private final Shmem shmem;
    private final int windows;
    private final int symbols;
    /** Volumes of all symbols, then their values: one buffer is filled while the other is summed. */
    private final SymmetricBuffer[] own = new SymmetricBuffer[2];
    private final SymmetricBuffer[] market = new SymmetricBuffer[2];
    private int tradesPerWindow;

    private MarketAverage(final Shmem shmem, final int windows, final int symbols)
    {
        this.shmem = shmem;
        this.windows = windows;
        this.symbols = symbols;
        for (int i = 0; i < own.length; i++)
        {
            own[i] = shmem.calloc(2L * symbols, Long.BYTES);
            market[i] = shmem.calloc(2L * symbols, Long.BYTES);
        }
    }

    public static void main(final String[] args) throws Exception
    {
        SampleArguments.atMost(args, 2);
        final int windows = SampleArguments.number(args, 0, "windows", WINDOWS, 1_000_000);
        final int symbols = SampleArguments.number(args, 1, "symbols", SYMBOLS, 1 << 19);
        Shmem.run(new Shmem.Context(), (shmem) ->
        {
            final String report = compare(shmem, windows, symbols);
            if (0 == shmem.myPe())
            {
                System.out.print(report);
            }
        });
    }

    /**
     * Processes the windows in all three ways, and returns the comparison of their times. Collective over the job.
     *
     * @throws IllegalStateException if the results of the two ways with a reduction differ.
     */
    static String compare(final Shmem shmem, final int windows, final int symbols)
    {
        final MarketAverage sample = new MarketAverage(shmem, windows, symbols);
        try
        {
            return sample.compare();
        }
        finally
        {
            for (int i = 0; i < sample.own.length; i++)
            {
                shmem.free(sample.market[i]);
                shmem.free(sample.own[i]);
            }
        }
    }

    /**
     * Measures the three ways in turn, so that a drift of the machine affects all of them, and compares the medians.
     */
    private String compare()
    {
        chooseTrades(measureReduction());
        processBlocking();
        processOverlapped();

        final double[] computationNs = new double[ROUNDS];
        final double[] blockingNs = new double[ROUNDS];
        final double[] overlappedNs = new double[ROUNDS];
        for (int round = 0; round < ROUNDS; round++)
        {
            shmem.barrierAll();
            final long startNs = System.nanoTime();
            processAlone();
            computationNs[round] = System.nanoTime() - startNs;

            shmem.barrierAll();
            final long blockingStartNs = System.nanoTime();
            final long blocking = processBlocking();
            blockingNs[round] = System.nanoTime() - blockingStartNs;

            shmem.barrierAll();
            final long overlappedStartNs = System.nanoTime();
            final long overlapped = processOverlapped();
            overlappedNs[round] = System.nanoTime() - overlappedStartNs;
            if (blocking != overlapped)
            {
                throw new IllegalStateException(
                    "results must be the same: blocking=" + blocking + ", overlapped=" + overlapped);
            }
        }

        final double computation = usPerWindow(computationNs);
        final double blocking = usPerWindow(blockingNs);
        final double overlapped = usPerWindow(overlappedNs);
        return String.format(
            Locale.ROOT,
            "%d windows, %d symbols, %d trades per window and PE; us per window, medians of %d rounds:%n" +
            "computation %.0f, with a blocking reduction %.0f, with an overlapped one %.0f: " +
            "%.0f %% of the reduction is hidden%n",
            windows, symbols, tradesPerWindow, ROUNDS, computation, blocking, overlapped,
            100 * (blocking - overlapped) / (blocking - computation));
    }

    private double usPerWindow(final double[] ns)
    {
        Arrays.sort(ns);
        return ns[ns.length / 2] / windows / 1e3;
    }

    private void processAlone()
    {
        for (int window = 0; window < windows; window++)
        {
            processTrades(window, own[0]);
            addAverages(0, market[0]);
        }
    }

    private double measureReduction()
    {
        for (int i = 0; i < TRIALS; i++)
        {
            sum(0);
        }

        shmem.barrierAll();
        final long startNs = System.nanoTime();
        for (int i = 0; i < TRIALS; i++)
        {
            sum(0);
        }

        return (double)(System.nanoTime() - startNs) / TRIALS;
    }

    /** Chooses the number of trades by PE 0's time for a reduction, the same on all PEs. */
    private void chooseTrades(final double reductionNs)
    {
        tradesPerWindow = 10_000;
        for (int i = 0; i < TRIALS; i++)
        {
            processTrades(i, own[0]);
        }

        final long startNs = System.nanoTime();
        processTrades(0, own[0]);
        final double tradeNs = (double)(System.nanoTime() - startNs) / tradesPerWindow;
        tradesPerWindow = (int)shmem.world().broadcastLong(1 + (long)(COMPUTATION * reductionNs / tradeNs), 0);
    }

    private long processBlocking()
    {
        long result = 0;
        for (int window = 0; window < windows; window++)
        {
            processTrades(window, own[0]);
            sum(0);
            result = addAverages(result, market[0]);
        }

        return result;
    }

    private void sum(final int i)
    {
        shmem.world().reduce(ReduceOp.SUM, ElementType.LONG, market[i], own[i], 2L * symbols);
    }

    /** The request of a window is awaited when the trades of the next one have been processed. */
    private long processOverlapped()
    {
        long result = 0;
        try (CollectiveRequest even = request(0); CollectiveRequest odd = request(1))
        {
            for (int window = 0; window < windows; window++)
            {
                processTrades(window, own[window & 1]);
                if (window > 0)
                {
                    (0 == (window & 1) ? odd : even).await();
                    result = addAverages(result, market[1 - (window & 1)]);
                }

                (0 == (window & 1) ? even : odd).post();
            }

            final int last = windows - 1 & 1;
            (0 == last ? even : odd).await();
            return addAverages(result, market[last]);
        }
    }

    private CollectiveRequest request(final int i)
    {
        return shmem.world().request(new CollectiveArgs()
            .collective(Collective.ALLREDUCE).op(ReduceOp.SUM).persistent(true)
            .source(own[i], 2L * symbols, ElementType.LONG)
            .dest(market[i], 2L * symbols, ElementType.LONG));
    }

    /** Adds up the trades of a window of this PE's venue, and drives the reduction of the window before meanwhile. */
    private void processTrades(final int window, final SymmetricBuffer sums)
    {
        for (long at = 0; at < sums.length(); at += Long.BYTES)
        {
            sums.putLong(at, 0);
        }

        long random = 0x9E3779B97F4A7C15L * (1 + window) + shmem.myPe();
        for (int i = 0; i < tradesPerWindow; i++)
        {
            random ^= random << 13;
            random ^= random >>> 7;
            random ^= random << 17;
            final long symbol = (random >>> 40) % symbols;
            final long quantity = 1 + (random & 0x3FF);
            final long price = 10_000 + (random >>> 20 & 0xFFF);
            sums.putLong(symbol * Long.BYTES, sums.getLong(symbol * Long.BYTES) + quantity);
            final long value = (symbols + symbol) * Long.BYTES;
            sums.putLong(value, sums.getLong(value) + quantity * price);
            if (0 == i % TRADES_PER_POLL)
            {
                shmem.progress();
            }
        }
    }

    /** Returns a digest of the average prices. */
    private long addAverages(final long digest, final SymmetricBuffer sums)
    {
        long result = digest;
        for (long symbol = 0; symbol < symbols; symbol++)
        {
            final long volume = sums.getLong(symbol * Long.BYTES);
            final long average = 0 == volume ? 0 : sums.getLong((symbols + symbol) * Long.BYTES) / volume;
            result = 31 * result + average;
        }

        return result;
    }
}
