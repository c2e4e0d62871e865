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

import io.aeroshmem.Ordering;
import io.aeroshmem.Synchronization;
import io.aeroshmem.TeamConfig;
import io.aeroshmem.collective.task.CallRecord;
import io.aeroshmem.collective.task.TeamAreaDescriptor;

/**
 * The positions of the words in the record that a participant contributes to the creation of a team, whichever way it
 * is created. {@link CreationOutcome} derives the outcome from the records of all participants.
 */
final class CreationRecord
{
    /** PE of the world. */
    static final int PE = 0;
    /** Rank and number of ranks that the participant has given to the program's exchange, or to teamInit. */
    static final int PLACE = 1;
    /** Whether it has a slot: {@link #OK} or another status. */
    static final int STATUS = 2;
    static final int STATUS_DETAIL = 3;
    /** Offset of its area in its system region. */
    static final int AREA = 4;
    /** Number that names the team, if this is its first member. */
    static final int NUMBER = 5;
    /** Ordering and synchronisation of createTeam; packed {@link TeamConfig} of teamInit and the blocking splits. */
    static final int CONFIG = 6;
    /** Words that teamInit and the blocking splits use. */
    static final int HEAD_WORDS = 7;

    /** Number of the participant's attempt. */
    static final int ATTEMPT = 7;
    /** Bits of {@link #HAS_ENDPOINT} and following. */
    static final int FLAGS = 8;
    static final int ENDPOINT = 9;
    static final int ID = 10;
    static final int CONTEXTS = 11;
    /** Options of the first contexts, {@link #OPTION_BITS} bits each. */
    static final int CONTEXT_OPTIONS = 12;
    static final int CONTEXT_HASH = 13;
    static final int MEMORY_COUNT = 14;
    static final int MEMORY_ADDRESS = 15;
    static final int MEMORY_LENGTH = 16;
    static final int MEMORY_HASH = 17;
    /** Number of PEs of the endpoint map; 0 without one. */
    static final int MAP_SIZE = 18;
    static final int MAP_HASH = 19;
    static final int COLOR = 20;
    static final int KEY = 21;
    /** Time limit in nanoseconds; 0: none. */
    static final int TIMEOUT = 22;
    static final int WORDS = 23;

    /** Word after the record, in a cell: number of the creation among those that writer and reader have in common. */
    static final int COMMON = WORDS;
    static final int CELL_WORDS = WORDS + 1;

    /** Word after the record, in the program's exchange: checksum of the words before it. */
    static final int CHECKSUM = WORDS;
    static final int EXCHANGED_WORDS = WORDS + 1;

    /** Status: the participant has what it needs. */
    static final int OK = CallRecord.OK;
    /** Status: it has reached its limit of teams. The detail is the limit. */
    static final int TOO_MANY = 2;
    /** Status: its arena has no room. The detail is the length that it needs, in bytes. */
    static final int NO_ROOM = 3;
    /** Status: its file system has no memory. The detail is the length that it needs, in bytes. */
    static final int NO_MEMORY = 4;
    /** Status: the given id is that of an open team. The detail is the id. */
    static final int ID_IN_USE = 5;

    static final long HAS_ENDPOINT = 1;
    static final long IS_CONTIGUOUS = 2;
    static final long HAS_ID = 4;

    static final int OPTION_BITS = 3;
    static final int SHOWN_CONTEXTS = Long.SIZE / OPTION_BITS;

    private static final int ORDERING_SHIFT = 8;
    private static final int ORDERINGS = Ordering.values().length;
    private static final int SYNCHRONIZATIONS = Synchronization.values().length;

    private CreationRecord()
    {
    }

    static long config(final int ordering, final int synchronization)
    {
        return (long)ordering << ORDERING_SHIFT | synchronization;
    }

    /** Packs a configuration: its effective values, whatever its mask, and whether it has a unique id. */
    static long config(final TeamConfig config)
    {
        return (config.mask() & TeamConfig.UNIQUE_ID) << Integer.SIZE | config.numContexts();
    }

    static boolean hasUniqueId(final long config)
    {
        return 0 != (config >>> Integer.SIZE & TeamConfig.UNIQUE_ID);
    }

    /** Returns the status of a participant for which {@link TeamSlots#take} has returned an area or why it has none. */
    static int status(final long area)
    {
        return area >= 0 ? OK : TeamSlots.TOO_MANY == area ? TOO_MANY :
            TeamSlots.NO_ROOM == area ? NO_ROOM : NO_MEMORY;
    }

    /** Describes the slot of a participant, and takes a number for the team. */
    static void slot(final long[] record, final TeamSlots slots, final long area, final int size)
    {
        record[STATUS] = status(area);
        record[STATUS_DETAIL] = TOO_MANY == record[STATUS] ? slots.maxTeams() : new TeamAreaDescriptor(size).length();
        record[AREA] = area;
        record[NUMBER] = slots.nextNumber();
    }

    static int ordering(final long config)
    {
        return (int)(config >>> ORDERING_SHIFT);
    }

    static int synchronization(final long config)
    {
        return (int)config & 0xFF;
    }

    static boolean has(final long[] record, final long flag)
    {
        return 0 != (record[FLAGS] & flag);
    }

    /** Returns the place of a participant. */
    static long place(final int rank, final int ranks)
    {
        return (long)ranks << Integer.SIZE | rank & 0xFFFF_FFFFL;
    }

    static int rank(final long place)
    {
        return (int)place;
    }

    static int ranks(final long place)
    {
        return (int)(place >>> Integer.SIZE);
    }

    /** Returns whether each word has a value that a participant can have given, apart from its PE and its area. */
    static boolean isInRange(final long[] record)
    {
        return record[ATTEMPT] > 0 && record[ATTEMPT] <= CreationPhase.MAX_ATTEMPT &&
            record[STATUS] >= OK && record[STATUS] <= ID_IN_USE &&
            record[CONFIG] >= 0 && record[CONFIG] >>> ORDERING_SHIFT < ORDERINGS &&
            synchronization(record[CONFIG]) < SYNCHRONIZATIONS &&
            0 == (record[FLAGS] & ~(HAS_ENDPOINT | IS_CONTIGUOUS | HAS_ID)) &&
            record[CONTEXTS] >= 0 && record[MEMORY_COUNT] >= 0 && record[MAP_SIZE] >= 0 && record[TIMEOUT] >= 0;
    }

    /** Returns the hash of the records of all participants, in their order. */
    static long hash(final long[][] records)
    {
        long hash = records.length;
        for (final long[] record : records)
        {
            for (final long word : record)
            {
                hash = CreationCellDescriptor.mix(hash, word);
            }
        }

        return hash;
    }
}
