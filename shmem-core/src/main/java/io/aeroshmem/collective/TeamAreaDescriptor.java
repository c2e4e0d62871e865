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
package io.aeroshmem.collective;

import io.aeroshmem.sync.SystemAreaDescriptor;

/**
 * Layout of a team's area: the memory that a member has for the team in its system region, where the other members
 * tell it things. Every member has its area at an offset of its own, which the others learn when the team is created.
 * <pre>
 *   0        +------------------------------------------------------------------+
 *            |  lane 0, written by rank 0 and by nobody else                    |
 *            |    +0    ENTERED   step in which rank 0 let us touch its memory  |
 *            |    +8    LEFT      step in which rank 0 had done with ours       |
 *            |    +16   ARRIVED   pieces it has put into our memory             |
 *            |    +24   CONSUMED  cells of ours that it has taken               |
 *            |    +32   SYNCED    even barrier that it has entered              |
 *            |    +40             odd barrier that it has entered               |
 *            |    +48   FREED     pieces in its landing place it has done with  |
 *            |    +56   CLOSED    1 when it has closed the team                 |
 *            |    +128  cell 0: stamp (8), unused (8), payload                  |
 *            |          cell 1 ...                                              |
 *            +------------------------------------------------------------------+
 *            |  lane 1 ...                                                      |
 *   SCRATCH  +------------------------------------------------------------------+
 *            |  landing place for pieces that are combined, not stored          |
 *            +------------------------------------------------------------------+
 * </pre>
 * ENTERED, LEFT, SYNCED and the stamps of cells are {@link io.aeroshmem.sync.Stamp}s. A lane has one writer and one
 * reader, so its counters share a line. Different writers are 128 bytes apart, because adjacent lines are prefetched in
 * pairs.
 */
public final class TeamAreaDescriptor
{
    /**
     * Number of cells in a lane, a power of two.
     */
    public static final int CELLS = 4;

    /**
     * Most bytes that a cell carries.
     */
    public static final int CELL_PAYLOAD = 240;

    /**
     * Length of the landing place.
     */
    public static final int SCRATCH_LENGTH = 16 * 1024;

    static final int ENTERED = 0;
    static final int LEFT = 8;
    static final int ARRIVED = 16;
    static final int CONSUMED = 24;
    static final int SYNCED = 32;
    static final int FREED = 48;
    static final int CLOSED = 56;
    static final int PAYLOAD = 16;

    private static final int COUNTERS_LENGTH = SystemAreaDescriptor.CELL_LENGTH;
    private static final int CELL_LENGTH = PAYLOAD + CELL_PAYLOAD;
    private static final int LANE_LENGTH = COUNTERS_LENGTH + CELLS * CELL_LENGTH;

    private final long scratchOffset;

    /**
     * Construct the layout for a team.
     *
     * @param size number of members, 1 or more.
     */
    public TeamAreaDescriptor(final int size)
    {
        scratchOffset = (long)size * LANE_LENGTH;
    }

    /**
     * Length of the area.
     *
     * @return in bytes, a multiple of 128.
     */
    public long length()
    {
        return scratchOffset + SCRATCH_LENGTH;
    }

    /**
     * Where the lane of a member begins.
     *
     * @param rank of the member that writes it.
     * @return offset in the area.
     */
    public long laneOffset(final int rank)
    {
        return (long)rank * LANE_LENGTH;
    }

    /**
     * Where the landing place begins.
     *
     * @return offset in the area, of {@link #SCRATCH_LENGTH} bytes.
     */
    public long scratchOffset()
    {
        return scratchOffset;
    }

    /**
     * Where a cell lies.
     *
     * @param number of the cell on its lane, from 1.
     * @return offset in the lane.
     */
    static long cellOffset(final long number)
    {
        return COUNTERS_LENGTH + ((number - 1) & (CELLS - 1)) * CELL_LENGTH;
    }
}
