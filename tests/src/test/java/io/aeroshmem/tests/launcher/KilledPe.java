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
package io.aeroshmem.tests.launcher;

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.MemoryState;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Retained;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import java.util.stream.IntStream;

/**
 * A program that a kill may end at any instruction. Its retained memory says what it must find in the next generation:
 * <ul>
 *     <li>entries of an own journal, each stored before the count of them;</li>
 *     <li>entries of the neighbour's journal, each completed by a quiet before the count of them;</li>
 *     <li>numbers drawn from a counter on another PE, each of which one PE has, between two counts: of those to be
 *     drawn, and of those drawn;</li>
 *     <li>a block that is filled once, and a name that each step retains or releases.</li>
 * </ul>
 * A PE that goes on under another number keeps its journals, and begins anew with another neighbour or counter.
 * <p>
 * A defect ends the job with {@link #WRONG}, whatever its recovery.
 */
public final class KilledPe
{
    static final int WRONG = 99;

    private static final int KEPT = 64;
    static final int BULK = 1 << 20;
    private static final int NUMBERS = 1 << 14;
    private static final int STEPS_BETWEEN_LINES = 16;
    private static final String CHANGING = "changing";

    /** Offsets of the counts. */
    private static final int STEPS = 0;
    private static final int OWN = 128;
    private static final int PUT = 256;
    private static final int TO_DRAW = 384;
    private static final int DRAWN = 512;
    private static final int FILLED = 640;
    private static final int FIRST = 768;
    private static final int PARTNERS = 896;
    private static final int COUNTS = 1_024;

    private final Shmem shmem;
    private final CommunicationContext ctx;
    private final int bulkLength;
    private final Runnable point;
    private final Consumer<String> out;
    /** Numbers in the first generation. */
    private final int first;
    private final int firstPes;
    private final int me;
    private final int right;
    private final boolean hadChanging;
    private final SymmetricBuffer counts;
    private final SymmetricBuffer own;
    private final SymmetricBuffer ofLeft;
    private final SymmetricBuffer counter;
    private final SymmetricBuffer numbers;
    private final SymmetricBuffer bulk;

    private KilledPe(final Shmem shmem, final int bulkLength, final Runnable point, final Consumer<String> out)
    {
        this.shmem = shmem;
        this.bulkLength = bulkLength;
        this.point = point;
        this.out = out;
        ctx = shmem.defaultContext();
        me = shmem.myPe();
        // a process keeps its environment
        first = variable("AEROSHMEM_PE", me);
        firstPes = variable("AEROSHMEM_NPES", shmem.nPes());
        right = (me + 1) % shmem.nPes();
        hadChanging = shmem.retained().stream().anyMatch((retained) -> CHANGING.equals(retained.name()));
        counts = shmem.retain("counts", COUNTS);
        own = shmem.retain("own", (long)KEPT * Long.BYTES);
        ofLeft = shmem.retain("of left", (long)KEPT * Long.BYTES);
        counter = shmem.retain("counter", Long.BYTES);
        numbers = shmem.retain("numbers", (long)NUMBERS * Long.BYTES);
        bulk = shmem.retain("bulk", bulkLength, 3);
    }

    /** Runs until the file exists that the argument names. */
    public static void main(final String[] args) throws Exception
    {
        final Path end = Path.of(args[0]);
        Shmem.run(new Shmem.Context(), (shmem) ->
            run(shmem, BULK, (step) -> Files.exists(end), () -> {}, KilledPe::print));
    }

    /**
     * Runs a generation of a PE.
     *
     * @param bulkLength of the block that is filled once.
     * @param isLast     whether a step is the last; PE 0 decides.
     * @param point      is called at times.
     * @param out        prints lines of PE 0.
     */
    static void run(
        final Shmem shmem,
        final int bulkLength,
        final LongPredicate isLast,
        final Runnable point,
        final Consumer<String> out)
    {
        final KilledPe pe = new KilledPe(shmem, bulkLength, point, out);
        pe.verify();
        pe.run(isLast);
    }

    private static int variable(final String name, final int absent)
    {
        final String value = System.getenv(name);
        return null == value ? absent : Integer.parseInt(value);
    }

    private static void print(final String line)
    {
        System.out.println(line);
        System.out.flush();
    }

    private void verify()
    {
        final long steps = shmem.world().reduceLong(ReduceOp.MAX, count(STEPS));
        final long behind = steps - shmem.world().reduceLong(ReduceOp.MIN, count(STEPS));
        require(behind <= 1, "PEs that are " + behind + " steps apart");
        // before the first step is complete, the memory may be that of a call under way
        require(0 == steps || shmem.retained().stream().allMatch(this::isRetained), "lost: " + shmem.retained());
        meetPartners();
        verifyJournals();
        verifyNumbers();
        verifyBulk();
        if (hadChanging != (0 != (steps & 1)))
        {
            // the step after had got as far as this
            change(hadChanging ? 1 : 0);
        }

        counts.putLong(STEPS, steps);
        shmem.barrierAll();
        if (0 == me)
        {
            out.accept("generation " + shmem.generation().number() + " begins at step " + steps);
        }
    }

    private boolean isRetained(final Retained retained)
    {
        return CHANGING.equals(retained.name()) || IntStream.range(0, shmem.nPes())
            .allMatch((pe) -> MemoryState.RETAINED == retained.state(pe));
    }

    /** Begins the journal at the neighbour, and the numbers, anew if these PEs are others than before. */
    private void meetPartners()
    {
        counts.putLong(FIRST, first + 1);
        shmem.barrierAll();
        final long partners = first(right) << Integer.SIZE | first(shmem.nPes() - 1);
        if (partners != count(PARTNERS))
        {
            require(0 == count(PARTNERS) || shmem.nPes() < firstPes, "other partners");
            publish(PUT, 0);
            publish(DRAWN, 0);
            publish(TO_DRAW, 0);
            publish(PARTNERS, partners);
        }

        shmem.barrierAll();
    }

    private long first(final int pe)
    {
        return ctx.getLong(counts, FIRST, pe);
    }

    private void verifyJournals()
    {
        final long stored = count(OWN);
        for (long i = Math.max(0, stored - KEPT); i < stored; i++)
        {
            final long found = own.getLong(at(i));
            // the entry of the next number may be there
            require(entry(i, first) == found || entry(i + KEPT, first) == found && i + KEPT == stored,
                "own entry " + i + " of " + stored + ": " + found);
        }

        final long put = count(PUT);
        for (long i = Math.max(0, put - KEPT); i < put; i++)
        {
            final long found = ctx.getLong(ofLeft, at(i), right);
            require(entry(i, first) == found || entry(i + KEPT, first) == found && i + KEPT == put,
                "entry " + i + " of " + put + " at PE " + right + ": " + found);
        }
    }

    private void verifyNumbers()
    {
        final long drawn = shmem.world().reduceLong(ReduceOp.SUM, count(DRAWN));
        final long toDraw = shmem.world().reduceLong(ReduceOp.SUM, count(TO_DRAW));
        final long value = ctx.getLong(counter, 0, shmem.nPes() - 1);
        // those of a PE that was lost for good are not counted
        require(drawn <= value && (value <= toDraw || first(shmem.nPes() - 1) > shmem.nPes()),
            drawn + " <= " + value + " <= " + toDraw + " numbers");
        shmem.barrierAll();
        if (0 == me)
        {
            final Set<Long> found = new HashSet<>();
            for (int pe = 0; pe < shmem.nPes(); pe++)
            {
                final long count = Math.min(NUMBERS, ctx.getLong(counts, DRAWN, pe));
                final long[] block = new long[(int)count];
                ctx.get(block, 0, numbers, 0, block.length, pe);
                for (final long number : block)
                {
                    require(number >= 0 && number < value && found.add(number), "number " + number + " of PE " + pe);
                }
            }
        }

        shmem.barrierAll();
    }

    private void verifyBulk()
    {
        if (0 == count(FILLED))
        {
            for (int i = 0; i < bulkLength; i += Long.BYTES)
            {
                bulk.putLong(i, entry(i, first));
            }

            publish(FILLED, 1);
        }

        for (int i = 0; i < bulkLength; i += Long.BYTES)
        {
            require(entry(i, first) == bulk.getLong(i), "bulk at " + i);
        }
    }

    private void run(final LongPredicate isLast)
    {
        for (long step = count(STEPS); true; step++)
        {
            point.run();
            own.putLong(at(count(OWN)), entry(count(OWN), first));
            publish(OWN, count(OWN) + 1);

            point.run();
            ctx.putLong(ofLeft, at(count(PUT)), entry(count(PUT), first), right);
            ctx.quiet();
            publish(PUT, count(PUT) + 1);

            draw();
            point.run();
            change(step);
            final long stops = shmem.world().reduceLong(ReduceOp.SUM, 0 == me && isLast.test(step) ? 1 : 0);
            shmem.barrierAll();
            publish(STEPS, step + 1);
            if (0 == me && 0 == step % STEPS_BETWEEN_LINES)
            {
                out.accept("step " + step);
            }

            if (0 != stops)
            {
                shmem.barrierAll();
                verifyNumbers();
                return;
            }
        }
    }

    private void draw()
    {
        // one that was drawn by an earlier generation and not stored is lost, and counts as to be drawn
        publish(TO_DRAW, count(TO_DRAW) + 1);
        final long number = ctx.atomicFetchIncLong(counter, 0, shmem.nPes() - 1);
        final long drawn = count(DRAWN);
        if (drawn < NUMBERS)
        {
            numbers.putLong(drawn * Long.BYTES, number);
        }

        publish(DRAWN, drawn + 1);
    }

    private void change(final long step)
    {
        if (0 == (step & 1))
        {
            shmem.retain(CHANGING, 64);
        }
        else
        {
            shmem.release(CHANGING);
        }
    }

    private void publish(final int which, final long value)
    {
        counts.local().putLongRelease(which, value);
    }

    private long count(final int which)
    {
        return counts.getLong(which);
    }

    private static long at(final long i)
    {
        return i % KEPT * Long.BYTES;
    }

    private static long entry(final long i, final int pe)
    {
        return (i + 1) * 1_000 + pe;
    }

    private void require(final boolean isRight, final String what)
    {
        if (!isRight)
        {
            System.err.println("wrong: PE " + me + ", generation " + shmem.generation().number() + ": " + what);
            System.err.flush();
            shmem.globalExit(WRONG);
        }
    }
}
