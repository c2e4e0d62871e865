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
 * The evaluation of the records of a {@link TeamRecordExchange}. The result is a complete team, the need for more
 * records, or a failure. The reason of a failure is encoded in numbers, so that every participant derives the same
 * message.
 */
final class TeamCreationOutcome
{
    static final int COMPLETE = 0;
    static final int INCOMPLETE = 1;
    static final int WITHDRAWN = 2;
    static final int CALLED_TWICE = 3;
    private static final int DIFFERENT_SIZES = 4;
    private static final int BAD_SIZE = 5;
    private static final int BAD_INDEX = 6;
    private static final int SAME_INDEX = 7;
    private static final int DIFFERENT_CONFIGS = 8;
    private static final int NO_SLOT = 9;

    private TeamCreationOutcome()
    {
    }

    /**
     * Evaluates the records that are present.
     *
     * @param records of all PEs of the world.
     * @param serial  that stamps those of this creation.
     * @return {@link #COMPLETE}, {@link #INCOMPLETE} or another reason, and its details.
     */
    static long[] of(final long[] records, final long serial)
    {
        final int nPes = records.length / TeamRecordDescriptor.SLOT_WORDS;
        final int[] peByIndex = new int[nPes];
        int count = 0;
        int first = 0;
        for (int pe = 0; pe < nPes; pe++)
        {
            if (serial == word(records, pe, TeamRecordDescriptor.STAMP))
            {
                first = 0 == count++ ? pe : first;
                final long[] reason = violation(records, first, pe, peByIndex);
                if (null != reason)
                {
                    return reason;
                }
            }
        }

        return reason(count > 0 && count == size(records, first) ? COMPLETE : INCOMPLETE, 0, 0, 0, 0);
    }

    private static long[] violation(final long[] records, final int first, final int pe, final int[] peByIndex)
    {
        final int size = size(records, pe);
        final int index = index(records, pe);
        if (size != size(records, first))
        {
            return reason(DIFFERENT_SIZES, first, size(records, first), pe, size);
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
        final long config = word(records, pe, TeamRecordDescriptor.CONFIG);
        if (config != word(records, first, TeamRecordDescriptor.CONFIG))
        {
            return reason(DIFFERENT_CONFIGS, first, word(records, first, TeamRecordDescriptor.CONFIG), pe, config);
        }

        final long status = word(records, pe, TeamRecordDescriptor.STATUS);
        return CallRecord.OK == status ? null :
            reason(NO_SLOT, pe, status, word(records, pe, TeamRecordDescriptor.DETAIL), 0);
    }

    static long[] reason(final int code, final long first, final long second, final long third, final long fourth)
    {
        return new long[]{ code, first, second, third, fourth };
    }

    /** Returns a failure reason as part of a sentence. */
    static String describe(final long[] reason)
    {
        switch ((int)reason[0])
        {
            case WITHDRAWN:
                return "PE " + reason[1] + " stopped waiting for others, by its operation timeout or an interrupt";

            case CALLED_TWICE:
                return "teamInit must be called once with an id: PE " + reason[1] + " called it twice";

            case DIFFERENT_SIZES:
                return "npes must be the same on all PEs of the team: PE " + reason[1] + " specified npes=" +
                    reason[2] + ", PE " + reason[3] + " npes=" + reason[4];

            case BAD_SIZE:
                return "npes must be 1 to " + reason[3] + ": PE " + reason[1] + " specified npes=" + reason[2];

            case BAD_INDEX:
                return "peIndexInTeam must be 0 to " + (reason[3] - 1) + ", less than npes: PE " + reason[1] +
                    " specified peIndexInTeam=" + reason[2];

            case SAME_INDEX:
                return "peIndexInTeam must differ between the PEs of the team: PE " + reason[1] + " and PE " +
                    reason[2] + " specified peIndexInTeam=" + reason[3];

            case DIFFERENT_CONFIGS:
                return "the configuration must be the same on all PEs of the team: PE " + reason[1] + " specified " +
                    TeamSplitting.describeConfig(reason[2]) + ", PE " + reason[3] + " " +
                    TeamSplitting.describeConfig(reason[4]);

            default:
                return "PE " + reason[1] + " " + TeamSplitting.explain((int)reason[2], reason[3]);
        }
    }

    static long word(final long[] records, final int pe, final int word)
    {
        return records[pe * TeamRecordDescriptor.SLOT_WORDS + word];
    }

    static int size(final long[] records, final int pe)
    {
        return (int)(word(records, pe, TeamRecordDescriptor.SIZE_AND_INDEX) >> Integer.SIZE);
    }

    static int index(final long[] records, final int pe)
    {
        return (int)word(records, pe, TeamRecordDescriptor.SIZE_AND_INDEX);
    }
}
