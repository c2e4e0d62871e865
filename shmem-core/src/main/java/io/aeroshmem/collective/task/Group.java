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

/**
 * The members of a team that take part in a phase of a collective: all of them, those on one host, or the
 * {@linkplain Topology#leaders() leaders} of the hosts. The members of a group have indexes from 0, in the order of
 * their ranks in the team.
 */
public final class Group
{
    private final int[] ranks;
    private final int myIndex;

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

    /** Returns the group of all members. */
    public static Group all(final int size, final int myRank)
    {
        final int[] ranks = new int[size];
        for (int rank = 0; rank < size; rank++)
        {
            ranks[rank] = rank;
        }

        return new Group(ranks, myRank);
    }

    public int size()
    {
        return ranks.length;
    }

    /** Returns the index of this PE, or -1 if it is not in the group. */
    public int myIndex()
    {
        return myIndex;
    }

    /** Returns the rank in the team of a member of the group. */
    public int rank(final int index)
    {
        return ranks[index];
    }

    /** Returns the index of a rank in the group, or -1. */
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
