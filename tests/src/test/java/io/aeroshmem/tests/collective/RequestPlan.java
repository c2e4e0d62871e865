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

import io.aeroshmem.Collective;
import io.aeroshmem.ElementType;
import io.aeroshmem.Ordering;
import io.aeroshmem.ReduceOp;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * The plan of the cases of requests that a job runs. Processes receive it by a property, which this class reads and
 * writes.
 * <p>
 * The covering plan gives each job every collective with every type and every defined operation, and rotates counts,
 * teams, orderings, forms and places against them from job to job. The exhaustive one has every count, team, form and
 * place, each on an ordered and on an unordered team, of which a job runs a share; with many PEs it has every count on
 * an ordered and an unordered team, and rotates the others.
 *
 * @param kind     of plan.
 * @param job      number of the job, or the share of the work.
 * @param rotation start of the rotation, or the number of shares.
 * @param only     the only collective, or null for all.
 */
record RequestPlan(Kind kind, int job, int rotation, Collective only)
{
    static final String PROPERTY = "aeroshmem.test.request.cases";

    private static final int[] COUNTS = {0, 1, 4, 256};
    private static final int LARGE = 65_536;
    private static final int[] ALL_COUNTS = {0, 1, 4, 256, 65_536};
    private static final int[] COUNTS_OF_MANY = {8, 65_536, 123_567};
    private static final int MANY_PES = 15;
    private static final List<Ordering> ORDERED =
        List.of(Ordering.POST_ORDERED, Ordering.INIT_ORDERED, Ordering.INIT_AND_POST_ORDERED);
    private static final List<Ordering> UNORDERED =
        List.of(Ordering.POST_UNORDERED, Ordering.INIT_UNORDERED, Ordering.INIT_AND_POST_UNORDERED);
    private static final long SMALL_BYTES = 2L << 20;
    private static final long COVERING_BYTES = 12L << 20;
    private static final long EXHAUSTIVE_BYTES = 64L << 20;
    /** Minimum number of cases of a job with one collective. */
    private static final int FEW = 60;

    /**
     * How cases are chosen.
     */
    enum Kind
    {
        COVERING, COVERING_SMALL, EXHAUSTIVE,

        /** As {@link #COVERING}, with counts of all {@link CasePlan#edge edges}. */
        EDGES
    }

    static RequestPlan parse(final String text)
    {
        final String[] parts = text.split(":");
        return new RequestPlan(Kind.valueOf(parts[0]), Integer.parseInt(parts[1]), Integer.parseInt(parts[2]),
            4 == parts.length ? Collective.valueOf(parts[3]) : null);
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
        return switch (kind)
        {
            case EXHAUSTIVE -> EXHAUSTIVE_BYTES;
            case COVERING, EDGES -> COVERING_BYTES;
            case COVERING_SMALL -> SMALL_BYTES;
        };
    }

    /**
     * Returns the cases, the same on every PE and in the same order: shuffled, so that collectives follow each other in
     * every order.
     */
    List<RequestCase> cases(final int nPes)
    {
        final List<RequestCase> cases = Kind.EXHAUSTIVE == kind ? exhaustive(nPes) : covering(nPes);
        Collections.shuffle(cases, new Random(job + 31L * rotation));
        for (int i = 0; i < cases.size(); i++)
        {
            cases.set(i, cases.get(i).number(i));
        }

        return cases;
    }

    private List<RequestCase> covering(final int nPes)
    {
        final List<RequestCase> cases = new ArrayList<>();
        final TeamShape[] shapes = TeamShape.values();
        final List<RequestCase> triples = triples();
        int turn = job + rotation;
        final int turns = Math.max(triples.size(), null == only ? 0 : FEW);
        for (int t = 0; t < turns; t++)
        {
            turn++;
            final RequestCase each = triples.get(t % triples.size());
            final long mixed = Inputs.mix(turn * 37L + job);
            final boolean isLarge = 3 == turn % 19 && Kind.COVERING_SMALL != kind;
            final int index = (int)Long.remainderUnsigned(mixed >>> 8, COUNTS.length);
            final long count = Kind.EDGES == kind ? CasePlan.edge(mixed >>> 8, COUNTS, each.type()) :
                isLarge ? LARGE : COUNTS[index];
            final RequestCase test = of(
                each, count, shapes[turn % shapes.length],
                choose(List.of(Ordering.values()), mixed >>> 24),
                choose(List.of(RequestCase.Form.values()), mixed >>> 32), 0 == (mixed & 1), mixed);
            cases.add(test.maxBytes(nPes) <= maxBytes() ? test : of(each, COUNTS[COUNTS.length - 1], test.shape(),
                test.ordering(), test.form(), test.isInPlace(), mixed));
        }

        return cases;
    }

    private List<RequestCase> exhaustive(final int nPes)
    {
        final List<RequestCase> cases = new ArrayList<>();
        for (final RequestCase each : triples())
        {
            for (final int count : nPes < MANY_PES ? ALL_COUNTS : COUNTS_OF_MANY)
            {
                addVariants(cases, each, count, ORDERED, nPes);
                addVariants(cases, each, count, UNORDERED, nPes);
            }
        }

        final List<RequestCase> share = new ArrayList<>();
        for (int i = 0; i < cases.size(); i++)
        {
            if (Long.remainderUnsigned(Inputs.mix(i), rotation) == job && cases.get(i).maxBytes(nPes) <= maxBytes())
            {
                share.add(cases.get(i));
            }
        }

        return share;
    }

    /** Adds every team, form and place; with many PEs, any one of them. */
    private static void addVariants(
        final List<RequestCase> cases,
        final RequestCase triple,
        final long count,
        final List<Ordering> orderings,
        final int nPes)
    {
        final List<RequestCase> variants = new ArrayList<>();
        for (final TeamShape shape : TeamShape.values())
        {
            for (final RequestCase.Form form : RequestCase.Form.values())
            {
                for (final boolean isInPlace : new boolean[]{false, true})
                {
                    final long mixed = Inputs.mix(cases.size() + variants.size());
                    final RequestCase test =
                        of(triple, count, shape, choose(orderings, mixed >>> 24), form, isInPlace, mixed);
                    if (form == test.form())
                    {
                        variants.add(test);
                    }
                }
            }
        }

        cases.addAll(nPes < MANY_PES ? variants : List.of(choose(variants, Inputs.mix(~cases.size()))));
    }

    private static <T> T choose(final List<T> values, final long bits)
    {
        return values.get((int)Long.remainderUnsigned(bits, values.size()));
    }

    /** Pairs of value and place have an even count. What has no blocking routine is called by a request. */
    private static RequestCase of(
        final RequestCase triple,
        final long count,
        final TeamShape shape,
        final Ordering ordering,
        final RequestCase.Form form,
        final boolean isInPlace,
        final long mixed)
    {
        final RequestCase test = new RequestCase(0, triple.collective(), triple.type(), triple.op(),
            triple.isOfPairs() ? count & -2 : count, shape, ordering, form, isInPlace, 0 == (mixed >>> 20 & 15));
        return !test.isBlocking() || test.hasRoutine() ? test :
            of(triple, count, shape, ordering, RequestCase.Form.REQUEST, isInPlace, mixed);
    }

    private List<RequestCase> triples()
    {
        final List<RequestCase> triples = new ArrayList<>();
        for (final Collective collective : Collective.values())
        {
            for (final ElementType type : ElementType.values())
            {
                if (null != only && only != collective)
                {
                    continue;
                }

                if (RequestCase.isAllowed(collective, null, type))
                {
                    triples.add(triple(collective, type, null));
                }

                for (final ReduceOp op : ReduceOp.values())
                {
                    if (RequestCase.isAllowed(collective, op, type))
                    {
                        triples.add(triple(collective, type, op));
                    }
                }
            }
        }

        return triples;
    }

    private static RequestCase triple(final Collective collective, final ElementType type, final ReduceOp op)
    {
        return new RequestCase(0, collective, type, op, 0, TeamShape.WORLD, Ordering.POST_ORDERED,
            RequestCase.Form.REQUEST, false, false);
    }
}
