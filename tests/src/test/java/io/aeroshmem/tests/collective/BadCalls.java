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
package io.aeroshmem.tests.collective;

import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.RoutineSet;

import java.util.LinkedHashMap;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/**
 * Calls that must be rejected before anything is sent: one PE makes each of them, while the others continue with the
 * next correct call, which would fail if the rejected call had sent anything or waited.
 */
final class BadCalls extends RoutineSet
{
    private static final int COUNT = 100;
    private static final long BYTES = 8L * COUNT;

    BadCalls()
    {
        add("bad calls", BadCalls::shouldBeRejectedBeforeAnythingIsSent);
        add("bad calls by all", BadCalls::shouldBeRejectedByAll);
        add("bad pairs", BadCalls::shouldRejectEveryPairThatHasNoMeaning);
    }

    private static void shouldBeRejectedBeforeAnythingIsSent(final Pe pe)
    {
        final Memory memory = new Memory(pe);
        int turn = 0;
        for (final Team team : new Team[] {pe.shmem().world(), memory.reversed})
        {
            for (final Map.Entry<String, Runnable> bad : memory.badCalls(team).entrySet())
            {
                if (turn++ % pe.n() == pe.me())
                {
                    reject(pe, bad.getKey(), bad.getValue());
                }

                memory.use(team, turn);
            }
        }

        for (final Map.Entry<String, Runnable> bad : memory.callsOnNoTeam().entrySet())
        {
            final RuntimeException thrown = assertThrows(
                IllegalStateException.class, bad.getValue()::run, bad.getKey());
            assertEquals(IllegalStateException.class, thrown.getClass());
        }

        memory.use(pe.shmem().world(), turn);
        memory.close();
    }

    private static void shouldBeRejectedByAll(final Pe pe)
    {
        final Memory memory = new Memory(pe);
        int turn = 0;
        for (final Map.Entry<String, Runnable> bad : memory.badCalls(pe.shmem().world()).entrySet())
        {
            reject(pe, bad.getKey(), bad.getValue());
            memory.use(pe.shmem().world(), turn++);
        }

        // known only after all have sent their number of elements
        reject(pe, "collect: dest too small", () -> pe.shmem().world().collect(
            ElementType.LONG, memory.dest.slice(0, BYTES * pe.n() - 8), memory.source, COUNT));
        memory.use(pe.shmem().world(), turn);
        memory.close();
    }

    private static void shouldRejectEveryPairThatHasNoMeaning(final Pe pe)
    {
        final Memory memory = new Memory(pe);
        final Team team = memory.reversed;
        for (final ElementType type : ElementType.values())
        {
            for (final ReduceOp op : ReduceOp.values())
            {
                if (!Arithmetic.isAllowed(op, type) && 0 == pe.me())
                {
                    final String what = op + " of " + type;
                    reject(pe, what, () -> team.reduce(op, type, memory.dest, memory.source, 1));
                    reject(pe, what, () -> team.reduce(op, type, memory.dest, memory.source, 0));
                    reject(pe, what, () -> team.reduceScatter(op, type, memory.dest, memory.source, 1));
                    reject(pe, what, () -> team.inclusiveScan(op, type, memory.dest, memory.source, 1));
                    reject(pe, what, () -> team.exclusiveScan(op, type, memory.dest, memory.source, 1));
                }
            }
        }

        memory.use(team, 3);
        memory.close();
    }

    private static void reject(final Pe pe, final String what, final Runnable call)
    {
        final RuntimeException thrown;
        try
        {
            thrown = assertThrows(RuntimeException.class, call::run, what);
        }
        catch (final AssertionError ex)
        {
            throw new AssertionError("PE " + pe.me() + ", " + what + ": " + ex.getMessage(), ex);
        }

        final boolean isKind = thrown instanceof IllegalArgumentException ||
            thrown instanceof IndexOutOfBoundsException || thrown instanceof IllegalStateException;
        if (!isKind || thrown instanceof ArrayIndexOutOfBoundsException)
        {
            throw new AssertionError(what + " threw " + thrown, thrown);
        }
    }

    /**
     * The operands of the calls.
     */
    private static final class Memory
    {
        private final Pe pe;
        private final int n;
        private final Team reversed;
        private final Team closed;
        private final SymmetricBuffer dest;
        private final SymmetricBuffer source;
        private final SymmetricBuffer freed;

        Memory(final Pe pe)
        {
            this.pe = pe;
            n = pe.n();
            reversed = pe.shmem().world().splitStrided(n - 1, -1, n);
            closed = pe.shmem().world().duplicate();
            closed.close();
            dest = pe.shmem().malloc(2 * BYTES * n + 64);
            source = pe.shmem().malloc(BYTES * n + 64);
            freed = pe.shmem().malloc(BYTES * n);
            pe.shmem().free(freed);
        }

        void close()
        {
            reversed.close();
            pe.shmem().barrierAll();
            pe.shmem().free(source);
            pe.shmem().free(dest);
        }

        /**
         * Correct calls of different routines.
         */
        void use(final Team team, final int turn)
        {
            source.putLong(0, pe.me() + 1000L * turn);
            switch (turn % 4)
            {
                case 0 -> team.reduce(ReduceOp.SUM, ElementType.LONG, dest, source, 1);
                case 1 -> team.broadcast(ElementType.LONG, dest, source, 1, 0);
                case 2 -> team.fcollect(ElementType.LONG, dest, source, 1);
                default -> dest.putLong(0, team.reduceLong(ReduceOp.MAX, source.getLong(0)));
            }

            final int first = team == reversed ? n - 1 : 0;
            assertEquals(switch (turn % 4)
            {
                case 0 -> 1000L * turn * n + (long)n * (n - 1) / 2;
                case 1, 2 -> 1000L * turn + first;
                default -> 1000L * turn + n - 1;
            }, dest.getLong(0), "after turn " + turn);
        }

        Map<String, Runnable> callsOnNoTeam()
        {
            final Map<String, Runnable> calls = new LinkedHashMap<>();
            for (final Team team : new Team[] {Team.INVALID, closed})
            {
                calls.put("barrier of " + team, team::barrier);
                calls.put("sync of " + team, team::sync);
                calls.put("reduceLong of " + team, () -> team.reduceLong(ReduceOp.SUM, 1));
                calls.put("reduceDouble of " + team, () -> team.reduceDouble(ReduceOp.SUM, 1));
                calls.put("broadcastLong of " + team, () -> team.broadcastLong(1, 0));
                for (final Call call : Call.values())
                {
                    if (!call.isSynchronising() && !call.isScalar())
                    {
                        calls.put(call + " of " + team, () -> run(call, team, dest, source, 1));
                        calls.put(call + " of nothing of " + team, () -> run(call, team, dest, source, 0));
                    }
                }
            }

            return calls;
        }

        Map<String, Runnable> badCalls(final Team team)
        {
            final Map<String, Runnable> calls = new LinkedHashMap<>();
            for (final Call call : Call.values())
            {
                if (!call.isSynchronising() && !call.isScalar())
                {
                    addBuffers(calls, team, call);
                    addCounts(calls, team, call);
                }
            }

            addRoots(calls, team);
            addStrides(calls, team);
            addNulls(calls, team);
            return calls;
        }

        private void addBuffers(final Map<String, Runnable> calls, final Team team, final Call call)
        {
            final long sourceBytes = call.isSourceOfBlocks() ? BYTES * n : BYTES;
            final long destBytes = call.isDestOfBlocks() ? BYTES * n : BYTES;
            calls.put(call + ": source too small", () ->
                run(call, team, dest, source.slice(0, sourceBytes - 1), COUNT));
            calls.put(call + ": no source", () -> run(call, team, dest, null, COUNT));
            calls.put(call + ": freed source", () -> run(call, team, dest, freed, COUNT));
            calls.put(call + ": freed dest", () -> run(call, team, freed, source, COUNT));
            calls.put(call + ": no dest", () -> run(call, team, null, source, COUNT));
            calls.put(call + ": overlapping by one element", () ->
                run(call, team, dest.slice(8, destBytes), dest.slice(0, sourceBytes), COUNT));
            if (!call.isInPlaceAllowed())
            {
                calls.put(call + ": in place", () -> run(call, team, dest, dest, COUNT));
            }

            if (call.isReducing())
            {
                calls.put(call + ": dest not aligned", () -> run(call, team, dest.slice(4, destBytes), source, COUNT));
                calls.put(call + ": source not aligned", () ->
                    run(call, team, dest, source.slice(1, sourceBytes), COUNT));
            }

            if (Call.COLLECT != call)
            {
                calls.put(call + ": overlapping in the last element", () ->
                    run(call, team, dest.slice(0, destBytes), dest.slice(destBytes - 8, sourceBytes), COUNT));
                calls.put(call + ": dest too small", () ->
                    run(call, team, dest.slice(0, destBytes - 1), source, COUNT));
            }
        }

        private void addCounts(final Map<String, Runnable> calls, final Team team, final Call call)
        {
            final long[] counts = {
                -1, Long.MIN_VALUE, Long.MAX_VALUE, Long.MAX_VALUE / 8 + 1, 1L << 61, 1L << 32, (1L << 61) + 1};
            for (final long count : counts)
            {
                calls.put(call + " of " + count, () -> run(call, team, dest, source, count));
            }
        }

        private void addRoots(final Map<String, Runnable> calls, final Team team)
        {
            for (final int root : new int[] {-1, n, Integer.MAX_VALUE, Integer.MIN_VALUE})
            {
                calls.put("broadcast from " + root, () ->
                    team.broadcast(ElementType.LONG, dest, source, COUNT, root));
                calls.put("broadcast of nothing from " + root, () ->
                    team.broadcast(ElementType.LONG, dest, source, 0, root));
                calls.put("broadcastLong from " + root, () -> team.broadcastLong(1, root));
            }
        }

        private void addStrides(final Map<String, Runnable> calls, final Team team)
        {
            for (final long stride : new long[] {0, -1, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 60, 1_000_000})
            {
                calls.put("alltoalls with dest stride " + stride, () ->
                    team.alltoalls(ElementType.LONG, dest, source, stride, 1, 2));
                calls.put("alltoalls with source stride " + stride, () ->
                    team.alltoalls(ElementType.LONG, dest, source, 1, stride, 2));
            }

            calls.put("alltoalls with a stride that just does not fit", () -> team.alltoalls(
                ElementType.LONG, dest.slice(0, ((2L * n - 1) * 3 + 1) * 8 - 1), source, 3, 1, 2));
        }

        private void addNulls(final Map<String, Runnable> calls, final Team team)
        {
            calls.put("no type", () -> team.broadcast(null, dest, source, 1, 0));
            calls.put("no type to reduce", () -> team.reduce(ReduceOp.SUM, null, dest, source, 1));
            calls.put("no operation", () -> team.reduce(null, ElementType.LONG, dest, source, 1));
            calls.put("no operation of a long", () -> team.reduceLong(null, 1));
            calls.put("no operation of a double", () -> team.reduceDouble(null, 1));
            calls.put("and of a double", () -> team.reduceDouble(ReduceOp.AND, 1));
            calls.put("average of a long", () -> team.reduceLong(ReduceOp.AVG, 1));
        }

        private static void run(
            final Call call,
            final Team team,
            final SymmetricBuffer dest,
            final SymmetricBuffer source,
            final long count)
        {
            final CollectiveCase test = new CollectiveCase(
                0, call, ElementType.LONG, ReduceOp.SUM, count, TeamShape.WORLD, false, 1, 1, false);
            CaseRunner.call(test, team, dest, source, count, 0);
        }
    }
}
