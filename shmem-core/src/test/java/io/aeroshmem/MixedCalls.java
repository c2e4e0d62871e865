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

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Collective calls of one member, the same ones on all members: every routine, with no elements, a few, more than a
 * slot takes, and more than are staged at once.
 */
final class MixedCalls
{
    private static final int[] COUNTS = {0, 1, 5, 31, 2500};
    private static final int[] FEW_COUNTS = {1, 40, 2500};
    /** More than is staged of an operand at once. */
    private static final int MANY_BYTES = 290_000;

    private final int size;
    private final int me;
    private final List<MixedCall> calls = new ArrayList<>();

    private MixedCalls(final int size, final int me)
    {
        this.size = size;
        this.me = me;
    }

    /** Returns calls of all blocking routines. */
    static List<MixedCall> blocking(final int size, final int me)
    {
        final MixedCalls calls = new MixedCalls(size, me);
        for (final int count : COUNTS)
        {
            calls.addBlocking(count, count);
        }

        calls.addBlocking(MANY_BYTES / Long.BYTES / size, MANY_BYTES / Long.BYTES);
        return calls.calls;
    }

    /** Returns calls of all blocking routines, of which there are fewer. */
    static List<MixedCall> blockingFew(final int size, final int me)
    {
        final MixedCalls calls = new MixedCalls(size, me);
        for (final int count : FEW_COUNTS)
        {
            calls.addBlocking(count, count);
        }

        return calls.calls;
    }

    /** Returns requests of all collectives with data, of which there are fewer. */
    static List<MixedCall> requestsFew(final int size, final int me)
    {
        final MixedCalls calls = new MixedCalls(size, me);
        for (final int count : FEW_COUNTS)
        {
            calls.addRequests(count, count);
        }

        return calls.calls;
    }

    /** Returns requests of all collectives with data, posted once or thrice. */
    static List<MixedCall> requests(final int size, final int me)
    {
        final MixedCalls calls = new MixedCalls(size, me);
        for (final int count : COUNTS)
        {
            calls.addRequests(count, count);
        }

        calls.addRequests(MANY_BYTES / Long.BYTES / size, MANY_BYTES / Long.BYTES);
        return calls.calls;
    }

    private void addBlocking(final int blockCount, final int count)
    {
        final int root = count % size;
        final ElementType words = ElementType.LONG;
        broadcast(ElementType.BYTE, count, root, false);
        broadcast(words, count, size - 1, true);
        final int own = own(blockCount, me);
        add("collect", words, own, total(blockCount), false, (team, dest, source) ->
            team.collect(words, dest, source, own));
        add("fcollect", words, blockCount, (long)size * blockCount, false, (team, dest, source) ->
            team.fcollect(words, dest, source, blockCount));
        add("alltoall", words, (long)size * blockCount, (long)size * blockCount, false, (team, dest, source) ->
            team.alltoall(words, dest, source, blockCount));
        strided(ElementType.SHORT, blockCount, 2, 3);
        strided(ElementType.COMPLEX_DOUBLE, blockCount / 4, 2, 1);
        strided(ElementType.INT, blockCount, 1, 2);

        reduce(ReduceOp.SUM, words, count, false);
        reduce(ReduceOp.SUM, ElementType.DOUBLE, count, true);
        reduce(ReduceOp.PROD, ElementType.COMPLEX_DOUBLE, count / 2, false);
        reduce(ReduceOp.MIN, ElementType.FLOAT, count, false);
        reduceScatter(ReduceOp.SUM, ElementType.DOUBLE, blockCount, false);
        reduceScatter(ReduceOp.XOR, ElementType.UNSIGNED_BYTE, blockCount, true);
        scan(true, ElementType.DOUBLE, count, false);
        scan(false, ElementType.DOUBLE, count, false);
        scan(true, ElementType.INT, count, true);
        scan(false, words, count, true);
    }

    private int own(final int count, final int rank)
    {
        return (5 * rank + 2) % 4 * count / 4;
    }

    private long total(final int count)
    {
        long total = 0;
        for (int rank = 0; rank < size; rank++)
        {
            total += own(count, rank);
        }

        return total;
    }

    private void broadcast(final ElementType type, final int count, final int root, final boolean isInPlace)
    {
        add("broadcast", type, count, count, isInPlace, (team, dest, source) ->
            team.broadcast(type, dest, source, count, root));
    }

    private void strided(final ElementType type, final int count, final int destStride, final int sourceStride)
    {
        final long sourceElements = 0 == count ? 0 : ((long)size * count - 1) * sourceStride + 1;
        final long destElements = 0 == count ? 0 : ((long)size * count - 1) * destStride + 1;
        add("alltoalls", type, sourceElements, destElements, false, (team, dest, source) ->
            team.alltoalls(type, dest, source, destStride, sourceStride, count));
    }

    private void reduce(final ReduceOp op, final ElementType type, final int count, final boolean isInPlace)
    {
        add("reduce " + op, type, count, count, isInPlace, (team, dest, source) ->
            team.reduce(op, type, dest, source, count));
    }

    private void reduceScatter(final ReduceOp op, final ElementType type, final int count, final boolean isInPlace)
    {
        add("reduceScatter", type, (long)size * count, count, isInPlace, (team, dest, source) ->
            team.reduceScatter(op, type, dest, source, count));
    }

    private void scan(final boolean isInclusive, final ElementType type, final int count, final boolean isInPlace)
    {
        add(isInclusive ? "inclusiveScan" : "exclusiveScan", type, count, count, isInPlace, (team, dest, source) ->
        {
            if (isInclusive)
            {
                team.inclusiveScan(ReduceOp.SUM, type, dest, source, count);
            }
            else
            {
                team.exclusiveScan(ReduceOp.SUM, type, dest, source, count);
            }
        });
    }

    private void addRequests(final int blockCount, final int count)
    {
        final int root = count % size;
        request(Collective.BROADCAST, null, ElementType.LONG, count, count, root, false);
        request(Collective.BROADCAST, null, ElementType.SHORT, count, count, size - 1, true);
        request(Collective.ALLREDUCE, ReduceOp.SUM, ElementType.DOUBLE, count, count, 0, false);
        request(Collective.ALLREDUCE, ReduceOp.AVG, ElementType.DOUBLE, count, count, 0, true);
        request(Collective.ALLREDUCE, ReduceOp.MAXLOC, ElementType.LONG, count & -2, count & -2, 0, false);
        request(Collective.ALLREDUCE, ReduceOp.LXOR, ElementType.INT, count, count, 0, false);
        request(Collective.REDUCE, ReduceOp.SUM, ElementType.DOUBLE, count, count, root, false);
        request(Collective.REDUCE, ReduceOp.AVG, ElementType.FLOAT, count, count, root, true);
        request(Collective.INCLUSIVE_SCAN, ReduceOp.SUM, ElementType.DOUBLE, count, count, 0, false);
        request(Collective.EXCLUSIVE_SCAN, ReduceOp.SUM, ElementType.LONG, count, count, 0, true);
        for (final boolean isInPlace : new boolean[]{false, true})
        {
            final int all = size * blockCount;
            request(Collective.REDUCE_SCATTER, ReduceOp.SUM, ElementType.DOUBLE, all, blockCount, 0, isInPlace);
            request(Collective.ALLGATHER, null, ElementType.LONG, blockCount, all, 0, isInPlace);
            request(Collective.ALLTOALL, null, ElementType.LONG, all, all, 0, isInPlace);
            request(Collective.GATHER, null, ElementType.INT, blockCount, all, root, isInPlace && me == root);
            request(Collective.SCATTER, null, ElementType.INT, all, blockCount, root, isInPlace && me == root);
            reduceScatterv(blockCount, isInPlace);
            allgatherv(Collective.ALLGATHERV, blockCount, root, isInPlace);
            allgatherv(Collective.GATHERV, blockCount, root, isInPlace && me == root);
            scatterv(blockCount, root, isInPlace && me == root);
            alltoallv(blockCount, isInPlace);
        }
    }

    private void request(
        final Collective collective,
        final ReduceOp op,
        final ElementType type,
        final int sourceCount,
        final int destCount,
        final int root,
        final boolean isInPlace)
    {
        addRequest(collective, type, sourceCount, destCount, isInPlace, (source, dest) ->
        {
            final CollectiveArgs args = new CollectiveArgs().collective(collective).root(root)
                .source(source, sourceCount, type).dest(dest, destCount, type);
            return null == op ? args : args.op(op);
        });
    }

    private void reduceScatterv(final int blockCount, final boolean isInPlace)
    {
        final ElementType type = ElementType.DOUBLE;
        final long[] counts = new long[size];
        Arrays.setAll(counts, (rank) -> own(blockCount, rank));
        final int total = (int)total(blockCount);
        addRequest(Collective.REDUCE_SCATTERV, type, total, (int)counts[me], isInPlace, (source, dest) ->
            new CollectiveArgs().collective(Collective.REDUCE_SCATTERV).op(ReduceOp.SUM)
                .source(source, total, type).destV(dest, counts, null, type));
    }

    /** Blocks of different lengths, with a gap before each; other members of a gatherv have no dest. */
    private void allgatherv(
        final Collective collective, final int blockCount, final int root, final boolean isInPlace)
    {
        final ElementType type = ElementType.LONG;
        final long[] counts = new long[size];
        Arrays.setAll(counts, (rank) -> own(blockCount, rank));
        final long[] positions = positions(counts);
        final int extent = (int)(positions[size - 1] + counts[size - 1]);
        final boolean isDest = Collective.ALLGATHERV == collective || me == root;
        addRequest(collective, type, (int)counts[me], extent, isInPlace, (source, dest) ->
        {
            final CollectiveArgs args = new CollectiveArgs().collective(collective).root(root)
                .source(source, counts[me], type);
            return isDest ? args.destV(dest, counts, positions, type) : args;
        });
    }

    private void scatterv(final int blockCount, final int root, final boolean isInPlace)
    {
        final ElementType type = ElementType.SHORT;
        final long[] counts = new long[size];
        Arrays.setAll(counts, (rank) -> own(blockCount, rank));
        final long[] positions = positions(counts);
        final int extent = (int)(positions[size - 1] + counts[size - 1]);
        addRequest(Collective.SCATTERV, type, extent, (int)counts[me], isInPlace, (source, dest) ->
        {
            final CollectiveArgs args = new CollectiveArgs().collective(Collective.SCATTERV).root(root)
                .dest(dest, counts[me], type);
            return me == root ? args.sourceV(source, counts, positions, type) : args;
        });
    }

    /** The block of each pair of members has its own length, in place the same in both directions. */
    private void alltoallv(final int blockCount, final boolean isInPlace)
    {
        final ElementType type = ElementType.LONG;
        final long[] sent = new long[size];
        final long[] received = new long[size];
        Arrays.setAll(sent, (rank) -> own(blockCount, isInPlace ? me + rank : me + 2 * rank));
        Arrays.setAll(received, (rank) -> own(blockCount, isInPlace ? me + rank : rank + 2 * me));
        final long[] sourcePositions = positions(sent);
        final long[] destPositions = positions(received);
        final int sourceExtent = (int)(sourcePositions[size - 1] + sent[size - 1]);
        final int destExtent = (int)(destPositions[size - 1] + received[size - 1]);
        addRequest(Collective.ALLTOALLV, type, sourceExtent, destExtent, isInPlace, (source, dest) ->
            new CollectiveArgs().collective(Collective.ALLTOALLV)
                .sourceV(source, sent, sourcePositions, type).destV(dest, received, destPositions, type));
    }

    private long[] positions(final long[] counts)
    {
        final long[] positions = new long[size];
        long next = 1;
        for (int rank = size - 1; rank >= 0; rank--)
        {
            positions[rank] = next;
            next += counts[rank] + 1;
        }

        final long first = positions[size - 1];
        for (int rank = 0; rank < size; rank++)
        {
            positions[rank] = next - positions[rank] - counts[rank] - first + 1;
        }

        return positions;
    }

    private interface Args
    {
        CollectiveArgs of(SymmetricBuffer source, SymmetricBuffer dest);
    }

    private void addRequest(
        final Collective collective,
        final ElementType type,
        final int sourceCount,
        final int destCount,
        final boolean isInPlace,
        final Args args)
    {
        final int tag = calls.size();
        final int times = 0 == tag % 2 ? 1 : 3;
        add(collective.toString(), type, sourceCount, destCount, isInPlace, (team, dest, source) ->
        {
            final CollectiveArgs given = args.of(source, dest).tag(tag).persistent(times > 1);
            try (CollectiveRequest request = team.request(given))
            {
                for (int i = 0; i < times; i++)
                {
                    request.post();
                    request.await();
                }
            }
        });
    }

    private void add(
        final String name,
        final ElementType type,
        final long sourceCount,
        final long destCount,
        final boolean isInPlace,
        final MixedCall.Action action)
    {
        calls.add(new MixedCall(
            calls.size() + " " + name + " of " + sourceCount + " to " + destCount + " " + type +
            (isInPlace ? " in place" : ""),
            type, sourceCount * type.bytes(), destCount * type.bytes(), isInPlace, action));
    }
}
