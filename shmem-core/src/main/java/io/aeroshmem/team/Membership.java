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

    /** Returns the membership of the PEs of the world that satisfy a condition, in the order of the world. */
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
     * Returns the membership of PEs of the world in a specified order.
     *
     * @param worldPes by rank, each once; kept.
     */
    public static Membership inOrder(final int[] worldPes, final int nPes, final int myPe)
    {
        return new Membership(worldPes, nPes, myPe);
    }

    public int size()
    {
        return worldPes.length;
    }

    /** Returns the rank of this PE, or -1 if it is not a member. */
    public int myRank()
    {
        return myRank;
    }

    /** Returns the PE of the world with a rank in the team. */
    public int worldPe(final int rank)
    {
        return worldPes[rank];
    }

    /** Returns the rank of a PE of the world, or -1 if it is not a member. */
    public int rank(final int worldPe)
    {
        return worldPe < 0 || worldPe >= ranks.length ? NOT_A_MEMBER : ranks[worldPe];
    }

    /** Returns a copy of all members, by rank. */
    public int[] worldPes()
    {
        return worldPes.clone();
    }
}
