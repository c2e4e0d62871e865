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

import io.aeroshmem.ElementType;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;

/**
 * Sample of snapshots of an order book: PE 0 applies orders to its book and broadcasts the whole book after each batch.
 * The other PEs compare each snapshot with a book of their own, to which they have applied the same orders.
 * <p>
 * Each PE prints how long the snapshots took to arrive. A time starts when PE 0 and this PE have both called the
 * broadcast. If PE 0 called last, the start is read from the clock of PE 0. So the times are meaningful only if both
 * PEs are on one host.
 * <pre>
 * aeroshmem run -n 3 io.aeroshmem.samples.OrderBook [snapshots]
 * </pre>
 */
public final class OrderBook
{
    private static final int SNAPSHOTS = 20_000;
    private static final int ORDERS_PER_SNAPSHOT = 100;
    private static final int LEVELS = 64;
    private static final int SIDES = 2;
    /** Number of the last order, time of the broadcast, then the quantities of all levels: bids, asks. */
    private static final int TIME = Long.BYTES;
    private static final int QUANTITIES = 2 * Long.BYTES;
    private static final int ELEMENTS = 2 + SIDES * LEVELS;

    private final Shmem shmem;
    private final long[] quantities = new long[SIDES * LEVELS];
    private long orders;
    private long random = 0x9E3779B97F4A7C15L;

    private OrderBook(final Shmem shmem)
    {
        this.shmem = shmem;
    }

    public static void main(final String[] args) throws Exception
    {
        SampleArguments.atMost(args, 1);
        final int snapshots = SampleArguments.number(args, 0, "snapshots", SNAPSHOTS, 10_000_000);
        Shmem.run(new Shmem.Context(), (shmem) -> System.out.println(publish(shmem, snapshots)));
    }

    /**
     * Broadcasts snapshots, and returns the times from the moment at which both PE 0 and this PE had called until the
     * snapshot was there. Collective over the job.
     *
     * @throws IllegalStateException if a snapshot differs from the book of this PE.
     */
    static String publish(final Shmem shmem, final int snapshots)
    {
        final SymmetricBuffer own = shmem.calloc(ELEMENTS, Long.BYTES);
        final SymmetricBuffer snapshot = shmem.calloc(ELEMENTS, Long.BYTES);
        final OrderBook book = new OrderBook(shmem);
        final SampleTimes times = new SampleTimes(snapshots);
        for (int i = 0; i < snapshots; i++)
        {
            book.apply(ORDERS_PER_SNAPSHOT);
            if (0 == shmem.myPe())
            {
                book.write(own);
            }

            final long startNs = System.nanoTime();
            shmem.world().broadcast(ElementType.LONG, snapshot, own, ELEMENTS, 0);
            times.add(System.nanoTime() - Math.max(startNs, snapshot.getLong(TIME)));
            book.check(snapshot);
        }

        shmem.free(snapshot);
        shmem.free(own);
        return "PE " + shmem.myPe() + ": " + snapshots + " snapshots after " + book.orders + " orders, " + times;
    }

    /** Adds to levels, or takes from them: the same orders on all PEs. */
    private void apply(final int count)
    {
        for (int i = 0; i < count; i++)
        {
            random ^= random << 13;
            random ^= random >>> 7;
            random ^= random << 17;
            final int level = (int)(random >>> 40) & (SIDES * LEVELS - 1);
            final long quantity = 1 + (random & 0x3FF);
            quantities[level] = Math.max(0, quantities[level] + (0 == (random & 0x400) ? quantity : -quantity));
        }

        orders += count;
    }

    private void write(final SymmetricBuffer own)
    {
        own.putLong(0, orders);
        for (int i = 0; i < quantities.length; i++)
        {
            own.putLong(QUANTITIES + (long)i * Long.BYTES, quantities[i]);
        }

        own.putLong(TIME, System.nanoTime());
    }

    private void check(final SymmetricBuffer snapshot)
    {
        boolean isEqual = orders == snapshot.getLong(0);
        for (int i = 0; i < quantities.length; i++)
        {
            isEqual &= quantities[i] == snapshot.getLong(QUANTITIES + (long)i * Long.BYTES);
        }

        if (!isEqual)
        {
            throw new IllegalStateException("the snapshot must be the book of PE " + shmem.myPe() + ": orders=" +
                orders + ", orders of the snapshot=" + snapshot.getLong(0));
        }
    }
}
