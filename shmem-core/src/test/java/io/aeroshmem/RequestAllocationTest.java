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
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Posts of persistent requests allocate nothing, in all forms of collectives.
 */
@Timeout(180)
class RequestAllocationTest
{
    private static final int MAX_COUNT = 9_000;
    private static final int GAP = 3;

    private static final Collective[] FORMS = {
        Collective.FAN_IN, Collective.FAN_OUT, Collective.REDUCE, Collective.ALLREDUCE, Collective.REDUCE_SCATTER,
        Collective.REDUCE_SCATTERV, Collective.ALLGATHER, Collective.ALLGATHERV, Collective.GATHER,
        Collective.GATHERV, Collective.SCATTER, Collective.SCATTERV, Collective.ALLTOALL, Collective.ALLTOALLV,
    };

    @ParameterizedTest
    @CsvSource({"1", "30", "9000"})
    @Tag("ci")
    void shouldAllocateNothingOnceARequestExists(final int count) throws Exception
    {
        final int posts = count > 1_000 ? 300 : 1_000;
        Shmem.runLocal(2, config(2, TransportKind.MAPPED).progressMode(ProgressMode.INVOKER), (shmem) ->
        {
            final SymmetricBuffer source = shmem.malloc(length(2));
            final SymmetricBuffer dest = shmem.malloc(length(2));
            for (final Collective form : FORMS)
            {
                final Call call = new Call(shmem.world(), form, count, 0 == count % 2, source, dest);
                try (CollectiveRequest request = shmem.world().request(call.args().op(ReduceOp.AVG)))
                {
                    repeat(request, posts);
                    final long bytes = LocalJobs.allocatedBytes(shmem, 8L * posts, () -> repeat(request, posts));
                    assertTrue(bytes < 8L * posts, () -> bytes + " bytes by " + posts + " posts of " + form);
                }
            }
        });
    }

    private static void repeat(final CollectiveRequest request, final int posts)
    {
        for (int i = 0; i < posts; i++)
        {
            request.post();
            request.await();
        }
    }

    private static long length(final int nPes)
    {
        return ((long)nPes * (2 * MAX_COUNT + GAP) + 1) * Long.BYTES;
    }

    private static Shmem.Context config(final int nPes, final TransportKind transport)
    {
        return LocalJobs.config().transport(transport).heapSize(2L * length(nPes) + (1 << 20));
    }

    /** One collective of one count. */
    private static final class Call
    {
        private final Team team;
        private final int size;
        private final int me;
        private final int root;
        private final Collective form;
        private final int count;
        private final boolean isInPlace;
        private final SymmetricBuffer source;
        private final SymmetricBuffer dest;
        private final SymmetricBuffer target;
        private final boolean isRoot;

        Call(
            final Team team,
            final Collective form,
            final int count,
            final boolean isInPlace,
            final SymmetricBuffer source,
            final SymmetricBuffer dest)
        {
            this.team = team;
            this.form = form;
            this.count = count;
            this.isInPlace = isInPlace;
            this.source = source;
            this.dest = dest;
            size = team.nPes();
            me = team.myPe();
            root = (count + form.ordinal()) % size;
            isRoot = me == root;
            target = isInPlace ? source : dest;
        }

        /** Returns the count of the block from one member to another. */
        private int blockCount(final int from, final int to)
        {
            return count * ((3 * from + 5 * to + 1) % 5) / 2;
        }

        /** Returns the counts of the blocks that a member receives, or with a fixed receiver, that all see alike. */
        private long[] counts(final boolean isFrom, final int fixed)
        {
            final long[] counts = new long[size];
            for (int rank = 0; rank < size; rank++)
            {
                counts[rank] = isFrom ? blockCount(rank, fixed) : blockCount(fixed, rank);
            }

            return counts;
        }

        /** Places blocks from the last rank to the first, with a gap before each, differently on each member. */
        private long[] displacements(final long[] counts, final int rank)
        {
            final long[] displacements = new long[size];
            long next = rank % GAP;
            for (int i = size - 1; i >= 0; i--)
            {
                displacements[i] = next;
                next += counts[i] + 1;
            }

            return displacements;
        }

        private CollectiveArgs args()
        {
            final CollectiveArgs args =
                new CollectiveArgs().collective(form).op(ReduceOp.SUM).root(root).persistent(true);
            final long c = count;
            final long n = size * c;
            final SymmetricBuffer noDest = 0 == count % 2 ? null : dest;
            switch (form)
            {
                case FAN_IN, FAN_OUT -> args.source(null, 0, ElementType.BYTE);
                case ALLREDUCE -> args.source(source, c, ElementType.LONG).dest(target, c, ElementType.LONG);
                case REDUCE -> args.source(source, c, ElementType.LONG)
                    .dest(isRoot ? target : noDest, isRoot ? c : 9, isRoot ? ElementType.LONG : ElementType.HALF);
                case REDUCE_SCATTER ->
                    args.source(source, n, ElementType.LONG).dest(target, isInPlace ? 0 : c, ElementType.LONG);
                case REDUCE_SCATTERV -> args.source(source, sum(counts(false, 1)), ElementType.LONG)
                    .destV(target, counts(false, 1), null, ElementType.LONG);
                case ALLGATHER ->
                    args.source(source, isInPlace ? 0 : c, ElementType.LONG).dest(target, n, ElementType.LONG);
                case ALLGATHERV -> args.source(source, isInPlace ? 0 : counts(false, 1)[me], ElementType.LONG)
                    .destV(target, counts(false, 1), displacements(counts(false, 1), me), ElementType.LONG);
                case GATHER -> args.source(source, isRoot && isInPlace ? 0 : c, ElementType.LONG)
                    .dest(isRoot ? target : noDest, isRoot ? n : 9, isRoot ? ElementType.LONG : ElementType.HALF);
                case GATHERV ->
                {
                    args.source(source, isRoot && isInPlace ? 0 : counts(false, 1)[me], ElementType.LONG);
                    if (isRoot)
                    {
                        args.destV(target, counts(false, 1), displacements(counts(false, 1), me), ElementType.LONG);
                    }
                }
                case SCATTER -> args
                    .source(isRoot ? source : 0 == count % 2 ? null : source, isRoot ? n : 7, ElementType.LONG)
                    .dest(target, isRoot && isInPlace ? 0 : c, ElementType.LONG);
                case SCATTERV ->
                {
                    args.dest(target, isRoot && isInPlace ? 0 : counts(false, 1)[me], ElementType.LONG);
                    if (isRoot)
                    {
                        args.sourceV(source, counts(false, 1), displacements(counts(false, 1), me), ElementType.LONG);
                    }
                }
                case ALLTOALL -> args.source(source, n, ElementType.LONG).dest(target, n, ElementType.LONG);
                default -> args
                    .sourceV(source, alltoallCounts(me, false), alltoallDisplacements(me, false), ElementType.LONG)
                    .destV(target, alltoallCounts(me, true), alltoallDisplacements(me, true), ElementType.LONG);
            }

            return args;
        }

        /** Returns the counts of source or dest of ALLTOALLV; in place they are symmetric. */
        private long[] alltoallCounts(final int rank, final boolean isDest)
        {
            final long[] counts = new long[size];
            for (int other = 0; other < size; other++)
            {
                counts[other] = isInPlace ? blockCount(Math.min(rank, other), Math.max(rank, other)) :
                    isDest ? blockCount(other, rank) : blockCount(rank, other);
            }

            return counts;
        }

        private long[] alltoallDisplacements(final int rank, final boolean isDest)
        {
            return displacements(alltoallCounts(rank, isDest), isDest && !isInPlace ? rank + 1 : rank);
        }

        private static long sum(final long[] counts)
        {
            return Arrays.stream(counts).sum();
        }
    }
}
