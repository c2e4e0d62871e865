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
import java.util.List;
import java.util.function.BiConsumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Misuse of the forms of collectives that only requests have: counts that members do not agree on, and arguments that
 * one member can check.
 */
@Timeout(120)
class RequestMisuseTest
{
    private static final int SHORT = 3;
    private static final int LONG = 30_000;
    private static final long GUARD = 2;

    private static void fill(final SymmetricBuffer buffer, final long value)
    {
        for (long at = 0; at < buffer.length(); at += Long.BYTES)
        {
            buffer.putLong(at, value);
        }
    }

    private static long[] counts(final long... counts)
    {
        return counts;
    }

    /** Requests of two members that differ, and what the message has to name. */
    private record Mismatch(String name, BiConsumer<CollectiveArgs, Pe> args, String... texts)
    {
        @Override
        public String toString()
        {
            return name;
        }
    }

    /** The rank and the buffers of a PE. */
    private record Pe(int rank, SymmetricBuffer source, SymmetricBuffer dest)
    {
        boolean isFirst()
        {
            return 0 == rank;
        }
    }

    static List<Arguments> mismatches()
    {
        final List<Mismatch> all = new ArrayList<>();
        for (final int sent : new int[]{SHORT, LONG})
        {
            for (final int expected : new int[]{SHORT - 1, LONG - 1})
            {
                addLengths(all, sent, expected);
            }
        }

        all.add(new Mismatch("counts of REDUCE_SCATTERV", (args, pe) -> args
            .collective(Collective.REDUCE_SCATTERV).op(ReduceOp.SUM).source(pe.source, 5, ElementType.LONG)
            .destV(pe.dest, pe.isFirst() ? counts(2, 3) : counts(3, 2), null, ElementType.LONG),
            "PE 0", "PE 1", "reduceScatterv(SUM, LONG) with another count or root"));
        for (final Collective collective : new Collective[]{
            Collective.FAN_IN, Collective.GATHER, Collective.REDUCE})
        {
            all.add(new Mismatch("roots of " + collective, (args, pe) -> args
                .collective(collective).op(ReduceOp.SUM).source(pe.source, 2, ElementType.LONG)
                .dest(pe.dest, Collective.GATHER == collective ? 4 : 2, ElementType.LONG).root(pe.rank),
                "PE 0", "PE 1", "another count or root"));
        }

        all.add(new Mismatch("counts of GATHER", (args, pe) -> args
            .collective(Collective.GATHER).source(pe.source, 2 + pe.rank, ElementType.LONG)
            .dest(pe.dest, 4, ElementType.LONG), "PE 0", "PE 1", "gather(LONG) with another count or root"));
        all.add(new Mismatch("types of SCATTER", (args, pe) -> args
            .collective(Collective.SCATTER)
            .source(pe.source, 4, pe.isFirst() ? ElementType.LONG : ElementType.INT)
            .dest(pe.dest, 2, pe.isFirst() ? ElementType.LONG : ElementType.INT),
            "PE 0", "PE 1", "scatter(LONG)", "scatter(INT)"));
        all.add(new Mismatch("different collectives", (args, pe) -> args
            .collective(pe.isFirst() ? Collective.GATHER : Collective.ALLGATHER)
            .source(pe.source, 2, ElementType.LONG).dest(pe.dest, 4, ElementType.LONG),
            "PE 0", "PE 1", "gather(LONG)", "fcollect(LONG)"));

        all.add(new Mismatch("algorithms of ALLREDUCE", (args, pe) -> args
            .collective(Collective.ALLREDUCE).op(ReduceOp.SUM)
            .source(pe.source, pe.isFirst() ? SHORT : LONG, ElementType.LONG)
            .dest(pe.dest, pe.isFirst() ? SHORT : LONG, ElementType.LONG),
            "PE 0", "PE 1", "reduce(SUM, LONG) with another count or root"));
        all.add(new Mismatch("algorithms of REDUCE_SCATTERV", (args, pe) -> args
            .collective(Collective.REDUCE_SCATTERV).op(ReduceOp.SUM)
            .source(pe.source, pe.isFirst() ? SHORT : LONG, ElementType.LONG)
            .destV(pe.dest, pe.isFirst() ? counts(0, SHORT) : counts(0, LONG), null, ElementType.LONG),
            "PE 0", "PE 1", "reduceScatterv(SUM, LONG) with another count or root"));
        all.add(new Mismatch("BARRIER for FAN_IN", (args, pe) -> args
            .collective(pe.isFirst() ? Collective.FAN_IN : Collective.BARRIER),
            "PE 0", "PE 1", "fanIn", "sync"));
        all.add(new Mismatch("BARRIER for SCATTER", (args, pe) -> args
            .collective(pe.isFirst() ? Collective.BARRIER : Collective.SCATTER)
            .source(pe.source, 4, ElementType.LONG).dest(pe.dest, 2, ElementType.LONG),
            "PE 0", "PE 1", "scatter(LONG)", "sync"));

        final List<Arguments> arguments = new ArrayList<>();
        for (final Mismatch mismatch : all)
        {
            arguments.add(Arguments.of(mismatch, TransportKind.MAPPED));
            arguments.add(Arguments.of(mismatch, TransportKind.IPC));
        }

        return arguments;
    }

    private static void addLengths(final List<Mismatch> all, final int sent, final int expected)
    {
        final String[] texts = {
            "PE 0 sends " + sent + " elements of LONG to PE 1, which expects " + expected};
        final String name = " of " + sent + " for " + expected;
        all.add(new Mismatch("ALLTOALLV" + name, (args, pe) -> args
            .collective(Collective.ALLTOALLV)
            .sourceV(pe.source, pe.isFirst() ? counts(1, sent) : counts(2, 1), null, ElementType.LONG)
            .destV(pe.dest, pe.isFirst() ? counts(1, 2) : counts(expected, 1), null, ElementType.LONG), texts));
        all.add(new Mismatch("ALLGATHERV" + name, (args, pe) -> args
            .collective(Collective.ALLGATHERV)
            .source(pe.source, pe.isFirst() ? sent : 5, ElementType.LONG)
            .destV(pe.dest, counts(pe.isFirst() ? sent : expected, 5), null, ElementType.LONG), texts));
        all.add(new Mismatch("SCATTERV" + name, (args, pe) -> args
            .collective(Collective.SCATTERV)
            .sourceV(pe.source, counts(4, sent), null, ElementType.LONG)
            .dest(pe.dest, pe.isFirst() ? 4 : expected, ElementType.LONG), texts));
        all.add(new Mismatch("GATHERV" + name, (args, pe) ->
        {
            args.collective(Collective.GATHERV).root(1).source(pe.source, pe.isFirst() ? sent : 5, ElementType.LONG);
            if (!pe.isFirst())
            {
                args.destV(pe.dest, counts(expected, 5), null, ElementType.LONG);
            }
        }, texts));
    }

    @ParameterizedTest
    @MethodSource("mismatches")
    @Tag("ci")
    void shouldDetectThatMembersDisagree(final Mismatch mismatch, final TransportKind transport)
    {
        final Exception thrown = assertThrows(CollectiveMismatchException.class, () ->
            LocalJobs.run(2, transport, (shmem) ->
            {
                final long length = (LONG + 5L) * Long.BYTES;
                final SymmetricBuffer source = shmem.calloc(LONG + 5, Long.BYTES);
                final SymmetricBuffer guarded = shmem.calloc(2 * LONG, Long.BYTES);
                final SymmetricBuffer dest = guarded.slice(0, length);
                fill(source, 1);
                fill(guarded, GUARD);
                final CollectiveArgs args = new CollectiveArgs();
                mismatch.args.accept(args, new Pe(shmem.myPe(), source, dest));
                shmem.barrierAll();
                try
                {
                    shmem.world().post(args).await();
                    shmem.barrierAll();
                }
                finally
                {
                    for (long at = length; at < guarded.length(); at += Long.BYTES)
                    {
                        assertEquals(GUARD, guarded.getLong(at), "behind dest");
                    }
                }
            }));
        for (final String text : mismatch.texts)
        {
            assertTrue(thrown.getMessage().contains(text), thrown.getMessage());
        }
    }

    @Test
    void shouldRejectArgumentsAndGoOn() throws Exception
    {
        LocalJobs.run(2, (shmem) ->
        {
            final Team team = shmem.world();
            final SymmetricBuffer data = shmem.calloc(64, Long.BYTES);
            final SymmetricBuffer other = shmem.calloc(64, Long.BYTES);
            final int me = team.myPe();
            for (final Collective collective : Collective.values())
            {
                rejectMissing(team, collective);
            }

            rejectCounts(team, data, other, me);
            rejectBlocks(team, data, other, me);
            rejectOperations(team, data, other);

            team.post(new CollectiveArgs().collective(Collective.FAN_IN)).await();
            shmem.barrierAll();
        });
    }

    /** What does not matter on a member is neither checked nor accessed, and may be freed. */
    @ParameterizedTest
    @EnumSource(value = Collective.class, names = {
        "BARRIER", "FAN_IN", "FAN_OUT", "REDUCE", "GATHER", "GATHERV", "SCATTER", "SCATTERV"})
    void shouldIgnoreBuffersThatDoNotMatter(final Collective collective) throws Exception
    {
        LocalJobs.run(3, (shmem) ->
        {
            final Team team = shmem.world();
            final SymmetricBuffer freed = shmem.malloc(64);
            shmem.free(freed);
            final SymmetricBuffer source = shmem.calloc(12, Long.BYTES);
            final SymmetricBuffer dest = shmem.calloc(12, Long.BYTES);
            final boolean isRoot = 1 == team.myPe();
            final boolean isScatter = Collective.SCATTER == collective || Collective.SCATTERV == collective;
            final CollectiveArgs args = new CollectiveArgs().collective(collective).op(ReduceOp.SUM).root(1)
                .source(freed, 99, ElementType.HALF).destV(freed, counts(-1), null, ElementType.HALF);
            if (isScatter && !isRoot)
            {
                args.dest(dest, 2, ElementType.LONG).sourceV(freed, counts(-1), null, ElementType.HALF);
            }
            else if (Collective.REDUCE.compareTo(collective) <= 0)
            {
                args.source(source, isScatter ? 6 : 2, ElementType.LONG);
            }

            if (isRoot)
            {
                args.dest(dest, Collective.GATHER == collective ? 6 : 2, ElementType.LONG);
            }

            if (isRoot && Collective.GATHERV == collective)
            {
                args.destV(dest, counts(2, 2, 2), null, ElementType.LONG);
            }

            if (isRoot && Collective.SCATTERV == collective)
            {
                args.sourceV(source, counts(2, 2, 2), null, ElementType.LONG);
            }

            try (CollectiveRequest request = team.request(args.persistent(true)))
            {
                for (int i = 0; i < 2; i++)
                {
                    request.post();
                    request.await();
                }
            }

            shmem.barrierAll();
        });
    }

    private static void rejected(final Team team, final CollectiveArgs args, final String text)
    {
        final String message = assertThrows(IllegalArgumentException.class, () -> team.request(args)).getMessage();
        assertTrue(message.contains(text), message);
    }

    /** Whatever a collective reads of source and dest must be there, on a root. */
    private static void rejectMissing(final Team team, final Collective collective)
    {
        final CollectiveArgs args = new CollectiveArgs().collective(collective).op(ReduceOp.SUM).root(team.myPe());
        switch (collective)
        {
            case BARRIER, FAN_IN, FAN_OUT -> team.request(args).close();
            default ->
            {
                assertThrows(IllegalArgumentException.class, () -> team.request(args), "no types");
                final boolean isSourceV = Collective.ALLTOALLV == collective || Collective.SCATTERV == collective;
                final boolean isDestV = Collective.ALLTOALLV == collective || Collective.GATHERV == collective ||
                    Collective.ALLGATHERV == collective || Collective.REDUCE_SCATTERV == collective;
                final boolean isSourceOfBlocks =
                    Collective.SCATTER == collective || Collective.REDUCE_SCATTER == collective;
                final boolean isDestOfBlocks = Collective.GATHER == collective || Collective.ALLGATHER == collective;
                args.source(null, Collective.REDUCE_SCATTERV == collective || isSourceOfBlocks ? 4 : 2,
                    ElementType.LONG);
                args.dest(null, isDestOfBlocks ? 4 : 2, ElementType.LONG);
                if (isSourceV)
                {
                    args.sourceV(null, counts(2, 2), null, ElementType.LONG);
                }

                if (isDestV)
                {
                    args.destV(null, counts(2, 2), null, ElementType.LONG);
                }

                rejected(team, args, "is null");
                if (isSourceV || isDestV)
                {
                    rejected(team, args.source(null, 2, ElementType.LONG).dest(null, 2, ElementType.LONG),
                        "V must be set");
                }
                else
                {
                    rejected(team, args.destV(null, counts(2, 2), null, ElementType.LONG), "destV must not be set");
                }
            }
        }
    }

    private static void rejectCounts(
        final Team team, final SymmetricBuffer data, final SymmetricBuffer other, final int me)
    {
        final CollectiveArgs args = new CollectiveArgs();
        assertThrows(IllegalArgumentException.class, () -> args.destV(data, null, null, ElementType.LONG));
        assertThrows(IllegalArgumentException.class, () -> args.destV(data, counts(1, 1), null, null));
        args.collective(Collective.GATHER).root(me)
            .source(data, 2, ElementType.LONG).dest(other, 5, ElementType.LONG);
        rejected(team, args, "dest has 5, source 2");
        rejected(team, args.dest(data, 5, ElementType.LONG), "a multiple of 2");
        rejected(team, args.root(2), "root=2");
        rejected(team, args.collective(Collective.FAN_OUT).root(-1), "root=-1");
        rejected(team, args.collective(Collective.REDUCE).op(ReduceOp.SUM), "root=-1");
        rejected(team, args.collective(Collective.SCATTER), "root=-1");
        args.root(me);
        rejected(team, args.collective(Collective.ALLGATHERV)
            .destV(other, counts(1, 2, 3), null, ElementType.LONG), "one element for each of 2");
        rejected(team, args.destV(other, counts(1, 2), new long[1], ElementType.LONG), "one element for each of 2");
        rejected(team, args.destV(other, counts(2, -1), null, ElementType.LONG), "count=-1");
        rejected(team, args.destV(other, counts(2, 2), counts(4, -1), ElementType.LONG), "displacement=-1");
        rejected(team, args.destV(other, counts(2, Long.MAX_VALUE / 4), null, ElementType.LONG), "count=");
        rejected(team, args.destV(other, counts(2, 2), counts(0, Long.MAX_VALUE / 8), ElementType.LONG),
            "displacement=");
        args.destV(other, counts(2, 2), counts(0, 63), ElementType.LONG);
        assertThrows(IndexOutOfBoundsException.class, () -> team.request(args), "the last block is too long");
        rejected(team, args.destV(other, counts(3, 3), null, ElementType.LONG),
            "that of this PE's block of destV, 3: 2");
        rejected(team, args.collective(Collective.REDUCE_SCATTERV).source(data, 7, ElementType.LONG),
            "the sum of the counts of destV, 6: 7");
        rejected(team, args.collective(Collective.SCATTERV)
            .sourceV(data, counts(3, 3), null, ElementType.LONG).dest(other, 2, ElementType.LONG),
            "that of this PE's block of sourceV, 3: 2");
        rejected(team, args.collective(Collective.ALLTOALLV)
            .destV(other, me == 0 ? counts(1, 3) : counts(3, 1), null, ElementType.LONG),
            "that of this PE's block of destV, 1: 3");
    }

    private static void rejectBlocks(
        final Team team, final SymmetricBuffer data, final SymmetricBuffer other, final int me)
    {
        final CollectiveArgs args = new CollectiveArgs().collective(Collective.ALLTOALLV).root(me)
            .sourceV(data, counts(4, 4), counts(0, 0), ElementType.LONG);
        team.request(args.destV(other, counts(4, 4), counts(8, 4), ElementType.LONG)).close();
        rejected(team, args.destV(other, counts(4, 4), counts(7, 4), ElementType.LONG), "must be disjoint");
        rejected(team, args.destV(data.slice(24, 400), counts(4, 4), counts(8, 4), ElementType.LONG)
            .sourceV(data, counts(4, 4), counts(0, 12), ElementType.LONG), "must be disjoint");
        team.request(args.destV(data.slice(24, 400), counts(4, 4), counts(4, 9), ElementType.LONG)
            .sourceV(data, counts(4, 4), counts(0, 16), ElementType.LONG).collective(Collective.ALLTOALLV));
        rejected(team, args.sourceV(data, counts(4, 4), null, ElementType.LONG)
            .destV(data, counts(4, 4), counts(4, 0), ElementType.LONG), "the same in place");
        rejected(team, args.collective(Collective.GATHER).source(data.slice(8, 16), 2, ElementType.LONG)
            .dest(data, 4, ElementType.LONG), "be disjoint");
        rejected(team, args.collective(Collective.ALLGATHERV).source(data.slice(8, 32), 4, ElementType.LONG)
            .destV(data, counts(4, 4), null, ElementType.LONG), "must be disjoint");
        rejected(team, args.collective(Collective.SCATTERV).dest(data.slice(8, 32), 4, ElementType.LONG)
            .sourceV(data, counts(4, 4), null, ElementType.LONG), "must be disjoint");
        rejected(team, args.collective(Collective.REDUCE).op(ReduceOp.SUM)
            .source(data.slice(8, 32), 4, ElementType.LONG).dest(data, 4, ElementType.LONG), "be disjoint");
    }

    private static void rejectOperations(final Team team, final SymmetricBuffer data, final SymmetricBuffer other)
    {
        final ReduceOp[] ofRequests = {
            ReduceOp.AVG, ReduceOp.LAND, ReduceOp.LOR, ReduceOp.LXOR, ReduceOp.MAXLOC, ReduceOp.MINLOC};
        for (final ReduceOp op : ofRequests)
        {
            final String text = "no reduction by " + op + " of LONG";
            final CollectiveArgs args = new CollectiveArgs().collective(Collective.INCLUSIVE_SCAN).op(op)
                .source(data, 4, ElementType.LONG).dest(other, 4, ElementType.LONG);
            rejected(team, args, text);
            rejected(team, args.collective(Collective.EXCLUSIVE_SCAN), text);
            final List<Runnable> calls = List.of(
                () -> team.reduce(op, ElementType.LONG, other, data, 4),
                () -> team.reduceScatter(op, ElementType.LONG, other, data, 4),
                () -> team.inclusiveScan(op, ElementType.LONG, other, data, 4),
                () -> team.exclusiveScan(op, ElementType.LONG, other, data, 4),
                () -> team.reduceLong(op, 4),
                () -> team.reduceDouble(op, 4));
            for (final Runnable call : calls)
            {
                assertThrows(IllegalArgumentException.class, call::run, "blocking " + op);
            }
        }

        final CollectiveArgs args = new CollectiveArgs().collective(Collective.ALLREDUCE).op(ReduceOp.MAXLOC)
            .source(data, 3, ElementType.LONG).dest(other, 3, ElementType.LONG);
        rejected(team, args, "must be even");
        rejected(team, args.collective(Collective.REDUCE_SCATTER)
            .source(data, 6, ElementType.LONG).dest(other, 3, ElementType.LONG), "must be even");
        rejected(team, args.collective(Collective.REDUCE_SCATTERV)
            .destV(other, counts(3, 3), null, ElementType.LONG), "must be even");
        rejected(team, args.op(ReduceOp.LAND).collective(Collective.ALLREDUCE)
            .source(data, 3, ElementType.DOUBLE).dest(other, 3, ElementType.DOUBLE), "no reduction by LAND of DOUBLE");
    }
}
