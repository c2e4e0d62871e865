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
package io.aeroshmem.collective.task;

import java.util.BitSet;

/**
 * A list of PEs, formatted for the text of an exception: consecutive PEs become a range.
 */
public final class PeList
{
    private final BitSet pes = new BitSet();

    /** Adds a PE. */
    public void add(final int pe)
    {
        pes.set(pe);
    }

    /** Returns the PEs in ascending order, such as {@code PE 3} or {@code PEs 0-2, 5}. */
    @Override
    public String toString()
    {
        final StringBuilder text = new StringBuilder(1 == pes.cardinality() ? "PE " : "PEs ");
        String separator = "";
        int first = pes.nextSetBit(0);
        while (first >= 0)
        {
            final int end = pes.nextClearBit(first);
            text.append(separator).append(first);
            if (end - first > 1)
            {
                text.append(end - first > 2 ? "-" : ", ").append(end - 1);
            }

            separator = ", ";
            first = pes.nextSetBit(end);
        }

        return text.toString();
    }
}
