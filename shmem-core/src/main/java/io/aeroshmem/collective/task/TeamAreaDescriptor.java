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

import io.aeroshmem.PredefinedTeam;
import io.aeroshmem.sync.SystemAreaDescriptor;
import io.aeroshmem.transport.endpoint.Placement;

/**
 * Layout of a team's area: the part of a member's system region through which the other members signal it. The area of
 * a predefined team has the same offset on all members. In other teams, every member has its area at an offset of its
 * own, which the others receive when the team is created. {@link PeerMailboxes} explains steps, slots and pieces, and
 * {@link SharedSlices} explains slices. In the diagram, "we" are the owner of the area, and "it" is rank 0.
 * <pre>
 *   0        +----------------------------------------------------------------------+
 *            |  mailbox 0, written by rank 0 only                                   |
 *            |    +0    GRANTED   step in which rank 0 opened its memory to us      |
 *            |    +8    RELEASED  step in which rank 0 released our memory          |
 *            |    +16   ARRIVED   number of pieces that it has put into our memory  |
 *            |    +24   CONSUMED  number of slots from us that it has consumed      |
 *            |    +32   SYNCED    number of the last even barrier that it entered   |
 *            |    +40             number of the last odd barrier that it entered    |
 *            |    +48   CLOSED    1 when it has closed the team                     |
 *            |    +56   CALLED    number of the last call that it announced         |
 *            |    +64   HISTORY   history of its calls when it closed the team      |
 *            |    +128  slot 0: stamp (8), unused (8), payload                      |
 *            |          slot 1 ...                                                  |
 *            +----------------------------------------------------------------------+
 *            |  mailbox 1 ...                                                       |
 *            |  our own mailbox, to which no member sends:                          |
 *            |    +0    CLAIMED   blocks of our slice that members have taken       |
 *            |    +64   FINISHED  blocks of our slice that members have finished    |
 *            +----------------------------------------------------------------------+
 *            |  the same for requests                                               |
 *            +----------------------------------------------------------------------+
 *            |  the same for the matching of requests                               |
 *            +----------------------------------------------------------------------+
 *            |  creation cell 0, written by rank 0 only                             |
 *            |  creation cell 1 ...                                                 |
 *            +----------------------------------------------------------------------+
 * </pre>
 */
public final class TeamAreaDescriptor
{
    /** Number of slots in a mailbox, a power of two. */
    public static final int SLOTS = 4;

    /** Capacity of a slot in bytes. */
    public static final int SLOT_PAYLOAD = 240;

    /** Length of a creation cell in bytes; its layout is that of {@code team.CreationCellDescriptor}. */
    public static final int CREATION_CELL_LENGTH = 3 * SystemAreaDescriptor.CELL_LENGTH;

    static final int GRANTED = 0;
    static final int RELEASED = 8;
    static final int ARRIVED = 16;
    static final int CONSUMED = 24;
    static final int SYNCED = 32;
    static final int CLOSED = 48;
    static final int CALLED = 56;
    static final int HISTORY = 64;
    static final int PAYLOAD = 16;
    static final int CLAIMED = 0;
    static final int FINISHED = 64;

    private static final int COUNTERS_LENGTH = SystemAreaDescriptor.CELL_LENGTH;
    private static final int SLOT_LENGTH = PAYLOAD + SLOT_PAYLOAD;
    private static final int MAILBOX_LENGTH = COUNTERS_LENGTH + SLOTS * SLOT_LENGTH;

    /*
     * GRANTED, RELEASED, SYNCED, CALLED and the stamps of slots are sync.Stamps. A member whose request has waited for
     * a long time announces that request in CALLED. A member also writes GRANTED, RELEASED and CALLED again after many
     * steps, because numbers wrap (PeerMailboxes). HISTORY is written before CLOSED, or before the member announces
     * that it closes its PE; it is 0 if the member has made no calls.
     *
     * The mailbox of another member has one writer, that member, and one reader, the owner of the area. So the counters
     * of the mailbox can share a cache line. Words of different writers are 128 bytes apart, because adjacent lines are
     * prefetched in pairs. Our own mailbox differs: every member that maps this memory may write its two words CLAIMED
     * and FINISHED (SharedSlices). These two words are only 64 bytes apart, each on a line of its own.
     *
     * Team.split uses the creation cells; team.CreationCellDescriptor is their layout.
     */
    private final int size;

    /**
     * Constructs the layout for a team.
     *
     * @param size number of members, 1 or more.
     */
    public TeamAreaDescriptor(final int size)
    {
        this.size = size;
    }

    /**
     * Returns the layout of the system region of a PE, equal on all PEs: the area of a predefined team has room for the
     * largest team of its kind.
     */
    public static SystemAreaDescriptor systemArea(final Placement placement)
    {
        final long[] lengths = new long[PredefinedTeam.values().length];
        for (final PredefinedTeam which : PredefinedTeam.values())
        {
            final int size = switch (which)
            {
                case WORLD -> placement.nPes();
                case SHARED, NODE -> placement.maxPesOfHost();
                case SAME_MYPE_NODE -> placement.hosts();
            };
            lengths[which.ordinal()] = new TeamAreaDescriptor(size).length();
        }

        return new SystemAreaDescriptor(placement.nPes(), CREATION_CELL_LENGTH, lengths);
    }

    /** Returns the length of the area in bytes, a multiple of 128. */
    public long length()
    {
        return creationCellsOffset() + (long)size * CREATION_CELL_LENGTH;
    }

    /** Returns the offset in the area of the mailboxes of requests; those of blocking calls are at 0. */
    public long requestsOffset()
    {
        return (long)size * MAILBOX_LENGTH;
    }

    /** Returns the offset in the area of the mailboxes by which requests are matched. */
    public long matchingOffset()
    {
        return 2L * size * MAILBOX_LENGTH;
    }

    /** Returns the offset in the area of the cells through which the members split the team. */
    public long creationCellsOffset()
    {
        return 3L * size * MAILBOX_LENGTH;
    }

    /** Returns the offset in the area of the mailbox that a member writes. */
    public long mailboxOffset(final int rank)
    {
        return (long)rank * MAILBOX_LENGTH;
    }

    /** Returns the offset in the mailbox of a slot; slots are counted from 1. */
    static long slotOffset(final long number)
    {
        return COUNTERS_LENGTH + ((number - 1) & (SLOTS - 1)) * SLOT_LENGTH;
    }
}
