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
import io.aeroshmem.ContextOption;
import io.aeroshmem.EndpointMap;
import io.aeroshmem.OobRequest;
import io.aeroshmem.Ordering;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Synchronization;
import io.aeroshmem.Team;
import io.aeroshmem.TeamCreation;
import io.aeroshmem.TeamCreationException;
import io.aeroshmem.TeamParams;
import io.aeroshmem.tests.fixture.Deadlines;
import io.aeroshmem.tests.fixture.Pe;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Creations without blocking that fail: all participants get the same message, which names the PEs and their
 * parameters, and no slot, id or context stays in use.
 */
final class CreationFailures
{
    private static final long SHORT_NS = 50_000_000L;
    private static final long MAX_NS = 10_000_000_000L;
    private static final long SPLIT_NS = 1_500_000_000L;
    private static final long LONG_NS = Deadlines.WAIT_NS;
    private static final long POLL_NS = 100_000L;

    private CreationFailures()
    {
    }

    static void shouldRejectDifferentParameters(final Pe pe)
    {
        if (1 == pe.n())
        {
            return;
        }

        final CommunicationContext[] contexts = {
            pe.shmem().createContext(), pe.shmem().createContext(), pe.shmem().createContext(ContextOption.NOSTORE)};
        final SymmetricBuffer buffer = pe.shmem().malloc(64);
        final boolean isLast = pe.n() - 1 == pe.me();
        final String last = "PE " + (pe.n() - 1) + " gave ";
        final long value = isLast ? 1 : 2;
        reject(pe, new TeamParams().contexts(isLast ? new CommunicationContext[]{contexts[0]} :
            new CommunicationContext[]{contexts[0], contexts[1]}), "PE 0 gave 2, " + last + "1");
        reject(pe, new TeamParams().contexts(contexts[0], isLast ? contexts[2] : contexts[1]),
            "PE 0 gave (), (), " + last + "(), (NOSTORE)");
        reject(pe, new TeamParams().ordering(isLast ? Ordering.INIT_ORDERED : Ordering.POST_UNORDERED),
            "PE 0 gave POST_UNORDERED and NON_SYNCHRONIZED, " + last + "INIT_ORDERED and NON_SYNCHRONIZED");
        reject(pe, new TeamParams().synchronization(
            isLast ? Synchronization.SYNCHRONIZED : Synchronization.NON_SYNCHRONIZED),
            last + "POST_ORDERED and SYNCHRONIZED");
        reject(pe, isLast ? new TeamParams().memory(buffer) : new TeamParams(), "PE 0 gave none, " + last);
        reject(pe, new TeamParams().memory(buffer.slice(0, 8 * value)), "of 16 bytes at ");
        reject(pe, new TeamParams().id(-value), "PE 0 gave 18446744073709551614, " + last + "18446744073709551615");
        reject(pe, isLast ? new TeamParams().id(3) : new TeamParams(), "PE 0 gave none, " + last + "3");
        reject(pe, isLast ? new TeamParams().endpoint(3) : new TeamParams(),
            "PE " + (pe.n() - 1) + " gave one, PE 0 gave none");
        reject(pe, new TeamParams().endpoint(isLast ? -1 : -1 - pe.me()),
            "PE 0 and PE " + (pe.n() - 1) + " gave 18446744073709551615");
        reject(pe, new TeamParams().endpoint(isLast ? pe.n() : pe.me()).contiguousEndpoints(true),
            last + pe.n());
        reject(pe, new TeamParams().contiguousEndpoints(isLast), "PE " + (pe.n() - 1) + " gave true, PE 0 false");
        reject(pe, new TeamParams().endpointMap(isLast ? EndpointMap.full(pe.n()) :
            EndpointMap.strided(pe.n() - 1, -1, pe.n())), last + "a different one", "PE 0 gave a different one");
        for (final CommunicationContext context : contexts)
        {
            context.close();
        }

        pe.shmem().free(buffer);
        Failures.checkNoneLeaked(pe);
    }

    private static void reject(final Pe pe, final TeamParams params, final String... anyText)
    {
        final TeamCreationException thrown = Members.fails(
            pe, TeamCreationException.class, pe.shmem().world(), Members.world(pe), () -> Creations.create(pe, params));
        boolean isFound = false;
        for (final String text : anyText)
        {
            isFound |= thrown.getMessage().contains(text);
        }

        assertTrue(isFound, thrown.getMessage());
        assertTrue(thrown.getMessage().startsWith("cannot create a team of " + pe.n() + " PEs: "), thrown.getMessage());
        Creations.create(pe, new TeamParams()).close();
    }

    static void shouldRejectAnIdThatAnOpenTeamHas(final Pe pe)
    {
        final Team team = Creations.create(pe, new TeamParams().id(9));
        reject(pe, new TeamParams().id(9), "has an open team of id 9");
        reject(pe, new TeamParams().id(pe.shmem().world().attributes().id()), "has an open team of id 184467440737095");
        assertEquals(9, team.attributes().id());
        team.close();
        final Team again = Creations.create(pe, new TeamParams().id(9));
        again.close();
        Failures.checkNoneLeaked(pe);
    }

    static void shouldRejectArgumentsBeforeAnythingIsSent(final Pe pe)
    {
        final CommunicationContext closed = pe.shmem().createContext();
        closed.close();
        final SymmetricBuffer freed = pe.shmem().malloc(8);
        pe.shmem().free(freed);
        final int n = pe.n();
        if (0 == pe.me())
        {
            rejectArgument(pe, null);
            rejectArgument(pe, new TeamParams().contexts(pe.ctx(), closed));
            rejectArgument(pe, new TeamParams().endpointMap(EndpointMap.of(n)));
            rejectArgument(pe, new TeamParams().endpointMap(EndpointMap.of(0, 0)));
            rejectArgument(pe, new TeamParams().outOfBand(0, n + 1, (source, dest, length) -> OobRequest.DONE));
            assertThrows(IllegalStateException.class,
                () -> pe.shmem().createTeam(new TeamParams().memory(freed)));
            assertThrows(IllegalStateException.class,
                () -> pe.shmem().createTeam(new TeamParams().outOfBand(0, 1, (source, dest, length) ->
                {
                    throw new IllegalStateException("of the program");
                })));
            if (n > 1)
            {
                rejectArgument(pe, new TeamParams().endpointMap(EndpointMap.of(1)));
                rejectArgument(pe, new TeamParams().endpointMap(EndpointMap.full(2))
                    .outOfBand(0, 1, (source, dest, length) -> OobRequest.DONE));
            }
        }

        assertThrows(IllegalArgumentException.class, () -> EndpointMap.full(0));
        assertThrows(IllegalArgumentException.class, () -> EndpointMap.of());
        assertThrows(IllegalArgumentException.class, () -> EndpointMap.of(-1));
        assertThrows(IllegalArgumentException.class, () -> EndpointMap.strided(0, 0, 2));
        assertThrows(IllegalArgumentException.class, () -> EndpointMap.strided(1, -1, 3));
        assertThrows(IllegalArgumentException.class, () -> new TeamParams().timeoutNs(-1));
        assertThrows(IllegalArgumentException.class, () -> new TeamParams().outstandingCalls(-1));
        assertThrows(IllegalArgumentException.class, () -> new TeamParams().ordering(null));
        assertThrows(IllegalArgumentException.class, () -> new TeamParams().outOfBand(1, 1, null));
        Creations.create(pe, new TeamParams()).close();
        Failures.checkNoneLeaked(pe);
    }

    private static void rejectArgument(final Pe pe, final TeamParams params)
    {
        assertThrows(IllegalArgumentException.class, () -> pe.shmem().createTeam(params));
    }

    static void shouldRejectOverlappingCreations(final Pe pe)
    {
        final TeamCreation creation = pe.shmem().createTeam(new TeamParams());
        assertThrows(IllegalStateException.class, () -> pe.shmem().createTeam(new TeamParams()));
        final Team parent = Creations.made(pe.shmem().world().split(0, 0));
        final Team other = parent.duplicate();
        final TeamCreation first = parent.split(0, 0);
        final TeamCreation second = other.split(0, 0);
        assertThrows(IllegalStateException.class, () -> parent.split(0, 0));
        assertThrows(IllegalStateException.class, parent::close);
        assertThrows(IllegalStateException.class, parent::destroy);
        parent.duplicate().close();
        Creations.made(second).close();
        Creations.made(first).close();
        Creations.made(creation).close();
        other.close();
        parent.close();
        Creations.create(pe, new TeamParams()).close();
        Failures.checkNoneLeaked(pe);
    }

    static void shouldEndInTheTimeLimitOfOneWhenAnotherNeverPolls(final Pe pe)
    {
        if (1 == pe.n())
        {
            return;
        }

        // on a busy machine another PE may be late too
        String message = endByTimeLimit(pe, SHORT_NS);
        for (long limitNs = 2 * SHORT_NS; limitNs < MAX_NS && !message.endsWith(lateIsLast(pe)); limitNs *= 2)
        {
            message = endByTimeLimit(pe, limitNs);
        }

        assertTrue(message.endsWith(lateIsLast(pe)), message);
        Creations.create(pe, new TeamParams().timeoutNs(LONG_NS)).close();
        Failures.checkNoneLeaked(pe);
    }

    private static String lateIsLast(final Pe pe)
    {
        return ", for PE " + (pe.n() - 1);
    }

    /** The last PE polls when the others have failed. Returns the message, which is that of all. */
    private static String endByTimeLimit(final Pe pe, final long limitNs)
    {
        final boolean isLast = pe.n() - 1 == pe.me();
        final TeamCreation creation =
            pe.shmem().createTeam(new TeamParams().timeoutNs(0 == pe.me() ? limitNs : 0));
        if (isLast)
        {
            pe.shmem().syncAll();
        }

        final String message = assertFailed(creation);
        assertTrue(message.contains("PE 0 waited until its limit of " + limitNs + " ns"), message);
        if (!isLast)
        {
            pe.shmem().syncAll();
        }

        pe.shmem().syncAll();
        return message;
    }

    static void shouldEndInTheTimeLimitWhenOneCallsLate(final Pe pe)
    {
        if (1 == pe.n())
        {
            return;
        }

        final boolean isLast = pe.n() - 1 == pe.me();
        final Team parent = Creations.create(pe, new TeamParams().timeoutNs(SPLIT_NS));
        for (int round = 0; round < 2; round++)
        {
            final TeamParams params = new TeamParams().timeoutNs(isLast ? LONG_NS : SHORT_NS);
            if (isLast)
            {
                pe.shmem().syncAll();
            }

            final long startNs = System.nanoTime();
            final String message =
                assertFailed(0 == round ? pe.shmem().createTeam(params) : parent.split(0, 0));
            assertTrue(message.contains("waited until its limit"), message);
            if (isLast)
            {
                assertTrue(System.nanoTime() - startNs < LONG_NS / 2, "fails at once");
            }
            else
            {
                pe.shmem().syncAll();
            }

            pe.shmem().syncAll();
        }

        Creations.create(pe, new TeamParams().timeoutNs(LONG_NS)).close();
        Members.use(pe, parent, Members.world(pe));
        parent.close();
        Failures.checkNoneLeaked(pe);
    }

    static void shouldEndForAllWhenOneCloses(final Pe pe)
    {
        final boolean isFirst = 0 == pe.me();
        final TeamCreation creation = pe.shmem().createTeam(new TeamParams());
        if (isFirst)
        {
            creation.close();
            creation.close();
            assertThrows(IllegalStateException.class, creation::poll);
            assertThrows(IllegalStateException.class, creation::team);
        }
        else
        {
            final String message = assertFailed(creation);
            assertTrue(message.contains("PE 0 closed its TeamCreation"), message);
            assertSame(assertThrows(TeamCreationException.class, creation::poll),
                assertThrows(TeamCreationException.class, creation::poll));
            creation.close();
        }

        pe.shmem().syncAll();
        Creations.create(pe, new TeamParams()).close();
        Failures.checkNoneLeaked(pe);
    }

    /**
     * An exchange that fails on one participant ends the creation of all, which do not know each other yet.
     */
    static void shouldEndForAllWhenAnExchangeFails(final Pe pe)
    {
        final SymmetricBuffer slots = SymmetricGather.allocate(pe);
        final SymmetricGather gather = SymmetricGather.of(pe, slots, pe.me(), Members.world(pe));
        final boolean isFirst = 0 == pe.me();
        final AtomicInteger tests = new AtomicInteger();
        final TeamCreation creation = pe.shmem().createTeam(new TeamParams().outOfBand(
            pe.me(),
            pe.n(),
            (source, dest, length) ->
            {
                final OobRequest request = gather.allgather(source, dest, length);
                return !isFirst ? request : () ->
                {
                    tests.incrementAndGet();
                    throw new IllegalStateException("of the program");
                };
            }));
        assertFalse(isFirst && tests.get() > 0);
        final String message = assertFailed(creation);
        assertTrue(message.contains("the out-of-band exchange of PE 0 failed"), message);
        pe.shmem().syncAll();
        pe.shmem().free(slots);
        Creations.create(pe, new TeamParams()).close();
        Failures.checkNoneLeaked(pe);
    }

    /**
     * What the exchange of one participant delivers is validated, whichever byte of it is missing or altered: all
     * participants fail, and what they held is free.
     */
    static void shouldEndForAllWhenAnExchangeAltersARecord(final Pe pe)
    {
        final SymmetricBuffer slots = SymmetricGather.allocate(pe);
        final SymmetricGather gather = SymmetricGather.of(pe, slots, pe.me(), Members.world(pe));
        final CommunicationContext context = pe.shmem().createContext();
        for (int word = 0; word < 24; word++)
        {
            final int altered = word * Long.BYTES;
            final TeamCreation creation = pe.shmem().createTeam(new TeamParams().id(7).contexts(context).outOfBand(
                pe.me(),
                pe.n(),
                (source, dest, length) ->
                {
                    final OobRequest request = gather.allgather(source, dest, length);
                    return 0 != pe.me() ? request : () ->
                    {
                        final boolean isComplete = request.test();
                        if (isComplete)
                        {
                            final int index = (pe.n() - 1) * length + altered;
                            dest.putLong(index, dest.getLong(index) ^ 0x4D);
                        }

                        return isComplete;
                    };
                }));
            final String message = assertFailed(creation);
            assertTrue(message.contains("PE 0 received a record of rank " + (pe.n() - 1)), message);
            creation.close();
            pe.shmem().syncAll();
        }

        context.close();
        pe.shmem().free(slots);
        Creations.create(pe, new TeamParams().id(7)).close();
        Failures.checkNoneLeaked(pe);
    }

    static void shouldNameTheLimitOfTeams(final Pe pe)
    {
        final List<Team> teams = new ArrayList<>();
        for (int i = 0; i < Failures.MAX_TEAMS; i++)
        {
            teams.add(0 == i % 2 ? Creations.create(pe, new TeamParams()) :
                Creations.made(pe.shmem().world().split(0, 0)));
        }

        final String created = assertFailed(pe.shmem().createTeam(new TeamParams()));
        final String split = assertFailed(pe.shmem().world().split(0, 0));
        assertTrue(created.contains("aeroshmem.teams.max") && split.contains("aeroshmem.teams.max"), created + split);
        assertSame(Team.INVALID, Creations.made(pe.shmem().world().split(-1, 0)));
        for (final Team team : teams)
        {
            Members.use(pe, team, Members.world(pe));
            team.close();
        }

        pe.shmem().syncAll();
        Failures.checkNoneLeaked(pe);
    }

    private static String assertFailed(final TeamCreation creation)
    {
        final long deadlineNs = System.nanoTime() + LONG_NS;
        while (System.nanoTime() < deadlineNs)
        {
            try
            {
                assertFalse(creation.poll(), "made");
                LockSupport.parkNanos(POLL_NS);
            }
            catch (final TeamCreationException ex)
            {
                return ex.getMessage();
            }
        }

        throw new AssertionError("still in progress");
    }
}
