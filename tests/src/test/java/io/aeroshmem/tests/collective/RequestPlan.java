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
 * teams and places against them from job to job. The exhaustive one has every count, team and place, of which a job
 * runs a share.
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
    private static final int[] ALL_COUNTS = {0, 8, 256, 65_536, 123_567};
    private static final long COVERING_BYTES = 12L << 20;
    private static final long EXHAUSTIVE_BYTES = 64L << 20;
    /** Minimum number of cases of a job with one collective. */
    private static final int FEW = 60;

    /**
     * How cases are chosen.
     */
    enum Kind
    {
        COVERING, COVERING_SMALL, EXHAUSTIVE
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
        return Kind.EXHAUSTIVE == kind ? EXHAUSTIVE_BYTES : COVERING_BYTES;
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
            final RequestCase test = of(
                each, isLarge ? LARGE : COUNTS[index], shapes[turn % shapes.length], 0 == (mixed & 1), mixed);
            cases.add(test.maxBytes(nPes) <= maxBytes() ? test :
                of(each, COUNTS[COUNTS.length - 1], test.shape(), test.isInPlace(), mixed));
        }
        return cases;
    }

    private List<RequestCase> exhaustive(final int nPes)
    {
        final List<RequestCase> cases = new ArrayList<>();
        int number = 0;
        for (final RequestCase each : triples())
        {
            for (final long count : ALL_COUNTS)
            {
                for (final TeamShape shape : TeamShape.values())
                {
                    for (int place = 0; place < 2; place++)
                    {
                        final long mixed = Inputs.mix(number++);
                        final RequestCase test = of(each, count, shape, 1 == place, mixed);
                        if (Long.remainderUnsigned(mixed, rotation) == job && test.maxBytes(nPes) <= maxBytes())
                        {
                            cases.add(test);
                        }
                    }
                }
            }
        }
        return cases;
    }

    /** Pairs of value and place have an even count. */
    private static RequestCase of(
        final RequestCase triple, final long count, final TeamShape shape, final boolean isInPlace, final long mixed)
    {
        return new RequestCase(0, triple.collective(), triple.type(), triple.op(),
            triple.isOfPairs() ? count & -2 : count, shape, isInPlace, 0 == (mixed >>> 20 & 15));
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
                    triples.add(new RequestCase(0, collective, type, null, 0, TeamShape.WORLD, false, false));
                }
                for (final ReduceOp op : ReduceOp.values())
                {
                    if (RequestCase.isAllowed(collective, op, type))
                    {
                        triples.add(new RequestCase(0, collective, type, op, 0, TeamShape.WORLD, false, false));
                    }
                }
            }
        }
        return triples;
    }
}
