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
package io.aeroshmem.tests.team;

import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.tests.fixture.Pattern;
import io.aeroshmem.tests.fixture.Pe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

/**
 * Checks that every team of given members must pass.
 */
final class Members
{
    private Members()
    {
    }

    /**
     * The team has these members, and this PE is one of them or its handle is INVALID. Members also use it.
     */
    static void check(final Pe pe, final Team team, final int... worldPes)
    {
        final Team world = pe.shmem().world();
        int myRank = -1;
        for (int rank = 0; rank < worldPes.length; rank++)
        {
            myRank = worldPes[rank] == pe.me() ? rank : myRank;
        }

        if (myRank < 0)
        {
            assertSame(Team.INVALID, team, "PE " + pe.me() + " is no member");
            return;
        }

        assertEquals(worldPes.length, team.nPes());
        assertEquals(myRank, team.myPe());
        for (int worldPe = 0; worldPe < pe.n(); worldPe++)
        {
            int rank = -1;
            for (int i = 0; i < worldPes.length; i++)
            {
                rank = worldPes[i] == worldPe ? i : rank;
            }

            assertEquals(rank, world.translatePe(worldPe, team), "PE " + worldPe + " of the world in " + team);
            if (rank >= 0)
            {
                assertEquals(worldPe, team.translatePe(rank, world), "rank " + rank + " of " + team);
            }
        }

        assertEquals(-1, team.translatePe(-1, world));
        assertEquals(-1, team.translatePe(worldPes.length, world));
        use(pe, team, worldPes);
    }

    /**
     * Performs collectives on the team.
     */
    static void use(final Pe pe, final Team team, final int... worldPes)
    {
        long sum = 0;
        for (final int worldPe : worldPes)
        {
            sum += 1L << worldPe;
        }

        assertEquals(sum, team.reduceLong(ReduceOp.SUM, 1L << pe.me()), "sum over " + team);
        team.barrier();
        for (int root = 0; root < worldPes.length; root++)
        {
            assertEquals(worldPes[root], team.broadcastLong(pe.me(), root), "of root " + root + " of " + team);
        }

        team.sync();
    }

    /**
     * Checks that a creation fails on all members of the parent with the same exception, and that the parent stays
     * usable.
     *
     * @param worldPes the members of the parent, this PE among them.
     * @return the exception.
     */
    static <T extends Throwable> T fails(
        final Pe pe, final Class<T> type, final Team parent, final int[] worldPes, final Runnable creation)
    {
        final T thrown = assertThrows(type, creation::run);
        final long hash = thrown.getMessage().hashCode();
        assertEquals(hash, parent.reduceLong(ReduceOp.MAX, hash), "others got another message than " + thrown);
        assertEquals(hash, parent.reduceLong(ReduceOp.MIN, hash), "others got another message than " + thrown);
        use(pe, parent, worldPes);
        return thrown;
    }

    /**
     * The world in order.
     */
    static int[] world(final Pe pe)
    {
        return range(0, 1, pe.n());
    }

    static int[] range(final int start, final int stride, final int size)
    {
        final int[] members = new int[size];
        for (int i = 0; i < size; i++)
        {
            members[i] = start + stride * i;
        }

        return members;
    }

    /**
     * All-to-all of a block that is longer than a slot.
     */
    static void exchangeBlocks(final Pe pe, final Team team, final SymmetricBuffer dest, final SymmetricBuffer source)
    {
        final int bytes = (int)(source.length() / team.nPes() / 8 * 8);
        final long seed = Pattern.seed(pe.seed(), team.nPes());
        for (int rank = 0; rank < team.nPes(); rank++)
        {
            Pattern.fill(source, (long)rank * bytes, bytes, Pattern.seed(seed, team.myPe(), rank));
        }

        team.alltoall(ElementType.LONG, dest, source, bytes / 8);
        for (int rank = 0; rank < team.nPes(); rank++)
        {
            Pattern.check("block of rank " + rank + " of " + team, dest, (long)rank * bytes, bytes,
                Pattern.seed(seed, rank, team.myPe()));
        }
    }
}
