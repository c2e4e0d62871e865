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

/**
 * Members of a team that take part in a phase of a collective: all of them, those on one host, or one of each host. A
 * member has an index in the group, in the order of ranks.
 */
public final class Group
{
    private final int[] ranks;
    private final int myIndex;

    /**
     * Construct a group.
     *
     * @param ranks  of the members of the group, ascending.
     * @param myRank rank of this PE in the team.
     */
    public Group(final int[] ranks, final int myRank)
    {
        this.ranks = ranks;
        int index = -1;
        for (int i = 0; i < ranks.length; i++)
        {
            if (myRank == ranks[i])
            {
                index = i;
            }
        }

        myIndex = index;
    }

    /**
     * The whole team.
     *
     * @param size   of the team.
     * @param myRank rank of this PE in it.
     * @return the group.
     */
    public static Group all(final int size, final int myRank)
    {
        final int[] ranks = new int[size];
        for (int rank = 0; rank < size; rank++)
        {
            ranks[rank] = rank;
        }

        return new Group(ranks, myRank);
    }

    /**
     * Number of members of the group.
     *
     * @return 1 or more.
     */
    public int size()
    {
        return ranks.length;
    }

    /**
     * Index of this PE.
     *
     * @return the index, or -1 if this PE does not take part.
     */
    public int myIndex()
    {
        return myIndex;
    }

    /**
     * A member's rank in the team.
     *
     * @param index in the group.
     * @return rank in the team.
     */
    public int rank(final int index)
    {
        return ranks[index];
    }

    /**
     * The index of a member.
     *
     * @param rank in the team.
     * @return index in the group, or -1.
     */
    public int index(final int rank)
    {
        for (int i = 0; i < ranks.length; i++)
        {
            if (rank == ranks[i])
            {
                return i;
            }
        }

        return -1;
    }
}
