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
package io.aeroshmem.team;

import io.aeroshmem.collective.CallRecord;

/**
 * What the rows of a rendezvous come to: a team, the wait for more rows, or the reason of a failure in numbers, from
 * which every participant makes the same message.
 */
final class RendezvousVerdict
{
    static final int COMPLETE = 0;
    static final int INCOMPLETE = 1;
    static final int GAVE_UP = 2;
    static final int CALLED_TWICE = 3;
    private static final int DIFFERENT_SIZES = 4;
    private static final int BAD_SIZE = 5;
    private static final int BAD_INDEX = 6;
    private static final int SAME_INDEX = 7;
    private static final int DIFFERENT_CONFIGS = 8;
    private static final int NO_SLOT = 9;

    private RendezvousVerdict()
    {
    }

    /**
     * Judge the rows that are there.
     *
     * @param rows   of all PEs of the world.
     * @param serial that stamps those of this rendezvous.
     * @return {@link #COMPLETE} or {@link #INCOMPLETE} or another reason, and its details.
     */
    static long[] of(final long[] rows, final long serial)
    {
        final int nPes = rows.length / RendezvousDescriptor.ROW_WORDS;
        final int[] peByIndex = new int[nPes];
        int count = 0;
        int first = 0;
        for (int pe = 0; pe < nPes; pe++)
        {
            if (serial == word(rows, pe, RendezvousDescriptor.STAMP))
            {
                first = 0 == count++ ? pe : first;
                final long[] reason = complaint(rows, first, pe, peByIndex);
                if (null != reason)
                {
                    return reason;
                }
            }
        }

        return reason(count > 0 && count == size(rows, first) ? COMPLETE : INCOMPLETE, 0, 0, 0, 0);
    }

    private static long[] complaint(final long[] rows, final int first, final int pe, final int[] peByIndex)
    {
        final int size = size(rows, pe);
        final int index = index(rows, pe);
        if (size != size(rows, first))
        {
            return reason(DIFFERENT_SIZES, first, size(rows, first), pe, size);
        }

        if (size < 1 || size > peByIndex.length)
        {
            return reason(BAD_SIZE, pe, size, peByIndex.length, 0);
        }

        if (index < 0 || index >= size)
        {
            return reason(BAD_INDEX, pe, index, size, 0);
        }

        if (0 != peByIndex[index])
        {
            return reason(SAME_INDEX, peByIndex[index] - 1, pe, index, 0);
        }

        peByIndex[index] = pe + 1;
        final long config = word(rows, pe, RendezvousDescriptor.CONFIG);
        if (config != word(rows, first, RendezvousDescriptor.CONFIG))
        {
            return reason(DIFFERENT_CONFIGS, first, word(rows, first, RendezvousDescriptor.CONFIG), pe, config);
        }

        final long status = word(rows, pe, RendezvousDescriptor.STATUS);
        return CallRecord.OK == status ? null :
            reason(NO_SLOT, pe, status, word(rows, pe, RendezvousDescriptor.DETAIL), 0);
    }

    static long[] reason(final int code, final long first, final long second, final long third, final long fourth)
    {
        return new long[]{ code, first, second, third, fourth };
    }

    /**
     * A reason in words.
     *
     * @param reason of a failure.
     * @return a part of a sentence.
     */
    static String describe(final long[] reason)
    {
        switch ((int)reason[0])
        {
            case GAVE_UP:
                return "PE " + reason[1] + " gave up waiting for others, by its operation timeout or an interrupt";

            case CALLED_TWICE:
                return "PE " + reason[1] + " called teamInit with it twice; allowed is once";

            case DIFFERENT_SIZES:
                return "PE " + reason[1] + " gave npes " + reason[2] + ", PE " + reason[3] + " npes " + reason[4] +
                    "; allowed is the same on all PEs of the team";

            case BAD_SIZE:
                return "PE " + reason[1] + " gave npes " + reason[2] + "; allowed is 1 to " + reason[3];

            case BAD_INDEX:
                return "PE " + reason[1] + " gave peIndexInTeam " + reason[2] + "; allowed is 0 to " +
                    (reason[3] - 1) + ", less than npes";

            case SAME_INDEX:
                return "PE " + reason[1] + " and PE " + reason[2] + " both gave peIndexInTeam " + reason[3] +
                    "; allowed is another one on each PE of the team";

            case DIFFERENT_CONFIGS:
                return "PE " + reason[1] + " gave the configuration " + TeamSplitting.describeConfig(reason[2]) +
                    ", PE " + reason[3] + " " + TeamSplitting.describeConfig(reason[4]) +
                    "; allowed is the same on all PEs of the team";

            default:
                return "PE " + reason[1] + " " + TeamSplitting.explain((int)reason[2], reason[3]);
        }
    }

    static long word(final long[] rows, final int pe, final int word)
    {
        return rows[pe * RendezvousDescriptor.ROW_WORDS + word];
    }

    static int size(final long[] rows, final int pe)
    {
        return (int)(word(rows, pe, RendezvousDescriptor.SIZE_AND_INDEX) >> Integer.SIZE);
    }

    static int index(final long[] rows, final int pe)
    {
        return (int)word(rows, pe, RendezvousDescriptor.SIZE_AND_INDEX);
    }
}
