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
package io.aeroshmem;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Few rows of values in which each pair of values of two columns occurs that occurs in many rows. The choice is greedy
 * and always the same.
 */
final class CoveringArray
{
    private static final int MAX_VALUES = 64;

    private CoveringArray()
    {
    }

    /** Returns the rows of all combinations of values from 0 to below the size of their column. */
    static List<int[]> product(final int... sizes)
    {
        List<int[]> rows = List.of(new int[0]);
        for (final int size : sizes)
        {
            final List<int[]> longer = new ArrayList<>();
            for (final int[] row : rows)
            {
                for (int value = 0; value < size; value++)
                {
                    longer.add(join(row, value));
                }
            }

            rows = longer;
        }

        return rows;
    }

    static int[] join(final int[] row, final int... more)
    {
        final int[] joined = new int[row.length + more.length];
        System.arraycopy(row, 0, joined, 0, row.length);
        System.arraycopy(more, 0, joined, row.length, more.length);
        return joined;
    }

    /** Returns the pairs of values in these rows. */
    static BitSet pairs(final List<int[]> rows)
    {
        final BitSet pairs = new BitSet();
        for (final int[] row : rows)
        {
            add(row, pairs);
        }

        return pairs;
    }

    /** Returns some of the rows, which have the same pairs of values as all of them. */
    static List<int[]> cover(final List<int[]> rows)
    {
        final BitSet missing = pairs(rows);
        final List<int[]> chosen = new ArrayList<>();
        while (!missing.isEmpty())
        {
            int[] best = null;
            int most = 0;
            for (final int[] row : rows)
            {
                final int count = count(row, missing);
                if (count > most)
                {
                    most = count;
                    best = row;
                }
            }

            chosen.add(best);
            final BitSet covered = new BitSet();
            add(best, covered);
            missing.andNot(covered);
        }

        return chosen;
    }

    private static void add(final int[] row, final BitSet pairs)
    {
        for (int i = 0; i < row.length; i++)
        {
            for (int j = 0; j < i; j++)
            {
                pairs.set(pair(row, i, j));
            }
        }
    }

    private static int count(final int[] row, final BitSet pairs)
    {
        int count = 0;
        for (int i = 0; i < row.length; i++)
        {
            for (int j = 0; j < i; j++)
            {
                count += pairs.get(pair(row, i, j)) ? 1 : 0;
            }
        }

        return count;
    }

    private static int pair(final int[] row, final int i, final int j)
    {
        return ((i * row.length + j) * MAX_VALUES + row[i]) * MAX_VALUES + row[j];
    }
}
