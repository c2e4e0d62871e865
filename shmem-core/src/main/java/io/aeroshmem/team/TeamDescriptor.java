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
 * A created team, as each member knows it.
 *
 * @param name       equal on all members, and unique in the job.
 * @param membership its members.
 * @param areas      offset of each member's area ({@link TeamSlots}) in the system region of that member, by rank.
 * @param endpoints  numbers that the program has given the members ({@link io.aeroshmem.TeamParams#endpoint}), by rank;
 *                   null if they are the ranks.
 * @param id         generated for the team, see {@link TeamIds}.
 */
public record TeamDescriptor(String name, Membership membership, long[] areas, long[] endpoints, long id)
{
    /**
     * Returns the team that its members' {@linkplain CreationRecord records} describe.
     *
     * @param records   of the participants.
     * @param members   indices of the members among the participants, by rank.
     * @param axis      1 if the team is a row of a grid, 2 if it is a column, else 0.
     * @param endpoints that the program has given the members, or null.
     * @param nPes      number of PEs of the world.
     */
    static TeamDescriptor of(
        final long[][] records,
        final int[] members,
        final int axis,
        final long[] endpoints,
        final int nPes,
        final int myPe)
    {
        final int[] worldPes = new int[members.length];
        final long[] areas = new long[members.length];
        for (int rank = 0; rank < members.length; rank++)
        {
            worldPes[rank] = (int)records[members[rank]][CreationRecord.PE];
            areas[rank] = records[members[rank]][CreationRecord.AREA];
        }

        final long number = records[members[0]][CreationRecord.NUMBER];
        final String suffix = 0 == axis ? "" : 1 == axis ? "x" : "y";
        return new TeamDescriptor(
            "team-" + worldPes[0] + "-" + number + suffix,
            Membership.inOrder(worldPes, nPes, myPe),
            areas,
            endpoints,
            TeamIds.generated(worldPes[0], number, axis));
    }

    /** Returns the offset of this PE's own area in its system region. */
    public long area()
    {
        return areas[membership.myRank()];
    }
}
