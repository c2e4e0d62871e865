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

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.EndpointMap;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.TeamCreation;
import io.aeroshmem.TeamDestruction;
import io.aeroshmem.TeamParams;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.RoutineSet;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Teams created without blocking, and destroyed, as often as the property specifies, in a job that allows few at once.
 */
final class CreationChurn extends RoutineSet
{
    private static final int SOME = 300;
    private static final long MOST_GROWTH_KB = 1 << 10;
    private static final long MOST_HEAP_GROWTH = 8L << 20;
    private static final int[] SIZES = {1, 2, 7, 8, 11, 16};

    CreationChurn()
    {
        add("create, reduce, destroy", CreationChurn::shouldKeepNothing);
    }

    /**
     * Memory of the job's files, Java heap, threads and descriptors do not grow, measured by PE 0.
     */
    private static void shouldKeepNothing(final Pe pe) throws IOException
    {
        final CommunicationContext context = pe.shmem().createContext();
        final SymmetricBuffer buffer = pe.shmem().malloc(64);
        final TeamParams[] params = {
            new TeamParams(),
            new TeamParams().endpointMap(EndpointMap.strided(pe.n() - 1, -1, pe.n())).id(1),
            new TeamParams().contexts(context).memory(buffer).endpoint(1L + pe.me() << 40)};
        churn(pe, params, SOME);
        final Usage before = Usage.of(pe);
        churn(pe, params, Integer.getInteger(TeamChurn.TEAMS));
        final Usage after = Usage.of(pe);
        if (0 == pe.me())
        {
            after.check(before);
        }

        context.close();
        pe.shmem().free(buffer);
        Failures.checkNoneLeaked(pe);
    }

    private static void churn(final Pe pe, final TeamParams[] params, final int total)
    {
        final Team world = pe.shmem().world();
        for (int i = 0; i < total; i++)
        {
            final Team team = 3 == i % 4 ? Creations.made(world.split(i, -pe.me())) :
                Creations.create(pe, params[i % 4]);
            assertEquals((long)i * pe.n(), team.reduceLong(ReduceOp.SUM, i));
            if (0 == i % 2)
            {
                team.destroy().await();
            }
            else
            {
                team.close();
            }
        }

        world.barrier();
    }

    private record Usage(long fileKilobytes, long heapBytes, int threads, long descriptors)
    {
        static Usage of(final Pe pe) throws IOException
        {
            pe.shmem().syncAll();
            final Usage usage = 0 == pe.me() ? measure() : null;
            pe.shmem().syncAll();
            return usage;
        }

        private static Usage measure() throws IOException
        {
            System.gc();
            final Runtime runtime = Runtime.getRuntime();
            final long kilobytes = TeamChurn.usedKilobytes();
            try (Stream<Path> open = Files.list(Path.of("/proc/self/fd")))
            {
                return new Usage(
                    kilobytes,
                    runtime.totalMemory() - runtime.freeMemory(),
                    ManagementFactory.getThreadMXBean().getThreadCount(),
                    open.count());
            }
        }

        void check(final Usage before)
        {
            assertTrue(fileKilobytes - before.fileKilobytes < MOST_GROWTH_KB, before + " became " + this);
            assertTrue(heapBytes - before.heapBytes < MOST_HEAP_GROWTH, before + " became " + this);
            assertTrue(threads <= before.threads + 2, before + " became " + this);
            assertTrue(descriptors <= before.descriptors + 4, before + " became " + this);
        }
    }

    /**
     * Splits of several parents and a creation in progress at once, teams of several sizes, destroyed in another order.
     */
    static void shouldInterleaveCreationsAndDestructions(final Pe pe)
    {
        final Random random = new Random(pe.sharedRandom().nextLong());
        final List<Team> parents = new ArrayList<>();
        for (int i = 0; i < SIZES.length; i++)
        {
            parents.add(pe.shmem().world().duplicate());
        }

        for (int round = 0; round < 5; round++)
        {
            final List<TeamCreation> creations = new ArrayList<>();
            final List<int[]> members = new ArrayList<>();
            for (int i = 0; i < SIZES.length; i++)
            {
                final int size = Math.min(SIZES[i], pe.n());
                creations.add(parents.get(i).split(pe.me() < size ? round : -1, -pe.me()));
                members.add(Members.range(size - 1, -1, size));
            }

            final int size = Math.min(SIZES[random.nextInt(SIZES.length)], pe.n());
            if (pe.me() < size)
            {
                creations.add(pe.shmem().createTeam(new TeamParams().endpointMap(EndpointMap.full(size))));
                members.add(Members.range(0, 1, size));
            }
            else
            {
                creations.add(null);
                members.add(null);
            }

            final List<Team> teams = pollAll(creations, new Random(pe.me() + round));
            final List<Integer> order = new ArrayList<>();
            for (int i = 0; i < teams.size(); i++)
            {
                order.add(i);
            }

            Collections.shuffle(order, random);
            use(pe, teams, members, order);
            Collections.shuffle(order, random);
            destroy(teams, order);
        }

        parents.forEach(Team::close);
    }

    private static List<Team> pollAll(final List<TeamCreation> creations, final Random random)
    {
        final List<Team> teams = new ArrayList<>(Collections.nCopies(creations.size(), null));
        int missing = (int)creations.stream().filter((creation) -> null != creation).count();
        while (missing > 0)
        {
            final int i = random.nextInt(creations.size());
            if (null != creations.get(i) && null == teams.get(i) && creations.get(i).poll())
            {
                teams.set(i, creations.get(i).team());
                missing--;
            }
        }

        return teams;
    }

    private static void use(
        final Pe pe, final List<Team> teams, final List<int[]> members, final List<Integer> order)
    {
        for (final int i : order)
        {
            if (null != teams.get(i) && Team.INVALID != teams.get(i))
            {
                Members.use(pe, teams.get(i), members.get(i));
                assertEquals(pe.me(), members.get(i)[teams.get(i).myPe()]);
            }
        }
    }

    private static void destroy(final List<Team> teams, final List<Integer> order)
    {
        final List<TeamDestruction> destructions = new ArrayList<>();
        for (final int i : order)
        {
            if (null != teams.get(i) && Team.INVALID != teams.get(i))
            {
                destructions.add(teams.get(i).destroy());
            }
        }

        destructions.forEach(TeamDestruction::await);
    }
}
