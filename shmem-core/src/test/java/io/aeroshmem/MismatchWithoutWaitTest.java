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
package io.aeroshmem;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Calls of two members that differ, and in which neither waits for the other: all return. The members find the
 * difference in the next call that one of them waits in, when they close the team, or when they close the PE.
 */
@Tag("waits")
@Timeout(60)
class MismatchWithoutWaitTest
{
    private static final TransportKind[] TRANSPORTS = {TransportKind.MAPPED, TransportKind.IPC, TransportKind.UDP};
    private static final int COUNT = 3;

    /** A call on a team of which a PE of two has a rank, with buffers. */
    private interface Call
    {
        void run(Team team, SymmetricBuffer dest, SymmetricBuffer source, int me);
    }

    private static Map<String, Call> blockingCalls()
    {
        final Map<String, Call> calls = new LinkedHashMap<>();
        calls.put("two roots", (team, dest, source, me) -> team.broadcast(ElementType.LONG, dest, source, COUNT, me));
        calls.put("two roots, a scalar", (team, dest, source, me) -> team.broadcastLong(me, me));
        calls.put("counts of a root", (team, dest, source, me) ->
            team.broadcast(ElementType.LONG, dest, source, 0 == me ? COUNT : 0, 0));
        calls.put("a call of the root only", (team, dest, source, me) ->
        {
            if (0 == me)
            {
                team.broadcast(ElementType.LONG, dest, source, COUNT, 0);
            }
        });
        return calls;
    }

    private static Map<String, Call> requests()
    {
        final Map<String, Call> calls = new LinkedHashMap<>();
        for (final Collective collective : new Collective[]{
            Collective.FAN_OUT, Collective.BROADCAST, Collective.SCATTER, Collective.SCATTERV})
        {
            calls.put("two roots of " + collective, (team, dest, source, me) ->
                post(team, collective, dest, source, me));
        }

        for (final Collective collective : new Collective[]{
            Collective.FAN_IN, Collective.GATHER, Collective.GATHERV})
        {
            calls.put("no root of " + collective, (team, dest, source, me) ->
                post(team, collective, dest, source, 1 - me));
        }

        calls.put("SCATTER for GATHER", (team, dest, source, me) ->
            post(team, 0 == me ? Collective.SCATTER : Collective.GATHER, dest, source, 0));
        calls.put("FAN_OUT for FAN_IN", (team, dest, source, me) ->
            post(team, 0 == me ? Collective.FAN_OUT : Collective.FAN_IN, dest, source, 0));
        return calls;
    }

    private static void post(
        final Team team,
        final Collective collective,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final int root)
    {
        final boolean isScatter = Collective.SCATTER == collective || Collective.SCATTERV == collective;
        final boolean isGather = Collective.GATHER == collective || Collective.GATHERV == collective;
        final long[] counts = {COUNT, COUNT};
        final CollectiveArgs args = new CollectiveArgs().collective(collective).op(ReduceOp.SUM).root(root)
            .source(source, isScatter ? 2 * COUNT : COUNT, ElementType.LONG)
            .dest(dest, isGather ? 2 * COUNT : COUNT, ElementType.LONG);
        if (Collective.SCATTERV == collective)
        {
            args.sourceV(source, counts, null, ElementType.LONG);
        }
        else if (Collective.GATHERV == collective)
        {
            args.destV(dest, counts, null, ElementType.LONG);
        }

        team.post(args).await();
    }

    private static final Map<String, Call> NEXT_CALLS = Map.of(
        "barrier", (team, dest, source, me) -> team.barrier(),
        "sync", (team, dest, source, me) -> team.sync(),
        "broadcast", (team, dest, source, me) -> team.broadcast(ElementType.LONG, dest, source, 2, 1),
        "reduce", (team, dest, source, me) -> team.reduceLong(ReduceOp.SUM, 1),
        "alltoall", (team, dest, source, me) -> team.alltoall(ElementType.LONG, dest, source, 1),
        "collect", (team, dest, source, me) -> team.collect(ElementType.LONG, dest, source, 1 + me),
        "duplicate", (team, dest, source, me) -> team.duplicate());

    static List<Arguments> blocking()
    {
        return arguments(blockingCalls());
    }

    static List<Arguments> all()
    {
        final Map<String, Call> calls = blockingCalls();
        calls.putAll(requests());
        return arguments(calls);
    }

    static List<Arguments> nonblocking()
    {
        return arguments(requests());
    }

    private static List<Arguments> arguments(final Map<String, Call> calls)
    {
        final List<Arguments> arguments = new ArrayList<>();
        calls.forEach((name, call) ->
        {
            for (final TransportKind transport : TRANSPORTS)
            {
                arguments.add(Arguments.of(name, transport, call));
            }
        });
        return arguments;
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("blocking")
    @Tag("ci")
    void shouldBeFoundByTheNextCall(final String name, final TransportKind transport, final Call call)
    {
        NEXT_CALLS.forEach((nextName, next) -> assertFound(transport, " called ", (team, dest, source, me) ->
        {
            call.run(team, dest, source, me);
            next.run(team, dest, source, me);
        }));
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("nonblocking")
    @Tag("ci")
    void shouldBeFoundByTheNextRequest(final String name, final TransportKind transport, final Call call)
    {
        assertFound(transport, " posted sync after other calls", (team, dest, source, me) ->
        {
            call.run(team, dest, source, me);
            post(team, Collective.BARRIER, dest, source, 0);
        });
    }

    /** The members close the team and call nothing more: one of them, or the close of the PE, finds the difference. */
    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("all")
    @Tag("ci")
    void shouldBeFoundByTheCloseOfATeam(final String name, final TransportKind transport, final Call call)
    {
        assertFound(transport, " have made different calls on team team-0-", (team, dest, source, me) ->
        {
            call.run(team, dest, source, me);
            team.close();
        });
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("all")
    @Tag("ci")
    void shouldBeFoundByTheCloseOfThePes(final String name, final TransportKind transport, final Call call)
    {
        assertFound(transport, " have made different calls on team team-0-", call);
    }

    @Test
    void shouldBeFoundByTheDestructionOfATeam()
    {
        assertFound(TransportKind.IPC, " have made different calls on team team-0-", (team, dest, source, me) ->
        {
            team.broadcastLong(me, me);
            team.destroy().await();
        });
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC", "UDP"})
    void shouldBeFoundOnAPredefinedTeam(final TransportKind transport)
    {
        final CollectiveMismatchException thrown = assertThrows(CollectiveMismatchException.class, () ->
            LocalJobs.run(2, transport, (shmem) -> shmem.world().broadcastLong(shmem.myPe(), shmem.myPe())));
        assertTrue(thrown.getMessage().contains("different calls on team WORLD"), thrown.getMessage());
    }

    /** The close of a PE that finds the difference throws, so that its process does not end with success. */
    @Test
    void shouldBeThrownByTheCloseOfAPe() throws Exception
    {
        final int[] thrown = new int[2];
        LocalJobs.runEach(2, (config, pe) ->
        {
        }, (shmem) ->
        {
            final int me = shmem.myPe();
            shmem.world().broadcastLong(me, me);
            try
            {
                shmem.close();
            }
            catch (final CollectiveMismatchException ex)
            {
                thrown[me]++;
            }

            shmem.close();
        });
        assertEquals(2, thrown[0] + thrown[1]);
    }

    private static void assertFound(final TransportKind transport, final String text, final Call call)
    {
        final CollectiveMismatchException thrown = assertThrows(CollectiveMismatchException.class, () ->
            LocalJobs.run(2, transport, (shmem) ->
            {
                final SymmetricBuffer source = shmem.calloc(2 * COUNT, Long.BYTES);
                final SymmetricBuffer dest = shmem.calloc(2 * COUNT, Long.BYTES);
                call.run(shmem.world().duplicate(), dest, source, shmem.myPe());
            }));
        assertTrue(thrown.getMessage().contains(text), thrown.getMessage());
    }

    /** What members may do differently is no difference of their calls. */
    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC", "UDP"})
    void shouldNotBeFoundWhereMembersMakeTheSameCalls(final TransportKind transport) throws Exception
    {
        LocalJobs.run(3, transport, (shmem) ->
        {
            final SymmetricBuffer source = shmem.calloc(16, Long.BYTES);
            final SymmetricBuffer dest = shmem.calloc(32, Long.BYTES);
            final int me = shmem.myPe();
            for (int i = 0; i < 50; i++)
            {
                final Team team = shmem.world().duplicate();
                final Team part = shmem.world().splitStrided(0, 1, 2);
                team.broadcastLong(me, i % 3);
                team.collect(ElementType.LONG, dest, source, me);
                team.broadcast(ElementType.LONG, dest, source, 0, me);
                assertThrows(IllegalArgumentException.class, () -> team.broadcastLong(1, 3 + me));
                if (2 != me)
                {
                    part.broadcastLong(i, 0);
                    part.post(new CollectiveArgs().collective(Collective.FAN_IN)).await();
                }

                post(team, Collective.FAN_OUT, dest, source, 2);
                if (0 != i % 5)
                {
                    part.close();
                    team.close();
                }
            }
        });
    }
}
