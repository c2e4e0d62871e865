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
import io.aeroshmem.collective.CallRecord;

/**
 * The positions of the words in the record that a participant contributes to the creation of a team
 * ({@link CreationExchange}).
 */
final class CreationRecord
{
    /** PE of the world. */
    static final int PE = 0;
    /** Number of the participant's attempt. */
    static final int ATTEMPT = 1;
    /** Whether it has a slot: a status of {@link io.aeroshmem.collective.CallRecord}, or {@link #ID_IN_USE}. */
    static final int STATUS = 2;
    static final int STATUS_DETAIL = 3;
    /** Offset of its area in its system region. */
    static final int AREA = 4;
    /** Number that names the team, if this is its first member. */
    static final int NUMBER = 5;
    /** Ordering and synchronisation. */
    static final int CONFIG = 6;
    /** Bits of {@link #HAS_ENDPOINT} and following. */
    static final int FLAGS = 7;
    static final int ENDPOINT = 8;
    static final int ID = 9;
    static final int CONTEXTS = 10;
    /** Options of the first contexts, {@link #OPTION_BITS} bits each. */
    static final int CONTEXT_OPTIONS = 11;
    static final int CONTEXT_HASH = 12;
    static final int MEMORY_COUNT = 13;
    static final int MEMORY_ADDRESS = 14;
    static final int MEMORY_LENGTH = 15;
    static final int MEMORY_HASH = 16;
    /** Number of PEs of the endpoint map; 0 without one. */
    static final int MAP_SIZE = 17;
    static final int MAP_HASH = 18;
    static final int COLOR = 19;
    static final int KEY = 20;
    /** Time limit in nanoseconds; 0: none. */
    static final int TIMEOUT = 21;
    static final int WORDS = 22;

    /** Word after the record, in a cell: number of the creation among those that writer and reader have in common. */
    static final int COMMON = WORDS;
    static final int CELL_WORDS = WORDS + 1;

    /** Word after the record, in the program's exchange: rank and number of ranks that the participant has given. */
    static final int PLACE = WORDS;
    /** Word after that: checksum of the words before it. */
    static final int CHECKSUM = PLACE + 1;
    static final int EXCHANGED_WORDS = CHECKSUM + 1;

    static final long HAS_ENDPOINT = 1;
    static final long IS_CONTIGUOUS = 2;
    static final long HAS_ID = 4;

    /** Status: the given id is that of an open team. */
    static final int ID_IN_USE = 5;

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

    /** Returns the place of a participant in the program's exchange. */
    static long place(final int rank, final int ranks)
    {
        return (long)ranks << Integer.SIZE | rank;
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
            record[STATUS] >= CallRecord.OK && record[STATUS] <= ID_IN_USE &&
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
