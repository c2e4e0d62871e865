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
package io.aeroshmem.tools.latency;

import io.aeroshmem.tools.exit.CommandException;
import org.agrona.BitUtil;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * Calls of many PEs, or of many threads of a PE, at once: which PEs each PE calls, one after the other, how many calls
 * a quiet completes, and how many threads of each PE call.
 *
 * @param pattern         who calls whom; or null for calls of PE 0 to PE 1.
 * @param weights         shares of the calls of {@link Pattern#MATRIX}: a row for each caller, a column for each
 *                        target; otherwise empty.
 * @param window          number of calls that a quiet completes; 0: all, of one target.
 * @param threads         number of threads of each PE that calls.
 * @param isContextShared whether the threads share the default context, instead of one for each.
 */
public record Traffic(
    Pattern pattern, List<List<Integer>> weights, int window, int threads, boolean isContextShared)
{
    /** No traffic: PE 0 calls PE 1, or another variation is measured. */
    public static final Traffic NONE = new Traffic(null, List.of(), 0, 1, false);

    /** Window of a PE that calls several others, unless it is specified: that of the OSU benchmarks. */
    private static final int WINDOW = 64;
    private static final int ALIGNMENT = 64;
    private static final long SEED = 1;

    /** Who calls whom. */
    public enum Pattern
    {
        /** Each PE calls the next one. */
        NEXT,
        /** A PE of the first half calls the one at the same place of the second half. */
        PAIRS,
        /** All others call PE 0. */
        INCAST,
        /** PE 0 calls all others. */
        OUTCAST,
        /** Each PE calls all others. */
        ALL,
        /** Each PE calls another one, which no other PE calls; chosen at random, the same in each job. */
        RANDOM,
        /** The PEs that a matrix specifies. */
        MATRIX
    }

    /**
     * Returns the traffic of a matrix: lines of shares, integers of 0 or more that a comma or blanks separate.
     *
     * @param name of the matrix, for messages.
     */
    public static List<List<Integer>> parseWeights(final String name, final List<String> lines)
    {
        final List<List<Integer>> weights = new ArrayList<>();
        for (final String line : lines)
        {
            if (!line.isBlank())
            {
                final List<Integer> row = new ArrayList<>();
                for (final String share : line.trim().split("[,\\s]+"))
                {
                    row.add(share(name, share));
                }

                weights.add(row);
            }
        }

        return weights;
    }

    private static int share(final String name, final String text)
    {
        try
        {
            final int share = Integer.parseInt(text);
            if (share >= 0)
            {
                return share;
            }
        }
        catch (final NumberFormatException ex)
        {
            // rejected as a negative number
        }

        throw CommandException.usage(name + " must have integers >= 0: '" + text + "'");
    }

    /** Rejects a pattern that is not possible with a number of PEs. */
    public void validate(final int nPes)
    {
        if (null != pattern && nPes < 2)
        {
            throw CommandException.usage("--traffic requires 2 PEs or more: -n=" + nPes);
        }

        if (Pattern.PAIRS == pattern && 0 != nPes % 2)
        {
            throw CommandException.usage("--traffic pairs requires an even number of PEs: -n=" + nPes);
        }

        if (Pattern.MATRIX == pattern &&
            (weights.size() != nPes || weights.stream().anyMatch((row) -> row.size() != nPes)))
        {
            throw CommandException.usage("--traffic must be a matrix of " + nPes + " lines of " + nPes + " integers");
        }

        if (0 == callers(nPes))
        {
            throw CommandException.usage("--traffic has no calls");
        }
    }

    /** Returns whether this is no traffic. */
    public boolean isNone()
    {
        return NONE.equals(this);
    }

    /** Returns the PEs that a PE calls one after the other; none if it makes no calls. */
    List<Integer> targets(final int pe, final int nPes)
    {
        if (null == pattern)
        {
            return 0 == pe ? List.of(1 % nPes) : List.of();
        }

        final int next = (pe + 1) % nPes;
        return switch (pattern)
        {
            case NEXT -> List.of(next);
            case PAIRS -> pe < nPes / 2 ? List.of(pe + nPes / 2) : List.of();
            case INCAST -> 0 == pe ? List.of() : List.of(0);
            case OUTCAST -> 0 == pe ? others(pe, nPes) : List.of();
            case ALL -> others(pe, nPes);
            case RANDOM -> List.of(random(pe, nPes));
            case MATRIX -> weighted(weights.get(pe));
        };
    }

    private static List<Integer> others(final int pe, final int nPes)
    {
        final List<Integer> others = new ArrayList<>();
        for (int i = 1; i < nPes; i++)
        {
            others.add((pe + i) % nPes);
        }

        return others;
    }

    /** Returns the next PE on a circle in random order. */
    private static int random(final int pe, final int nPes)
    {
        final List<Integer> circle = new ArrayList<>(others(0, nPes));
        circle.add(0);
        Collections.shuffle(circle, new Random(SEED));
        return circle.get((circle.indexOf(pe) + 1) % nPes);
    }

    private static List<Integer> weighted(final List<Integer> shares)
    {
        final List<Integer> targets = new ArrayList<>();
        final int most = Collections.max(shares);
        for (int round = 0; round < most; round++)
        {
            for (int pe = 0; pe < shares.size(); pe++)
            {
                if (shares.get(pe) > round)
                {
                    targets.add(pe);
                }
            }
        }

        return targets;
    }

    /** Returns the number of PEs that call. */
    int callers(final int nPes)
    {
        int callers = 0;
        for (int pe = 0; pe < nPes; pe++)
        {
            callers += targets(pe, nPes).isEmpty() ? 0 : 1;
        }

        return callers;
    }

    /** Returns the number of calls to a target that a quiet completes, at most those to make. */
    int window(final int targets, final int count)
    {
        return Math.min(count, 0 != window ? window : targets > 1 ? WINDOW : count);
    }

    /** Returns the number of blocks of each buffer: one for each thread of each PE. */
    long blocks(final int nPes)
    {
        return (long)nPes * threads;
    }

    /** Returns the distance of blocks of a length: no two callers write to the same cache line. */
    static long stride(final long bytes)
    {
        return BitUtil.align(bytes, ALIGNMENT);
    }

    /** Returns the end of the name of a row. */
    String suffix()
    {
        return (null == pattern ? "" : "_" + pattern.name().toLowerCase(Locale.ROOT)) +
            (0 == window ? "" : "_window_" + window) +
            (1 == threads ? "" : "_threads_" + threads) +
            (isContextShared ? "_shared" : "");
    }

    static Traffic parse(final String text)
    {
        final String[] parts = text.split(":", -1);
        return new Traffic(
            parts[0].isEmpty() ? null : Pattern.valueOf(parts[0]),
            parts[1].isEmpty() ? List.of() : parseWeights("the matrix", List.of(parts[1].split(";"))),
            Integer.parseInt(parts[2]),
            Integer.parseInt(parts[3]),
            Boolean.parseBoolean(parts[4]));
    }

    @Override
    public String toString()
    {
        final StringBuilder matrix = new StringBuilder();
        weights.forEach((row) -> matrix.append(row.toString().replaceAll("[\\[\\] ]", "")).append(';'));
        return (null == pattern ? "" : pattern.name()) + ":" + matrix + ":" + window + ":" + threads + ":" +
            isContextShared;
    }
}
