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
import io.aeroshmem.ElementType;
import io.aeroshmem.Shmem;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.lang.invoke.VarHandle;
import java.util.stream.IntStream;

/**
 * Sample of a fan-out of market data: PE 0 writes quotes into the memory of all other PEs, which read their memory and
 * send nothing. A reader that is late skips quotes, and never delays the publisher. With {@code host}, PE 0 writes
 * each quote into the memory of one PE per host, and the others on the host read it there. Over UDP, a multicast group
 * ({@code aeroshmem.udp.multicast}) has PE 0 send one message for all.
 * <p>
 * A seqlock guards each quote. The publisher makes the version odd, writes the quote, and makes the version even;
 * fences keep this order at every reader. A reader takes the quote if the version was even before it and has not
 * changed after it, and checks a digest of the fields.
 * <p>
 * Each reader prints how old quotes were when it took them, which is meaningful only if it is on the host of PE 0.
 * <pre>
 * aeroshmem run -n 3 io.aeroshmem.samples.MarketData [quotes [nanoseconds between quotes [host]]]
 * </pre>
 */
public final class MarketData
{
    private static final int QUOTES = 200_000;
    private static final int PACE_NS = 5_000;
    private static final int SYMBOLS = 16;
    /** Version, bid, ask, time, digest, in a cache line of its own. */
    private static final int SLOT = 64;
    private static final int BID = Long.BYTES;
    private static final int ASK = 2 * Long.BYTES;
    private static final int TIME = 3 * Long.BYTES;
    private static final int DIGEST = 4 * Long.BYTES;
    private static final int FIELDS = 4 * Long.BYTES;

    private final Shmem shmem;
    private final CommunicationContext ctx;
    private final SymmetricBuffer book;
    private final SymmetricBuffer end;
    private final UnsafeBuffer word = new UnsafeBuffer(new byte[Long.BYTES]);
    private final boolean isPerHost;

    private MarketData(final Shmem shmem, final boolean isPerHost)
    {
        this.shmem = shmem;
        this.isPerHost = isPerHost;
        ctx = shmem.defaultContext();
        book = shmem.calloc(SYMBOLS, SLOT);
        end = shmem.calloc(1, Long.BYTES);
    }

    public static void main(final String[] args) throws Exception
    {
        SampleArguments.atMost(args, 3);
        final int quotes = SampleArguments.number(args, 0, "quotes", QUOTES, 10_000_000);
        final int paceNs = SampleArguments.number(args, 1, "nanoseconds", PACE_NS, 0, 1_000_000_000);
        final boolean isPerHost = args.length > 2;
        if (isPerHost && !"host".equals(args[2]))
        {
            SampleArguments.end("unexpected argument '" + args[2] + "'");
        }

        Shmem.run(new Shmem.Context(), (shmem) -> System.out.println(fanOut(shmem, quotes, paceNs, isPerHost)));
    }

    /**
     * Publishes quotes from PE 0 to all others, and returns what this PE did. Collective over the job.
     *
     * @param isPerHost whether one PE of each host receives the quotes for all.
     * @throws IllegalStateException if a reader sees parts of two quotes, or lacks the last one of a symbol.
     */
    static String fanOut(final Shmem shmem, final int quotes, final int paceNs, final boolean isPerHost)
    {
        final MarketData sample = new MarketData(shmem, isPerHost);
        final int[] receivers = sample.receivers();
        final String report =
            0 == shmem.myPe() ? sample.publish(quotes, paceNs, receivers) : sample.read(quotes);
        shmem.barrierAll();
        shmem.free(sample.end);
        shmem.free(sample.book);
        return report;
    }

    /** Returns the PE whose memory this PE reads: with {@code host}, the first one of those that share memory. */
    private int receiver()
    {
        return isPerHost ? shmem.shared().translatePe(0, shmem.world()) : shmem.myPe();
    }

    /** Returns the PEs that receive quotes; PE 0 only if others read its memory. */
    private int[] receivers()
    {
        final SymmetricBuffer mine = shmem.calloc(1, Integer.BYTES);
        final SymmetricBuffer all = shmem.calloc(shmem.nPes(), Integer.BYTES);
        mine.putInt(0, receiver());
        shmem.world().fcollect(ElementType.INT, all, mine, 1);
        final int[] receivers = IntStream.range(1, shmem.nPes())
            .map((pe) -> all.getInt(pe * Integer.BYTES)).distinct().toArray();
        shmem.free(all);
        shmem.free(mine);
        return receivers;
    }

    private String publish(final int quotes, final int paceNs, final int[] receivers)
    {
        final UnsafeBuffer quote = new UnsafeBuffer(new byte[FIELDS]);
        final SampleTimes times = new SampleTimes(quotes);
        long nextNs = System.nanoTime();
        for (int i = 0; i < quotes; i++)
        {
            while (System.nanoTime() - nextNs < 0)
            {
                shmem.progress();
                Thread.onSpinWait();
            }

            nextNs += paceNs;

            final long startNs = System.nanoTime();
            final int symbol = i % SYMBOLS;
            final long version = 2L * (i / SYMBOLS);
            final long bid = 10_000 + 7L * i % 1_000;
            quote.putLong(BID - Long.BYTES, bid);
            quote.putLong(ASK - Long.BYTES, bid + 1 + i % 3);
            quote.putLong(TIME - Long.BYTES, startNs);
            quote.putLong(DIGEST - Long.BYTES, digest(version + 2, bid, bid + 1 + i % 3, startNs));
            if (isPerHost)
            {
                for (final int pe : receivers)
                {
                    publish((long)symbol * SLOT, version, quote, pe);
                }
            }
            else
            {
                publish((long)symbol * SLOT, version, quote);
            }

            times.add(System.nanoTime() - startNs);
        }

        ctx.quiet();                                            // the end is not for the receivers alone
        ctx.signalAll(end, 0, 1, SignalOp.SET);
        return "PE 0: published " + quotes + " quotes to " + (shmem.nPes() - 1) + " PEs, in " + receivers.length +
            " puts each, " + times;
    }

    private void publish(final long slot, final long version, final UnsafeBuffer quote)
    {
        word.putLong(0, version + 1);
        ctx.putAll(book, slot, word, 0, Long.BYTES);
        ctx.fence();
        ctx.putAll(book, slot + BID, quote, 0, FIELDS);
        ctx.fence();
        word.putLong(0, version + 2);
        ctx.putAll(book, slot, word, 0, Long.BYTES);
        ctx.fence();                                            // before the next quote, and before the end
    }

    private void publish(final long slot, final long version, final UnsafeBuffer quote, final int pe)
    {
        ctx.putLong(book, slot, version + 1, pe);
        ctx.fence(pe);
        ctx.put(book, slot + BID, quote, 0, FIELDS, pe);
        ctx.fence(pe);
        ctx.putLong(book, slot, version + 2, pe);
        ctx.fence(pe);
    }

    private String read(final int quotes)
    {
        final AtomicBuffer slots = shmem.ptr(book, receiver());
        final long[] versions = new long[SYMBOLS];
        final SampleTimes times = new SampleTimes(quotes);
        int retries = 0;
        boolean isLast = false;
        while (true)
        {
            final int before = times.count();
            for (int symbol = 0; symbol < SYMBOLS; symbol++)
            {
                final int slot = symbol * SLOT;
                final long version = slots.getLongVolatile(slot);
                if (version == versions[symbol])
                {
                    continue;
                }

                final long bid = slots.getLong(slot + BID);
                final long ask = slots.getLong(slot + ASK);
                final long sentNs = slots.getLong(slot + TIME);
                final long digest = slots.getLong(slot + DIGEST);
                VarHandle.acquireFence();                       // the version is read again after the fields
                if (0 != (version & 1) || version != slots.getLongVolatile(slot))
                {
                    retries++;
                    continue;
                }

                times.add(System.nanoTime() - sentNs);
                check(digest == digest(version, bid, ask, sentNs), "a quote must be one", symbol, version);
                versions[symbol] = version;
            }

            if (isLast)
            {
                break;
            }

            if (before == times.count())
            {
                isLast = shmem.testLong(end, 0, Comparison.EQ, 1);
                Thread.onSpinWait();
            }
        }

        for (int symbol = 0; symbol < SYMBOLS; symbol++)
        {
            final int published = (quotes - symbol + SYMBOLS - 1) / SYMBOLS;
            check(2L * published == versions[symbol], "the last quote must be there", symbol, versions[symbol]);
        }

        return "PE " + shmem.myPe() + ": read " + times.count() + " of " + quotes + " quotes, " + retries +
            " retries, " + times;
    }

    private static void check(final boolean isRight, final String rule, final int symbol, final long version)
    {
        if (!isRight)
        {
            throw new IllegalStateException(rule + ": symbol=" + symbol + ", version=" + version);
        }
    }

    private static long digest(final long version, final long bid, final long ask, final long timeNs)
    {
        return ((version * 31 + bid) * 31 + ask) * 31 + timeNs;
    }
}
