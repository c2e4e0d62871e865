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

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Sample of the workloads that PGAS is bought for, written as plainly as they are thought: random updates and random
 * reads of a table that is spread over all PEs, and the key exchange of an integer sort. Nothing is aggregated by the
 * program. Each is checked, and PE 0 prints its rate per PE, the median of six rounds, in the columns of {@code
 * aeroshmem bandwidth --format csv}.
 * <ul>
 *     <li>{@code histo}: increments of random elements;</li>
 *     <li>{@code gups}: exclusive ors of random elements;</li>
 *     <li>{@code indexgather}: reads of random elements;</li>
 *     <li>{@code intsort}: each PE receives the keys of its range from all PEs.</li>
 * </ul>
 * <pre>
 * aeroshmem run -n 2 io.aeroshmem.samples.Workloads [--updates=N] [NAME ...]
 * </pre>
 */
public final class Workloads
{
    private static final List<String> NAMES = List.of("histo", "gups", "indexgather", "intsort");
    private static final String UPDATES_OPTION = "--updates=";
    /** Elements of the table of each PE. */
    private static final int TABLE = 1 << 17;
    private static final int UPDATES = 1 << 20;
    /** The first is for warm-up. */
    private static final int ROUNDS = 7;

    private final Shmem shmem;
    private final CommunicationContext context;
    private final int me;
    private final int nPes;
    private final int updates;
    private final SymmetricBuffer table;
    private final int[] offsets;
    private final int[] owners;
    private final double[] roundNs = new double[ROUNDS];
    private long state;

    private Workloads(final Shmem shmem, final int updates)
    {
        this.shmem = shmem;
        this.updates = updates;
        context = shmem.defaultContext();
        me = shmem.myPe();
        nPes = shmem.nPes();
        table = shmem.calloc(TABLE, Long.BYTES);
        offsets = new int[updates];
        owners = new int[updates];
    }

    public static void main(final String[] args) throws Exception
    {
        final int updates = Arrays.stream(args)
            .filter((arg) -> arg.startsWith(UPDATES_OPTION))
            .mapToInt((arg) -> Integer.parseInt(arg.substring(UPDATES_OPTION.length())))
            .findFirst().orElse(UPDATES);
        final List<String> names = Arrays.stream(args).filter((arg) -> !arg.startsWith("--")).toList();
        for (final String name : names)
        {
            if (!NAMES.contains(name))
            {
                throw new IllegalArgumentException("NAME must be one of " + NAMES + ": '" + name + "'");
            }
        }

        final Shmem.Context context = new Shmem.Context();
        context.heapSize(Math.max(context.heapSize(), 64L * updates + (16L << 20)));
        Shmem.run(context, (shmem) -> new Workloads(shmem, updates).runAll(names.isEmpty() ? NAMES : names));
    }

    private void runAll(final List<String> names)
    {
        for (final String name : names)
        {
            switch (name)
            {
                case "histo":
                    histo();
                    break;
                case "gups":
                    gups();
                    break;
                case "indexgather":
                    indexGather();
                    break;
                default:
                    new KeyExchange(shmem, 2 * updates).run(ROUNDS, this::print);
                    break;
            }
        }
    }

    private void histo()
    {
        table.view(0, TABLE * Long.BYTES).setMemory(0, TABLE * Long.BYTES, (byte)0);
        for (int round = 0; round < ROUNDS; round++)
        {
            draw(round);
            shmem.barrierAll();
            final long startNs = System.nanoTime();
            for (int i = 0; i < updates; i++)
            {
                context.atomicIncLong(table, offsets[i], owners[i]);
            }
            shmem.barrierAll();
            roundNs[round] = System.nanoTime() - startNs;
        }

        final SymmetricBuffer sum = shmem.malloc(Long.BYTES);
        sum.putLong(0, sumOfTable());
        shmem.world().reduce(ReduceOp.SUM, ElementType.LONG, sum, sum, 1);
        check((long)updates * nPes * ROUNDS == sum.getLong(0), "histo");
        shmem.free(sum);
        print("histo", Long.BYTES, updates, roundNs);
    }

    private long sumOfTable()
    {
        long sum = 0;
        for (long i = 0; i < TABLE; i++)
        {
            sum += table.getLong(i * Long.BYTES);
        }
        return sum;
    }

    /** Updates twice with the same values, which leaves the table as it was. */
    private void gups()
    {
        fillWithIndices();
        for (int round = 0; round < 2 * ROUNDS; round++)
        {
            draw(round / 2);
            shmem.barrierAll();
            final long startNs = System.nanoTime();
            for (int i = 0; i < updates; i++)
            {
                context.atomicXorLong(table, offsets[i], (long)offsets[i] * nPes + owners[i] + 1, owners[i]);
            }
            shmem.barrierAll();
            roundNs[round / 2] = System.nanoTime() - startNs;
        }

        boolean isRight = true;
        for (long i = 0; i < TABLE; i++)
        {
            isRight &= i * nPes + me == table.getLong(i * Long.BYTES);
        }
        check(isRight, "gups");
        print("gups", Long.BYTES, updates, roundNs);
    }

    private void indexGather()
    {
        fillWithIndices();
        final SymmetricBuffer gathered = shmem.malloc((long)updates * Long.BYTES);
        for (int round = 0; round < ROUNDS; round++)
        {
            draw(round);
            shmem.barrierAll();
            final long startNs = System.nanoTime();
            for (int i = 0; i < updates; i++)
            {
                context.getNbi(gathered, (long)i * Long.BYTES, table, offsets[i], Long.BYTES, owners[i]);
            }
            context.quiet();
            shmem.barrierAll();
            roundNs[round] = System.nanoTime() - startNs;

            boolean isRight = true;
            for (int i = 0; i < updates; i++)
            {
                isRight &= (long)offsets[i] / Long.BYTES * nPes + owners[i] == gathered.getLong((long)i * Long.BYTES);
            }
            check(isRight, "indexgather");
        }
        shmem.free(gathered);
        print("indexgather", Long.BYTES, updates, roundNs);
    }

    private void fillWithIndices()
    {
        for (long i = 0; i < TABLE; i++)
        {
            table.putLong(i * Long.BYTES, i * nPes + me);
        }
    }

    /** Draws the elements of a round. Element i of the whole table is on PE i modulo the number of PEs. */
    private void draw(final int round)
    {
        state = 0x9E3779B97F4A7C15L * (me + 1) + 0x2545F4914F6CDD1DL * (round + 1);
        nextRandom();
        for (int i = 0; i < updates; i++)
        {
            final long index = Long.remainderUnsigned(nextRandom(), (long)TABLE * nPes);
            offsets[i] = (int)(index / nPes) * Long.BYTES;
            owners[i] = (int)(index % nPes);
        }
    }

    private long nextRandom()
    {
        state ^= state << 13;
        state ^= state >>> 7;
        state ^= state << 17;
        return state;
    }

    static void check(final boolean isRight, final String name)
    {
        if (!isRight)
        {
            throw new IllegalStateException(name + " has a wrong result");
        }
    }

    private void print(final String name, final int bytes, final int count, final double[] ns)
    {
        if (0 == me)
        {
            final double[] sorted = Arrays.copyOfRange(ns, 1, ns.length);
            Arrays.sort(sorted);
            final double medianNs = sorted[sorted.length / 2];
            System.out.printf(
                Locale.ROOT,
                "%s,aeroshmem,%d,%d,%d,,,,,,,%.2f,%.0f,%.1f%n",
                name,
                nPes,
                bytes,
                count,
                medianNs / count,
                count / medianNs * 1e9,
                (double)count * bytes / medianNs * 1e3);
        }
    }
}
