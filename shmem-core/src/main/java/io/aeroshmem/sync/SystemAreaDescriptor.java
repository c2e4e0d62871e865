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
 * {@link io.aeroshmem.transport.Region#SYSTEM}). It is zeroed when a job starts, and has the same layout on all PEs of
 * a job.
 * <pre>
 *   0                +--------------------------------------------------+
 *                    |  heap agreement, even calls: a cell per round    |
 *                    |  (flag: 128 bytes, payload: 128 bytes)           |
 *                    +--------------------------------------------------+
 *                    |  heap agreement, odd calls: a cell per round     |
 *   CREATION CELLS   +--------------------------------------------------+
 *                    |  creation of teams from the world: a cell per PE |
 *   TEAM AREAS       +--------------------------------------------------+
 *                    |  the area of each PredefinedTeam, by ordinal     |
 *                    +--------------------------------------------------+
 * </pre>
 */
public final class SystemAreaDescriptor
{
    /** Distance in bytes between words of different writers. */
    public static final int CELL_LENGTH = 128;

    /** Length in bytes of the arena for areas of created teams. It costs only address space. */
    public static final long MAX_ARENA_LENGTH = 1L << 30;

    private static final int AGREEMENT_CELL_LENGTH = 2 * CELL_LENGTH;

    /*
     * The heap agreement (memory.AllocationConsensus) is a dissemination over the world, in ceil(log2(nPes)) rounds. In
     * round r a PE receives the signal of the PE 2^r ranks before it, so every flag has one writer. Each flag has 128
     * bytes to itself, two cache lines, because adjacent lines are prefetched in pairs. team.CreationCellDescriptor is
     * the layout of a cell for the creation of teams, and TeamAreaDescriptor that of a team's area. The rest of the
     * region, after the layout above, is the arena. It holds the areas of created teams and the record tables of team
     * unique ids (team.TeamSlots).
     */
    private final int rounds;
    private final long creationCellsOffset;
    private final long teamAreasOffset;
    private final long[] teamAreaLengths;

    /**
     * Constructs the layout for a job.
     *
     * @param creationCellLength length of the cell of a PE for the creation of teams, a multiple of 128 bytes.
     * @param teamAreaLengths    lengths of the areas of the predefined teams in bytes, by ordinal.
     */
    public SystemAreaDescriptor(final int nPes, final long creationCellLength, final long... teamAreaLengths)
    {
        rounds = rounds(nPes);
        creationCellsOffset = 2L * rounds * AGREEMENT_CELL_LENGTH;
        teamAreasOffset = creationCellsOffset + nPes * creationCellLength;
        this.teamAreaLengths = teamAreaLengths.clone();
    }

    /** Returns the number of rounds of a dissemination, {@code ceil(log2(size))}. */
    public static int rounds(final int size)
    {
        return Integer.SIZE - Integer.numberOfLeadingZeros(size - 1);
    }

    public long length()
    {
        return teamAreaOffset(teamAreaLengths.length);
    }

    /** Returns the offset in the system region of the cells through which PEs create teams, the same on all PEs. */
    public long creationCellsOffset()
    {
        return creationCellsOffset;
    }

    /** Returns the offset in the system region of the area of a predefined team, the same on all PEs. */
    public long teamAreaOffset(final PredefinedTeam which)
    {
        return teamAreaOffset(which.ordinal());
    }

    private long teamAreaOffset(final int ordinal)
    {
        long offset = teamAreasOffset;
        for (int i = 0; i < ordinal; i++)
        {
            offset += teamAreaLengths[i];
        }

        return offset;
    }

    /**
     * Returns the offset of the 8-byte flag of one round of an agreement.
     *
     * @param call  number of the agreement; its parity selects the half.
     * @param round of the dissemination, from 0.
     */
    public long agreementFlagOffset(final long call, final int round)
    {
        return ((call & 1) * rounds + round) * AGREEMENT_CELL_LENGTH;
    }

    /** Returns the offset of the payload of one round of an agreement, {@value #CELL_LENGTH} bytes long. */
    public long agreementPayloadOffset(final long call, final int round)
    {
        return agreementFlagOffset(call, round) + CELL_LENGTH;
    }
}
