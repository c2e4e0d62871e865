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

import io.aeroshmem.Collective;
import io.aeroshmem.CollectiveArgs;
import io.aeroshmem.CollectiveMismatchException;
import io.aeroshmem.CollectiveRequest;
import io.aeroshmem.CommunicationContext;
import io.aeroshmem.ContextOption;
import io.aeroshmem.ElementType;
import io.aeroshmem.EndpointMap;
import io.aeroshmem.Ordering;
import io.aeroshmem.PredefinedTeam;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Synchronization;
import io.aeroshmem.Team;
import io.aeroshmem.TeamCreation;
import io.aeroshmem.TeamDestruction;
import io.aeroshmem.TeamParams;
import io.aeroshmem.Teams2d;
import io.aeroshmem.tests.fixture.Pe;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Teams made by createTeam and by splits by colour: parameters, attributes, endpoints, destruction.
 */
final class Creations
{
    private static final long GAP = 0x8000_0000_0000_0000L;

    private Creations()
    {
    }

    static Team made(final TeamCreation creation)
    {
        Pe.await(creation::poll, "the creation of a team");
        return creation.team();
    }

    static Team create(final Pe pe, final TeamParams params)
    {
        return made(pe.shmem().createTeam(params));
    }

    static void shouldTakeTheWorldByDefault(final Pe pe)
    {
        final TeamCreation creation = pe.shmem().createTeam(new TeamParams());
        assertThrows(IllegalStateException.class, creation::team);
        final Team team = made(creation);
        assertTrue(creation.poll());
        creation.close();
        assertSame(team, creation.team());
        Members.check(pe, team, Members.world(pe));
        final TeamParams attributes = team.attributes();
        assertEquals(List.of(pe.ctx()), attributes.contexts());
        assertEquals(pe.me(), attributes.endpoint());
        assertTrue(attributes.contiguousEndpoints());
        assertEquals(pe.n(), attributes.endpointMap().size());
        assertEquals(Ordering.POST_ORDERED, attributes.ordering());
        assertEquals(Synchronization.NON_SYNCHRONIZED, attributes.synchronization());
        assertEquals(Synchronization.NON_SYNCHRONIZED, attributes.requestedSynchronization());
        assertEquals(List.of(), attributes.memory());
        assertEquals(0, attributes.outstandingCalls());
        assertEquals(0, attributes.timeoutNs());
        assertEquals(attributes.id(), pe.shmem().world().broadcastLong(attributes.id(), 0), "the same on all");
        team.close();
    }

    static void shouldHoldAndInheritWhatWasGiven(final Pe pe)
    {
        final CommunicationContext first = pe.shmem().createContext(ContextOption.SERIALIZED);
        final CommunicationContext second = pe.shmem().createContext();
        final SymmetricBuffer buffer = pe.shmem().malloc(256);
        final long endpoint = GAP + 1000L * pe.me();
        final TeamParams params = new TeamParams()
            .contexts(first, second)
            .endpoint(endpoint)
            .ordering(Ordering.INIT_UNORDERED)
            .outstandingCalls(7)
            .synchronization(Synchronization.SYNCHRONIZED)
            .memory(buffer, buffer.slice(8, 16))
            .id(-77)
            .timeoutNs(30_000_000_000L);
        final Team team = create(pe, params);
        params.id(5).ordering(Ordering.INIT_ORDERED).outstandingCalls(1);
        final TeamParams attributes = team.attributes();
        assertEquals(endpoint, attributes.endpoint());
        assertFalse(attributes.contiguousEndpoints());
        assertEquals(-77, attributes.id());
        checkInherited(attributes, List.of(first, second), params.memory());
        for (int rank = 0; rank < pe.n(); rank++)
        {
            assertEquals(GAP + 1000L * rank, team.endpoint(rank));
            assertEquals(rank, team.peOfEndpoint(GAP + 1000L * rank));
        }

        assertEquals(-1, team.peOfEndpoint(GAP + 1));
        assertEquals(-1, team.peOfEndpoint(0));

        final List<Team> children = new ArrayList<>(List.of(
            team.duplicate(), team.splitStrided(0, 1, pe.n()), made(team.split(3, pe.me())), team.split2d(1).yAxis()));
        final Set<Long> ids = new HashSet<>();
        for (final Team child : children)
        {
            final TeamParams inherited = child.attributes();
            checkInherited(inherited, List.of(first, second), params.memory());
            assertTrue(inherited.contiguousEndpoints());
            assertEquals(child.myPe(), inherited.endpoint());
            assertTrue(ids.add(inherited.id()), "two teams have id " + inherited.id());
            assertEquals(inherited.id(), pe.shmem().world().broadcastLong(inherited.id(), 0), "the same on all");
            Members.use(pe, child, Members.world(pe));
        }

        team.close();
        assertThrows(IllegalStateException.class, first::close);
        assertThrows(IllegalStateException.class, () -> pe.shmem().free(buffer));
        children.forEach(Team::close);
    }

    private static void checkInherited(
        final TeamParams attributes, final List<CommunicationContext> contexts, final List<SymmetricBuffer> memory)
    {
        assertEquals(contexts, attributes.contexts());
        assertEquals(memory, attributes.memory());
        assertEquals(Ordering.INIT_UNORDERED, attributes.ordering());
        assertEquals(7, attributes.outstandingCalls());
        assertEquals(Synchronization.SYNCHRONIZED, attributes.synchronization());
        assertEquals(Synchronization.SYNCHRONIZED, attributes.requestedSynchronization());
        assertEquals(30_000_000_000L, attributes.timeoutNs());
    }

    static void shouldTakePesOfAMap(final Pe pe)
    {
        final int n = pe.n();
        final int[] permuted = new int[n];
        for (int rank = 0; rank < n; rank++)
        {
            permuted[rank] = (rank * 2 + 1 < n ? rank * 2 + 1 : (n - 1 - rank) * 2) % n;
        }

        takeMap(pe, EndpointMap.full(n), Members.world(pe));
        takeMap(pe, EndpointMap.strided(n - 1, -1, n), Members.range(n - 1, -1, n));
        takeMap(pe, EndpointMap.of(permuted), permuted);
        takeMap(pe, EndpointMap.of((n + 1) / 2, (rank) -> rank * 2), Members.range(0, 2, (n + 1) / 2));
        takeMap(pe, EndpointMap.strided(n - 1, -2, (n + 1) / 2), Members.range(n - 1, -2, (n + 1) / 2));
        takeMap(pe, EndpointMap.of(n - 1), n - 1);
        pe.shmem().barrierAll();
    }

    private static void takeMap(final Pe pe, final EndpointMap map, final int... worldPes)
    {
        for (final int worldPe : worldPes)
        {
            if (worldPe == pe.me())
            {
                final Team team = create(pe, new TeamParams().endpointMap(map));
                Members.check(pe, team, worldPes);
                for (int rank = 0; rank < worldPes.length; rank++)
                {
                    assertEquals(worldPes[rank], team.attributes().endpointMap().worldPe(rank));
                }

                team.close();
            }
        }
    }

    static void shouldOrderRanksByContiguousEndpoints(final Pe pe)
    {
        final int n = pe.n();
        final Team team = create(
            pe, new TeamParams().contiguousEndpoints(true).endpoint(n - 1 - pe.me()));
        Members.check(pe, team, Members.range(n - 1, -1, n));
        assertTrue(team.attributes().contiguousEndpoints());
        assertEquals(team.myPe(), team.attributes().endpoint());
        team.close();
        final Team generated = create(pe, new TeamParams().contiguousEndpoints(true));
        Members.check(pe, generated, Members.world(pe));
        generated.close();
    }

    static void shouldFindParticipantsByAnExchange(final Pe pe)
    {
        final SymmetricBuffer slots = SymmetricGather.allocate(pe);
        final int n = pe.n();
        final int[][] sets = {Members.range(n - 1, -1, n), Members.range(n - 1, -2, (n + 1) / 2), {n / 2}};
        final List<Team> teams = new ArrayList<>();
        final List<int[]> members = new ArrayList<>();
        for (final int[] set : sets)
        {
            for (int rank = 0; rank < set.length; rank++)
            {
                if (set[rank] == pe.me())
                {
                    final SymmetricGather gather = SymmetricGather.of(pe, slots, rank, set);
                    final TeamParams params = new TeamParams()
                        .outOfBand(rank, set.length, gather)
                        .endpoint(-1L - rank);
                    teams.add(create(pe, params));
                    members.add(set);
                    assertEquals(set.length, teams.get(teams.size() - 1).attributes().outOfBandRanks());
                    final TeamParams mapped = new TeamParams()
                        .outOfBand(rank, set.length, gather)
                        .endpointMap(EndpointMap.of(sorted(set)));
                    create(pe, mapped).close();
                }
            }

            pe.shmem().barrierAll();
            slots.local().setMemory(0, (int)slots.length(), (byte)0);
            pe.shmem().barrierAll();
        }

        // The memory of the exchange may end before the teams that it made.
        pe.shmem().free(slots);
        for (int i = 0; i < teams.size(); i++)
        {
            Members.check(pe, teams.get(i), members.get(i));
            assertEquals(-1L - teams.get(i).myPe(), teams.get(i).endpoint(teams.get(i).myPe()));
            teams.get(i).close();
        }

        pe.shmem().barrierAll();
    }

    private static int[] sorted(final int[] set)
    {
        final int[] copy = set.clone();
        Arrays.sort(copy);
        return copy;
    }

    static void shouldSplitByColourAndKey(final Pe pe)
    {
        final int n = pe.n();
        final Team world = pe.shmem().world();
        final Team odd = made(world.split(pe.me() % 2, -pe.me()));
        Members.check(pe, odd, Members.range(n - 1 - (n - 1 - pe.me()) % 2, -2, (n + 1 - pe.me() % 2) / 2));
        assertEquals(odd.myPe(), odd.endpoint(odd.myPe()));
        final Team ties = made(odd.split(Integer.MAX_VALUE, Integer.MIN_VALUE));
        assertEquals(odd.myPe(), ties.myPe());
        assertEquals(odd.nPes(), ties.nPes());
        ties.close();
        final Team some = made(world.split(0 == pe.me() ? -1 : 5, 0));
        Members.check(pe, some, Members.range(1, 1, n - 1));
        some.close();
        final Team alone = made(world.split(pe.me(), 0));
        Members.check(pe, alone, pe.me());
        alone.close();
        assertSame(Team.INVALID, made(world.split(Integer.MIN_VALUE, 0)));
        odd.close();
    }

    static void shouldServeEveryCallAndSplit(final Pe pe)
    {
        final int n = pe.n();
        final SymmetricBuffer dest = pe.shmem().malloc(20_000);
        final SymmetricBuffer source = pe.shmem().malloc(20_000);
        final Team created = create(pe, new TeamParams().endpointMap(EndpointMap.strided(n - 1, -1, n)));
        final Team colour = made(created.split(1, 0));
        final Teams2d axes = colour.split2d(n);
        final Team strided = axes.xAxis().splitStrided(n - 1, -1, n);
        final Team last = made(strided.split(0, -pe.me()));
        final int[] reverse = Members.range(n - 1, -1, n);
        serve(pe, created, dest, source, reverse);
        serve(pe, colour, dest, source, reverse);
        serve(pe, axes.xAxis(), dest, source, reverse);
        serve(pe, strided, dest, source, Members.world(pe));
        serve(pe, last, dest, source, reverse);
        for (final Team team : List.of(last, axes.yAxis(), strided, created, axes.xAxis(), colour))
        {
            team.close();
        }

        pe.shmem().free(source);
        pe.shmem().free(dest);
    }

    private static void serve(
        final Pe pe, final Team team, final SymmetricBuffer dest, final SymmetricBuffer source, final int[] worldPes)
    {
        Members.check(pe, team, worldPes);
        Members.exchangeBlocks(pe, team, dest, source);
        source.putLong(0, pe.me() + 1);
        final CollectiveArgs args = new CollectiveArgs()
            .collective(Collective.ALLREDUCE)
            .op(ReduceOp.SUM)
            .source(source, 1, ElementType.LONG)
            .dest(dest, 1, ElementType.LONG);
        try (CollectiveRequest request = team.post(args))
        {
            Members.use(pe, team, worldPes);
            request.await();
        }

        assertEquals((long)pe.n() * (pe.n() + 1) / 2, dest.getLong(0));
    }

    static void shouldKnowTheEndpointsAndIdsOfPredefinedTeams(final Pe pe)
    {
        final Set<Long> ids = new HashSet<>();
        for (final PredefinedTeam which : PredefinedTeam.values())
        {
            final Team team = pe.shmem().team(which);
            assertEquals(team.myPe(), team.attributes().endpoint());
            assertEquals(team.nPes() - 1, team.endpoint(team.nPes() - 1));
            assertEquals(team.nPes() - 1, team.peOfEndpoint(team.nPes() - 1));
            assertEquals(-1, team.peOfEndpoint(team.nPes()));
            assertEquals(-1, team.peOfEndpoint(-1));
            assertTrue(ids.add(team.attributes().id()));
            assertEquals(List.of(pe.ctx()), team.attributes().contexts());
            assertThrows(IllegalStateException.class, team::destroy);
        }

        assertEquals(-1, Team.INVALID.peOfEndpoint(0));
        assertThrows(IllegalStateException.class, () -> Team.INVALID.endpoint(0));
        assertThrows(IllegalStateException.class, Team.INVALID::attributes);
        assertTrue(Team.INVALID.destroy().poll());
    }

    static void shouldTakeAnIdAgainAfterTheTeamIsClosed(final Pe pe)
    {
        final TeamParams params = new TeamParams().id(0);
        final Team first = create(pe, params);
        final Team generated = create(pe, new TeamParams());
        assertNotEquals(0, generated.attributes().id());
        first.close();
        final Team second = create(pe, params);
        assertEquals(0, second.attributes().id());
        second.close();
        generated.close();
    }

    static void shouldKeepContextsAndMemoryOfOpenTeams(final Pe pe)
    {
        final Team parent = pe.shmem().world().duplicate();
        final CommunicationContext own = pe.shmem().createContext();
        final CommunicationContext ofParent = parent.createContext();
        final SymmetricBuffer buffer = pe.shmem().malloc(1024);
        final SymmetricBuffer other = pe.shmem().malloc(64);
        final Team team = create(pe, new TeamParams().contexts(own, ofParent).memory(buffer.slice(512, 8)));
        assertThrows(IllegalStateException.class, own::close);
        assertThrows(IllegalStateException.class, ofParent::close);
        assertThrows(IllegalStateException.class, parent::close);
        assertThrows(IllegalStateException.class, () -> pe.shmem().free(buffer));
        assertThrows(IllegalStateException.class, () -> pe.shmem().realloc(buffer, 2048));
        pe.shmem().free(other);
        buffer.putLong(0, -1);
        pe.shmem().barrierAll();
        own.putLong(buffer, 0, pe.me(), pe.right());
        team.barrier();
        assertEquals(pe.left(), buffer.getLong(0), "the barrier completes what was issued on the contexts");
        Members.use(pe, parent, Members.world(pe));
        Members.use(pe, team, Members.world(pe));
        team.close();
        own.close();
        ofParent.close();
        parent.close();
        pe.shmem().free(buffer);
    }

    static void shouldDestroyWhenAllHaveCalled(final Pe pe)
    {
        final Team team = create(pe, new TeamParams());
        final SymmetricBuffer word = pe.shmem().calloc(1, 8);
        final boolean isLast = pe.n() - 1 == pe.me();
        if (isLast)
        {
            final CollectiveArgs args = new CollectiveArgs().collective(Collective.BARRIER);
            final CollectiveRequest request = team.post(args);
            if (pe.n() > 1)
            {
                assertThrows(IllegalStateException.class, team::destroy);
                assertThrows(IllegalStateException.class, team::close);
            }

            pe.shmem().barrierAll();
            request.await();
        }
        else
        {
            pe.shmem().barrierAll();
            team.post(new CollectiveArgs().collective(Collective.BARRIER)).await();
        }

        Members.use(pe, team, Members.world(pe));
        if (!isLast)
        {
            final TeamDestruction destruction = team.destroy();
            assertFalse(destruction.poll());
            pe.shmem().syncAll();
            destruction.await();
            assertTrue(destruction.poll());
        }
        else
        {
            pe.shmem().syncAll();
            team.destroy().await();
        }

        assertThrows(IllegalStateException.class, team::destroy);
        assertThrows(IllegalStateException.class, team::attributes);
        assertThrows(IllegalStateException.class, () -> team.endpoint(0));
        assertThrows(IllegalStateException.class, () -> team.split(0, 0));
        team.close();
        pe.shmem().free(word);
    }

    /**
     * Creations that one thread polls while another one uses other teams, and splits of different parents at once.
     */
    static void shouldPollOnOneThreadWhileAnotherUsesOtherTeams(final Pe pe) throws Exception
    {
        final Team mine = pe.shmem().world().duplicate();
        final Team parent = pe.shmem().world().duplicate();
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        final Thread poller = new Thread(() ->
        {
            try
            {
                for (int i = 0; i < 20; i++)
                {
                    final Team team = create(pe, new TeamParams());
                    final Team child = made(parent.split(0, -parent.myPe()));
                    assertEquals(i, team.broadcastLong(0 == team.myPe() ? i : -1, 0));
                    assertEquals(pe.n(), child.reduceLong(ReduceOp.SUM, 1));
                    child.close();
                    team.close();
                }
            }
            catch (final Throwable ex)
            {
                failure.set(ex);
            }
        });
        poller.start();
        for (int i = 0; i < 20; i++)
        {
            Members.use(pe, mine, Members.world(pe));
            final Team child = made(mine.split(0, pe.me()));
            assertEquals(pe.n(), child.reduceLong(ReduceOp.SUM, 1));
            child.close();
        }

        poller.join();
        if (null != failure.get())
        {
            throw new AssertionError(failure.get());
        }

        mine.close();
        parent.close();
    }

    /**
     * In a job whose library is synchronised.
     */
    static void shouldSynchronizeEveryTeam(final Pe pe)
    {
        final Team team = create(pe, new TeamParams().synchronization(
            0 == pe.me() ? Synchronization.SYNCHRONIZED : Synchronization.NON_SYNCHRONIZED));
        assertEquals(Synchronization.SYNCHRONIZED, team.attributes().synchronization());
        assertEquals(0 == pe.me() ? Synchronization.SYNCHRONIZED : Synchronization.NON_SYNCHRONIZED,
            team.attributes().requestedSynchronization());
        assertEquals(Synchronization.SYNCHRONIZED, pe.shmem().world().attributes().synchronization());
        final Team child = team.duplicate();
        assertEquals(Synchronization.SYNCHRONIZED, child.attributes().synchronization());
        Members.use(pe, child, Members.world(pe));
        child.close();
        team.close();
    }

    /**
     * With checked collectives, addresses are compared unless they are within the memory that the team has declared.
     */
    static void shouldCompareNoAddressesWithinDeclaredMemory(final Pe pe)
    {
        final SymmetricBuffer buffer = pe.shmem().malloc(256);
        final Team team = create(pe, new TeamParams().memory(buffer));
        final SymmetricBuffer dest = buffer.slice(8L * pe.me(), 8);
        final SymmetricBuffer source = buffer.slice(128 + 8L * pe.me(), 8);
        source.putLong(0, pe.me() + 5);
        team.broadcast(ElementType.LONG, dest, source, 1, 0);
        assertEquals(5, dest.getLong(0));
        if (pe.n() > 1)
        {
            assertThrows(CollectiveMismatchException.class,
                () -> pe.shmem().world().broadcast(ElementType.LONG, dest, source, 1, 0));
        }

        team.close();
        pe.shmem().free(buffer);
    }
}
