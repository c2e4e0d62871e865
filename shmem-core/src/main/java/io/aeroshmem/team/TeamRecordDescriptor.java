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

/**
 * Layout of a record table. PEs that create a team from a unique id exchange records through it. The table is in the
 * arena ({@link TeamSlots}) of its owner, the PE that made the id. During a creation only the participants write to the
 * table, and the owner need not be one of them. {@link TeamRecordExchange} describes the course of a creation.
 * <pre>
 *   0     +----------------------------------------------------------+
 *         |  state word: serial (26 bits), state (2), arrivals (18), |
 *         |        PE that decided (18)                              |
 *   64    +----------------------------------------------------------+
 *         |  DEPARTURES: participants that know the outcome          |
 *   72    |  COMPLETE: participants that have put their records      |
 *   128   +----------------------------------------------------------+
 *         |  record of PE 0 of the world, written by that PE only    |
 *         |    +0   STAMP: serial of the use of the table            |
 *         |    +8   first words of its CreationRecord                |
 *         |    +64  REASON, see CreationReason, if the PE decided to |
 *         |         fail                                             |
 *         |  record of PE 1 of the world ...                         |
 *         +----------------------------------------------------------+
 * </pre>
 * Numbers in parentheses are lengths in bits. The arrivals are the number of participants that have arrived, and the
 * departures are the number of those that know the outcome. The state is open, made or failed. During a creation the
 * state word changes by compare and swap only. Its serial is new for each use of the table, so that a PE with an
 * outdated id changes nothing.
 */
final class TeamRecordDescriptor
{
    static final long OPEN = 0;
    static final long MADE = 1;
    static final long FAILED = 2;

    static final int DEPARTURES = 64;
    static final int COMPLETE = DEPARTURES + Long.BYTES;
    static final int SLOT_LENGTH = 128;
    static final int SLOT_WORDS = SLOT_LENGTH / Long.BYTES;

    static final int STAMP = 0;
    static final int RECORD = 1;
    static final int REASON = RECORD + CreationRecord.HEAD_WORDS;
    static final int REASON_WORDS = SLOT_WORDS - REASON;

    static final long MAX_SERIAL = (1L << 26) - 1;

    private static final int RECORDS = 128;
    private static final int PE_BITS = 18;
    private static final long PE_MASK = (1L << PE_BITS) - 1;
    private static final int ARRIVALS_SHIFT = PE_BITS;
    private static final int STATE_SHIFT = ARRIVALS_SHIFT + PE_BITS;
    private static final int SERIAL_SHIFT = STATE_SHIFT + 2;

    private TeamRecordDescriptor()
    {
    }

    static long length(final int nPes)
    {
        return RECORDS + (long)nPes * SLOT_LENGTH;
    }

    static long recordOffset(final int pe)
    {
        return RECORDS + (long)pe * SLOT_LENGTH;
    }

    static long stateWord(final long serial, final long state, final int arrivals, final int pe)
    {
        return serial << SERIAL_SHIFT | state << STATE_SHIFT | (long)arrivals << ARRIVALS_SHIFT | pe;
    }

    static long serial(final long word)
    {
        return word >>> SERIAL_SHIFT;
    }

    static long state(final long word)
    {
        return word >>> STATE_SHIFT & 3;
    }

    static int arrivals(final long word)
    {
        return (int)(word >>> ARRIVALS_SHIFT & PE_MASK);
    }

    static int pe(final long word)
    {
        return (int)(word & PE_MASK);
    }
}
