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

import io.aeroshmem.collective.task.TeamAreaDescriptor;

/**
 * Layout of a creation cell: the memory of a PE in which one other PE publishes its part in an attempt to create a team
 * ({@link CreationExchange}). That other PE is the writer of the cell. The coordinator of an attempt is the participant
 * that decides the outcome. The cell consists of three blocks:
 * <pre>
 *   0     +----------------------------------------------------------+
 *         |  RECORD: contribution of the writer                      |
 *         |    +0   stamp: number of the writer's attempt            |
 *         |    +8   checksum of stamp and words                      |
 *         |    +16  up to 30 words, see CreationRecord               |
 *   256   +----------------------------------------------------------+
 *         |  PHASE: progress of the writer                           |
 *         |    +0   stamp: number of the attempt, phase (8 bits)     |
 *         |    +8   checksum of stamp and words                      |
 *         |    +16  words, see CreationPhase                         |
 *   368   +----------------------------------------------------------+
 *         |  MADE: the last attempt that the writer, as coordinator, |
 *         |  has ended with a team                                   |
 *         |    +0   stamp: number of the attempt                     |
 *         |    +8   checksum of the stamp                            |
 *   384   +----------------------------------------------------------+
 * </pre>
 * The writer writes the words of a block first and the stamp last, and may overwrite the block at any time. If a reader
 * loads words that belong to another stamp, the checksum shows this, and the reader reads again later.
 * <p>
 * MADE has a block of its own, apart from PHASE, for the following reason. After an attempt that made a team, the
 * coordinator may publish in PHASE that its next attempt has failed, before a participant of the successful attempt has
 * read the outcome. MADE still shows this outcome to that participant.
 */
final class CreationCellDescriptor
{
    static final int LENGTH = TeamAreaDescriptor.CREATION_CELL_LENGTH;

    static final int RECORD = 0;
    static final int PHASE = 256;
    static final int MADE = 368;

    static final int CHECKSUM = Long.BYTES;
    static final int WORDS = 2 * Long.BYTES;

    private static final long FACTOR = 0x9E3779B97F4A7C15L;

    private CreationCellDescriptor()
    {
    }

    /** Returns the offset of the cell of a writer among the cells of a PE. */
    static long cellOffset(final int writer)
    {
        return (long)writer * LENGTH;
    }

    /** Returns the checksum of a stamp and the words that belong to it. */
    static long checksum(final long stamp, final long[] words, final int from, final int count)
    {
        long sum = mix(FACTOR, stamp);
        for (int i = 0; i < count; i++)
        {
            sum = mix(sum, words[from + i]);
        }

        return sum;
    }

    /** Returns the hash of a value and what was hashed before it. */
    static long mix(final long hash, final long value)
    {
        final long product = (hash ^ value) * FACTOR;
        return product ^ product >>> Integer.SIZE;
    }
}
