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

import java.util.Arrays;
import java.util.function.IntPredicate;

/**
 * The members of a team as PEs of the world, by rank, and the rank of the PE that holds this object.
 */
public final class Membership
{
    private static final int NOT_A_MEMBER = -1;

    private final int[] worldPes;
    private final int[] ranks;
    private final int myRank;

    private Membership(final int[] worldPes, final int nPes, final int myPe)
    {
        this.worldPes = worldPes;
        ranks = new int[nPes];
        Arrays.fill(ranks, NOT_A_MEMBER);
        for (int rank = 0; rank < worldPes.length; rank++)
        {
            ranks[worldPes[rank]] = rank;
        }

        myRank = ranks[myPe];
    }

    /**
     * The PEs of the world that satisfy a condition, in the order of the world.
     *
     * @param nPes      number of PEs in the world.
     * @param myPe      this PE.
     * @param condition for a PE to be a member.
     * @return the membership.
     */
    public static Membership inWorldOrder(final int nPes, final int myPe, final IntPredicate condition)
    {
        final int[] members = new int[nPes];
        int size = 0;
        for (int pe = 0; pe < nPes; pe++)
        {
            if (condition.test(pe))
            {
                members[size++] = pe;
            }
        }

        return new Membership(Arrays.copyOf(members, size), nPes, myPe);
    }

    /**
     * Given PEs of the world, in a given order.
     *
     * @param worldPes by rank, each once; kept.
     * @param nPes     number of PEs in the world.
     * @param myPe     this PE.
     * @return the membership.
     */
    public static Membership inOrder(final int[] worldPes, final int nPes, final int myPe)
    {
        return new Membership(worldPes, nPes, myPe);
    }

    /**
     * Number of members.
     *
     * @return number of members.
     */
    public int size()
    {
        return worldPes.length;
    }

    /**
     * Rank of this PE.
     *
     * @return the rank, or -1 if this PE is not a member.
     */
    public int myRank()
    {
        return myRank;
    }

    /**
     * The member with a rank.
     *
     * @param rank in the team, from 0 to {@link #size()} - 1.
     * @return the PE of the world.
     */
    public int worldPe(final int rank)
    {
        return worldPes[rank];
    }

    /**
     * The rank of a PE.
     *
     * @param worldPe PE of the world.
     * @return its rank in the team, or -1 if it is not a member.
     */
    public int rank(final int worldPe)
    {
        return worldPe < 0 || worldPe >= ranks.length ? NOT_A_MEMBER : ranks[worldPe];
    }

    /**
     * All members, by rank.
     *
     * @return a copy.
     */
    public int[] worldPes()
    {
        return worldPes.clone();
    }
}
