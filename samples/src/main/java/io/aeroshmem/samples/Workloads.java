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
import io.aeroshmem.ReduceOp;
import io.aeroshmem.SessionOption;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntToLongFunction;

/**
 * Sample of typical PGAS workloads, in their simplest form: the program issues each operation individually, and does
 * not gather operations into messages. The result of each workload is checked. PE 0 prints the rate per PE in the
 * columns of {@code aeroshmem bandwidth --format csv}. The rate follows from the upper median of the times of six
 * rounds.
 * <ul>
 *     <li>{@code histo}: increments of random elements of a table that is spread over all PEs;</li>
 *     <li>{@code gups}: exclusive ors of random elements of this table;</li>
 *     <li>{@code indexgather}: reads of random elements of this table;</li>
 *     <li>{@code intsort}: the key exchange of an integer sort, in which each PE receives the keys of its range from
 *     all PEs.</li>
 * </ul>
 * With {@code --session}, the workloads run in a session with {@code SessionOption.BATCH} and
 * {@code SessionOption.SAME_AMO}.
 * <pre>
 * aeroshmem run -n 2 io.aeroshmem.samples.Workloads [--updates=N] [--session] [NAME ...]
 * </pre>
 */
public final class Workloads
{
    static final List<String> NAMES = List.of("histo", "gups", "indexgather", "intsort");
    private static final String UPDATES_OPTION = "--updates";
    private static final String SESSION_OPTION = "--session";
    private static final int UPDATES = 1 << 20;
    /** Measured rounds, after those for warm-up. */
    private static final int ROUNDS = 6;
    /** Time in which the JVM compiles a workload, while the PEs leave it no processor of its own. */
    private static final long WARM_UP_NS = TimeUnit.SECONDS.toNanos(4);

    private final Shmem shmem;
    private final CommunicationContext context;
    private final int nPes;
    private final int updates;
    private final long warmUpNs;
    private final Consumer<String> output;
    private final SymmetricBuffer table;
    private final RandomAccess access;
    private final double[] roundNs = new double[ROUNDS];

    private Workloads(final Shmem shmem, final int updates, final long warmUpNs, final Consumer<String> output)
    {
        this.shmem = shmem;
        this.updates = updates;
        this.warmUpNs = warmUpNs;
        this.output = output;
        context = shmem.defaultContext();
        nPes = shmem.nPes();
        table = shmem.malloc(RandomAccess.TABLE_BYTES);
        access = new RandomAccess(shmem, table, updates);
    }

    public static void main(final String[] args) throws Exception
    {
        SampleArguments.require(args, NAMES, List.of(UPDATES_OPTION + "=", SESSION_OPTION));
        final int count = SampleArguments.option(args, UPDATES_OPTION, UPDATES, 1 << 24);
        final boolean isInSession = Arrays.asList(args).contains(SESSION_OPTION);
        final List<String> names = Arrays.stream(args).filter((arg) -> !arg.startsWith("--")).toList();
        final Shmem.Context context = new Shmem.Context();
        context.heapSize(Math.max(context.heapSize(), heapSize(count)));
        Shmem.run(context, (shmem) ->
            run(shmem, names.isEmpty() ? NAMES : names, count, isInSession, WARM_UP_NS, System.out::println));
    }

    /** Returns the size in bytes of a heap that suffices. */
    static long heapSize(final int updates)
    {
        return 64L * updates + (16L << 20);
    }

    /**
     * Runs workloads. Collective over the job.
     *
     * @param warmUpNs time of the rounds of each that are not measured; there is one at least.
     * @param output   receives the row of each, on PE 0.
     * @throws IllegalStateException if a result is wrong.
     */
    static void run(
        final Shmem shmem,
        final List<String> names,
        final int updates,
        final boolean isInSession,
        final long warmUpNs,
        final Consumer<String> output)
    {
        final Workloads workloads = new Workloads(shmem, updates, warmUpNs, output);
        if (isInSession)
        {
            shmem.defaultContext().sessionStart(SessionOption.BATCH, SessionOption.SAME_AMO);
        }

        for (final String name : names)
        {
            workloads.run(name);
        }

        if (isInSession)
        {
            shmem.defaultContext().sessionStop();
        }

        shmem.free(workloads.table);
    }

    private void run(final String name)
    {
        switch (name)
        {
            case "histo" -> histo();
            case "gups" -> gups();
            case "indexgather" -> indexGather();
            default -> intSort();
        }
    }

    private void histo()
    {
        access.clear();
        final int rounds = measure((round) ->
        {
            access.draw(round);
            shmem.barrierAll();
            final long startNs = System.nanoTime();
            access.increment(0, updates);
            shmem.barrierAll();
            return System.nanoTime() - startNs;
        });
        check((long)updates * nPes * rounds == sumOfAll(access.sum()), "histo");
        print("histo", Long.BYTES, updates);
    }

    /** Runs rounds, whose action returns their time, and returns their number, which is the same on all PEs. */
    private int measure(final IntToLongFunction action)
    {
        final long startNs = System.nanoTime();
        int round = 0;
        do
        {
            action.applyAsLong(round++);
        }
        while (shmem.world().reduceLong(ReduceOp.MAX, System.nanoTime() - startNs) < warmUpNs);

        for (int i = 0; i < ROUNDS; i++)
        {
            roundNs[i] = action.applyAsLong(round++);
        }

        return round;
    }

    private long sumOfAll(final long value)
    {
        return shmem.world().reduceLong(ReduceOp.SUM, value);
    }

    /** Updates twice with the same values, which leaves the table as it was. */
    private void gups()
    {
        access.fillWithIndices();
        measure((round) ->
        {
            access.draw(round);
            combine();
            return combine();
        });
        check(access.isFilledWithIndices(), "gups");
        print("gups", Long.BYTES, updates);
    }

    private long combine()
    {
        shmem.barrierAll();
        final long startNs = System.nanoTime();
        access.combine(0, updates);
        shmem.barrierAll();
        return System.nanoTime() - startNs;
    }

    private void indexGather()
    {
        access.fillWithIndices();
        final SymmetricBuffer gathered = shmem.malloc((long)updates * Long.BYTES);
        measure((round) ->
        {
            access.draw(round);
            shmem.barrierAll();
            final long startNs = System.nanoTime();
            access.gather(gathered, 0, updates);
            context.quiet();
            shmem.barrierAll();
            final long elapsedNs = System.nanoTime() - startNs;
            check(access.isGathered(gathered, 0, updates), "indexgather");
            return elapsedNs;
        });
        shmem.free(gathered);
        print("indexgather", Long.BYTES, updates);
    }

    private void intSort()
    {
        final int count = 2 * updates;
        final SymmetricBuffer bucketed = shmem.malloc((long)count * Integer.BYTES);
        final SymmetricBuffer received = shmem.malloc(KeyExchange.receivedBytes(count));
        final SymmetricBuffer filled = shmem.calloc(1, Long.BYTES);
        final KeyExchange exchange = new KeyExchange(shmem, count, bucketed, received, filled);
        measure((round) ->
        {
            exchange.draw(round, count);
            final long elapsedNs = exchange.exchange();
            check(exchange.isInRange() && (long)count * nPes == sumOfAll(exchange.received()), "intsort");
            return elapsedNs;
        });
        shmem.free(filled);
        shmem.free(received);
        shmem.free(bucketed);
        print("intsort_exchange", Integer.BYTES, count);
    }

    private static void check(final boolean isRight, final String name)
    {
        if (!isRight)
        {
            throw new IllegalStateException(name + " has a wrong result");
        }
    }

    private void print(final String name, final int bytes, final int count)
    {
        if (0 == shmem.myPe())
        {
            final double[] sorted = roundNs.clone();
            Arrays.sort(sorted);
            final double medianNs = sorted[sorted.length / 2];
            output.accept(String.format(
                Locale.ROOT,
                "%s,aeroshmem,%d,%d,%d,,,,,,,%.2f,%.0f,%.1f",
                name,
                nPes,
                bytes,
                count,
                medianNs / count,
                count / medianNs * 1e9,
                (double)count * bytes / medianNs * 1e3));
        }
    }
}
