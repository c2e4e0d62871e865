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

import java.util.Arrays;
import java.util.Locale;

/** Times of the calls of a sample, and their summary. */
final class SampleTimes
{
    private final long[] ns;
    private int count;

    /** @param capacity number of times that are kept; later ones are left out. */
    SampleTimes(final int capacity)
    {
        ns = new long[capacity];
    }

    void add(final long timeNs)
    {
        if (count < ns.length)
        {
            ns[count++] = timeNs;
        }
    }

    int count()
    {
        return count;
    }

    /** Returns, for example, {@code p50 1.20 us, p99 3.40 us, max 5.60 us (1000 times)}. */
    @Override
    public String toString()
    {
        if (0 == count)
        {
            return "no times";
        }

        final long[] sorted = Arrays.copyOf(ns, count);
        Arrays.sort(sorted);
        return String.format(
            Locale.ROOT,
            "p50 %.2f us, p99 %.2f us, max %.2f us (%d times)",
            percentile(sorted, 50) / 1e3, percentile(sorted, 99) / 1e3, sorted[count - 1] / 1e3, count);
    }

    /** Returns the lowest time that at least this percentage of all times does not exceed. */
    private static long percentile(final long[] sorted, final int percentage)
    {
        return sorted[(int)((sorted.length * (long)percentage + 99) / 100) - 1];
    }
}
