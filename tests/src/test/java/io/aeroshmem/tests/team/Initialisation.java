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

import io.aeroshmem.ReduceOp;
import io.aeroshmem.Team;
import io.aeroshmem.TeamConfig;
import io.aeroshmem.TeamCreationException;
import io.aeroshmem.TeamUniqueId;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.UniqueIds;

import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/**
 * Teams of any PEs in any order, created with a unique id.
 */
final class Initialisation
{
    private Initialisation()
    {
    }

    static void shouldMakeAnyTeam(final Pe pe)
    {
        final SplittableRandom random = pe.sharedRandom();
        for (int round = 0; round < 12; round++)
        {
            final int[] members = anyMembers(random, pe.n());
            final int root = random.nextInt(pe.n());
            final TeamUniqueId id = UniqueIds.share(pe, root);
            final int index = index(members, pe.me());
            if (index >= 0)
            {
                final TeamConfig config = new TeamConfig().uniqueId(id).numContexts(2);
                final Team team = pe.shmem().teamInit(config, members.length, index);
                Members.check(pe, team, members);
                assertEquals(2, team.config().numContexts());
                final Team child = team.splitStrided(members.length - 1, -1, members.length);
                assertEquals(members.length - 1 - index, child.myPe());
                team.close();
                assertEquals(members.length, child.reduceLong(ReduceOp.SUM, 1));
                child.close();
            }
        }
    }

    /**
     * Each PE creates a team with its right neighbour and one with its left, all at the same time.
     */
    static void shouldMakeTeamsAtTheSameTime(final Pe pe)
    {
        if (pe.n() < 3)
        {
            return;
        }

        final TeamUniqueId[] ids = new TeamUniqueId[pe.n()];
        for (int i = 0; i < pe.n(); i++)
        {
            ids[i] = UniqueIds.share(pe, i);
        }

        // the even ones begin to the right and the odd ones to the left, so that all meet
        final boolean isEven = 0 == pe.me() % 2;
        for (int round = 0; round < 2; round++)
        {
            final boolean isToTheRight = isEven == (0 == round);
            final int first = isToTheRight ? pe.me() : pe.left();
            if (1 == pe.n() % 2 && pe.n() - 1 == first)
            {
                continue;
            }

            final int[] members = {first, (first + 1) % pe.n()};
            final Team team = pe.shmem().teamInit(
                new TeamConfig().uniqueId(ids[first]), 2, index(members, pe.me()));
            Members.check(pe, team, members);
            team.close();
        }
    }

    static void shouldRejectWrongIndices(final Pe pe)
    {
        final int n = pe.n();
        if (n > 1)
        {
            fail(pe, n, 1 == pe.me() ? 0 : pe.me());
            fail(pe, n, n - 1 == pe.me() ? n : pe.me());
            fail(pe, n, 0 == pe.me() ? -1 : pe.me());
            fail(pe, n - 1 == pe.me() ? n + 1 : n, pe.me());
        }

        if (n > 2) // a team of one is complete
        {
            fail(pe, 0 == pe.me() ? n - 1 : n, pe.me());
        }

        Failures.checkNoneLeaked(pe);
    }

    static void shouldRejectWrongSizes(final Pe pe)
    {
        for (final int npes : new int[] {0, -1, Integer.MIN_VALUE, pe.n() + 1, Integer.MAX_VALUE})
        {
            final TeamUniqueId id = UniqueIds.share(pe, 0);
            assertThrows(RuntimeException.class, () ->
                pe.shmem().teamInit(new TeamConfig().uniqueId(id), npes, pe.me()), "npes " + npes);
            Members.use(pe, pe.shmem().world(), Members.world(pe));
        }

        Failures.checkNoneLeaked(pe);
    }

    static void shouldRequireAUniqueId(final Pe pe)
    {
        final TeamUniqueId id = UniqueIds.share(pe, 0);
        assertThrows(RuntimeException.class, () -> pe.shmem().teamInit(new TeamConfig(), pe.n(), pe.me()));
        assertThrows(RuntimeException.class, () -> pe.shmem().teamInit(null, pe.n(), pe.me()));
        assertThrows(RuntimeException.class, () ->
            pe.shmem().teamInit(new TeamConfig().uniqueId(id).mask(0), pe.n(), pe.me()), "outside the mask");
        assertThrows(RuntimeException.class, () ->
            pe.shmem().teamInit(new TeamConfig().uniqueId(id).mask(TeamConfig.NUM_CONTEXTS), pe.n(), pe.me()));
        assertThrows(IllegalArgumentException.class, () -> TeamUniqueId.fromBytes(new byte[3]));
        assertThrows(IllegalArgumentException.class, () -> TeamUniqueId.fromBytes(new byte[56]));
        final Team team = pe.shmem().teamInit(new TeamConfig().uniqueId(id), pe.n(), pe.me());
        Members.check(pe, team, Members.world(pe));
        team.close();
        Failures.checkNoneLeaked(pe);
    }

    private static void fail(final Pe pe, final int npes, final int index)
    {
        final TeamUniqueId id = UniqueIds.share(pe, 0);
        Members.fails(pe, TeamCreationException.class, pe.shmem().world(), Members.world(pe),
            () -> pe.shmem().teamInit(new TeamConfig().uniqueId(id), npes, index));
    }

    private static int[] anyMembers(final SplittableRandom random, final int n)
    {
        final int[] all = Members.range(0, 1, n);
        for (int i = n - 1; i > 0; i--)
        {
            final int other = random.nextInt(i + 1);
            final int swapped = all[i];
            all[i] = all[other];
            all[other] = swapped;
        }

        final int[] members = new int[1 + random.nextInt(n)];
        System.arraycopy(all, 0, members, 0, members.length);
        return members;
    }

    private static int index(final int[] members, final int worldPe)
    {
        for (int i = 0; i < members.length; i++)
        {
            if (members[i] == worldPe)
            {
                return i;
            }
        }

        return -1;
    }
}
