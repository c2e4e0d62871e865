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
import io.aeroshmem.ReduceOp;
import io.aeroshmem.RetainedCell;
import io.aeroshmem.Shmem;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;

/**
 * Sample of strategies that are recovered while the feed goes on. PE 0 is the feed: it puts numbered quotes into a ring
 * on each other PE, and waits for a strategy that is a whole ring behind. A strategy trades on each quote. Its state
 * and the number of the next quote are one record in a {@link RetainedCell}: so each quote counts once, even if the PE
 * is killed at any moment.
 * <p>
 * After a failure the feed goes on at the least number that a strategy needs. It makes a quote from its number, as one
 * asks an exchange for a replay. Rings and counts are of one generation. At the end each strategy compares its state
 * with that of an undisturbed run.
 * <pre>
 * aeroshmem run -n 3 --recover=replace io.aeroshmem.samples.RecoveredStrategy [quotes [microseconds between quotes]]
 * </pre>
 */
public final class RecoveredStrategy
{
    private static final int FEED = 0;
    private static final int QUOTES = 20_000;
    private static final int PACE_US = 100;
    private static final int RING = 256;
    /** A feed with more time than this until the next quote leaves the processor for as long. */
    private static final long PARK_NS = 200_000;

    /** Words of a strategy's state. */
    private static final int NEXT = 0;
    private static final int LAST_PRICE = 1;
    private static final int POSITION = 2;
    private static final int CASH = 3;
    private static final int WORDS = 4;

    private final Shmem shmem;
    private final CommunicationContext ctx;
    private final RetainedCell cell;
    private final long[] state = new long[WORDS];
    private final UnsafeBuffer record = new UnsafeBuffer(new byte[WORDS * Long.BYTES]);
    private final SymmetricBuffer ring;
    private final SymmetricBuffer quote;
    private final SymmetricBuffer published;
    private final SymmetricBuffer consumed;

    private RecoveredStrategy(final Shmem shmem)
    {
        this.shmem = shmem;
        ctx = shmem.defaultContext();
        cell = new RetainedCell(
            shmem.retain("strategy", RetainedCell.requiredBytes(record.capacity())), 0, record.capacity());
        ring = shmem.calloc(RING, Long.BYTES);
        quote = shmem.calloc(1, Long.BYTES);
        published = shmem.calloc(1, Long.BYTES);
        consumed = shmem.calloc(shmem.nPes(), Long.BYTES);
    }

    public static void main(final String[] args) throws Exception
    {
        SampleArguments.atMost(args, 2);
        final int quotes = SampleArguments.number(args, 0, "quotes", QUOTES, 10_000_000);
        final int paceUs = SampleArguments.number(args, 1, "microseconds", PACE_US, 0, 1_000_000);
        Shmem.run(new Shmem.Context(), (shmem) -> System.out.println(trade(shmem, quotes, 1_000L * paceUs)));
    }

    /**
     * Publishes quotes from PE 0 to all others, which trade, and returns what this PE did. Collective over the job.
     *
     * @throws IllegalStateException if a strategy has lost a quote, or has used one twice.
     */
    static String trade(final Shmem shmem, final int quotes, final long paceNs)
    {
        final RecoveredStrategy sample = new RecoveredStrategy(shmem);
        final String begin = 0 == shmem.generation().number() ? "" :
            ", in generation " + shmem.generation().number() + " from " + sample.begin();
        final long first = sample.first(quotes);
        final String report =
            FEED == shmem.myPe() ? sample.publish(first, quotes, paceNs) : sample.consume(first, quotes);
        shmem.barrierAll();
        return report + begin;
    }

    /** Returns the number of the first quote that this strategy needs. */
    private long begin()
    {
        if (0 != cell.read(record, 0))
        {
            for (int word = 0; word < WORDS; word++)
            {
                state[word] = record.getLong(word * Long.BYTES);
            }
        }

        return state[NEXT];
    }

    /** Returns the number of the first quote that a strategy needs. */
    private long first(final int quotes)
    {
        return shmem.world().reduceLong(ReduceOp.MIN, FEED == shmem.myPe() ? quotes : begin());
    }

    private String publish(final long first, final int quotes, final long paceNs)
    {
        long nextNs = System.nanoTime();
        for (long number = first; number < quotes; number++)
        {
            while (System.nanoTime() - nextNs < 0)
            {
                shmem.progress();
                if (System.nanoTime() - nextNs < -PARK_NS)
                {
                    LockSupport.parkNanos(PARK_NS);
                }
                else
                {
                    Thread.onSpinWait();
                }
            }

            nextNs += paceNs;
            quote.putLong(0, price(number));
            for (int pe = 1; pe < shmem.nPes(); pe++)
            {
                shmem.waitUntilLong(consumed, (long)pe * Long.BYTES, Comparison.GT, number - first - RING);
                ctx.putSignal(
                    ring, number % RING * Long.BYTES, quote, 0, Long.BYTES, published, 0, 1, SignalOp.ADD, pe);
            }
        }

        return "PE 0: published " + quotes + " quotes";
    }

    private String consume(final long first, final int quotes)
    {
        for (long number = first; number < quotes; number++)
        {
            shmem.signalWaitUntil(published, 0, Comparison.GT, number - first);
            if (number >= state[NEXT])
            {
                trade(state, ring.getLong(number % RING * Long.BYTES));
                for (int word = 0; word < WORDS; word++)
                {
                    record.putLong(word * Long.BYTES, state[word]);
                }

                cell.write(record, 0);
            }

            ctx.putLong(consumed, (long)shmem.myPe() * Long.BYTES, number - first + 1, FEED);
        }

        final long[] expected = new long[WORDS];
        for (long number = 0; number < quotes; number++)
        {
            trade(expected, price(number));
        }

        if (!Arrays.equals(expected, state))
        {
            throw new IllegalStateException("the state must be that of an undisturbed run: " +
                Arrays.toString(state) + " instead of " + Arrays.toString(expected));
        }

        return "PE " + shmem.myPe() + ": traded on " + state[NEXT] + " quotes, each once: position " + state[POSITION] +
            ", cash " + state[CASH];
    }

    /** Buys what falls, and sells what rises. */
    private static void trade(final long[] state, final long price)
    {
        final long side = Long.signum(state[LAST_PRICE] - price);
        state[POSITION] += side;
        state[CASH] -= side * price;
        state[LAST_PRICE] = price;
        state[NEXT]++;
    }

    private static long price(final long number)
    {
        return 10_000 + (number * 0x9E37_79B9L >>> 7) % 1_000;
    }
}
