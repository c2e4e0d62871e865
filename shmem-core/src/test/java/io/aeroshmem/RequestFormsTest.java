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

import java.lang.management.ManagementFactory;
import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The forms of collectives that only requests have, and the forms in place: all of the memory of both buffers after the
 * call, on all members, against the definition. Buffers that do not matter are absent in every second call.
 */
@Timeout(180)
class RequestFormsTest
{
    private static final int[] COUNTS = {0, 1, 4, 26, 27, 30, 31, 200, 8_192, 8_193, 20_001};
    private static final int MAX_COUNT = 20_001;
    private static final int MAX_IN_BOTH_PLACES = 200;
    private static final int GAP = 3;

    private static final Collective[] FORMS = {
        Collective.FAN_IN, Collective.FAN_OUT, Collective.REDUCE, Collective.ALLREDUCE, Collective.REDUCE_SCATTER,
        Collective.REDUCE_SCATTERV, Collective.ALLGATHER, Collective.ALLGATHERV, Collective.GATHER,
        Collective.GATHERV, Collective.SCATTER, Collective.SCATTERV, Collective.ALLTOALL, Collective.ALLTOALLV,
    };

    @ParameterizedTest
    @CsvSource({"3, MAPPED", "3, UDP"})
    void shouldMatchTheDefinition(final int nPes, final TransportKind transport) throws Exception
    {
        matchTheDefinition(nPes, transport);
    }

    @ParameterizedTest
    @CsvSource({"1, MAPPED", "2, MAPPED", "5, MAPPED", "9, MAPPED", "1, IPC", "2, IPC", "5, IPC"})
    @Tag("ci")
    void shouldMatchTheDefinitionInMoreTeams(final int nPes, final TransportKind transport) throws Exception
    {
        matchTheDefinition(nPes, transport);
    }

    private static void matchTheDefinition(final int nPes, final TransportKind transport) throws Exception
    {
        Shmem.runLocal(nPes, config(nPes, transport), (shmem) ->
        {
            final Team reversed = shmem.world().splitStrided(nPes - 1, -1, nPes);
            final SymmetricBuffer source = shmem.malloc(length(nPes));
            final SymmetricBuffer dest = shmem.malloc(length(nPes));
            for (final int count : COUNTS)
            {
                for (final Collective form : FORMS)
                {
                    // of long blocks, each form is in place for one length or another
                    for (final boolean isInPlace : new boolean[]{false, true})
                    {
                        if (count <= MAX_IN_BOTH_PLACES || isInPlace == (0 == (count + form.ordinal()) % 2))
                        {
                            final Team team = 0 == count % 2 ? shmem.world() : reversed;
                            new Call(team, form, count, isInPlace, source, dest).performAndCheck();
                        }
                    }
                }
            }
            reversed.close();
        });
    }

    /** The same with the algorithms that the table does not prefer for these teams. */
    @ParameterizedTest
    @CsvSource({"1, MAPPED", "4, MAPPED", "5, IPC"})
    @Tag("ci")
    void shouldMatchTheDefinitionByOtherAlgorithms(final int nPes, final TransportKind transport) throws Exception
    {
        matchTheDefinitionByOtherAlgorithms(nPes, transport);
    }

    @ParameterizedTest
    @CsvSource({"3, MAPPED", "9, MAPPED", "2, IPC", "3, UDP"})
    @Tag("ci")
    void shouldMatchTheDefinitionByOtherAlgorithmsInMoreTeams(
        final int nPes, final TransportKind transport) throws Exception
    {
        matchTheDefinitionByOtherAlgorithms(nPes, transport);
    }

    private static void matchTheDefinitionByOtherAlgorithms(final int nPes, final TransportKind transport)
        throws Exception
    {
        for (final String[] names : new String[][]{{"binomial", "flat", "bruck"}, {"direct_read", "pairwise", "flat"}})
        {
            final Shmem.Context config = config(nPes, transport)
                .algorithm("reduce", names[0]).algorithm("alltoall", names[1]).algorithm("collect", names[2]);
            Shmem.runLocal(nPes, config, (shmem) ->
            {
                final SymmetricBuffer source = shmem.malloc(length(nPes));
                final SymmetricBuffer dest = shmem.malloc(length(nPes));
                for (final int count : new int[]{1, 30, 1_000, 20_001})
                {
                    for (final Collective form : FORMS)
                    {
                        new Call(shmem.world(), form, count, 0 == count % 2, source, dest).performAndCheck();
                    }
                }
            });
        }
        final Shmem.Context bruck = config(nPes, transport).algorithm("alltoall", "bruck");
        Shmem.runLocal(nPes, bruck, (shmem) ->
        {
            final SymmetricBuffer data = shmem.malloc(length(nPes));
            final SymmetricBuffer other = shmem.malloc(length(nPes));
            for (final int count : new int[]{1, 4, 30, 128})
            {
                new Call(shmem.world(), Collective.ALLTOALL, count, true, data, other).performAndCheck();
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"2, MAPPED", "3, IPC"})
    @Tag("ci")
    void shouldMoveLongBlocks(final int nPes, final TransportKind transport) throws Exception
    {
        final int count = 150_000;
        final long length = ((long)nPes * (2 * count + GAP) + 1) * Long.BYTES;
        final Shmem.Context config = LocalJobs.config().transport(transport).heapSize(2 * length + (1 << 20));
        Shmem.runLocal(nPes, config, (shmem) ->
        {
            final SymmetricBuffer source = shmem.malloc(length);
            final SymmetricBuffer dest = shmem.malloc(length);
            for (final Collective form : FORMS)
            {
                new Call(shmem.world(), form, count, 0 == form.ordinal() % 2, source, dest).performAndCheck();
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"1", "30", "9000"})
    void shouldAllocateNothingOnceARequestExists(final int count) throws Exception
    {
        final int posts = count > 1_000 ? 300 : 3_000;
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
                    final com.sun.management.ThreadMXBean bean =
                        (com.sun.management.ThreadMXBean)ManagementFactory.getThreadMXBean();
                    final long thread = Thread.currentThread().getId();
                    bean.getThreadAllocatedBytes(thread);
                    final long before = bean.getThreadAllocatedBytes(thread);
                    repeat(request, posts);
                    final long bytes = bean.getThreadAllocatedBytes(thread) - before;
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

    /**
     * One collective of one count, performed three times by one persistent request.
     */
    private static final class Call
    {
        private static final long UNTOUCHED = -1;

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

        void performAndCheck()
        {
            try (CollectiveRequest request = team.request(args()))
            {
                for (int round = 0; round < 3; round++)
                {
                    final long[] sources = new long[longs()];
                    final long[] expected = new long[longs()];
                    Arrays.fill(expected, UNTOUCHED);
                    for (int i = 0; i < sources.length; i++)
                    {
                        sources[i] = value(me, i, round);
                    }
                    store(source, sources);
                    store(dest, expected);
                    if (isInPlace)
                    {
                        System.arraycopy(sources, 0, expected, 0, sources.length);
                    }
                    expect(expected, round);
                    team.sync();
                    request.post();
                    request.await();
                    assertSame(expected, load(target), "dest");
                    if (!isInPlace)
                    {
                        assertSame(sources, load(source), "source");
                    }
                    team.sync();
                }
            }
        }

        /** Compares at the speed of memory; only a difference is worth the time to describe it. */
        private void assertSame(final long[] expected, final long[] actual, final String buffer)
        {
            if (!Arrays.equals(expected, actual))
            {
                assertArrayEquals(expected, actual, () -> buffer + " of " + this);
            }
        }

        @Override
        public String toString()
        {
            return form + ", " + size + " members, rank " + me + ", count " + count + (isInPlace ? ", in place" : "");
        }

        private int longs()
        {
            return size * (2 * count + GAP) + 1;
        }

        private static void store(final SymmetricBuffer buffer, final long[] values)
        {
            buffer.byteBuffer().asLongBuffer().put(values);
        }

        private static long[] load(final SymmetricBuffer buffer, final int longs)
        {
            final long[] values = new long[longs];
            buffer.byteBuffer().asLongBuffer().get(values);
            return values;
        }

        private long[] load(final SymmetricBuffer buffer)
        {
            return load(buffer, longs());
        }

        private static long value(final int rank, final int i, final int round)
        {
            return 1_000_003L * (rank + 1) + 31L * i + 7L * round;
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

        /** Writes what the call writes into the dest of this member. */
        private void expect(final long[] expected, final int round)
        {
            final long[] shared = counts(false, 1);
            switch (form)
            {
                case ALLREDUCE -> sums(expected, 0, 0, count, round);
                case FAN_IN, FAN_OUT -> sums(expected, 0, 0, 0, round);
                case REDUCE -> sums(expected, 0, 0, isRoot ? count : 0, round);
                case REDUCE_SCATTER -> sums(expected, isInPlace ? me * count : 0, me * count, count, round);
                case REDUCE_SCATTERV ->
                {
                    final int at = (int)sum(Arrays.copyOf(shared, me));
                    sums(expected, isInPlace ? at : 0, at, (int)shared[me], round);
                }
                case ALLGATHER, GATHER ->
                {
                    for (int rank = 0; rank < size && (isRoot || Collective.ALLGATHER == form); rank++)
                    {
                        final boolean isAtPlace = isInPlace && (Collective.ALLGATHER == form || rank == root);
                        copy(expected, rank * count, rank, isAtPlace ? rank * count : 0, count, round);
                    }
                }
                case ALLGATHERV, GATHERV ->
                {
                    final long[] places = displacements(shared, me);
                    for (int rank = 0; rank < size && (isRoot || Collective.ALLGATHERV == form); rank++)
                    {
                        final boolean isAtPlace = isInPlace && (Collective.ALLGATHERV == form || rank == root);
                        final int from = isAtPlace ? (int)displacements(shared, rank)[rank] : 0;
                        copy(expected, (int)places[rank], rank, from, (int)shared[rank], round);
                    }
                }
                case SCATTER -> copy(
                    expected, isInPlace && isRoot ? me * count : 0, root, me * count, count, round);
                case SCATTERV ->
                {
                    final int from = (int)displacements(shared, root)[me];
                    copy(expected, isInPlace && isRoot ? from : 0, root, from, (int)shared[me], round);
                }
                case ALLTOALL ->
                {
                    for (int rank = 0; rank < size; rank++)
                    {
                        copy(expected, rank * count, rank, me * count, count, round);
                    }
                }
                default ->
                {
                    for (int rank = 0; rank < size; rank++)
                    {
                        copy(expected, (int)alltoallDisplacements(me, true)[rank], rank,
                            (int)alltoallDisplacements(rank, false)[me], (int)alltoallCounts(me, true)[rank], round);
                    }
                }
            }
        }

        private void sums(final long[] expected, final int to, final int from, final int length, final int round)
        {
            for (int i = 0; i < length; i++)
            {
                long sum = 0;
                for (int rank = 0; rank < size; rank++)
                {
                    sum += value(rank, from + i, round);
                }
                expected[to + i] = sum;
            }
        }

        private static void copy(
            final long[] expected, final int to, final int rank, final int from, final int length, final int round)
        {
            for (int i = 0; i < length; i++)
            {
                expected[to + i] = value(rank, from + i, round);
            }
        }
    }
}
