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
package io.aeroshmem.sync;

import io.aeroshmem.PredefinedTeam;

/**
 * Layout of the system area, the library's own symmetric memory on every PE (region
 * {@link io.aeroshmem.transport.Region#SYSTEM}). It is zero when a job starts, and the same on all PEs of a job.
 * <pre>
 *   0                +--------------------------------------------------+
 *                    |  private cell: results fetched by the library    |
 *                    |  itself, never addressed by a peer               |
 *   AGREEMENT        +--------------------------------------------------+
 *                    |  heap agreement, even calls: a cell per round    |
 *                    |  (flag: 128 bytes, payload: 128 bytes)           |
 *                    +--------------------------------------------------+
 *                    |  heap agreement, odd calls: a cell per round     |
 *   TEAM AREAS       +--------------------------------------------------+
 *                    |  the area of each PredefinedTeam, by ordinal     |
 *                    +--------------------------------------------------+
 * </pre>
 * Rounds are those of a dissemination over the world, {@code ceil(log2(nPes))}: in round {@code r} a PE hears from
 * the one {@code 2^r} ranks before it, so that every flag has one writer. Each flag has 128 bytes to itself, two
 * cache lines, because adjacent lines are prefetched in pairs. Team areas come last: the area can grow by more of
 * them.
 */
public final class SystemAreaDescriptor
{
    /**
     * Distance in bytes between words that different PEs write.
     */
    public static final int CELL_LENGTH = 128;

    /**
     * Offset of the cell that only the PE itself uses, for a result of an atomic operation issued by the library.
     */
    public static final long PRIVATE_CELL_OFFSET = 0;

    /**
     * Length in bytes of the arena that areas of created teams are taken from. It costs address space and nothing
     * else; a user heap of less than 2 GiB leaves it what room is left in a mapping of that length.
     */
    public static final long MAX_ARENA_LENGTH = 1L << 30;

    private static final int PREDEFINED_TEAMS = PredefinedTeam.values().length;
    private static final long AGREEMENT_OFFSET = CELL_LENGTH;
    private static final int AGREEMENT_CELL_LENGTH = 2 * CELL_LENGTH;

    private final int rounds;
    private final long teamAreasOffset;
    private final long teamAreaLength;

    /**
     * Construct the layout for a job.
     *
     * @param nPes           number of PEs in the job, 1 or more.
     * @param teamAreaLength length of the area of a team of all PEs, in bytes.
     */
    public SystemAreaDescriptor(final int nPes, final long teamAreaLength)
    {
        rounds = rounds(nPes);
        teamAreasOffset = AGREEMENT_OFFSET + 2L * rounds * AGREEMENT_CELL_LENGTH;
        this.teamAreaLength = teamAreaLength;
    }

    /**
     * Number of rounds of a dissemination.
     *
     * @param size number of PEs that take part, 1 or more.
     * @return {@code ceil(log2(size))}.
     */
    public static int rounds(final int size)
    {
        return Integer.SIZE - Integer.numberOfLeadingZeros(size - 1);
    }

    /**
     * Length of the whole area.
     *
     * @return length in bytes.
     */
    public long length()
    {
        return teamAreasOffset + PREDEFINED_TEAMS * teamAreaLength;
    }

    /**
     * Where the area of a predefined team begins, the same on all PEs.
     *
     * @param which of the predefined teams.
     * @return offset in the system region.
     */
    public long teamAreaOffset(final PredefinedTeam which)
    {
        return teamAreasOffset + which.ordinal() * teamAreaLength;
    }

    /**
     * Where the flag of one round of an agreement lies.
     *
     * @param call  number of the agreement; its parity chooses the half.
     * @param round of the dissemination, from 0.
     * @return offset of the 8-byte flag.
     */
    public long agreementFlagOffset(final long call, final int round)
    {
        return AGREEMENT_OFFSET + ((call & 1) * rounds + round) * AGREEMENT_CELL_LENGTH;
    }

    /**
     * Where the payload of one round of an agreement lies.
     *
     * @param call  number of the agreement; its parity chooses the half.
     * @param round of the dissemination, from 0.
     * @return offset of the payload, {@value #CELL_LENGTH} bytes long.
     */
    public long agreementPayloadOffset(final long call, final int round)
    {
        return agreementFlagOffset(call, round) + CELL_LENGTH;
    }
}
