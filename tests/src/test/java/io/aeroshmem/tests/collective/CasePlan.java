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
package io.aeroshmem.tests.collective;

import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * The plan of the cases that a job runs. Processes receive it by a property, which this class reads and writes.
 * <p>
 * The covering plan gives each job every routine with every type and every defined operation, and rotates counts and
 * teams against them from job to job: the numbers of counts and of teams have no common divisor, so that as many jobs
 * as there are teams cover every triple of (routine, type, operation) with every count and every team.
 *
 * @param kind     of plan.
 * @param job      number of the job among those that share the work, or the share of the work.
 * @param rotation start of the rotation; in an exhaustive plan, the number of shares.
 * @param only     the only routine, or null for all.
 */
record CasePlan(Kind kind, int job, int rotation, Call only)
{
    static final String PROPERTY = "aeroshmem.test.cases";

    private static final int[] COUNTS = {0, 1, 2, 7, 1_000};
    private static final int[] ALL_COUNTS = {0, 1, 2, 7, 1_000, 65_537, 1 << 20};
    /** Minimum number of cases of a job with one routine. */
    private static final int FEW = 90;
    private static final int LARGE = 65_537;
    private static final int LARGEST = 1 << 20;
    /** Lengths at which algorithms change: a slot with two headers and with one, and a piece. */
    private static final int[] SLOT_BYTES = {208, 240};
    private static final int PIECE_BYTES = 1 << 16;
    private static final int PIECES = 20_001;
    /** Of the cases of a plan of edges, one in so many is of a piece or more. */
    private static final int LONG_EVERY = 8;
    private static final long COVERING_BYTES = 24L << 20;
    private static final long EXHAUSTIVE_BYTES = 400L << 20;

    /**
     * How cases are chosen.
     */
    enum Kind
    {
        COVERING, COVERING_SMALL, EXHAUSTIVE,

        /** As {@link #COVERING}, with counts of all {@link CasePlan#edge edges}. */
        EDGES
    }

    static CasePlan parse(final String text)
    {
        final String[] parts = text.split(":");
        return new CasePlan(Kind.valueOf(parts[0]), Integer.parseInt(parts[1]), Integer.parseInt(parts[2]),
            4 == parts.length ? Call.valueOf(parts[3]) : null);
    }

    @Override
    public String toString()
    {
        return kind + ":" + job + ":" + rotation + (null == only ? "" : ":" + only);
    }

    /**
     * Returns the maximum length of dest or source of a case.
     */
    long maxBytes()
    {
        return Kind.EXHAUSTIVE == kind ? EXHAUSTIVE_BYTES : COVERING_BYTES;
    }

    /**
     * Returns the cases, the same on every PE and in the same order: shuffled, so that routines follow each other in
     * every order.
     */
    List<CollectiveCase> cases(final int nPes)
    {
        final List<CollectiveCase> cases = Kind.EXHAUSTIVE == kind ? exhaustive() : covering(nPes);
        Collections.shuffle(cases, new Random(job + 31L * rotation));
        for (int i = 0; i < cases.size(); i++)
        {
            cases.set(i, cases.get(i).number(i));
        }

        return cases;
    }

    private List<CollectiveCase> covering(final int nPes)
    {
        final List<CollectiveCase> cases = new ArrayList<>();
        final TeamShape[] shapes = TeamShape.values();
        final List<Triple> triples = triples();
        int turn = job + rotation;
        final int turns = Math.max(triples.size(), null == only ? 0 : FEW);
        for (int t = 0; t < turns; t++)
        {
            turn++;
            final Triple each = triples.get(t % triples.size());
            final long mixed = Inputs.mix(turn * 31L + job);
            final long count = Kind.EDGES == kind ? edge(mixed >>> 24, COUNTS, each.type) :
                3 == turn % 17 && Kind.COVERING_SMALL != kind ? LARGE : COUNTS[turn % COUNTS.length];
            for (int i = 0; i < (each.call.isSynchronising() ? shapes.length : 1); i++)
            {
                add(cases, each, count, shapes[(turn + i) % shapes.length], mixed, nPes);
            }
        }

        final int largest = Kind.COVERING != kind ? 0 : nPes > 5 ? 2 : 4;
        for (int i = 0; i < largest; i++)
        {
            final long mixed = Inputs.mix((job + rotation) * 1_001L + i);
            final Triple each = triples.get((int)Long.remainderUnsigned(mixed, triples.size()));
            add(cases, each, LARGEST, shapes[(int)(mixed >>> 61)], mixed, nPes);
        }

        return cases;
    }

    /**
     * Returns one of some counts, or one of an edge: a count of elements that fill a slot or a piece, one less, one
     * more, or a count of several pieces.
     */
    static long edge(final long random, final int[] counts, final ElementType type)
    {
        final int around = (int)(random & 3) - 1;
        final long choice = random >>> 2;
        if (0 == choice % LONG_EVERY)
        {
            return 2 == around ? PIECES : PIECE_BYTES / type.bytes() + around;
        }

        final int index = (int)(choice / LONG_EVERY % (counts.length + 2 * SLOT_BYTES.length));
        return index < counts.length ? counts[index] : SLOT_BYTES[index % 2] / type.bytes() + around;
    }

    private void add(
        final List<CollectiveCase> cases,
        final Triple triple,
        final long count,
        final TeamShape shape,
        final long mixed,
        final int nPes)
    {
        final boolean isInPlace = triple.call.isInPlaceAllowed() && 0 == (mixed & 1);
        final boolean isStrided = Call.ALLTOALLS == triple.call;
        final int destStride = isStrided ? 1 + (int)(mixed >>> 8 & 3) : 1;
        final int sourceStride = isStrided ? 1 + (int)(mixed >>> 16 & 3) : 1;
        final boolean isDelayed = 0 == (mixed >>> 20 & 15);
        final CollectiveCase test = new CollectiveCase(0, triple.call, triple.type, triple.op, count, shape,
            isInPlace, destStride, sourceStride, isDelayed);
        if (test.maxBytes(nPes) <= maxBytes())
        {
            cases.add(test);
        }
        else
        {
            add(cases, triple, LARGEST == count ? LARGE : COUNTS[COUNTS.length - 1], shape, mixed, nPes);
        }
    }

    /**
     * Every triple with every count, team and place; one of as many as share the work.
     */
    private List<CollectiveCase> exhaustive()
    {
        final List<CollectiveCase> cases = new ArrayList<>();
        int number = 0;
        for (final Triple each : triples())
        {
            for (final long count : ALL_COUNTS)
            {
                for (final TeamShape shape : TeamShape.values())
                {
                    for (int place = 0; place < (each.call.isInPlaceAllowed() ? 2 : 1); place++)
                    {
                        final boolean isStrided = Call.ALLTOALLS == each.call && count < LARGE;
                        final int stride = isStrided ? 1 + number % 3 : 1;
                        if (Long.remainderUnsigned(Inputs.mix(number++), rotation) == job)
                        {
                            cases.add(new CollectiveCase(number, each.call, each.type, each.op, count, shape,
                                1 == place, stride, isStrided ? 4 - stride : 1, 5 == number % 8));
                        }
                    }
                }
            }
        }

        return cases;
    }

    private List<Triple> triples()
    {
        final List<Triple> triples = new ArrayList<>();
        for (final Call call : Call.values())
        {
            if (null != only && call != only)
            {
                continue;
            }

            for (final ElementType type : ElementType.values())
            {
                if (call.isAllowed(null, type))
                {
                    triples.add(new Triple(call, null, type));
                }

                for (final ReduceOp op : ReduceOp.values())
                {
                    if (call.isAllowed(op, type))
                    {
                        triples.add(new Triple(call, op, type));
                    }
                }
            }
        }

        return triples;
    }

    private record Triple(Call call, ReduceOp op, ElementType type)
    {
    }
}
