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
package io.aeroshmem.transport.rendezvous;

import java.util.Arrays;

/**
 * Conversion of lists of PEs to ranges, the form in which the lists are sent and printed.
 */
final class PeRanges
{
    /** Maximum number of ranges in a text: the message of a failure holds at most 2 KiB. */
    private static final int MAX_RUNS_SHOWN = 32;

    private PeRanges()
    {
    }

    /** Returns the first and last rank of each range, in the order of the list; a duplicate rank begins a new range. */
    static int[] runs(final int[] pes)
    {
        final int[] runs = new int[2 * pes.length];
        int length = 0;
        for (final int pe : pes)
        {
            if (length > 0 && Integer.MAX_VALUE != runs[length - 1] && runs[length - 1] + 1 == pe)
            {
                runs[length - 1] = pe;
            }
            else
            {
                runs[length++] = pe;
                runs[length++] = pe;
            }
        }

        return Arrays.copyOf(runs, length);
    }

    /** Returns a text for messages: "PE 2", "PEs 0, 2-5, 9". */
    static String text(final int[] pes)
    {
        final int[] sorted = pes.clone();
        Arrays.sort(sorted);
        final int[] runs = runs(sorted);
        final StringBuilder builder = new StringBuilder(1 == pes.length ? "PE " : "PEs ");
        for (int i = 0; i < runs.length; i += 2)
        {
            if (2 * MAX_RUNS_SHOWN == i)
            {
                return builder.append(" ... (").append(pes.length).append(" in all)").toString();
            }

            builder.append(0 == i ? "" : ", ").append(runs[i]);
            if (runs[i] != runs[i + 1])
            {
                builder.append(runs[i] + 1 == runs[i + 1] ? ", " : "-").append(runs[i + 1]);
            }
        }

        return builder.toString();
    }
}
