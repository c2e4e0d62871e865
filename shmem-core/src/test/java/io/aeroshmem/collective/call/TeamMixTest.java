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
package io.aeroshmem.collective.call;

import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.TransportKind;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Teams that are split from each other, closed and created again at random, so that areas change their layout, while
 * calls of all kinds run on them and one member is slow.
 */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("ci")
class TeamMixTest
{
    private static final int MOST_TEAMS = 6;
    private static final int MAX_COUNT = 1200;
    private static final int MAX_STRIDE = 3;
    private static final int ROUTINES = 7;

    @ParameterizedTest
    @CsvSource({"2, MAPPED, 1", "5, MAPPED, 2", "9, MAPPED, 3", "4, IPC, 4", "6, IPC, 5", "3, UDP, 6"})
    void shouldKeepCallsOfTeamsApart(final int nPes, final TransportKind transport, final int seed) throws Exception
    {
        final long length = (long)nPes * MAX_COUNT * MAX_STRIDE * Long.BYTES;
        final Shmem.Context config = new Shmem.Context()
            .transport(transport)
            .heapSize(2 * length + (1 << 20))
            .maxTeams(MOST_TEAMS)
            .operationTimeoutNs(TimeUnit.SECONDS.toNanos(60));
        Shmem.runLocal(nPes, config, (shmem) ->
        {
            final SymmetricBuffer source = shmem.malloc(length);
            final SymmetricBuffer dest = shmem.malloc(length);
            final Random random = new Random(seed);
            final Random ownRandom = new Random(seed * 1000L + shmem.myPe());
            final List<Team> teams = new ArrayList<>(List.of(shmem.world()));
            final List<Integer> sizes = new ArrayList<>(List.of(nPes));
            for (int i = 0; i < 600; i++)
            {
                final int index = random.nextInt(teams.size());
                final int routine = random.nextInt(ROUTINES);
                final int count = 0 == random.nextInt(12) ? 1 + random.nextInt(MAX_COUNT) : 1 + random.nextInt(64);
                final Team team = teams.get(index);
                if (0 == random.nextInt(5))
                {
                    createOrClose(random, teams, sizes, index);
                }
                else if (Team.INVALID != team)
                {
                    delay(ownRandom, seed % nPes == shmem.myPe());
                    new RoutineChecks(team, MAX_STRIDE, source, dest).perform(routine, count);
                }
            }

            teams.stream().skip(1).forEach(Team::close);
        });
    }

    /**
     * All PEs keep a list of the same teams, INVALID where they are not members.
     */
    private static void createOrClose(
        final Random random, final List<Team> teams, final List<Integer> sizes, final int index)
    {
        if (teams.size() > MOST_TEAMS || index > 0 && random.nextBoolean())
        {
            final int last = Math.max(1, index);
            teams.remove(last).close();
            sizes.remove(last);
            return;
        }

        final int start = random.nextInt(sizes.get(index));
        final int stride = 1 + random.nextInt(3);
        final boolean isReversed = random.nextBoolean();
        final int room = isReversed ? start : sizes.get(index) - 1 - start;
        final int size = 1 + random.nextInt(room / stride + 1);
        final Team parent = teams.get(index);
        final Team team = Team.INVALID == parent ? Team.INVALID :
            parent.splitStrided(start, isReversed ? -stride : stride, size);
        if (Team.INVALID != team)
        {
            assertEquals(size, team.nPes());
        }

        teams.add(team);
        sizes.add(size);
    }

    private static void delay(final Random random, final boolean isSlow)
    {
        if (0 == random.nextInt(isSlow ? 8 : 80))
        {
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random.nextInt(300)));
        }
    }
}
